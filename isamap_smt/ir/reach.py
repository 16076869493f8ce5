"""The reach of statements into each tensor, against its declared shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any

import sympy as sp

from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import FloorDiv, affine, substitute, sym, symbols_of, words
from isamap_smt.ir.kernel import Axis, Kernel
from isamap_smt.ir.scalar import bound_axes

_TRIED = (1, 2, 3, 5, 8)  # of each size: a quotient in range at all of these gives no condition
FEW = 3  # sizes tried so; if there are more, the condition is kept


@dataclass(frozen=True)
class _Use:
    """The largest value of one index without a guard on its axes."""

    tensor: str
    dimension: int
    index: Any
    largest: Any
    extent: Any

    @property
    def room(self) -> Any:
        """Elements beyond the largest; negative if some are missing."""
        return sp.expand(self.extent - 1 - self.largest)

    @property
    def told(self) -> str:
        """The index, its tensor and its largest value, in words."""
        reached = (
            f"index {words(self.index)} of dimension {self.dimension} of {self.tensor} reaches {words(self.largest)}"
        )
        return f"{reached}; pass a larger {self.tensor}"


@lru_cache(maxsize=256)
def needed_sizes(kernel: Kernel) -> Mapping[Condition, str]:
    """Conditions on sizes for every element to exist, such as `N >= 4`, each with the access in need of it.

    Implied conditions are left out, and so are those not linear in the sizes or in quotients of them. Each call checks
    them, as the interpreter does element by element.
    """
    lows = {p.name: p.low for p in kernel.parameters}
    found: dict[tuple[Any, Any], _Use] = {}
    for use in _uses(kernel):
        names = [sym(n) for n in sorted(symbols_of([use.room]))]
        if names and use.room.has(FloorDiv):
            if len(names) > FEW or any(_at(use.room, names, sizes) < 0 for sizes in product(_TRIED, repeat=len(names))):
                found.setdefault((sp.expand(use.extent), sp.expand(use.largest + 1)), use)
            continue
        room = sp.Poly(use.room, *names) if names and use.room.is_polynomial(*names) else None
        if room is None or room.total_degree() > 1:
            continue
        terms = [(name, room.coeff_monomial(name)) for name in names]
        least = room.coeff_monomial(1) + sum(c * lows.get(name.name, 1) for name, c in terms)
        if least < 0 or any(c < 0 for _, c in terms):
            found.setdefault((sp.expand(use.extent), sp.expand(use.largest + 1)), use)
    least = {
        Condition(extent, ">=", n): use.told
        for (extent, n), use in found.items()
        if not any(_more(m - n) for x, m in found if x == extent)
    }
    ends = {Condition(p.high, ">=", sym(p.name)): f"param {p}" for p in kernel.parameters if p.high is not None}
    return MappingProxyType(least | {c: told for c, told in ends.items() if c.right.name in kernel.free_sizes})


@lru_cache(maxsize=256)
def size_conditions(kernel: Kernel) -> tuple[Condition, ...]:
    """needed_sizes() as relations between free sizes and parameters: mappings and programs take them for granted alike."""
    return tuple(c for c in needed_sizes(kernel) if c.testable)


def possible_sizes(kernel: Kernel, sizes: Mapping[str, int]) -> bool:
    """Whether the kernel has a meaning at these values of all free sizes.

    No size is below its least value, and no element is outside its tensor.
    """
    lows = {p.name: p.low for p in kernel.parameters}
    if any(v < lows.get(n, 1) for n, v in sizes.items()):
        return False
    return all(c.holds(sizes) for c in size_conditions(kernel))


def _at(room: Any, names: Sequence[Any], sizes: Sequence[int]) -> Any:
    return substitute(room, {n.name: sp.Integer(v) for n, v in zip(names, sizes, strict=True)})


def _largest(index: Any, axes: Sequence[Axis]) -> Any:
    """The largest value of an index monotone along each axis; None for any other.

    It must be affine, with quotients of affine terms by whole numbers.
    """
    steps: dict[str, set[bool]] = {}
    if not _grows(sp.expand(index), [a.name for a in axes], True, steps) or any(len(s) > 1 for s in steps.values()):
        return None
    ends = {a.name: a.extent - 1 if steps[a.name] == {True} else sp.S.Zero for a in axes if a.name in steps}
    return sp.expand(substitute(index, ends))


def _grows(e: Any, names: Sequence[str], up: bool, steps: dict[str, set[bool]]) -> bool:
    """Notes the axes along which it grows and falls; returns whether this is known of all.

    up: the expression around it grows with it.
    """
    for term in sp.Add.make_args(e):
        factor, rest = term.as_coeff_Mul()
        if isinstance(rest, FloorDiv) and rest.args[1].is_Integer and rest.args[1] > 0:
            if not _grows(sp.expand(rest.args[0]), names, up == (factor > 0), steps):
                return False
            continue
        parts = affine(term, names)
        if parts is None or not all(c.is_Integer for c in parts[0].values()):
            return False
        for name, c in parts[0].items():
            steps.setdefault(name, set()).add(up == (c > 0))
    return True


def _more(difference: Any) -> bool:
    return bool(difference.is_Integer and difference > 0)


def require_inside(kernel: Kernel) -> None:
    """Raises SizeError if an element lies outside of its tensor at the fixed sizes."""
    for use in _uses(kernel):
        if use.room.is_Integer and use.room < 0:
            index = words(use.index)
            raise SizeError(
                f"{use.tensor}: index {index} of dimension {use.dimension} reaches {use.largest}, outside [0, {use.extent});"
                f"\n  correct the shape of {use.tensor}, or add a guard such as `where 0 <= {index} < {use.extent}`"
            )


def _uses(kernel: Kernel) -> Iterator[_Use]:
    """The uses of the kernel's own tensors; a form reading another tensor is refuted elsewhere."""
    shapes = {t.name: t.shape for t in kernel.tensors}
    for s in kernel.statements:
        axes = (*s.axes, *(Axis(n, sp.Integer(count)) for n, count in bound_axes(s.value).items()))
        for access in (a for a in (s.target, *s.inputs) if a.tensor in shapes):
            for n, (index, extent) in enumerate(zip(access.index, shapes[access.tensor], strict=True)):
                largest = _largest(index, axes)
                if largest is not None and not symbols_of([index]) & symbols_of(s.guard):
                    yield _Use(access.tensor, n, index, largest, sp.sympify(extent))


__all__ = ["needed_sizes", "possible_sizes", "require_inside", "size_conditions"]
