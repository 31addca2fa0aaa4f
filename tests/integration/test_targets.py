"""Any target: what train, predict, evaluate and inspect do with classes, counts and quantiles."""

import csv
import json
import unittest

from program import ProgramTest

QUICK = ["--hidden", "8", "--activation", "tanh", "--method", "lbfgs", "--sweeps", "60", "--threads", "1"]


class Classes(ProgramTest):
    def spirals(self, classes=2, rows=300):
        self.succeed("generate", "spirals", "--classes", classes, "--rows", rows, "--seed", 1, "--out", "spirals.csv")

    def train_classes(self, *arguments):
        result = self.succeed("train", "spirals.csv", "--target", "class", "--model", "m", *QUICK, *arguments)
        return result

    def test_the_task_is_told_and_every_set_has_its_figures(self):
        self.spirals()
        result = self.train_classes("--test", 0.2)
        self.assertIn("classification of class: a, b", result.stderr)
        for text in ("log-loss", "accuracy", "balanced", "AUC", "ECE", "training", "validation", "test", "predicted as",
                     "calibration error of the test set"):
            self.assertIn(text, result.stdout)

    def test_json_has_the_task_and_the_figures(self):
        self.spirals(classes=3)
        record = json.loads(self.train_classes("--json", "--quiet").stdout)
        self.assertEqual(record["task"], "classification")
        self.assertEqual(record["classes"], ["a", "b", "c"])
        self.assertGreater(record["accuracy"]["validation"], 0.7)
        self.assertGreater(record["auc"]["validation"], 0.8)
        self.assertEqual(sum(map(sum, record["confusion"]["train"])), record["rows"]["train"])
        measured = json.loads(self.succeed("evaluate", "m", "spirals.csv", "--json").stdout)
        self.assertEqual(measured["task"], "classification")
        self.assertEqual(measured["rows"], 300)
        self.assertGreater(measured["accuracy"], 0.7)
        shown = json.loads(self.succeed("inspect", "m", "--json").stdout)
        self.assertEqual(shown["loss"]["name"], "softmax")
        self.assertIn("classification, loss softmax (classes = 3)", self.succeed("inspect", "m").stdout)

    def test_predict_writes_labels_probabilities_or_labels_by_a_threshold(self):
        self.spirals()
        self.train_classes("--quiet")
        labels = self.succeed("predict", "m", "spirals.csv").stdout.split()
        self.assertEqual(labels[0], "class")
        truth = [row["class"] for row in csv.DictReader(self.read("spirals.csv").splitlines())]
        right = sum(a == b for a, b in zip(labels[1:], truth, strict=True))
        self.assertGreater(right, 0.8 * len(truth))
        rows = list(csv.DictReader(self.succeed("predict", "m", "spirals.csv", "--proba").stdout.splitlines()))
        self.assertEqual(list(rows[0]), ["class=a", "class=b"])
        for row, label in zip(rows, labels[1:], strict=True):
            self.assertAlmostEqual(sum(map(float, row.values())), 1)
            self.assertEqual(label, "b" if float(row["class=b"]) > 0.5 else "a")
        careful = self.succeed("predict", "m", "spirals.csv", "--threshold", 0.9).stdout.split()[1:]
        self.assertEqual(careful, ["b" if float(row["class=b"]) >= 0.9 else "a" for row in rows])

    def test_sets_of_classes_may_be_empty_where_that_is_asked_for(self):
        self.spirals()
        self.train_classes("--quiet")
        def sets(*options):
            written = self.succeed("predict", "m", "spirals.csv", "--interval", 0.6, *options).stdout.splitlines()
            return [row["class_set"] for row in csv.DictReader(written)]
        usual, allowed = sets(), sets("--allow-empty")
        self.assertNotIn("", usual)
        self.assertIn("", allowed)
        self.assertTrue(all(own in ("", usual[row]) for row, own in enumerate(allowed)))
        self.refuse("predict", "m", "spirals.csv", "--allow-empty", says="give both: --interval 0.9 --allow-empty")
        self.succeed("train", "spirals.csv", "--target", "x1", "--model", "r", *QUICK)
        self.refuse("predict", "r", "spirals.csv", "--interval", 0.6, "--allow-empty",
                    says="it is for the sets of a classification")

    def test_numbers_are_classes_when_told_so(self):
        self.write("n.csv", "x,y\n" + "".join(f"{i / 100},{1 if i < 60 else 2}\n" for i in range(100)))
        record = json.loads(self.succeed("train", "n.csv", "--target", "y", "--task", "classification", *QUICK, "--json",
                                         "--quiet", "--model", "m").stdout)
        self.assertEqual(record["classes"], ["1", "2"])
        self.assertEqual(set(self.succeed("predict", "m", "n.csv").stdout.split()), {"y", "1", "2"})
        self.assertEqual(json.loads(self.succeed("train", "n.csv", "--target", "y", *QUICK, "--json", "--quiet",
                                                 "--model", "r").stdout)["task"], "regression")

    def test_a_class_of_one_row_is_named(self):
        self.write("one.csv", "x,y\n" + "".join(f"{i},{'odd' if i == 7 else 'ab'[i % 2]}\n" for i in range(60)))
        result = self.succeed("train", "one.csv", "--target", "y", *QUICK)
        self.assertIn("the class 'odd' of y has one row, which stays in training", result.stderr)

    def test_class_weights_and_calibration_are_options(self):
        self.spirals()
        plain = json.loads(self.train_classes("--json", "--quiet", "--calibrate", "off").stdout)
        self.assertEqual(plain["temperature"], 1)
        self.assertNotIn("calibration", plain)
        heavy = json.loads(self.train_classes("--json", "--quiet", "--class-weight", "a=0.01,b=1").stdout)
        first = lambda record: sum(row[0] for row in record["confusion"]["train"])
        self.assertLess(first(heavy), first(plain))

    def test_bad_targets_and_options_are_one_sentence(self):
        self.spirals()
        train = ["train", "spirals.csv", "--target", "class", *QUICK, "--quiet"]
        self.refuse(*train, "--class-weight", "z=2", says="the target has no such class")
        self.refuse(*train, "--class-weight", "heavy", says="use balanced, none, or weights such as yes=5,no=1")
        self.refuse(*train, "--huber-delta", "2", says="only with --loss huber")
        self.refuse("train", "spirals.csv", "--target", "x1", *QUICK, "--calibrate", "off", "--quiet",
                    says="option 'calibrate' = 'off': the target holds numbers, not classes; leave it out, or use --task classification")
        self.refuse(*train, "--task", "clustering", says="use auto, regression or classification")
        self.spirals(classes=3)
        self.refuse(*train, "--loss", "huber", says="the text target 'class' has 3 values")
        self.refuse(*train, "--loss", "logistic", says="it is for two classes, and the target has 3")
        self.spirals()
        self.write("one.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n")
        self.refuse("train", "one.csv", "--target", "y", *QUICK, "--quiet", says="has a single class")
        self.write("all.csv", "x,y\n" + "".join(f"{i},c{i}\n" for i in range(30)))
        self.refuse("train", "all.csv", "--target", "y", *QUICK, "--quiet", says="as many classes as training rows")
        self.write("gap.csv", "x,y\n1,a\n2,\n3,b\n4,a\n")
        self.refuse("train", "gap.csv", "--target", "y", *QUICK, "--quiet", "--strict", says=["line 3", "the target 'y' has no value"])
        self.write("neg.csv", "x,y\n" + "".join(f"{i},{-1 if i == 20 else i}\n" for i in range(30)))
        self.refuse("train", "neg.csv", "--target", "y", *QUICK, "--loss", "poisson", "--quiet",
                    says=["neg.csv, line 22, column 2", "the target 'y' is -1, and the poisson loss needs 0 or more"])
        self.train_classes("--quiet")
        self.refuse("predict", "m", "spirals.csv", "--threshold", "7", says="use a probability between 0 and 1")


class Numbers(ProgramTest):
    def test_quantiles_have_a_column_each_and_their_coverage(self):
        self.housing(rows=300)
        record = self.train("--loss", "quantile", "--levels", "0.1,0.5,0.9", "--method", "lbfgs", "--sweeps", 40,
                            data="housing.csv")
        self.assertEqual(len(record["coverage"]["train"]), 3)
        self.assertEqual(record["loss"], "quantile(levels=0.1,0.5,0.9, width=0.05)")
        rows = list(csv.DictReader(self.succeed("predict", "housing.strata.safetensors", "housing.csv").stdout.splitlines()))
        self.assertEqual(list(rows[0]), ["price_q0.1", "price_q0.5", "price_q0.9"])
        for row in rows:
            low, middle, high = map(float, row.values())
            self.assertLessEqual(low, middle)
            self.assertLessEqual(middle, high)
        self.refuse("predict", "housing.strata.safetensors", "housing.csv", "--proba", says="the model predicts numbers")

    def test_counts_report_their_deviance(self):
        self.write("c.csv", "x,y\n" + "".join(f"{i % 10},{i % 10 + i % 3}\n" for i in range(100)))
        result = self.succeed("train", "c.csv", "--target", "y", "--loss", "poisson", *QUICK)
        self.assertIn("deviance", result.stdout)


if __name__ == "__main__":
    unittest.main()
