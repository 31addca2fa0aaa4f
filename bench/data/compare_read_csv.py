#!/usr/bin/env python3
"""Strata's CSV reader against pandas.read_csv and polars.read_csv, two threads each: the same file, the same run.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/data/compare_read_csv.py [build/bench] [--rows 200000] [--columns 12]

Files of numbers with 6 and 17 digits, and one of which every other column holds words. Prints and writes
bench/results/compare_read_csv.json; "ratio" is the wall-clock time of the other over Strata's, so above 1 Strata is the faster;
"cpu_ratio" is the same in processor time, which other work on the machine disturbs less. The two take turns, and the best time of
each counts: other work can only make a time longer.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]


WORDS = ["north", "south", "east", "west", "north-east", "a longer name of a place", "x", ""]

# Each in a process of its own: polars takes its number of threads from the environment when it is loaded; pandas 3 uses two by itself.
OTHERS = {
    "pandas": (2, "import pandas; read = pandas.read_csv"),
    "polars": (2, "import polars; read = polars.read_csv"),
}
TIMES = """
import json, sys, time
{}
times = []
for _ in range(int(sys.argv[2])):
    wall, processor = time.perf_counter(), time.process_time()
    read(sys.argv[1])
    times.append((time.perf_counter() - wall, time.process_time() - processor))
print(json.dumps(times))
"""


def write_csv(path, rows, columns, digits, words):
    stream = numpy.random.default_rng(1)
    cells = [[f"%.{digits}g" % number for number in stream.normal(size=rows)] if not words or c % 2 == 0 else
             [WORDS[k] for k in stream.integers(0, len(WORDS), size=rows)] for c in range(columns)]
    with open(path, "w") as out:
        out.write(",".join(f"x{c + 1}" for c in range(columns)) + "\n")
        out.writelines(",".join(row) + "\n" for row in zip(*cells))


def times_of(name, path, repetitions):
    threads, load = OTHERS[name]
    output = subprocess.run([sys.executable, "-c", TIMES.format(load), str(path), str(repetitions)],
                            env={**os.environ, "POLARS_MAX_THREADS": str(threads)}, check=True, capture_output=True,
                            text=True).stdout
    return json.loads(output)


def times_of_strata(program, path, threads, repetitions):
    output = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_min_time=0.001", f"--benchmark_repetitions={repetitions}"],
        env={**os.environ, "STRATA_BENCH_CSV": str(path), "STRATA_BENCH_THREADS": str(threads)},
        check=True, capture_output=True, text=True).stdout
    runs = [run for run in json.loads(output)["benchmarks"] if run["run_type"] == "iteration"]
    return [(run["real_time"] * 1e-3, run["cpu_time"] * 1e-3) for run in runs]


def best(times):
    return {"seconds": min(wall for wall, _ in times), "cpu_seconds": min(processor for _, processor in times)}


def compare(program, path, other, case, rounds):
    threads = OTHERS[other][0]
    ours, theirs = [], []
    for _ in range(rounds):
        theirs += times_of(other, path, 3)
        ours += times_of_strata(program, path, threads, 3)
    ours, theirs = best(ours), best(theirs)
    return {
        **case, "threads": threads, "other": other, "strata": ours, "theirs": theirs,
        "ratio": theirs["seconds"] / ours["seconds"], "cpu_ratio": theirs["cpu_seconds"] / ours["cpu_seconds"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build" / "bench"), help="build directory")
    options = parser.parse_args()
    program = pathlib.Path(options.build) / "bench" / "bench_read_csv"
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        for digits, words in ((6, False), (17, False), (6, True)):
            write_csv(path, options.rows, options.columns, digits, words)
            case = {"rows": options.rows, "columns": options.columns, "significant_digits": digits, "words": words,
                    "bytes": path.stat().st_size}
            cases += [compare(program, path, other, case, options.rounds) for other in OTHERS]
    versions = {name: importlib.metadata.version(name) for name in OTHERS}
    result = json.dumps({**versions, "load_average": os.getloadavg()[0], "cases": cases}, indent=1)
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_read_csv.json").write_text(result + "\n")
    print(result)


if __name__ == "__main__":
    main()
