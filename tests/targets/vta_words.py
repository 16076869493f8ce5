"""Instructions of VTA as words: its header's bit fields, in the header's order; and tokens that order a program."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

UOP, WGT, INP, ACC, OUT = range(5)
BYTES = {UOP: 4, WGT: 256, INP: 16, ACC: 64, OUT: 16}
ENTRIES = {UOP: 2048, WGT: 1024, INP: 2048, ACC: 2048, OUT: 2048}
MIN, MAX, ADD, SHR, MUL = range(5)
OPCODES = {"load": 0, "store": 1, "gemm": 2, "finish": 3, "alu": 4}
TOKENS = ("pop_prev", "pop_next", "push_prev", "push_next")
_GENERIC = [("opcode", 3), *((name, 1) for name in TOKENS)]
_TRANSFER = [("memory", 3), ("sram", 16), ("dram", 32), ("rest", 6), ("y_size", 16), ("x_size", 16), ("x_stride", 16),
             ("y_pad_0", 4), ("y_pad_1", 4), ("x_pad_0", 4), ("x_pad_1", 4)]  # fmt: skip
_LOOPS = [("reset", 1), ("uop_begin", 13), ("uop_end", 14), ("iter_out", 14), ("iter_in", 14), ("rest", 1), ("dst_out", 11),
          ("dst_in", 11), ("src_out", 11), ("src_in", 11)]  # fmt: skip
_FIELDS = {
    "load": [*_GENERIC, *_TRANSFER],
    "store": [*_GENERIC, *_TRANSFER],
    "gemm": [*_GENERIC, *_LOOPS, ("wgt_out", 10), ("wgt_in", 10)],
    "alu": [*_GENERIC, *_LOOPS, ("op", 3), ("use_imm", 1), ("imm", 16)],
    "finish": [*_GENERIC, ("rest", 57), ("more", 64)],
}


def _layout(name: str) -> type[ctypes.LittleEndianStructure]:
    fields = [(n, ctypes.c_int64 if n == "imm" else ctypes.c_uint64, width) for n, width in _FIELDS[name]]
    return type(name, (ctypes.LittleEndianStructure,), {"_fields_": fields})


LAYOUTS = {name: _layout(name) for name in OPCODES}


@dataclass
class Instruction:
    """Its name, the fields that are not 0, and the tokens that it takes and gives."""

    name: str
    fields: dict[str, int]
    tokens: set[str] = field(default_factory=set)

    def __getitem__(self, name: str) -> int:
        return self.fields.get(name, 0)

    @property
    def engine(self) -> int:
        """0: load, 1: compute, 2: store."""
        if self.name == "store":
            return 2
        return 0 if self.name == "load" and self["memory"] in (INP, WGT) else 1

    def bits(self) -> bytes:
        """16 bytes. An `opcode` among the fields replaces its own."""
        word = LAYOUTS[self.name]()
        for name, value in {"opcode": OPCODES[self.name], **dict.fromkeys(self.tokens, 1), **self.fields}.items():
            setattr(word, name, value)
        return bytes(word)


def load(
    memory: int, sram: int, dram: int, x_size: int, y_size: int = 1, x_stride: int = 0, **more: int
) -> Instruction:
    shape = dict(memory=memory, sram=sram, dram=dram, x_size=x_size, y_size=y_size, x_stride=x_stride)
    return Instruction("load", {**shape, **more})


def store(sram: int, dram: int, x_size: int, y_size: int = 1, x_stride: int = 0, **more: int) -> Instruction:
    shape = dict(memory=OUT, sram=sram, dram=dram, x_size=x_size, y_size=y_size, x_stride=x_stride)
    return Instruction("store", {**shape, **more})


def gemm(uop_begin: int, uop_end: int, iter_out: int = 1, iter_in: int = 1, **more: int) -> Instruction:
    return Instruction("gemm", dict(uop_begin=uop_begin, uop_end=uop_end, iter_out=iter_out, iter_in=iter_in, **more))


def alu(op: int, uop_begin: int, uop_end: int, iter_out: int = 1, iter_in: int = 1, **more: int) -> Instruction:
    loops = dict(uop_begin=uop_begin, uop_end=uop_end, iter_out=iter_out, iter_in=iter_in)
    return Instruction("alu", {"op": op, **loops, **more})


def finish() -> Instruction:
    return Instruction("finish", {})


def nothing() -> Instruction:
    """A load of nothing by compute, which can pass tokens on."""
    return load(ACC, 0, 0, 0, 0)


def uop(dst: int, src: int = 0, wgt: int = 0) -> int:
    """A micro-op."""
    return dst | src << 11 | wgt << 22


def words(program: Iterable[Instruction]) -> np.ndarray:
    """What the model takes."""
    return np.frombuffer(b"".join(i.bits() for i in program), np.uint8)


# The queue of a token: who gives it (the engine, and which of its bits) and who takes it.
QUEUES = {
    "l2g": ((0, "push_next"), (1, "pop_prev")),
    "g2l": ((1, "push_prev"), (0, "pop_next")),
    "g2s": ((1, "push_next"), (2, "pop_prev")),
    "s2g": ((2, "push_prev"), (1, "pop_next")),
}


def pairs(program: Sequence[Instruction]) -> list[tuple[str, int, int]]:
    """Queue, giver and taker of each token: the n-th that is given is the n-th that is taken."""
    found = []
    for name, ends in QUEUES.items():
        given, taken = ([n for n, i in enumerate(program) if i.engine == e and bit in i.tokens] for e, bit in ends)
        found += [(name, *ends) for ends in zip(given, taken, strict=False)]
    return found


def in_a_row(program: Iterable[Instruction]) -> list[Instruction]:
    """The program with tokens that let each instruction begin when the one before it is over, and finish at its end."""
    done: list[Instruction] = []
    for i in (*program, finish()):
        if done and {done[-1].engine, i.engine} == {0, 2}:
            done.append(_after(done[-1], nothing()))
        done.append(_after(done[-1], i) if done else i)
    return done


def _after(before: Instruction, i: Instruction) -> Instruction:
    for given, taken in QUEUES.values():
        if (before.engine, i.engine) == (given[0], taken[0]):
            before.tokens.add(given[1])
            i.tokens.add(taken[1])
    return i


def take_away(program: Sequence[Instruction], queue: str, giver: int, taker: int) -> None:
    """One token of pairs(): neither is it given nor taken any more."""
    (_, given), (_, taken) = QUEUES[queue]
    program[giver].tokens.discard(given)
    program[taker].tokens.discard(taken)
