"""The folds over programs: what each of them reaches, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

import pytest
import sympy as sp
import toys

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import PARTS, Alloc, Buffer, Configure, Loop, Node, Program, Ref, Role
from isamap_smt.ir.traversal import (
    inside,
    map_bodies,
    map_nodes,
    map_parts,
    nodes_of,
    own_parts,
    parts,
    renamed,
    substituted,
    walk,
)
from isamap_smt.proof.program import prove_program


@cache
def layer() -> Program:
    text = "temporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nY[i,j] = round_i8(f32(T[i,j]) * 0.01)"
    kernel = im.kernel(text, name="layer", dtypes={"X": "i8", "W": "i8", "Y": "i8", "T": "i32"})
    return im.stage(kernel, isamap_hardware.load("gemmini")).program


@cache
def on_avx2() -> Program:
    fix = {"pack.A": "L2"}
    return im.plan("gemm", "avx2", sizes={"i": 13, "j": 21, "k": 19}, fix=fix, cost_model="analytic").program


PROGRAMS = {
    "toy": lambda: toys.packed_gemm(0),
    "any length": toys.OF_ANY_LENGTH["inplace"],
    "avx2": on_avx2,
    "layer": layer,
}


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Program:
    return PROGRAMS[request.param]()


def everything(value: Any, what: type) -> Iterator[Any]:
    """Parts of a type, found by looking into every field, whatever its annotation says."""
    if isinstance(value, what):
        yield value
    if type(value) is tuple:
        for v in value:
            yield from everything(v, what)
    elif is_dataclass(value) and isinstance(value, PARTS):
        for f in fields(value):
            yield from everything(getattr(value, f.name), what)


def test_every_place_and_every_instruction_is_reached(program: Program) -> None:
    for what in (Ref, Instruction, Buffer):
        found = [*everything(program.ahead, what), *everything(program.body, what)]
        assert sorted(map(str, parts(program, what))) == sorted(map(str, found))


def test_every_expression_is_reached(program: Program) -> None:
    """Each symbol that stands anywhere in the nodes is in a part of some role."""
    found = [*everything(program.ahead, sp.Basic), *everything(program.body, sp.Basic)]
    roles = (Role.EXPRESSION, Role.CLAIM, Role.BOUND)
    assert symbols_of(found) == symbols_of(parts(program, *roles))
    assert all(isinstance(e, sp.Symbol) for e in parts(program, Role.BOUND))


def test_each_field_of_expressions_says_so() -> None:
    """No field is of any type without a role, but notes that nobody evaluates."""
    bare = {f"{n.__name__}.{f.name}" for n in PARTS for f in fields(n)
            if "Any" in str(get_type_hints(n, include_extras=True)[f.name])
            and "Role" not in str(get_type_hints(n, include_extras=True)[f.name])}  # fmt: skip
    assert bare == set()


def test_what_changes_nothing_gives_the_same_nodes(program: Program) -> None:
    body = map_nodes(program.body, lambda n: map_parts(n, substituted({})))
    assert body == program.body
    assert map_bodies(program, lambda nodes: nodes) == program
    assert all(map_parts(n, {}) is n for n, _ in walk(program))


def test_a_walk_says_what_is_around(program: Program) -> None:
    for node, around in walk(program):
        chain = (*around, node)
        assert all(any(x is y for y in inside(outer)) for outer, x in pairwise(chain))
        assert any(chain[0] is n for n in inside(program))
    assert list(nodes_of(Loop, program)) == [n for n, _ in walk(program) if isinstance(n, Loop)]


def test_nodes_in_bodies_are_changed_before_the_one_around_them() -> None:
    program = toys.packed_gemm(0)

    def change(node: Node) -> Node:
        if isinstance(node, Loop) and not any(isinstance(n, Loop) for n in node.body):
            return replace(node, count=1)
        return (
            replace(node, count=max(n.count for n in node.body if isinstance(n, Loop)) + 1)
            if isinstance(node, Loop)
            else node
        )

    for node in nodes_of(Loop, map_nodes(program.body, change)):
        assert node.count == 1 + max((n.count for n in node.body if isinstance(n, Loop)), default=0)


def test_a_substitution_reaches_types_places_and_counts() -> None:
    program = toys.OF_ANY_LENGTH["inplace"]()
    (length,) = program.parameters
    body = map_nodes(program.body, lambda n: map_parts(n, substituted({length: 4})))
    roles = (Role.EXPRESSION, Role.CLAIM, Role.BOUND)
    assert length in symbols_of(parts(program.body, *roles))
    assert length not in symbols_of(parts(body, *roles))


def test_a_program_of_other_names_is_as_well_proved() -> None:
    program = layer()
    loops = {x.var.name: f"{x.var.name}_new" for x in nodes_of(Loop, program.body)}
    held = {n.buffer.name: f"{n.buffer.name}_new" for n in nodes_of(Alloc, program.body)}
    counters = {c: f"{c}_new" for c in parts(program.body, Role.COUNTER)}
    body = renamed(program.body, held, loops, counters)
    old = {*loops, *counters, *(f"#{n}" for n in loops)}
    left = symbols_of(parts(body, Role.EXPRESSION, Role.CLAIM, Role.BOUND)) | set(parts(body, Role.COUNTER))
    assert not old & left
    assert not set(held) & {r.name for r in parts(body, Ref)}
    assert renamed(body, *({new: n for n, new in t.items()} for t in (held, loops, counters))) == program.body
    assert prove_program(replace(program, body=body)).proved


def test_the_parts_of_one_node_leave_its_bodies_out() -> None:
    loop = next(n for n in nodes_of(Loop, toys.packed_gemm(0).body) if n.body)
    assert own_parts(loop, Ref, Instruction) == []
    assert loop.var in own_parts(loop, Role.BOUND)
    cells = replace(next(nodes_of(Configure, layer().body)), cells=(sym("i"), Ref("s", (sym("j"),))))
    assert own_parts(cells, Ref) == [Ref("s", (sym("j"),))]
    assert symbols_of(own_parts(cells, Role.EXPRESSION)) == {"i", "j"}
