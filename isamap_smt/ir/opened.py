"""A kernel with constant extents as one of open sizes, planned at these, so a block of an axis can be asked about.

An axis is opened if it is an index by itself wherever it occurs. Axes indexing the same dimension share a size.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import is_constant, sym
from isamap_smt.ir.kernel import Axis, Kernel

Dimension = tuple[str, int]


def opened(kernel: Kernel) -> tuple[Kernel, dict[str, int]]:
    """The kernel with names for such extents, and their values: with these sizes it is the same kernel."""
    extents = {a.name: int(a.extent) for a in kernel.axes if is_constant(a.extent) and int(a.extent) > 1}
    classes = _classes(kernel, extents)
    taken, names, sizes = {*kernel.free_sizes, *(p.name for p in kernel.parameters)}, dict[str, str](), dict[str, int]()
    for members in sorted({tuple(sorted(c)) for c in classes.values()}):
        name = members[0].upper() if members[0].upper() != members[0] else f"{members[0]}_"
        while name in taken or name in {a.name for a in kernel.axes}:
            name += "_"
        taken.add(name)
        sizes[name] = extents[members[0]]
        names |= dict.fromkeys(members, name)
    plain = ((d, i[0]) for d, i in _indices(kernel).items() if i[0].is_Symbol)
    by_place = {d: sym(names[i.name]) for d, i in plain if i.name in names}
    made = replace(
        kernel,
        tensors=tuple(
            replace(t, shape=tuple(by_place.get((t.name, d), e) for d, e in enumerate(t.shape))) for t in kernel.tensors
        ),
        statements=tuple(
            replace(s, axes=tuple(Axis(a.name, sym(names[a.name]) if a.name in names else a.extent) for a in s.axes))
            for s in kernel.statements
        ),
    )
    return (made, sizes) if made.with_sizes(sizes) == kernel else (kernel, {})


def _indices(kernel: Kernel) -> dict[Dimension, list[Any]]:
    """The indices of each dimension of each tensor."""
    found: dict[Dimension, list[Any]] = {}
    for s in kernel.statements:
        for a in (s.target, *s.inputs):
            for d, i in enumerate(map(sp.sympify, a.index)):
                found.setdefault((a.tensor, d), []).append(i)
    return found


def _classes(kernel: Kernel, extents: dict[str, int]) -> dict[str, set[str]]:
    """The axes that can be opened, each with all axes of the same size."""
    own: dict[str, set[str]] = {a: {a} for a in extents}
    shut: set[str] = set()
    for (tensor, d), indices in _indices(kernel).items():
        names = {x.name for i in indices for x in i.free_symbols}
        if all(i.is_Symbol and extents.get(i.name) == kernel.tensor(tensor).shape[d] for i in indices):
            both = set.union(*(own[n] for n in names))
            own |= dict.fromkeys(both, both)
        else:
            shut |= names
    return {a: c for a, c in own.items() if not c & shut}


__all__ = ["opened"]
