"""What is read from stored text leaves no trace in later answers."""

from __future__ import annotations

import z3

from isamap_encodings.neutral_element import neutral_element
from isamap_encodings.verdict import Refuted
from isamap_encodings.z3_check import unsat_core, z3_answer

SCRIPT = """(declare-fun j () Int)
(assert (! (<= 0 j) :named |1: 0 <= j|))
(assert (! (< j 0) :named |2: j < 0|))
(check-sat)
"""


def test_named_assertions_stay_in_their_own_context() -> None:
    assert z3_answer(SCRIPT) == "unsat"
    assert len(unsat_core(SCRIPT) or []) == 2
    neutral_element.cache_clear()
    verdict = neutral_element("max", ("i", 32), "greatest")
    assert isinstance(verdict, Refuted)
    assert set(verdict.witness) == {"acc"}


def test_what_others_read_into_the_same_context_is_left_out() -> None:
    """A user's own Z3 text in this process: its names stand in every later model, and not in our witnesses."""
    solver = z3.Solver()
    solver.from_string(SCRIPT)
    neutral_element.cache_clear()
    verdict = neutral_element("min", ("i", 32), "least")
    assert isinstance(verdict, Refuted)
    assert set(verdict.witness) == {"acc"}
