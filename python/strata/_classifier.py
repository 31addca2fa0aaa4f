"""StrataClassifier: labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _strata, _targets
from ._base import ClassifierMixin
from ._model import Model
from ._parameters import ClassifierParameters, documented
from ._rows import Array
from ._targets import Labels

if TYPE_CHECKING:
    from typing_extensions import Self


@documented
class StrataClassifier(ClassifierMixin, ClassifierParameters):  # type: ignore[misc]
    """A feed-forward network for classification, trained layer by layer.

    It is fitted as scikit-learn's estimators are, on arrays and data frames, with texts, dates and missing values. Labels may
    be of any kind that can be sorted. Every parameter has the default of the program `strata train`.

    Attributes after fit: classes_, and those of StrataRegressor.
    """

    classes_: NDArray[Any]

    def partial_fit(  # type: ignore[override]  # scikit-learn's classifiers have classes in this place
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, comm: Any = None
    ) -> Self:
        """One epoch on these rows, from the weights there are; scales and categories are those of the first call.

        classes: all labels that any call will see; the first call needs it unless its y has them all.
        """
        self._given_classes = None if classes is None else np.unique(classes)
        try:
            return self._one_epoch(X, y, sample_weight, comm)
        finally:
            del self._given_classes

    def _options(self, shared: bool) -> _strata.FitOptions:
        if self.class_weight not in (None, "balanced") and not isinstance(self.class_weight, dict):
            raise ValueError(f"option 'class_weight' = '{self.class_weight}': use None, 'balanced' or a dict of labels and "
                             "weights")
        return super()._options(shared)

    def _target(self, y: Any, rows: int, comm: Any, start: Model | None) -> Labels:
        given = getattr(self, "_given_classes", None)
        if start is None:
            return _targets.found_in(y, rows, comm) if given is None else Labels(given)
        known = Labels(self.classes_)
        if given is not None and not np.array_equal(given, known.classes):
            raise ValueError(f"classes={list(given)} are not those of the first call, {list(known.classes)}")
        return known

    def _adopt(self, model: Model, path: str) -> None:
        if not model.classes:
            raise ValueError(f"{path} predicts numbers; use StrataRegressor.load")
        super()._adopt(model, path)
        self.classes_ = np.array(model.classes, dtype=object)

    # --- Predictions

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row."""
        codes = np.argmax(self.predict_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @overload
    def predict_proba(self, X: Any, return_std: Literal[False] = False) -> Array: ...
    @overload
    def predict_proba(self, X: Any, return_std: Literal[True]) -> tuple[Array, Array]: ...

    def predict_proba(self, X: Any, return_std: bool = False) -> Any:
        """The probability of each class, in the order of classes_.

        return_std: a second array with the standard deviation of each over the members of the model.
        """
        if not return_std:
            return self._of_every_row(self._predict(X))
        out = self._of_every_row(self._predict(X, "with_spread"))
        return out[:, :len(self.classes_)], out[:, len(self.classes_):]

    def predict_interval(self, X: Any, coverage: float = 0.9, allow_empty: bool = False) -> NDArray[np.bool_]:
        """Sets of classes that hold the label for the share `coverage` of new rows, by split conformal prediction on the
        validation rows of fit: rows x classes, true where a class belongs to the set of the row.

        The most probable class is in every set, so that a classifier that is right more often than `coverage` covers more. With
        allow_empty sets cover what was asked: a row of which no class is probable enough has none."""
        found = self._of_every_row(self._predict(X, "for_intervals"))
        sets: NDArray[np.bool_] = self.model_._model.interval(found, float(coverage), bool(allow_empty)) == 1
        return sets

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities, exact where these round to 0."""
        scores = self._of_every_row(self._predict(X, "scores"))
        if scores.shape[1] == 2 and self.model_.networks[0].weights[-1].shape[1] == 1:
            return np.asarray(-np.logaddexp(0.0, -scores))
        below: Array = scores - scores.max(axis=1, keepdims=True)
        sums: Array = np.exp(below).sum(axis=1, keepdims=True)
        return below - np.log(sums)

    def decision_function(self, X: Any) -> Array:
        """The log-odds of the second of two classes, or a score for each of several."""
        scores = self._of_every_row(self._predict(X, "scores"))
        return np.ascontiguousarray(scores[:, 1]) if scores.shape[1] == 2 else scores

    @staticmethod
    def _of_every_row(out: Array) -> Array:
        bad = np.isnan(out[:, 0])
        if bad.any():
            raise ValueError(f"row {int(np.argmax(bad))} has a missing value, and missing='drop' leaves it without a "
                             "prediction; fill it in, or use missing='impute'")
        return out
