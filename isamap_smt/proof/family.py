"""The fuse family: every assignment of kernel axes to instruction axes, times every operand binding.

No candidate is written down before it is asked for: they are counted by formula, and found as models (encodings/models.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

from isamap_encodings.models import Choices, Cube, Model
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.axes import Groups
from isamap_smt.mapping.fuse import Binding, bindings, fuse_groups

Code = tuple[int, ...]  # per kernel axis, the instruction axis that it feeds: g + 1 is points[g], 0 none


class FamilyError(IsamapError):
    """A name of a family that nobody has written, or of an order of operands."""


@dataclass(frozen=True)
class Family:
    """Every assignment of kernel axes to instruction axes, times every operand binding. A candidate is (binding, code)."""

    kernel: Kernel
    instruction: Instruction
    operands: str = "fixed"
    partial: bool = False
    statement: int = 0

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The kernel's axes, outermost first: the places of a code."""
        return tuple(a.name for a in self.kernel.statements[self.statement].axes)

    @cached_property
    def points(self) -> tuple[tuple[str, int], ...]:
        """Instruction axes and their sizes: code g + 1 is points[g]."""
        return tuple(self.instruction.axes.items())

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Operand bindings to try."""
        return bindings(self.kernel, self.instruction, self.operands, self.statement)

    @property
    def choices(self) -> Choices:
        """What a solver chooses."""
        return Choices(self.axes, tuple(t for t, _ in self.points), len(self.bindings), not self.partial)

    @property
    def assignments(self) -> int:
        """Number of codes. Without partial use each instruction axis has an axis (inclusion and exclusion)."""
        axes, points = len(self.axes), len(self.points)
        if self.partial:
            return int((points + 1) ** axes)
        return sum((-1) ** k * comb(points, k) * (points + 1 - k) ** axes for k in range(points + 1))

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self.assignments * len(self.bindings)

    @property
    def everything(self) -> Cube:
        """All of them."""
        places = frozenset(range(len(self.points) + 1))
        return Cube(frozenset(range(len(self.bindings))), (places,) * len(self.axes))

    def groups(self, code: Code) -> Groups:
        """The groups that a code stands for."""
        return tuple(
            (t, tuple(a for a, c in zip(self.axes, code, strict=True) if c == g + 1))
            for g, (t, _) in enumerate(self.points)
        )

    def mapping(self, candidate: Model) -> Mapping:
        """The candidate as a Mapping."""
        b, code = candidate
        return fuse_groups(self.kernel, self.instruction, self.groups(code), self.bindings[b], self.statement)

    def candidate(self, mapping: Mapping) -> Model | None:
        """The candidate that is this mapping, or None where none is; a group's axes are in the kernel's order."""
        points = {t: g for g, (t, _) in enumerate(self.points, 1)}
        where = {a: points[t] for t, group in mapping.groups for a in group}
        code = tuple(where.get(a, 0) for a in self.axes)
        if mapping.binding not in self.bindings or mapping.groups != self.groups(code):
            return None
        if not self.partial and set(code) - {0} != set(points.values()):
            return None
        return self.bindings.index(mapping.binding), code

    @staticmethod
    def order(candidate: Model) -> tuple[int, int, Code]:
        """Sorts candidates: by binding, fewest grouped axes first, then outermost axes."""
        b, code = candidate
        return b, sum(c != 0 for c in code), code
