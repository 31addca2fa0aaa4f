#!/usr/bin/env python3
"""Strata's CSV reader against pandas.read_csv: the same numeric file, the same run, one thread each.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/data/compare_read_csv.py [--rows 200000] [--columns 12]

Prints JSON; "ratio" is pandas' wall-clock time over Strata's, so above 1 Strata is the faster; "cpu_ratio" is the
same in processor time, which other work on the machine disturbs less. The two take turns, and the best time of each
counts: other work can only make a time longer.
"""

import argparse
import json
import os
import pathlib
import platform
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


def cpu():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def commit():
    git = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True)
    return git.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default=str(ROOT / "build/bench/bench/bench_read_csv"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "numeric.csv"
        cases = [compare(options.program, path, options.rows, options.columns, digits, options.rounds)
                 for digits in (6, 17)]
    print(json.dumps({"benchmark": "read_csv", "cpu": cpu(), "commit": commit(), "pandas": pandas.__version__,
                      "python": platform.python_version(), "cases": cases}, indent=2))


if __name__ == "__main__":
    main()
