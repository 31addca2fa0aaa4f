"""Public tables of ../shared/data, or of the directory that STRATA_DATA names, as frames."""

import gzip
import os
import pathlib

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[2]

# name: task, files, target (None: the last column), columns to leave out
SETS = {
    "california": ("regression", ["raw/cal_housing.arff"], None, []),
    "house_16h": ("regression", ["tabular/house_16h_tabm.csv.gz"], "target", ["part"]),
    "house_8L": ("regression", ["tabular/house8L.arff.gz"], None, []),
    "cpu_act": ("regression", ["tabular/cpu.act.arff.gz"], None, []),
    "kin8nm": ("regression", ["tabular/kin8nm.arff.gz"], None, []),
    "puma32H": ("regression", ["tabular/puma32H.arff.gz"], None, []),
    "ailerons": ("regression", ["raw/ailerons.arff"], None, []),
    "bike": ("regression", ["raw/hour.csv"], "cnt", ["instant", "dteday", "casual", "registered"]),
    "beijing": ("regression", ["raw/PRSA_data_2010.1.1-2014.12.31.csv"], "pm2.5", ["No"]),
    "ccpp": ("regression", ["raw/Folds5x2_pp_sheet1.csv"], None, []),
    "mv": ("regression", ["raw/mv.arff"], None, []),
    "adult": ("classification", ["tabular/adult_train.data.gz", "tabular/adult_test.data.gz"], None, []),
    "bank": ("classification", ["raw/bank-full.csv"], "y", []),
    "magic": ("classification", ["tabular/magic04.data.gz"], None, []),
    "default": ("classification", ["tabular/default_train.csv.gz", "tabular/default_test.csv.gz"],
                "default payment next month", []),
    "shoppers": ("classification", ["tabular/online_shoppers_intention.csv.gz"], "Revenue", []),
    "spambase": ("classification", ["tabular/spambase.arff.gz"], None, []),
    "nursery": ("classification", ["tabular/nursery.arff.gz"], None, []),
    "letter": ("classification", ["tabular/letter.arff.gz"], None, []),
    "pendigits": ("classification", ["tabular/pendigits.arff.gz"], None, []),
    "otto": ("classification", ["tabular/otto_train.csv.gz"], "target", ["id"]),
}
# Their targets follow from the columns: errors can become as small as training is long, and so can ratios of them.
WITHOUT_NOISE = ("mv", "nursery")
# The split of the TabM, TabR and rtdl papers: their validation rows train here too.
PUBLISHED = {"california_tabm": "tabular/california_tabm.csv.gz", "house_16h_tabm": "tabular/house_16h_tabm.csv.gz"}


def directory():
    path = pathlib.Path(os.environ.get("STRATA_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        raise SystemExit(f"{path}: the tables are not there; name their directory in STRATA_DATA")
    return path


def _arff(path):
    """Columns by their declared names and kinds."""
    text = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    names, kinds = [], []
    with text as lines:
        for line in lines:
            word = line.strip().lower()
            if word.startswith("@attribute"):
                name, kind = line.strip()[len("@attribute"):].strip().split(None, 1)
                names.append(name.strip("'\""))
                kinds.append("text" if kind.lstrip().startswith("{") else "number")
            elif word.startswith("@data"):
                break
        frame = pd.read_csv(lines, header=None, names=names, comment="%", skipinitialspace=True, na_values=["?"],
                            dtype={name: str for name, kind in zip(names, kinds) if kind == "text"})
    return frame


def _frame(path):
    if ".arff" in path.name:
        return _arff(path)
    if path.name.endswith(".data.gz"):
        return pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?"]).rename(columns=str)
    return pd.read_csv(path, sep=";" if path.name == "bank-full.csv" else ",")


def load(name):
    """task, X (a frame of numbers and texts) and y (numbers, or labels as texts) without rows that lack the target."""
    if name in PUBLISHED:
        frame = pd.read_csv(directory() / PUBLISHED[name])
        return "regression", frame.drop(columns="target"), frame["target"].to_numpy(float)
    task, files, target, left_out = SETS[name]
    frame = pd.concat([_frame(directory() / file) for file in files], ignore_index=True)
    target = frame.columns[-1] if target is None else target
    frame = frame[frame[target].notna()].drop(columns=left_out).reset_index(drop=True)
    y = frame.pop(target)
    if task == "classification":  # one part of adult ends its labels with a full stop
        return task, frame, y.astype(str).str.strip().str.rstrip(".").to_numpy(object)
    return task, frame, y.to_numpy(float)


def split(name, task, X, y, seed):
    """Rows that train and rows that test: a fifth, class by class; the published part for a published set."""
    if name in PUBLISHED:
        return np.flatnonzero(X["part"] != "test"), np.flatnonzero(X["part"] == "test")
    from sklearn.model_selection import train_test_split
    rows = np.arange(len(y))
    counts = pd.Series(y).map(pd.Series(y).value_counts()) if task == "classification" else None
    stratify = y if counts is not None and counts.min() > 1 else None
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=stratify)
    return train, test
