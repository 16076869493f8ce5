"""A mapping that is refuted because its instruction saturates or wraps: for which values would it be right?

For each integer input alone, the largest a (values 0 to a) or b (values -b to b) for which the scalar claim is proved, the
other inputs taking every value. A range is offered only when the whole mapping is proved under it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from isamap_encodings.ranges import Question, largest
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.scalar import (
    Ranges,
    assumed_ranges,
    cell_ranges,
    contract_question,
    scalar_claims,
    value_question,
)
from isamap_smt.proof.scalar_trees import accumulation, fill_value, kind


@dataclass(frozen=True)
class WeakestRange:
    """Under `low <= tensor <= high` the mapping is proved. exact: with the bound one larger it is refuted."""

    tensor: str
    low: int
    high: int
    exact: bool

    @property
    def text(self) -> str:
        """As assume() reads it."""
        return f"{self.tensor}<={self.high}" if self.low == 0 else f"{self.low}<={self.tensor}<={self.high}"


def weakest_ranges(rejection: Rejection) -> tuple[WeakestRange, ...]:
    """For each input that alone can mend the rejection: the largest range of its values under which prove() succeeds.

    Empty when the rejection has another reason than the values of integers, or when no range mends it.
    """
    failed = rejection.proof.failed()
    values = [c for c in failed if c.claim == "scalar" and c.subject in ("value", "instruction")]
    if not values or len(values) < len(failed) or not all(isinstance(c.verdict, Refuted) for c in values):
        return ()
    return _weakest(rejection.mapping)


@cache
def _weakest(mapping: Mapping) -> tuple[WeakestRange, ...]:
    from isamap_smt.proof.mapping import prove_after  # it makes rejections

    held = assumed_ranges(mapping)
    if isinstance(held, Unknown):
        return ()
    found = []
    out = mapping.statement.target.tensor
    for name in dict.fromkeys(a.tensor for _, a in mapping.binding if a.tensor != out):
        d = mapping.kernel.tensor(name).dtype
        one = None if d.is_float else _largest(mapping, held, name, d)
        if one is None:
            continue
        if one.low > held.get(name, (d.low, d.high))[1] or one.high < held.get(name, (d.low, d.high))[0]:
            continue  # nothing is left of the range assumed already
        ranged = mapping.kernel.with_ranges({name: (one.low, one.high)})
        if isinstance(prove_after(replace(mapping, kernel=ranged), 0), ProvedMapping):
            found.append(one)
    return tuple(found)


def _largest(mapping: Mapping, held: Ranges, tensor: str, d: DType) -> WeakestRange | None:
    """The largest range of one tensor under which every scalar claim that fails now is proved."""
    op = accumulation(mapping.kernel, mapping.statement)[0]
    best = None
    for asked, elements, fill in _questions(mapping, held, tensor, fill_value(op, d)):
        found = largest(asked, elements, kind(d), fill)
        if found is None:
            return None
        if best is None or found.bound < best.bound:
            best = found
    return None if best is None else WeakestRange(tensor, best.low, best.high, best.exact)


def _questions(mapping: Mapping, held: Ranges, tensor: str, fill: int) -> list[tuple[Question, frozenset[str], int]]:
    """The scalar claims that are refuted, each with the elements of the tensor in it and a value they may hold too."""
    refuted = {c.subject for c in scalar_claims(mapping) if isinstance(c.verdict, Refuted)}
    questions = []
    if "value" in refuted:
        try:
            asked, names = value_question(mapping, held)
        except (IsamapError, KeyError):
            return []
        elements = frozenset(n for n, t in names.items() if t == tensor)
        questions.append((asked, elements, asked.ranges[min(elements)][0] if elements & set(asked.ranges) else 0))
    if "instruction" in refuted and mapping.instruction.exact is not None:
        asked, operands = contract_question(mapping.instruction, cell_ranges(mapping, held))
        fed = {o for o, a in mapping.binding if a.tensor == tensor}
        questions.append((asked, frozenset(n for n, o in operands.items() if o in fed), fill))
    return questions


__all__ = ["WeakestRange", "weakest_ranges"]
