"""An integer divided by an element, which may be 0: no value is made of it, neither rounded down nor by `/`."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError, LanguageError

MESSAGE = """\
line 1, column 8: this operator is not part of a value
    Y[i] = X[i] {} Z[i]
           {}
  `//` and `%` belong to indices, whose divisors are known to be positive; an element may be 0. Values have + - * / ** >>: \
divide in floating point, such as floor(f32(a) / f32(b)), or shift"""


@pytest.mark.parametrize("sign", ["//", "%"])
def test_the_message(sign: str) -> None:
    with pytest.raises(LanguageError) as e:
        im.kernel(f"Y[i] = X[i] {sign} Z[i]", dtypes={"X": "i32", "Z": "i32", "Y": "i32"})
    assert str(e.value) == MESSAGE.format(sign, "^" * len(f"X[i] {sign} Z[i]"))


QUOTIENT = """\
line 1, column 8: a division needs floating point, not i32
    Y[i] = X[i] / Z[i]
           ^^^^^^^^^^^
  cast its operands, such as f32(x)"""


@pytest.mark.parametrize("text", ["{}", "{}\nX: i32\nY: i32\nZ: i32"])
def test_a_quotient_of_integers_is_told_where_it_stands(text: str) -> None:
    said = {} if "X:" in text else {"X": "i32", "Z": "i32", "Y": "i32"}
    with pytest.raises(DTypeError) as e:
        im.kernel(text.format("Y[i] = X[i] / Z[i]"), dtypes=said)
    assert str(e.value) == QUOTIENT


def test_types_that_come_later_are_looked_at_later() -> None:
    open_types = im.kernel("Y[i] = X[i] / Z[i]", dtypes={"X": "i32"})  # Y may be floating point
    with pytest.raises(DTypeError, match=r"line 1: a division needs floating point, not i32; cast its operands"):
        im.compile(open_types.with_dtypes({"Z": "i32", "Y": "i32"}), "scalar")
