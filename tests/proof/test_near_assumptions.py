"""A goal is asked under the assumptions near it first; those that are far away still count."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.solve import recording
from isamap_encodings.verdict import Proved, Refuted

N = sp.Symbol("N", integer=True)
CHAIN = sp.symbols("a:8", integer=True)


def test_what_has_nothing_to_do_with_the_goal_is_left_out() -> None:
    x, other = sp.symbols("x other", integer=True)
    given: list[Any] = [("lt", x, N), ("lt", other, N), ("le", 0, other)]
    with recording() as asked:
        assert isinstance(implied(given, [("lt", x, N + 1)], ["N"]), Proved)
    assert [("other" in q.smtlib, "x" in q.smtlib) for q in asked] == [(False, True)]


def test_a_goal_that_needs_an_assumption_far_away_is_proved() -> None:
    """Eight variables in a row, each less than the next: the last is beyond every limit of nearness."""
    row: list[Any] = [("lt", a, b) for a, b in pairwise(CHAIN)]
    given = [*row, ("eq", CHAIN[-1], 5)]
    assert isinstance(implied(given, [("lt", CHAIN[0], 0)], ["N"]), Proved)
    refuted = implied(given, [("lt", CHAIN[0], -2)], ["N"])
    assert isinstance(refuted, Refuted)
    values = [refuted.witness[a.name] for a in CHAIN]
    assert values == sorted(set(values)) and values[-1] == 5  # it replays under the far assumptions, too


def test_a_contradiction_far_away_still_proves() -> None:
    """Leaving out is a shortcut and no other question: what is asked last is the whole."""
    far: list[Any] = [("lt", CHAIN[0], CHAIN[1]), ("lt", CHAIN[1], CHAIN[0])]
    assert isinstance(implied(far, [("lt", sp.Symbol("x", integer=True), N)], ["N"]), Proved)
