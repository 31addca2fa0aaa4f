"""Runs of examples/paper_run as records: one JSON file each, what is there is not repeated.

RUN_PROGRAM names the program if it is not build/release/examples/paper_run.
"""
import json
import math
import os
import subprocess
import sys

PROGRAM = os.environ.get("RUN_PROGRAM", "build/release/examples/paper_run")


def improvements(trace):
    """Every improvement of the objective, [seconds, value], and the highest value relative to the best before it."""
    curve, best, highest = [], math.inf, 0.0
    for record in trace:
        value = record["value"] if record["value"] is not None else math.inf
        highest = max(highest, value / best)
        if value < best:
            best = value
            curve.append([round(record["seconds"], 4), value])
    return curve, highest


def run(path, data, network, method, seed, *options):
    """Runs the program once in processor time, unless its record is there; returns the record."""
    if path.exists():
        return json.loads(path.read_text())
    command = [PROGRAM, data, network, method, "--seed", str(seed), "--processor-time", "1", "--trace", "1", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.splitlines()[-1]}")
    trace = [json.loads(line) for line in done.stderr.splitlines()]
    curve, highest = improvements(trace)
    result = {"command": " ".join(command[1:]), **json.loads(done.stdout), "highest_over_best": highest, "curve": curve}
    if result.get("validation_loss") is not None:
        result["seconds_at_best"] = next(
            (r["seconds"] for r in trace if r["sweep"] + 1 == result["best_sweep"]), result["seconds"])
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result))
    partial.rename(path)
    print(f"{path.stem}: {result['objective']:.3g} in {result['seconds']:.1f} s", flush=True)
    return result
