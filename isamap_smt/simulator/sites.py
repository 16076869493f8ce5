"""A program of uses at concrete sizes: every expression is a column of numbers, one number per iteration.

A site is a use in the text of the program; an iteration is a use of the run. The counts of loops depend on sizes alone, so the
iterations of a site are a box: the loop variables are the digits of the iteration's number, and the `number` of the n-th loop is
the number with the digits after the n-th left away. A loop's body takes one place for each use in it, which gives each iteration
its place in program order by the same digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.errors import IsamapError, LanguageError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Loop, Node, Program, Use, walk

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Site:
    """One use in the text, with a column for each of its expressions.

    env: size -> number, loop variable or loop number -> column. position: places in program order. ranks: places in the queue of
    its engine. awaits: (counter, amounts). parameters: as the program says. active: axis -> points, cut to the largest
    extent. cycles: how long each iteration occupies the engine.
    """

    use: Use
    engine: int
    count: int
    loops: tuple[str, ...]
    env: dict[str, Any]
    position: Array
    ranks: Array
    awaits: tuple[tuple[int, list[int]], ...]
    signals: tuple[int, ...]
    parameters: dict[str, Array]
    active: dict[str, Array]
    cycles: list[Any]

    def at(self, iteration: int) -> dict[str, int]:
        """The loop variables of an iteration."""
        return {name: int(self.env[name][iteration]) for name in self.loops}


@dataclass(frozen=True, eq=False)
class Queue:
    """The uses of one engine in order: site and iteration of each."""

    name: str
    sites: list[int]
    iterations: list[int]


@dataclass(frozen=True, eq=False)
class Elaborated:
    """All uses of a program at concrete sizes. counters: every counter that is awaited or signalled."""

    program: Program
    sites: tuple[Site, ...]
    queues: tuple[Queue, ...]
    counters: tuple[str, ...]


def elaborate(program: Program, sizes: Mapping[str, int]) -> Elaborated:
    """The program's uses. Raises LanguageError for an expression over something that has no value, UnknownNameError for an engine
    the machine does not have."""
    for node, around in walk(program.body):
        if not (
            isinstance(node, Use) or (isinstance(node, Alloc) and not around) or (isinstance(node, Loop) and node.plain)
        ):
            raise LanguageError(
                f"programs for engines are made of loops, uses and buffers; this one has a {type(node).__name__}"
            )
    uses = [
        (n, tuple(x for x in around if isinstance(x, Loop))) for n, around in walk(program.body) if isinstance(n, Use)
    ]
    names = [e.name for e in program.machine.engines] if program.machine else []
    counters = tuple(dict.fromkeys(c for u, _ in uses for c in (*(a for a, _ in u.awaits), *u.signals)))
    places = list(_places(program.body, sizes))
    made = []
    for (use, loops), (steps, offset) in zip(uses, places, strict=True):
        engine = use.instruction.engine
        if engine not in names:
            raise UnknownNameError(f"{use.instruction.name}: no engine {engine!r}; {did_you_mean(engine, names)}")
        made.append(_site(use, loops, steps, offset, sizes, names.index(engine), counters))
    queues = []
    for number, name in enumerate(names):
        own = [n for n, s in enumerate(made) if s.engine == number]
        site = np.concatenate([np.full(made[n].count, n) for n in own] or [np.zeros(0, np.int64)])
        iteration = np.concatenate([np.arange(made[n].count) for n in own] or [np.zeros(0, np.int64)])
        order = np.argsort(np.concatenate([made[n].position for n in own] or [np.zeros(0, np.int64)]))
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        for n in own:
            made[n].ranks[:] = rank[site == n]
        queues.append(Queue(name, site[order].tolist(), iteration[order].tolist()))
    return Elaborated(program, tuple(made), tuple(queues), counters)


def column(expr: Any, env: Mapping[str, Any], count: int, what: str) -> Array:
    """The value of an expression at every iteration. Raises LanguageError where a symbol has no value."""
    expr = sp.sympify(expr)
    if unknown := symbols_of([expr]) - set(env):
        raise LanguageError(f"{what}: {expr} mentions {min(unknown)}; {did_you_mean(min(unknown), env)}")
    return np.array(np.broadcast_to(np.asarray(evaluate(expr, env), dtype=np.int64), (count,)))


def _count(loop: Loop, sizes: Mapping[str, int]) -> int:
    return max(0, int(column(loop.count, sizes, 1, f"the count of loop {loop.var}")[0]))


def _length(body: tuple[Node, ...], sizes: Mapping[str, int]) -> int:
    """How many uses a body makes."""
    return sum(_count(n, sizes) * _length(n.body, sizes) if isinstance(n, Loop) else isinstance(n, Use) for n in body)


def _places(
    body: tuple[Node, ...], sizes: Mapping[str, int], steps: tuple[int, ...] = (), offset: int = 0
) -> Iterator[tuple[tuple[int, ...], int]]:
    """For every use: how far one iteration of each loop around it goes on in program order, and where it begins."""
    for node in body:
        if isinstance(node, Loop):
            length = _length(node.body, sizes)
            yield from _places(node.body, sizes, (*steps, length), offset)
            offset += length * _count(node, sizes)
        elif isinstance(node, Use):
            yield steps, offset
            offset += 1


def _site(
    use: Use,
    loops: tuple[Loop, ...],
    steps: tuple[int, ...],
    offset: int,
    sizes: Mapping[str, int],
    engine: int,
    counters: tuple[str, ...],
) -> Site:
    counts = [_count(loop, sizes) for loop in loops]
    count = prod(counts)
    ids = np.arange(count)
    digits = np.unravel_index(ids, counts) if loops and count else tuple(ids for _ in loops)
    env: dict[str, Any] = dict(sizes)
    for n, (loop, digit) in enumerate(zip(loops, digits, strict=True)):
        env[loop.var.name], env[loop.number.name] = digit, ids // max(1, prod(counts[n + 1 :]))
    position = offset + sum((s * d for s, d in zip(steps, digits, strict=True)), np.zeros(count, np.int64))
    name = use.instruction.name

    def value(expr: Any, what: str) -> Array:
        return column(expr, env, count, f"{name}: {what}")

    parameters = {p: value(e, f"parameter {p}") for p, e in use.parameters.items()}
    active = _active(use.instruction, parameters, count)
    awaits = tuple((counters.index(c), value(e, f"await of {c}").tolist()) for c, e in use.awaits)
    signals = tuple(map(counters.index, use.signals))
    cycles = _cycles(use.instruction, active, count)
    loop_names = tuple(loop.var.name for loop in loops)
    ranks = np.zeros(count, np.int64)
    return Site(use, engine, count, loop_names, env, position, ranks, awaits, signals, parameters, active, cycles)


def _active(instruction: Instruction, parameters: dict[str, Array], count: int) -> dict[str, Array]:
    """Axis -> active points at every iteration."""
    largest = instruction.axes
    active = {axis: np.full(count, extent) for axis, extent in largest.items()}
    for axis, parameter in instruction.active:
        if parameter not in parameters:
            raise _incomplete(instruction, f"parameter {parameter}")
        active[axis] = np.clip(parameters[parameter], 0, largest[axis])
    return active


def _incomplete(instruction: Instruction, what: str) -> IsamapError:
    return LanguageError(f"a use of {instruction.name} says nothing of {what}; add it")


def _cycles(instruction: Instruction, active: dict[str, Array], count: int) -> list[Any]:
    points = np.ones(count, np.int64)
    for axis in instruction.occupies.per:
        points = points * active[axis]
    start, each = instruction.occupies.start, instruction.occupies.each
    return [start + each * n for n in points.tolist()]
