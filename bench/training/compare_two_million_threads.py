#!/usr/bin/env python3
"""The default on a table of 2,000,000 rows against `adam`, and against itself on a tenth of the rows, after the same seconds.

    cmake --preset bench && cmake --build --preset bench
    python3 bench/training/compare_two_million_threads.py [build/bench] [--rows 2000000] [--limit 20]

Friedman's first problem with noise 1, 11 columns: no model has an RMSE below 1. Two threads; --limit counts reading too, of a table
packed by `strata pack`. `adam` has the default's hidden layers, batches of 512 and a cosine, with three rates, with knots and without. Every run
takes validation rows from its own table, as the default does. Writes bench/results/compare_two_million_threads.json: RMSE on these and
on 100,000 new rows.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEW_ROWS = 100_000
RATES = ["1e-3", "3e-3", "1e-2"]


def table_of(program, directory, name, rows, seed):
    """A packed table."""
    text, packed = (os.path.join(directory, name + end) for end in (".csv", ".strata-rows"))
    with open(text, "wb") as out:
        subprocess.run([program, "generate", "friedman1", "--rows", str(rows), "--seed", str(seed)], stdout=out, check=True)
    subprocess.run([program, "pack", text, "--out", packed], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.remove(text)
    return packed


def measured(program, table, new, limit, *options):
    """Errors of a run, and its seconds."""
    model = table + ".model"
    trained = subprocess.run([program, "train", table, "--target", "y", "--threads", "2", "--time-limit", f"{limit}s", "--model", model,
                              "--json", "--quiet", *options], check=True, capture_output=True, text=True)
    evaluated = subprocess.run([program, "evaluate", model, new, "--json"], check=True, capture_output=True, text=True)
    record = json.loads(trained.stdout)
    return {"network": record["network"], "validation_rmse": record["rmse"]["validation"],
            "new_rmse": json.loads(evaluated.stdout)["rmse"][0], "seconds": record["elapsed_seconds"], "sweeps": record["sweeps"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/bench", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results/compare_two_million_threads.json")
    arguments = parser.parse_args()
    program = str(arguments.build / "apps/strata/strata")
    result = {"rows": arguments.rows, "limit": arguments.limit, "load_average": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as directory:
        table = table_of(program, directory, "all", arguments.rows, 1)
        tenth = table_of(program, directory, "tenth", arguments.rows // 10, 1)
        new = table_of(program, directory, "new", NEW_ROWS, 2)
        result["runs"] = [{"name": "the default", **measured(program, table, new, arguments.limit)},
                          {"name": "the default on a tenth of the rows", **measured(program, tenth, new, arguments.limit)}]
        for knots in ("0", "48"):
            for rate in RATES:
                run = measured(program, table, new, arguments.limit, "--method", "adam", "--batch", "512", "--cosine", "--precision",
                               "float32", "--hidden", "50,50,50", "--knots", knots, "--rate", rate)
                result["runs"].append({"name": f"`adam`, rate {rate}, {knots} knots", **run})
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
