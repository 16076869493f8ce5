"""Attacks kernels that compute with the values of axes: random ones, against NumPy on exact whole numbers.

    python -m benchmarks.fuzz_values [count] [seed] [--machines avx512,avx2,host,scalar] [--seconds S]

Values lie at the ends of types (127, 255, 32767, 2^24, 2^31), axes are subtracted, compared, multiplied, guarded, reduced, carried
from step to step and cast to types that do not hold them. Here every part is an array: a whole number is exact until it meets an
element, then it has the element's type. A plan that takes
a minute is given up, and said. Exits with 1 where a number was wrong, or a kernel was refused.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import isamap_smt as im
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.rows import Numbered

TYPES: dict[str, Any] = {t.__name__: t for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64)}
TYPES = {n.replace("uint", "u").replace("int", "i"): t for n, t in TYPES.items()} | {
    "f32": np.float32,
    "f64": np.float64,
}
START = {"+=": 0, "max=": -np.inf, "min=": np.inf}


@dataclass(frozen=True)
class Part:
    """A part of a value: its text, and what it is at each point. typed: whether it has the element type, or is an exact number; of
    such a one the least and the greatest that it may be for all that is known."""

    text: str
    value: Any
    typed: bool
    ends: tuple[int, int] = (0, 0)


@dataclass
class Made:
    """Random parts over the axes i and j, in one element type after the other."""

    r: random.Random
    axes: dict[str, Any]  # the values of each axis, as exact numbers
    x: dict[str, Any]  # elements of inputs by the text that reads them, and their type
    kinds: dict[str, str]

    def number(self, near: int = 0) -> Part:
        """An index expression in brackets; `near`: a number that it may lie around."""
        r = self.r
        a, b = r.choice(tuple(self.axes)), r.choice(tuple(self.axes))
        m, n, c = r.randint(1, 3), r.randint(-3, 3), r.choice((0, 0, r.randint(-40, 40), near, near - r.randint(0, 60)))
        text, value = f"{m}*{a}", m * self.axes[a]
        if n:
            text, value = f"{text} {'-' if n < 0 else '+'} {abs(n)}*{b}", value + n * self.axes[b]
        ends = (int(value.min()), int(value.max()))
        if r.random() < 0.15:
            k = r.randint(2, 9)
            text, value, ends = f"({text}) % {k}", value % k, (0, k - 1)
        if c:
            text, value = f"{text} {'-' if c < 0 else '+'} {abs(c)}", value + c
        return Part(f"({text})", value, False, (ends[0] + c, ends[1] + c))

    def given(self, p: Part, kind: str) -> Part:
        """The part in this type: a number as it is where the type holds it, else cast."""
        if p.typed:
            return p
        t = TYPES[kind]
        held = not np.issubdtype(t, np.integer) or bool(np.iinfo(t).min <= p.ends[0] and p.ends[1] <= np.iinfo(t).max)
        text = p.text if held and self.r.random() < 0.7 else f"{kind}({p.text})"
        return Part(text, p.value.astype(t), True)

    def value(self, kind: str, depth: int) -> Part:
        """A part that has the type."""
        r, t = self.r, TYPES[kind]
        whole = np.issubdtype(t, np.integer)
        near = int(np.iinfo(t).max) if whole and kind != "i64" else 2**24 if kind == "f32" else 2**31 - 1
        if depth == 0 or r.random() < 0.15:
            elements = [n for n, k in self.kinds.items() if k == kind]
            if elements and r.random() < 0.6:
                name = r.choice(elements)
                return Part(name, self.x[name], True)
            number = self.number(near)
            return Part(f"{kind}({number.text})", number.value.astype(t), True)
        match r.choice(("+", "-", "*", "max", "min", "select", "select", "cast", "/" if not whole else "+")):
            case "select":
                c, a, b = self.condition(kind, depth - 1), self.value(kind, depth - 1), self.side(kind, depth - 1, near)
                a, b = (a, b) if r.random() < 0.5 else (b, a)
                return Part(f"select({c.text}, {a.text}, {b.text})", np.where(c.value, a.value, b.value), True)
            case "cast":
                of = r.choice([k for k in self.kinds.values() if np.issubdtype(TYPES[k], np.integer) or k == kind])
                p = self.value(of, depth - 1)
                return Part(f"{kind}({p.text})", p.value.astype(t), True)
            case "/":
                a, b = self.value(kind, depth - 1), r.choice(tuple(self.axes))
                return Part(f"({a.text} / ({b} + 1))", a.value / (self.axes[b] + 1).astype(t), True)
            case "max" | "min" as f:
                a, b = self.value(kind, depth - 1), self.side(kind, depth - 1, near)
                return Part(f"{f}({a.text}, {b.text})", getattr(np, f + "imum")(a.value, b.value), True)
            case op:
                a, b = self.value(kind, depth - 1), self.side(kind, depth - 1, near)
                a, b = (a, b) if r.random() < 0.5 else (b, a)
                f = {"+": np.add, "-": np.subtract, "*": np.multiply}[op]
                return Part(f"({a.text} {op} {b.text})", f(a.value, b.value), True)
        raise AssertionError

    def side(self, kind: str, depth: int, near: int) -> Part:
        """The other operand: often a number without a type of its own."""
        return self.given(self.number(near), kind) if self.r.random() < 0.6 else self.value(kind, depth)

    def condition(self, kind: str, depth: int) -> Part:
        sign, f = self.r.choice((("<", np.less), ("<=", np.less_equal), ("==", np.equal), ("!=", np.not_equal)))
        if self.r.random() < 0.5:
            wide = self.r.choice((0, 0, 2**31 - 1))
            a, b = self.number(wide), self.number(wide)
        else:
            a, b = self.value(kind, depth), self.side(kind, depth, 100)
        return Part(f"{a.text} {sign} {b.text}", f(a.value, b.value), True)


@dataclass(frozen=True)
class Case:
    """The kernel's text, its inputs, and what it gives."""

    text: str
    sizes: dict[str, int]
    inputs: dict[str, Any]
    wanted: Any
    exact: bool


def case(r: random.Random) -> Case:
    """A random one."""
    rng = np.random.default_rng(r.getrandbits(32))
    size = lambda: r.choice((1, r.randint(2, 20), 16 * r.randint(1, 4), r.randint(100, 140), r.randint(250, 262)))  # noqa: E731
    sizes = {"i": r.choice((1, 3, size())), "j": size()}
    kind, other = r.choice(tuple(TYPES)), r.choice([t for t in TYPES if t[0] in "iu"])
    names = {"X[i,j]": kind, "Z[j]": kind, "W[i,j]": other}
    drawn = {n: _drawn(rng, TYPES[k], (sizes["i"] if "i" in n else 1, sizes["j"])) for n, k in names.items()}
    axes = {a: np.arange(sizes[a], dtype=np.int64).reshape((-1, 1) if a == "i" else (1, -1)) for a in "ij"}
    with np.errstate(all="ignore"):
        p = Made(r, axes, drawn, names).value(kind, r.randint(1, 3))
        shape = (sizes["i"], sizes["j"])
        value = np.broadcast_to(p.value, shape)
        assert value.dtype == TYPES[kind], p.text
        guard, held = r.choice(
            (
                ("", True),
                ("", True),
                (" where j <= i", axes["j"] <= axes["i"]),
                (" where i + 3 < 2*j", axes["i"] + 3 < 2 * axes["j"]),
            )
        )
        held = np.broadcast_to(held, shape)
        form, op = r.choice(("point", "point", "rows", "columns", "steps")), r.choice(tuple(START))
        head = "".join(f"axis {a} < {n}\n" for a, n in sizes.items())
        head += "".join(f"{n[0]}: {k}\n" for n, k in names.items() if n in p.text) + f"Y: {kind}\n"
        inputs = {n[0]: (v if "i" in n else v[0]) for n, v in drawn.items() if n in p.text}
        text, wanted = _stated(form, op, p.text, guard, value, held, TYPES[kind])
    return Case(
        head + text, sizes, inputs, wanted, kind[0] in "iu" or form == "point" or (form != "steps" and op != "+=")
    )


def _stated(form: str, op: str, text: str, guard: str, value: Any, held: Any, t: Any) -> tuple[str, Any]:
    """The statement, and what it gives: reduced in the type, whose sums wrap."""
    if form == "point":
        return f"Y[i,j] = {text} over i, j{guard}", np.where(held, value, t(0))
    if form == "steps":
        wanted = np.zeros((value.shape[0] + 1, value.shape[1]), t)
        for n, row in enumerate(value):
            wanted[n + 1] = wanted[n] + row
        return f"for i:\n  Y[i+1,j] = Y[i,j] + {text}", wanted
    axis, out = (1, "i") if form == "rows" else (0, "j")
    if op == "+=":
        return f"Y[{out}] += {text} over i, j{guard}", np.where(held, value, t(0)).sum(axis, dtype=t)
    ends = np.iinfo(t) if np.issubdtype(t, np.integer) else None
    start = t(START[op]) if ends is None else (ends.min if op == "max=" else ends.max)
    return f"Y[{out}] {op} {text} over i, j{guard}", getattr(np, op[:3] + "imum").reduce(
        np.where(held, value, t(start)), axis
    ).astype(t)


def _drawn(rng: Any, t: Any, shape: tuple[int, int]) -> Any:
    """Whole numbers: small ones, or of integers the whole range."""
    if np.issubdtype(t, np.integer) and rng.random() < 0.4:
        return rng.integers(np.iinfo(t).min, np.iinfo(t).max, shape, t, endpoint=True)
    low = 0 if np.issubdtype(t, np.unsignedinteger) else -9
    return rng.integers(low, 10, shape).astype(t)


def equal(got: Any, c: Case) -> bool:
    """Bit for bit where nothing is added up in floating point."""
    if c.exact:
        return (
            bool(np.array_equal(got, c.wanted, equal_nan=True))
            if c.wanted.dtype.kind == "f"
            else bool((got == c.wanted).all())
        )
    least = 1e-5 * float(np.abs(c.wanted[np.isfinite(c.wanted)]).max(initial=1.0))
    return bool(np.allclose(got, c.wanted, rtol=1e-5, atol=least, equal_nan=True))


def attack(count: int, seed: int, machines: tuple[str, ...], seconds: float) -> Iterator[str]:
    """What there is to say of each case that is not as it should be, and the tally at the end."""
    tally: Counter[str] = Counter()
    started = time.perf_counter()
    for number in range(count):
        if time.perf_counter() - started > seconds:
            break
        r = random.Random(f"{seed}:{number}")
        c, machine = case(r), r.choice(machines)
        signal.alarm(60)
        try:
            plan = im.plan(im.kernel(c.text, name="values"), machine)
            got = im.build(plan)(**c.inputs)
        except Exception as error:
            tally["slow" if isinstance(error, TimeoutError) else "refused"] += 1
            yield f"{number} {machine} {c.sizes}: {c.text!r}\n  {type(error).__name__}: {str(error)[:400]}"
            continue
        finally:
            signal.alarm(0)
        tally[machine] += 1
        tally["instructions"] += bool(plan.program.schedules)
        tally["axes as elements"] += plan.split is not None and any(
            isinstance(x, Rewrite) and isinstance(x.row, Numbered) for x in plan.split.split.chain
        )
        refuted = next((n for n in plan.notes if "refuted by its proof" in n), "")
        right = equal(got, c)
        tally["right" if right else "wrong"] += 1
        if not right or refuted:
            yield f"{number} {machine} {c.sizes}: {c.text!r}: {'wrong' if not right else refuted[:600]}"
    yield f"{'FAILED' if tally['wrong'] + tally['refused'] else 'passed'}: {dict(tally)}"


def _slow(*_: Any) -> None:
    raise TimeoutError("no plan within a minute")


def main() -> int:
    """The exit status."""
    signal.signal(signal.SIGALRM, _slow)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--machines", default="avx512,avx2,host,scalar")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    said = ""
    for said in attack(given.count, given.seed, tuple(given.machines.split(",")), given.seconds):
        print(said, flush=True)
    return 0 if said.startswith("passed") else 1


if __name__ == "__main__":
    raise SystemExit(main())
