"""Parameters as users write them: what is a parameter, what it is called here, and its value as the library takes it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from . import _strata

# Names that other libraries give to a parameter, and ours.
ELSEWHERE = {
    "alpha": "l2", "batch_size": "batch", "categorical_features": "categorical", "cat_features": "categorical", "epochs": "max_epochs",
    "hidden_layer_sizes": "hidden", "hidden_layers": "hidden", "layers": "hidden", "learning_rate": "rate",
    "learning_rate_init": "rate", "lr": "rate", "max_iter": "max_epochs", "n_iter": "max_epochs", "n_iter_no_change": "patience",
    "n_jobs": "n_threads", "num_threads": "n_threads", "optimizer": "method", "reg_lambda": "l2", "seed": "random_state", "random_seed": "random_state",
    "solver": "method", "thread_count": "n_threads", "weight_decay": "l2",
}

# Parameters that an effort stands for, beside the method; patience, too, is the effort's unless it is set.
KNOBS = ("members", "hidden", "knots", "bends", "lines", "interactions", "l2")
EFFORT = (*KNOBS, "patience")


@cache
def of_fit() -> dict[str, str]:
    """The options of the library, by their names on the command line, each with what it says of it."""
    return {option["name"]: option["help"] for option in _strata.fit_options()}


@cache
def of_methods() -> dict[str, list[str]]:
    """The options of all methods, each with the methods that have it."""
    known: dict[str, list[str]] = {}
    for method in _strata.methods():
        for option in _strata.method_options(method):
            known.setdefault(option["name"].replace("-", "_"), []).append(method)
    return known


def unknown(name: str, estimator: str, own: Iterable[str]) -> str | None:
    """The sentence that refuses a parameter which neither the estimator nor any method has; None where there is one."""
    methods = of_methods()
    own = list(own)
    # scikit-learn's checks try the name of the ** parameter itself; fit refuses it.
    if name in own or name.replace("-", "_") in methods or name == "method_options":
        return None
    ours = ELSEWHERE.get(name)
    if ours is None:
        near = difflib.get_close_matches(name, [*own, *methods], n=1)
        ours = near[0] if near else None
    hint = "help(strata." + estimator + ") lists the parameters"
    if ours is not None:
        where = f", an option of {', '.join(methods[ours])}" if ours in methods and ours not in own else ""
        hint = f"use '{ours}'{where}"
    return f"{estimator} has no parameter '{name}'; {hint}"


def dashed(name: str) -> str:
    return name.replace("_", "-")


def as_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (str, int, np.integer)):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return str(int(number)) if number.is_integer() else repr(number)


def texts(value: Any) -> list[str]:
    """The value of an option, the items of a list one by one; a single one needs no list."""
    if isinstance(value, dict):
        return [f"{key}={as_text(item)}" for key, item in value.items()]
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return [as_text(item) for item in (value if isinstance(value, Iterable) and not isinstance(value, str) else [value])]


def names(value: str | Iterable[str]) -> list[str]:
    """Names of columns; a single one needs no list."""
    return [value] if isinstance(value, str) else list(value)


def seed(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.randint(1, 2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1, 2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1, 2**31))
    if isinstance(random_state, bool) or int(random_state) != random_state or random_state < 0:
        raise ValueError(f"option 'random_state' = '{random_state}': use a whole number of at least 0, a generator or None")
    return int(random_state)
