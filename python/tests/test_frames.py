"""Data frames: names, categories, missing values."""

import json
import subprocess

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


@pytest.mark.parametrize("method", strata.methods())
def test_a_frame_trains_as_the_command_line_does(houses, quick, program, tmp_path, method):
    X, y = houses
    X.assign(price=y).to_csv(tmp_path / "houses.csv", index=False)
    for loss in ("squared", "huber"):
        model = quick(method=method, loss=loss, early_stopping=True, random_state=7).fit(X, y)
        out = subprocess.run([program, "train", "houses.csv", "--target", "price", "--method", method, "--loss", loss, "--hidden", "6",
                              "--sweeps", "5", "--seed", "7", "--json", "--quiet"], cwd=tmp_path, capture_output=True, check=True,
                             text=True).stdout
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
        quick(missing="refuse", early_stopping=False).fit(gaps, y)
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
        quick(unseen="refuse").fit(X, y).predict(new)
    assert np.isfinite(quick().fit(X, y).predict(new)).all()


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
        quick(missing="refuse").fit(frame, y)


def test_objects_that_are_no_texts_are_refused(quick):
    frame = pandas.DataFrame({"pair": [(k, k) for k in range(10)]})
    with pytest.raises(TypeError, match="column 'pair' has a tuple"):
        quick().fit(frame, np.arange(10.0))


def test_an_encoded_model_is_trained_further_on_frames_of_numbers_and_texts(houses, quick):
    X, y = houses
    model = quick(warm_start=True).fit(X, y)
    before = model.model_.inspect()["inputs"]
    later = model.fit(X.tail(50), y.tail(50))
    assert later.model_.inspect()["inputs"] == before
    np.testing.assert_array_equal(model.partial_fit(X, y).predict(X), model.predict(X.astype({"garden": str})))


def test_read_table_takes_the_options_of_the_command_line(tmp_path):
    (tmp_path / "t.csv").write_bytes("Größe|b|c\n1.234,5|12%|-999\n2,5|7%|x\n".encode("latin-1"))
    with pytest.warns(UserWarning) as said:
        table = strata.read_table(tmp_path / "t.csv", na=["-999"])
    assert [str(warning.message).split(": ")[1] for warning in said] == [
        "numbers are read with a decimal comma (decimal='.' changes that)", "the text is read as latin-1 (encoding changes that)"]
    assert table.names == ["Größe", "b", "c"]
    assert list(table.column("Größe")) == [1234.5, 2.5]
    assert list(table.column("b")) == [12, 7]
    assert list(table.column("c")[1]) == [-1, 0]
    (tmp_path / "u.csv").write_text("1;2\n3;4\n")
    assert strata.read_table(tmp_path / "u.csv", separator=";", header=False, names=["a", "b"]).names == ["a", "b"]
    with pytest.raises(ValueError, match="option 'encoding' = 'ebcdic': use utf-8, utf-16 or latin-1"):
        strata.read_table(tmp_path / "u.csv", encoding="ebcdic")


def _months(rows=240):
    generator = np.random.default_rng(0)
    days = generator.integers(0, 730, rows)
    x = generator.random(rows)
    return days, x, x + np.sin(days / 365 * 2 * np.pi)


def test_timestamps_of_frames_are_dates(quick):
    days, x, y = _months()
    when = pandas.Timestamp("2023-01-01") + pandas.to_timedelta(days, unit="D")
    X = pandas.DataFrame({"when": when, "x": x})
    X.loc[3, "when"] = pandas.NaT
    with pytest.warns(UserWarning, match="column 'when' holds dates and becomes year, month, day, weekday"):
        model = quick().fit(X, y)
    assert model.model_.feature_names[:3] == ["when year", "when month sine", "when month cosine"]
    assert model.n_features_in_ == 2
    assert np.isfinite(model.predict(X)).all()
    assert np.allclose(model.predict(polars.from_pandas(X)), model.predict(X))


def test_columns_that_teach_nothing_are_left_out_with_a_warning(quick):
    _, x, y = _months()
    X = pandas.DataFrame({"name": [f"n{k}" for k in range(len(x))], "kind": ["a", "b"] * (len(x) // 2), "x": x})
    with pytest.warns(UserWarning, match="column 'name' has another text in every row"):
        model = quick().fit(X, y)
    assert model.model_.input_names == ["kind", "x"]
    assert model.n_features_in_ == 3
    assert np.array_equal(model.predict(X), model.model_.predict(X[["kind", "x"]]))
    with pytest.raises(ValueError, match="ignore='name'"):
        quick(strict=True).fit(X, y)
    assert quick(ignore=["name"], strict=True).fit(X, y).model_.input_names == ["kind", "x"]


def test_missing_numbers_in_arrays_are_filled_by_default(quick):
    _, x, y = _months()
    X = np.column_stack([x, y])
    X[5, 0] = np.nan
    with pytest.warns(UserWarning, match="missing values are filled in"):
        model = quick().fit(X, y)
    assert model.model_.feature_names == ["x1", "x1 is missing", "x2"]
    assert np.isfinite(model.predict(X)).all()
    whole = quick().fit(X[10:], y[10:])  # without any missing value nothing is encoded, and later ones are filled
    assert whole.model_.feature_names == ["x1", "x2"]
    assert np.isfinite(whole.predict(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        quick(missing="refuse").fit(X, y)
