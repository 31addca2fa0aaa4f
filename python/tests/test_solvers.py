"""L-BFGS with the rules of scipy's L-BFGS-B takes its steps: the same points, until both end, for the same reason."""

import numpy as np
import pytest
from scipy import optimize

import strata

PAIRS = 10
# What L-BFGS-B has: c1 of its line search is 1e-3, its first trial has length 1, its gradient test is a maximum norm.
RULES = {"memory": PAIRS, "gradient_norm": "maximum", "first_step": "unit", "decrease": 1e-3, "line_search": "more_thuente"}


def rosenbrock(n):
    return lambda x: (optimize.rosen(x), optimize.rosen_der(x)), np.tile([-1.2, 1.0], n // 2)


def quadratic(n):
    h = np.logspace(0, 3, n)
    return lambda x: (0.5 * h @ (x - 1) ** 2 - 7, h * (x - 1)), np.zeros(n)  # negative near its minimum


def flat(n):
    """A gradient far below 1 at the start: a trial of unit length is a long step."""
    def f(x):
        e = np.exp(-0.5 * x @ x / n)
        return 1e-3 * (1 - e), 1e-3 * e * x / n
    return f, np.full(n, 1.5)


def wells(n):
    return lambda x: (np.sum(x ** 4 - 3 * x ** 2 + 0.3 * x), 4 * x ** 3 - 6 * x + 0.3), np.linspace(-2.5, 2.5, n)


def network(seed):
    def problem(n):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(200, 3))
        objective = strata.Objective(X, np.sin(3 * X[:, 0]) * X[:, 1], hidden=(n, n), l2=1e-6, n_threads=1)
        start = objective.network
        start.initialise("uniform", seed=seed)
        shapes = [w.shape for w in start.weights]
        ends = np.cumsum([rows * columns for rows, columns in shapes])

        def f(x):
            value, gradient = objective.value_and_gradient([part.reshape(s) for part, s in zip(np.split(x, ends[:-1]), shapes)])
            return value, np.concatenate([g.ravel() for g in gradient])
        return f, np.concatenate([w.ravel() for w in start.weights])
    return problem


PROBLEMS = {"rosenbrock": rosenbrock(20), "quadratic": quadratic(30), "flat": flat(8), "wells": wells(11),
            "network": network(1)(5), "another network": network(2)(7)}
TESTS = {"decrease": (1e-6, 0.0), "coarse decrease": (1e-3, 0.0), "gradient": (0.0, 1e-3), "iterations": (0.0, 0.0)}
REASONS = {"decrease": "relative_decrease", "coarse decrease": "relative_decrease", "gradient": "gradient_tolerance",
           "iterations": "max_iterations"}


def theirs(f, x0, ftol, gtol, iterations):
    points = []
    with np.errstate(all="ignore"):
        result = optimize.minimize(f, x0, jac=True, method="L-BFGS-B", callback=lambda x: points.append(x.copy()),
                                   options={"ftol": ftol, "gtol": gtol, "maxcor": PAIRS, "maxiter": iterations})
    return result, points


def ours(f, x0, ftol, gtol, iterations, **rules):
    points = []
    result = strata.minimise(f, x0, lambda x, value: points.append(x), relative_decrease=ftol,
                             gradient_tolerance=gtol, max_iterations=iterations, **rules)
    return result, [*points, result.x][:result.iterations]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_same_points_until_both_end(problem, test):
    f, x0 = PROBLEMS[problem]
    iterations = 3 if test == "iterations" else 30  # after more of them rounding has grown to another path, sooner on some processors
    result, points = ours(f, x0, *TESTS[test], iterations, **RULES)
    expected, expected_points = theirs(f, x0, *TESTS[test], iterations)
    assert result.iterations == expected.nit
    assert result.reason == REASONS[test] or result.iterations == iterations
    scale = np.max(np.abs(x0)) + 1
    for step, (point, other) in enumerate(zip(points, expected_points, strict=True)):
        np.testing.assert_allclose(point, other, atol=1e-5 * scale, err_msg=f"iteration {step + 1}")
    assert result.value == pytest.approx(expected.fun, rel=1e-6, abs=1e-12)


def test_every_rule_matters_for_that():
    """Each rule taken back gives other points, or another end, on some problem."""
    def differs(name, test, rules):
        f, x0 = PROBLEMS[name]
        result, _ = ours(f, x0, *TESTS[test], 60, **rules)
        expected, _ = theirs(f, x0, *TESTS[test], 60)
        return result.iterations != expected.nit or not np.allclose(result.x, expected.x, rtol=0, atol=1e-6)
    for rule in RULES:
        without = {name: value for name, value in RULES.items() if name != rule}
        if rule == "memory":
            without["memory"] = PAIRS // 2
        assert any(differs(name, test, without) for name in PROBLEMS for test in ("decrease", "gradient")), rule


def test_a_function_of_the_wrong_size_and_unknown_options_are_refused():
    with pytest.raises(ValueError, match="gradient has 1 entries for a point of 2"):
        strata.minimise(lambda x: (0.0, np.zeros(1)), np.zeros(2))
    with pytest.raises(ValueError, match="use bracket or more_thuente"):
        strata.minimise(lambda x: (x @ x, 2 * x), np.ones(2), line_search="thuente")
    with pytest.raises(TypeError, match="an argument that it does not have"):
        strata.minimise(lambda x: (x @ x, 2 * x), np.ones(2), tolerance=1)


def test_the_callback_ends_the_solve_and_an_exception_comes_through():
    f, x0 = PROBLEMS["rosenbrock"]
    result = strata.minimise(f, x0, lambda x, value: value < 1)
    assert result.reason == "user_request" and result.value < 1
    with pytest.raises(ZeroDivisionError):
        strata.minimise(lambda x: 1 / 0, x0)
