"""Normal form of the family, and how many candidates are in it: said without going over them.

A candidate is not in normal form where a digit is constant within every execution, for all sizes: it is the same mapping as the
one with that axis outside. An axis is constant if it has one point, or if the axes inside it in its group span whole tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import gcd, prod

from isamap_encodings.models import Cube
from isamap_encodings.space import content
from isamap_smt.proof.family import Family

MOST = 20_000  # states while counting; beyond, fewer cubes are counted


def not_normal(family: Family) -> tuple[Cube, ...]:
    """Cubes that hold exactly the candidates that are not in normal form.

    Each says: an axis is in an instruction axis, together with axes inside it that span whole tiles, none of which can be
    left out. A single axis that spans tiles of one point, or has one point itself, is constant with none inside it.
    """
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    everything, found = family.everything, []
    for g, (_, n) in enumerate(family.points, 1):
        constant = [k for k, e in enumerate(extents) if e == 1]
        found += [_together(everything, g, (k,)) for k in constant]
        for inside in _spanning([content(e) for e in extents], n):
            first = min(inside, default=len(extents))
            found += [_together(everything, g, (k, *inside)) for k in range(first) if k not in constant]
    return tuple(found)


def _together(everything: Cube, g: int, axes: Sequence[int]) -> Cube:
    """The candidates in which all of these are in instruction axis g."""
    places = [frozenset({g}) if k in axes else p for k, p in enumerate(everything.places)]
    return Cube(everything.bindings, tuple(places))


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
    """Whether no digit of the candidate is constant."""
    inside = [1] * len(family.points)
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    for c, extent in reversed(list(zip(code, extents, strict=True))):
        if c and (extent == 1 or inside[c - 1] % family.points[c - 1][1] == 0):
            return False
        if c:
            inside[c - 1] *= content(extent)
    return True


def count_normal(family: Family, excluded: Sequence[Cube] = ()) -> tuple[int, bool]:
    """(candidates in normal form and in none of the cubes, whether that is exact).

    Where the cubes tell too many candidates apart, only the plainest of them count: the number is then too large.
    """
    plain = sorted(excluded, key=lambda c: sum(p != q for p, q in zip(c.places, family.everything.places, strict=True)))
    exact = True
    while True:
        numbers = [_count(family, [c for c in plain if b in c.bindings]) for b in range(len(family.bindings))]
        if all(n is not None for n in numbers):
            return sum(n for n in numbers if n is not None), exact
        plain, exact = plain[: len(plain) // 2], False


def _count(family: Family, cubes: Sequence[Cube]) -> int | None:
    """Codes in normal form and in none of the cubes, axis by axis from the innermost; None where states are too many.

    A state: cubes that still may hold the candidate (bits), and per instruction axis what its axes so far leave to whole tiles.
    """
    places = range(len(family.points) + 1)
    sizes = [n for _, n in family.points]
    extents = [a.extent for a in family.kernel.statements[family.statement].axes]
    last = _done(family, cubes)
    states: Counter[tuple[int, tuple[int, ...]]] = Counter({((1 << len(cubes)) - 1, (0,) * len(sizes)): 1})
    if last[len(extents)]:
        return 0  # a cube that holds everything
    for k in reversed(range(len(extents))):
        allowed = [sum(1 << m for m, c in enumerate(cubes) if g in c.places[k]) for g in places]
        factor, single = content(extents[k]), extents[k] == 1
        following: Counter[tuple[int, tuple[int, ...]]] = Counter()
        for (alive, inside), number in states.items():
            for g in places:
                now = alive & allowed[g]
                if now & last[k] or (g and (single or (inside[g - 1] or 1) % sizes[g - 1] == 0)):
                    continue
                then = inside
                if g:
                    rest = gcd((inside[g - 1] or 1) * factor, sizes[g - 1])
                    then = (*inside[: g - 1], rest, *inside[g:])
                following[now, then] += number
        states = following
        if len(states) > MOST and cubes:
            return None
    return sum(n for (_, inside), n in states.items() if family.partial or all(inside))


def _done(family: Family, cubes: Sequence[Cube]) -> list[int]:
    """Per axis, the cubes (bits) that say nothing of the axes outside it, and at the end those that say nothing at all."""
    count = len(family.axes)
    found = [0] * (count + 1)
    everything = family.everything.places
    for m, c in enumerate(cubes):
        said = [k for k in range(count) if c.places[k] != everything[k]]
        found[min(said, default=count)] |= 1 << m
    return found
