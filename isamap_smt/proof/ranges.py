"""Values for which a mapping would be right, if it is refuted because its instruction saturates or wraps.

For each integer input alone: a largest range (0 to a, or from low to high around 0) under which the scalar claim is
proved, with the other inputs at every value. For two inputs together: a pair of ranges, neither of which can be made
wider. A range is offered only when the whole mapping is proved under it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from isamap_encodings.ranges import Question, largest
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.language.ranges import assume
from isamap_smt.proof.bounded_sums import carries, widest
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
    """Under `low <= tensor <= high` the mapping is proved. exact: with either end one further out it is refuted."""

    tensor: str
    low: int
    high: int
    exact: bool

    @property
    def text(self) -> str:
        """As assume() reads it."""
        return f"{self.tensor}<={self.high}" if self.low == 0 else f"{self.low}<={self.tensor}<={self.high}"


@dataclass(frozen=True)
class RangePair:
    """Under both ranges the mapping is proved. exact: with any end of either one further out it is refuted."""

    first: WeakestRange
    second: WeakestRange

    @property
    def exact(self) -> bool:
        """Whether neither can be made wider while the other stays."""
        return self.first.exact and self.second.exact

    @property
    def texts(self) -> tuple[str, str]:
        """As assume() reads them."""
        return self.first.text, self.second.text

    def __str__(self) -> str:
        return f"{self.first.text} and {self.second.text}"


def range_pair(rejection: Rejection, given: str | None = None) -> RangePair | None:
    """A range of one input, the largest range of another allowed by it, and the largest of the first given that.

    given: the range to begin with, such as "A <= 200" or "abs(B) <= 100"; by default the middle between the first
    input's own largest range and its type. Returns None if the rejection is not about values, or has no two inputs with
    ranges. Raises the errors of assume() for `given`.

    >>> import isamap_smt as im
    >>> gemm = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    >>> dot = im.find_instruction("avx512_vnni.maddubs_dot")
    >>> print(range_pair(im.prove(im.fuse(gemm, dot, "l=j,e=k")), "A <= 200"))
    A<=202 and -81<=B<=81
    """
    kernel, alone = rejection.mapping.kernel, rejection.ranges
    tensors = _integer_inputs(rejection.mapping)
    if not values_at_fault(rejection) or (given is None and not alone):
        return None
    if given is None:
        one = alone[0]
        d = kernel.tensor(one.tensor).dtype
        start = kernel.with_ranges({one.tensor: ((one.low + d.low) // 2, (one.high + d.high) // 2)})
    else:
        start = assume(kernel, [given])
    changed = [(n, low, high) for n, low, high in start.ranges if (n, low, high) not in kernel.ranges]
    if len(changed) != 1 or kernel.tensor(changed[0][0]).dtype.is_float:
        return None
    return _pair(rejection.mapping, changed[0], tensors)


@cache
def _pair(mapping: Mapping, begun: tuple[str, int, int], tensors: tuple[str, ...]) -> RangePair | None:
    name, low, high = begun
    other = next((t for t in tensors if t != name), None)
    if other is None:
        return None
    second = _under(mapping, {name: (low, high)}, other)
    first = None if second is None else _under(mapping, {other: (second.low, second.high)}, name)
    if first is None or second is None:
        return None
    if (first.low, first.high) == (low, high):
        return RangePair(first, second)
    # The first has grown: the second, asked again, may not grow any more.
    again = _under(mapping, {name: (first.low, first.high)}, other)
    return None if again is None else RangePair(first, again)


def _under(mapping: Mapping, ranges: dict[str, tuple[int, int]], tensor: str) -> WeakestRange | None:
    """The largest range of one input under the others' ranges; its whole range if the mapping is proved as it is."""
    from isamap_smt.proof.mapping import prove_after  # it makes rejections

    ranged = replace(mapping, kernel=mapping.kernel.with_ranges(ranges))
    result = prove_after(ranged, 0)
    if isinstance(result, ProvedMapping):
        d = mapping.kernel.tensor(tensor).dtype
        held = assumed_ranges(mapping)
        low, high = (d.low, d.high) if isinstance(held, Unknown) else held.get(tensor, (d.low, d.high))
        return WeakestRange(tensor, low, high, True)
    return next((r for r in weakest_ranges(result) if r.tensor == tensor), None)


def weakest_ranges(rejection: Rejection) -> tuple[WeakestRange, ...]:
    """For each input able to mend the rejection alone: the largest range of its values under which prove() succeeds.

    Empty if the rejection has another reason than the values of integers, or if no range mends it.
    """
    return _weakest(rejection.mapping) if values_at_fault(rejection) else ()


def values_at_fault(rejection: Rejection) -> bool:
    """Whether only values computed by the instruction are wrong."""
    failed = rejection.proof.failed()
    values = [c for c in failed if c.claim == "scalar" and c.subject in ("value", "instruction")]
    return len(values) == len(failed) > 0 and all(isinstance(c.verdict, Refuted) for c in values)


def _integer_inputs(mapping: Mapping) -> tuple[str, ...]:
    out = mapping.statement.target.tensor
    names = dict.fromkeys(a.tensor for _, a in mapping.binding if a.tensor != out)
    return tuple(n for n in names if not mapping.kernel.tensor(n).dtype.is_float)


@cache
def _weakest(mapping: Mapping) -> tuple[WeakestRange, ...]:
    from isamap_smt.proof.mapping import prove_after  # it makes rejections

    held = assumed_ranges(mapping)
    if isinstance(held, Unknown):
        return ()
    found = []
    for name in _integer_inputs(mapping):
        d = mapping.kernel.tensor(name).dtype
        one = _largest(mapping, held, name, d)
        if one is None:
            continue
        if one.low > held.get(name, (d.low, d.high))[1] or one.high < held.get(name, (d.low, d.high))[0]:
            continue  # nothing is left of the range assumed already
        ranged = mapping.kernel.with_ranges({name: (one.low, one.high)})
        if isinstance(prove_after(replace(mapping, kernel=ranged), 0), ProvedMapping):
            found.append(one)
    return tuple(found)


def _largest(mapping: Mapping, held: Ranges, tensor: str, d: DType) -> WeakestRange | None:
    """The largest range of one tensor under which every failing scalar claim is proved."""
    if carries(mapping.instruction):
        return _widest(mapping, tensor)
    op = accumulation(mapping.kernel, mapping.statement)[0]
    best: WeakestRange | None = None
    for asked, elements, fill in _questions(mapping, held, tensor, fill_value(op, d)):
        found = largest(asked, elements, kind(d), fill)
        if found is None:
            return None
        low, high = held.get(tensor, (d.low, d.high))
        low, high = max(low, found.low), min(high, found.high)
        if best is not None:
            low, high = max(low, best.low), min(high, best.high)
        best = WeakestRange(tensor, low, high, found.exact and (best is None or best.exact))
    return best


def _widest(mapping: Mapping, tensor: str) -> WeakestRange | None:
    """The largest range of one tensor under which the instruction adds exactly."""

    def cells(kernel: Kernel) -> tuple[tuple[str, int, int], ...] | Unknown:
        ranged = replace(mapping, kernel=kernel)
        held = assumed_ranges(ranged)
        return held if isinstance(held, Unknown) else cell_ranges(ranged, held)

    found = widest(mapping, tensor, cells)
    return None if found is None else WeakestRange(tensor, *found)


def _questions(mapping: Mapping, held: Ranges, tensor: str, fill: int) -> list[tuple[Question, frozenset[str], int]]:
    """The refuted scalar claims, each with the elements of the tensor in it and a further value they may hold."""
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


__all__ = ["RangePair", "WeakestRange", "range_pair", "weakest_ranges"]
