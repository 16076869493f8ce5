"""What a proof takes for granted, as values: each has the text that proofs list, and each call's entry check tests it.

A text that none of these says is refused when C is made, so that nothing is assumed and left unchecked. `Stated` are the
sentences that ask nothing of a caller: how results are rounded, or what the program itself sees to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.conditions import Condition, parse_condition, parse_start, start_condition
from isamap_smt.ir.indirect import index_tensors
from isamap_smt.ir.kernel import Kernel, Tensor


class Stated(str):
    """A sentence among the assumptions that says how results are meant, and asks nothing of the caller."""

    __slots__ = ()


@dataclass(frozen=True)
class Shape:
    """The tensor lies row-major at an address that suits its elements, and no dimension of it is negative."""

    tensor: Tensor

    def __str__(self) -> str:
        return f"{self.tensor.name} is a row-major array of shape {list(self.tensor.shape)}"


@dataclass(frozen=True)
class Apart:
    """No other tensor shares memory with this one."""

    tensor: str

    def __str__(self) -> str:
        return f"{self.tensor} overlaps no other array"


@dataclass(frozen=True)
class Unchanged:
    """What was packed ahead is what the tensor holds."""

    tensor: str

    def __str__(self) -> str:
        return f"{self.tensor} does not change after it was packed"


@dataclass(frozen=True)
class Fits:
    """No index, counter or byte offset leaves 64 bits, since this polynomial of sizes bounds them all."""

    bound: Any

    def __str__(self) -> str:
        return f"{self.bound} < 2**63"


@dataclass(frozen=True)
class Finite:
    """No element is infinite or NaN."""

    tensor: str

    def __str__(self) -> str:
        return f"{self.tensor} is finite"


@dataclass(frozen=True)
class Range:
    """Every element lies between the two, both included: no NaN does."""

    tensor: str
    low: Any
    high: Any

    def __str__(self) -> str:
        return f"{self.low} <= {self.tensor} <= {self.high}"


@dataclass(frozen=True)
class Within:
    """Every element of an integer tensor is an index of a dimension of that extent: nothing else keeps reads inside their array."""

    tensor: str
    extent: Any

    def __str__(self) -> str:
        return f"0 <= {self.tensor} < {self.extent}"


@dataclass(frozen=True)
class Start:
    """The first element lies at a multiple of so many bytes."""

    tensor: str
    multiple: int

    def __str__(self) -> str:
        return start_condition(self.tensor, self.multiple)


@dataclass(frozen=True)
class Relation:
    """A relation between sizes."""

    condition: Condition

    def __str__(self) -> str:
        return self.condition.text


Hypothesis = Shape | Apart | Unchanged | Fits | Finite | Range | Within | Start | Relation
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER}) <= (\w+) <= ({_NUMBER})\Z")
_FINITE = re.compile(r"(\w+) is finite\Z")


def _read(number: str) -> int | float:
    return int(number) if number.lstrip("-").isdigit() else float(number)


def read_hypothesis(text: str, kernel: Kernel, bound: Any) -> Hypothesis | None:
    """The hypothesis of that text about a program of this kernel, whose numbers stay below `bound`; None if it is none.

    What is read says the same text again, so that a proof and its entry check cannot mean two things.
    """
    own: list[Hypothesis] = [Fits(bound)]
    for t in kernel.tensors:
        own += [Shape(t), Apart(t.name), Unchanged(t.name)]
    own += [Within(n, e) for n, extents in index_tensors(kernel).items() for e in extents]
    found: Hypothesis | None = next((h for h in own if str(h) == text), None)
    if found is None and (m := _FINITE.match(text)):
        found = Finite(m[1])
    if found is None and (m := _RANGE.match(text)):
        found = Range(m[2], _read(m[1]), _read(m[3]))
    if found is None and (start := parse_start(text)):
        found = Start(*start)
    if isinstance(found, Finite | Range | Start) and found.tensor not in {t.name for t in kernel.tensors}:
        return None
    if found is None and (condition := parse_condition(text)) is not None:
        found = Relation(condition)
    return found


__all__ = [
    "Apart", "Finite", "Fits", "Hypothesis", "Range", "Relation", "Shape", "Start", "Stated", "Unchanged",
    "Within", "read_hypothesis",
]  # fmt: skip
