"""Takes an axis apart into two digits, i = 4*i_by4 + i_mod4. Nothing here is trusted: proof/rewrite_claims.py
shows that both kernels compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir import rows
from isamap_smt.ir.boxes import decided_by_output, extreme, slack
from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, FloorMod, affine, ceil_div, is_constant, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Piece, Rewrite
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.mapping.substituted import in_place_of, new_name, over_other_axes

Digits = tuple[tuple[str, int], ...]  # axis, points of its low digit


def split_axis(kernel: Kernel, axis: str, points: int, statement: int | None = None) -> Rewrite:
    """The kernel with the axis of one statement (the main one if None) as two: i = points * i_by + i_mod.

    If `points` does not divide the axis, or its extent is open, a condition cuts off the last digits. Both axes stand
    in the old one's place, so the points keep their order. Raises ScheduleError if this is impossible.
    """
    position = kernel.main if statement is None else statement
    s = kernel.statements[position]
    names = [a.name for a in s.axes]
    if axis not in names:
        raise ScheduleError(
            f"statement {position + 1} of {kernel.name} has no axis {axis!r}; {did_you_mean(axis, names)}"
        )
    if kernel.recurrence_of(position) is not None:
        raise ScheduleError(f"{axis} has no digits of its own: statement {position + 1} stands in a recurrence")
    extent = s.axis(axis).extent
    if points < 2 or (is_constant(extent) and points >= 2 * int(extent)):
        raise ScheduleError(
            f"{axis} runs to {extent}: {points} is no digit of it; take 2 points at least, half of them in use"
        )
    high, low = (new_name(kernel, f"{axis}_{what}{points}") for what in ("by", "mod"))
    point = points * sym(high) + sym(low)
    whole = is_constant(extent) and int(extent) % points == 0
    axes = (Axis(high, ceil_div(extent, points)), Axis(low, sp.Integer(points)))
    made = over_other_axes(s, axis, axes, point, s.guard)
    if not whole:
        made = replace(made, guard=(*made.guard, sp.Lt(point, extent, evaluate=False)))
    new = in_place_of(kernel, position, (_reduced(made),))
    same = tuple((a.name, a.symbol) for a in s.axes if a.name != axis)
    back = ((high, FloorDiv(sym(axis), points)), (low, FloorMod(sym(axis), points)))
    piece = Piece(position, (*same, (axis, point)), (*same, *back))
    return Rewrite(kernel, new, rows.Digits(position, axis, points), (piece,))


@lru_cache(maxsize=256)
def split_axes(kernel: Kernel, digits: Digits, statement: int | None = None) -> Rewrite | None:
    """split_axis() of one axis after the other; None for no axis."""
    if not digits:
        return None
    *outer, (axis, points) = digits
    before = split_axes(kernel, tuple(outer), statement)
    return replace(split_axis(before.kernel if before else kernel, axis, points, statement), before=before)


def phases(statement: Statement) -> Digits:
    """The digits suggested by a guard such as `(y - r) % 2 == 0`. With y = 2*y_by2 + y_mod2, and r likewise, it depends
    on the low digits alone: it then leaves out whole loops, and no single points in the others."""
    found: dict[str, int] = {}
    extents = {a.name: a.extent for a in statement.axes}
    for g in statement.guard:
        if not (isinstance(g, sp.Eq) and isinstance(g.lhs, FloorMod) and is_constant(g.lhs.args[1])):
            continue
        modulus, parts = int(g.lhs.args[1]), affine(g.lhs.args[0], extents)
        for axis, c in parts[0].items() if parts else ():
            known = is_constant(c) and int(c) % modulus and is_constant(extents[axis])
            if known and int(extents[axis]) > modulus:
                found.setdefault(axis, modulus)
    return tuple(found.items())


def _reduced(s: Statement) -> Statement:
    """The statement with multiples taken out of remainders and quotients, and quotients made exact by the guard's
    multiples. Conditions on the output's reach stay: its elements are begun and written even if another condition
    fails."""
    guard = tuple(g.func(*(_taken_out(x, {}, s) for x in g.args)) for g in s.guard)
    known = {g.lhs.args: g.rhs for g in guard if isinstance(g, sp.Eq) and isinstance(g.lhs, FloorMod)}
    guard = tuple(g if isinstance(g, sp.Eq) else g.func(*(_taken_out(x, known, s) for x in g.args)) for g in guard)
    reach = decided_by_output(replace(s, guard=guard))
    guard = tuple(g if g in reach else _without_multiple(g, known, s) for g in guard)

    def index(places: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(_taken_out(i, known, s) for i in places)

    value = rewrite_reads(s.value, lambda r: Read(r.args[0], *index(r.index)))
    target = Access(s.target.tensor, index(s.target.index))
    return replace(s, guard=tuple(g for g in guard if g != sp.true), value=value, target=target)


def _taken_out(x: Any, known: dict[Any, Any], s: Statement) -> Any:
    """known: remainders, by dividend and divisor."""
    if not x.args:
        return x
    args = [_taken_out(a, known, s) for a in x.args]
    if not isinstance(x, FloorDiv | FloorMod) or not is_constant(args[1]):
        return x.func(*args)
    by = int(args[1])
    terms = sp.Add.make_args(sp.expand(args[0]))
    whole = sp.Add(*(t for t in terms if t.as_coeff_Mul()[0] % by == 0))
    rest = sp.expand(args[0] - whole)
    if isinstance(x, FloorMod):
        return FloorMod(rest, args[1])
    quotient, value = sp.expand(whole / by), _only(rest, args[1], known, s)
    return quotient + (FloorDiv(rest, args[1]) if value is None else value // by)


def _only(rest: Any, by: Any, known: dict[Any, Any], s: Statement) -> int | None:
    """The only number in the range of `rest` with its known remainder; None if there are several."""
    low, high = (extreme(rest, s.axes, largest) for largest in (False, True))
    left = known.get((rest, by))
    if left is None or low is None or high is None or not all(map(is_constant, (low, high, left))):
        return None
    first = int(low) + (int(left) - int(low)) % int(by)
    return first if first <= int(high) < first + int(by) else None


def _without_multiple(g: Any, known: dict[Any, Any], s: Statement) -> Any:
    """An inequality of m * a + rest and 0, divided by m to one over a, if the rest has one known value."""
    room = slack(g)
    for (rest, by), _ in known.items() if room is not None else ():
        for sign in (1, -1):
            left, value = sp.expand(room - sign * rest), _only(rest, by, known, s)
            number, terms = left.as_coeff_Add()
            if value is not None and not symbols_of([left]) & symbols_of([rest]) and is_constant(number):
                scaled = [t.as_coeff_Mul() for t in sp.Add.make_args(terms)]
                if all(c % by == 0 for c, _ in scaled):
                    least = (int(number) + sign * value) // int(by)
                    return sp.Ge(sp.expand(terms / by) + least, 0, evaluate=False)
    return g


def named_digits(names: Sequence[str]) -> Digits:
    """The digits among names such as `q%8`. Raises ScheduleError if the points are no number."""
    found = []
    for axis, percent, points in (n.partition("%") for n in names):
        if percent and not points.strip().isdigit():
            raise ScheduleError(f"{axis}%{points}: write the points of a digit as a number, such as {axis}%4")
        if percent:
            found.append((axis.strip(), int(points)))
    return tuple(found)
