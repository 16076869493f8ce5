"""Takes an axis of a statement apart into ranges, each a statement of its own. Nothing here is trusted: whoever uses the
kernel proves that it is equal (isamap_smt.equality).

    T[q] += X[q+s-1] * W[s] where 0 <= q+s-1 < V          100 columns, a window of 3
    Y[q] = round_i8(f32(T[q]) * z[])

    T_1[] += X[s_1] * W[s_1+1]                            an axis of the output: q = 0, where the border is a range of s
    Y[0] = round_i8(f32(T_1[]) * z[])
    T_2[q_2] += X[q_2+s] * W[s]                           the inside, which has no border
    Y[q_2+1] = round_i8(f32(T_2[q_2]) * z[])
    T_3[] += X[s_3+98] * W[s_3]
    Y[99] = round_i8(f32(T_3[]) * z[])

A border along a mapped axis cuts tiles differently at each column, which moves cannot do; inside it cuts none.

    T_1[i] += A[i,k_1] * B[k_1]                           an axis of the sum: the second part begins at what the first left
    T_2[i] += A[i,k_2+512] * B[k_2+512]
    Y[i] = round_i8(f32(T_1[i] + T_2[i]) * z[])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true, extreme, slack
from isamap_smt.ir.expr import affine, free_name, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.scalar import SAdd, cast, put_into_indices, read
from isamap_smt.language.printer import statement_text, to_text
from isamap_smt.mapping.substituted import in_text, new_name

FEW = 8  # columns of a rim that are looked at one by one
Range = tuple[int, int]  # the first point, and the number of points


@dataclass(frozen=True)
class Parts:
    """Statement number `statement` over its axis in ranges that follow one another, each with what follows the sum.

    statements: the number of those taken apart, the sum and what follows it. counts: of the statements of each part.
    """

    statement: int
    axis: str
    ranges: tuple[Range, ...]
    statements: int
    counts: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.axis} in parts of {', '.join(str(n) for _, n in self.ranges)}"


def along_borders(kernel: Kernel, statement: int) -> Iterator[Parts]:
    """An axis of the output in an inside, at which no border cuts the sum along it, and what is around; or in columns.

    Only axes of known extents are looked at, and relations of two axes or more with known numbers.
    """
    s = kernel.statements[statement]
    count = 1 if _follower(kernel, statement) is None else 2
    for a in s.axes:
        if a.name in s.reduction_axes or not _separable(kernel, s, a):
            continue
        size = int(a.extent)
        low, end = 0, size
        for g in s.guard:
            inside = _always(g, s, a)
            if inside is not None:
                low, end = max(low, inside[0]), min(end, inside[1])
        if (low, end) == (0, size):
            continue
        if low < end:
            ranges = [(0, low), (low, end - low), (end, size - end)]
            yield _of_output(statement, a, [r for r in ranges if r[1]], count)
        elif 1 < size <= FEW:
            yield _of_output(statement, a, [(n, 1) for n in range(size)], count)


def _of_output(statement: int, axis: Axis, ranges: Sequence[Range], count: int) -> Parts:
    return Parts(statement, axis.name, tuple(ranges), count, (2,) * len(ranges))


def along_sum(kernel: Kernel, statement: int, axis: str, parts: int, step: int) -> Parts | None:
    """An axis of the sum in so many parts, each but the last a multiple of `step` points; None if it has too few of them."""
    s = kernel.statements[statement]
    a = s.axis(axis)
    if axis not in s.reduction_axes or s.op != "+" or not _separable(kernel, s, a):
        return None
    size = int(a.extent)
    each = -(-size // (parts * step)) * step
    ranges = tuple((n, min(each, size - n)) for n in range(0, size, each))
    if len(ranges) != parts:
        return None
    count = 1 if _follower(kernel, statement) is None else 2
    return Parts(statement, axis, ranges, count, (1, *(2,) * (parts - 1)))


def _separable(kernel: Kernel, s: Statement, axis: Axis) -> bool:
    """Whether its statements can be made: one element for each point of the output, a known extent; one reads the sum."""
    shape = kernel.tensor(s.target.tensor).shape
    plain = s.extents_of(s.target.index) == shape and is_constant(axis.extent) and s.op != "="
    alone = [x for x in kernel.statements if x.target.tensor == s.target.tensor] == [s]
    return plain and alone and not kernel.recurrences and not s.ordered


def _always(g: Any, s: Statement, axis: Axis) -> Range | None:
    """Points of the axis, from the first on up to an end, at which a relation of it and others holds for all of the others.

    None for a relation without it, or of nothing else.
    """
    room = slack(g)
    found = None if room is None else affine(room, [axis.name])
    step = sp.S.Zero if found is None else found[0].get(axis.name, sp.S.Zero)
    if found is None or step == 0 or not symbols_of([found[1]]) & {a.name for a in s.axes}:
        return None
    least = extreme(found[1], s.axes, largest=False)
    if least is None or not least.is_Integer or not step.is_Integer:
        return None
    step, least = int(step), int(least)
    return (max(0, -(least // step)), int(axis.extent)) if step > 0 else (0, least // -step + 1)


def in_parts(kernel: Kernel, parts: Parts) -> Kernel:
    """The kernel with a group of statements for each range: a sum into a temporary, and what is computed of it."""
    summed = parts.axis in kernel.statements[parts.statement].reduction_axes
    names = _Names(kernel)
    statements = _of_sum(kernel, parts, names) if summed else _of_elements(kernel, parts, names)
    at, every = parts.statement, kernel.statements
    return _with(kernel, (*every[:at], *map(_written, statements), *every[at + parts.statements :]), names.made)


class _Names:
    """Names that are new to the kernel, and the temporaries made with them."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.taken, self.made = kernel, set[str](), list[Tensor]()

    def new(self, name: str) -> str:
        """The name, or one like it."""
        name = new_name(self.kernel, name)
        name = free_name(name, self.taken)
        self.taken.add(name)
        return name

    def temporary(self, name: str, s: Statement, index: Sequence[Any]) -> Access:
        """An element of a new temporary like the statement's target, at an index of its axes."""
        like = self.kernel.tensor(s.target.tensor)
        shape = tuple(sp.sympify(s.axis(str(i)).extent) for i in index)
        self.made.append(Tensor(self.new(name), like.dtype, shape))
        return Access(self.made[-1].name, tuple(index))


def _of_elements(kernel: Kernel, parts: Parts, names: _Names) -> Iterator[Statement]:
    """The statements of parts along an axis of the output."""
    s, last = kernel.statements[parts.statement], _follower(kernel, parts.statement)
    dimension = s.target.index.index(sym(parts.axis))
    for n, (first, points) in enumerate(parts.ranges, 1):
        axes = (Axis(names.new(f"{parts.axis}_{n}"), sp.Integer(points)),) if points > 1 else ()
        place = axes[0].symbol + first if axes else sp.Integer(first)
        own = _within(_over(s, parts.axis, axes, place), f"_{n}", names)
        kept = [*s.target.index[:dimension], *(a.symbol for a in axes), *s.target.index[dimension + 1 :]]
        part = names.temporary(f"{s.target.tensor}_{n}", own, kept)
        yield replace(own, target=part)
        end = _whole(s) if last is None else last
        (taken,) = (a for a in end.inputs if a.tensor == s.target.tensor)
        axis = str(taken.index[dimension])
        index = [*taken.index[:dimension], *(a.symbol for a in axes), *taken.index[dimension + 1 :]]
        of = [substitute(i, {axis: place}) for i in taken.index]
        yield _instead(_over(end, axis, axes, place), read(s.target.tensor, *of), read(part.tensor, *index))


def _of_sum(kernel: Kernel, parts: Parts, names: _Names) -> Iterator[Statement]:
    """The statements of parts along an axis of the sum: what there is so far, and the next part."""
    s, last = kernel.statements[parts.statement], _follower(kernel, parts.statement)
    kind = kernel.tensor(s.target.tensor).dtype  # a sum wraps as its elements do, also below a saturation
    so_far: Access | None = None
    for n, (first, points) in enumerate(parts.ranges, 1):
        axis = Axis(names.new(f"{parts.axis}_{n}"), sp.Integer(points))
        own = _over(s, parts.axis, (axis,), axis.symbol + first)
        part = names.temporary(f"{s.target.tensor}_{n}", own, s.target.index)
        yield replace(own, target=part)
        if so_far is None:
            so_far = part
            continue
        end = last if last is not None and n == len(parts.ranges) else _whole(s)
        (taken,) = (a for a in end.inputs if a.tensor == s.target.tensor)
        sums = cast(kind, SAdd(read(so_far.tensor, *taken.index), read(part.tensor, *taken.index)))
        end = _instead(end, read(s.target.tensor, *taken.index), sums)
        if n < len(parts.ranges):
            so_far = names.temporary(f"{s.target.tensor}_to_{n}", own, s.target.index)
            end = replace(end, target=so_far)
        yield end


def _whole(s: Statement) -> Statement:
    """The elements of a sum as they are."""
    axes = tuple(s.axis(str(i)) for i in s.target.index)
    return Statement(s.target, "=", read(s.target.tensor, *s.target.index), axes)


def _instead(s: Statement, element: Any, value: Any) -> Statement:
    return replace(s, value=s.value.xreplace({element: value}))


def _follower(kernel: Kernel, statement: int) -> Statement | None:
    """The statement of the finished sum's elements, which alone reads it; None if there is none such."""
    s, every = kernel.statements[statement], kernel.statements
    last = every[statement + 1] if statement + 1 < len(every) else None
    total = s.target.tensor
    read_by = [x for x in every if total in {a.tensor for a in x.inputs}]
    if last is None or total not in kernel.temporaries or read_by != [last] or last.reduction_axes or last.guard:
        return None
    reads = [a for a in last.inputs if a.tensor == total]
    return last if len(reads) == 1 and last.extents_of(reads[0].index) is not None and last.op == "=" else None


def _over(s: Statement, axis: str, axes: Sequence[Axis], place: Any) -> Statement:
    """The statement at `place`, over these axes, in the place of the axis. Relations that always hold are left out."""
    table = {axis: place}
    own = tuple(x for a in s.axes for x in (axes if a.name == axis else (a,)))
    guard = (sp.sympify(substitute(g, table)) for g in s.guard)
    return replace(
        s,
        target=Access(s.target.tensor, tuple(sp.expand(substitute(i, table)) for i in s.target.index)),
        value=put_into_indices(s.value, table),
        axes=own,
        guard=tuple(g for g in guard if not always_true(g, own)),
    )


def _within(s: Statement, mark: str, names: _Names) -> Statement:
    """The statement with the reduction axes that a relation alone bounds run within the bounds."""
    for a in s.axes:
        if a.name not in s.reduction_axes or not is_constant(a.extent):
            continue
        low, end = 0, int(a.extent)
        for g in s.guard:
            room = slack(g) if symbols_of([g]) == {a.name} else None
            found = None if room is None else affine(room, [a.name])
            if found is None or not all(x.is_Integer for x in (found[1], found[0].get(a.name, sp.S.Zero))):
                continue
            step, rest = int(found[0][a.name]), int(found[1])
            low, end = (max(low, -(rest // step)), end) if step > 0 else (low, min(end, rest // -step + 1))
        if (low, end) != (0, int(a.extent)) and low < end:
            own = Axis(names.new(f"{a.name}{mark}"), sp.Integer(end - low))
            s = _over(s, a.name, (own,), own.symbol + low)
    return s


def _written(s: Statement) -> Statement:
    return replace(s, source=statement_text(replace(s, source="")), place="")


def _with(kernel: Kernel, every: tuple[Statement, ...], more: Sequence[Tensor]) -> Kernel:
    """The kernel with these statements, and with these temporaries; without tensors that are not used any more."""
    used = {n for s in every for n in (s.target.tensor, *(a.tensor for a in s.inputs))}
    tensors = in_text(tuple(t for t in (*kernel.tensors, *more) if t.name in used), every)
    temporaries = tuple(n for n in (*kernel.temporaries, *(t.name for t in more)) if n in used)
    new = replace(kernel, tensors=tensors, statements=every, temporaries=temporaries, file="", order=kernel.inputs)
    return replace(new, text=to_text(new))


__all__ = ["Parts", "along_borders", "along_sum", "in_parts"]
