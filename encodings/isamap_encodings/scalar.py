"""Scalar: two expressions over the same elements have the same value, in exact machine arithmetic or over the reals.

Trees are as isamap_smt.ir.scalar builds them, recognised by the names of their heads: SAdd, SMul, Cast(dtype, x),
Saturate(dtype, x) and so on. Leaves are SymPy symbols with an element type each, SymPy integers and floats; sums are
unrolled before. An element type is (kind, bits), kind one of 'f', 'i', 'u'.

Integers are wrapping bit-vectors; below a Saturate they are wide enough not to wrap. Floating point is read over
the reals, every narrowing conversion and every transcendental function being an unknown function of its argument.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from operator import truediv
from typing import Any

import sympy as sp
import z3

from isamap_encodings.machine import RING, Bits, Operations, operation
from isamap_encodings.scalar_values import BOOL, COMPARE, Kind, difference, kind_of, limits
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict

RLIMIT = 60_000_000  # bit-vector claims count more and smaller steps than linear ones
MANTISSA = {64: 53, 32: 24}
SIMPLE = (0, 1, -1, 2)  # numbers for a counterexample over the reals
TRIED = 256
_COMMUTES = {"SAdd", "SMul", "SMax", "SMin", "SAnd", "SOr", "SXor"}


def canonical(e: Any) -> Any:
    """The tree with operands of commutative operations in a fixed order; association is kept."""
    head = type(e).__name__
    if not getattr(e, "args", ()):
        return e
    args = [canonical(a) for a in e.args]
    if head in _COMMUTES:
        args.sort(key=str)
    return e.func(*args)


def equal_integers(
    left: Any,
    right: Any,
    types: Mapping[str, Kind],
    result: Kind,
    ranges: Mapping[str, tuple[int, int]],
    rlimit: int = RLIMIT,
    small: bool = True,
) -> Verdict:
    """Whether both trees give the same `result` for all elements in range; a counterexample is made small.

    `ranges` restricts leaves (low and high included). Equal trees need no solver. rlimit: solver steps for each question.
    small: whether one is looked for on plain integers, before the solver is asked.
    """
    if canonical(left) == canonical(right):
        return Proved()
    try:
        quick = without_saturation(left, right, types, result, ranges, rlimit)
    except (NotExpressible, AttributeError):
        quick = None
    if quick is not None:
        return quick
    try:
        found = difference(left, right, types, result, ranges) if small else None
    except (KeyError, TypeError):  # a head that plain integers do not cover; the bit-vectors say so below
        found = None
    if found is not None:
        return Refuted(found)
    b = Bits(types)
    try:
        a, c = b.value(left, result), b.value(right, result)
    except NotExpressible as e:
        return Unknown(f"not expressible in bit-vectors: {e}")
    given = [b.between(name, low, high) for name, (low, high) in sorted(ranges.items())]
    verdict = ask(given, a == c, "scalar", rlimit)
    if not isinstance(verdict, Refuted):
        return verdict
    return Refuted(b.signed(verdict.witness), "", verdict.seconds)


def without_saturation(
    left: Any,
    right: Any,
    types: Mapping[str, Kind],
    result: Kind,
    ranges: Mapping[str, tuple[int, int]],
    rlimit: int = RLIMIT,
) -> Proved | None:
    """Proved when no saturation ever acts for elements in range, and the trees are equal without them; else None.

    One small question for each saturation, instead of one about all elements: ten times faster if it succeeds.
    """
    started = time.perf_counter()
    b = Bits(types)
    a, c = _inert(left, b, ranges, rlimit), _inert(right, b, ranges, rlimit)
    if a is None or c is None or (a == left and c == right):
        return None
    given = [b.between(name, low, high) for name, (low, high) in sorted(ranges.items())]
    verdict = ask(given, b.value(a, result) == b.value(c, result), "scalar", rlimit)
    return Proved(time.perf_counter() - started) if isinstance(verdict, Proved) else None


def _inert(e: Any, b: Bits, ranges: Mapping[str, tuple[int, int]], rlimit: int) -> Any:
    """The tree with every widened saturation replaced by its operand; None when one of them may act.

    T(sat_S(x)) is T(x) if the exact value of x lies in S: S lies in T and in the type of x, so nothing wraps either.
    """
    if not getattr(e, "args", ()) or e.is_Symbol:
        return e
    head = type(e).__name__
    if head == "Saturate":
        return None  # not below a conversion: its own type decides how it goes on
    args = list(e.args)
    if head == "Cast" and type(e.args[1]).__name__ == "Saturate":
        to, narrow = kind_of(e.args[0]), kind_of(e.args[1].args[0])
        inner = _inert(e.args[1].args[1], b, ranges, rlimit)
        source = None if inner is None else b.kind(inner)
        if source is None or not (_within(narrow, to) and _within(narrow, source)):
            return None
        exact, (low, high) = b.wide(inner), limits(narrow)
        given = [b.between(n, *ranges[n]) for n in sorted(ranges) if n in {s.name for s in inner.free_symbols}]
        width = max(exact.size(), narrow[1] + 2)
        exact = z3.SignExt(width - exact.size(), exact)
        if not isinstance(ask(given, z3.And(exact >= low, exact <= high), "saturation", rlimit), Proved):
            return None
        args[1] = inner
    else:
        start = 1 if head in ("Cast", "Compare", "Round") else 0
        for n in range(start, len(args)):
            args[n] = _inert(args[n], b, ranges, rlimit)
            if args[n] is None:
                return None
    return e.func(*args)


def _within(inner: Kind, outer: Kind) -> bool:
    """Whether every value of one integer type is one of the other."""
    if inner[0] not in "iu" or outer[0] not in "iu":
        return False
    return limits(outer)[0] <= limits(inner)[0] and limits(inner)[1] <= limits(outer)[1]


def equal_reals(left: Any, right: Any, types: Mapping[str, Kind], given: Sequence[Any] = ()) -> Verdict:
    """Whether both trees have the same value over the reals, for values allowed by the formulas `given`.

    Rounding, divisors of zero and functions unknown to Z3 are abstracted, so a difference that involves
    one of these is Unknown.
    """
    if same_tree(left, right):
        return Proved()
    r = _Reals(types)
    try:
        a, b = r.value(left), r.value(right)
    except NotExpressible as e:
        return Unknown(f"not expressible over the reals: {e}")
    verdict = ask(given, a == b, "scalar over the reals")
    if isinstance(verdict, Refuted):
        if r.opaque:
            return Unknown(f"they differ for some {r.opaque}, which need not be the true one", verdict.seconds)
        found = {k: v for k, v in verdict.witness.items() if k in types}
        return Refuted(found if given else _simple(a == b, sorted(found)) or found, "", verdict.seconds)
    return verdict


def _simple(equal: Any, names: list[str]) -> dict[str, int]:
    """Small numbers for which the two are not equal, the same ones whatever the solver's model; none if there are none."""
    for values in itertools.islice(itertools.product(SIMPLE, repeat=len(names)), TRIED):
        table = [(z3.Real(n), z3.RealVal(v)) for n, v in zip(names, values, strict=True)]
        if z3.is_false(z3.simplify(z3.substitute(equal, *table))):
            return dict(zip(names, values, strict=True))
    return {}


def same_tree(left: Any, right: Any) -> bool:
    """Whether both trees are one up to the order of a sum's, product's, maximum's or minimum's two operands.

    Such trees have the same value in every arithmetic, bit for bit.
    """
    return bool(canonical(left) == canonical(right))


def _nearest(a: Any) -> Any:
    """The integer nearest to a, ties to even."""
    below = z3.ToInt(a)
    rest = a - z3.ToReal(below)
    up = z3.Or(rest > z3.Q(1, 2), z3.And(rest == z3.Q(1, 2), below % 2 != 0))
    return z3.ToReal(z3.If(up, below + 1, below))


# A function that is not here is an unknown one.
_REALS: Operations = {
    **RING,
    "SDiv": truediv,
    "SMax": lambda a, b: z3.If(a >= b, a, b),
    "SMin": lambda a, b: z3.If(a <= b, a, b),
    "Relu": lambda a: z3.If(a >= 0, a, z3.RealVal(0)),
    "Abs": lambda a: z3.If(a >= 0, a, -a),
    "Floor": lambda a: z3.ToReal(z3.ToInt(a)),
    "Ceil": lambda a: -z3.ToReal(z3.ToInt(-a)),
    "Trunc": lambda a: z3.ToReal(z3.If(a >= 0, z3.ToInt(a), -z3.ToInt(-a))),
    "Rint": _nearest,
}


class _Reals:
    """Floating-point trees over the reals. opaque: the last uninterpreted operation met, or ''."""

    def __init__(self, types: Mapping[str, Kind]) -> None:
        self.types = types
        self.opaque = ""

    def value(self, e: Any) -> Any:
        if e.is_Symbol:
            return z3.Real(e.name)
        if e.is_Integer or e.is_Float:
            number = sp.Rational(e)
            return z3.Q(int(number.p), int(number.q))
        head = type(e).__name__
        if head == "Cast":
            return self._cast(e)
        if head == "Select":
            op, x, y = e.args[0].args
            test = COMPARE[str(op)](self.value(x), self.value(y))
            return z3.If(test, self.value(e.args[1]), self.value(e.args[2]))
        if head in (*RING, "Abs") and self._integer(e):
            raise NotExpressible(f"{head} of integers, which wraps")
        args = [self.value(a) for a in e.args]
        if head == "SDiv":
            self.opaque = "quotient by zero"
        if head not in _REALS and getattr(e, "floating", False) and args:
            self.opaque = head.lower()
            return z3.Function(head, *[z3.RealSort()] * (len(args) + 1))(*args)
        return operation(_REALS, head, args)

    def _cast(self, e: Any) -> Any:
        """A widening conversion keeps the value; any other is an unknown function of it: to floating point it rounds the exact
        value, to an integer it wraps an integer, and cuts off and clamps all else."""
        to = kind_of(e.args[0])
        inner = e.args[1]
        source = self.types.get(inner.name) if inner.is_Symbol else None
        if source is None and type(inner).__name__ == "Cast":
            source = kind_of(inner.args[0])
        x = self.value(inner)
        if source is not None and _exact_conversion(source, to):
            return x
        self.opaque = f"conversion to {e.args[0]}"
        wraps = to[0] in ("i", "u") and (inner.is_Integer or self._integer(inner))
        return z3.Function(f"{'wrap' if wraps else 'to'}_{e.args[0]}", z3.RealSort(), z3.RealSort())(x)

    def _integer(self, e: Any) -> bool:
        """Whether the tree is computed in an integer type."""
        if e.is_Symbol:
            return self.types[e.name][0] in "iu"
        head = type(e).__name__
        if head in ("Cast", "Saturate", "Round"):
            return kind_of(e.args[0])[0] in "iu"
        return any(self._integer(a) for a in (e.args[1:] if head == "Select" else e.args))


def _exact_conversion(source: Kind, to: Kind) -> bool:
    """Whether every value of `source` is known to be one of `to`."""
    if to[0] != "f" or to[1] not in MANTISSA:
        return source == to or (source == BOOL and _within(source, to))
    if source[0] in ("f", "bf"):
        return source[1] <= to[1]
    return source[1] <= MANTISSA[to[1]]
