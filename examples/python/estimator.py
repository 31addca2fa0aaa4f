#!/usr/bin/env python3
"""StrataRegressor among scikit-learn's tools: categories, cross-validation, a search over networks.

    .venv/bin/python examples/python/estimator.py
"""

from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import strata


def main() -> None:
    # Made-up houses: numbers, two columns of text, a price with noise of 5 %.
    houses = strata.to_frame(strata.housing(rows=1200, seed=1))
    X, y = houses.drop(columns="price"), houses["price"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

    model = strata.StrataRegressor(random_state=0).fit(X_train, y_train)
    print(f"{model.result_.epochs} epochs, {model.stop_reason_}; R2 on new rows {model.score(X_test, y_test):.3f}")

    scores = cross_val_score(strata.StrataRegressor(random_state=0), X, y, cv=3)
    print(f"R2 in three folds: {', '.join(f'{score:.3f}' for score in scores)}")

    # Options of the method are parameters like the others.
    grid = {"hidden": [(10,), (20, 20)], "batch": [128, 1024]}
    search = GridSearchCV(strata.StrataRegressor(random_state=0, max_epochs=15), grid, cv=2, n_jobs=2).fit(X_train, y_train)
    print(f"best of {len(search.cv_results_['params'])}: {search.best_params_}")


if __name__ == "__main__":
    main()
