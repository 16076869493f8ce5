"""Fuzzes the planner's choice: every choice of small kernels is priced, and none may cost less than the plan.

    python -m benchmarks.fuzz_choices [count] [seed]

Kernels of two to four statements are drawn: products, sums and maxima of rows, and what is computed of them element by element. Of
each all alternatives of all sums are combined, and all ways to put neighbours into blocks, by recursion. Exits with 1 where the
plan is not the cheapest. The same seed gives the same kernels.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import Schedule
from isamap_smt.pipeline import fusion, implementations
from isamap_smt.pipeline.alternatives import table
from isamap_smt.pipeline.candidates import Opened
from isamap_smt.pipeline.forms import as_pinned, forms
from isamap_smt.pipeline.least import Whole
from isamap_smt.pipeline.predicted import by_element
from isamap_smt.pipeline.question import Clock

EXTENTS = (5, 8, 16, 24, 33, 64, 100, 128, 256)


def drawn(number: int) -> tuple[str, dict[str, int]]:
    """A kernel's text and sizes. Each statement reads what the last ones left."""
    rng = random.Random(f"choices {number}")
    lines: list[str] = []
    now, columns, rows, weights = "X", "j", [], iter("kmn")
    for n in range(rng.randint(2, 4)):
        kind = rng.choice(["product", "product", "sum", "max", "element", "element", "rows" if rows else "element"])
        if kind == "product":
            to = next(weights, None)
            if to is None:
                kind = "element"
            else:
                lines.append(f"T{n}[i,{to}] += {now}[i,{columns}] * W{n}[{columns},{to}]")
                now, columns = f"T{n}", to
        if kind in ("sum", "max"):
            lines.append(f"R{n}[i] {'+=' if kind == 'sum' else 'max='} {now}[i,{columns}]")
            rows.append(f"R{n}")
        if kind == "element":
            value = rng.choice(["max({0}, 0)", "exp({0})", "{0} * {0}", "abs({0}) + 1"]).format(f"{now}[i,{columns}]")
            lines.append(f"T{n}[i,{columns}] = {value}")
            now = f"T{n}"
        if kind == "rows":
            lines.append(f"T{n}[i,{columns}] = {now}[i,{columns}] {rng.choice('-*')} {rng.choice(rows)}[i]")
            now = f"T{n}"
    written = [line.partition("[")[0] for line in lines]
    read = {t for line in lines for t in written if f" {t}[" in line or f"({t}[" in line}
    inner = [t for t in written if t in read]
    text = "\n".join([*([f"temporary {', '.join(inner)}"] if inner else []), *lines])
    return text, {axis: rng.choice(EXTENTS) for axis in "ijkmn" if f"{axis}]" in text or f"{axis}," in text}


def partitions(
    found: Sequence[Schedule], runs: dict[tuple[int, int], Any], at: int = 0, axes: Any = ()
) -> Iterator[Any]:
    """Every way to leave neighbours alone or to put them into blocks, from the statement at this place on."""
    if at == len(found):
        yield ()
        return
    yield from partitions(found, runs, at + 1)
    for (first, end), offered in runs.items():
        for f in offered if first == at else ():
            if f.axes != axes:
                for others in partitions(found, runs, end, f.axes):
                    yield (f, *others)


class Blocks:
    """In the place of fusion.fused(): the cheapest partition, by trying all. worse: cycles of those that were taken for it."""

    def __init__(self) -> None:
        self.fused, self.worse = fusion.fused, []

    def __call__(self, schedules: Any, *asked: Any) -> Any:
        """Raises as it does."""
        sizes, constant, threads, figures, solve, floor, pinned = asked
        made = self.fused(schedules, *asked)
        found = sorted(schedules, key=lambda s: s.proved.mapping.statement_index)
        choice = fusion._Choice(sizes, constant, threads, figures, solve, floor, pinned)
        places = [(a, e) for a in range(len(found)) for e in range(a + 2, len(found) + 1)]
        runs = {
            (a, e): [f for f in map(choice.scheduled, choice.offered(found[a:e])) if f and lowers(f)] for a, e in places
        }
        least = min(total(found, way) for way in partitions(found, runs))
        if total(found, made[1]) > least * (1 + 1e-9):
            self.worse.append((total(found, made[1]), least))
        return made


def lowers(blocks: Any) -> bool:
    """Whether blocks can be lowered."""
    try:
        fusion.lowered(*blocks.schedules)
    except IsamapError:
        return False
    return True


def total(found: Sequence[Schedule], blocks: Sequence[Any]) -> float:
    """Cycles of all these statements with some in blocks."""
    inside = {id_of(s) for f in blocks for s in (*f.schedules, *f.left)}
    return sum(s.objective or 0.0 for s in found if id_of(s) not in inside) + sum(f.predicted for f in blocks)


def id_of(s: Schedule) -> int:
    """The statement's number."""
    return s.proved.mapping.statement_index


def least(kernel: Kernel, sizes: dict[str, int]) -> tuple[Whole, float, int]:
    """What the plan is predicted to take, what the cheapest of all choices is, and how many there are."""
    planned = im.plan(kernel, "avx2", sizes=sizes)
    clock, best, seen = Clock(), float("inf"), 0
    assert planned.asked is not None and planned.whole is not None
    for c in forms(planned.asked, clock):
        opened = Opened(table(as_pinned(c, clock), clock))
        for choice in product(*(range(len(row)) for row in opened.rows)):
            d = opened.decided(choice, clock)
            q = d.question
            _, blocks = implementations.fused_schedules(q, d.schedules, clock)
            done = {id_of(s) for s in d.schedules}
            form = None if d.proved is None else d.proved.split
            alone = sum(x for n, x in enumerate(by_element(q.kernel, form, dict(q.sizes), q.hardware)) if n not in done)
            best, seen = min(best, total(d.schedules, blocks) + alone), seen + 1
    return planned.whole, best, seen


def trial(number: int) -> tuple[str, str]:
    """(what came of the kernel of this number, in words)."""
    text, sizes = drawn(number)
    blocks = Blocks()
    implementations.fused = blocks  # type: ignore[assignment]
    try:
        taken, best, seen = least(im.kernel(text, name="drawn"), sizes)
    except IsamapError as error:
        return "refused", f"{text}\n{sizes}: {error}"
    finally:
        implementations.fused = blocks.fused  # type: ignore[assignment]
    if blocks.worse or taken.cycles > best * (1 + 1e-9):
        return (
            "worse",
            f"{text}\n{sizes}: {taken.cycles:,.0f} taken, {best:,.0f} the least of {seen}; blocks {blocks.worse}",
        )
    if taken.bound is None or taken.bound > best * (1 + 1e-9):
        return "worse", f"{text}\n{sizes}: {taken.bound} is no bound of {best:,.0f}"
    return f"the cheapest of {'one' if seen == 1 else 'several'}", text


def main(count: int = 100, seed: int = 0) -> int:
    """The command line, above."""
    seen: Counter[str] = Counter()
    for number in range(seed, seed + count):
        what, told = trial(number)
        seen[what] += 1
        if what in ("worse", "refused"):
            print(f"{number}: {what}\n{told}", flush=True)
    print(f"{count} kernels from {seed}: " + ", ".join(f"{n} {what}" for what, n in sorted(seen.items())))
    return int(bool(seen["worse"]))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
