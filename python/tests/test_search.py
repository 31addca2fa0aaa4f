"""Searches and trackers of others: their packages, where they are installed."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
import strata
from conftest import ROOT

QUICK = dict(hidden=(5,), max_epochs=3, early_stopping=True, random_state=1, n_threads=1)


@pytest.fixture
def rows():
    X = np.random.default_rng(0).random((300, 3))
    return X, X[:, 0] * X[:, 1]


def test_the_example_of_searches_runs(tmp_path):
    pytest.importorskip("optuna")
    out = subprocess.run([sys.executable, ROOT / "examples/python/search.py"], cwd=tmp_path, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert "halving:" in out.stdout and "trials ended early" in out.stdout


def test_halving_finds_the_better_network(rows):
    pytest.importorskip("sklearn")
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    estimator = strata.StrataRegressor(max_epochs=6, random_state=0, n_threads=1)
    search = HalvingGridSearchCV(estimator, {"hidden": [(1,), (8, 8)]}, cv=3, random_state=0).fit(*rows)
    assert search.best_params_ == {"hidden": (8, 8)}
    assert search.predict(rows[0]).shape == (300,)


def test_optuna_prunes_by_the_callback(rows):
    optuna = pytest.importorskip("optuna")

    class Never(optuna.pruners.BasePruner):
        def prune(self, study, trial):
            return trial.last_step == 1

    study = optuna.create_study(pruner=Never())
    epochs = []

    def objective(trial):
        strata.StrataRegressor(**QUICK).fit(*rows, callbacks=[epochs.append, strata.callbacks.optuna(trial)])
        return 0.0

    study.optimize(objective, n_trials=1)
    assert study.trials[0].state.name == "PRUNED"
    assert len(epochs) == 2 and list(study.trials[0].intermediate_values) == [0, 1]
    with pytest.raises(ValueError, match="no validation loss"):
        strata.StrataRegressor(**{**QUICK, "early_stopping": False}).fit(
            *rows, callbacks=strata.callbacks.optuna(study.ask()))


def test_tensorboard_gets_every_epoch(rows, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    model = strata.StrataRegressor(**QUICK).fit(*rows, callbacks=strata.callbacks.tensorboard(tmp_path))
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    read = [float(event.tensor_proto.float_val[0]) for event in events.Tensors("value")]
    np.testing.assert_allclose(read, model.loss_curve_, rtol=1e-6)


def test_mlflow_gets_every_epoch(rows, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(pathlib.Path(tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        model = strata.StrataRegressor(**QUICK).fit(*rows, callbacks=strata.callbacks.mlflow())
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "validation_loss")
    np.testing.assert_allclose([point.value for point in history], model.validation_curve_)


@pytest.mark.parametrize("name, arguments", [("tensorboard", ["x"]), ("mlflow", []), ("optuna", [None])])
def test_a_missing_package_is_named(monkeypatch, name, arguments):
    for module in (name, f"{name}.summary"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"needs the package {name}"):
        getattr(strata.callbacks, name)(*arguments)
