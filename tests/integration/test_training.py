"""strata train: defaults, options, what it prints and writes."""

import json
import re
import signal
import time
import unittest

from program import LONGEST, QUICK, ProgramTest

FIELDS = ["method", "network", "n", "seed", "objective", "train_mse", "validation_mse", "test_mse", "rmse", "mae", "r2",
          "gradient_norm", "seconds", "work", "sweeps", "reason", "updates_per_layer", "model"]


class Train(ProgramTest):
    def test_a_file_and_a_target_are_enough(self):
        self.housing(rows=300)
        result = self.succeed("train", "housing.csv", "--target", "price")
        self.assertRegex(result.stdout, r"(?s)^stopped after \d+ sweeps of 6 members(, [24] kept,)? and .*\nerrors of price +rows +RMSE +MAE +R2\n"
                                        r"  training +300 .*\n  validation +86 .*\nmodel: housing.strata.safetensors\n$")
        self.assertIn("network 6(88)-50-50-50-1 ", result.stderr)
        self.assertEqual(self.files(), ["housing.csv", "housing.strata.safetensors"])

    def test_an_effort_stands_for_the_options_of_the_network(self):
        self.housing()
        quick = json.loads(self.succeed("train", "housing.csv", "--target", "price", "--effort", "quick", "--sweeps", 2, "--json",
                                        "--quiet").stdout)
        self.assertEqual((quick["members"], quick["rows"]), (1, {"train": 102, "validation": 18}))
        usual = json.loads(self.succeed("train", "housing.csv", "--target", "price", "--sweeps", 2, "--json", "--quiet").stdout)
        self.assertEqual((usual["trained_members"], usual["members"]), (6, len(usual["of_members"])))
        best = json.loads(self.succeed("train", "housing.csv", "--target", "price", "--effort", "best", "--sweeps", 2, "--json",
                                       "--quiet").stdout)
        self.assertEqual(best["trained_members"], 12)
        wider = json.loads(self.succeed("train", "housing.csv", "--target", "price", "--effort", "default", "--hidden", "7", "--sweeps", 2,
                                        "--json", "--quiet").stdout)
        self.assertEqual(wider["trained_members"], 6)
        self.assertIn("-7-1", self.succeed("inspect", "housing.strata.safetensors").stdout)
        self.refuse("train", "housing.csv", "--target", "price", "--effort", "best", "--method", "adam",
                    says="option 'effort' = 'best': it is for the default method; leave it or --method out")
        self.refuse("train", "housing.csv", "--target", "price", "--effort", "huge", says="use one of quick, default, best")

    def test_weights_of_rows_come_from_a_column(self):
        rows = [(i / 40, 1.0 if i % 2 else 3.0, 1 + i % 2 * 2) for i in range(40)]
        self.write("weighted.csv", "x,y,w\n" + "".join(f"{x},{y},{w}\n" for x, y, w in rows))
        self.write("repeated.csv", "x,y\n" + "".join(f"{x},{y}\n" * w for x, y, w in rows))
        self.write("held.csv", "x,w,y\n0.1,0,9\n0.2,1,1\n")
        options = ["--target", "y", "--hidden", "none", "--method", "lbfgs", "--validation", "none", "--json", "--quiet", "--model", "m"]
        weighted = json.loads(self.succeed("train", "weighted.csv", *options, "--weight", "w", "--test", "held.csv").stdout)
        repeated = json.loads(self.succeed("train", "repeated.csv", *options).stdout)
        plain = json.loads(self.succeed("train", "weighted.csv", *options, "--ignore", "w").stdout)
        # A row of weight 3 counts as three, in the scales, the loss and the errors.
        self.assertAlmostEqual(weighted["objective"], repeated["objective"], places=12)
        self.assertAlmostEqual(weighted["rmse"]["train"], repeated["rmse"]["train"], places=12)
        self.assertNotAlmostEqual(weighted["rmse"]["train"], plain["rmse"]["train"], places=2)
        self.assertLess(weighted["rmse"]["test"], 1)  # the row that is far off has the weight 0
        self.succeed("train", "weighted.csv", *options, "--weight", "w")
        self.assertNotIn("w:", self.succeed("inspect", "m").stdout)
        of_weights = json.loads(self.succeed("evaluate", "m", "weighted.csv", "--weight", "w", "--json").stdout)
        of_repeated = json.loads(self.succeed("evaluate", "m", "repeated.csv", "--json").stdout)
        self.assertAlmostEqual(of_weights["rmse"][0], of_repeated["rmse"][0], places=12)
        self.write("bad.csv", "x,y,w\n1,2,1\n2,3,-1\n3,4,1\n")
        self.refuse("train", "bad.csv", "--target", "y", "--weight", "w",
                    says="bad.csv, line 3, column 3: the weight 'w' is -1, and a weight is a number, 0 or more")
        self.write("bad.csv", "x,y,w\n1,2,1\n2,3,\n3,4,1\n")
        self.refuse("evaluate", "m", "bad.csv", "--weight", "w", says="line 3, column 3: the weight 'w' is missing")
        self.refuse("train", "bad.csv", "--target", "y", "--weight", "v", says="bad.csv: there is no column 'v'")
        self.refuse("train", "bad.csv", "--target", "w", "--weight", "w", says="option 'weight' = 'w': it is the target; name another column")

    def test_a_radial_network_is_trained_saved_resumed_and_exported(self):
        self.housing()
        options = ["--target", "price", "--method", "rbf-decomposition", "--quiet"]
        whole = json.loads(self.succeed("train", "housing.csv", *options, "--sweeps", 8, "--json", "--model", "whole").stdout)
        self.assertEqual(whole["network"], "8-50-1 gaussian")
        self.assertGreater(whole["r2"]["train"], 0.9)
        self.succeed("train", "housing.csv", *options, "--sweeps", 3, "--threads", 2, "--checkpoint", "run.ckpt", "--model", "part")
        self.succeed("train", "--resume", "run.ckpt", "--sweeps", 8, "--model", "resumed", "--quiet")
        predicted = self.succeed("predict", "whole", "housing.csv").stdout
        self.assertEqual(self.succeed("predict", "resumed", "housing.csv").stdout, predicted)
        shown = json.loads(self.succeed("inspect", "whole", "--json").stdout)
        self.assertEqual(shown["architecture"]["radial_width"], 1)
        self.assertIn("8-50-1 gaussian", self.succeed("inspect", "whole").stdout)
        self.assertIn("rmse", self.succeed("evaluate", "whole", "housing.csv", "--json").stdout)
        self.succeed("export", "whole", "--c", "house", "--onnx", "house.onnx")
        narrow = json.loads(self.succeed("train", "housing.csv", *options, "--sweeps", 8, "--radial-width", "0.5", "--activation",
                                         "multiquadric", "--hidden", 20, "--json").stdout)
        self.assertEqual(narrow["network"], "8-20-1 multiquadric")

    def test_what_a_radial_layer_cannot_be_is_refused(self):
        self.housing()
        for options, says in [
            (["--method", "rbf-decomposition", "--hidden", "5,5"], "only the first hidden layer can be radial; use one hidden layer (hidden 50)"),
            (["--activation", "gaussian"], "only the first hidden layer can be radial"),
            (["--method", "rbf-decomposition", "--knots", "8"], "use knots 0"),
            (["--method", "rbf-decomposition", "--radial-width", "0"], "option 'radial-width' = '0': use a number above 0"),
        ]:
            with self.subTest(options=options):
                self.refuse("train", "housing.csv", "--target", "price", *options, "--quiet", says=says)
        self.assertEqual(self.files(), ["housing.csv"])

    def test_members_are_trained_predicted_and_resumed(self):
        self.housing()
        options = ["--target", "price", "--hidden", "5", "--members", "3", "--sweeps", "6", "--quiet"]
        whole = json.loads(self.succeed("train", "housing.csv", *options, "--json", "--model", "whole").stdout)
        self.assertEqual([member["sweeps"] for member in whole["of_members"]], [6, 6, 6])
        self.assertIn("3 members", self.succeed("inspect", "whole").stdout)
        table = self.succeed("predict", "whole", "housing.csv", "--spread").stdout.splitlines()
        self.assertEqual(table[0], "price,price_std")
        self.assertGreater(float(table[1].split(",")[1]), 0)
        self.succeed("train", "housing.csv", *options, "--sweeps", "2", "--checkpoint", "run.ckpt", "--model", "part")
        self.succeed("train", "--resume", "run.ckpt", "--sweeps", "6", "--model", "resumed", "--quiet")
        self.assertEqual(self.succeed("predict", "resumed", "housing.csv").stdout, self.succeed("predict", "whole", "housing.csv").stdout)

    def test_json_is_one_object_with_every_field(self):
        self.housing()
        result = self.succeed("train", "housing.csv", "--target", "price", *QUICK, "--json", "--test", "0.25")
        self.assertEqual(len(result.stdout.splitlines()), 1)
        record = json.loads(result.stdout)
        for field in FIELDS:
            self.assertIn(field, record)
        self.assertEqual(record["rows"], {"train": 76, "validation": 14, "test": 30})
        for error in ("rmse", "mae", "r2"):
            self.assertEqual(sorted(record[error]), ["test", "train", "validation"])
        self.assertEqual(record["network"], "8-5-1 sigmoid")
        self.assertEqual(record["reason"], "max_sweeps")

    def test_quiet_prints_nothing(self):
        self.housing()
        result = self.succeed("train", "housing.csv", "--target", "price", *QUICK, "--quiet")
        self.assertEqual(result.stdout + result.stderr, "")

    def test_the_same_seed_gives_the_same_model_for_any_number_of_threads(self):
        self.housing()
        for name, threads, seed in [("a", 1, 7), ("b", 2, 7), ("c", 2, 8)]:
            self.train("--model", name, "--threads", threads, "--seed", seed)
        weights = {name: self.succeed("predict", name, "housing.csv").stdout for name in "abc"}
        self.assertEqual(weights["a"], weights["b"])
        self.assertNotEqual(weights["a"], weights["c"])

    def test_every_method_trains(self):
        names = [line.split()[0] for line in self.succeed("methods").stdout.splitlines()]
        self.housing()
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.train("--method", name)["method"], name)

    def test_the_network_is_as_asked_for(self):
        record = self.train("--hidden", "4,3", "--activation", "tanh", "--bias", "input", "--init", "uniform",
                            "--init-scale", "0.1", "--l2", "1e-4")
        self.assertEqual(record["network"], "8-4-3-1 tanh")
        self.assertEqual(record["n"], 9 * 4 + 4 * 3 + 3)
        self.assertEqual(record["l2"], 1e-4)
        self.assertEqual(self.train("--hidden", "none")["n"], 9)

    def test_a_switch_is_turned_off_by_a_word_after_a_blank_or_an_equals_sign(self):
        for words in (["--skip-layers", "off"], ["--skip-layers=off"]):
            self.assertEqual(self.train("--method", "b2ld", *words)["method_options"], {"skip-layers": "off"})
        self.assertEqual(self.train("--method", "adam", "--cosine", "on")["method_options"], {"cosine": "on"})
        self.assertEqual(self.train("--quiet", "--method", "adam", "--cosine")["method_options"], {"cosine": "on"})
        self.refuse("train", "housing.csv", "--cosine", "maybe", says="'maybe' is one argument too many")
        shown = " ".join(self.succeed("train", "--help").stdout.split())
        self.assertIn("--skip-layers leave a layer that is within epsilon already as it is; --skip-layers off: do not", shown)
        self.assertNotIn("--cosine off", shown)

    def test_help_shows_every_option_with_its_names_and_default(self):
        shown = " ".join(self.succeed("train", "--help").stdout.split())
        for text in ("--scale KIND scale of the inputs; minmax, standard or none (standard)",
                     "--members N networks from different starts, whose predictions are averaged (6 by --effort default, else 1)",
                     "--hidden N,... widths of the hidden layers, or none: a linear model (50,50,50)",
                     "--validation FILE|FRACTION early-stopping set: a file, a fraction of the training rows, or none (0.15)"):
            self.assertIn(text, shown)

    def test_columns_are_treated_as_told(self):
        record = self.train("--ignore", "garden,rooms", "--categorical", "age", "--max-categories", 200, "--unseen",
                            "zeros", "--validation", "none")
        model = json.loads(self.succeed("inspect", record["model"], "--json").stdout)
        encodings = {column["name"]: column["encoded"] for column in model["inputs"]}
        self.assertEqual(encodings["age"], "nominal")
        self.assertNotIn("garden", encodings)

    def test_several_targets_have_errors_of_their_own(self):
        self.housing()
        record = json.loads(self.succeed("train", "housing.csv", "--target", "price,age", *QUICK, "--json").stdout)
        self.assertEqual(record["targets"], ["price", "age"])
        self.assertEqual(len(record["rmse"]["train"]), 2)

    def test_test_and_validation_rows_may_come_from_files(self):
        self.housing("more.csv", rows=33, seed=9)
        record = self.train("--test", "more.csv", "--validation", "more.csv")
        self.assertEqual(record["rows"], {"train": 120, "validation": 33, "test": 33})

    def test_the_summary_counts_sweeps_in_words(self):
        self.housing(rows=60)
        summary = self.succeed("train", "housing.csv", "--target", "price", "--hidden", "5", "--sweeps", 1).stdout
        self.assertRegex(summary, r"^stopped after 1 sweep and .*: the limit on sweeps is reached\n")
        summary = self.succeed("train", "housing.csv", "--target", "price", "--hidden", "30", "--l2", 0, "--sweeps", 100000,
                               "--patience", 5).stdout
        self.assertRegex(summary, r"^stopped after \d+ sweeps and .*: no improvement of the validation error for 5 sweeps\n")

    def test_inputs_and_target_are_scaled_separately(self):
        own_units = self.train("--target-scale", "none")
        self.assertAlmostEqual(own_units["train_mse"] / own_units["rmse"]["train"] ** 2, 1)
        scaled = self.train("--scale", "none")
        self.assertLess(scaled["train_mse"], 10)  # the prices, in units of their deviation
        self.assertNotEqual(scaled["objective"], self.train()["objective"])

    def test_a_history_has_a_line_for_every_sweep(self):
        record = self.train("--method", "b2ld", "--history", "history.jsonl", "--trace", "trace.jsonl")
        lines = self.read("history.jsonl").splitlines()
        self.assertEqual([json.loads(line)["sweep"] for line in lines], list(range(record["sweeps"])))
        self.assertEqual(lines, [line for line in self.read("trace.jsonl").splitlines() if line in lines])

    def test_the_time_limit_can_count_processor_seconds(self):
        """A program that is stopped for a while uses no processor time."""
        self.housing()
        process = self.start("train", "housing.csv", "--target", "price", "--method", "ig", "--clock", "processor",
                             "--time-limit", "0.5", "--patience", 0, "--threads", 1, "--history", "history.jsonl", "--json")
        self.wait_until((self.directory / "history.jsonl").exists, "the run did not start")
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        output, _ = process.communicate(timeout=LONGEST)
        record = json.loads(output)
        self.assertEqual(record["reason"], "time_limit")
        self.assertLess(record["elapsed_seconds"], 1.5)  # by the wall clock it was more

    def test_a_trace_has_a_line_for_every_step_and_sweep(self):
        self.train("--method", "b2ld", "--trace", "trace.jsonl")
        first, *lines, last = [json.loads(line) for line in self.read("trace.jsonl").splitlines()]
        self.assertEqual([first["run"][name] for name in ("data", "targets", "method")], ["housing.csv", ["price"], "b2ld"])
        self.assertEqual(last["result"]["sweeps"], 3)
        sweeps = [line for line in lines if "first_layer" not in line]
        self.assertGreater(len(lines) - len(sweeps), 0)
        self.assertEqual([line["sweep"] for line in sweeps], list(range(len(sweeps))))

    def test_the_run_ends_when_the_validation_error_no_longer_falls(self):
        self.housing(rows=60)
        record = self.train("--hidden", "30", "--l2", 0, "--sweeps", 100000, "--patience", 5, data="housing.csv")
        self.assertEqual(record["reason"], "early_stopping")
        self.assertEqual(record["sweeps"], record["best_sweep"] + 5)

    def test_l2_follows_from_the_number_of_rows(self):
        self.assertAlmostEqual(self.train("--l2", "auto", "--sweeps", 1)["l2"], 1 / 102)
        self.assertLess(self.train("--l2", "auto")["l2"], 0.3 / 102)

    def test_a_time_limit_ends_the_run(self):
        record = self.train("--method", "ig", "--sweeps", 10**9, "--patience", 0, "--time-limit", "0.2s")
        self.assertEqual(record["reason"], "time_limit")
        self.assertLess(record["seconds"], 5)

    def test_progress_is_plain_lines_without_a_terminal(self):
        self.housing()
        result = self.succeed("train", "housing.csv", "--target", "price", "--method", "ig", "--sweeps", 10**9,
                              "--patience", 0, "--time-limit", "2.5s")
        lines = [line for line in result.stderr.splitlines() if line.startswith("sweep ")]
        self.assertTrue(1 <= len(lines) <= 3, result.stderr)
        self.assertRegex(lines[0], r"objective \S+ .* left")
        self.assertNotIn("\r", result.stderr)


class Config(ProgramTest):
    def setUp(self):
        super().setUp()
        self.housing()

    def configured(self, text, *arguments):
        self.write("run.toml", text)
        return json.loads(self.succeed("train", "housing.csv", "--config", "run.toml", "--json", "--quiet", *arguments).stdout)

    def test_a_file_gives_options_by_the_same_names(self):
        record = self.configured('target = "price"\nhidden = [6, 4]\nsweeps = 2\nmethod = "adam"\nrate = 0.01\n'
                                 'cosine = true\nl2 = 1e-5\ntime-limit = "1m"\n')
        self.assertEqual(record["network"], "8-6-4-1 sigmoid")
        self.assertEqual(record["method_options"], {"cosine": "on", "rate": "0.01"})
        self.assertEqual(record["l2"], 1e-5)

    def test_the_command_line_wins(self):
        record = self.configured('target = "price"\nhidden = [6]\nsweeps = 2\nseed = 4\n', "--seed", 5)
        self.assertEqual(record["seed"], 5)
        self.assertEqual(record["network"], "8-6-1 sigmoid")

    def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_one(self):
        self.write("run.toml", 'target = "price"\nhiden = [6]\n')
        self.refuse("train", "housing.csv", "--config", "run.toml",
                    says=["run.toml, line 2: strata train has no option 'hiden'; did you mean 'hidden'?"])

    def test_what_is_no_toml_is_refused_with_its_line(self):
        self.write("run.toml", 'target = "price"\nseed = = 3\n')
        self.assertTrue(re.search(r"run.toml, line 2, column \d+: not TOML",
                                  self.refuse("train", "housing.csv", "--config", "run.toml")))
        self.write("run.toml", 'target = { name = "price" }\n')
        self.refuse("train", "housing.csv", "--config", "run.toml", says="line 1: 'target' must be a text")

    def test_a_missing_file_is_refused(self):
        self.refuse("train", "housing.csv", "--config", "none.toml", says="none.toml: there is no such file")


if __name__ == "__main__":
    unittest.main()
