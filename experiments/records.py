"""Runs of strata train under the paper's protocol as records: one JSON file each; a run whose file exists is not repeated.

STRATA_PROGRAM names the program if it is not build/release/apps/strata/strata, STRATA_DATA the directory of the data files
if it is not ../shared/data/raw.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("STRATA_PROGRAM", "build/release/apps/strata/strata")
DATA = os.environ.get("STRATA_DATA", "../shared/data/raw")
HIDDEN = {"1x50": "50", "3x20": "20,20,20", "200-50-200": "200,50,200", "5x50": "50,50,50,50,50", "10x50": ",".join(["50"] * 10)}


def improvements(history):
    """Every improvement of the objective, [seconds, value], and the highest value relative to the best before it."""
    curve, best, highest = [], math.inf, 0.0
    for record in history:
        value = record["value"] if record["value"] is not None else math.inf
        highest = max(highest, value / best)
        if value < best:
            best = value
            curve.append([round(record["seconds"], 4), value])
    return curve, highest


def train(data, network, method, seed, *options, program=PROGRAM):
    """Runs the program once, one thread, processor time; returns its JSON object and the records of the sweeps."""
    with tempfile.TemporaryDirectory() as directory:
        history = pathlib.Path(directory, "history")
        command = [program, "train", data, "--protocol", "paper", "--reading", "presets", "--raw", DATA, "--hidden", HIDDEN[network], "--method", method,
                   "--seed", str(seed), "--threads", "1", "--clock", "processor", *options, "--history", history,
                   "--model", pathlib.Path(directory, "model"), "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.splitlines()[-1]}")
        return json.loads(done.stdout), [json.loads(line) for line in history.read_text().splitlines()]


def training_rows(data, program=PROGRAM):
    """Inputs and targets of one of the paper's sets, encoded and scaled; the decimals of the program are exact."""
    import numpy
    command = [program, "data", data, "--raw", DATA, "--part", "train"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = numpy.loadtxt(text.splitlines()[1:], delimiter=",")
    return numpy.ascontiguousarray(rows[:, :-1]), numpy.ascontiguousarray(rows[:, -1])


def run(path, data, network, method, seed, *options):
    """Runs the program, unless its record is there; returns the record."""
    if path.exists():
        return json.loads(path.read_text())
    result, history = train(data, network, method, seed, *options)
    curve, highest = improvements(history)
    result = {"options": options, **result, "highest_over_best": highest, "curve": curve}
    if result["validation_mse"] is not None:
        result["seconds_at_best"] = next(
            (r["seconds"] for r in history if r["sweep"] + 1 == result["best_sweep"]), result["seconds"])
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result))
    partial.rename(path)
    print(f"{path.stem}: {result['objective']:.3g} in {result['seconds']:.1f} s", flush=True)
    return result
