"""The parameters of the estimators: what they are called, their defaults, and their docstrings.

Those that are options of the library (include/strata/model/fit_options.h) are given to it, and described, as it lists them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, TypeVar

from . import _options
from ._estimator import Estimator
from ._strata import regression_losses

Class = TypeVar("Class", bound=type)


class RegressorParameters(Estimator):
    loss: str
    huber_delta: float
    levels: Iterable[float]

    def __init__(
        self,
        hidden: int | Iterable[int] | None = None,
        method: str = "blgn",
        *,
        effort: str | None = None,
        members: int | None = None,
        loss: str = "squared",
        huber_delta: float = 1.0,
        levels: Iterable[float] = (0.5,),
        activation: str | None = None,
        radial_width: float = 1.0,
        bias: str = "per_layer",
        knots: int | None = None,
        bends: float | Iterable[float] | None = None,
        lines: str | Iterable[str] | None = None,
        interactions: int | None = None,
        init: str = "glorot",
        l2: float | str | None = None,
        scale: str = "standard",
        target_scale: str = "standard",
        missing: str = "impute",
        unseen: str = "zeros",
        categorical: str | Iterable[str] = (),
        numeric: str | Iterable[str] = (),
        ignore: str | Iterable[str] = (),
        max_categories: int = 256,
        strict: bool = False,
        validation_fraction: float = 0.15,
        early_stopping: bool | str = "auto",
        patience: int | None = None,
        early_stopping_metric: str = "loss",
        average: float = 3.0,
        time_limit: float | None = None,
        max_epochs: int | None = None,
        objective_at_most: float | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        memory: str | int | None = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        **method_options: Any,
    ) -> None:
        self._set_parameters(locals())


class ClassifierParameters(Estimator):
    class_weight: dict[Any, float] | str | None
    calibrate: bool

    def __init__(
        self,
        hidden: int | Iterable[int] | None = None,
        method: str = "blgn",
        *,
        effort: str | None = None,
        members: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        calibrate: bool = True,
        activation: str | None = None,
        radial_width: float = 1.0,
        bias: str = "per_layer",
        knots: int | None = None,
        bends: float | Iterable[float] | None = None,
        lines: str | Iterable[str] | None = None,
        interactions: int | None = None,
        init: str = "glorot",
        l2: float | str | None = None,
        scale: str = "standard",
        missing: str = "impute",
        unseen: str = "zeros",
        categorical: str | Iterable[str] = (),
        numeric: str | Iterable[str] = (),
        ignore: str | Iterable[str] = (),
        max_categories: int = 256,
        strict: bool = False,
        validation_fraction: float = 0.15,
        early_stopping: bool | str = "auto",
        patience: int | None = None,
        early_stopping_metric: str = "loss",
        average: float = 3.0,
        time_limit: float | None = None,
        max_epochs: int | None = None,
        objective_at_most: float | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        memory: str | int | None = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        **method_options: Any,
    ) -> None:
        self._set_parameters(locals())


# Those that the library does not have, or has in another form.
DESCRIPTIONS = {
    "effort": ("{'quick', 'default', 'best'} or None", "One network; six members; twelve with more patience: values for members, hidden, "
                                                       "knots, bends, lines, interactions and l2 where these are None. None: 'default', or none at all where "
                                                       "one of these or method is set."),
    "loss": ("{" + ", ".join(map(repr, regression_losses())) + "}", "What is minimised."),
    "class_weight": ("None, 'balanced' or dict", "Weight of each class in the loss: all 1, such that classes count the same, or by label."),
    "method": ("str", "The training method; `strata.methods()` lists them."),
    "validation_fraction": ("float", "Part of the rows that early stopping watches."),
    "strict": ("bool", "Refuse what is otherwise mended with a warning: missing values, constant or id-like columns."),
    "early_stopping": ("bool or 'auto'", "Stop when the validation error no longer improves; 'auto': from 200 rows on."),
    "time_limit": ("float or None", "Seconds of training."),
    "max_epochs": ("int or None", "Passes over the rows; None: the method's own limit."),
    "random_state": ("int, generator or None", "Seed of split, initial weights and order; the same seed gives the same bits."),
    "n_threads": ("int or None", "Threads; None: all cores. The result does not depend on it."),
    "memory": ("str, int or None", "Budget for packed rows and caches, such as '2GB'; None: part of the machine's."),
    "warm_start": ("bool", "Let fit go on from the weights of the last fit."),
    "verbose": ("bool or int", "Show progress: a bar where tqdm is installed, else a line for each epoch; 2: always lines."),
    "method_options": ("options of the method", "Such as batch=512 or cg_iterations=20; `strata.method_options(method)` lists them."),
}


def documented(estimator: Class) -> Class:
    """Puts a numpydoc section Parameters after the first paragraphs of the class's docstring."""
    lines = ["", "Parameters", "----------"]
    for parameter in list(inspect.signature(estimator).parameters.values()):
        kind, text = DESCRIPTIONS.get(parameter.name) or _described(parameter)
        optional = parameter.kind is not parameter.VAR_KEYWORD
        name = parameter.name if optional else f"**{parameter.name}"
        lines += [f"{name} : {kind}{f', default {parameter.default!r}' if optional else ''}", f"    {text}"]
    estimator.__doc__ = inspect.cleandoc(estimator.__doc__ or "") + "\n" + "\n".join(lines) + "\n"
    return estimator


def _described(parameter: inspect.Parameter) -> tuple[str, str]:
    """Its type as annotated, and what the library says of it."""
    *kinds, last = parameter.annotation.replace("Iterable[", "list of ").replace("]", "").split(" | ")
    text = _options.of_fit()[_options.dashed(parameter.name)]
    by_effort = "; None: by effort" if parameter.name in _options.EFFORT else ""
    return f"{', '.join(kinds)} or {last}" if kinds else last, f"{text[0].upper()}{text[1:]}{by_effort}."
