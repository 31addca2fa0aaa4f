#!/usr/bin/env python3
"""What losses other than the squared one are good for: counts, quantiles, outliers, each on a public table.

    .venv/bin/python bench/tables/losses.py [--seeds 1,2,3] [--again] [--table]

StrataRegressor with all defaults but the loss, two threads; a fifth of the rows tests. bike: `poisson` against `squared` by the mean
Poisson deviance, predictions below 1 counted as 1, the smallest count there is. house_8L: `huber` against `squared` by
MAE. california: `quantile` with three levels, by pinball loss and by the share of new rows at or below each level, beside the quantiles
of the training rows. Every cell becomes a line of bench/results/losses.jsonl; those that are there are not run again, unless
--again is given. --table only prints.
"""

import argparse
import statistics
import time

import peers  # sets the number of threads, before numpy

import numpy as np

import sets
from kept import Kept, commit

LEVELS = (0.05, 0.5, 0.95)


def strata(X, y, new, seed, **options):
    from strata import StrataRegressor
    model = StrataRegressor(random_state=seed, n_threads=peers.THREADS, **options).fit(X, y)
    return model.predict(new, quantiles=LEVELS) if options["loss"] == "quantile" else model.predict(new)


def constant_quantiles(X, y, new, seed):
    return np.tile(np.quantile(y, LEVELS), (len(new), 1))


def deviance(y, found):
    found = np.maximum(found, 1)
    return float(np.mean(2 * (np.where(y > 0, y * np.log(np.maximum(y, 1) / found), 0) - y + found)))


def errors(y, found):
    return {"rmse": float(np.sqrt(np.mean((y - found) ** 2))), "mae": float(np.mean(np.abs(y - found)))}


def of_counts(y, found):
    return {"deviance": deviance(y, found), **errors(y, found)}


def of_quantiles(y, found):
    left = y[:, None] - found
    levels = np.array(LEVELS)
    return {"pinball": np.mean(np.maximum(levels * left, (levels - 1) * left), axis=0).tolist(),
            "at_or_below": np.mean(left <= 0, axis=0).tolist(), "between": float(np.mean((left[:, 0] > 0) & (left[:, -1] <= 0))),
            "crossing": float(np.mean(np.any(np.diff(found) < 0, axis=1)))}


def with_loss(loss, **options):
    return lambda *rows: strata(*rows, loss=loss, **options)


CELLS = [  # table, who, what it predicts, how that is judged
    ("bike", "poisson", with_loss("poisson"), of_counts),
    ("bike", "squared", with_loss("squared"), of_counts),
    ("house_8L", "huber", with_loss("huber"), errors),
    ("house_8L", "squared", with_loss("squared"), errors),
    ("california", "quantile", with_loss("quantile", levels=LEVELS), of_quantiles),
    ("california", "constants", constant_quantiles, of_quantiles),
]


def measure(name, predict, judge, seed):
    task, X, y = sets.load(name)
    train, test = sets.split(name, task, X, y, seed)
    processor = time.process_time()
    found = predict(X.iloc[train], y[train], X.iloc[test], seed)
    return {**judge(y[test], found), "processor_seconds": time.process_time() - processor, "commit": commit()}


def mean(lines, key, k=None):
    return statistics.fmean(line[key] if k is None else line[key][k] for line in lines)


def print_table(cells):
    of = {(name, who): [line for line in cells.values() if (line["set"], line["who"]) == (name, who)] for name, who, *_ in CELLS}
    print("| table | loss | splits | mean Poisson deviance | RMSE | MAE |\n|---|---|---|---|---|---|")
    for (name, who), lines in of.items():
        if lines and name != "california":
            first = f"{mean(lines, 'deviance'):.2f}" if name == "bike" else ""
            print(f"| {name} | `{who}` | {len(lines)} | {first} | {mean(lines, 'rmse'):.5g} | {mean(lines, 'mae'):.5g} |")
    levels = " | ".join(f"pinball {level} | at or below" for level in LEVELS)
    print(f"\n| california | splits | {levels} | between {LEVELS[0]} and {LEVELS[-1]} | rows that cross |\n" + "|---" * 10 + "|")
    for (name, who), lines in of.items():
        if lines and name == "california":
            columns = [f"{mean(lines, 'pinball', k):.0f} | {mean(lines, 'at_or_below', k):.3f}" for k in range(len(LEVELS))]
            print(f"| {who} | {len(lines)} | {' | '.join(columns)} | {mean(lines, 'between'):.3f} | {mean(lines, 'crossing'):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--again", action="store_true", help="also cells that are there already")
    parser.add_argument("--table", action="store_true", help="only print the table")
    told = parser.parse_args()
    kept = Kept("losses.jsonl", ("set", "who", "seed"))
    for seed in [] if told.table else map(int, told.seeds.split(",")):
        for name, who, predict, judge in CELLS:
            if (name, who, seed) in kept.lines and not told.again:
                continue
            found = kept.add({"set": name, "who": who, "seed": seed, **measure(name, predict, judge, seed)})
            print(name, who, seed, f"{found['processor_seconds']:.1f} s", flush=True)
    print_table(kept.lines)


if __name__ == "__main__":
    main()
