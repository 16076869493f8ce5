"""The weakest range of values under which two integer trees are equal: the largest bound, by binary search over proofs.

A claim for all values in a range holds for every range inside it, so the search may halve. It starts
from plain integers: the largest bound without a difference at its extremes is nearly always the answer, and then one
proof and one counterexample (at the next larger bound) settle it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from isamap_encodings.scalar import equal_integers
from isamap_encodings.scalar_values import Kind, limits, value, wrapped
from isamap_encodings.verdict import Proved, Refuted, Unknown

CORNERS = 512  # combinations of extremes looked at for one bound
PROOFS = 12  # bit-vector proofs at most, for one end
STEPS = 1_000_000  # solver steps for each question of such a proof: a suggestion is not worth more
OPEN = 2  # proofs that may end undecided; with more, the question is too hard to be asked again and again


@dataclass(frozen=True)
class Question:
    """Are `left` and `right` equal in the type `result`, for elements of these types within these ranges?"""

    left: Any
    right: Any
    types: Mapping[str, Kind]
    result: Kind
    ranges: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Largest:
    """The claim is proved for every value in [low, high]; bound is the larger of the two without its sign.

    exact: it is refuted with `high` one larger and, if the type has negative values, with `low` one smaller; an end of
    the type itself needs no such counterexample.
    """

    bound: int
    low: int
    high: int
    exact: bool


Box = Callable[[int], tuple[int, int]]


def largest(asked: Question, elements: frozenset[str], kind: Kind, fill: int = 0) -> Largest | None:
    """A largest range [low, high] such that the trees are equal if these elements, all of type `kind`, lie in it.

    It comes on top of the ranges asked about. None if not even one value more than 0 will do. It is the largest [0,
    b] (unsigned) or [-b, b] (signed), then made wider on one side alone if the claim still holds: first `high`, then
    `low`. fill: a further value allowed for the elements.
    """
    least, most = limits(kind)

    def limited(box: Box) -> Callable[[int], Question]:
        return lambda b: _limited(asked, elements, kind, box(b), fill)

    both = _largest(limited(lambda b: (0 if least == 0 else -b, b)), most)
    if both is None or not both[0]:
        return None
    low, high = (0 if least == 0 else -both[0]), both[0]
    if least == 0:
        return Largest(high, 0, high, both[1] or high == most)
    above = _largest(limited(lambda d: (low, high + d)), most - high) or (0, True)
    high += above[0]
    below = _largest(limited(lambda d: (low - d, high)), low - least) or (0, True)
    low -= below[0]
    ends = (above[1] or high == most) and (below[1] or low == least)
    return Largest(max(high, -low), low, high, ends)


def _largest(limited: Callable[[int], Question], most: int) -> tuple[int, bool] | None:
    """(the largest number from 1 to `most` whose question is proved, whether the question of the next one is refuted).

    None if the question of 1 is refuted already. (0, False) if nothing is proved, and nothing refuted.
    """
    if most < 1:
        return None
    guess = _search(1, most, lambda b: not _differs_at_corner(limited(b)))
    if guess is None:
        return None
    proofs = undecided = 0
    refuted_above = guess < most and _differs_at_corner(limited(guess + 1))
    best, lowest, top = 0, 1, guess
    bound = guess
    while lowest <= top and proofs < PROOFS and undecided < OPEN:
        proofs += 1
        q = limited(bound)
        verdict = equal_integers(q.left, q.right, q.types, q.result, q.ranges, STEPS, small=False)
        undecided += isinstance(verdict, Unknown)
        if isinstance(verdict, Proved):
            best, lowest = bound, bound + 1
        else:
            top = bound - 1
            refuted_above = isinstance(verdict, Refuted)
        bound = (lowest + top + 1) // 2
    if best == 0 and refuted_above and lowest > top:
        return None
    return best, refuted_above and lowest > top


def _search(low: int, high: int, holds: Any) -> int | None:
    """The largest number in [low, high] that satisfies `holds`, a predicate true up to some number; None if there is none."""
    best = None
    while low <= high:
        middle = (low + high + 1) // 2
        if holds(middle):
            best, low = middle, middle + 1
        else:
            high = middle - 1
    return best


def _limited(asked: Question, elements: frozenset[str], kind: Kind, box: tuple[int, int], fill: int) -> Question:
    ranges = dict(asked.ranges)
    low, high = box
    for e in elements:
        before = ranges.get(e, limits(kind))
        ranges[e] = min(fill, max(low, before[0])), max(fill, min(high, before[1]))
    return Question(asked.left, asked.right, asked.types, asked.result, ranges)


def _differs_at_corner(q: Question) -> bool:
    """Whether the trees differ at a corner: every element at its least or its greatest."""
    names = sorted(q.types)
    ends = [q.ranges.get(n, limits(q.types[n])) for n in names]
    if 1 << len(names) <= CORNERS:
        corners: Any = itertools.product(*ends)
    else:
        some = random.Random(0)  # a guess, which a proof then settles
        corners = ([some.choice(pair) for pair in ends] for _ in range(CORNERS))
    for corner in corners:
        at = dict(zip(names, corner, strict=True))
        try:
            a, b = value(q.left, at, q.types)[0], value(q.right, at, q.types)[0]
        except (KeyError, TypeError):
            return False
        if wrapped(a, q.result) != wrapped(b, q.result):
            return True
    return False
