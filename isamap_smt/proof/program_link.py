"""Claims 4 and 13: the executions of a program are the points of the kernel, each exactly once.

link      an execution's lane computes a point of the kernel, and no two (execution, lane) compute the same one
coverage  every point of the kernel's own domain is computed: the loop variables that compute it are its digits

Only live lanes count: those whose accumulator cell stands for an output. A program axis that is empty (no kernel axis
fused into an instruction axis) has one point, 0, so only one of its lanes counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import FloorDiv, sym
from isamap_smt.ir.kernel import Access, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Exec
from isamap_smt.ir.scalar import Read, Scalar, reads, rewrite_reads
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_held import operand_cells
from isamap_smt.proof.program_sites import (
    Formula,
    Site,
    Sites,
    UnrecognisedError,
    conjunction,
    primed,
    rename,
    span,
    state,
)


@dataclass(frozen=True)
class Axis:
    """A program axis: the kernel axes fused into it with their extents, and the instruction axis that is its leaf."""

    name: str
    members: tuple[tuple[str, Any], ...]
    lane: str


@dataclass(frozen=True)
class Execution:
    """One Exec: its point by kernel axis, the value of each empty program axis, and whether its lane is live."""

    site: Site
    point: dict[str, Any]
    empty: dict[str, Any]
    live: Formula

    def inside(self, statement: Statement) -> list[Formula]:
        """The point lies in the kernel's domain and the empty axes are at 0."""
        found = [f for a in statement.axes for f in span(self.point[a.name], a.extent)]
        found += [rename(g, self.point) for g in statement.guard]
        return found + [("eq", v, sp.S.Zero) for v in self.empty.values()]


def the_mapping(sites: Sites) -> Mapping:
    """The proved mapping that the program carries out."""
    return sites.program.schedule.proved.mapping


def the_statement(sites: Sites) -> Statement:
    """The statement of the program's kernel that is computed. Several statements need claim 11, order."""
    if len(sites.kernel.statements) != 1:
        raise UnrecognisedError(f"the kernel has {len(sites.kernel.statements)} statements; one is covered so far")
    return sites.kernel.statements[0]


def program_axes(sites: Sites) -> tuple[Axis, ...]:
    """Program axes with extents of the program's own kernel; names as in isamap_smt.ir.schedule."""
    s, m = the_statement(sites), the_mapping(sites)
    grouped = {a for _, g in m.groups for a in g}
    axes = [Axis(a.name, ((a.name, a.extent),), "") for a in s.axes if a.name not in grouped]
    for lane, group in m.groups:
        axes.append(Axis(".".join(group) or f"{lane}_", tuple((g, s.axis(g).extent) for g in group), lane))
    return tuple(axes)


def operand_access(sites: Sites, operand: str) -> Access:
    """What the program's kernel reads (or writes) for an instruction operand, by position in the statement."""
    m, s = the_mapping(sites), the_statement(sites)
    bound = dict(m.binding).get(operand)
    if bound is None:
        raise UnrecognisedError(f"the mapping binds no operand {operand}")
    if operand == m.instruction.kernel.statements[0].target.tensor:
        return s.target
    old = [Access(r.tensor, r.index) for r in reads(m.statement.value)]
    new = [Access(r.tensor, r.index) for r in reads(s.value)]
    if bound not in old or len(old) != len(new):
        raise UnrecognisedError(f"operand {operand} is bound to no element the statement reads")
    return new[old.index(bound)]


def execution(sites: Sites, site: Site) -> Execution:
    """An Exec as the claims see it. Raises UnrecognisedError when its point names other axes than the kernel's."""
    node, s = site.node, the_statement(sites)
    assert isinstance(node, Exec)
    point = {a: sp.sympify(e) for a, e in node.point}
    if set(point) != {a.name for a in s.axes} or len(point) != len(node.point):
        raise UnrecognisedError(f"the point names {sorted(point)}, the kernel's axes are {[a.name for a in s.axes]}")
    acc, _ = operand_cells(site, sites)
    empty = {a.name: _value(site, a) for a in program_axes(sites) if not a.members}
    return Execution(site, point, empty, acc.held.guard)


def _value(site: Site, axis: Axis) -> Any:
    """The value of a program axis by the loops' hints."""
    digits = [x.step * x.var for x in site.loops if x.axis == axis.name]
    return sp.Add(*digits, sym(axis.lane) if axis.lane else sp.S.Zero)


def link_claims(book: Book) -> None:
    """Both claims, over all executions of the program."""
    sites = book.sites
    if book.attempt("link", "", "the kernel has one statement", lambda: the_statement(sites)) is None:
        return
    _same_scalar(book)
    found = [
        book.attempt("link", "", "the executions are recognised", lambda s=s: execution(sites, s))
        for s in sites.of(Exec)
    ]
    executions = [e for e in found if e is not None]
    for n, e in enumerate(executions):
        for other in executions[n:]:
            _once(book, e, other)
    if len(executions) == len(found):
        _everything(book, executions)


def _same_scalar(book: Book) -> None:
    """The mapping's scalar claim is about this kernel's statement: the same tree over operands of the same types."""
    sites, m = book.sites, the_mapping(book.sites)
    s, t = the_statement(sites), m.statement
    try:
        same = sites.kernel == m.kernel.with_sizes(dict(sites.program.schedule.sizes))
    except SizeError:
        same = False
    book.structure(
        "link", "kernel", "the program's kernel is the mapping's at the schedule's sizes", same,
        "the program's kernel differs from the mapping's in more than the schedule's sizes",
    )  # fmt: skip
    blank = [rewrite_reads(x.value, lambda r: Read(r.args[0])) for x in (s, t)]
    book.structure(
        "link", "scalar", "the program computes the scalar that the mapping was proved for",
        blank[0] == blank[1] and isinstance(s.value, Scalar | sp.Number),
        "the program's scalar expression differs from the mapping's",
    )  # fmt: skip
    for site in sites.of(Exec):
        book.structure(
            "link", "instruction", "every execution is the mapping's instruction",
            site.node.instruction == m.instruction,  # type: ignore[union-attr]
            f"{site.node.instruction.name} is executed, {m.instruction.name} was proved",  # type: ignore[union-attr]
        )  # fmt: skip


def _once(book: Book, e: Execution, f: Execution) -> None:
    """Equal points imply equal program axes, hence equal digits, outermost first."""
    statement = the_statement(book.sites)
    loops = [x.var.name for x in f.site.loops]
    lanes = list(f.site.node.instruction.axes)  # type: ignore[union-attr]
    again = primed([*loops, *lanes])
    given = [*state(e.site), e.live, *e.inside(statement)]
    given += rename([*state(f.site), f.live, *f.inside(statement)], again)
    given += [("eq", e.point[a.name], rename(f.point[a.name], again)) for a in statement.axes]
    words = f"no two executions {place(e.site)} compute the same point"
    if e.site is not f.site:
        book.ask("link", "", f"{words} as those {place(f.site)}", given, [("or",)])
        return
    goals: list[Formula] = []
    axes = program_axes(book.sites)
    for a in axes:
        value = _value(e.site, a)
        goals.append(("eq", value, rename(value, again)))
    order = [x.var.name for a in axes for x in e.site.loops if x.axis == a.name]
    order += [n for n in loops if n not in order] + lanes
    goals += [("eq", sym(n), again[n]) for n in order]
    book.ask("link", "", words, given, goals)


def _everything(book: Book, executions: list[Execution]) -> None:
    """The digits of a point of the domain are an execution that computes it."""
    sites, statement = book.sites, the_statement(book.sites)
    words = "every point of the kernel's domain is computed"
    if not executions:
        book.structure("coverage", "", words, False, "nothing is executed")
        return
    names = {a.name: sym(f"{a.name} of the point") for a in statement.axes}
    given = [f for a in statement.axes for f in span(names[a.name], a.extent)]
    given += [rename(g, names) for g in statement.guard]
    options: list[list[Formula]] = []
    for n, e in enumerate(executions):
        table = {} if len(executions) == 1 else {v: sym(f"{v} of {n}") for v in _variables(e)}
        defined, goals = _digits(sites, e, names)
        given += rename(defined, table)
        options.append([rename(g, table) for g in goals])
    if len(options) == 1:
        book.ask("coverage", "", words, given, options[0])
    else:
        book.ask("coverage", "", words, given, [("or", *map(conjunction, options))])


def _variables(e: Execution) -> list[str]:
    return [x.var.name for x in e.site.loops] + list(e.site.node.instruction.axes)  # type: ignore[union-attr]


def _prefix(axis: Axis, n: int, point: dict[str, Any]) -> Any:
    """The value of the first n kernel axes fused: a variable of its own, so that each fusion is one small product."""
    return point[axis.members[0][0]] if n == 1 else sym(f"{axis.name}[:{n}] of the point")


def _fused(axis: Axis, point: dict[str, Any], defined: list[Formula]) -> Any:
    """The value of a program axis at a point; adds the definitions of the values of its prefixes."""
    value: Any = sp.S.Zero
    for n, (name, extent) in enumerate(axis.members, 1):
        value = value * extent + point[name]
        if 1 < n < len(axis.members):
            defined.append(("eq", _prefix(axis, n, point), value))
            value = _prefix(axis, n, point)
    return value


def _digits(sites: Sites, e: Execution, point: dict[str, Any]) -> tuple[list[Formula], list[Formula]]:
    """Definitions of the loop variables as digits of the point, and what must then hold.

    value = step1*v1 + rest1, 0 <= rest1 < step1; rest1 = step2*v2 + rest2; and so on; the last rest is the lane.
    Such digits exist for every value, so the definitions restrict nothing. Loops without a hint stand at 0.
    """
    defined: list[Formula] = []
    sums: list[Formula] = []
    hinted: set[str] = set()
    quotients: list[Formula] = []
    for axis in program_axes(sites):
        value = _fused(axis, point, defined)
        rest = value
        for loop in e.site.loops:
            if loop.axis != axis.name or loop.step < 1 or loop.var.name in hinted:
                continue
            rest = rest - loop.step * loop.var
            defined += span(rest, loop.step)
            hinted.add(loop.var.name)
        if axis.lane:
            defined.append(("eq", sym(axis.lane), rest))
        sums.append(("eq", _value(e.site, axis), value))
        quotient = _value(e.site, axis)
        for n in range(len(axis.members) - 1, 0, -1):
            quotient = FloorDiv(quotient, axis.members[n][1])
            quotients.append(("eq", quotient, _prefix(axis, n, point)))
    loose = [x for x in e.site.loops if x.var.name not in hinted]
    lanes = [a for a in e.site.node.instruction.axes if a not in {x.lane for x in program_axes(sites)}]  # type: ignore[union-attr]
    defined += [("eq", x.var, sp.S.Zero) for x in loose] + [("eq", sym(a), sp.S.Zero) for a in lanes]
    statement = the_statement(sites)
    goals = [*sums, *quotients, *(("eq", e.point[a.name], point[a.name]) for a in reversed(statement.axes))]
    goals += [("eq", v, sp.S.Zero) for v in e.empty.values()]
    goals += [*state(e.site), e.live]
    return defined, goals
