"""States in random small programs: what is proved goes wrong in no run, and what is refuted goes wrong in some."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from isamap_encodings.verdict import Verdict, worst
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import collect
from isamap_smt.proof.program_states import state_claims
from tests import drawn_terms
from tests.programs.random_states import IMAGES, built, drawn, goes_wrong

FEW, MANY = (range(1, 7), 16), (range(1, 12), 200)  # sizes, and runs at each


def judged(tree: tuple[Any, ...]) -> tuple[str, list[Verdict]]:
    """The verdict on the claims about states, and those of all of them."""
    book = Book(collect(built(tree)))
    state_claims(book)
    found = [r.verdict for r in book.results]
    return worst(found) if found else "proved", found


def wrong(tree: tuple[Any, ...], verdict: str, seed: int) -> str:
    """What a run finds; a refuted program is run more often before it is said to go right."""
    found = goes_wrong(tree, *FEW, seed)
    return found or (goes_wrong(tree, *MANY, seed) if verdict == "refuted" else "")


def agreed(tree: tuple[Any, ...], seed: int) -> tuple[str, bool]:
    """(the verdict, whether the program goes wrong), which do not contradict each other."""
    verdict, all_ = judged(tree)
    found = wrong(tree, verdict, seed)
    return drawn_terms.agreed(verdict, all_, found, tree)


def edits(tree: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The tree with one write of a state or one request less, moved behind the next node, or with another value."""
    for n, (kind, *of) in enumerate(tree):
        if kind in ("set", "ask"):
            yield (*tree[:n], *tree[n + 1 :])
            yield (*tree[:n], *tree[n + 1 : n + 2], tree[n], *tree[n + 2 :])
            value = IMAGES[(IMAGES.index(of[0]) + 2) % len(IMAGES)] if kind == "set" else f"{of[0]} + 1"
            yield (*tree[:n], (kind, value), *tree[n + 1 :])
        for k, part in enumerate(of):
            if kind in ("if", "loop", "par") and isinstance(part, tuple) and part and isinstance(part[0], tuple):
                yield from ((*tree[:n], (kind, *of[:k], inner, *of[k + 1 :]), *tree[n + 1 :]) for inner in edits(part))


@pytest.mark.parametrize("count", [80, pytest.param(3000, marks=pytest.mark.exhaustive)])
def test_random_programs(count: int) -> None:
    found = Counter(agreed(drawn(random.Random(seed)), seed) for seed in range(count))
    assert found["proved", False] >= count // 3 and found["refuted", True] >= count // 4, found
    assert sum(n for (verdict, _), n in found.items() if verdict == "unknown") <= count // 5, found


@pytest.mark.parametrize("count", [40, pytest.param(600, marks=pytest.mark.exhaustive)])
def test_edits_of_writes(count: int) -> None:
    """Of proved programs: an edit that goes wrong is not proved, and mostly refuted."""
    found: Counter[tuple[str, bool]] = Counter()
    for seed in range(1000, 1000 + count):
        tree = drawn(random.Random(seed))
        if judged(tree)[0] == "proved":
            found.update(agreed(edit, seed) for edit in edits(tree))
    assert found["refuted", True] >= max(count // 2, 4 * found["unknown", True]), found


ITERATION = ("if", "b < 1", (("masked", "b + 1"),)), ("ask", "b + 1")
EARLIER = ("ask", "1"), ("loop", "a", "I", (("loop", "b", "2", ITERATION, "serial", ""),), "serial", "")


def test_an_earlier_iteration_has_values_of_its_own() -> None:
    """What is asked for at the end of an iteration is right there, and wrong where the loop begins again."""
    assert agreed(EARLIER, 0) == ("unknown", True)
    once = (*EARLIER[:1], ("loop", "a", "1", *EARLIER[1][3:]))
    assert goes_wrong(once, *FEW, 0) == "" and judged(once)[0] != "refuted"


def test_a_request_of_an_outer_iteration_is_proved() -> None:
    """In front of a loop, on both sides of a condition, and in a loop that runs at all sizes."""
    use, ask = ("masked", "I - a"), ("ask", "high(0, low(4, I - a))")
    inner = ("loop", "b", "I", (use,), "serial", "")
    for body in (
        (ask, inner),
        (ask, ("if", "flag > 0", (ask,)), inner),
        (("loop", "c", "I", (ask,), "serial", ""), inner),
    ):
        assert agreed((("loop", "a", "I", body, "serial", ""),), 0) == ("proved", False)
    may_not_run = (("loop", "c", "I - 1", (ask,), "serial", ""), inner)
    assert agreed((("loop", "a", "I", may_not_run, "serial", ""),), 0)[0] != "proved"
