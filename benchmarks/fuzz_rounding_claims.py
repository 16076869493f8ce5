"""Random kernels of floating point with ranges: bounds that are proved, against runs and exact fractions.

python -m benchmarks.fuzz_rounding_claims [KERNELS] [SEED] [MACHINE]

One kernel in three is over rows, such as norms and softmax; the others are several statements over vectors, with joined indices,
elements without points, and reads before writes (rounding_programs.py). Inputs lie at the ends of their ranges, near to each other,
or next to 0, as often as anywhere else: sums cancel, and deviations vanish. Exact values are fractions; those of functions come
from mpmath with 60 digits, and nothing here is shared with what proves. With a machine, such as `host`, the bounds are those of its
programs, which are compiled and run; without, kernels are interpreted.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import isamap_smt as im
from benchmarks.rounding_programs import Made, drawn, expression, fraction
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.rounding import made_rounding
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.rounding_bound import Bound
from isamap_smt.proof.rounding import prove_rounding
from isamap_smt.targets.target import default_target

mpmath.mp.dps = 60
Call = Callable[[dict[str, Any]], dict[str, Any]]
Found = tuple[dict[str, tuple[float, float]], Call]
Shapes = dict[str, tuple[int, ...]]
Exactly = Callable[[dict[str, Any]], dict[str, Any]]
ENDS = [(-1.0, 1.0), (-4.0, 4.0), (0.0, 2.0), (0.5, 0.625), (-3.0, -0.125)]


def arrays_of(
    rng: np.random.Generator, ranges: dict[str, tuple[float, float]], shapes: dict[str, tuple[int, ...]], kind: str
) -> dict[str, Any]:
    """Inputs of one of five kinds."""
    found = {}
    for name, (low, high) in ranges.items():
        shape = shapes[name]
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


def interpreted(kernel: im.Kernel, ranges: dict[str, tuple[float, float]]) -> Found:
    """The bounds of its results, and what computes y."""
    proof, derived = prove_rounding(kernel, ranges, {})
    if not proof.proved:
        failed = proof.failed()[0]
        raise CertificateError(f"{failed.subject}: {failed.verdict}")
    return derived, lambda arrays: run_kernel(kernel, arrays)


def on(machine: str, kernel: im.Kernel, ranges: dict[str, tuple[float, float]]) -> Found:
    """The same of its program."""
    planned = im.plan(kernel, machine)
    claimed = made_rounding(planned.program, planned.split.split if planned.split else None, ranges)
    where = default_target(planned.hardware)
    built = where.build(where.emit(planned))

    def call(arrays: dict[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            found = built(**arrays)
        return found if isinstance(found, dict) else {kernel.results[0]: found}

    return {n: (r, a) for n, r, a in claimed.bounds}, call


def of_rows(rng: random.Random) -> tuple[str, list[str], Shapes, dict[str, int], Exactly]:
    """A kernel over rows: its text, temporaries, shapes of what it may read, sizes, and exact results."""
    text, exact = statements(rng)
    size = rng.choice([1, 2, 7, 24])
    temporaries = [t for t in ("t", "s", "q", "M", "E", "D") if f"{t}[" in text]

    def results(arrays: dict[str, Any]) -> dict[str, Any]:
        """Row by row."""
        rows = []
        for i in range(3):
            points = [
                {n: Fraction(float(a[i, k] if a.ndim == 2 else a[k])) for n, a in arrays.items()} for k in range(size)
            ]
            rows += exact(points)
        return {"y": rows}

    return text, temporaries, {"x": (3, size), "w": (size,)}, {"i": 3, "n": size}, results


def of_statements(rng: random.Random) -> tuple[str, list[str], Shapes, dict[str, int], Exactly]:
    """The same of one of several statements over vectors."""
    made = drawn(rng)
    return made.text(), list(made.lengths), made.shapes, made.used, made.exact


def stated(name: str, derived: dict[str, tuple[float, float]], bounds: dict[str, Bound]) -> list[tuple[float, float]]:
    """What is said of the elements of a result: that is proved, and that follows; where anything is."""
    bound = bounds[name]
    return [*([derived[name]] if name in derived else []), (bound.relative, bound.absolute)]


def share(g: Any, w: Fraction | None, relative: float, absolute: float, told: str) -> float:
    """Which part of what is allowed the error is. Raises AssertionError beyond."""
    if not np.isfinite(relative + absolute):
        return 0.0
    assert w is not None, f"{told}\nan element without a finite value has a bound"
    allowed = Fraction(relative) * abs(w) + Fraction(absolute)
    off = abs(Fraction(float(g)) - w) - Fraction(1, 10**50) * (1 + abs(w))
    assert off <= allowed, told
    return float(off / allowed) if allowed else 0.0


def one(seed: int, machine: str = "") -> tuple[str, float]:
    """'bounded', or why not; and the largest part of the bound that an error is. Raises AssertionError for one beyond."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    text, written, shapes, sizes, exact = of_rows(rng) if seed % 3 == 0 else of_statements(rng)
    kind = rng.choice(["f32", "f32", "f32", "f64", "f16", "bf16"])
    ends = rng.choice(ENDS)
    ranges = {n: ends if n in ("x", "X") or rng.random() < 0.5 else (0.0, 1.0) for n in shapes if f"{n}[" in text}
    names = [n for n in (*ranges, *written, "y") if f"{n}[" in text]
    kernel = im.kernel(text, name="random", dtypes=dict.fromkeys(names, kind))
    kernel = kernel.with_sizes({n: v for n, v in sizes.items() if n in {a.name for a in kernel.axes}})
    try:
        derived, call = on(machine, kernel, ranges) if machine else interpreted(kernel, ranges)
    except (CertificateError, SizeError) as error:
        unknown = ("nothing is known", "not followed", "nothing was written", "may be as large as")
        derived, call = {}, lambda arrays: run_kernel(kernel, arrays)
        word = "nothing proved" if any(u in str(error) for u in unknown) else f"unproved: {str(error)[:200]}"
    else:
        word = "bounded"
    bounds = im.rounding_bound(kernel, ranges)
    worst = 0.0
    for _ in range(6):
        arrays = arrays_of(numbers, ranges, shapes, kind)
        with np.errstate(all="ignore"):
            got, wanted = call(arrays), exact(arrays)
        for n in kernel.results:
            for g, w in zip(got[n].flat, wanted[n], strict=True):
                told = f"seed {seed}, {kind}, {sizes}, {ranges}:\n{text}\n{n}: {g}, exactly {w if w is None else float(w)}; "
                told += f"{derived}, {bounds[n]}\n{arrays}"
                worst = max(worst, *(share(g, w, *b, told) for b in stated(n, derived, bounds)))
                if w is not None and np.isfinite(bounds[n].error):
                    more = Fraction(1, 2**40) * (1 + abs(w))
                    assert Fraction(bounds[n].low) - more <= w <= Fraction(bounds[n].high) + more, told
    return word, worst


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
