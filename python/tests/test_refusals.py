"""Bad input is a ValueError or a TypeError with one sentence: the command line's where it has one."""

import subprocess

import numpy as np
import pytest

import strata


@pytest.mark.parametrize(("options", "sentence"), [
    ({"method": "magic"}, "option 'method' = 'magic': use one of b2ld, bld, neuron-wise, rbf-decomposition, lbfgs"),
    ({"beta1": 0.5}, "option 'method' = 'blgn': has no option 'beta1'"),
    ({"batch": 1.5}, "option 'batch' = '1.5': use a whole number of at least 1"),
    ({"activation": "sine"}, "option 'activation' = 'sine': use "),
    ({"bias": "some"}, "option 'bias' = 'some': use none, input or per_layer"),
    ({"l2": -1}, "option 'l2' = '-1': use a number of at least 0"),
    ({"l2": "best"}, "option 'l2' = 'best': use a number of at least 0, auto, paper or rho"),
    ({"hidden": (3, 0)}, "option 'hidden' = '3,0': use whole numbers of at least 1"),
    ({"hidden": (3.5,)}, "option 'hidden' = '3.5': use whole numbers"),
    ({"time_limit": 0}, "option 'time_limit' = '0': use a time above 0"),
    ({"early_stopping": "often"}, "option 'early_stopping' = 'often': use True, False or 'auto'"),
    ({"validation_fraction": 1.0, "early_stopping": True}, "option 'validation_fraction' = '1': use a fraction between 0 and 1"),
    ({"scale": "log"}, "option 'scale' = 'log': use minmax, standard or none"),
    ({"missing": "guess"}, "option 'missing' = 'guess': use refuse, drop or impute"),
    ({"n_threads": 0}, "option 'n_threads' = '0': use a whole number from 1 to 1024, or None"),
    ({"random_state": -1}, "option 'random_state' = '-1'"),
    ({"max_epochs": -1}, "option 'max_epochs' = '-1'"),
    ({"missing": None}, "option 'missing' = 'None': use refuse, drop or impute"),
    ({"activation": "gaussian", "hidden": 3, "radial_width": 0}, "option 'radial_width' = '0': use a number above 0"),
    ({"early_stopping_metric": "auc", "early_stopping": True}, "option 'early_stopping_metric' = 'auc': use one of loss, rmse"),
])
def test_options(friedman, options, sentence):
    with pytest.raises(ValueError) as refusal:
        strata.StrataRegressor(**options).fit(*friedman)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("header", ["a", "a,b", '"a"', "a\n"])
def test_a_header_without_rows_is_refused(tmp_path, header):
    (tmp_path / "t.csv").write_text(header)
    with pytest.raises(ValueError, match="there is a header but no row"):
        strata.read_table(tmp_path / "t.csv")


def test_the_sentence_is_the_command_lines(friedman, program, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "1,2\n2,3\n3,5\n" * 10)
    out = subprocess.run([program, "train", "t.csv", "--target", "y", "--method", "magic"], cwd=tmp_path, capture_output=True,
                         text=True)
    with pytest.raises(ValueError) as refusal:
        strata.StrataRegressor(method="magic").fit(*friedman)
    assert str(refusal.value) in out.stderr


@pytest.mark.parametrize(("value", "kind"), [(np.nan, "NaN"), (np.inf, "infinite"), (-np.inf, "infinite")])
def test_numbers_that_are_not_finite_are_named_with_their_position(friedman, quick, value, kind):
    X, y = friedman
    bad = X.copy()
    bad[17, 3] = value
    with pytest.raises(ValueError, match=rf"X\[17, 3\] is {kind}; "):
        quick(missing="refuse").fit(bad, y)
    with pytest.raises(ValueError, match=rf"X\[17, 3\] is {kind}; "):
        quick(missing="refuse").fit(X, y).predict(bad)
    wrong = y.copy()
    wrong[5] = value
    with pytest.raises(ValueError, match=rf"y\[5\] is {kind}; "):
        quick().fit(X, wrong)
    with pytest.raises(ValueError, match=rf"X\[17, 3\] is {kind}; "):
        strata.Objective(bad, y, (3,))
    with pytest.raises(ValueError, match=rf"sample_weight\[5\] is {kind}"):
        quick().fit(X, y, sample_weight=wrong)


def test_huge_numbers_whose_sum_overflows_are_finite(friedman, quick):
    X, y = friedman
    quick(scale="minmax", target_scale="minmax").fit(np.where(X > 0, 1e307, X), y)


def test_shapes(friedman, quick):
    X, y = friedman
    for action, sentence in [
        (lambda: quick().fit(X[:, 0], y), "Expected 2D array, got 1D array instead"),
        (lambda: quick().fit(X, y[:-1]), "X has 300 and y 299"),
        (lambda: quick().fit(X, y, sample_weight=y[:-1]), "sample_weight.shape == (299,), expected (300,)!"),
        (lambda: quick().fit(X, y, sample_weight=-y), "use numbers of at least 0"),
        (lambda: quick().fit(X, y).predict(X[:, :2]), "X has 2 features, but StrataRegressor is expecting 5 features"),
        (lambda: quick().fit(X, y, eval_set=(X[:, :2], y)), "eval_set has 2 columns where X has 5"),
        (lambda: quick().fit(X, None), "requires y to be passed"),
        (lambda: quick().predict(X), "not fitted yet"),
    ]:
        with pytest.raises(ValueError) as refusal:
            action()
        assert sentence in str(refusal.value)


def test_wrong_types(friedman, quick):
    X, y = friedman
    with pytest.raises(TypeError, match="eval_set must be"):
        quick().fit(X, y, eval_set=[X, y])
    with pytest.raises(ValueError, match="option 'method' = '3': use one of b2ld"):
        quick(method=3).fit(X, y)
    with pytest.raises(ValueError, match="X has a value that is no number"):
        quick().fit([["a", "b"]] * 300, y)
    with pytest.raises(ValueError, match="y has a value that is no number .*; StrataClassifier predicts labels"):
        quick().fit(X, ["high", "low"] * (len(y) // 2))


def test_damaged_models(tmp_path):
    (tmp_path / "model").write_bytes(b"no model")
    with pytest.raises(ValueError, match="model: "):
        strata.load_model(tmp_path / "model")
    with pytest.raises(ValueError, match="cannot be opened|No such file|not"):
        strata.load_model(tmp_path / "absent")


def test_weights_of_another_shape(friedman):
    X, y = friedman
    objective = strata.Objective(X, y, (3,))
    weights = objective.network.weights
    with pytest.raises(ValueError, match="give one for each of 2 layers"):
        objective.value(weights[:1])
    with pytest.raises(ValueError, match=r"option 'weights\[0\]' = '\(3, 6\)': layer 0 has the shape \(6, 3\)"):
        objective.value([weights[0].T, weights[1]])
    with pytest.raises(ValueError, match="use layers from 0 to 1"):
        objective.value_and_gradient(weights, block=2)
    with pytest.raises(ValueError, match="use a layer or"):
        objective.value_and_gradient(weights, block=(0, 1, 2))
