#!/usr/bin/env python3
"""Strata's CSV reader against pandas.read_csv: the same numeric file, the same run, one thread each.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/data/compare_read_csv.py [--rows 200000] [--columns 12]

Prints JSON; "ratio" is pandas' time over Strata's, so above 1 Strata is the faster. The two take turns, and the
best time of each counts: other work on the machine can only make a time longer.
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


def seconds_of_pandas(path):
    start = time.perf_counter()
    pandas.read_csv(path)
    return time.perf_counter() - start


def seconds_of_strata(program, path):
    output = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_min_time=0.5"],
        env={**os.environ, "STRATA_BENCH_CSV": str(path)},
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"][0]["real_time"] * 1e-3


def compare(program, path, rows, columns, digits, rounds):
    write_csv(path, rows, columns, digits)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(seconds_of_pandas(path))
        ours.append(seconds_of_strata(program, path))
    return {
        "rows": rows, "columns": columns, "significant_digits": digits, "bytes": path.stat().st_size,
        "strata_seconds": min(ours), "pandas_seconds": min(theirs), "ratio": min(theirs) / min(ours)}


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
