"""Index expressions and conditions as C text over int64_t.

C's / and % round towards zero; ours round towards minus infinity. They are printed as isamap_floordiv and
isamap_floormod, which are right for every numerator and a positive divisor.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import collapsed
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import (
    RELATIONS,
    FloorDiv,
    FloorMod,
    IMax,
    IMin,
    Inside,
    ISelect,
    elements,
    insides,
    shown,
    sym,
    symbols_of,
)

HELPERS = """\
static inline int64_t isamap_floordiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t isamap_floormod(int64_t a, int64_t b) { int64_t r = a % b; return r < 0 ? r + b : r; }
static inline int64_t isamap_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t isamap_max(int64_t a, int64_t b) { return a > b ? a : b; }
"""

# Of indices made of data: e if it is an index of a dimension of n elements, else 0; and an element used in arithmetic.
DATA_HELPERS = """\
static inline int64_t isamap_inside(int64_t e, int64_t n) { return e >= 0 && e < n ? e : 0; }
static inline int64_t isamap_element_signed(int64_t e) { return isamap_max(-(INT64_C(1) << 40), isamap_min(e, INT64_C(1) << 40)); }
static inline int64_t isamap_element_unsigned(uint64_t e) { return e < UINT64_C(1) << 40 ? (int64_t)e : INT64_C(1) << 40; }
"""

_CALLS = {
    FloorDiv: "isamap_floordiv", FloorMod: "isamap_floormod", IMin: "isamap_min", IMax: "isamap_max", Inside: "isamap_inside",
}  # fmt: skip
_LARGE = 1 << 31


def c_expr(expr: Any, names: Dict[str, str], tight: bool = False) -> str:
    """The expression in C. `names`: symbol -> C identifier. `tight`: bracket a sum, for use as a factor."""
    expr = sp.sympify(expr)
    if expr.is_Integer:
        value = int(expr)
        text = f"INT64_C({value})" if abs(value) >= _LARGE else str(value)
        return f"({text})" if tight and value < 0 else text
    if expr.is_Symbol:
        return names[expr.name]
    if isinstance(expr, sp.Add):
        text = _sum(expr, names)
        return f"({text})" if tight else text
    if isinstance(expr, sp.Mul):
        text = " * ".join(c_expr(a, names, tight=True) for a in expr.args)
        return f"({text})" if tight and expr.args[0].is_negative else text
    if isinstance(expr, sp.Pow) and expr.exp.is_Integer and int(expr.exp) > 0:
        return "(" + " * ".join([c_expr(expr.base, names, tight=True)] * int(expr.exp)) + ")"
    if isinstance(expr, ISelect):
        a, b, x, y = (c_expr(part, names) for part in expr.args)
        return f"({a} < {b} ? {x} : {y})"
    for head, name in _CALLS.items():
        if isinstance(expr, head):
            return f"{name}({', '.join(c_expr(a, names) for a in expr.args)})"
    raise TypeError(f"no C for index expression {expr!r}")


def _sum(expr: Any, names: Dict[str, str]) -> str:
    # as one writes by hand: what is subtracted comes last, and constants after symbols
    terms = sorted(expr.args, key=lambda t: (t.could_extract_minus_sign(), t.is_number, shown(t)))
    text = c_expr(terms[0], names)
    for term in terms[1:]:
        if term.could_extract_minus_sign():
            text += f" - {c_expr(-term, names, tight=True)}"
        else:
            text += f" + {c_expr(term, names)}"
    return text


def c_condition(relations: tuple[Any, ...], names: Dict[str, str]) -> str:
    """All relations hold, in C; '1' when there are none."""
    parts = []
    for r in relations:
        if r in (sp.true, sp.false):
            parts.append("1" if r is sp.true else "0")
        else:
            parts.append(f"{c_expr(r.lhs, names)} {RELATIONS[type(r)].sign} {c_expr(r.rhs, names)}")
    return " && ".join(parts) or "1"


def c_offset(index: tuple[Any, ...], shape: tuple[Any, ...], names: Dict[str, str]) -> str:
    """Row-major offset in elements, in Horner form."""
    if not index:
        return "0"
    index, shape = collapsed(index, shape)
    text = c_expr(index[0], names)
    for i, extent in zip(index[1:], shape[1:], strict=True):
        row = f"({text})" if " " in text else text
        text = f"{row} * {c_expr(extent, names, tight=True)}" if row != "0" else "0"
        term = c_expr(i, names)
        if term != "0":
            text = term if text == "0" else f"{text} + {term}"
    return text


# ---- The place of an element in a row-major array.


def row_major(index: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """Offset in elements of an index in a row-major array of this shape."""
    offset: Any = sp.S.Zero
    for i, extent in zip(*collapsed(index, shape), strict=True):
        offset = offset * extent + i
    return offset


# ---- Indices made of data.


def with_data(
    expr: Any, names: Dict[str, str], load: Callable[[Any], str], known: Dict[Any, str] | None = None
) -> tuple[Any, dict[str, str]]:
    """The expression with symbols for its parts made of data, outermost first, and `names` extended by these symbols' C
    text. The text is taken from `known`, else from `load` of the element."""
    parts = [x for x in (*insides([expr]), *elements([expr])) if x in (known or {})]
    table = {x: sym(str(x)) for x in dict.fromkeys((*parts, *elements([expr])))}
    made = expr.xreplace(table)
    used = symbols_of([made])
    held = {str(x): (known or {}).get(x) or load(x) for x, s in table.items() if s.name in used}
    return made, {**names, **held}


def c_element(at: str, offset: str, dtype: DType) -> str:
    """An element of an integer tensor, in an index."""
    text = f"{at}[{offset}]"
    if dtype.bits < 64:
        return f"(int64_t){text}"
    return f"isamap_element_{'signed' if dtype.low else 'unsigned'}({text})"
