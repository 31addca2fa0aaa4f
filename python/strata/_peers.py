"""Processes that talk by TCP: what `fit` needs of an mpi4py communicator, for processes that no MPI launcher started.

Each process listens, learns the addresses of all, and has a connection to each other one. Messages carry the number of their
communicator, so that those of a copy (Dup) meet no others. A process that is gone is noticed by the end of its connection.
"""

from __future__ import annotations

import itertools
import pickle
import select
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

HEADER = struct.Struct("<qq")  # communicator, bytes
SECONDS_TO_MEET = 60.0


class PeerGone(ConnectionError):
    """Another process has ended, or cannot be reached."""


def listener(host: str) -> socket.socket:
    """Where this process waits for the others; getsockname() is its address."""
    return socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024)


class Link:
    """The connection to one other process, and what has come from it that nobody has asked for yet."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.name = name
        self._arrived: dict[int, deque[bytearray]] = defaultdict(deque)

    def send(self, communicator: int, message: Any) -> None:
        try:
            self.connection.sendall(HEADER.pack(communicator, memoryview(message).nbytes))
            self.connection.sendall(message)
        except OSError as error:
            raise self._gone() from error

    def receive(self, communicator: int) -> bytearray:
        while not self._arrived[communicator]:
            self._read_one()
        return self._arrived[communicator].popleft()

    def receive_what_is_there(self, communicator: int) -> bytearray | None:
        while not self._arrived[communicator] and select.select([self.connection], [], [], 0)[0]:
            self._read_one()
        return self._arrived[communicator].popleft() if self._arrived[communicator] else None

    def _read_one(self) -> None:
        communicator, size = HEADER.unpack(self._exactly(HEADER.size))
        self._arrived[communicator].append(self._exactly(size))

    def _exactly(self, size: int) -> bytearray:
        message = bytearray(size)
        rest = memoryview(message)
        while rest:
            try:
                count = self.connection.recv_into(rest)
            except OSError as error:
                raise self._gone() from error
            if count == 0:
                raise self._gone()
            rest = rest[count:]
        return message

    def _gone(self) -> PeerGone:
        return PeerGone(f"{self.name} has gone while processes trained together; see its log, then call fit again")


class Peers:
    """Processes 0, 1, ... with the methods of an mpi4py communicator that are used here, by the same names."""

    def __init__(self, rank: int, links: dict[int, Link], numbers: Any = None, number: int = 0) -> None:
        self._rank = rank
        self._links = links
        self._numbers = numbers or itertools.count(1)  # all processes make copies in the same order
        self._number = number

    @classmethod
    def meet(cls, rank: int, door: socket.socket, addresses: Sequence[tuple[str, int]], names: Sequence[str], token: bytes) -> Peers:
        """Connects with the processes before this one, and waits for those after it. All give the same token: who does not know it
        is not let in."""
        deadline = time.monotonic() + SECONDS_TO_MEET
        links: dict[int, Link] = {}
        for other in range(rank):
            try:
                connection = socket.create_connection(addresses[other], timeout=SECONDS_TO_MEET)
                connection.sendall(token + struct.pack("<q", rank))
            except OSError as error:
                raise PeerGone(f"{names[other]} cannot be reached at {addresses[other][0]}: {error}; the workers must be able to connect "
                               "to each other") from error
            links[other] = Link(connection, names[other])
        with door:
            while len(links) < len(addresses) - 1:
                door.settimeout(max(deadline - time.monotonic(), 0.001))
                try:
                    connection, _ = door.accept()
                    connection.settimeout(SECONDS_TO_MEET)
                    greeting = connection.recv(len(token) + 8, socket.MSG_WAITALL)
                except OSError as error:
                    missing = [names[other] for other in range(rank + 1, len(addresses)) if other not in links]
                    raise PeerGone(f"{', '.join(missing)} did not come within {SECONDS_TO_MEET:.0f} s; start fit again when all workers "
                                   "are free") from error
                if greeting[:-8] != token:
                    connection.close()
                    continue
                other = struct.unpack("<q", greeting[-8:])[0]
                links[other] = Link(connection, names[other])
        return cls(rank, links)

    def Get_rank(self) -> int:
        return self._rank

    def Get_size(self) -> int:
        return len(self._links) + 1

    def Dup(self) -> Peers:
        return Peers(self._rank, self._links, self._numbers, next(self._numbers))

    def Free(self) -> None:
        """The connections are those of the others too."""

    def Abort(self, code: int) -> None:
        """The others notice at once."""
        self.close()

    def close(self) -> None:
        for link in self._links.values():
            link.connection.close()

    # --- Bytes

    def Send(self, message: Any, to: int, tag: int = 0) -> None:
        self._links[to].send(self._number, message)

    def Recv(self, message: Any, source: int, tag: int = 0) -> None:
        message[:] = self._links[source].receive(self._number)

    def Sendrecv(self, out: Any, to: int, out_tag: int, message: Any, source: int, tag: int) -> None:
        message[:] = self._exchange(out, to, source)

    def Bcast(self, message: Any, root: int = 0) -> None:
        if self._rank != root:
            return self.Recv(message, root)
        for link in self._links.values():
            link.send(self._number, message)

    def _exchange(self, out: Any, to: int, source: int) -> bytearray:
        """Both at a time: two processes that send long messages to each other would wait for each other to read."""
        failures: list[PeerGone] = []

        def send() -> None:
            try:
                self._links[to].send(self._number, out)
            except PeerGone as failure:
                failures.append(failure)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            received = self._links[source].receive(self._number)
        finally:
            sender.join()
        if failures:
            raise failures[0]
        return received

    # --- Objects

    def allgather(self, value: Any) -> list[Any]:
        own = pickle.dumps(value)
        values = {self._rank: value}
        size = self.Get_size()
        for step in range(1, size):
            source = (self._rank - step) % size
            values[source] = pickle.loads(self._exchange(own, (self._rank + step) % size, source))
        return [values[rank] for rank in range(size)]

    def bcast(self, value: Any, root: int = 0) -> Any:
        return self.allgather(value if self._rank == root else None)[root]

    def Ibarrier(self) -> Arrival:
        copy = self.Dup()  # what processes have sent before they failed is not in the way
        for link in self._links.values():
            link.send(copy._number, b"")
        return Arrival(copy)


class Arrival:
    """Whether all have come."""

    def __init__(self, peers: Peers) -> None:
        self._number = peers._number
        self._awaited = list(peers._links.values())

    def Test(self) -> bool:
        self._awaited = [link for link in self._awaited if link.receive_what_is_there(self._number) is None]
        return not self._awaited
