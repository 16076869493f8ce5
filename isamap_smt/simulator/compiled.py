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
_VECTORS: dict[str, Any] = {"__builtins__": {}, "low": np.minimum, "high": np.maximum}


@lru_cache(maxsize=50_000)
def vectors(expressions: tuple[Any, ...]) -> Callable[[Env], tuple[Any, ...]]:
    """All their values at once, for an environment of integers and NumPy vectors of them. Calling it raises KeyError for a loose
    symbol.

    >>> import sympy as sp
    >>> vectors((sp.Symbol("i", integer=True) + 1, 7))({"i": 2})
    (3, 7)
    """
    return _function(f"({', '.join(map(_text, expressions))}{',' if expressions else ''})", _VECTORS)


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


__all__ = ["vectors"]
