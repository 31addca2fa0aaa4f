"""Models that leave: the ONNX graph in its own checker and runtime, C source in a compiler."""

import subprocess

import numpy as np
import pandas as pd
import pytest
import strata

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

ACTIVATIONS = ["linear", "sigmoid", "tanh", "relu", "leaky_relu", "elu", "softplus", "silu"]
QUICK = dict(hidden=(6, 4), max_epochs=2, early_stopping=False, random_state=1, n_threads=1)


def frame(rows, seed, gaps=False):
    """A column of every kind, under names that no language likes."""
    random = np.random.default_rng(seed)
    made = pd.DataFrame({
        "v0": random.uniform(-3, 250, rows),  # as the graph might call a value of its own
        "street": random.choice(["north", "south \"side\"", "été"], rows).astype(object),
        "same": 2.5,
        "label": random.choice(["no", "yes"], rows).astype(object),
        "rooms": random.integers(1, 5, rows) + 0.5,
        "one": np.array(["only"] * rows, dtype=object),
        "opened": random.choice(["1999-12-31 23:30", "2003-01-01 04:00", "2024-02-29 12:15"], rows).astype(object),
    })
    if gaps:
        for column in ("v0", "street", "label", "rooms", "opened"):
            made.loc[random.random(rows) < 0.2, column] = np.nan if column in ("v0", "rooms") else None
    return made


def date_part(X, name):
    """Of a column of dates: months, days and weekdays count from 1."""
    column, part = name.split(" ")
    dates = pd.to_datetime(X[column]).dt
    return {"year": dates.year, "month": dates.month, "day": dates.day, "weekday": dates.weekday + 1,
            "hour": dates.hour + dates.minute / 60}[part]


def numbers(rows, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)) * [1, 100, 0.01]
    return X, X[:, 0] + np.sin(X[:, 1] / 50) + 3


def run(estimator, X):
    """What the graph gives: a dict by the name of the output."""
    graph = onnx.load_from_string(estimator.to_onnx())
    onnx.checker.check_model(graph, full_check=True)
    session = runtime.InferenceSession(graph.SerializeToString())
    if not isinstance(X, pd.DataFrame):
        feed = {"X": np.asarray(X, dtype=np.float64)}
    else:
        feed = {}
        for given in session.get_inputs():
            column = X[given.name] if given.name in X else date_part(X, given.name)
            if given.type == "tensor(string)":
                feed[given.name] = column.astype(object).where(column.notna(), "").to_numpy(dtype=object).reshape(-1, 1)
            else:
                feed[given.name] = column.to_numpy(dtype=np.float64).reshape(-1, 1)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def same(found, expected):
    expected = np.asarray(expected, dtype=float).reshape(found.shape)
    scale = np.nanmax(np.abs(expected), axis=0)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.nanmax(np.abs(found - expected) / scale) < 1e-9


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation(activation):
    X, y = numbers(80, 1)
    model = strata.StrataRegressor(activation=activation, **QUICK).fit(X, y)
    new, _ = numbers(40, 2)
    if activation in ("sigmoid", "tanh"):
        new[3, 1] = 1e308
    same(run(model, new)["prediction"], model.predict(new))


@pytest.mark.parametrize("activation", ["gaussian", "multiquadric", "inverse_multiquadric"])
def test_every_radial_function(activation):
    X, y = numbers(80, 1)
    model = strata.StrataRegressor(activation=activation, radial_width=0.7, **{**QUICK, "hidden": (6,)}).fit(X, y)
    new, _ = numbers(40, 2)
    same(run(model, new)["prediction"], model.predict(new))


@pytest.mark.parametrize("bias", ["none", "input", "per_layer"])
@pytest.mark.parametrize("scale", ["none", "minmax", "standard"])
def test_every_bias_and_scale(bias, scale):
    X, y = numbers(80, 1)
    model = strata.StrataRegressor(bias=bias, scale=scale, target_scale=scale, **QUICK).fit(X, y)
    same(run(model, X)["prediction"], model.predict(X))


@pytest.mark.parametrize("options", [dict(loss="huber"), dict(loss="poisson"), dict(loss="quantile"),
                                     dict(loss="quantile", levels=(0.1, 0.5, 0.9))])
@pytest.mark.parametrize("members", [1, 3])
def test_every_loss(options, members):
    X, y = numbers(80, 1)
    model = strata.StrataRegressor(**options, members=members, **QUICK).fit(X, np.abs(y))
    expected = model.predict(X, quantiles=options["levels"]) if "levels" in options else model.predict(X)
    same(run(model, X)["prediction"], expected)


def test_several_targets_with_several_quantiles():
    X, y = numbers(80, 1)
    model = strata.StrataRegressor(loss="quantile", levels=(0.2, 0.8), **QUICK).fit(X, np.column_stack([y, 10 * y]))
    same(run(model, X)["prediction"], model.predict(X, quantiles=(0.2, 0.8)).reshape(80, 4))


@pytest.mark.parametrize("missing", ["impute", "drop"])
@pytest.mark.parametrize("categorical", [(), ("rooms",)])
@pytest.mark.parametrize("knots", [0, 3, 20])
def test_every_kind_of_column_with_gaps(missing, categorical, knots):
    X = frame(120, 1, gaps=True)
    y = np.arange(120.0)
    model = strata.StrataRegressor(missing=missing, unseen="zeros", categorical=categorical, knots=knots, **QUICK).fit(X, y)
    new = frame(60, 2, gaps=True)
    new.loc[3, "street"] = "unheard of"
    new.loc[4, "rooms"] = 17
    out = run(model, new)["prediction"]
    same(out, model.predict(new))
    assert np.isnan(out).any() == (missing == "drop")


def test_tables_go_on_beyond_their_knots_and_take_gaps_that_training_had_not():
    X, y = numbers(80, 1)
    X = np.column_stack([X, np.sign(X[:, 0])])  # two values: no knots
    model = strata.StrataRegressor(knots=12, missing="impute", members=3, **QUICK).fit(X, y)
    new = np.vstack([2 * X, np.full((4, 4), np.nan)])
    new[-4:, :] = np.where(np.eye(4) == 1, np.nan, X[:4])
    same(run(model, new)["prediction"], model.predict(new))


def test_a_table_of_categories_alone():
    X = frame(60, 1)[["street", "label"]]
    model = strata.StrataRegressor(knots=12, **QUICK).fit(X, np.arange(60.0))
    same(run(model, X)["prediction"], model.predict(X))


@pytest.mark.parametrize("knots", [0, 12])
def test_a_row_that_the_model_refuses_has_no_prediction(knots):
    X = frame(60, 1)
    model = strata.StrataRegressor(missing="refuse", unseen="refuse", knots=knots, **QUICK).fit(X, np.arange(60.0))
    new = frame(20, 2)
    expected = model.predict(new)
    new.loc[3, "street"] = "unheard of"
    new.loc[4, "v0"] = np.nan
    new.loc[5, "street"] = None
    expected[3:6] = np.nan
    same(run(model, new)["prediction"], expected)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("knots", [0, 12])
def test_labels_and_probabilities(classes, knots):
    X = frame(120, 1)
    y = np.array(["a", "b", "c"])[(X["v0"] * classes / 260).clip(0).astype(int)]
    model = strata.StrataClassifier(missing="refuse", unseen="refuse", knots=knots, **QUICK).fit(X, y)
    new = frame(60, 2)
    out = run(model, new)
    same(out["probabilities"], model.predict_proba(new))
    assert list(out["label_"]) == list(model.predict(new))  # an input is called label
    new.loc[3, "street"] = "unheard of"
    out = run(model, new)
    assert out["label_"][3] == "" and np.isnan(out["probabilities"][3]).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_members_are_calibrated(classes):
    X = frame(300, 1)
    y = np.array(["a", "b", "c"])[(X["v0"] * classes / 260).clip(0).astype(int)]
    model = strata.StrataClassifier(members=3, knots=8, hidden=(6,), max_epochs=4, random_state=1).fit(X, y)
    assert len(model.model_.networks) == 3 and model.model_._model.temperature != 1
    new = frame(60, 2)
    same(run(model, new)["probabilities"], model.predict_proba(new))


def test_the_file_and_the_columns_are_named(tmp_path):
    X, y = numbers(60, 1)
    model = strata.StrataRegressor(loss="quantile", levels=(0.1, 0.9), **QUICK).fit(X, y)
    content = model.to_onnx(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == content
    graph = onnx.load_from_string(content)
    assert [(each.domain, each.version) for each in graph.opset_import] == [("", 19)]
    assert {each.key: each.value for each in graph.metadata_props} == {"strata.columns": '["y_q0.1","y_q0.9"]'}


def test_c_source_compiles(tmp_path):
    X, y = numbers(60, 1)
    strata.StrataRegressor(**QUICK).fit(X, y).to_c(tmp_path / "model")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "model.c"], cwd=tmp_path, check=True)


def test_there_is_nothing_to_export_before_fit():
    with pytest.raises(ValueError, match="there is nothing to export"):
        strata.StrataRegressor().to_onnx()


def test_pairs_of_numbers_are_read_by_the_graph():
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.uniform(-1, 1, (2000, 4)), columns=list("abcd"))
    y = np.sin(9 * (X["b"] + 2 * X["d"])) + 0.1 * random.normal(size=2000)
    X.loc[random.random(2000) < 0.05, "b"] = np.nan
    with pytest.warns(UserWarning, match="missing"):
        model = strata.StrataRegressor(hidden=(5,), knots=12, lines="ranks", interactions=1, max_epochs=5, random_state=1).fit(X, y)
    plain = strata.StrataRegressor(hidden=(5,), knots=12, lines="ranks", max_epochs=5, random_state=1)
    with pytest.warns(UserWarning, match="missing"):
        plain.fit(X, y)
    assert len(model.model_.networks[0].weights[0]) > len(plain.model_.networks[0].weights[0])  # a pair was found
    same(run(model, X.to_numpy())["prediction"], model.predict(X))
