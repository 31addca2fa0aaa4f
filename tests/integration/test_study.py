"""strata reproduce and strata tables: a small part of the paper's study, a study of one's own, stops and refusals."""

import csv
import io
import json
import os
import pathlib
import signal
import unittest

from program import LONGEST, ProgramTest

RAW = pathlib.Path(os.environ.get("STRATA_DATA", pathlib.Path(__file__).parents[3] / "shared/data/raw")).resolve()

# L-BFGS ends by its own rules at once; IG goes on until its time is up.
OWN = """title = "Two networks on built-in data"
datasets = ["friedman1"]
networks = ["1x3", "2x2"]
seconds = {{ b2ld = 1000, lbfgs = 1000, bling = 0.05, ig = {ig} }}
runs = 2
"""


class StudyTest(ProgramTest):
    def own(self, ig=0.05):
        return self.write("own.toml", OWN.format(ig=ig)).name

    def records(self, runs="runs"):
        return [json.loads(line) for line in self.read(f"{runs}/runs.jsonl").splitlines()]

    def tables(self, *arguments):
        return self.succeed("tables", "runs", *arguments).stdout


@unittest.skipUnless((RAW / "Folds5x2_pp_sheet1.csv").exists(), "set STRATA_DATA to the directory of the paper's files")
class PaperSubset(StudyTest):
    @unittest.skipIf("STRATA_COUNTERS" in os.environ, "the program with counters comes less far in the time given")
    def test_one_data_set_two_networks_two_starts(self):
        self.succeed("reproduce", "--data", RAW, "--out", "runs", "--datasets", "ccpp", "--networks", "1x50,10x50",
                     "--runs", 2, "--time-scale", 0.004)
        records = self.records()
        self.assertEqual(len(records), 16)
        self.assertEqual({(r["network"], r["method"], r["seed"], r["limit"]) for r in records},
                         {(network, method, seed, limit) for network in ("1x50", "10x50") for seed in (1, 2)
                          for method, limit in (("b2ld", 0.6), ("lbfgs", 0.6), ("bling", 0.24), ("ig", 0.24))})
        # The mean predictor, where the paper's L-BFGS ends too: the variance of the target, 0.0511.
        for record in records:
            if record["network"] == "10x50" and record["method"] == "lbfgs":
                self.assertAlmostEqual(record["objective"], 0.0511, delta=0.0015)
        best = list(csv.DictReader(io.StringIO(self.tables("--tables", "2", "--format", "csv"))))
        self.assertEqual([(row["network"], row["method"]) for row in best],
                         [("1x50", "b2ld"), ("1x50", "lbfgs"), ("10x50", "b2ld"), ("10x50", "lbfgs")])
        self.assertEqual([row["paper's objective"] for row in best], ["3.35e-03", "3.53e-03", "4.89e-03", "5.16e-02"])
        self.assertEqual(best[3]["objective, compared"], "agrees")
        text = self.tables()
        for number in range(1, 9):
            self.assertIn(f"Table {number}. ", text)
        self.assertIn("Who wins, all tables: ", text)


class OwnStudy(StudyTest):
    def test_runs_are_made_once_and_shown_in_every_format(self):
        first = self.succeed("reproduce", "--study", self.own(), "--out", "runs", "--jobs", 2)
        self.assertIn("16 new runs, 0 recorded before; strata tables runs shows them", first.stderr)
        self.assertIn("0 of 16 runs, about", first.stderr)
        study = json.loads(self.read("runs/study.json"))
        self.assertEqual((study["time_scale"], study["runs"], study["threads"], study["jobs"]), (1, 2, 1, 2))
        before = self.read("runs/runs.jsonl")
        again = self.succeed("reproduce", "--study", "own.toml", "--out", "runs")
        self.assertIn("0 new runs, 16 recorded before", again.stderr)
        self.assertEqual(self.read("runs/runs.jsonl"), before)
        self.assertIn("Table 3. B2LD against L-BFGS, objective", self.tables())
        self.assertIn("### Table 3. B2LD against L-BFGS, objective", self.tables("--format", "markdown"))
        self.assertIn("\\begin{tabular}", self.tables("--format", "latex"))
        rows = list(csv.reader(io.StringIO(self.tables("--format", "csv", "--tables", "7"))))
        self.assertEqual(rows[0], ["measure", "data", "1x3", "2x2"])
        self.assertEqual(rows[1][:2], ["objective", "friedman1"])
        self.succeed("tables", "runs", "--out", "all.txt")
        self.assertEqual(self.read("all.txt"), self.tables())
        self.assertEqual(self.succeed("reproduce", "--study", "own.toml", "--out", "runs", "--quiet").stderr, "")

    def start_long_study(self):
        """Stuck in its fourth run: the records of three are there."""
        process = self.start("reproduce", "--study", self.own(ig=10**6), "--out", "runs", "--networks", "1x3")
        self.addCleanup(process.kill)
        file = self.directory / "runs/runs.jsonl"
        self.wait_until(lambda: file.exists() and file.read_text().count("\n") == 3, "the study did not start")
        return process

    def goes_on(self):
        text = self.read("runs/runs.jsonl")
        kept = text[:text.rfind("\n") + 1]
        self.assertEqual(kept.count("\n"), 3)
        result = self.succeed("reproduce", "--study", self.own(ig=0.05), "--out", "runs", "--networks", "1x3")
        self.assertIn("5 new runs, 3 recorded before", result.stderr)
        self.assertTrue(self.read("runs/runs.jsonl").startswith(kept))
        keys = [(r["variant"], r["data"], r["network"], r["method"], r["seed"]) for r in self.records()]
        self.assertEqual(len(keys), 8)
        self.assertEqual(len(set(keys)), 8)
        return result.stderr

    def test_signals_keep_the_records_and_the_same_command_goes_on(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start_long_study()
            process.send_signal(number)
            _, errors = process.communicate(timeout=LONGEST)
            self.assertEqual(process.returncode, code)
            self.assertIn("interrupted: 3 of 8 runs are recorded; run the same command to continue", errors)
            self.goes_on()
            (self.directory / "runs/runs.jsonl").unlink()

    def test_a_killed_study_goes_on_and_half_a_record_is_made_again(self):
        process = self.start_long_study()
        process.kill()
        process.communicate(timeout=LONGEST)
        with open(self.directory / "runs/runs.jsonl", "a", encoding="utf-8") as file:
            file.write('{"data":"friedman1","vari')
        self.assertIn("Table 3. ", self.tables())
        self.assertIn("the last record was not whole and is made again", self.goes_on())


class Refusals(StudyTest):
    def test_each_is_one_sentence_with_the_remedy(self):
        self.refuse("reproduce", "--study", self.own(), says="option 'out' = '': name the directory")
        self.refuse("reproduce", "--out", "runs", says="option 'data' = '': name the directory that holds the files")
        self.refuse("reproduce", "--out", "runs", "--tables", "9", says="option 'tables' = '9': there is no such table")
        self.refuse("reproduce", "--out", "runs", "--tables", "2", "--study", "own.toml", says="give one")
        self.refuse("reproduce", "--out", "runs", "--data", ".", "--datasets", "ccp", says="did you mean 'ccpp'?")
        self.refuse("reproduce", "--out", "runs", "--data", ".", "--networks", "4x4", says="'networks' = '4x4'")
        self.refuse("reproduce", "--out", "runs", "--data", ".", "--time-scale", "0", says="use a number above 0")
        self.refuse("reproduce", "--out", "runs", "--study", "none.toml", says="none.toml: cannot be read")
        self.refuse("reproduce", "--out", "own.toml/runs", "--study", "own.toml", code=1, says="cannot be written")
        self.refuse("tables", "nowhere", says="nowhere/runs.jsonl: cannot be read")
        self.refuse("tables", says="RUNS")

    def test_another_time_scale_and_tables_without_records(self):
        self.succeed("reproduce", "--study", self.own(), "--out", "runs", "--runs", 1, "--networks", "1x3")
        self.refuse("reproduce", "--study", "own.toml", "--out", "runs", "--time-scale", "0.5",
                    says="option 'time-scale' = '0.5': the study in runs has 1")
        self.refuse("tables", "runs", "--tables", "curves", says="runs: has no record for a table")
        self.refuse("tables", "runs", "--tables", "nine", says="there is no such table")
        self.refuse("tables", "runs", "--format", "html", says="use terminal, markdown, latex or csv")
        self.write("runs/runs.jsonl", "{}\n")
        self.refuse("tables", "runs", says="runs/runs.jsonl, line 1: ")


if __name__ == "__main__":
    unittest.main()
