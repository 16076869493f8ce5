"""A kernel with sums over exponentials less a maximum, taken in one pass, block by block, with running maxima.

    M[q] max= S[q,k]                         for k_block:
    E[q,k] = exp(S[q,k] - M[q])                M_part[k_block,q] max= S[q, 16*k_block + k_in]
    D[q] += E[q,k]                             M_run[k_block+1,q] = max(M_run[k_block,q], M_part[k_block,q])
                                               M_scale[k_block,q] = exp(M_run[k_block,q] - M_run[k_block+1,q])
                                               E_block[k_block,q,k_in] = exp(S[q, 16*k_block + k_in] - M_run[k_block+1,q])
                                               D_part[k_block,q] += E_block[k_block,q,k_in]
                                               D_run[k_block+1,q] = D_run[k_block,q] * M_scale[k_block,q] + D_part[k_block,q]

It is known as online softmax. Points beyond the last full block are one more step behind the loop.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from enum import Enum
from typing import Any

from isamap_smt.ir.expr import FloorDiv, FloorMod, sym
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.rewrite import Form


class Role(Enum):
    """The part played by a statement of the rewritten kernel."""

    BEGIN = "begins the state before the first block"
    POINTS = "computes a statement of the whole at the points of a block, or of the rest"
    UPDATE = "takes what a block gives into the state"
    SCALE = "is the factor of what was summed before, where the maximum grows"
    CLOSE = "gives back the last state"
    KEPT = "is a statement of the whole, computed again from what was given back"


@dataclass(frozen=True)
class Made:
    """role, of the statement of the whole with this number. rest: behind the loop, and not in it."""

    role: Role
    of: int
    rest: bool = False


@dataclass(frozen=True)
class Online(Form):
    """The claimed equality: `whole`, and `kernel`, with statements of its own in the place of first to end - 1.

    made: the role of each of these. axis goes in blocks of `block` points, counted by `step`, the points in one by
    `inside`; the last `left` points, counted by `beyond`, follow.
    """

    axis: str
    block: int
    first: int
    end: int
    made: tuple[Made, ...]
    step: str
    inside: str
    beyond: str

    @property
    def extent(self) -> int:
        """Points of the axis."""
        return next(int(a.extent) for a in self.whole.axes if a.name == self.axis)

    @property
    def steps(self) -> int:
        """Full blocks."""
        return self.extent // self.block

    @property
    def left(self) -> int:
        """Points behind the last full block."""
        return self.extent % self.block

    def stages(self) -> tuple[bool, ...]:
        """The loop, and the rest if there is one."""
        return (False, True) if self.left else (False,)

    def axes(self, rest: bool) -> tuple[tuple[str, int], ...]:
        """The axes in place of the original axis, with their extents."""
        return ((self.beyond, self.left),) if rest else ((self.step, self.steps), (self.inside, self.block))

    def point(self, rest: bool) -> Any:
        """The axis, of the axes in its place."""
        return self.steps * self.block + sym(self.beyond) if rest else self.block * sym(self.step) + sym(self.inside)

    def back(self, rest: bool) -> Dict[str, Any]:
        """The axes in its place, of the axis."""
        k = sym(self.axis)
        if rest:
            return {self.beyond: k - self.steps * self.block}
        return {self.step: FloorDiv(k, self.block), self.inside: FloorMod(k, self.block)}

    def near(self, rest: bool) -> Any:
        """The axis counting the points of a block, or of the rest."""
        return sym(self.beyond if rest else self.inside)

    def statements(self, role: Role, rest: bool | None = None) -> dict[int, tuple[int, Statement]]:
        """Number in the whole -> number and statement here, of those with this role."""
        return {
            m.of: (self.first + n, self.kernel.statements[self.first + n])
            for n, m in enumerate(self.made)
            if m.role is role and rest in (None, m.rest)
        }

    @property
    def key(self) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"online-{self.axis}-{self.extent}-{self.block}"

    @property
    def way(self) -> str:
        """The rewriting, in words."""
        return "maxima that run"

    @property
    def reductions(self) -> tuple[int, ...]:
        """Statements of the whole with sums added up in another order."""
        return tuple(n for n in range(self.first, self.end) if self.axis in self.whole.statements[n].reduction_axes)

    def __str__(self) -> str:
        rest = f", and {self.left} left over" if self.left else ""
        return f"the maximum and sums over {self.axis} as they run, in {self.steps} blocks of {self.block}{rest}"


__all__ = ["Made", "Online", "Role"]
