"""Intervals and sets that hold the truth as often as they say."""

import numpy as np
import pytest
import strata

QUICK = dict(hidden=(10,), max_epochs=10, early_stopping=True, validation_fraction=0.3, random_state=1, n_threads=1)


def wave(rows, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (rows, 2))
    return X, np.sin(2 * X[:, 0]) + (0.1 + 0.3 * (X[:, 1] > 0)) * random.normal(size=rows)


def inside(y, bounds):
    return np.mean((bounds[..., 0] <= y) & (y <= bounds[..., 1]))


@pytest.mark.parametrize("options", [dict(), dict(loss="huber"), dict(loss="quantile", levels=(0.1, 0.9)), dict(loss="quantile")])
@pytest.mark.parametrize("coverage", [0.6, 0.9])
def test_numbers(options, coverage):
    model = strata.StrataRegressor(**options, **QUICK).fit(*wave(3000, 1))
    X, y = wave(3000, 2)
    bounds = model.predict_interval(X, coverage)
    assert bounds.shape == (3000, 2)
    assert abs(inside(y, bounds) - coverage) < 0.05


def test_quantiles_are_wide_where_the_noise_is():
    model = strata.StrataRegressor(loss="quantile", levels=(0.1, 0.9), **{**QUICK, "max_epochs": 60}).fit(*wave(3000, 1))
    X, _ = wave(3000, 2)
    low, high = model.predict_interval(X, 0.8).T
    loud = X[:, 1] > 0
    assert np.mean((high - low)[loud]) > 1.5 * np.mean((high - low)[~loud])


def test_several_targets_and_files(tmp_path):
    X, y = wave(1000, 1)
    model = strata.StrataRegressor(**QUICK).fit(X, np.column_stack([y, 10 * y]))
    bounds = model.predict_interval(X)
    assert bounds.shape == (1000, 2, 2)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(strata.load_model(tmp_path / "m").predict_interval(X), bounds)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes(classes):
    def rows(seed):
        X, y = wave(3000, seed)
        return X, np.array(["a", "b", "c"])[np.digitize(y, [-0.4, 0.4] if classes == 3 else [0.0])]

    model = strata.StrataClassifier(**QUICK).fit(*rows(1))
    X, y = rows(2)
    sets = model.predict_interval(X, 0.9)
    assert sets.shape == (3000, classes) and sets.dtype == bool and sets.any(axis=1).all()
    codes = np.searchsorted(model.classes_, y)
    assert sets[np.arange(3000), codes].mean() > 0.88
    assert sets.sum(axis=1).mean() < classes


def test_sets_that_may_be_empty_cover_what_was_asked_of_a_classifier_that_is_nearly_always_right():
    def rows(seed):
        X, _ = wave(3000, seed)
        return X, np.where(X[:, 0] > 0, "up", "down")

    model = strata.StrataClassifier(**QUICK).fit(*rows(1))
    X, y = rows(2)
    codes = np.searchsorted(model.classes_, y)
    held = [model.predict_interval(X, 0.8, allow_empty=allowed)[np.arange(3000), codes].mean() for allowed in (False, True)]
    assert held[0] > 0.97
    assert abs(held[1] - 0.8) < 0.05


def test_without_validation_rows_there_is_none():
    X, y = wave(100, 1)
    model = strata.StrataRegressor(**{**QUICK, "early_stopping": False}).fit(X, y)
    with pytest.raises(ValueError, match="without validation rows"):
        model.predict_interval(X)


def test_members_that_held_out_the_same_rows_make_bounds_wider_where_they_disagree():
    X, y = wave(1500, 1)
    held = wave(500, 3)
    together = strata.StrataRegressor(members=3, **QUICK).fit(X, y, eval_set=held)
    far = np.array([[0.0, 0.0], [30.0, 30.0]])  # nobody has seen anything like the second
    low, high = together.predict_interval(far).T
    assert (high - low)[1] > 1.5 * (high - low)[0]
    alone = strata.StrataRegressor(members=1, **QUICK).fit(X, y, eval_set=held)
    low, high = alone.predict_interval(far).T
    np.testing.assert_allclose((high - low)[0], (high - low)[1])


def test_sets_of_a_file_are_those_of_the_estimator(tmp_path):
    X, y = wave(600, 1)
    model = strata.StrataClassifier(**QUICK).fit(X, np.where(y > 0, "up", "down"))
    model.save(tmp_path / "m")
    sets = strata.load_model(tmp_path / "m").predict_interval(X, 0.8, allow_empty=True)
    assert sets.dtype == bool
    np.testing.assert_array_equal(sets, model.predict_interval(X, 0.8, allow_empty=True))


@pytest.mark.parametrize("estimator", [strata.StrataRegressor, strata.StrataClassifier])
def test_before_fit_there_is_none(estimator):
    with pytest.raises(ValueError, match="not fitted yet"):
        estimator().predict_interval([[1.0]])


def test_predictions_of_another_shape_are_refused():
    X, y = wave(600, 1)
    model = strata.StrataRegressor(members=2, **QUICK).fit(X, y, eval_set=wave(100, 2))
    with pytest.raises(ValueError, match="option 'predictions' = '1 columns'"):
        model.model_._model.interval(model.predict(X)[:, None], 0.9)
