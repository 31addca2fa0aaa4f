#!/usr/bin/env python3
"""StrataClassifier() against scikit-learn's MLPClassifier on public tables: log-loss and accuracy on new rows, and time.

    .venv/bin/python bench/tables/classifiers.py [--sets a,b] [--who default,quick,MLP] [--seeds 1,2,3] [--again] [--table]

MLPClassifier has the same hidden layers and stops early on 15 % of the training rows; it may make 1000 epochs, all else is a
default. Strata gets the frame as it is, on two threads; MLPClassifier gets it imputed, one-hot and standardised, which is not charged,
and one thread, with which it was faster on magic than with two. A fifth of the rows tests, drawn class by class. Processor seconds add up those of all
threads and do not count other programs; wall-clock seconds do. Every cell becomes a line of
bench/results/classifiers.jsonl; those that are there are not run again, unless --again is given. --table only prints.
"""

import argparse
import pathlib
import statistics
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import blas  # noqa: E402

blas.use_threads(1)  # of MLPClassifier; Strata has threads of its own

import numpy as np  # noqa: E402  after the number of threads is set

import cell  # noqa: E402
import sets  # noqa: E402
from kept import Kept, commit  # noqa: E402

SETS = [name for name, (task, *_) in sets.SETS.items() if task == "classification"]
WHO = ["default", "quick", "MLP"]
HIDDEN = (50, 50, 50)


def estimator(who, seed, train):
    """An estimator, and a function that prepares rows for it."""
    if who != "MLP":
        import strata
        return strata.StrataClassifier(effort=who, random_state=seed, n_threads=2), lambda X: X
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    numbers = list(train.select_dtypes("number"))
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [name for name in train if name not in numbers])).fit(train)
    return MLPClassifier(HIDDEN, early_stopping=True, validation_fraction=0.15, max_iter=1000, random_state=seed), columns.transform


def measure(name, who, seed):
    task, X, y = sets.load(name)
    X.columns = [f"x{k}" for k in range(X.shape[1])]
    train, test = sets.split(name, task, X, y, seed)
    model, prepared = estimator(who, seed, X.iloc[train])
    rows, new_rows = prepared(X.iloc[train]), prepared(X.iloc[test])
    processor, wall = time.process_time(), time.perf_counter()
    model.fit(rows, y[train])
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    found = model.predict_proba(new_rows)
    classes = np.asarray(model.classes_)
    return {"set": name, "who": who, "seed": seed, "rows": len(train), "log_loss": cell.error(task, y[test], found, classes),
            "accuracy": float(np.mean(classes[found.argmax(axis=1)] == y[test])), "processor_seconds": processor,
            "wall_seconds": wall, "commit": commit()}


def print_table(cells):
    shown = [who for who in WHO if any(key[1] == who for key in cells)]
    print("| table | " + " | ".join(f"{who}: log-loss | s | processor s" for who in shown) + " |")
    print("|" + "---|" * (1 + 3 * len(shown)))
    means = {}
    for name in SETS:
        columns = []
        for who in shown:
            found = [value for (a_set, a_who, _), value in cells.items() if (a_set, a_who) == (name, who)]
            if not found:
                columns += ["", "", ""]
                continue
            mean = {key: statistics.fmean(one[key] for one in found) for key in ("log_loss", "wall_seconds", "processor_seconds")}
            means[name, who] = mean
            columns += [f"{mean['log_loss']:.4f}", f"{mean['wall_seconds']:.1f}", f"{mean['processor_seconds']:.1f}"]
        print(f"| {name} | {' | '.join(columns)} |")
    for who in shown[:-1]:
        both = [name for name in SETS if (name, who) in means and (name, "MLP") in means]
        if both:
            count = {key: sum(means[name, who][key] <= means[name, "MLP"][key] for name in both) for key in means[both[0], who]}
            print(f"\n{who}: a log-loss of at most MLPClassifier's on {count['log_loss']} of {len(both)} tables, less time by the clock on "
                  f"{count['wall_seconds']}, less processor time on {count['processor_seconds']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--who", default=",".join(WHO))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--again", action="store_true", help="also cells that are there already")
    parser.add_argument("--table", action="store_true", help="only print the table")
    told = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = Kept("classifiers.jsonl", ("set", "who", "seed"))
    for seed in [] if told.table else map(int, told.seeds.split(",")):
        for name in told.sets.split(","):
            for who in told.who.split(","):
                if (name, who, seed) in kept.lines and not told.again:
                    continue
                found = kept.add(measure(name, who, seed))
                print(name, who, seed, f"{found['log_loss']:.4f} in {found['processor_seconds']:.1f} s", flush=True)
    print_table(kept.lines)


if __name__ == "__main__":
    main()
