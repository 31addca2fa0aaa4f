"""Every subcommand does what its help says."""

import csv
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import unittest

from program import PROGRAM, ProgramTest, processor_seconds

COMMANDS = ["train", "predict", "evaluate", "inspect", "generate", "data", "methods", "completion", "man"]
METHODS = ["b2ld", "bld", "neuron-wise", "rbf-decomposition", "lbfgs", "blgn", "bling", "ig", "sg", "adam", "adagrad", "svrg", "saga", "mrbcd", "mrbcd-vr",
           "elm", "two-block"]


class Help(ProgramTest):
    def test_the_overview_lists_every_command(self):
        for arguments in [[], ["--help"], ["-h"]]:
            text = self.succeed(*arguments).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} ")

    def test_help_of_each_command_shows_examples_first(self):
        for command in COMMANDS:
            text = self.succeed(command, "--help").stdout
            self.assertIn(f"  strata {command}" if command not in ("completion",) else "strata completion", text)
            self.assertLess(text.index("Examples:"), text.index("usage: "), text)

    def test_the_version_is_printed(self):
        self.assertRegex(self.succeed("--version").stdout, r"^strata \d+\.\d+\.\d+\n$")

    @unittest.skipIf("STRATA_COUNTERS" in os.environ, "the program writes counters (scripts/coverage)")
    def test_the_program_starts_in_less_than_30_milliseconds(self):
        def seconds():
            start = processor_seconds()
            subprocess.run([PROGRAM, "methods"], stdout=subprocess.DEVNULL, check=True)
            return processor_seconds() - start

        self.assertLess(min(seconds() for _ in range(20)), 0.030)

    def test_no_colour_without_a_terminal(self):
        self.assertNotIn("\033", self.run_program("train").stderr)


class Generate(ProgramTest):
    def test_rows_and_columns_are_as_asked_for(self):
        rows = list(csv.DictReader(self.succeed("generate", "housing", "--rows", 50).stdout.splitlines()))
        self.assertEqual(len(rows), 50)
        self.assertEqual(list(rows[0]), ["area", "rooms", "age", "distance", "garden", "condition", "price"])
        friedman = self.succeed("generate", "friedman1", "--rows", 3, "--inputs", 7).stdout.splitlines()
        self.assertEqual(friedman[0], "x1,x2,x3,x4,x5,x6,x7,y")
        self.assertEqual(len(friedman), 4)
        self.assertEqual(self.succeed("generate", "folded-staircase", "--folds", 3).stdout.count("\n"), 1001)

    def test_the_seed_decides(self):
        one = self.succeed("generate", "friedman1", "--seed", 1).stdout
        self.assertEqual(one, self.succeed("generate", "friedman1", "--seed", 1).stdout)
        self.assertNotEqual(one, self.succeed("generate", "friedman1", "--seed", 2).stdout)

    def test_a_file_gets_the_same_rows_as_standard_output(self):
        self.succeed("generate", "housing", "--out", "h.csv")
        self.assertEqual(self.read("h.csv"), self.succeed("generate", "housing").stdout)
        self.assertEqual(self.files(), ["h.csv"])


class Predict(ProgramTest):
    def test_predictions_come_one_per_row_in_the_units_of_the_target(self):
        self.train("--sweeps", 30)
        lines = self.succeed("predict", "housing.strata.safetensors", "housing.csv").stdout.splitlines()
        prices = [float(row["price"]) for row in csv.DictReader(self.read("housing.csv").splitlines())]
        self.assertEqual(lines[0], "price")
        self.assertEqual(len(lines), 1 + len(prices))
        errors = [float(line) - price for line, price in zip(lines[1:], prices)]
        self.assertLess(statistics.pstdev(errors), 0.3 * statistics.pstdev(prices))

    def test_file_and_standard_streams_give_the_same_bytes(self):
        self.train()
        piped = self.succeed("predict", "housing.strata.safetensors", "-", stdin=self.read("housing.csv")).stdout
        self.succeed("predict", "housing.strata.safetensors", "housing.csv", "--out", "p.csv", "--threads", 1)
        self.assertEqual(self.read("p.csv"), piped)
        self.assertEqual(piped, self.succeed("predict", "housing.strata.safetensors", stdin=self.read("housing.csv")).stdout)

    def test_columns_may_stand_in_any_order_and_the_target_may_be_absent(self):
        self.train()
        rows = list(csv.DictReader(self.read("housing.csv").splitlines()))
        names = ["condition", "age", "area", "garden", "distance", "rooms"]
        self.write("new.csv", "\n".join([",".join(names)] + [",".join(row[name] for name in names) for row in rows]))
        self.assertEqual(self.succeed("predict", "housing.strata.safetensors", "new.csv").stdout,
                         self.succeed("predict", "housing.strata.safetensors", "housing.csv").stdout)


class EvaluateAndInspect(ProgramTest):
    def test_errors_on_the_training_file_agree_with_those_of_training(self):
        trained = self.train("--validation", "none")
        measured = json.loads(self.succeed("evaluate", "housing.strata.safetensors", "housing.csv", "--json").stdout)
        self.assertEqual(measured["rows"], 120)
        self.assertAlmostEqual(measured["rmse"][0] / trained["rmse"]["train"], 1, places=9)
        self.assertAlmostEqual(measured["mse"] / trained["train_mse"], 1, places=9)
        table = self.succeed("evaluate", "housing.strata.safetensors", "housing.csv").stdout
        self.assertRegex(table, r"errors of price +rows +RMSE +MAE +R2\n +housing.csv +120 ")

    def test_inspect_shows_network_encodings_and_training(self):
        self.train("--method", "adam", "--batch", 16)
        text = self.succeed("inspect", "housing.strata.safetensors").stdout
        for part in ["8-5-1 sigmoid", "condition", "categories: fair, good, poor", "number, (x - ", "adam"]:
            self.assertIn(part, text)
        model = json.loads(self.succeed("inspect", "housing.strata.safetensors", "--json").stdout)
        self.assertEqual(model["architecture"]["hidden"], [5])
        self.assertEqual(model["training"]["method_options"], {"batch": "16"})


class Methods(ProgramTest):
    def test_each_method_has_a_line_with_its_source(self):
        lines = self.succeed("methods").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], METHODS)
        self.assertIn("Kingma & Ba 2015", lines[METHODS.index("adam")])

    def test_one_method_shows_its_options_and_defaults(self):
        text = self.succeed("methods", "adam").stdout
        self.assertRegex(text, r"--rate .*\(0\.001\)")
        self.assertRegex(text, r"--batch .*\(32\)")


class Importance(ProgramTest):
    def test_the_table_has_the_figures_of_the_json_in_its_order(self):
        model = self.train()["model"]
        found = json.loads(self.succeed("importance", model, "housing.csv", "--json").stdout)
        heading, *rows, last = self.succeed("importance", model, "housing.csv").stdout.splitlines()
        self.assertEqual(heading.split(), ["input", "increase", "spread"])
        self.assertEqual([row.split()[0] for row in rows], [each["input"] for each in found["inputs"]])
        for row, each in zip(rows, found["inputs"]):
            self.assertAlmostEqual(float(row.split()[1]) / each["increase"], 1, delta=1e-4)
        self.assertIn(f"on {found['rows']} rows", last)


class Texts(ProgramTest):
    def test_bash_completes_commands_options_and_methods(self):
        self.write("strata.bash", self.succeed("completion", "bash").stdout)

        def completed(*words):
            script = (f"source ./strata.bash; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _strata; "
                      "echo ${COMPREPLY[@]}")
            return subprocess.run(["bash", "-c", script], cwd=self.directory, capture_output=True, text=True,
                                  check=True).stdout.split()

        self.assertEqual(completed("strata", "pre"), ["predict"])
        self.assertIn("--time-limit", completed("strata", "train", "--t"))
        self.assertEqual(completed("strata", "train", "--method", "bl"), ["bld", "blgn", "bling"])

    def test_zsh_and_the_manual_name_every_command(self):
        zsh = self.succeed("completion", "zsh").stdout
        self.assertTrue(zsh.startswith("#compdef strata\n"))
        manual = self.succeed("man").stdout
        for command in COMMANDS:
            self.assertIn(f"'{command}:", zsh)
            self.assertIn(f".SS strata {command}", manual)


# The public files are not part of the source tree: STRATA_DATA names their directory, or they lie beside the tree.
RAW = pathlib.Path(os.environ.get("STRATA_DATA", pathlib.Path(__file__).parents[3] / "shared/data/raw")).resolve()


@unittest.skipUnless((RAW / "Folds5x2_pp_sheet1.csv").exists(), "set STRATA_DATA to the directory of the paper's files")
class Data(ProgramTest):
    def test_a_set_of_the_paper_is_checked_and_written(self):
        self.assertIn("checksum and counts are right", self.succeed("data", "ccpp", "--raw", RAW, "--check").stdout)
        lines = self.succeed("data", "ccpp", "--raw", RAW, "--part", "test").stdout.splitlines()
        self.assertEqual(lines[0], "AT,V,AP,RH,PE")
        for cell in lines[1].split(","):
            self.assertTrue(0 <= float(cell) <= 1, lines[1])

    def test_a_reading_gives_the_papers_methods_their_open_rules(self):
        def options(*arguments):
            return json.loads(self.succeed("train", "ccpp", "--protocol", "paper", "--raw", RAW, "--hidden", "5", "--method", "ig",
                                           "--sweeps", "1", *arguments, "--json", "--quiet").stdout)["method_options"]

        self.assertEqual(options(), {"sum": "on"})
        self.assertEqual(options("--batch", "64"), {"batch": "64", "sum": "on"})
        self.assertEqual(options("--reading", "presets"), {})

    def test_one_word_sets_up_the_papers_protocol(self):
        record = json.loads(self.succeed("train", "ccpp", "--protocol", "paper", "--raw", RAW, "--hidden", "20,20,20",
                                         "--method", "bling", "--epochs", 1, "--seed", 2, "--json", "--quiet").stdout)
        self.assertEqual(record["network"], "4-20-20-20-1 sigmoid")
        self.assertEqual(record["n"], 5 * 20 + 20 * 20 + 20 * 20 + 20)  # a bias at the input alone
        self.assertAlmostEqual(record["l2"] * record["n"] * record["rows"]["train"], 1e-3)
        self.assertEqual(record["rows"], {"train": 7654, "test": 1914})
        self.assertIsNone(record["validation_mse"])
        self.assertEqual(record["model"], "ccpp.strata.safetensors")

    def test_training_rows_of_the_paper_can_be_held_out_for_validation(self):
        record = json.loads(self.succeed("train", "ccpp", "--protocol", "paper", "--raw", RAW, "--hidden", "5", "--method", "ig",
                                         "--validation", "0.15", "--epochs", 1, "--json", "--quiet").stdout)
        self.assertEqual(record["rows"], {"train": 6506, "validation": 1148, "test": 1914})
        self.assertLess(record["validation_mse"], 0.1)  # the scaled target has a variance of 0.05

    def test_a_changed_file_is_refused(self):
        text = (RAW / "Folds5x2_pp_sheet1.csv").read_text(encoding="utf-8")
        self.write("Folds5x2_pp_sheet1.csv", text[:-3])
        self.refuse("data", "ccpp", "--raw", ".", "--check", says="Folds5x2_pp_sheet1.csv")


class Formats(ProgramTest):
    def test_a_packed_file_trains_like_the_plain_one(self):
        plain = self.train()
        (self.directory / "packed.csv.gz").write_bytes(gzip.compress(self.read("housing.csv").encode()))
        packed = self.train(data="packed.csv.gz")
        self.assertEqual(packed["objective"], plain["objective"])
        self.assertEqual(packed["model"], "packed.strata.safetensors")
        self.assertEqual(self.succeed("predict", packed["model"], "packed.csv.gz").stdout,
                         self.succeed("predict", packed["model"], "housing.csv").stdout)


if __name__ == "__main__":
    unittest.main()
