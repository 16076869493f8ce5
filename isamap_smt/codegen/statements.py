"""Statements computed element by element: in the mapped statement's nest, on its complete result while this is still in
the cache (an epilogue), or in loops of their own before and after it.

A later statement joins the nest if it assigns or adds to one element for each element of the mapped output, and reads
only the same element of the program's other results. Of the mapped output it may also read others along a dimension
held whole by one register tile. Nothing here is trusted: prove_program() checks the order.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.nest import Nest
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.indirect import by_data, writes_by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.program import If, Node, Parallel, Point, Ref, Serial, element_of
from isamap_smt.proof.program_kernel_order import injective

Nodes = tuple[Node, ...]
WINDOW = 16  # points of a sum that compilers write out
WORTH_THREADS = 1 << 14  # operations of a loop that threads share: to begin and end it takes them a microsecond or two


@dataclass(frozen=True)
class Others:
    """The kernel's other statements. before and after: loops of their own; inside: for the body around the accumulators."""

    before: Nodes
    inside: Nodes
    after: Nodes


@dataclass(frozen=True)
class Within:
    """A block of an axis, in one iteration of a loop around: its points begin at `start`, and are at most `count`."""

    axis: str
    start: Any
    count: Any


def others(
    nest: Nest,
    parallel: bool,
    first: int,
    end: int,
    around: Dict[str, Any] | None = None,
    within: tuple[Within, ...] = (),
) -> Others:
    """Places statements from `first` to before `end`, other than the mapped one: before its nest, inside it, or after.

    parallel: their own outermost loops may be spread over threads. around: axes counted by a loop around all of them.
    within: blocks of axes in one iteration of the loops around; later statements compute only their points. Without
    blocks they compute all.
    """
    mapped = nest.mapping.statement_index
    before = alone(nest.kernel, range(first, mapped), parallel, around)
    last = _last_visit(nest)
    joined: dict[int, dict[str, str]] = {}
    for n in range(mapped + 1, end) if last is not None else ():
        table = _joins(nest, n, joined)
        if table is None:
            break  # what comes later may need this one, and stays behind it
        joined[n] = table
    inside: Nodes = ()
    for n, table in joined.items():
        inside += _epilogue(nest, n, table)
    if inside and last:
        inside = (If(last, inside),)
    after = alone(nest.kernel, range(mapped + 1 + len(joined), end), parallel, around, within)
    return Others(before, inside, after)


# ---- an epilogue ---------------------------------------------------------------------------------------------------


def _last_visit(nest: Nest) -> tuple[Any, ...] | None:
    """When the accumulators hold the whole sum: at the last iteration of each reduction loop around them. None: unknown."""
    around = [loop for loop in nest.loops[: nest.accumulate] if nest.axes[loop.axis].reduction]
    vary = {x.var.name for x in around} & symbols_of(
        [x.count for x in around]
    )  # then no size alone says which one is the last
    if vary or not all(a.members for a in nest.axes.values()):
        return None
    return tuple(sp.Eq(loop.var, loop.count - 1) for loop in around)


def _joins(nest: Nest, n: int, joined: Dict[int, Dict[str, str]]) -> dict[str, str] | None:
    """The statement's axes as axes of the mapped one, when it can be computed tile by tile with it; else None."""
    s, statements = nest.kernel.statements[n], nest.kernel.statements
    table = _axes(nest, s)
    if s.op == "*" or s.guard or table is None:
        return None
    if not injective(s) or (nest.kernel.recurrence_of(n) is not None and not _in_place(s)):
        return None  # the next row of a state stays behind the loops, which then run to and fro
    results = {nest.statement.target.tensor: tuple(nest.statement.target.index)}
    for m, names in joined.items():
        target = statements[m].target
        results[target.tensor] = tuple(substitute(i, _symbols(names)) for i in target.index)
    later = {x.target.tensor for x in statements[n:]} - {s.target.tensor}
    for a in s.inputs:
        here = tuple(substitute(i, _symbols(table)) for i in a.index)
        if a.tensor in later or (a.tensor in results and not _in_tile(nest, here, results[a.tensor])):
            return None
    return table


def _axes(nest: Nest, s: Statement) -> dict[str, str] | None:
    """Axis of `s` -> axis of the mapped statement, by the element that `s` reads of the mapped output."""
    target = nest.statement.target
    outputs = {m for a in nest.axes.values() if not a.reduction for m in a.members}
    names = {x.name for x in s.axes}
    for a in s.inputs:
        if a.tensor != target.tensor:
            continue
        pairs = list(zip(a.index, target.index, strict=True))
        if any(i != j for i, j in pairs if not j.is_Symbol):
            continue
        table = {i.name: j.name for i, j in pairs if i.is_Symbol and j.is_Symbol}
        left = outputs - set(table.values())
        if any(s.axis(i).extent != nest.statement.axis(j).extent for i, j in table.items() if i in names):
            continue  # some elements of its are none of the mapped statement's
        if set(table) == names and len(set(table.values())) == len(table) and _whole(nest, left):
            return table
    return None


def _whole(nest: Nest, axes: set[str]) -> bool:
    """Whether every register tile holds all points of these axes of the mapped statement."""
    for name, a in nest.axes.items():
        mine = axes & set(a.members)
        if mine and not (
            mine == set(a.members)
            and is_constant(a.extent)
            and is_constant(nest.tile(name))
            and int(a.extent) <= nest.tile(name)
        ):
            return False
    return True


def _in_tile(nest: Nest, here: tuple[Any, ...], there: tuple[Any, ...]) -> bool:
    """Whether the element at `here` is in the tile of the one at `there`: it is the same, but for dimensions held whole."""
    moved = [(i, j) for i, j in zip(here, there, strict=True) if i != j]
    return all(is_constant(i) and j.is_Symbol and _whole(nest, {j.name}) for i, j in moved)


def _in_place(s: Statement) -> bool:
    """Whether each axis is an index of the target by itself."""
    return {i.name for i in _plain(s.target.index)} == {a.name for a in s.axes}


def _plain(index: tuple[Any, ...]) -> list[Any]:
    return [i for i in index if i.is_Symbol]


def _symbols(names: Dict[str, str]) -> dict[str, Any]:
    return {a: sym(b) for a, b in names.items()}


def _epilogue(nest: Nest, n: int, table: dict[str, str]) -> Nodes:
    """Loops over the points of one register tile, the last dimension of the output innermost."""
    order = [i.name for i in _plain(nest.statement.target.index)]
    axes = [a for a, x in nest.axes.items() if not x.reduction and set(x.members) & set(table.values())]
    axes.sort(key=lambda a: max(order.index(m) for m in nest.axes[a].members))
    variables = {a: sym(f"{a.replace('.', '_')}_e{n + 1}") for a in axes}
    values = {a: nest.value(a) + variables.get(a, 0) for a in nest.axes}
    point = nest.point(values)
    body: Nodes = (_compute(nest.kernel, n, {name: point[table[name]] for name in table}),)
    for a in reversed(axes):
        count: Any = sp.sympify(nest.tile(a))
        if nest.has_tail(a):
            count = IMin(count, nest.axes[a].extent - nest.value(a))
        body = (Serial(variables[a], count, body, a),)
    return body


# ---- loops of its own ----------------------------------------------------------------------------------------------


def alone(
    kernel: Kernel,
    numbers: range,
    parallel: bool,
    around: Dict[str, Any] | None = None,
    within: tuple[Within, ...] = (),
) -> Nodes:
    """Loops of its own for each of the statements, inside the loops that count the axes `around`. within: only for the
    points of these blocks. Raises ScheduleError if a statement lacks a block's axis."""
    nodes: Nodes = ()
    for n in numbers:
        s, given = kernel.statements[n], dict(around or {})
        index = [i.name for i in _plain(s.target.index)]
        names = sorted((a.name for a in s.axes), key=lambda a: (a not in index, index.index(a) if a in index else 0))
        if s.ordered or _keeps_order(s):
            names = [a.name for a in s.axes]
        else:
            near = _nearest(s, [a for a in names if a not in given])
            moved = [*(a for a in names if a != near), *(a for a in names if a == near)]
            names = names if parallel and set(moved[:1]) - set(index) and not writes_by_data(s) else moved
        counted = {a: sym(f"{a}_{n + 1}") for a in names}
        point = {a: given.get(a, counted[a]) for a in names}
        counts = {a: s.axis(a).extent for a in names}
        for block in within:
            if block.axis not in point:
                raise ScheduleError(
                    f"{kernel.name}: statement {n + 1} has no axis {block.axis}, over which those beside it share a loop"
                )
            point[block.axis] += block.start
            counts[block.axis] = block.count
            parallel = False
        body: Nodes = (_compute(kernel, n, point),)
        if s.guard:
            body = (If(tuple(substitute(g, point) for g in s.guard), body),)
        own = [a for a in names if a not in given]
        for k, a in reversed(list(enumerate(own))):
            shared = parallel and k == 0 and a in index and not _looks_around(s) and _worth_threads(s, own)
            body = ((Parallel if shared else Serial)(counted[a], counts[a], body, a),)
        nodes += body
    return nodes


def _nearest(s: Statement, names: list[str]) -> str | None:
    """The axis of the output with the most accesses side by side in memory; None if it is a reduction axis.

    An element's points keep their order if the loop over this axis comes last. A sum over few points is written out by
    the compiler, and stays innermost.
    """

    summed = [s.axis(a).extent for a in s.reduction_axes]
    if summed and all(map(is_constant, summed)) and prod(map(int, summed)) <= WINDOW and not by_data(s):
        return None

    def beside(axis: str) -> int:
        touched = [a.index for a in (s.target, *s.inputs) if axis in symbols_of(a.index)]
        return sum(1 if index[-1] == sym(axis) else -1 for index in touched)

    best = max(
        sorted(names, key=lambda a: a not in s.reduction_axes), key=beside, default=None
    )  # of equals one summed over
    return best if best in {i.name for i in _plain(s.target.index)} else None


def _keeps_order(s: Statement) -> bool:
    """Whether the order of its points can be seen: an element is assigned more than once, or it reads its own output."""
    return (s.op == "=" and not injective(s)) or _looks_around(s) or (s.op != "=" and s.target in s.inputs)


def _worth_threads(s: Statement, axes: list[str]) -> bool:
    """Whether loops over these axes have as many operations as threads do while they begin and end one, or nobody knows."""
    extents = [s.axis(a).extent for a in axes]
    if not all(map(is_constant, extents)):
        return True
    return prod(map(int, extents)) * sum(1 for _ in sp.preorder_traversal(s.value)) >= WORTH_THREADS


def _looks_around(s: Statement) -> bool:
    """Whether it reads other elements of its own output."""
    return any(a.tensor == s.target.tensor and a != s.target for a in s.inputs)


def _compute(kernel: Kernel, n: int, point: dict[str, Any]) -> Point:
    s = kernel.statements[n]

    def place(tensor: str, index: tuple[Any, ...]) -> Ref:
        return Ref(tensor, tuple(substitute(i, point) for i in index))

    reads = tuple(place(a.tensor, a.index) for a in s.inputs)
    return element_of(kernel, n, place(s.target.tensor, s.target.index), reads, tuple(point.items()))
