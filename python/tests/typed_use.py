"""What a user's type checker sees: mypy reads this file, nothing runs it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import strata
from strata import schemes


def estimator(X: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    model = strata.StrataRegressor(hidden=(50, 50), method="adam", l2="auto", rate=0.01)
    model.fit(X, y, sample_weight=None, eval_set=(X, y), callbacks=[lambda record: record["sweep"] > 3])
    reason: str = model.stop_reason_
    losses: list[float] = model.loss_curve_
    model.save(f"{reason}-{len(losses)}.safetensors")
    return model.predict(X)


def library(X: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    objective = strata.Objective(X, y, (4,), l2=1e-3)
    network: strata.Network = objective.network
    network.initialise("he", seed=2)
    value, gradient = objective.value_and_gradient(network.weights, block=(0, 1))
    product: NDArray[np.float64] = objective.gauss_newton(network.weights, 0).times(gradient[0])
    scheme = schemes.Scheme(schemes.lbfgs(), schemes.least_squares(), stopping=schemes.Stopping(max_sweeps=3))
    result = strata.train(network, X, y, scheme, callback=lambda step: None)
    history: list[dict[str, Any]] = result.history
    return value + float(product.sum()) + float(len(history))


def wrong() -> None:
    strata.StrataRegressor(hidden="many")  # type: ignore[arg-type]
    strata.load_model(3)  # type: ignore[arg-type]
