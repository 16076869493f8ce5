"""Tensors that stay in a memory of the machine between the phase that computes them and the phases that read them.

All their tiles lie there at once, in rows at the end of the memory. So their stage stands outside of all loops, nothing
stores or fills it, and each step takes one tile along their axes: then the phases count tiles alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from isamap_encodings.staging_problem import StagingOperand, Way
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.layouts import is_box
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.staging import guards
from isamap_smt.mapping.named_cells import of_tiles
from isamap_smt.mapping.runs import runs_of

if TYPE_CHECKING:
    from isamap_smt.scheduling.staged_problem import Question

Layout = tuple[
    bool, bool, tuple[Any, ...], frozenset[Any]
]  # whether it has rows and columns; element of a cell; where there is one


@dataclass(frozen=True)
class Staying:
    """ends: the row of `memory` behind the tensor's last one. stored: also in main memory. layout: the element of each
    cell, from the phase that computes the tensor; None for this phase itself."""

    tensor: str
    memory: str
    ends: int
    stored: bool = False
    layout: Layout | None = None


@dataclass(frozen=True)
class Kept:
    """Tensors left or found in place by one phase. taken: rows of memories kept by other phases meanwhile."""

    stays: tuple[Staying, ...] = ()
    taken: tuple[tuple[str, int], ...] = ()


NOTHING_KEPT = Kept()


def layout_of(mapping: Mapping, operand: str) -> Layout:
    """The elements in cells of the operand's tiles, independent of axis names."""
    home, mapping = mapping.instruction.operand(operand), of_tiles(mapping)
    cells = {str(home.row): sym("row"), str(home.column): sym("column")}
    names: dict[str, Any] = dict(cells)
    coordinates = []
    for n, e in enumerate(mapping.coordinates(operand)):
        own = sorted(symbols_of([e]) - set(names))
        names |= {a: sym(f"tile{n}_{k}") for k, a in enumerate(own)}
        coordinates.append(substitute(e, names))
    alive = frozenset(substitute(g, names) for g in guards(mapping, operand, {}, cells))
    return home.row != 0, home.column != 0, tuple(coordinates), alive


def restricted(q: Question, mapping: Mapping, kept: Kept) -> Question:
    """A Question whose plans leave kept tensors in place. Raises ScheduleError for a mapping that has them elsewhere."""
    taken = dict(kept.taken)
    memories = tuple((m, rows - taken.get(m, 0)) for m, rows in q.problem.memories)
    q = replace(q, problem=replace(q.problem, memories=memories))
    for s in kept.stays:
        named = [o for o in q.problem.operands if mapping.operand_access(o.name).tensor == s.tensor]
        why = f"{mapping.id}: {s.tensor} stays in {s.memory}"
        if len(named) != 1:
            raise ScheduleError(f"{why}, and {len(named)} operands hold it")
        (o,) = named
        if o.memory != s.memory or runs_of(mapping, o.name, str(mapping.instruction.operand(o.name).row)).several:
            raise ScheduleError(f"{why}, and {o.name} lies in {o.memory}, or in runs")
        if not is_box(mapping.instruction.operand(o.name)):
            raise ScheduleError(f"{why}, and rows and columns of {o.name} are no axes")
        if s.layout and layout_of(mapping, o.name) != s.layout:
            raise ScheduleError(f"{why}, and tiles of {o.name} are others")
        cut = {a.name for a in q.problem.reduced if a.tiles * a.side != a.points}
        if cut & set(o.axes) and not mapping.instruction.active:
            raise ScheduleError(f"{why}, and nobody puts 0 there behind the last one, which sums would need")
        q = _left(q, o, s, why) if o is q.problem.output else _found(q, o, why)
        pins = dict(q.problem.pins) | {f"tile.{a}": 1 for a in o.axes} | {f"slots.{o.name}": 1}
        still = (*q.problem.still, o.name)
        q = replace(
            q, problem=replace(q.problem, pins=tuple(sorted(pins.items())), still=still),
            staying=(*q.staying, (o.name, s)),
        )  # fmt: skip
    return q


def _free(way: Way) -> Way:
    """The same move at no cost: it is not made."""
    return replace(way, start=0, each=0, per=(), points=None, served=())


def _left(q: Question, o: StagingOperand, stay: Staying, why: str) -> Question:
    """The output, left in place; also stored only if `stay` says so."""
    own = [n for n, c in enumerate(q.covers) if c.onward is None]
    if not own:
        raise ScheduleError(f"{why}, and finished sums are taken on from there")
    output = replace(o, ways=tuple(o.ways[n] if stay.stored else _free(o.ways[n]) for n in own))
    moves = q.moves | {o.name: tuple(q.moves[o.name][n] for n in own)}
    problem = replace(q.problem, output=output, passed=False, waiting=())
    return replace(q, problem=problem, covers=tuple(q.covers[n] for n in own), moves=moves)


def _found(q: Question, o: StagingOperand, why: str) -> Question:
    """An input found in place: nothing fills it."""
    if not o.ways or o.ways[0].outer:
        raise ScheduleError(f"{why}, and nothing brings tiles of {o.name} there at once")
    inputs = tuple(replace(i, ways=(_free(o.ways[0]),), slides=None) if i is o else i for i in q.problem.inputs)
    outers = tuple(x for x in q.problem.outers if x.of != o.name)
    moves = {n: m for n, m in q.moves.items() if n not in {x.name for x in q.problem.outers if x.of == o.name}}
    problem = replace(q.problem, inputs=inputs, outers=outers)
    return replace(q, problem=problem, moves=moves | {o.name: q.moves[o.name][:1]})


def rows_of(q: Question, operand: str) -> int:
    """Rows of all tiles of an operand."""
    (o,) = (o for o in q.problem.operands if o.name == operand)
    return int(o.rows * prod(a.tiles for a in q.problem.axes if a.name in o.axes))
