"""Searches for settings: scikit-learn's successive halving, and Optuna with trials that are ended early."""

import numpy as np
import strata

random = np.random.default_rng(0)
X = random.random((600, 4))
y = np.sin(6 * X[:, 0]) * X[:, 1] + 0.05 * random.normal(size=600)


def halving():
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    search = HalvingGridSearchCV(
        strata.StrataRegressor(random_state=0, max_epochs=10), {"hidden": [(5,), (20, 20)], "l2": [1e-6, 1e-3]},
        cv=3, n_jobs=2, random_state=0).fit(X, y)
    print("halving:", search.best_params_)


def pruning():
    import optuna

    def objective(trial):
        model = strata.StrataRegressor(
            hidden=(trial.suggest_int("width", 2, 40),) * 2, l2=trial.suggest_float("l2", 1e-7, 1e-2, log=True),
            max_epochs=15, early_stopping=True, random_state=0)
        model.fit(X, y, callbacks=[strata.callbacks.optuna(trial)])
        return min(model.validation_curve_)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0), pruner=optuna.pruners.MedianPruner(n_startup_trials=3))
    study.optimize(objective, n_trials=8)
    pruned = sum(trial.state.name == "PRUNED" for trial in study.trials)
    print(f"optuna: {study.best_params}, {pruned} of {len(study.trials)} trials ended early")


halving()
pruning()
