"""How far the statements reach into each tensor, against its declared shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import extreme
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.kernel import Axis, Kernel
from isamap_smt.ir.scalar import bound_axes


@dataclass(frozen=True)
class _Use:
    """The largest value of one index, with no guard that speaks of it."""

    tensor: str
    dimension: int
    index: Any
    largest: Any
    extent: Any

    @property
    def room(self) -> Any:
        """Elements beyond the largest; negative where some are missing."""
        return sp.expand(self.extent - 1 - self.largest)


def needed_sizes(kernel: Kernel) -> tuple[str, ...]:
    """Conditions on sizes under which every element is there, such as `N >= 4`: where that does not follow, and is linear in
    the sizes. Each call checks them, as the interpreter does element by element."""
    lows = {p.name: p.low for p in kernel.parameters}
    found: dict[tuple[Any, Any], None] = {}
    for use in _uses(kernel):
        names = [sym(n) for n in sorted(symbols_of([use.room]))]
        room = sp.Poly(use.room, *names) if names and use.room.is_polynomial(*names) else None
        if room is None or room.total_degree() > 1:
            continue
        terms = [(name, room.coeff_monomial(name)) for name in names]
        least = room.coeff_monomial(1) + sum(c * lows.get(name.name, 1) for name, c in terms)
        if least < 0 or any(c < 0 for _, c in terms):
            found[sp.expand(use.extent), sp.expand(use.largest + 1)] = None
    return tuple(f"{extent} >= {n}" for extent, n in found if not any(_more(m - n) for e, m in found if e == extent))


def _more(difference: Any) -> bool:
    return bool(difference.is_Integer and difference > 0)


def require_inside(kernel: Kernel) -> None:
    """Raise SizeError where an element lies outside of its tensor at sizes that are fixed."""
    for use in _uses(kernel):
        if use.room.is_Integer and use.room < 0:
            raise SizeError(
                f"{use.tensor}: index {use.index} of dimension {use.dimension} reaches {use.largest}, outside [0, {use.extent});"
                f"\n  correct the shape of {use.tensor}, or add a guard such as `where 0 <= {use.index} < {use.extent}`"
            )


def _uses(kernel: Kernel) -> Iterator[_Use]:
    for s in kernel.statements:
        axes = (*s.axes, *(Axis(n, sp.Integer(count)) for n, count in bound_axes(s.value).items()))
        for access in (s.target, *s.inputs):
            for n, (index, extent) in enumerate(zip(access.index, kernel.tensor(access.tensor).shape, strict=True)):
                largest = extreme(index, axes, largest=True)
                if largest is not None and not symbols_of([index]) & symbols_of(s.guard):
                    yield _Use(access.tensor, n, index, largest, sp.sympify(extent))


__all__ = ["needed_sizes", "require_inside"]
