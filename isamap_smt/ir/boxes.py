"""Which guards always hold on a box of axes: only then may a program leave them out."""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, IMin, affine, expanded, symbols_of
from isamap_smt.ir.kernel import Axis, Statement


def slack(relation: Any) -> Any | None:
    """An expression that is >= 0 exactly if an inequality of integers holds; None for other relations."""
    match relation:
        case sp.Lt():
            return relation.rhs - relation.lhs - 1
        case sp.Le():
            return relation.rhs - relation.lhs
        case sp.Gt():
            return relation.lhs - relation.rhs - 1
        case sp.Ge():
            return relation.lhs - relation.rhs
    return None


def fails_from(room: Any, name: str) -> Any | None:
    """The least v with `room` negative whenever variable `name` is at least v.

    None unless `room` falls by a whole number at each step.

    >>> from isamap_smt.ir.expr import sym
    >>> fails_from(sym("q") - 2 * sym("k"), "k")
    FloorDiv(q + 2, 2)
    """
    parts = affine(room, [name])
    step = sp.S.Zero if parts is None else parts[0].get(name, sp.S.Zero)
    if parts is None or not step.is_Integer or step >= 0:
        return None
    return sp.expand(parts[1] + 1) if step == -1 else FloorDiv(sp.expand(parts[1] - step), -step)


def always_true(relation: Any, axes: tuple[Axis, ...]) -> bool:
    """Whether an affine relation holds at every point of the axes' box. False if this cannot be decided.

    The extreme of an affine form over a box lies at a corner, picked by the sign of each coefficient.
    """
    if relation in (sp.true, True):
        return True
    room = slack(relation)
    low = extreme(room, axes, largest=False) if room is not None else None
    return low is not None and bool(low.is_Integer) and int(low) >= 0


def decided_by_output(statement: Statement) -> tuple[Any, ...]:
    """The guard's relations that can fail and are decided by the output's element.

    Either their axes are indices of it, plain or moved by a number, or they bound one of its indices.
    """
    if not statement.guard:
        return ()
    names = {a.name for a in statement.axes}
    index = [sp.sympify(i) for i in statement.target.index]
    plain = _plain(statement)

    def decided(relation: Any) -> bool:
        mine = symbols_of([relation]) & names
        return mine <= plain or any(mine == symbols_of([i]) & names and _limits(relation, i, mine) for i in index)

    return tuple(g for g in statement.guard if decided(g) and not always_true(g, statement.axes))


def _plain(statement: Statement) -> set[str]:
    """The axes used as indices of the output, plain or moved by a number."""
    moved = {a.name: [expanded(i - a.symbol) for i in statement.target.index] for a in statement.axes}
    return {name for name, by in moved.items() if any(not symbols_of([b]) & set(moved) for b in by)}


def _limits(relation: Any, index: Any, axes: set[str]) -> bool:
    """Whether the relation compares the index with a term free of these axes."""
    room = slack(relation)
    return room is not None and any(not symbols_of([sp.expand(room - c * index)]) & axes for c in (1, -1))


def left_to_inputs(statement: Statement) -> tuple[Any, ...]:
    """The guard's relations that can fail and are not decided by the output's element."""
    output = decided_by_output(statement)
    return tuple(g for g in statement.guard if g not in output and not always_true(g, statement.axes))


def decided_at(statement: Statement, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The guard's relations that can fail and are decided by an input's element at this index: all their axes move it.

    Relations decided by the output are left out, unless they are of digits found in this index too: of these there are
    more than the tensor has elements.
    """
    if not statement.guard:
        return ()
    names, moving = {a.name for a in statement.axes}, symbols_of(index)
    left = left_to_inputs(statement)
    plain = _plain(statement)

    def answers(relation: Any) -> bool:
        mine = symbols_of([relation]) & names
        return mine <= moving and (relation in left or not mine <= plain)

    return tuple(g for g in statement.guard if answers(g) and not always_true(g, statement.axes))


def undecided(statement: Statement, *indices: tuple[Any, ...]) -> tuple[Any, ...]:
    """The guard's relations that can fail and are decided neither by the output's element nor by one at these indices.

    The indices are those of inputs.
    """
    carried = {g for i in indices for g in decided_at(statement, i)}
    return tuple(g for g in left_to_inputs(statement) if g not in carried)


def extreme(expr: Any, axes: tuple[Axis, ...], largest: bool) -> Any | None:
    """Largest or smallest value of an affine expression over the box, as an expression in sizes; None if unknown."""
    found = extremes(expr, axes)
    return None if found is None else found[1 if largest else 0]


def extremes(expr: Any, axes: tuple[Axis, ...]) -> tuple[Any, Any] | None:
    """The smallest and the largest value of an affine expression over the box, in sizes; None if unknown."""
    parts = affine(expr, [a.name for a in axes])
    if parts is None:
        return None
    coefficients, rest = parts
    ends = [rest, rest]
    for a in axes:
        c = coefficients.get(a.name, sp.S.Zero)
        if not c.is_Integer:
            return None
        if c != 0:
            ends[1 if c > 0 else 0] += c * (a.extent - 1)
    return sp.expand(ends[0]), sp.expand(ends[1])


def most(count: Any) -> Any:
    """An upper bound of a count, if a number can be seen in it; else the count itself."""
    match count:
        case IMin():
            known = [m for m in map(most, count.args) if m.is_Integer]
            return min(known, default=count)
        case FloorDiv() if count.args[1].is_Integer:
            return FloorDiv(most(count.args[0]), count.args[1])
        case sp.Add():
            number, rest = count.as_coeff_Add()
            return number + most(rest) if number != 0 else count
    return count
