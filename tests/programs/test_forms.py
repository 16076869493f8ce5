"""What the C leaves out, hoists or turns round is marked in the program and proved; a wrong mark is refuted, by that claim alone.

No run of the program looks at the marks: they say how it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen.c_printer import _text
from isamap_smt.ir.program import Copy, If, Loop, Node, Program
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program import prove_program
from tests.codegen.pinned import ALL
from tests.programs.marks import unmarked
from tests.programs.portable import is_copy

Change = Callable[[Any], Node | None]
REGISTERS = {"register.i": 3, "register.j": 32}  # as the search of a schedule for open sizes ends, after seconds


@cache
def programs() -> tuple[Program, ...]:
    """Those of schedules by hand, and copies that turn rows into columns."""
    turned = (
        im.plan("gemm", "avx512", sizes={"i": 30, "j": 70, "k": 50}, fix={"pack.A": "L2"}, cost_model="analytic"),
        im.plan("gemm_nt", "avx2", fix={"pack.B": "L2", **REGISTERS}, cost_model="analytic"),
        im.plan("gemm", "avx512_bf16", sizes={"i": 40, "j": 70, "k": 51}, cost_model="analytic"),
        im.plan("gemm", "avx512_vnni", sizes={"i": 40, "j": 70, "k": 54}, cost_model="analytic"),
    )
    return (*(c.program() for c in ALL), *(p.program for p in turned))


def edited(change: Change) -> Program:
    """The first program of which a node is changed, in its first such node."""
    for p in programs():
        done: list[Node] = []

        def visit(nodes: Any, done: list[Node] = done) -> Any:
            return tuple(made(n, done) for n in nodes)

        def made(n: Node, done: list[Node]) -> Node:
            new = None if done else change(n)
            if new is not None:
                done.append(n)
                return new
            return replace(n, body=visit(n.body)) if isinstance(n, Loop | If) else n

        found = replace(p, ahead=visit(p.ahead), body=visit(p.body))
        if done:
            return found
    raise LookupError("no program has such a node")


def one_element(n: Node) -> Node | None:
    """A copy of words of several elements of which only the first is meant."""
    b = block(n)
    if b is None or len(n.over) < 3 or n.over[-1][0].name in b.sides:  # type: ignore[union-attr]
        return None
    table = {n.over[-1][0]: 0}  # type: ignore[union-attr]

    def first(r: Any) -> Any:
        return replace(r, index=tuple(sp.sympify(i).xreplace(table) for i in r.index))

    return replace(n.placed(first(n.dst), first(n.src)), over=n.over[:-1], where=(), form=replace(n.form, whole=()))  # type: ignore[union-attr, type-var, arg-type]


def test_a_block_of_fewer_elements_is_refuted() -> None:
    """The call copies whole words, where the loops copy their first element."""
    texts = [c.verdict.text for c in prove_program(edited(one_element)).failed() if isinstance(c.verdict, Refuted)]
    assert any("copies other elements" in text for text in texts)


def nodes(kind: type) -> Iterator[Any]:
    yield from (n for p in programs() for n in nodes_of(kind, p))


def block(n: Node, call: str = "", cut: bool = False) -> Any:
    """The block of a copy, where it has one: of that helper, and cut by its guard."""
    found = n.form.block if is_copy(n) and n.form is not None else None
    return found if found is not None and call in found.call and (found.cut or not cut) else None


def with_block(helper: str, is_cut: bool = False, /, **change: Callable[[Any], Any]) -> Change:
    def edit(n: Node) -> Node | None:
        b = block(n, helper, is_cut)
        if b is None:
            return None
        new = replace(b, **{name: make(getattr(b, name)) for name, make in change.items()})
        return replace(n, form=replace(n.form, block=new))  # type: ignore[union-attr]

    return edit


def with_form(open_sizes: bool = False, /, **change: Callable[[Any], Any]) -> Change:
    """A copy that chooses whole tiles by some relations; open_sizes: that speak of sizes which are not fixed."""

    def edit(n: Node) -> Node | None:
        if not is_copy(n) or n.form is None or not n.form.whole or not n.where:
            return None
        if open_sizes and not any(x.name.isupper() for r in n.form.whole for x in r.free_symbols):
            return None
        return replace(n, form=replace(n.form, **{name: make(getattr(n.form, name)) for name, make in change.items()}))

    return edit


def known_everywhere(n: Node) -> Node | None:
    """The first test of a program, at no value of anything known, said to hold always."""
    open_ones = (
        isinstance(n, If) and n.condition and not any(n.known) and not any(r in (True, sp.true) for r in n.condition)
    )
    return replace(n, known=(((),),) * len(n.condition)) if open_ones else None  # type: ignore[union-attr, arg-type]


def known_of_another(n: Node) -> Node | None:
    """At constants of a variable that no unrolled loop has."""
    return replace(n, known=(((("nobody", 0),),),) * len(n.condition)) if isinstance(n, If) and n.condition else None


EDITS: dict[str, tuple[Change, str]] = {
    "a test left out": (known_everywhere, "holds wherever the C does not test it: fails at"),
    "a test left out at constants of nothing": (known_of_another, "nobody is no unrolled variable"),
    "a tile that is not whole": (
        with_form(True, whole=lambda whole: tuple(sp.Ge(r.lhs + 1, r.rhs) for r in whole)),
        "no point of a whole tile is outside the guard: fails at",
    ),
    "every tile said to be whole": (
        with_form(whole=lambda _: ()),
        "no point of a whole tile is outside the guard: fails at",
    ),
    "one test for points that differ": (
        with_form(whole=lambda _: None, split=lambda _: 0, block=lambda _: None),
        "along which it is tested once",
    ),
    "rows taken from elsewhere": (with_block("transpose", from_row=lambda x: x + 4), "takes each element where the copy reads it"),
    "rows put elsewhere": (with_block("transpose", to_row=lambda x: x + 4), "takes each element where the copy reads it"),
    "rows for columns": (with_block("transpose", sides=lambda x: x[::-1]), "takes each element where the copy reads it"),
    "rows of another pair": (with_block("interleave", from_row=lambda x: 2 * x), "takes each element where the copy reads it"),
    "two rows for four": (
        with_block("interleave_4", call=lambda _: "isamap_interleave_2"),
        "copies other elements",
    ),
    "a block cut too late": (
        with_block("", True, cut=lambda x: tuple((n, e + 1) for n, e in x)),
        "the part of a cut block that is copied is inside the guard",
    ),
    "a block cut too early": (
        with_block("", True, cut=lambda x: tuple((n, e - 1) for n, e in x)),
        "all of a cut block that is inside the guard is copied",
    ),
}  # fmt: skip


FORMS_OF_NO_COPY: dict[str, Change] = {
    "a side that is cut twice": with_block("", True, cut=lambda x: (*x, (x[0][0], sp.Integer(10**6)))),
    "one side for both": with_block("transpose", sides=lambda x: (x[0], x[0])),
    "a side that is no loop": with_block("transpose", sides=lambda x: (x[0], "nobody")),
    "rows apart by what nothing defines": with_block("transpose", from_row=lambda x: sp.Symbol("nobody", integer=True)),
    "more loops outside than there are": with_form(split=lambda _: 99),
    "no loop to write out": with_form(split=lambda _: 99, written=lambda _: 1),
    "whole tiles by what nothing defines": with_form(whole=lambda x: (*x, sp.Ge(sp.Symbol("nobody", integer=True), 0))),
}  # fmt: skip


@pytest.mark.parametrize("edit", FORMS_OF_NO_COPY)
def test_a_form_that_is_none_is_not_proved(edit: str) -> None:
    """Found by an attack: of a side named twice the proof saw both meanings, and the C one."""
    failed = prove_program(edited(FORMS_OF_NO_COPY[edit])).failed()
    assert "forms" in {c.claim for c in failed}


@pytest.mark.parametrize("edit", EDITS)
def test_a_wrong_mark_is_refuted(edit: str) -> None:
    change, said = EDITS[edit]
    failed = prove_program(edited(change)).failed()
    assert {c.claim for c in failed} == {"forms"}
    texts = [c.verdict.text for c in failed if isinstance(c.verdict, Refuted)]
    assert any(said in text for text in texts), (texts, failed)


def test_the_marks_are_of_all_forms() -> None:
    """So that the edits above are of programs as they are."""
    assert any(not n.known or not all(n.known) for n in nodes(If) if n.condition)
    assert any(values for n in nodes(If) for marks in n.known for values in marks)  # at constants of unrolled loops
    calls = {b.call for n in nodes(Copy) if (b := block(n))}
    assert calls == {"isamap_transpose", "isamap_interleave_2", "isamap_interleave_4"}
    assert any(block(n, cut=True) for n in nodes(Copy))


def test_without_marks_everything_is_tested() -> None:
    """The printer decides nothing: a program without marks is printed with all its tests, element by element."""

    p = next(p for p in programs() if any(block(n) for n, _ in walk(p)))
    plain = unmarked(p)
    assert "isamap_transpose(" in _text(p) or "isamap_interleave" in _text(p)
    assert "isamap_transpose(" not in _text(plain) and "isamap_interleave" not in _text(plain)
    assert prove_program(plain).proved
