"""Guards that keep shifted elements inside their tensors: stencils and sums at random, compared with loops in Python.

Shifts, strides, reversals, bounds (tight, loose, twice, of sizes or numbers), relations of two axes, types, fixed and open sizes
and machines are drawn; bounds that the reads need are among the guards. Elements are whole numbers so small that sums are exact.
What no guard lets be written keeps what the caller put there.

python -m benchmarks.fuzz_guards [KERNELS] [SEED] [MACHINE ...]
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError

MACHINES = ("host", "avx2", "avx512")
Point = dict[str, int]
Arrays = dict[str, np.ndarray]
TYPES: tuple[dict[str, str], ...] = (
    {},
    {},
    {"X": "i32", "Y": "i32"},
    {"X": "f64", "Y": "f64"},
    {"X": "u8", "Y": "i32"},
)


@dataclass(frozen=True)
class Index:
    """step * axis + offset, or last - axis where `reversed`."""

    axis: str
    step: int = 1
    offset: int = 0
    reversed: bool = False

    def text(self) -> str:
        if self.reversed:
            return f"{self.axis.upper()} - 1 - {self.axis} + {self.offset}"
        return f"{self.step}*{self.axis} + {self.offset}"

    def at(self, p: Point, extents: Point) -> int:
        if self.reversed:
            return extents[self.axis] - 1 - p[self.axis] + self.offset
        return self.step * p[self.axis] + self.offset

    def bounds(self) -> list[str]:
        """What keeps it inside a tensor as long as the axis."""
        size = self.axis.upper()
        return [f"{self.text()} >= 0", f"{self.text()} <= {size} - 1"]


@dataclass(frozen=True)
class Drawn:
    """A statement as text, and what its points compute."""

    text: str
    axes: tuple[str, ...]
    reads: tuple[tuple[int, tuple[Index, ...]], ...]
    guards: tuple[Callable[[Point, Point], bool], ...]
    reduced: bool


def drawn(rng: random.Random) -> Drawn:
    """One statement."""
    axes = ("i", "j")[: rng.randint(1, 2)]
    reduced = len(axes) == 2 and rng.random() < 0.3
    reads = tuple((rng.choice([1, 1, 2, -3]), tuple(index(rng, a) for a in axes)) for _ in range(rng.randint(1, 3)))
    conditions = [bound for _, indices in reads for n in indices for bound in written(n)]
    conditions += [extra(rng, axes) for _ in range(rng.choice([0, 0, 1, 2]))]
    rng.shuffle(conditions)
    terms = " + ".join(f"{c} * X[{', '.join(n.text() for n in indices)}]" for c, indices in reads)
    shape, out = ", ".join(a.upper() for a in axes), "i" if reduced else ", ".join(axes)
    guard = " and ".join(c for c, _ in conditions)
    lines = [f"X: [{shape}]", f"Y: [{out.upper()}]", f"Y[{out}] {'+=' if reduced else '='} {terms}"]
    return Drawn(
        "\n".join(lines) + (f" where {guard}" if guard else ""), axes, reads, tuple(t for _, t in conditions), reduced
    )


def index(rng: random.Random, axis: str) -> Index:
    if rng.random() < 0.1:
        return Index(axis, reversed=True, offset=rng.choice([0, 1, -1]))
    return Index(axis, rng.choice([1, 1, 1, 1, 2]), rng.choice([0, 0, 0, 1, -1, 2, -3]))


def written(n: Index) -> list[tuple[str, Callable[[Point, Point], bool]]]:
    """The bounds that the read needs, and their tests."""
    low, high = n.bounds()
    return [(low, lambda p, e: n.at(p, e) >= 0), (high, lambda p, e: n.at(p, e) <= e[n.axis] - 1)]


def extra(rng: random.Random, axes: tuple[str, ...]) -> tuple[str, Callable[[Point, Point], bool]]:
    """A condition more."""
    a, n, b = rng.choice(axes), rng.randint(0, 5), rng.choice(axes)
    kinds: list[tuple[str, Callable[[Point, Point], bool]]] = [
        (f"{a} >= {n}", lambda p, e: p[a] >= n),
        (f"2*{a} > {n}", lambda p, e: 2 * p[a] > n),
        (f"{a} < {a.upper()} - {n}", lambda p, e: p[a] < e[a] - n),
        (f"3*{a} <= 2*{a.upper()}", lambda p, e: 3 * p[a] <= 2 * e[a]),
        (f"{a} != {n}", lambda p, e: p[a] != n),
    ]
    if a != b:
        kinds += [
            (f"{a} <= {b} + {n}", lambda p, e: p[a] <= p[b] + n),
            (f"{a} + {b} >= {n}", lambda p, e: p[a] + p[b] >= n),
        ]
    return rng.choice(kinds)


def points(x: Drawn, extents: Point) -> Iterator[Point]:
    for values in itertools.product(*(range(extents[a]) for a in x.axes)):
        p = dict(zip(x.axes, values, strict=True))
        if all(test(p, extents) for test in x.guards):
            yield p


def reference(x: Drawn, array: np.ndarray, out: np.ndarray, extents: Point) -> np.ndarray:
    """What the loops give."""
    found = out.astype(np.int64)
    for p in points(x, extents):
        value = sum(c * int(array[tuple(n.at(p, extents) for n in indices)]) for c, indices in x.reads)
        at = tuple(p[a] for a in (x.axes[:1] if x.reduced else x.axes))
        found[at] = found[at] + value if x.reduced else value
    return found


def one(rng: random.Random, machine: str) -> tuple[str, str]:
    """What came of one kernel, and the kernel in words."""
    x, types = drawn(rng), rng.choice(TYPES)
    fixed = rng.random() < 0.5
    tried = [{a: rng.choice([1, 2, 3, 7, 8, 9, 17, 33, 50]) for a in x.axes} for _ in range(1 if fixed else 4)]
    told = f"{x.text!r} {types} {tried} {'fixed' if fixed else 'open'} on {machine}"
    try:
        kernel = im.kernel(x.text, name="guarded").with_dtypes(types)
        plan = im.plan(kernel, machine, sizes={a.upper(): n for a, n in tried[0].items()} if fixed else None)
        run = im.build(plan)
    except IsamapError as error:
        return "refused", f"{told}: {error}"
    draw = np.random.default_rng(rng.getrandbits(32))
    for extents in tried:
        shape = tuple(extents[a] for a in x.axes)
        array = draw.integers(0, 9, shape).astype(kernel.tensor("X").dtype.numpy)
        out = draw.integers(0, 9, shape[:1] if x.reduced else shape).astype(kernel.tensor("Y").dtype.numpy)
        want = reference(x, array, out, extents)
        try:
            got = run(X=array, out=out.copy())
        except (IsamapError, MemoryError) as error:
            return "refused", f"{told} at {extents}: {error}"
        if not np.array_equal(got, want):
            return "WRONG", f"{told} at {extents}"
    return verdict(plan), f"{told}: {[n for n in plan.notes if 'fault' in n]}"


def verdict(plan: im.Plan) -> str:
    """How it is computed."""
    if any("fault of isamap" in n for n in plan.notes):
        return "A FAULT"
    lanes = "in lanes" if plan.program.schedules else "portable C"
    return f"{lanes}, within guards" if any("within its guard" in n for n in plan.notes) else lanes


def main(count: int = 100, seed: int = 0, *machines: Any) -> None:
    rng, found = random.Random(seed), Counter[str]()
    for n in range(1, count + 1):
        what, told = one(rng, rng.choice(machines or MACHINES))
        found[what] += 1
        if what in ("WRONG", "refused", "A FAULT"):
            print(f"{what}: {told}", flush=True)
        if n % 50 == 0 or n == count:
            print(f"{n} of {count}: {dict(found)}", flush=True)
    sys.exit(1 if found["WRONG"] else 0)


if __name__ == "__main__":
    main(*(int(w) if w.isdigit() else w for w in sys.argv[1:]))
