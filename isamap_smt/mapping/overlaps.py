"""Tiles that share elements, such as those of a window sliding over an image.

    O[p] += X[2*p + r] * W[r]      the tile at (p, r) begins 2*p + r runs into X

A stage around both loops holds each run once: for n by m tiles at most `2*(n - 1) + m` instead of `n*m`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Any

import sympy as sp

from isamap_encodings.staging_problem import Numbers, Sliding
from isamap_smt.ir.expr import affine, free_name, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, Stage
from isamap_smt.ir.staging import conditions, counts, tiles_of
from isamap_smt.mapping.runs import Runs, runs_of


@dataclass(frozen=True)
class Overlap:
    """sliding: the two outer axes, and how far apart tiles begin. view: the mapping of one run of `points` rows, with its
    number in the tensor as a loop around it."""

    sliding: Sliding
    view: Mapping
    number: str
    points: int

    def runs(self, along: int, over: int) -> Runs | None:
        """Those of a round of a stage around so many tiles; None if it holds no run of several tiles once."""
        sliding, n = self.sliding, Numbers()
        if along * over == 1 or sliding.count(n, along, over) == sliding.runs * along * over:
            return None
        return Runs(self.view, int(sliding.of_round(n, along, over)), self.points, self.number)


def inside(
    mapping: Mapping, loops: Sequence[LoopStep], stage: Stage, axis: str, blocks: Sequence[LoopStep] = ()
) -> int:
    """Tiles along an axis of known extent in one visit of a stage."""
    around = [x.axis for x in loops[: stage.depth]]
    (loop,) = (x for x in loops if x.axis == axis)
    return loop.step * (1 if axis in around else int(counts(mapping, loops, blocks)[axis]))


def overlap_in(
    mapping: Mapping, loops: Sequence[LoopStep], stage: Stage, blocks: Sequence[LoopStep] = ()
) -> tuple[Overlap, int, int] | None:
    """The overlap of a stage's tiles, with their numbers along both axes; None if it has none."""
    home = mapping.instruction.operand(stage.operand)
    found = overlap_of(mapping, stage.operand, str(home.row)) if stage.shared else None
    if found is None:
        return None
    along, over = (inside(mapping, loops, stage, a, blocks) for a in (found.sliding.along, found.sliding.over))
    return found, along, over


def rows_of_slot(mapping: Mapping, loops: Sequence[LoopStep], stage: Stage, blocks: Sequence[LoopStep] = ()) -> int:
    """Rows of one slot of a stage."""
    tiles, found = (
        tiles_of(mapping, loops, stage.operand, stage.depth or 0, blocks),
        overlap_in(mapping, loops, stage, blocks),
    )
    if found is None:
        return stage.rows * tiles + stage.spare
    overlap, along, over = found
    held = tiles // (along * over) * int(overlap.sliding.count(Numbers(), along, over))
    return stage.rows // overlap.sliding.runs * held + stage.spare


@lru_cache(maxsize=4096)  # asked anew for each plan
def overlap_of(mapping: Mapping, operand: str, row: str) -> Overlap | None:
    """The two axes along which an input's tiles share runs; None if there are none, or their extents are open.

    row: the instruction's axis along rows. Raises ScheduleError as runs_of().
    """
    runs = runs_of(mapping, operand, row)
    known = [a.name for a in runs.view.outer if is_constant(a.extent) and a.extent > 1 and a.name != runs.number]
    moved = [*known, *([runs.number] if runs.several else [])]
    parts = [affine(e, moved) for e in runs.view.coordinates(operand)]
    if any(p is None for p in parts):
        return None
    steps = {a: tuple(sp.sympify(p[0].get(a, 0)) for p in parts if p is not None) for a in moved}
    for along, over in permutations(known, 2):
        step = _times(steps[along], steps[over])
        apart = _times(steps[runs.number], steps[over]) if runs.several else 1
        if step and apart and step % apart == 0:
            found = _overlap(mapping, runs, operand, row, Sliding(along, over, step, runs.count, apart))
            if found is not None:
                return found
    return None


def _times(longer: tuple[Any, ...], unit: tuple[Any, ...]) -> int:
    """How many times as far one step leads as another one; 0 if it leads elsewhere."""
    ratios = {a / b for a, b in zip(longer, unit, strict=True) if b != 0}
    if len(ratios) != 1 or any(a != 0 for a, b in zip(longer, unit, strict=True) if b == 0):
        return 0
    (ratio,) = ratios
    return int(ratio) if ratio.is_Integer and ratio > 0 and all(b.is_Integer for b in unit) else 0


def _overlap(mapping: Mapping, runs: Runs, operand: str, row: str, slides: Sliding) -> Overlap | None:
    """The overlap along two outer axes; None if an axis of the kernel depends on them and on others at once, or if no
    tiles are near enough."""
    view, along, over, n = runs.view, slides.along, slides.over, Numbers()
    most = next(int(a.extent) for a in view.outer if a.name == over)
    if slides.count(n, 2, most) == 2 * slides.runs * most:
        return None
    loops = {along, over, runs.number}
    own = {n: e for n, e in view.forward if symbols_of([e]) & loops}
    if any(not symbols_of([e]) <= loops for e in own.values()):
        return None
    used = {a.name for a in (*view.outer, *view.statement.axes)} | set(view.instruction.axes)
    used |= set(view.kernel.free_sizes) | {p.name for p in view.kernel.parameters}
    number = runs.number or free_name(f"{row}_run", used)
    run = sym(f"{number}?")  # the number of a run in the tensor, until the loop over those of a tile is gone
    begins = run - slides.step * sym(along) - (slides.apart * sym(runs.number) if runs.several else 0)

    def at_run(e: Any) -> Any | None:
        """An expression over the kernel's axes as one over runs; None if tiles differ in it that share a run."""
        found = sp.expand(substitute(substitute(e, own), {over: begins}))
        return None if symbols_of([found]) & loops else substitute(found, {run.name: sym(number)})

    access = view.operand_access(operand)
    index = [at_run(e) for e in access.index]
    if None in index:
        return None
    guard = [g.func(*sides) for g in conditions(view, operand) if None not in (sides := [at_run(s) for s in g.args])]
    shape = view.kernel.tensor(access.tensor).shape
    for e, extent in zip(index, shape, strict=True):  # steps may have tiles beyond the last one
        if number in symbols_of([e]):
            if symbols_of([e]) != {number}:
                return None
            guard.append(sp.Lt(e, extent))
    held = _view(
        view, operand, Access(access.tensor, tuple(index)), (set(own), loops, number), tuple(dict.fromkeys(guard))
    )
    return Overlap(slides, held, number, runs.points if runs.several else mapping.instruction.axes.get(row, 1))


def _view(
    view: Mapping, operand: str, access: Access, names: tuple[set[str], set[str], str], guard: tuple[Any, ...]
) -> Mapping:
    """The mapping of one run: its number stands for the axes of the kernel that follow from it."""
    own, loops, number = names
    axes = tuple(a for a in view.statement.axes if a.name not in own)
    statement = replace(view.statement, axes=axes, guard=guard)
    statements = list(view.kernel.statements)
    statements[view.statement_index] = statement
    outer = (*(a for a in view.outer if a.name not in loops), Axis(number, sp.S.One))
    return replace(
        view,
        kernel=replace(view.kernel, statements=tuple(statements)),
        binding=tuple((o, access if o == operand else a) for o, a in view.binding),
        forward=(*((n, e) for n, e in view.forward if n not in own), (number, sym(number))),
        outer=outer,
    )
