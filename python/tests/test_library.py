"""The library underneath: objectives, Gauss-Newton products, schemes, training with callbacks."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import strata
from strata import schemes


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def outputs(weights, X):
    z = X
    for layer, w in enumerate(weights):
        z = np.column_stack([z, np.ones(len(z))]) @ w
        if layer + 1 < len(weights):
            z = sigmoid(z)
    return z


def plain_objective(weights, X, Y, l2, rows=1.0):
    loss = np.average(((outputs(weights, X) - Y) ** 2).sum(1), weights=np.broadcast_to(rows, len(X)))
    return loss + l2 * sum((w ** 2).sum() for w in weights)


@pytest.fixture
def problem(friedman):
    X, y = friedman[0][:90], friedman[1][:90]
    Y = np.column_stack([y, X[:, 0]]) / 10
    rows = np.linspace(0, 2, 90)
    objective = strata.Objective(X, Y, hidden=(4, 3), l2=0.01, sample_weight=rows, n_threads=1)
    network = objective.network
    network.initialise("normal", seed=5)
    return objective, network.weights, X, Y, rows


def moved(weights, layer, index, step):
    copy = [w.copy() for w in weights]
    copy[layer][index] += step
    return copy


def test_values_are_those_of_the_formula(problem):
    objective, weights, X, Y, rows = problem
    assert objective.value(weights) == pytest.approx(plain_objective(weights, X, Y, 0.01, rows), rel=1e-12)
    network = objective.network
    network.weights = weights
    np.testing.assert_allclose(network.predict(X), outputs(weights, X), rtol=1e-12)


def test_an_objective_in_single_precision_differs_by_rounding(problem):
    objective, weights, X, Y, rows = problem
    single = strata.Objective(X, Y, hidden=(4, 3), l2=0.01, sample_weight=rows, precision="float32", n_threads=1)
    value, gradient = objective.value_and_gradient(weights)
    rounded, rounded_gradient = single.value_and_gradient(weights)
    assert rounded == pytest.approx(value, rel=1e-5) and rounded != value
    for exact, other in zip(gradient, rounded_gradient):
        np.testing.assert_allclose(other, exact, atol=1e-5 * np.abs(exact).max())
    with pytest.raises(ValueError, match="use float64 or float32"):
        strata.Objective(X, Y, hidden=(4, 3), precision="half")


def test_gradients_are_finite_differences_of_the_value(problem):
    objective, weights, *_ = problem
    value, gradient = objective.value_and_gradient(weights)
    assert value == pytest.approx(objective.value(weights), rel=1e-12)
    assert [g.shape for g in gradient] == [w.shape for w in weights]
    h = 1e-6
    for layer, w in enumerate(weights):
        for index in np.ndindex(w.shape):
            rise = objective.value(moved(weights, layer, index, h)) - objective.value(moved(weights, layer, index, -h))
            assert gradient[layer][index] == pytest.approx(rise / (2 * h), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("block", "layers"), [(0, [0]), (2, [2]), ((1, 2), [1, 2]), ((0, 1), [0, 1]), (None, [0, 1, 2])])
def test_the_gradient_of_a_block_is_part_of_the_whole(problem, block, layers):
    objective, weights, *_ = problem
    value, whole = objective.value_and_gradient(weights)
    again, part = objective.value_and_gradient(weights, block=block)
    assert again == pytest.approx(value, rel=1e-13)
    for layer, gradient in zip(layers, part, strict=True):
        np.testing.assert_allclose(gradient, whole[layer], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_gauss_newton_products_are_those_of_the_jacobian(problem, layer):
    objective, weights, X, Y, rows = problem
    h = 1e-6
    jacobian = np.stack([((outputs(moved(weights, layer, index, h), X) - outputs(moved(weights, layer, index, -h), X))
                          / (2 * h)).ravel() for index in np.ndindex(weights[layer].shape)], axis=1)
    scale = np.repeat(rows / rows.mean(), 2) * 2 / len(X)
    v = np.random.default_rng(0).normal(size=weights[layer].shape)
    model = objective.gauss_newton(weights, layer)
    expected = jacobian.T @ (scale * (jacobian @ v.ravel()))
    np.testing.assert_allclose(model.times(v).ravel(), expected, rtol=1e-6, atol=1e-9)
    assert model.value == pytest.approx(objective.value(weights), rel=1e-12)


def test_a_gauss_newton_model_ends_with_the_next_evaluation(problem):
    objective, weights, *_ = problem
    model = objective.gauss_newton(weights, 0)
    np.testing.assert_allclose(model.gradient, model.gradient)
    objective.value(weights)
    with pytest.raises(ValueError, match="call gauss_newton again"):
        model.times(weights[0])
    del objective
    assert np.isfinite(model.value)


def test_a_scheme_is_made_of_parts(friedman):
    X, y = friedman
    scheme = schemes.Scheme(schemes.lbfgs(max_iterations=3), schemes.least_squares(), name="mine",
                            selection=schemes.given_order([(0, 0), (2, 2)]), acceptance=schemes.any_decrease(),
                            stopping=schemes.Stopping(max_sweeps=2), reporting=schemes.Reporting(steps=True))
    network = strata.Network(5, [4, 3])
    network.initialise(seed=1)
    kept = network.weights[1]
    result = strata.train(network, X, y, scheme)
    assert [(step["first_layer"], step["last_layer"]) for step in result.steps] == [(0, 0), (2, 2)] * 2
    np.testing.assert_array_equal(network.weights[1], kept)
    assert result.reason == "max_sweeps"
    assert result.value == pytest.approx(plain_objective(network.weights, X, y.reshape(-1, 1), 0), rel=1e-12)
    assert result.frame("steps").shape[0] == 4
    assert result.frame()["value"].iloc[-1] == pytest.approx(result.value, rel=1e-9)
    with pytest.raises(AttributeError):
        schemes.Stopping(max_sweps=3)


def test_the_default_method_can_be_built_from_parts(friedman):
    X, y = friedman
    parts = schemes.Scheme(schemes.gauss_newton(joint_iterations=30), selection=schemes.blocks_then_all(rows_per_weight=1),
                           batches=schemes.Batches(size=64, partition=schemes.Partition.every_epoch, skip_short=True,
                                                   grow_below=0.5, precision=schemes.Precision.float32),
                           look_ahead=schemes.LookAhead(most_increase=1), stopping=schemes.Stopping(max_sweeps=3))
    preset = schemes.preset("blgn", 3, batch=64, joint_rows=1)
    preset.stopping.max_sweeps = 3
    fitted = []
    for scheme in (parts, preset):
        network = strata.Network(5, [4, 3])
        network.initialise(seed=1)
        strata.train(network, X, y, scheme, l2=1e-5, n_threads=1)
        fitted.append(network.weights)
    for mine, theirs in zip(*fitted, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_parts_take_keywords_and_say_what_they_accept():
    assert repr(schemes.blocks_then_all(order="forward")) == (
        "blocks_then_all(order=forward, hidden_layers=1, rows_per_weight=4, alone_on_all_rows=on)")
    assert "joint_iterations=7" in repr(schemes.gauss_newton(joint_iterations=7, noise_damping="off"))
    assert repr(schemes.fixed_subset([0, 2], "random")) == "fixed_subset(layers=0,2, order=random)"
    assert "cg" not in schemes.adam.__doc__ and "rate: step size; a number above 0" in schemes.adam.__doc__
    with pytest.raises(ValueError, match="'adam.beta1' = '1.5': use a number of at least 0, below 1"):
        schemes.adam(beta1=1.5)
    with pytest.raises(ValueError, match="'order' = 'upwards': use backward, forward or random"):
        schemes.every_layer("upwards")
    with pytest.raises(TypeError, match="use a number above 0"):
        schemes.adam(rate=[1])
    for wrong in (lambda: schemes.adam(0.1), lambda: schemes.adam(rates=0.1), lambda: schemes.every_layer("random", True, 1)):
        with pytest.raises(TypeError):
            wrong()


def test_a_preset_is_the_method_the_estimator_uses(friedman, quick):
    X, y = friedman
    model = quick(method="b2ld", scale="none", target_scale="none", early_stopping=False, iterations=3, max_epochs=2).fit(X, y)
    scheme = schemes.preset("b2ld", 2, iterations=3)
    scheme.stopping.max_sweeps = 2
    network = strata.Network(5, [6])
    network.initialise(seed=0)
    strata.train(network, X, y, scheme, l2=1e-5, n_threads=1)
    for mine, theirs in zip(network.weights, model.coefs_, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def long_run(network, friedman, **options):
    scheme = schemes.preset("blgn", network.layers)
    scheme.stopping = schemes.Stopping(max_sweeps=10**9)
    return strata.train(network, *friedman, scheme, l2=1e-4, **options)


@pytest.fixture
def network():
    network = strata.Network(5, [10, 10])
    network.initialise(seed=1)
    return network


def test_a_callback_sees_every_step_and_stops_by_true(friedman, network):
    steps = []
    result = long_run(network, friedman, callback=lambda step: steps.append(step) or len(steps) == 7)
    assert len(steps) == 7
    assert result.reason == "user_request"
    assert all(step["after"] <= step["before"] for step in steps)


def test_what_a_callback_raises_comes_out_and_the_network_has_the_best_weights(friedman, network):
    objective = strata.Objective(*friedman, (10, 10), l2=1e-4)
    start = objective.value(network.weights)
    def fail(record):
        if record["sweep"] == 4:
            raise LookupError("enough")
    with pytest.raises(LookupError, match="enough"):
        long_run(network, friedman, on_sweep=fail)
    assert objective.value(network.weights) < start / 2


def test_ctrl_c_stops_promptly_and_keeps_the_best_model(friedman, quick):
    sent = []
    def press():
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    model = quick(method="adam", max_epochs=None, time_limit=60, early_stopping=False)
    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*friedman)
    assert time.monotonic() - sent[0] < 2
    thread.join()
    assert model.stop_reason_ == "user_request"
    assert model.score(*friedman) > 0.5


def test_validation_rows_and_patience(friedman, network):
    X, y = friedman
    result = long_run(network, (X[:50], y[:50]), validation=(X[50:], y[50:]), patience=3)
    assert result.reason == "early_stopping"
    assert result.validation_loss == min(record["validation_loss"] for record in result.history)


def test_tables(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,p,3\n,q,4\n2,p,5\n")
    table = strata.read_table(tmp_path / "t.csv")
    assert table.names == ["a", "b", "y"]
    assert len(table) == 3
    np.testing.assert_array_equal(table.column("a"), [1, np.nan, 2])
    assert table.column("b") == (["p", "q"], [0, 1, 0])
    frame = strata.to_frame(table)
    assert frame["b"].tolist() == ["p", "q", "p"]
    with pytest.raises(ValueError, match="there is no column 'c'"):
        table.column("c")


def test_methods_and_their_options_have_descriptions():
    assert set(strata.methods()) >= {"blgn", "b2ld", "lbfgs", "adam"}
    options = {option["name"]: option for option in strata.method_options("adam")}
    assert options["rate"]["default"] == "0.001"
    assert all(option["help"] and option["accepts"] for option in options.values())
