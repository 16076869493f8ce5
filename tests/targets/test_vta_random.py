"""The model of VTA against an oracle in NumPy: random programs, and wrong models, which are noticed."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.targets.vta import DeadlockError, RefusedError, build_model, run_on
from isamap_smt.targets.vta.model import model_source
from tests.quick import quick
from tests.targets.vta_oracle import Oracle, Violation, gets_stuck, races
from tests.targets.vta_words import (
    ACC,
    ENTRIES,
    INP,
    SHR,
    TOKENS,
    UOP,
    WGT,
    Instruction,
    alu,
    gemm,
    in_a_row,
    load,
    nothing,
    pairs,
    store,
    take_away,
    uop,
    words,
)  # fmt: skip

PROGRAMS = 50
SIZE = 1 << 16  # bytes of main memory: micro-ops at 0, what is loaded from 1024 on, and what is stored from 32768 on
SHOWN = 60000 // 16  # where the last values go, in entries


class Draw:
    """A random program that the oracle has executed, up to the first instruction that it refuses."""

    def __init__(self, seed: int, mistakes: float = 0.01) -> None:
        self.random, self.mistakes = random.Random(seed), mistakes
        self.memory = np.random.default_rng(seed).integers(0, 256, SIZE).astype(np.uint8)
        self.bases = {
            m: self.random.choice([0, ENTRIES[m] - 64, self.random.randrange(ENTRIES[m] - 64)]) for m in ENTRIES
        }
        uops = [*(self.micro_op() for _ in range(40)), uop(self.bases[ACC], self.bases[ACC])]
        self.memory[: 4 * 41] = np.array(uops, "<u4").view(np.uint8)
        self.oracle, self.program = Oracle(self.memory), list[Instruction]()
        self.refused: str | None = None
        prologue = [
            load(UOP, self.bases[UOP], 0, 41),
            load(INP, self.bases[INP], 64, 64),
            load(WGT, self.bases[WGT], 4, 64),
        ]
        self.all = (self.bases[UOP] + 40, self.bases[UOP] + 41, 1, 64)  # the accumulator's entries, one after the other
        for i in (*prologue, load(ACC, self.bases[ACC], 16, 64), self.byte_down(0)):
            self.append(i)

    def micro_op(self) -> int:
        """Its indices lie in the first 40 of 64 entries of each memory, but for some mistakes."""
        reach = 40 if self.random.random() > self.mistakes * 3 else 80
        return uop(*(min(self.bases[m] + self.random.randrange(reach), ENTRIES[m] - 1) for m in (ACC, INP, WGT)))

    def append(self, i: Instruction) -> None:
        """The last ones are not kept where the oracle has refused one."""
        if self.refused:
            return
        self.program.append(i)
        try:
            self.oracle.execute(i)
        except Violation as violation:
            self.refused = str(violation)

    def append_legal(self, i: Instruction) -> None:
        """Only if the oracle takes it."""
        before = self.oracle.copy()
        self.append(i)
        if self.refused:
            self.program.pop()
            self.oracle, self.refused = before, None

    def instruction(self) -> Instruction:
        draw = self.random.randrange
        kind = draw(8)
        if kind < 3:
            return self.transfer(self.random.choice([UOP, WGT, INP, ACC]))
        if kind == 3:
            begin = draw(64)
            x, y = 1 + draw(64 - begin) // 4, 1 + draw(4)
            return store(self.bases[ACC] + begin, 2048 + draw(1500), x, y, draw(40))
        first = self.bases[UOP] + draw(36)
        names = ("dst_out", "dst_in", "src_out", "src_in", *(("wgt_out", "wgt_in") if kind < 6 else ()))
        steps = {name: draw(6 if self.random.random() > self.mistakes else 40) for name in names}
        loops = (first, first + 1 + draw(4), 1 + draw(3), 1 + draw(3))
        if kind < 6:
            return gemm(*loops, reset=int(draw(6) == 0), **steps)
        op, immediate = draw(4), draw(2)
        if op == SHR:
            return alu(op, *loops, use_imm=1, imm=draw(16), **steps)
        return alu(op, *loops, use_imm=immediate, imm=draw(-(2**15), 2**15) * immediate, **steps)

    def transfer(self, memory: int) -> Instruction:
        draw = self.random.randrange
        if memory == UOP:
            at = draw(39)
            return load(UOP, self.bases[UOP] + draw(40 - at), at, 1 + draw(40 - at) // 2, x_stride=draw(9))
        first = {WGT: 4, INP: 64, ACC: 16}[memory]
        pads = {f"{a}_pad_{n}": draw(3) for a in "yx" for n in range(2)} if memory != WGT and draw(2) else {}
        return load(memory, self.bases[memory] + draw(32), first + draw(40), 1 + draw(4), 1 + draw(3), draw(8), **pads)

    def spoil(self, i: Instruction) -> Instruction:
        """Sometimes one field is drawn anew, of its whole range."""
        if self.random.random() >= self.mistakes * 10:
            return i
        name = self.random.choice([n for n in i.fields if n != "imm"])
        width = {"memory": 3, "op": 3, "use_imm": 1, "reset": 1, "dram": 13}.get(name, 4 if "pad" in name else 10)
        i.fields[name] = self.random.randrange(1 << width)
        return i

    def byte_down(self, bits: int) -> Instruction:
        """All numbers of the accumulator shifted right, which also lets them be stored."""
        return alu(SHR, *self.all, dst_in=1, src_in=1, use_imm=1, imm=bits)

    def show(self) -> None:
        """Every bit of the accumulator, a byte at a time."""
        for n in range(4):
            self.append(self.byte_down(8 * (n > 0)))
            self.append(store(self.bases[ACC], SHOWN + 64 * n, 64))


@cache
def drawn(seed: int) -> Draw:
    it = Draw(seed)
    for _ in range(it.random.randrange(4, 16)):
        it.append(it.spoil(it.instruction()))
    it.show()
    return it


def differences(library: Path, seed: int) -> list[str]:
    """What the model does otherwise than the oracle, on a program whose tokens leave one order."""
    it = drawn(seed)
    program = in_a_row([Instruction(i.name, dict(i.fields)) for i in it.program])
    memory = it.memory.copy()
    try:
        report = run_on(library, memory, words(program), seed)
    except RefusedError as error:
        at = len(program) - 2
        if (error.why.name, str(error).startswith(f"instruction {at},")) != (it.refused, True):
            return [f"the model: {error}; the oracle, of instruction {at}: {it.refused}"]
        return []
    wrong = ["it should be refused"] * bool(it.refused)
    wrong += ["memory"] * (not np.array_equal(memory, it.oracle.dram))
    wrong += [f"races: {report.race}"] * bool(report.races)
    return wrong + ["hazards"] * (report.hazards != it.oracle.hazards)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_random_program_does_what_the_oracle_does(seed: int) -> None:
    assert differences(build_model(), seed) == []


def test_programs_run_to_their_end_and_are_refused() -> None:
    """Else the comparison above would see little."""
    refused = [drawn(seed).refused for seed in range(PROGRAMS)]
    assert PROGRAMS // 5 < refused.count(None) < PROGRAMS * 7 // 8, refused
    assert len(set(refused)) >= 4, refused


@cache
def loosened(seed: int) -> tuple[Draw, list[Instruction], bool, bool]:
    """A program that runs, of whose tokens some are gone: both ends of them, or for one program in four, one end of one. Whether it
    gets stuck, and whether it has races."""
    it = Draw(seed, 0)
    while len(it.program) < 18:
        it.append_legal(it.instruction())
    program = [*(crowd(8 + seed // 4 % 2) if seed % 4 == 1 else ()), *in_a_row(it.program)]
    choose = random.Random(seed)
    for token in pairs(program):
        if choose.random() < 0.08:
            take_away(program, *token)
    if seed % 4 == 0:
        some = choose.choice([i for i in program if i.tokens])
        some.tokens.discard(choose.choice(sorted(some.tokens)))
    steps = dict(zip(map(id, it.program), it.oracle.accessed, strict=True))
    return it, program, gets_stuck(program), bool(races(program, [steps.get(id(i), set()) for i in program]))


def crowd(count: int) -> list[Instruction]:
    """Load and compute first give each other that many tokens, and then take them."""

    def passed(it: Instruction, token: str) -> Instruction:
        it.tokens.add(token)
        return it

    ends = [("push_next", "push_prev"), ("pop_next", "pop_prev")]
    return [i for a, b in ends for _ in range(count) for i in (passed(load(INP, 0, 0, 0), a), passed(nothing(), b))]


def misjudged(library: Path, seed: int) -> list[str]:
    """Where the model sees races or stands still otherwise than the order of the tokens says, in three orders of the engines."""
    it, program, stuck, racy = loosened(seed)
    wrong = list[str]()
    left = sum(len(i.tokens & set(TOKENS[2:])) - len(i.tokens & set(TOKENS[:2])) for i in program)
    for order in (0, 2 * seed + 1, 2 * seed + 2):
        try:
            report = run_on(library, it.memory.copy(), words(program), order)
        except DeadlockError:
            wrong += ["a deadlock"] * (not stuck)
        except RefusedError as error:
            wrong += [str(error)] * (error.why.name == "TOKENS" and left == 0)
            wrong += [str(error)] * (error.why.name != "TOKENS" and not racy)
        else:
            wrong += ["no deadlock"] * stuck + ["no tokens left"] * (left > 0)
            wrong += [f"{report.races} races: {report.race}"] * (bool(report.races) != racy)
    return wrong


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_races_and_deadlocks_are_those_of_the_tokens(seed: int) -> None:
    assert misjudged(build_model(), seed) == []


def test_programs_have_races_and_deadlocks_and_neither() -> None:
    kinds = [(stuck, racy) for _, _, stuck, racy in map(loosened, range(PROGRAMS))]
    assert min(kinds.count((False, False)), kinds.count((False, True)), sum(s for s, _ in kinds)) > 3, kinds


MUTANTS = {
    "bytes of weights are transposed": ("v->inp[i->src][k] * v->wgt[i->wgt][o][k]", "v->inp[i->src][k] * v->wgt[i->wgt][k][o]"),
    "out saturates": ("low_byte(int32_t value) {", "low_byte(int32_t value) { if (value > 127) return 127;"),
    "sums saturate": ("return (int32_t)(rest >= ((int64_t)1 << 31) ? rest - ((int64_t)1 << 32) : rest);",
                      "(void)rest; return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);"),
    "shifts round to zero": ("(int32_t)((value - rest) / unit)", "(int32_t)(value / unit + 0 * rest)"),
    "the immediate has no sign": ("(field(h, 112, 16) ^ 0x8000) - 0x8000", "field(h, 112, 16)"),
    "rows behind pads are not moved": ("row - i->y_pad_0) * i->x_stride", "row) * i->x_stride"),
    "pads are not zeros": ("pad ? zeros :", "pad ? v->dram :"),
    "the inner step is the outer": ("y * i->src_out + x * i->src_in", "y * i->src_in + x * i->src_out"),
    "reset entries are stored": ("v->acc_written[dst] = RESET", "v->acc_written[dst] = COMPUTED"),
    "unwritten sums are read": ("if (v->acc_written[i->dst] == NEVER)\n", "if (0)\n"),
    "tokens carry nothing": ("if (clock->seen[e] < with->seen[e])", "if (0)"),
    "readers are forgotten": ("cell->reader[v->now->engine] = self;", ";"),
    "begun is over": ("o->ordinal <= v->engine", "o->ordinal - 1 <= v->engine"),
    "queues have no end": ("v->queue[q].count < QUEUE_DEPTH", "1"),
    "tokens may be left": ("if (v->queue[q].count)", "if (0)"),
    "finish waits for nobody": ("is_before(v, s->own[s->total - 1] + 1)", "1"),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_model_is_noticed(mutant: str) -> None:
    right, wrong = MUTANTS[mutant]
    source = model_source()
    assert source.count(right) == 1
    library = build_model(quick(), source.replace(right, wrong))
    assert any(differences(library, seed) or misjudged(library, seed) for seed in range(PROGRAMS))
