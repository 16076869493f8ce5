"""What is known of a tensor: its numbers, and within which bounds another result is right, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.numbers import Kind, Number


@dataclass
class Held:
    """A tensor: row-major numbers, and how exactly they are known. loose: by what a right result may be off; vague: not at all.

    reordered: whether a sum in it may be taken in any order and its rounding depends on that. Otherwise all that compute it
    agree to the last bit, functions such as exp included.
    """

    name: str
    kind: Kind
    shape: tuple[int, ...]
    numbers: list[Number]
    loose: float = 0.0
    vague: bool = False
    reordered: bool = False
    signed_zeros: bool = True  # whether the sign of a zero is determined

    def difference(self, found: Sequence[Number]) -> str:
        """Where `found` is not what it should be, in words; empty where it is right."""
        if self.vague:
            return ""
        wrong = [n for n, (a, b) in enumerate(zip(found, self.numbers, strict=True)) if not self._same(a, b)]
        if not wrong:
            return ""
        at = [int(n) for n in _unraveled(wrong[0], self.shape)]
        return (
            f"{len(wrong)} of {len(self.numbers)} elements of {self.name} are wrong, first {self.name}{at}: "
            f"{found[wrong[0]]!r} instead of {self.numbers[wrong[0]]!r}"
        )

    def _same(self, a: Number, b: Number) -> bool:
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if a == b:
            return a != 0 or not self.signed_zeros or math.copysign(1, a) == math.copysign(1, b)
        return self.loose > 0 and abs(a - b) <= self.loose


def _unraveled(n: int, shape: tuple[int, ...]) -> list[int]:
    place = []
    for e in reversed(shape):
        n, at = divmod(n, e)
        place.append(at)
    return place[::-1]


__all__ = ["Held"]
