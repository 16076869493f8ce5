"""sin, cos, tan, inverses, hyperbolic functions, pow, fmod and % of floating point: accuracy, ends, bits, bounds and proofs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings import error_steps
from isamap_encodings.scalar import equal_reals
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.verdict import Proved, Unknown
from isamap_smt.ir import functions_f64, near
from isamap_smt.ir.dtypes import DTYPES, dtype
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.heads import FUNCTION_ROWS, FUNCTIONS, HEADS, applied
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.rounding_bound import NOTHING, Bound, stepped
from isamap_smt.ir.rounding_walk import ulp_of
from isamap_smt.ir.scalar import Cos, Fmod, Pow, Sin, SMod, Unary
from isamap_smt.language import to_text
from isamap_smt.mapping.point_c import span
from isamap_smt.mapping.selection import _tells_zeros
from isamap_smt.proof.rounding import prove_rounding

NAMES = [n for n in functions_f64.NAMES if n != "pow"]
RANGES = {
    **dict.fromkeys(("sin", "cos", "tan"), (-50, 50)), **dict.fromkeys(("asin", "acos", "atanh"), (-1, 1)),
    "atan": (-9, 9), **dict.fromkeys(("sinh", "cosh"), (-711, 711)), "asinh": (-99, 99), "acosh": (1, 99),
}  # fmt: skip
JOINTS = [
    0.25,
    0.41421356,
    0.5,
    math.pi / 4,
    1.0,
    math.pi / 2,
    2.4142135,
    math.pi,
    2.0**28,
    89.4,
    709.8,
    710.4758,
    711.0,
]
WORST = [
    6381956970095103 * 2.0**797,
    2.0**1023,
    1e22,
    5e-324,
    2.0**-1022,
    1.7e308,
]  # the first lies nearest to a multiple of pi / 2
KINDS = ("f16", "bf16", "f32", "f64")
APART = {"asin": 1.0, "acos": 1.0, "atanh": 1.0}  # beyond it there is no value


def arguments(name: str, count: int, seed: int = 0) -> np.ndarray:
    """Every exponent, the range in which the function is not constant, near 0, joints with their neighbours, quarters of a turn."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    joints = np.array([*JOINTS, *WORST])
    beside = np.concatenate([joints, np.nextafter(joints, 0), np.nextafter(joints, np.inf)])
    quarters = rng.integers(1, 1_000_000, count // 4) * (np.pi / 2)
    small = rng.choice([-1, 1], count) * np.exp2(rng.uniform(-60, 1, count))
    found = np.concatenate([bits, beside, -beside, rng.uniform(*RANGES[name], count), small, quarters])
    found = found[np.isfinite(found)]
    if name in APART:
        return found[np.abs(found) <= 1]
    return found[found >= 1] if name == "acosh" else found


def exact(name: str, x: float) -> mp.mpf:
    """With enough digits for every f64."""
    if name == "atanh" and abs(x) == 1:
        return mp.inf * x
    size = abs(math.frexp(x)[1])
    with mp.workprec(160 + size + (2 * int(min(abs(x), 800)) if name in ("sinh", "cosh") else size)):
        return +getattr(mp, name)(mp.mpf(x))


def in_ulp(got: float, want: mp.mpf, digits: int = 52, least: int = -1022) -> float:
    exponent = max(int(mp.floor(mp.log(abs(want), 2))) if want else least, least)
    return float(abs(mp.mpf(got) - want) / mp.ldexp(1, exponent - digits))


@pytest.mark.parametrize("name", NAMES)
def test_error_in_ulp_is_as_stated(name: str) -> None:
    head, x = FUNCTIONS[name], arguments(name, 300)
    worst, row = 0.0, FUNCTION_ROWS[head]
    for a, got in zip(x.tolist(), applied(head, x).tolist(), strict=True):
        want = exact(name, a)
        if not math.isfinite(got):
            assert abs(want) > 1.797e308, a
        else:
            worst = max(worst, in_ulp(got, want))
    assert worst <= row.wide_ulp
    assert worst > row.wide_ulp / 4, "what is stated is no multiple of what is found"


@pytest.mark.parametrize("name", NAMES)
def test_of_f32_the_error_is_that_of_one_rounding(name: str) -> None:
    """All exponents alike; benchmarks/accuracy.py looks at every f32."""
    with np.errstate(all="ignore"):
        x = arguments(name, 40_000, 1).astype(np.float32)
        x = x[np.isfinite(x)]
        got = applied(FUNCTIONS[name], x)
        of = {
            "asin": "arcsin",
            "acos": "arccos",
            "atan": "arctan",
            "asinh": "arcsinh",
            "acosh": "arccosh",
            "atanh": "arctanh",
        }
        want = getattr(np, of.get(name, name))(x.astype(np.longdouble))
        nearest = want.astype(np.float32)
    finite = np.isfinite(nearest)
    assert (np.isfinite(got) == finite).all()
    ulp = np.spacing(np.maximum(np.abs(nearest[finite]), np.float32(2.0**-126))).astype(np.longdouble)
    assert (np.abs(got[finite] - want[finite]) / ulp).max() <= FUNCTION_ROWS[FUNCTIONS[name]].ulp


def powers(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [np.exp2(rng.uniform(-9, 9, count)), np.exp2(rng.uniform(-1074, 1024, count)), 1 + rng.uniform(-1e-2, 1e-2, count),
         -np.exp2(rng.uniform(-9, 9, count)), np.exp2(rng.uniform(-1074, -900, count))]
    )  # fmt: skip
    y = np.concatenate(
        [rng.uniform(-70, 70, count), rng.uniform(-1, 1, count), rng.uniform(-70_000, 70_000, count),
         rng.integers(-99, 99, count).astype(np.float64), rng.uniform(0.9, 1.1, count)]
    )  # fmt: skip
    return x, y


def test_powers_are_as_accurate_as_stated() -> None:
    x, y = powers(400)
    row, worst = FUNCTION_ROWS[Pow], 0.0
    with mp.workprec(200):
        for a, b, got in zip(x.tolist(), y.tolist(), row.numpy(x, y).tolist(), strict=True):
            want = mp.power(mp.mpf(a), mp.mpf(b) if a > 0 else int(b))
            if not math.isfinite(got):
                assert abs(want) > 1.797e308, (a, b)
            else:
                worst = max(worst, in_ulp(got, want))
        assert row.wide_ulp / 4 < worst <= row.wide_ulp
        with np.errstate(all="ignore"):
            short, shorter = x.astype(np.float32), y.astype(np.float32)
        for a, b, got in zip(short.tolist(), shorter.tolist(), row.numpy(short, shorter).tolist(), strict=True):
            want = mp.power(mp.mpf(a), mp.mpf(b) if a > 0 else int(b)) if a else mp.mpf(0) if b > 0 else mp.inf
            if math.isfinite(a) and math.isfinite(got):
                assert in_ulp(got, want, 23, -126) <= row.ulp, (a, b)


SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, np.inf, -np.inf, np.nan, 2.0**53, 2.0**53 + 2, 1.0 - 2.0**53, 1e300,
    5e-324, -5e-324, 1e-310, 1 + 2.0**-52, 1 - 2.0**-53,
]  # fmt: skip


def test_powers_have_the_ends_of_ieee_754() -> None:
    x, y = (np.array(v) for v in zip(*itertools.product(SPECIAL, repeat=2), strict=True))
    with np.errstate(all="ignore"):
        want = np.power(x, y)  # the C library's
    got = HEADS[Pow].numpy(x, y)
    plain = np.isfinite(want) & (want != 0) & (np.abs(want) != 1)
    np.testing.assert_array_equal(got[~plain], want[~plain])
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()
    np.testing.assert_allclose(got[plain], want[plain], rtol=4e-16)


def test_ends() -> None:
    ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0])
    none, inf, half = np.nan, np.inf, math.pi / 2
    wanted: dict[str, list[float | None]] = {
        "sin": [0.0, -0.0, none, none, none, None, None, None], "cos": [1.0, 1.0, none, none, none, None, None, None],
        "tan": [0.0, -0.0, none, none, none, None, None, None], "asin": [0.0, -0.0, none, none, none, half, -half, none],
        "acos": [half, half, none, none, none, 0.0, math.pi, none],
        "atan": [0.0, -0.0, half, -half, none, half / 2, -half / 2, None],
        "sinh": [0.0, -0.0, inf, -inf, none, None, None, None], "cosh": [1.0, 1.0, inf, inf, none, None, None, None],
        "asinh": [0.0, -0.0, inf, -inf, none, None, None, None], "acosh": [none, none, inf, none, none, 0.0, none, None],
        "atanh": [0.0, -0.0, none, none, none, inf, -inf, none],
    }  # fmt: skip
    for name, values in wanted.items():
        got = applied(FUNCTIONS[name], ends)
        for g, w in zip(got.tolist(), values, strict=True):
            if w is not None:
                assert (math.isnan(g) and math.isnan(w)) or (g == w and math.copysign(1, g) == math.copysign(1, w)), (
                    name,
                    g,
                    w,
                )


def test_bounds_hold() -> None:
    for name in NAMES:
        row = FUNCTION_ROWS[FUNCTIONS[name]]
        if row.bounds:
            for kind in KINDS:
                with np.errstate(all="ignore"):
                    x = arguments(name, 20_000, 2).astype(dtype(kind).numpy)
                    got = applied(FUNCTIONS[name], x).astype(np.float64)
                got = got[~np.isnan(got)]
                assert row.bounds[0] <= got.min() and got.max() <= row.bounds[1], (name, kind)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_and_c_give_the_same_bits(kind: str) -> None:
    lines = [f"Y{k}[i] = {name}(X[i])" for k, name in enumerate(NAMES)]
    lines += ["P[i] = pow(X[i], Z[i])", "M[i] = X[i] % Z[i]", "N[i] = fmod(X[i], Z[i])"]
    names = [*(f"Y{k}" for k in range(len(NAMES))), *"PMNXZ"]
    made, of = im.kernel("\n".join(lines), dtypes=dict.fromkeys(names, kind)), dtype(kind).numpy
    rng = np.random.default_rng(4)
    with np.errstate(all="ignore"):
        special = np.array(list(itertools.product(SPECIAL, repeat=2)))
        x = np.concatenate([arguments("sin", 3000), special[:, 0]]).astype(of)
        z = np.concatenate([rng.permutation(arguments("sin", 3000)), special[:, 1]]).astype(of)
        seen = run_kernel(made, {"X": x, "Z": z})
    compiled = im.compile(made, "scalar")(X=x, Z=z)
    for n, a in seen.items():
        number = ~np.isnan(a.astype(np.float64))
        assert (np.isnan(compiled[n].astype(np.float64)) == ~number).all(), n
        assert a[number].tobytes() == compiled[n][number].tobytes(), n
    assert im.kernel(to_text(made), name=made.name) == made


@pytest.mark.parametrize("name", ["sin", "cos", "asin", "acos"])
def test_a_conversion_to_integers_looks_for_nan(name: str) -> None:
    """They lie between bounds, and are no number of some numbers: of infinities, or beyond 1."""
    made = im.kernel(f"Y[i] = i32({name}(f32(X[i])))", dtypes={"X": "i8", "Y": "i32"})
    every = np.arange(-128, 128).astype(np.int8)
    seen = run_kernel(made, {"X": every})["Y"]
    assert seen.tolist() == im.compile(made, "scalar")(X=every).tolist()
    assert name in ("sin", "cos") or (seen[every > 1] == 0).all()
    tree = made.statements[0].value.args[1]
    found = span(tree, {"X": DTYPES["i8"]}, DTYPES["f32"])
    assert (found.low, found.high) == FUNCTION_ROWS[FUNCTIONS[name]].bounds and not found.number


def test_what_is_left_over_is_pythons() -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate(
        [
            rng.uniform(-100, 100, 500),
            np.exp2(rng.uniform(-300, 300, 500)) * rng.choice([-1, 1], 500),
            [0.0, -0.0, 6, -6],
        ]
    )
    y = np.concatenate(
        [rng.uniform(-9, 9, 500), np.exp2(rng.uniform(-300, 300, 500)) * rng.choice([-1, 1], 500), [-2, 2, -3, 3]]
    )
    for head, of in ((Fmod, math.fmod), (SMod, lambda a, b: a % b)):
        got = HEADS[head].numpy(x, y)
        want = [of(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        assert got.tobytes() == np.array(want).tobytes()
    for head in (Fmod, SMod):
        none = HEADS[head].numpy(np.array([1.0, np.inf, np.nan, 1.0]), np.array([0.0, 1.0, 1.0, np.nan]))
        assert np.isnan(none).all()
    assert HEADS[SMod].numpy(np.array([-1.0, 1.0]), np.array([np.inf, np.inf])).tolist() == [np.inf, 1.0]


@pytest.mark.parametrize("constant", ["PI_2_LOW", "PI_2_SHORT", "THIRD_LOW"])
def test_another_constant_is_noticed(constant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions_f64, constant, getattr(functions_f64, constant) * 4)
    with pytest.raises(AssertionError):
        if constant == "THIRD_LOW":
            monkeypatch.setattr(functions_f64, constant, functions_f64.F(1e-15))
            test_powers_are_as_accurate_as_stated()
        else:
            test_error_in_ulp_is_as_stated("sin")
            test_error_in_ulp_is_as_stated("acos")


def test_another_bit_of_two_over_pi_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in (3, 12, 33):
        other = functions_f64._TWO_OVER_PI.copy()
        other[word] ^= np.uint64(1)
        monkeypatch.setattr(functions_f64, "_TWO_OVER_PI", other)
        with pytest.raises(AssertionError):
            test_error_in_ulp_is_as_stated("sin")


def test_two_over_pi_is_right() -> None:
    with mp.workprec(1400):
        want = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (32 * (len(functions_f64.WORDS) - 2))))
    found = 0
    for w in functions_f64.WORDS:
        found = found << 32 | w
    assert found == want


INSIDE: dict[str, tuple[float, float]] = {
    **RANGES, "sinh": (-5, 5), "cosh": (-5, 5), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "atanh": (-0.9, 0.9), "acosh": (1.1, 9),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_errors_of_arguments_are_followed(name: str, kind: str) -> None:
    """Exact and computed arguments lie anywhere within the error; both results lie within what is found."""
    rng, of, head = np.random.default_rng(6), DTYPES[kind], FUNCTIONS[name]
    assert issubclass(head, Unary)
    value = rng.uniform(*INSIDE[name], 300).astype(of.numpy).astype(np.float64)
    off = np.abs(value) * 1e-4 * rng.uniform(0, 1, 300)
    off[:20] = 0.0
    computed = np.clip(value + off * rng.uniform(-1, 1, 300), value - off, value + off).astype(of.numpy)
    error = np.maximum(off, np.abs(computed.astype(np.float64) - value))
    true = value + error * rng.uniform(-1, 1, 300)
    found = near.stepped(name, [near.Near(value, error)], of, ulp_of(head, of))
    got, used = applied(head, computed).astype(np.float64), 0.0
    assert np.isfinite(found.error).mean() > 0.9
    for v, e, g, t in zip(found.value, found.error, got, true, strict=True):
        if np.isfinite(e):
            apart = max(abs(float(exact(name, float(t))) - v), abs(g - v))
            assert apart <= e
            used = max(used, apart / e if e else 0.0)
    assert used > 0.3


@pytest.mark.parametrize("name", NAMES)
def test_bounds_of_rounding_hold(name: str) -> None:
    low, high = (0.2, 1.2) if name == "tan" else INSIDE[name]
    head, of, rng = FUNCTIONS[name], DTYPES["f32"], np.random.default_rng(7)
    for relative, absolute in ((0.0, 0.0), (1e-6, 0.0), (0.0, 1e-5)):
        found = stepped(name, [Bound(low, high, relative, absolute)], of, ulp_of(head, of))  # type: ignore[arg-type]
        assert found is not NOTHING
        for x in rng.uniform(low, high, 200).tolist():
            computed = np.float32(x * (1 + relative * rng.uniform(-1, 1)) + absolute * rng.uniform(-1, 1))
            allowed = relative * abs(x) + absolute
            true = float(computed) if abs(float(computed) - x) > allowed else x  # rounded to f32 it is further off
            want, got = float(exact(name, true)), float(applied(head, np.array([computed]))[0])
            assert found.low <= want <= found.high
            assert abs(got - want) <= found.relative * abs(want) + found.absolute


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("tan", 0, 2), ("asin", 0, 1.1), ("acos", -2, 0), ("atanh", 0, 1), ("acosh", 0.5, 2), ("sinh", 0, 1e4)],
)
def test_nothing_is_said_across_poles_and_ends(name: str, low: float, high: float) -> None:
    assert stepped(name, [Bound(low, high, 1e-6, 1e-6)], DTYPES["f32"]) is NOTHING


PAIRS = {  # where both arguments lie
    "pow(X[i], Z[i])": ((0.25, 3), (-4, 5)), "fmod(X[i], Z[i])": ((-40, 30), (0.5, 7)), "X[i] % Z[i]": ((-40, 30), (-7, -0.5)),
}  # fmt: skip


def of_two(text: str, x: float, z: float) -> float:
    """The exact value, rounded to 53 bits."""
    if text.startswith("pow"):
        return float(mp.power(mp.mpf(x), mp.mpf(z)))
    a, b = Fraction(x), Fraction(z)
    return float(a - (math.floor(a / b) if "%" in text else math.trunc(a / b)) * b)


@pytest.mark.parametrize("kind", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("text", PAIRS)
def test_errors_of_functions_of_two_are_bounded(text: str, kind: str) -> None:
    (xs, zs), of, rng = PAIRS[text], dtype(kind), np.random.default_rng(8)
    made = im.kernel(f"Y[i] = {text}", dtypes=dict.fromkeys("XYZ", kind))
    x, z = (np.clip(rng.uniform(*ends, 300).astype(of.numpy).astype(np.float64), *ends) for ends in (xs, zs))
    arrays = {"X": x.astype(of.numpy), "Z": z.astype(of.numpy)}
    got = run_kernel(made, arrays)["Y"].astype(np.float64)
    bound = im.rounding_bound(made, {"X": xs, "Z": zs}, {"i": 300})["Y"]
    found = im.rounding_error(made, arrays)["Y"].error
    used = 0.0
    for g, n, a, b in zip(got, found, x, z, strict=True):
        want = of_two(text, a, b)
        allowed, slack = bound.relative * abs(want) + bound.absolute, 2.0**-53 * abs(want)
        assert bound.low <= want <= bound.high
        assert abs(g - want) <= allowed + slack and abs(g - want) <= n + slack
        used = max(used, abs(g - want) / allowed if allowed else 0.0)
    assert used > 0.3 or not text.startswith("pow")  # what is left over is exact, or nearly so


@pytest.mark.parametrize("text", PAIRS)
def test_errors_of_both_arguments_are_followed(text: str) -> None:
    rng, of, head = np.random.default_rng(9), DTYPES["f32"], {"pow": Pow, "fmo": Fmod}.get(text[:3], SMod)
    many = []
    for low, high in PAIRS[text]:
        value = rng.uniform(low, high, 300)
        off = np.abs(value) * 1e-3 * rng.uniform(0, 1, 300)
        computed = np.clip(value + off * rng.uniform(-1, 1, 300), low, high)
        many.append((value, np.maximum(off, np.abs(computed - value)), computed))
    (a, e, p), (b, f, q) = many
    x, z = near.Near(a, e), near.Near(b, f)
    op, ulp = ("%", near.TWICE) if head is SMod else (FUNCTION_ROWS[head].text, ulp_of(head, of))
    found = near.stepped(op, [x, z], of, ulp)
    xs, zs = (Bound(*ends, 0.0, float(off.max())) for ends, (_, off, _) in zip(PAIRS[text], many, strict=True))
    bound = stepped(op, [xs, zs], of, ulp)
    assert np.isfinite(found.error).all() and bound is not NOTHING
    for v, limit, x0, z0, x1, z1 in zip(found.value, found.error, a, b, p, q, strict=True):
        want, got = of_two(text, x0, z0), of_two(text, x1, z1)
        assert max(abs(got - v), abs(want - v)) <= limit
        assert abs(got - want) <= bound.relative * abs(want) + bound.absolute


def test_nothing_is_said_of_powers_of_0_and_of_divisors_that_may_be_0() -> None:
    for text, x, z in (("pow(X[i], Z[i])", (0, 2), (1, 2)), ("fmod(X[i], Z[i])", (0, 2), (-1, 1)), ("X[i] % Z[i]", (0, 2), (0, 1)),
                       ("pow(X[i], Z[i])", (1, 9), (1, 900))):  # fmt: skip
        made = im.kernel(f"Y[i] = {text}")
        assert im.rounding_bound(made, {"X": x, "Z": z}, {"i": 4})["Y"] == NOTHING
    zeros = {"X": np.ones(3, np.float32), "Z": np.zeros(3, np.float32)}
    for text in ("fmod(X[i], Z[i])", "X[i] % Z[i]"):
        assert np.isinf(im.rounding_error(im.kernel(f"Y[i] = {text}"), zeros)["Y"].error).all()
    proof, _ = prove_rounding(im.kernel("Y[i] = pow(X[i], Z[i])", sizes={"i": 4}), {"X": (1, 2), "Z": (1, 2)}, {})
    assert proof.word == "unknown" and "Pow is not followed" in str(proof.failed()[0].verdict)


def test_sines_and_cosines_are_claimed_of_all_inputs() -> None:
    made = im.kernel("Y[i] = sin(X[i] * X[i]) + cos(Z[i])", sizes={"i": 4})
    proof, found = prove_rounding(made, {"X": (-3, 3), "Z": (-100, 100)}, {})
    assert proof.proved and sum(found["Y"]) < 1e-5
    known = error_steps.Known(Fraction(-3), Fraction(3), Fraction(0), Fraction(1, 1000))
    right = error_steps.Known(Fraction(-1), Fraction(1), Fraction(0), Fraction(1, 1000))
    for op in ("sin", "cos"):
        assert error_steps.step(op, [known], right, None).word == "proved"
        for wrong in (replace(right, absolute=Fraction(1, 1001)), replace(right, high=Fraction(1, 2))):
            assert error_steps.step(op, [known], wrong, None).word == "refuted"


def test_proofs_know_only_that_they_are_functions() -> None:
    x, y, f32 = sp.Symbol("x"), sp.Symbol("y"), ("f", 32)
    types = {"x": f32, "y": f32}
    assert isinstance(equal_reals(Sin(x), Sin(x), types), Proved)
    assert isinstance(equal_reals(Pow(x, y), Pow(x, y), types), Proved)
    for left, right in ((Sin(x), Cos(x)), (Pow(x, y), Pow(y, x)), (Fmod(x, y), SMod(x, y)), (Sin(x), x)):
        assert isinstance(equal_reals(left, right, types), Unknown)
        assert isinstance(equal_floats(left, right, types, f32, {}), Unknown)
    one = error_steps.Known(Fraction(1), Fraction(2))
    for op in (*(n for n in NAMES if n not in ("sin", "cos")), "pow", "fmod", "%"):
        assert error_steps.step(op, [one] * (1 + (op not in NAMES)), one, None).word == "unknown"


@pytest.mark.parametrize("text", ["sin(X[i])", "pow(X[i], 2)", "fmod(X[i], X[i])"])
def test_they_are_of_floating_point(text: str) -> None:
    name = text.partition("(")[0]
    with pytest.raises(DTypeError, match=rf"line 1, column 8: `?{name}`? needs floating point, not i32"):
        im.kernel(f"Y[i] = {text}", dtypes={"X": "i32", "Y": "i32"})


def test_a_power_of_an_open_zero_is_not_left_to_lanes() -> None:
    """Of two zeros a maximum may be either one, and their inverses are infinities of different signs."""
    told = {t: _tells_zeros(im.kernel(f"Y[i] = {t}").statements[0].value) for t in (
        "pow(max(X[i], 0), Z[i])", "pow(max(X[i], 1), Z[i])", "pow(X[i], relu(Z[i]))", "sin(relu(X[i]))",
    )}  # fmt: skip
    assert list(told.values()) == [True, False, False, False]


def test_a_zero_is_only_followed_where_it_stays_one() -> None:
    of: Callable[[str], bool] = lambda name: bool(applied(FUNCTIONS[name], np.zeros(1, np.float32))[0] == 0)  # noqa: E731
    assert {n: FUNCTION_ROWS[FUNCTIONS[n]].zero for n in NAMES} == {n: of(n) for n in NAMES}
