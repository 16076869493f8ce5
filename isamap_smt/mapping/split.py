"""Takes a sum apart into partial sums. Nothing here is trusted: proof/split.py shows that both kernels compute the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, FloorMod, ceil_div, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.scalar import bound_axes, put_into_indices, read
from isamap_smt.ir.split import REGROUPED, Indices, Piece, SplitSum
from isamap_smt.language import to_text
from isamap_smt.language.shapes import is_positive


def split_sum(
    kernel: Kernel,
    axis: str,
    parts: int,
    *,
    blocks: bool = False,
    inner: int = 1,
    statement: int | None = None,
    masked: bool = False,
) -> SplitSum:
    """The kernel with its sum over `axis` in `parts` partial sums.

    Point k goes to sum (k // inner) % parts: `inner` neighbours stay together, the next ones go to the next sum. blocks: each sum
    takes one contiguous range instead. What parts * inner does not divide is added on its own; masked: the sums have one point
    more, where a condition says so; then the extent may be open, and some sums may have no point at all. statement: the main one
    where None. Raises ScheduleError where the axis cannot be split.
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
    """The axis' extent, which may be open where open_. Raises ScheduleError where the statement's sum over it cannot be split."""
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


def new_name(kernel: Kernel, name: str) -> str:
    """The name, with as many `_` behind it as make it one that the kernel does not have."""
    taken = {t.name for t in kernel.tensors} | {a.name for a in kernel.axes} | set(kernel.free_sizes)
    taken |= {p.name for p in kernel.parameters} | {n for s in kernel.statements for n in bound_axes(s.value)}
    while name in taken:
        name += "_"
    return name


class _Names:
    """Names that the kernel does not have, no two of which are the same."""

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
        """Points of the axis that go into partial sums; more than there are where the last are cut off by a condition."""
        return self.parts * self.inner * self.steps

    def made(self) -> SplitSum:
        k, n = self.kernel, self.position
        tensor = self._tensor()
        partial, piece = self._partial()
        pieces = [piece]
        statements = [partial, self._closing()]
        if not self.cut and self.extent > self.covered:
            over, more = self._rest(self.extent - self.covered)
            statements.append(over)
            pieces.append(more)
        added = len(statements) - 1
        every = (*k.statements[:n], *statements, *k.statements[n + 1 :])
        new = replace(
            k,
            tensors=in_text((*k.tensors, tensor), every),
            statements=every,
            temporaries=(*k.temporaries, tensor.name),
            recurrences=tuple(r.moved(n, added) for r in k.recurrences),
            file="",
        )
        new = replace(new, text=to_text(new))
        made = (self.axis, self.parts, tuple(pieces), tensor.name, n + 1, self.blocks, self.inner)
        return SplitSum(k, new, n, *made, masked=self.cut)

    def _tensor(self) -> Tensor:
        return Tensor(
            self.names.sums, self.kernel.tensor(self.statement.target.tensor).dtype, self._index_of(self._extents())
        )

    def _extents(self) -> tuple[tuple[Any, ...], Any]:
        return tuple(a.extent for a in self.outer), sp.Integer(self.parts)

    def _index_of(self, parts: tuple[tuple[Any, ...], Any]) -> tuple[Any, ...]:
        """Neighbouring sums lie side by side where neighbouring points go to them; blocks lie one behind the other."""
        outer, part = parts
        return (part, *outer) if self.blocks else (*outer, part)

    def _sum(self, part: Any) -> tuple[Any, ...]:
        return self._index_of((tuple(a.symbol for a in self.outer), part))

    def _partial(self) -> tuple[Statement, Piece]:
        """The statement that fills the partial sums, and the points it computes."""
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
        target = Access(self.names.sums, self._sum(part))
        return self._piece(self.position, target, sp.expand(point), new, given)

    def _rest(self, points: Any) -> tuple[Statement, Piece]:
        """The statement that adds what is left over to the output itself."""
        left = self.names.rest
        given: Indices = ((left, sym(self.axis) - self.covered),)
        axes = [Axis(left, sp.Integer(points))]
        return self._piece(self.position + 2, self.statement.target, sym(left) + self.covered, axes, given)

    def _piece(
        self, number: int, target: Access, point: Any, axes: list[Axis], given: Indices
    ) -> tuple[Statement, Piece]:
        s, table = self.statement, {self.axis: point}
        others = [a for a in s.axes if a.name != self.axis]
        statement = replace(
            s,
            target=target,
            value=put_into_indices(s.value, table),
            axes=tuple(x for a in s.axes for x in (axes if a.name == self.axis else [a])),
            guard=(*(substitute(g, table) for g in s.guard), *([sp.Lt(point, self.extent)] if self.cut else [])),
            source="",
        )
        same: Indices = tuple((a.name, a.symbol) for a in others)
        return statement, Piece(number, (*same, (self.axis, point)), (*same, *given))

    def _closing(self) -> Statement:
        """Adds the partial sums to the output, in pairs; or takes their maximum, where that is what they are."""
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


def in_text(tensors: tuple[Tensor, ...], statements: tuple[Statement, ...]) -> tuple[Tensor, ...]:
    """The tensors in the order in which the statements name them, as they are read from a text."""
    names = [a.tensor for s in statements for a in (s.target, *s.inputs)]
    return tuple(sorted(tensors, key=lambda t: names.index(t.name)))
