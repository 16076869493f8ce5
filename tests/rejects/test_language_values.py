"""What cannot be computed of these types, or from these names, is refused in one sentence with its line."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError

REFUSED = [
    (
        "y[i] = x[i]\nz[i] = log(y[i])",
        "yz",
        "norms.txt:2: log needs floating point, not i32; cast its operands, such as f32(x)",
    ),
    ("y[i] = sqrt(x[i])", "xy", "norms.txt:1: sqrt needs floating point, not i32; cast its operands, such as f32(x)"),
    (
        "y[i] = x[i] ** -1",
        "xy",
        "norms.txt:1: a division needs floating point, not i32; cast its operands, such as f32(x)",
    ),
    (
        "y[i,n] = x[i,n]\nm[i] += y[i,n] * N",
        "ym",
        "norms.txt:2: N may be 2147483648, which i32 does not hold; fix its size, or write i32(N) for the value modulo 2^32",
    ),
    (
        "axis e < 200\nx: i8[200]\ny: i8[200]\ny[e] = x[e] + e",
        "",
        "norms.txt:4: e may be 199, which i8 does not hold; fix its size, or write i8(e) for the value modulo 2^8",
    ),
    ("y[i] = sat_i8(i32(x[i]) + i)", "x", "norms.txt:1: i inside a saturation needs a type of its own, such as i64(i)"),
]


@pytest.mark.parametrize(("text", "integers", "message"), REFUSED)
def test_types(text: str, integers: str, message: str) -> None:
    kernel = im.kernel(text, file="norms.txt").with_dtypes(dict.fromkeys(integers, "i32"))
    for machine in ("scalar", "host"):
        with pytest.raises(IsamapError) as e:
            im.compile(kernel, machine)
        assert str(e.value) == message


NAMES = [
    ("y[i] = ln(x[i])", "norms.txt:1:8: there is no function 'ln'"),
    ("y[i] = x[i] * k", "norms.txt:1:15: k is not an element of a tensor"),
    ("y[i] = q * x[i]\nz[q] = x[q]", "norms.txt:1:8: axis q stands in no index of this statement"),
    ("y[i,j] = x[i,j] + i*j", "norms.txt:1:19: i*j is not affine: it multiplies axis i by axis j"),
    ("y[i] = x[i] @ N\nsize N", "norms.txt:1:8: this operator is not part of a value"),
]


@pytest.mark.parametrize(("text", "message"), NAMES)
def test_names(text: str, message: str) -> None:
    with pytest.raises(IsamapError) as e:
        im.kernel(text, file="norms.txt")
    assert str(e.value).splitlines()[0] == message


def test_a_contract_computes_from_cells() -> None:
    with pytest.raises(
        IsamapError, match=r"^odd: l is no value in `d\[l\] = a\[l\] \* l`; a contract computes from cells"
    ):
        im.instruction(
            "odd", "d[l] = a[l] * l", axes={"l": 4}, dtypes={"d": "f32", "a": "f32"}, places={"d": "xmm", "a": "xmm"}
        )


def test_what_holds_is_not_refused() -> None:
    kernel = im.kernel("axis e < 100\ny[e] = x[e] + e", dtypes=dict.fromkeys("xy", "i8"))
    assert im.compile(kernel, "scalar") is not None
