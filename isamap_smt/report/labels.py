"""Text in a picture: its place, and the first place where it covers nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FONT = 11.5  # size of a label in pixels
ABOVE, BELOW = 11.0, 3.0  # how far its letters reach over and under its line

Box = tuple[float, float, float, float]  # left, top, right, bottom


def width_of(text: str, font: float = FONT) -> float:
    """Pixels of a text in the widest of the page's fixed fonts."""
    return 0.62 * font * len(text)


def shortened(text: str, most: int) -> str:
    """The text, cut to `most` characters.

    >>> shortened("abcdef", 6), shortened("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


@dataclass(frozen=True)
class Label:
    """anchor: start, middle or end, as SVG has it."""

    x: float
    y: float
    text: str
    anchor: str = "middle"

    @property
    def span(self) -> tuple[float, float]:
        """Its left and right end."""
        long = width_of(self.text)
        begin = self.x - {"start": 0.0, "middle": long / 2, "end": long}[self.anchor]
        return begin, begin + long

    @property
    def box(self) -> Box:
        """The rectangle it covers."""
        left, right = self.span
        return left, self.y - ABOVE, right, self.y + BELOW


def overlap(one: Box, other: Box) -> bool:
    """Whether two rectangles have a point inside both.

    >>> overlap((0, 0, 2, 2), (1, 1, 3, 3)), overlap((0, 0, 2, 2), (2, 0, 4, 2))
    (True, False)
    """
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def first_free(candidates: Sequence[Label], taken: Iterable[Box], within: Box) -> Label | None:
    """The first of these inside `within` and over nothing taken; None if there is none."""
    found = list(taken)
    for c in candidates:
        left, top, right, bottom = c.box
        inside = within[0] <= left and within[1] <= top and right <= within[2] and bottom <= within[3]
        if inside and not any(overlap(c.box, t) for t in found):
            return c
    return None
