#!/usr/bin/env python3
"""Writes the tables of docs/performance.md from bench/results: each stands below a comment that names it, <!-- table: NAME -->.

    bench/page.py            writes them again
    bench/page.py --check    exit code 1, and which, where a table is not that of the results; tests run it
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "performance.md"
NETWORKS = ["1x50", "3x20", "200-50-200", "5x50", "10x50"]
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT / "bench" / "training")]
import optimizer_table  # noqa: E402
import time_to_target  # noqa: E402


def results(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def benchmarks(name):
    """Of Google Benchmark, by name without the settings of a run; the median where a run was repeated."""
    found = {}
    for one in results(name)["benchmarks"]:
        if one.get("aggregate_name", "median") == "median":
            found[re.sub(r"/(iterations:\d+|manual_time.*)", "", one["run_name"])] = one
    return found


def table(header, rows):
    return [f"| {' | '.join(map(str, header))} |", "|" + "---|" * len(header), *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def full():
    found = benchmarks("bench_objective")
    rows = ((network, found[f"full/{network}"]) for network in NETWORKS)
    return table(["network", "ms", "GFlop/s", "of peak"],
                 [[network, f"{one['real_time']:.1f}", f"{one['GFlops']:.1f}", f"{one['of_peak']:.2f}"] for network, one in rows])


def single_precision():
    found = benchmarks("bench_objective")
    return table(["network", "value and gradient", "Gauss-Newton"],
                 [[network, *(f"{found[f'float32/{part}/{network}']['of_float64']:.2f}" for part in ("evaluation", "gauss_newton"))]
                  for network in NETWORKS])


def layers():
    found = benchmarks("bench_objective")
    most = 10
    return table(["layer", *range(most)],
                 [[network, *(f"{found[name]['of_share']:.2f}" if (name := f"layer/{network}/{k}") in found else "" for k in range(most))]
                  for network in ("5x50", "10x50")])


def output_layer():
    found = benchmarks("bench_objective")
    return table(["rows", "microseconds"],
                 [[rows, f"{found[f'output_layer/rows:{rows}']['cpu_time']:.2f}"] for rows in (2000, 32614)])


def threads():
    found = benchmarks("bench_threads")
    return table(["network", "speed-up"], [[network, f"{found[f'two_threads/{network}']['speed_up']:.2f}"] for network in NETWORKS])


def numpy():
    return table(["network", "numpy ms", "Strata ms", "ratio", "ratio to the textbook sigmoid"],
                 [[one["network"], f"{one['numpy_ms']:.0f}", f"{one['strata_ms']:.1f}", f"{one['ratio']:.1f}", f"{one['textbook_ratio']:.1f}"]
                  for one in results("compare_numpy")["networks"]])


def torch():
    found = {(one["network"], one["precision"]): one for one in results("compare_torch")["networks"]}
    header = ["network"]
    for precision in ("float32", "float64"):
        header += [f"{precision}: eager ms", "compiled ms", "Strata ms", "ratio"]
    return table(header, [[network, *(f"{found[network, precision][key]:{form}}" for precision in ("float32", "float64")
                                      for key, form in (("eager_ms", ".1f"), ("compiled_ms", ".1f"), ("strata_ms", ".1f"), ("ratio", ".2f")))]
                          for network in NETWORKS])


def large_tables():
    return table(["rows", "s", "peak MB"],
                 [[f"{one['rows']:,}", f"{one['training_seconds']:.2f}", f"{one['peak_bytes'] / 1e6:.0f}"]
                  for one in results("compare_large_tables")["passes"]])


def large_memory():
    return table(["rows", "numbers as doubles, MB", "`--memory`", "peak of packing, MB", "peak of training, MB"],
                 [[f"{one['rows']:,}", f"{one['numbers_bytes'] / 1e6:,.0f}", one["memory"], f"{one['pack']['peak_bytes'] / 1e6:.0f}",
                   f"{one['train']['peak_bytes'] / 1e6:,.0f}"]
                  for one in (results(name)["peak"] for name in ("compare_large_tables", "compare_large_tables_full"))])


def two_million():
    return table(["run", "RMSE of its validation rows", "RMSE of new rows", "s", "epochs"],
                 [[one["name"], f"{one['validation_rmse']:.4f}", f"{one['new_rmse']:.4f}", f"{one['seconds']:.1f}", one["sweeps"]]
                  for one in results("compare_two_million_threads")["runs"]])


def million_rows():
    found = benchmarks("bench_predict")
    rows = [("one network of plain numbers", "million_rows", 0.25), ("six members with knots", "million_rows_six_members", 2)]
    return table(["model", "processor s", "s by the clock", "aimed at, s"],
                 [[model, f"{found[f'{name}/threads:2']['cpu_s']:.2f}", f"{found[f'{name}/threads:2']['real_time'] / 1000:.2f}", aim]
                  for model, name, aim in rows])


def read_csv():
    def file(one):
        return f"numbers, {one['significant_digits']} digits" + (", and words" if one["words"] else "")
    return table(["file", "other", "threads", "its ms", "Strata ms", "ratio", "ratio by the clock"],
                 [[file(one), one["other"], one["threads"], f"{1000 * one['theirs']['cpu_seconds']:.0f}",
                   f"{1000 * one['strata']['cpu_seconds']:.0f}", f"{one['cpu_ratio']:.2f}", f"{one['ratio']:.2f}"]
                  for one in results("compare_read_csv")["cases"]])


def minibatch_numpy():
    return table(["method", "precision", "numpy samples/s", "Strata samples/s", "ratio"],
                 [[one["method"], one["precision"], f"{one['numpy_samples_per_second']:.0f}", f"{one['strata_samples_per_second']:.0f}",
                   f"{one['ratio']:.1f}"] for one in results("compare_minibatch_numpy")["methods"]])


def minibatch_torch():
    one = results("compare_minibatch_torch")
    return table(["PyTorch, eager, samples/s", "compiled", "Strata (`--method adam --precision float32`)", "ratio"],
                 [[*(f"{one[f'{who}_samples_per_second']:.0f}" for who in ("eager", "compiled", "strata")), f"{one['ratio']:.1f}"]])


def steps():
    found = benchmarks("bench_steps")
    names = {"adam": "`adam`", "gradient": "`ig`, `bling`", "svrg": "`svrg`", "saga": "`saga`"}
    return table(["update", "share of a step, %", "plain loop over kernel"],
                 [[shown, f"{100 * found[name]['share']:.1f}", f"{found[name]['speed_up']:.1f}"] for name, shown in names.items()])


def targets():
    return time_to_target.table_lines(time_to_target.Runs(RESULTS / "time_to_target.jsonl"))


def optimizers():
    lines = map(json.loads, (RESULTS / "compare_optimizers.jsonl").read_text().splitlines())
    return optimizer_table.lines({tuple(line[key] for key in optimizer_table.KEYS): line for line in lines})


def blgn_numpy():
    return table(["data", "start", "objective", "Strata, s", "ratio"],
                 [[one["data"], one["seed"], f"{one['objective']:.1e}", f"{one['strata_seconds']:.1f}", f"{one['ratio']:.1f}"]
                  for one in results("compare_blgn_numpy")["comparison"]])


def one_row():
    found = results("compare_one_row")["microseconds"]
    names = {"strata": "`StrataRegressor.predict`", "model": "its `model_.predict`", "scikit-learn": "scikit-learn's `MLPRegressor.predict`",
             "pytorch": "PyTorch, eager, in inference mode"}
    return table(["predicted by", "microseconds"], [[shown, f"{found[name]:.2g}"] for name, shown in names.items()])


def python():
    return table(["data", "peer", "its best error", "peer s", "Strata s", "ratio"],
                 [[one["data"], one["peer"], f"{one['error']:.2e}", f"{one['peer_seconds']:.1f}", f"{one['strata_seconds']:.2f}",
                   f"{one['ratio']:.1f}"] for one in results("compare_python")["peers"]])


TABLES = {"full": full, "single-precision": single_precision, "layers": layers, "output-layer": output_layer, "threads": threads,
          "numpy": numpy, "torch": torch, "large-memory": large_memory, "large-tables": large_tables,
          "two-million": two_million, "million-rows": million_rows, "read-csv": read_csv,
          "minibatch-numpy": minibatch_numpy, "minibatch-torch": minibatch_torch, "steps": steps, "targets": targets,
          "optimizers": optimizers, "blgn-numpy": blgn_numpy, "one-row": one_row, "python": python}


def written(text):
    """The page with all tables anew: what stands between a comment and <!-- end -->."""
    def anew(match):
        return f"<!-- table: {match[1]} -->\n\n" + "\n".join(TABLES[match[1]]()) + "\n\n<!-- end -->"
    return re.sub(r"<!-- table: (\S+) -->\n.*?<!-- end -->", anew, text, flags=re.DOTALL)


def main():
    text = PAGE.read_text()
    page = written(text)
    if sys.argv[1:] == ["--check"]:
        if page != text:
            sys.exit(f"{PAGE.relative_to(ROOT)}: a table is not that of bench/results; run bench/page.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
