#!/usr/bin/env python3
"""Do intervals hold the truth as often as they say, and how wide are they? Six public tables, against MAPIE on the same model.

    .venv/bin/python bench/intervals/compare_intervals.py [--seeds 1,2,3] [--again] [--table]

3,000 rows of each table are given to fit, all others test. All defaults, one thread, two fits for each split:
  eval_set  1,000 of the 3,000, drawn here, are validation rows. MAPIE's SplitConformalRegressor and
            SplitConformalClassifier get the fitted model and the same rows.
  members   fit keeps rows of its own for each fold of members, as it does by default. There is no model of MAPIE's to compare with
            that would not be trained anew.
Every fit becomes a line of bench/results/compare_intervals.jsonl; those that are there are not run again, unless --again is given.
--table only prints. Needs mapie (scripts/setup bench).
"""

import argparse
import pathlib
import statistics
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tables"))

import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from sklearn.model_selection import train_test_split

import sets
import strata
from kept import Kept, commit

COVERAGES = (0.8, 0.9, 0.95)
TABLES = ("cpu_act", "house_8L", "kin8nm", "pendigits", "spambase", "letter")
ROWS = 3000
VALIDATION_ROWS = 1000


class Numbers:
    estimator, peer = strata.StrataRegressor, SplitConformalRegressor

    @staticmethod
    def own(model, new, coverage):
        return model.predict_interval(new, coverage)

    @staticmethod
    def of_peer(peer, new):
        return np.moveaxis(peer.predict_interval(new)[1], 2, 0)

    @staticmethod
    def judge(truth, bounds):
        low, high = bounds.T
        return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


class Classes:
    estimator, peer = strata.StrataClassifier, SplitConformalClassifier

    @staticmethod
    def own(model, new, coverage):
        return model.predict_interval(new, coverage, allow_empty=True)  # as MAPIE's are

    @staticmethod
    def of_peer(peer, new):
        return np.moveaxis(peer.predict_set(new)[1], 2, 0)

    @staticmethod
    def judge(truth, members):
        return float(members[np.arange(len(truth)), truth].mean()), float(members.sum(axis=1).mean())


def rows_of(name):
    task, X, y = sets.load(name)
    kind = Numbers if task == "regression" else Classes
    if kind is Classes:
        y = np.unique(y, return_inverse=True)[1]
    return kind, X.to_numpy(dtype=float), y


def measure(name, held_out, seed):
    kind, X, y = rows_of(name)

    def parts(X, y, held):
        return train_test_split(X, y, test_size=held, random_state=seed, stratify=y if kind is Classes else None)

    X, new, y, truth = parts(X, y, len(y) - ROWS)
    model = kind.estimator(random_state=seed, n_threads=1)
    if held_out == "members":
        model.fit(X, y)
    else:
        X, held, y, held_y = parts(X, y, VALIDATION_ROWS)
        model.fit(X, y, eval_set=(held, held_y))
    found = {"strata": [kind.judge(truth, kind.own(model, new, coverage)) for coverage in COVERAGES]}
    if held_out == "eval_set":
        peer = kind.peer(model, confidence_level=list(COVERAGES), prefit=True).conformalize(held, held_y)
        found["mapie"] = [kind.judge(truth, sets_or_bounds) for sets_or_bounds in kind.of_peer(peer, new)]
    return {**found, "networks": len(model.model_.networks), "commit": commit()}


def print_table(lines):
    def means(name, held_out, who, k):
        of = [line[who] for line in lines if (line["set"], line["held_out"]) == (name, held_out)]
        return [statistics.fmean(run[c][k] for run in of) for c in range(len(COVERAGES))] if of else None

    def row(values, form):
        return ", ".join(form.format(value) for value in values)

    print("| table | rows held out by | Strata holds | width | MAPIE holds | width | width over MAPIE's |\n|---|---|---|---|---|---|---|")
    for name in TABLES:
        peer, peer_width = means(name, "eval_set", "mapie", 0), means(name, "eval_set", "mapie", 1)
        for held_out in ("eval_set", "members"):
            own, width = means(name, held_out, "strata", 0), means(name, held_out, "strata", 1)
            if own is None or peer is None:
                continue
            theirs = (row(peer, "{:.3f}"), row(peer_width, "{:.4g}")) if held_out == "eval_set" else ("", "")
            print(f"| {name} | {held_out} | {row(own, '{:.3f}')} | {row(width, '{:.4g}')} | {theirs[0]} | {theirs[1]} | "
                  f"{row(np.divide(width, peer_width), '{:.2f}')} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", help="not used: the Python package is measured")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = Kept("compare_intervals.jsonl", ("set", "held_out", "seed"))
    if not options.table:
        for seed in map(int, options.seeds.split(",")):
            for name in TABLES:
                for held_out in ("eval_set", "members"):
                    key = {"set": name, "held_out": held_out, "seed": seed}
                    if options.again or kept.key(key) not in kept.lines:
                        print(kept.add({**key, **measure(name, held_out, seed)}), flush=True)
    print_table(kept.lines.values())


if __name__ == "__main__":
    main()
