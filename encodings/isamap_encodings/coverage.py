"""Coverage: every point of the kernel's own domain is computed exactly once.

    every domain point x has (o,t) = psi(x) in range and guarded, and phi(psi(x)) = x
    every guarded (o,t) in range gives a domain point phi(o,t), and psi(phi(o,t)) = (o,t), so distinct ones stay distinct

A fused axis is proved in stages: fusing two axes is a bijection (range, unfuse and digit lemma, then by induction on
the group), cutting by N is one (split lemma). The kernel's guard is carried along unchanged.
"""

from __future__ import annotations

import sympy as sp

from isamap_encodings.digits import lemma
from isamap_encodings.solve import check
from isamap_encodings.space import FusedSpace, GeneralSpace, ranges, rename, together
from isamap_encodings.verdict import Verdict


def fused(space: FusedSpace) -> list[tuple[str, Verdict]]:
    """One verdict per instruction axis. The caller has checked that forward, inverse and guard are the family's."""
    results: list[tuple[str, Verdict]] = []
    for t, n, group in space.groups:
        stages: list[Verdict] = []
        if len(group) > 1:
            stages += [lemma("range"), lemma("unfuse"), lemma("digit")]
        if group:
            stages += [lemma("split", n), lemma("ceil", n)]
            stages += [check(space.hypotheses, ("le", sp.S.One, space.extents[a]), "extent") for a in group]
            total = space.total(t)
            if total.is_Integer and int(total) % n == 0:
                stages.append(lemma("whole", n))
        results.append((t, together(stages)))
    return results


def general(space: GeneralSpace) -> list[tuple[str, Verdict]]:
    """The two directions for any mapping, each condition a question of its own."""
    inverse, forward = dict(space.inverse), dict(space.forward)
    domain = [*space.hypotheses, *ranges(space.axes), *space.where]
    inside = [*ranges((inverse[o], e) for o, e in space.outer), *ranges((inverse[t], n) for t, n in space.points)]
    inside += [rename(g, inverse) for g in space.guard]
    back = [("eq", rename(forward[a], inverse), sp.Symbol(a, integer=True)) for a, _ in space.axes]
    there = space.ask_all(domain, [*inside, *back], "coverage: reached")
    covered = [*ranges((forward[a], e) for a, e in space.axes), *(rename(g, forward) for g in space.where)]
    names = [o for o, _ in space.outer] + [t for t, _ in space.points]
    round_trip = [("eq", rename(inverse[n], forward), sp.Symbol(n, integer=True)) for n in names]
    guarded = space.inside({})
    once = space.ask_all(guarded, [*covered, *round_trip], "coverage: once")
    return [("every point is reached", there), ("every lane computes one point of its own", once)]
