"""The meaning of a formula in plain integers: a counterexample counts only when it also fails here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def value(e: Any, env: Mapping[str, int]) -> int:
    """The integer an index expression stands for. Raises KeyError for a symbol without a value.

    >>> import sympy as sp
    >>> value(2 * sp.Symbol("i", integer=True) + 1, {"i": 3})
    7
    """
    if isinstance(e, int) or e.is_Integer:
        return int(e)
    if e.is_Symbol:
        return env[e.name]
    args = [value(a, env) for a in e.args]
    match type(e).__name__:
        case "Add":
            return sum(args)
        case "Mul":
            result = 1
            for a in args:
                result *= a
            return result
        case "Pow":
            return int(args[0] ** args[1])
        case "FloorDiv":
            return args[0] // args[1]
        case "FloorMod":
            return args[0] % args[1]
        case "IMin":
            return min(args)
        case "IMax":
            return max(args)
    raise TypeError(f"not an index expression: {e}")


def truth(f: Any, env: Mapping[str, int]) -> bool:
    """Whether a formula (see terms.py) holds."""
    if isinstance(f, tuple):
        head, *args = f
        match head:
            case "and":
                return all(truth(a, env) for a in args)
            case "or":
                return any(truth(a, env) for a in args)
            case "not":
                return not truth(args[0], env)
            case "implies":
                return not truth(args[0], env) or truth(args[1], env)
            case "iff":
                return truth(args[0], env) == truth(args[1], env)
        a, b = (value(x, env) for x in args)
        return {"eq": a == b, "ne": a != b, "le": a <= b, "lt": a < b}[head]
    if not hasattr(f, "args") or not f.args:
        return bool(f)
    a, b = (value(x, env) for x in f.args)
    table = {
        "StrictLessThan": a < b, "LessThan": a <= b, "StrictGreaterThan": a > b, "GreaterThan": a >= b,
        "Equality": a == b, "Unequality": a != b,
    }  # fmt: skip
    return table[type(f).__name__]
