#!/usr/bin/env python3
"""StrataClassifier() against scikit-learn's MLPClassifier on public tables: log-loss on new rows, and processor time.

Both have three hidden layers of 50 and hold out 15 % of the training rows to stop by, with a patience of 20 epochs. Strata
gets the table as it is; MLPClassifier gets it one-hot and standardised, which is not charged. Everything else is a default,
except that MLPClassifier may make 1000 epochs. A fifth of the rows tests, drawn by three seeds; the time is the
processor's, all threads added, so that other programs do not count.

    .venv/bin/python bench/python/compare_classifiers.py TABLES [NAME ...]

TABLES is a directory with the published files (adult_train.data.gz, magic04.data.gz, ...). Prints a table, and writes
bench/results/compare_classifiers.json where all sets were run.
"""

import json
import pathlib
import platform
import sys
import time
import warnings

import numpy as np
import pandas as pd
import sklearn
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import strata

ROOT = pathlib.Path(__file__).resolve().parents[2]
HIDDEN = (50, 50, 50)
SEEDS = (1, 2, 3)


def frame_of(path, **options):
    """A file without header, CSV with one, or ARFF, by Strata's own reader."""
    if path.name.endswith(".data.gz"):
        return pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?"], **options).rename(columns=str)
    if ".arff" in path.name:
        return strata.to_frame(strata.read_table(path))
    return pd.read_csv(path, **options)


SETS = {  # files, target (None: the last column), columns to leave out
    "adult": (["adult_train.data.gz", "adult_test.data.gz"], None, []),
    "bank": (["../raw/bank-full.csv"], "y", []),
    "magic": (["magic04.data.gz"], None, []),
    "default": (["default_train.csv.gz", "default_test.csv.gz"], "default payment next month", ["ID"]),
    "shoppers": (["online_shoppers_intention.csv.gz"], "Revenue", []),
    "spambase": (["spambase.arff.gz"], None, []),
    "nursery": (["nursery.arff.gz"], None, []),
    "letter": (["letter.arff.gz"], None, []),
    "pendigits": (["pendigits.arff.gz"], None, []),
    "otto": (["otto_train.csv.gz"], "target", ["id"]),
}


def load(name, directory):
    files, target, ignore = SETS[name]
    separator = {"sep": ";"} if name == "bank" else {}
    frame = pd.concat([frame_of(directory / file, **separator) for file in files], ignore_index=True)
    target = frame.columns[-1] if target is None else target
    y = frame[target].astype(str).str.rstrip(".").to_numpy()
    X = frame.drop(columns=[target, *[column for column in ignore if column in frame]])
    for column in X.columns[X.dtypes == object]:
        X[column] = X[column].fillna("missing")
    X = X.astype({column: float for column in X.columns[X.dtypes == bool]})
    common = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy() >= 10  # nursery: a class of two rows
    return X[common].reset_index(drop=True), y[common]


def seconds_of(action):
    start = time.process_time()
    result = action()
    return result, time.process_time() - start


def measured(X, y, seed):
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed, stratify=y)
    ours = strata.StrataClassifier(random_state=seed)
    _, our_seconds = seconds_of(lambda: ours.fit(X.iloc[train], y[train]))
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude=np.number)),
        (StandardScaler(), make_column_selector(dtype_include=np.number)))
    numbers = encoder.fit_transform(X.iloc[train])
    theirs = MLPClassifier(HIDDEN, early_stopping=True, validation_fraction=0.15, n_iter_no_change=20, max_iter=1000,
                           random_state=seed)
    _, their_seconds = seconds_of(lambda: theirs.fit(numbers, y[train]))
    return {"strata": {"log_loss": log_loss(y[test], ours.predict_proba(X.iloc[test]), labels=ours.classes_),
                       "accuracy": float(np.mean(ours.predict(X.iloc[test]) == y[test])), "seconds": our_seconds},
            "sklearn": {"log_loss": log_loss(y[test], theirs.predict_proba(encoder.transform(X.iloc[test])),
                                             labels=theirs.classes_),
                        "accuracy": float(np.mean(theirs.predict(encoder.transform(X.iloc[test])) == y[test])),
                        "seconds": their_seconds}}


def main():
    directory = pathlib.Path(sys.argv[1])
    names = sys.argv[2:] or list(SETS)
    warnings.filterwarnings("ignore")
    results = {}
    print(f"{'set':<10} {'rows':>6} | {'log-loss':>9} {'accuracy':>9} {'seconds':>8} | MLPClassifier: the same")
    for name in names:
        X, y = load(name, directory)
        runs = [measured(X, y, seed) for seed in SEEDS]
        results[name] = {"rows": len(y), "runs": runs}
        cells = [" ".join(f"{np.mean([run[who][figure] for run in runs]):>{width}.4g}"
                          for figure, width in (("log_loss", 9), ("accuracy", 9), ("seconds", 8)))
                 for who in ("strata", "sklearn")]
        print(f"{name:<10} {len(y):>6} | {cells[0]} | {cells[1]}", flush=True)
    if names == list(SETS):
        record = {"machine": platform.processor() or platform.machine(), "scikit-learn": sklearn.__version__,
                  "seeds": SEEDS, "results": results}
        (ROOT / "bench/results/compare_classifiers.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
