"""The roofline, measured: how fast memory is read, by size of what is read; and the peak of an instruction on registers, whose
independent executions are generated from its own description.
"""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isamap_smt.bench.machine import on_each
from isamap_smt.ir.c_names import Names
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.machine_model.rates import in_state
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.memory import aligned_empty

_SOURCE = """#include <stdint.h>
typedef float v8 __attribute__((vector_size(32)));
float isamap_read(const float *p, int64_t count, int64_t rounds) {
    v8 s[8] = {{0}};
    for (int64_t n = 0; n < rounds; ++n) {
        for (int64_t i = 0; i < count; i += 64)
            for (int u = 0; u < 8; ++u) s[u] += *(const v8 *)(p + i + 8 * u);
        __asm__ volatile("" : : : "memory");
    }
    v8 t = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
    return t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7];
}
"""
SIZES = tuple(n << 10 for n in (16, 128, 256, 768, 4096, 16384, 131072))  # bytes for each thread


@dataclass(frozen=True)
class Bandwidth:
    """Bytes per second of all threads together when each reads `size` bytes again and again."""

    size: int
    rate: float


def measure(cores: list[int], seconds: float = 0.03) -> list[Bandwidth]:
    """One figure for each of SIZES, every core reading memory of its own."""
    read = ctypes.CDLL(str(build_library(_SOURCE, native=True))).isamap_read
    read.argtypes, read.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64], ctypes.c_float
    held = [aligned_empty((max(SIZES) // 4,), np.dtype(np.float32)) for _ in cores]
    for array in held:
        array.fill(1.0)
    return [Bandwidth(size, _together(read, held, cores, size, seconds)) for size in SIZES]


def _together(
    read: ctypes._NamedFuncPointer, held: list[np.ndarray], cores: list[int], size: int, seconds: float
) -> float:
    start = threading.Barrier(len(cores))
    rounds = max(1, int(5e9 * seconds / size / 3))

    def one(which: int) -> float:
        read(held[which].ctypes.data, size // 4, 1)
        start.wait()
        taken = []
        for _ in range(3):
            began = time.perf_counter()
            read(held[which].ctypes.data, size // 4, rounds)
            taken.append(time.perf_counter() - began)
        return size * rounds / min(taken)

    return sum(on_each(cores, one))


def attainable(
    operations: float, passes: Iterable[tuple[float, int]], peak: float, bandwidths: list[Bandwidth], threads: int
) -> float:
    """Operations per second at most: the arithmetic, or the passes (bytes, times) over memory, each from the nearest
    memory that holds all its bytes.

    >>> attainable(100.0, [(10.0, 1)], 1000.0, [Bandwidth(16, 50.0), Bandwidth(64, 5.0)], 1)
    500.0
    >>> attainable(100.0, [(40.0, 1), (10.0, 10)], 1000.0, [Bandwidth(16, 50.0), Bandwidth(64, 5.0)], 1)
    10.0
    """
    seconds = sum(count * times / _rate(count, bandwidths, threads) for count, times in passes)
    return min(peak, operations / seconds)


def _rate(count: float, bandwidths: list[Bandwidth], threads: int) -> float:
    """Bytes per second when `count` bytes are read again and again."""
    fits = [b.rate for b in bandwidths if b.size * threads >= count]
    return max(fits) if fits else min(b.rate for b in bandwidths)


CHAINS = 12  # independent accumulators; latency 5 at two a cycle needs 10


def peak_source(hardware: Hardware, instruction: Instruction) -> str:
    """C of `void isamap_peak(int64_t rounds)`: each round executes the instruction once on each of chains()."""
    statement = instruction.kernel.statements[0]
    output = statement.target.tensor
    inputs = [a.tensor for a in statement.inputs if a.tensor != output]
    names = Names()
    if instruction.numbered:
        held = {o: names.give(o, "in") for o in inputs}
        chained = [{**held, output: names.give(output, n)} for n in range(chains(instruction))]
        needs = (f"#include <{h}>" for h in dict.fromkeys(["stdint.h", *instruction.headers]))
        return "\n".join([*needs, *instruction.prelude, in_state(hardware, instruction, "isamap_peak", chained)])
    types = dict(instruction.c_types)
    zeros = {o: _zero(hardware, instruction, o) for o in (output, *inputs)}
    words = {o: names.give(o, "in") for o in inputs}
    accumulators = [names.give(output, n) for n in range(CHAINS)]
    lines = [
        f'{types[o]} {x}; {zeros[o].statement({"r": x})} __asm__ volatile("" : "+x"({x}));' for o, x in words.items()
    ]
    lines += [f"{types[output]} {x}; {zeros[output].statement({'r': x})}" for x in accumulators]
    body = [instruction.statement({**words, output: x}) for x in accumulators]
    # an empty asm on each accumulator keeps the compiler from folding the additions of zero
    keep = [f'__asm__ volatile("" : "+x"({x}));' for x in accumulators]
    headers = "".join(f"#include <{h}>\n" for h in dict.fromkeys(["stdint.h", *instruction.headers]))
    return (
        headers
        + "\n".join(instruction.prelude)
        + "\nvoid isamap_peak(int64_t isamap_rounds) {\n    "
        + "\n    ".join(lines)
        + "\n    for (int64_t isamap_n = 0; isamap_n < isamap_rounds; ++isamap_n) {\n        "
        + "\n        ".join(body + keep)
        + "\n    }\n}\n"
    )


def chains(instruction: Instruction) -> int:
    """Independent accumulators: of eight numbered registers as many as its inputs leave."""
    return 9 - len(instruction.kernel.tensors) if instruction.numbered else CHAINS


def _zero(hardware: Hardware, instruction: Instruction, operand: str) -> Instruction:
    t = instruction.kernel.tensor(operand)
    place = dict(instruction.places)[operand]
    for move in hardware.moves:
        if move.kind == "zero" and dict(move.places).get("r") == place:
            r = move.kernel.tensor("r")
            if r.dtype == t.dtype and r.shape == t.shape:
                return move
    raise LookupError(f"{hardware.name} cannot zero operand {operand} of {instruction.name}")


class Peak:
    """Operations per second of one instruction; `measure()` takes a few milliseconds."""

    def __init__(self, hardware: Hardware, instruction: Instruction) -> None:
        library = build_library(peak_source(hardware, instruction), instruction.requires, native=True)
        self._run = ctypes.CDLL(str(library)).isamap_peak
        self._rounds = 50_000
        self._operations = 2 * math.prod(instruction.axes.values()) * chains(instruction)

    def measure(self) -> float:
        """Operations per second of the quickest of three runs, 2 a product-sum."""
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            self._run(ctypes.c_int64(self._rounds))
            taken.append(time.perf_counter() - start)
        return self._operations * self._rounds / min(taken)
