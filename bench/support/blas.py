"""The threads of the libraries that numpy, scikit-learn and PyTorch compute with; to be set before these are imported."""

import os


def use_threads(count):
    """OpenBLAS chooses the kernels for this CPU: settings of the environment that name others would slow down a peer."""
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(count)
