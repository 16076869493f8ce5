"""Index expressions of lowered programs for people: `//`, `%`, min and max as they are said."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from isamap_smt.ir.expr import RELATIONS, FloorDiv, FloorMod


class _Printer(StrPrinter):
    def _infix(self, expr: Any, sign: str) -> str:
        a, b = (self.parenthesize(x, PRECEDENCE["Mul"] + 1) for x in expr.args)
        return f"({a} {sign} {b})"

    def _print_FloorDiv(self, expr: Any) -> str:
        return self._infix(expr, "//")

    def _print_FloorMod(self, expr: Any) -> str:
        return self._infix(expr, "%")

    def _print_IMin(self, expr: Any) -> str:
        return f"min({', '.join(_bare(self, a) for a in expr.args)})"

    def _print_IMax(self, expr: Any) -> str:
        return f"max({', '.join(_bare(self, a) for a in expr.args)})"

    def _print_Relational(self, expr: Any) -> str:
        return f"{_bare(self, expr.lhs)} {RELATIONS[type(expr)].sign} {_bare(self, expr.rhs)}"


def words(expr: Any) -> str:
    """The expression or relation on one line.

    >>> from isamap_smt.ir.expr import FloorDiv, IMin, sym
    >>> words(IMin(FloorDiv(sym("i") + 1, 8), 3) + 1)
    'min((i + 1) // 8, 3) + 1'
    """
    return _bare(_Printer(), sp.sympify(expr))


def _bare(printer: _Printer, expr: Any) -> str:
    """The expression where nothing binds tighter than it: a quotient needs no brackets there."""
    text = str(printer.doprint(expr))
    return text[1:-1] if isinstance(expr, FloorDiv | FloorMod) else text
