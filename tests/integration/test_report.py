"""The report page in a browser without a network: charts are drawn, nothing complains, and what it shows is what the records
say. Needs Chromium; where there is none these tests are skipped, and say so."""

import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import unittest

from browser import CHROMIUM, Browser, Page
from program import LONGEST, PROGRAM, QUICK, ProgramTest

METHODS = ["b2ld", "lbfgs", "blgn", "bling", "ig"]
LAYERS = {"1x50": 2, "10x50": 11}
BAD_NAME = "</script><img src=x onerror=\"window.injected = 1\">\u2028&amp;"
STUDY = {"version": "0.1.0", "time_scale": 0.1, "runs": 3, "threads": 1, "jobs": 2, "cpu": BAD_NAME, "cores": 2,
         "compiler": "g++ 12.2.0", "clock": "wall", "titles": [f"Five methods on {BAD_NAME}"]}


def record(data, network, method, seed, objective):
    curve = [[0.01 * i / 3, objective * (1 + 7 / (i + 1))] for i in range(20)] + [[0.3, objective]]
    return {"variant": "paper", "data": data, "limit": 15, "method": method, "method_options": {}, "network": network, "n": 700,
            "l2": 1e-9, "seed": seed, "targets": ["y"], "rows": {"train": 800, "test": 200}, "objective": objective,
            "train_mse": objective, "validation_mse": None, "test_mse": objective * 1.1, "r2": {"train": 0.9, "test": 0.8},
            "gradient_norm": objective / 7, "seconds": 0.3, "sweeps": 5, "best_sweep": 5, "reason": "time_limit",
            "updates_per_layer": [seed + layer for layer in range(LAYERS[network])], "curve": curve}


def study_records():
    """Three starts of every method, numbers with all their digits; one run of lbfgs was not finite."""
    runs = [record(data, network, method, seed, math.sin(1 + i + seed * d) ** 2 / (30 * (i + 1)))
            for d, data in enumerate(["california", "mv", BAD_NAME], 1) for network in LAYERS
            for i, method in enumerate(METHODS) for seed in (1, 2, 3)]
    lost = next(run for run in runs if run["method"] == "lbfgs" and run["seed"] == 3)
    lost.update(objective=None, test_mse=None, gradient_norm=None)
    return runs


def finite(runs, field):
    return [run[field] for run in runs if run[field] is not None]


# For each chart of a section: its caption, its labels and its series, as Chart.js has them.
CHARTS = """[...document.querySelectorAll('#%s figure')].map((figure) => {
  const chart = Chart.getChart(figure.querySelector('canvas'));
  return {title: figure.querySelector('b').textContent, caption: figure.querySelector('figcaption').textContent,
          spoken: figure.querySelector('canvas').getAttribute('aria-label'), labels: chart.data.labels,
          series: chart.data.datasets.map(({label, data, part, borderColor}, i) =>
            ({label, data, part, color: borderColor, shown: chart.isDatasetVisible(i)}))};
})"""

# How many pixels of each chart have the colour of each series that is shown, to 32 levels of red, green and blue.
PIXELS = """[...document.querySelectorAll('canvas')].map((canvas) => {
  const level = (pixels, i) => (pixels[i] >> 3) * 1024 + (pixels[i + 1] >> 3) * 32 + (pixels[i + 2] >> 3);
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const counts = new Map();
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] > 200) counts.set(level(pixels, i), (counts.get(level(pixels, i)) || 0) + 1);
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const count = (color) => {
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    return counts.get(level(paint.getImageData(0, 0, 1, 1).data, 0)) || 0;
  };
  const chart = Chart.getChart(canvas);
  return {name: canvas.getAttribute('aria-label').slice(0, 60), series: chart.data.datasets
    .filter(({data}, i) => chart.isDatasetVisible(i) && data.some((value) => value !== null && value !== 0))
    .map(({label, borderColor}) => [label, count(borderColor)])};
})"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed; scripts/setup installs it")
class ReportTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        profile = tempfile.TemporaryDirectory()
        cls.addClassCleanup(profile.cleanup)
        cls.browser = Browser(profile.name)
        cls.addClassCleanup(cls.browser.close)

    def open(self, path, **options):
        page = Page(self.browser, path, **options)
        self.addCleanup(page.close)
        return page

    def assert_drawn_quietly(self, page, path):
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [path.as_uri()])
        charts = page.evaluate(PIXELS)
        for chart in charts:
            for label, pixels in chart["series"]:
                self.assertGreater(pixels, 5, f"{label} in {chart['name']}")
        return charts


class Study(ReportTest):
    """One report, and one page for the tests that only look at it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        runs = pathlib.Path(directory.name) / "runs"
        runs.mkdir()
        cls.runs = study_records()
        (runs / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in cls.runs), encoding="utf-8")
        (runs / "study.json").write_text(json.dumps(STUDY), encoding="utf-8")
        cls.path = runs / "report.html"
        subprocess.run([PROGRAM, "report", runs, "-o", cls.path], check=True, timeout=LONGEST)
        cls.page = Page(cls.browser, cls.path)

    def of(self, data, network, method):
        return [run for run in self.runs if (run["data"], run["network"], run["method"]) == (data, network, method)]

    def best(self, data, network, method):
        runs = self.of(data, network, method)
        return min(runs, key=lambda run: math.inf if run["objective"] is None else run["objective"])

    def test_every_chart_shows_what_the_records_say(self):
        page = self.page
        self.assertGreater(len(self.assert_drawn_quietly(page, self.path)), 12)
        for section, pair in [("figure1", ["b2ld", "lbfgs"]), ("figure2", ["bling", "ig"])]:
            for chart in page.evaluate(CHARTS % section):
                self.assertEqual(chart["labels"], ["1x50", "10x50"])
                shown = {series["label"]: series["data"] for series in chart["series"]}
                for method in pair:
                    self.assertEqual(shown[method], [self.best(chart["title"], network, method)["objective"] for network in LAYERS])
        for chart in page.evaluate(CHARTS % "time"):
            self.assertEqual([series["label"] for series in chart["series"]], METHODS)
            for series in chart["series"]:
                curve = self.best(chart["title"], "10x50", series["label"])["curve"]
                self.assertEqual([[point["x"], point["y"]] for point in series["data"]],
                                 curve[1:])  # the start, at 0 seconds, has no place on a logarithmic axis
        for chart in page.evaluate(CHARTS % "updates"):
            for series in chart["series"][:len(METHODS)]:
                self.assertEqual(series["data"], self.best(chart["title"], "10x50", series["label"])["updates_per_layer"])

    def test_the_papers_figures_stand_beside(self):
        page = self.page
        charts = {chart["title"]: chart for chart in page.evaluate(CHARTS % "figure1")}
        self.assertEqual(charts["mv"]["series"][3]["label"], "lbfgs, paper")
        self.assertEqual(charts["mv"]["series"][3]["data"], [0.000268, 0.0553])  # Table 2 of the paper
        self.assertEqual(charts[BAD_NAME]["series"][3]["data"], [None, None])
        updates = {chart["title"]: chart for chart in page.evaluate(CHARTS % "updates")}
        self.assertEqual(updates["mv"]["series"][-1]["label"], "b2ld, paper")
        self.assertEqual(updates["mv"]["series"][-1]["data"], [30, 30, 48, 8, 2, 2, 2, 2, 2, 2, 14])  # Table 5

    def test_boxes_are_the_quartiles_of_the_runs(self):
        page = self.page
        for chart in page.evaluate(CHARTS % "spread"):
            for i, method in enumerate(METHODS):
                values = finite(self.of(chart["title"], "10x50", method), "objective")
                parts = {series["part"]: series["data"] for series in chart["series"] if series["label"] == method}
                quartiles = statistics.quantiles(values, n=4, method="inclusive")
                for found, expected in zip([*parts["box"][i], parts["median"][i]], [quartiles[0], quartiles[2], quartiles[1]]):
                    self.assertAlmostEqual(found, expected, delta=1e-12 * expected)
                self.assertEqual(parts["whiskers"][i], [min(values), max(values)])
                self.assertEqual([point["y"] for point in parts["runs"]], values)

    def test_tables_fit_a_screen_of_1280(self):
        with tempfile.TemporaryDirectory() as directory:
            runs = pathlib.Path(directory)
            named = [run for run in self.runs if run["data"] != BAD_NAME]
            (runs / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in named), encoding="utf-8")
            (runs / "study.json").write_text(json.dumps(STUDY), encoding="utf-8")
            subprocess.run([PROGRAM, "report", runs, "-o", runs / "page.html"], check=True, timeout=LONGEST)
            page = Page(self.browser, runs / "page.html")
            self.addCleanup(page.close)
            wide = page.evaluate("[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth)"
                                 ".map((box) => box.getAttribute('aria-label'))")
            self.assertEqual(wide, [])

    def test_methods_are_ranked_by_the_median_of_their_test_errors(self):
        header, *rows = self.page.evaluate("""[...document.querySelectorAll('#ranking tr')].map((row) =>
          [...row.cells].map((cell) => [cell.textContent, ...[...cell.querySelectorAll('data')].map((d) => Number(d.value))]))""")
        sets = [name for name, *_ in header[2:]]
        medians = {data: {method: statistics.median(finite(self.of(data, "10x50", method), "test_mse")) for method in METHODS}
                   for data in sets}
        ranks = {data: sorted(METHODS, key=found.get) for data, found in medians.items()}
        mean = {method: statistics.mean(ranks[data].index(method) + 1 for data in sets) for method in METHODS}
        self.assertEqual([row[0][0] for row in rows], sorted(METHODS, key=mean.get))
        for name, place, *errors in rows:
            self.assertAlmostEqual(place[1], mean[name[0]])
            for data, (text, error) in zip(sets, errors):
                self.assertAlmostEqual(error, medians[data][name[0]], delta=1e-12 * error)
                self.assertIn(f"({ranks[data].index(name[0]) + 1})", text)

    def test_the_study_has_its_own_title_and_nothing_is_cut_off(self):
        self.assertEqual(self.page.evaluate("document.querySelector('h1').textContent"), STUDY["titles"][0])
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 1280)
        self.assertEqual(self.page.evaluate("[...document.querySelectorAll('#time select[name=network] option')].map((o) => o.value)"),
                         ["1x50", "10x50"])
        headers = self.page.evaluate("[...document.querySelectorAll('#tables th')].map((cell) => cell.textContent)")
        self.assertIn("n, 10x50", headers)
        self.assertNotIn("n, 5x50", headers)  # was not run
        for chart in self.page.evaluate(CHARTS % "updates"):
            self.assertEqual(chart["labels"], [str(layer) for layer in range(1, 12)])

    def test_the_table_of_runs_has_every_number(self):
        page = self.page
        page.evaluate("document.querySelector('#runs details').open = true")
        page.wait_until("document.querySelector('#runs table') !== null")
        rows = page.evaluate("""[...document.querySelectorAll('#runs tbody tr')].map((row) =>
          [...row.cells].map((cell) => cell.firstElementChild ? cell.firstElementChild.value : cell.textContent))""")
        exact = lambda value: None if value == "" else float(value)
        shown = {(row[0], row[1], row[2], int(row[4])): list(map(exact, row[5:9])) for row in rows}
        expected = {(run["data"], run["network"], run["method"], run["seed"]):
                    [run["objective"], run["test_mse"], run["gradient_norm"], run["seconds"]] for run in self.runs}
        self.assertEqual(shown, expected)

    def test_a_choice_and_the_legend_change_what_is_drawn(self):
        page = self.open(self.path)
        page.evaluate("""(() => { const select = document.querySelector('#time select'); select.value = '1x50';
                         select.dispatchEvent(new Event('change')); })() || null""")
        charts = page.evaluate(CHARTS % "time")
        self.assertIn("1x50", charts[0]["caption"])
        self.assertEqual(charts[0]["series"][0]["data"][-1]["y"], self.best("california", "1x50", "b2ld")["objective"])
        page.evaluate("[...document.querySelectorAll('#time .legend button')].find((one) => one.textContent === 'ig').click() || null")
        for chart in page.evaluate(CHARTS % "time"):
            self.assertEqual([series["label"] for series in chart["series"] if not series["shown"]], ["ig"])
        self.assertEqual(page.evaluate("document.querySelector('#time .legend [aria-pressed=false]').textContent"), "ig")

    def test_every_chart_is_told_in_words(self):
        page = self.page
        chart = page.evaluate(CHARTS % "time")[0]
        self.assertEqual(chart["title"], "california")
        self.assertIn("blgn ends at", chart["spoken"])

    def test_names_in_the_records_are_text(self):
        page = self.page
        self.assertIn(BAD_NAME, [chart["title"] for chart in page.evaluate(CHARTS % "time")])
        self.assertIn(BAD_NAME, page.evaluate("document.querySelector('#machine dd').textContent"))
        self.assertEqual(page.evaluate("[document.images.length, window.injected === undefined]"), [0, True])

    def test_light_and_dark_have_colours_of_their_own(self):
        page = self.open(self.path, scheme="light")
        look = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        light, light_line = page.evaluate(look), page.evaluate(CHARTS % "time")[0]["series"][0]["color"]
        page.scheme("dark")
        page.wait_until(f"({CHARTS % 'time'})[0].series[0].color !== '{light_line}'")
        dark = page.evaluate(look)
        self.assertEqual(light[0], "rgb(255, 255, 255)")
        self.assertEqual(dark[0], "rgb(20, 23, 28)")
        self.assertNotEqual(light[1], dark[1])
        self.assert_drawn_quietly(page, self.path)

    def test_on_a_phone_only_the_boxes_of_tables_scroll_sideways(self):
        page = self.open(self.path, width=360)
        page.evaluate("document.querySelector('#runs details').open = true")
        page.wait_until("document.querySelector('#runs table') !== null")
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        self.assertTrue(page.evaluate("[...document.querySelectorAll('.scroll')].some((box) => box.scrollWidth > box.clientWidth)"))
        self.assert_drawn_quietly(page, self.path)


class TrainingRun(ReportTest):
    def report(self):
        self.succeed("report", "trace.jsonl", "-o", "report.html")
        return self.open(self.directory / "report.html")

    def test_a_trace_is_shown_as_it_was_written(self):
        self.train("--method", "b2ld", "--trace", "trace.jsonl")
        page = self.report()
        self.assertGreater(len(self.assert_drawn_quietly(page, self.directory / "report.html")), 2)
        lines = [json.loads(line) for line in self.read("trace.jsonl").splitlines()]
        sweeps = [line for line in lines if "mean_loss" in line]
        shown = {series["label"]: [[point["x"], point["y"]] for point in series["data"]]
                 for series in page.evaluate(CHARTS % "objective")[0]["series"]}
        for label, field in [("objective", "value"), ("validation loss", "validation_loss")]:
            self.assertEqual(shown[label], [[line["seconds"], line[field]] for line in sweeps])
        visits, iterations = page.evaluate(CHARTS % "layers")
        self.assertEqual(visits["labels"], ["layer 1", "layer 2"])
        self.assertEqual(iterations["series"][0]["data"], [
            sum(line["iterations"] for line in lines if line.get("first_layer") == layer) for layer in (0, 1)])

    def test_a_trace_says_what_was_trained_and_how_it_ended(self):
        made = self.train("--method", "b2ld", "--trace", "trace.jsonl", "--test", 0.2)
        page = self.report()
        self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), "b2ld on housing.csv, to predict price")
        said = page.evaluate("document.querySelector('#summary dl').textContent")
        for text in ("housing.csv, 82 training rows", "price", made["network"], "max sweeps", f"best sweep{made['best_sweep']},"):
            self.assertIn(text, said)
        shown = page.evaluate("[...document.querySelectorAll('#summary tbody tr')].map((row) => "
                              "[row.cells[0].textContent, ...[...row.querySelectorAll('data')].map((d) => Number(d.value))])")
        figures = {name: values for name, values in made.items() if isinstance(values, dict) and "train" in values and name != "rows"}
        self.assertEqual(shown, [[title, *(values[name] for values in figures.values())]
                                 for title, name in [("training", "train"), ("validation", "validation"), ("test", "test")]])
        sweep = [json.loads(line) for line in self.read("trace.jsonl").splitlines() if "mean_loss" in line][made["best_sweep"] - 1]
        series = page.evaluate(CHARTS % "objective")[0]["series"][-1]
        self.assertEqual(series["label"], f"best sweep ({made['best_sweep']})")
        self.assertIn({"x": sweep["seconds"], "y": sweep["validation_loss"]}, series["data"])

    def test_a_run_without_an_end_is_shown_as_far_as_it_went(self):
        self.train("--method", "b2ld", "--trace", "whole.jsonl")
        self.write("trace.jsonl", "".join(line + "\n" for line in self.read("whole.jsonl").splitlines()[:-1]))
        page = self.report()
        self.assertIn("the trace has no end", page.evaluate("document.querySelector('#summary').textContent"))
        self.assert_drawn_quietly(page, self.directory / "report.html")

    def test_what_a_method_does_not_measure_is_not_there(self):
        self.train("--method", "lbfgs", "--trace", "trace.jsonl", "--validation", "none")
        page = self.report()
        self.assert_drawn_quietly(page, self.directory / "report.html")
        self.assertNotIn("validation loss", page.evaluate("document.querySelector('main').textContent"))
        self.assertIn("layers 1 to 2", page.evaluate("document.querySelector('#layers').textContent"))


class ModelOnNewRows(ReportTest):
    def report(self, model, data):
        self.succeed("report", model, data, "-o", "report.html")
        return self.open(self.directory / "report.html")

    def test_a_regression_shows_its_errors_and_its_inputs(self):
        self.train("--model", "m")
        page = self.report("m", self.housing("new.csv", rows=80, seed=2))
        self.assert_drawn_quietly(page, self.directory / "report.html")
        figures = json.loads(self.succeed("evaluate", "m", "new.csv", "--json").stdout)
        self.assertIn(str(figures["rmse"][0]), page.evaluate("[...document.querySelectorAll('#summary data')].map((d) => d.value)"))
        importance = json.loads(self.succeed("importance", "m", "new.csv", "--json").stdout)
        chart = page.evaluate(CHARTS % "importance")[0]
        self.assertEqual(chart["labels"], [entry["input"] for entry in importance["inputs"]])
        self.assertEqual(chart["series"][0]["data"], [entry["increase"] for entry in importance["inputs"]])
        scatter, residuals = page.evaluate(CHARTS % "fit")
        self.assertEqual(len(scatter["series"][0]["data"]), 80)
        predicted = sorted(map(float, self.succeed("predict", "m", "new.csv").stdout.split()[1:]))
        for shown, expected in zip(sorted(point["y"] for point in scatter["series"][0]["data"]), predicted):
            self.assertAlmostEqual(shown, expected, delta=1e-9 * abs(expected))
        self.assertEqual(len(page.evaluate(CHARTS % "dependence")), 4)
        self.assertEqual(page.evaluate("document.querySelectorAll('#worst tbody tr').length"), 10)

    def test_classes_show_their_confusion_and_calibration(self):
        self.succeed("generate", "spirals", "--rows", 200, "--out", "s.csv")
        target = self.read("s.csv").splitlines()[0].split(",")[-1]
        self.succeed("train", "s.csv", "--target", target, *QUICK, "--quiet", "--model", "m")
        page = self.report("m", "s.csv")
        self.assert_drawn_quietly(page, self.directory / "report.html")
        figures = json.loads(self.succeed("evaluate", "m", "s.csv", "--json").stdout)
        shown = page.evaluate("[...document.querySelectorAll('#classes tbody data')].map((d) => Number(d.value))")
        self.assertEqual(shown, [count for row in figures["confusion"] for count in row])

    def test_training_ends_with_the_page_of_rows_that_did_not_train(self):
        def page_of(*options):
            made = self.train("--model", "m", "--report", "page.html", *options)
            page = self.open(self.directory / "page.html")
            self.assert_drawn_quietly(page, self.directory / "page.html")
            return made, page

        shown = "[...document.querySelectorAll('#summary data')].map((d) => Number(d.value))"
        points = f"({CHARTS % 'fit'})[0].series[0].data.length"
        for options, which, says in [
                (["--test", 0.2], "test", "housing.csv: its test rows"),
                ([], "validation", "housing.csv: its validation rows"),
                (["--members", 2], "validation", "each predicted by the members that did not train on it"),
                (["--validation", "none"], "train", "the training rows, as there are no others")]:
            with self.subTest(which=which, options=options):
                made, page = page_of(*options)
                self.assertAlmostEqual(page.evaluate(shown)[0], made["rmse"][which], delta=1e-9 * made["rmse"][which])
                self.assertEqual(page.evaluate(points), made["rows"][which])
                self.assertIn(says, page.evaluate("document.querySelector('#about').textContent"))

    def test_members_predict_the_rows_that_they_did_not_train_on(self):
        made = self.train("--members", 2, "--report", "page.html")
        page = self.open(self.directory / "page.html")
        errors = [point["y"] - point["x"] for point in page.evaluate(CHARTS % "fit")[0]["series"][0]["data"]]
        self.assertAlmostEqual((sum(e * e for e in errors) / len(errors)) ** 0.5, made["rmse"]["validation"],
                               delta=1e-9 * made["rmse"]["validation"])

    def test_on_a_phone_only_tables_scroll(self):
        self.train("--model", "m")
        self.succeed("report", "m", "housing.csv", "-o", "report.html")
        page = self.open(self.directory / "report.html", width=390)
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)


class Refusals(ProgramTest):
    def test_records_that_cannot_be_read_are_named_with_their_line(self):
        self.refuse("report", "nowhere", says="nowhere: cannot be read; name a file of strata train --trace or a directory")
        (self.directory / "runs").mkdir()
        self.refuse("report", "runs", says="runs/runs.jsonl: cannot be read")
        self.write("runs/study.json", json.dumps(STUDY))
        self.write("runs/runs.jsonl", "")
        self.refuse("report", "runs", says="runs/runs.jsonl: has no finished run")
        run = record("mv", "1x50", "ig", 1, 0.5)
        self.write("runs/runs.jsonl", json.dumps(run) + "\n" + json.dumps({**run, "seed": -2}) + "\n")
        self.refuse("report", "runs", says=["runs/runs.jsonl, line 2", "seed"])
        self.write("trace.jsonl", "{}\n")
        self.refuse("report", "trace.jsonl", says="trace.jsonl, line 1: is neither a step nor a sweep")
        self.assertFalse((self.directory / "report.html").exists())

    def test_the_page_goes_where_it_is_told(self):
        self.train("--trace", "trace.jsonl")
        self.succeed("report", "trace.jsonl")
        self.assertEqual(self.succeed("report", "trace.jsonl", "--out", "-").stdout, self.read("report.html"))
        self.refuse("report", "trace.jsonl", "-o", "no/such/report.html", code=1, says="no/such/report.html")


if __name__ == "__main__":
    unittest.main()
