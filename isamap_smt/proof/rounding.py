"""Claim 17, rounding: for all inputs in stated ranges, each result of a program is off by no more than stated.

An operation is one question over the reals (isamap_encodings.error_steps): exact operands lie in their ranges, the
program's operands are off by their known bounds, and the result is rounded with the stated ULP. Each proved bound is
the known one for the next operation, so errors add up from the inputs to the results; a sum is one question, in any
order. The numbers in between come from isamap_smt.ir.rounding_notes and are not trusted: a bound that does not follow
is refuted.

Some bounds follow from structure, without a question. A value minus its maximum over some axes is at most 0, and 0 at
one point. This holds if the maximum was taken of the same elements, without a guard, and neither has been written
since. isamap_smt.ir.fibres shows the number of terms of an element; one without terms keeps the start value of its
first statement.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar

from isamap_encodings.enclosures import ENDS
from isamap_encodings.error_steps import Arithmetic, Known, Total, any_order, at_most, step, total
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Rows
from isamap_smt.ir.near import limits
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.ir.rounding_bound import Bound
from isamap_smt.ir.rounding_notes import Notes, rounding_notes
from isamap_smt.ir.rounding_walk import Ranges, larger
from isamap_smt.ir.scalar import Cast, Relu, SAdd, SDiv, SMax, SMin, SMul, SNeg, SSub, Unary
from isamap_smt.language.printer import statement_text, value_text
from isamap_smt.proof.program_book import Watch

Ends = Mapping[str, tuple[float, float]]


class NotFollowedError(Exception):
    """The rounding errors there are not known; gives the reason. placed: the text names the value and its statement."""

    def __init__(self, why: str, placed: bool = False) -> None:
        super().__init__(why)
        self.placed = placed


@dataclass(frozen=True)
class Held(Known):
    """Known bounds of a value at the points of a statement. peak: a lower bound of the largest along the axes `over`."""

    peak: Fraction | None = None
    over: tuple[str, ...] = ()


def prove_rounding(
    kernel: Kernel, ranges: Ends, trees: Mapping[int, Any], stated: Mapping[str, tuple[float, float]] | None = None,
    watch: Watch | None = None,
) -> tuple[Proof, dict[str, tuple[float, float]]]:  # fmt: skip
    """(proof, derived bounds): a verdict for each operation and each floating-point result.

    The derived bound of a result is a pair (part of the exact element, absolute).

    stated: claimed bounds of the results; the derived ones if there is no claim. trees: by number of its statement, the
    value a program computes in its place. Raises SizeError for open sizes and recurrences, UnknownNameError and
    RangeError for ranges.
    """
    started = time.perf_counter()
    inputs, notes = rounding_notes(kernel, ranges, trees)
    walk = _Walk(kernel, {n: _known(b) for n, b in inputs.items()}, notes, watch)
    try:
        for number, s in enumerate(kernel.statements):
            walk.statement(s, trees.get(number))
    except NotFollowedError as error:
        walk.claim("", Unknown(str(error)), "how far rounding may carry it is known")
        return Proof(tuple(walk.claims), "reassociate", (), time.perf_counter() - started), {}
    floats = [n for n in kernel.results if kernel.tensor(n).dtype.is_float]
    found = {n: walk.tensors[n] for n in floats}
    for n, k in found.items():
        walk.result(n, k, None if stated is None else stated.get(n))
    derived = {n: (float(k.relative), float(k.absolute)) for n, k in found.items()}
    return Proof(tuple(walk.claims), "reassociate", (), time.perf_counter() - started), derived


def _known(b: Bound) -> Held:
    """In decimal digits, as it is written."""
    if not isfinite(b.error) or not isfinite(b.size):
        raise NotFollowedError(
            "nothing is known of it: a divisor may be 0, an argument negative, or a number too large"
        )
    low, high, relative, absolute = (Fraction(repr(float(x))) for x in (b.low, b.high, b.relative, b.absolute))
    return Held(low, high, relative, absolute)


def arithmetic(kind: DType) -> Arithmetic:
    """How numbers of this type are rounded."""
    if not kind.is_float:
        return Arithmetic(Fraction(0), Fraction(0), Fraction(kind.low), Fraction(kind.high))
    eps, smallest, most = map(Fraction, limits(kind))
    return Arithmetic(eps / 2, smallest / 2, -most, most)


class _Walk(Ranges):
    """Every statement in turn, in fractions. claims: the questions so far."""

    def __init__(self, kernel: Kernel, inputs: dict[str, Held], notes: Notes, watch: Watch | None) -> None:
        super().__init__(kernel, inputs)
        self.notes, self.watch = notes, watch
        self.claims: list[ClaimResult] = []
        self.ordered: set[str] = set()  # types of which sums in any order have been asked
        self.made: dict[tuple[Any, str], Held] = {}

    def claim(self, subject: str, verdict: Verdict, words: str) -> None:
        """One more obligation."""
        found = ClaimResult("rounding", subject, verdict, words)
        self.claims.append(found)
        if self.watch is not None:
            self.watch([found])

    def result(self, name: str, derived: Known, stated: tuple[float, float] | None) -> None:
        """Claims the stated bound for the result's elements, or the derived one if none is stated."""
        wanted = derived
        if stated is not None:
            relative, absolute = (Fraction(repr(float(x))) for x in stated)
            wanted = replace(derived, relative=relative, absolute=absolute)
        verdict = at_most(derived, wanted)
        if isinstance(verdict, Refuted):
            text = f"what follows from the ranges and from each rounding is {_off(derived)}, which is more than {_off(wanted)}"
            verdict = replace(verdict, text=text)
        self.claim(name, verdict, f"each element is off by at most {_off(wanted)}")

    def statement(self, s: Statement, tree: Any = None) -> None:
        self.made = {}
        super().statement(s, tree)

    def nothing(self, why: str, s: Statement | None = None) -> Held:
        raise NotFollowedError(why if s is None else f"{statement_text(s)}: {why}")

    def counted(self, s: Statement, how: str, words: str) -> None:
        self.claim(s.target.tensor, Proved(how=how), f"{statement_text(s)}: {words}")

    def between(self, low: Any, high: Any) -> Held:
        return Held(Fraction(str(low)), Fraction(str(high)))

    def peak_of_exponential(self, peak: Any) -> Fraction:
        return ENDS["exp"](Fraction(peak))[0]

    def taken(self, s: Statement, found: Held, before: Held | None) -> Held:
        other = before or found
        known: Held = larger(found, other, s.op == "min")
        verdict = step(s.op, (found, other), known, None)
        self.claim(s.target.tensor, verdict, f"of two elements the one that is taken {_told(known)}")
        return known

    def total(self, s: Statement, sum_: Total[Known], kind: DType) -> Held:
        rounding = arithmetic(kind)
        if kind.is_float and kind.name not in self.ordered:
            self.ordered.add(kind.name)
            words = "two sums of which each is off by E make one that is off by (1 + E)(1 + u) - 1; h of these by h u / (1 - h u)"
            self.claim(f"sums of {kind}", any_order(rounding), words)
        known, count = self._noted(None, kind), sum_.points * len(sum_.terms)
        words = f"{statement_text(s)}: a sum of {count} terms, in any order, {_told(known)}"
        self.claim(s.target.tensor, total(sum_, known, rounding), words)
        return known

    def _noted(self, x: Any, kind: DType) -> Held:
        return _known(self.notes[self.number, x, kind.name])

    def of(self, x: Any, kind: DType) -> Held:
        """Known bounds of an expression; `kind` is its type if it has none of its own."""
        own = self.own(x, kind)
        if (x, own.name) not in self.made:
            try:
                self.made[x, own.name] = super().of(x, own)
            except (NotFollowedError, KeyError) as error:
                if isinstance(error, NotFollowedError) and error.placed:
                    raise
                told = str(error) if isinstance(error, NotFollowedError) else "it is not followed"
                raise NotFollowedError(f"{statement_text(self.now)}\n{value_text(x)}: {told}", placed=True) from None
        return self.made[x, own.name]

    def other(self, x: Any, own: DType) -> Held:
        raise NotFollowedError(f"{type(x).__name__} is not followed")

    def plain_step(self, op: str, x: Any, own: DType, operands: Sequence[Held], ulp: float, below: bool) -> Held:
        if op == "/" and not own.is_float:
            raise NotFollowedError("a division of integers is not followed")
        known = self._noted(x, own)
        verdict = step(op, operands, known, arithmetic(own) if ulp else None, Fraction(str(ulp)), below)
        self.claim(value_text(x), verdict, _told(known))
        return known

    def to_integer(self, x: Any, to: DType, a: Held) -> Held:
        if self.given(x).is_float or not (a.error == 0 and to.low <= a.low and a.high <= to.high):
            raise NotFollowedError("what is rounded to integers, or does not fit its type, is not followed")
        return a

    rows: ClassVar[Rows] = {
        head: Ranges.rows[head] for head in (Cast, Relu, SAdd, SDiv, SMax, SMin, SMul, SNeg, SSub, Unary)
    }


def _off(k: Known) -> str:
    return f"{float(k.relative):.6g} of it and {float(k.absolute):.6g}"


def _told(k: Known) -> str:
    return f"lies between {float(k.low):g} and {float(k.high):g}, and is off by at most {_off(k)}"


__all__ = ["NotFollowedError", "prove_rounding"]
