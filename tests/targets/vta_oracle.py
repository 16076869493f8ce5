"""VTA in NumPy, one instruction after the other: written from the facts that the model is written from, sharing no code with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from tests.targets.vta_words import (
    ACC,
    ADD,
    BYTES,
    ENTRIES,
    INP,
    MAX,
    MIN,
    OUT,
    QUEUES,
    SHR,
    UOP,
    WGT,
    Instruction,
    pairs,
)

Access = tuple[str, int, bool]  # the memory, the cell, whether it is written


class Violation(Exception):
    """An instruction that is to be refused; its argument is the kind."""


def need(holds: bool, kind: str) -> None:
    if not holds:
        raise Violation(kind)


class Oracle:
    """A machine where nothing is written. `accessed`: by each instruction that was executed."""

    def __init__(self, dram: np.ndarray) -> None:
        self.dram = dram.copy()
        self.uop = np.zeros(ENTRIES[UOP], np.uint32)
        self.wgt = np.zeros((ENTRIES[WGT], 16, 16), np.int8)
        self.inp = np.zeros((ENTRIES[INP], 16), np.int8)
        self.acc = np.zeros((ENTRIES[ACC], 16), np.int32)
        self.written: dict[int, dict[int, str]] = {UOP: {}, WGT: {}, INP: {}, ACC: {}}
        self.accessed: list[set[Access]] = []
        self.hazards = 0

    def execute(self, i: Instruction) -> None:
        """Raises Violation."""
        self.accessed.append(set())
        self.check(i)
        getattr(self, i.name)(i)

    def copy(self) -> Oracle:
        """Another one, which shares nothing that changes."""
        other = Oracle(self.dram)
        for name in ("uop", "wgt", "inp", "acc"):
            setattr(other, name, getattr(self, name).copy())
        other.written = {memory: dict(how) for memory, how in self.written.items()}
        other.accessed, other.hazards = list(self.accessed), self.hazards
        return other

    def touch(self, memory: str, cell: int, writes: bool) -> None:
        self.accessed[-1].add((memory, cell, writes))

    def check(self, i: Instruction) -> None:
        """What its bits alone say."""
        need(not i["rest"] and not i["more"], "NOT_COVERED")
        allowed = {0: {"pop_next", "push_next"}, 2: {"pop_prev", "push_prev"}}.get(i.engine, i.tokens)
        need(i.tokens <= allowed, "TOKENS")
        if i.name in ("load", "store"):
            self.check_transfer(i)
        elif i.name in ("gemm", "alu"):
            if i.name == "alu":
                need(not i["reset"] and i["op"] <= SHR and bool(i["use_imm"] or not i["imm"]), "NOT_COVERED")
                need(not i["use_imm"] or i["op"] != SHR or 0 <= i["imm"] <= 15, "SHIFT")
            need(i["iter_out"] > 0 and i["iter_in"] > 0 and i["uop_begin"] < i["uop_end"], "SHAPE")
            need(i["uop_end"] <= ENTRIES[UOP], "INDEX")

    def check_transfer(self, i: Instruction) -> None:
        memory, pads = i["memory"], [i[f"{a}_pad_{n}"] for a in "yx" for n in range(2)]
        need(memory == OUT if i.name == "store" else memory <= ACC, "NOT_COVERED")
        need(not any(pads) or (i["x_size"] > 0 and memory in (INP, ACC)), "SHAPE")
        if not i["x_size"]:
            return
        need(i["y_size"] > 0 and (memory != UOP or i["y_size"] == 1), "SHAPE")
        rows, width = i["y_size"] + sum(pads[:2]), i["x_size"] + sum(pads[2:])
        need(i["sram"] + rows * width <= ENTRIES[memory], "INDEX")
        need((i["dram"] + (i["y_size"] - 1) * i["x_stride"] + i["x_size"]) * BYTES[memory] <= self.dram.size, "MEMORY")

    def row(self, i: Instruction, y: int, memory: int, writes: bool) -> slice:
        """Bytes of main memory."""
        start = (i["dram"] + y * i["x_stride"]) * BYTES[memory]
        end = start + i["x_size"] * BYTES[memory]
        for word in range(start // 4, end // 4):
            self.touch("dram", word, writes)
        return slice(start, end)

    def load(self, i: Instruction) -> None:
        memory = i["memory"]
        if not i["x_size"]:
            return
        into: Any = {UOP: self.uop, WGT: self.wgt, INP: self.inp, ACC: self.acc}[memory]
        rows = [self.dram[self.row(i, y, memory, False)].view(into.dtype) for y in range(i["y_size"])]
        entries = np.stack(rows).reshape(i["y_size"], i["x_size"], *into.shape[1:])
        around = [(i["y_pad_0"], i["y_pad_1"]), (i["x_pad_0"], i["x_pad_1"])]
        padded = np.pad(entries, around + [(0, 0)] * (into.ndim - 1)).reshape(-1, *into.shape[1:])
        into[i["sram"] : i["sram"] + len(padded)] = padded
        for n in range(i["sram"], i["sram"] + len(padded)):
            self.written[memory][n] = "loaded"
            self.touch({UOP: "uop", WGT: "wgt", INP: "inp", ACC: "acc"}[memory], n, True)

    def store(self, i: Instruction) -> None:
        for y in range(i["y_size"] if i["x_size"] else 0):
            entries = range(i["sram"] + y * i["x_size"], i["sram"] + (y + 1) * i["x_size"])
            for n in entries:
                need(n in self.written[ACC], "UNWRITTEN")
                need(self.written[ACC][n] == "computed", "STALE")
                self.touch("acc", n, False)
            self.dram[self.row(i, y, OUT, True)] = (self.acc[entries] & 255).astype(np.uint8).ravel()

    def steps(self, i: Instruction) -> Any:
        """dst, src and wgt of each micro-op, in order."""
        for y, x, n in product(range(i["iter_out"]), range(i["iter_in"]), range(i["uop_begin"], i["uop_end"])):
            need(n in self.written[UOP], "UNWRITTEN")
            word = int(self.uop[n])
            yield tuple(
                base + y * i[f"{name}_out"] + x * i[f"{name}_in"]
                for name, base in zip(
                    ("dst", "src", "wgt"), (word % 2048, word // 2048 % 2048, word >> 22), strict=True
                )
            )

    def gemm(self, i: Instruction) -> None:
        before = None
        for d, s, w in self.steps(i):
            need(d < ENTRIES[ACC], "INDEX")
            if i["reset"]:
                self.acc[d] = 0
                self.written[ACC][d] = "reset"
                self.touch("acc", d, True)
                continue
            need(s < ENTRIES[INP] and w < ENTRIES[WGT], "INDEX")
            need(s in self.written[INP] and w in self.written[WGT] and d in self.written[ACC], "UNWRITTEN")
            for cell in (("inp", s, False), ("wgt", w, False), ("acc", d, True)):
                self.touch(*cell)
            self.acc[d] += self.wgt[w].astype(np.int32) @ self.inp[s].astype(np.int32)
            self.written[ACC][d] = "computed"
            self.hazards += d == before
            before = d

    def alu(self, i: Instruction) -> None:
        before = None
        for d, s, _ in self.steps(i):
            need(d < ENTRIES[ACC] and s < ENTRIES[ACC], "INDEX")
            need(d in self.written[ACC] and bool(i["use_imm"] or s in self.written[ACC]), "UNWRITTEN")
            b = np.full(16, i["imm"], np.int32) if i["use_imm"] else self.acc[s].copy()
            need(i["op"] != SHR or bool(((b >= 0) & (b <= 15)).all()), "SHIFT")
            if not i["use_imm"]:
                self.touch("acc", s, False)
            self.touch("acc", d, True)
            operation: Any = {MIN: np.minimum, MAX: np.maximum, ADD: np.add, SHR: np.right_shift}[i["op"]]
            self.acc[d] = operation(self.acc[d], b)
            self.written[ACC][d] = "computed"
            self.hazards += before in ((d,) if i["use_imm"] else (d, s))
            before = d

    def finish(self, i: Instruction) -> None:
        pass


def unordered(program: Sequence[Instruction]) -> set[tuple[int, int]]:
    """Pairs of instructions, the lower number first: no chain of tokens and of engines' own order leads from one to the other."""
    count = len(program)
    reach = np.eye(count, dtype=bool)
    edges = [(a, b) for _, a, b in pairs(program)]
    for e in range(3):
        own = [n for n, i in enumerate(program) if i.engine == e]
        edges += pairwise(own)
    for a, b in edges:
        reach[a, b] = True
    for middle in range(count):
        reach |= np.outer(reach[:, middle], reach[middle])
    return {(a, b) for a in range(count) for b in range(a + 1, count) if not (reach[a, b] or reach[b, a])}


def races(program: Sequence[Instruction], accessed: Sequence[set[Access]]) -> set[tuple[int, int]]:
    """Pairs that touch one cell, one of them writing, and pairs with finish, in any order of the engines."""
    writes = [{(memory, cell) for memory, cell, written in some if written} for some in accessed]
    all_of = [{(memory, cell) for memory, cell, _ in some} for some in accessed]
    return {
        (a, b)
        for a, b in unordered(program)
        if "finish" in (program[a].name, program[b].name) or writes[a] & all_of[b] or writes[b] & all_of[a]
    }


def gets_stuck(program: Sequence[Instruction], depth: int = 8) -> bool:
    """Whether some instruction never begins or never ends, with queues of that many tokens; in any order of the engines."""
    waiting = [[i for i in program if i.engine == e] for e in range(3)]
    tokens: Counter[str] = Counter()
    began = [False] * 3
    moved = True
    while moved:
        moved = False
        for e, own in enumerate(waiting):
            if not own:
                continue
            side = 0 if began[e] else 1
            queues = [q for q, ends in QUEUES.items() if ends[side][0] == e and ends[side][1] in own[0].tokens]
            if not all(tokens[q] < depth if began[e] else tokens[q] > 0 for q in queues):
                continue
            tokens.update(dict.fromkeys(queues, 1 if began[e] else -1))
            if began[e]:
                own.pop(0)
            began[e] = not began[e]
            moved = True
    return any(waiting)
