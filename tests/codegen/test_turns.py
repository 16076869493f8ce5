"""Executions of several steps take turns: the C says so, the bits stay those of one after the other, and what meets is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from examples import norms
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen.c_printer import print_c
from isamap_smt.ir.c_text import steps
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.heads import applied
from isamap_smt.ir.program import Alloc, Compute, If, Loop, Move, Node, Parallel, Program, Serial, Unrolled, copy_of
from isamap_smt.ir.scalar import Erf
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof import prove_program, require_proof
from isamap_smt.simulator.run import run_program
from tests.programs.loop_kinds import of_kind

KERNELS = {"GELU": norms.GELU, "SILU": norms.SILU, "GELU_TANH": norms.GELU_TANH}


@cache
def planned(name: str, machine: str = "host", size: int | None = None) -> Plan:
    return im.plan(KERNELS[name], machine, sizes={"i": size} if size else {})


def changed(nodes: tuple[Node, ...], change: Callable[[Unrolled], tuple[Node, ...]]) -> tuple[Node, ...]:
    """The nodes with other ones in the place of loops whose iterations take turns."""
    made: list[Node] = []
    for n in nodes:
        if isinstance(n, Unrolled) and n.woven:
            made += change(n)
        else:
            made.append(replace(n, body=changed(n.body, change)) if isinstance(n, Loop | If) else n)
    return tuple(made)


def with_loops(program: Program, change: Callable[[Unrolled], tuple[Node, ...]]) -> Program:
    return replace(program, body=changed(program.body, change))


def in_order(program: Program) -> Program:
    return with_loops(program, lambda loop: (replace(loop, woven=False),))


def every_kind(count: int, seed: int = 0) -> np.ndarray:
    """Floats of all bits: NaN, infinities, zeros of both signs and subnormal numbers among them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    near = rng.standard_normal(count).astype(np.float32) * 3
    x = np.where(rng.random(count) < 0.5, near, x)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, 1.1754944e-38], np.float32)
    x[rng.integers(0, count, min(count, 9))] = special[: min(count, 9)]
    return x


def test_the_steps_of_an_emit_get_names_of_their_own() -> None:
    code = "int t = {a};\n{c} = t * {b};"
    assert steps(code, {"a": "im_a", "b": "im_x + 1", "c": "im_t"}, "3") == (
        "int isamap_t_3 = im_a;",
        "im_t = isamap_t_3 * (im_x + 1);",
    )


@pytest.mark.parametrize(
    "code",
    [
        "if ({a})\n{c} = 1;\nelse\n{c} = 2;",
        "for (;;) {{\n{c} = 1;\n}}",
        "{c} = {a} +\n1;",
        "do {{ {c} = 1; }}\nwhile (0);",
    ],
)
def test_what_hangs_together_over_lines_stays_together(code: str) -> None:
    assert len(steps(code, {"a": "x", "c": "y"}, "0")) == 1


@pytest.mark.parametrize("name", ["GELU", "SILU"])
def test_the_steps_of_neighbours_stand_side_by_side(name: str) -> None:
    plan = planned(name, "avx512", 6144)
    loops = [n for n in nodes_of(Unrolled, plan.program.body) if n.woven]
    assert loops and all(int(x.count) == 6 for x in loops)
    assert "unroll in turns" in str(plan.program)
    lines = [line.strip() for line in print_c(require_proof(plan.program)).splitlines()]
    at = next(n for n, line in enumerate(lines) if "_fmadd_ps" in line and line.endswith(";"))
    assert [line.replace("_1", "_0") for line in lines[at : at + 2]] == [lines[at]] * 2 and lines[at] != lines[at + 1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_bits_are_those_of_one_after_the_other(name: str) -> None:
    plan = planned(name)
    turns, alone = im.build(plan), im.build(in_order(plan.program))
    for n in (*range(1, 71), 997, 10007):
        x = every_kind(n, n)
        assert np.array_equal(turns(x).view(np.uint32), alone(x).view(np.uint32)), n


def test_erf_has_the_bits_of_its_sequence_on_every_machine() -> None:
    x = every_kind(100_003)
    kernel = im.kernel("y[i] = erf(x[i])")
    wanted = applied(Erf, x)
    for machine in ("host", "avx2", "scalar"):
        found = im.compile(kernel, machine, sizes={"i": len(x)})(x)
        assert np.array_equal(found, wanted, equal_nan=True), machine
        assert np.array_equal(np.signbit(found[~np.isnan(x)]), np.signbit(wanted[~np.isnan(x)])), machine


def small() -> Program:
    return planned("SILU", "avx2", 67).program


def refuted(program: Program) -> set[str]:
    return {c.claim for c in prove_program(program).claims if isinstance(c.verdict, Refuted)}


def shared_register(loop: Unrolled) -> tuple[Node, ...]:
    """One register for what all iterations load: right one after the other."""
    held = [n for n in loop.body if isinstance(n, Alloc)]
    return (*held, replace(loop, body=tuple(n for n in loop.body if n not in held)))


def test_that_iterations_share_a_register_refutes_that_they_take_turns() -> None:
    shared = with_loops(small(), shared_register)
    assert refuted(shared) - refuted(in_order(shared)) == {"disjoint"}


def same_result(loop: Unrolled) -> tuple[Node, ...]:
    """Every iteration computes into the first one's register."""

    def first(n: Node) -> Node:
        if not isinstance(n, Compute):
            return n
        places = tuple((o, replace(r, index=(0,) if r.index else ())) for o, r in n.operands)
        return replace(n, operands=places)

    return (replace(loop, body=tuple(map(first, loop.body))),)


def test_two_iterations_that_write_one_register_are_refuted() -> None:
    assert "disjoint" in refuted(with_loops(small(), same_result))


def with_a_copy(loop: Unrolled) -> tuple[Node, ...]:
    """A copy among the steps."""
    load: Any = next(n for n in loop.body if isinstance(n, Move))
    first = replace(load.memory, index=tuple(substitute(i, {"l": 0}) for i in load.memory.index))
    copied = copy_of(first, first, (), dtypes=(im.f32,) * 2)
    return (replace(loop, body=(*loop.body, copied)),)


def no_longer_unrolled(loop: Unrolled) -> tuple[Node, ...]:
    """The steps stand in a loop that is not."""
    return (replace(loop, body=(Serial(sym("once"), sp.S.One, loop.body),)),)


def by_number(loop: Unrolled) -> tuple[Node, ...]:
    """A register that the C calls by its number is the same one in every iteration."""
    body = (Alloc(replace(n.buffer, first=3)) if isinstance(n, Alloc) else n for n in loop.body)
    return (replace(loop, body=tuple(body)),)


@pytest.mark.parametrize("change", [with_a_copy, no_longer_unrolled, by_number])
def test_only_unrolled_moves_and_executions_take_turns(change: Callable[[Unrolled], tuple[Node, ...]]) -> None:
    proof = prove_program(with_loops(small(), change))
    said = [c.verdict for c in proof.failed() if c.claim == "disjoint"]
    assert any("is no unrolled loop of moves and executions alone" in str(v) for v in said), proof.failed()


def test_only_unrolled_loops_take_turns() -> None:
    """The same loop as one of another kind says nothing of turns; its registers are then named by a loop that the C counts."""
    assert all(f.name != "woven" for kind in (Serial, Parallel) for f in fields(kind))
    assert refuted(with_loops(small(), lambda loop: (of_kind(Serial, loop),))) == {"memory"}


def test_simulated_it_is_right() -> None:
    x = every_kind(67)
    x = np.where(np.isfinite(x), x, 0).astype(np.float32)
    run = run_program(small(), {"x": x})
    assert run.clean
    with np.errstate(over="ignore"):
        wanted = x / (1 + np.exp(-x.astype(np.float64)))
    assert np.allclose(run.outputs["y"], wanted, rtol=1e-5)
