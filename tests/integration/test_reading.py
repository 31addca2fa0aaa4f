"""Tables as users have them, through the program: train, predict and evaluate read them alike."""

import gzip
import json
import random
import select
import subprocess
import time
import unittest

from program import QUICK, ProgramTest


def rows(count=60):
    """x, kind and y = 2 x + (kind is b)."""
    stream = random.Random(3)
    made = []
    for _ in range(count):
        x, kind = round(stream.uniform(0, 1000), 2), stream.choice("ab")
        made.append((x, kind, round(2 * x + (kind == "b"), 2)))
    return made


def csv(separator=",", decimal=".", header=True):
    lines = [separator.join(("x", "kind", "y"))] if header else []
    lines += [separator.join((str(x).replace(".", decimal), kind, str(y).replace(".", decimal))) for x, kind, y in rows()]
    return "\n".join(lines) + "\n"


class Reading(ProgramTest):
    def train_on(self, name, *options, target="y", **how):
        result = self.succeed("train", name, "--target", target, *QUICK, "--json", "--model", "m", *options, **how)
        return json.loads(result.stdout), result.stderr

    def predictions(self, *arguments, **how):
        return self.succeed("predict", "m", *arguments, **how).stdout

    def test_formats_and_standard_input_give_the_same_model(self):
        self.write("t.csv", csv())
        (self.directory / "t.csv.gz").write_bytes(gzip.compress(csv().encode()))
        arff = "@relation r\n@attribute x real\n@attribute kind {a, b}\n@attribute y real\n@data\n" + csv(header=False)
        self.write("t.arff", arff)
        self.write("t.dat", arff.replace("@data", "@inputs x, kind\n@outputs y\n@data"))
        (self.directory / "t.dat.gz").write_bytes(gzip.compress(arff.encode()))
        self.write("t.txt", csv("|"))
        self.write("blanks.txt", csv("  "))
        expected, _ = self.train_on("t.csv")
        predicted = self.predictions("t.csv")
        measured = self.succeed("evaluate", "m", "t.csv", "--json").stdout
        for name in ("t.csv.gz", "t.arff", "t.dat", "t.dat.gz", "t.txt", "blanks.txt"):
            with self.subTest(name=name):
                self.assertEqual(self.predictions(name), predicted)
                self.assertEqual(self.succeed("evaluate", "m", name, "--json").stdout, measured)
                self.assertEqual(self.train_on(name)[0]["objective"], expected["objective"])
        for text in (csv(), csv(";"), arff):
            self.assertEqual(self.train_on("-", stdin=text)[0]["objective"], expected["objective"])
            self.assertEqual(self.succeed("evaluate", "m", "-", "--json", stdin=text).stdout, measured)
            self.assertEqual(self.predictions("-", stdin=text), predicted)

    def test_a_packed_table_gives_the_same_model_predictions_and_errors(self):
        self.housing(rows=300)
        options = ["--target", "price", *QUICK, "--quiet"]
        self.succeed("train", "housing.csv", *options, "--model", "text")
        self.assertIn("300 rows of 7 columns: housing.strata-rows, ", self.succeed("pack", "housing.csv").stdout)
        self.succeed("train", "housing.strata-rows", *options, "--model", "packed")
        # And from the disk, with a table that may take less than it does.
        self.succeed("train", "housing.strata-rows", *options, "--memory", "24kB", "--threads", "1", "--model", "disk")
        predicted = self.succeed("predict", "text", "housing.csv").stdout
        for model, data in (("text", "housing.strata-rows"), ("packed", "housing.strata-rows"), ("packed", "housing.csv")):
            self.assertEqual(self.succeed("predict", model, data).stdout, predicted)
        errors = [json.loads(self.succeed("evaluate", "text", name, "--json").stdout)["rmse"] for name in
                  ("housing.csv", "housing.strata-rows")]
        self.assertEqual(errors[0], errors[1])

    def test_a_packed_table_that_is_damaged_or_of_other_types_is_refused(self):
        self.housing(rows=30)
        self.succeed("pack", "housing.csv", "--out", "rows.strata-rows")
        self.succeed("train", "housing.csv", "--target", "price", *QUICK, "--categorical", "rooms", "--model", "m")
        self.refuse("predict", "m", "rows.strata-rows", says=["rows.strata-rows: column 'rooms' is packed as numbers",
                                                             "--categorical rooms"])
        whole = (self.directory / "rows.strata-rows").read_bytes()
        (self.directory / "rows.strata-rows").write_bytes(whole[:-1])
        self.refuse("train", "rows.strata-rows", "--target", "price", says="rows.strata-rows: it ends too early")
        self.refuse("pack", "housing.csv", "--out", "rows.bin", says="end the name in .strata-rows")
        self.refuse("pack", "rows.strata-rows", says="packed already")

    def test_the_time_limit_counts_from_the_start_and_reading_is_announced(self):
        with self.start("train", "-", "--target", "y", "--time-limit", "1s", "--json", stdin=subprocess.PIPE) as process:
            heard, _, _ = select.select([process.stderr], [], [], 30)  # before there is anything to read
            if not heard:
                process.kill()
            self.assertTrue(heard)
            self.assertEqual(process.stderr.readline(), "reading standard input\n")
            time.sleep(1.2)
            out, _ = process.communicate(csv())
        told = json.loads(out)
        self.assertEqual(told["reason"], "time_limit")
        self.assertLess(told["seconds"], 0.9)  # it would train for a second

    def test_a_decimal_comma_is_noticed_and_remembered(self):
        self.write("t.csv", csv(";", ","))
        self.write("plain.csv", csv())
        record, said = self.train_on("t.csv")
        self.assertIn("t.csv: numbers are read with a decimal comma (--decimal . changes that)", said.splitlines())
        self.assertEqual(record["notices"], ["t.csv: numbers are read with a decimal comma (--decimal . changes that)"])
        self.assertEqual(record["objective"], self.train_on("plain.csv", "--model", "other")[0]["objective"])
        self.write("new.csv", "x;kind\n10;a\n1,5;b\n")
        self.write("points.csv", "x;kind\n10;a\n1.5;b\n")
        self.assertEqual(self.predictions("new.csv"), self.predictions("points.csv", "--decimal", "."))

    def test_files_without_header_get_names_and_predict_needs_no_target(self):
        self.write("t.csv", csv(header=False))
        self.train_on("t.csv", "--header", "no", "--names", "x,kind,y")
        self.write("new.csv", "10,a\n20,b\n")
        self.assertEqual(len(self.predictions("new.csv").splitlines()), 3)
        self.refuse("train", "t.csv", "--target", "y", "--names", "a,b", says="option 'names' = '2 names': the file has 3 columns")

    def test_years_are_names(self):
        self.write("t.csv", "2019,2020,y\n" + "".join(f"{i},{i * i},{i * 3}\n" for i in (5, 3, 8, 1, 9, 2, 7, 4, 6, 11) * 3))
        self.train_on("t.csv")

    def test_markers_of_missing_values_are_remembered(self):
        text = csv().replace("x,kind,y\n", "x,kind,y\n-999,a,100\n")
        self.write("t.csv", text)
        self.train_on("t.csv", "--na", "-999,unknown", "--missing", "impute")
        self.write("new.csv", "x,kind\n-999,a\n,a\n")
        lines = self.predictions("new.csv").splitlines()
        self.assertEqual(lines[1], lines[2])

    def test_encodings_are_detected_or_given(self):
        for encoding in ("latin-1", "utf-16", "utf-8-sig"):
            (self.directory / "t.csv").write_bytes(csv().replace("b", "übel").encode(encoding))
            self.train_on("t.csv")
            self.assertEqual(json.loads(self.succeed("inspect", "m", "--json").stdout)["inputs"][1]["categories"], ["a", "übel"])
        self.refuse("train", "t.csv", "--target", "y", "--encoding", "ebcdic", says="use utf-8, utf-16 or latin-1")

    def test_wrong_signs_are_refused(self):
        self.write("t.csv", csv())
        for option, value, says in (("--separator", "ab", "use one sign"), ("--separator", "x", "use a comma"),
                                    ("--decimal", ";", "use a point or a comma"), ("--quote", "q", "use a double"),
                                    ("--header", "maybe", "use yes or no"), ("--thousands", ".", "is the decimal sign")):
            self.refuse("train", "t.csv", "--target", "y", option, value, says=says)

    def test_the_first_line_of_a_spreadsheet_names_the_separator(self):
        self.write("t.csv", csv(";"))
        expected = self.train_on("t.csv")[0]["objective"]
        for line in ("sep=;\n", "SEP=;\r\n"):
            self.write("told.csv", line + csv(";"))
            self.assertEqual(self.train_on("told.csv")[0]["objective"], expected)
        # The line counts, and new files may have another separator.
        self.write("ragged.csv", "sep=;\n" + csv(";") + "1;2\n")
        self.refuse("train", "ragged.csv", "--target", "y", says=["line 63", "the row has 2 cells"])
        self.write("comma.csv", csv())
        self.assertEqual(self.predictions("comma.csv"), self.predictions("told.csv"))

    def test_numbers_written_in_other_ways_are_told(self):
        self.write("swiss.csv", "x,y\n" + "".join(f"{x:,.2f},".replace(",", "'", 1) + f"{y}\n" for x, _, y in rows()
                                                 for x in [x + 1000]))
        self.refuse("train", "swiss.csv", "--target", "y", says=["looks like a number with groups of digits", "--thousands \"'\""])
        self.train_on("swiss.csv", "--thousands", "'")
        self.write("units.csv", "x,z,y\n" + "".join(f"{x} km,{x},{y}\n" for x, _, y in rows()))
        said = self.train_on("units.csv")[1]
        self.assertRegex(said, r"column 'x' has another text in every row .*to use the number in '[\d.]+ km' and the like, let it stand alone")

    def test_bombs_are_refused_at_once(self):
        (self.directory / "zeros.csv.gz").write_bytes(gzip.compress(b"0" * (80 << 20)))
        (self.directory / "commas.csv.gz").write_bytes(gzip.compress(b"," * (80 << 20)))
        for name in ("zeros.csv.gz", "commas.csv.gz"):
            self.refuse("train", name, "--target", "y", says=[name, "does not end within"])
        self.write("wide.csv", "," * 200000 + "\n")
        self.refuse("train", "wide.csv", "--target", "y", says="more than 100000 cells")

    def test_a_spreadsheet_is_refused_with_how_to_convert_it(self):
        self.write("t.xlsx", "PK")
        self.refuse("train", "t.xlsx", "--target", "y", says="save it as CSV")
        self.write("t.parquet", "PAR1")
        self.refuse("train", "t.parquet", "--target", "y",
                    says="python3 -c \"import pandas; pandas.read_parquet('t.parquet').to_csv('t.csv', index=False)\"")


class SafeDefaults(ProgramTest):
    def train_on(self, text, *options, target="y"):
        self.write("t.csv", text)
        result = self.succeed("train", "t.csv", "--target", target, *QUICK, "--json", "--model", "m", *options)
        record = json.loads(result.stdout)
        for notice in record["notices"]:
            self.assertIn(notice, result.stderr.splitlines())
        return record

    def inputs(self):
        return [column["name"] for column in json.loads(self.succeed("inspect", "m", "--json").stdout)["inputs"]]

    def messy(self):
        stream = random.Random(1)
        lines = ["id,when,name,colour,constant,empty,size,y"]
        for row in range(100):
            size = "" if row % 9 == 0 else stream.random()
            y = "" if row % 25 == 7 else stream.random()
            lines.append(f"{row + 1},2024-{row % 12 + 1:02}-{row % 28 + 1:02} {row % 24}:00,n{row},{stream.choice(['red', 'blue'])},1,,{size},{y}")
        return "\n".join(lines) + "\n"

    def test_ordinary_faults_are_mended_and_said(self):
        record = self.train_on(self.messy())
        self.assertEqual(self.inputs(), ["when", "colour", "size"])
        said = "\n".join(record["notices"])
        for text in ("column 'id' numbers the rows (--numeric id keeps it) and is left out",
                     "column 'name' has another text in every row (--categorical name keeps it) and is left out",
                     "column 'constant' has the same value in every row and is left out",
                     "column 'empty' has no value and is left out",
                     "column 'when' holds dates and becomes month, day, weekday, hour",
                     "missing values are filled in", "(size 12)", "4 of 100 rows have no 'y' and are left out"):
            self.assertIn(text, said)
        self.assertEqual(sum(record["rows"].values()), 96)

    def test_strict_refuses_instead_and_names_an_option_that_helps(self):
        text = self.messy()
        self.write("t.csv", text)
        self.refuse("train", "t.csv", "--target", "y", "--strict", says=["t.csv, column 6: column 'empty' has no value", "--ignore empty"])
        self.refuse("train", "t.csv", "--target", "y", "--strict", "--ignore", "empty", says="give --missing impute or --missing drop")
        clean = "\n".join(",".join(line.split(",")[3:5] + [str(k % 7), str(k)]) for k, line in enumerate(text.splitlines()[1:]))
        self.write("t.csv", "colour,constant,x,y\n" + clean + "\n")
        self.refuse("train", "t.csv", "--target", "y", "--strict", says=["column 'constant' has the same value", "--ignore constant"])
        self.succeed("train", "t.csv", "--target", "y", "--strict", "--ignore", "constant", *QUICK)

    def test_a_target_that_never_differs_is_said(self):
        rows = "".join(f"{k * 7 % 11},5\n" for k in range(60))
        self.assertEqual(self.train_on("x,y\n" + rows)["notices"],
                         ["t.csv: the target 'y' is 5 in every row to train on: that is what the model predicts, and R2 is not defined"])

    def test_comments_before_the_table_are_skipped(self):
        rows = "".join(f"{k * 7 % 11},{k * 3 % 13}\n" for k in range(60))
        record = self.train_on("# from a tool\n# version 3, May, draft\nx,y\n" + rows)
        self.assertEqual(record["notices"], ["t.csv: lines with # before the table are skipped: 2"])
        self.assertEqual(sum(record["rows"].values()), 60)

    def test_a_run_does_not_stumble_over_its_own_validation_rows(self):
        rows = "".join(f"n{k % 300},{k * 7 % 11},{k * 3 % 13}\n" for k in range(500))
        self.assertEqual(self.train_on("kind,x,y\n" + rows, "--max-categories", "1000")["notices"], [])
        self.train_on("kind,x,y\n" + rows, "--max-categories", "1000", "--strict")

    def test_predict_chooses_what_is_done_about_missing_and_unseen(self):
        rows = "".join(f"{'uvw'[k % 3]},{k * 7 % 11},{k * 3 % 13}\n" for k in range(60))
        self.train_on("kind,x,y\n" + rows, "--strict")
        self.write("new.csv", "row,kind,x\na,u,1\n007,z,2\nNA,v,\n")
        self.write("gap.csv", "row,kind,x\nNA,v,\n")
        self.refuse("predict", "m", "new.csv", says=["new.csv, line 4, column 3", "--missing impute"])
        self.refuse("predict", "m", "new.csv", "--missing", "impute", says=["'z' in column 'kind' did not occur", "--unseen zeros"])
        lines = self.succeed("predict", "m", "new.csv", "--missing", "drop", "--unseen", "zeros", "--keep", "row,kind").stdout.splitlines()
        self.assertEqual(lines[0], "row,kind,y")
        self.assertEqual([line.rsplit(",", 1)[0] for line in lines[1:]], ["a,u", "007,z", "NA,v"])
        self.assertTrue(lines[3].endswith(",NA"))
        filled = self.succeed("predict", "m", "gap.csv", "--missing", "impute").stdout.splitlines()
        float(filled[1])
        self.refuse("predict", "m", "gap.csv", "--keep", "rwo", says="gap.csv: there is no column 'rwo'; there are: row, kind, x")

    def test_the_target_may_be_given_by_its_position(self):
        rows = "".join(f"{k * 7 % 11},{k * 3 % 13}\n" for k in range(60))
        self.assertEqual(self.train_on("x,price\n" + rows, target="2")["targets"], ["price"])
        self.assertEqual(self.train_on("1,price\n" + rows, target="1")["targets"], ["1"])
        self.refuse("train", "t.csv", "--target", "3", says="there is no column '3' to predict")

    def test_a_clean_table_has_no_notices(self):
        self.assertEqual(self.train()["notices"], [])


if __name__ == "__main__":
    unittest.main()
