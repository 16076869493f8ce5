"""Takes an axis of a statement apart into ranges, each a statement of its own. Nothing here is trusted: whoever uses the
kernel proves that it is equal (isamap_smt.equality).

    T[q] += X[q+s-1] * W[s] where 0 <= q+s-1 < V          of 100 columns, 3 columns of a window
    Y[q] = round_i8(f32(T[q]) * s[])

    T_1[] += X[s_1] * W[s_1+1]                            q = 0: the border is a range of s
    Y[0] = round_i8(f32(T_1[]) * s[])
    T_2[q_2] += X[q_2+s] * W[s]                           the inside has no border
    Y[q_2+1] = round_i8(f32(T_2[q_2]) * s[])
    T_3[] += X[s_3+98] * W[s_3]
    Y[99] = round_i8(f32(T_3[]) * s[])

A border along a mapped axis cuts tiles differently at each column, which moves cannot do; inside it cuts none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import always_true, extreme, slack
from isamap_smt.ir.expr import affine, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.scalar import put_into_indices, read
from isamap_smt.language.printer import statement_text
from isamap_smt.mapping.substituted import in_text, new_name

FEW = 8  # columns of a rim that are looked at one by one
Range = tuple[int, int]  # the first point, and the number of points


@dataclass(frozen=True)
class Parts:
    """Statement number `statement` over its axis in ranges that follow one another, each with what follows the sum.

    statements: the number of those taken apart, the sum and what follows it.
    """

    statement: int
    axis: str
    ranges: tuple[Range, ...]
    statements: int = 1

    def __str__(self) -> str:
        return f"{self.axis} in parts of {', '.join(str(n) for _, n in self.ranges)}"


def along_borders(kernel: Kernel, statement: int) -> Iterator[Parts]:
    """An axis of the output in an inside, at which no border cuts the sum along it, and what is around; or in columns.

    Only axes of known extents are looked at, and relations of two axes or more with known numbers.
    """
    s = kernel.statements[statement]
    count = 1 if _behind(kernel, statement) is None else 2
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
            yield Parts(statement, a.name, tuple(r for r in ranges if r[1]), count)
        elif 1 < size <= FEW:
            yield Parts(statement, a.name, tuple((n, 1) for n in range(size)), count)


def _separable(kernel: Kernel, s: Statement, axis: Axis) -> bool:
    """Whether its statements can be made: a plain index of the output, of a known extent; no one else reads the sum."""
    own = [n for n, i in enumerate(s.target.index) if axis.name in symbols_of([i])]
    plain = len(own) == 1 and s.target.index[own[0]] == axis.symbol and s.extents_of(s.target.index) is not None
    shape = kernel.tensor(s.target.tensor).shape
    plain = plain and s.extents_of(s.target.index) == shape and is_constant(axis.extent) and s.op != "="
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
    s = kernel.statements[parts.statement]
    last = _behind(kernel, parts.statement)
    total = s.target.tensor
    made = kernel
    statements: list[Statement] = []
    more: list[Tensor] = []
    dimension = s.target.index.index(sym(parts.axis))
    for n, (first, points) in enumerate(parts.ranges, 1):
        name = new_name(made, f"{total}_{n}")
        own = new_name(made, f"{parts.axis}_{n}")
        place = sym(own) + first if points > 1 else sp.Integer(first)
        axes = (Axis(own, sp.Integer(points)),) if points > 1 else ()
        sum_ = _within(made, _over(s, parts.axis, axes, place), f"_{n}")
        kept = tuple(i for d, i in enumerate(s.target.index) if d != dimension or points > 1)
        kept = tuple(substitute(i, {parts.axis: sym(own)}) for i in kept)
        shape = tuple(sp.sympify(sum_.axis(str(i)).extent) for i in kept)
        statements.append(_written(replace(sum_, target=Access(name, kept))))
        statements.append(_written(_finished(s, last, name, dimension, axes, place)))
        more.append(Tensor(name, kernel.tensor(total).dtype, shape))
        made = replace(made, tensors=(*made.tensors, *more[-1:]), statements=(*made.statements, *statements[-2:]))
    return _with(kernel, parts.statement, parts.statements, statements, more)


def _behind(kernel: Kernel, statement: int) -> Statement | None:
    """The statement of the finished sum's elements, which alone reads it; None if there is none such."""
    s, every = kernel.statements[statement], kernel.statements
    last = every[statement + 1] if statement + 1 < len(every) else None
    total = s.target.tensor
    read_by = [x for x in every if total in {a.tensor for a in x.inputs}]
    if last is None or total not in kernel.temporaries or read_by != [last] or last.reduction_axes or last.guard:
        return None
    reads = [a for a in last.inputs if a.tensor == total]
    return last if len(reads) == 1 and last.extents_of(reads[0].index) is not None and last.op == "=" else None


def _finished(
    s: Statement, last: Statement | None, name: str, dimension: int, axes: Sequence[Axis], place: Any
) -> Statement:
    """What is computed of the elements of one part; the elements as they are, if nothing follows the sum."""
    if last is None:
        kept = {a.name: a for a in s.axes}
        names = [str(i) for i in s.target.index]
        last = Statement(s.target, "=", read(s.target.tensor, *s.target.index), tuple(kept[n] for n in names))
    (taken,) = (a for a in last.inputs if a.tensor == s.target.tensor)
    axis = str(taken.index[dimension])
    own = _over(last, axis, axes, place)
    index = [substitute(i, {axis: axes[0].symbol}) if axes else i for i in taken.index]
    index = [i for d, i in enumerate(index) if d != dimension or axes]
    whole = read(s.target.tensor, *(substitute(i, {axis: place}) for i in taken.index))
    return replace(own, value=own.value.xreplace({whole: read(name, *index)}))


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


def _within(kernel: Kernel, s: Statement, mark: str) -> Statement:
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
            own = Axis(new_name(kernel, f"{a.name}{mark}"), sp.Integer(end - low))
            s = _over(s, a.name, (own,), own.symbol + low)
    return s


def _written(s: Statement) -> Statement:
    return replace(s, source=statement_text(replace(s, source="")), place="")


def _with(kernel: Kernel, at: int, count: int, made: Sequence[Statement], more: Sequence[Tensor]) -> Kernel:
    """The kernel with these statements in the place of `count` others, and with these temporaries."""
    from isamap_smt.language import to_text

    every = (*kernel.statements[:at], *made, *kernel.statements[at + count :])
    used = {n for s in every for n in (s.target.tensor, *(a.tensor for a in s.inputs))}
    tensors = in_text(tuple(t for t in (*kernel.tensors, *more) if t.name in used), every)
    temporaries = tuple(n for n in (*kernel.temporaries, *(t.name for t in more)) if n in used)
    new = replace(kernel, tensors=tensors, statements=every, temporaries=temporaries, file="", order=kernel.inputs)
    return replace(new, text=to_text(new))


__all__ = ["Parts", "along_borders", "in_parts"]
