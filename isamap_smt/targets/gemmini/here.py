"""Programs on the model in this process: their C is compiled for this CPU, and each instruction goes to the model."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.ir.errors import HardwareError
from isamap_smt.runtime.cache import build_library
from isamap_smt.targets.gemmini.answer import Answer, RefusedError
from isamap_smt.targets.gemmini.extension import WIDE
from isamap_smt.targets.gemmini.sources import here_source

_MESSAGE = 320  # bytes, in host.c


def build_here(program: str, cc: str | None = None) -> HereProgram:
    """program: C including gemmini_isa.h and defining gemmini_program. Raises BuildError."""
    return HereProgram(build_library(here_source(program), cc=cc))


class HereProgram:
    """A program, callable on arrays. One call at a time."""

    def __init__(self, library: Path) -> None:
        """library: of build_here()."""
        self._library = ctypes.CDLL(str(library))
        self._library.gemmini_recorded.restype = ctypes.c_uint64
        self._run = self._library.gemmini_here
        self._one = threading.Lock()

    def __call__(
        self, arrays: Sequence[np.ndarray], numbers: Sequence[int] = (), *, written: Collection[int]
    ) -> Answer:
        """Run on a machine with nothing written yet.

        arrays: in the program's order; those with positions in `written` are changed. numbers: of 64 bits. Raises
        RefusedError.
        """
        with self._one:
            return self._called(arrays, numbers, written)

    def commands(self, arrays: Sequence[np.ndarray], numbers: Sequence[int] = ()) -> np.ndarray:
        """The commands issued by a call, in order: function code and two registers of each; 127 for a fence.

        Nothing is changed. Raises RefusedError.
        """
        with self._one:
            self._library.gemmini_record(1)
            try:
                self._called(arrays, numbers, ())
                first = ctypes.POINTER(ctypes.c_uint64)()
                count = self._library.gemmini_recorded(ctypes.byref(first))
                return np.ctypeslib.as_array(first, (count, 3)).copy() if count else np.zeros((0, 3), np.uint64)
            finally:
                self._library.gemmini_record(0)

    def _called(self, arrays: Sequence[np.ndarray], numbers: Sequence[int], written: Collection[int]) -> Answer:
        copies = [np.ascontiguousarray(a).copy() for a in arrays]
        count = len(copies)
        code, wide, message = ctypes.c_int64(), ctypes.c_uint64(), ctypes.create_string_buffer(_MESSAGE)
        pointers: Any = (ctypes.c_void_p * max(count, 1))(*(a.ctypes.data for a in copies))
        sizes: Any = (ctypes.c_uint64 * max(count, 1))(*(a.nbytes for a in copies))
        values: Any = (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
        why = self._run(
            pointers, sizes, ctypes.c_uint64(count), values, ctypes.byref(code), ctypes.byref(wide), message
        )
        if why < 0:
            raise HardwareError("there is no memory for a model of Gemmini")
        if why:
            raise RefusedError(why, message.value.decode())
        for n in written:
            arrays[n][...] = copies[n]
        return Answer(code.value, (WIDE,) if wide.value else ())
