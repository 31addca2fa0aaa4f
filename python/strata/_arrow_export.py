"""Columns of predictions for anything that reads an Arrow stream: pyarrow.table(...), polars.DataFrame(...), DuckDB."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrow import (
    CAPSULE,
    Array,
    GetLastError,
    GetNext,
    GetSchema,
    ReleaseArray,
    ReleaseSchema,
    ReleaseStream,
    Schema,
    Stream,
)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_pointer_of_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))

# What consumers still use, by the number that stands in private_data.
_kept: dict[int, Any] = {}
_streams: dict[int, Stream] = {}  # of capsules, by address
_next = 1


def _keep(things: Any) -> int:
    global _next
    _next += 1
    _kept[_next] = things
    return _next


def _released(pointer: Any) -> None:
    """Of any of the structs: releases its children, says so as the interface asks, and forgets what it kept."""
    struct = pointer.contents
    for k in range(getattr(struct, "n_children", 0)):
        child = struct.children[k]
        if child.contents.release:
            child.contents.release(child)
    struct.release = type(struct.release)()
    _kept.pop(struct.private_data, None)


_release_schema, _release_array, _release_stream = ReleaseSchema(_released), ReleaseArray(_released), ReleaseStream(_released)
_no_error = GetLastError(lambda stream: None)


class Columns:
    """Named columns of doubles or texts, offered as an Arrow stream; iterate names with `names`."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream = Stream()
        pending = [self]

        def get_schema(_: Any, out: Any) -> int:
            _fill_schema(out.contents, "+s", "", [(name, column) for name, column in self._columns.items()])
            return 0

        def get_next(_: Any, out: Any) -> int:
            if pending:
                pending.clear()
                _fill_struct(out.contents, list(self._columns.values()))
            else:
                out.contents.release = ReleaseArray()
            return 0

        stream.get_schema, stream.get_next, stream.get_last_error = GetSchema(get_schema), GetNext(get_next), _no_error
        stream.release = _release_stream
        stream.private_data = _keep((stream.get_schema, stream.get_next))
        _streams[ctypes.addressof(stream)] = stream
        return _new_capsule(ctypes.addressof(stream), CAPSULE, ctypes.cast(_delete_capsule, ctypes.c_void_p))


def _delete(capsule: int) -> None:
    """A stream that nobody has taken is released with its capsule."""
    stream = _streams.pop(_pointer_of_address(capsule, CAPSULE))
    if stream.release:
        stream.release(ctypes.byref(stream))


_delete_capsule = _destructor(_delete)


def _fill_schema(out: Schema, kind: str, name: str, children: list[tuple[str, NDArray[Any]]]) -> None:
    made = [Schema() for _ in children]
    for child, (child_name, column) in zip(made, children, strict=True):
        _fill_schema(child, "g" if column.dtype.kind == "f" else "u", child_name, [])
    pointers = (ctypes.POINTER(Schema) * len(made))(*map(ctypes.pointer, made))
    texts = kind.encode(), name.encode()  # the struct has their addresses alone
    out.format, out.name, out.metadata, out.flags = *texts, None, 0
    out.n_children, out.children, out.dictionary = len(made), pointers, None
    out.release = _release_schema
    out.private_data = _keep((made, pointers, texts))


def _fill_array(out: Array, buffers: list[NDArray[Any] | None], children: list[Array], length: int) -> None:
    addresses = (ctypes.c_void_p * len(buffers))(*(None if b is None else b.ctypes.data for b in buffers))
    pointers = (ctypes.POINTER(Array) * len(children))(*map(ctypes.pointer, children))
    out.length, out.null_count, out.offset = length, 0, 0
    out.n_buffers, out.buffers = len(buffers), addresses
    out.n_children, out.children, out.dictionary = len(children), pointers, None
    out.release = _release_array
    out.private_data = _keep((buffers, addresses, children, pointers))


def _fill_struct(out: Array, columns: list[NDArray[Any]]) -> None:
    children = [Array() for _ in columns]
    for child, column in zip(children, columns, strict=True):
        _fill_array(child, _buffers(column), [], len(column))
    _fill_array(out, [None], children, len(columns[0]))


def _buffers(column: NDArray[Any]) -> list[NDArray[Any] | None]:
    if column.dtype.kind == "f":
        return [None, np.ascontiguousarray(column, dtype=np.float64)]
    texts = [str(text).encode() for text in column]
    offsets = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return [None, offsets, np.frombuffer(b"".join(texts) or b"\0", dtype=np.uint8)]
