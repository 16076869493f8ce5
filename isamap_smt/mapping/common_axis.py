"""Runs of neighbouring phases with an axis in common: each statement computes its rows from the same rows of the others.

    M[i] max= X[i,j]               i is an axis of every result, and temporaries are read in the row that is written:
    E[i,j] = exp(X[i,j] - M[i])    rows can be cut into blocks, and all phases carried out block by block
    S[i] += E[i,j]

A statement that reads other rows of a temporary, or reduces over them, ends the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement


@dataclass(frozen=True)
class Run:
    """Phases `first` to `last`. axes: for each of them the name of the axis in each statement. extent: of the axis.

    dims: tensor computed there -> its dimension along the axis.
    """

    first: int
    last: int
    axes: tuple[tuple[str, ...], ...]
    extent: Any
    dims: tuple[tuple[str, int], ...]

    @property
    def axis(self) -> str:
        """Its name in the first statement."""
        return self.axes[0][0]

    def part(self, begin: int, end: int) -> Run:
        """Its phases number begin to end - 1, counted from its first."""
        return replace(self, first=self.first + begin, last=self.first + end - 1, axes=self.axes[begin:end])

    @property
    def phases(self) -> range:
        """Their numbers."""
        return range(self.first, self.last + 1)


def runs_from(kernels: Sequence[Kernel], first: int) -> Iterator[Run]:
    """The longest run from a phase on for each axis of its result, if some phase in it reads another one's result."""
    s = kernels[first].statements[0]
    for axis in s.axes:
        found = _along(kernels, first, axis)
        if found is not None:
            yield found


def _along(kernels: Sequence[Kernel], first: int, axis: Axis) -> Run | None:
    dims: dict[str, int] = {}
    axes: list[tuple[str, ...]] = []
    joined = 0  # phases up to the last one that reads a result of the run
    for n, kernel in enumerate(kernels[first:]):
        own, known = [], dict(dims)
        for s in kernel.statements:
            name = _axis_of(s, known, axis)
            if name is None:
                break
            own.append(name)
            known[s.target.tensor] = _plain(s.target).index(name)
        if len(own) < len(kernel.statements) or (not n and own[0] != axis.name):
            break
        if any(a.tensor in dims for s in kernel.statements for a in s.inputs):
            joined = n + 1
        axes.append(tuple(own))
        dims = known
    last = first + joined - 1
    written = {s.target.tensor for k in kernels[first : last + 1] for s in k.statements}
    return (
        Run(first, last, tuple(axes[:joined]), axis.extent, tuple((t, d) for t, d in dims.items() if t in written))
        if joined > 1
        else None
    )


def _axis_of(s: Statement, dims: dict[str, int], like: Axis) -> str | None:
    """The axis of a statement along which it computes a block from blocks; None if there is none."""
    given = {_plain(a)[dims[a.tensor]] for a in s.inputs if a.tensor in dims}
    fitting = [a.name for a in s.axes if a.extent == like.extent and a.name in _plain(s.target)]
    if len(given) > 1 or not fitting:
        return None
    if given:
        (name,) = given
        return name if name in fitting and _once(s, name) else None
    name = like.name if like.name in fitting else fitting[0]
    return name if _once(s, name) else None


def _plain(access: Access) -> list[str]:
    """The index, '' where it is no name alone."""
    return [i.name if isinstance(i, sp.Symbol) else "" for i in map(sp.sympify, access.index)]


def _once(s: Statement, axis: str) -> bool:
    """Whether it is one index of the result."""
    return _plain(s.target).count(axis) == 1


def cut_to(kernel: Kernel, axes: Sequence[str], points: int) -> Kernel:
    """The kernel of one block: an axis of each statement has so many points, and tensors along it have so many rows."""
    changed = tuple(
        replace(s, axes=tuple(replace(a, extent=sp.Integer(points)) if a.name == name else a for a in s.axes))
        for s, name in zip(kernel.statements, axes, strict=True)
    )
    along: dict[str, list[bool]] = {}
    for s, name in zip(kernel.statements, axes, strict=True):
        for access in (s.target, *s.inputs):
            here = [i == name for i in _plain(access)]
            before = along.get(access.tensor, [True] * len(here))
            along[access.tensor] = [a and b for a, b in zip(here, before, strict=True)]
    tensors = tuple(
        replace(t, shape=tuple(sp.Integer(points) if cut else e for e, cut in zip(t.shape, along[t.name], strict=True)))
        for t in kernel.tensors
    )
    return replace(kernel, tensors=tensors, statements=changed)
