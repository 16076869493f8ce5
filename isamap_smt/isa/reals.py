"""Are two terms the same over the reals? Then only rounding tells them apart: products fused into sums, sums in another order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from isamap_encodings.bit_terms import Term
from isamap_smt.isa.evaluate import as_number

Form = dict[tuple[int, ...], Fraction]  # product of atoms (their numbers, sorted) -> how often it is added
MOST = 500  # products in one form


def equal_over_reals(a: Term, b: Term) -> bool:
    """Whether both are the same polynomial in what no rule below takes apart. False says nothing."""
    if a.op == b.op == "ite" and a.args[0] is b.args[0]:
        return all(equal_over_reals(x, y) for x, y in zip(a.args[1:], b.args[1:], strict=True))
    known: dict[Term, Form | None] = {}
    x, y = _form(a, known), _form(b, known)
    return x is not None and x == y


def _form(t: Term, known: dict[Term, Form | None]) -> Form | None:
    if t not in known:
        known[t] = _made(t, known)
    return known[t]


def _made(t: Term, known: dict[Term, Form | None]) -> Form | None:
    if t.op == "const":
        x = float(as_number(np.array([t.args[0]], np.uint64), t.width)[0]) if t.width in (16, 32, 64) else float("nan")
        return ({} if x == 0 else {(): Fraction(x)}) if np.isfinite(x) else {(t.number,): Fraction(1)}
    if t.op == "ff" and t.width > t.args[0].width:
        return _form(t.args[0], known)
    if t.op == "fneg" or (t.op == "xor" and _flips(t)):
        inner = t.args[0] if t.op == "fneg" else next(a for a in t.args if a.op != "const")
        return _scaled(_form(inner, known), -1)
    if t.op not in ("fadd", "fsub", "fmul", "fma"):
        return {(t.number,): Fraction(1)}
    parts = [_form(a, known) for a in t.args]
    match t.op:
        case "fadd":
            return _sum(parts[0], parts[1])
        case "fsub":
            return _sum(parts[0], _scaled(parts[1], -1))
        case "fmul":
            return _product(parts[0], parts[1])
    return _sum(_product(parts[0], parts[1]), parts[2])


def _flips(t: Term) -> bool:
    return any(a.value == 1 << (t.width - 1) for a in t.args) and t.width in (16, 32, 64)


def _scaled(x: Form | None, by: int) -> Form | None:
    return None if x is None else {k: by * v for k, v in x.items()}


def _sum(x: Form | None, y: Form | None) -> Form | None:
    if x is None or y is None:
        return None
    found = dict(x)
    for k, v in y.items():
        found[k] = found.get(k, Fraction(0)) + v
    return {k: v for k, v in found.items() if v}


def _product(x: Form | None, y: Form | None) -> Form | None:
    if x is None or y is None or len(x) * len(y) > MOST:
        return None
    found: Form = {}
    for k, v in x.items():
        for other, w in y.items():
            key = tuple(sorted(k + other))
            found[key] = found.get(key, Fraction(0)) + v * w
    return {k: v for k, v in found.items() if v}
