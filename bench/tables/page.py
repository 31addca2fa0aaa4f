"""docs/tables.md from the cells of the benchmark."""

import math
import os
import platform
import statistics

import peers
import sets

BEST = "strata best"


def _processor():
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        return names[0] if names else platform.machine()
    except OSError:
        return platform.machine()


def _means(cells, field):
    """set -> peer -> mean over the splits that all its peers have."""
    found = {}
    for cell in cells:
        found.setdefault(cell["set"], {}).setdefault(cell["peer"], {})[cell["seed"]] = cell[field]
    means = {}
    for name, by_peer in found.items():
        seeds = set.intersection(*(set(values) for values in by_peer.values()))
        if seeds:
            means[name] = {peer: statistics.fmean(values[seed] for seed in seeds) for peer, values in by_peer.items()}
    return means


def _geometric(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def _table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _errors(task, means, names, best_of):
    rows = []
    for name in names:
        values = means[name]
        best = min(values.values())
        rows.append([name] + [_number(values.get(peer), best) for peer in best_of])
    return _table([f"{task}: {'RMSE' if task == 'regression' else 'log-loss'}", *best_of], rows)


def _number(value, best):
    if value is None:
        return "-"
    text = f"{value:.4g}"
    return f"**{text}**" if value <= best * 1.001 else text


def _ratios(means, names, known):
    rows = []
    for own in [peer for peer in known if peer.startswith("strata")]:
        for other in [peer for peer in known if not peer.startswith("strata")]:
            ratios = [means[name][own] / means[name][other] for name in names
                      if own in means[name] and other in means[name] and means[name][other] > 0]
            noisy = [means[name][own] / means[name][other] for name in names
                     if own in means[name] and other in means[name] and name not in sets.WITHOUT_NOISE]
            if noisy:
                rows.append([own, other, f"{_geometric(ratios):.3f}", f"{_geometric(noisy):.3f}", f"{sum(r < 0.99 for r in ratios)} / {sum(r > 1.01 for r in ratios)}",
                             f"{max(ratios):.2f}", str(len(ratios))])
    return _table(["of", "to", "error ratio, geometric mean", f"without {' and '.join(set(names) & set(sets.WITHOUT_NOISE))}", "sets better / worse by 1 %", "worst ratio", "sets"], rows)


def _costs(cells, known):
    rows = []
    for peer in known:
        own = [cell for cell in cells if cell["peer"] == peer]
        if not own:
            continue
        per_thousand = [1000 * cell["train_seconds"] / cell["rows"] for cell in own]
        processor = [1000 * cell["train_processor_seconds"] / cell["rows"] for cell in own]
        predict = [1000 * cell["predict_seconds"] / cell["test_rows"] for cell in own]
        rows.append([peer, f"{_geometric(per_thousand):.3f}", f"{max(per_thousand):.2f}", f"{_geometric(processor):.3f}",
                     f"{_geometric(predict):.4f}", f"{max(cell['memory_mb'] for cell in own):.0f}"])
    return _table(["", "training, s per 1,000 rows", "slowest", "processor seconds of both threads", "prediction, s per 1,000 rows",
                   "most memory, MB"], rows)


def _slow(cells):
    """Errors and seconds of those that ran on a few tables, beside others on the same split."""
    names = [name for name in peers.SLOW_SETS if any(cell["set"] == name and cell["peer"] in peers.SLOW for cell in cells)]
    if not names:
        return []
    found = {(cell["peer"], cell["set"]): cell for cell in cells if cell["seed"] in peers.SLOW_SEEDS}
    rows = []
    for peer in (*peers.PEERS, *peers.SLOW):
        own = [found.get((peer, name)) for name in names]
        if any(own):
            rows.append([peer] + [f"{cell['error']:.4g}" if cell else "-" for cell in own]
                        + [f"{cell['train_processor_seconds']:.0f}" if cell else "-" for cell in own])
    return ["Networks that take long, on three tables and one split, with pytabkit's defaults: error, and processor seconds of training.",
            "", *_table(["", *names, *(f"{name}, s" for name in names)], rows), ""]


def _best_effort(cells):
    """`best` beside the default, on the first split, which is all that it ran on."""
    errors = _means([cell for cell in cells if cell["seed"] == 1 and cell["peer"] in ("strata", BEST)], "error")
    names = [name for name in sets.SETS if BEST in errors.get(name, {})]
    if not names:
        return []
    ratio = _geometric(errors[name][BEST] / errors[name]["strata"] for name in names)
    return [f"The effort `best`, on the first split alone: {ratio:.3f} of the error of the default (geometric mean of {len(names)} sets).", "",
            *_table(["", "strata", BEST], [[name, *(_number(errors[name][peer], 0) for peer in ("strata", BEST))] for name in names]), ""]


def write(all_cells, path):
    done = [cell for cell in all_cells if "failure" not in cell]
    cells = [cell for cell in done if cell["peer"] in peers.PEERS and (cell["peer"] != BEST or cell["set"] in sets.PUBLISHED)]
    known = [peer for peer in peers.PEERS if any(cell["peer"] == peer for cell in cells)]
    errors = _means(cells, "error") if cells else {}
    seeds = ", ".join(map(str, sorted({cell["seed"] for cell in cells})))
    lines = ["# Strata and others on public tables", "",
             "Written by `make bench-tables` from bench/results/tables.jsonl, never by hand. Every library has its defaults; who "
             "can stop early does so on 15 % of the training rows (trees: at most 1000, patience 50; MLP: at most 1000 epochs). "
             f"A fifth of the rows tests; figures are means over the splits of seed {seeds}; {peers.THREADS} threads; preparing "
             "the columns for a library counts as its training. Nothing was chosen on test rows. Bold: the lowest error, or "
             "within 0.1 % of it.", ""]
    for task in ("regression", "classification"):
        names = [name for name in sets.SETS if sets.SETS[name][0] == task and name in errors]
        if names:
            every_split = [peer for peer in known if peer != BEST]
            lines += _errors(task, errors, names, every_split) + [""] + _ratios(errors, names, every_split) + [""]
    published = [name for name in sets.PUBLISHED if name in errors]
    if published:
        lines += ["Published splits, test RMSE (training and validation rows train):", ""]
        lines += _errors("regression", errors, published, known) + [""]
    lines += _best_effort(done) + _slow(done)
    lines += ["Costs, geometric means over the sets, of the first split:", ""]
    lines += _costs([cell for cell in cells if cell["seed"] == 1 and cell["peer"] != BEST], known) + [""]
    failures = [f"{cell['set']}, {cell['peer']}, seed {cell['seed']}: {cell['failure']}" for cell in all_cells if "failure" in cell]
    if failures:
        lines += ["Failures:", ""] + [f"- {text}" for text in failures] + [""]
    versions = sorted({cell["version"] for cell in done})
    lines += [f"Versions: {', '.join(versions)}; Python {platform.python_version()}. Machine: {_processor()}, "
              f"{os.cpu_count()} threads.", ""]
    path.write_text("\n".join(lines))
