"""A rule has two values as its sides, of the same names, and conditions that it knows."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.mapping.rule_verdicts import sides

VALUE = """\
rule 'half': 'x / 2 + ' is no value of the language
line 1, column 20: this cannot be read
    result[] = x[] / 2 + \n\
                       ^
  is an operator or a comma missing?"""
NAMES = "rule 'lost': z stands on one side of `x + z = x` alone"
CONDITION = "rule 'small': 'c is small' is no condition: did you mean c is minus h or c is a number or c is not 0?"


def test_a_side_that_is_no_value() -> None:
    with pytest.raises(LanguageError) as e:
        sides(im.Rule("half", "x / 2 + ", "x"))
    assert str(e.value) == VALUE


def test_a_name_on_one_side_alone() -> None:
    with pytest.raises(LanguageError) as e:
        sides(im.Rule("lost", "x + z", "x"))
    assert str(e.value) == NAMES


def test_a_condition_that_is_none() -> None:
    with pytest.raises(LanguageError) as e:
        im.Rule("small", "x * c", "x", where="c is small")
    assert str(e.value) == CONDITION
