"""sample_weight: a weight of k is the row k times, and a weight of 0 is no row."""

import numpy as np
import pytest

WEIGHTS = np.tile([2.0, 1.0, 0.0, 3.0], 25)


@pytest.fixture
def repeated(friedman):
    X, y = friedman[0][:100], friedman[1][:100]
    times = WEIGHTS.astype(int)
    return X, y, X.repeat(times, axis=0), y.repeat(times)


# Long runs of L-BFGS, and many conjugate gradients, would show their way with rounding, not the weights.
SHORT = {"method": "blgn", "joint_rows": 1e9}


@pytest.mark.parametrize("options", [SHORT, {"method": "lbfgs", "max_epochs": 1, "iterations": 8},
                                     {"method": "b2ld", "max_epochs": 1, "iterations": 4}, {"method": "elm"}],
                         ids=lambda options: options["method"])
def test_weights_are_repetitions(repeated, quick, options):
    X, y, many_x, many_y = repeated
    weighted = quick(**options).fit(X, y, sample_weight=WEIGHTS)
    often = quick(**options).fit(many_x, many_y)
    np.testing.assert_allclose(weighted.predict(X), often.predict(X), rtol=1e-6)
    np.testing.assert_allclose(weighted.loss_curve_, often.loss_curve_, rtol=1e-6)
    plain = quick(**options).fit(X, y)
    assert np.abs(plain.predict(X) - often.predict(X)).max() > 1e-3


def test_weights_count_in_the_encoder_too(houses, quick):
    frame, price = houses[0][:100], houses[1][:100]
    times = WEIGHTS.astype(int)
    weighted = quick(**SHORT).fit(frame, price, sample_weight=WEIGHTS)
    often = quick(**SHORT).fit(frame.loc[frame.index.repeat(times)], price.repeat(times))
    np.testing.assert_allclose(weighted.predict(frame), often.predict(frame), rtol=1e-6)


def test_only_ratios_matter(friedman, quick):
    X, y = friedman[0][:100], friedman[1][:100]
    one = quick(**SHORT).fit(X, y, sample_weight=WEIGHTS)
    np.testing.assert_allclose(quick(**SHORT).fit(X, y, sample_weight=10 * WEIGHTS).predict(X), one.predict(X), rtol=1e-6)
    np.testing.assert_array_equal(quick().fit(X, y, sample_weight=3).predict(X), quick().fit(X, y).predict(X))
