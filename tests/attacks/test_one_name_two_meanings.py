"""Names that mean two things: in a formula that says what several executions define, in a program, and in the C."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "programs"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "codegen"))

import pinned
import recurrences
import toys
from mutants import rewritten

import isamap_smt as im
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.expr import FloorMod, sym
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    Compute,
    If,
    Loop,
    Move,
    Node,
    Prefetch,
    Program,
    Ref,
    Serial,
    element_of,
)
from isamap_smt.ir.schedule import LoopStep, Schedule, Stage
from isamap_smt.ir.traversal import walk
from isamap_smt.proof.program import prove_program
from tests.programs.portable import is_copy

# The second statement reads the first one's result with its first two axes exchanged.
TURNED = """axis a < 2
axis b < 2
axis c < 4
X: f32[2,2,4,K]
T: f32[2,2,4]
Y: f32[2,2,4]
T[a,b,c] += X[a,b,c,k] * W[k]
Y[a,b,c] += T[b,a,c] * V[m]
"""


def case(name: str) -> Program:
    return next(c for c in (*pinned.ALL, *pinned.EVERY_SIZE) if c.name == name).program()


def failed(program: Program) -> set[str]:
    return {c.claim for c in prove_program(program).failed()}


def test_executions_that_define_the_same_prefix_differently_cover_nothing() -> None:
    """A use that never runs fuses b, a, c where the instruction fuses a, b, c: together the two said that a is b."""
    kernel = im.kernel(TURNED)
    made = [im.fuse(kernel, toys.FMA, {"l": ("a", "b", "c")}, statement=n) for n in (0, 1)]
    first, second = (
        toys.schedule(m, f"a.b.c:4 {k}:1", 1, {"a.b.c": 4}, {"a": 0, "b": 0}, None, {"m": 2})
        for m, k in zip(made, "km", strict=True)
    )
    whole = lower(first, second)
    assert not failed(whole)
    (nest,) = (
        n
        for n in whole.body
        if isinstance(n, Loop) and any(isinstance(x, Compute) and x.statement == 1 for x, _ in walk((n,)))
    )
    half = replace(nest, body=recurrences._at(nest.body, {nest.var.name: 3 * nest.var}), count=sp.Integer(2), step=12)
    some = replace(whole, body=tuple(half if n is nest else n for n in whole.body))
    assert "coverage" in failed(some)
    x, y, z, m = map(sym, ("za", "zb", "zc", "zm"))
    read = (Ref("T", (y, x, z)), Ref("V", (m,)))
    body: tuple[Node, ...] = (
        element_of(some.kernel, 1, Ref("Y", (x, y, z)), read, (("a", x), ("b", y), ("c", z), ("m", m))),
    )
    for v, count in ((m, 2), (z, 4), (y, 2), (x, 2)):
        body = (Serial(v, sp.Integer(count), body),)
    never = Serial(sym("z"), sp.S.Zero, body, axis="a.b.c", step=1)
    assert "coverage" in failed(replace(some, body=(*some.body, never)))


def prefetching(distance: Any) -> Program:
    def asked(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Move) and n.memory is not None and n.memory.name == "B_packed":
            return (replace(n, prefetch=(Prefetch(distance),)),)
        return None

    return rewritten(case("both packed symbolic"), asked)


def test_what_is_asked_for_is_computed_like_any_other_number() -> None:
    assert not failed(prefetching(64 * sym("J")))
    assert failed(prefetching(FloorMod(sym("J") + 3, sym("J") - 3))) == {"hypotheses"}  # no J but 3 divides by zero
    assert failed(prefetching(sym("nowhere"))) == {"hypotheses"}
    assert failed(prefetching(sym("J") / 2)) == {"memory"}
    assert any("J**9" in a for a in prove_program(prefetching(sym("J") ** 9)).assumptions)


def test_a_parameter_below_zero_lowers_no_bound() -> None:
    kernel = im.kernel("param d >= -3\nC[i] += A[i+4+d,k] * B[k] where 0 <= i+4+d")
    plan = im.plan(kernel.with_dtypes(dict.fromkeys("ABC", "f32")), "avx2")
    (bound,) = (a for a in plan.proof.assumptions if "2**63" in a)
    assert "4*K*IMax(d, -d)" in bound and "*d " not in bound


def test_what_is_packed_ahead_does_not_ask_whether_outputs_are_fresh() -> None:
    packed = case("b ahead symbolic")
    guarded = tuple(If((sp.Ge(FRESH, 1),), (n,)) if is_copy(n) else n for n in packed.ahead)
    assert not failed(packed) and failed(replace(packed, ahead=guarded)) == {"hypotheses"}


def two_products(
    hardware: str, instruction: str, text: str, groups: list[dict[str, tuple[str, ...]]], loops: list[str], **more: Any
) -> Program:
    """Two statements on one instruction, b packed inside; more: `dtypes`, `sizes`, `packing`, `parallel` of the second."""
    kernel = im.kernel(text).with_dtypes(more["dtypes"])
    machine = im.find_hardware(hardware)
    schedules = []
    for n, (group, order) in enumerate(zip(groups, loops, strict=True)):
        proved = im.prove(im.fuse(kernel, machine.instruction(instruction), group, statement=n))
        steps = tuple(LoopStep(a, int(s)) for a, s in (x.split(":") for x in order.split()))
        accumulate = len(steps) - 1
        tile = tuple((x.axis, x.step) for x in steps[accumulate - 2 : accumulate])
        packs = (Stage("a"), Stage("b", more["depth"]))
        schedules.append(
            Schedule(
                proved, steps, accumulate, tile, packs, parallel=more["parallel"][n], hardware=machine,
                sizes=tuple(more["sizes"].items()),
            )
        )  # fmt: skip
    return lower(*schedules)


def test_two_buffers_are_not_called_the_same() -> None:
    text = "C[i,j] += A[i,k] * B[k,j]\nD[m,n] += E[m,o] * F[o,n]"
    program = two_products(
        "avx2", "fmadd_ps", text, [{"l": ("j",)}, {"l": ("n",)}], ["j:32 k:4 i:2 j:16 k:1", "n:32 o:32 m:2 n:16 o:1"],
        dtypes=dict.fromkeys("ABCDEF", "f32"), depth=2, parallel=(0, None), sizes={},
    )  # fmt: skip

    def named(r: Ref | None) -> Any:
        return replace(r, name="B_packed") if r is not None and r.name == "F_packed_2" else r

    def same(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Alloc) and n.buffer.name == "F_packed_2":
            return (Alloc(replace(n.buffer, name="B_packed")),)
        if is_copy(n):
            return (n.placed(named(n.dst), named(n.src)),)
        return (n.put(memory=named(n.memory)),) if isinstance(n, Move) else None

    assert not failed(program) and failed(rewritten(program, same)) == {"hypotheses"}


def test_no_register_lives_while_threads_share_a_loop() -> None:
    """AMX: each thread of the inner loop gives its tiles back at the end, and the caller's are among them."""
    text = "C[i,j] += f32(A[i,k]) * f32(B[k,j])\nD[m,n] += f32(E[m,o]) * f32(F[o,n])"
    program = two_products(
        "amx", "dpbf16ps", text, [{x: (x,) for x in "ijk"}, {"i": ("m",), "j": ("n",), "k": ("o",)}],
        ["i:16 j:16 k:32", "m:16 n:16 o:32"], depth=0, parallel=(None, 0),
        dtypes=dict(A="bf16", B="bf16", E="bf16", F="bf16", C="f32", D="f32"),
        sizes={"i": 16, "j": 16, "k": 64, "m": 32, "n": 32, "o": 64},
    )  # fmt: skip
    first, second = (n for n in program.body if isinstance(n, Loop))

    def around(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        inside = [replace(n, body=around(n.body)) if isinstance(n, Loop | If) else n for n in nodes]
        if any(isinstance(n, Alloc) and n.buffer.memory == "registers" and n.buffer.type.tensor == "C" for n in inside):
            inside.insert(next(i for i, n in enumerate(inside) if isinstance(n, Loop) and n.axis == "k"), second)
        return tuple(inside)

    rest = tuple(n for n in program.body if n not in (first, second))
    assert not failed(program)
    assert failed(replace(program, body=(*rest, *around((first,))))) == {"disjoint", "configuration"}


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("rename", ["b_r_0", "B_packed_0", "j1"])
def test_registers_have_names_of_their_own_in_the_c(rename: str) -> None:
    def named(r: Ref | None) -> Any:
        return replace(r, name=rename) if r is not None and r.name == "a_r" else r

    def other(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Alloc) and n.buffer.name == "a_r":
            return (Alloc(replace(n.buffer, name=rename)),)
        if isinstance(n, Move):
            return (n.put(register=named(n.register)),)
        return (replace(n, operands=tuple((o, named(r)) for o, r in n.operands)),) if isinstance(n, Compute) else None

    program = rewritten(case("both packed symbolic"), other)
    assert not failed(program)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, s).astype(np.float32) for s in ((13, 9), (9, 37)))
    assert np.array_equal(im.build(program)(a, b), a @ b)


@pytest.mark.needs("avx2", "fma")
def test_a_copy_may_count_by_the_name_that_a_size_has_in_the_c() -> None:
    """The size J is n_J there, unless something else is."""

    def counted(n: Node) -> tuple[Node, ...] | None:
        if not is_copy(n) or n.dst.name != "B_packed":
            return None
        (cell, count), *rest = n.over
        moved = recurrences._at(replace(n, over=()), {cell.name: sym("n_J")})
        return (replace(moved, over=((sym("n_J"), count), *rest)),)

    program = rewritten(case("both packed symbolic"), counted)
    assert not failed(program)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, s).astype(np.float32) for s in ((13, 9), (9, 37)))
    assert np.array_equal(im.build(program)(a, b), a @ b)


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("axis", ["b_r_", "acc_0_", "acc_1_"])
def test_an_axis_may_be_called_what_registers_are(axis: str) -> None:
    """Its loops are b_r_0, b_r_1 ..., as the registers of b would be."""
    run = im.compile(im.kernel(f"C[i,{axis}] += A[i,k] * B[k,{axis}]"), "avx2", sizes={"i": 24, axis: 96, "k": 40})
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, s).astype(np.float32) for s in ((24, 40), (40, 96)))
    assert np.array_equal(run(a, b), a @ b)
