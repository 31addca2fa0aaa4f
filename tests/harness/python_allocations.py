#!/usr/bin/env python3
"""One allocation fails at every point of what the Python package does: an exception or no effect, never the end of the
interpreter.

python_allocations.py [--quick] [POINTS]: so many points for each task, evenly spread (all; --quick: 30).
STRATA_FAIL_MALLOC is the library fail_malloc; run by a Python that has the package."""

import ctypes
import os
import subprocess
import sys
import tempfile
import warnings


def tasks():
    """Name by name; works in the present directory. What the binding library takes to convert arguments is spared
    (docs/reliability.md)."""
    import numpy as np

    import strata
    table = strata.housing(rows=30, seed=1)
    X = np.random.default_rng(0).random((40, 3))
    y = X[:, 0] + X[:, 1]
    labels = np.where(y > 1, "high", "low")
    file, rows = "model", "rows.csv"
    regressor = strata.StrataRegressor(hidden=(3,), max_epochs=1, random_state=0, n_threads=1).fit(X, y)
    regressor.save(file)
    with open(rows, "w") as out:
        out.write("a,b,y\n" + "\n".join(f"{i},{'uv'[i % 2]},{i * i}" for i in range(20)) + "\n")

    def fit(estimator, target):
        return estimator(hidden=(3,), max_epochs=1, random_state=0, n_threads=1).fit(X, target)
    return {
        "fit a regressor": lambda: fit(strata.StrataRegressor, y),
        "fit a classifier": lambda: fit(strata.StrataClassifier, labels),
        "predict": lambda: regressor.predict(X),
        "save": lambda: regressor.save(file),
        "load": lambda: strata.load_model(file),
        "read a table": lambda: strata.read_table(rows),
        "read columns": lambda: [table.column(name) for name in table.names],
    }, lambda: strata.load_model(file)


def attack(first, points):
    """Tells each task, point and outcome; begins at the task and point `first`."""
    library = ctypes.CDLL(os.environ["STRATA_FAIL_MALLOC"])
    library.strata_fail_after.argtypes = [ctypes.c_long]
    library.strata_fail_count.restype = ctypes.c_long
    warnings.simplefilter("ignore")  # so few epochs do not converge
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        todo, check = tasks()
        for number, (name, task) in enumerate(todo.items()):
            if number < first[0]:
                continue
            task()
            library.strata_fail_after(-1)
            task()
            calls = library.strata_fail_count()
            start = first[1] if number == first[0] else 0
            for point in range(start, calls, max(1, calls // points)):
                print("try", number, point, calls, name, flush=True)
                outcome = "no effect"
                library.strata_fail_after(point)
                try:
                    task()
                except Exception as problem:  # what is promised is that it can be caught
                    library.strata_fail_count()
                    outcome = type(problem).__name__
                library.strata_fail_count()
                check()  # the previous model, or the new one
                print("seen", outcome, flush=True)


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    points = numbers[0] if numbers else (30 if "--quick" in sys.argv else 10**9)
    outcomes, faults, first = {}, 0, (0, 0)
    while first is not None:
        child = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), "--from", *map(str, first), str(points)], text=True,
                               capture_output=True, check=False, env={**os.environ, "LD_PRELOAD": os.environ["STRATA_FAIL_MALLOC"]})
        last = None
        for words in map(str.split, child.stdout.splitlines()):
            if words[0] == "seen":
                outcomes[" ".join(words[1:])] = outcomes.get(" ".join(words[1:]), 0) + 1
            else:
                last = words
        first = None
        if child.returncode != 0:
            faults += 1
            print("FAULT", last, "code", child.returncode, child.stderr[-500:], flush=True)
            if last is not None:
                first = (int(last[1]), int(last[2]) + max(1, int(last[3]) // points))
    print(", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())), f"{faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if "--from" in sys.argv:
        at = sys.argv.index("--from")
        attack((int(sys.argv[at + 1]), int(sys.argv[at + 2])), int(sys.argv[at + 3]))
    else:
        main()
