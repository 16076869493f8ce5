"""Every rewrite rule, in every arithmetic: proved, refuted with the input, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.rules import Rule
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.mapping.rule_verdicts import REALS, SATURATING, VALUES, element_types, keeps_error_of, verdict

LISTED = ("i8", "u8", "i32", "f32", f"f32{VALUES}", "f64", SATURATING, REALS)


def rule_document(rules: Sequence[Rule] = RULES, arithmetics: Sequence[str] = LISTED) -> list[dict[str, Any]]:
    """[{name, left, right, where, types, verdicts: {arithmetic: {verdict, input, left, right, reason}}, rounding}].

    rounding: directions ('->', '<-') with little growth of the error, if floating point may be rounded otherwise.
    """
    return [_document(r, arithmetics) for r in rules]


def _document(rule: Rule, arithmetics: Sequence[str]) -> dict[str, Any]:
    found = {a: _verdict(rule, a) for a in arithmetics if element_types(rule, a) is not None}
    both = (("->", False), ("<-", True))
    ways = [sign for sign, turned in both if isinstance(keeps_error_of(rule, turned), Proved)]
    return {
        "name": rule.name,
        "left": rule.left,
        "right": rule.right,
        "where": rule.where,
        "types": dict(rule.types),
        "verdicts": found,
        "rounding": ways if found.get(REALS, {}).get("verdict") == Proved.word else [],
    }


def _verdict(rule: Rule, arithmetic: str) -> dict[str, Any]:
    found = verdict(rule, arithmetic)
    document: dict[str, Any] = {"verdict": found.word}
    if isinstance(found, Refuted):
        at = {n: v for n, v in found.witness.items() if n not in ("left", "right")}
        document |= {"input": at, "left": found.witness["left"], "right": found.witness["right"]}
    elif not isinstance(found, Proved):
        document["reason"] = found.reason
    return document


def shown_verdict(document: dict[str, Any]) -> str:
    """`at x = nan: 0.0, not nan` of a refuted rule; '' of others."""
    if document["verdict"] != Refuted.word:
        return ""
    at = ", ".join(f"{n} = {v}" for n, v in document["input"].items())
    return f"at {at}: {document['left']}, not {document['right']}"


__all__ = ["LISTED", "rule_document", "shown_verdict"]
