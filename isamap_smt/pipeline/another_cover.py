"""Another plan if a check refuses a cover from instruction selection: the search goes on without that cover.

Before a program is compiled, selection's instructions run on operands and are compared with their own descriptions. A refusal
there is no error of the user's. The machine notes the refused cover, or the instruction in it found wrong by itself. Selection
then makes the next cover, and the plan says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from isamap_smt.ir.errors import DescriptionError, IsamapError
from isamap_smt.pipeline.plan import Plan, planned_for

MOST = 8  # covers and instructions that are given up
T = TypeVar("T")


def built(planned: Plan, build: Callable[[Plan], T]) -> tuple[Plan, T]:
    """The plan, or one with other covers, and the result of `build`, which raises DescriptionError for a refused cover."""
    while True:
        try:
            return planned, build(planned)
        except DescriptionError as error:
            another = _another(planned, error)
            if another is None:
                raise
            planned = another


def _another(planned: Plan, error: DescriptionError) -> Plan | None:
    """A plan without the refused covers.

    Returns None if the error names no covers, one was refused before, MOST are refused, or no plan is left.
    """
    q, found = planned.asked, error.refused
    if q is None or not found or set(found) & set(q.hardware.refused) or len(q.hardware.refused) >= MOST:
        return None
    said = f"instruction selection made another cover, since a check refused the first: {error.wrong}"
    try:
        hardware = replace(q.hardware, refused=(*q.hardware.refused, *found))
        return planned_for(replace(q, hardware=hardware, said=(*q.said, said)))
    except IsamapError:  # the instruction was pinned
        return None


__all__ = ["built"]
