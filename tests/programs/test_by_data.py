"""Programs that read at an index which is data: what is proved of them, and wrong ones that are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import by_data
import pytest
import sympy as sp
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen import lower_points
from isamap_smt.codegen.checks import entry_checks
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import IMin, Inside, ISelect, element, sym
from isamap_smt.ir.program import Node, Program, Ref, Use
from isamap_smt.ir.used import Used
from isamap_smt.proof.program_trial import trials

TEXT = "E: [V,J]\nidx: i32\nY[i,j] = E[idx[i], j]"
I, J, V = sym("i_1"), sym("j_1"), sym("V")


def inside(i: Any, extent: Any = V) -> Any:
    """idx[i] as an index of a dimension."""
    return Inside(element("idx", [i]), extent)


@cache
def gather() -> Program:
    return lower_points(im.kernel(TEXT, name="gather"), False)


def reading(*refs: tuple[str, Any]) -> Program:
    """The program with these read in place of E[idx[i], j] and idx[i]."""
    table = dict(refs)

    def change(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Use):
            return None
        operands = tuple((o, Ref(r.name, table.get(r.name, r.index))) for o, r in n.operands)
        return (replace(n, operands=operands),)

    return rewritten(gather(), change)


def test_it_is_proved_and_each_call_asks_what_it_assumes() -> None:
    proof = im.prove_program(gather())
    assert proof.proved
    assert "0 <= idx[i] < V where statement 1 uses it" in proof.assumptions
    (check,) = [c for c in entry_checks(gather()) if isinstance(c.asked, Used)]
    assert (check.name, check.asked) == ("INDEX_idx", Used(0, "E", 0, inside(sym("i"))))


WRONG: dict[str, Callable[[], Program]] = {
    "another row": lambda: reading(("E", (inside(J), J))),
    "the row after": lambda: reading(("E", (inside(I) + 1, J))),
    "always the first row": lambda: reading(("E", (sp.S.Zero, J))),
    "the row of its own number": lambda: reading(("E", (I, J))),
    "the index of another point": lambda: reading(("idx", (J,))),
    "an index beyond the last": lambda: reading(("E", (inside(I + 1), J)), ("idx", (I + 1,))),
    "an index that is said to be smaller": lambda: reading(("E", (inside(I, sp.S.One), J))),
    "an index that is said to be larger": lambda: reading(("E", (inside(I, sym("V") + 1), J))),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not_proved(name: str) -> None:
    proof = im.prove_program(WRONG[name]())
    assert not proof.proved
    with pytest.raises(NotProvedError):
        im.build(WRONG[name]())


def test_where_it_is_wrong_a_run_shows_it() -> None:
    """The proof knows too little of the elements for a counterexample; a run at small sizes is one."""
    for name in ("another row", "the row after", "always the first row", "an index beyond the last"):
        failed = im.prove_program(WRONG[name]()).failed()
        assert any(isinstance(c.verdict, Refuted) for c in failed), name


def test_what_an_index_is_made_of_must_exist() -> None:
    """Of a dimension of one element every index is 0, whatever it is made of; what it is made of is read all the same."""
    program = lower_points(im.kernel("E: [1,J]\nidx: i32\nY[i,j] = E[idx[i], j]", name="gather"), False)
    assert im.prove_program(program).proved
    row = (Inside(element("idx", [I + 1]), sp.S.One), J)

    def change(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Use):
            return None
        return (replace(n, operands=tuple((o, Ref(r.name, row if r.name == "E" else r.index)) for o, r in n.operands)),)

    failed = im.prove_program(rewritten(program, change)).failed()
    assert {c.claim for c in failed} == {"bounds"}
    assert any("every element of idx that an index is made of lies inside it" in c.statement for c in failed)


ARITHMETIC = "E: [V,J]\nidx: i32\nY[i,j] = E[select(idx[i] < 0, idx[i] + V, min(idx[i], V - 1)), j]"
AT = element("idx", [I])
WRONG_SUMS = {
    "without the choice": AT,
    "the values the other way round": ISelect(AT, 0, IMin(AT, V - 1), AT + V),
    "another limit": ISelect(AT, 2, AT + V, IMin(AT, V - 1)),
    "one more": ISelect(AT, 0, AT + V, IMin(AT, V - 1)) + 1,
    "another end": ISelect(AT, 0, AT + V, IMin(AT, V - 2)),
    "the next element in the choice": ISelect(element("idx", [I - 1]), 0, AT + V, IMin(AT, V - 1)),
}


def summed(index: Any) -> Program:
    def change(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Use):
            return None
        return (
            replace(
                n, operands=tuple((o, Ref(r.name, (index, J) if r.name == "E" else r.index)) for o, r in n.operands)
            ),
        )

    return rewritten(lower_points(im.kernel(ARITHMETIC, name="sums"), False), change)


@pytest.mark.parametrize("name", WRONG_SUMS)
def test_another_index_made_of_the_same_data_is_not_proved(name: str) -> None:
    assert im.prove_program(lower_points(im.kernel(ARITHMETIC, name="sums"), False)).proved
    assert not im.prove_program(summed(Inside(WRONG_SUMS[name], V))).proved


def test_an_index_that_nothing_keeps_inside_is_not_proved() -> None:
    failed = im.prove_program(summed(ISelect(AT, 0, AT + V, IMin(AT, V - 1)))).failed()
    assert {c.claim for c in failed} >= {"bounds"}


@pytest.mark.parametrize("name", by_data.TEXTS)
def test_others_are_proved_and_run(name: str) -> None:
    program = by_data.ORIGINALS[name]()
    assert im.prove_program(program).proved
    assert trials(program, 8) is None


def test_an_index_that_a_statement_writes_is_not_proved() -> None:
    """The language refuses it; a kernel that is made by hand is not proved."""
    made = im.kernel("E: [V,J]\nidx: i32\nold: i32\nold[i] = idx[i] + 1\nY[i,j] = E[idx[i], j]")
    first, second = made.statements
    target = replace(first.target, tensor="idx")
    value = first.value.xreplace({sp.Symbol("idx"): sp.Symbol("old")})
    made = replace(made, statements=(replace(first, target=target, value=value), second))
    proof = im.prove_program(lower_points(made, False))
    assert not proof.proved
