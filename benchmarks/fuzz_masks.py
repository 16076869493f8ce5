"""Attacks masks inside reductions: random masks, sizes, types and machines, against NumPy alone; and faults planted on purpose.

    python -m benchmarks.fuzz_masks [count] [seed] [--machines avx512,avx2,scalar] [--fault fill|shift|end] [--seconds S]

Memory that a call is given to work in holds NaN, or what is worse for the reduction, in every byte, and so does what masks leave
out of the inputs of maxima, minima and sums. With a fault, each program is changed before its proof: the proof must refute it, and
the C, built all the same, must give a wrong number somewhere. A change that changes no number may be proved. Exits with 1 where
something was wrong, or a fault stayed hidden.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import isamap_smt as im
from isamap_smt.ir.engines import LEAST, MOST, ZERO
from isamap_smt.ir.program import Alloc, If, Loop, Move, Node, Program, ProvedProgram, Serial, seal_program
from isamap_smt.pipeline import element_by_element
from isamap_smt.proof import prove_program
from isamap_smt.runtime import callee

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
START: dict[str, Any] = {"+=": lambda t: 0, "max=": lambda t: _end(t, 0), "min=": lambda t: _end(t, 1)}
SUM: dict[str, Callable[..., Any]] = {"+=": np.add.reduce, "max=": np.maximum.reduce, "min=": np.minimum.reduce}


def _end(t: Any, most: int) -> Any:
    """The least or the most of a type."""
    if np.issubdtype(t, np.floating):
        return np.inf if most else -np.inf
    return np.iinfo(t).max if most else np.iinfo(t).min


@dataclass(frozen=True)
class Mask:
    """A guard over q and k as text, and where it holds, as NumPy says it."""

    text: str
    holds: Callable[[Any, Any], Any]


def _masks(r: random.Random) -> Mask:
    w, n = r.randint(0, 20), r.randint(1, 90)
    return r.choice(
        (
            Mask("k <= q", lambda q, k: k <= q),
            Mask("k < q", lambda q, k: k < q),
            Mask("q <= k", lambda q, k: q <= k),
            Mask("q < k", lambda q, k: q < k),
            Mask(f"k <= q + {w}", lambda q, k: k <= q + w),
            Mask(f"k <= q - {w}", lambda q, k: k <= q - w),
            Mask(f"k - q <= {w} and q - k <= {w}", lambda q, k: abs(k - q) <= w),
            Mask(f"k + q < {n}", lambda q, k: k + q < n),
            Mask(f"k <= q and {w} <= k", lambda q, k: (k <= q) & (w <= k)),
            Mask(f"k <= q and q < {n}", lambda q, k: (k <= q) & (q < n)),
            Mask("k <= 2*q", lambda q, k: k <= 2 * q),
            Mask("2*k <= q", lambda q, k: 2 * k <= q),
            Mask(f"k < {n}", lambda q, k: (k < n) & (q >= 0)),
        )
    )


@dataclass(frozen=True)
class Case:
    """text: the kernel. inputs, wanted: by name; sizes: by axis."""

    text: str
    sizes: dict[str, int]
    inputs: dict[str, Any]
    wanted: Any
    tolerance: float


def case(r: random.Random) -> Case:
    """A random one."""
    rng = np.random.default_rng(r.getrandbits(32))
    size = lambda: r.choice((1, 2, r.randint(3, 40), r.randint(16, 120), 16 * r.randint(1, 6)))  # noqa: E731
    name, mask = r.choice(tuple(DTYPES)), _masks(r)
    t, sizes = DTYPES[name], {"q": size(), "k": size()}
    held = mask.holds(*np.ix_(np.arange(sizes["q"]), np.arange(sizes["k"])))
    op = r.choice(tuple(START))
    form = r.choice(("rows", "rows", "rows", "columns", "scores", "product", "chain", "heads", "softmax", "computed"))
    where = f"where {mask.text}"
    hidden = _end(t, 0 if op == "min=" else 1) if not np.issubdtype(t, np.floating) else np.nan
    s = rng.integers(-9, 10, (sizes["q"], sizes["k"])).astype(t)
    poisoned = np.where(held, s, np.array(hidden, t)).astype(t)
    start, reduce = START[op](t), SUM[op]
    if form in ("rows", "columns"):
        out, axis = ("q", 1) if form == "rows" else ("k", 0)
        wanted = _reduced(reduce, np.where(held, s, start), axis, t)
        return Case(f"S: {name}\nM: {name}\nM[{out}] {op} S[q,k] {where}", sizes, {"S": poisoned}, wanted, 0)
    if form == "heads":
        sizes["h"] = r.randint(1, 3)
        s3 = rng.integers(-9, 10, (sizes["h"], *s.shape)).astype(t)
        wanted = _reduced(reduce, np.where(held, s3, start), 2, t)
        return Case(f"S: {name}\nM: {name}\nM[h,q] {op} S[h,q,k] {where}", sizes, {"S": np.where(held, s3, np.array(hidden, t)).astype(t)}, wanted, 0)  # fmt: skip # noqa: E501
    if form == "computed":
        return _computed(r, rng, mask, op, name, sizes)
    if form == "chain":
        other = mask if r.random() < 0.6 else _masks(r)  # then elements that nothing wrote may be read: 0
        read = other.holds(*np.ix_(np.arange(sizes["q"]), np.arange(sizes["k"])))
        wanted = _reduced(reduce, np.where(read, np.where(held, (s + t(1)).astype(t), t(0)), start), 1, t)
        text = f"S: {name}\nT: {name}\nM: {name}\ntemporary T\nT[q,k] = S[q,k] + 1 {where}\nM[q] {op} T[q,k] where {other.text}"
        return Case(text, sizes, {"S": s}, wanted, 0)
    if form == "softmax":
        a = rng.standard_normal(s.shape).astype(np.float32)
        text = (
            f"temporary M, E, D\nM[q] max= S[q,k] {where}\nE[q,k] = exp(S[q,k] - M[q]) {where}\n"
            f"D[q] += E[q,k] {where}\nY[q,k] = E[q,k] / D[q] {where}"
        )
        with np.errstate(all="ignore"):
            e = np.where(held, np.exp(a.astype(np.float64) - np.where(held, a, -np.inf).max(1, keepdims=True)), 0)
            return Case(text, sizes, {"S": a}, np.where(held, e / e.sum(1, keepdims=True), 0), 1e-5)
    sizes["d"] = size()
    if form == "scores":
        a, b = (rng.integers(-4, 5, (sizes[x], sizes["d"])).astype(t) for x in "qk")
        wanted = np.where(held, (a.astype(np.int64) @ b.T.astype(np.int64)).astype(t), t(0))
        return Case(f"A: {name}\nB: {name}\nC: {name}\nC[q,k] += A[q,d] * B[k,d] {where}", sizes, {"A": a, "B": b}, wanted, 0)  # fmt: skip # noqa: E501
    v = rng.integers(-4, 5, (sizes["k"], sizes["d"])).astype(t)
    p = np.where(held, s, 0).astype(np.int64)
    text = f"P: {name}\nV: {name}\nO: {name}\nO[q,d] += P[q,k] * V[k,d] {where}"
    return Case(text, sizes, {"P": s, "V": v}, (p @ v.astype(np.int64)).astype(t), 0)


def _computed(r: random.Random, rng: Any, mask: Mask, op: str, name: str, sizes: dict[str, int]) -> Case:
    """What is reduced is computed of elements first, and where the mask leaves it out it is computed of what shows."""
    t = DTYPES[name]
    held = mask.holds(*np.ix_(np.arange(sizes["q"]), np.arange(sizes["k"])))
    s, x = rng.integers(-5, 6, held.shape).astype(t), rng.integers(-5, 6, sizes["k"]).astype(t)
    ways = (
        ("2 * S[q,k]", s * 2),
        ("S[q,k] - X[k]", s - x),
        ("abs(S[q,k] + X[k]) + 1", np.abs(s + x) + 1),
        ("max(S[q,k], X[k]) * S[q,k]", np.maximum(s, x) * s),
    )
    text, values = r.choice(ways)
    hidden = np.nan if np.issubdtype(t, np.floating) else _end(t, 1)
    out, axis = r.choice((("q", 1), ("q", 1), ("k", 0)))
    wanted = _reduced(SUM[op], np.where(held, values.astype(t), START[op](t)), axis, t)
    lines = [
        f"S: {name}",
        *([f"X: {name}"] if "X" in text else []),
        f"M: {name}",
        f"M[{out}] {op} {text} where {mask.text}",
    ]
    inputs = {"S": np.where(held, s, np.array(hidden, t)).astype(t), "X": x}
    return Case("\n".join(lines), sizes, {n: a for n, a in inputs.items() if f"{n}[" in text}, wanted, 0)


def _reduced(reduce: Callable[..., Any], values: Any, axis: int, t: Any) -> Any:
    wide = values.astype(np.int64) if reduce is np.add.reduce else values
    return reduce(wide, axis=axis).astype(t)


# ---- faults ------------------------------------------------------------------------------------------------------------


def _changed(nodes: tuple[Node, ...], f: Callable[[Node], Node]) -> tuple[Node, ...]:
    return tuple(f(replace(n, body=_changed(n.body, f)) if isinstance(n, Loop | If) else n) for n in nodes)


def faulty(program: Program, fault: str) -> Program:
    """The program with one kind of mistake wherever it can be made."""

    def f(n: Node) -> Node:
        if fault == "end" and isinstance(n, Serial) and n.end is not None:
            return replace(n, end=n.end - 1)
        filled = isinstance(n, Move) and n.instruction.kind == "load" and n.active
        if fault == "shift" and filled:
            return replace(n, active=tuple(a + 1 for a in n.active))  # type: ignore[union-attr]
        if fault == "fill" and filled and n.instruction.beyond in (LEAST, MOST):  # type: ignore[union-attr]
            own = n.instruction  # type: ignore[union-attr]
            zero = f"{own.short.partition('.')[2] or own.short}".replace(f"_{own.beyond}", "")
            machine = im.find_hardware(program.schedules[0].hardware.name)  # type: ignore[union-attr]
            other = next(i for i in machine.moves if i.short == zero or i.name.endswith(f".{zero}"))
            assert other.beyond == ZERO
            return replace(n, instruction=other)
        if fault == "fill" and isinstance(n, Alloc) and n.buffer.type.outside not in ("0", "-0", "dead"):
            return replace(n, buffer=replace(n.buffer, type=replace(n.buffer.type, outside="0")))
        return n

    return replace(program, body=_changed(program.body, f))


@dataclass
class Planted:
    """Counts of programs that a fault changed, and how its proof ended."""

    fault: str
    proofs: Counter[str]
    last: str = ""

    def __call__(self, program: Program) -> ProvedProgram:
        right = prove_program(program)
        wrong = faulty(program, self.fault)
        if wrong != program:
            self.last = prove_program(wrong).word
            self.proofs[self.last] += 1
        return seal_program(wrong, right)


# ---- running -------------------------------------------------------------------------------------------------------------


def poison() -> None:
    """What a call works in holds something that shows."""
    made = callee.aligned_empty

    def dirty(shape: Any, dtype: Any) -> Any:
        array = made(shape, dtype)
        array.fill(np.nan if np.issubdtype(dtype, np.floating) else np.iinfo(dtype).max)
        return array

    callee.aligned_empty = dirty


def equal(got: Any, c: Case) -> bool:
    """Bit for bit, or within the tolerance."""
    if c.tolerance:
        return bool(np.allclose(got, c.wanted, rtol=c.tolerance, atol=c.tolerance, equal_nan=True))
    return bool(np.array_equal(got, c.wanted))


def attack(count: int, seed: int, machines: tuple[str, ...], fault: str, seconds: float) -> Iterator[str]:
    """What there is to say of each case that is not as it should be, and the tally at the end."""
    tally: Counter[str] = Counter()
    planted = Planted(fault, Counter()) if fault else None
    if planted is not None:
        element_by_element.require_proof = planted
    started = time.perf_counter()
    for number in range(count):
        if time.perf_counter() - started > seconds:
            break
        r = random.Random(f"{seed}:{number}")
        c, machine = case(r), r.choice(machines)
        try:
            if planted is not None:
                planted.last = ""
            plan = im.plan(im.kernel(c.text, name="masked"), machine, sizes=c.sizes)
            got = im.build(plan)(**c.inputs)
        except Exception as error:
            tally["refused"] += 1
            yield f"{number} {machine} {c.sizes}: {c.text!r}\n  {type(error).__name__}: {str(error)[:400]}"
            continue
        tally[machine] += 1
        refuted = next((n for n in plan.notes if "refuted by its proof" in n), "")
        tally["refuted"] += bool(refuted)
        text = str(plan.program)
        tally["instructions"] += bool(plan.program.schedules)
        tally["masked loads"] += "masked_load" in text
        tally["ends"] += ", until " in text
        right = equal(got, c)
        tally["right" if right else "wrong"] += 1
        if planted is not None:
            tally["changed"] += bool(planted.last)
            tally["changed and wrong"] += bool(planted.last) and not right
            tally["proved and wrong"] += planted.last == "proved" and not right
        elif not right or refuted:
            yield f"{number} {machine} {c.sizes}: {c.text!r}: {'wrong' if not right else refuted[:600]}"
    hidden = planted is not None and (
        not tally["changed and wrong"] or not planted.proofs["refuted"] or tally["proved and wrong"] > 0
    )
    bad = hidden if planted is not None else tally["wrong"] + tally["refuted"] + tally["refused"] > 0
    proofs = "" if planted is None else f"; proofs of changed programs: {dict(planted.proofs)}"
    yield f"{'FAILED' if bad else 'passed'}: {dict(tally)}{proofs}"


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--machines", default="avx512,avx2,scalar")
    parser.add_argument("--fault", choices=("", "fill", "shift", "end"), default="")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    poison()
    said = ""
    for said in attack(given.count, given.seed, tuple(given.machines.split(",")), given.fault, given.seconds):
        print(said, flush=True)
    return 0 if said.startswith("passed") else 1


if __name__ == "__main__":
    raise SystemExit(main())
