"""A program for engines at concrete sizes: the uses of each, every expression a column of numbers, one number per iteration.

A site is a use in the text of the program; an iteration is a use of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.errors import IsamapError, LanguageError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, If, Issued, Program, Serial
from isamap_smt.ir.traversal import walk
from isamap_smt.simulator.iterations import Rows, in_order, standings
from isamap_smt.simulator.service import in_ticks, limited, service, ticks_per_cycle, touches

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Site:
    """One use in the text, with a column for each of its expressions.

    position: places in program order. ranks: places in the queue of its engine. awaits: (counter, amounts). parameters:
    from the program. active: axis -> points, cut to the largest extent; front: axis -> number of inactive points at its
    start. cycles: of work, the least for which each iteration occupies the engine. served: memories serving one use
    after the other, each with the ticks of each iteration.
    """

    use: Issued
    engine: int
    rows: Rows
    position: Array
    ranks: Array
    awaits: tuple[tuple[int, list[int]], ...]
    signals: tuple[int, ...]
    parameters: dict[str, Array]
    active: dict[str, Array]
    front: dict[str, Array]
    cycles: list[Any]
    served: tuple[tuple[int, list[float]], ...] = ()

    @property
    def count(self) -> int:
        """How many iterations."""
        return self.rows.count

    def at(self, iteration: int) -> dict[str, int]:
        """The loop variables of an iteration."""
        return self.rows.at(iteration)


@dataclass(frozen=True, eq=False)
class Queue:
    """The uses of one engine in order: site and iteration of each."""

    name: str
    sites: list[int]
    iterations: list[int]


@dataclass(frozen=True, eq=False)
class Elaborated:
    """All uses of a program at concrete sizes. counters: every counter awaited or signalled. memories: those serving
    uses one after the other; scale: ticks of a cycle if there are some."""

    program: Program
    sites: tuple[Site, ...]
    queues: tuple[Queue, ...]
    counters: tuple[str, ...]
    memories: tuple[str, ...] = ()
    scale: int = 1


def elaborate(program: Program, sizes: Mapping[str, int]) -> Elaborated:
    """The program's uses. Raises LanguageError for an expression over a name without value and for nodes no engine
    runs, UnknownNameError for an engine the machine does not have."""
    _check_form(program)
    found = [s for s in standings(program.body, sizes, np.random.default_rng(0)) if isinstance(s.node, Issued)]
    names = [e.name for e in program.machine.engines] if program.machine else []
    uses = [s.node for s in found if isinstance(s.node, Issued)]
    counters = tuple(dict.fromkeys(c for u in uses for c in (*(a for a, _ in u.awaits), *u.signals)))
    made = [_site(u, s.rows, names, counters) for u, s in zip(uses, found, strict=True)]
    memories = limited(program.machine)
    scale = ticks_per_cycle((u.instruction for u in uses), memories) if memories else 1
    if memories:
        made = [replace(s, served=_served(s, memories, scale)) for s in made]
    queues = [Queue(name, [], []) for name in names]
    for position, (n, row) in enumerate(zip(*in_order(found), strict=True)):
        site, queue = made[n], queues[made[n].engine]
        site.position[row], site.ranks[row] = position, len(queue.sites)
        queue.sites.append(n)
        queue.iterations.append(row)
    return Elaborated(program, tuple(made), tuple(queues), counters, tuple(m.name for m in memories), scale)


def _check_form(program: Program) -> None:
    for node, around in walk(program.body):
        buffer, loop = isinstance(node, Alloc) and not around, isinstance(node, Serial) and node.backwards is None
        if not (buffer or loop or isinstance(node, Issued | If)):
            what = type(node).__name__
            raise LanguageError(
                f"programs for engines are made of loops, conditions, uses and buffers; this one has a {what}"
            )
        if isinstance(node, Alloc):
            b = node.buffer
            if len(b.shape) != 2 or symbols_of(sp.sympify(e) for e in (b.offset, b.slots, *b.shape)):
                said = f"buffer {b.name} begins at row {b.offset}, with {b.slots} slots of {list(b.shape)}"
                raise LanguageError(f"{said}; say numbers, and two sides")


def _site(use: Issued, rows: Rows, engines: list[str], counters: tuple[str, ...]) -> Site:
    i, name = use.instruction, use.instruction.name
    if i.engine not in engines:
        raise UnknownNameError(f"{name}: no engine {i.engine!r}; {did_you_mean(i.engine, engines)}")
    parameters = {p: rows.column(e, f"{name}: parameter {p}") for p, e in use.parameters.items()}
    active, front = _active(i, parameters, rows.count)
    awaits = tuple((counters.index(c), rows.column(e, f"{name}: await of {c}").tolist()) for c, e in use.awaits)
    signals = tuple(map(counters.index, use.signals))
    cycles = _cycles(i, active, front, rows.count)
    position, ranks = np.zeros(rows.count, np.int64), np.zeros(rows.count, np.int64)
    return Site(use, engines.index(i.engine), rows, position, ranks, awaits, signals, parameters, active, front, cycles)


def _active(
    instruction: Instruction, parameters: dict[str, Array], count: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Axis -> end of its active points, and axis -> their start if it is given, at every iteration."""
    largest = instruction.axes
    active = {axis: np.full(count, extent) for axis, extent in largest.items()}
    front: dict[str, Array] = {}
    for into, given in ((front, instruction.front), (active, instruction.active)):
        for axis, parameter in given:
            if parameter not in parameters:
                raise _incomplete(instruction, parameter, "active" if into is active else "front")
            into[axis] = np.clip(parameters[parameter], 0, largest[axis])
    return active, front


def _incomplete(instruction: Instruction, parameter: str, field: str) -> IsamapError:
    given = getattr(instruction, field)
    whole = tuple(instruction.axes[axis] if field == "active" else 0 for axis, _ in given)
    return LanguageError(
        f"a use of {instruction.name} does not say how large {parameter} is; give it {field}={whole}, where all points are active, "
        f"numbers for {', '.join(p for _, p in given)}"
    )


def _served(site: Site, memories: tuple[Memory, ...], scale: int) -> tuple[tuple[int, list[float]], ...]:
    """Each memory that serves a use, with the ticks at every iteration."""
    i, names = site.use.instruction, [m.name for m in memories]
    if not touches(i, memories):
        return ()
    columns = [*((axis, site.active[axis]) for axis, _ in i.active), *((axis, site.front[axis]) for axis, _ in i.front)]
    count, split = site.count, len(i.active)
    stacked = np.stack([c for _, c in columns]) if columns else np.zeros((1, count), np.int64)
    distinct, which = np.unique(stacked, axis=1, return_inverse=True)
    ticks = np.zeros((len(names), distinct.shape[1]))
    for n, values in enumerate(distinct.T.tolist() if count else ()):
        at = tuple((axis, v) for (axis, _), v in zip(columns, values, strict=False))
        for name, cycles in service(i, memories, at[:split], at[split:]):
            ticks[names.index(name), n] = in_ticks(cycles, scale)
    return tuple((m, row[which.reshape(-1)].tolist()) for m, row in enumerate(ticks) if row.any())


def _cycles(instruction: Instruction, active: dict[str, Array], front: dict[str, Array], count: int) -> list[Any]:
    points = np.ones(count, np.int64)
    for axis in instruction.occupies.per:
        points = points * np.maximum(active[axis] - front.get(axis, 0), 0)
    start, each = instruction.occupies.start, instruction.occupies.each
    return [start + each * n for n in points.tolist()]
