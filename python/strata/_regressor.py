"""StrataRegressor: numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, overload

import numpy as np

from . import _strata
from ._base import RegressorMixin
from ._model import Model
from ._parameters import RegressorParameters, documented
from ._rows import Array
from ._strata import regression_losses
from ._targets import Target


@documented
class StrataRegressor(RegressorMixin, RegressorParameters):  # type: ignore[misc]
    """A feed-forward network for regression, trained layer by layer.

    It is fitted as scikit-learn's estimators are, on arrays and data frames, with texts, dates and missing values. Every
    parameter has the default of the program `strata train`.

    Attributes after fit: model_, n_iter_, best_iteration_, stop_reason_, loss_curve_, validation_curve_, l2_,
    n_features_in_, feature_names_in_ (of a frame), coefs_, result_; feature_importances_ after importances().
    """

    def _options(self, shared: bool) -> _strata.FitOptions:
        options = super()._options(shared)
        if self.loss not in regression_losses():
            raise ValueError(f"option 'loss' = '{self.loss}': use one of {', '.join(regression_losses())}")
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
