"""experiments/tables.py must take the best run, count wins with ties, put the paper's figures beside, and refuse what
it cannot read with file and line."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import tables  # noqa: E402


def record(method, seed, objective, data="ccpp", network="10x50", **others):
    return {"data": data, "network": network, "method": method, "seed": seed, "objective": objective,
            "gradient_norm": 2e-4, "test_mse": 2 * objective if objective is not None else None, "seconds": 1.25,
            "sweeps": 7, "reason": "time_limit", "updates_per_layer": [3] * 10 + [5], **others}


class Tables(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "runs.jsonl"

    def write(self, *lines):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        self.file.write_text(text, encoding="utf-8")

    def report(self, *lines):
        self.write(*lines)
        return tables.report(tables.read_records([self.file]))

    def refusal(self, *lines):
        self.write(*lines)
        with self.assertRaises(tables.BadInput) as caught:
            tables.report(tables.read_records([self.file]))
        return str(caught.exception)

    def test_batch_table_holds_the_best_run_of_each_method_and_the_figures_of_the_paper(self):
        text = self.report(record("b2ld", 1, 6e-3), record("b2ld", 2, 5e-3, updates_per_layer=[1] * 11),
                           record("lbfgs", 1, 5.1e-2, updates_per_layer=[2] * 11))
        self.assertIn("| 10x50 | ccpp | b2ld | 5.00e-03 | 4.89e-03 | 2.00e-04 | 1.61e-02 | 1.2 | 17.1 | 11 | time_limit |",
                      text)
        self.assertIn("| 10x50 | ccpp | lbfgs | 5.10e-02 | 5.16e-02 | 2.00e-04 | 1.12e-04 | 1.2 | 1.2 | 2 | time_limit |",
                      text)
        self.assertNotIn("6.00e-03", text)

    def test_wins_are_counted_over_common_seeds_with_ties_within_five_per_cent(self):
        text = self.report(record("b2ld", 1, 0.90), record("lbfgs", 1, 1.00),  # win
                           record("b2ld", 2, 0.96), record("lbfgs", 2, 1.00),  # tie
                           record("b2ld", 3, 1.00), record("lbfgs", 3, 0.90),  # defeat
                           record("b2ld", 4, 0.10))  # no partner
        self.assertIn("| 10x50 | ccpp | 1 : 1 of 3 | 10 : 0 of 10 |", text)

    def test_a_run_that_is_not_finite_is_never_the_best_and_loses(self):
        text = self.report(record("b2ld", 1, None), record("b2ld", 2, 5e-3), record("lbfgs", 1, 5.1e-2))
        self.assertIn("| b2ld | 5.00e-03 |", text)
        self.assertIn("| 0 : 1 of 1 |", text)

    def test_updates_per_layer_are_those_of_the_best_run_on_the_deepest_network(self):
        text = self.report(record("b2ld", 1, 6e-3), record("b2ld", 2, 5e-3, updates_per_layer=list(range(11))),
                           record("b2ld", 1, 1e-3, network="1x50", updates_per_layer=[8, 9]))
        self.assertIn("| ccpp | seed 2 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |", text)
        self.assertIn("|  | paper | 11 | 2 | 2 | 31 | 2 | 2 | 2 | 2 | 2 | 2 | 4 |", text)
        self.assertNotIn("| 8 | 9 |\n", text)

    def test_minibatch_tables_hold_objective_test_error_ratios_and_wins(self):
        text = self.report(record("bling", 1, 1.68e-2, data="california", network="5x50"),
                           record("ig", 1, 1.77e-2, data="california", network="5x50", test_mse=1.83e-2))
        self.assertIn("| 5x50 | california | bling | 1.68e-02 | 1.68e-02 | 1.00 | 3.36e-02 | 1.73e-02 | 1.94 | 7 | 1.2 |",
                      text)
        self.assertIn("| 5x50 | california | ig | 1.77e-02 | 1.77e-02 | 1.00 | 1.83e-02 | 1.83e-02 | 1.00 | 7 | 1.2 |",
                      text)
        self.assertIn("| 5x50 | california | 1 : 0 of 1 | 1 : 1 of 10 | 0 : 1 of 1 | 1 : 1 of 10 |", text)
        self.assertNotIn("b2ld", text)

    def test_networks_and_data_stand_in_the_order_of_the_paper(self):
        text = self.report(record("b2ld", 1, 1, data="mv"), record("b2ld", 1, 1, data="bike"),
                           record("b2ld", 1, 1, data="mv", network="1x50"))
        places = [text.index(f"| {network} | {data} | b2ld") for network, data in
                  [("1x50", "mv"), ("10x50", "bike"), ("10x50", "mv")]]
        self.assertEqual(places, sorted(places))

    def test_other_methods_and_empty_lines_are_passed_over(self):
        text = self.report(record("adam", 1, 1e-9), "", record("b2ld", 1, 5e-3))
        self.assertNotIn("adam", text)

    def test_bad_lines_are_refused_with_file_and_line(self):
        good = record("b2ld", 1, 5e-3)
        without = {key: value for key, value in good.items() if key != "objective"}
        for bad, reason in [("{", "not a JSON object"), ("[1]", "not a JSON object"), (without, '"objective"'),
                            ({**good, "seconds": "soon"}, '"seconds"'), ({**good, "seed": 1.5}, '"seed"'),
                            ({**good, "network": "2x2"}, "2x2"), ({**good, "data": "wine"}, "wine"),
                            ({**good, "updates_per_layer": 3}, "updates_per_layer"),
                            ({**good, "method": 7}, '"method"'), (good, "there already")]:
            sentence = self.refusal(good, bad)
            self.assertIn(f"{self.file}, line 2: ", sentence)
            self.assertIn(reason, sentence)
            self.assertNotIn("\n", sentence)

    def test_files_without_records_and_missing_files_are_refused(self):
        self.assertIn("no record", self.refusal(""))
        with self.assertRaisesRegex(tables.BadInput, "nowhere.jsonl: cannot be read"):
            tables.read_records([self.file.parent / "nowhere.jsonl"])

    def test_a_ragged_table_of_the_paper_is_refused_with_its_line(self):
        (self.file.parent / "table3.csv").write_text("network,dataset,wins,defeats\n1x50,mv,3,5\n1x50,mv,3\n")
        with self.assertRaisesRegex(tables.BadInput, "table3.csv, line 3"):
            tables.read_paper("table3", self.file.parent)

    def test_the_program_prints_one_sentence_and_ends_with_a_status(self):
        self.write("{")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(tables.main(["tables.py", str(self.file)]), 1)
            self.assertEqual(tables.main(["tables.py"]), 2)
        self.assertIn("tables.py: ", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
