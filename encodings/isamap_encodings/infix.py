"""A Z3 term in infix, for labels: `l + 8*l_tile < J`. Long ones are cut; nothing is decided by such text."""

from __future__ import annotations

from dataclasses import dataclass
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


# address of a term -> (the term, which keeps the address from being used again, text, how tightly it binds, its nodes)
Written = dict[int, tuple[Any, str, int, int]]


@dataclass
class _Left:
    """How many nodes may still be written, and what terms written in full look like."""

    nodes: int
    written: Written


def infix(term: Any, written: Written | None = None) -> str:
    """The term as people write it, on one line, without `|` and backslashes. `written` is kept between calls."""
    text = _text(term, _Left(_NODES, {} if written is None else written))[0]
    text = " ".join(text.split()).replace("|", "").replace("\\", "/")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _text(term: Any, left: _Left) -> tuple[str, int]:
    """(text, how tightly its outermost operator binds)."""
    known = left.written.get(term.ast.value)
    if known is not None and known[3] <= left.nodes:
        left.nodes -= known[3]
        return known[1], known[2]
    before = left.nodes
    left.nodes -= 1
    if left.nodes < 0:
        return "...", _TIGHT
    text, binds = _expanded(term, left)
    if left.nodes >= 0:  # nothing of it was left out
        left.written[term.ast.value] = (term, text, binds, before - left.nodes)
    return text, binds


def _expanded(term: Any, left: _Left) -> tuple[str, int]:
    kind = term.decl().kind()
    if kind == z3.Z3_OP_BNUM or (kind == z3.Z3_OP_ANUM and term.is_int()):
        return str(term.as_long()), _TIGHT
    args = term.children()
    if not args:
        if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            return "true" if kind == z3.Z3_OP_AND else "false", _TIGHT
        return term.decl().name() if kind == z3.Z3_OP_UNINTERPRETED else str(term), _TIGHT
    if kind == z3.Z3_OP_NOT:
        return _negated(args[0], left)
    if kind in _BINARY:
        return _joined(_BINARY[kind], args, left)
    inside = ", ".join(_text(a, left)[0] for a in args)
    return f"{term.decl().name()}({inside})", _TIGHT


def _negated(inner: Any, left: _Left) -> tuple[str, int]:
    sign = _BINARY.get(inner.decl().kind(), "")
    if sign in _NEGATED and inner.num_args() == 2:
        return _joined(_NEGATED[sign], inner.children(), left)
    text, binds = _text(inner, left)
    return f"not {text}" if binds == _TIGHT else f"not ({text})", 3


def _joined(sign: str, args: list[Any], left: _Left) -> tuple[str, int]:
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
