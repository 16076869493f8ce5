"""x >> n of integers: the interpreter, the bit-vectors and C do what Python's integers do, and n has bounds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.scalar import equal_integers
from isamap_encodings.scalar_values import spanned, wrapped
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import Cast, SAdd, SMul, SShr, saturate
from isamap_smt.ir.typed import typed_value
from isamap_smt.language import to_text
from isamap_smt.language.build import axes, tensor
from tests.oracle.meaning import Meaning, execute
from tests.oracle.text import read_text

TYPES = ("i8", "u8", "i16", "i32", "u32", "i64", "u64")
TEXTS = ("Y[i] = X[i] >> 3", "Y[i] = X[i] >> N[i]", "Y[i] = (X[i] + N[i]) >> 1", "Y[i] = X[i] + (N[i] >> 1)")


def edge_values(d: str, kind: str) -> np.ndarray:
    t = DTYPES[d]
    numbers = (
        [0, 1, -1, 7, -9, t.low, t.high, t.high // 3]
        if kind == "X"
        else [0, 1, 2, t.bits - 1, t.bits, t.high, t.low, 3]
    )
    return np.array([wrapped(v, (t.kind, t.bits)) for v in numbers], dtype=t.numpy)


def meant(text: str, d: str, x: int, n: int) -> int:
    t = DTYPES[d]
    kind = (t.kind, t.bits)
    shift = lambda a, by: a >> by if 0 <= by < t.bits else -int(a < 0)  # noqa: E731
    return [shift(x, 3), shift(x, n), shift(wrapped(x + n, kind), 1), wrapped(x + shift(n, 1), kind)][TEXTS.index(text)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("d", TYPES)
def test_interpreter_and_c(d: str) -> None:
    text = "\n".join(t.replace("Y", f"Y{n}") for n, t in enumerate(TEXTS))
    k = im.kernel(text, dtypes=dict.fromkeys(("X", "N", *(f"Y{n}" for n in range(len(TEXTS)))), d))
    arrays = {n: edge_values(d, n) for n in k.inputs}
    seen, compiled = run_kernel(k, arrays), im.compile(k, "scalar")(**arrays)
    for n, line in enumerate(TEXTS):
        want = [meant(line, d, int(x), int(y)) for x, y in zip(arrays["X"], arrays["N"], strict=True)]
        assert seen[f"Y{n}"].tolist() == compiled[f"Y{n}"].tolist() == want
    assert im.kernel(to_text(k), name=k.name) == k


@pytest.mark.parametrize("d", ["u8", "i32"])
def test_below_a_saturation_it_is_exact(d: str) -> None:
    k = im.kernel("Y[i] = sat_i8((X[i] * 3 + X[i]) >> 2)", dtypes={"X": d, "Y": "i8"})
    x = edge_values(d, "X")
    want = [min(max(int(v), -128), 127) for v in x]
    assert run_kernel(k, {"X": x})["Y"].tolist() == want
    assert im.compile(k, "scalar")(X=x).tolist() == want


EXACT: dict[str, Callable[..., int]] = {
    "(A[i] * B[i]) >> N[i]": lambda a, b, n: floor_div(a * b, n), "A[i] >> N[i]": lambda a, b, n: floor_div(a, n),
    "A[i] >> (N[i] + B[i])": lambda a, b, n: floor_div(a, n + b),
}  # fmt: skip


def floor_div(x: int, n: int) -> int:
    return x // 2**n if n >= 0 else -int(x < 0)


@pytest.mark.parametrize("kinds", ["i64 i64 i64", "i64 u8 i8", "i32 u64 i64", "u32 i64 u64", "i8 i8 i8", "u8 i64 i64"])
@pytest.mark.parametrize("text", list(EXACT))
def test_below_a_saturation_computed_shifts_are_exact_however_far(text: str, kinds: str) -> None:
    """The product of two i64 has 127 bits, and a shift by 70 leaves 57 of them."""
    d, by, out = kinds.split()
    if "+ B" in text and d == "i64":
        d = "i32"  # sums with 64 bits are too far to go through
    t, u, o = (DTYPES[n] for n in (d, by, out))
    k = im.kernel(
        f"Y[i] = sat_{out}({text})",
        dtypes={n: x for n, x in zip("ABNY", (d, d, by, out), strict=True) if n in text + "Y"},
    )
    values = [v for v in (0, 1, -1, 7, -5, 100, t.low, t.high, t.high // 3) if t.low <= v <= t.high]
    shifts = [n for n in (0, 1, 31, 32, 63, 64, 70, 127, 128, 200, -1, -3, u.low) if u.low <= n <= u.high]
    rows = [r for r in itertools.product(values, values, shifts) if "+ B" not in text or abs(r[1]) < 10_000]
    columns = {
        n: ([r[at] for r in rows], x) for at, (n, x) in enumerate(zip("ABN", (d, d, by), strict=True)) if n in k.inputs
    }
    arrays = {n: np.array(c, DTYPES[x].numpy) for n, (c, x) in columns.items()}
    want = [min(max(EXACT[text](*r), o.low), o.high) for r in rows]
    assert run_kernel(k, arrays)["Y"].tolist() == want
    assert im.compile(k, "scalar")(**arrays).tolist() == want
    types = {**{n: x for n, (_, x) in columns.items()}, "Y": out}
    oracle = execute(Meaning(read_text(k.text), types, {"I": len(rows)}), {n: c for n, (c, _) in columns.items()})
    assert oracle["Y"].numbers == want


def test_far_shifts_are_proved_exact_below_a_saturation() -> None:
    x, n, wide = sp.Symbol("x"), sp.Symbol("n"), ("i", 64)
    far = saturate("i64", SShr(SMul(x, x), n))
    given = {"x": (2**62, 2**62), "n": (70, 70)}
    for number, word in ((2**54, Proved), (0, Refuted), (2**54 - 1, Refuted)):
        assert isinstance(equal_integers(far, sp.Integer(number), {"x": wide, "n": wide}, wide, given), word)
    negative = saturate("i64", SShr(SMul(x, x), n))
    assert isinstance(
        equal_integers(negative, sp.Integer(0), {"x": wide, "n": wide}, wide, {**given, "n": (-3, -1)}), Proved
    )


def verdict(left: Any, right: Any, kind: tuple[str, int] = ("i", 32), **ranges: tuple[int, int]) -> Any:
    return equal_integers(left, right, {"x": kind, "n": kind}, kind, ranges)


def test_bit_vectors() -> None:
    x, n = sp.Symbol("x"), sp.Symbol("n")
    assert isinstance(verdict(SShr(SShr(x, sp.Integer(3)), sp.Integer(4)), SShr(x, sp.Integer(7))), Proved)
    assert isinstance(verdict(SShr(SMul(x, sp.Integer(4)), sp.Integer(2)), x), Refuted)  # the product wraps
    assert isinstance(verdict(SShr(SMul(x, sp.Integer(4)), sp.Integer(2)), x, x=(-1000, 1000)), Proved)
    assert isinstance(verdict(SShr(x, sp.Integer(31)), SShr(x, n), n=(31, 2**31 - 1)), Proved)
    assert isinstance(verdict(SShr(x, sp.Integer(31)), SShr(x, n), n=(30, 40)), Refuted)
    unsigned = sp.Symbol("u32")
    as_unsigned = Cast(sp.Symbol("i32"), SShr(Cast(unsigned, x), sp.Integer(1)))
    assert isinstance(verdict(SShr(x, sp.Integer(1)), as_unsigned), Refuted)
    assert isinstance(verdict(SShr(x, sp.Integer(1)), as_unsigned, x=(0, 2**31 - 1)), Proved)
    assert isinstance(verdict(SShr(SAdd(x, x), n), SShr(SAdd(x, x), n)), Proved)


def test_bounds_of_the_exact_value() -> None:
    for low, high in ((-9, 7), (3, 7), (-9, -2)):
        least, most = spanned("SShr", (low, high), (-3, 70))
        assert all(
            least <= (v >> n if n >= 0 else -(v < 0)) <= most for v in range(low, high + 1) for n in range(-3, 71)
        )


def test_in_python() -> None:
    i, _ = axes("i j")
    x, y = tensor("X", "i32"), tensor("Y", "i32")
    assert im.kernel(y[i].set((x[i] + 1) >> 2)).statements == im.kernel("Y[i] = (X[i] + 1) >> 2").statements


@pytest.mark.parametrize(
    ("text", "dtypes", "message"),
    [
        ("Y[i] = X[i] >> 32", {"X": "i32", "Y": "i32"}, "a shift by 32 bits: i32 is shifted by 0 to 31"),
        ("Y[i] = X[i] >> -1", {"X": "i32", "Y": "i32"}, "a shift by -1 bits"),
        ("Y[i] = X[i] >> 1", {}, "a shift is of integers, not f32"),
        ("Y[i] = sat_i8(X[i] >> 64)", {"X": "i64", "Y": "i8"}, "a shift by 64 bits"),
        ("Y[i] = i32(X[i]) >> N[i]", {"X": "i8", "N": "i8", "Y": "i32"}, "meets i32 and i8"),
    ],
)
def test_what_is_refused(text: str, dtypes: dict[str, str], message: str) -> None:
    with pytest.raises(DTypeError, match=message):
        kernel = im.kernel(text, dtypes=dtypes)
        typed_value(kernel, kernel.statements[0])
