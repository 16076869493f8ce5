"""Needed elements of a tensor and the earlier points that begin them: the kernel's side of claim 18.

A statement needs each element it reads or adds to; the caller needs each element of a result at the end. A point that
writes the element begins it, if it precedes in the kernel's own order: the time step first, then the statement. The
point is guessed by inverting the statement's target. Then it is proved: for every needed element, some guess is a point
of its domain, writes the element and precedes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, truth, value
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.boxes import decided_by_output
from isamap_smt.ir.expr import insides, is_constant, sym, words
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.scalar import bound_axes
from isamap_smt.proof.program_cover import inverted
from isamap_smt.proof.program_kernel_order import Order, order_of
from isamap_smt.proof.program_sites import Formula, conjunction, equal, rename, span

GUESSES = 4  # of an axis that the element leaves open: padding of fewer points is seen through
_OWN = frozenset("~.'#?")  # in names of the proof's own
MOST = 20_000  # points that are looked at to confirm a counterexample


@dataclass(frozen=True)
class Needed:
    """Elements of a tensor needed by statement `reader`, over its axes; -1: the caller, at the end of the kernel.

    data: symbols for indices read from inputs.
    """

    tensor: str
    reader: int
    element: tuple[Any, ...]
    given: tuple[Formula, ...]
    words: str
    data: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Question:
    """goals follow from the facts about the needed elements. None: an earlier statement assigns every element."""

    needed: Needed
    goals: tuple[Formula, ...] | None


def needs_no_fill(kernel: Kernel, tensor: str) -> bool:
    """Whether each needed element of the tensor is assigned before, whatever its memory held."""
    writers = [n for n, s in enumerate(kernel.statements) if s.target.tensor == tensor]
    return any(kernel.statements[n].op == "=" for n in writers) and _all_begun(kernel, tensor, None)


def reduction_begins(kernel: Kernel, position: int) -> bool:
    """Whether each needed element of the statement's target gets an earlier point of the statement.

    For a temporary outside of recurrences, it suffices that accumulators stand for the element.
    """
    s = kernel.statements[position]
    if s.extents_of([i for i in s.target.index if not is_constant(i)]) is None:
        return False
    if _all_begun(kernel, s.target.tensor, position):
        return True
    apart = s.target.tensor in kernel.temporaries and kernel.recurrence_of(position) is None
    return apart and _all_begun(with_room(kernel, position), s.target.tensor, position)


def with_room(kernel: Kernel, n: int) -> Kernel:
    """The kernel with points in its n-th statement for each element the accumulators stand for.

    The guard is weakened to its part decided by the output element.
    """
    s = kernel.statements[n]
    changed = replace(s, guard=decided_by_output(s))
    return replace(kernel, statements=(*kernel.statements[:n], changed, *kernel.statements[n + 1 :]))


@lru_cache(maxsize=1024)  # lowering asks for each schedule of a kernel that is tried
def _all_begun(kernel: Kernel, tensor: str, begins: int | None) -> bool:
    known = _sizes_known(kernel)
    asked = questions(kernel, tensor, begins)
    return all(isinstance(answer(kernel, q, known, smallest=False), Proved) for q in asked)


def questions(kernel: Kernel, tensor: str, begins: int | None = None) -> Iterator[Question]:
    """One for each place in the kernel that needs elements of the tensor.

    begins: the statement that begins them all, a reduction whose own additions need nothing; None: any writer may begin
    them.
    """
    for needed in _needed_elements(kernel, tensor, begins):
        writers = range(len(kernel.statements)) if begins is None else (begins,)
        yield _question(kernel, needed, [n for n in writers if kernel.statements[n].target.tensor == tensor])


def _needed_elements(kernel: Kernel, tensor: str, begins: int | None = None) -> Iterator[Needed]:
    """Each place that needs elements of the tensor, once."""
    shape = kernel.tensor(tensor).shape
    for n, s in enumerate(kernel.statements):
        added = () if s.op == "=" or n == begins else (s.target,)
        for access in dict.fromkeys((*added, *s.inputs)):
            if access.tensor == tensor:
                yield _needed_by(s, n, access, shape)
    if tensor not in kernel.temporaries:
        cells = tuple(sym(f"{tensor}.{d}") for d in range(len(shape)))
        inside = tuple(f for c, n in zip(cells, shape, strict=True) for f in span(c, n))
        yield Needed(tensor, -1, cells, inside, f"every element of the result {tensor} is begun")


def _needed_by(s: Statement, n: int, access: Access, shape: Sequence[Any]) -> Needed:
    """The elements a statement reads or adds to there; they exist (claim 5)."""
    table = {e: sym(str(e)) for e in insides(access.index)}
    element = tuple(sp.sympify(i).xreplace(table) for i in access.index)
    axes = (*s.axes, *(Axis(name, sp.Integer(count)) for name, count in bound_axes(s.value).items()))
    given = [f for a in axes for f in span(a.symbol, a.extent)]
    given += [f for e, x in table.items() for f in span(x, e.args[1])]
    given += [*s.guard, *(f for e, extent in zip(element, shape, strict=True) for f in span(e, extent))]
    does = "adds to" if access == s.target and access not in s.inputs else "reads"
    told = f"{access.tensor}[{','.join(map(words, element))}]"
    said = f"every element {told} that statement {n + 1} {does} was begun before"
    return Needed(access.tensor, n, element, tuple(given), said, frozenset(x.name for x in table.values()))


def _question(kernel: Kernel, needed: Needed, writers: Sequence[int]) -> Question:
    options: list[list[Formula]] = []
    for n in writers:
        order = Order() if needed.reader < 0 else order_of(kernel, n, needed.reader)
        s = kernel.statements[n]
        if order is None:
            continue
        whole = not s.guard and s.extents_of(s.target.index) == kernel.tensor(needed.tensor).shape
        if not order.axis and whole and _has_points(kernel, s):
            return Question(needed, None)
        options += _guessed(s, needed, order)
    if len(options) == 1:
        return Question(needed, tuple(options[0]))
    return Question(needed, (("or", *map(conjunction, options)),))


def _has_points(kernel: Kernel, s: Statement) -> bool:
    """Whether each element written by the statement has a point, at all sizes: a sum along J - 1 has none at J = 1."""
    low = {p.name: p.low for p in kernel.parameters}
    summed = [sp.sympify(s.axis(a).extent) for a in s.reduction_axes]
    asked = [e for e in summed if not (e.is_Symbol and low.get(e.name, 1) >= 1) and not (e.is_Integer and e >= 1)]
    goals: list[Formula] = [("lt", sp.S.Zero, e) for e in asked]
    known, sizes = _sizes_known(kernel), _sizes(kernel)
    return not goals or isinstance(implied([*known], goals, sizes, "a sum has a point", False), Proved)


def _guessed(s: Statement, needed: Needed, order: Order) -> list[list[Formula]]:
    """Guessed points of the statement that may write the element, each as its goals: it is in the domain, and precedes."""
    own = {a.name: sym(f"{a.name}~w") for a in s.axes}
    index = [rename(sp.sympify(i), own) for i in s.target.index]
    extents = {own[a.name].name: rename(a.extent, own) for a in s.axes}
    found: list[list[Formula]] = []
    for number in range(GUESSES if s.guard and s.reduction_axes else 1):
        point = inverted(index, needed.element, list(extents), extents, number)
        if point is None:
            return []
        goals = [f for a in s.axes for f in span(own[a.name], rename(a.extent, own))]
        goals += [*(rename(g, own) for g in s.guard), *equal(index, needed.element)]
        reader = {order.axis: sym(order.axis)} if order.axis else {}
        found.append(rename([*goals, *order.holds(own, reader)], point))
    return found


def _sizes_known(kernel: Kernel) -> tuple[Formula, ...]:
    low = {p.name: p.low for p in kernel.parameters}
    return tuple(("le", sp.Integer(low.get(n, 1)), sym(n)) for n in _sizes(kernel))


def _sizes(kernel: Kernel) -> tuple[str, ...]:
    return tuple(sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)}))


def answer(
    kernel: Kernel, q: Question, known: Sequence[Formula], sizes: Sequence[str] = (), smallest: bool = True
) -> Verdict:
    """The verdict. Refuted only if no point of the kernel at all begins the named element.

    known: facts about sizes. sizes: further names with a given value.
    """
    if q.goals is None:
        return Proved()
    given = [*known, *q.needed.given]
    verdict = implied(given, q.goals, tuple(dict.fromkeys((*_sizes(kernel), *sizes))), q.needed.words, smallest)
    return _confirmed(kernel, q.needed, verdict) if isinstance(verdict, Refuted) else verdict


def _confirmed(kernel: Kernel, needed: Needed, refuted: Refuted) -> Verdict:
    """The refutation in words, with a statement that writes the element too late; Unknown if one begins it in time."""
    witness = {n: int(v) for n, v in refuted.witness.items()}
    cell = tuple(value(i, witness) for i in needed.element)
    name = f"{needed.tensor}[{','.join(map(str, cell))}]"
    late = ""
    for n, s in enumerate(kernel.statements):
        if s.target.tensor != needed.tensor:
            continue
        points = _points_that_write(s, cell, witness)
        if points is None:
            return Unknown(
                f"{needed.words}: not seen for {name}, and too large to be looked at, or a matter of data",
                refuted.seconds,
            )
        order = Order() if needed.reader < 0 else order_of(kernel, n, needed.reader)
        if order is not None and any(all(truth(f, {}) for f in order.holds(p, witness)) for p in points):
            return Unknown(f"{needed.words}: statement {n + 1} begins {name}, which no guess shows", refuted.seconds)
        if points and not late and n != needed.reader:
            at = " ".join(f"{a}={v}" for a, v in points[0].items())
            late = f"statement {n + 1} writes it later, at {at}" if at else f"statement {n + 1} writes it later"
    shown = {n: v for n, v in witness.items() if not set(n) & _OWN}
    at = " ".join(f"{n}={v}" for n, v in shown.items()) or "every size"
    who = "the caller" if needed.reader < 0 else f"statement {needed.reader + 1}"
    text = f"{needed.words}: fails at {at}: {who} needs {name}; {late or 'no statement writes it'}, and its memory held anything"
    return replace(refuted, witness=witness, text=text)


def _points_that_write(s: Statement, cell: tuple[int, ...], sizes: Mapping[str, int]) -> list[dict[str, int]] | None:
    """The statement's points that write the element at these sizes, by axis; None if too many, or a matter of data."""
    if writes_by_data(s):
        return None
    env = {n: v for n, v in sizes.items() if n not in {a.name for a in s.axes}}
    extents = [value(sp.sympify(a.extent), env) for a in s.axes]
    if prod(max(0, n) for n in extents) > MOST:
        return None
    index = [sp.sympify(i) for i in s.target.index]
    taken = {i.name: c for i, c in zip(index, cell, strict=True) if i.is_Symbol}  # these axes have one value at most
    counted = [range(n) for n in extents]
    for d, a in enumerate(s.axes):
        if a.name in taken:
            counted[d] = range(max(0, taken[a.name]), min(extents[d], taken[a.name] + 1))
    found = []
    for p in itertools.product(*counted):
        own = {a.name: v for a, v in zip(s.axes, p, strict=True)}
        at = {**env, **own}
        if tuple(value(i, at) for i in index) == cell and all(truth(g, at) for g in s.guard):
            found.append(own)
    return found


__all__ = [
    "Needed",
    "Question",
    "answer",
    "needs_no_fill",
    "questions",
    "reduction_begins",
    "with_room",
]
