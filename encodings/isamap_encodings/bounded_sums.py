"""An instruction with a saturating accumulator adds to it, if accumulator and sum lie within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
import z3

from isamap_encodings.machine import Bits
from isamap_encodings.overflow import bounds
from isamap_encodings.scalar import RLIMIT, canonical
from isamap_encodings.scalar_values import Kind
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Refuted, Unknown, Verdict

Interval = tuple[int, int]
Ranges = Mapping[str, Interval]


def adds(
    exact: Any, accumulator: str, whole: Any, terms: Sequence[Any], types: Mapping[str, Kind], ranges: Ranges, sums: Interval
) -> Verdict:  # fmt: skip
    """Whether `exact` is the accumulator plus all terms, for all elements in range whose sums stay within bounds.

    The accumulator, the terms together and their sum with it lie within `sums`, an interval of the accumulator's type.
    Terms are values of the accumulator's type and may wrap; they are added as integers. whole: the tree of their sum. A
    part that cannot wrap is first any number between its bounds: a proof for every such number holds for the part, and
    is fast.
    """
    fits = bounds(whole, types, ranges) is not None
    for tree, parts, kinds, given in (
        *([_opaque(exact, accumulator, [whole], types, ranges)] if fits else []),
        _opaque(exact, accumulator, terms, types, ranges),
        (exact, terms, types, ranges),
    ):
        try:
            verdict = _asked(tree, accumulator, parts, kinds, given, sums)
        except NotExpressible as e:
            return Unknown(f"not expressible in bit-vectors: {e}")
        if not isinstance(verdict, Refuted):
            return verdict
    return verdict


def _asked(
    exact: Any, accumulator: str, terms: Sequence[Any], types: Mapping[str, Kind], ranges: Ranges, sums: Interval
) -> Verdict:
    b, kind = Bits(types), types[accumulator]
    width = kind[1] + len(terms).bit_length() + 2
    total = sum((_wide(b.value(t, kind), kind, width) for t in terms), z3.BitVecVal(0, width))
    before = _wide(b.leaf(accumulator), kind, width)
    given = [b.between(n, *r) for n, r in sorted(ranges.items()) if n in types]
    given += [z3.And(v >= sums[0], v <= sums[1]) for v in (before, total, before + total)]
    claim = b.value(exact, kind) == z3.Extract(kind[1] - 1, 0, before + total)
    verdict = ask(given, claim, "accumulator", RLIMIT)
    return Refuted(b.signed(verdict.witness), "", verdict.seconds) if isinstance(verdict, Refuted) else verdict


def _wide(v: Any, kind: Kind, width: int) -> Any:
    return (z3.SignExt if kind[0] == "i" else z3.ZeroExt)(width - kind[1], v)


def _opaque(
    exact: Any, accumulator: str, terms: Sequence[Any], types: Mapping[str, Kind], ranges: Ranges
) -> tuple[Any, list[Any], dict[str, Kind], dict[str, Interval]]:
    """The same question with a symbol for each term that cannot wrap, within the term's bounds; the elements stay as well."""
    kinds, given = dict(types), dict(ranges)
    symbols: dict[Any, Any] = {}
    for n, term in enumerate(terms):
        found = bounds(term, types, ranges)
        if found is None or term.is_Symbol or term.is_Integer:
            continue
        symbol = symbols.setdefault(canonical(term), sp.Symbol(f"term {n}"))
        kinds[symbol.name], given[symbol.name] = types[accumulator], found

    def put(e: Any) -> Any:
        if (known := symbols.get(canonical(e))) is not None:
            return known
        return e.func(*[put(a) for a in e.args]) if getattr(e, "args", ()) and not e.is_Symbol else e

    return put(exact), [put(t) for t in terms], kinds, given


__all__ = ["adds"]
