#!/usr/bin/env python3
"""What a training run takes beside the training: seconds beyond its time limit, and the peak of its memory.

    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/training/compare_start_threads.py [build/bench] [--rows 2000000] [--limit 10] [--program FILE]

Runs `strata generate friedman1 --rows N > f.csv; strata train f.csv --target y --time-limit 10s` and writes
bench/results/compare_start_threads.json. "seconds_beyond" is wall-clock time beyond the limit: reading, encoding, packing, final
errors, the model file. "cpu_seconds_beyond" is the processor time of the same run stopped after its first sweep by
--max-evaluations 1, which other work on the machine disturbs less. "numbers_bytes" is what the numbers of the table
take by themselves, "ratio" the peak over that. --program measures another build, for a comparison.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def measured(command):
    """Wall-clock seconds, processor seconds and peak of the resident memory of a program."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/bench", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results/compare_start_threads.json")
    arguments = parser.parse_args()
    program = str(arguments.program or arguments.build / "apps/strata/strata")
    load = os.getloadavg()[0]  # of other programs: the wall-clock time means something where it is below 1
    with tempfile.TemporaryDirectory() as directory:
        table = os.path.join(directory, "f.csv")
        with open(table, "wb") as out:
            subprocess.run([program, "generate", "friedman1", "--rows", str(arguments.rows)], stdout=out, check=True)
        command = [program, "train", table, "--target", "y", "--model", os.path.join(directory, "model"), "--quiet"]
        wall, _, peak = measured([*command, "--time-limit", f"{arguments.limit}s"])
        _, processor, _ = measured([*command, "--max-evaluations", "1"])
    numbers = arguments.rows * 11 * 8
    result = {
        "command": f"strata train f.csv --target y --time-limit {arguments.limit}s",
        "rows": arguments.rows,
        "seconds_beyond": wall - arguments.limit,
        "cpu_seconds_beyond": processor,
        "peak_bytes": peak,
        "numbers_bytes": numbers,
        "ratio": peak / numbers,
        "load_average": load,
    }
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
