"""Normal form of the family, and the number of candidates in it, without enumeration.

A candidate is not in normal form if the contribution of an axis is constant within every execution, for all sizes: the
mapping is the same with that axis outside. An axis is constant if it has one point, or if the axes inside it in its
group span whole tiles.

With low digits in a group of an instruction axis of n points, the normal form has one whole axis outside of them all.
The points of the digits divide n and are fewer. So the whole axis is cut to the rest of n, and stands for a low digit
of its own. Not all digits of a group are whole axes, since the candidate without digits is the same mapping; and none
is half empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict
from itertools import combinations
from math import gcd, prod
from typing import Any

from isamap_encodings.deadline import check
from isamap_encodings.models import Cube
from isamap_encodings.space import content
from isamap_smt.ir.expr import is_constant
from isamap_smt.proof.family import Family

MOST = 20_000  # states while counting; beyond, fewer cubes are counted


State = tuple[
    int, int, bool
]  # what a whole axis and those inside it leave to whole tiles (0: there is none); the digits' points,
# 1 where there are none; and whether each of them is all of its axis
EMPTY: State = (0, 1, True)


def _inside(state: State, d: int, extent: Any, n: int) -> State | None:
    """An instruction axis of n points with one more axis outside the present ones; None if no normal form has it.

    d: points of the new digit, 0 for the whole axis.
    """
    rest, points, plain = state
    if extent == 1 or (d and (rest or n % (points * d) or points * d == n or _half_empty(d, extent))):
        return None
    if d:
        return 0, points * d, plain and extent == d
    if points > 1:
        return None if rest or plain else (1, points, False)
    return None if (rest or 1) % n == 0 else (gcd((rest or 1) * content(extent), n), 1, True)


def _half_empty(d: int, extent: Any) -> bool:
    return is_constant(extent) and d >= 2 * int(extent)


def not_normal(family: Family) -> tuple[Cube, ...]:
    """Cubes of exactly the candidates outside normal form."""
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    found: list[Cube] = []
    for g, (_, n) in enumerate(family.points):
        found += _not_whole(family, g, n, extents)
        if any(h == g and d for h, d in family.places):
            found += _not_digits(family, g, n, extents)
    return tuple(found)


def _not_whole(family: Family, g: int, n: int, extents: Sequence[Any]) -> Iterator[Cube]:
    """Each cube: an axis is in an instruction axis, with a minimal set of axes inside it that span whole tiles.

    A single axis with tiles of one point, or with one point itself, is constant with none inside it.
    """
    constant = [k for k, e in enumerate(extents) if e == 1]
    whole = frozenset({g + 1})
    yield from (_placed(family, {k: family.within(g)}) for k in constant)
    for inside in _spanning([content(e) for e in extents], n):
        first = min(inside, default=len(extents))
        yield from (_placed(family, dict.fromkeys((k, *inside), whole)) for k in range(first) if k not in constant)


def _not_digits(family: Family, g: int, n: int, extents: Sequence[Any]) -> Iterator[Cube]:
    """With digits in an instruction axis of n points there is one whole axis, outside of them all; their points divide n, and are
    fewer; and one of them is not all of its axis."""
    whole, every = frozenset({g + 1}), frozenset(range(len(family.places) + 1))
    digits = {d: frozenset({p}) for p, (h, d) in enumerate(family.places, 1) if h == g and d}
    some = frozenset().union(*digits.values())
    axes = [k for k, e in enumerate(extents) if e != 1]
    for k in axes:
        yield _placed(family, {**dict.fromkeys(range(k), every - whole), k: some})
        yield from (_placed(family, {k: some, m: whole}) for m in axes if m > k)
        yield from (_placed(family, {k: some, m: whole, o: whole}) for m in axes for o in axes if o < m < k)
        yield from (_placed(family, {k: p}) for d, p in digits.items() if _half_empty(d, extents[k]))
    yield from (_placed(family, {k: digits[d] for k, d in wrong}) for wrong in _not_dividing(axes, list(digits), n))
    complete = [(k, int(extents[k])) for k in axes if is_constant(extents[k]) and int(extents[k]) in digits]
    for count in range(1, len(complete) + 1):
        for chosen in combinations(complete, count):
            points = prod(d for _, d in chosen)
            if n % points == 0 and points < n:
                yield _placed(family, {**dict.fromkeys(axes, every - some), **{k: digits[d] for k, d in chosen}})


def _not_dividing(axes: Sequence[int], digits: Sequence[int], n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """The smallest sets of (axis, points of its digit) whose points together do not divide n, or are n."""
    left: list[tuple[tuple[tuple[int, int], ...], int]] = [((), 0)]
    while left:
        chosen, start = left.pop()
        for m in range(start, len(axes)):
            for d in digits:
                more = (*chosen, (axes[m], d))
                points = prod(e for _, e in more)
                if n % points == 0 and points < n:
                    left.append((more, m + 1))
                elif all(n % (points // e) == 0 for _, e in more):
                    yield more


def _placed(family: Family, places: Dict[int, frozenset[int]]) -> Cube:
    """The candidates whose axes of these positions are in one of these places each."""
    everything = family.everything
    return Cube(everything.bindings, tuple(places.get(k, p) for k, p in enumerate(everything.places)))


def _spanning(contents: Sequence[int], n: int) -> Iterator[tuple[int, ...]]:
    """The sets of axes, smallest each, whose extents multiply to whole tiles of n points for all sizes."""
    useful = [k for k, c in enumerate(contents) if gcd(c, n) > 1]
    left: list[tuple[tuple[int, ...], int]] = [((), 0)]
    while left:
        chosen, start = left.pop()
        if prod(contents[k] for k in chosen) % n == 0:
            if all(prod(contents[k] for k in chosen if k != one) % n for one in chosen):
                yield chosen
            continue
        left += [((*chosen, k), m + 1) for m, k in enumerate(useful) if m >= start]


def is_normal(family: Family, code: Sequence[int]) -> bool:
    """Whether the candidate is in normal form."""
    states: list[State] = [EMPTY] * len(family.points)
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    for p, extent in reversed(list(zip(code, extents, strict=True))):
        if p:
            g, d = family.places[p - 1]
            state = _inside(states[g], d, extent, family.points[g][1])
            if state is None:
                return False
            states[g] = state
    return all(rest or points == 1 for rest, points, _ in states)


def count_normal(family: Family, excluded: Sequence[Cube] = ()) -> tuple[int, bool]:
    """(candidates in normal form and in none of the cubes, whether the number is exact).

    If the cubes tell too many candidates apart, only the plainest of them count: the number is then too large.
    """
    plain = sorted(excluded, key=lambda c: sum(p != q for p, q in zip(c.places, family.everything.places, strict=True)))
    exact = True
    while True:
        numbers = [_count(family, [c for c in plain if b in c.bindings]) for b in range(len(family.bindings))]
        if all(n is not None for n in numbers):
            return sum(n for n in numbers if n is not None), exact
        plain, exact = plain[: len(plain) // 2], False


def _count(family: Family, cubes: Sequence[Cube]) -> int | None:
    """Codes in normal form and in none of the cubes, axis by axis from the innermost; None for too many states.

    A state: the cubes that may still hold the candidate (bits), and the content of each instruction axis so far.
    """
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    last = _done(family, cubes)
    states: Counter[tuple[int, tuple[State, ...]]] = Counter(
        {((1 << len(cubes)) - 1, (EMPTY,) * len(family.points)): 1}
    )
    if last[len(extents)]:
        return 0  # a cube that holds everything
    for k in reversed(range(len(extents))):
        allowed = [sum(1 << m for m, c in enumerate(cubes) if p in c.places[k]) for p in range(len(family.places) + 1)]
        following: Counter[tuple[int, tuple[State, ...]]] = Counter()
        check()
        for (alive, inside), number in states.items():
            for p, then in _each_place(family, inside, extents[k]):
                now = alive & allowed[p]
                if not now & last[k]:
                    following[now, then] += number
        states = following
        if len(states) > MOST and cubes:
            return None
    ended = [(all(r for r, _, _ in s), all(r or d == 1 for r, d, _ in s), n) for (_, s), n in states.items()]
    return sum(n for full, closed, n in ended if full or (family.partial and closed))


def _each_place(family: Family, inside: tuple[State, ...], extent: Any) -> Iterator[tuple[int, tuple[State, ...]]]:
    """Every place for an axis outside of those in these states, with the resulting states."""
    yield 0, inside
    for p, (g, d) in enumerate(family.places, 1):
        state = _inside(inside[g], d, extent, family.points[g][1])
        if state is not None:
            yield p, (*inside[:g], state, *inside[g + 1 :])


def _done(family: Family, cubes: Sequence[Cube]) -> list[int]:
    """Per axis, the cubes (bits) that do not constrain the axes outside it; last, the cubes without any constraint."""
    count = len(family.axes)
    found = [0] * (count + 1)
    everything = family.everything.places
    for m, c in enumerate(cubes):
        said = [k for k in range(count) if c.places[k] != everything[k]]
        found[min(said, default=count)] |= 1 << m
    return found
