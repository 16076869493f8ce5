"""Elements of several types in rows of one memory: planned, proved, carried out; and programs that take a cell for another type."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mixed
import numpy as np
import plain_executor
import pytest
from judged import runs_wrong
from random_epilogues import draw_epilogue
from random_epilogues import what_goes_wrong as sums_go_wrong
from random_vectors import draw_vectors, what_goes_wrong
from use_edits import held, holding

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import HardwareError, IsamapError, ScheduleError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.program import Buffer, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

BYTES = {"X": "i8", "W": "i8"}
GEMM = im.kernel("Y[i,j] += i32(X[i,k]) * i32(W[k,j])", dtypes={**BYTES, "Y": "i32"}, name="bytes")
TWO = im.kernel(
    "temporary T\ntemporary H\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nH[i,j] = sat_i8(T[i,j])\n"
    "Y[i,m] += i32(H[i,j]) * i32(V[j,m])",
    dtypes=BYTES | {"T": "i32", "H": "i8", "V": "i8", "Y": "i32"}, name="two",
)  # fmt: skip
SIZES = ({"i": 19, "j": 13, "k": 21, "m": 9}, {"i": 8, "j": 17, "k": 8, "m": 8}, {"i": 1, "j": 1, "k": 1, "m": 1})


def arrays_of(kernel: im.Kernel, seed: int = 0) -> dict[str, np.ndarray]:
    """Of all numbers of their types."""
    rng = np.random.default_rng(seed)
    shapes = {n: [int(evaluate(e, {})) for e in kernel.tensor(n).shape] for n in kernel.inputs}
    types = {n: kernel.tensor(n).dtype for n in kernel.inputs}
    return {n: rng.integers(types[n].low, types[n].high, s, types[n].numpy, endpoint=True) for n, s in shapes.items()}


def goes_wrong(program: Program, kernel: im.Kernel, sizes: dict[str, int]) -> str:
    kernel = kernel.with_sizes(sizes)
    arrays = arrays_of(kernel)
    known = {n.upper(): v for n, v in sizes.items() if n.upper() in program.kernel.free_sizes}
    return runs_wrong(program, arrays, known, im.run_kernel(kernel, arrays), 2, 2)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kernel", [GEMM, TWO], ids=["gemm", "two"])
def test_bytes_and_their_sums_lie_in_one_scratchpad(kernel: im.Kernel, sizes: dict[str, int]) -> None:
    used = {a.name for s in kernel.statements for a in s.axes}
    known = {a: n for a, n in sizes.items() if a in used}
    plan = im.stage(kernel, mixed.one_pad(), sizes=known)
    assert plan.proof.proved
    assert {str(b.dtype) for b in held(plan.program) if b.memory == "pad"} == {"i8", "i32"}
    assert not goes_wrong(plan.program, kernel, known)


def test_rows_that_are_no_whole_number_of_sums() -> None:
    machine = replace(mixed.one_pad(), memories=(im.Memory("pad", 34 * 96, row=34),))
    plan = im.stage(GEMM, machine, sizes={"i": 19, "j": 13, "k": 21})
    assert plan.proof.proved and not goes_wrong(plan.program, GEMM, {"i": 19, "j": 13, "k": 21})


def test_one_proof_for_all_sizes() -> None:
    plan = im.stage(GEMM, mixed.one_pad())
    assert plan.proof.proved
    for sizes in SIZES:
        assert not goes_wrong(plan.program, GEMM, {n: v for n, v in sizes.items() if n != "m"})


@pytest.mark.parametrize("limits", [{"bandwidth": 16.0}, {"banks": 2}], ids=str)
def test_a_memory_serves_each_type_by_its_bytes_and_rows(limits: dict[str, float]) -> None:
    machine = mixed.one_pad(**limits)  # type: ignore[arg-type]
    sizes = {"i": 19, "j": 13, "k": 21}
    plan, kernel = im.stage(GEMM, machine, sizes=sizes), GEMM.with_sizes(sizes)
    assert plan.proof.proved and plan.cycles == simulate(plan.program, arrays_of(kernel)).cycles


def test_a_tile_takes_as_many_rows_whatever_its_type() -> None:
    """Two tiles of bytes and one of sums, 8 rows each."""
    assert im.stage(GEMM, mixed.one_pad(rows=24), sizes={"i": 19, "j": 13, "k": 21}).proof.proved
    with pytest.raises(ScheduleError, match="rows"):
        im.stage(GEMM, mixed.one_pad(rows=23), sizes={"i": 19, "j": 13, "k": 21})


TWO_SUMS = im.kernel(
    "temporary T, U\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nU[i,j] += i32(X[i,k]) * i32(V[k,j])\nY[i,j] = T[i,j] + U[i,j]",
    dtypes=BYTES | {"T": "i32", "U": "i32", "V": "i8", "Y": "i32"}, name="two_sums",
)  # fmt: skip


@cache
def two_sums(rows: int) -> im.Plan:
    return im.stage(TWO_SUMS, mixed.one_pad(rows=rows, adds=True), sizes={"i": 19, "j": 13, "k": 21})


def test_what_follows_a_sum_reads_what_another_left_on_chip() -> None:
    """With room for both; else the second sum begins at the first one, which passes main memory."""
    there, through = two_sums(160), two_sums(96)
    assert there.proof.proved and through.proof.proved and there.cycles < 0.95 * through.cycles
    assert "T stays in pad between phases" in there.notes and not any("stays" in n for n in through.notes)
    for plan in (there, through):
        assert not goes_wrong(plan.program, TWO_SUMS, {"i": 19, "j": 13, "k": 21})


def test_bytes_of_a_later_phase_in_rows_of_sums_that_stay_are_refuted() -> None:
    program = two_sums(160).program
    left, bytes_there = _of(program, "acc_1"), _of(program, "a_2")
    assert left.type.tensor == "T" and str(bytes_there.dtype) == "i8"
    wrong = holding(program, replace(bytes_there, offset=left.offset))
    proof = prove_program(wrong)
    assert proof.word == "refuted"
    assert any("leave the rows of pad in which acc_1 holds T" in c.statement for c in proof.failed())
    arrays = arrays_of(TWO_SUMS.with_sizes({"i": 19, "j": 13, "k": 21}))
    want = im.run_kernel(TWO_SUMS.with_sizes({"i": 19, "j": 13, "k": 21}), arrays)
    assert plain_executor.differs(wrong, arrays, {}, want, 2)


@pytest.mark.parametrize("seed", range(14))
def test_random_plans_of_one_file_of_registers(seed: int) -> None:
    d = draw_vectors(seed, types=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, proof.failed()[:2])
    assert not what_goes_wrong(d, d.program, plainly=1), d.words


@pytest.mark.parametrize("seed", range(10))
def test_random_plans_of_one_memory_of_bytes_and_sums(seed: int) -> None:
    d = draw_epilogue(seed, seed % 2 == 0, together=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, proof.failed()[:2])
    assert not sums_go_wrong(d, d.program, plainly=1), d.words


# ---- Programs that are wrong.


def _of(program: Program, name: str) -> Buffer:
    return next(b for b in held(program) if b.name == name)


def _wrong_programs() -> dict[str, Program]:
    program = im.stage(GEMM, mixed.one_pad(), sizes={"i": 19, "j": 13, "k": 21}).program
    a, b, acc = (_of(program, n) for n in ("a", "b", "acc"))

    def changed(*buffers: Buffer) -> Program:
        return holding(program, *buffers)

    return {
        "sums over bytes": changed(replace(acc, offset=a.offset)),
        "the last rows of bytes are some of sums": changed(replace(acc, offset=b.offset + b.slots * b.rows - 4)),
        "bytes said to be sums": changed(replace(a, dtype=dtype("i32"))),
        "sums said to be bytes": changed(replace(acc, dtype=dtype("i8"))),
        "rows of fewer cells": changed(replace(acc, shape=(acc.shape[0], 4))),
        "tiles of fewer rows": changed(replace(a, shape=(a.shape[0] - 1, a.shape[1]))),
        "past the end": changed(replace(acc, offset=96 - 8)),
    }


@pytest.mark.parametrize("name", _wrong_programs())
def test_mutants_are_refuted_and_go_wrong(name: str) -> None:
    program = _wrong_programs()[name]
    proof = prove_program(program)
    assert not proof.proved and proof.word == "refuted", proof
    arrays = arrays_of(program.kernel)
    want = im.run_kernel(program.kernel, arrays)
    assert plain_executor.differs(program, arrays, {}, want, 4) or name == "rows of fewer cells"
    try:
        found = simulate(program, arrays, {}, seed=0)
        assert not found.sound or not np.array_equal(found.outputs["Y"], want["Y"]) or name == "rows of fewer cells"
    except IsamapError as error:
        assert "operand" in str(error)


def test_rows_wider_than_those_of_the_memory_are_refuted() -> None:
    program = im.stage(GEMM, mixed.one_pad(), sizes={"i": 8, "j": 8, "k": 8}).program
    acc = _of(program, "acc")
    proof = prove_program(holding(program, replace(acc, shape=(acc.shape[0], 9))))
    assert "a row of pad holds the columns of acc" in [c.statement for c in proof.failed()]


def test_what_moves_another_type_is_named() -> None:
    machine = mixed.one_pad()
    lacks = replace(machine, instructions=tuple(i for i in machine.instructions if i.name != "load_i8"))
    with pytest.raises((ScheduleError, HardwareError)) as error:
        im.stage(GEMM, lacks, sizes={"i": 8, "j": 8, "k": 8})
    assert (
        "and no instruction moves from memory to pad as i8: load_i32 moves i32 and begun moves i32; describe one"
        in str(error.value)
    )


def test_what_begins_another_type_is_named() -> None:
    machine = mixed.one_pad()
    lacks = replace(machine, instructions=tuple(i for i in machine.instructions if i.name not in ("clear", "begun")))
    with pytest.raises((ScheduleError, HardwareError)) as error:
        im.stage(GEMM, lacks, sizes={"i": 8, "j": 8, "k": 8})
    assert "no instruction begins cells of pad at 0 as i32; describe one" in str(error.value)
