"""Every class of wrong use or input ends with one sentence that names it, and the documented exit code."""

import os
import unittest

from program import QUICK, ProgramTest


class Usage(ProgramTest):
    def test_an_unknown_command_is_refused_with_the_nearest_one(self):
        self.refuse("trian", says="there is no command 'trian'; did you mean 'train'?")

    def test_an_unknown_option_is_refused_with_the_nearest_one(self):
        self.refuse("train", "x.csv", "--hiden", "5", says="strata train has no option '--hiden'; did you mean '--hidden'?")
        self.refuse("predict", "m", "d", "--output=p.csv", says="strata predict has no option '--output=p.csv'; did you "
                                                                "mean '--out'?")

    def test_arguments_are_counted(self):
        self.refuse("evaluate", "model", says=["DATA is missing", "usage: strata evaluate MODEL DATA"])
        self.refuse("inspect", "model", "more", says="'more' is one argument too many")
        self.refuse("train", says="name the file to train on")
        self.refuse("train", "x.csv", "--seed", says="--seed")

    def test_values_out_of_range_are_refused_with_what_is_accepted(self):
        self.housing()
        for option, value, says in [
            ("--seed", "-1", "use a whole number"),
            ("--seed", "1.5", "use a whole number"),
            ("--l2", "-1", "use a number of at least 0"),
            ("--l2", "much", "use a number of at least 0, auto, paper or rho"),
            ("--hidden", "5,x", "option 'hidden' = 'x'"),
            ("--hidden", "5,0", "option 'hidden' = '5,0': use whole numbers of at least 1, or none"),
            ("--activation", "step", "use linear, sigmoid, tanh, "),
            ("--bias", "some", "use none, input or per_layer"),
            ("--init", "zeros", "use uniform, normal, glorot or he"),
            ("--method", "sgd", "use one of b2ld"),
            ("--time-limit", "soon", "use a time above 0 such as"),
            ("--time-limit", "0", "use a time above 0 such as"),
            ("--sweeps", "0", "use a whole number of at least 1"),
            ("--test", "1.5", "use a fraction between 0 and 1, a file or none"),
            ("--validation", "-0.5", "use a fraction between 0 and 1, a file or none"),
            ("--validation", "0.001", "too few of 120 rows would be left"),
            ("--missing", "guess", "use refuse, drop or impute"),
            ("--scale", "log", "use minmax, standard or none"),
            ("--protocol", "mine", "there is one protocol: paper"),
            ("--raw", ".", "only with --protocol paper"),
            ("--reading", "paper", "only with --protocol paper"),
            ("--clock", "sun", "use wall or processor"),
            ("--damping", "0", "use a number above 0"),
        ]:
            with self.subTest(option=option, value=value):
                self.refuse("train", "housing.csv", "--target", "price", *QUICK, option, value, "--quiet", says=says)

    def test_epochs_are_sweeps_by_another_name(self):
        self.refuse("train", "x.csv", "--epochs", "0", says="option 'epochs' = '0': use a whole number of at least 1")
        self.refuse("train", "x.csv", "--epochs", "1", "--sweeps", "1", says="is another name for sweeps; give one of them")

    def test_an_option_of_another_method_is_refused(self):
        self.housing()
        self.refuse("train", "housing.csv", "--target", "price", "--method", "adam", "--damping", "1",
                    says="option 'method' = 'adam': has no option 'damping'")

    def test_settings_of_other_tables_and_shells_are_refused(self):
        self.refuse("generate", "housin", says="there is no such table; did you mean 'housing'?")
        self.refuse("generate", "housing", "--folds", "3", says="housing has no such setting")
        self.refuse("generate", "friedman1", "--rows", "0", says="option 'rows' = '0': use 1 or more")
        self.refuse("completion", "fish", says="use bash or zsh")
        self.refuse("methods", "adma", says="use one of b2ld")
        self.refuse("data", "bikes", "--raw", ".", says="did you mean 'bike'?")
        self.refuse("data", "bike", says="name the directory")


class Tables(ProgramTest):
    def setUp(self):
        super().setUp()
        self.housing()

    def refuse_training(self, says, *arguments, data="housing.csv", target="price"):
        self.refuse("train", data, "--target", target, *QUICK, *arguments, says=says)
        self.assertNotIn("safetensors", " ".join(self.files()))

    def test_a_missing_file(self):
        self.refuse_training("nowhere.csv", data="nowhere.csv")

    def test_a_name_that_no_file_can_have(self):
        name = 300 * "a" + ".csv"
        says = [300 * "a", "; c"]  # check its name; choose another one
        self.refuse_training(says, "--model", "m", data=name)
        for option in ("--model", "--checkpoint", "--config"):
            self.refuse_training(says, option, name)
        self.refuse("report", name, "--out", "page.html", says=says)
        self.refuse("tables", name, says=says)

    def test_a_directory(self):
        (self.directory / "rows.csv").mkdir()
        self.refuse_training("rows.csv", data="rows.csv")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_an_unreadable_file(self):
        os.chmod(self.directory / "housing.csv", 0)
        self.refuse_training("housing.csv")

    def test_an_absent_target_lists_the_columns_nearest_first(self):
        self.refuse_training("housing.csv: there is no column 'prise' to predict; its columns, nearest first: price, ",
                             target="prise")

    def test_no_target_at_all(self):
        self.refuse("train", "housing.csv", says="name the column to predict")

    def test_a_cell_that_is_no_number(self):
        lines = self.read("housing.csv").splitlines()
        lines[5] = "much" + lines[5][lines[5].index(","):]
        self.write("bad.csv", "\n".join(lines))
        self.refuse_training(["bad.csv, line 6, column 1", "much"], data="bad.csv")

    def test_a_missing_cell_where_the_user_is_strict(self):
        lines = self.read("housing.csv").splitlines()
        lines[5] = lines[5][lines[5].index(","):]
        self.write("gap.csv", "\n".join(lines))
        self.refuse_training("gap.csv, line 6, column 1", "--strict", data="gap.csv")
        self.train(data="gap.csv")
        self.train("--missing", "drop", data="gap.csv")
        self.train("--missing", "impute", data="gap.csv")

    def test_a_table_too_small_to_be_split(self):
        self.write("small.csv", "a,price\n1,2\n2,3\n")
        self.refuse_training("option 'validation' = '0.15': too few of 2 rows", data="small.csv")

    def test_options_that_the_protocol_fixes(self):
        self.refuse("train", "california", "--protocol", "paper", "--raw", ".", "--target", "x",
                    says="is fixed by --protocol paper")
        self.refuse("train", "california", "--protocol", "paper", says="name the directory")
        self.refuse("train", "california", "--protocol", "paper", "--raw", ".", "--reading", "preset",
                    says="there is no such reading; did you mean 'presets'?")
        self.refuse("train", "california", "--protocol", "paper", "--raw", ".", "--validation", "rows.csv",
                    says="use a fraction of the training rows, or none")


class Models(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train()
        self.model = "housing.strata.safetensors"

    def test_what_is_no_model(self):
        self.refuse("inspect", "none.safetensors", says="none.safetensors")
        self.refuse("inspect", "housing.csv", says="housing.csv")
        self.refuse("inspect", ".", says=".")

    def test_rows_of_other_columns(self):
        self.succeed("generate", "friedman1", "--rows", 5, "--out", "other.csv")
        self.refuse("evaluate", self.model, "other.csv",
                    says=["other.csv", "area"])
        self.refuse("predict", self.model, "other.csv", "--out", "p.csv", says=["other.csv", "area"])
        self.assertNotIn("p.csv", " ".join(self.files()))

    def test_rows_without_a_target_by_the_name_of_their_file(self):
        header, *rows = self.read("housing.csv").splitlines()
        self.write("open.csv", "\n".join([header, *(row[:row.rindex(",") + 1] for row in rows)]) + "\n")
        train = ["train", "housing.csv", "--target", "price", *QUICK, "--quiet", "--model", "m"]
        for command in (["evaluate", self.model, "open.csv"], ["importance", self.model, "open.csv"],
                        [*train, "--test", "open.csv"], [*train, "--validation", "open.csv"]):
            self.refuse(*command, says="open.csv: there are no complete rows")

    def test_rows_that_are_no_file(self):
        self.refuse("predict", self.model, "nowhere.csv", says="nowhere.csv")
        self.refuse("predict", self.model, ".", says="directory")

    def test_a_bad_cell_leaves_the_previous_predictions_as_they_were(self):
        self.write("p.csv", "before")
        self.write("new.csv", "area,rooms,age,distance,garden,condition\n50,2,3,1.5,yes,good\nbig,2,3,1.5,yes,good\n")
        self.refuse("predict", self.model, "new.csv", "--out", "p.csv", says=["new.csv, line 3", "big"])
        self.assertEqual(self.read("p.csv"), "before")
        self.assertFalse([name for name in self.files() if "tmp" in name])

    def test_truncated_and_corrupted_models(self):
        whole = (self.directory / self.model).read_bytes()
        for offset in range(0, len(whole), max(1, len(whole) // 25)):
            (self.directory / "cut").write_bytes(whole[:offset])
            self.refuse("inspect", "cut", says="cut")
        header = int.from_bytes(whole[:8], "little")
        for offset in range(0, 8 + header, max(1, header // 25)):
            (self.directory / "bent").write_bytes(whole[:offset] + bytes([whole[offset] ^ 0x80]) + whole[offset + 1:])
            result = self.run_program("inspect", "bent")
            self.assertIn(result.returncode, (0, 2), f"offset {offset}: {result.stderr}")

    def test_a_place_that_cannot_be_written_is_an_error_before_training(self):
        self.refuse("train", "housing.csv", "--target", "price", "--model", "none/m.safetensors", code=1,
                    says="its directory does not exist")
        self.refuse("train", "housing.csv", "--target", "price", "--model", ".", code=1, says="is a directory")
        self.refuse("predict", self.model, "housing.csv", "--out", "none/p.csv", code=1, says="none/p.csv")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = self.start("generate", "housing", stdout=full)
            self.assertIn("standard output: cannot be written (No space left on device)", process.communicate()[1])
            self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    unittest.main()
