#!/usr/bin/env python3
"""Training on tables that are larger than the memory allowed: the peak of the resident memory, and seconds of a pass by rows.

    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/training/compare_large_tables.py [build/bench] [--rows 5000000] [--memory 300MB] [--program FILE]

Makes tables of Friedman's first problem (11 columns), packs them by `strata pack` and trains on the packed file. Writes
bench/results/compare_large_tables.json. "peak" has the memory of `strata pack` and of training by default within --memory for --limit,
and the bytes that the numbers of the table take as doubles; the full size is --rows 50000000 --memory 3GB. "passes" has the seconds
of processor time, on one thread, of an epoch of Adam over tables of --passes rows within the same memory for each row, "exponent" the
slope of log seconds by log rows between the first and the last: 1 is linear. --before FILE has another program do the same passes, in
turns; medians of --rounds.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare_start_threads import ROOT, measured

COLUMNS = 11
UNITS = {"MB": 1e6, "GB": 1e9}
PASS = ["--method", "adam", "--hidden", "20", "--epochs", "1", "--validation", "0", "--threads", "1",
        "--clock", "processor"]


def table_of(program, directory, rows):
    """A packed table and what packing took: the text is made in parts, because `generate` holds what it makes."""
    text = os.path.join(directory, f"{rows}.csv")
    part = 1_000_000
    with open(text, "wb") as out:
        for first in range(0, rows, part):
            count = min(part, rows - first)
            # Not through this process: a program that it starts would count as large as it is.
            made = subprocess.Popen([program, "generate", "friedman1", "--rows", str(count), "--seed",
                                     str(1 + first // part)], stdout=subprocess.PIPE)
            header = made.stdout.readline()
            if first == 0:
                out.write(header)
            shutil.copyfileobj(made.stdout, out)
            if made.wait() != 0:
                raise SystemExit("strata generate failed")
    packed = os.path.join(directory, f"{rows}.strata-rows")
    seconds, _, peak = measured([program, "pack", text, "--out", packed])
    size = os.path.getsize(text)
    os.remove(text)
    return packed, {"text_bytes": size, "seconds": seconds, "peak_bytes": peak}


def train(program, table, memory, *options):
    """The seconds of training from its record, those of the program, and its peak."""
    model = table + ".model"
    seconds, _, peak = measured([program, "train", table, "--target", "y", "--memory", memory, "--model", model, "--quiet",
                                 *options])
    record = json.loads(subprocess.run([program, "inspect", model, "--json"], stdout=subprocess.PIPE, check=True).stdout)
    return {"seconds": seconds, "training_seconds": record["training"]["seconds"], "peak_bytes": peak}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/bench", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--memory", default="300MB")
    parser.add_argument("--limit", default="10s")
    parser.add_argument("--passes", type=lambda text: [int(rows) for rows in text.split(",")],
                        default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results/compare_large_tables.json")
    arguments = parser.parse_args()
    program = str(arguments.program or arguments.build / "apps/strata/strata")
    number, unit = re.fullmatch(r"([\d.]+)([MG]B)", arguments.memory).groups()
    memory = float(number) * UNITS[unit]
    programs = [("passes", program)] + ([("passes_before", str(arguments.before))] if arguments.before else [])
    result = {"load_average": os.getloadavg()[0], **{name: [] for name, _ in programs}}
    with tempfile.TemporaryDirectory() as directory:
        table, packing = table_of(program, directory, arguments.rows)
        result["peak"] = {"rows": arguments.rows, "memory": arguments.memory,
                          "numbers_bytes": arguments.rows * COLUMNS * 8, "pack": packing,
                          "train": train(program, table, arguments.memory, "--time-limit", arguments.limit)}
        os.remove(table)
        for rows in arguments.passes:
            table, _ = table_of(program, directory, rows)
            allowed = f"{memory / arguments.rows * rows / 1e6:.0f}MB"
            turns = [(name, train(which, table, allowed, *PASS)) for _ in range(arguments.rounds) for name, which in programs]
            for name, _ in programs:
                mine = [made for turn, made in turns if turn == name]
                result[name].append({"rows": rows, "memory": allowed,
                                     **{of: statistics.median(made[of] for made in mine) for of in mine[0]}})
            os.remove(table)
    for name, _ in programs:
        first, last = result[name][0], result[name][-1]
        if first is not last:
            result["exponent" if name == "passes" else "exponent_before"] = (
                math.log(last["training_seconds"] / first["training_seconds"]) / math.log(last["rows"] / first["rows"]))
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
