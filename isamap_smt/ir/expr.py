"""Index expressions are SymPy trees over integer symbols, with floor division, modulo, min and max.

SymPy's own floor() and Mod() rewrite themselves through rationals; these four functions stay as written, so C, Z3 and
NumPy print the same tree for a coordinate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

Expr = sp.Expr
Rel = sp.Basic  # a SymPy relation (Lt, Le, Gt, Ge, Eq, Ne) or a SymPy truth value


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the fewest `_` behind it to make it free.

    >>> free_name("i", {"i", "i_"})
    'i__'
    """
    while name in taken:
        name += "_"
    return name


@cache
def sym(name: str) -> sp.Symbol:
    """The integer symbol with this name; the same name is always the same symbol."""
    return sp.Symbol(name, integer=True)


class _IndexFunction(sp.Function):
    is_integer = True
    is_commutative = True
    nargs = (2,)


class FloorDiv(_IndexFunction):
    """a // b rounded towards minus infinity, b > 0."""

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if b == 1:
            return a
        if a.is_Integer and b.is_Integer and b != 0:
            return sp.Integer(int(a) // int(b))
        return sp.S.Zero if a == 0 else None


class FloorMod(_IndexFunction):
    """a - b * (a // b), in [0, b) for b > 0."""

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if b == 1 or a == 0:
            return sp.S.Zero
        if a.is_Integer and b.is_Integer and b != 0:
            return sp.Integer(int(a) % int(b))
        return None


class IMin(_IndexFunction):
    """The smaller of two integers."""

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if a == b:
            return a
        return sp.Integer(min(int(a), int(b))) if a.is_Integer and b.is_Integer else None


class IMax(_IndexFunction):
    """The larger of two integers."""

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if a == b:
            return a
        return sp.Integer(max(int(a), int(b))) if a.is_Integer and b.is_Integer else None


def smallest(*terms: Any) -> Any:
    """The smallest of one or more integers, as an expression."""
    return reduce(IMin, terms)


class ISelect(sp.Function):
    """ISelect(a, b, x, y): x if a < b, else y."""

    is_integer = True
    is_commutative = True
    nargs = (4,)

    @classmethod
    def eval(cls, a: Any, b: Any, x: Any, y: Any) -> Any:
        if x == y:
            return x
        less = b - a
        return (x if less > 0 else y) if less.is_Integer else None


class Inside(_IndexFunction):
    """Inside(e, extent): e if 0 <= e < extent, else 0. It makes data a valid index of any extent > 0.

    Each call checks that it is e wherever its element is used (ir/indirect.py).
    """

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if a.is_Integer and b.is_Integer:
            return a if 0 <= a < b else sp.S.Zero
        return None


# A larger number in an input of 64 bits counts as so much in an index; each call refuses it at its use.
WIDEST = 1 << 40


class Element(sp.Function):
    """Element(tensor, *index): an element of an integer input, in an index. The tensor is a Str.

    Proofs know nothing of its value: it is a function of its place. Beyond WIDEST it is WIDEST, or -WIDEST.
    """

    is_integer = True
    is_commutative = True

    @classmethod
    def eval(cls, *args: Any) -> Any:
        return None

    @property
    def tensor(self) -> str:
        """The name of the input."""
        return str(self.args[0].name)

    @property
    def index(self) -> tuple[Any, ...]:
        """Its place in the input."""
        return tuple(self.args[1:])

    def _sympystr(self, printer: Any) -> str:
        return f"{self.tensor}[{', '.join(map(printer._print, self.index))}]"

    _sympyrepr = _sympystr


def element(tensor: str, index: Iterable[Any]) -> Any:
    """The element of an input, for use in an index."""
    return Element(Str(tensor), *index)


def written(index: Any) -> Any:
    """The index as it was written: the expression in `Inside`, or the index itself."""
    return index.args[0] if isinstance(index, Inside) else index


def elements(exprs: Iterable[Any]) -> tuple[Any, ...]:
    """Every Element in the expressions, each once; those inside of others come after them."""
    return tuple(dict.fromkeys(x for e in exprs if isinstance(e, sp.Basic) for x in _elements(e)))


@lru_cache(maxsize=100_000)
def _elements(expr: Any) -> tuple[Any, ...]:
    return tuple(x for x in sp.preorder_traversal(expr) if isinstance(x, Element))


def insides(exprs: Iterable[Any]) -> tuple[Any, ...]:
    """Every Inside in the expressions, each once; those inside of others come after them."""
    return tuple(dict.fromkeys(x for e in exprs if isinstance(e, sp.Basic) for x in _insides(e)))


@lru_cache(maxsize=100_000)
def _insides(expr: Any) -> tuple[Any, ...]:
    return tuple(x for x in sp.preorder_traversal(expr) if isinstance(x, Inside))


def _lesser(a: Any, b: Any) -> Any:
    return np.minimum(a, b) if _is_array(a) or _is_array(b) else min(a, b)


def _greater(a: Any, b: Any) -> Any:
    return np.maximum(a, b) if _is_array(a) or _is_array(b) else max(a, b)


def _is_array(x: Any) -> bool:
    return hasattr(x, "shape")


def _inside(a: Any, b: Any) -> Any:
    return np.where((a >= 0) & (a < b), a, 0) if _is_array(a) or _is_array(b) else (a if 0 <= a < b else 0)


def _selected(a: Any, b: Any, x: Any, y: Any) -> Any:
    return np.where(a < b, x, y) if any(map(_is_array, (a, b, x, y))) else (x if a < b else y)


@dataclass(frozen=True)
class IndexHead:
    """sign: an operator or a function's name, in kernel text and in files. of: acts on integers, or NumPy arrays.

    arity: how many it takes.
    """

    sign: str
    of: Callable[..., Any]
    arity: int = 2

    def applied(self, operands: Sequence[Any]) -> Any:
        """The result for these operands. If there are more than two, a binary operation goes from the left."""
        return self.of(*operands) if self.arity > 2 else reduce(self.of, operands)


# Every operation of an index expression; of more operands than it takes it is taken from the left.
INDEX_HEADS: dict[Any, IndexHead] = {
    sp.Add: IndexHead("+", operator.add),
    sp.Mul: IndexHead("*", operator.mul),
    sp.Pow: IndexHead("**", operator.pow),
    FloorDiv: IndexHead("//", operator.floordiv),
    FloorMod: IndexHead("%", operator.mod),
    IMin: IndexHead("min", _lesser),
    IMax: IndexHead("max", _greater),
    Inside: IndexHead("inside", _inside),
    ISelect: IndexHead("select", _selected, 4),
}
RELATIONS: dict[Any, IndexHead] = {
    sp.Lt: IndexHead("<", operator.lt),
    sp.Le: IndexHead("<=", operator.le),
    sp.Gt: IndexHead(">", operator.gt),
    sp.Ge: IndexHead(">=", operator.ge),
    sp.Eq: IndexHead("==", operator.eq),
    sp.Ne: IndexHead("!=", operator.ne),
}
RELATION_OF = {row.sign: head for head, row in RELATIONS.items()}


def ceil_div(a: Any, b: Any) -> Any:
    """ceil(a / b) for b > 0, as a floor division."""
    a, b = sp.sympify(a), sp.sympify(b)
    return FloorDiv(a + b - 1, b) if b != 1 else a


def held_as(tensor: str) -> str:
    """The name, in an environment, of the elements of an input used in an index; no symbol is called so."""
    return f"{tensor}[]"


def evaluate(expr: Any, env: Mapping[str, Any]) -> Any:
    """The value of an index expression or relation; `env` maps symbol names to Python ints or NumPy int arrays.

    >>> evaluate(FloorMod(sym("i") - 3, 2), {"i": 0})
    1
    """
    if isinstance(expr, int | bool):
        return expr
    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        return env[expr.name]
    if expr is sp.true or expr is sp.false:
        return bool(expr)
    if isinstance(expr, Element):
        return env[held_as(expr.tensor)].at(*(evaluate(i, env) for i in expr.index))
    row = INDEX_HEADS.get(type(expr)) or RELATIONS.get(type(expr))
    if row is None:
        raise TypeError(f"not an index expression: {expr!r}")
    return row.applied([evaluate(a, env) for a in expr.args])


def substitute(expr: Any, env: Mapping[str, Any]) -> Any:
    """`expr` with symbols replaced by name, all at once (no chained substitution)."""
    if not isinstance(expr, sp.Basic):
        return sp.sympify(expr)
    table = {s: sp.sympify(env[s.name]) for s in _symbols(expr) if s.name in env}
    return _replaced(expr, frozenset(table.items())) if table else expr


@lru_cache(maxsize=100_000)
def _symbols(expr: Any) -> frozenset[Any]:
    return frozenset(expr.free_symbols)


@lru_cache(maxsize=100_000)
def _replaced(expr: Any, table: frozenset[tuple[Any, Any]]) -> Any:
    changes = dict(table)
    if isinstance(expr, sp.core.relational.Relational) and _renames(changes, expr):
        return expr.func(
            *(a.xreplace(changes) for a in expr.args), evaluate=False
        )  # asking anew whether it holds takes long
    return expr.xreplace(changes)


def _renames(changes: Mapping[Any, Any], expr: Any) -> bool:
    """Whether each symbol becomes another one of its kind: relations undecided before then stay undecided."""
    others = _symbols(expr) - set(changes)
    made = set(changes.values())
    return (
        len(made) == len(changes)
        and not made & others
        and all(b.is_Symbol and a == sym(a.name) and b == sym(b.name) for a, b in changes.items())
    )


@lru_cache(maxsize=100_000, typed=True)
def shown(expr: Any) -> str:
    """The expression in words, as str() says it: the same one is shown many times, and writing it takes long."""
    return str(expr)


def symbols_of(exprs: Iterable[Any]) -> set[str]:
    """Names of all symbols in the expressions."""
    return {s.name for e in exprs if isinstance(e, sp.Basic) for s in _symbols(e)}


def is_constant(expr: Any) -> bool:
    """Whether the expression is one known integer."""
    return isinstance(expr, int) or bool(getattr(expr, "is_Integer", False))


def affine(expr: Any, over: Iterable[str]) -> tuple[dict[str, Any], Any] | None:
    """(coefficients by symbol name, constant rest) if `expr` is affine in `over`, else None.

    Coefficients may hold other symbols (sizes, parameters).
    """
    found = _affine(sp.sympify(expr), tuple(dict.fromkeys(over)))
    return None if found is None else (dict(found[0]), found[1])


@lru_cache(maxsize=100_000)
def _affine(expr: Any, names: tuple[str, ...]) -> tuple[tuple[tuple[str, Any], ...], Any] | None:
    """One pass over the terms of the expanded sum: a name stands in a term once as a factor, or the sum is not affine."""
    parts: dict[str, list[Any]] = {}
    rest = []
    own = {n: sym(n) for n in names}
    for term in sp.Add.make_args(expanded(expr)):
        held = [n for n in symbols_of([term]) if n in own]
        if not held:
            rest.append(term)
            continue
        factors = sp.Mul.make_args(term)
        others = [f for f in factors if f != own[held[0]]]
        if len(held) > 1 or len(others) != len(factors) - 1 or symbols_of(others) & set(names):
            return None
        parts.setdefault(held[0], []).append(sp.Mul(*others))
    coefficients = {n: sp.Add(*parts[n]) for n in names if n in parts}
    return tuple((n, c) for n, c in coefficients.items() if c != 0), sp.Add(*rest)


def expanded(expr: Any) -> Any:
    """sp.expand(), which sums of products of symbols and numbers need not be asked for.

    >>> expanded((sym("i") + 1) * sym("N")), expanded(3 * sym("i") + 1)
    (N*i + N, 3*i + 1)
    """
    factors = (f for term in sp.Add.make_args(expr) for f in sp.Mul.make_args(term))
    return expr if all(f.is_Symbol or f.is_Integer for f in factors) else sp.expand(expr)


# ---- Index expressions of lowered programs for people: `//`, `%`, min and max as they are said.


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

    def _print_Inside(self, expr: Any) -> str:
        return str(self._print(expr.args[0]))

    def _print_ISelect(self, expr: Any) -> str:
        a, b, x, y = (_bare(self, part) for part in expr.args)
        return f"select({a} < {b}, {x}, {y})"

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
    """The expression for a context in which nothing binds tighter: a quotient needs no brackets there."""
    text = str(printer.doprint(expr))
    return text[1:-1] if isinstance(expr, FloorDiv | FloorMod) else text
