"""`//`, `%`, `&`, `|`, `^`, `~` and `<<` of integers: the interpreter, C and the bit-vectors do what Python's integers do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.machine import Bits
from isamap_encodings.overflow import term_range
from isamap_encodings.scalar import equal_integers, equal_reals
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.scalar_values import ARITHMETIC, spanned, value, wrapped
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import DTypeError, LanguageError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import SAdd, SAnd, SFloorDiv, SInvert, SMod, SMul, SNeg, SOr, SShl, SShr, SSub, SXor
from isamap_smt.language import axes, kernel, tensors, to_text

TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
SIGNED = ("i8", "i32", "i64")
# of x and n and the number of bits; each before it is wrapped
TEXTS: dict[str, Callable[[int, int, int], int]] = {
    "X[i] // N[i]": lambda x, n, b: x // n if n else 0,
    "X[i] % N[i]": lambda x, n, b: x % n if n else x,
    "X[i] & N[i]": lambda x, n, b: x & n,
    "X[i] | N[i] ^ X[i] & N[i]": lambda x, n, b: x | (n ^ (x & n)),
    "X[i] << N[i]": lambda x, n, b: x << n if 0 <= n < b else 0,
    "~X[i]": lambda x, n, b: ~x,
    "X[i] << 3": lambda x, n, b: x << 3,
    "X[i] // 3 % 4": lambda x, n, b: x // 3 % 4,
    "X[i] % 7 - N[i] // 64": lambda x, n, b: x % 7 - n // 64,
    "(X[i] << 1 | 1) & ~N[i]": lambda x, n, b: (x << 1 | 1) & ~n,
    "-X[i] // 8 * 8": lambda x, n, b: wrapped(-x, ("i", b)) // 8 * 8,
}
HEADS = {"SFloorDiv": SFloorDiv, "SMod": SMod, "SAnd": SAnd, "SOr": SOr, "SXor": SXor, "SShl": SShl}
X, Y = sp.Symbol("x"), sp.Symbol("y")


def numbers(d: str) -> list[int]:
    t = DTYPES[d]
    some = [0, 1, 2, 3, 7, 8, t.bits - 1, t.bits, t.low, t.low + 1, t.high, t.high // 3, t.high - 1]
    return list(dict.fromkeys(some + ([-1, -2, -7, -8] if t.low else [])))


@pytest.mark.parametrize("d", TYPES)
def test_interpreter_and_c(d: str) -> None:
    texts = [t for t in TEXTS if DTYPES[d].low or not t.startswith("-")]
    made = im.kernel(
        "\n".join(f"Y{k}[i] = {t}" for k, t in enumerate(texts)),
        dtypes=dict.fromkeys(("X", "N", *(f"Y{k}" for k in range(len(texts)))), d),
    )
    t = DTYPES[d]
    pairs = list(itertools.product(numbers(d), repeat=2))
    x, n = (np.array(v, t.numpy) for v in zip(*pairs, strict=True))
    seen, compiled = run_kernel(made, {"X": x, "N": n}), im.compile(made, "scalar")(X=x, N=n)
    for k, text in enumerate(texts):
        want = [wrapped(TEXTS[text](a, b, t.bits), (t.kind, t.bits)) for a, b in pairs]
        assert seen[f"Y{k}"].tolist() == want, text
        assert compiled[f"Y{k}"].tolist() == want, text
    assert im.kernel(to_text(made), name=made.name) == made


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("d", ["i8", "u8"])
def test_bit_vectors_and_plain_integers_are_the_interpreter(name: str, d: str) -> None:
    """Every pair of bytes for plain integers, some of them for Z3."""
    import z3

    t = DTYPES[d]
    kind, tree = (t.kind, t.bits), HEADS[name](X, Y)
    made = im.kernel(f"Z[i] = X[i] {im.ir.heads.HEADS[HEADS[name]].text} N[i]", dtypes=dict.fromkeys("XNZ", d))
    every = np.arange(t.low, t.high + 1).astype(t.numpy)
    x, n = (np.ascontiguousarray(v.reshape(-1)) for v in np.meshgrid(every, every))
    want = run_kernel(made, {"X": x, "N": n})["Z"]
    types, rng = {"x": kind, "y": kind}, random.Random(0)
    bits = Bits(types)
    term = bits.value(tree, kind)
    for k in range(0, x.size, 41):
        at = {"x": int(x[k]), "y": int(n[k])}
        assert wrapped(value(tree, at, types)[0], kind) == int(want[k]), at
    some = [(a, b) for a in numbers(d) for b in numbers(d)] + [
        (rng.choice(every), rng.choice(every)) for _ in range(50)
    ]
    for a, b in some:
        at = [(bits.leaf(v), z3.BitVecVal(int(c), t.bits)) for v, c in zip("xy", (a, b), strict=True)]
        got = z3.simplify(z3.substitute(term, *at))
        index = (int(b) - t.low) * every.size + int(a) - t.low
        assert wrapped(got.as_long(), kind) == int(want[index]), (a, b)


@pytest.mark.parametrize("name", HEADS)
def test_bounds_hold(name: str) -> None:
    rng = random.Random(1)
    for _ in range(300):
        a, b = (sorted(rng.randrange(-20, 21) for _ in range(2)) for _ in range(2))
        if name == "SShl":
            b = sorted(rng.randrange(7) for _ in range(2))
        low, high = spanned(name, a, b)
        found = [ARITHMETIC[name](x, y) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)]
        assert low <= min(found) and max(found) <= high, (a, b)


def test_no_bound_of_a_shift_by_any_number_is_known() -> None:
    with pytest.raises(KeyError):
        spanned("SShl", (0, 1), (-1, 3))


def test_a_term_is_bounded() -> None:
    found = term_range(SMod(X, sp.Integer(10)), {"x": ("i", 16)}, ("i", 16), {})
    assert found is not None and (found.low, found.high) == (0, 9) and isinstance(found.verdict, Proved)
    found = term_range(SAnd(X, sp.Integer(15)), {"x": ("i", 16)}, ("i", 16), {})
    assert found is not None and (found.low, found.high) == (0, 15) and isinstance(found.verdict, Proved)


@pytest.mark.parametrize("kind", [("i", 8), ("u", 8)])
def test_identities_are_proved_and_others_refuted(kind: tuple[str, int]) -> None:
    types = {"x": kind, "y": kind}

    def equal(a: sp.Expr, b: sp.Expr, **ranges: tuple[int, int]) -> type:
        return type(equal_integers(a, b, types, kind, ranges))

    assert equal(SAdd(SMul(SFloorDiv(X, Y), Y), SMod(X, Y)), X) is Proved
    assert equal(SInvert(SAnd(X, Y)), SOr(SInvert(X), SInvert(Y))) is Proved
    assert equal(SXor(X, Y), SSub(SOr(X, Y), SAnd(X, Y))) is Proved
    assert equal(SShl(X, sp.Integer(2)), SMul(X, sp.Integer(4))) is Proved
    assert equal(SFloorDiv(X, sp.Integer(4)), SShr(X, sp.Integer(2))) is Proved
    assert equal(SMod(X, sp.Integer(8)), SAnd(X, sp.Integer(7))) is Proved
    assert equal(SAnd(X, Y), SOr(X, Y)) is Refuted
    assert equal(SShr(SShl(X, sp.Integer(1)), sp.Integer(1)), X) is Refuted
    assert equal(SMod(X, sp.Integer(6)), SAnd(X, sp.Integer(5))) is Refuted
    assert equal(SFloorDiv(SMul(X, Y), Y), X) is Refuted
    if kind[0] == "i":
        assert equal(SFloorDiv(X, sp.Integer(-1)), SNeg(X)) is Proved
        assert equal(SFloorDiv(SNeg(X), Y), SNeg(SFloorDiv(X, Y))) is Refuted


def test_of_floating_point_nothing_is_said() -> None:
    types = {"x": ("f", 32), "y": ("f", 32)}
    for head in HEADS.values():
        assert isinstance(equal_floats(head(X, Y), X, types, ("f", 32), {}), Unknown)
        assert isinstance(equal_reals(head(X, Y), X, types), Unknown)


REFUSED = {
    "Y[i] = X[i] // N[i]": r"`//` is of integers, not f32",
    "Y[i] = X[i] & 1": r"`&` is of integers, not f32",
    "Y[i] = ~X[i]": r"~ is of integers, not f32",
    "Y[i] = X[i] << 1": r"a shift is of integers, not f32",
    "Y[i] = X[i] + (7 // 2)": r"`//` is of integers, not f32",
}


@pytest.mark.parametrize("text", REFUSED)
def test_floating_point_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(DTypeError, match=rf"line 1, column 8: {REFUSED[text]}"):
        im.kernel(text, dtypes=dict.fromkeys("XNY" if "N" in text else "XY", "f32"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Y[i] = X[i] // 0", "`//` by 0: a divisor that is written is none"),
        ("Y[i] = X[i] % 0", "`%` by 0: a divisor that is written is none"),
        ("Y[i] = X[i] << 32", "a shift by 32 bits: i32 is shifted by 0 to 31"),
        ("Y[i] = X[i] << (-1)", "a shift by -1 bits: i32 is shifted by 0 to 31"),
        ("Y[i] = sat_i8(X[i] // 2)", "`//` inside a saturation needs a type of its own"),
        ("Y[i] = sat_i8(X[i] << 2)", "a shift inside a saturation needs a type of its own"),
    ],
)
def test_refusals_of_integers(text: str, words: str) -> None:
    with pytest.raises(DTypeError, match=f"line 1, column 8: {words}"):
        im.kernel(text, dtypes={"X": "i32", "Y": "i8" if "sat" in text else "i32"})


def test_a_saturation_of_a_converted_one_is_taken() -> None:
    made = im.kernel("Y[i] = sat_i8(i32(X[i] // 2) * 3)", dtypes={"X": "i32", "Y": "i8"})
    x = np.arange(-200, 200, dtype=np.int32)
    want = np.clip(x // 2 * 3, -128, 127)
    assert (run_kernel(made, {"X": x})["Y"] == want).all() and (im.compile(made, "scalar")(X=x) == want).all()


def test_an_index_expression_stays_one() -> None:
    made = im.kernel("Y[i] = X[i] + i // 2 % 3", dtypes={"X": "i32", "Y": "i32"})
    assert run_kernel(made, {"X": np.zeros(8, np.int32)})["Y"].tolist() == [0, 0, 1, 1, 2, 2, 0, 0]
    with pytest.raises(LanguageError, match="the divisor depends on axis j"):
        im.kernel("Y[i,j] = X[i,j] + i // j", dtypes={"X": "i32", "Y": "i32"})


def test_the_python_form() -> None:
    i, (a, b, c) = axes("i"), tensors("A B C", "i32")
    x, y = a[i], b[i]
    made = kernel(c[i].set((x // 3 | y << 2) ^ ~x & (y % 5)))
    assert to_text(made).splitlines()[-1] == "C[i] = (A[i] // 3 | B[i] << 2) ^ ~A[i] & B[i] % 5"


def test_bounds_of_rounding_are_those_of_integers() -> None:
    made = im.kernel("Y[i] = X[i] % 7\nZ[i] = X[i] & 12", dtypes=dict.fromkeys("XYZ", "i32"))
    found = im.rounding_bound(made, {"X": (-100, 100)}, {"i": 4})
    assert [(found[n].low, found[n].high, found[n].error) for n in "YZ"] == [(0, 6, 0), (0, 12, 0)]
