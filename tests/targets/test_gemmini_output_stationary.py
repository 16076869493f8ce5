"""Sums that stay in Gemmini's array over k and leave it once, in 20 bits: proved where they fit, refuted where they do not,
executed by a model that wraps."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, HardwareError, ScheduleError
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini import build_here, missing
from isamap_smt.targets.gemmini.target import GemminiKernel
from tests.quick import quick

MACHINE = isamap_hardware.load("gemmini")
TARGET = find_target("gemmini")
GEMM = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
BYTES = im.kernel(
    "temporary T\nT[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i,j] = round_i8(relu(f32(T[i,j]) * 0.01))", name="layer",
    dtypes={"A": "i8", "B": "i8", "T": "i32", "Y": "i8"},
)  # fmt: skip


@functools.cache
def plan(k: int, most: int = 0, kernel: im.Kernel = GEMM) -> Any:
    """Open but for k. most: of the size of elements of A; 0: any bytes."""
    held = kernel.with_ranges({"A": (-most, most)}) if most else kernel
    return im.stage(held, MACHINE, sizes={"k": k}, instruction="matmul_os")


def here(planned: Any, cc: str | None = None) -> GemminiKernel:
    return GemminiKernel(planned.program, build_here(TARGET.emit(planned)["program.c"], cc), "here")


def drawn(seed: int, i: int, j: int, k: int, most: int = 128) -> tuple[np.ndarray, np.ndarray]:
    """Bytes, of which every third pair is all least ones."""
    random = np.random.default_rng(seed)
    a = random.integers(-most, min(most, 127) + 1, (i, k)).astype(np.int8)
    b = random.integers(-128, 128, (k, j)).astype(np.int8)
    if seed % 3 == 0:
        a[:], b[:] = -most, -128
    return a, b


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.int64) @ b.astype(np.int64)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("k", "most"), [(2, 0), (16, 0), (31, 0), (32, 127), (64, 63), (100, 40)])
def test_sums_that_fit_are_proved_and_right_at_random_sizes(k: int, most: int) -> None:
    """31 terms of any bytes; more of smaller ones, up to the edge: 63 * 128 * 64 is less than 2^19."""
    planned, random = plan(k, most), np.random.default_rng(k)
    assert planned.proof.proved and set(planned.kernel.free_sizes) == {"I", "J"}
    made = here(planned)
    for n in range(20):
        a, b = drawn(n, *(int(x) for x in random.integers(1, 70, 2)), k, most or 128)
        assert np.array_equal(made(a, b), product(a, b)), (n, a.shape, b.shape)


@pytest.mark.parametrize(
    ("k", "most", "told"),
    [
        (32, 0, "32 terms of A.i,k. = -128 and B.k,j. = -128 leave the 20 bits of array, -524288 to 524287; "
                "k <= 31 or -127 <= A <= 127 or -127 <= B <= 127 would fit"),
        (64, 0, "32 terms, the first 32 of 64, of .* k <= 31 or -63 <= A <= 63 or"),
        (64, 65, "64 terms of A.i,k. = 65 and B.k,j. = -128 leave .*; k <= 63 or -63 <= A <= 63 or -126 <= B <= 126 would"),
    ],
)  # fmt: skip
def test_sums_that_do_not_fit_are_refused_with_what_would(k: int, most: int, told: str) -> None:
    with pytest.raises(ScheduleError, match=told):
        plan(k, most)


def test_an_open_sum_is_refused() -> None:
    with pytest.raises(ScheduleError, match="k <= 31 would fit"):
        im.stage(GEMM, MACHINE, instruction="matmul_os")
    assert "matmul_os" not in im.stage(GEMM, MACHINE).title


def test_one_term_too_many_is_refuted_and_goes_wrong() -> None:
    """The program for 32 terms of A from -127, taken for one of any bytes."""
    planned = plan(32, 127)
    wrong = replace(planned.program, kernel=GEMM.with_sizes({"k": 32}))
    (claim,) = prove_program(wrong).failed()
    assert claim.verdict.word == "refuted" and claim.claim == "scalar"
    assert "within its 20 bits" in claim.statement and "k <= 31" in claim.verdict.text
    a, b = drawn(0, 5, 7, 32)
    c = np.zeros((5, 7), np.int32)
    order = {"A": a, "B": b, "C": c}
    names = [t.name for t in planned.kernel.tensors]
    answer = build_here(TARGET.emit(planned)["program.c"])(
        [order[n] for n in names], [5, 7], written=[names.index("C")]
    )
    assert (c == -(1 << 19)).all() and (product(a, b) == 1 << 19).all() and "20 bits" in answer.notes[0]
    assert (simulate(wrong, {"A": a, "B": b}, seed=1).outputs["C"] == -(1 << 19)).all()
    with pytest.raises(ArgumentError, match=r"was proved for A in .-127, 127."):
        here(planned)(a, b)


def test_bytes_leave_the_accumulator() -> None:
    made = here(plan(31, 0, BYTES))
    for n in range(12):
        a, b = drawn(n, 3 + 5 * n, 40 - 3 * n, 31)
        scaled = np.clip(np.rint(product(a, b).astype(np.float32) * np.float32(0.01)), 0, 127).astype(np.int8)
        assert np.array_equal(made(a, b), scaled)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("matmul_os", ("NOWHERE, 0);", "NOWHERE, 1);")),
        ("matmul_os", ("(uint32_t)({a}), (uint32_t)({b})", "(uint32_t)({b}), (uint32_t)({a})")),
        ("take", ("({acc})), 0);", "({acc})), 1);")),
        ("take", ("gemmini_acc(", "gemmini_acc_add(")),
        ("empty", ("NOWHERE, 1);", "NOWHERE, 0);")),
    ],
)
def test_a_description_that_contradicts_the_model_is_found(name: str, wrong: tuple[str, str]) -> None:
    i = MACHINE.instruction(name)
    assert wrong[0] in i.emit
    mutant = replace(i, emit=i.emit.replace(*wrong))
    machine = replace(MACHINE, instructions=tuple(mutant if x is i else x for x in MACHINE.instructions))
    planned = im.stage(GEMM, machine, sizes={"k": 31}, instruction="matmul_os")
    a, b = drawn(1, 37, 29, 31)
    try:
        assert not np.array_equal(here(planned, quick())(a, b), product(a, b))
    except HardwareError as refused:
        assert "instruction" in str(refused)


@pytest.mark.parametrize("seeds", [10, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_no_order_of_the_engines_changes_it(seeds: int) -> None:
    a, b = drawn(3, 37, 50, 31)
    for seed in range(seeds):
        run = simulate(plan(31).program, {"A": a, "B": b}, seed=seed)
        assert run.sound and np.array_equal(run.outputs["C"], product(a, b))


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_in_spike() -> None:
    made = TARGET.build(TARGET.emit(plan(31)))
    for n, (i, j) in enumerate(((1, 1), (37, 29), (16, 64))):
        a, b = drawn(n, i, j, 31)
        assert np.array_equal(made(a, b), product(a, b))
