"""Callbacks for fit: figures of every epoch for TensorBoard or MLflow, pruning for Optuna.

    model.fit(X, y, callbacks=[strata.callbacks.tensorboard("runs/first")])

Each needs its package only when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
FIGURES = ("value", "validation_loss", "gradient_norm", "seconds")

__all__ = ["mlflow", "optuna", "tensorboard"]


def _figures(record: Record) -> dict[str, float]:
    return {name: float(record[name]) for name in FIGURES if record.get(name) is not None}


def tensorboard(directory: Any) -> Callable[[Record], None]:
    """Writes objective, validation loss, gradient norm and seconds after every epoch, for `tensorboard --logdir directory`."""
    try:
        from tensorboard.summary import Writer
    except ImportError:
        raise ImportError("this callback needs the package tensorboard; install it with pip") from None
    writer = Writer(str(directory))

    def write(record: Record) -> None:
        for name, figure in _figures(record).items():
            writer.add_scalar(name, figure, record["sweep"] + 1)
        writer.flush()

    return write


def mlflow() -> Callable[[Record], None]:
    """Logs the same figures as metrics of the active run of MLflow."""
    try:
        import mlflow as package
    except ImportError:
        raise ImportError("this callback needs the package mlflow; install it with pip") from None

    def log(record: Record) -> None:
        package.log_metrics(_figures(record), step=record["sweep"] + 1)

    return log


def optuna(trial: Any) -> Callable[[Record], None]:
    """Reports the validation loss of every epoch to a trial of Optuna, and ends it where the study's pruner says so."""
    try:
        from optuna import TrialPruned
    except ImportError:
        raise ImportError("this callback needs the package optuna; install it with pip") from None

    def report(record: Record) -> None:
        if record.get("validation_loss") is None:
            raise ValueError("there is no validation loss to report; fit with early_stopping=True or an eval_set")
        trial.report(record["validation_loss"], record["sweep"])
        if trial.should_prune():
            raise TrialPruned()

    return report
