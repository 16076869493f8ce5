"""Calls like an earlier one: Python's checks and findings for a call are remembered as a form.

Arrays of that form go to the machine code without more ado, in half a microsecond instead of twenty.
known_calls.c compares and calls. It reads arrays by the fields of NumPy's ABI. If this interpreter or this NumPy has
others, or no compiler makes it, Python looks at every call.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.codegen.checks import TRUST_FINITE, TRUST_RANGES
from isamap_smt.ir.errors import BuildError
from isamap_smt.runtime.cache import build_library

Known = Callable[[tuple[Any, ...], dict[str, Any]], Any]
OPTIONS = ("out", "threads", "check_finite", "check_ranges", "accumulate")
_INPUT, _RESULT, _TEMPORARY, _CONSTANT = range(4)  # roles, as in the C
MADE, ADDED, BEGUN = range(3)  # results: by the call; the caller's, added to; the caller's, begun anew
_FORMS = 256  # of a kernel
_MOST = 64  # tensors, buffers and sizes, as in the C
_SOURCES = ("idle_memory.c", "known_calls.c")
_ABI = (1, 2)  # of NumPy, whose functions and fields stand where the C has them


@dataclass(frozen=True)
class Part:
    """A tensor of a form: its role there, and its place among the inputs or results.

    array: one that has the form; for a constant, the array itself. first: the bytes of the element it is filled with; none
    if it is not. unread: it is packed, and no call reads it.
    """

    role: int
    place: int
    array: np.ndarray
    first: bytes = b""
    unread: bool = False

    @staticmethod
    def given(place: int, array: np.ndarray) -> Part:
        """An input."""
        return Part(_INPUT, place, array)

    @staticmethod
    def constant(array: np.ndarray, unread: bool, first: bytes = b"") -> Part:
        """The same array in all calls."""
        return Part(_CONSTANT, 0, array, first, unread)

    @staticmethod
    def made(place: int | None, array: np.ndarray, first: bytes) -> Part:
        """A result; without a place, an array living only within a call."""
        return Part(_TEMPORARY if place is None else _RESULT, place or 0, array, first)

    def numbers(self) -> tuple[Any, ...]:
        """As the C reads it."""
        a = self.array
        address = 0 if self.role != _CONSTANT or self.unread else a.ctypes.data
        return (self.role, self.place, a.shape, a.dtype, a.nbytes, self.first, address)


@dataclass(frozen=True)
class Form:
    """kind: of its results. how: bits for all its calls. buffers: of packed operands; fills: they are packed at each call.

    prepared: for one call that is repeated: its buffers are used each time, and its arrays have been looked at.
    """

    kind: int
    how: int
    sizes: tuple[int, ...]
    buffers: tuple[np.ndarray, ...]
    fills: bool
    parts: tuple[Part, ...]
    prepared: bool = False

    def numbers(self) -> tuple[Any, ...]:
        """As the C reads it."""
        kept = self.prepared or not self.fills
        begun = self.kind == BEGUN and any(p.role == _RESULT and p.first for p in self.parts)
        held = (*(self.buffers if kept else ()), *(p.array for p in self.parts if p.role == _CONSTANT))
        buffers = tuple((b.nbytes, b.ctypes.data if kept else 0) for b in self.buffers)
        checks = not self.prepared and (self.fills or begun)
        parts = tuple(p.numbers() for p in self.parts)
        return (self.kind, self.sizes, buffers, int(self.fills), parts, held, self.how, int(checks))


def unknown(inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Of a kernel that remembers nothing."""
    return NotImplemented


class KnownCalls:
    """The calls a kernel remembers. `call(inputs, options)` gives the result, or the code at which the kernel stopped.

    It gives NotImplemented for a call that is unknown or breaks a check.
    """

    def __init__(self, inputs: Sequence[str], results: Sequence[str], functions: Sequence[Any], trusted: int) -> None:
        """inputs: names, by position. functions: run, check and pack of the library. trusted: checks not to be repeated."""
        self.call: Known = unknown
        self._names = (tuple(map(sys.intern, inputs)), tuple(map(sys.intern, results)))
        self._functions, self._trusted = functions, trusted
        self._forms: Any = None
        self._seen = self._count = 0

    @property
    def inputs(self) -> tuple[str, ...]:
        """Their names, by position."""
        return self._names[0]

    def worth(self, inputs: tuple[Any, ...], options: Dict[str, Any]) -> bool:
        """Whether to remember a call like this, already looked at by Python."""
        self._seen += 1
        arrays = (*inputs, *(v for n, v in options.items() if n in self._names[0] or n == "out"))
        usual = all(n in OPTIONS or n in self._names[0] for n in options) and all(type(a) is np.ndarray for a in arrays)
        return self._seen > 1 and self._count < _FORMS and usual  # one call may be all that a program makes

    def remember(self, form: Form) -> None:
        """Calls of this form are known from now on, if the C is there."""
        self._count += 1
        if max(len(form.parts), len(form.buffers), len(form.sizes), *map(len, self._names)) >= _MOST:
            return
        library = _library()
        if library is None:
            self._count = _FORMS
            return
        if self._forms is None:
            self._forms = library.isamap_forms(self._about())
            self.call = library.isamap_function(self._forms)
        library.isamap_add(self._forms, form.numbers())

    def _about(self) -> tuple[Any, ...]:
        addresses = (ctypes.cast(f, ctypes.c_void_p).value for f in self._functions)
        trust = (TRUST_FINITE, TRUST_RANGES, self._trusted)
        return (np.ndarray, *self._names, *OPTIONS, *trust, *addresses, _numpy_functions())


@functools.cache
def _library() -> Any:
    """The compiled C, None if it cannot be used."""
    if not _layout_holds():
        return None
    folder = Path(__file__).parent
    try:
        library = ctypes.PyDLL(str(build_library("".join((folder / n).read_text() for n in _SOURCES))))
    except (BuildError, OSError):
        return None
    for function, takes, gives in (
        (library.isamap_forms, 1, ctypes.py_object),
        (library.isamap_function, 1, ctypes.py_object),
        (library.isamap_add, 2, ctypes.c_int),
    ):
        function.argtypes, function.restype = [ctypes.py_object] * takes, gives
    return library


def _numpy_functions() -> int:
    """The address of NumPy's table of C functions; 0 if there is none."""
    core = getattr(np, "_core", None) or np.core
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    return int(get(core._multiarray_umath._ARRAY_API, None) or 0)


class _Array(ctypes.Structure):
    """An array's fields, as the C has them."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


class _Dtype(ctypes.Structure):
    """The first fields of a type of elements."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("scalar", ctypes.c_void_p),
        ("kind", ctypes.c_char),
        ("letter", ctypes.c_char),
        ("order", ctypes.c_char),
        ("flags", ctypes.c_char),
        ("number", ctypes.c_int),
    )


def _layout_holds() -> bool:
    """Whether arrays have their fields at the places known to the C, and Python one lock for all threads."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or np.ndarray.__basicsize__ < ctypes.sizeof(_Array):
        return False
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(ctypes.c_void_p.from_address(_numpy_functions()).value or 0)
    return version() >> 24 in _ABI and all(map(_is_laid_out, _probes()))


def _probes() -> tuple[np.ndarray, ...]:
    grid = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    frozen = grid.astype(np.float64)
    frozen.flags.writeable = False
    return (
        grid,
        grid[:, 1:, ::2],
        grid.T,
        frozen,
        grid.astype(">i4"),
        np.array(3.0, np.float32),
        np.empty((0, 5), np.uint8),
    )


def _is_laid_out(array: np.ndarray) -> bool:
    seen, dtype = _Array.from_address(id(array)), _Dtype.from_address(id(array.dtype))
    about = (dtype.kind + dtype.letter + dtype.order).decode()
    flags = (array.flags.c_contiguous, array.flags.aligned, array.flags.writeable)
    return (
        seen.type == id(np.ndarray)
        and seen.data == array.ctypes.data
        and seen.rank == array.ndim
        and tuple(seen.shape[: seen.rank]) == array.shape
        and tuple(seen.strides[: seen.rank]) == array.strides
        and (seen.base or id(None)) == id(array.base)
        and seen.dtype == id(array.dtype)
        and about == array.dtype.kind + array.dtype.char + array.dtype.byteorder
        and dtype.number == array.dtype.num
        and tuple(bool(seen.flags & bit) for bit in (0x1, 0x100, 0x400)) == flags
    )
