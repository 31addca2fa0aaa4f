"""The parameters that the estimators share, described once: their docstrings are put together here."""

from __future__ import annotations

import inspect
from typing import TypeVar

from ._strata import activations, regression_losses

Class = TypeVar("Class", bound=type)

DESCRIPTIONS = {
    "hidden": ("int, list of int or None", "Widths of the hidden layers; None: 50, 50, 50, and a single 50 for rbf-decomposition."),
    "effort": ("{'quick', 'default', 'best'} or None", "One network; six members; twelve with more patience: values for members, hidden, "
                                                       "knots, bends and l2 where these are None. None: 'default', or none at all where "
                                                       "one of these or method is set."),
    "members": ("int or None", "Networks from different starts whose predictions are averaged; None: by effort."),
    "knots": ("int or None", "Knots of the piecewise-linear functions through which the first layer reads each number; 0 or None: a weight "
                             "times the scaled number."),
    "bends": ("float, list of float or None", "How freely those functions may bend: a weight of 1 is a step of so much. Members take several "
                                              "in turn, and those that predict the validation rows best are kept; None: by effort."),
    "early_stopping_metric": ("str", "Validation error to watch: 'loss'; of numbers 'rmse', 'mae', 'r2', 'deviance' (loss='poisson') or "
                                     "'pinball' (loss='quantile'); of classes 'log_loss', 'accuracy', 'balanced_accuracy' or "
                                     "'auc' (of more than two the mean of each against all others)."),
    "average": ("float", "Minibatch methods also try the mean of the weights over about so many epochs; 0: never."),
    "method": ("str", "The training method; `strata.methods()` lists them."),
    "loss": ("{" + ", ".join(map(repr, regression_losses())) + "}", "What is minimised."),
    "huber_delta": ("float", "Where the Huber loss becomes linear, in units of the scaled target."),
    "levels": ("list of float", "Quantiles that loss='quantile' predicts, above 0 and below 1."),
    "class_weight": ("None, 'balanced' or dict", "Weight of each class in the loss: all 1, such that classes count the same, or by label."),
    "calibrate": ("bool", "Scale the probabilities by a temperature that is fitted on the validation rows."),
    "activation": ("str or None", "Of the hidden layers: " + ", ".join(map(repr, activations())) + ". The last three are radial functions of the "
                                  "distance to a centre, for one hidden layer. None: 'sigmoid', and 'gaussian' for rbf-decomposition."),
    "radial_width": ("float", "Of radial functions: the distance from the centre in every scaled input at which a Gaussian is 1/e."),
    "bias": ("str", "Where there are biases: 'per_layer', 'input' or 'none'."),
    "init": ("str", "Initial weights: 'glorot', 'he', 'uniform' or 'normal'."),
    "l2": ("float, 'auto', 'paper', 'rho' or None", "L2 penalty on the weights; 'auto' is 1 / rows, and less as soon as "
                                                   "the validation rows are predicted better; 'paper' is "
                                                   "1e-3 / (weights * rows), 'rho' 1e-3 / weights; None: by effort."),
    "scale": ("str", "Of the inputs: 'standard', 'minmax' or 'none'."),
    "target_scale": ("str", "Of the target: 'standard', 'minmax' or 'none'."),
    "missing": ("str", "Missing inputs: 'impute', 'drop' the row or 'refuse'."),
    "unseen": ("str", "Categories that training had not: 'zeros' or 'refuse'."),
    "categorical": ("str or list of str", "Columns whose numbers are codes of categories."),
    "numeric": ("str or list of str", "Columns whose texts must be numbers."),
    "ignore": ("str or list of str", "Columns that are left out."),
    "max_categories": ("int", "A column of more texts than this is left out, with a warning."),
    "strict": ("bool", "Refuse what is otherwise mended with a warning: missing values, constant or id-like columns."),
    "validation_fraction": ("float", "Part of the rows that early stopping watches."),
    "early_stopping": ("bool or 'auto'", "Stop when the validation error no longer improves; 'auto': from 200 rows on."),
    "patience": ("int or None", "Epochs without improvement before training stops; 0 disables early stopping; None: by effort."),
    "time_limit": ("float or None", "Seconds of training."),
    "max_epochs": ("int or None", "Passes over the rows; None: the method's own limit."),
    "objective_at_most": ("float or None", "Stop when the objective is at or below this."),
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
        kind, text = DESCRIPTIONS[parameter.name]
        optional = parameter.kind is not parameter.VAR_KEYWORD
        name = parameter.name if optional else f"**{parameter.name}"
        lines += [f"{name} : {kind}{f', default {parameter.default!r}' if optional else ''}", f"    {text}"]
    estimator.__doc__ = inspect.cleandoc(estimator.__doc__ or "") + "\n" + "\n".join(lines) + "\n"
    return estimator
