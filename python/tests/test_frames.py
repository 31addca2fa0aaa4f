"""Data frames: names, categories, missing values."""

import numpy as np
import pandas
import polars
import pytest

import strata


def test_texts_and_categories_are_encoded(houses, quick):
    X, y = houses
    model = quick(max_epochs=30).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.model_.feature_names == ["area", "rooms", "age", "distance", "garden=yes", "condition=fair", "condition=good",
                                          "condition=poor"]
    assert model.score(X, y) > 0.9
    texts = X.astype({"garden": str, "condition": str})
    np.testing.assert_array_equal(quick(max_epochs=30).fit(texts, y).predict(X), model.predict(texts))


def test_a_frame_trains_as_the_command_line_does(houses, quick, program, tmp_path):
    import json
    import subprocess
    X, y = houses
    X.assign(price=y).to_csv(tmp_path / "houses.csv", index=False)
    model = quick(early_stopping=True, random_state=7).fit(X, y)
    out = subprocess.run([program, "train", "houses.csv", "--target", "price", "--hidden", "6", "--sweeps", "5", "--seed", "7",
                          "--json", "--quiet"], cwd=tmp_path, capture_output=True, check=True, text=True).stdout
    told = json.loads(out)
    assert told["objective"] == model.result_.value
    loaded = strata.load_model(tmp_path / told["model"])
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_missing_values(houses, quick):
    X, y = houses
    gaps = X.copy()
    gaps.loc[3, "area"] = np.nan
    gaps.loc[5, "condition"] = None
    with pytest.raises(ValueError, match=r"row 4, column 1: the column 'area' has no value"):
        quick(early_stopping=False).fit(gaps, y)
    filled = quick(missing="impute").fit(gaps, y)
    assert "area is missing" in filled.model_.feature_names
    assert np.isfinite(filled.predict(gaps)).all()
    dropped = quick(missing="drop", early_stopping=False).fit(gaps, y)
    assert dropped.model_.training["rows"] == {"train": 298}
    assert np.flatnonzero(np.isnan(dropped.predict(gaps))).tolist() == [3, 5]
    array = np.array(X[["area", "rooms"]])
    array[3, 0] = np.nan
    assert np.isfinite(quick(missing="impute").fit(array, y).predict(array)).all()


def test_unseen_categories(houses, quick):
    X, y = houses
    new = X.head(3).astype({"condition": str})
    new.loc[1, "condition"] = "ruin"
    with pytest.raises(ValueError, match="'ruin' in column 'condition' did not occur in training"):
        quick().fit(X, y).predict(new)
    assert np.isfinite(quick(unseen="zeros").fit(X, y).predict(new)).all()


def test_numbers_can_be_categories(houses, quick):
    X, y = houses
    assert "rooms=3" in quick(categorical=["rooms"]).fit(X, y).model_.feature_names


def test_polars_and_arrow_are_read_as_pandas_is(houses, quick):
    X, y = houses
    expected = quick().fit(X, y).predict(X)
    columns = {name: [None if v is None else v for v in X[name].tolist()] for name in X.columns}
    frame = polars.DataFrame(columns)
    model = quick().fit(frame, polars.Series(y.tolist()))
    np.testing.assert_array_equal(model.predict(frame), expected)
    assert list(model.feature_names_in_) == list(X.columns)
    np.testing.assert_array_equal(model.predict(frame.with_columns(polars.col("garden").cast(polars.Categorical))), expected)
    pyarrow = pytest.importorskip("pyarrow")
    np.testing.assert_array_equal(quick().fit(pyarrow.table(columns), y).predict(pyarrow.table(columns)), expected)


def test_nullable_columns_are_numbers(quick):
    frame = pandas.DataFrame({"a": pandas.array([1, 2, None, 4] * 5, dtype="Int64"), "b": [True, False] * 10})
    y = np.arange(20.0)
    assert np.isfinite(quick(missing="impute").fit(frame, y).predict(frame)).all()
    with pytest.raises(ValueError, match=r"X\[2, 0\] is NaN"):
        quick().fit(frame, y)


def test_dates_are_refused(quick):
    frame = pandas.DataFrame({"when": pandas.date_range("2020-01-01", periods=10)})
    with pytest.raises(TypeError, match="column 'when' has a Timestamp"):
        quick().fit(frame, np.arange(10.0))


def test_an_encoded_model_is_trained_further_on_frames_of_numbers_and_texts(houses, quick):
    X, y = houses
    model = quick(warm_start=True).fit(X, y)
    before = model.model_.inspect()["inputs"]
    later = model.fit(X.tail(50), y.tail(50))
    assert later.model_.inspect()["inputs"] == before
    np.testing.assert_array_equal(model.partial_fit(X, y).predict(X), model.predict(X.astype({"garden": str})))
