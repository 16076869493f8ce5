"""States of an engine in random small programs: what is proved goes wrong at no size, and what is refuted goes wrong at some."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from isamap_encodings.verdict import Verdict, worst
from isamap_smt.proof.program_sites import collect
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.configured import configuration_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.prove import goes_wrong as simulated
from isamap_smt.proof.uses.text import in_order
from tests import drawn_terms
from tests.uses.random_states import MACHINE, built, drawn, goes_wrong

FEW, MANY = range(1, 7), range(1, 16)


def judged(tree: tuple[Any, ...]) -> tuple[str, list[Verdict]]:
    """The verdict on the claims about states, and those of all of them."""
    program = built(tree)
    book = UseBook(collect(in_order(program)), partial(simulated, program))
    configuration_claims(book, Moments(book.sites, MACHINE))
    found = [r.verdict for r in book.results if r.claim == "configuration"]
    return worst(found) if found else "proved", found


def agreed(tree: tuple[Any, ...]) -> tuple[str, bool]:
    """(the verdict, whether the program goes wrong), which do not contradict each other."""
    verdict, all_ = judged(tree)
    found = goes_wrong(tree, FEW) or (goes_wrong(tree, MANY) if verdict == "refuted" else "")
    return drawn_terms.agreed(verdict, all_, found, tree)


def edits(tree: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The tree with one write less, moved behind the next node, of the other set, or of another value."""
    for n, (kind, *of) in enumerate(tree):
        before, behind = tree[:n], tree[n + 1 :]
        if kind == "set":
            number, (down, s) = of
            yield (*before, *behind)
            yield (*before, *behind[:1], tree[n], *behind[1:])
            yield (*before, ("set", 1 - number, of[1]), *behind)
            yield (*before, ("set", number, (f"{down} + 4", s)), *behind)
            yield (*before, ("set", number, (down, f"{s} + 1" if isinstance(s, str) else s + 1)), *behind)
        elif kind == "loop":
            yield from ((*before, (kind, *of[:2], inner), *behind) for inner in edits(of[2]))


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_random_programs(count: int) -> None:
    found = Counter(agreed(drawn(random.Random(seed))) for seed in range(count))
    assert found["proved", False] >= count // 8 and found["refuted", True] >= count // 3, found
    assert sum(n for (verdict, _), n in found.items() if verdict == "unknown") <= count // 10, found


@pytest.mark.parametrize("count", [30, pytest.param(600, marks=pytest.mark.exhaustive)])
def test_edits_of_writes(count: int) -> None:
    """Of proved programs: an edit that goes wrong is refuted."""
    found: Counter[tuple[str, bool]] = Counter()
    for seed in range(2000, 2000 + count):
        tree = drawn(random.Random(seed))
        if judged(tree)[0] == "proved":
            found.update(map(agreed, edits(tree)))
    assert found["refuted", True] >= max(count, 9 * found["unknown", True]), found


def test_an_earlier_iteration_has_values_of_its_own() -> None:
    """A write at the end of an iteration is right there, and wrong where the loop begins again."""
    inner = ("loop", "e", "I", (("use", 0, "1", 0, "low(4, high(0, 1 - e))"), ("set", 0, ("4 * J * (e + 1)", 0))))
    first = ("set", 0, ("4 * J * 1", 0))
    assert agreed((first, ("loop", "d", "2", (inner,)))) == ("refuted", True)
    assert agreed((first, ("loop", "d", "2", (first, inner))))[1] is False
