"""Index expressions as Python code, made once per expression: what evaluate() gives, without walking the tree each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin

Env = Mapping[str, Any]

_INFIX = {
    sp.Add: "+", sp.Mul: "*", sp.Pow: "**", FloorDiv: "//", FloorMod: "%",
    sp.Lt: "<", sp.Le: "<=", sp.Gt: ">", sp.Ge: ">=", sp.Eq: "==", sp.Ne: "!=",
}  # fmt: skip
_CALLS = {IMin: "low", IMax: "high"}
_SCALARS: dict[str, Any] = {"__builtins__": {}, "low": min, "high": max}
_VECTORS: dict[str, Any] = {"__builtins__": {}, "low": np.minimum, "high": np.maximum}


@lru_cache(maxsize=50_000)
def integers(expressions: tuple[Any, ...]) -> Callable[[Env], tuple[int, ...]]:
    """All their values at once, for an environment of Python integers. Calling it raises KeyError for a loose symbol.

    >>> import sympy as sp
    >>> integers((sp.Symbol("i", integer=True) + 1, 7))({"i": 2})
    (3, 7)
    """
    return _function(f"({', '.join(map(_text, expressions))}{',' if expressions else ''})", _SCALARS)


@lru_cache(maxsize=50_000)
def vectors(expressions: tuple[Any, ...]) -> Callable[[Env], tuple[Any, ...]]:
    """The same where symbols may stand for NumPy vectors; what mentions none of them is a Python integer or bool."""
    return _function(f"({', '.join(map(_text, expressions))}{',' if expressions else ''})", _VECTORS)


@lru_cache(maxsize=50_000)
def holds(relations: tuple[Any, ...]) -> Callable[[Env], bool]:
    """Whether all relations hold, for an environment of Python integers; those after the first false one are left out."""
    return _function(" and ".join(map(_text, relations)) or "True", _SCALARS)


def _function(text: str, names: dict[str, Any]) -> Any:
    # The text is made here, of numbers, operators and quoted names that are only looked up.
    return eval(f"lambda e: {text}", names)  # noqa: S307


def _text(e: Any) -> str:
    if isinstance(e, int | bool):
        return f"({e!r})"
    if e.is_Integer:
        return f"({int(e)})"
    if e.is_Symbol:
        return f"e[{e.name!r}]"
    if e is sp.true or e is sp.false:
        return repr(bool(e))
    parts = list(map(_text, e.args))
    head = type(e)
    if head in _CALLS:
        return f"{_CALLS[head]}({', '.join(parts)})"
    if head not in _INFIX:
        raise TypeError(f"not an index expression: {e!r}")
    return f"({f' {_INFIX[head]} '.join(parts)})"


__all__ = ["holds", "integers", "vectors"]
