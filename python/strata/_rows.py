"""Rows as users have them, into what the library takes: arrays of numbers, or a table of typed columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _frames, _strata

Array = NDArray[np.float64]


def _refuse_not_finite(numbers: Array, name: str, remedy: str) -> None:
    # One sum finds out whether there is anything to look for.
    with np.errstate(all="ignore"):
        if np.isfinite(numbers.sum()):
            return
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad) == 0:
        return
    place = ", ".join(str(i) for i in bad[0])
    kind = "NaN" if np.isnan(numbers[tuple(bad[0])]) else "infinite"
    if kind == "infinite":
        remedy = "correct it or leave out its row"
    raise ValueError(f"{name}[{place}] is {kind}; {remedy}")


def _as_float(values: Any, name: str) -> Array:
    if type(values).__name__ == "LazyFrame":
        raise TypeError(f"{name} is a LazyFrame, whose rows are not there yet; use {name}.collect()")
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{name} is sparse, and dense data are needed; use {name}.toarray()")
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError(f"Complex data not supported: {name} has complex numbers; give their parts as columns")
    if array.dtype.kind in "OUS":
        try:
            return np.ascontiguousarray(array, dtype=np.float64)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            remedy = ("StrataClassifier predicts labels" if name == "y" else
                      "give a data frame, whose texts are encoded as categories")
            raise kind(f"{name} has a value that is no number ({error}); {remedy}") from None
    return np.ascontiguousarray(array, dtype=np.float64)


def numbers(X: Any, name: str = "X", *, allow_missing: bool = False, allow_none: bool = False) -> Array:
    """Rows of numbers, C-ordered; an array that is already so is not copied. allow_none: there may be no rows."""
    array = _as_float(X, name)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array instead: "
                         f"{name} needs rows and columns. Reshape your data: {name}.reshape(-1, 1) is one column, "
                         f"{name}.reshape(1, -1) one row")
    if array.shape[0] == 0 and not allow_none:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required: "
                         f"{name} has no rows")
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required: "
                         f"{name} has no columns")
    if allow_missing:
        if np.isinf(array).any():
            _refuse_not_finite(np.where(np.isnan(array), 0.0, array), name, "correct it or leave out its row")
    else:
        _refuse_not_finite(array, name, "fill it in, leave out its row, or use missing='impute'")
    return array


def contents(X: Any, name: str, encode: bool, allow_none: bool = False) -> Array | list[Any]:
    """Rows as one array of numbers, or, for a frame that goes through the encoder, as its columns."""
    if not _frames.is_frame(X):
        return numbers(X, name, allow_missing=encode, allow_none=allow_none)
    columns = _frames.columns(X)
    for label, column in zip(_frames.column_names(X) or (), columns, strict=True):
        if encode and _frames.is_numeric(column) and np.isinf(column).any():
            raise ValueError(f"{name}[{label!r}] is infinite in row {int(np.argmax(np.isinf(column)))}; correct it or leave out "
                             "its row")
    return columns if encode else numbers(np.column_stack(columns), name, allow_none=allow_none)


def with_column_shuffled(X: Any, column: int, order: NDArray[np.intp]) -> Any:
    """A copy of X whose column has its values in another order."""
    if hasattr(X, "iloc"):
        copy = X.copy()
        copy.isetitem(column, X.iloc[order, column].to_numpy() if not hasattr(X.dtypes.iloc[column], "categories")
                      else X.iloc[order, column].array)
        return copy
    if hasattr(X, "with_columns"):
        name = X.columns[column]
        return X.with_columns(X[name].gather(order).alias(name))
    if hasattr(X, "set_column"):
        return X.set_column(column, X.column_names[column], X.column(column).take(order))
    array = np.array(X, copy=True)
    array[:, column] = array[order, column]
    return array


def has_missing(X: Any) -> bool:
    """Whether some value is missing, where all are numbers."""
    if _frames.is_frame(X):
        return any(bool(np.isnan(column).any()) for column in _frames.columns(X) if _frames.is_numeric(column))
    array = np.asarray(X)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            return False
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def shape(given: Array | list[Any]) -> tuple[int, int]:
    if isinstance(given, np.ndarray):
        return given.shape[0], given.shape[1]
    return _frames.length(given[0]), len(given)


def check_target(y: Any, rows: int, estimator: str) -> None:
    """Refuses a target that is not there or has another number of rows."""
    if y is None:
        raise ValueError(f"This {estimator} estimator requires y to be passed, but the target y is None")
    if len(y) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {rows} and y {len(y)}")


def targets(y: Any, rows: int, estimator: str = "StrataRegressor") -> tuple[Array, bool]:
    """Targets as rows x outputs, and whether they were given as one list."""
    if y is None:
        check_target(y, rows, estimator)
    array = _as_float(y, "y")
    if array.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d array, or rows of several targets, got an array of shape {array.shape} instead")
    flat = array.ndim == 1
    _refuse_not_finite(array, "y", "correct it or leave out its row")
    check_target(array, rows, estimator)
    return array.reshape(-1, 1) if flat else array, flat


def weights(sample_weight: Any, rows: int, allow_none: bool = False) -> Array | None:
    """Weights of the rows; a single number means that all count the same. allow_none: all may be zero."""
    if sample_weight is None:
        return None
    array = _as_float(sample_weight, "sample_weight")
    if np.asarray(sample_weight).ndim == 0:
        return None
    if array.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got an array of shape {array.shape}")
    if len(array) != rows:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected ({rows},)!")
    _refuse_not_finite(array, "sample_weight", "use numbers of at least 0")
    if (array < 0).any():
        row = int(np.argmax(array < 0))
        raise ValueError(f"sample_weight[{row}] is {array[row]}; use numbers of at least 0")
    if not array.any() and not allow_none:
        raise ValueError("sample_weight is zero for every row; at least two rows need a weight above 0")
    return array


def feature_names(X: Any) -> list[str] | None:
    """Names of the columns where all of them are texts; a mixture is refused, as scikit-learn does."""
    names = _frames.column_names(X)
    if names is None or len(names) == 0:
        return None
    kinds = sorted({type(name).__name__ for name in names})
    if kinds == ["str"]:
        return [str(name) for name in names]
    if "str" in kinds:
        raise TypeError("Feature names are only supported if all input features have string names, but your input has "
                        f"{kinds} as feature name / column name types. If you want feature names to be stored and "
                        "validated, you must convert them all to strings, by using X.columns = X.columns.astype(str) "
                        "for example. Otherwise you can remove feature / column names from your input data, or convert "
                        "them all to a non-string data type.")
    return None


def check_names(estimator: Any, names: list[str] | None) -> None:
    """Compares names of new rows with those of the training, with scikit-learn's wording."""
    fitted = getattr(estimator, "feature_names_in_", None)
    kind = type(estimator).__name__
    if names is None and fitted is None:
        return
    if fitted is None:
        warnings.warn(f"X has feature names, but {kind} was fitted without feature names", UserWarning, stacklevel=4)
        return
    if names is None:
        warnings.warn(f"X does not have valid feature names, but {kind} was fitted with feature names",
                      UserWarning, stacklevel=4)
        return
    if list(fitted) == names:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    for title, listed in (("Feature names unseen at fit time:", unexpected),
                          ("Feature names seen at fit time, yet now missing:", missing)):
        if listed:
            message += title + "\n" + "".join(f"- {name}\n" for name in listed[:5])
            message += "- ...\n" if len(listed) > 5 else ""
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def names_for(names: list[str] | None, count: int) -> list[str]:
    return names if names is not None else [f"x{k}" for k in range(1, count + 1)]


def target_names(y: Any, inputs: list[str]) -> list[str]:
    """The name of a series, the columns of a frame, otherwise y, or y1, y2, ...; none that an input has."""
    shape_of_y = np.asarray(y).shape
    several = len(shape_of_y) == 2
    count = shape_of_y[1] if several else 1
    given = _frames.column_names(_frames.held(y)) if several else [getattr(y, "name", None)]
    names = ["y"] if count == 1 else [f"y{k}" for k in range(1, count + 1)]
    if given is not None and all(isinstance(name, str) and name for name in given):
        names = [str(name) for name in given]
    while set(names) & set(inputs):
        names = ["_" + name for name in names]
    return names


def table(given: Array | list[Any], names: list[str]) -> _strata.Table:
    """Typed columns under the given names."""
    made = _strata.Table("X")
    columns = list(given.T) if isinstance(given, np.ndarray) else given
    for name, column in zip(names, columns, strict=True):
        _frames.add_column(made, name, column)
    return made


def training_rows(given: Array | list[Any], encode: bool, names: list[str], outputs: list[str], values: Array,
                  sample_weight: Any, labels: list[str], allow_none: bool = False) -> Any:
    """Inputs, targets (rows x outputs) and weights: numbers, or a table for Strata's encoder.

    labels: of classes, whose codes are the one target. allow_none: other processes have rows too, so that these may be none,
    or all of weight 0.
    """
    count = shape(given)[0]
    if values.shape[1] != len(outputs):
        raise ValueError(f"y has {values.shape[1]} columns, and {len(outputs)} are needed: {', '.join(outputs)}")
    counts = weights(sample_weight, count, allow_none)
    if not encode:
        return _strata.NumberRows(given, values, counts, names, outputs, labels)  # type: ignore[arg-type]
    made = table(given, names)
    for k, name in enumerate(outputs):
        if labels:
            made.add_categories(name, labels, np.ascontiguousarray(values[:, k], dtype=np.int32))
        else:
            made.add_numbers(name, np.ascontiguousarray(values[:, k]))
    if counts is not None:
        made.set_weights(counts)
    return made
