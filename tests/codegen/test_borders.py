"""Padding tested at the border instead of copied: which one is chosen, that it is right, and that wrong ones are refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.interpret import random_arrays
from isamap_smt.ir.program import Alloc, If, Loop, Move, Node, Program, walk
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from tests.codegen.pinned import CONVOLUTIONS

BORDERS = [c for c in CONVOLUTIONS if "border" in c.name]
STRIDES = {"sp": 2, "sq": 2, "dp": 1, "dq": 1, "pp": 1, "pq": 1}


def _windows(program: Program) -> list[str]:
    return [n.buffer.name for n, _ in walk(program.body) if isinstance(n, Alloc) and n.buffer.name.endswith("_padded")]


def _tests(program: Program) -> list[If]:
    """The tests of loads: all that hold one load or one zero."""
    conditions = [n for n, _ in walk(program.body) if isinstance(n, If)]
    return [
        n
        for n in conditions
        if len(n.body) == 1 and isinstance(n.body[0], Move) and n.body[0].instruction.kind != "store"
    ]


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
    """The test for whole tiles (the outermost of the two that are told by their reductions) moved by one."""

    def f(n: Node) -> Node:
        if isinstance(n, If) and isinstance(n.body[0], Loop) and n.body[0].kind == "serial":
            (condition,) = n.condition
            return replace(n, condition=(condition.func(condition.lhs + by, 0),))
        return n

    return f


def _no_zeros(n: Node) -> Node | None:
    zero = isinstance(n, If) and isinstance(n.body[0], Move) and n.body[0].instruction.kind == "zero"
    return None if zero else n


def _always_loaded(n: Node) -> Node:
    if isinstance(n, If) and isinstance(n.body[0], Move) and n.body[0].instruction.kind in ("load", "broadcast"):
        return replace(n, condition=(sp.Ge(n.condition[0].lhs + 1, 0),))
    return n


def _first_tiles_only(n: Node) -> Node | None:
    border = isinstance(n, If) and isinstance(n.body[0], Loop) and n.body[0].kind == "serial"
    return None if border and isinstance(n.condition[0], sp.Lt) else n  # type: ignore[union-attr]


WRONG: dict[str, tuple[Callable[[Node], Node | None], str]] = {
    "tiles that reach over the border are taken for whole": (_moved(1), "bounds"),
    "what lies outside is never set to zero": (_no_zeros, "program"),
    "a load one beyond the border": (_always_loaded, "bounds"),
    "tiles at the border are left out": (_first_tiles_only, "coverage"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_borders_are_refuted(name: str) -> None:
    f, claim = WRONG[name]
    program = BORDERS[0].program()
    wrong = replace(program, body=_edited(program.body, f))
    assert wrong != program
    assert claim in {c.claim for c in prove_program(wrong).failed() if isinstance(c.verdict, Refuted)}


@pytest.mark.parametrize(
    ("kernel", "sizes", "copied"),
    [
        # each element is used twice or so: a copy would cost as much as the work
        ("depthwise_conv2d", {"n": 1, "p": 28, "q": 28, "c": 64, "r": 3, "s": 3}, False),
        # each is used for 64 outputs, and every tile lies at the border
        ("conv2d", {"n": 1, "p": 5, "q": 5, "c": 16, "k": 64, "r": 3, "s": 3}, True),
    ],
)
def test_the_cheaper_one_is_chosen(kernel: str, sizes: dict[str, int], copied: bool) -> None:
    program = im.plan(kernel, "avx2", sizes={**sizes, **STRIDES}).program
    assert bool(_windows(program)) == copied
    assert bool(_tests(program)) != copied


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
