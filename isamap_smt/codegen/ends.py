"""Where loops may stop: from some iteration on, each test that their body consists of fails.

    for k0 < 512: if 8*q0 - k0 >= 0: ...           ends at 8*q0 + 1

A short loop goes on to its count: compilers write out what has a known one. Nothing here is trusted: claim 16 asks the same of the
program.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import fails_from, most, slack
from isamap_smt.ir.expr import FloorDiv, IMin
from isamap_smt.ir.program import If, Loop

SHORT = 16  # iterations


def with_end(loop: Loop) -> Loop:
    """The loop with the mark, where it runs onwards, on one thread, is not short, and an end is to be seen."""
    known = most(loop.count)
    if (
        (known.is_Integer and known < SHORT)
        or not loop.plain
        or loop.base is not None
        or not loop.body
        or not all(isinstance(n, If) for n in loop.body)
    ):
        return loop
    tests = [n.condition for n in loop.body if isinstance(n, If)]
    last = _latest([_first_failing(t, loop.var) for t in tests])
    return loop if last is None else replace(loop, end=last)


def _first_failing(relations: tuple[Any, ...], var: Any) -> Any | None:
    """An iteration from which on one of the relations fails; None where none is known to fail from some iteration on."""
    for r in relations:
        room = slack(r)
        for term in () if room is None else _terms(sp.expand(room)):
            end = fails_from(term, str(var))
            if end is not None:
                return end
    return None


def _terms(room: Any) -> tuple[Any, ...]:
    """Numbers of which each must not be negative, for their least not to be."""
    return tuple(t for x in room.args for t in _terms(x)) if isinstance(room, IMin) else (room,)


def _latest(ends: list[Any | None]) -> Any | None:
    """The largest of them; None where one is None, or two are not a known number apart."""
    found: Any = ends[0]
    for e in ends[1:]:
        if found is None or e is None:
            return None
        apart = sp.expand(_numerator(e) - _numerator(found)) if _divisor(e) == _divisor(found) else None
        if apart is None or not apart.is_Integer:
            return None
        found = e if apart > 0 else found
    return found


def _numerator(e: Any) -> Any:
    return e.args[0] if isinstance(e, FloorDiv) else e


def _divisor(e: Any) -> Any:
    return e.args[1] if isinstance(e, FloorDiv) else sp.S.One


__all__ = ["with_end"]
