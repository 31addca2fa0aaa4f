"""How many threads a call uses: n_threads, else OMP_NUM_THREADS, else one in a thread of joblib and one per core elsewhere; at most
what threadpoolctl allows."""

from __future__ import annotations

import os
import sys
import threading

from . import _strata


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _from_environment() -> int | None:
    # OpenMP allows a list, one number for each level of nesting; the first is ours.
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(text) if text.isdigit() and int(text) > 0 else None


def _in_joblib_thread() -> bool:
    # Its other threads use the other cores. Processes of joblib get their share by OMP_NUM_THREADS.
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or threading.current_thread() is threading.main_thread():
        return False
    backend, _ = parallel.get_active_backend()
    return bool(backend.nesting_level)


def _without_limit(n_threads: int | None) -> int:
    if n_threads is not None:
        return int(n_threads)
    return _from_environment() or (1 if _in_joblib_thread() else _cores())


def threads(n_threads: int | None) -> int:
    """The number of threads for a call that asks for `n_threads`."""
    if n_threads is not None and (isinstance(n_threads, bool) or n_threads != int(n_threads) or not 0 < n_threads <= 1024):
        raise ValueError(f"option 'n_threads' = '{n_threads}': use a whole number from 1 to 1024, or None")
    wanted = _without_limit(n_threads)
    limit = _strata.thread_limit()
    return min(wanted, limit) if limit > 0 else wanted


def _register() -> None:
    try:
        import threadpoolctl
    except ImportError:
        return
    if not hasattr(threadpoolctl, "register"):  # before version 3.2
        return

    class StrataController(threadpoolctl.LibController):  # type: ignore[misc]
        user_api = "strata"
        internal_api = "strata"
        filename_prefixes = ("_strata",)
        check_symbols = ("strata_get_thread_limit", "strata_set_thread_limit")

        def get_num_threads(self) -> int:
            return threads(None)

        def set_num_threads(self, num_threads: int) -> None:
            # At the end of a limit threadpoolctl sets the number it found: what is used anyway is no limit.
            self.dynlib.strata_set_thread_limit(num_threads if num_threads < _without_limit(None) else 0)

        def get_version(self) -> str | None:
            return None

    threadpoolctl.register(StrataController)


_register()
