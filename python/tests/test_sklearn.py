"""The estimator is one of scikit-learn's: its own checks, and the tools people put around an estimator."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import strata


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [{}, {"missing": "refuse"}], ids=["default", "refuse"])
def test_all_of_scikit_learns_checks_pass(options):
    estimator = strata.StrataRegressor(hidden=(20, 20), max_epochs=30, n_threads=1, **options)
    results = check_estimator(estimator, on_skip=None)
    ran = [result["check_name"] for result in results if result["status"] == "passed"]
    # The one exception needs an environment variable, SCIPY_ARRAY_API, to be set before SciPy is imported.
    assert {r["check_name"] for r in results} - set(ran) == {"check_array_api_input"}
    assert len(results) == sum(1 for _ in estimator_checks_generator(estimator))
    assert len(results) >= 59


def test_the_default_parameters_pass_the_checks_of_values(friedman):
    X, y = friedman
    estimator = strata.StrataRegressor(random_state=0)
    assert estimator.fit(X, y).score(X, y) > 0.9
    assert cross_val_score(estimator, X, y, cv=2).min() > 0.5


def test_grid_search_sends_estimators_to_other_processes(friedman, quick):
    X, y = friedman
    search = GridSearchCV(quick(), {"hidden": [(2,), (8,)], "batch": [64, 256]}, n_jobs=2, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.get_params()["batch"] in (64, 256)
    again = GridSearchCV(quick(), {"hidden": [(2,), (8,)], "batch": [64, 256]}, n_jobs=1, cv=2).fit(X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"])


def test_pipelines_and_transformed_targets(friedman, quick):
    X, y = friedman
    pipeline = make_pipeline(StandardScaler(), quick(max_epochs=20))
    assert pipeline.fit(X, y).score(X, y) > 0.5
    logged = TransformedTargetRegressor(quick(max_epochs=20), func=np.log1p, inverse_func=np.expm1)
    positive = y - y.min()
    assert logged.fit(X, positive).score(X, positive) > 0.5


def test_a_clone_has_the_options_of_the_method_and_no_model(friedman, quick):
    X, y = friedman
    fitted = quick(cg_iterations=2, order="forward").fit(X, y)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert copy.get_params()["cg_iterations"] == 2
    assert not hasattr(copy, "model_")
    assert "cg_iterations=2" in repr(copy)
    np.testing.assert_array_equal(copy.fit(X, y).predict(X), fitted.predict(X))


def test_options_of_the_method_are_set_and_replaced(quick):
    estimator = quick(batch=64)
    assert estimator.set_params(batch=128, hidden=(3,)).get_params()["batch"] == 128
    assert estimator.hidden == (3,)
    with pytest.raises(ValueError, match="Invalid parameter 'a'"):
        estimator.set_params(a__b=1)


def test_frames_go_through_pipelines_and_names_come_out_of_stacks(friedman, quick):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(friedman[0]).add_prefix("x")
    y = friedman[1]
    piped = make_pipeline(StandardScaler(), quick()).set_output(transform="pandas").fit(X, y)
    assert list(piped[-1].feature_names_in_) == list(X.columns)
    stack = StackingRegressor([("net", quick()), ("line", LinearRegression())], cv=2, passthrough=True).fit(X, y)
    assert list(stack.get_feature_names_out()) == ["stackingregressor_net", "stackingregressor_line", *X.columns]
