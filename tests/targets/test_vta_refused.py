"""What the model of VTA refuses, one program each, with the instruction, its name and the reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from isamap_smt.ir.errors import HardwareError
from isamap_smt.targets.vta import DeadlockError, RefusedError, run
from tests.targets.vta_words import (
    ACC,
    ADD,
    INP,
    MUL,
    SHR,
    UOP,
    WGT,
    Instruction,
    alu,
    finish,
    gemm,
    in_a_row,
    load,
    nothing,
    store,
    uop,
    words,
)  # fmt: skip

SIZE = 1 << 14


def memory() -> np.ndarray:
    """Micro-ops 0, one at the memories' ends and one beyond what is loaded; the rest 20, for shifts."""
    found = np.full(SIZE, 0, np.uint8)
    found[:12] = np.array([0, uop(2047, 2047, 1023), uop(40, 40, 40)], "<u4").view(np.uint8)
    found[1024:2048].view("<i4")[:] = np.resize([3, 15, 0, 16], 256)
    found[2048:3072].view("<i4")[:] = np.resize([3, 15, 0, -1], 256)
    return found


def ready() -> list[Instruction]:
    """Three micro-ops, and the first 8 entries of each memory: acc's are loaded."""
    return [load(UOP, 0, 0, 3), load(ACC, 0, 16, 8), load(INP, 0, 64, 8), load(WGT, 0, 4, 8)]


def also(i: Instruction, *tokens: str, **fields: int) -> Instruction:
    i.tokens |= set(tokens)
    i.fields.update(fields)
    return i


LAST = [load(INP, 2047, 64, 1), load(WGT, 1023, 4, 1), load(ACC, 2047, 16, 1)]

# Behind ready(), each: why, where from the first of these on, what is said, and the instructions.
Case = tuple[str, int, str, Sequence[Instruction]]
REFUSED: dict[str, Case] = {
    "opcode": ("NOT_COVERED", 0, "unknown: there is no opcode 5", [also(gemm(0, 1), opcode=5)]),
    "memory to load": ("NOT_COVERED", 0, "load: memory 5 is not one that all sources load", [load(5, 0, 0, 1)]),
    "loading out": ("NOT_COVERED", 0, "load: memory 4 is not one", [load(4, 0, 0, 1)]),
    "memory to store": ("NOT_COVERED", 0, "store: memory 3 is stored", [store(0, 0, 1, memory=ACC)]),
    "bits of a transfer": ("NOT_COVERED", 0, "load inp: bits are set that have no meaning", [load(INP, 0, 64, 1, rest=1)]),
    "bits of loops": ("NOT_COVERED", 0, "gemm: bits are set that have no meaning", [gemm(0, 1, rest=1)]),
    "reset of alu": ("NOT_COVERED", 0, "alu: bit 7 is set", [alu(ADD, 0, 1, use_imm=1, reset=1)]),
    "multiplication": ("NOT_COVERED", 0, "alu: operation 4 is not one in which all sources agree", [alu(MUL, 0, 1)]),
    "unused immediate": ("NOT_COVERED", 0, "alu: the immediate is -1 and not used", [alu(ADD, 0, 1, imm=-1)]),
    "pads of nothing": ("SHAPE", 0, "load inp: x_size is 0 and there are pads", [load(INP, 0, 0, 0, y_pad_0=1)]),
    "pads of wgt": ("SHAPE", 0, "load wgt: there are pads, and HLS pads inp and acc", [load(WGT, 0, 4, 1, x_pad_1=1)]),
    "pads of uop": ("SHAPE", 0, "load uop: there are pads, and HLS pads inp and acc", [load(UOP, 0, 0, 1, y_pad_1=1)]),
    "pads of a store": ("SHAPE", 0, "store: there are pads, which a store has not", [store(0, 0, 1, x_pad_0=1)]),
    "no rows": ("SHAPE", 0, "load inp: y_size is 0, for which Chisel counts on", [load(INP, 0, 64, 1, 0)]),
    "no rows of a store": ("SHAPE", 0, "store: y_size is 0, for which Chisel", [store(0, 0, 1, 0)]),
    "rows of uop": ("SHAPE", 0, "load uop: y_size is 2, and HLS loads one row", [load(UOP, 0, 0, 1, 2)]),
    "no outer iterations": ("SHAPE", 0, "gemm: it has 0 x 2 iterations", [gemm(0, 1, 0, 2)]),
    "no inner iterations": ("SHAPE", 0, "alu: it has 2 x 0 iterations", [alu(ADD, 0, 1, 2, 0)]),
    "no micro-ops": ("SHAPE", 0, "gemm: its micro-ops begin at 1 and end at 1", [gemm(1, 1)]),
    "end of inp": ("INDEX", 0, "load inp: it reaches entry 2048, and inp has 2048", [load(INP, 2047, 64, 2)]),
    "end of inp, by a pad": ("INDEX", 0, "it reaches entry 2049", [load(INP, 2044, 64, 1, 2, x_pad_0=1, y_pad_0=1)]),
    "end of wgt": ("INDEX", 0, "load wgt: it reaches entry 1024, and wgt has 1024", [load(WGT, 1024, 4, 1)]),
    "end of acc": ("INDEX", 0, "load acc: it reaches entry 2048", [load(ACC, 2046, 16, 1, 3)]),
    "end of uop": ("INDEX", 0, "load uop: it reaches entry 2048, and uop has 2048", [load(UOP, 2048, 0, 1)]),
    "end of out": ("INDEX", 0, "store: it reaches entry 2048, and out has 2048", [store(2048, 0, 1)]),
    "micro-ops behind the end": ("INDEX", 0, "gemm: its last micro-op is 2048", [gemm(2048, 2049)]),
    "dst": ("INDEX", 0, "gemm: dst is 2048, and acc has 2048 entries (micro-op 1, iteration 0, 1)",
            [gemm(1, 2, 1, 2, reset=1, dst_in=1)]),
    "dst of alu": ("INDEX", 1, "alu: dst is 2050, and acc has", [load(ACC, 2047, 16, 1), alu(ADD, 1, 2, 2, 1, dst_out=3)]),
    "src of alu": ("INDEX", 1, "alu: src is 2048", [load(ACC, 2047, 16, 1), alu(ADD, 1, 2, 2, use_imm=1, src_out=1)]),
    "src": ("INDEX", 3, "gemm: src is 2048, and inp has 2048 entries", [*LAST, gemm(1, 2, 2, src_out=1)]),
    "wgt": ("INDEX", 3, "gemm: wgt is 1024, and wgt has 1024 entries", [*LAST, gemm(1, 2, 1, 2, wgt_in=1)]),
    "end of main memory": ("MEMORY", 0, "load inp: it ends at byte 16400 of main memory, which has 16384",
                           [load(INP, 0, 1023, 1, 2, 1)]),
    "end of main memory, stored": ("MEMORY", 0, "store: it ends at byte 16400", [store(0, 1024, 1)]),
    "far away": ("MEMORY", 0, "load wgt: it ends at byte 1099511627776", [load(WGT, 0, 2**32 - 1, 1)]),
    "unwritten micro-op": ("UNWRITTEN", 0, "gemm: micro-op 3 is read, and was never", [gemm(3, 4)]),
    "unwritten inp": ("UNWRITTEN", 0, "gemm: entry 8 of inp is read", [gemm(0, 1, 9, src_out=1)]),
    "unwritten wgt": ("UNWRITTEN", 0, "gemm: entry 8 of wgt is read", [gemm(0, 1, 9, wgt_out=1)]),
    "unwritten acc": ("UNWRITTEN", 0, "gemm: entry 8 of acc is read", [gemm(0, 1, 9, dst_out=1)]),
    "unwritten dst of alu": ("UNWRITTEN", 0, "alu: entry 40 of acc is read", [alu(ADD, 2, 3, use_imm=1)]),
    "unwritten src of alu": ("UNWRITTEN", 0, "alu: entry 8 of acc is read", [alu(ADD, 0, 1, 9, src_out=1)]),
    "unwritten out": ("UNWRITTEN", 0, "store: entry 8 of out is read", [store(8, 0, 1)]),
    "loaded, not computed": ("STALE", 0, "store: entry 7 was loaded into acc last", [store(7, 0, 1)]),
    "loaded again": ("STALE", 2, "store: entry 0 was loaded", [alu(ADD, 0, 1), load(ACC, 0, 16, 1), store(0, 0, 1)]),
    "reset, not computed": ("STALE", 2, "store: entry 0 was reset last", [gemm(0, 1), gemm(0, 1, reset=1), store(0, 0, 1)]),
    "shift by -1": ("SHIFT", 0, "alu: it shifts by -1", [alu(SHR, 0, 1, use_imm=1, imm=-1)]),
    "shift by 16": ("SHIFT", 0, "alu: it shifts by 16", [alu(SHR, 0, 1, use_imm=1, imm=16)]),
    "shift by a vector": ("SHIFT", 0, "alu: lane 3 of entry 0 shifts by 16, and", [alu(SHR, 0, 1)]),
    "shift by a negative vector": ("SHIFT", 1, "alu: lane 3 of entry 0 shifts by -1", [load(ACC, 0, 32, 1), alu(SHR, 0, 1)]),
    "token before load": ("TOKENS", 0, "load inp: load has no engine before it", [also(load(INP, 0, 64, 1), "pop_prev")]),
    "token to before load": ("TOKENS", 0, "load wgt: load has no engine", [also(load(WGT, 0, 4, 1), "push_prev")]),
    "token behind store": ("TOKENS", 0, "store: store has no engine behind it", [also(store(0, 0, 1), "pop_next")]),
    "token to behind store": ("TOKENS", 0, "store: store has no engine", [also(store(0, 0, 1), "push_next")]),
    "finish early": ("FINISH", 0, "finish: instructions stand behind it", [finish(), nothing()]),
    "bits of finish": ("NOT_COVERED", 0, "finish: bits are set", [also(finish(), more=1)]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("seed", [0, 7])
def test_it_is_refused(case: str, seed: int) -> None:
    why, at, text, instructions = REFUSED[case]
    program = in_a_row([*ready(), *(Instruction(i.name, dict(i.fields), set(i.tokens)) for i in instructions)])
    at = next(
        n for n, i in enumerate(program) if (i.name, i.fields) == (instructions[at].name, instructions[at].fields)
    )
    with pytest.raises(RefusedError) as caught:
        run(memory(), words(program), seed)
    assert caught.value.why.name == why
    assert str(caught.value).startswith(f"instruction {at}, ")
    assert text in str(caught.value)
    assert isinstance(caught.value, HardwareError)
    assert caught.value.report.races == 0


ACCEPTED: dict[str, Sequence[Instruction]] = {
    "ends": [
        load(INP, 2046, 64, 2),
        load(WGT, 1023, 4, 1),
        load(UOP, 2047, 0, 1),
        load(ACC, 2040, 16, 2, 4),
        gemm(1, 2),
    ],
    "nothing": [load(INP, 60000, 2**32 - 1, 0, 0), load(UOP, 0, 0, 0, 2), store(60000, 0, 0)],
    "pads": [load(INP, 2036, 64, 1, 1, y_pad_0=1, y_pad_1=2, x_pad_0=1, x_pad_1=1), load(ACC, 0, 16, 8, x_pad_0=15)],
    "shifts": [alu(SHR, 0, 1, use_imm=1, imm=0), alu(SHR, 0, 1, use_imm=1, imm=15)],
    "end of main memory": [load(INP, 0, 1023, 1), alu(ADD, 0, 1), store(0, 1023, 1)],
    "inp and wgt of reset": [gemm(0, 1, 2, reset=1, src_out=2047, wgt_out=1023)],
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_it_is_not_refused_on_the_border(case: str) -> None:
    report = run(memory(), words(in_a_row([*ready(), *ACCEPTED[case]])), 3)
    assert report.races == 0


def test_a_program_ends_with_finish() -> None:
    for program in ([], ready()):
        with pytest.raises(RefusedError, match="the last instruction is not finish") as caught:
            run(memory(), words(program), 0)
        assert caught.value.why.name == "FINISH"


def test_arrays_of_other_types_are_refused() -> None:
    program = words([finish()])
    for dram in (np.zeros(16, np.int8), np.zeros((16, 2), np.uint8)[:, 0], np.frombuffer(bytes(16), np.uint8)):
        with pytest.raises(HardwareError, match="main memory is not an array of uint8"):
            run(dram, program, 0)
    for wrong in (program[:15], program.view(np.uint32)):
        with pytest.raises(HardwareError, match="the instructions are not an array of uint8 with 16 bytes"):
            run(memory(), wrong, 0)


def test_a_race_is_described() -> None:
    program = [*ready(), also(nothing(), "pop_prev"), load(INP, 5, 64, 1), gemm(0, 1, 8, src_out=1), finish()]
    program[3].tokens = {"push_next"}
    report = run(memory(), words(program), 0)
    assert report.race == (
        "instruction 5, load inp, writes inp's entry 5, instruction 6, gemm, reads it, and no token orders them"
    )
    program.insert(7, also(alu(ADD, 0, 1), "push_next"))
    program.insert(8, also(store(0, 70, 1), "pop_prev", "push_prev"))
    program[9].tokens = {"pop_next"}
    program[5] = load(INP, 9, 70, 1)
    report = run(memory(), words(program), 0)
    assert report.race == (
        "instruction 5, load inp, reads main memory's byte 1120, instruction 8, store, writes it, and no token orders them"
    )
    assert report.races == 4 + 1  # the words of an entry, and finish, which does not wait for the load


def test_finish_waits_for_stores() -> None:
    program = in_a_row([*ready(), alu(ADD, 0, 1), store(0, 0, 1)])
    program[-2].tokens.discard("push_prev")
    program[-1].tokens.clear()
    at = len(program) - 2
    for seed in range(9):
        report = run(memory(), words(program), seed)
        assert report.races == 1
        assert f"instruction {at}, store, may run after instruction {at + 1}, finish" in report.race


def test_a_deadlock_says_who_waits_for_what() -> None:
    program = [also(load(INP, 0, 64, 1), "pop_next"), *ready(), also(nothing(), "pop_prev"), store(0, 0, 0), finish()]
    with pytest.raises(DeadlockError) as caught:
        run(memory(), words(program), 4)
    assert str(caught.value) == (
        "deadlock: load waits at instruction 0, load inp, for a token (g2l, compute to load); "
        "compute waits at instruction 5, load acc, for a token (l2g, load to compute); store has done all its instructions"
    )


def both_full(count: int) -> list[Instruction]:
    """Load and compute first give so many tokens each, and then take them."""
    sync = [(load(INP, 0, 0, 0), "push_next", "pop_next"), (nothing(), "push_prev", "pop_prev")]
    made = [[also(Instruction(i.name, dict(i.fields)), t) for t in tokens for _ in range(count)] for i, *tokens in sync]
    return [*made[0], *made[1], finish()]


def test_a_queue_holds_eight_tokens() -> None:
    assert run(memory(), words(both_full(8)), 0).instructions == (16, 17, 0)
    with pytest.raises(DeadlockError) as caught:
        run(memory(), words(both_full(9)), 0)
    assert "load waits at instruction 8, load inp, for room for its token (l2g, load to compute)" in str(caught.value)
    assert "compute waits at instruction 26, load acc, for room for its token (g2l" in str(caught.value)


def test_an_engine_has_512_instructions_waiting() -> None:
    """Loads that wait for a token keep the instruction behind them from being fetched that gives it."""
    waiting = [also(load(INP, 0, 0, 0), "pop_next"), *(load(INP, 0, 0, 0) for _ in range(511))]
    giving = [also(nothing(), "push_prev", "pop_prev"), finish()]
    last = also(load(INP, 0, 0, 0), "push_next")
    assert run(
        memory(), words([*waiting[:-1], last, also(nothing(), "push_prev"), also(nothing(), "pop_prev"), finish()]), 1
    )
    with pytest.raises(DeadlockError, match="compute waits for instruction 513 to be fetched"):
        run(memory(), words([*waiting, last, *giving]), 1)


def test_hazards_are_counted() -> None:
    """Of the sums that a product adds to, and of what the ALU reads: only what the micro-op before wrote, in one instruction."""
    for instruction, hazards in (
        (gemm(0, 1, 4, 2), 7),
        (gemm(0, 1, 4, 2, dst_in=1), 0),
        (gemm(0, 1, 4, 2, dst_out=1), 4),
        (gemm(0, 1, 4, 2, reset=1), 0),
        (alu(ADD, 0, 1, 4, 2, use_imm=1, dst_in=1, src_out=1), 0),
        (alu(ADD, 0, 1, 1, 4, dst_in=2, src_in=2), 0),
        (alu(ADD, 0, 1, 1, 2, dst_in=1), 1),
    ):
        assert run(memory(), words(in_a_row([*ready(), instruction, nothing()])), 0).hazards == hazards, instruction


def test_products_wrap_at_32_bits() -> None:
    """And the low byte is stored, whatever the others are."""
    given = memory()
    given[4096:4352] = np.full(256, 128, np.uint8)  # -128: a sum of 16 products is 2^18
    given[8192:8256].view("<i4")[:] = 2**31 - 2**18 + np.arange(16)
    add = gemm(0, 1)
    program = [load(UOP, 0, 0, 1), load(INP, 0, 256, 1), load(WGT, 0, 16, 1), load(ACC, 0, 128, 1), add]
    program += [alu(SHR, 0, 1, use_imm=1, imm=15), alu(SHR, 0, 1, use_imm=1, imm=10), store(0, 600, 1)]
    program[5:5] = [alu(ADD, 0, 1, use_imm=1, imm=-7), store(0, 601, 1)]
    run(given, words(in_a_row(program)), 0)
    sums = (np.arange(16) - 7).astype(np.int64) + 2**31
    assert np.array_equal(given[9616:9632], (sums & 255).astype(np.uint8))
    wrapped = np.where(sums >= 2**31, sums - 2**32, sums)
    assert np.array_equal(given[9600:9616], (wrapped >> 25 & 255).astype(np.uint8))
