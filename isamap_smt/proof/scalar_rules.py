"""One value becomes another by a chain of rewrite rules, each proved for all values in the arithmetic of its place.

If a claim about two values cannot be decided directly (floating point, bit for bit), such a chain decides it. Equality
saturation finds the chain; here each link is checked alone. The two trees differ at one place, in the two sides of the
rule, with the same trees for its names. The numbers meet its conditions, and the rule is proved for the element type of
the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from isamap_encodings.egraph import TooMany
from isamap_encodings.ranges import Question
from isamap_encodings.scalar import same_tree
from isamap_encodings.scalar_values import BOOL
from isamap_encodings.verdict import Proved, Unknown, Verdict
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import Cast, Compare, Read, Round, Saturate, Scalar, read
from isamap_smt.ir.typed import type_of
from isamap_smt.mapping.rewriting import CHAIN, EXACT, Equalities, conditions_met, operation, proved_in
from isamap_smt.mapping.rule_verdicts import element_types, sides

Types = Mapping[str, DType]


def by_rules(q: Question, rules: Sequence[Rule], reals: bool) -> Verdict:
    """Proved if a chain of these rules turns the left value into the right one; else Unknown, as others may.

    reals: floating point may be rounded otherwise, and a proof over the reals is enough.
    """
    types = {n: _dtype(*k) for n, k in q.types.items()}
    out = _dtype(*q.result)
    left, right = (_elements(e) for e in (q.left, q.right))
    try:
        found = Equalities(left, types, out, rules, reals)
        reals = found.reals
        start, end = found.term(left), found.term(right)
        found.saturate()
        found.graph.rebuild()
        if found.graph.find(start) != found.graph.find(end):
            return Unknown(f"{_names(rules)} do not make one of the other")
        links = found.graph.chain(start, end, CHAIN)
    except TooMany:
        return Unknown("no chain of rules within the limit")
    except IsamapError as e:
        return Unknown(f"no chain of rules: {e}")
    at, used = left, dict[str, None]()
    for link in links:
        before, after = found.tree(link.before), found.tree(link.after)
        if before == after:  # a cast to its own type, which a value below a saturation is written with anyway
            valid = True
        elif isinstance(link.rule, Rule):
            arithmetic = follows(link.rule, before, after, types, out, reals)
            used |= {f"`{link.rule.name}` in {arithmetic}": None}
            valid = arithmetic is not None
        else:  # the order of operands
            valid = link.rule is None and same_tree(before, after)
        if before != at or not valid:
            return Unknown(f"internal error: {link.rule} does not make {after} of {before}")
        at = after
    if at != right:
        return Unknown("internal error: the chain of rules ends elsewhere")
    return Proved(how=f"a chain of {len(links)} uses of proved rules: {', '.join(used) or 'the order of operands'}")


def _names(rules: Sequence[Rule]) -> str:
    return ", ".join(f"`{r.name}`" for r in rules) or "no rules"


def _dtype(kind: str, bits: int) -> DType:
    return DTYPES[{("bf", 16): "bf16", BOOL: "bool"}.get((kind, bits), kind if kind in DTYPES else f"{kind}{bits}")]


def _elements(e: Any) -> Any:
    """The tree with its leaves as elements without index."""
    if e.is_Symbol:
        return read(e.name)
    if not isinstance(e, Scalar):
        return e
    kept = 1 if isinstance(e, Cast | Saturate | Round | Compare) else 0
    return e.func(*e.args[:kept], *[_elements(a) for a in e.args[kept:]])


def follows(rule: Rule, before: Any, after: Any, types: Types, out: DType, reals: bool) -> str | None:
    """The arithmetic in which one use of the rule, in either direction, turns `before` into `after`; else None."""
    return _follows(rule, before, after, out.name, dict(types), reals)


def _follows(rule: Rule, before: Any, after: Any, want: str, types: dict[str, DType], reals: bool) -> str | None:
    kind = _kind(before, want, types)
    if _kind(after, want, types) == kind and (found := _sides(rule, before, after, kind, types, reals)):
        return found
    if not isinstance(before, Scalar) or isinstance(before, Read) or type(before) is not type(after):
        return None
    (op, ours), (other, theirs) = (operation(e, want, types) for e in (before, after))
    changed = [n for n, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    if op != other or len(changed) != 1:
        return None
    (a, wanted), (b, _) = ours[changed[0]], theirs[changed[0]]
    return _follows(rule, a, b, wanted, types, reals)


def _kind(e: Any, want: str, types: dict[str, DType]) -> str:
    """The element type of a value: its surroundings' for a number, 'exact' for a value computed below a saturation."""
    if want == EXACT and not isinstance(e, Read | Cast | Saturate | Round):
        return EXACT
    found = type_of(e, types)
    return found.name if found else want


def _sides(rule: Rule, before: Any, after: Any, kind: str, types: dict[str, DType], reals: bool) -> str | None:
    """The arithmetic in which the trees are the rule's sides, and it is proved for values of this kind; else None."""
    s = sides(rule)
    known = element_types(rule, "saturating" if kind == EXACT else kind)
    if known is None or (rule.types and kind != known[1].name):
        return None
    for a, b, turned in ((s.left, s.right, False), (s.right, s.left, True)):
        bound: dict[str, Any] = {}
        if _matched(a, before, bound) and _matched(b, after, bound):
            arithmetic = proved_in(rule, kind, reals, turned)
            if arithmetic is not None and _allowed(rule, bound, kind, types, known[0], arithmetic):
                return arithmetic
    return None


def _matched(pattern: Any, tree: Any, bound: dict[str, Any]) -> bool:
    if isinstance(pattern, Read):
        return bool(bound.setdefault(pattern.tensor, tree) == tree)
    if isinstance(pattern, sp.Integer | sp.Float):
        return isinstance(tree, sp.Integer | sp.Float) and bool(sp.Rational(pattern) == sp.Rational(tree))
    if not isinstance(pattern, Scalar):
        return bool(pattern == tree)
    if type(pattern) is not type(tree) or len(pattern.args) != len(tree.args):
        return False
    return all(_matched(p, t, bound) for p, t in zip(pattern.args, tree.args, strict=True))


def _allowed(
    rule: Rule,
    bound: Mapping[str, Any],
    kind: str,
    types: dict[str, DType],
    named: Mapping[str, DType],
    arithmetic: str,
) -> bool:
    """Whether the trees for the names have their types, and the numbers meet the rule's conditions in `arithmetic`."""
    for name, tree in bound.items():
        wanted = EXACT if kind == EXACT else named[name].name
        own = _kind(tree, wanted, types)
        if own != wanted and not (wanted == EXACT and not DTYPES[own].is_float):
            return False
    if not all(isinstance(bound.get(name), sp.Integer | sp.Float) for name in rule.numbers):
        return False
    literals = {n: (bound[n], EXACT if kind == EXACT else named[n].name) for n in rule.numbers}
    return conditions_met(rule, literals, arithmetic)


__all__ = ["by_rules", "follows"]
