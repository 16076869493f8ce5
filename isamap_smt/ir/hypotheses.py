"""Assumptions of a proof, as values: proofs list their texts, and each call's entry check tests the values.

No C is made under an assumption that calls cannot check, so nothing is assumed and left unchecked.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.conditions import Condition, parse_condition
from isamap_smt.ir.errors import AssumedError, LanguageError
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.used import Used, uses


@dataclass(frozen=True)
class Stated:
    """How results are meant, or a fact ensured by the program itself; it asks nothing of the caller."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Shape:
    """The tensor lies row-major at an address suited to its elements, and no dimension of it is negative."""

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
    """The tensor still equals its copy packed ahead."""

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
    low: int | float
    high: int | float

    def __str__(self) -> str:
        return f"{self.low} <= {self.tensor} <= {self.high}"


@dataclass(frozen=True)
class Start:
    """The first element lies at a multiple of so many bytes."""

    tensor: str
    multiple: int

    def __str__(self) -> str:
        return f"{self.tensor} starts at a multiple of {self.multiple} bytes"


@dataclass(frozen=True)
class Relation:
    """A relation between sizes."""

    condition: Condition

    def __post_init__(self) -> None:
        if not isinstance(self.condition, Condition):
            raise LanguageError(f"{self.condition!r} is no relation; write Relation.of('J % 8 == 0')")

    @staticmethod
    def of(text: str) -> Relation:
        """The relation in a person's text, such as `J % 8 == 0`. Raises LanguageError for other text."""
        if (condition := parse_condition(text)) is None:
            raise LanguageError(f"{text!r} is no relation: compare sums and products of sizes, such as `J % 8 == 0`")
        return Relation(condition)

    def __str__(self) -> str:
        return self.condition.text


Hypothesis = Stated | Shape | Apart | Unchanged | Fits | Finite | Range | Used | Start | Relation
HYPOTHESES: tuple[type, ...] = typing.get_args(Hypothesis)


def answerable(h: Hypothesis, kernel: Kernel, bound: Any = None) -> bool:
    """Whether a call of this kernel can check it. bound: the known bound of all numbers of the program, if any."""
    match h:
        case Shape(tensor=t):
            return t in kernel.tensors
        case Range(low=low, high=high) if not (math.isfinite(low) and math.isfinite(high)):
            return False
        case Start(multiple=bytes_) if bytes_ < 1:
            return False
        case (
            Apart(tensor=name) | Unchanged(tensor=name) | Finite(tensor=name) | Range(tensor=name) | Start(tensor=name)
        ):
            return name in {t.name for t in kernel.tensors}
        case Used():
            return h in uses(kernel)
        case Fits(bound=most):
            return bound is not None and bool(most == bound)
        case Relation(condition=c):
            return c.testable
    return False


def texts(hypotheses: Iterable[Hypothesis]) -> tuple[str, ...]:
    """Their texts in order, each once."""
    return tuple(dict.fromkeys(map(str, hypotheses)))


# ---- A program's assumptions on a call, and whether sizes and arrays meet them: executors refuse other calls.


def relations(hypotheses: Iterable[Hypothesis], names: frozenset[str]) -> Iterator[Condition]:
    """The relations between these sizes alone, limited to those a call can check."""
    for h in hypotheses:
        if isinstance(h, Relation) and h.condition.testable and h.condition.names <= names:
            yield h.condition


def broken(hypotheses: Iterable[Hypothesis], sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray]) -> str:
    """The first assumption broken by these sizes or elements, in its words; '' if all are met.

    Addresses, and tensors missing in `arrays`, are not looked at.
    """
    for h in hypotheses:
        match h:
            case Relation() if any(not c.holds(sizes) for c in relations((h,), frozenset(sizes))):
                return str(h)
            case Range() if h.tensor in arrays and not inside(arrays[h.tensor], h.low, h.high).all():
                return str(h)
            case Finite() if h.tensor in arrays and not _finite(arrays[h.tensor]):
                return str(h)
    return ""


def inside(array: np.ndarray, low: Any, high: Any) -> np.ndarray:
    """Which elements lie between the two, both included: no NaN does. Elements of bool count as their bytes."""
    array = array.view(np.uint8) if array.dtype == np.bool_ else array
    with np.errstate(invalid="ignore"):
        return np.asarray((array >= low) & (array <= high))


def _finite(array: np.ndarray) -> bool:
    return array.dtype.kind in "iub" or bool(np.isfinite(array.astype(np.float64)).all())


def require_assumed(
    kernel: Kernel, hypotheses: Iterable[Hypothesis], sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray]
) -> None:
    """Raises AssumedError unless all assumptions are met."""
    if text := broken(hypotheses, sizes, arrays):
        at = " ".join(f"{n}={v}" for n, v in sorted(sizes.items()))
        raise AssumedError(
            f"{kernel.name}: the program assumes {text}, which this call does not meet{f' ({at})' if at else ''}; pass sizes and "
            "arrays that do, or make the program without that assumption"
        )


__all__ = [
    "HYPOTHESES",
    "Apart",
    "Finite",
    "Fits",
    "Hypothesis",
    "Range",
    "Relation",
    "Shape",
    "Start",
    "Stated",
    "Unchanged",
    "Used",
    "answerable",
    "broken",
    "inside",
    "relations",
    "require_assumed",
    "texts",
]
