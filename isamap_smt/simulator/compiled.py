"""Index expressions as Python code, made once per expression: what evaluate() gives, without walking the tree each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import INDEX_HEADS, RELATIONS, Element, held_as

Env = Mapping[str, Any]

_VECTORS: dict[str, Any] = {"__builtins__": {}, "min": np.minimum, "max": np.maximum}


@lru_cache(maxsize=50_000)
def vector(expression: Any) -> Callable[[Env], Any]:
    """Its value for an environment of integers and NumPy vectors of them. Calling it raises KeyError for a loose symbol.

    >>> import sympy as sp
    >>> vector(sp.Symbol("i", integer=True) + 1)({"i": 2})
    3
    """
    # The text is made here, of numbers, operators and quoted names that are only looked up.
    function: Callable[[Env], Any] = eval(f"lambda e: {_text(expression)}", _VECTORS)  # noqa: S307
    return function


def _text(e: Any) -> str:
    if isinstance(e, int | bool):
        return f"({e!r})"
    if e.is_Integer:
        return f"({int(e)})"
    if e.is_Symbol:
        return f"e[{e.name!r}]"
    if e is sp.true or e is sp.false:
        return repr(bool(e))
    if isinstance(e, Element):
        return f"e[{held_as(e.tensor)!r}].at({', '.join(map(_text, e.index))})"
    row = INDEX_HEADS.get(type(e)) or RELATIONS.get(type(e))
    if row is None:
        raise TypeError(f"not an index expression: {e!r}")
    parts = list(map(_text, e.args))
    return f"{row.sign}({', '.join(parts)})" if row.sign.isalpha() else f"({f' {row.sign} '.join(parts)})"
