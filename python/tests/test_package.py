"""What is delivered: the wheel, its types, its documents and examples."""

import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

import strata

CLEAN = ROOT / "build/clean/bin/python"
# Libraries of the C and C++ run-time, which every machine with NumPy has.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
              "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def wheel():
    wheels = list((ROOT / "build/wheel").glob("strata-*.whl"))
    assert len(wheels) == 1, "scripts/wheel makes it"
    return wheels[0]


def test_the_wheel_carries_what_it_needs(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
    assert "strata/py.typed" in names and "strata/_strata.pyi" in names
    libraries = [*sorted((tmp_path / "strata").rglob("*.so*")), tmp_path / "strata/bin/strata"]
    carried = {library.name for library in libraries}
    assert len(libraries) >= 3
    for library in libraries:
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library).stdout)
        assert needed and set(needed) <= EVERYWHERE | carried, library.name


def test_the_wheel_works_in_an_environment_with_nothing_else(tmp_path):
    assert CLEAN.exists(), "scripts/wheel makes it"
    code = """
import sys, numpy as np, strata
X = np.random.default_rng(0).random((300, 3)); y = X[:, 0] * X[:, 1]
model = strata.StrataRegressor(hidden=(8,), max_epochs=20, random_state=0).fit(X, y)
model.save("model.safetensors")
assert strata.load_model("model.safetensors").predict(X).tolist() == model.predict(X).tolist()
for name in ("sklearn", "pandas", "scipy"):
    assert name not in sys.modules
maps = {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
print(*sorted(path for path in maps if "libfmt" in path or "libhwy" in path), model.score(X, y) > 0.9)
"""
    out = run(CLEAN, "-I", "-c", code, cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    *libraries, good = out.stdout.split()
    assert good == "True"
    assert len(libraries) == 2 and all(str(ROOT / "build/clean") in path for path in libraries)
    installed = run(CLEAN, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze").stdout
    assert {line.split("==")[0] for line in installed.split()} <= {"numpy", "pip", "setuptools", "strata"}


@pytest.mark.parametrize("command", [[CLEAN, "-I", "-m", "strata"], [CLEAN.parent / "strata"]])
def test_the_package_brings_the_command_line(command, tmp_path):
    assert run(*command, "--version").stdout == f"strata {strata.__version__}\n"
    out = run(*command, "train", "nowhere.csv", "--target", "y", cwd=tmp_path)
    assert out.returncode == run(*command, "no-such-command").returncode == 2
    assert "nowhere.csv" in out.stderr and "Traceback" not in out.stderr


def test_the_wheel_is_small_and_names_the_licences_of_what_is_inside(wheel):
    assert wheel.stat().st_size < 5_000_000
    names = {pathlib.PurePath(name).stem for name in zipfile.ZipFile(wheel).namelist() if name.startswith("strata/licenses/")}
    assert {"libeigen3-dev", "libfast-float-dev", "nlohmann-json3-dev", "libfmt9", "libhwy1", "zlib1g", "nanobind"} <= names


def test_a_missing_package_is_named_in_one_sentence(tmp_path):
    options = ["-DSTRATA_TESTS=OFF", "-DSTRATA_APPS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON"]
    out = run("cmake", "-S", ROOT, "-B", tmp_path, *options)
    assert out.returncode != 0
    sentence = " ".join(out.stderr.split())
    assert "Strata needs libfmt-dev, which is not installed here; scripts/setup installs all it needs" in sentence
    assert out.stderr.count("CMake Error") == 1


def test_the_stubs_are_those_of_the_module(tmp_path):
    made = tmp_path / "_strata.pyi"
    out = run(sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "strata._strata", "-o", made)
    assert out.returncode == 0, out.stderr
    command = ".venv/bin/python -m nanobind.stubgen -m strata._strata -o python/strata/_strata.pyi"
    assert made.read_text() == (ROOT / "python/strata/_strata.pyi").read_text(), f"write them again: {command}"


def test_types_are_checked():
    out = run(sys.executable, "-m", "mypy", "--cache-dir", ROOT / "build/mypy", "--warn-unused-ignores", cwd=ROOT)
    assert out.returncode == 0, out.stdout


def test_all_that_is_promised_is_there():
    assert all(hasattr(strata, name) for name in strata.__all__)
    assert all(hasattr(strata.schemes, name) for name in strata.schemes.__all__)
    assert strata.__version__ == re.search(r"project\(strata VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def shown_and_printed(text):
    """Code of a document with what it says is printed, as `>>>` sessions are not used: comments after a print."""
    return re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.DOTALL)


def without_figures(text):
    return re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", text)


@pytest.mark.parametrize("document", ["README.md", "docs/python.md", "docs/export.md"])
def test_the_code_of_the_documents_runs_and_prints_what_they_say(document, tmp_path):
    blocks = shown_and_printed((ROOT / document).read_text())
    assert blocks
    for code, printed in blocks:
        out = run(sys.executable, "-c", code, cwd=tmp_path)
        assert out.returncode == 0, out.stderr
        assert without_figures(out.stdout) == without_figures(printed)


@pytest.mark.parametrize("example", ["estimator.py", "tutorial.py"])
def test_the_examples_run(example, tmp_path):
    out = run(sys.executable, ROOT / "examples/python" / example, cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    assert out.stdout
