"""A rewrite rule holds: its two sides have the same value for all values of its names, in one arithmetic.

Integers of a width wrap; below a saturation they are exact; floating point is bit for bit, NaN equal to NaN and +0
unlike -0, or without the signs of zeros; `reals` stands for floating point that may be rounded otherwise. Of +0 and -0,
a maximum or minimum gives either: both sides must then have the same possible values. Conditions restrict the values of
names.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp
import z3

from isamap_encodings.machine import RING, SORTS, WHOLE, Bits, Floats
from isamap_encodings.rounding import Rounded
from isamap_encodings.rounding import same as same_number
from isamap_encodings.scalar import equal_reals
from isamap_encodings.scalar_values import Kind
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict

RLIMIT = (
    4_000_000  # about three seconds; a product of two f32 names takes far more, and then the rule is not used there
)
Condition = tuple[
    str, ...
]  # ("power of two", c), ("not zero", c), ("twice", c, h), ("minus", c, h), ("at most", a, b), ("less", a, b), ("number", c)


@lru_cache(maxsize=2048)
def holds(
    left: Any,
    right: Any,
    types: tuple[tuple[str, Kind], ...],
    result: Kind,
    arithmetic: str,
    given: tuple[Condition, ...],
) -> Verdict:
    """Whether both sides are one value. arithmetic: 'machine', 'values' (machine, but for signs of zeros), 'exact' or 'reals'.

    A witness is of the encoding, so it is to be replayed before it is believed; floating point gives none.
    """
    kinds = dict(types)
    try:
        match arithmetic:
            case "reals":
                return _reals(left, right, kinds, given)
            case "exact":
                return _exact(left, right, kinds, given)
        if result in SORTS:
            verdict = _rounded(left, right, kinds, given, arithmetic == "values")
            return (
                verdict
                if isinstance(verdict, Proved)
                else _floats(left, right, kinds, result, given, arithmetic == "values")
            )
        return _integers(left, right, kinds, result, given)
    except NotExpressible as e:
        return Unknown(f"not expressible: {e}")


def _heads(*trees: Any) -> set[str]:
    return {type(p).__name__ for t in trees for p in sp.preorder_traversal(t) if not p.is_Symbol and not p.is_Number}


# ---- integers


def _integers(left: Any, right: Any, kinds: Mapping[str, Kind], result: Kind, given: Sequence[Condition]) -> Verdict:
    plain = _heads(left, right) <= set(RING) and all(c[0] in ("twice", "minus", "number") for c in given)
    if plain and isinstance(verdict := _exact(left, right, kinds, given, limits=False), Proved):
        return verdict  # a polynomial identity over the integers holds modulo 2^n
    b = Bits(kinds)
    facts = [_of_bits(c, b, kinds) for c in given]
    verdict = ask(facts, b.any(left, result) == b.any(right, result), "rule", RLIMIT)
    return Refuted(b.signed(verdict.witness), "", verdict.seconds) if isinstance(verdict, Refuted) else verdict


def _of_bits(c: Condition, b: Bits, kinds: Mapping[str, Kind]) -> Any:
    names = [b.leaf(n) for n in c[1:]]
    signed = kinds[c[1]][0] == "i"
    match c[0]:
        case "number":
            return z3.BoolVal(True)
        case "not zero":
            return names[0] != 0
        case "power of two":
            return z3.And(names[0] & (names[0] - 1) == 0, names[0] > 0 if signed else names[0] != 0)
        case "twice":
            more = 1
            extend = z3.SignExt if signed else z3.ZeroExt
            return extend(more, names[0]) == extend(more, names[1]) + extend(more, names[1])
        case "minus":
            return names[0] == -names[1]
        case "at most":
            return names[0] <= names[1] if signed else z3.ULE(*names)
        case "less":
            return names[0] < names[1] if signed else z3.ULT(*names)
    raise NotExpressible(f"condition {c[0]}")


class _Whole:
    """Trees over exact integers."""

    def value(self, e: Any) -> Any:
        if e.is_Symbol:
            return z3.Int(e.name)
        if e.is_Integer:
            return z3.IntVal(int(e))
        args = [self.value(a) for a in e.args]
        if (head := type(e).__name__) not in WHOLE:
            raise NotExpressible(f"{head} of exact integers")
        return WHOLE[head](*args)


def _exact(
    left: Any, right: Any, kinds: Mapping[str, Kind], given: Sequence[Condition], limits: bool = True
) -> Verdict:
    w = _Whole()
    facts = [_of_numbers(c, {n: z3.Int(n) for n in c[1:]}) for c in given] if limits or given else []
    a, b = w.value(left), w.value(right)
    return ask(facts, z3.simplify(a - b == 0, som=True), "rule of exact integers", RLIMIT)


def _of_numbers(c: Condition, at: Mapping[str, Any]) -> Any:
    names = [at[n] for n in c[1:]]
    match c[0]:
        case "number":
            return z3.BoolVal(True)
        case "not zero":
            return names[0] != 0
        case "power of two":
            return names[0] != 0  # of powers of two, all that is used over the reals
        case "twice":
            return names[0] == 2 * names[1]
        case "minus":
            return names[0] == -names[1]
        case "at most":
            return names[0] <= names[1]
        case "less":
            return names[0] < names[1]
    raise NotExpressible(f"condition {c[0]}")


# ---- floating point


def _reals(left: Any, right: Any, kinds: Mapping[str, Kind], given: Sequence[Condition]) -> Verdict:
    facts = [_of_numbers(c, {n: z3.Real(n) for n in c[1:]}) for c in given]
    return equal_reals(left, right, kinds, facts)


GROWS = 4  # times the error of the side that is replaced
ARITHMETIC = {*RING, "SDiv"}


@lru_cache(maxsize=2048)
def keeps_error(left: Any, right: Any, given: tuple[Condition, ...]) -> Verdict:
    """Whether rounding errs by at most GROWS times as much in the right side as it may in the left one, for all values.

    Counted to first order: each operation adds an error in proportion to its result, carried on by later ones. So
    `x * y + x * z` may become `x * (y + z)`, and not the other way round: there the sum may be far smaller than its
    terms.
    """
    if not _heads(left, right) <= ARITHMETIC:
        return Unknown("it is not arithmetic alone, and rounding is not all that changes")
    e = _Error()
    facts = [_of_numbers(c, {n: z3.Real(n) for n in c[1:]}) for c in given]
    (_, before), (_, after) = e.value(left), e.value(right)
    verdict = ask([*facts, *e.facts], after <= GROWS * before, "rounding of a rule", RLIMIT)
    return Unknown("its error may be far larger") if isinstance(verdict, Refuted) else verdict


@lru_cache(maxsize=2048)
def keeps_range(left: Any, right: Any, given: tuple[Condition, ...]) -> Verdict:
    """Whether nothing in the right side leaves a type's range if the left one stays within it, for all values.

    Each intermediate value is no larger than one read or computed by the left side, or than all terms of its sum
    together, in any order; and a product or quotient other than 0 is not far smaller than each of those. So
    `(x * y) * z` may not become `x * (y * z)`: of 1e30, 1e-30 and 1e-30 the last two have no product in f32.
    """
    if not _heads(left, right) <= ARITHMETIC:
        return Unknown("it is not arithmetic alone")
    e, numbers = _Error(), {n for c in given for n in c[1:]}
    facts = [_of_numbers(c, {n: z3.Real(n) for n in c[1:]}) for c in given]
    before = [_size(e.value(p)[0]) for p in _with_names(left, numbers)]
    terms = [_size(e.value(t)[0]) for t in _terms(left)]
    after = [(p, _size(e.value(p)[0])) for p in _with_names(right, numbers) if not p.is_Symbol]
    large = [z3.Or(*(x <= y for y in (*before, z3.Sum(terms)))) for _, x in after]
    shrunk = [x for p, x in after if type(p).__name__ in ("SMul", "SDiv")]
    small = [z3.Or(x == 0, *(z3.And(y != 0, y <= GROWS * x) for y in before)) for x in shrunk]
    verdict = ask([*facts, *e.facts], z3.And(*large, *small), "range of a rule", RLIMIT)
    return Unknown("numbers on its way may leave the type") if isinstance(verdict, Refuted) else verdict


def _with_names(tree: Any, numbers: set[str]) -> list[Any]:
    """Subtrees with names other than `numbers`. The rest is of numbers alone, and worked out where the rule is used."""
    parts = list(sp.preorder_traversal(tree))
    return [p for p in parts if any(x.is_Symbol and x.name not in numbers for x in sp.preorder_traversal(p))]


def _terms(tree: Any) -> list[Any]:
    heads = ("SAdd", "SSub", "SNeg")
    return [t for a in tree.args for t in _terms(a)] if type(tree).__name__ in heads else [tree]


class _Error:
    """Trees as (value, error), in units of the rounding of 1. A number is as exact as its type holds it."""

    def __init__(self) -> None:
        self.facts: list[Any] = []

    def value(self, e: Any) -> tuple[Any, Any]:
        """The tree's value over the reals, and how far rounding may take it from there."""
        if e.is_Symbol:
            return z3.Real(e.name), z3.RealVal(0)
        if e.is_Number:
            return z3.RealVal(str(sp.Rational(e))), z3.RealVal(0)
        parts = [self.value(a) for a in e.args]
        (a, da), (b, db) = (*parts, parts[0])[:2]
        match type(e).__name__:
            case "SNeg":
                return -a, da
            case "SAdd":
                return a + b, da + db + _size(a + b)
            case "SSub":
                return a - b, da + db + _size(a - b)
            case "SMul":
                return a * b, da * _size(b) + db * _size(a) + _size(a * b)
        inverse = z3.Real(f"inverse {len(self.facts)}")
        self.facts.append(b * inverse == 1)
        found = a * inverse
        return found, _size(inverse) * (da + _size(found) * db) + _size(found)


def _size(x: Any) -> Any:
    return z3.If(x < 0, -x, x)


def _rounded(left: Any, right: Any, kinds: Mapping[str, Kind], given: Sequence[Condition], values: bool) -> Verdict:
    """The verdict by properties of rounding common to all formats."""
    if any(k not in SORTS for k in kinds.values()) or "Cast" in _heads(left, right):
        return Unknown("not all names are of one type")
    if "Rsqrt" in _heads(left, right) and any(k[1] == 16 for k in kinds.values()):
        return Unknown("rsqrt of 16 bits, which is computed in f32")
    r = Rounded()
    numbers = {n for c in given for n in c[1:]}
    for n in sorted(numbers):
        r.finite(n)
    for c in given:
        if c[0] in ("not zero", "power of two"):
            r.finite(c[1], zero=False, inverse=c[0] == "power of two")
        elif c[0] in ("at most", "less"):
            r.facts.append(r.holds("<=" if c[0] == "at most" else "<", r.name(c[1]), r.name(c[2])))
        elif c[0] in ("twice", "minus"):
            whole, part = r.name(c[1]), r.name(c[2])
            r.facts.append(whole.magnitude == (2 if c[0] == "twice" else 1) * part.magnitude)
            r.facts.append((whole.negative == part.negative) == z3.BoolVal(c[0] == "twice"))
    try:
        a, own = _side(r, left, "left ")
        b, others = _side(r, right, "right ")
    except NotExpressible as e:
        return Unknown(f"not expressible: {e}")
    same = same_number(a, b)
    if values:
        zero = [z3.And(z3.Not(x.nan), z3.Not(x.infinite), x.magnitude == 0) for x in (a, b)]
        same = z3.Or(same, z3.And(*zero))
    return _possible(same, r.facts, own, others)


def _side(r: Rounded, tree: Any, prefix: str) -> tuple[Any, list[Any]]:
    r.prefix, r.choices = prefix, []
    return r.value(tree), r.choices


def _possible(same: Any, facts: Sequence[Any], left: Sequence[Any], right: Sequence[Any]) -> Verdict:
    """Whether each possible value of one side is one of the other's."""
    if len(left) + len(right) > 6:
        return Unknown("too many maxima and minima")
    every: list[Any] = []
    known = list(facts)
    for choices in (left, right):
        ways = []
        for values in itertools.product((True, False), repeat=len(choices)):
            table = [(c, z3.BoolVal(v)) for c, v in zip(choices, values, strict=True)]
            ways.append(z3.substitute(same, *table) if table else same)
            known += [z3.substitute(f, *table) for f in facts] if table else []
        every.append(z3.Or(*ways))
    verdict = ask(known, z3.And(*every), "rule", RLIMIT)
    return (
        Unknown("some possible value of one side is none of the other's") if isinstance(verdict, Refuted) else verdict
    )


class _Open(Floats):
    """Floating-point trees with either result for a maximum or minimum of +0 and -0."""

    def __init__(self, bits: Bits) -> None:
        super().__init__(bits)
        self.prefix, self.choices = "", list[Any]()

    def value(self, e: Any, want: Kind) -> Any:
        """The value; see Floats."""
        head = type(e).__name__
        if head == "Rsqrt" and want[1] == 16:
            raise NotExpressible("rsqrt of 16 bits, which is computed in f32")
        if head == "Rsqrt":
            root = z3.fpSqrt(z3.RNE(), self.value(e.args[0], want))
            return z3.fpDiv(z3.RNE(), z3.FPVal(1.0, root.sort()), root)
        if head not in ("SMax", "SMin", "Relu"):
            return super().value(e, want)
        args = [self.value(a, want) for a in e.args]
        if head == "Relu":
            args.append(z3.fpPlusZero(args[0].sort()))
        a, b = args
        choice = z3.Bool(f"{self.prefix}choice {len(self.choices)}")
        self.choices.append(choice)
        first = z3.fpLT(b, a) if head != "SMin" else z3.fpLT(a, b)
        zeros = z3.And(z3.fpIsZero(a), z3.fpIsZero(b))
        chosen = z3.If(zeros, z3.If(choice, a, b), z3.If(first, a, b))
        return z3.If(z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b)), z3.fpNaN(a.sort()), chosen)


def _floats(
    left: Any, right: Any, kinds: Mapping[str, Kind], result: Kind, given: Sequence[Condition], values: bool
) -> Verdict:
    """By Z3's theory of floating point, at this width."""
    bits = Bits(kinds)
    opened = bits.floats = _Open(bits)
    facts = [f for c in given for f in _of_floats(c, kinds)]
    opened.prefix, opened.choices = "left ", []
    a, own = bits.any(left, result), opened.choices
    opened.prefix, opened.choices = "right ", []
    b, others = bits.any(right, result), opened.choices
    same = z3.Or(a == b, z3.fpEQ(a, b)) if values else a == b
    return _possible(same, facts, own, others)


def _of_floats(c: Condition, kinds: Mapping[str, Kind]) -> list[Any]:
    sort = z3.FPSort(*SORTS[kinds[c[1]]])
    names = [z3.FP(n, sort) for n in c[1:]]
    facts = [z3.Not(z3.Or(z3.fpIsNaN(x), z3.fpIsInf(x))) for x in names]
    match c[0]:
        case "not zero":
            return [*facts, z3.Not(z3.fpIsZero(names[0]))]
        case "power of two":
            word, digits = z3.fpToIEEEBV(names[0]), sort.sbits() - 1
            exponent = z3.Extract(digits + sort.ebits() - 1, digits, word)
            top = (1 << sort.ebits()) - 3  # then 1/c is a normal number, too
            return [*facts, z3.Extract(digits - 1, 0, word) == 0, z3.UGE(exponent, 1), z3.ULE(exponent, top)]
        case "twice":
            return [*facts, names[0] == z3.fpAdd(z3.RNE(), names[1], names[1])]
        case "minus":
            return [*facts, names[0] == z3.fpNeg(names[1])]
        case "at most":
            return [*facts, z3.fpLEQ(*names)]
        case "less":
            return [*facts, z3.fpLT(*names)]
    return facts
