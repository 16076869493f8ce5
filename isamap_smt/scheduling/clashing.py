"""Finds clashing pins: the fewest that leave no schedule, if all together leave none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeVar

from isamap_encodings import deadline

T = TypeVar("T")
FEW = 8  # pins of which all singles and pairs are tried


def clashing(pins: Sequence[T], nothing: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """The fewest of these pins with which nothing is left; none if nothing is left without any.

    Of more than FEW pins, or if no pair clashes, it is a set that needs all of its pins. If time runs out: all pins not
    yet ruled out. nothing: whether nothing is left with these pins.
    """
    kept = tuple(pins)
    for size in range(3) if len(pins) <= FEW else ():
        for some in combinations(pins, size):
            if deadline.enough():
                return kept
            if size < len(kept) and nothing(some):
                return some
    for pin in pins:
        fewer = tuple(p for p in kept if p != pin)
        if not deadline.enough() and nothing(fewer):
            kept = fewer
    return kept


__all__ = ["clashing"]
