"""Instructions as their 128 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isamap_smt.ir.errors import HardwareError
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
)

Fields = Sequence[tuple[int, int, int]]  # value, from which bit, how many bits
OPCODES = {"load": 0, "store": 1, "gemm": 2, "finish": 3, "alu": 4}
_BEFORE, _BEHIND = {COMPUTE: LOAD, STORE: COMPUTE}, {LOAD: COMPUTE, COMPUTE: STORE}  # the engines beside each


def encoded(issues: Sequence[Issue], uops: int) -> np.ndarray:
    """16 bytes for each. uops: the byte of main memory at which the micro-ops begin, a multiple of 4. Raises HardwareError."""
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
