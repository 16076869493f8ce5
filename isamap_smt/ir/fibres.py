"""Number of points of a statement per element of its target: the size of the fibres of its index map.

    C[i,j] += A[i,k] * B[k,j]      K: an axis in no index takes all of its values in each element
    S[i+k] += X[i,k] * W[k]        min(I, K): with the element, one of both axes determines the other
    S[i//4] += X[i]                4: with the element, i % 4 determines i

Bounds of rounding and of overflow count terms by it, and tell from it whether sums have an order. If joined axes have
few points and known extents, they are counted point by point. Otherwise numbers are proposed, and Z3 shows that they
determine the point (isamap_encodings.fibres). If it does not, all points of joined axes may meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.fibres import Digit, determined
from isamap_encodings.verdict import Proved
from isamap_smt.ir.boxes import always_true, extreme
from isamap_smt.ir.expr import (
    FloorDiv,
    FloorMod,
    affine,
    elements,
    evaluate,
    is_constant,
    smallest,
    substitute,
    sym,
    symbols_of,
)
from isamap_smt.ir.kernel import Axis, Kernel, Statement

COUNTED = 1 << 20  # points of joined axes, looked at one by one
_TRIED = 4  # axes tried as the first to leave out
Named = tuple[tuple[str, Any], ...]  # axes with their extents


@dataclass(frozen=True)
class Fibres:
    """Of a statement: no element of its target has more than `most` points, an expression over sizes.

    axes: the points of one element differ along these. exact: some element has so many. how: the evidence; '' if the
    index itself is enough.
    """

    most: Any
    axes: tuple[str, ...]
    exact: bool
    how: str = ""

    @property
    def apart(self) -> bool:
        """Whether each element has one point at most."""
        return self.most in (sp.S.Zero, sp.S.One)

    @property
    def number(self) -> int | None:
        """The greatest number of points, if it is constant; else None."""
        return int(self.most) if is_constant(self.most) else None


def fibres(kernel: Kernel, s: Statement) -> Fibres:
    """The greatest number of points of the statement in one element, for all values of open sizes.

    >>> from isamap_smt.language import kernel
    >>> k = kernel("S[i+k] += X[i,k] * W[k]")
    >>> fibres(k, k.statements[0]).most
    IMin(K, I)
    >>> fixed = k.with_sizes({"i": 64, "k": 8})
    >>> fibres(fixed, fixed.statements[0])
    Fibres(most=8, axes=('i', 'k'), exact=True, how='counted: 512 points')
    """
    most: Any = sp.S.One
    exact, how, meeting = not s.guard, [], set[str]()
    for part in _parts(s, ()):
        left = _undetermined(part) if part.index else [n for n, _ in part.axes]
        if not left:
            continue
        found = _joined(kernel, s, part, left) if part.index else _all(part, left)
        most, exact = sp.expand(most * found.most), exact and found.exact
        how += [found.how] if found.how else []
        meeting |= set() if found.apart else set(left)
    return Fibres(most, tuple(a.name for a in s.axes if a.name in meeting), exact, "; ".join(how))


def least_points(kernel: Kernel, position: int) -> int:
    """A lower bound of the points per element of the target of the statement at this position.

    Of a temporary, only elements read or added to by later statements count. 0 if some may have none, or sizes are
    open.
    """
    s = kernel.statements[position]
    shape = kernel.tensor(s.target.tensor).shape
    if not all(map(is_constant, (*shape, *(a.extent for a in s.axes)))):
        return 0
    return prod(_least(kernel, position, part) for part in _parts(s, s.guard))


@dataclass(frozen=True)
class _Part:
    """Axes joined by indices of the target and guards, with these guards.

    dimensions, index: of the target, those on these axes.
    """

    axes: Named
    dimensions: tuple[int, ...]
    index: tuple[Any, ...]
    guard: tuple[Any, ...]

    @property
    def points(self) -> int | None:
        """How many there are, without the guards; None if an extent is open."""
        return prod(max(0, int(e)) for _, e in self.axes) if all(is_constant(e) for _, e in self.axes) else None


def _parts(s: Statement, guard: tuple[Any, ...]) -> list[_Part]:
    """The statement in parts without a common axis; one of them holds everything without any axis."""
    names = [a.name for a in s.axes]
    index = [sp.sympify(i) for i in s.target.index]
    groups = [{n} for n in names]
    for e in (*index, *guard):
        if own := symbols_of([e]) & set(names):
            groups = [*(g for g in groups if not g & own), set[str]().union(*(g for g in groups if g & own))]

    def part(group: set[str]) -> _Part:
        def mine(e: Any) -> bool:
            return bool(symbols_of([e]) & group) if group else not symbols_of([e]) & set(names)

        places = tuple(d for d, e in enumerate(index) if mine(e))
        axes = tuple((a.name, a.extent) for a in s.axes if a.name in group)
        return _Part(axes, places, tuple(index[d] for d in places), tuple(g for g in guard if mine(g)))

    return [part(g) for g in (*groups, set())]


def _undetermined(part: _Part) -> list[str]:
    """Axes the element does not determine.

    An index determines the only open axis in it, if it is affine in this; then the next one, and so on.
    """
    left = [n for n, _ in part.axes]
    known = True
    while known:
        known = False
        for e in part.index:
            parts = affine(e, left)
            if parts is not None and len(parts[0]) == 1:
                ((name, by),) = parts[0].items()
                if by.is_Integer and by != 0:
                    left.remove(name)
                    known = True
    return left


def _all(part: _Part, left: list[str], how: str = "") -> Fibres:
    """All points of these axes may meet."""
    return Fibres(sp.Mul(*(e for n, e in part.axes if n in left)), tuple(left), not how, how)


def _joined(kernel: Kernel, s: Statement, part: _Part, left: list[str]) -> Fibres:
    """The fibres along axes joined by the indices."""
    if elements(part.index):
        return _all(part, left, "data says which points meet")
    shape = tuple(kernel.tensor(s.target.tensor).shape[d] for d in part.dimensions)
    names = {n for n, _ in part.axes}
    inside = tuple(g for g in s.guard if symbols_of([g]) & {a.name for a in s.axes} <= names)
    counts = _counts(part.axes, part.index, inside, shape)
    if counts is not None:
        return Fibres(sp.Integer(int(counts.max(initial=0))), tuple(left), True, f"counted: {part.points} points")
    low = {p.name: p.low for p in kernel.parameters}
    sizes = symbols_of([*part.index, *(e for _, e in part.axes)]) - names
    given = tuple(("le", sp.Integer(low.get(n, 1)), sym(n)) for n in sorted(sizes))
    ways = [w for first in left[:_TRIED] if (w := _determining(part, left, first, given)) is not None]
    if not ways:
        return _all(part, left, "no number is known that determines them")
    counts_ = [sp.Mul(*(count for _, _, count in digits)) for digits in ways]
    numbers = [int(c) for c in counts_ if c.is_Integer]
    open_ = dict.fromkeys(c for c in counts_ if not c.is_Integer)
    words = " and ".join(str(d) for d, _, _ in ways[0]) or "nothing else"
    most = smallest(*open_, *([sp.Integer(min(numbers))] if numbers else []))
    return Fibres(most, tuple(left), False, f"determined, with the element, by {words}")


def _determining(part: _Part, left: list[str], first: str, given: tuple[Any, ...]) -> list[Digit] | None:
    """Numbers that determine the point together with the element, none of them redundant; None if Z3 shows it of none.

    They are axes, and digits dropped by an index. This axis is left out first if possible, then axes of large extents.
    """
    extents = dict(part.axes)
    whole = [(sym(n), sp.S.Zero, extents[n]) for n in sorted(left, key=lambda n: (n != first, -_size(extents[n])))]
    digits: list[Digit] = [
        *whole,
        *(d for e in part.index if symbols_of([e]) & set(left) for d in _dropped(e, part.axes)),
    ]

    def enough(some: list[Digit]) -> bool:
        return isinstance(determined(part.axes, given, part.index, some), Proved)

    if not enough(digits):
        return None
    for one in tuple(digits):
        if enough(fewer := [d for d in digits if d is not one]):
            digits = fewer
    return digits


def _size(extent: Any) -> float:
    return int(extent) if is_constant(extent) else inf


def _dropped(e: Any, axes: Named) -> list[Digit]:
    """The remainder dropped by a quotient, or the quotient dropped by a remainder."""
    match e:
        case FloorDiv():
            return [(FloorMod(*e.args), sp.S.Zero, e.args[1])]
        case FloorMod():
            inner, by = e.args
            box = tuple(Axis(n, extent) for n, extent in axes)
            low, high = (extreme(inner, box, largest) for largest in (False, True))
            if low is not None and high is not None:
                least = FloorDiv(low, by)
                return [(FloorDiv(inner, by), least, FloorDiv(high, by) - least + 1)]
    return []


@lru_cache(maxsize=256)
def _counts(axes: Named, index: tuple[Any, ...], guard: tuple[Any, ...], shape: tuple[Any, ...]) -> np.ndarray | None:
    """The number of points of each element; None if points or elements are many, or the index holds data."""
    if elements(index) or not all(map(is_constant, (*shape, *(e for _, e in axes)))):
        return None
    extents = [max(0, int(e)) for _, e in axes]
    lengths = [max(0, int(n)) for n in shape]
    if prod(extents) > COUNTED or prod(lengths) > COUNTED or symbols_of([*index, *guard]) - {n for n, _ in axes}:
        return None
    flat = _places(dict(zip((n for n, _ in axes), extents, strict=True)), index, guard, lengths)
    return np.bincount(flat, minlength=prod(lengths))


def _places(extents: dict[str, int], index: Sequence[Any], guard: Sequence[Any], lengths: Sequence[int]) -> np.ndarray:
    """For each point with a true guard, its element in an array of these lengths; points outside of it are left out."""
    total = prod(extents.values())
    values = np.unravel_index(np.arange(total), tuple(extents.values())) if extents else ()
    env = dict(zip(extents, values, strict=True))
    kept = np.ones(total, bool)
    for g in guard:
        kept &= np.broadcast_to(np.asarray(evaluate(g, env), bool), kept.shape)
    flat = np.zeros(total, np.int64)
    for e, n in zip(index, lengths, strict=True):
        at = np.broadcast_to(np.asarray(evaluate(e, env)), flat.shape)
        kept &= (at >= 0) & (at < n)
        flat = flat * n + at
    return flat[kept]


def _least(kernel: Kernel, position: int, part: _Part) -> int:
    """The least number of points of an element of these dimensions."""
    s = kernel.statements[position]
    shape = tuple(kernel.tensor(s.target.tensor).shape[d] for d in part.dimensions)
    plain = all(e.is_Symbol for e in part.index) and len(set(part.index)) == len(part.index)
    extents = dict(part.axes)
    whole = plain and all(extents.get(str(e)) == n for e, n in zip(part.index, shape, strict=True))
    if whole and not part.guard:
        return prod(max(0, int(e)) for n, e in part.axes if sym(n) not in part.index)
    counts = _counts(part.axes, part.index, part.guard, shape)
    if counts is None:
        first = {n: 0 for n in extents if sym(n) not in part.index}
        held = all(always_true(substitute(g, first), s.axes) for g in part.guard)
        return int(whole and held and all(int(e) > 0 for e in extents.values()))
    if counts.size and counts.min() == 0 and s.target.tensor in kernel.temporaries:
        needed = _needed(kernel, position, part.dimensions, tuple(map(int, shape)))
        counts = counts if needed is None else counts[needed]
    return int(counts.min()) if counts.size else 1


def _needed(kernel: Kernel, position: int, dimensions: tuple[int, ...], lengths: tuple[int, ...]) -> np.ndarray | None:
    """The elements, by these dimensions, read or added to by later statements; None if not known."""
    if kernel.recurrences:
        return None
    found = np.zeros(prod(lengths), bool)
    tensor = kernel.statements[position].target.tensor
    for later in kernel.statements[position + 1 :]:
        extents = {a.name: int(a.extent) for a in later.axes}
        added = (later.target,) if later.op != "=" else ()
        for access in dict.fromkeys((*later.inputs, *added)):
            if access.tensor != tensor:
                continue
            index = [sp.sympify(access.index[d]) for d in dimensions]
            own = {n: max(0, e) for n, e in extents.items() if n in symbols_of(index)}
            if symbols_of(index) - set(own) or elements(index) or prod(own.values()) > COUNTED:
                return None
            guard = [g for g in later.guard if symbols_of([g]) <= set(own)]
            found[_places(own, index, guard, lengths)] = True
    return found


__all__ = ["Fibres", "fibres", "least_points"]
