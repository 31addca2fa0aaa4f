#!/usr/bin/env python3
"""Strata against gradient-boosted trees and scikit-learn's network on public tables: errors on new rows, time, memory.

    .venv/bin/python bench/tables/run.py [--sets a,b] [--peers "strata,CatBoost"] [--seeds 1,2,3] [--page]

Every cell (set, peer, split) is a process of its own and becomes a line of bench/results/tables.jsonl; cells that are there
already are not run again, so the benchmark can be interrupted and resumed. Cells of Strata belong to a commit: those of
another one are run again with --again. --page only writes docs/tables.md from the lines there are.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import page  # noqa: E402
import peers  # noqa: E402
import sets  # noqa: E402

RESULTS = sets.ROOT / "bench" / "results" / "tables.jsonl"
MOST_SECONDS = 3600


def read():
    if not RESULTS.exists():
        return {}
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    return {(cell["set"], cell["peer"], cell["seed"]): cell for cell in lines}  # the last line of a cell counts


def versions(peer):
    from importlib.metadata import version
    if not peer.startswith("strata"):
        return f"{peers.PACKAGES[peer]} {version(peers.PACKAGES[peer])}"
    library = ["--", "src", "include", "python"]
    commit = subprocess.run(["git", "log", "-1", "--format=%h", *library], cwd=sets.ROOT, capture_output=True, text=True).stdout.strip()
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", *library], cwd=sets.ROOT).returncode != 0
    return f"strata {version('strata')} {commit}{'-dirty' if changed else ''}"


def run_cell(name, peer, seed):
    command = [sys.executable, str(pathlib.Path(__file__).parent / "cell.py"), name, peer, str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"set": name, "peer": peer, "seed": seed, "failure": f"more than {MOST_SECONDS} s"}
    if done.returncode != 0:
        return {"set": name, "peer": peer, "seed": seed, "failure": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(sets.SETS))
    parser.add_argument("--peers", default=",".join((*peers.PEERS, *peers.SLOW)))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--again", action="store_true", help="also cells that are there already")
    parser.add_argument("--page", action="store_true", help="only write the page")
    told = parser.parse_args()
    cells = read()
    if not told.page:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for seed in map(int, told.seeds.split(",")):
            for name in told.sets.split(","):
                for peer in told.peers.split(","):
                    if peer in peers.SLOW and (name not in peers.SLOW_SETS or seed not in peers.SLOW_SEEDS):
                        continue
                    key = (name, peer, seed)
                    if key in cells and "failure" not in cells[key] and not told.again:
                        continue
                    cell = {**run_cell(name, peer, seed), "version": versions(peer)}
                    cells[key] = cell
                    with RESULTS.open("a") as out:
                        out.write(json.dumps(cell) + "\n")
                    print(name, peer, seed, cell.get("failure") or f"{cell['error']:.5g} in {cell['train_seconds']:.1f} s",
                          flush=True)
    page.write(list(cells.values()), sets.ROOT / "docs" / "tables.md")


if __name__ == "__main__":
    main()
