"""StrataClassifier: labels of any kind, probabilities, weights of classes, and scikit-learn's tools around it."""

import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.utils.estimator_checks import check_estimator

import strata


def spirals(classes=2, rows=400, seed=1):
    table = strata.spirals(rows=rows, classes=classes, seed=seed)
    labels, codes = table.column("class")
    return np.column_stack([table.column("x1"), table.column("x2")]), np.array(labels)[codes]


@pytest.fixture
def quick_classifier():
    def make(**options):
        return strata.StrataClassifier(**{"hidden": (8,), "activation": "tanh", "method": "lbfgs", "max_epochs": 60,
                                          "random_state": 0, "n_threads": 1, **options})
    return make


@pytest.mark.filterwarnings("ignore")
def test_all_of_scikit_learns_checks_pass():
    results = check_estimator(strata.StrataClassifier(n_threads=1), on_skip=None, on_fail=None)
    failed = [f"{r['check_name']}: {r['exception']}" for r in results if r["status"] == "failed"]
    assert not failed
    passed = {r["check_name"] for r in results if r["status"] == "passed"}
    assert {r["check_name"] for r in results} - passed == {"check_array_api_input"}


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_scores_and_labels_agree(quick_classifier, classes):
    X, y = spirals(classes)
    model = quick_classifier().fit(X, y)
    proba = model.predict_proba(X)
    assert proba.shape == (400, classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    assert model.score(X, y) > 0.8
    scores = model.decision_function(X)
    if classes == 2:
        np.testing.assert_allclose(1 / (1 + np.exp(-scores)), proba[:, 1], rtol=1e-12)
    else:
        np.testing.assert_array_equal(scores.argmax(axis=1), proba.argmax(axis=1))


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [-3, 7], [False, True], [1.0, 2.0]], ids=str)
def test_labels_may_be_of_any_kind(quick_classifier, labels):
    X, y = spirals()
    y = np.array(labels)[(y == "b").astype(int)]
    model = quick_classifier().fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.array(labels))
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) > 0.8
    assert model.model_.classes == [str(label) for label in np.array(labels)]


def test_frames_with_texts_and_missing_values(quick_classifier):
    X, y = spirals()
    frame = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "side": np.where(X[:, 0] > 0, "right", "left")})
    frame.loc[3, "x2"] = np.nan
    model = quick_classifier(missing="impute").fit(frame, pd.Series(y, dtype="category"))
    assert model.score(frame, y) > 0.8


def test_class_weights_shift_the_labels(quick_classifier):
    X, y = spirals()
    plain = (quick_classifier(hidden=()).fit(X, y).predict(X) == "b").mean()
    heavy = (quick_classifier(hidden=(), class_weight={"b": 50}).fit(X, y).predict(X) == "b").mean()
    assert heavy > plain + 0.2
    rare = np.r_[np.flatnonzero(y == "a"), np.flatnonzero(y == "b")[:20]]
    balanced = quick_classifier(hidden=(), class_weight="balanced").fit(X[rare], y[rare])
    given = quick_classifier(hidden=(), class_weight={"a": 20, "b": np.sum(y == "a")}).fit(X[rare], y[rare])
    np.testing.assert_allclose(balanced.predict_proba(X), given.predict_proba(X), atol=0.02)


def test_calibration_lowers_the_log_loss_of_an_overfitted_network(quick_classifier):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    y = rng.random(1500) < 1 / (1 + np.exp(-X[:, 0]))
    new = rng.normal(size=(4000, 5))
    truth = rng.random(4000) < 1 / (1 + np.exp(-new[:, 0]))
    options = {"hidden": (40,), "l2": 0.0, "max_epochs": 150, "patience": 1000}
    plain = quick_classifier(calibrate=False, **options).fit(X, y)
    calibrated = quick_classifier(**options).fit(X, y)
    assert plain.model_._model.temperature == 1
    assert log_loss(truth, calibrated.predict_proba(new)) <= log_loss(truth, plain.predict_proba(new)) + 1e-3


def test_files_pickles_and_the_command_line_agree(quick_classifier, tmp_path, program):
    X, y = spirals(3)
    model = quick_classifier().fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "m")
    loaded = strata.load_model(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    pd.DataFrame(X, columns=["x1", "x2"]).to_csv(tmp_path / "x.csv", index=False)
    written = subprocess.run([program, "predict", tmp_path / "m", tmp_path / "x.csv"], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(written.stdout.split()[1:], model.predict(X))


def test_an_eval_set_and_partial_fit(quick_classifier):
    X, y = spirals(3)
    model = quick_classifier().fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    assert model.validation_curve_ is not None
    step = quick_classifier(method="adam").partial_fit(X[:50], y[:50], classes=["a", "b", "c"])
    step.partial_fit(X[:10][y[:10] == y[0]], y[:10][y[:10] == y[0]])
    assert list(step.classes_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="not those of the first call"):
        step.partial_fit(X, y, classes=["a", "b"])


@pytest.mark.filterwarnings("ignore")
def test_tools_of_scikit_learn(quick_classifier):
    X, y = spirals(3, rows=240)
    quick = quick_classifier(max_epochs=20)
    assert CalibratedClassifierCV(quick, cv=2).fit(X, y).predict_proba(X).shape == (240, 3)
    stack = StackingClassifier([("net", quick), ("line", LogisticRegression())], cv=2).fit(X, y)
    assert stack.score(X, y) > 0.5
    assert cross_val_predict(quick, X, y, cv=2, method="predict_proba").shape == (240, 3)
    assert permutation_importance(quick.fit(X, y), X, y, n_repeats=2).importances_mean.min() > 0


def test_a_class_of_one_row_is_named(quick_classifier):
    X, y = spirals()
    y = y.astype(object)
    y[0] = "lonely"
    with pytest.warns(UserWarning, match="the class 'lonely' of y has one row, which stays in training"):
        model = quick_classifier().fit(X, y)
    assert "lonely" in model.classes_


@pytest.mark.parametrize(("y", "message"), [
    (["a"] * 8, "y has one class, a; classification needs two or more"),
    ([0.0, 1.0, np.nan] + [0.0] * 5, r"y\[2\] is missing"),
    (["a", None] + ["b"] * 6, r"y\[1\] is missing"),
    ([0.5, 1.0] * 4, "Unknown label type: continuous"),
    (list("abcdefgh"), "as many classes as"),
    (["a", 1] * 4, None),
], ids=["single", "nan", "none", "continuous", "unique", "mixed"])
def test_bad_labels_are_one_sentence(quick_classifier, y, message):
    X = np.arange(16.0).reshape(8, 2)
    if message is None:  # numpy makes texts of a mixed list; of objects it cannot
        y, message = np.array(y, dtype=object), "labels that have no order"
    with pytest.raises(ValueError, match=message):
        quick_classifier().fit(X, y)


def test_weights_of_classes_that_are_not_there_are_refused(quick_classifier):
    X, y = spirals()
    with pytest.raises(ValueError, match="'class_weight' = 'z': the target has no such class"):
        quick_classifier(class_weight={"z": 1}).fit(X, y)


# --- Regression by other losses

def test_quantiles_are_predicted_where_they_were_trained():
    rng = np.random.default_rng(1)
    X = rng.random((600, 1))
    y = X[:, 0] + rng.normal(scale=0.2, size=600)
    model = strata.StrataRegressor((8,), "lbfgs", loss="quantile", levels=(0.1, 0.5, 0.9), max_epochs=80, random_state=0,
                                   n_threads=1).fit(X, y)
    low, high = model.predict(X, quantiles=(0.1, 0.9)).T
    assert (low < high).all()
    assert np.mean((low <= y) & (y <= high)) == pytest.approx(0.8, abs=0.06)
    np.testing.assert_array_equal(model.predict(X), model.predict(X, quantiles=[0.5])[:, 0])
    with pytest.raises(ValueError, match="name the level in levels"):
        model.predict(X, quantiles=[0.25])
    two = strata.StrataRegressor((4,), "lbfgs", loss="quantile", levels=(0.2, 0.8), max_epochs=5).fit(X, np.column_stack([y, -y]))
    assert two.predict(X).shape == (600, 2)
    assert two.predict(X, quantiles=[0.2, 0.8]).shape == (600, 2, 2)


def test_counts_and_outliers():
    rng = np.random.default_rng(2)
    X = rng.random((500, 2))
    counts = rng.poisson(np.exp(3 * X[:, 0]))
    options = {"hidden": (6,), "method": "lbfgs", "max_epochs": 60, "random_state": 0, "n_threads": 1}
    model = strata.StrataRegressor(loss="poisson", **options).fit(X, counts)
    assert (model.predict(X) > 0).all()
    assert np.corrcoef(model.predict(X), np.exp(3 * X[:, 0]))[0, 1] > 0.9
    with pytest.raises(ValueError, match="and the poisson loss needs 0 or more"):
        strata.StrataRegressor(loss="poisson", **options).fit(X, counts - 1)
    with pytest.raises(ValueError, match="'loss' = 'logistic': use one of squared"):
        strata.StrataRegressor(loss="logistic").fit(X, counts)
    y = X[:, 0].copy()
    y[::50] += 1000
    robust = strata.StrataRegressor(loss="huber", huber_delta=0.01, **options).fit(X, y)
    usual = strata.StrataRegressor(**options).fit(X, y)
    assert np.median(abs(robust.predict(X) - X[:, 0])) < 0.3 * np.median(abs(usual.predict(X) - X[:, 0]))
