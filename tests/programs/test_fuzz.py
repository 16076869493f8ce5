"""Random edits of programs: what is proved is never wrong when run. benchmarks/fuzz_programs.py does this at length."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import fuzz_programs
import pytest


@pytest.mark.parametrize("count", [35, pytest.param(280, marks=pytest.mark.exhaustive)])
def test_nothing_proved_is_wrong(count: int) -> None:
    outcomes = fuzz_programs.fuzz(count, seed=7)
    assert len(outcomes) == count
    assert not [o for o in outcomes if o.verdict == "crashed"]
    wrong = [o for o in outcomes if o.wrong and o.verdict != "refuted"]
    assert not wrong, wrong
    # it can only fail if some edits leave a program that is still proved; that wrong ones are seen, test_mutants shows
    assert sum(o.verdict == "proved" for o in outcomes) >= count // 28
    assert sum(o.verdict == "refuted" for o in outcomes) >= count // 3
