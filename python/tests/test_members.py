"""Models of several networks."""

import _thread
import pickle
import threading

import numpy as np
import pytest

import strata


def test_members_are_averaged_and_have_a_spread(friedman, quick):
    X, y = friedman
    model = quick(members=3).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_array_equal(model.predict(X), mean)
    assert mean.shape == std.shape == (300,) and (std > 0).all()
    assert len(model.model_.networks) == model.model_.training["members"] == 3
    assert {record["member"] for record in model.result_.history} == {0, 1, 2}
    assert len(model.loss_curve_) == 5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), mean)
    np.testing.assert_array_equal(quick(members=3, n_threads=2).fit(X, y).predict(X), mean)


def test_probabilities_have_a_spread():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.5])
    model = strata.StrataClassifier(hidden=(5,), members=3, max_epochs=5, random_state=1).fit(X, y)
    p, std = model.predict_proba(X, return_std=True)
    assert p.shape == std.shape == (300, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p, rtol=1e-12)


def test_one_network_has_no_spread(friedman, quick):
    X, y = friedman
    with pytest.raises(ValueError, match="the model has one network"):
        quick().fit(X, y).predict(X, return_std=True)


def test_an_eval_set_is_watched_by_all_and_a_callback_ends_all(friedman, quick):
    X, y = friedman
    model = quick(members=2).fit(X[:200], y[:200], eval_set=(X[200:], y[200:]))
    assert model.model_.training["rows"] == {"train": 200, "validation": 100}
    told = []
    ended = quick(members=3, max_epochs=50, n_threads=1).fit(X, y, callbacks=lambda record: told.append(record) or len(told) == 4)
    assert ended.stop_reason_ == "user_request" and len(told) == 4
    assert len(ended.model_.networks) == 1


def test_ctrl_c_ends_members_on_other_threads(friedman, quick):
    X, y = friedman
    model = quick(members=4, method="adam", n_threads=2, max_epochs=10**6, early_stopping=False)
    timer = threading.Timer(1.0, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert 1 <= len(model.model_.networks) <= 2


def test_training_goes_on_with_as_many(friedman, quick):
    X, y = friedman
    model = quick(members=2, warm_start=True).fit(X, y)
    before = model.loss_curve_[-1]
    assert model.fit(X, y).loss_curve_[-1] < before
    model.set_params(members=3)
    with pytest.raises(ValueError, match="option 'members' = '3': the model to train further has 2"):
        model.fit(X, y)


def test_an_effort_gives_what_is_not_set_beside_it(friedman):
    X, y = friedman
    def options(**given):
        made = strata.StrataRegressor(**given)._options(shared=False)
        return [made.get(name) for name in ("members", "hidden", "knots")]

    assert options() == ["6", "50,50,50", "48"]
    assert options(hidden=(7,)) == ["1", "7", "0"]
    assert options(effort="default", hidden=(7,)) == ["6", "7", "48"]
    assert options(effort="quick", members=2) == ["2", "50,50,50", "48"]
    with pytest.raises(ValueError, match="it is for the method 'blgn'; leave it or method='adam' out"):
        strata.StrataRegressor(effort="best", method="adam").fit(X, y)
