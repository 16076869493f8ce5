"""Takes a sum apart into partial sums. Nothing here is trusted: proof/rewrite_claims.py proves both equal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, FloorMod, ceil_div, is_constant, sym, symbols_of
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Closing, Indices, Partial, Piece, Rewrite, Role
from isamap_smt.ir.rows import REGROUPED, Sums
from isamap_smt.ir.scalar import read
from isamap_smt.language.shapes import is_positive
from isamap_smt.mapping.substituted import in_place_of, new_name, over_other_axes


def split_sum(
    kernel: Kernel,
    axis: str,
    parts: int,
    *,
    blocks: bool = False,
    inner: int = 1,
    statement: int | None = None,
    masked: bool = False,
) -> Rewrite:
    """The kernel with its sum over `axis` in `parts` partial sums.

    Point k goes to sum (k // inner) % parts: `inner` neighbours stay together, the next ones go to the next sum.
    blocks: each sum takes one contiguous range instead. A remainder of parts * inner is added on its own. masked:
    instead, the sums have one point more under a condition; then the extent may be open, and some sums may have no
    point at all. statement: the main one if None.
    Raises ScheduleError if the axis cannot be split.
    """
    position = kernel.main if statement is None else statement
    s = kernel.statements[position]
    extent = _splittable(kernel, position, axis, masked and not blocks)
    if is_constant(extent):
        most = int(extent) // max(inner, 1)
        if inner < 1 or most < 2:
            together = f", {inner} of them together" if inner != 1 else ""
            raise ScheduleError(f"the sum over {axis} has {extent} points{together}: too few for two partial sums")
        if not 2 <= parts <= most:
            raise ScheduleError(
                f"the sum over {axis} has {extent} points; it splits into 2 to {most} partial sums, not {parts}"
            )
    steps = ceil_div(extent, parts * inner) if masked else FloorDiv(extent, parts * inner)
    names = _Names(kernel, axis, s.target.tensor)
    return _Split(kernel, position, axis, parts, inner, steps, blocks, names).made()


def _splittable(kernel: Kernel, position: int, axis: str, open_: bool) -> Any:
    """The axis' extent; it may be open if open_. Raises ScheduleError if the statement's sum over it cannot split."""
    s = kernel.statements[position]
    if axis not in s.reduction_axes:
        raise ScheduleError(
            f"{kernel.name} does not sum over {axis!r} in statement {position + 1}; {did_you_mean(axis, s.reduction_axes)}"
        )
    extent = s.axis(axis).extent
    why = ""
    if not is_constant(extent) and not is_positive(extent, {p.name: p.low for p in kernel.parameters}):
        raise ScheduleError(f"the sum over {axis} may have no points, and partial sums have one each")
    if not is_constant(extent) and not open_:
        why = f"its extent {extent} is open; give its size"
    elif s.op not in REGROUPED:
        why = f"statement {position + 1} is no sum, and no maximum or minimum"
    elif writes_by_data(s):
        why = "data says where it adds"
    elif any(a.tensor == s.target.tensor for a in s.inputs):
        why = "it reads what it adds to"
    elif s.ordered:
        why = "the order of the sum is fixed"
    if why:
        raise ScheduleError(f"the sum over {axis} cannot be split: {why}")
    return extent


class _Names:
    """Distinct names, new to the kernel."""

    def __init__(self, kernel: Kernel, axis: str, target: str) -> None:
        self.part, self.step, self.near, self.rest = (
            new_name(kernel, f"{axis}_{what}") for what in ("part", "step", "near", "rest")
        )
        self.sums = new_name(kernel, f"{target}_sums")


@dataclass(frozen=True)
class _Split:
    """One way to split: parts * inner * steps points in partial sums, the rest on its own."""

    kernel: Kernel
    position: int
    axis: str
    parts: int
    inner: int
    steps: Any
    blocks: bool
    names: _Names

    @property
    def statement(self) -> Statement:
        return self.kernel.statements[self.position]

    @property
    def outer(self) -> tuple[Axis, ...]:
        """The axes of the output, those of its dimensions first and in their order."""
        s = self.statement
        kept = [a for a in s.axes if a.name not in s.reduction_axes]
        plain = [i.name for i in s.target.index if i.is_Symbol]
        return tuple(sorted(kept, key=lambda a: plain.index(a.name) if a.name in plain else len(plain)))

    @property
    def extent(self) -> Any:
        return self.statement.axis(self.axis).extent

    @property
    def cut(self) -> bool:
        """Whether a condition cuts off the last points of the partial sums: there are more than those of the sum, or may be."""
        return not is_constant(self.extent) or bool(self.covered > self.extent)

    @property
    def covered(self) -> Any:
        """Points of the axis in partial sums; more than its extent if a condition cuts off the last."""
        return self.parts * self.inner * self.steps

    def made(self) -> Rewrite:
        k, n = self.kernel, self.position
        tensor = self._tensor()
        partial, point = self._over(self._steps())
        target = Access(tensor.name, self._sum(sym(self.names.part)))
        statements = [replace(partial, target=target), self._closing()]
        roles: list[Role] = [Partial(n, *point, tensor.name), Closing(n + 1)]
        if not self.cut and self.extent > self.covered:
            rest, point = self._over(self._rest(self.extent - self.covered))
            statements.append(rest)
            roles.append(Piece(n + 2, *point))
        new = in_place_of(k, n, statements, (tensor,))
        row = Sums(n, self.axis, self.parts, self.blocks, self.inner, self.cut)
        return Rewrite(k, new, row, tuple(roles))

    def _tensor(self) -> Tensor:
        return Tensor(
            self.names.sums, self.kernel.tensor(self.statement.target.tensor).dtype, self._index_of(self._extents())
        )

    def _extents(self) -> tuple[tuple[Any, ...], Any]:
        return tuple(a.extent for a in self.outer), sp.Integer(self.parts)

    def _index_of(self, parts: tuple[tuple[Any, ...], Any]) -> tuple[Any, ...]:
        """Neighbouring sums lie side by side if they take neighbouring points; blocks lie one behind the other."""
        outer, part = parts
        return (part, *outer) if self.blocks else (*outer, part)

    def _sum(self, part: Any) -> tuple[Any, ...]:
        return self._index_of((tuple(a.symbol for a in self.outer), part))

    def _steps(self) -> tuple[Any, list[Axis], Indices]:
        """(the axis over the new axes, these axes, each of them over the axis) for the points in partial sums."""
        part, step, near = sym(self.names.part), sym(self.names.step), sym(self.names.near)
        k = self.axis
        if self.blocks:
            point, back = part * self.steps + step, (FloorDiv(sym(k), self.steps), FloorMod(sym(k), self.steps))
            if self.inner > 1:
                point = point * self.inner + near
                back = (FloorDiv(sym(k), self.steps * self.inner), FloorMod(FloorDiv(sym(k), self.inner), self.steps))
        else:
            point = self.inner * (self.parts * step + part) + (near if self.inner > 1 else 0)
            back = (FloorMod(FloorDiv(sym(k), self.inner), self.parts), FloorDiv(sym(k), self.inner * self.parts))
        new = [Axis(self.names.part, sp.Integer(self.parts)), Axis(self.names.step, sp.sympify(self.steps))]
        given: Indices = ((self.names.part, back[0]), (self.names.step, back[1]))
        if self.inner > 1:
            new.append(Axis(self.names.near, sp.Integer(self.inner)))
            given = (*given, (self.names.near, FloorMod(sym(k), self.inner)))
        return sp.expand(point), new, given

    def _rest(self, points: Any) -> tuple[Any, list[Axis], Indices]:
        """The same for the remaining points, added to the output itself."""
        left = self.names.rest
        axes = [Axis(left, sp.Integer(points))]
        return sym(left) + self.covered, axes, ((left, sym(self.axis) - self.covered),)

    def _over(self, place: tuple[Any, list[Axis], Indices]) -> tuple[Statement, tuple[Indices, Indices]]:
        """The statement over the axes in place of the split one, with the map of its points and the way back."""
        s, (point, axes, given) = self.statement, place
        made = over_other_axes(s, self.axis, axes, point, s.guard)
        made = replace(made, guard=(*made.guard, *([sp.Lt(point, self.extent)] if self.cut else [])))
        same: Indices = tuple((a.name, a.symbol) for a in s.axes if a.name != self.axis)
        return made, ((*same, (self.axis, point)), (*same, *given))

    def _closing(self) -> Statement:
        """Adds the partial sums to the output, in pairs; or takes the maximum or minimum of partial ones."""
        op = self.statement.op
        terms = [read(self.names.sums, *self._sum(sp.Integer(n))) for n in range(self.parts)]
        while len(terms) > 1:
            half = (len(terms) + 1) // 2
            terms = [REGROUPED[op](a, b) for a, b in zip(terms, terms[half:], strict=False)] + terms[
                len(terms) - half : half
            ]
        mine = {a.name for a in self.outer}
        return Statement(
            self.statement.target,
            op,
            terms[0],
            self.outer,
            tuple(g for g in self.statement.guard if symbols_of([g]) & {x.name for x in self.statement.axes} <= mine),
        )


__all__ = ["split_sum"]
