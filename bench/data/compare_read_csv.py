#!/usr/bin/env python3
"""Strata's CSV reader against pandas.read_csv: the same numeric file, the same run, one thread each.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/data/compare_read_csv.py [build/bench] [--rows 200000] [--columns 12]

Prints and writes bench/results/compare_read_csv.json; "ratio" is pandas' wall-clock time over Strata's, so above 1 Strata is the faster; "cpu_ratio" is the
same in processor time, which other work on the machine disturbs less. The two take turns, and the best time of each
counts: other work can only make a time longer.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy
import pandas

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_csv(path, rows, columns, digits):
    values = numpy.random.default_rng(1).normal(size=(rows, columns))
    names = ",".join(f"x{c + 1}" for c in range(columns))
    numpy.savetxt(path, values, fmt=f"%.{digits}g", delimiter=",", header=names, comments="")
    return values


def times_of_pandas(path, repetitions):
    times = []
    for _ in range(repetitions):
        wall, processor = time.perf_counter(), time.process_time()
        pandas.read_csv(path)
        times.append((time.perf_counter() - wall, time.process_time() - processor))
    return times


def times_of_strata(program, path, repetitions):
    output = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_min_time=0.001", f"--benchmark_repetitions={repetitions}"],
        env={**os.environ, "STRATA_BENCH_CSV": str(path)},
        check=True, capture_output=True, text=True).stdout
    runs = [run for run in json.loads(output)["benchmarks"] if run["run_type"] == "iteration"]
    return [(run["real_time"] * 1e-3, run["cpu_time"] * 1e-3) for run in runs]


def best(times):
    return {"seconds": min(wall for wall, _ in times), "cpu_seconds": min(processor for _, processor in times)}


def compare(program, path, rows, columns, digits, rounds):
    write_csv(path, rows, columns, digits)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs += times_of_pandas(path, 3)
        ours += times_of_strata(program, path, 3)
    ours, theirs = best(ours), best(theirs)
    return {
        "rows": rows, "columns": columns, "significant_digits": digits, "bytes": path.stat().st_size,
        "strata": ours, "pandas": theirs, "ratio": theirs["seconds"] / ours["seconds"],
        "cpu_ratio": theirs["cpu_seconds"] / ours["cpu_seconds"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build" / "bench"), help="build directory")
    options = parser.parse_args()
    program = pathlib.Path(options.build) / "bench" / "bench_read_csv"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "numeric.csv"
        cases = [compare(program, path, options.rows, options.columns, digits, options.rounds)
                 for digits in (6, 17)]
    result = json.dumps({"pandas": pandas.__version__, "cases": cases}, indent=1)
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_read_csv.json").write_text(result + "\n")
    print(result)


if __name__ == "__main__":
    main()
