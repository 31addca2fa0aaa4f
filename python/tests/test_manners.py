"""What a user tries without reading: shapes, names and containers that are nearly right work or say the right name."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pandas
import polars
import pytest

import strata
from strata import StrataClassifier, StrataRegressor

ESTIMATORS = [StrataRegressor, StrataClassifier]


@pytest.fixture(scope="module")
def rows():
    chance = np.random.default_rng(3)
    X = chance.normal(size=(240, 3))
    return X, X[:, 0] + X[:, 1] ** 2


def quick(**options):
    return StrataRegressor(**{"hidden": (4,), "max_epochs": 3, "random_state": 1, **options})


def test_importing_the_package_does_not_load_scikit_learn():
    program = "import sys, strata; assert 'sklearn' not in sys.modules; strata.StrataRegressor; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert "StrataRegressor" in dir(strata)
    with pytest.raises(AttributeError, match="no attribute 'StrataRegresor'"):
        strata.StrataRegresor  # noqa: B018


def test_importing_the_package_is_quick():
    program = """import sys, time, strata
used = time.process_time()
assert not {"sklearn", "pandas", "importlib.metadata", "scipy"} & set(sys.modules)
assert strata.__version__[0].isdigit()
print(used)"""
    used = [float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout) for _ in range(3)]
    assert min(used) < 0.3  # processor seconds, the start of Python and NumPy included


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_is_described(estimator):
    section = inspect.getdoc(estimator).split("Parameters\n----------\n")[1]
    for parameter in inspect.signature(estimator).parameters.values():
        assert f"{parameter.name} : " in section
        if parameter.kind is not parameter.VAR_KEYWORD:
            assert f"default {parameter.default!r}" in section


@pytest.mark.parametrize(("name", "ours"), [("learning_rate", "rate"), ("hidden_layer_sizes", "hidden"), ("alpha", "l2"),
                                            ("n_jobs", "n_threads"), ("patiense", "patience"), ("bacth", "batch")])
def test_an_unknown_parameter_is_refused_at_once_with_the_right_name(name, ours):
    with pytest.raises(TypeError, match=f"has no parameter '{name}'; use '{ours}'"):
        StrataRegressor(**{name: 1})
    with pytest.raises(ValueError, match=f"has no parameter '{name}'; use '{ours}'"):
        StrataClassifier().set_params(**{name: 1})


def test_a_single_number_name_or_set_needs_no_list(rows):
    X, y = rows
    frame = pandas.DataFrame(X.round(), columns=["a", "rooms", "c"])
    listed = quick(hidden=[4], categorical=["rooms"]).fit(frame, y, eval_set=(frame, y))
    single = quick(hidden=4, categorical="rooms").fit(frame, y, eval_set=[(frame, y)])
    np.testing.assert_array_equal(single.predict(frame), listed.predict(frame))
    with pytest.raises(ValueError, match="eval_set' has 2 sets; give one"):
        quick().fit(X, y, eval_set=[(X, y), (X, y)])


def test_arrays_and_frames_predict_the_same(rows):
    X, y = rows
    model = quick().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        np.testing.assert_array_equal(model.predict(pandas.DataFrame(X, columns=list("abc"))), model.predict(X))


def test_a_category_of_numbers_stays_one_when_predicting(rows):
    X, y = rows
    frame = pandas.DataFrame({"rooms": np.where(X[:, 0] > 0, 1.0, 2.5), "b": X[:, 1]})
    model = quick(categorical="rooms").fit(frame, y)
    texts = frame.assign(rooms=frame["rooms"].astype(str))
    np.testing.assert_array_equal(model.predict(frame), model.predict(texts))


@pytest.mark.parametrize("container", [list, np.array, pandas.Series, polars.Series, lambda y: pandas.Series(y).astype("category"),
                                       lambda y: np.array(y, dtype=object)])
def test_labels_may_stand_in_any_container(rows, container):
    X, _ = rows
    model = StrataClassifier(hidden=3, max_epochs=2, random_state=1).fit(X, container(["no", "yes"] * 120))
    assert list(model.classes_) == ["no", "yes"]


@pytest.mark.parametrize(("make", "message"), [
    (lambda X: polars.DataFrame(X).lazy(), r"X is a LazyFrame.*use X\.collect\(\)"),
    (lambda X: X[:, 0], r"Expected 2D array.*X\.reshape\(-1, 1\)"),
    (lambda X: np.where(X == X[3, 1], np.inf, X), r"X\[3, 1\] is infinite; correct it or leave out its row"),
    (lambda X: pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] == X[3, 1], np.inf, X[:, 1]), "t": ["x", "y"] * 120}),
     r"X\['b'\] is infinite in row 3; correct it or leave out its row"),
])
def test_rows_that_cannot_be_used_say_what_to_do(rows, make, message):
    X, y = rows
    with pytest.raises((TypeError, ValueError), match=message):
        quick().fit(make(X), y)


def test_a_limit_that_ends_training_is_warned_of(rows):
    from sklearn.exceptions import ConvergenceWarning
    X, y = rows
    with pytest.warns(ConvergenceWarning, match="raise max_epochs"):
        quick().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        quick(max_epochs=None, patience=2).fit(X, y)
        quick().partial_fit(X, y)


def test_a_saved_estimator_can_be_loaded(rows, tmp_path):
    X, y = rows
    model = quick().fit(X, y)
    model.save(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(StrataRegressor.load(tmp_path / "m").predict(X), model.predict(X))
    with pytest.raises(ValueError, match=r"predicts numbers; use StrataRegressor\.load"):
        StrataClassifier.load(tmp_path / "m")
    labels = StrataClassifier(hidden=3, max_epochs=2, random_state=1).fit(X, ["no", "yes"] * 120)
    labels.save(tmp_path / "c")
    np.testing.assert_array_equal(StrataClassifier.load(tmp_path / "c").predict(X), labels.predict(X))
    with pytest.raises(ValueError, match=r"predicts the classes no, yes; use StrataClassifier\.load"):
        StrataRegressor.load(tmp_path / "c")


def test_a_loaded_model_finds_its_columns_by_name(rows, tmp_path):
    X, y = rows
    frame = pandas.DataFrame(X, columns=list("abc"))
    expected = quick().fit(frame, y)
    expected.save(tmp_path / "m")
    for model in (StrataRegressor.load(tmp_path / "m"), strata.load_model(tmp_path / "m")):
        for other in (frame, frame[["c", "a", "b"]], frame.assign(d=1.0)):
            np.testing.assert_array_equal(model.predict(other), expected.predict(frame))
        with pytest.raises(ValueError, match="column 'b'"):
            model.predict(frame[["a", "c"]])


def test_a_column_that_fit_left_out_may_be_there_for_a_loaded_model(rows, tmp_path):
    X, y = rows
    frame = pandas.DataFrame(X, columns=list("abc")).assign(id=range(len(X)), kind=["x", "y"] * 120)
    with pytest.warns(UserWarning, match="'id' numbers the rows"):
        expected = quick().fit(frame, y)
    expected.save(tmp_path / "m")
    loaded = StrataRegressor.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(frame), expected.predict(frame))
    with pytest.raises(ValueError, match="unseen at fit time:\n- id"):
        loaded.importances(frame, y)


@pytest.mark.parametrize("frame", [np.asarray, lambda X: pandas.DataFrame(X, columns=list("abc")),
                                   lambda X: polars.DataFrame(X, schema=list("abc"))])
def test_importances_find_the_columns_that_matter(rows, frame):
    X, y = rows
    model = quick(max_epochs=20).fit(frame(X), y)
    with pytest.raises(AttributeError, match=r"after importances\(X, y\)"):
        model.feature_importances_
    fall = model.importances(frame(X), y)
    assert fall[:2].min() > 10 * abs(fall[2])
    np.testing.assert_array_equal(fall, model.feature_importances_)
    np.testing.assert_array_equal(fall, model.importances(frame(X), y))  # the same seed
    assert 1 <= model.best_iteration_ <= model.n_iter_


def test_progress_is_a_line_for_each_epoch_where_there_is_no_terminal(rows, capsys):
    X, y = rows
    quick(verbose=True).fit(X, y)
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == ["epoch 1", "epoch 2", "epoch 3"]
