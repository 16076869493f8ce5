"""Random kernels of floating point with ranges: bounds that are proved, against runs and exact fractions.

python -m benchmarks.fuzz_rounding_claims [KERNELS] [SEED] [MACHINE]

Inputs lie at the ends of their ranges, near to each other, or next to 0, as often as anywhere else: sums cancel, and deviations
vanish. Exact values are fractions; those of functions come from mpmath with 60 digits, and nothing here is shared with what proves.
With a machine, such as `host`, the bounds are those of its programs, which are compiled and run; without, kernels are interpreted.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import isamap_smt as im
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.rounding import made_rounding
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.proof.rounding import prove_rounding
from isamap_smt.targets.find import default_target

mpmath.mp.dps = 60
FUNCTIONS = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "tanh": mpmath.tanh, "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "erf": mpmath.erf,
}  # fmt: skip
NARROW = {"exp": (-6, 4), "log": (0.25, 9), "sqrt": (0.01, 9), "rsqrt": (0.01, 9)}


@dataclass(frozen=True)
class Made:
    """A statement, and what it computes of exact elements: `value` of those at one point."""

    text: str
    value: Any


def fraction(x: Any) -> Fraction:
    """Of what mpmath has found, to 60 digits."""
    sign, mantissa, exponent, _ = mpmath.mpf(x)._mpf_
    found = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -found if sign else found


def expression(rng: random.Random, leaves: list[Made], depth: int) -> Made:
    """Of some of these elements."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves)
    a = expression(rng, leaves, depth - 1)
    kind = rng.choice("+-*/mxsfff")
    if kind == "f":
        name = rng.choice(list(FUNCTIONS))
        inner, of = a, a.value
        if name in NARROW:
            low, high = (Fraction(str(v)) for v in NARROW[name])
            inner = Made(f"max(min({a.text}, {float(high)}), {float(low)})", lambda p: max(min(of(p), high), low))
        f, g = FUNCTIONS[name], inner.value

        def applied(p: Any) -> Fraction:
            x = g(p)
            return fraction(f(mpmath.mpf(x.numerator) / x.denominator))

        return Made(f"{name}({inner.text})", applied)
    if kind == "s":
        square = a.value
        return Made(f"(({a.text}) * ({a.text}))", lambda p: square(p) ** 2)
    b = expression(rng, leaves, depth - 1)
    x, y = a.value, b.value
    if kind == "/":
        return Made(f"(({a.text}) / (abs({b.text}) + 0.125))", lambda p: x(p) / (abs(y(p)) + Fraction(1, 8)))
    if kind == "m":
        return Made(f"max({a.text}, {b.text})", lambda p: max(x(p), y(p)))
    if kind == "x":
        return Made(f"min({a.text}, {b.text})", lambda p: min(x(p), y(p)))
    two = {"+": lambda u, v: u + v, "-": lambda u, v: u - v, "*": lambda u, v: u * v}[kind]
    return Made(f"(({a.text}) {kind} ({b.text}))", lambda p: two(x(p), y(p)))


def arrays_of(rng: np.random.Generator, ranges: dict[str, tuple[float, float]], size: int, kind: str) -> dict[str, Any]:
    """Inputs of one of five kinds."""
    found = {}
    for name, (low, high) in ranges.items():
        shape = (3, size) if name != "w" else (size,)
        drawn = rng.uniform(low, high, shape)
        how = rng.integers(5)
        if how == 1:
            drawn = np.where(rng.random(shape) < 0.5, low, high)
        elif how == 2:  # nearly the same everywhere
            drawn = rng.uniform(low, high) + (high - low) * 1e-6 * rng.standard_normal(shape)
        elif how == 3:
            drawn = drawn * 10.0 ** rng.uniform(-40, 0, shape)
        elif how == 4:
            drawn = np.full(shape, high)
        cast = np.clip(drawn, low, high).astype(DTYPES[kind].numpy)
        found[name] = np.where(
            (cast.astype(float) < low) | (cast.astype(float) > high), np.asarray(low, cast.dtype), cast
        )
    return found


def statements(rng: random.Random) -> tuple[str, Any]:
    """A kernel of up to four statements, and its exact result from rows of fractions (and the names of what each row reads)."""
    leaves = [Made("x[i,n]", lambda p: p["x"]), Made("w[n]", lambda p: p["w"]), Made("0.375", lambda p: Fraction(3, 8))]
    shape = rng.choice(["each", "sum", "norm", "soft", "max", "product"])
    e = expression(rng, leaves, rng.randint(1, 3))
    if shape == "each":
        return f"y[i,n] = {e.text} + x[i,n]", lambda rows: [e.value(p) + p["x"] for p in rows]
    if shape == "sum":
        return f"y[i] += {e.text} - x[i,n]", lambda rows: [sum(e.value(p) - p["x"] for p in rows)]
    if shape == "max":
        text = f"t[i,n] = {e.text} * x[i,n]\ny[i] max= t[i,n]"
        return f"temporary t\n{text}", lambda rows: [max(e.value(p) * p["x"] for p in rows)]
    if shape == "product":
        text = f"temporary t, s\nt[i,n] = {e.text}\ns[i] += t[i,n] * w[n]\ny[i] = tanh(s[i]) - s[i]"

        def product(rows: Any) -> list[Fraction]:
            s = sum(e.value(p) * p["w"] for p in rows)
            return [fraction(mpmath.tanh(mpmath.mpf(s.numerator) / s.denominator)) - s]

        return text, product
    if shape == "norm":
        text = (
            f"temporary t, s, q\nt[i,n] = {e.text} + x[i,n]\ns[i] += t[i,n]\nq[i] += (t[i,n] - s[i] / N) * (t[i,n] - s[i] / N)\n"
            "y[i,n] = (t[i,n] - s[i] / N) * rsqrt(q[i] / N + 0.01)"
        )

        def norm(rows: Any) -> list[Fraction]:
            t = [e.value(p) + p["x"] for p in rows]
            m = sum(t) / len(t)
            q = sum((v - m) ** 2 for v in t) / len(t) + Fraction(1, 100)
            r = fraction(1 / mpmath.sqrt(mpmath.mpf(q.numerator) / q.denominator))
            return [(v - m) * r for v in t]

        return text, norm
    text = (
        f"temporary t, M, E, D\nt[i,n] = {e.text} + x[i,n]\nM[i] max= t[i,n]\nE[i,n] = exp(t[i,n] - M[i])\nD[i] += E[i,n]\n"
        "y[i,n] = E[i,n] / D[i]"
    )

    def soft(rows: Any) -> list[Fraction]:
        t = [e.value(p) + p["x"] for p in rows]
        m = max(t)
        es = [fraction(mpmath.exp(mpmath.mpf((v - m).numerator) / (v - m).denominator)) for v in t]
        return [v / sum(es) for v in es]

    return text, soft


Call = Callable[[dict[str, Any]], Any]
Found = tuple[dict[str, tuple[float, float]], Call]


def interpreted(kernel: im.Kernel, ranges: dict[str, tuple[float, float]]) -> Found:
    """The bounds of its results, and what computes y."""
    proof, derived = prove_rounding(kernel, ranges, {})
    if not proof.proved:
        failed = proof.failed()[0]
        raise CertificateError(f"{failed.subject}: {failed.verdict}")
    return derived, lambda arrays: run_kernel(kernel, arrays)["y"]


def on(machine: str, kernel: im.Kernel, ranges: dict[str, tuple[float, float]]) -> Found:
    """The same of its program."""
    planned = im.plan(kernel, machine)
    claimed = made_rounding(planned.program, planned.split.split if planned.split else None, ranges)
    where = default_target(planned.hardware)
    built = where.build(where.emit(planned))

    def call(arrays: dict[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            found = built(**arrays)
        return found["y"] if isinstance(found, dict) else found

    return {n: (r, a) for n, r, a in claimed.bounds}, call


def one(seed: int, machine: str = "") -> tuple[str, float]:
    """'bounded', or why not; and the largest part of the bound that an error is. Raises AssertionError for one beyond."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    text, exact = statements(rng)
    kind = rng.choice(["f32", "f32", "f32", "f64", "f16", "bf16"])
    size = rng.choice([1, 2, 7, 24])
    ends = rng.choice([(-1.0, 1.0), (-4.0, 4.0), (0.0, 2.0), (0.5, 0.625), (-3.0, -0.125)])
    ranges = {"x": ends, "w": rng.choice([ends, (0.0, 1.0)])}
    names = [n for n in ("x", "w") if f"{n}[" in text]
    temporaries = [t for t in ("t", "s", "q", "M", "E", "D") if f"{t}[" in text]
    kernel = im.kernel(text, name="random", dtypes=dict.fromkeys((*names, *temporaries, "y"), kind))
    kernel = kernel.with_sizes({n: v for n, v in {"i": 3, "n": size}.items() if n in {a.name for a in kernel.axes}})
    used = {n: ranges[n] for n in kernel.inputs}
    try:
        derived, call = on(machine, kernel, used) if machine else interpreted(kernel, used)
    except (CertificateError, SizeError) as error:
        return "nothing known" if "nothing is known" in str(error) else f"unproved: {str(error)[:200]}", 0.0
    relative, absolute = (Fraction(v) for v in derived["y"])
    worst = 0.0
    for _ in range(6):
        arrays = arrays_of(numbers, used, size, kind)
        got = call(arrays)
        for i in range(3):
            points = [
                {n: Fraction(float(a[i, k] if a.ndim == 2 else a[k])) for n, a in arrays.items()} for k in range(size)
            ]
            for g, w in zip(np.atleast_1d(got[i]), exact(points), strict=True):
                allowed = relative * abs(w) + absolute
                off = abs(Fraction(float(g)) - w) - Fraction(1, 10**50)
                if off > allowed:
                    raise AssertionError(
                        f"seed {seed}, {kind}, N={size}, {used}:\n{text}\n{g} and {float(w)}, {derived}\n{arrays}"
                    )
                worst = max(worst, float(off / allowed) if allowed else 0.0)
    return "bounded", worst


if __name__ == "__main__":
    count, first, machine = (*sys.argv[1:], *("300", "0", "")[len(sys.argv) - 1 :])
    seen: Counter[str] = Counter()
    parts = [0.0]
    for seed in range(int(first), int(first) + int(count)):
        word, part = one(seed, machine)
        seen[word.partition(":")[0]] += 1
        if word.startswith("unproved"):
            print(seed, word)
        parts.append(part)
    print(dict(seen), f"errors beyond: 0; the largest error was {max(parts):.2g} of its bound")
