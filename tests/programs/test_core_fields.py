"""Fields of a core's program that engines alone have a meaning for, or that have not the form they need, are refused in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, If, Loop, Node, Program
from isamap_smt.proof.program import prove_program


@cache
def program() -> Program:
    return im.plan(im.kernel("Y[i,j] = X[i,j] + b[j]", name="add"), "avx2").program


def changed(kind: type, **fields: Any) -> Program:
    """Every node of a kind, or every buffer, with other fields."""

    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        made = (replace(n, body=nodes(n.body)) if isinstance(n, Loop | If) else n for n in body)
        return tuple(one(n) for n in made)

    def one(n: Node) -> Node:
        if not isinstance(n, kind):
            return n
        return Alloc(replace(n.buffer, **fields)) if isinstance(n, Alloc) else replace(n, **fields)

    return replace(program(), body=nodes(program().body))


CASES: dict[str, tuple[Callable[[], Program], str]] = {
    "a row": (lambda: changed(Alloc, offset=8), "says what slots of an engine's memory have"),
    "slots": (lambda: changed(Alloc, slots=2), "says what slots of an engine's memory have"),
    "versions": (lambda: changed(Alloc, version=(sym("v"),)), "says what slots of an engine's memory have"),
    "lanes that are no number": (lambda: changed(Alloc, lanes=sym("J")), "lie in one register"),
    "more lanes than dimensions": (lambda: changed(Alloc, lanes=9), "lie in one register"),
    "an extent without a base": (lambda: changed(Loop, extent=sym("J")), "says an extent, and has no base"),
    "marks of no relation": (lambda: changed(If, known=((), (), ())), "are said to hold"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_meaning_is_refused(name: str) -> None:
    make, words = CASES[name]
    assert prove_program(program()).proved
    proof = prove_program(make())
    assert not proof.proved
    assert any(words in getattr(c.verdict, "reason", "") for c in proof.failed()), [c.verdict for c in proof.failed()]


def test_a_step_that_is_no_number_is_no_digit() -> None:
    """The link of a loop to its axis is a hint; without one the point is not told, and nothing is raised."""
    assert not prove_program(changed(Loop, step=sym("J"))).proved
