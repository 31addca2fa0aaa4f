#!/usr/bin/env python3
"""Do intervals hold the truth as often as they say, and how wide are they? Six public tables, against MAPIE on the same model.

A fifth of the rows tests. Strata makes its intervals from the 15 % that `fit` held out. MAPIE's SplitConformalRegressor and
SplitConformalClassifier get the same fitted model and those same rows, which are drawn here and given to fit as eval_set.

    .venv/bin/python bench/intervals/compare_intervals.py TABLES

TABLES is a directory with the published files. Needs mapie (scripts/setup bench). Writes bench/results/compare_intervals.json.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from sklearn.model_selection import train_test_split

import strata

ROOT = pathlib.Path(__file__).resolve().parents[2]
COVERAGES = (0.8, 0.9, 0.95)
SEEDS = (1, 2, 3)
REGRESSION = {"cpu_act": "cpu.act.arff.gz", "house8L": "house8L.arff.gz", "kin8nm": "kin8nm.arff.gz"}
CLASSES = {"pendigits": "pendigits.arff.gz", "spambase": "spambase.arff.gz", "letter": "letter.arff.gz"}


def rows_of(path):
    frame = strata.to_frame(strata.read_table(path))
    return frame.iloc[:, :-1].to_numpy(dtype=float), frame.iloc[:, -1].to_numpy()


def regression(X, y, seed):
    y = y.astype(float)
    X, new, y, truth = train_test_split(X, y, test_size=0.2, random_state=seed)
    X, held, y, held_y = train_test_split(X, y, test_size=0.15, random_state=seed)
    model = strata.StrataRegressor(random_state=seed).fit(X, y, eval_set=(held, held_y))
    peer = SplitConformalRegressor(model, confidence_level=list(COVERAGES), prefit=True).conformalize(held, held_y)
    _, theirs = peer.predict_interval(new)
    for k, coverage in enumerate(COVERAGES):
        low, high = model.predict_interval(new, coverage).T
        yield coverage, np.mean((low <= truth) & (truth <= high)), np.mean(high - low), \
            np.mean((theirs[:, 0, k] <= truth) & (truth <= theirs[:, 1, k])), np.mean(theirs[:, 1, k] - theirs[:, 0, k])


def classes(X, y, seed):
    y = np.unique(y.astype(str), return_inverse=True)[1]
    X, new, y, truth = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)
    X, held, y, held_y = train_test_split(X, y, test_size=0.15, random_state=seed, stratify=y)
    model = strata.StrataClassifier(random_state=seed).fit(X, y, eval_set=(held, held_y))
    peer = SplitConformalClassifier(model, confidence_level=list(COVERAGES), prefit=True).conformalize(held, held_y)
    _, theirs = peer.predict_set(new)
    everyone = np.arange(len(truth))
    for k, coverage in enumerate(COVERAGES):
        sets = model.predict_interval(new, coverage, allow_empty=True)  # as MAPIE's are
        yield coverage, sets[everyone, truth].mean(), sets.sum(axis=1).mean(), \
            theirs[everyone, truth, k].mean(), theirs[:, :, k].sum(axis=1).mean()


def main(tables):
    warnings.simplefilter("ignore")
    results = []
    for kind, names in ((regression, REGRESSION), (classes, CLASSES)):
        for name, file in names.items():
            X, y = rows_of(pathlib.Path(tables) / file)
            runs = np.array([list(kind(X, y, seed)) for seed in SEEDS]).mean(axis=0)
            for coverage, own, width, other, other_width in runs:
                results.append({"table": name, "coverage": round(coverage, 2), "strata": own, "strata_width": width, "mapie": other,
                                "mapie_width": other_width})
                print(f"{name:10} {coverage:.2f}   strata {own:.3f} width {width:10.4g}   mapie {other:.3f} width {other_width:10.4g}"
                      f"   width ratio {width / other_width:.3f}", flush=True)
    (ROOT / "bench/results/compare_intervals.json").write_text(json.dumps({"results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
