"""Kernels rewritten as values: renamed, with tensors stored in another order, and joined one behind the other.

Each function's result computes the same elements as its argument, in the order of the results' own dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import Element, element, substitute, sym, symbols_of
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.kernel import Access, Axis, Kernel, Recurrence, Statement, Tensor
from isamap_smt.ir.scalar import Read, Select, cast, put_into_indices, reads, rewrite_reads
from isamap_smt.ir.typed import has_casts, type_of
from isamap_smt.language import kernel as read_kernel
from isamap_smt.language import to_text


def settled(kernel: Kernel) -> Kernel:
    """The kernel as read from its own text: declarations in the order of their use by the statements."""
    return _read(to_text(kernel), kernel.name)


@lru_cache(maxsize=1024)  # equal layers have equal texts
def _read(text: str, name: str) -> Kernel:
    return read_kernel(text, name=name)


def _accesses(statement: Statement, change: Callable[[str, tuple[Any, ...]], tuple[str, tuple[Any, ...]]]) -> Statement:
    """The statement with every access changed, those within indices too."""

    def inside(expr: Any) -> Any:
        found = dict.fromkeys(expr.atoms(Element)) if isinstance(expr, sp.Basic) else {}
        table = {}
        for e in found:
            tensor, index = change(e.tensor, tuple(map(inside, e.index)))
            table[e] = element(tensor, index)
        return expr.xreplace(table) if table else expr

    def at(tensor: str, index: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        return change(tensor, tuple(map(inside, index)))

    def read(r: Any) -> Any:
        tensor, index = at(r.tensor, r.index)
        return Read(sp.Symbol(tensor), *index)

    target, index = at(statement.target.tensor, statement.target.index)
    return replace(
        statement, target=Access(target, index), value=rewrite_reads(statement.value, read), source="", place=""
    )


def stored(kernel: Kernel, orders: Dict[str, Sequence[int]]) -> Kernel:
    """The kernel with the dimensions of some tensors in another order: new dimension n is the old one of orders[tensor][n]."""

    def change(tensor: str, index: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        return tensor, tuple(index[n] for n in orders[tensor]) if tensor in orders else index

    tensors = [
        replace(t, shape=tuple(t.shape[n] for n in orders[t.name])) if t.name in orders else t for t in kernel.tensors
    ]
    changed = replace(kernel, tensors=tuple(tensors), statements=tuple(_accesses(s, change) for s in kernel.statements))
    return changed if kernel.recurrences else replace(changed, statements=tuple(map(_in_order, changed.statements)))


def _in_order(s: Statement) -> Statement:
    """The statement with its axes in memory order, so that neighbours in memory are neighbours among the axes.

    First the axes of the target, in the target's order, then those it reduces over, in the order of its reads. An
    ordered statement keeps its reduction axes as they were.
    """
    named = {a.name: a for a in s.axes}
    read = () if s.ordered else (i for a in s.inputs for i in a.index)
    first = dict.fromkeys(n for i in (*s.target.index, *read) for n in sorted(symbols_of([i])) if n in named)
    return replace(s, axes=(*(named[n] for n in first), *(a for a in s.axes if a.name not in first)))


def named(kernel: Kernel, table: Dict[str, str]) -> Kernel:
    """The kernel with other names of tensors."""

    def change(tensor: str, index: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        return table.get(tensor, tensor), index

    tensors = tuple(replace(t, name=table.get(t.name, t.name)) for t in kernel.tensors)
    statements = tuple(_accesses(s, change) for s in kernel.statements)
    temporaries = tuple(table.get(n, n) for n in kernel.temporaries)
    ranges = tuple((table.get(n, n), low, high) for n, low, high in kernel.ranges)
    return replace(kernel, tensors=tensors, statements=statements, temporaries=temporaries, ranges=ranges)


def with_axes(statement: Statement, table: Dict[str, str]) -> Statement:
    """The statement with other names of axes."""
    symbols = {a: sym(b) for a, b in table.items()}
    return replace(
        statement,
        target=Access(statement.target.tensor, tuple(substitute(i, symbols) for i in statement.target.index)),
        value=put_into_indices(statement.value, symbols),
        axes=tuple(Axis(table.get(a.name, a.name), a.extent) for a in statement.axes),
        guard=tuple(substitute(g, symbols) for g in statement.guard),
        source="",
        place="",
    )


def plain_target(s: Statement) -> tuple[str, ...] | None:
    """The axes of the target's index, one for each dimension, "" for those of one element; None for any other index."""
    found = []
    for i in s.target.index:
        if i.is_Symbol:
            found.append(i.name)
        elif i == 0:
            found.append("")
        else:
            return None
    there = [n for n in found if n]
    return tuple(found) if len(set(there)) == len(there) else None


def reads_once(s: Statement, tensor: str) -> bool:
    """Whether each of the statement's points reads one element of the tensor, and no two the same."""
    indices = {tuple(a.index) for a in s.inputs if a.tensor == tensor}
    axes = [i.name for index in indices for i in index if i.is_Symbol]
    plain = all(i.is_Symbol or i == 0 for index in indices for i in index)
    return len(indices) == 1 and plain and sorted(axes) == sorted(a.name for a in s.axes)


def joined(first: Kernel, second: Kernel, name: str) -> Kernel:
    """first, put before the first reader of the tensor `name` in second; nothing else reads it.

    The tensor becomes a temporary, or is gone: if first assigns it once, and second reads each element once. Other
    tensors of one name are one tensor.
    """
    tensors = {t.name: t for t in (*first.tensors, *second.tensors)}
    theirs = _apart(second, first)
    reads_it = (n for n, s in enumerate(theirs) if any(a.tensor == name for a in s.inputs))
    at, long = 0 if second.recurrences else next(reads_it, 0), len(first.statements)
    recurrences = (
        *(Recurrence(r.axis, r.first + at, r.end + at) for r in first.recurrences),
        *(Recurrence(r.axis, r.first + long, r.end + long) for r in second.recurrences),
    )
    whole = replace(
        first, tensors=tuple(tensors.values()), statements=(*theirs[:at], *first.statements, *theirs[at:]),
        temporaries=(*first.temporaries, *second.temporaries, name), recurrences=recurrences,
        ranges=tuple(dict.fromkeys((*first.ranges, *second.ranges))),
        parameters=tuple(dict.fromkeys((*first.parameters, *second.parameters))),
    )  # fmt: skip
    return inlined(whole, name)


def _apart(second: Kernel, first: Kernel) -> tuple[Statement, ...]:
    """The statements of second, their axes renamed so that a name has one extent in both kernels."""
    known = {a.name: a.extent for a in first.axes}
    table: dict[str, str] = {}
    for a in second.axes:
        name, number = a.name, 0
        while name in known and known[name] != a.extent:
            number += 1
            name = f"{a.name}_{number}"
        known[name] = a.extent
        table[a.name] = name
    return tuple(with_axes(s, table) for s in second.statements)


def inlined(kernel: Kernel, name: str) -> Kernel:
    """The kernel without the temporary, if one statement assigns it plainly; else as it is.

    Its value is converted to its type, as in the assignment.
    """
    writers = [n for n, s in enumerate(kernel.statements) if s.target.tensor == name]
    if len(writers) != 1 or kernel.recurrences or name not in kernel.temporaries:
        return kernel
    s = kernel.statements[writers[0]]
    axes = plain_target(s)
    types = {t.name: t.dtype for t in kernel.tensors}
    if s.op != "=" or s.guard or axes is None or {a.name for a in s.axes} != {a for a in axes if a}:
        return kernel
    readers = [n for n, r in enumerate(kernel.statements) if any(a.tensor == name for a in r.inputs)]
    if len(readers) != 1 or readers[0] < writers[0]:
        return kernel
    reader = kernel.statements[readers[0]]
    within = {types[r.tensor] for r in (*reads(s.value), *reads(reader.value))} | {types[reader.target.tensor]}
    alike = within == {types[name]} and not has_casts(s.value) and not has_casts(reader.value)
    if not alike and [r.tensor for r in reads(reader.value)].count(name) > 1:
        return kernel  # conversions take their time
    if any(e.tensor == name for a in reader.inputs for i in a.index for e in i.atoms(Element)):
        return kernel
    if by_data(s) and reader.value.has(Select):
        return kernel  # what a select leaves out no call looks at
    if reader.op != "=" or not (plain_target(reader) is not None or reads_once(reader, name)):
        return kernel  # it would be computed once for each point of a sum

    def put(r: Any) -> Any:
        if r.tensor != name:
            return r
        value = put_into_indices(s.value, {a: i for a, i in zip(axes, r.index, strict=True) if a})
        return value if type_of(s.value, types) == types[name] else cast(types[name], value)

    made = replace(reader, value=rewrite_reads(reader.value, put), source="", place="")
    statements = [made if n == readers[0] else x for n, x in enumerate(kernel.statements) if n != writers[0]]
    return replace(
        kernel,
        statements=tuple(statements),
        tensors=tuple(t for t in kernel.tensors if t.name != name),
        temporaries=tuple(t for t in kernel.temporaries if t != name),
    )


def without(kernel: Kernel, results: Sequence[str]) -> Kernel:
    """The kernel without these results: statements nobody reads are not computed."""
    kernel = replace(kernel, temporaries=(*kernel.temporaries, *results))
    first = max((r.end for r in kernel.recurrences), default=0)  # numbers before that are those that recurrences name
    while True:
        read = {a.tensor for s in kernel.statements for a in s.inputs} | {*kernel.results}
        kept = tuple(s for n, s in enumerate(kernel.statements) if n < first or s.target.tensor in read)
        if len(kept) == len(kernel.statements):
            break
        kernel = replace(kernel, statements=kept)
    used = {a.tensor for s in kernel.statements for a in (s.target, *s.inputs)}
    return replace(
        kernel,
        tensors=tuple(t for t in kernel.tensors if t.name in used),
        temporaries=tuple(n for n in kernel.temporaries if n in used),
    )


def canonical(kernel: Kernel) -> tuple[Kernel, dict[str, str]]:
    """The kernel under names given by its form alone, and the new name of each tensor: equal layers are one kernel."""
    if not kernel.recurrences:
        kernel = replace(kernel, statements=_canonical_axes(tuple(map(_without_single, kernel.statements))))
    table: dict[str, str] = {}
    for prefix, group in (("A", kernel.inputs), ("Y", kernel.results), ("T", kernel.temporaries)):
        table |= {n: f"{prefix}{number}" for number, n in enumerate(group)}
    apart = {n: f"was_{n}" for n in table}
    back = {f"was_{n}": to for n, to in table.items()}
    made = named(named(kernel, apart), back)
    order = [*made.inputs, *made.results, *made.temporaries]
    tensors: list[Tensor] = [made.tensor(n) for n in order]
    return settled(replace(made, name="step", tensors=tuple(tensors), temporaries=tuple(made.temporaries))), table


def _without_single(s: Statement) -> Statement:
    """The statement without axes of one point: they stand at 0."""
    single = {a.name: sp.S.Zero for a in s.axes if a.extent == 1}
    if not single:
        return s
    return replace(
        s,
        target=Access(s.target.tensor, tuple(substitute(i, single) for i in s.target.index)),
        value=put_into_indices(s.value, single),
        axes=tuple(a for a in s.axes if a.name not in single),
        guard=tuple(g for g in (substitute(g, single) for g in s.guard) if g != True),  # noqa: E712
        source="",
        place="",
    )


def _canonical_axes(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Axes of targets are a0, a1 ... by dimension, the others r0, r1 ...; one name has one extent."""
    extents: dict[str, Any] = {}
    made = []
    for s in statements:
        axes = plain_target(s)
        table: dict[str, str] = {}
        wanted = [(a, f"a{d}") for d, a in enumerate(axes) if a] if axes else []
        rest = [a.name for a in s.axes if a.name not in dict(wanted)]
        wanted += [(a, f"r{n}") for n, a in enumerate(rest)]
        sizes = {a.name: a.extent for a in s.axes}
        for a, name in wanted:
            number, free = 0, name
            while extents.get(free, sizes[a]) != sizes[a] or free in table.values():
                number += 1
                free = f"{name}_{number}"
            extents[free] = sizes[a]
            table[a] = free
        made.append(with_axes(s, table))
    return tuple(made)
