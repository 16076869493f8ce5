"""Steps of an instruction whose cycles or operands are none."""

from __future__ import annotations

from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ([(0, ("a",))], "parts holds 0 cycles: write parts="),
        ([(1.0, "ab")], r"parts holds \(1.0, 'ab'\): write parts="),
        ([(1.0, ("d",))], "parts: no operand 'd'"),
    ],
)
def test_parts_are_cycles_and_operands(parts: Any, told: str) -> None:
    places, dtypes = dict.fromkeys("abc", "ymm"), dict.fromkeys("abc", "f32")
    with pytest.raises(LanguageError, match=f"instruction fma: {told}"):
        im.instruction("fma", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=dtypes, places=places, parts=parts)
