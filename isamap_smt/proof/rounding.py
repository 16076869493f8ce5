"""Claim 17, rounding: for all inputs in stated ranges, each result of a program is off by no more than is stated.

An operation is one question over the reals (isamap_encodings.error_steps): exact operands in their ranges, a program's off by no
more than known, the result rounded with the stated ULP. What is known of a result is what has been asked of it, so that errors add
up from the inputs to the results; a sum is asked as a whole, in any order. The numbers between come from
isamap_smt.ir.rounding_notes, and are trusted in nothing: what does not follow is refuted.

What follows without a question is structure. What is less the maximum over it is at most 0, and 0 at one point of that maximum:
where the maximum was taken of the same elements, without a guard, and neither has been written since. How many terms an element has
is what isamap_smt.ir.fibres shows; one without any keeps what it had, which is what its first statement starts from.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import Any, ClassVar

import ml_dtypes
import sympy as sp

from isamap_encodings.enclosures import ENDS
from isamap_encodings.error_steps import Arithmetic, Known, Total, any_order, at_most, step, total
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.evaluate import needs_single_points
from isamap_smt.ir.fibres import fibres, least_points
from isamap_smt.ir.heads import FUNCTION_ROWS, HEADS
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.ir.rounding_bound import Bound
from isamap_smt.ir.rounding_notes import Notes, rounding_notes
from isamap_smt.ir.rounding_walk import along, begins_at, each_once, is_maximum
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    Exp,
    IndexValue,
    Read,
    Relu,
    SAdd,
    SDiv,
    Select,
    SMax,
    SMin,
    SMul,
    SNeg,
    SSub,
    Unary,
    reads,
    terms_of,
)
from isamap_smt.ir.typed import ends, typed_value
from isamap_smt.language.printer import statement_text, value_text
from isamap_smt.proof.program_book import Watch

Ranges = Mapping[str, tuple[float, float]]


class NotFollowedError(Exception):
    """What happens to rounding errors there is not known; says why. placed: and of which value of which statement."""

    def __init__(self, why: str, placed: bool = False) -> None:
        super().__init__(why)
        self.placed = placed


@dataclass(frozen=True)
class _Node:
    """What is known of a value at the points of a statement. peak: of those over the axes `over`, one at least is as large."""

    known: Known
    peak: Fraction | None = None
    over: tuple[str, ...] = ()

    @property
    def flat(self) -> _Node:
        """Without what is known of one of many."""
        return _Node(self.known)


def prove_rounding(
    kernel: Kernel, ranges: Ranges, trees: Mapping[int, Any], stated: Mapping[str, tuple[float, float]] | None = None,
    watch: Watch | None = None,
) -> tuple[Proof, dict[str, tuple[float, float]]]:  # fmt: skip
    """A verdict for each operation, and for each result of floating point; and for each of these what is derived, as (part of the
    exact element, and absolutely).

    stated: what is claimed of the results; what is derived where nothing is. trees: values, by number of their statement, that a
    program computes in their place. Raises SizeError for open sizes and recurrences, UnknownNameError and RangeError for ranges.
    """
    started = time.perf_counter()
    inputs, notes = rounding_notes(kernel, ranges, trees)
    walk = _Walk(kernel, {n: _Node(_known(b)) for n, b in inputs.items()}, notes, watch)
    try:
        for number, s in enumerate(kernel.statements):
            walk.statement(number, s, trees.get(number))
    except NotFollowedError as error:
        walk.claim("", Unknown(str(error)), "how far rounding may carry it is known")
        return Proof(tuple(walk.claims), "reassociate", (), time.perf_counter() - started), {}
    floats = [n for n in kernel.results if kernel.tensor(n).dtype.is_float]
    found = {n: walk.tensors[n].known for n in floats}
    for n, k in found.items():
        walk.result(n, k, None if stated is None else stated.get(n))
    derived = {n: (float(k.relative), float(k.absolute)) for n, k in found.items()}
    return Proof(tuple(walk.claims), "reassociate", (), time.perf_counter() - started), derived


def _known(b: Bound) -> Known:
    """In decimal digits, as it is written."""
    if not isfinite(b.error) or not isfinite(b.size):
        raise NotFollowedError(
            "nothing is known of it: a divisor may be 0, an argument negative, or a number too large"
        )
    return Known(*(Fraction(repr(float(x))) for x in (b.low, b.high, b.relative, b.absolute)))


def arithmetic(kind: DType) -> Arithmetic:
    """How numbers of this type are rounded."""
    if not kind.is_float:
        return Arithmetic(Fraction(0), Fraction(0), Fraction(kind.low), Fraction(kind.high))
    about: Any = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    u, t, most = (Fraction(float(v)) for v in (about.eps, about.smallest_subnormal, about.max))
    return Arithmetic(u / 2, t / 2, -most, most)


class _Walk(Meaning[_Node]):
    """Every statement in turn. claims: what has been asked."""

    def __init__(self, kernel: Kernel, inputs: dict[str, _Node], notes: Notes, watch: Watch | None) -> None:
        super().__init__({t.name: t.dtype for t in kernel.tensors})
        self.kernel, self.tensors, self.notes, self.watch = kernel, inputs, notes, watch
        self.claims: list[ClaimResult] = []
        self.places: dict[str, Any] = {}  # the index with which a tensor was written
        self.maxima: dict[str, tuple[Any, Statement]] = {}  # a tensor, and what it is the maximum of
        self.ordered: set[str] = set()  # types of which sums in any order have been asked
        self.made: dict[tuple[Any, str], _Node] = {}

    def claim(self, subject: str, verdict: Verdict, words: str) -> None:
        """One more obligation."""
        found = ClaimResult("rounding", subject, verdict, words)
        self.claims.append(found)
        if self.watch is not None:
            self.watch([found])

    def result(self, name: str, derived: Known, stated: tuple[float, float] | None) -> None:
        """That its elements are off by no more than is stated."""
        wanted = derived
        if stated is not None:
            relative, absolute = (Fraction(repr(float(x))) for x in stated)
            wanted = replace(derived, relative=relative, absolute=absolute)
        verdict = at_most(derived, wanted)
        if isinstance(verdict, Refuted):
            text = f"what follows from the ranges and from each rounding is {_off(derived)}, which is more than {_off(wanted)}"
            verdict = replace(verdict, text=text)
        self.claim(name, verdict, f"each element is off by at most {_off(wanted)}")

    def statement(self, number: int, s: Statement, tree: Any) -> None:
        """What it writes, from what it reads."""
        name, kind = s.target.tensor, self.types[s.target.tensor]
        self.number, self.now, self.made = number, s, {}
        value = typed_value(self.kernel, s) if tree is None else tree
        if needs_single_points(s):
            raise NotFollowedError(f"{statement_text(s)}: a point reads what another one writes, which is not followed")
        before = self.tensors.get(name)
        made = self._sum(s, value, kind, before) if s.op == "+" else self._assigned(s, self.of(value, kind), before)
        self.maxima = {m: v for m, v in self.maxima.items() if name not in {m, *(r.tensor for r in reads(v[0]))}}
        if before is None and tree is None and is_maximum(s):
            self.maxima[name] = s.value, s
        self.tensors[name], self.places[name] = made, s.target.index

    def _assigned(self, s: Statement, found: _Node, before: _Node | None) -> _Node:
        if s.op not in ("=", "max", "min"):
            raise NotFollowedError(f"{statement_text(s)}: products of many are not followed")
        if s.op == "=" and each_once(self.kernel, s):
            return found
        left = [] if self._covered(s) else [self._so_far(s.target.tensor).known]
        if s.op == "=":
            return _Node(_hull(found.known, *left))
        other = before.known if before else found.known
        pick = max if s.op == "max" else min
        low, high = pick(found.known.low, other.low), pick(found.known.high, other.high)
        known = replace(_hull(found.known, other), low=low, high=high)
        verdict = step(s.op, (found.known, other), known, None)
        self.claim(s.target.tensor, verdict, f"of two elements the one that is taken {_told(known)}")
        return _Node(_hull(known, *left))

    def _covered(self, s: Statement) -> bool:
        """Whether each element has a point; said where it is none of the target's own axes that shows it."""
        least = least_points(self.kernel, self.number)
        if least and s.extents_of(s.target.index) is None:
            self.claim(
                s.target.tensor, Proved(how="counted"), f"{statement_text(s)}: each element that is read has a point"
            )
        return least > 0

    def _so_far(self, tensor: str) -> _Node:
        """What is known of its elements so far: of an output that nothing has written, what its first statement starts from."""
        if tensor in self.tensors:
            return self.tensors[tensor]
        start = float(begins_at(self.kernel, tensor))
        if not isfinite(start):
            raise NotFollowedError(f"{tensor} may be read where nothing was written, and is {start} there")
        return _Node(Known(Fraction(start), Fraction(start)))

    def _sum(self, s: Statement, value: Any, kind: DType, before: _Node | None) -> _Node:
        terms = [(sign, self.of(t, kind)) for sign, t in terms_of(value)]
        meeting, least = fibres(self.kernel, s), least_points(self.kernel, self.number)
        points = int(meeting.most)
        if meeting.how:
            words = f"{statement_text(s)}: an element has {points} terms at most, and {least} at least"
            self.claim(s.target.tensor, Proved(how=meeting.how), words)
        (sign, first), *more = terms
        alone = not more and sign > 0 and least > 0 and first.over == along(s)
        sum_ = Total(
            tuple((sign, n.known) for sign, n in terms),
            points,
            least,
            before.known if before else None,
            first.peak if alone else None,
        )
        rounding = arithmetic(kind)
        if kind.is_float and kind.name not in self.ordered:
            self.ordered.add(kind.name)
            words = "two sums of which each is off by E make one that is off by (1 + E)(1 + u) - 1; h of these by h u / (1 - h u)"
            self.claim(f"sums of {kind}", any_order(rounding), words)
        known = self._noted(None, kind)
        words = f"{statement_text(s)}: a sum of {points * len(terms)} terms, in any order, {_told(known)}"
        self.claim(s.target.tensor, total(sum_, known, rounding), words)
        return _Node(known)

    def _noted(self, x: Any, kind: DType) -> Known:
        return _known(self.notes[self.number, x, kind.name])

    def of(self, x: Any, kind: DType) -> _Node:
        """What is known of an expression, whose type is this where it has none of its own."""
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

    def other(self, x: Any, own: DType) -> _Node:
        raise NotFollowedError(f"{type(x).__name__} is not followed")

    def _read(self, x: Any, own: DType) -> _Node:
        found = self._so_far(x.tensor)
        return found if x.index == self.places.get(x.tensor) else found.flat

    def _index_value(self, x: Any, own: DType) -> _Node:
        low, high = (Fraction(int(v)) for v in ends(x.args[0], self.kernel, self.now))
        return self._held(x, Known(low, high), own)

    def _number(self, x: Any, own: DType) -> _Node:
        number = Fraction(str(x))
        return self._held(x, Known(number, number), own)

    def _select(self, x: Any, own: DType) -> _Node:
        condition, *values = x.args
        surely = all(isinstance(a, IndexValue) or a.is_Integer for a in condition.args[1:])
        return self._step("surely" if surely else "either", x, [self.of(v, own) for v in values], own, None)

    def _step(
        self, op: str, x: Any, operands: list[_Node], own: DType, rounding: Arithmetic | None, ulp: float = 0.5,
        below: bool = False,
    ) -> _Node:  # fmt: skip
        known = self._noted(x, own)
        exactly = Fraction(str(ulp))
        verdict = step(op, [n.known for n in operands], known, rounding, exactly, below)
        self.claim(value_text(x), verdict, f"{_told(known)}")
        return _Node(known)

    def _held(self, x: Any, known: Known, own: DType) -> _Node:
        """A number of the text, or a whole one, in this type."""
        if not own.is_float or _is_whole(known, own):
            return _Node(known)
        return self._step("same", x, [_Node(known)], own, arithmetic(own))

    def _cast(self, x: Any, to: DType, a: _Node) -> _Node:
        given = self.given(x)
        if to.is_float:
            exact = given == to or (given.is_float and to.bits > given.bits)
            if exact or (not given.is_float and a.known.error == 0 and _is_whole(a.known, to)):
                return a
            return replace(a, known=self._step("same", x, [a], to, arithmetic(to)).known)
        if given.is_float or not (a.known.error == 0 and to.low <= a.known.low and a.known.high <= to.high):
            raise NotFollowedError("what is rounded to integers, or does not fit its type, is not followed")
        return a

    def _negative(self, x: Any, own: DType, a: _Node) -> _Node:
        return self._step("neg", x, [a], own, None if own.is_float else arithmetic(own))

    def _function(self, x: Any, own: DType, a: _Node) -> _Node:
        row = FUNCTION_ROWS[type(x)]
        if row.whole is not None or isinstance(x, Abs):
            return self._step(row.text, x, [a], own, None)
        found = self._step(row.text, x, [a], own, arithmetic(own), row.error(own.bits))
        if isinstance(x, Exp) and a.peak is not None:
            return replace(found, peak=ENDS["exp"](a.peak)[0], over=a.over)
        return found

    def _pair(self, x: Any, own: DType, a: _Node, b: _Node) -> _Node:
        if isinstance(x, SDiv) and not own.is_float:
            raise NotFollowedError("a division of integers is not followed")
        op = HEADS[type(x)].text
        twice = isinstance(x, SMul) and x.args[0] == x.args[1]
        over = self._over_maximum(x)
        rounding = None if isinstance(x, SMax | SMin) else arithmetic(own)
        operands = [a] if twice else [a, b]
        found = self._step("square" if twice else op, x, operands, own, rounding, below=over is not None)
        if over is not None:
            return replace(found, peak=Fraction(0), over=over)
        if isinstance(x, SMul) and a.peak == 0 and b.known.low >= 0:  # 0 stays 0
            return replace(found, peak=a.peak, over=a.over)
        return found

    leaves: ClassVar[Rows] = {
        Read: _read, IndexValue: _index_value, Select: _select, sp.Rational: _number, sp.Float: _number,
    }  # fmt: skip
    rows: ClassVar[Rows] = {
        Cast: _cast,
        SNeg: _negative,
        Relu: lambda self, x, own, a: self._step("relu", x, [a], own, None),
        Unary: _function,
        **dict.fromkeys((SAdd, SSub, SMul, SDiv, SMax, SMin), _pair),
    }

    def _over_maximum(self, x: Any) -> tuple[str, ...] | None:
        """Where x is what a maximum is over, less this maximum: the axes of the maximum."""
        if not isinstance(x, SSub) or not all(isinstance(v, Read) for v in x.args) or self.now.guard:
            return None
        value, m = x.args
        of, s = self.maxima.get(m.tensor, (None, self.now))
        return along(s) if of == value and m.index == s.target.index else None


def _hull(*all_: Known) -> Known:
    """What is known of any one of them."""
    return reduce(
        lambda a, b: Known(
            min(a.low, b.low), max(a.high, b.high), max(a.relative, b.relative), max(a.absolute, b.absolute)
        ),
        all_,
    )


def _is_whole(k: Known, kind: DType) -> bool:
    """Whether the type holds every whole number in this range, and both ends are such."""
    return k.low.denominator == k.high.denominator == 1 and k.size * arithmetic(kind).unit <= Fraction(1, 2)


def _off(k: Known) -> str:
    return f"{float(k.relative):.6g} of it and {float(k.absolute):.6g}"


def _told(k: Known) -> str:
    return f"lies between {float(k.low):g} and {float(k.high):g}, and is off by at most {_off(k)}"


__all__ = ["NotFollowedError", "prove_rounding"]
