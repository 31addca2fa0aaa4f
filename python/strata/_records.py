"""What a run recorded, as lists of dicts or as data frames."""

from __future__ import annotations

from typing import Any

from . import _strata


def frame(records: list[dict[str, Any]]) -> Any:
    """The records as a pandas DataFrame, a row for each."""
    try:
        import pandas
    except ImportError:
        raise ImportError("a data frame needs pandas; install it, or use the list of dicts") from None
    flat = [{**record, **{f"work_{key}": value for key, value in (record.get("work") or {}).items()}} for record in records]
    return pandas.DataFrame([{key: value for key, value in record.items() if key != "work"} for record in flat])


class Result:
    """Why a training ended, what it reached and what it cost."""

    def __init__(self, training: _strata.TrainingResult, l2: float) -> None:
        self.reason: str = training.reason
        self.message: str = training.message
        self.value: float = training.value
        self.gradient_norm: float = training.gradient_norm
        self.validation_loss: float = training.validation_loss
        self.best_epoch: int = training.best_sweep
        self.epochs: int = training.sweeps
        self.seconds: float = training.seconds
        self.elapsed_seconds: float = training.elapsed_seconds
        self.l2 = l2
        self.history: list[dict[str, Any]] = training.history
        self._brief = repr(training)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each epoch."""
        return frame(self.history)

    def __repr__(self) -> str:
        return self._brief
