#!/usr/bin/env python3
"""The time in which `blgn` reaches the objective that optimizers of PyTorch have after 10 s, by the paper's protocol.

    scripts/setup bench
    STRATA_DATA=DIR .venv/bin/python bench/training/compare_optimizers.py [build/bench] [--data bike,mv] [--only adam]
    .venv/bin/python bench/training/compare_optimizers.py --table      only print the table

DIR has the files of the paper's data. One start each, one thread, processor seconds; measuring the objective is charged to no one.
Rows, network, regulariser and the distribution of the initial weights are Strata's; the draw is another. PyTorch runs eagerly, and
every rate is on a cosine over the 10 s: Adam (fused), Muon on the matrices between hidden layers with Adam on the others, SOAP
(Adam in the eigenbasis of Shampoo's factors, written here) in single precision; L-BFGS and Levenberg-Marquardt (J'J and Cholesky,
written here) on all rows, in double. Adam has the best of the batches and learning rates that Strata's own Adam has in
experiments/time_to_target.py, chosen in the same way; SOAP and Muon the best of three rates. Every run, those that lost such a choice
too, becomes a line of bench/results/compare_optimizers.jsonl and is not repeated.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import blas  # noqa: E402

blas.use_threads(1)

import argparse  # noqa: E402
import math  # noqa: E402
import time  # noqa: E402

import torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "tables"), str(ROOT / "experiments")]
import optimizer_table  # noqa: E402
import records  # noqa: E402
from kept import Kept  # noqa: E402
from time_to_target import BATCHES, DATA, LIMIT, RATES  # noqa: E402

SECONDS = 10
LOOKS = 20  # at the objective, in a run

# An optimizer's networks, its batches and its learning rates; the middle ones are tried first.
PEERS = {"adam": (["5x50", "3x20", "1x50", "10x50", "200-50-200"], BATCHES, RATES),
         "lbfgs": (["5x50", "3x20", "1x50", "10x50", "200-50-200"], [], []),
         "soap": (["5x50", "3x20"], ["128"], RATES),
         "muon": (["5x50", "3x20"], ["128"], ["5e-3", "1e-2", "2e-2"]),
         "lm": (["1x50", "3x20"], [], [])}


def initial_weights(inputs, hidden):
    """Glorot's, with zero for the constant column, which is the last input."""
    torch.manual_seed(1)
    sizes = [inputs, *hidden, 1]
    weights = []
    for rows, columns in zip(sizes, sizes[1:]):
        bound = math.sqrt(6 / (rows + columns))
        weights.append(torch.empty(rows, columns, dtype=torch.float64).uniform_(-bound, bound))
    weights[0][-1] = 0
    return weights


def loss(x, y, weights, l2):
    for w in weights[:-1]:
        x = torch.sigmoid(x @ w)
    return torch.nn.functional.mse_loss((x @ weights[-1]).squeeze(1), y) + l2 * sum((w * w).sum() for w in weights)


class Soap:
    """Adam in the eigenbasis of E[GG'] and E[G'G], which one step of the power method follows every ten steps."""

    def __init__(self, weights, lr, beta=0.95, every=10):
        self.weights, self.rate, self.beta, self.every, self.steps = weights, lr, beta, every, 0
        self.state = []

    @torch.no_grad()
    def step(self):
        self.steps += 1
        if not self.state:
            for w in self.weights:
                sides = [w.grad @ w.grad.T, w.grad.T @ w.grad]
                self.state.append([sides, [torch.linalg.eigh(s)[1] for s in sides], torch.zeros_like(w), torch.zeros_like(w)])
        correction = math.sqrt(1 - self.beta**self.steps) / (1 - self.beta**self.steps)
        for w, (sides, bases, mean, square) in zip(self.weights, self.state):
            g = w.grad
            sides[0].lerp_(g @ g.T, 1 - self.beta)
            sides[1].lerp_(g.T @ g, 1 - self.beta)
            mean.lerp_(g, 1 - self.beta)
            left, right = bases
            square.lerp_((left.T @ g @ right) ** 2, 1 - self.beta)
            turned = (left.T @ mean @ right) / (square.sqrt() + 1e-8)
            w -= self.rate * correction * (left @ turned @ right.T)
            if self.steps % self.every == 0:
                bases[:] = [torch.linalg.qr(s @ q)[0] for s, q in zip(sides, bases)]


def set_rate(optimizer, rate):
    if isinstance(optimizer, Soap):
        optimizer.rate = rate
    else:
        for group in optimizer.param_groups:
            group["lr"] = rate


class Watch:
    """Charged seconds and the lowest objective at each look, which is not charged."""

    def __init__(self, objective):
        self.objective, self.charged, self.best, self.at, self.looks = objective, 0.0, math.inf, 0.0, 0
        self.start = time.thread_time()

    def goes_on(self, look=False):
        now = time.thread_time()
        seconds = self.charged + now - self.start
        if look or seconds >= self.looks * SECONDS / LOOKS or seconds >= SECONDS:
            value = float(self.objective())
            if value < self.best:
                self.best, self.at = value, seconds
            self.looks = math.floor(seconds / SECONDS * LOOKS) + 1
            self.charged, self.start = seconds, time.thread_time()
        return seconds < SECONDS

    def progress(self):
        return min(1.0, (self.charged + time.thread_time() - self.start) / SECONDS)


def minibatches(method, x, y, weights, l2, watch, rate, batch):
    for w in weights:
        w.requires_grad_()
    adam = {"lr": rate, "fused": True}
    if method == "soap":
        optimizers = [(Soap(weights, rate), rate)]
    elif method == "muon":
        optimizers = [(torch.optim.Muon(weights[1:-1], lr=rate, weight_decay=0), rate),
                      (torch.optim.Adam([weights[0], weights[-1]], **{**adam, "lr": 1e-2}), 1e-2)]
    else:
        optimizers = [(torch.optim.Adam(weights, **adam), rate)]
    while True:
        order = torch.randperm(len(x))
        for rows, targets in zip(x[order].split(batch), y[order].split(batch)):
            if not watch.goes_on():
                return
            factor = (1 + math.cos(math.pi * watch.progress())) / 2
            for w in weights:
                w.grad = None
            loss(rows, targets, weights, l2).backward()
            for optimizer, first in optimizers:
                set_rate(optimizer, first * factor)
                optimizer.step()


def lbfgs(x, y, weights, l2, watch):
    for w in weights:
        w.requires_grad_()
    optimizer = torch.optim.LBFGS(weights, max_iter=5, history_size=20, line_search_fn="strong_wolfe", tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        value = loss(x, y, weights, l2)
        value.backward()
        return value
    while watch.goes_on():
        before = [w.detach().clone() for w in weights]
        optimizer.step(closure)
        if all(torch.equal(a, b) for a, b in zip(before, weights)):
            break
    watch.goes_on(look=True)


def normal_equations(x, y, weights):
    """J'J and J'e, sums over rows; J has a row for each row, by back-propagation of the one output."""
    size = sum(w.numel() for w in weights)
    gram, slope = torch.zeros(size, size, dtype=x.dtype), torch.zeros(size, dtype=x.dtype)
    for rows, targets in zip(x.split(2048), y.split(2048)):
        layers = [rows]
        for w in weights[:-1]:
            layers.append(torch.sigmoid(layers[-1] @ w))
        error = (layers[-1] @ weights[-1]).squeeze(1) - targets
        sensitivity, parts = torch.ones(len(rows), 1, dtype=x.dtype), []
        for z, w in zip(reversed(layers), reversed(weights)):
            parts.append((z[:, :, None] * sensitivity[:, None, :]).flatten(1))
            sensitivity = (sensitivity @ w.T) * z * (1 - z)
        jacobian = torch.cat(parts[::-1], 1)
        gram.addmm_(jacobian.T, jacobian)
        slope.addmv_(jacobian.T, error)
    return gram, slope


@torch.no_grad()
def levenberg_marquardt(x, y, weights, l2, watch):
    damping, value = 1e-2, float(loss(x, y, weights, l2))
    while watch.goes_on():
        flat = torch.cat([w.flatten() for w in weights])
        gram, slope = (2 / len(x) * s for s in normal_equations(x, y, weights))
        slope += 2 * l2 * flat
        gram.diagonal().add_(2 * l2)
        while watch.goes_on():
            damped = gram + damping * torch.eye(len(flat), dtype=x.dtype)
            step = torch.cholesky_solve(-slope[:, None], torch.linalg.cholesky(damped)).squeeze(1)
            trial = [(part + w.flatten()).view_as(w) for part, w in zip(step.split([w.numel() for w in weights]), weights)]
            reached = float(loss(x, y, trial, l2))
            damping = damping / 5 if reached < value else damping * 3
            if reached < value:
                value = reached
                for w, t in zip(weights, trial):
                    w.copy_(t)
                break
    watch.goes_on(look=True)


def run_peer(data, network, method, options, program):
    rows, targets = (torch.from_numpy(a) for a in records.training_rows(data, program))
    rows = torch.cat([rows, torch.ones(len(rows), 1, dtype=rows.dtype)], 1)
    weights = initial_weights(rows.shape[1], list(map(int, records.HIDDEN[network].split(","))))
    l2 = 1e-3 / (sum(w.numel() for w in weights) * len(rows))
    precision = torch.float64 if method in ("lbfgs", "lm") else torch.float32
    x, y, weights = rows.to(precision), targets.to(precision), [w.to(precision) for w in weights]

    @torch.no_grad()
    def objective():
        return loss(rows, targets, [w.double() for w in weights], l2)
    watch = Watch(objective)
    if method == "lm":
        levenberg_marquardt(x, y, weights, l2, watch)
    elif method == "lbfgs":
        lbfgs(x, y, weights, l2, watch)
    else:
        rate, batch = options
        minibatches(method, x, y, weights, l2, watch, float(rate), int(batch))
    return {"objective": watch.best, "seconds": round(watch.at, 3)}


def name_of(method, options):
    return " ".join([method, *options])


def run_peers(kept, told):
    """Every optimizer on its networks: the batches at the middle rate, then the rates with the best batch."""
    def tried(data, network, method, *options):
        key = (data, network, name_of(method, options))
        if key not in kept.lines:
            found = run_peer(data, network, method, options, told.program)
            kept.add({**dict(zip(kept.keys, key)), **found})
            print(*key, f"{found['objective']:.3g} after {found['seconds']:.1f} s", flush=True)
        return kept.lines[key]["objective"]
    for method, (networks, batches, rates) in PEERS.items():
        for network in networks if not told.only or method in told.only else []:
            for data in told.data:
                if not rates:
                    tried(data, network, method)
                    continue
                batch = min(batches, key=lambda b: tried(data, network, method, rates[1], b))
                for rate in rates:
                    tried(data, network, method, rate, batch)


def run_blgn(kept, told):
    """Until the lowest of the optimizers' objectives; when it had those of the others."""
    for data, network in optimizer_table.cells(kept.lines):
        peers = optimizer_table.chosen(kept.lines, data, network).values()
        before = kept.lines.get((data, network, "blgn"), {"seconds": {}})["seconds"]
        if data not in told.data or all(peer["method"] in before for peer in peers):
            continue
        _, history = records.train(data, network, "blgn", 1, "--all-rows-precision", "float32", "--time-limit", str(LIMIT),
                                   "--objective-at-most", repr(min(peer["objective"] for peer in peers)), program=told.program)
        curve, _ = records.improvements(history)
        times = {peer["method"]: next((t for t, v in curve if v <= peer["objective"]), None) for peer in peers}
        kept.add({"data": data, "network": network, "method": "blgn", "objective": curve[-1][1], "seconds": times})
        print(data, network, "blgn", times, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=ROOT / "build/bench", type=pathlib.Path)
    parser.add_argument("--data", type=lambda text: text.split(","), default=DATA)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], help="adam, lm, soap, muon, lbfgs, blgn")
    parser.add_argument("--table", action="store_true", help="only print the table")
    told = parser.parse_args()
    told.program = str(told.build.resolve() / "apps/strata/strata")
    torch.set_num_threads(1)
    kept = Kept("compare_optimizers.jsonl", optimizer_table.KEYS)
    if not told.table:
        run_peers(kept, told)
        if not told.only or "blgn" in told.only:
            run_blgn(kept, told)
    print("\n".join(optimizer_table.lines(kept.lines)))


if __name__ == "__main__":
    main()
