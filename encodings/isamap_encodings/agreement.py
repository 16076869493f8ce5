"""Agreement: every cell of an operand holds one tensor element during one execution.

If two points of one execution name the same cell, beta(t) = beta(t'), their coordinates are equal: alpha(phi(o,t)) =
alpha(phi(o,t')). The layout lambda(o, cell) is alpha(phi(o, t)) with every other instruction axis at 0; its
existence is part of the claim.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_encodings.space import FusedSpace, GeneralSpace, either, no_lemma, pair, rename, retained
from isamap_encodings.verdict import Proved, Unknown, Verdict

NO_LAYOUT = "guarded points agree, but no layout formula was found: at 0 on the other axes the coordinates differ"


def fused(space: FusedSpace, coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> Verdict:
    """Agreement of one operand of a fuse mapping, for all sizes.

    Asked over the whole box, not only inside the kernel's guard: then the coordinates at 0 on the other axes
    (a point of the box, of the same execution) are the layout.
    """
    two = pair(space, retained(space.groups, cells))
    if two.missing is not None:
        return no_lemma(two.missing)
    same_cell = [("eq", rename(c, _first(two.digits)), rename(c, _second(two.digits))) for c in cells]
    claim = ("and", *[("eq", c, rename(c, two.second)) for c in coordinates])
    given = [*two.facts, *same_cell]
    verdict = either(given, claim, "agreement", space.nonnegative)
    if isinstance(verdict, Proved) or not space.where:
        return verdict
    guarded = either(
        [*given, *space.where, *(rename(g, two.second) for g in space.where)], claim, "agreement", space.nonnegative
    )
    return Unknown(NO_LAYOUT, guarded.seconds) if isinstance(guarded, Proved) else guarded


def general(space: GeneralSpace, coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> Verdict:
    """Agreement of one operand of any mapping."""
    named = {s.name for c in cells if hasattr(c, "free_symbols") for s in c.free_symbols}
    plain = all(getattr(c, "is_Symbol", False) for c in cells)
    here = [space.image(c, {}) for c in coordinates]
    if plain:
        zero = {t: sp.S.Zero for t, _ in space.points if t not in named}
        layout = [space.image(c, zero) for c in coordinates]
        claim = ("and", *[("eq", a, b) for a, b in zip(here, layout, strict=True)])
        verdict = space.ask(space.inside({}), claim, "agreement: layout")
        if isinstance(verdict, Proved):
            return verdict
    mark = space.primed()
    same = [("eq", c, rename(c, mark)) for c in cells]
    claim = ("and", *[("eq", a, rename(a, mark)) for a in here])
    verdict = space.ask([*space.inside({}), *space.inside(mark), *same], claim, "agreement")
    return Unknown(NO_LAYOUT, verdict.seconds) if isinstance(verdict, Proved) and plain else verdict


def _first(digits: Any) -> dict[str, Any]:
    return {t: d for t, (d, _) in digits.items()}


def _second(digits: Any) -> dict[str, Any]:
    return {t: d for t, (_, d) in digits.items()}
