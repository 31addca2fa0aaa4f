"""Processes that train one network together: what they must agree on before, and how they end together.

Each has its own part of the rows and calls the same function with an mpi4py communicator, or one of ours (Peers) for processes that
no launcher of MPI started; None means one process.
"""

from __future__ import annotations

import hashlib
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ._peers import PeerGone, Peers

# A mistake that all processes see is seen by all within this time: their last message to each other was not long ago.
SECONDS_FOR_OTHERS = 10.0


def checked(comm: Any) -> Any:
    """The communicator, or None where this process has no others."""
    if comm is None:
        return None
    if isinstance(comm, Peers):
        return comm if comm.Get_size() > 1 else None
    mpi = sys.modules.get("mpi4py.MPI")  # who has a communicator has imported it
    if mpi is None or not isinstance(comm, mpi.Intracomm) or comm == mpi.COMM_NULL:
        raise TypeError(f"option 'comm' = '{comm!r}': use an mpi4py communicator that this process belongs to, for example "
                        "mpi4py.MPI.COMM_WORLD, or None")
    return comm if comm.Get_size() > 1 else None


@contextmanager
def together(comm: Any, *, talking: bool = False) -> Iterator[None]:
    """What one process raises inside, all raise at the end: those that did nothing wrong say which one did.

    talking: inside, processes wait for messages of each other. One that fails leaves the others waiting; unless they fail
    too, it tells what happened and ends the job.
    """
    if comm is None:
        yield
        return
    failure: BaseException | None = None
    try:
        yield
    except BaseException as error:  # sys.exit in a callback too: whoever goes without a word leaves the others waiting
        failure = error
    if isinstance(failure, PeerGone):  # nobody is there to agree with
        raise failure
    arrival = comm.Ibarrier()
    deadline = time.monotonic() + SECONDS_FOR_OTHERS
    while not arrival.Test():
        if talking and failure is not None and time.monotonic() > deadline:
            traceback.print_exception(failure)
            print(f"strata: process {comm.Get_rank()} of {comm.Get_size()} failed and ends the others", file=sys.stderr, flush=True)
            comm.Abort(1)
            raise failure
        time.sleep(0.0005)
    messages = comm.allgather(None if failure is None else f"{type(failure).__name__}: {failure}")
    if failure is not None:
        raise failure
    for rank, message in enumerate(messages):
        if message is not None:
            raise RuntimeError(f"process {rank} of {len(messages)} has failed; {message}")


@contextmanager
def private(comm: Any) -> Iterator[Any]:
    """The same processes, for messages that meet no others."""
    if comm is None:
        yield None
        return
    own = comm.Dup()
    try:
        yield own
    finally:
        own.Free()


def gathered(comm: Any, value: Any) -> list[Any]:
    """What each process has, in their order."""
    return [value] if comm is None else comm.allgather(value)


def first(comm: Any, value: Any) -> Any:
    """What the first process has."""
    return value if comm is None else comm.bcast(value)


def is_first(comm: Any) -> bool:
    return comm is None or comm.Get_rank() == 0


def agree(comm: Any, facts: dict[str, Any]) -> None:
    """Refuses, in all processes, what is not the same in all of them."""
    answers = gathered(comm, facts)
    for rank, answer in enumerate(answers):
        for name, value in answers[0].items():
            if answer[name] != value:
                raise ValueError(f"{name}: {value} in process 0 and {answer[name]} in process {rank}; give all processes the "
                                 "same, each with its own rows")


def fingerprint(weights: Iterable[Any]) -> str:
    """Of the weights that training starts with."""
    digest = hashlib.sha256()
    for layer in weights:
        digest.update(layer.tobytes())
    return digest.hexdigest()[:16]
