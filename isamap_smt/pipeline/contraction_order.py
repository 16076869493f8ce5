"""Products of several tensors in the order of fewest multiplications: (A B) C as A (B C), if that is less.

If only another sum of products reads a sum of products, both are one product of all their factors; these meet in NumPy's
order. Nothing here is trusted: isamap_smt.equality shows that both kernels compute the same over the reals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import is_constant, sym
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.reference import factors
from isamap_smt.ir.scalar import Cast, SMul, read, reads
from isamap_smt.mapping.substituted import new_name

LESS = 0.9  # of the multiplications, or the order stays
BEST = 5  # factors of which every order is compared
Term = tuple[str, ...]  # the axes of a factor


def may_be_reordered(kernel: Kernel) -> bool:
    """A quick look: whether all sizes are known, and a sum reads the temporary of another sum."""
    sums = {s.target.tensor for s in kernel.statements if s.op == "+" and s.target.tensor in kernel.temporaries}
    return not kernel.free_sizes and any(a.tensor in sums for s in kernel.statements if s.op == "+" for a in s.inputs)


@dataclass(frozen=True)
class _Chain:
    """A sum of products with all factors of the sums read by it alone.

    inner: these statements' numbers. factors: tensors with their axes. extents: points of each axis.
    """

    statement: int
    inner: tuple[int, ...]
    factors: tuple[tuple[str, tuple[str, ...]], ...]
    target: tuple[str, ...]
    extents: dict[str, int]


def reordered(kernel: Kernel) -> Kernel | None:
    """The kernel with one product in an order of fewer multiplications: the last product that gains from it.

    Returns None for open sizes, recurrences, or if no product gains.
    """
    if kernel.free_sizes or kernel.recurrences:
        return None
    for n in reversed(range(len(kernel.statements))):
        chain = _chain(kernel, n)
        if chain is not None and (made := _in_order(kernel, chain)) is not None:
            return made
    return None


def _product(kernel: Kernel, s: Statement) -> tuple[Any, ...] | None:
    """The factors of the summed product if each is indexed by axes alone and has the result's type; None for anything else."""
    if s.op != "+" or s.guard or s.ordered or not s.reduction_axes:
        return None
    found = factors(s.value)
    if found is None or s.value.has(Cast):
        return None
    accesses = [a for one in found for a in reads(one)]
    plain = all(i.is_Symbol for a in (s.target, *accesses) for i in a.index)
    distinct = all(len(set(a.index)) == len(a.index) for a in (s.target, *accesses))
    kinds = {kernel.tensor(a.tensor).dtype for a in (s.target, *accesses)}
    return tuple(accesses) if plain and distinct and len(kinds) == 1 else None


def _chain(kernel: Kernel, number: int) -> _Chain | None:
    s = kernel.statements[number]
    found = _product(kernel, s)
    if found is None:
        return None
    extents = {a.name: a.extent for a in s.axes}
    factors, inner, left = [], [], [(a.tensor, tuple(map(str, a.index))) for a in found]
    while left:
        tensor, axes = left.pop(0)
        at = _summed_for(kernel, tensor, number)
        within = None if at is None else _product(kernel, kernel.statements[at])
        if at is None or within is None:
            factors.append((tensor, axes))
            continue
        own, names = kernel.statements[at], dict(zip(map(str, kernel.statements[at].target.index), axes, strict=True))
        for a in own.axes:
            if a.name not in names:
                names[a.name] = a.name if a.name not in extents else new_name(kernel, f"{a.name}_{len(extents)}")
                extents[names[a.name]] = a.extent
        inner.append(at)
        left = [*((a.tensor, tuple(names[str(i)] for i in a.index)) for a in within), *left]
    if not inner or not all(map(is_constant, extents.values())):
        return None
    target = tuple(map(str, s.target.index))
    return _Chain(number, tuple(inner), tuple(factors), target, {n: int(e) for n, e in extents.items()})


def _summed_for(kernel: Kernel, tensor: str, reader: int) -> int | None:
    """The number of the only statement that writes this temporary, if it comes before the reader and nothing else reads it.

    Returns None otherwise, also if the reader reads it twice.
    """
    writers = [n for n, s in enumerate(kernel.statements) if s.target.tensor == tensor]
    uses = [a for s in kernel.statements for a in s.inputs if a.tensor == tensor]
    alone = tensor in kernel.temporaries and len(writers) == 1 and len(uses) == 1
    return writers[0] if alone and writers[0] < reader else None


def _in_order(kernel: Kernel, chain: _Chain) -> Kernel | None:
    before = sum(prod(int(a.extent) for a in kernel.statements[n].axes) for n in (*chain.inner, chain.statement))
    terms = [axes for _, axes in chain.factors]
    left = [(axes, read(tensor, *map(sym, axes))) for tensor, axes in chain.factors]
    made: list[Statement] = []
    tensors: list[Tensor] = []
    work, kind = 0, kernel.tensor(kernel.statements[chain.statement].target.tensor).dtype
    out = kernel.statements[chain.statement].target
    for numbers in order_of(terms, chain.target, chain.extents):
        some = [left[n] for n in numbers]
        left = [x for n, x in enumerate(left) if n not in numbers]
        needed = {a for axes, _ in left for a in axes} | set(chain.target)
        result = result_of([axes for axes, _ in some], needed) if left else chain.target
        axes = tuple(dict.fromkeys([*result, *(a for t, _ in some for a in t)]))
        work += prod(chain.extents[a] for a in axes)
        name = new_name(kernel, f"{out.tensor}_part{len(made)}") if left else out.tensor
        if left:
            tensors.append(Tensor(name, kind, tuple(chain.extents[a] for a in result)))
        op = "+" if not left or set(axes) != set(result) else "="
        value = reduce(SMul, [x for _, x in some])
        index = tuple(map(sym, result))
        made.append(Statement(Access(name, index), op, value, tuple(Axis(a, chain.extents[a]) for a in axes), ()))
        left.append((result, read(name, *index)))
    if work >= LESS * before:
        return None
    gone = {kernel.statements[n].target.tensor for n in chain.inner}
    statements: list[Statement] = []
    for n, s in enumerate(kernel.statements):
        statements += made if n == chain.statement else [] if n in chain.inner else [s]
    return replace(
        kernel,
        tensors=(*(t for t in kernel.tensors if t.name not in gone), *tensors),
        statements=tuple(statements),
        temporaries=(*(t for t in kernel.temporaries if t not in gone), *(t.name for t in tensors)),
        order=kernel.inputs,
        text="",
    )


def result_of(some: Sequence[Term], needed: set[str]) -> Term:
    """Axes of these operands' product. If still needed, the last axis of one operand is last: its elements stay neighbours."""
    axes = [a for a in dict.fromkeys(a for t in some for a in t) if a in needed]
    last = next((t[-1] for t in reversed(some) if t and t[-1] in needed), None)
    return tuple(axes) if last is None else (*(a for a in axes if a != last), last)


def order_of(terms: Sequence[Term], target: Term, extents: Mapping[str, int]) -> list[tuple[int, ...]]:
    """The operands that meet in each step, by their numbers among the remaining: first sums of one alone, then pairs.

    NumPy finds the pairs for the fewest operations, greedily above BEST operands. Raises LanguageError for more than 52 axes.
    """
    order: list[tuple[int, ...]] = []
    left = list(terms)
    for term in terms if len(terms) > 1 else ():
        n = left.index(term)
        needed = {a for k, t in enumerate(left) if k != n for a in t} | set(target)
        if not set(term) <= needed:
            order.append((n,))
            left.pop(n)
            left.append(result_of([term], needed))
    if len(left) < 3:
        return [*order, tuple(range(len(left)))]
    if len(extents) > 52:
        raise LanguageError(f"einsum: {len(extents)} letters, and at most 52 are ordered")
    letters = {a: chr(ord("a") + n) if n < 26 else chr(ord("A") + n - 26) for n, a in enumerate(extents)}
    text = ",".join("".join(letters[a] for a in t) for t in left) + "->" + "".join(letters[a] for a in target)
    shaped = [np.broadcast_to(np.empty((), np.float32), [extents[a] for a in t]) for t in left]
    way = "optimal" if len(left) <= BEST else "greedy"
    path, _ = np.einsum_path(text, *shaped, optimize=(way, 2**62))
    return [*order, *(tuple(sorted(pair)) for pair in path[1:])]


__all__ = ["Term", "may_be_reordered", "order_of", "reordered", "result_of"]
