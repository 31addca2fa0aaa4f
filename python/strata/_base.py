"""What scikit-learn's base classes give an estimator; without scikit-learn, the few methods that fit and predict need."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _options

__all__ = ["Base", "ClassifierMixin", "ConvergenceWarning", "DataConversionWarning", "NotFittedError", "RegressorMixin"]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
except ImportError:
    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Predictions were asked for before fit."""

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """A limit ended training."""

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """Data were given in another shape than expected."""

    class ClassifierMixin:  # type: ignore[no-redef]
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Accuracy: the share of rows whose label is predicted."""
            right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
            return float(np.average(right, weights=sample_weight))

    class RegressorMixin:  # type: ignore[no-redef]
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """R2: 1 - squared error / squared deviation from the mean, averaged over outputs."""
            truth = np.asarray(y, dtype=np.float64)
            weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
            weights = weights.reshape(-1, *[1] * (truth.ndim - 1))
            mean = (weights * truth).sum(0) / weights.sum()
            error = (weights * (truth - self.predict(X)) ** 2).sum(0)  # type: ignore[attr-defined]
            return float(np.mean(1 - error / (weights * (truth - mean) ** 2).sum(0)))

    class BaseEstimator:  # type: ignore[no-redef]
        @classmethod
        def _get_param_names(cls) -> list[str]:
            parameters = inspect.signature(cls.__init__).parameters.values()
            return sorted(p.name for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD)

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}()")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            signature = inspect.signature(type(self).__init__).parameters
            changed = [f"{name}={value!r}" for name, value in self.get_params().items()
                       if name not in signature or value != signature[name].default]
            return f"{type(self).__name__}({', '.join(changed)})"


class Base(BaseEstimator):  # type: ignore[misc]
    """Parameters that include the options of a method, which only the method knows."""

    _method_options: dict[str, Any]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {**super().get_params(deep), **self._method_options}

    def set_params(self, **params: Any) -> Any:
        # Names that are no parameters are options of methods; fit checks whether they are this method's, which may change until then.
        own = self._get_param_names()
        options = {name: params.pop(name) for name in list(params) if name not in own and "__" not in name}
        self._refuse_unknown(options, ValueError)
        super().set_params(**params)
        self._method_options.update(options)
        return self

    def _refuse_unknown(self, names: Iterable[str], error: type[Exception]) -> None:
        for name in names:
            if (sentence := _options.unknown(name, type(self).__name__, self._get_param_names())) is not None:
                raise error(sentence)
