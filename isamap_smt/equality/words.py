"""Sums for people, on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from isamap_smt.equality.sums import ELEMENT, EXP, FOLD, Atom, Sum, Term
from isamap_smt.ir.expr import substitute, sym, symbols_of, words


def sum_words(value: Sum, names: Mapping[str, str]) -> str:
    """names: of symbols, as people know them; a bound axis loses its number."""
    return " + ".join(_term(t, names) for t in value) or "0"


def _term(t: Term, names: Mapping[str, str]) -> str:
    parts = [] if t.coefficient == 1 and t.factors else [_bracketed(t, names)]
    parts += [_factor(a, p, names) for a, p in t.factors]
    text = "*".join(parts)
    if t.axes:
        text += f" over {', '.join(f'{_plain(a.name)} < {_words(e, names)}' for a, e in t.axes)}"
    if t.guard:
        text += f" where {' and '.join(_words(g, names) for g in t.guard)}"
    return text


def _bracketed(t: Term, names: Mapping[str, str]) -> str:
    text = _words(t.coefficient, names)
    return f"({text})" if t.coefficient.is_Add and t.factors else text


def _factor(a: Atom, power: Any, names: Mapping[str, str]) -> str:
    text = _atom(a, names)
    return text if power == 1 else f"{text}^{power if power.is_Integer and power > 0 else f'({power})'}"


def _atom(a: Atom, names: Mapping[str, str]) -> str:
    if a.head == ELEMENT:
        return f"{a.name}[{', '.join(_words(i, names) for i in a.index)}]"
    inside = ", ".join(sum_words(s, names) for s in a.args)
    if a.head == FOLD:
        where = f" where {' and '.join(_words(g, names) for g in a.guard)}" if a.guard else ""
        return (
            f"{a.name}({inside} over {', '.join(f'{_plain(x.name)} < {_words(e, names)}' for x, e in a.axes)}{where})"
        )
    name = {EXP: "exp", "call": a.name, "base": ""}.get(a.head, f"{a.head} {a.name}".strip())
    return f"{name}({inside})"


def _plain(name: str) -> str:
    return name.partition("#")[0].rstrip("'")


def _words(e: Any, names: Mapping[str, str]) -> str:
    table = {n: sym(names.get(n, _plain(n))) for n in symbols_of([e])}
    return words(substitute(sp.sympify(e), table))
