"""A product of matrices on the model of VTA, written by hand, in many orders of the engines; and what its tokens are for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.targets.vta import DeadlockError, RefusedError, Report, run
from tests.targets.vta_oracle import Oracle
from tests.targets.vta_words import (
    ACC,
    INP,
    MAX,
    MIN,
    SHR,
    TOKENS,
    UOP,
    WGT,
    Instruction,
    alu,
    finish,
    gemm,
    load,
    pairs,
    store,
    take_away,
    uop,
    words,
)  # fmt: skip

ROWS, BLOCKS, DEEP = (
    16,
    4,
    3,
)  # C[16, 64] = clip((A[16, 48] * B[48, 64]) >> 9): 4 x 3 blocks of B, and 3 of A for each row of them
A_AT, B_AT, C_AT, SIZE = 64, 16, 512, 16384  # in entries of inp, wgt and out; and bytes
SUMS, INPUTS, WEIGHTS = 100, 40, 7  # how far the second place lies behind the first: in acc, inp and wgt
SEEDS = range(25)


def given() -> tuple[np.ndarray, np.ndarray]:
    """Main memory with micro-ops, A in blocks of 16 columns and B in blocks of [out][in]; and C in blocks of 16 columns."""
    random = np.random.default_rng(5)
    a = random.integers(-128, 128, (ROWS, 16 * DEEP)).astype(np.int8)
    b = random.integers(-128, 128, (16 * DEEP, 16 * BLOCKS)).astype(np.int8)
    memory = np.full(SIZE, 99, np.uint8)
    uops = [uop(SUMS * s, INPUTS * p, WEIGHTS * p) for s in range(2) for p in range(2)] + [0, uop(SUMS, SUMS)]
    memory[:24] = np.array(uops, "<u4").view(np.uint8)
    memory[16 * A_AT :][: a.size] = a.reshape(ROWS, DEEP, 16).swapaxes(0, 1).copy().view(np.uint8).ravel()
    memory[256 * B_AT :][: b.size] = b.reshape(DEEP, 16, BLOCKS, 16).transpose(2, 0, 3, 1).copy().view(np.uint8).ravel()
    c = np.clip((a.astype(np.int32) @ b.astype(np.int32)) >> 9, -128, 127)
    return memory, c.reshape(ROWS, BLOCKS, 16).swapaxes(0, 1).astype(np.int8)


def passing(i: Instruction, **tokens: bool) -> Instruction:
    """The instruction with those tokens that are true."""
    assert set(tokens) <= set(TOKENS)
    i.tokens = {name for name, passed in tokens.items() if passed}
    return i


def double_buffered() -> list[Instruction]:
    """Two places each for sums, inputs and weights: load fills one while compute reads the other, and so do compute and store."""
    program = [load(UOP, 3, 0, 6)]
    rows = dict(iter_out=4, iter_in=4, dst_out=4, dst_in=1, src_out=4, src_in=1)
    for n in range(BLOCKS):
        own = (7 + n % 2, 8 + n % 2)
        program.append(passing(gemm(*own, reset=1, **rows), pop_next=n >= 2))
        for step in range(n * DEEP, n * DEEP + DEEP):
            place, first = step % 2, 3 + 2 * (n % 2) + step % 2
            a = load(INP, INPUTS * place, A_AT + ROWS * (step % DEEP), 4, 4, 4)
            program += [
                passing(a, pop_next=step >= 2),
                passing(load(WGT, WEIGHTS * place, B_AT + step, 1), push_next=True),
                passing(gemm(first, first + 1, **rows), pop_prev=True, push_prev=step + 2 < BLOCKS * DEEP),
            ]
        program += [alu(op, *own, use_imm=1, imm=imm, **rows) for op, imm in ((SHR, 9), (MAX, -128), (MIN, 127))]
        program[-1].tokens = {"push_next"}
        c = store(SUMS * (n % 2), C_AT + ROWS * n, ROWS)
        program.append(passing(c, pop_prev=True, push_prev=n + 2 < BLOCKS or n == BLOCKS - 1))
    return [*program, passing(finish(), pop_next=True)]


def executed(program: list[Instruction], seed: int) -> tuple[np.ndarray, Report]:
    """C, and the report."""
    memory, c = given()
    report = run(memory, words(program), seed)
    return memory[16 * C_AT :][: c.size].view(np.int8).reshape(c.shape), report


@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_is_that_of_numpy_in_any_order(seed: int) -> None:
    memory, c = given()
    before = memory.copy()
    report = run(memory, words(double_buffered()), seed)
    assert np.array_equal(memory[16 * C_AT :][: c.size].view(np.int8).reshape(c.shape), c)
    memory[16 * C_AT :][: c.size] = before[16 * C_AT :][: c.size]
    assert np.array_equal(memory, before)
    assert (report.races, report.race, report.hazards) == (0, "", 0)
    assert report.instructions == (2 * BLOCKS * DEEP, 2 + BLOCKS * (DEEP + 4), BLOCKS)
    rows = 4 * BLOCKS * DEEP + BLOCKS * DEEP + 1 + BLOCKS
    assert report.steps == rows + ROWS * BLOCKS * (DEEP + 4) + 1 + 2 * sum(report.instructions)


def test_orders_differ() -> None:
    """What is loaded too early is seen by more or fewer of the products that are still to read what was there."""
    program = double_buffered()
    take_away(program, *next(token for token in pairs(program) if token[0] == "g2l"))
    assert len({executed(program, seed)[0].tobytes() for seed in SEEDS}) >= 3


@pytest.mark.parametrize("token", pairs(double_buffered()))
def test_without_any_token_there_is_a_race(token: tuple[str, int, int]) -> None:
    program = double_buffered()
    take_away(program, *token)
    assert executed(program, 0)[1].races
    for seed in SEEDS[1:6]:
        try:
            assert executed(program, seed)[1].races
        except RefusedError as error:
            assert error.report.races or error.why.name == "UNWRITTEN", error


@pytest.mark.parametrize("token", pairs(double_buffered()))
def test_a_token_that_is_not_given_is_a_deadlock(token: tuple[str, int, int]) -> None:
    """Whoever needs it last waits for it."""
    program = double_buffered()
    kept = set(program[token[2]].tokens)
    take_away(program, *token)
    program[token[2]].tokens = kept
    for seed in SEEDS[:3]:
        with pytest.raises(DeadlockError, match=rf"waits at instruction \d+, [a-z ]+, for a token \({token[0]}"):
            executed(program, seed)


@pytest.mark.parametrize("token", pairs(double_buffered()))
def test_a_token_that_is_not_taken_is_left(token: tuple[str, int, int]) -> None:
    program = double_buffered()
    kept = set(program[token[1]].tokens)
    take_away(program, *token)
    program[token[1]].tokens = kept
    with pytest.raises(RefusedError, match=f"1 of the tokens of {token[0]}, [a-z ]+ are left at the end"):
        executed(program, 0)


def test_the_oracle_does_the_same() -> None:
    memory, c = given()
    oracle = Oracle(memory)
    for i in double_buffered():
        oracle.execute(i)
    assert np.array_equal(oracle.dram[16 * C_AT :][: c.size].view(np.int8).reshape(c.shape), c)


def test_a_word_is_what_its_bits_say() -> None:
    """Each field by its place: opcode, tokens, micro-ops, loops, steps; and of a transfer."""
    product = gemm(1, 2, 3, 5, reset=1, dst_out=7, dst_in=11, src_out=13, src_in=17, wgt_out=19, wgt_in=23)
    product.tokens = {"pop_next", "push_prev"}
    places = {0: 2, 4: 1, 5: 1, 7: 1, 8: 1, 21: 2, 35: 3, 49: 5, 64: 7, 75: 11, 86: 13, 97: 17, 108: 19, 118: 23}
    assert int.from_bytes(product.bits(), "little") == sum(value << place for place, value in places.items())
    shifts = alu(SHR, 1, 2, 3, 5, use_imm=1, imm=-2, src_in=17)
    places = {0: 4, 8: 1, 21: 2, 35: 3, 49: 5, 97: 17, 108: 3, 111: 1, 112: 65534}
    assert int.from_bytes(shifts.bits(), "little") == sum(value << place for place, value in places.items())
    padded = load(ACC, 3, 5, 7, 11, 13, y_pad_0=1, y_pad_1=2, x_pad_0=3, x_pad_1=4)
    places = {7: 3, 10: 3, 26: 5, 64: 11, 80: 7, 96: 13, 112: 1, 116: 2, 120: 3, 124: 4}
    assert int.from_bytes(padded.bits(), "little") == sum(value << place for place, value in places.items())


def test_it_stands_apart(repository: Path) -> None:
    """The model's part of the package reads errors, the compiler and its neighbours: no description, no proof, no simulator."""
    read = set[str]()
    for file in (repository / "isamap_smt/targets/vta" / name for name in ("model.py", "answer.py")):
        read |= set(re.findall(r"^(?:from|import) (isamap\S+)", file.read_text(), re.MULTILINE))
    own = {name for name in read if name.startswith("isamap_smt.targets.vta.")}
    assert own
    assert read - own == {"isamap_smt.ir.errors", "isamap_smt.runtime.cache", "isamap_smt.targets.joined"}
