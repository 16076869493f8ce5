"""Padding that is left out instead of copied: which one is chosen, that it is right, and that wrong ones are refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import IMin
from isamap_smt.ir.hypotheses import Finite
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import random_arrays
from isamap_smt.ir.program import Alloc, Compute, If, Loop, Move, Node, Program, use_of
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.mapping.moves import find_start
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from tests.codegen.pinned import CONVOLUTIONS

BORDERS = [c for c in CONVOLUTIONS if "border" in c.name]
STRIDES = {"sp": 2, "sq": 2, "dp": 1, "dq": 1, "pp": 1, "pq": 1}


def _windows(program: Program) -> list[str]:
    return [n.buffer.name for n in nodes_of(Alloc, program.body) if n.buffer.name.endswith("_padded")]


def _executes(n: Node) -> bool:
    return isinstance(n, If) and any(isinstance(x, Compute) for x, _ in walk(n.body))


def _tells_tiles(n: Node) -> bool:
    """Whether it is one of the two that tell tiles inside from those at the border."""
    return _executes(n) and any(c.atoms(IMin) for c in n.condition)  # type: ignore[union-attr]


def _is_test(n: Node) -> bool:
    """Whether it decides which points at a border are executed."""
    return _executes(n) and not _tells_tiles(n)


def _tests(program: Program) -> list[If]:
    return [n for n in nodes_of(If, program.body) if _is_test(n)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", BORDERS, ids=lambda c: c.name)
def test_proved_and_runs_right(case: Any) -> None:
    program = case.program()
    assert not _windows(program) and _tests(program)
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 4) is None


def _edited(nodes: tuple[Node, ...], f: Callable[[Node], Node | None]) -> tuple[Node, ...]:
    found: list[Node] = []
    for n in nodes:
        new = f(n)
        if new is not None:
            found.append(replace(new, body=_edited(new.body, f)) if isinstance(new, If | Loop) else new)
    return tuple(found)


def _moved(by: int) -> Callable[[Node], Node]:
    """The test for whole tiles moved by one."""

    def f(n: Node) -> Node:
        if isinstance(n, If) and _tells_tiles(n):
            (condition,) = n.condition
            return replace(n, condition=(condition.func(condition.lhs + by, 0),))
        return n

    return f


def _untested(n: Node) -> Node:
    return replace(n, condition=(), known=()) if isinstance(n, If) and _is_test(n) else n


def _shifted(by: int) -> Callable[[Node], Node]:
    """Each test moved by one, so that it lets one more in, or leaves one more out."""

    def f(n: Node) -> Node:
        if isinstance(n, If) and _is_test(n):
            moved = tuple(
                c.func(c.lhs - by, c.rhs) if c.lhs.is_Integer else c.func(c.lhs, c.rhs + by) for c in n.condition
            )
            return replace(n, condition=moved)
        return n

    return f


def _first_tiles_only(n: Node) -> Node | None:
    return None if isinstance(n, If) and _tells_tiles(n) and isinstance(n.condition[0], sp.Lt) else n


WRONG: dict[str, tuple[Callable[[Node], Node | None], str]] = {
    "tiles that reach over the border are taken for whole": (_moved(1), "bounds"),
    "nothing is tested": (_untested, "bounds"),
    "tests that let one more in": (_shifted(1), "bounds"),
    "tests that leave one more out": (_shifted(-1), "coverage"),
    "tiles at the border are left out": (_first_tiles_only, "coverage"),
}


def _wrong(case: Any, name: str) -> Program:
    program = case.program()
    return replace(program, body=_edited(program.body, WRONG[name][0]))


NOTHING = {  # whole rows are one tile: the program has no such test
    ("conv border of whole rows", "tiles that reach over the border are taken for whole"),
    ("conv border of whole rows", "tiles at the border are left out"),
}
EDITS = [(c, name) for c in BORDERS for name in WRONG if (c.name, name) not in NOTHING]


def test_every_edit_is_made_somewhere() -> None:
    same = {(c.name, name) for c in BORDERS for name in WRONG if _wrong(c, name) == c.program()}
    assert same == NOTHING
    assert {name for _, name in EDITS} == set(WRONG) and {c.name for c, _ in EDITS} == {c.name for c in BORDERS}


@pytest.mark.parametrize(("case", "name"), EDITS, ids=lambda x: getattr(x, "name", x))
def test_wrong_borders_are_refuted(case: Any, name: str) -> None:
    wrong, claim = _wrong(case, name), WRONG[name][1]
    assert claim in {c.claim for c in prove_program(wrong).failed() if isinstance(c.verdict, Refuted)}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("kernel", "sizes", "copied"),
    [
        # each element is used twice or so: a copy would cost as much as the work
        ("depthwise_conv2d", {"n": 1, "p": 28, "q": 28, "c": 64, "r": 3, "s": 3}, False),
        # a third of all points lies outside
        ("conv2d", {"n": 1, "p": 5, "q": 5, "c": 16, "k": 64, "r": 3, "s": 3}, False),
        # each is used for 512 outputs, the answers change at every step, and half of the tiles lie at the border
        ("conv2d", {"n": 1, "p": 30, "q": 30, "c": 1, "k": 512, "r": 3, "s": 3, "sp": 1, "sq": 1}, True),
    ],
)
def test_the_cheaper_one_is_chosen(kernel: str, sizes: dict[str, int], copied: bool) -> None:
    planned = im.plan(kernel, "avx2", sizes={**STRIDES, **sizes})
    assert bool(_windows(planned.program)) == copied
    assert bool(_tests(planned.program)) != copied
    told = "I is copied at each call with the zeros around it (" if copied else "points outside of I are left out"
    assert any(note.startswith(told) for note in planned.notes)


def test_compiled_values() -> None:
    sizes = {"n": 2, "p": 9, "q": 11, "c": 19, "r": 3, "s": 3, **STRIDES}
    planned = im.plan("depthwise_conv2d", "host", sizes=sizes)
    assert not _windows(planned.program)
    kernel = planned.program.kernel
    arrays = random_arrays(kernel, {}, np.random.default_rng(3))
    expected = im.run_kernel(kernel, arrays)["O"]
    assert np.allclose(im.build(planned)(**arrays), expected, rtol=1e-5, atol=1e-6)


def test_lanes_that_lie_side_by_side_only_without_the_padding_are_packed() -> None:
    """With one element for each image the images follow one another in the tensor, and lie nine apart in a window."""
    sizes = {"n": 2, "p": 1, "q": 1, "c": 1, "r": 3, "s": 3, "sp": 2, "sq": 2, "dp": 1, "dq": 1, "pp": 1, "pq": 1}
    planned = im.plan("depthwise_conv2d", "avx2", sizes=sizes)
    arrays = random_arrays(planned.program.kernel, {}, np.random.default_rng(3))
    expected = im.run_kernel(planned.program.kernel, arrays)["O"]
    assert np.allclose(im.build(planned)(**arrays), expected, rtol=1e-5, atol=1e-6)


# ---- zeros instead: what a description of one's own might do, at a price ---------------------------------------------


def _with_zeros(nodes: tuple[Node, ...], given: tuple[Any, ...], zero: Instruction | None) -> tuple[Node, ...]:
    """All points executed, with zeros (or, without the move, anything) in the register where a test fails."""
    found: list[Node] = []
    for n in nodes:
        match n:
            case If() if _is_test(n):
                found += _with_zeros(n.body, (*given, *n.condition), zero)
            case If() | Loop():
                found.append(replace(n, body=_with_zeros(n.body, given, zero)))
            case Alloc(b) if given:
                held = replace(b.type, guard=(*b.type.guard, *given), outside="0")
                found.append(Alloc(replace(b, type=held)))
            case Move() if given:
                found.append(If(given, (n,)))
                for k, relation in enumerate(given if zero else ()):
                    found.append(If((*given[:k], sp.Not(relation)), (use_of(zero, n.register),)))  # type: ignore[arg-type]
            case _:
                found.append(n)
    return tuple(found)


@pytest.mark.parametrize("case", [c for c in BORDERS if "streamed" not in c.name], ids=lambda c: c.name)
def test_zeros_are_right_where_the_other_factor_is_finite(case: Any) -> None:
    program = case.program()
    assert program.assumptions == ()
    zero = find_start(program.schedule.hardware, program.schedule.proved.mapping.instruction, "a", "+")
    padded = replace(program, body=_with_zeros(program.body, (), zero))
    assert not _tests(padded)
    assert prove_program(replace(padded, hypotheses=(Finite("W"),))).proved
    assert not prove_program(padded).proved
    unset = replace(program, body=_with_zeros(program.body, (), None), hypotheses=(Finite("W"),))
    assert "program" in {c.claim for c in prove_program(unset).failed() if isinstance(c.verdict, Refuted)}


def test_what_is_left_out_is_multiplied_by_nothing() -> None:
    """0 times infinity is NaN: with a window the weights must be finite, and with tests they may be anything."""
    sizes = {"n": 1, "p": 8, "q": 9, "c": 16, "r": 3, "s": 3, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1}
    kernel = im.build(im.plan("depthwise_conv2d", "host", sizes=sizes))
    x = np.ones((1, 8, 9, 16), np.float32)
    w = np.full((3, 3, 16), np.inf, np.float32)
    assert np.isposinf(kernel(I=x, W=w)).all()


def test_padding_that_is_given_at_each_call() -> None:
    """The image's size is known, and how much lies around it is not."""
    sizes = {"n": 1, "p": 6, "q": 5, "c": 4, "k": 8, "r": 3, "s": 3, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pq": 1}
    planned = im.plan("conv2d", "avx2", sizes=sizes)
    assert planned.proof.proved and planned.program.kernel.free_sizes == ("pp",)
