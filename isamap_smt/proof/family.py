"""The families: every assignment of kernel axes, or of their low digits, to instruction axes, times every binding.

`fuse` places whole axes. `digits` also places low digits: of d points in an instruction axis of n, if d divides n.
Candidates are not enumerated in advance: they are counted by formula, and found as models (encodings/models.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from isamap_encodings.models import Choices, Cube, Model
from isamap_smt.ir.errors import IsamapError, did_you_mean
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.mapping.axes import Groups
from isamap_smt.mapping.digits import split_axes
from isamap_smt.mapping.fuse import Binding, bindings, fuse_groups

Code = tuple[int, ...]  # per kernel axis, where it is: p is places[p - 1], 0 outside
FAMILIES = ("fuse", "digits")


class FamilyError(IsamapError):
    """An unknown name of a family, or of an order of operands."""


def known_family(name: object) -> str:
    """The name itself. Raises FamilyError for an unknown one."""
    if not isinstance(name, str) or name not in FAMILIES:
        raise FamilyError(f"unknown family {name!r}; {did_you_mean(name, FAMILIES)}")
    return name


@dataclass(frozen=True)
class Family:
    """Every assignment of kernel axes to places, times every operand binding. A candidate is (binding, code)."""

    kernel: Kernel
    instruction: Instruction
    operands: str = "fixed"
    partial: bool = False
    statement: int = 0
    name: str = "fuse"

    @property
    def told(self) -> str:
        """Its name in words for people."""
        return {"fuse": '"whole loops"', "digits": '"whole loops, or their low digits"'}[self.name]

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The kernel's axes, outermost first: the places of a code."""
        return tuple(a.name for a in self.kernel.statements[self.statement].axes)

    @cached_property
    def points(self) -> tuple[tuple[str, int], ...]:
        """Instruction axes and their sizes."""
        return tuple(self.instruction.axes.items())

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Possible places of an axis: (position in points, points of the digit there, or 0 for the whole axis).

        Whole axes come first, in the order of points.
        """
        found = [(g, 0) for g in range(len(self.points))]
        if self.name == "digits":
            found += [(g, d) for g, (_, n) in enumerate(self.points) for d in range(2, n) if n % d == 0]
        return tuple(found)

    def within(self, g: int) -> frozenset[int]:
        """The places in the instruction axis of that position."""
        return frozenset(p for p, (h, _) in enumerate(self.places, 1) if h == g)

    def moved(self, p: int, f: Any, x: Any, extent: int) -> tuple[Any, Any]:
        """An axis of that extent put inside the fused index f at its point x: (the new index, the part outside)."""
        d = self.places[p - 1][1]
        return (f * d + x % d, x // d) if d else (f * extent + x, 0)

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Operand bindings to try."""
        return bindings(self.kernel, self.instruction, self.operands, self.statement)

    @property
    def choices(self) -> Choices:
        """The choices open to a solver."""
        each = () if self.partial else tuple(self.within(g) for g in range(len(self.points)))
        names = tuple(f"{self.points[g][0]}%{d}" if d else self.points[g][0] for g, d in self.places)
        return Choices(self.axes, names, len(self.bindings), each)

    @property
    def assignments(self) -> int:
        """Number of codes. Without partial use each instruction axis has an axis (inclusion and exclusion)."""
        left = {
            1 + len(self.places): 1
        }  # places of an axis where some instruction axes are empty -> (signed) number of ways
        for g in range(0 if self.partial else len(self.points)):
            fewer = [(places - len(self.within(g)), -ways) for places, ways in left.items()]
            for places, ways in fewer:
                left[places] = left.get(places, 0) + ways
        return sum(ways * int(places) ** len(self.axes) for places, ways in left.items())

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self.assignments * len(self.bindings)

    @property
    def everything(self) -> Cube:
        """All of them."""
        places = frozenset(range(len(self.places) + 1))
        return Cube(frozenset(range(len(self.bindings))), (places,) * len(self.axes))

    def groups(self, code: Code) -> Groups:
        """The groups of a code; digits are axes of the split kernel."""
        split = self.split(code)
        low = {} if split is None else {digit.partition("%")[0]: a for a, digit in split.low_digits.items()}
        placed = [(a, *self.places[p - 1]) for a, p in zip(self.axes, code, strict=True) if p]
        return tuple(
            (t, tuple(low[a] if d else a for a, h, d in placed if h == g)) for g, (t, _) in enumerate(self.points)
        )

    def split(self, code: Code) -> Rewrite | None:
        """The kernel with the digits placed by a code, and its derivation from the family's; None for whole axes."""
        digits = tuple((a, self.places[p - 1][1]) for a, p in zip(self.axes, code, strict=True) if p)
        return split_axes(self.kernel, tuple((a, d) for a, d in digits if d), self.statement)

    def mapping(self, candidate: Model) -> Mapping:
        """The candidate as a Mapping."""
        b, code = candidate
        split = self.split(code)
        kernel, binding = self.kernel, self.bindings[b]
        if split is not None:
            kernel = split.kernel
            binding = bindings(kernel, self.instruction, self.operands, self.statement)[b]
        return fuse_groups(kernel, self.instruction, self.groups(code), binding, self.statement, split)

    def any_of(self, binding: int) -> Mapping:
        """A mapping of whole axes with this binding, for claims independent of the placement of axes."""
        points = len(self.points)
        return self.mapping((binding, tuple(min(k + 1, points) for k in range(len(self.axes)))))

    def candidate(self, mapping: Mapping) -> Model | None:
        """The candidate equal to this mapping, or None if there is none; a group's axes are in the kernel's order."""
        digits = {} if mapping.split is None else mapping.split.low_digits
        points, where = [t for t, _ in self.points], {}
        for t, group in mapping.groups:
            for a in group:
                axis, _, d = digits.get(a, a).partition("%")
                place = (points.index(t), int(d or 0)) if t in points else None
                if place not in self.places:
                    return None
                where[axis] = self.places.index(place) + 1
        code = tuple(where.get(a, 0) for a in self.axes)
        if not self.partial and not self.full(code):
            return None
        same = [b for b in range(len(self.bindings)) if self.mapping((b, code)) == mapping]
        return (same[0], code) if same else None

    def full(self, code: Code) -> bool:
        """Whether no instruction axis is empty."""
        return all(self.within(g) & set(code) for g in range(len(self.points)))

    @staticmethod
    def order(candidate: Model) -> tuple[int, int, Code]:
        """Sorts candidates: by binding, fewest grouped axes first, then outermost axes."""
        b, code = candidate
        return b, sum(c != 0 for c in code), code
