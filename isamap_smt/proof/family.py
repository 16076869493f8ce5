"""The fuse family as one array: for every candidate, which instruction axis each kernel axis feeds (0: none).

All questions about many candidates at once are NumPy operations on that array.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isamap_encodings.space import content
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.axes import Groups
from isamap_smt.mapping.fuse import Binding, bindings, fuse_groups

MOST = 4_000_000  # candidates of one family


class FamilyError(IsamapError):
    """A family that is too large to enumerate, or a name of a family nobody has written."""


@dataclass(frozen=True)
class Family:
    """Every assignment of kernel axes to instruction axes, times every operand binding."""

    kernel: Kernel
    instruction: Instruction
    operands: str = "fixed"
    partial: bool = False
    statement: int = 0

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The kernel's axes, outermost first: the columns of `codes`."""
        return tuple(a.name for a in self.kernel.statements[self.statement].axes)

    @cached_property
    def points(self) -> tuple[tuple[str, int], ...]:
        """Instruction axes and their sizes: code g + 1 is points[g]."""
        return tuple(self.instruction.axes.items())

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Operand bindings to try."""
        return bindings(self.kernel, self.instruction, self.operands, self.statement)

    @cached_property
    def codes(self) -> np.ndarray:
        """One row per assignment, lexicographic, fewest grouped axes first."""
        radix = len(self.points) + 1
        total = radix ** len(self.axes)
        if total > MOST:
            raise FamilyError(
                f"{self.kernel.name} has {len(self.axes)} axes and {self.instruction.name} {len(self.points)}: "
                f"{total:,} candidates are more than the {MOST:,} this family is enumerated for"
            )
        numbers = np.arange(total)
        codes = (
            np.stack([numbers // radix**k % radix for k in reversed(range(len(self.axes)))], axis=1).astype(np.int8)
            if self.axes
            else np.zeros((1, 0), np.int8)
        )
        if not self.partial:
            for g in range(len(self.points)):
                codes = codes[(codes == g + 1).any(axis=1)]
        order = np.argsort((codes != 0).sum(axis=1), kind="stable")
        return codes[order]

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.codes) * len(self.bindings)

    def split(self, candidate: int) -> tuple[int, int]:
        """(binding, row of codes) of a candidate number."""
        return divmod(candidate, len(self.codes))

    def groups(self, code: np.ndarray) -> Groups:
        """The groups a row of codes stands for."""
        return tuple(
            (t, tuple(a for a, c in zip(self.axes, code, strict=True) if c == g + 1))
            for g, (t, _) in enumerate(self.points)
        )

    def mapping(self, candidate: int) -> Mapping:
        """The candidate as a Mapping."""
        b, row = self.split(candidate)
        return fuse_groups(
            self.kernel, self.instruction, self.groups(self.codes[row]), self.bindings[b], self.statement
        )

    @cached_property
    def redundant(self) -> np.ndarray:
        """Rows of codes not in normal form: a digit is constant within every execution, for all sizes.

        Such a candidate is the same mapping as the one with that axis outside. An axis is constant if it has one point,
        or if the axes inside it in its group span whole tiles.
        """
        extents = {a.name: a.extent for a in self.kernel.statements[self.statement].axes}
        result = np.zeros(len(self.codes), bool)
        weights = 1 << np.arange(len(self.axes))[::-1]  # the innermost axis is bit 0
        inwards = [(extents[a] == 1, content(extents[a])) for a in reversed(self.axes)]
        for g, (_, n) in enumerate(self.points):
            constant, inside = np.zeros(1, bool), np.full(1, 1 % n)  # by set of axes; points inside, in tiles' rest
            for single, factor in inwards:
                constant = np.concatenate([constant, constant | single | (inside == 0)])
                inside = np.concatenate([inside, inside * (factor % n) % n])
            masks = (self.codes == g + 1) @ weights if self.axes else np.zeros(len(self.codes), int)
            result |= constant[masks]
        return result
