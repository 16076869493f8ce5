"""Sums of hundreds of terms: refused when they are read, before anything calls itself too often; what is accepted is planned."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.language.lines import DEEPEST


def sum_of(terms: int) -> str:
    return "Y[i] = " + " + ".join(f"X[i+{n}]" for n in range(terms))


def test_the_longest_sum_is_computed() -> None:
    plan = im.plan(im.kernel(sum_of(DEEPEST - 4)), "scalar", sizes={"i": 3})
    assert plan.proof.proved


@pytest.mark.parametrize("terms", [DEEPEST + 1, 400, 2000])
def test_a_longer_one_is_refused(terms: int) -> None:
    with pytest.raises(LanguageError, match=r"more than 256 operations stand one inside the other|nested too deeply"):
        im.kernel(sum_of(terms))


def test_brackets_are_counted_alike() -> None:
    assert im.kernel("Y[i] = " + "abs(" * 150 + "X[i]" + ")" * 150)
    with pytest.raises(LanguageError, match=r"more than 256|nested too deeply"):
        im.kernel("Y[i] = " + "abs(" * 300 + "X[i]" + ")" * 300)


def test_of_a_long_line_the_place_is_shown() -> None:
    with pytest.raises(LanguageError) as refused:
        im.kernel(sum_of(80) + " + Z[i")
    first, line, caret, *_ = str(refused.value).splitlines()
    assert len(line) < 180 and line.startswith("    ... ") and line.endswith("Z[i")
    assert line[caret.index("^")] in "Z[i+ " and "column" in first
