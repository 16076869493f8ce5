"""Neutral: instruction points outside the guard cannot change a live result.

The instruction computes at every point, guarded or not. A point outside the guard is harmless when
- its output cell is dead: no guarded point of this execution has it, so it is never stored; or
- enough of its operand cells are dead (no guarded point reads them), are therefore filled with a value chosen here,
  and make the contribution neutral whatever the other operands hold.

`reached(space, live)` asks the negation: is there an execution, a point outside the guard, and for the output and every
operand in `live` a guarded point that shares the cell? Proved means: no.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_encodings.digits import lemmas
from isamap_encodings.solve import check
from isamap_encodings.space import (
    FusedSpace,
    GeneralSpace,
    either,
    no_lemma,
    ranges,
    rename,
    retained,
)
from isamap_encodings.verdict import Proved, Refuted, Verdict

Cells = tuple[Any, ...]


def fused(space: FusedSpace, live: Sequence[Cells], quick: bool = False) -> Verdict:
    """Proved when no point outside the guard shares all these cells with guarded points, for all sizes.

    A shared cell fixes the digits of its axes; the fused index of those axes is then a guarded point's, hence inside.
    So the point can only be outside by an axis that no shared cell names, or by the kernel's own guard. With `quick`
    only the linear part is asked (for uses in which a further assumption does no harm).
    """
    missing = lemmas(("digit", 0))
    if missing is not None:
        return no_lemma(missing)
    kept = [retained(space.groups, cells) for cells in live]
    fixed = frozenset().union(*kept) if kept else frozenset()
    for t, n, group in space.groups:
        total = space.total(t)
        if t not in fixed and n > 1 and not _divides(n, total):
            padded = "is padded" if not group else "does not fill its last tile"
            return Refuted({}, f"instruction axis {t} {padded}, and no shared cell names it")
    if not space.where:
        return Proved()
    return _where(space, tuple(dict.fromkeys(kept)), quick)


def _divides(n: int, total: Any) -> bool:
    """Whether n divides the polynomial whatever its sizes are: it divides every coefficient."""
    numbers = [term.as_coeff_Mul()[0] for term in sp.Add.make_args(sp.expand(total))]
    return all(c.is_Integer and int(c) % n == 0 for c in numbers)


def _where(space: FusedSpace, kept: Sequence[frozenset[str]], quick: bool) -> Verdict:
    """A box point outside the kernel's guard shares no such cells with guarded points."""
    facts: list[Any] = [*space.hypotheses, *ranges(space.axes), ("not", ("and", *space.where))]
    for number, names in enumerate(kept):
        other: dict[str, Any] = {}
        for t, _, group in space.groups:
            if t not in names:
                other.update({a: sp.Symbol(f"{a}'{number}", integer=True) for a in group})
        facts += ranges((other[a], space.extents[a]) for a in other)
        facts += [rename(g, other) for g in space.where]
    if quick:
        return check(facts, False, "neutral", space.nonnegative)
    return either(facts, False, "neutral", space.nonnegative)


def general(space: GeneralSpace, live: Sequence[Cells]) -> Verdict:
    """The same for any mapping."""
    facts = space.box({})
    for number, cells in enumerate(live):
        mark = space.primed(f"'{number}")
        facts += space.inside(mark)
        facts += [("eq", c, rename(c, mark)) for c in cells]
    return space.ask([*facts, ("not", ("and", *space.guard))], False, "neutral")
