"""Exclusive: distinct output cells of one execution hold distinct output elements.

alpha(phi(o,t)) = alpha(phi(o,t')) for the output implies beta(t) = beta(t'). If a program keeps cells of several
executions alive together, its accumulator claim covers them.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_encodings.solve import check
from isamap_encodings.space import FusedSpace, GeneralSpace, either, no_lemma, pair, ranges, rename
from isamap_encodings.verdict import Verdict


def fused(space: FusedSpace, coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> Verdict:
    """Exclusiveness of the output of a fuse mapping, for all sizes and all guarded points."""
    two = pair(space, frozenset())
    if two.missing is not None:
        return no_lemma(two.missing)
    equal = [("eq", c, rename(c, two.second)) for c in coordinates]
    where = [*space.where, *(rename(g, two.second) for g in space.where)]
    one = {t: d for t, (d, _) in two.digits.items()}
    other = {t: d for t, (_, d) in two.digits.items()}
    claim = ("and", *[("eq", rename(c, one), rename(c, other)) for c in cells])
    return either([*two.facts, *where, *equal], claim, "exclusive", space.nonnegative)


def general(space: GeneralSpace, coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> Verdict:
    """Exclusiveness of the output of any mapping."""
    mark = space.primed()
    here = [space.image(c, {}) for c in coordinates]
    equal = [("eq", c, rename(c, mark)) for c in here]
    claim = ("and", *[("eq", c, rename(c, mark)) for c in cells])
    return space.ask([*space.inside({}), *space.inside(mark), *equal], claim, "exclusive")


def once(
    axes: tuple[tuple[str, Any], ...], where: tuple[Any, ...], hypotheses: tuple[Any, ...], coordinates: tuple[Any, ...]
) -> Verdict:
    """Distinct points of the kernel's domain write distinct elements, as a statement with `=` needs."""
    other = {a: sp.Symbol(a + "'", integer=True) for a, _ in axes}
    given = [*hypotheses, *ranges(axes), *ranges((other[a], e) for a, e in axes), *where]
    given += [rename(g, other) for g in where] + [("eq", c, rename(c, other)) for c in coordinates]
    claim = ("and", *[("eq", sp.Symbol(a, integer=True), other[a]) for a, _ in axes])
    return check(given, claim, "written once")
