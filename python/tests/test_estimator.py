"""What fit leaves behind, and how it can be steered."""

import copy
import pickle

import numpy as np
import pytest

import strata


def test_attributes_after_fit(friedman, quick):
    X, y = friedman
    model = quick().fit(X, y)
    assert model.n_features_in_ == 5
    assert model.n_outputs_ == 1
    assert not hasattr(model, "feature_names_in_")
    assert model.stop_reason_ == "max_sweeps"
    assert len(model.loss_curve_) == len(model.validation_curve_) == model.n_iter_ == 5
    assert model.loss_curve_[-1] < model.loss_curve_[0]
    assert [layer.shape for layer in model.coefs_] == [(6, 6), (7, 1)]
    assert model.result_.best_epoch <= 5
    assert model.result_.to_frame()["value"].tolist() == model.loss_curve_
    assert model.model_.training["rows"] == {"train": 255, "validation": 45}


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(friedman, quick):
    X, y = friedman
    first = quick().fit(X, y).predict(X)
    np.testing.assert_array_equal(quick().fit(X, y).predict(X), first)
    np.testing.assert_array_equal(quick(n_threads=2).fit(X, y).predict(X), first)
    assert not np.array_equal(quick(random_state=1).fit(X, y).predict(X), first)
    state = np.random.RandomState(3)
    assert not np.array_equal(quick(random_state=state).fit(X, y).predict(X), quick(random_state=state).fit(X, y).predict(X))


@pytest.mark.parametrize("method", list(strata.methods()))
def test_every_method_trains(friedman, quick, method):
    X, y = friedman
    assert quick(method=method, max_epochs=3).fit(X, y).loss_curve_[-1] < 1.5


def test_rbf_decomposition_has_a_radial_layer_without_being_told(friedman):
    X, y = friedman
    model = strata.StrataRegressor(method="rbf-decomposition", max_epochs=60, random_state=0, n_threads=1).fit(X, y)
    assert [layer.shape for layer in model.coefs_] == [(5, 50), (51, 1)]  # centres have no bias
    assert model.score(X, y) > 0.9
    told = strata.StrataRegressor(method="rbf-decomposition", hidden=50, activation="gaussian", radial_width=1, max_epochs=60,
                                  random_state=0, n_threads=2).fit(X, y)
    np.testing.assert_array_equal(told.predict(X), model.predict(X))
    wider = strata.StrataRegressor(method="rbf-decomposition", radial_width=3.0, max_epochs=2, random_state=0).fit(X, y)
    assert not np.array_equal(wider.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="only the first hidden layer can be radial; use one hidden layer"):
        strata.StrataRegressor(hidden=(5, 5), activation="gaussian").fit(X, y)


def test_several_outputs_are_predicted_together(friedman, quick):
    X, y = friedman
    both = np.column_stack([y, -2 * y + X[:, 0]])
    model = quick(max_epochs=30).fit(X, both)
    assert model.predict(X).shape == (300, 2)
    assert model.score(X, both) > 0.8
    column = quick().fit(X, y.reshape(-1, 1)).predict(X)
    np.testing.assert_array_equal(column[:, 0], quick().fit(X, y).predict(X))


def test_rows_are_set_aside_as_told(friedman, quick):
    X, y = friedman
    def rows(**options):
        return quick(**options).fit(X, y).model_.training["rows"]
    assert rows(early_stopping=False) == {"train": 300}
    assert rows(validation_fraction=0.5) == {"train": 150, "validation": 150}
    few = quick().fit(X[:199], y[:199])
    assert few.model_.training["rows"] == {"train": 199}
    assert few.validation_curve_ is None
    assert quick(early_stopping=True).fit(X[:100], y[:100]).model_.training["rows"] == {"train": 85, "validation": 15}


def test_an_evaluation_set_ends_the_training(friedman, quick):
    X, y = friedman
    noise = np.random.default_rng(0).normal(size=300)
    model = quick(max_epochs=1000, patience=2, hidden=(30,)).fit(X, noise, eval_set=(X, y))
    assert model.stop_reason_ == "early_stopping"
    assert model.model_.training["rows"] == {"train": 300, "validation": 300}
    weighted = quick().fit(X, y, eval_set=(X, y, np.r_[np.ones(150), np.zeros(150)]))
    first_half = quick().fit(X, y, eval_set=(X[:150], y[:150]))
    np.testing.assert_allclose(weighted.validation_curve_, first_half.validation_curve_, rtol=1e-12)


def test_a_callback_stops_by_true_and_only_by_true(friedman, quick):
    X, y = friedman
    told = []
    model = quick(max_epochs=50).fit(X, y, callbacks=[told.append, lambda record: record["sweep"] == 3])
    assert model.stop_reason_ == "user_request"
    assert [record["sweep"] for record in told] == [0, 1, 2, 3]
    assert quick().fit(X, y, callbacks=lambda record: "go on").stop_reason_ == "max_sweeps"


def test_what_a_callback_raises_is_raised_and_the_best_model_kept(friedman, quick):
    X, y = friedman
    def fail(record):
        if record["sweep"] == 2:
            raise KeyError("mine")
    model = quick(max_epochs=50)
    with pytest.raises(KeyError, match="mine"):
        model.fit(X, y, callbacks=fail)
    assert model.n_iter_ == 3
    assert model.score(X, y) > 0


def test_limits(friedman, quick):
    X, y = friedman
    endless = quick(method="adam", max_epochs=None, time_limit=0.05, patience=0)
    assert endless.fit(X, y).stop_reason_ == "time_limit"
    assert quick(max_epochs=100, objective_at_most=0.5).fit(X, y).stop_reason_ == "objective_at_most"


def test_verbose_prints_every_epoch(friedman, quick, capsys):
    quick(verbose=True).fit(*friedman)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("epoch 1, value ")


def test_l2_follows_from_the_rows_and_from_what_is_left(friedman, quick):
    X, y = friedman
    first = quick(l2="auto", early_stopping=True, max_epochs=1).fit(X, y)
    assert first.l2_ == pytest.approx(1 / (0.85 * len(X)), rel=0.01)
    line = X[:, 0] + 2 * X[:, 1]  # without noise
    assert quick(l2="auto", early_stopping=True, max_epochs=20).fit(X, line).l2_ < 0.3 * first.l2_
    assert quick(l2="auto", early_stopping=False).fit(X, y).l2_ == 1e-5
    assert quick(l2=0.25).fit(X, y).l2_ == 0.25


def test_a_warm_start_goes_on_from_the_weights_there_are(friedman, quick):
    X, y = friedman
    model = quick(warm_start=True, early_stopping=False, method="lbfgs").fit(X, y)
    before = model.loss_curve_[-1]
    assert model.fit(X, y).loss_curve_[0] < before
    cold = quick(early_stopping=False, method="lbfgs").fit(X, y)
    assert cold.fit(X, y).loss_curve_[0] > before


def test_partial_fit_learns_from_one_piece_after_the_other(friedman, quick):
    X, y = friedman
    model = quick(method="adam", rate=0.01, batch=8)
    model.partial_fit(X[:100], y[:100])
    scales = model.model_.inspect()["inputs"]
    first = model.score(X, y)
    for _ in range(10):
        for start in (0, 100, 200):
            model.partial_fit(X[start:start + 100], y[start:start + 100])
    assert model.score(X, y) > max(first, 0.5)
    assert model.model_.inspect()["inputs"] == scales
    with pytest.raises(ValueError, match="partial_fit goes on in minibatches; use one of blgn"):
        quick(method="lbfgs").partial_fit(X, y)


def test_pickles_and_copies_go_through_the_model_format(friedman, quick):
    X, y = friedman
    model = quick(batch=64).fit(X, y)
    stored = pickle.dumps(model)
    assert model.model_.to_bytes() in stored
    for other in (pickle.loads(stored), copy.deepcopy(model), copy.copy(model)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.get_params() == model.get_params()
        assert other.loss_curve_ == model.loss_curve_
    assert pickle.loads(pickle.dumps(quick())).get_params() == quick().get_params()


def test_saved_models_predict_the_same(friedman, quick, tmp_path):
    X, y = friedman
    model = quick().fit(X, y)
    model.save(tmp_path / "model.safetensors")
    loaded = strata.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert (tmp_path / "model.safetensors").read_bytes() == model.model_.to_bytes()


def test_a_constant_target_is_predicted(quick):
    X = np.arange(20.0).reshape(-1, 2)
    np.testing.assert_allclose(quick().fit(X, np.full(10, 7.0)).predict(X), 7.0)


def test_plot_needs_matplotlib_and_says_so(friedman, quick):
    model = quick().fit(*friedman)
    try:
        import matplotlib
    except ImportError:
        with pytest.raises(ImportError, match=r"plot\(\) needs matplotlib"):
            model.plot()
    else:
        matplotlib.use("Agg")
        assert len(model.plot().lines) == 2


def test_knots_read_numbers_categories_and_missing_values_through_tables(quick):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, 600)
    frame = pd.DataFrame({"x": x, "kind": rng.choice(["a", "b", "c"], 600)})
    y = np.floor(x) + (frame["kind"] == "b")
    settings = {"hidden": (10,), "max_epochs": 100, "random_state": 0}
    plain = strata.StrataRegressor(**settings).fit(frame[:400], y[:400])
    tables = strata.StrataRegressor(knots=32, **settings).fit(frame[:400], y[:400])
    assert 1 - tables.score(frame[400:], y[400:]) < 0.5 * (1 - plain.score(frame[400:], y[400:]))  # steps of x
    frame.loc[::10, "x"] = np.nan
    with pytest.warns(UserWarning, match="missing values"):
        tables = strata.StrataRegressor(knots=32, **settings).fit(frame, y)
    new = pd.DataFrame({"x": [np.nan, 1.5], "kind": ["b", "unknown"]})
    assert np.isfinite(tables.predict(new)).all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tables)).predict(new), tables.predict(new))
    with pytest.raises(ValueError, match="'knots' = '1': use at least 2, or 0"):
        quick(knots=1).fit(frame[["x"]].fillna(0), y)
