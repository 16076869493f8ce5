"""Executions of a program: instructions for the mapped statement, portable ones of single points for any.

Both are seen alike: a point of a statement, the places of the output and of the elements read, and a condition under
which it counts. A program axis is counted by loops: kernel axes fused into an instruction axis, or one kernel axis by
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import elements, sym
from isamap_smt.ir.kernel import Access, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Compute, Point
from isamap_smt.ir.scalar import reads
from isamap_smt.proof.program_held import TRUE, Place, operand_cells, place_of
from isamap_smt.proof.program_sites import Formula, Site, Sites, UnrecognisedError, rename, span


@dataclass(frozen=True)
class Axis:
    """A program axis: the kernel axes fused into it with their extents, and the instruction axis at its leaf."""

    name: str
    members: tuple[tuple[str, Any], ...]
    lane: str


@dataclass(frozen=True)
class Execution:
    """Points of statement number `position` computed by one execution, as functions of its state.

    point: by kernel axis. target: the place updated; inputs: (element read by the statement, its place). empty: the
    value of each program axis without kernel axes. live: the condition under which the lane counts. named: operands read
    by data, each with the cell named by what its index registers hold.
    """

    site: Site
    position: int
    statement: Statement
    axes: tuple[Axis, ...]
    point: dict[str, Any]
    target: Place
    inputs: tuple[tuple[Access, Place], ...]
    empty: dict[str, Any]
    live: Formula
    named: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def inside(self) -> list[Formula]:
        """The point lies in the kernel's domain and the empty axes are at 0."""
        found = [f for a in self.statement.axes for f in span(self.point[a.name], a.extent)]
        found += [rename(g, self.point) for g in self.statement.guard]
        return found + [("eq", v, sp.S.Zero) for v in self.empty.values()]

    @property
    def by_element(self) -> bool:
        """Whether it is one point, from memory to memory."""
        return isinstance(self.site.node, Point)

    @property
    def lanes(self) -> list[str]:
        """The instruction's own axes."""
        node = self.site.node
        return list(node.instruction.axes) if isinstance(node, Compute) else []

    @property
    def output(self) -> list[Any]:
        """Coordinates of the output element of the point."""
        return [rename(i, self.point) for i in self.statement.target.index]


def reads_in_memory(e: Execution, p: Place) -> bool:
    """Whether an instruction reads an element of a tensor in main memory itself, at an address made of data."""
    return p.home is None and not e.by_element and bool(elements(p.index))


def the_mapping(sites: Sites, position: int) -> Mapping:
    """The proved mapping of a statement, carried out by the program's instructions."""
    found = [x.proved.mapping for x in sites.program.schedules if x.proved.mapping.statement_index == position]
    if len(found) != 1:
        raise UnrecognisedError(f"statement {position + 1} has {len(found)} proved mappings; instructions need one")
    return found[0]


def the_statement(sites: Sites, position: int) -> Statement:
    """A statement of the program's kernel."""
    if not 0 <= position < len(sites.kernel.statements):
        raise UnrecognisedError(f"the program's kernel has no statement {position + 1}")
    return sites.kernel.statements[position]


def program_axes(sites: Sites, position: int) -> tuple[Axis, ...]:
    """Program axes of a statement's mapping with extents of the program's own kernel; names as in
    isamap_smt.ir.schedule."""
    s, m = the_statement(sites, position), the_mapping(sites, position)
    grouped = {a for _, g in m.groups for a in g}
    axes = [Axis(a.name, ((a.name, a.extent),), "") for a in s.axes if a.name not in grouped]
    for lane, group in m.groups:
        axes.append(Axis(".".join(group) or f"{lane}_", tuple((g, s.axis(g).extent) for g in group), lane))
    return tuple(axes)


def operand_access(sites: Sites, position: int, operand: str) -> Access:
    """The statement's access for an instruction operand, by position in the statement."""
    m, s = the_mapping(sites, position), the_statement(sites, position)
    bound = dict(m.binding).get(operand)
    if bound is None:
        raise UnrecognisedError(f"the mapping binds no operand {operand}")
    if operand == m.instruction.kernel.statements[0].target.tensor:
        return s.target
    old, new = _read(m.statement), _read(s)
    if bound not in old or len(old) != len(new):
        raise UnrecognisedError(f"operand {operand} is bound to no element the statement reads")
    return new[old.index(bound)]


def _read(s: Statement) -> list[Access]:
    """Every element read, repeated ones included; then those in indices, each once."""
    value = [Access(r.tensor, r.index) for r in reads(s.value)]
    return [*value, *(Access(e.tensor, e.index) for e in elements(i for a in (*value, s.target) for i in a.index))]


def execution(sites: Sites, site: Site) -> Execution:
    """An execution as the claims see it. Raises UnrecognisedError when it is no point of its statement."""
    node = site.node
    if isinstance(node, Point):
        return _computed(sites, site, node)
    assert isinstance(node, Compute)
    position = node.statement
    statement = the_statement(sites, position)
    point = _point(node.point, statement)
    acc, inputs = operand_cells(site, sites)
    axes = program_axes(sites, position)
    empty = {a.name: axis_value(site, a) for a in axes if not a.members}
    taken = tuple((operand_access(sites, position, o), p) for o, p in inputs)
    named = tuple((o, p.index) for o, p in inputs if elements(p.index))
    return Execution(site, position, statement, axes, point, acc, taken, empty, acc.held.guard, named)


def _computed(sites: Sites, site: Site, node: Point) -> Execution:
    statement = the_statement(sites, node.statement)
    places = [place_of(sites, site, r, tuple(map(sp.sympify, r.index))) for r in (node.dst, *node.reads)]
    for p in places:
        if p.home is not None and p.home.node.buffer.memory != "heap":  # type: ignore[union-attr]
            raise UnrecognisedError(f"{p.name} is a register; a statement is computed over memory")
    if len(statement.inputs) != len(places) - 1:
        raise UnrecognisedError(
            f"statement {node.statement + 1} reads {len(statement.inputs)} elements, and not {len(places) - 1}"
        )
    inputs = tuple(zip(statement.inputs, places[1:], strict=True))
    point = _point(node.point, statement)
    axes = _counted(sites, site, statement, point)
    return Execution(site, node.statement, statement, axes, point, places[0], inputs, {}, TRUE)


def _point(claimed: tuple[tuple[str, Any], ...], s: Statement) -> dict[str, Any]:
    point = {a: sp.sympify(e) for a, e in claimed}
    if set(point) != {a.name for a in s.axes} or len(point) != len(claimed):
        raise UnrecognisedError(f"the point names {sorted(point)}, the kernel's axes are {[a.name for a in s.axes]}")
    return point


def _counted(sites: Sites, site: Site, statement: Statement, point: dict[str, Any]) -> tuple[Axis, ...]:
    """Program axes counted by the loops around one point.

    If the statement reads the mapped output element by element, these are the mapping's axes, in terms of the
    statement's own; the rest are its own axes. If it reads several outputs, the loops name the axes of one. No proof
    rests on this choice, but a wrong one would let coverage look refuted. So a loop with the name of an axis of both
    counts as the one in the point.
    """
    counted = {x.axis for x in site.loops if x.axis}
    read = {a.tensor for a in statement.inputs}
    positions = [x.proved.mapping.statement_index for x in sites.program.schedules]
    own = tuple(Axis(x.name, ((x.name, x.extent),), "") for x in statement.axes)
    if not positions:
        return own
    mapped = [n for n in positions if the_statement(sites, n).target.tensor in read] or positions[:1]
    position = max(mapped, key=lambda n: sum(a.name in counted for a in program_axes(sites, n)))
    table = _same_axes(the_statement(sites, position), statement)
    found: list[Axis] = []
    for a in program_axes(sites, position):
        plain = a.name in point and point[a.name] == axis_value(site, Axis(a.name, (), ""))
        if plain and [table.get(name) for name, _ in a.members] != [a.name]:
            continue
        if a.name in counted and a.members and all(name in table for name, _ in a.members):
            members = tuple((table[name], extent) for name, extent in a.members)
            found.append(Axis(a.name, members, ""))
    taken = {name for a in found for name, _ in a.members}
    return (*found, *(x for x in own if x.name not in taken))


def _same_axes(mapped: Statement, statement: Statement) -> dict[str, str]:
    """Axis of the mapped statement's output -> axis of the reading statement."""
    for a in statement.inputs:
        if a.tensor == mapped.target.tensor and len(a.index) == len(mapped.target.index):
            both = [(sp.sympify(i), sp.sympify(j)) for i, j in zip(mapped.target.index, a.index, strict=True)]
            pairs = [(i, j) for i, j in both if not (i == j and i.is_Integer)]
            if all(i.is_Symbol for pair in pairs for i in pair):
                return {i.name: j.name for i, j in pairs}
    return {a.name: a.name for a in statement.axes}


def axis_value(site: Site, axis: Axis) -> Any:
    """The value of a program axis by the loops' hints."""
    digits = [x.step * x.var for x in site.loops if x.axis == axis.name]
    return sp.Add(*digits, sym(axis.lane) if axis.lane else sp.S.Zero)


def executions(sites: Sites) -> list[Site]:
    """Every execution, in program order."""
    return sites.of(Compute, Point)
