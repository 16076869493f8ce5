"""Formulas as SMT-LIB 2 text: the same text for the same formula, in every process and on every machine.

Z3's own printer numbers its `let`s by the age of terms, and writes an empty conjunction as `and`, which is no SMT-LIB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from isamap_encodings.infix import Written, infix

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
    """What has been written, by the term's address (equal terms of one context are one); each entry holds its term, which
    keeps the address from being used again.

    terms: (term, text, what it needs declared). labels: (term, what it says in infix). parts: of labels.
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

    Each assertion is named by its number and what it says, the last by the claim that it denies. The denial of `false`,
    which asks whether the others can hold, has no name.
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
    """The names of a script's assertions, in order; '' where one has none."""
    asserted = (line for line in text.split("\n") if line.startswith("(assert "))
    return [found[1] if (found := _NAMED.search(line)) else "" for line in asserted]


def symbol(name: str) -> str:
    """The name as an SMT-LIB symbol, quoted where it must be."""
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
