"""How many elements the uses of a program read and write, by memory and tensor: counted from its text, exactly.

A use touches the cells of its active points, each once, and the cells beyond that it clears. These depend on the use
parameters for active points, and these on few loops. A loop that does not influence them multiplies, and is not gone
through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.instruction import GIVE, TAKE, Instruction
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import If, Issued, Loop, Program
from isamap_smt.ir.scalar import reads
from isamap_smt.ir.traversal import buffers, walk
from isamap_smt.simulator.iterations import Rows
from isamap_smt.simulator.places import check_contract, points

Array = np.ndarray
Span = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Touched:
    """The effect of all uses of one instruction on one operand, in elements. uses: how many there are."""

    instruction: Instruction
    operand: str
    memory: str
    tensor: str
    uses: int
    reads: int
    writes: int


def touched(program: Program, sizes: Mapping[str, int]) -> tuple[Touched, ...]:
    """Of every use of a program for engines at these sizes; one for each instruction, operand and tensor. Raises LanguageError."""
    known, found = buffers(program), dict[tuple[str, str, str, str], Touched]()
    for node, around in walk(program):
        if not isinstance(node, Issued) or node.instruction.kind in ("signal", "configure", GIVE, TAKE):
            continue
        i = node.instruction
        check_contract(i)
        spans = list(_spans(node, around, sizes))
        for operand, ref in node.operands:
            if operand in i.immediates:
                continue
            b = known.get(ref.name)
            memory, tensor = (MAIN, str(ref.name)) if b is None else (b.memory, b.type.tensor)
            key = (i.name, operand, memory, tensor)
            one = found.setdefault(key, Touched(i, operand, memory, tensor, 0, 0, 0))
            counted = [(times, *elements(i, operand, active, front)) for times, active, front in spans]
            found[key] = replace(
                one,
                uses=one.uses + sum(times for times, _, _ in counted),
                reads=one.reads + sum(times * read for times, read, _ in counted),
                writes=one.writes + sum(times * written for times, _, written in counted),
            )
    return tuple(found.values())


def _spans(use: Issued, around: tuple[Any, ...], sizes: Mapping[str, int]) -> Iterator[tuple[int, Span, Span]]:
    """(how many iterations, end of each axis' active points, their start)."""
    i = use.instruction
    given = [sp.sympify(e) for e in use.parameters.values()]
    needed = {str(s) for s in symbols_of(given)}
    whole = False
    inner: list[tuple[Any, bool]] = []
    for node in reversed(around):
        if isinstance(node, If):
            needed |= {str(s) for s in symbols_of([sp.sympify(c) for c in node.condition])}
            inner.append((node, True))
            continue
        whole = whole or node.number.name in needed
        counts = whole or node.var.name in needed
        needed |= {str(s) for s in symbols_of([sp.sympify(node.trips)])}
        inner.append((node, counts))
    rows, times = Rows(1, dict(sizes), buffers={}), np.ones(1, dtype=object)
    for node, counts in reversed(inner):
        if isinstance(node, If):
            holds = np.ones(rows.count, bool)
            for c in node.condition:
                holds &= rows.column(c, "a condition") != 0
            chosen = np.flatnonzero(holds)
            rows, times = rows.chosen(chosen), times[chosen]
        elif isinstance(node, Loop):
            trips = rows.column(node.trips, f"the count of loop {node.var.name}").clip(min=0)
            if not counts:
                times = times * trips
                continue
            rows, digit, outer = rows.repeated(trips)
            rows = replace(rows, env=rows.env | {node.var.name: digit, node.number.name: np.arange(rows.count)})
            times = times[outer]
    values = {p: rows.column(e, f"{i.name}: parameter {p}") for p, e in use.parameters.items()}
    largest = i.axes
    active = {a: np.clip(values[p], 0, largest[a]) for a, p in i.active}
    front = {a: np.clip(values[p], 0, largest[a]) for a, p in i.front}
    columns = [*active.values(), *front.values()]
    if not columns:
        yield int(times.sum()), (), ()
        return
    distinct, which = np.unique(np.stack(columns), axis=1, return_inverse=True)
    for n, column in enumerate(distinct.T.tolist()):
        many = int(times[np.flatnonzero(which.reshape(-1) == n)].sum())
        split = len(active)
        yield many, tuple(zip(active, column[:split], strict=True)), tuple(zip(front, column[split:], strict=True))


@lru_cache(maxsize=4096)
def elements(i: Instruction, operand: str, active: Span, front: Span) -> tuple[int, int]:
    """(read, written) of an operand by one use with these points active: each cell counts once; cleared ones are written."""
    statement = i.kernel.statements[0]
    writes = statement.target.tensor == operand
    read = any(r.tensor == operand for r in reads(statement.value)) or (writes and statement.op != "=")
    spans = {**i.axes, **dict(active)}
    begin = dict(front)
    index = i.indices[operand]
    plain = not statement.guard and all(e.is_Symbol for e in index) and len(set(index)) == len(index)
    clears = writes and statement.op == "=" and i.beyond == ZERO
    if plain and all(n > begin.get(a, 0) for a, n in spans.items()):
        inside = prod(spans[str(e)] - begin.get(str(e), 0) for e in index)
        every = prod(i.axes[str(e)] for e in index)
        return inside if read else 0, (every if clears else inside) if writes else 0
    here, beyond = points(i, spans, begin)
    cells = _cells(index, here)
    count = len(cells)
    cleared = len(_cells(index, beyond) - cells) if clears else 0
    return count if read else 0, count + cleared if writes else 0


def _cells(index: tuple[Any, ...], at: Mapping[str, Array]) -> set[tuple[int, ...]]:
    n = at["#"].size
    columns = [np.broadcast_to(np.asarray(evaluate(e, at)), (n,)).tolist() for e in index]
    return set(zip(*columns, strict=True)) if columns else ({()} if n else set())


__all__ = ["Touched", "elements", "touched"]
