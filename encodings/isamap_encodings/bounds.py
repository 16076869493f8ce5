"""Bounds: every element accessed at a guarded point lies inside its tensor, 0 <= coordinate < extent.

The linear part is enough once every size is written through the rest of its axis: for an axis x of extent E put
E = x + rest + 1, and every parameter as its least value plus something. All products are then of variables >= 0, and
stride*x <= stride*(E-1) is stride*rest >= 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_encodings.solve import check
from isamap_encodings.space import GeneralSpace, ranges, rename, together
from isamap_encodings.verdict import Proved, Verdict


def domain(
    axes: tuple[tuple[str, Any], ...],
    where: tuple[Any, ...],
    lows: tuple[tuple[str, int], ...],
    hypotheses: tuple[Any, ...],
    coordinates: tuple[Any, ...],
    shape: tuple[Any, ...],
) -> Verdict:
    """Every coordinate inside the shape for every point of the kernel's domain. lows: least value of each size."""
    verdict = check(*_linear(axes, where, lows, hypotheses, coordinates, shape))
    if isinstance(verdict, Proved):
        return verdict
    return together([_exact(axes, where, hypotheses, c, e) for c, e in zip(coordinates, shape, strict=True)])


@lru_cache(maxsize=256)  # it does not depend on the mapping, and a search asks it for each
def _linear(
    axes: tuple[tuple[str, Any], ...],
    where: tuple[Any, ...],
    lows: tuple[tuple[str, int], ...],
    hypotheses: tuple[Any, ...],
    coordinates: tuple[Any, ...],
    shape: tuple[Any, ...],
) -> tuple[tuple[Any, ...], Any, str, frozenset[str]]:
    """The first question: assumptions, claim, name, and the names of variables >= 0."""
    table: dict[str, Any] = {}
    rests: list[str] = []
    for name, low in lows:
        table[name] = sp.Symbol(f"{name}+", integer=True) + low
    for name, extent in axes:
        if extent.is_Symbol and not _used(table.get(extent.name), extent.name):
            rest = sp.Symbol(f"{name}.rest", integer=True)
            rests.append(rest.name)
            table[extent.name] = sp.Symbol(name, integer=True) + rest + 1
    nonnegative = frozenset([a for a, _ in axes] + rests + [f"{n}+" for n, _ in lows])
    given = [_put(h, table) for h in hypotheses] + ranges([(a, rename(e, table)) for a, e in axes])
    given += [("le", sp.S.Zero, sp.Symbol(n, integer=True)) for n in sorted(nonnegative)]
    given += [rename(g, table) for g in where]
    inside = [("le", sp.S.Zero, rename(c, table)) for c in coordinates]
    inside += [("lt", rename(c, table), rename(sp.sympify(e), table)) for c, e in zip(coordinates, shape, strict=True)]
    return tuple(given), ("and", *inside), "bounds", nonnegative


def _exact(axes: Any, where: Any, hypotheses: Any, c: Any, e: Any) -> Verdict:
    claim = ("and", ("le", sp.S.Zero, c), ("lt", c, sp.sympify(e)))
    return check([*hypotheses, *ranges(axes), *where], claim, "bounds")


def _used(entry: Any, name: str) -> bool:
    """Whether the size is already written through another axis."""
    return entry is not None and any(not s.name.startswith(f"{name}+") for s in entry.free_symbols)


def _put(f: Any, table: dict[str, Any]) -> Any:
    return (f[0], *[_put(a, table) for a in f[1:]]) if isinstance(f, tuple) else rename(f, table)


def general(space: GeneralSpace, coordinates: tuple[Any, ...], shape: tuple[Any, ...]) -> Verdict:
    """The same for every guarded (outer, instruction point) of any mapping, whatever coverage says."""
    here = [(space.image(c, {}), sp.sympify(e)) for c, e in zip(coordinates, shape, strict=True)]
    claims = [("and", ("le", sp.S.Zero, c), ("lt", c, e)) for c, e in here]
    return space.ask_all(space.inside({}), claims, "bounds")


def positive(e: Any, lows: tuple[tuple[str, int], ...], hypotheses: tuple[Any, ...]) -> Verdict:
    """e >= 1 for all sizes: with every size written as its least value plus something, all products are >= 0."""
    verdict = check(*_linear_positive(e, lows, hypotheses))
    return verdict if isinstance(verdict, Proved) else check(hypotheses, ("le", sp.S.One, e), "positive")


@lru_cache(maxsize=1024)
def _linear_positive(
    e: Any, lows: tuple[tuple[str, int], ...], hypotheses: tuple[Any, ...]
) -> tuple[tuple[Any, ...], Any, str, frozenset[str]]:
    table = {name: sp.Symbol(f"{name}+", integer=True) + low for name, low in lows}
    nonnegative = frozenset(f"{n}+" for n, _ in lows)
    given = [_put(h, table) for h in hypotheses]
    given += [("le", sp.S.Zero, sp.Symbol(n, integer=True)) for n in sorted(nonnegative)]
    return tuple(given), ("le", sp.S.One, rename(sp.sympify(e), table)), "positive", nonnegative
