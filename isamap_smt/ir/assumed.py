"""What a program assumes of a call, and whether sizes and arrays meet it: executors refuse a call of which it does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.errors import AssumedError
from isamap_smt.ir.hypotheses import Finite, Hypothesis, Range, Relation
from isamap_smt.ir.kernel import Kernel


def relations(hypotheses: Iterable[Hypothesis], names: frozenset[str]) -> Iterator[Condition]:
    """The relations between these sizes alone, of those that a call can be asked for."""
    for h in hypotheses:
        if isinstance(h, Relation) and h.condition.testable and h.condition.names <= names:
            yield h.condition


def broken(hypotheses: Iterable[Hypothesis], sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray]) -> str:
    """The first assumption that these sizes or elements do not meet, in its words; '' if all are met. Addresses, and tensors that
    `arrays` lacks, are not looked at."""
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
    """Which elements lie between the two, both included: no NaN does."""
    with np.errstate(invalid="ignore"):
        return np.asarray((array >= low) & (array <= high))


def _finite(array: np.ndarray) -> bool:
    return array.dtype.kind in "iub" or bool(np.isfinite(array.astype(np.float64)).all())


def require_assumed(
    kernel: Kernel, hypotheses: Iterable[Hypothesis], sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray]
) -> None:
    """Raise AssumedError unless all assumptions are met."""
    if text := broken(hypotheses, sizes, arrays):
        at = " ".join(f"{n}={v}" for n, v in sorted(sizes.items()))
        raise AssumedError(
            f"{kernel.name}: the program assumes {text}, which this call does not meet{f' ({at})' if at else ''}; pass sizes and "
            "arrays that do, or make the program without that assumption"
        )


__all__ = ["broken", "inside", "relations", "require_assumed"]
