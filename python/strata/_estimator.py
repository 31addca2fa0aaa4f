"""What StrataRegressor and StrataClassifier share: parameters, training, files. Fit and predict are as in scikit-learn."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _frames, _options, _processes, _progress, _rows, _strata
from ._base import Base, ConvergenceWarning, NotFittedError
from ._model import Model, load_model
from ._records import Result
from ._rows import Array
from ._targets import Target
from ._threads import threads

if TYPE_CHECKING:
    from typing_extensions import Self

Callback = Callable[[dict[str, Any]], object]

# Methods whose steps use a minibatch at a time: another call goes on where the last one ended.
INCREMENTAL = ("blgn", "bling", "ig", "sg", "adam", "adagrad")
# With fewer rows than this, early_stopping="auto" keeps all of them for training.
ROWS_FOR_VALIDATION = 200
# Stop reasons that are limits, and the parameter that sets each.
LIMITS = {"time_limit": "time_limit", "max_sweeps": "max_epochs"}


class Estimator(Base):
    """Parameters and training, whatever the target."""

    # What fit itself looks at; the other parameters go to the library by their names.
    method: str
    effort: str | None
    members: int | None
    missing: str
    categorical: str | Iterable[str]
    ignore: str | Iterable[str]
    strict: bool
    validation_fraction: float
    early_stopping: bool | str
    random_state: Any
    n_threads: int | None
    memory: str | int | None
    warm_start: bool
    verbose: bool | int

    _finds_columns = False  # by name, among others and in any order: a file does not know which columns fit left out

    def _set_parameters(self, given: dict[str, Any]) -> None:
        """Keeps what __init__ was given, as it is: scikit-learn's clone compares it."""
        for name in self._get_param_names():
            setattr(self, name, given[name])
        self._method_options = dict(given["method_options"])
        self._refuse_unknown(self._method_options, TypeError)

    def _target(self, y: Any, rows: int, comm: Any, start: Model | None) -> Target:
        """What y holds: refuses what this estimator cannot predict."""
        raise NotImplementedError

    # --- Training

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: tuple[Any, ...] | list[tuple[Any, ...]] | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
        comm: Any = None,
    ) -> Self:
        """Trains on rows X and targets y.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Numbers, or a pandas, polars or Arrow frame whose texts become categories and whose dates become their parts.
        y : array, series or frame of shape (n_samples,) or (n_samples, n_outputs)
            What to predict: numbers for StrataRegressor, labels of any kind for StrataClassifier.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        eval_set : (X, y) or (X, y, sample_weight), optional
            The early-stopping set, instead of a part of X. A list of one such tuple is the same.
        callbacks : callable or list of them, optional
            Each is called with a dict after every epoch; one that returns True ends the training.
        comm : mpi4py communicator, optional
            Its processes all call fit, each with its own part of the rows; all get the model of one process that has them
            all.

        Returns
        -------
        self
        """
        eval_set = _one_eval_set(eval_set)
        start = getattr(self, "model_", None) if self.warm_start else None
        return self._fit(X, y, sample_weight, eval_set, callbacks, start, comm)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, comm: Any = None) -> Self:
        """One epoch on these rows, from the weights there are; scales and categories are those of the first call."""
        return self._one_epoch(X, y, sample_weight, comm)

    def _one_epoch(self, X: Any, y: Any, sample_weight: Any, comm: Any) -> Self:
        if self.method not in INCREMENTAL:
            raise ValueError(f"option 'method' = '{self.method}': partial_fit goes on in minibatches; "
                             f"use one of {', '.join(INCREMENTAL)}")
        return self._fit(X, y, sample_weight, None, None, getattr(self, "model_", None), comm, one_epoch=True)

    def _options(self, shared: bool) -> _strata.FitOptions:
        options = _strata.FitOptions()
        # Who chooses one of the options that an effort stands for chooses all of them, unless an effort is named beside it.
        if self.effort is not None and self.method != "blgn":
            raise ValueError(f"option 'effort' = '{self.effort}': it is for the method 'blgn'; leave it or method='{self.method}' out")
        if self.effort is not None or (self.method == "blgn" and all(getattr(self, name) is None for name in _options.KNOBS)):
            options.use_effort(self.effort or "default")
        if shared and self.members is None:
            options.set("members", ["1"], "members")  # all that processes which share the rows can do
            options.set("interactions", ["0"], "interactions")
        options.use_method(_options.as_text(self.method))  # first: it may have hidden layers of its own
        for name, parameter in inspect.signature(type(self)).parameters.items():
            option = "sweeps" if name == "max_epochs" else _options.dashed(name)
            if option in _options.of_fit() and (getattr(self, name) is not None or parameter.default is not None):
                options.set(option, _options.texts(getattr(self, name)), name)
        if self.strict:
            options.make_strict()
        options.method_options = {_options.dashed(name): _options.as_text(value) for name, value in self._method_options.items()}
        options.seed = _options.seed(self.random_state)
        options.threads = threads(self.n_threads)
        if self.memory is not None:
            options.memory = str(self.memory)
        return options

    def _fit(self, X: Any, y: Any, sample_weight: Any, eval_set: Any, callbacks: Any, start: Model | None, comm: Any,
             one_epoch: bool = False) -> Self:
        comm = _processes.checked(comm)
        with _processes.together(comm):
            options = self._options(comm is not None)
            if start is not None and self.members is None:
                options.set("members", [str(len(start.networks))], "members")
            X, y = _frames.held(X), _frames.held_target(y)
            names = _rows.feature_names(X)
            if start is not None:
                _rows.check_names(self, names)
            held = eval_set[0] if isinstance(eval_set, tuple) and eval_set else X
            encode = self._needs_encoder(X, start) or self._needs_encoder(held, start)
        options.seed = _processes.first(comm, options.seed)
        encode = any(_processes.gathered(comm, encode))  # the texts of a column may all be with another process
        shared = comm is not None
        with _processes.together(comm):
            given = _rows.contents(X, "X", encode, shared)
            count, width = _rows.shape(given)
            if start is not None and width != self.n_features_in_:
                raise ValueError(_features_message(self, width))
            columns = self._columns(names, width, start)
            outputs = start.target_names if start is not None else _rows.target_names(y, columns)
        target = self._target(y, count, comm, start)
        with _processes.together(comm):
            values, flat = target.values(y, count)
            rows = _rows.training_rows(given, encode, columns, outputs, values, sample_weight, target.labels, shared)
            validation = None
            if eval_set is not None:
                validation = _validation_rows(eval_set, names, encode, columns, outputs, target, shared)
        if shared:
            _processes.agree(comm, self._facts(columns, outputs, sample_weight, eval_set, start))
        count = sum(_processes.gathered(comm, count))
        if count < 2:
            raise ValueError(f"Found array with {count} sample(s) while a minimum of 2 is required: one sample is not enough "
                             "to fit a scale")
        if encode:
            options.set("target", rows.names[width:], "y")
        if one_epoch:
            options.set("sweeps", ["1"], "max_epochs")
        self._plan_stopping(options, False if one_epoch else self.early_stopping, count, eval_set is not None)
        report = _report(callbacks, self.verbose and _processes.is_first(comm))
        fit = _strata.fit_table if encode else _strata.fit_numbers
        with _processes.private(comm) as messages, _processes.together(comm, talking=True):
            fitted = fit(rows, validation, options, start._model if start is not None else None, report, messages)
        self._keep(fitted, names, flat, width)
        target.keep(self)
        if _processes.is_first(comm):
            _warn(fitted.notices)
            if self.stop_reason_ in LIMITS and not one_epoch:
                warnings.warn(f"training ended by a limit, not by convergence: {self.result_.message}; raise {LIMITS[self.stop_reason_]} "
                              "for a better model", ConvergenceWarning, stacklevel=3)
        with _processes.together(comm):
            fitted.raise_pending()
        return self

    def _columns(self, names: list[str] | None, width: int, start: Model | None) -> list[str]:
        """Names of the columns of X; those of the first fit where training goes on."""
        if start is None:
            return _rows.names_for(names, width)
        fitted = getattr(self, "feature_names_in_", None)
        return _rows.names_for(None if fitted is None else list(fitted), self.n_features_in_)

    def _facts(self, columns: list[str], outputs: list[str], sample_weight: Any, eval_set: Any, start: Model | None) -> dict[str, Any]:
        """What processes that share the rows must have in common, each by a name for the user."""
        own = ("random_state", "n_threads", "memory", "verbose")  # the first process decides on the seed
        return {
            **{f"option '{name}'": repr(value) for name, value in self.get_params().items() if name not in own},
            "columns of X": columns,
            "columns of y": outputs,
            "sample_weight": "given" if sample_weight is not None else "not given",
            "eval_set": "not given" if eval_set is None else f"{len(eval_set)} parts",
            "weights to start from": None if start is None else [_processes.fingerprint(one.weights) for one in start.networks],
        }

    def _needs_encoder(self, X: Any, start: Model | None) -> bool:
        if _options.names(self.categorical) or _options.names(self.ignore) or (start is not None and not start._plain):
            return True
        if _frames.is_frame(X) and not _frames.all_numbers(X):
            return True
        return self.missing != "refuse" and not self.strict and _rows.has_missing(X)

    def _plan_stopping(self, options: _strata.FitOptions, wanted: bool | str, rows: int, given: bool) -> None:
        if wanted not in (True, False, "auto"):
            raise ValueError(f"option 'early_stopping' = '{wanted}': use True, False or 'auto'")
        if wanted == "auto":
            wanted = rows >= ROWS_FOR_VALIDATION or given
        fraction = float(self.validation_fraction) if wanted and not given else 0.0
        options.set("validation", [_options.as_text(fraction)], "validation_fraction")
        if not wanted:
            options.set("patience", ["0"], "patience")

    def _keep(self, fitted: _strata.Fitted, names: list[str] | None, flat: bool, width: int) -> None:
        if not np.isfinite(fitted.training.value):
            fitted.raise_pending()
            raise ValueError("training met no finite objective, so there is no model; try another scale, method or rate")
        self.model_ = Model(fitted.model)
        self._finds_columns = False
        self.n_features_in_ = width  # of X; the model may have left columns out
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_outputs_ = len(self.model_.target_names)
        self._flat = flat
        self.result_ = Result(fitted.training, fitted.l2)
        self.stop_reason_ = self.result_.reason
        self.n_iter_ = max(1, self.result_.epochs)
        self.best_iteration_ = self.result_.best_epoch
        self.l2_ = fitted.l2
        # Records inside a long epoch have no value.
        first = [record for record in self.result_.history if record["member"] == 0 and record["value"] is not None]
        self.loss_curve_ = [record["value"] for record in first]
        curve = [record["validation_loss"] for record in first]
        self.validation_curve_ = None if all(loss is None for loss in curve) else curve

    # --- Predictions

    def _predict(self, X: Any, what: str = "response") -> Array:
        """A column for each target, class or level; with a spread, as many more."""
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None and self.n_features_in_ == len(self.model_._input_names):
            few = self.model_._predict_few(X, what)
            if few is not None:
                return few
        X = _frames.held(X)
        names = _rows.feature_names(X)
        if names is None or not self._finds_columns:
            _rows.check_names(self, names)
        columns = _rows.names_for(None if fitted is None else list(fitted), self.n_features_in_)
        return self.model_._predict(X, threads(self.n_threads), columns, lambda width: _features_message(self, width), what)

    # --- Weights, files, figures

    @property
    def coefs_(self) -> list[Array]:
        """Weights of the layers, (fan_in, fan_out), in scaled units; a bias is the last row. Of several members, the first's:
        model_.networks has them all."""
        if not hasattr(self, "model_"):
            raise AttributeError("coefs_ is there after fit")
        return self.model_.networks[0].weights

    def save(self, path: Any) -> None:
        """Writes the model as a file that `strata predict` and strata.load_model read."""
        self._fitted_model("save").save(path)

    def to_onnx(self, path: Any = None) -> bytes:
        """The model as an ONNX graph, also written to `path` where one is given; see Model.to_onnx."""
        return self._fitted_model("export").to_onnx(path)

    def to_c(self, path: Any) -> None:
        """Writes the model as C99 without dependencies: path.h and path.c."""
        self._fitted_model("export").to_c(path)

    def _fitted_model(self, purpose: str) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; there is nothing to {purpose}")
        return self.model_

    @classmethod
    def load(cls, path: Any) -> Self:
        """An estimator, ready to predict, from a file that save or `strata train` wrote."""
        model = load_model(path)
        estimator = cls()
        estimator._adopt(model, str(path))
        return estimator

    def _adopt(self, model: Model, path: str) -> None:
        self.model_ = model
        if model.input_names != _rows.names_for(None, len(model.input_names)):  # those of an array are made up
            self.feature_names_in_ = np.array(model.input_names, dtype=object)
        self.n_features_in_ = len(model.input_names)
        self._finds_columns = hasattr(self, "feature_names_in_")
        self.n_outputs_ = len(model.target_names)
        self._flat = self.n_outputs_ == 1

    def importances(self, X: Any, y: Any, n_repeats: int = 5, random_state: Any = 0) -> Array:
        """How much each column of X matters: by how much score falls when its values are shuffled.

        Use rows that did not train. The result is also kept as feature_importances_.

        Parameters
        ----------
        X, y : rows and their targets, as for score
        n_repeats : int
            Shuffles of each column; the mean is returned.
        random_state : int, generator or None
            Seed of the shuffles.

        Returns
        -------
        array of shape (n_features,)
        """
        _rows.check_names(self, _rows.feature_names(_frames.held(X)))
        chance = np.random.default_rng(_options.seed(random_state))
        full = self.score(X, y)
        rows = len(X)
        falls = [[full - self.score(_rows.with_column_shuffled(X, column, chance.permutation(rows)), y)
                  for _ in range(operator.index(n_repeats))] for column in range(self.n_features_in_)]
        mean: Array = np.mean(falls, axis=1)
        self._importances = mean
        return mean

    @property
    def feature_importances_(self) -> Array:
        """What importances() found last."""
        if "_importances" not in vars(self):
            raise AttributeError("feature_importances_ is there after importances(X, y), called with rows that did not train")
        found: Array = self._importances
        return found

    def plot(self, ax: Any = None) -> Any:
        """The objective, and the validation loss where there is one, after every epoch. Needs matplotlib."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot() needs matplotlib; install it, or use loss_curve_ and validation_curve_") from None
        ax = plt.subplots()[1] if ax is None else ax
        ax.plot(self.loss_curve_, label="training objective")
        if self.validation_curve_ is not None:
            ax.plot(self.validation_curve_, label="validation loss")
        ax.set_yscale("log")
        ax.set_xlabel("epoch")
        ax.legend()
        return ax

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse" and not self.strict
        tags.target_tags.required = True
        return tags


def _warn(notices: list[str]) -> None:
    for notice in notices:
        warnings.warn(notice, UserWarning, stacklevel=4)


def _one_eval_set(eval_set: Any) -> Any:
    if not isinstance(eval_set, list) or not all(isinstance(entry, tuple) for entry in eval_set):
        return eval_set
    if len(eval_set) != 1:
        raise ValueError(f"option 'eval_set' has {len(eval_set)} sets; give one (X, y): early stopping watches a single set")
    return eval_set[0]


def _validation_rows(eval_set: Any, names: list[str] | None, encode: bool, columns: list[str], outputs: list[str],
                     target: Target, shared: bool) -> Any:
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise TypeError("eval_set must be (X, y) or (X, y, sample_weight)")
    X, y, *weight = eval_set
    X, y = _frames.held(X), _frames.held_target(y)
    if _rows.feature_names(X) != names:
        raise ValueError("the columns of eval_set are not those of X; give the same ones in the same order")
    given = _rows.contents(X, "eval_set X", encode, shared)
    if _rows.shape(given)[1] != len(columns):
        raise ValueError(f"eval_set has {_rows.shape(given)[1]} columns where X has {len(columns)}")
    values, _ = target.values(y, _rows.shape(given)[0])
    return _rows.training_rows(given, encode, columns, outputs, values, weight[0] if weight else None, target.labels, shared)


def _features_message(estimator: Estimator, found: int) -> str:
    return (f"X has {found} features, but {type(estimator).__name__} is expecting "
            f"{getattr(estimator, 'n_features_in_', 0)} features as input")


def _report(callbacks: Any, verbose: bool | int) -> Callable[[dict[str, Any]], bool] | None:
    calls = [callbacks] if callable(callbacks) else list(callbacks or ())
    if not calls and not verbose:
        return None

    show = _progress.shower(verbose) if verbose else None

    def report(record: dict[str, Any]) -> bool:
        if show is not None:
            show(record)
        answers = [call(record) for call in calls]  # every callback is called, whatever the others return
        return any(answer is True for answer in answers)

    return report
