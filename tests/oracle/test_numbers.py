"""The oracle's numbers against Python's own conversions, and against cases worked out by hand."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import pytest

from tests.oracle.numbers import KINDS, arithmetic, converted, decoded, encoded, nearest, rounded, wrapped


@pytest.mark.parametrize(("name", "code"), [("f32", "<f"), ("f16", "<e"), ("f64", "<d")])
def test_rounding_is_that_of_the_format(name: str, code: str) -> None:
    rng = random.Random(1)
    for _ in range(3000):
        x = math.ldexp(rng.uniform(-1, 1), rng.randint(-30, 15 if name == "f16" else 60))
        assert rounded(KINDS[name], Fraction(x)) == struct.unpack(code, struct.pack(code, x))[0]


@pytest.mark.parametrize(
    ("kind", "x", "want"),
    [
        ("bf16", Fraction(257), 256.0), ("bf16", Fraction(259), 260.0), ("bf16", Fraction(258), 258.0),
        ("bf16", 1 + Fraction(1, 2**8) + Fraction(1, 2**40), 1.0078125), ("bf16", 2**24 + 2**16 + 1, 16908288.0),
        ("f32", 2**24 + 1, 2.0**24), ("f32", 2**24 + 3, 2.0**24 + 4), ("f32", Fraction(1, 2**150), 0.0),
        ("f32", Fraction(3, 2**150), 2.0**-148), ("f16", 65519, 65504.0), ("f16", 65520, math.inf), ("f16", -65520, -math.inf),
    ],
)  # fmt: skip
def test_by_hand(kind: str, x: Fraction, want: float) -> None:
    assert rounded(KINDS[kind], x) == want


def test_integers_wrap_and_are_cut_off() -> None:
    assert (wrapped(KINDS["i8"], 200), wrapped(KINDS["u16"], -1), wrapped(KINDS["i64"], 2**63)) == (
        -56,
        65535,
        -(2**63),
    )
    assert [converted(KINDS["i8"], x) for x in (2.9, -2.9, 300)] == [2, -2, 44]
    assert [nearest(KINDS["i8"], x) for x in (2.5, 3.5, -2.5, 1e9, math.nan, -math.inf)] == [2, 4, -2, 127, 0, -128]
    assert [converted(KINDS["u8"], x) for x in (300.7, -1.5, math.nan, -math.inf)] == [255, 0, 0, 0]


def test_operations_are_rounded_once() -> None:
    f32, bf16 = KINDS["f32"], KINDS["bf16"]
    assert arithmetic(f32, "+", 2.0**24, 1.0) == (2.0**24, False)
    assert arithmetic(bf16, "*", 1.0078125, 1.0078125) == (1.015625, False)
    assert arithmetic(f32, "/", 1.0, 3.0)[0] == struct.unpack("<f", struct.pack("<f", 1 / 3))[0]
    assert arithmetic(f32, "/", -1.0, 0.0) == (-math.inf, True)
    assert math.isnan(arithmetic(f32, "-", math.inf, math.inf)[0])
    assert arithmetic(KINDS["i32"], "*", 2**20, 2**20) == (0, True)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_encoded_is_decoded(name: str) -> None:
    kind = KINDS[name]
    values = [0.0, -1.5, 2.0, math.inf] if kind.floating else [kind.low, 0, 1, kind.high]
    assert decoded(kind, encoded(kind, values)) == values
