#!/usr/bin/env python3
"""Rows to choose defaults by, without the rows that bench/tables/run.py tests on.

    .venv/bin/python bench/tables/development.py DIRECTORY [--sets a,b]

Of the rows that train in the first split, a fifth (6,000 at most) becomes NAME.test.csv and 14,000 of the others at most
NAME.train.csv, with the columns x0, x1, ... and the target y; labels begin with c, so that they are read as texts.
"""

import argparse
import pathlib

import numpy as np

import sets


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--sets", default=",".join(sets.SETS))
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    for name in given.sets.split(","):
        task, X, y = sets.load(name)
        rows, _ = sets.split(name, task, X, y, 1)
        X.columns = [f"x{k}" for k in range(X.shape[1])]
        frame = X.assign(y=y if task == "regression" else [f"c{label}" for label in y]).iloc[rows]
        order = np.random.default_rng(7).permutation(len(frame))
        fifth = len(frame) // 5
        for part, chosen in ("test", order[:fifth][:6000]), ("train", order[fifth:][:14000]):
            frame.iloc[chosen].to_csv(given.directory / f"{name}.{part}.csv", index=False)


if __name__ == "__main__":
    main()
