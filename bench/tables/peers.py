"""Who is compared: each gets a frame of numbers and texts, and returns predictions for new rows.

Defaults everywhere. Who can stop early does so on 15 % of the training rows, drawn here (class by class) unless the
library draws them itself; preparing the columns a library cannot read is part of its training time.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import blas  # noqa: E402

THREADS = 2
blas.use_threads(THREADS)

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

VALIDATION = 0.15


def _texts(X):
    return [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]


def _held_out(y, task, seed):
    from sklearn.model_selection import train_test_split
    rows = np.arange(len(y))
    counts = np.unique(y, return_counts=True)[1]
    stratify = y if task == "classification" and counts.min() > 1 else None
    return train_test_split(rows, test_size=VALIDATION, random_state=seed, stratify=stratify)


class _Coded:
    """Labels as codes from 0: what XGBoost needs, and the order in which probabilities are compared."""

    def codes(self, y):
        self.classes = np.unique(y)
        return np.searchsorted(self.classes, y)


def strata(effort):
    def fit(X, y, task, seed):
        import strata as package
        options = dict(effort=effort, random_state=seed, n_threads=THREADS, missing="impute", unseen="zeros")
        estimator = package.StrataClassifier if task == "classification" else package.StrataRegressor
        model = estimator(**options).fit(X, y)
        return model.predict_proba if task == "classification" else model.predict
    return fit


def lightgbm(X, y, task, seed):
    import lightgbm as lgb
    categories = {name: sorted(X[name].dropna().unique()) for name in _texts(X)}

    def columns(X):
        return X.assign(**{name: pd.Categorical(X[name], categories=known) for name, known in categories.items()})
    X = columns(X)
    train, held = _held_out(y, task, seed)
    estimator = lgb.LGBMClassifier if task == "classification" else lgb.LGBMRegressor
    model = estimator(n_estimators=1000, random_state=seed, n_jobs=THREADS, verbose=-1)
    model.fit(X.iloc[train], y[train], eval_set=[(X.iloc[held], y[held])], callbacks=[lgb.early_stopping(50, verbose=False)])
    return (lambda X: model.predict_proba(columns(X))) if task == "classification" else (lambda X: model.predict(columns(X)))


def catboost(X, y, task, seed):
    import catboost as cb
    texts = _texts(X)

    def columns(X):
        return X.assign(**{name: X[name].fillna("missing").astype(str) for name in texts})
    X = columns(X)
    train, held = _held_out(y, task, seed)
    estimator = cb.CatBoostClassifier if task == "classification" else cb.CatBoostRegressor
    model = estimator(random_seed=seed, thread_count=THREADS, verbose=False, allow_writing_files=False,
                      early_stopping_rounds=50, cat_features=texts)
    model.fit(X.iloc[train], y[train], eval_set=(X.iloc[held], y[held]))
    return (lambda X: model.predict_proba(columns(X))) if task == "classification" else (lambda X: model.predict(columns(X)))


def xgboost(X, y, task, seed):
    import xgboost as xgb
    categories = {name: sorted(X[name].dropna().unique()) for name in _texts(X)}

    def columns(X):
        return X.assign(**{name: pd.Categorical(X[name], categories=known) for name, known in categories.items()})
    X = columns(X)
    train, held = _held_out(y, task, seed)
    codes = _Coded().codes(y) if task == "classification" else y
    estimator = xgb.XGBClassifier if task == "classification" else xgb.XGBRegressor
    model = estimator(n_estimators=1000, early_stopping_rounds=50, random_state=seed, n_jobs=THREADS, enable_categorical=True,
                      tree_method="hist")
    model.fit(X.iloc[train], codes[train], eval_set=[(X.iloc[held], codes[held])], verbose=False)
    return (lambda X: model.predict_proba(columns(X))) if task == "classification" else (lambda X: model.predict(columns(X)))


def hist_gradient_boosting(X, y, task, seed):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.preprocessing import OrdinalEncoder, StandardScaler
    texts = _texts(X)
    # Codes of up to 255 categories; those that training did not see are missing values.
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan)
    if texts:
        encoder.fit(X[texts])

    def columns(X):
        if not texts:
            return X
        codes = encoder.transform(X[texts])
        return X.assign(**{name: codes[:, k] for k, name in enumerate(texts)})
    estimator = HistGradientBoostingClassifier if task == "classification" else HistGradientBoostingRegressor
    model = estimator(max_iter=1000, early_stopping=True, validation_fraction=VALIDATION, random_state=seed,
                      categorical_features=texts or None)
    if task == "regression":  # it stops early where the loss falls by less than 1e-7, which is much for a target of 1e-4
        model = TransformedTargetRegressor(model, transformer=StandardScaler())
    model.fit(columns(X), y)
    return (lambda X: model.predict_proba(columns(X))) if task == "classification" else (lambda X: model.predict(columns(X)))


def mlp(X, y, task, seed):
    from sklearn.compose import TransformedTargetRegressor, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    texts = _texts(X)
    numbers = [name for name in X if name not in texts]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts))
    options = dict(early_stopping=True, validation_fraction=VALIDATION, max_iter=1000, random_state=seed)
    if task == "classification":
        model = make_pipeline(columns, MLPClassifier(**options)).fit(X, y)
        return model.predict_proba
    target = TransformedTargetRegressor(MLPRegressor(**options), transformer=StandardScaler())
    return make_pipeline(columns, target).fit(X, y).predict


def pytabkit(estimator):
    def fit(X, y, task, seed):
        import pytabkit as package
        train, held = _held_out(y, task, seed)
        kind = "Classifier" if task == "classification" else "Regressor"
        model = getattr(package, f"{estimator}_{kind}")(device="cpu", random_state=seed, n_threads=THREADS, verbosity=0)
        model.fit(X.iloc[train], y[train], X.iloc[held], y[held], cat_col_names=_texts(X))
        return model.predict_proba if task == "classification" else model.predict
    return fit


PEERS = {
    "strata quick": strata("quick"), "strata": strata("default"), "strata best": strata("best"),
    "LightGBM": lightgbm, "CatBoost": catboost, "XGBoost": xgboost,
    "HistGradientBoosting": hist_gradient_boosting, "MLP": mlp,
}
# These take many minutes for a table: one split of a few tables that have no missing values, which they do not take.
SLOW = {"RealMLP": pytabkit("RealMLP_TD"), "TabM": pytabkit("TabM_D")}
SLOW_SETS, SLOW_SEEDS = ("cpu_act", "ccpp", "spambase"), (1,)
PACKAGES = {"LightGBM": "lightgbm", "CatBoost": "catboost", "XGBoost": "xgboost", "HistGradientBoosting": "scikit-learn",
            "MLP": "scikit-learn", "RealMLP": "pytabkit", "TabM": "pytabkit"}
