"""The three readings of a term agree: folded by its constructor, evaluated in NumPy, and in Z3."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_equal import equal
from isamap_encodings.bit_terms import Term, make
from isamap_encodings.verdict import Proved
from isamap_smt.isa.evaluate import FLOATS, as_bits, evaluate

INTEGER = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv")
FLOAT = ("fadd", "fsub", "fmul", "fdiv")
ORDER = ("feq", "flt", "fle")


def integers(width: int) -> list[int]:
    top = (1 << width) - 1
    return [0, 1, 3, width - 1, width, top, top >> 1, (top >> 1) + 1, 0x5A5A5A5A5A5A5A5A & top]


def numbers(width: int) -> list[int]:
    kind = FLOATS[width]
    odd = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        np.inf,
        -np.inf,
        np.nan,
        np.finfo(kind).max,
        np.finfo(kind).smallest_subnormal,
        0.1,
        -300.7,
    ]
    with np.errstate(all="ignore"):
        return [int(v) for v in as_bits(np.array(odd).astype(kind))]


def value(t: Term) -> int:
    return int(np.atleast_1d(evaluate([t], {})[0])[0])


def agree(t: Term, number: bool) -> bool:
    """Whether Z3 proves the value that NumPy gives, and no other."""
    found = value(t)
    right = equal(t, bits.const(found, t.width), number)
    other = equal(t, bits.const(found ^ 1, t.width), number)
    nan = number and np.isnan(np.array([found], np.uint64).astype(f"u{t.width // 8}").view(FLOATS[t.width])[0])
    return isinstance(right, Proved) and (nan or not isinstance(other, Proved))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("op", INTEGER)
def test_integers(op: str, width: int) -> None:
    for a, b in list(itertools.product(integers(width), repeat=2))[::4]:
        if op == "udiv" and b == 0:
            continue
        x, y = bits.const(a, width), bits.const(b, width)
        plain = make(op, width, x, y)
        assert agree(plain, False), (a, b)
        assert bits.binary(op, x, y).value == value(plain), (a, b)


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("op", [*FLOAT, *ORDER])
def test_numbers(op: str, width: int) -> None:
    for a, b in list(itertools.product(numbers(width), repeat=2))[::7]:
        t = make(op, 1 if op in ORDER else width, bits.const(a, width), bits.const(b, width))
        assert agree(t, op in FLOAT), (a, b)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_fused(width: int) -> None:
    for a, b, c in list(itertools.product(numbers(width)[2:], numbers(width)[3:7], numbers(width)[::2]))[::7]:
        t = make("fma", width, *(bits.const(v, width) for v in (a, b, c)))
        assert agree(t, True), (a, b, c)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_conversions(width: int) -> None:
    for v in numbers(width)[::2]:
        x = bits.const(v, width)
        for to in (16, 32, 64):
            assert agree(make("fs", to, x), False), (v, to)
            assert agree(make("fu", to, x), False), (v, to)
            if to != width:
                assert agree(make("ff", to, x), True), (v, to)
    for source in (8, 16, 32, 64):
        for v in integers(source)[::3]:
            for op in ("sf", "uf"):
                assert agree(make(op, width, bits.const(v, source)), True), (v, op)


CELLS = [bits.cell(name, 32) for name in "abc"]
A, B, C = CELLS
P, Q = make("sext", 16, bits.cell("p", 8)), make("zext", 16, bits.cell("q", 8))
ONE, MINUS = bits.const(0x3F800000, 32), bits.const(0xBF800000, 32)
FOLDED: dict[str, tuple[Callable[[], Term], Term, bool]] = {
    "x * 1": (lambda: bits.rounded("fmul", A, ONE), make("fmul", 32, A, ONE), True),
    "x * -1": (lambda: bits.rounded("fmul", MINUS, A), make("fmul", 32, MINUS, A), True),
    "x / -1": (lambda: bits.rounded("fdiv", A, MINUS), make("fdiv", 32, A, MINUS), True),
    "1 * x + y": (lambda: bits.rounded("fma", ONE, A, B), make("fma", 32, ONE, A, B), True),
    "x - 0": (lambda: bits.binary("sub", A, bits.const(0, 32)), make("sub", 32, A, bits.const(0, 32)), False),
    "x ^ x": (lambda: bits.bitwise("xor", A, A), make("xor", 32, A, A), False),
    "x & ~0": (lambda: bits.bitwise("and", A, bits.const(-1, 32)), make("and", 32, A, bits.const(-1, 32)), False),
    "bytes of a row": (
        lambda: bits.extract(bits.concat([A, B]), 24, 16),
        make("extract", 16, make("concat", 64, A, B), 24),
        False,
    ),
    "neighbours": (
        lambda: bits.concat([bits.extract(A, 0, 8), bits.extract(A, 8, 8)]),
        make("concat", 16, make("extract", 8, A, 0), make("extract", 8, A, 8)),
        False,
    ),
    "sign extended": (
        lambda: bits.extract(bits.resized(A, 64, True), 8, 16),
        make("extract", 16, make("sext", 64, A), 8),
        False,
    ),
    "a product that fits": (
        lambda: bits.resized(bits.binary("mul", P, Q), 32, True),
        make("sext", 32, make("mul", 16, P, Q)),
        False,
    ),
    "a product without sign": (
        lambda: bits.resized(bits.binary("mul", Q, Q), 32, False),
        make("zext", 32, make("mul", 16, Q, Q)),
        False,
    ),
    "chosen lanes": (
        lambda: bits.ite(bits.sign_bit(C), bits.concat([A, B]), bits.concat([B, A])),
        make("ite", 64, make("extract", 1, C, 31), make("concat", 64, A, B), make("concat", 64, B, A)),
        False,
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_folding_changes_nothing(name: str) -> None:
    made, plain, number = FOLDED[name]
    folded = made()
    assert folded is not plain
    if name == "1 * x + y":  # 24 bits multiplied are too much for Z3; on numbers
        random = np.random.default_rng(0)
        inputs = {n: random.integers(0, 1 << 32, 5000, dtype=np.uint64) for n in "ab"}
        x, y = (v.astype(np.uint32).view(np.float32) for v in evaluate([folded, plain], inputs))
        assert np.array_equal(x, y, equal_nan=True)
        return
    assert isinstance(equal(folded, plain, number), Proved)


def test_equal_terms_are_one_object() -> None:
    assert bits.rounded("fadd", A, B) is bits.rounded("fadd", B, A)
    assert bits.rounded("fsub", A, B) is not bits.rounded("fsub", B, A)
