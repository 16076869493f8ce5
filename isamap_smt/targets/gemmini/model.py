"""The model in this process, instruction by instruction, with a main memory of its own."""

from __future__ import annotations

import ctypes
from pathlib import Path

from isamap_smt.runtime.cache import build_library
from isamap_smt.targets.gemmini.answer import RefusedError
from isamap_smt.targets.gemmini.extension import ACCESS
from isamap_smt.targets.gemmini.sources import model_source


def build_model(cc: str | None = None, source: str | None = None) -> Path:
    """The model's shared library, from the cache or newly built. source: a changed one. Raises BuildError."""
    return build_library(model_source() if source is None else source, cc=cc)


class Model:
    """One machine, nothing written and nothing configured yet.

    memory: its main memory; the first byte has address `base`.
    """

    def __init__(self, library: Path, memory: bytearray, base: int = 0x1000) -> None:
        """library: of build_model()."""
        self.memory, self.base = memory, base
        self._library = ctypes.CDLL(str(library))
        self._library.gemmini_new.restype = ctypes.c_void_p
        self._library.gemmini_message.restype = ctypes.c_char_p
        self._library.gemmini_wide.restype = ctypes.c_uint64
        self._callbacks = ACCESS(self._read), ACCESS(self._write)
        self._it = ctypes.c_void_p(self._library.gemmini_new(*self._callbacks, None))
        if self._it.value is None:
            raise MemoryError("no memory for a model of Gemmini")

    def execute(self, funct: int, rs1: int, rs2: int) -> None:
        """One instruction: its function code and registers. Raises RefusedError."""
        why = self._library.gemmini_execute(self._it, funct, ctypes.c_uint64(rs1), ctypes.c_uint64(rs2))
        if why:
            raise RefusedError(why, self._library.gemmini_message(self._it).decode())

    def wide(self) -> int:
        """The number of computes with a sum that stays in the array, cut by the default machine's 20-bit wires."""
        return int(self._library.gemmini_wide(self._it))

    def __del__(self) -> None:
        if hasattr(self, "_it"):
            self._library.gemmini_free(self._it)

    def _span(self, address: int, count: int) -> slice | None:
        start = address - self.base
        return slice(start, start + count) if start >= 0 and start + count <= len(self.memory) else None

    def _read(self, _: int, address: int, to: int, count: int) -> int:
        span = self._span(address, count)
        if span is None:
            return 1
        ctypes.memmove(to, bytes(self.memory[span]), count)
        return 0

    def _write(self, _: int, address: int, source: int, count: int) -> int:
        span = self._span(address, count)
        if span is None:
            return 1
        self.memory[span] = ctypes.string_at(source, count)
        return 0
