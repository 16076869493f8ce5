"""Programs on VTA's model in this process: their C lists instructions; these get tokens, are compressed, and run."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.ir.errors import HardwareError, SizeError
from isamap_smt.runtime.cache import build_library
from isamap_smt.targets.vta.compressed import compressed
from isamap_smt.targets.vta.model import Report, run
from isamap_smt.targets.vta.sources import here_source
from isamap_smt.targets.vta.stream import (
    ACC,
    ALU,
    ALU_ACC,
    COMPUTE,
    FINISH,
    GEMM,
    INP,
    LOAD,
    LOADS,
    OUT,
    RESET,
    STORE,
    STORES,
    UOP,
    UOPS,
    Issue,
    tokens,
    with_tokens,
)

# ---- Instructions as their 128 bits.


Fields = Sequence[tuple[int, int, int]]  # value, from which bit, how many bits
OPCODES = {"load": 0, "store": 1, "gemm": 2, "finish": 3, "alu": 4}
_BEFORE, _BEHIND = {COMPUTE: LOAD, STORE: COMPUTE}, {LOAD: COMPUTE, COMPUTE: STORE}  # the engines beside each


def encoded(issues: Sequence[Issue], uops: int) -> np.ndarray:
    """16 bytes for each. uops: the first byte of the micro-ops in main memory, a multiple of 4. Raises HardwareError."""
    made = b"".join(_word([*_own(i, uops), *_tokens(i)]).to_bytes(16, "little") for i in issues)
    return np.frombuffer(made, np.uint8)


def _word(fields: Fields) -> int:
    word = 0
    for value, start, bits in fields:
        if not 0 <= value < 1 << bits:
            raise HardwareError(
                f"VTA: {value} does not fit the {bits} bits of its field; take a smaller plan or tensor"
            )
        word |= value << start
    return word


def _tokens(i: Issue) -> Fields:
    before, behind = _BEFORE.get(i.engine), _BEHIND.get(i.engine)
    asked = (before in i.awaits, behind in i.awaits, before in i.signals, behind in i.signals)
    return [(int(a), 3 + n, 1) for n, a in enumerate(asked)]


def _own(i: Issue, uops: int) -> Fields:
    match i.what:
        case _ if i.what in (LOADS, STORES):
            memory, entry, element, *shape = i.fields
            return _transfer("load" if i.what == LOADS else "store", memory, entry, element, 1, shape)
        case _ if i.what == UOPS:
            start, count = i.fields
            return _transfer("load", UOP, 0, uops // 4 + start, count, (1, 0, 0, 0))
        case _ if i.what == FINISH:
            return [(OPCODES["finish"], 0, 3)]
        case _ if i.what in (GEMM, RESET, ALU, ALU_ACC):
            return _loops(i)
    memory = {LOAD: INP, COMPUTE: ACC, STORE: OUT}[i.engine]  # nothing is moved
    return _transfer("store" if i.engine == STORE else "load", memory, 0, 0, 0, (1, 0, 0, 0))


def _transfer(opcode: str, memory: int, entry: int, element: int, width: int, shape: Sequence[int]) -> Fields:
    """width: entries of a row. shape: rows, their distance, rows of zeros behind them, and before them."""
    rows, stride, zeros, front = shape
    return [
        (OPCODES[opcode], 0, 3), (memory, 7, 3), (entry, 10, 16), (element, 26, 32),
        (rows, 64, 16), (width, 80, 16), (stride, 96, 16), (front, 112, 4), (zeros, 116, 4),
    ]  # fmt: skip


def _loops(i: Issue) -> Fields:
    """The outer loop repeats, the inner one goes over rows."""
    begin, end, rows, times, dst, src, wgt, operation, number = i.fields
    common = [
        (OPCODES["alu" if i.what in (ALU, ALU_ACC) else "gemm"], 0, 3), (int(i.what == RESET), 7, 1), (begin, 8, 13), (end, 21, 14),
        (times, 35, 14), (rows, 49, 14), (dst, 64, 11), (1, 75, 11), (src, 86, 11),
    ]  # fmt: skip
    if i.what == ALU:
        return [*common, (operation, 108, 3), (1, 111, 1), (number % (1 << 16), 112, 16)]
    if i.what == ALU_ACC:
        return [*common, (1, 97, 11), (operation, 108, 3)]
    return [*common, (int(i.what == GEMM), 97, 11), (wgt, 108, 10)]


ALIGNED = 256  # bytes: the largest element
ZEROS = ALIGNED  # bytes at the begin of main memory
_FIELDS = 8


@dataclass(frozen=True)
class Stream:
    """A program for some arrays.

    listed: uses of instructions; issues: the instructions left of them. uops: micro-ops, as loaded.
    """

    issues: tuple[Issue, ...]
    uops: tuple[int, ...]
    listed: int

    @property
    def saved(self) -> int:
        """How many instructions fewer they are for being joined, loads of micro-ops counted."""
        return self.listed - len(self.issues)

    @property
    def tokens(self) -> int:
        """How many pass between engines."""
        return tokens(self.issues)


def build_here(program: str, cc: str | None = None) -> HereProgram:
    """program: C including vta_stream.h and defining vta_program. Raises BuildError."""
    return HereProgram(build_library(here_source(program), cc=cc), cc)


class HereProgram:
    """A program, callable on arrays. One call at a time."""

    def __init__(self, library: Path, cc: str | None = None) -> None:
        """library: of build_here()."""
        self._list = ctypes.CDLL(str(library)).vta_list
        self._list.restype = ctypes.c_int64
        self._one = threading.Lock()
        self._cc = cc

    def __call__(
        self, arrays: Sequence[np.ndarray], numbers: Sequence[int], *, written: Sequence[int], names: Sequence[str] = (),
        seed: int = 0,
    ) -> tuple[Stream, Report]:  # fmt: skip
        """Run on a machine with nothing written yet; arrays in the program's order; those in `written` are changed.

        names: of arrays, for messages. seed: of the engines' order. Raises SizeError for arrays beyond the reach of
        VTA's addresses, and RefusedError, DeadlockError and HardwareError.
        """
        dram, starts = _laid_out(arrays)
        rows = self._listed(dram, starts, arrays, numbers, names)
        issues = with_tokens(rows)
        made, uops = compressed(issues)
        stream = Stream(tuple(made), tuple(uops), len(issues))
        report = run_stream(dram, stream, seed, self._cc)
        for n in written:
            start, array = starts[n], arrays[n]
            array[...] = report[1][start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        return stream, report[0]

    def _listed(
        self,
        dram: np.ndarray,
        starts: list[int],
        arrays: Sequence[np.ndarray],
        numbers: Sequence[int],
        names: Sequence[str],
    ) -> np.ndarray:
        """The list of the program."""
        places: Any = (ctypes.c_void_p * max(len(starts), 1))(*(dram.ctypes.data + s for s in starts))
        sizes: Any = (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
        found, wrong, why = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_int64(), ctypes.create_string_buffer(80)
        with self._one:
            count = self._list(
                ctypes.c_void_p(dram.ctypes.data), places, sizes, ctypes.byref(found), ctypes.byref(wrong), why
            )
            if count == -1:
                raise HardwareError("there is no memory for a list of VTA's instructions")
            if count == -2:
                raise SizeError(_unreached(wrong.value, why.value.decode(), starts, arrays, names))
            return np.ctypeslib.as_array(found, (count, _FIELDS)).copy() if count else np.zeros((0, _FIELDS), np.int64)


def run_stream(dram: np.ndarray, stream: Stream, seed: int, cc: str | None = None) -> tuple[Report, np.ndarray]:
    """The model's report, and main memory after the run. dram: as laid out, without micro-ops; it is left as it is."""
    memory = np.concatenate([dram, np.array(stream.uops, "<u4").view(np.uint8)])
    return run(memory, encoded(stream.issues, dram.size), seed, cc), memory


def _laid_out(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Main memory with the arrays in it, and the first byte of each."""
    starts, end = [], ZEROS
    for a in arrays:
        starts.append(end)
        end += -(-a.nbytes // ALIGNED) * ALIGNED
    dram = np.zeros(end, np.uint8)
    for start, a in zip(starts, arrays, strict=True):
        dram[start : start + a.nbytes] = np.ascontiguousarray(a).reshape(-1).view(np.uint8)
    return dram, starts


def _unreached(byte: int, why: str, starts: list[int], arrays: Sequence[np.ndarray], names: Sequence[str]) -> str:
    number = max((n for n, s in enumerate(starts) if s <= byte), default=0)
    name = names[number] if names else f"array {number}"
    return (
        f"{name} of shape {list(arrays[number].shape)}: what an instruction moves {why} (byte {byte - starts[number]}); VTA's main "
        "memory is addressed by elements of 16 numbers and blocks of 16 x 16 weights: let tensors end in axes of 16"
    )
