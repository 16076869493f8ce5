"""An instruction's demands on its operands' addresses, parsed once.

aligned m 32            the first lane lies at a multiple of 32 bytes
ld(m) % 16 == 0         a relation; ld(m): elements from one row of m's array to the next; offset(m): elements from the
                        array's start to the first lane; active: the number of active lanes
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from isamap_smt.ir.conditions import Condition, parse_condition
from isamap_smt.ir.expr import sym

_CALL = re.compile(r"\b(ld|offset)\((\w+)\)")


@dataclass(frozen=True)
class Aligned:
    """The operand's first lane lies at a multiple of so many bytes."""

    operand: str
    multiple: int

    def __str__(self) -> str:
        return f"aligned {self.operand} {self.multiple}"

    @property
    def operands(self) -> tuple[str, ...]:
        """The operands named in it."""
        return (self.operand,)


@dataclass(frozen=True)
class Related:
    """A relation over numbers of active lanes, and over row_length(m) and offset(m) of operands."""

    text: str
    condition: Condition
    operands: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Unruled:
    """Text of no known form: no description may have it, and no proof has a rule for it."""

    text: str

    def __str__(self) -> str:
        return self.text


Precondition = Aligned | Related | Unruled


def row_length(operand: str) -> str:
    """The name for the number of elements from one row to the next."""
    return f"ld({operand})"


def offset(operand: str) -> str:
    """The name for the number of elements from the array's start to the first lane."""
    return f"offset({operand})"


@lru_cache(maxsize=1024)
def parse_precondition(text: str) -> Precondition:
    """The demand given by the text."""
    match text.split():
        case ["aligned", operand, multiple] if multiple.isdecimal() and int(multiple) > 0:
            return Aligned(operand, int(multiple))
    calls = {f"{call}({operand})": operand for call, operand in _CALL.findall(text)}
    condition = parse_condition(text, {call: sym(call) for call in calls})
    if condition is None:
        return Unruled(text)
    return Related(text, condition, tuple(dict.fromkeys(calls.values())))


__all__ = ["Aligned", "Precondition", "Related", "Unruled", "offset", "parse_precondition", "row_length"]
