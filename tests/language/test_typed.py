"""Implicit casts made explicit."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.typed import typed_value
from isamap_smt.language import kernel
from isamap_smt.language.printer import value_text


def typed(text, **dtypes):
    k = kernel(text).with_dtypes(dtypes)
    return value_text(typed_value(k, k.statements[0]))


def test_without_casts_every_read_of_another_type_is_converted_to_the_output():
    assert typed("C[i] += A[i,k] * B[k]", A="u8", B="i8", C="i32") == "i32(A[i, k]) * i32(B[k])"
    assert typed("C[i] += A[i,k] * B[k]", A="bf16", B="f32") == "f32(A[i, k]) * B[k]"
    assert typed("C[i] += A[i,k] * B[k]") == "A[i, k] * B[k]"
    assert typed("C[i] += sum(e, 2, A[i,e] * C[i])", A="u8", C="i32") == "i32(A[i, 0]) * C[i] + i32(A[i, 1]) * C[i]"


def test_with_casts_the_value_stays_and_its_result_is_converted():
    text = "C[i] += i16(A[i,k]) * i16(B[k])"
    assert typed(text, A="u8", B="i8", C="i32") == "i32(i16(A[i, k]) * i16(B[k]))"
    assert typed(text, A="u8", B="i8", C="i16") == "i16(A[i, k]) * i16(B[k])"
    assert typed("C[i] = sat_i8(A[i] + B[i] + 300)", A="i16", B="u8", C="i8") == "sat_i8(A[i] + B[i] + 300)"


def test_literals_take_the_type_of_the_other_side():
    assert typed("C[i] = max(A[i] * 2, 0.5)", A="f64") == "max(f32(A[i]) * 2, 0.5)"
    assert typed("C[i] = 0", C="i8") == "0"


def test_numbers_inside_of_an_index_value_may_be_beyond_the_type_where_it_is_not():
    bounds = "axis i < 3\naxis j < 2\n"
    assert typed(bounds + "C[i,j] = min(A[j], 6 - 3*j)", A="u8", C="u8") == "min(A[j], 6 - 3*j)"
    with pytest.raises(DTypeError, match="300\\*i may be 600, which i8 does not hold"):
        typed(bounds + "C[i,j] = min(A[j], 300*i)", A="i8", C="i8")


@pytest.mark.parametrize(
    ("text", "dtypes", "message"),
    [
        (
            "C[i] = i32(A[i]) * B[i]",
            {"A": "u8", "B": "i8", "C": "i32"},
            "`*` meets i32 and i8; write a cast, such as i32(x), on one side",
        ),
        ("C[i] = A[i] / B[i]", dict.fromkeys("ABC", "i32"), "a division needs floating point, not i32; "),
        ("C[i] = exp(A[i])", dict.fromkeys("AC", "i32"), "exp needs floating point, not i32; cast its operands"),
        ("C[i] = A[i] + 0.5", dict.fromkeys("AC", "i32"), "0.5 is not an integer, and the value is i32"),
        ("C[i] = A[i] + 300", dict.fromkeys("AC", "u8"), "300 does not fit u8 [0, 255]"),
        ("C[i] = -1", {"C": "u8"}, "-1 does not fit u8 [0, 255]"),
        ("C[i] = sat_i8(A[i])", {"C": "i8"}, "saturation is defined for integers, not f32; cast first"),
        ("C[i] = sat_i8(A[i] / 2)", dict.fromkeys("AC", "i8"), "a division cannot stand inside a saturation"),
        ("C[i] = sat_i8(1.5)", {"C": "i8"}, "saturation is defined for integers, not 1.5"),
        (
            "C[i] = select(A[i] < f32(B[i]), 1, 0)",
            {"A": "f64"},
            "compare meets f64 and f32; write a cast, such as f64(x), on one side",
        ),
    ],
)
def test_types_that_do_not_meet_are_refused(text, dtypes, message):
    with pytest.raises(DTypeError) as e:
        typed(text, **dtypes)
    assert str(e.value).startswith(f"line 1: {message}")
