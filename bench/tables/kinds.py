#!/usr/bin/env python3
"""Which members make the best mean: kinds of networks are trained once, rules for putting them together are judged afterwards.

    .venv/bin/python bench/tables/development.py DIRECTORY
    .venv/bin/python bench/tables/kinds.py DIRECTORY [--sets a,b] [--kinds "tanh;16 knots"] [--folds 0,1,2,3]

Every network is one of effort "quick" but for its kind; it trains on six sevenths of the first rows of NAME.train.csv and stops by
the fold that is left. What it predicts of that fold and of NAME.test.csv is kept in DIRECTORY/kinds; networks that are there already
are not trained again. The tables show the error on NAME.test.csv over that of the first line, means over all choices of folds.
"""

import argparse
import itertools
import os
import pathlib
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402  after the number of threads is set
import pandas as pd  # noqa: E402

SETS = ("california", "house_16h", "house_8L", "cpu_act", "ccpp", "ailerons", "bike", "kin8nm", "puma32H", "adult", "bank", "magic",
        "shoppers", "spambase")
MOST_ROWS = {"california": 14000, "house_16h": 10000, "house_8L": 10000}  # others: 8,000
PARTS = 7
GAIN_OF_LEAVING_ONE_OUT = 0.005  # src/model/bends.cpp

# name: number that seeds are made of, options
KINDS = {
    "s 0.1": (65, {"bends": 0.1}), "s 1": (66, {"bends": 1.0}), "s 0.02": (67, {"bends": 0.02}), "s 0.3": (73, {"bends": 0.3}),
    "tanh": (70, {"activation": "tanh"}), "16 knots": (178, {"knots": 16}), "no knots": (72, {"knots": 0}),
    "2x100": (71, {"hidden": (100, 100)}), "silu": (83, {"activation": "silu"}),
    "s 1, l2 1e-4": (69, {"bends": 1.0, "l2": 1e-4}), "s 1, l2 3e-4, 2x100": (68, {"bends": 1.0, "l2": 3e-4, "hidden": (100, 100)}),
    "s 1, tanh": (136, {"bends": 1.0, "activation": "tanh"}), "grows below 0.25": (217, {"grow_below": 0.25}),
    "burn-in": (401, {"bends": 0.1, "burn_in": 3}),
    "ranks": (301, {"bends": 0.1, "lines": "ranks"}), "s 1, ranks": (302, {"bends": 1.0, "lines": "ranks"}),
    "sums": (303, {"bends": 0.1, "interactions": 3}), "ranks, sums": (304, {"bends": 0.1, "lines": "ranks", "interactions": 3}),
}
BENDS = ("s 0.1", "s 1", "s 0.02")


class Rows:
    """The development rows of one set, in folds; classes are spread evenly."""

    def __init__(self, directory, name):
        self.train = pd.read_csv(directory / f"{name}.train.csv").iloc[:MOST_ROWS.get(name, 8000)]
        self.test = pd.read_csv(directory / f"{name}.test.csv")
        self.classes = not pd.api.types.is_numeric_dtype(self.train["y"])
        order = np.random.default_rng(3).permutation(len(self.train))
        if self.classes:
            order = order[np.argsort(self.train["y"].to_numpy()[order], kind="stable")]
        self.fold = np.empty(len(self.train), int)
        self.fold[order] = np.arange(len(self.train)) % PARTS

    def fit(self, kind, fold):
        import strata
        number, options = KINDS[kind]
        estimator, given = (strata.StrataClassifier, {"calibrate": False}) if self.classes else (strata.StrataRegressor, {})
        held = self.fold == fold
        X, y = self.train.drop(columns="y"), self.train["y"]
        options = dict(options)
        burn_in = options.pop("burn_in", 0)
        model = estimator(effort="quick", random_state=1000 * fold + number, n_threads=1, **given, **options)
        begun = time.process_time()
        if burn_in:  # all members begin with the weights of these epochs, on rows that none of them holds out
            common = self.fold >= 4
            model.set_params(warm_start=True, max_epochs=burn_in, random_state=number).fit(X[common], y[common])
            model.set_params(max_epochs=None, random_state=1000 * fold + number)
        model.fit(X[~held], y[~held], eval_set=(X[held], y[held]))
        spent = time.process_time() - begun
        parts = {"v": (X[held], y[held]), "t": (self.test.drop(columns="y"), self.test["y"])}
        found = {"cpu": spent, "n": model.n_iter_}
        for part, (rows, truth) in parts.items():  # of two classes, the probability of the second
            found["p" + part] = model.predict_proba(rows)[:, 1] if self.classes else model.predict(rows).ravel()
            found["y" + part] = (truth == model.classes_[1]).to_numpy(float) if self.classes else truth.to_numpy()
        return {**found, "classes": self.classes}


class Networks:
    """Those that were trained, of one set."""

    def __init__(self, directory, name):
        self.directory, self.name, self.known = directory / "kinds", name, {}

    def path(self, kind, fold):
        return self.directory / f"{self.name} {kind} {fold}.npz"

    def of(self, kind, fold):
        if (kind, fold) not in self.known:
            self.known[kind, fold] = dict(np.load(self.path(kind, fold)))
        return self.known[kind, fold]

    def loss(self, members, part, weights=None):
        each = [self.of(*member) for member in members]
        p, y = np.average([one["p" + part] for one in each], axis=0, weights=weights), each[0]["y" + part]
        if each[0]["classes"]:
            return -np.mean(np.log(np.clip(np.where(y == 1, p, 1 - p), 1e-15, 1)))
        return np.mean((p - y) ** 2)

    def error(self, members, weights=None):
        loss = self.loss(members, "t", weights)
        return loss if self.of(*members[0])["classes"] else np.sqrt(loss)

    def held_out_loss(self, kinds, folds, weights=None):
        losses = [self.loss([(kind, fold) for kind in kinds], "v", weights) for fold in folds]
        return np.average(losses, weights=[len(self.of(kinds[0], fold)["yv"]) for fold in folds])

    def chosen(self, kinds, folds):
        """The set of kinds that is kept, by the rows of these folds, as the library does it."""
        return min((some for r in range(len(kinds), 0, -1) for some in itertools.combinations(kinds, r)),
                   key=lambda some: self.held_out_loss(some, folds) * (1 + GAIN_OF_LEAVING_ONE_OUT * (len(kinds) - len(some))))

    def weights(self, kinds, folds):
        """A weight for each kind, in tenths, that the rows of these folds like best."""
        tenths = (some for some in itertools.product(range(11), repeat=len(kinds)) if sum(some) == 10)
        return min(tenths, key=lambda weights: self.held_out_loss(kinds, folds, weights))


def mean(values):
    return float(np.exp(np.mean(np.log(list(values)))))


def alone(kind, count):
    return lambda networks, folds: mean(networks.error([(kind, fold) for fold in some]) for some in itertools.combinations(folds, count))


def together(kinds, count, judged=True):
    """Every kind in so many folds; those that are kept."""
    def error(networks, folds):
        return mean(networks.error([(kind, fold) for fold in some for kind in (networks.chosen(kinds, some) if judged else kinds)])
                    for some in itertools.combinations(folds, count))
    return error


def weighted(kinds, count):
    """Every kind in so many folds, with weights in place of a choice."""
    def error(networks, folds):
        return mean(networks.error([(kind, fold) for fold in some for kind in kinds], networks.weights(kinds, some) * count)
                    for some in itertools.combinations(folds, count))
    return error


def in_two_rounds(kinds, members):
    """All kinds in one fold; then those that are kept, in turn, each in another fold."""
    def error(networks, folds):
        found = []
        for i in range(len(folds)):
            kept = networks.chosen(kinds, [folds[i]])
            more = [(kept[j % len(kept)], folds[(i + 1 + j % (len(folds) - 1)) % len(folds)]) for j in range(members - len(kinds))]
            found.append(networks.error([(kind, folds[i]) for kind in kept] + more))
        return mean(found)
    return error


def rules(kinds, folds):
    found = {"three bends, two folds (6)": together(BENDS, 2), "all of them kept (6)": together(BENDS, 2, judged=False),
             "with weights (6)": weighted(BENDS, 2)}
    for kind in kinds:
        found |= {f"{kind}, one": alone(kind, 1), f"{kind}, two folds": alone(kind, 2)}
    for kind in (kind for kind in kinds if kind not in BENDS):
        found[f"three bends and {kind}, two folds (8)"] = together((*BENDS, kind), 2)
        for other in BENDS:
            found[f"{kind} in place of {other} (6)"] = together([kind if bend == other else bend for bend in BENDS], 2)
    if len(folds) > 3:
        found |= {f"three bends, {count} folds ({3 * count})": together(BENDS, count) for count in (3, 4)}
        found["three bends in two rounds (6)"] = in_two_rounds(BENDS, 6)
        for kind in (kind for kind in kinds if kind not in BENDS):
            found[f"three bends and {kind} in two rounds (6)"] = in_two_rounds((*BENDS, kind), 6)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--kinds", default="s 0.1;s 1;s 0.02;tanh;16 knots", help="with ; between them")
    parser.add_argument("--folds", default="0,1,2,3")
    given = parser.parse_args()
    kinds, folds = given.kinds.split(";"), [int(fold) for fold in given.folds.split(",")]
    (given.directory / "kinds").mkdir(exist_ok=True)
    errors, spent = {}, {}
    for name in given.sets.split(","):
        networks, rows = Networks(given.directory, name), None
        for kind, fold in itertools.product(dict.fromkeys([*BENDS, *kinds]), folds):
            if not networks.path(kind, fold).exists():
                rows = rows or Rows(given.directory, name)
                np.savez_compressed(networks.path(kind, fold), **rows.fit(kind, fold))
            spent.setdefault(kind, []).append(int(networks.of(kind, fold)["n"]))
        for rule, error in rules(kinds, folds).items():
            errors.setdefault(rule, []).append(error(networks, folds))
    first = np.array(next(iter(errors.values())))
    print("| members | " + " | ".join(given.sets.split(",")) + " | geometric mean |\n|" + "---|" * (len(first) + 2))
    for rule, found in errors.items():
        ratios = np.array(found) / first
        print(f"| {rule} | " + " | ".join(f"{ratio:.3f}" for ratio in ratios) + f" | {mean(ratios):.4f} |")
    print("\nsweeps of a network: " + ", ".join(f"{kind} {np.mean(sweeps):.1f}" for kind, sweeps in spent.items()))


if __name__ == "__main__":
    main()
