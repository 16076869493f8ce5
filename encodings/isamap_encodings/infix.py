"""A Z3 term in infix, for labels: `l + 8*l_tile < J`. Long ones are cut; nothing is decided by such text."""

from __future__ import annotations

from typing import Any

import z3

LONGEST = 96  # characters
_NODES = 120  # of one term; beyond, the rest is `...`
_BINARY = {
    z3.Z3_OP_ADD: "+", z3.Z3_OP_SUB: "-", z3.Z3_OP_MUL: "*", z3.Z3_OP_LE: "<=", z3.Z3_OP_LT: "<", z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">", z3.Z3_OP_EQ: "=", z3.Z3_OP_AND: "and", z3.Z3_OP_OR: "or", z3.Z3_OP_IMPLIES: "implies",
    z3.Z3_OP_BADD: "+", z3.Z3_OP_BSUB: "-", z3.Z3_OP_BMUL: "*", z3.Z3_OP_ULEQ: "<=", z3.Z3_OP_ULT: "<",
    z3.Z3_OP_SLEQ: "<=", z3.Z3_OP_SLT: "<", z3.Z3_OP_UGEQ: ">=", z3.Z3_OP_UGT: ">", z3.Z3_OP_SGEQ: ">=",
    z3.Z3_OP_SGT: ">",
}  # fmt: skip
_NEGATED = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!="}
_BINDS = {"implies": 0, "or": 1, "and": 2, "=": 4, "!=": 4, "<=": 4, "<": 4, ">=": 4, ">": 4, "+": 5, "-": 5, "*": 6}
_TIGHT = 9


def infix(term: Any) -> str:
    """The term as people write it, on one line, without `|` and backslashes."""
    text = _text(term, [_NODES])[0]
    text = " ".join(text.split()).replace("|", "").replace("\\", "/")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _text(term: Any, left: list[int]) -> tuple[str, int]:
    """(text, how tightly its outermost operator binds)."""
    left[0] -= 1
    if left[0] < 0:
        return "...", _TIGHT
    if z3.is_int_value(term) or z3.is_bv_value(term):
        return str(term.as_long()), _TIGHT
    if not term.num_args():
        if z3.is_and(term) or z3.is_or(term):
            return "true" if z3.is_and(term) else "false", _TIGHT
        return term.decl().name() if term.decl().kind() == z3.Z3_OP_UNINTERPRETED else str(term), _TIGHT
    kind, args = term.decl().kind(), term.children()
    if kind == z3.Z3_OP_NOT:
        return _negated(args[0], left)
    if kind in _BINARY:
        return _joined(_BINARY[kind], args, left)
    inside = ", ".join(_text(a, left)[0] for a in args)
    return f"{term.decl().name()}({inside})", _TIGHT


def _negated(inner: Any, left: list[int]) -> tuple[str, int]:
    sign = _BINARY.get(inner.decl().kind(), "")
    if sign in _NEGATED and inner.num_args() == 2:
        return _joined(_NEGATED[sign], inner.children(), left)
    text, binds = _text(inner, left)
    return f"not {text}" if binds == _TIGHT else f"not ({text})", 3


def _joined(sign: str, args: list[Any], left: list[int]) -> tuple[str, int]:
    if len(args) == 1:
        return _text(args[0], left)
    mine = _BINDS[sign]
    parts = []
    for n, a in enumerate(args):
        text, binds = _text(a, left)
        loose = binds < mine or (binds == mine and (mine == 4 or (sign == "-" and n)))
        parts.append(f"({text})" if loose else text)
    if sign == "*":
        return "*".join(parts), mine
    return f" {sign} ".join(parts).replace(" + -", " - "), mine


__all__ = ["infix"]
