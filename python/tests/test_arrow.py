"""Arrow streams in and out, with those who make and read them."""

import datetime
import gc

import numpy as np
import polars
import pytest
import strata
from strata import _arrow, _arrow_export
from strata._arrow_export import Columns

pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

QUICK = dict(hidden=(5,), max_epochs=2, early_stopping=False, random_state=1, n_threads=1)


@pytest.fixture
def table():
    moments = [datetime.datetime(2020, 1, 2, 3, 4), None, datetime.datetime(1999, 12, 31)]
    return pyarrow.table({
        "x": [1.0, 2.0, 3.0],
        "i": pyarrow.array([1, None, 3], pyarrow.int16()),
        "b": [True, None, False],
        "s": ["b", "a", None],
        "long": ["a" * 30, "b", "c" * 13],
        "d": pyarrow.array([datetime.date(2020, 1, 2), None, datetime.date(1999, 12, 31)]),
        "ts": pyarrow.array(moments, pyarrow.timestamp("s")),
        "dict": pyarrow.array(["q", "p", None]).dictionary_encode(),
        "large": pyarrow.array(["é", "", "z"], pyarrow.large_string()),
        "view": pyarrow.array(["é" * 9, None, "z"], pyarrow.string_view()),
    })


def plain(column):
    """A column as a list with None where a value is missing."""
    if not isinstance(column, tuple):
        return [None if np.isnan(value) else value for value in column]
    texts, codes = column
    return [None if code < 0 else texts[code] for code in codes]


EXPECTED = {"x": [1, 2, 3], "i": [1, None, 3], "b": [1, None, 0], "s": ["b", "a", None], "long": ["a" * 30, "b", "c" * 13],
            "d": ["2020-01-02", None, "1999-12-31"], "dict": ["q", "p", None], "large": ["é", "", "z"],
            "view": ["é" * 9, None, "z"]}


@pytest.mark.parametrize("source", ["pyarrow", "batch", "reader", "polars", "duckdb", "chunks", "slice"])
def test_every_type_from_every_source(table, source):
    columns, rows = table, slice(None)
    if source == "batch":
        given = table.to_batches()[0]
    elif source == "reader":
        given = columns.to_reader()
    elif source == "polars":
        given = polars.from_arrow(table)
    elif source == "duckdb":
        given = duckdb.sql("select * from columns")
    elif source == "chunks":
        given = pyarrow.concat_tables([table.slice(0, 1), table.slice(1)])
    elif source == "slice":
        given, rows = table.slice(1), slice(1, None)
    else:
        given = table
    found = _arrow.read(given)
    assert list(found) == table.column_names
    for name, expected in EXPECTED.items():
        assert plain(found[name]) == expected[rows], name
    first = plain(found["ts"])[-1]
    assert first.startswith("1999-12-31T00:00:00")


def test_a_column_of_doubles_is_not_copied_and_outlives_its_table(table):
    place = table.column("x").chunk(0).buffers()[1].address
    column = _arrow.read(table)["x"]
    assert column.ctypes.data == place
    del table
    gc.collect()
    assert list(column) == [1, 2, 3]


def test_other_types_are_refused_by_name():
    with pytest.raises(TypeError, match="column 'list' has the Arrow type"):
        _arrow.read(pyarrow.table({"list": [[1, 2], [3]]}))


def rows(count=80):
    random = np.random.default_rng(0)
    return pyarrow.table({"a": random.random(count), "b": random.choice(["u", "v", "w"], count), "y": random.random(count)})


def test_a_query_is_fitted_and_predicted():
    data = rows()
    expected = strata.StrataRegressor(**QUICK).fit(data.drop_columns("y").to_pandas(), data["y"].to_numpy())
    query = duckdb.sql("select a, b from data")
    model = strata.StrataRegressor(**QUICK).fit(query, duckdb.sql("select y from data"))
    np.testing.assert_array_equal(model.predict(query), expected.predict(data.drop_columns("y").to_pandas()))
    labels = strata.StrataClassifier(**QUICK).fit(data.select(["a", "y"]).to_reader(), duckdb.sql("select b from data"))
    assert list(labels.classes_) == ["u", "v", "w"]


def test_predictions_are_a_stream():
    data = rows()
    model = strata.StrataClassifier(**QUICK).fit(data.select(["a", "y"]), data["b"].to_numpy(zero_copy_only=False))
    given = model.model_.predict_arrow(data.select(["a", "y"]))
    read = pyarrow.table(given)
    assert read.column_names == ["_y", "_y=u", "_y=v", "_y=w"]  # an input is called y
    np.testing.assert_array_equal(read.column(2).to_numpy(), model.predict_proba(data.select(["a", "y"]))[:, 1])
    assert read.column(0).to_pylist() == list(model.predict(data.select(["a", "y"])))
    assert polars.DataFrame(given).shape == (80, 4)
    assert duckdb.sql("select count(*) from given").fetchall() == [(80,)]


@pytest.mark.parametrize("reader", [pyarrow.table, polars.DataFrame, _arrow.read, lambda given: given.__arrow_c_stream__()])
def test_what_a_reader_has_released_is_forgotten(reader):
    gc.collect()
    before = len(_arrow_export._kept), len(_arrow_export._streams)
    reader(Columns({"y": np.arange(3.0), "label": np.array(["a", "é", ""], dtype=object)}))
    gc.collect()
    assert (len(_arrow_export._kept), len(_arrow_export._streams)) == before


def test_parquet(tmp_path):
    from pyarrow import parquet

    parquet.write_table(rows(), tmp_path / "rows.parquet")
    table = strata.read_parquet(tmp_path / "rows.parquet", columns=["b", "a"])
    assert table.names == ["b", "a"] and len(table) == 80
