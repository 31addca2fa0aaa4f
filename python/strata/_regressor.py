"""StrataRegressor: numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, overload

import numpy as np

from . import _strata
from ._base import RegressorMixin
from ._estimator import Estimator
from ._model import Model
from ._parameters import documented
from ._rows import Array
from ._strata import regression_losses
from ._targets import Target


@documented
class StrataRegressor(RegressorMixin, Estimator):  # type: ignore[misc]
    """A feed-forward network for regression, trained layer by layer.

    It is fitted as scikit-learn's estimators are, on arrays and data frames, with texts, dates and missing values. Every
    parameter has the default of the program `strata train`.

    Attributes after fit: model_, n_iter_, best_iteration_, stop_reason_, loss_curve_, validation_curve_, l2_,
    n_features_in_, feature_names_in_ (of a frame), coefs_, result_; feature_importances_ after importances().
    """

    loss: str
    huber_delta: float
    levels: Iterable[float]

    def __init__(
        self,
        hidden: Iterable[int] | None = None,
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
        init: str = "glorot",
        l2: float | str | None = None,
        scale: str = "standard",
        target_scale: str = "standard",
        missing: str = "impute",
        unseen: str = "zeros",
        categorical: Iterable[str] = (),
        numeric: Iterable[str] = (),
        ignore: Iterable[str] = (),
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

    def _options(self, shared: bool) -> _strata.FitOptions:
        options = super()._options(shared)
        if self.loss not in regression_losses():
            raise ValueError(f"option 'loss' = '{self.loss}': use one of {', '.join(regression_losses())}")
        options.loss = self.loss
        options.huber_delta = float(self.huber_delta)
        options.levels = [float(level) for level in self.levels]
        return options

    def _target(self, y: Any, rows: int, comm: Any, start: Model | None) -> Target:
        return Target()

    def _adopt(self, model: Model, path: str) -> None:
        if model.classes:
            raise ValueError(f"{path} predicts the classes {', '.join(model.classes[:20])}; use StrataClassifier.load")
        super()._adopt(model, path)

    @overload
    def predict(self, X: Any, quantiles: Iterable[float] | None = None, return_std: Literal[False] = False) -> Array: ...
    @overload
    def predict(self, X: Any, quantiles: Iterable[float] | None = None, *, return_std: Literal[True]) -> tuple[Array, Array]: ...

    def predict(self, X: Any, quantiles: Iterable[float] | None = None, return_std: bool = False) -> Any:
        """Predictions in the units of y, one for each row, or a row for each row where y had several columns.

        quantiles: some of the levels that loss="quantile" was trained for; the last dimension of the result has one entry for
        each. Without it, the level nearest to the median is predicted. return_std: a second array with the standard
        deviation of each over the members of the model.
        """
        if not return_std:
            return self._arranged(self._predict(X), quantiles)
        out = self._predict(X, "with_spread")
        half = out.shape[1] // 2
        return self._arranged(out[:, :half], quantiles), self._arranged(out[:, half:], quantiles)

    def _arranged(self, out: Array, quantiles: Iterable[float] | None) -> Array:
        levels = self.model_._model.levels
        if quantiles is None:
            if len(levels) > 1:
                middle = int(np.argmin(np.abs(np.array(levels) - 0.5)))
                out = np.ascontiguousarray(out[:, middle::len(levels)])
            return out[:, 0] if self._flat else out
        wanted = list(quantiles)
        unknown = [level for level in wanted if level not in levels]
        if unknown:
            trained = f"levels={tuple(levels)}" if levels else f"loss='{self.loss}'"
            raise ValueError(f"option 'quantiles' = '{unknown[0]}': the model was trained with {trained}; use loss='quantile' "
                             "and name the level in levels")
        every = out.reshape(len(out), -1, len(levels))[:, :, [levels.index(level) for level in wanted]]
        return every[:, 0] if self._flat else every

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Array:
        """Bounds that hold the truth for the share `coverage` of new rows, by split conformal prediction on the validation rows of
        fit: rows x 2, low and high, or rows x targets x 2. Those of several members are wider where the members disagree. With
        loss="quantile" and several levels, those are widened or narrowed until they do."""
        found = self._predict(X, "for_intervals")
        bounds = self.model_._model.interval(found, float(coverage))
        every = bounds.reshape(len(bounds), -1, 2)
        return every[:, 0] if self._flat else every

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
