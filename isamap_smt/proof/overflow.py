"""Largest length of an integer reduction without overflow of its accumulator.

No other claim depends on it. A kernel's integers wrap, an instruction's accumulator wraps in the same way, and addition
modulo 2^bits may be reordered: mapping and kernel give the same bits with or without overflow. But a reader who expects
the sum of the products as integers has to know its limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_encodings.overflow import TermRange, largest_count, sums_stay, term_range
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.arguments import position, whole_number
from isamap_smt.ir.errors import IsamapError, WrongKindError
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.kinds import KERNEL, require_kind
from isamap_smt.proof.scalar_trees import access_of, accumulation, kind, leaves


@dataclass(frozen=True)
class Overflow:
    """About the sum of one statement, from an accumulator of 0.

    term: least and greatest value added by one point. largest: the number of points up to which no sum overflows, in
    any order, or None if none ever does, or 0 if one term may overflow by itself; `verdict` is its proof. tight: one
    point more can overflow, with the elements of `witness` at every point. axes: axes along which points meet in one
    element. points: the largest number of them, None if a size is open. exact: some element has so many. joined: by an
    index (`S[i+k]`).
    """

    accumulator: str
    dtype: str
    term: tuple[int, int]
    axes: tuple[str, ...]
    largest: int | None
    verdict: Verdict
    tight: bool
    witness: tuple[tuple[str, int], ...]
    points: int | None
    exact: bool = True
    joined: bool = False

    @property
    def fits(self) -> bool | None:
        """Whether this reduction cannot overflow; None while its sizes are open and some would."""
        if not isinstance(self.verdict, Proved):
            return None
        if self.largest is None:
            return True
        return None if self.points is None else self.points <= self.largest

    @property
    def name(self) -> str:
        """The number of points of one element, for the user: `k`, or `c*r*s`; `terms` if an index joins axes."""
        return "*".join(self.axes) if not self.joined else "terms"

    def __str__(self) -> str:
        low, high = self.term
        said = f"{self.accumulator} is {self.dtype} and adds terms from {low} to {high}"
        if not isinstance(self.verdict, Proved):
            return f"{said}: when it may overflow is not known"
        if self.largest is None:
            return f"{said}: no sum overflows, however long"
        if self.largest == 0:
            return f"{said}: one term may overflow by itself"
        text = f"{said}: from 0, no sum overflows up to {self.name} = {self.largest}"
        if self.tight:
            text += f"; {self.largest + 1} terms can ({' '.join(f'{n}={v}' for n, v in self.witness)})"
        if self.points is not None:
            text += f"; here {self.name} = {self.points} {'fits' if self.fits else 'does not fit'}"
        return text

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "accumulator": self.accumulator,
            "type": self.dtype,
            "term": {"low": self.term[0], "high": self.term[1]},
            "largest": {self.name: self.largest},
            "verdict": self.verdict.word,
            "tight": self.tight,
            "witness": dict(self.witness),
            "points": self.points,
            "fits": self.fits,
            "beyond": BEYOND,
        }


BEYOND = "wraps modulo 2^bits, in the kernel and in the instruction alike: the results are equal all the same"


def overflow(kernel: Kernel, statement: int = 0, bits: int = 0) -> Overflow | None:
    """The largest number of reduction points without overflow of the integer sum of a statement, proved.

    Returns None if nothing is summed, if the sum is floating point, or if the terms are not integer arithmetic. The
    kernel's assumed ranges of inputs count. bits: width of an accumulator narrower than the sum's type; 0: the type's
    own.

    >>> import isamap_smt as im
    >>> found = overflow(im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"}))
    >>> found.term, found.name, found.largest, found.tight
    ((-32640, 32385), 'k', 65793, True)
    """
    require_kind("overflow", kernel, Kernel, KERNEL)
    s = kernel.statements[position(statement, len(kernel.statements), "statement", WrongKindError)]
    bits = whole_number(bits, "bits", WrongKindError, low=0, high=64)
    out = kernel.tensor(s.target.tensor).dtype
    holds = (kind(out)[0], bits or kind(out)[1])
    meeting = fibres(kernel, s)
    if out.is_float or meeting.apart:
        return None
    found = term_of(kernel, s)
    if found is None:
        return None
    count = 0 if found.wraps else largest_count(found.low, found.high, holds)
    verdict = found.verdict
    if isinstance(verdict, Refuted):
        verdict = Unknown("the bounds of one term are refuted")
    if isinstance(verdict, Proved):
        verdict = sums_stay(found.low, found.high, count, holds)
    tight, witness = (False, ()) if found.wraps else _beyond(found, count, holds)
    return Overflow(
        s.target.tensor, str(out), (found.low, found.high), meeting.axes, count, verdict, tight, witness, meeting.number,
        meeting.exact, bool(meeting.how),
    )  # fmt: skip


def term_of(kernel: Kernel, s: Statement) -> TermRange | None:
    """The bounds of one point's term in an integer sum; None if it is no sum, or no integer arithmetic.

    Elements are named as accesses: `A[i,k]`. The kernel's assumed ranges of inputs count.
    """
    out = kernel.tensor(s.target.tensor).dtype
    try:
        op, value = accumulation(kernel, s)
    except IsamapError:
        return None
    if op != "+" or out.is_float:
        return None
    accesses = {a: f"{a.tensor}[{','.join(map(str, a.index))}]" for a in s.inputs if a != s.target}
    try:
        tree = leaves(value, lambda r: accesses[access_of(r)])
    except KeyError:
        return None
    types = {n: kind(kernel.tensor(a.tensor).dtype) for a, n in accesses.items()}
    if any(k not in "iu" for k, _ in types.values()):
        return None
    held = {name: (low, high) for name, low, high in kernel.ranges}
    ranges = {n: held[a.tensor] for a, n in accesses.items() if a.tensor in held}
    return term_range(tree, types, kind(out), ranges)


def _beyond(found: Any, count: int | None, out: tuple[str, int]) -> tuple[bool, tuple[tuple[str, int], ...]]:
    """Whether one term more can overflow, and the elements of each term."""
    if count is None:
        return True, ()
    for term, at in ((found.low, found.least), (found.high, found.greatest)):
        more = sums_stay(term, term, count + 1, out)
        if at is not None and isinstance(more, Refuted):
            return True, tuple(at.items())
    return False, ()


__all__ = ["BEYOND", "Overflow", "overflow", "term_of"]
