"""Index expressions of lowered programs for people: `//`, `%`, min and max as they are said."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

_RELATIONS = {sp.Lt: "<", sp.Le: "<=", sp.Gt: ">", sp.Ge: ">=", sp.Eq: "==", sp.Ne: "!="}


class _Printer(StrPrinter):
    def _infix(self, expr: Any, sign: str) -> str:
        a, b = (self.parenthesize(x, PRECEDENCE["Mul"] + 1) for x in expr.args)
        return f"({a} {sign} {b})"

    def _print_FloorDiv(self, expr: Any) -> str:
        return self._infix(expr, "//")

    def _print_FloorMod(self, expr: Any) -> str:
        return self._infix(expr, "%")

    def _print_IMin(self, expr: Any) -> str:
        return f"min({', '.join(map(self._print, expr.args))})"

    def _print_IMax(self, expr: Any) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Relational(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} {_RELATIONS[type(expr)]} {self._print(expr.rhs)}"


def words(expr: Any) -> str:
    """The expression or relation on one line.

    >>> from isamap_smt.ir.expr import FloorDiv, IMin, sym
    >>> words(IMin(FloorDiv(sym("i") + 1, 8), 3) + 1)
    'min(((i + 1) // 8), 3) + 1'
    """
    return str(_Printer({"order": "none"}).doprint(sp.sympify(expr)))
