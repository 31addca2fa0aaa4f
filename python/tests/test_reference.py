"""Agreement with the reference values of the C++ tests, and with the command line, bit for bit."""

import json
import re
import struct
import subprocess

import numpy as np
import pytest
from conftest import ROOT

import strata


def test_the_model_that_was_written_by_hand():
    source = (ROOT / "tests/support/reference_model.h").read_text()
    body = source[source.index("reference_model("):source.index("reference_rows")]
    header = "".join(re.findall(r'R"\((.*?)\)"', body, re.DOTALL))
    data = b"".join(struct.pack("<Q", int(word, 16)) for word in re.findall(r"0x([0-9a-f]{16})U", body))
    header += " " * (-len(header) % 8)
    model = strata.Model.from_bytes(struct.pack("<Q", len(header)) + header.encode() + data)
    rows = strata.Table()
    rows.add_numbers("x", np.array([12.0, 10.0, 14.0]))
    rows.add_categories("c", ["a", "b"], np.array([1, 0, 0], dtype=np.int32))
    expected = [float(line) for line in re.search(r'reference_predictions = "y\\n(.*?)"', source).group(1).split(r"\n")[:-1]]
    assert model.predict(rows).tolist() == expected == [81.25, 131.25, 231.25]


@pytest.mark.parametrize(("name", "table"), [
    ("friedman1_seed7_inputs6_noise1", strata.friedman1(rows=5, inputs=6, noise=1, seed=7)),
    ("folded_staircase_seed3_inputs4_folds5_noise0", strata.folded_staircase(rows=6, inputs=4, folds=5, noise=0, seed=3)),
], ids=["friedman1", "folded_staircase"])
def test_generated_tables_have_the_bits_of_an_independent_computation(name, table):
    source = (ROOT / "tests/reference/generators.h").read_text()
    words = re.findall(r"0x([0-9a-f]{16})", source[source.index(name):].split(";", 1)[0])
    expected = [struct.unpack("<d", struct.pack("<Q", int(word, 16)))[0] for word in words]
    assert np.column_stack([table.column(column) for column in table.names]).ravel().tolist() == expected


@pytest.mark.parametrize("encoded", [False, True])
def test_a_model_keeps_the_name_of_its_target(quick, program, tmp_path, encoded):
    pandas = pytest.importorskip("pandas")
    houses = strata.to_frame(strata.housing(rows=60, seed=1))
    X = houses.drop(columns="price") if encoded else houses[["area", "age"]]
    model = quick().fit(X, houses["price"])
    assert model.model_.target_names == ["price"]
    model.save(tmp_path / "m.safetensors")
    X.to_csv(tmp_path / "rows.csv", index=False)
    out = subprocess.run([program, "predict", "m.safetensors", "rows.csv"], cwd=tmp_path, capture_output=True, text=True,
                         check=True).stdout
    assert out.splitlines()[0] == "price"
    two = pandas.DataFrame({"price": houses["price"], "distance": houses["distance"]})
    assert quick().fit(X[["area", "age"]], two).model_.target_names == ["price", "distance"]
    assert quick().fit(X[["area", "age"]], houses["age"]).model_.target_names == ["_age"]  # an input has the name
    assert quick().fit(X[["area", "age"]], houses["price"].to_numpy()).model_.target_names == ["y"]


def test_models_are_shared_with_the_command_line(friedman, quick, program, tmp_path):
    X, y = friedman
    model = quick().fit(X, y)
    model.save(tmp_path / "m.safetensors")
    lines = [",".join(f"x{k}" for k in range(1, 6))] + [",".join(map(repr, row)) for row in X.tolist()]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    out = subprocess.run([program, "predict", "m.safetensors", "rows.csv"], cwd=tmp_path, capture_output=True, text=True,
                         check=True).stdout
    assert [float(line) for line in out.split()[1:]] == model.predict(X).tolist()
    shown = subprocess.run([program, "inspect", "m.safetensors", "--json"], cwd=tmp_path, capture_output=True, text=True,
                           check=True).stdout
    assert json.loads(shown)["training"] == model.model_.training
