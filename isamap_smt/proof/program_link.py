"""Claims 4 and 13: the executions of a program are the points of the kernel, each exactly once.

link      an execution's lane computes a point of the kernel, and no two (execution, lane) compute the same one
coverage  every point of the kernel's own domain is computed: its digits are the loop variables of its execution

Only live lanes count: those with an output in their accumulator cell. An empty program axis (no kernel axis fused into
an instruction axis) has one point, 0, so only one of its lanes counts.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import FloorDiv, sym, symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Compute, If
from isamap_smt.ir.scalar import Read, Scalar, rewrite_reads
from isamap_smt.ir.schedule import Schedule
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_executions import (
    Axis,
    Execution,
    axis_value,
    execution,
    executions,
    the_mapping,
    the_statement,
)
from isamap_smt.proof.program_sites import Formula, Site, Sites, conjunction, mentioned, primed, rename, span, state


def link_claims(book: Book) -> None:
    """Both claims, over all executions of the program."""
    sites = book.sites
    for s in sites.program.schedules:
        position = s.proved.mapping.statement_index
        words = "the mapping's statement is there, mapped once"
        if book.attempt("link", "", words, lambda n=position: _mapped(sites, n)) is None:
            return
        _same_scalar(book, s)
    _same_instructions(book)
    found = [
        book.attempt("link", "", "the executions are recognised", lambda s=s: execution(sites, s))
        for s in executions(sites)
    ]
    recognised = [e for e in found if e is not None]
    for position in range(len(sites.kernel.statements)):
        group = [e for e in recognised if e.position == position]
        for n, e in enumerate(group):
            for other in group[n:]:
                _once(book, e, other)
        if len(recognised) == len(found):
            _everything(book, position, group)


def _mapped(sites: Sites, position: int) -> tuple[Mapping, Statement]:
    """A statement with its one mapping. Raises UnrecognisedError."""
    return the_mapping(sites, position), the_statement(sites, position)


def _same_scalar(book: Book, schedule: Schedule) -> None:
    """The mapping's scalar claim is about this kernel's statement: the same tree over operands of the same types."""
    sites = book.sites
    m, s = _mapped(sites, schedule.proved.mapping.statement_index)
    t = m.statement
    try:
        same = sites.kernel == m.kernel.with_sizes(dict(schedule.sizes))
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


def _same_instructions(book: Book) -> None:
    words = "every execution is the mapping's instruction"
    for site in book.sites.computing():
        book.attempt("link", "instruction", words, lambda s=site: _same_instruction(book, s, words))


def _same_instruction(book: Book, site: Site, words: str) -> None:
    node = site.node
    assert isinstance(node, Compute)
    proved = the_mapping(book.sites, node.statement).instruction
    wrong = f"{node.instruction.name} is executed, {proved.name} was proved"
    book.structure("link", "instruction", words, node.instruction == proved, wrong)


def _once(book: Book, e: Execution, f: Execution) -> None:
    """Equal points imply equal program axes, hence equal digits, outermost first."""
    loops = [x.var.name for x in f.site.loops]
    again = primed([*loops, *f.lanes])
    given = [*state(e.site), e.live, *e.inside()]
    given += rename([*state(f.site), f.live, *f.inside()], again)
    given += [("eq", e.point[a.name], rename(f.point[a.name], again)) for a in e.statement.axes]
    words = f"no two executions {place(e.site)} compute the same point"
    if e.site is not f.site:
        book.ask("link", "", f"{words} as those {place(f.site)}", given, [("or",)])
        return
    goals: list[Formula] = []
    for a in e.axes:
        value = axis_value(e.site, a)
        goals.append(("eq", value, rename(value, again)))
    order = [x.var.name for a in e.axes for x in e.site.loops if x.axis == a.name]
    order += [n for n in loops if n not in order] + e.lanes
    goals += [("eq", sym(n), again[n]) for n in order]
    book.ask("link", "", words, given, goals)


def _everything(book: Book, position: int, group: list[Execution]) -> None:
    """The digits of a point of the domain give an execution to compute it."""
    statements = book.sites.kernel.statements
    statement = statements[position]
    of = f" of statement {position + 1}" if len(statements) > 1 else ""
    words = f"every point of the kernel's domain{of} is computed"
    if not group:
        book.structure("coverage", "", words, False, f"nothing{of} is executed")
        return
    names = {a.name: sym(f"{a.name} of the point") for a in statement.axes}
    given = [f for a in statement.axes for f in span(names[a.name], a.extent)]
    given += [rename(g, names) for g in statement.guard]
    options: list[list[Formula]] = []
    shared = {*book.sites.given, *(str(v) for v in names.values())}
    for n, e in enumerate(group):
        defined, goals = _digits(e, names)
        # what one execution defines may mean something else in the next: only sizes and the point are the same
        own = [] if len(group) == 1 else sorted(mentioned([*defined, *goals]) - shared)
        table = {v: sym(f"{v} of {n}") for v in own}
        given += rename(defined, table)
        options.append([rename(g, table) for g in goals])
    if len(options) == 1:
        book.ask("coverage", "", words, given, options[0])
    else:
        book.ask("coverage", "", words, given, [("or", *map(conjunction, options))])


def _prefix(axis: Axis, n: int, point: dict[str, Any]) -> Any:
    """The value of the first n kernel axes fused: a variable of its own, so each fusion is one small product."""
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


def _digits(e: Execution, point: dict[str, Any]) -> tuple[list[Formula], list[Formula]]:
    """(definitions of the loop variables as digits of the point, the goals under them).

    value = step1*v1 + rest1, 0 <= rest1 < step1; rest1 = step2*v2 + rest2; and so on; the last rest is the lane. Such
    digits exist for every value, so the definitions restrict nothing. Loops without a hint get their value from a
    condition around the execution, else 0.
    """
    defined: list[Formula] = []
    sums: list[Formula] = []
    hinted: set[str] = set()
    quotients: list[Formula] = []
    for axis in e.axes:
        value = _fused(axis, point, defined)
        rest = value
        for loop in e.site.loops:
            digit = sp.sympify(loop.step).is_Integer and loop.step >= 1
            if loop.axis != axis.name or not digit or loop.var.name in hinted:
                continue
            rest = rest - loop.step * loop.var
            defined += span(rest, loop.step)
            hinted.add(loop.var.name)
        if axis.lane:
            defined.append(("eq", sym(axis.lane), rest))
        sums.append(("eq", axis_value(e.site, axis), value))
        quotient = axis_value(e.site, axis)
        for n in range(len(axis.members) - 1, 0, -1):
            quotient = FloorDiv(quotient, axis.members[n][1])
            quotients.append(("eq", quotient, _prefix(axis, n, point)))
    loose = [x.var for x in e.site.loops if x.var.name not in hinted]
    lanes = [a for a in e.lanes if a not in {x.lane for x in e.axes}]
    fixed = _fixed(e)
    defined += [("eq", v, fixed.get(v, sp.S.Zero)) for v in loose] + [("eq", sym(a), sp.S.Zero) for a in lanes]
    goals = [*sums, *quotients, *(("eq", e.point[a.name], point[a.name]) for a in reversed(e.statement.axes))]
    goals += [("eq", v, sp.S.Zero) for v in e.empty.values()]
    goals += [*state(e.site), e.live]
    return defined, goals


def _fixed(e: Execution) -> dict[Any, Any]:
    """Loop variables set by a condition around the execution to a value over sizes only."""
    varying = {x.var.name for x in e.site.loops}
    conditions = [c for n in e.site.around if isinstance(n, If) for c in n.condition]
    equations = [c for c in conditions if isinstance(c, sp.Eq) and c.lhs.is_Symbol]
    return {c.lhs: c.rhs for c in equations if not symbols_of([c.rhs]) & varying}
