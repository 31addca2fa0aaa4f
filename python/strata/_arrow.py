"""Columns of anything that offers an Arrow stream (__arrow_c_stream__), read by Arrow's C data interface.

No package is needed: the interface is three structs, laid out here. A column of doubles that comes in one piece and has no
missing value is not copied.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


def _release(struct: Any) -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.POINTER(struct))


ReleaseSchema, ReleaseArray, ReleaseStream = _release(Schema), _release(Array), _release(Stream)
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GetLastError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", ReleaseSchema), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)), ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", GetLastError), ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p)]

CAPSULE = b"arrow_array_stream"
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

# Formats of numbers, and of moments, whose values are counts of a unit since 1970.
NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4",
           "g": "f8"}
MOMENTS = {"tdD": ("i4", "D"), "tdm": ("i8", "ms"), "tss": ("i8", "s"), "tsm": ("i8", "ms"), "tsu": ("i8", "us"),
           "tsn": ("i8", "ns")}


class _Owned:
    """A struct that its producer releases when nobody needs it any more."""

    def __init__(self, struct: Any) -> None:
        self.struct = struct

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(ctypes.byref(self.struct))


def read(source: Any) -> dict[str, Any]:
    """The columns by name: numbers with NaN where a value is missing, or (categories, codes) with -1."""
    capsule = source.__arrow_c_stream__()
    stream = Stream.from_address(_pointer_of(capsule, CAPSULE))
    try:
        schema = _Owned(Schema())
        _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema.struct)))
        if schema.struct.format != b"+s":
            raise TypeError("the Arrow stream has no columns; give a table or a batch of records")
        chunks = []
        while True:
            chunk = _Owned(Array())
            _check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(chunk.struct)))
            if not chunk.struct.release:
                break
            chunks.append(chunk)
    finally:
        if stream.release:
            stream.release(ctypes.byref(stream))
    columns = {}
    for k in range(schema.struct.n_children):
        child = schema.struct.children[k].contents
        name = child.name.decode()
        parts = [_Column(child, chunk.struct.children[k].contents, chunk, name, chunk.struct.offset, chunk.struct.length)
                 for chunk in chunks]
        columns[name] = _joined([part.values() for part in parts])
    return columns


def _check(stream: Stream, code: int) -> None:
    if code:
        message = stream.get_last_error(ctypes.byref(stream))
        raise ValueError(f"the Arrow stream ended with error {code}" + (f": {message.decode()}" if message else ""))


class _Column:
    """One column of one chunk."""

    def __init__(self, schema: Schema, array: Array, owner: Any, name: str, start: int = 0, length: int | None = None) -> None:
        self.schema, self.array, self.owner, self.name = schema, array, owner, name
        self.length = array.length if length is None else length
        self.start = array.offset + start
        self.format = schema.format.decode()

    def values(self) -> Any:
        if self.schema.dictionary:
            return self._categories()
        if self.format in NUMBERS:
            numbers = self._buffer(1, NUMBERS[self.format])
            return self._with_nan(numbers)
        if self.format == "b":
            return self._with_nan(self._bits(1))
        if self.format == "n":
            return np.full(self.length, np.nan)
        if self.format[:3] in MOMENTS:
            kind, unit = MOMENTS[self.format[:3]]
            return self._coded(np.datetime_as_string(self._buffer(1, kind).astype("i8").view(f"M8[{unit}]")))
        if self.format in ("u", "U"):
            return self._coded(self._texts(np.int32 if self.format == "u" else np.int64))
        if self.format == "vu":
            return self._coded(self._viewed_texts())
        raise TypeError(f"column {self.name!r} has the Arrow type {self.format!r}; convert it to numbers, texts or dates")

    def _raw(self, index: int, size: int) -> Any:
        address = self.array.buffers[index]
        memory = (ctypes.c_char * size).from_address(address) if address and size else b""
        if size and address:
            memory._owner = self.owner  # type: ignore[union-attr]  # alive as long as any view of it
        return memory

    def _buffer(self, index: int, kind: Any) -> NDArray[Any]:
        dtype = np.dtype(kind)
        end = self.start + self.length
        view = np.frombuffer(self._raw(index, end * dtype.itemsize), dtype=dtype)[self.start:end]
        view.flags.writeable = False
        return view

    def _bits(self, index: int) -> NDArray[np.bool_]:
        end = self.start + self.length
        packed = np.frombuffer(self._raw(index, (end + 7) // 8), dtype=np.uint8)
        return np.unpackbits(packed, bitorder="little")[self.start:end].astype(bool)

    def _missing(self) -> NDArray[np.bool_] | None:
        if self.array.null_count == 0 or self.array.n_buffers == 0 or not self.array.buffers[0]:
            return None
        missing = ~self._bits(0)
        return missing if missing.any() else None

    def _with_nan(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        missing = self._missing()
        if missing is None:
            return numbers.astype(np.float64, copy=False)
        made: NDArray[np.float64] = numbers.astype(np.float64)
        made[missing] = np.nan
        return made

    def _texts(self, kind: Any) -> list[str]:
        end = self.start + self.length + 1
        offsets = np.frombuffer(self._raw(1, end * np.dtype(kind).itemsize), dtype=kind)[self.start:]
        content = bytes(self._raw(2, int(offsets[-1]))) if self.length else b""
        return [content[first:last].decode() for first, last in zip(offsets[:-1], offsets[1:], strict=True)]

    def _viewed_texts(self) -> list[str]:
        views = self._buffer(1, [("size", "i4"), ("prefix", "S4"), ("buffer", "i4"), ("offset", "i4")])
        count = self.array.n_buffers - 3  # of texts; the last buffer has their sizes
        sizes = np.frombuffer(self._raw(self.array.n_buffers - 1, 8 * max(count, 0)), dtype=np.int64)
        contents = [bytes(self._raw(2 + k, int(size))) for k, size in enumerate(sizes)]
        inline = views.tobytes()  # up to twelve bytes stand in the view itself
        texts = []
        for k, view in enumerate(views):
            size = int(view["size"])
            first = 16 * k + 4 if size <= 12 else int(view["offset"])
            texts.append((inline if size <= 12 else contents[view["buffer"]])[first:first + size].decode())
        return texts

    def _coded(self, texts: Any) -> tuple[list[str], NDArray[np.int32]]:
        missing = self._missing()
        found: dict[str, int] = {}
        codes = np.empty(self.length, dtype=np.int32)
        for row, text in enumerate(texts):
            codes[row] = -1 if missing is not None and missing[row] else found.setdefault(str(text), len(found))
        return _sorted(list(found), codes)

    def _categories(self) -> tuple[list[str], NDArray[np.int32]]:
        entries = _Column(self.schema.dictionary.contents, self.array.dictionary.contents, self.owner, self.name).values()
        if not isinstance(entries, tuple):
            raise TypeError(f"column {self.name!r} is a dictionary of numbers; convert it to numbers or texts")
        texts, places = entries
        indices = self._buffer(1, NUMBERS[self.format]).astype(np.int64)
        missing = self._missing()
        if missing is not None:
            indices = np.where(missing, 0, indices)
        codes = (places[indices] if len(places) else np.zeros(len(indices))).astype(np.int32)
        if missing is not None:
            codes[missing] = -1
        return texts, codes


def _sorted(texts: list[str], codes: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.empty(len(texts) + 1, dtype=np.int32)
    place[order] = np.arange(len(texts), dtype=np.int32)
    place[-1] = -1
    return [texts[k] for k in order], place[codes]


def _joined(parts: list[Any]) -> Any:
    """One column from those of the chunks."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0)
    if not isinstance(parts[0], tuple):
        return np.concatenate(parts)
    texts = sorted({text for part in parts for text in part[0]})
    place = {text: code for code, text in enumerate(texts)}
    codes = [np.array([*(place[text] for text in known), -1], dtype=np.int32)[own] for known, own in parts]
    return texts, np.concatenate(codes)
