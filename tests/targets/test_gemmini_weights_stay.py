"""Weights that stay in Gemmini's array from one tile to the next: a stage of their own, so what the array holds is proved."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import If, Issued, Loop, Node, Program, Ref
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini import build_here, missing
from isamap_smt.targets.gemmini.target import GemminiKernel
from tests.quick import quick

MACHINE = isamap_hardware.load("gemmini")
TARGET = find_target("gemmini")
GEMM = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
LAYER = im.kernel(
    "temporary T\nT[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i,j] = round_i8(f32(T[i,j] + b[j]) * s[])", name="layer",
    dtypes={"A": "i8", "B": "i8", "T": "i32", "Y": "i8", "b": "i32", "s": "f32"},
)  # fmt: skip


@functools.cache
def plan(machine: Any = MACHINE, kernel: im.Kernel = GEMM) -> Any:
    return im.stage(kernel, machine, instruction="matmul_held")


def here(planned: Any, cc: str | None = None) -> GemminiKernel:
    return GemminiKernel(planned.program, build_here(TARGET.emit(planned)["program.c"], cc), "here")


def drawn(seed: int, i: int, j: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.integers(-128, 128, (i, k)).astype(np.int8), random.integers(-128, 128, (k, j)).astype(np.int8)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.int64) @ b.astype(np.int64)


def test_one_program_at_a_hundred_random_sizes() -> None:
    made, random = here(plan()), np.random.default_rng(7)
    assert plan().proof.proved and set(plan().kernel.free_sizes) == {"I", "J", "K"}
    for n in range(100):
        a, b = drawn(n, *(int(x) for x in random.integers(1, 140, 3)))
        assert np.array_equal(made(a, b), product(a, b)), (n, a.shape, b.shape)


def test_weights_are_held_once_for_four_tiles() -> None:
    """Of A, which pass each tile of B. The time is the predicted one, at the sizes that the plan is made for."""
    a, b = drawn(1, 64, 64, 64)
    run = simulate(plan().program, {"A": a, "B": b}, trace=True)
    names = [s.instruction for s in run.trace]
    assert run.sound and np.array_equal(run.outputs["C"], product(a, b))
    assert names.count("gemmini.matmul_held") == 64 and names.count("gemmini.hold") == 16
    assert run.cycles is not None and abs(plan().cycles / run.cycles - 1) < 0.15


def test_a_layer_begins_at_its_bias() -> None:
    made = here(plan(MACHINE, LAYER))
    for n in range(10):
        a, b = drawn(n, 5 + 7 * n, 60 - 5 * n, 33)
        bias = np.random.default_rng(n).integers(-(1 << 20), 1 << 20, b.shape[1]).astype(np.int32)
        scale = np.float32(0.002)
        want = np.clip(np.rint((product(a, b) + bias).astype(np.float32) * scale), -128, 127).astype(np.int8)
        assert np.array_equal(made(A=a, B=b, b=bias, s=np.array(scale)), want)


@pytest.mark.parametrize("seeds", [10, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_no_order_of_the_engines_changes_it(seeds: int) -> None:
    a, b = drawn(3, 70, 37, 40)
    for seed in range(seeds):
        run = simulate(plan().program, {"A": a, "B": b}, seed=seed)
        assert run.sound and np.array_equal(run.outputs["C"], product(a, b))


def rewritten(change: Callable[[Node], tuple[Node, ...]]) -> Program:
    def visit(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop | If):
            node = replace(node, body=tuple(x for n in node.body for x in visit(n)))
        return change(node)

    return replace(plan().program, body=tuple(x for n in plan().program.body for x in visit(n)))


def is_use(node: Node, name: str) -> bool:
    return isinstance(node, Issued) and node.instruction.short == name


def never() -> Program:
    return rewritten(lambda n: () if is_use(n, "hold") else (n,))


def behind_the_products() -> Program:
    """The products of a step pass what the step before it left."""

    def change(n: Node) -> tuple[Node, ...]:
        if isinstance(n, Loop) and any(is_use(x, "hold") for x in n.body):
            hold = next(x for x in n.body if is_use(x, "hold"))
            rest = [x for x in n.body if x is not hold]
            products = next(k for k, x in enumerate(rest) if isinstance(x, Loop) and is_use(x.body[0], "matmul_held"))
            return (replace(n, body=(*rest[: products + 1], hold, *rest[products + 1 :])),)
        return (n,)

    return rewritten(change)


def outside_of_k() -> Program:
    """Held before the loop over k alone, in the belief that they stay the same."""

    def change(n: Node) -> tuple[Node, ...]:
        if isinstance(n, Loop) and any(is_use(x, "hold") for x in n.body):
            hold = next(x for x in n.body if is_use(x, "hold"))
            first = {n.var: 0, sym(f"#{n.var}"): 0}  # its number, too, where weights wait in several slots

            def at_first(r: Ref, first: dict[object, int] = first) -> Ref:
                index, version = (tuple(sp.sympify(e).subs(first) for e in x) for x in (r.index, r.version))
                return replace(r, index=index, version=version)

            place = tuple((o, at_first(r)) for o, r in hold.operands)
            early = replace(hold, operands=place, awaits=(), signals=hold.signals)
            return (early, replace(n, body=tuple(x for x in n.body if x is not hold)))
        return (n,)

    return rewritten(change)


def unawaited() -> Program:
    """The array takes weights from rows that are not loaded yet."""
    return rewritten(lambda n: (replace(n, awaits=n.awaits[:1]) if isinstance(n, Issued) and is_use(n, "hold") else n,))


def of_the_step_before() -> Program:
    """The products name the weights of the step before."""

    def change(n: Node) -> tuple[Node, ...]:
        if not isinstance(n, Issued) or not is_use(n, "matmul_held"):
            return (n,)
        k = sym("k_tile_step")
        places = tuple(
            (o, replace(r, version=tuple(e.subs(k, k - 1) for e in r.version)) if o == "w" else r)
            for o, r in n.operands
        )
        return (replace(n, operands=places),)

    return rewritten(change)


@pytest.mark.parametrize("make", [never, behind_the_products, outside_of_k, unawaited, of_the_step_before])
def test_mutants_are_not_proved(make: Callable[[], Program]) -> None:
    proof = prove_program(make())
    assert not proof.proved
    a, b = drawn(3, 70, 37, 40)
    runs = [simulate(make(), {"A": a, "B": b}, seed=seed) for seed in range(4)]
    wrong = any(not r.sound or not np.array_equal(r.outputs["C"], product(a, b)) for r in runs)
    assert wrong == (make is not of_the_step_before)  # which says something wrong of itself alone
    assert proof.word == "refuted", [(str(c), c.statement, c.verdict) for c in proof.failed()]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("hold", ("({b})", "({b} + 1)")),
        ("matmul_held", ("gemmini_acc_add", "gemmini_acc")),
        ("matmul_held", ("({a})", "({acc})")),
    ],
)
def test_a_description_that_contradicts_the_model_is_found(name: str, wrong: tuple[str, str]) -> None:
    i = MACHINE.instruction(name)
    assert wrong[0] in i.emit
    emit = i.emit.replace(*wrong)
    mutant = replace(i, emit=emit if "{a}" in emit or name == "hold" else f"(void)({{a}}); {emit}")
    machine = replace(MACHINE, instructions=tuple(mutant if x is i else x for x in MACHINE.instructions))
    a, b = drawn(1, 70, 29, 50)
    try:
        assert not np.array_equal(here(plan(machine), quick())(a, b), product(a, b))
    except HardwareError as refused:
        assert "instruction" in str(refused)


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_in_spike() -> None:
    made = TARGET.build(TARGET.emit(plan()))
    for n, sizes in enumerate(((1, 1, 1), (37, 29, 50), (80, 16, 64))):
        a, b = drawn(n, *sizes)
        assert np.array_equal(made(a, b), product(a, b))
