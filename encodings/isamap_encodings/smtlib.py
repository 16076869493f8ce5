"""Formulas as SMT-LIB 2 text: the same text for the same formula, in every process and on every machine.

Z3's own printer numbers its `let`s by the age of terms, and writes an empty conjunction as `and`, which is no SMT-LIB. Labels are
in infix, `l + 8*l_tile < J`, long ones cut: nothing is decided by them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    """How many nodes may still be written, and the text of terms already written in full."""

    nodes: int
    written: Written


def infix(term: Any, written: Written | None = None) -> str:
    """The term as people write it, on one line, without `|` and backslashes. `written` is kept between calls."""
    text = _infix(term, _Left(_NODES, {} if written is None else written))[0]
    text = " ".join(text.split()).replace("|", "").replace("\\", "/")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _infix(term: Any, left: _Left) -> tuple[str, int]:
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
    inside = ", ".join(_infix(a, left)[0] for a in args)
    return f"{term.decl().name()}({inside})", _TIGHT


def _negated(inner: Any, left: _Left) -> tuple[str, int]:
    sign = _BINARY.get(inner.decl().kind(), "")
    if sign in _NEGATED and inner.num_args() == 2:
        return _joined(_NEGATED[sign], inner.children(), left)
    text, binds = _infix(inner, left)
    return f"not {text}" if binds == _TIGHT else f"not ({text})", 3


def _joined(sign: str, args: list[Any], left: _Left) -> tuple[str, int]:
    if len(args) == 1:
        return _infix(args[0], left)
    mine = _BINDS[sign]
    parts = []
    for n, a in enumerate(args):
        text, binds = _infix(a, left)
        loose = binds < mine or (binds == mine and (mine == 4 or (sign == "-" and n)))
        parts.append(f"({text})" if loose else text)
    if sign == "*":
        return "*".join(parts), mine
    return f" {sign} ".join(parts).replace(" + -", " - "), mine


SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*\Z")
_NAMED = re.compile(r" :named \|([^|]*)\|\)\)$")
_NAMES = {"if": "ite"}
_EMPTY = {"and": "true", "or": "false"}
_PARAMETERS = {
    z3.Z3_OP_EXTRACT: 2, z3.Z3_OP_SIGN_EXT: 1, z3.Z3_OP_ZERO_EXT: 1, z3.Z3_OP_REPEAT: 1,
    z3.Z3_OP_FPA_TO_FP: 2, z3.Z3_OP_FPA_TO_FP_UNSIGNED: 2, z3.Z3_OP_FPA_TO_UBV: 1, z3.Z3_OP_FPA_TO_SBV: 1,
}  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """The texts written so far, by the term's address (equal terms of one context are one). Each entry holds its term,
    so the address is not used again.

    terms: (term, text, its declarations). labels: (term, its text in infix). parts: of labels.
    """

    terms: dict[int, tuple[Any, str, dict[str, str]]] = field(default_factory=dict)
    labels: dict[int, tuple[Any, str]] = field(default_factory=dict)
    parts: Written = field(default_factory=dict)

    def clear(self) -> None:
        """Forget all of it."""
        self.terms.clear()
        self.labels.clear()
        self.parts.clear()


def script(assertions: Sequence[Any], known: Texts | None = None) -> str:
    """Declarations in order of first use, one assertion a line, and (check-sat). `known` is kept between calls.

    Each assertion is named by its number and its content, the last by the claim it denies. The denial of `false`
    asks whether the others can hold and has no name.
    """
    texts = Texts() if known is None else known
    declared: dict[str, str] = {}
    lines = []
    for number, a in enumerate(assertions, 1):
        text, needs = _text(a, texts)
        declared |= needs  # a name keeps the place of its first use
        last = number == len(assertions) and z3.is_not(a)
        if last:
            claim = a.arg(0)
            name = "" if z3.is_false(claim) else f"denied: {_label(claim, texts)}"
        else:
            name = f"{number}: {_label(a, texts)}"
        lines.append(f"(assert (! {text} :named |{name}|))" if name else f"(assert {text})")
    return "\n".join([*declared.values(), *lines, "(check-sat)", ""])


def labels(text: str) -> list[str]:
    """The names of a script's assertions, in order; '' for one without."""
    asserted = (line for line in text.split("\n") if line.startswith("(assert "))
    return [found[1] if (found := _NAMED.search(line)) else "" for line in asserted]


def symbol(name: str) -> str:
    """The name as an SMT-LIB symbol, quoted if necessary."""
    return name if SIMPLE.match(name) else "|" + name.replace("\\", "/").replace("|", "!") + "|"


def _label(term: Any, texts: Texts) -> str:
    found = texts.labels.get(term.ast.value)
    if found is None:
        texts.labels[term.ast.value] = found = (term, infix(term, texts.parts))
    return found[1]


def _text(term: Any, texts: Texts) -> tuple[str, dict[str, str]]:
    found = texts.terms.get(term.ast.value)
    if found is None:
        text, needs = _written(term, texts)
        texts.terms[term.ast.value] = found = (term, text, needs)
    return found[1], found[2]


def _written(term: Any, texts: Texts) -> tuple[str, dict[str, str]]:
    literal = _literal(term)
    if literal is not None:
        return literal, {}
    head = term.decl()
    name = symbol(head.name())
    parts = [_text(a, texts) for a in term.children()]
    needs: dict[str, str] = {}
    for _, below in parts:
        needs |= below
    if head.kind() == z3.Z3_OP_UNINTERPRETED:
        domain = " ".join(head.domain(k).sexpr() for k in range(head.arity()))
        needs.setdefault(name, f"(declare-fun {name} ({domain}) {head.range().sexpr()})")
        return (f"({name} {' '.join(t for t, _ in parts)})" if parts else name), needs
    if head.kind() in _PARAMETERS:
        given = " ".join(str(p) for p in head.params()[: _PARAMETERS[head.kind()]])
        name = f"(_ {head.name()} {given})"
    else:
        name = _NAMES.get(head.name(), head.name())
    if not parts:
        return _EMPTY.get(name, name), needs
    if len(parts) == 1 and name in _EMPTY:
        return parts[0][0], needs
    return f"({name} {' '.join(t for t, _ in parts)})", needs


def _literal(term: Any) -> str | None:
    if z3.is_int_value(term):
        value = term.as_long()
        return str(value) if value >= 0 else f"(- {-value})"
    if z3.is_rational_value(term):
        over, under = term.numerator_as_long(), term.denominator_as_long()
        number = f"{abs(over)}.0" if under == 1 else f"(/ {abs(over)}.0 {under}.0)"
        return number if over >= 0 else f"(- {number})"
    if z3.is_fprm_value(term) or z3.is_fp_value(term):
        return str(term.sexpr())  # 24 bits in one piece, or (_ +zero 8 24): nothing that Z3 would abbreviate
    if z3.is_bv_value(term):
        return f"(_ bv{term.as_long()} {term.size()})"
    return None
