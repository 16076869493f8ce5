"""Families far too large to list: what is found costs what it is, and not what it is chosen from."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.search import MappingSet, check_certificate, find_mappings

HALF = {"I": "f16", "W": "f16", "O": "f32"}
CONV4D = im.kernel("O[n,p,q,x,y,f] += I[n,p+r,q+s,x+t,y+u,c] * W[f,r,s,t,u,c]", name="conv4d").with_dtypes(HALF)


@pytest.fixture(scope="module")
def conv4d() -> MappingSet:
    return find_mappings(CONV4D, im.find_instruction("wmma.16x16x16"), operands="fixed")


def by_hand() -> set[tuple[frozenset[str], ...]]:
    """Which axes may be in i, j and k, from what a matrix product is, without a look at the library.

    An axis of the output and of one input alone is a row or a column: n, p, q, x and y are of O and I, f is of O and W; those
    that O lacks are summed. A window's offset moves the input with its pixel, and stands for a sum all the same. Each of i and k
    takes any of its five, but not none; j takes f.
    """
    output, image, weights = set("npqxyf"), set("nprqsxtyuc"), set("frstuc")
    rows = (output & image) - weights
    columns = (output & weights) - image
    summed = (image & weights) - output
    return {
        (frozenset(i), frozenset(j), frozenset(k))
        for i in _some(sorted(rows))
        for j in _some(sorted(columns))
        for k in _some(sorted(summed))
    }


def _some(axes: list[str]) -> list[set[str]]:
    """Every choice but that of none."""
    return [{a for n, a in enumerate(axes) if bits >> n & 1} for bits in range(1, 1 << len(axes))]


def test_a_convolution_of_four_dimensions_is_complete(conv4d: MappingSet) -> None:
    """11 axes onto 3: 4**11 - 3 * 3**11 + 3 * 2**11 - 1 candidates."""
    assert conv4d.candidates == 4**11 - 3 * 3**11 + 3 * 2**11 - 1 == 3_669_006
    assert conv4d.complete and not conv4d.unknown and conv4d.redundant == 0
    assert len(conv4d) == 31 * 1 * 31 == 961
    assert {tuple(frozenset(g) for _, g in p.mapping.groups) for p in conv4d} == by_hand()
    assert len(conv4d.legal) + conv4d.refuted == conv4d.candidates


def test_its_clauses_are_few_and_two_solvers_say_that_nothing_else_is_left(conv4d: MappingSet) -> None:
    assert len(conv4d.witnesses) < 40
    checked = check_certificate(conv4d)
    assert checked and checked.candidates == conv4d.candidates and "z3" in checked.solvers
    cvc5 = pytest.importorskip("cvc5")
    assert cvc5 is not None and checked.solvers == ("z3", "cvc5")
