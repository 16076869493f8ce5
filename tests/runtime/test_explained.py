"""The bound of a program's rounding error: its rules against exact numbers, softmax against mpmath, and what a run says of it."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
import z3

import isamap_smt as im
from benchmarks.fuzz_rounding import one
from isamap_smt.cli.app import run
from isamap_smt.ir import near
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.heads import FUNCTION_ROWS, applied
from isamap_smt.ir.near import Near
from isamap_smt.ir.rounding_error import rounding_error as of_kernel
from isamap_smt.ir.rounding_walk import ulp_of
from isamap_smt.ir.scalar import Exp, SMul
from isamap_smt.runtime.explained import explained, foreseen
from isamap_smt.runtime.judge import judge, wanted
from isamap_smt.runtime.measure import arrays_for

EXAMPLES = Path(__file__).parents[2] / "examples"
KINDS = ("f16", "bf16", "f32", "f64")
EXACT = {
    "exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "sigmoid": lambda x: 1 / (1 + mp.exp(-x)), "erf": mp.erf, "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x), "abs": abs, "floor": mp.floor, "ceil": mp.ceil,
    "trunc": lambda x: mp.sign(x) * mp.floor(abs(x)), "rint": mp.nint,
}  # fmt: skip


def operands(rng: np.random.Generator, kind: str, count: int, positive: bool) -> tuple[Near, Any, Any]:
    """Numbers with bounds; a program's, of the type, and the exact one, both at random within the bounds, often at their ends."""
    unit, of = near.Unit.of(DTYPES[kind]), DTYPES[kind].numpy
    size = np.exp2(rng.uniform(-4, 4, count)) * (1 if positive else rng.choice([-1, 1], count))
    ours = size.astype(of).astype(np.float64)
    away = np.abs(ours) * np.exp2(rng.uniform(-3, 6, count)) * unit.relative * rng.choice([0, 1, 1, 30], count)
    value = ours + away * rng.choice([-1, 1, 0.3], count)
    return (
        Near(value, np.abs(ours - value) * (1 + 2.0**-50)),
        ours,
        value + (value - ours) * rng.choice([1, -1, 0.5], count),
    )


def check(found: Near, ours: Any, exact: list[Any]) -> float:
    """Both lie within the bound. The largest part of it that a program's used."""
    used = 0.0
    for v, e, o, x in zip(found.value.tolist(), found.error.tolist(), ours.tolist(), exact, strict=True):
        if np.isfinite(e):
            assert abs(mp.mpf(v) - mp.mpf(o)) <= e and abs(mp.mpf(v) - x) <= e, (v, e, o, x)
            used = max(used, float(abs(mp.mpf(o) - x)) / e if e else 0.0)
    return used


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_hold_of_random_numbers(kind: str) -> None:
    rng, of = np.random.default_rng(KINDS.index(kind)), DTYPES[kind]
    (a, ao, ax), (b, bo, bx) = (operands(rng, kind, 400, False) for _ in range(2))
    x, y = ([mp.mpf(v) for v in of_.tolist()] for of_ in (ax, bx))
    one_, other = ao.astype(of.numpy), bo.astype(of.numpy)
    with mp.workprec(300), np.errstate(all="ignore"):
        for op, did, was in (
            ("+", one_ + other, [p + q for p, q in zip(x, y, strict=True)]),
            ("-", one_ - other, [p - q for p, q in zip(x, y, strict=True)]),
            ("*", one_ * other, [p * q for p, q in zip(x, y, strict=True)]),
            ("/", one_ / other, [p / q for p, q in zip(x, y, strict=True)]),
            ("max", np.maximum(one_, other), [max(p, q) for p, q in zip(x, y, strict=True)]),
        ):  # fmt: skip
            found = near.stepped(op, [a, b], of, 0.0 if op == "max" else 0.5)
            assert np.isfinite(found.error).mean() > 0.9
            assert check(found, did.astype(np.float64), was) > 0.3, "the bound is no multiple of what happens"


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_functions_hold_of_random_numbers(kind: str, name: str) -> None:
    rng, of = np.random.default_rng(len(name)), DTYPES[kind]
    head = next(h for h in FUNCTION_ROWS if h.__name__.lower() == name)
    a, ao, ax = operands(rng, kind, 600, name in ("log", "sqrt", "rsqrt"))
    with mp.workprec(200):
        exact = [EXACT[name](mp.mpf(v)) for v in ax.tolist()]
        used = check(
            near.stepped(name, [a], of, ulp_of(head, of)), applied(head, ao.astype(of.numpy)).astype(np.float64), exact
        )
    assert used > 0.2 or name in ("floor", "ceil", "trunc", "rint")


def test_a_function_that_is_worse_than_stated_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTION_ROWS, Exp, replace(FUNCTION_ROWS[Exp], ulp=0.3))
    with pytest.raises(AssertionError):
        test_functions_hold_of_random_numbers("f32", "exp")


def test_the_rules_of_products_and_quotients_are_theorems() -> None:
    a, b, c, d, e, f = z3.Reals("a b c d e f")  # a, b within e and f of c, d

    def proved(*claims: Any) -> bool:
        solver = z3.Solver()
        solver.add(e >= 0, f >= 0, abs_(c - a) <= e, abs_(d - b) <= f, *claims)
        return bool(solver.check() == z3.unsat)

    def abs_(x: Any) -> Any:
        return z3.If(x >= 0, x, -x)

    assert proved(abs_(c * d - a * b) > abs_(a) * f + abs_(b) * e + e * f)
    assert not proved(abs_(c * d - a * b) > abs_(a) * f + abs_(b) * e)
    # of positive divisors, with the quotient q = a / b, and both sides times d
    q = z3.Real("q")
    assert proved(b > f, q * b == a, abs_(c - q * d) > e + abs_(q) * f)
    assert not proved(b > f, q * b == a, abs_(c - q * d) > e)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_statements_lie_within_their_bounds_of_fractions(seed: int) -> None:
    assert one(seed, "avx2")


def softmax(x: np.ndarray) -> list[Any]:
    rows = []
    for row in x.tolist():
        e = [mp.exp(mp.mpf(v) - mp.mpf(max(row))) for v in row]
        rows += [v / mp.fsum(e) for v in e]
    return rows


@pytest.mark.one_in(2)
@pytest.mark.parametrize("machine", ["avx2", "scalar"])
def test_the_bound_of_softmax_follows_and_holds(machine: str) -> None:
    kernel = im.find_kernel(f"{EXAMPLES}/norms.py:SOFTMAX")
    x = (np.random.default_rng(3).standard_normal((4, 50)) * 5).astype(np.float32)
    planned = im.plan(kernel, machine, sizes={"i": 4, "n": 50})
    found = im.rounding_error(planned, {"x": x})["y"]
    with mp.workprec(200):
        used = check(
            Near(found.value.reshape(-1), found.error.reshape(-1)),
            im.build(planned)(x).reshape(-1).astype(np.float64),
            softmax(x),
        )
    assert 0.02 < used < 1
    relative = found.error / found.value
    unit = 2.0**-24
    # x - top: u; exp: 2 * 0.91 u, and |x - top| u from its argument; the sum: 49 u and the same; the quotient: u
    span = float(x.max() - x.min())
    assert relative.max() < (50 + 2 * (2 * 0.92 + span) + 6) * unit * 1.01


def test_what_instructions_compute_in_another_way_is_followed_there() -> None:
    """a * b - a * c is computed as a * (b - c), whose rounding is another."""
    kernel = im.kernel("Y[j] += A[i,j] * B[i,j] - A[i,j] * C[i,j]", name="factored")
    sizes = {"i": 3, "j": 16}
    planned = im.plan(kernel, "avx2", sizes=sizes)
    assert "sub_ps" in planned.instruction.told and planned.instruction.rules
    a, b = np.random.default_rng(0).standard_normal((2, 3, 16)).astype(np.float32)
    arrays = {"A": a, "B": b, "C": b}
    assert (im.rounding_error(planned, arrays)["Y"].error < 1e-9).all()
    assert (im.rounding_error(kernel, arrays)["Y"].error > 1e-9).all()
    assert not im.build(planned)(a, b, b).any()


def test_a_result_beyond_its_bound_is_wrong_though_small() -> None:
    kernel = im.find_kernel(f"{EXAMPLES}/norms.py:SOFTMAX").with_sizes({"i": 4, "n": 50})
    planned = im.plan(kernel, "avx2")
    arrays = arrays_for(kernel, 0)
    got, found = im.build(planned)(**arrays), explained(planned.program, kernel, arrays)
    right = wanted(kernel, arrays, "reassociate")
    seen = judge(kernel, got, right, "reassociate", found)
    assert not seen.reason and seen.stated is not None and seen.error < seen.stated < seen.bound
    got[2, 7] += np.float32(4 * found["y"].error[2, 7])
    assert not judge(kernel, got, right).reason
    assert judge(kernel, got, right, "reassociate", found).reason.startswith("y[2,7] is ")


def test_what_is_not_followed_is_said() -> None:
    with pytest.raises(SizeError, match="the rounding of 1,000,000,000 points is not followed one by one"):
        im.rounding_error(im.find_kernel("gemm"), {n: np.ones((1000, 1000), np.float32) for n in "AB"})
    bf16 = im.plan(
        im.find_kernel("gemm").with_dtypes({"A": "bf16", "B": "bf16"}), "avx512_bf16", sizes={"i": 4, "j": 16, "k": 4}
    )
    with pytest.raises(SizeError, match=r"the rounding of avx512_bf16.dpbf16_ps \(.*\) is not followed"):
        im.rounding_error(bf16, {n: np.ones((4, 16 if n == "B" else 4), DTYPES["bf16"].numpy) for n in "AB"})
    overflows = im.rounding_error(im.kernel("y[i] = exp(x[i])"), {"x": np.float32([1, 200])})["y"]
    assert np.isfinite(overflows.error).tolist() == [True, False]


def test_conversions_choices_and_whole_numbers() -> None:
    kernel = im.kernel("q: i8\nq[i] = round_i8(x[i] / z[i])", name="quantised")
    x, z = np.float32([10.0, 10.25, 1000.0]), np.float32([3.0, 0.5, 1.0])
    found = im.rounding_error(kernel, {"x": x, "z": z})["q"]
    assert found.value.tolist() == [3.0, 20.0, 127.0] and found.error.tolist() == pytest.approx([0.0, 1.0, 0.0])
    unsure = im.kernel("y[i] = select(x[i] * x[i] < z[i], 5, 0)", name="unsure")
    y = im.rounding_error(unsure, {"x": np.float32([1.1, 1.1]), "z": np.float32([1.21, 2.0])})["y"]
    assert y.error[0] >= 5 and y.error[1] < 1e-6
    assert Fraction(float(y.value[1])) == 5


def test_the_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", f"{EXAMPLES}/norms.py:SOFTMAX", "avx2", "--sizes", "i=4,n=50", "--seconds", "0"]) == 0
    said = capsys.readouterr().out
    assert "bound for this run's inputs, from the rounding of each operation: at most " in said
    told = re.search(
        r"bound computed without a run: for all inputs with (\S+) <= x <= (\S+), y is off by at most \S+ of each exact",
        said,
    )
    assert told and -10 < float(told[1]) < 0 < float(told[2]) < 10


def test_a_product_of_many_is_not_followed_and_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--text", "y[i] *= x[i,j]", "scalar", "--sizes", "i=40,j=5", "--seconds", "0"]) == 0
    said = capsys.readouterr().out
    assert "largest error " in said and "bound for this run" not in said


@pytest.mark.parametrize(("z", "useful"), [(1, True), (-1, False)])
def test_a_bound_larger_than_the_result_says_what_it_comes_from(z: int, useful: bool) -> None:
    """Exponentials of what is less the maximum are at most 1; times -1 they are as large as their ranges allow."""
    text = "temporary m, d, e\nm[i] max= x[i,n]\ne[i,n] = exp((x[i,n] - m[i]) * z[])\nd[i] += e[i,n]\ny[i,n] = e[i,n] / d[i]"
    kernel = im.kernel(text, name="turned", sizes={"i": 3, "n": 5})
    plan = im.plan(kernel, "scalar")
    x = np.random.default_rng(0).uniform(-20, 20, (3, 5)).astype(np.float32)
    arrays = {"x": x, "z": np.array(z, np.float32)}
    (told,) = foreseen(plan.program, kernel, arrays, {"y": im.build(plan)(**arrays)})
    assert (", y is off by at most " in told) is useful
    assert (", nothing useful is known of y, which may be off by " in told) is not useful
    low, high = map(float, re.search(r"with (\S+) <= x <= (\S+) and ", told).groups())
    assert low <= x.min() and x.max() <= high  # the ranges that the bound is of, as they are written
    largest = re.search(r"elements of e\[i, n\] = exp\(.*\) may be as large as (.*)", told)
    assert largest is None if useful else largest and float(largest[1]) == pytest.approx(np.exp(np.ptp(x)), rel=0.05)


def test_values_that_instructions_compute_in_other_words_are_followed_in_time_steps() -> None:
    """A tree that is given for a statement of a recurrence stands in its place in each step."""
    kernel = im.kernel("axis t < 3\nH: f32[4, J]\nH[0,j] = s[j]\nfor t:\n  H[t+1,j] = H[t,j] * a[t,j]", name="steps")
    arrays = {"s": np.float32([1.5, 2]), "a": np.float32([[3, 1], [1, 5], [7, 1]])}
    other = of_kernel(kernel, arrays, trees={1: SMul(kernel.statements[1].value, sp.Integer(2))})["H"]
    assert other.value[3].tolist() == [8 * 1.5 * 21, 8 * 2 * 5]
    assert of_kernel(kernel, arrays)["H"].value[3].tolist() == [1.5 * 21, 2 * 5]
