"""Elements side by side, combined in halves: in vectors, what a tree of scalar operations computes of them.

    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))      isamap_sum_8_f32(x)

Each operation is the one of the tree, on the same values, so the bits are those of the scalar operations. Partial sums are added up
so. The helpers use vectors as gcc and clang have them for every CPU; a CPU without them computes their elements one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Dict
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.program import Ref
from isamap_smt.ir.scalar import Read, SAdd, SMax, SMin

_NAMES: dict[str, type[Any]] = {"sum": SAdd, "max": SMax, "min": SMin}
_TYPES = ("f32", "f64", "i32", "u32", "i64", "u64")
LEAST, MOST = 4, 128  # elements
_CALL = re.compile(r"\bisamap_(sum|max|min)_(\d+)_([a-z]+\d+)\(")


def folded(tree: Any, places: Dict[str, Ref], kind: DType) -> tuple[str, Ref] | None:
    """The helper that computes the tree, and the first of the elements that it takes; None where the tree is no such fold.

    places: of the operands by name.
    """
    word = next((w for w, head in _NAMES.items() if isinstance(tree, head)), None)
    if word is None or kind.name not in _TYPES:
        return None
    leaves = _leaves(tree, _NAMES[word])
    if leaves is None or not LEAST <= len(leaves) <= MOST or not all(isinstance(x, Read) for x in leaves):
        return None
    refs = [places.get(x.tensor) for x in leaves]
    first = refs[0]
    if first is None or not first.index or any(r is None or not _follows(first, r, n) for n, r in enumerate(refs)):
        return None
    return f"isamap_{word}_{len(leaves)}_{kind}", first


def _leaves(tree: Any, head: type[Any]) -> list[Any] | None:
    """What a tree of one operation combines, in the order in which halves are combined with halves; None where it is uneven."""
    if not isinstance(tree, head):
        return [tree]
    a, b = (_leaves(x, head) for x in tree.args)
    if a is None or b is None or len(a) != len(b):
        return None
    return [x for pair in zip(a, b, strict=True) for x in pair]


def _follows(first: Ref, other: Ref, distance: int) -> bool:
    """Whether it is so many elements behind the first, in the same row."""
    along = sp.expand(sp.sympify(other.index[-1]) - first.index[-1])
    return other.name == first.name and other.index[:-1] == first.index[:-1] and along == distance


def fold_helpers(code: str) -> tuple[str, ...]:
    """The helper functions that this C calls."""
    return tuple(_helper(word, int(count), dtype(kind)) for word, count, kind in dict.fromkeys(_CALL.findall(code)))


def _helper(word: str, count: int, kind: DType) -> str:
    """Halves are combined in vectors down to two elements, and these by themselves. Sums of integers wrap, as unsigned ones do."""
    name = f"isamap_{word}_{count}_{kind}"
    c, held = kind.c, f"u{kind.c}" if kind.kind == "i" and word == "sum" else kind.c
    lines = [f"static inline {c} {name}(const {c} *x) {{"]
    before, half = "x", count // 2
    while half > 1:
        a, b, size = f"a{half}", f"b{half}", half * kind.bytes
        lines += [
            f"    typedef {held} v{half} __attribute__((vector_size({size})));",
            f"    v{half} {a}, {b};",
            f"    memcpy(&{a}, {before}, {size});",
            f"    memcpy(&{b}, (const char *){before} + {size}, {size});",
            *_combined(word, a, b, half, kind),
        ]
        before, half = f"&{a}", half // 2
    lines.append(f"    return ({c})({_last(word, kind)});")
    guard = name.upper()
    comment = f"/* The {word} of {count}: halves with halves. */"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", comment, *lines, "}", "#endif", ""])


def _combined(word: str, a: str, b: str, half: int, kind: DType) -> list[str]:
    if word == "sum":
        return [f"    {a} = {a} + {b};"]
    sign = ">" if word == "max" else "<"
    nan = f" | ({a} != {a})" if kind.is_float else ""
    size, mask = half * kind.bytes, f"m{half}"
    return [
        f"    typedef int{kind.bits}_t {mask}_t __attribute__((vector_size({size})));",
        f"    const {mask}_t {mask} = ({mask}_t)(({a} {sign} {b}){nan});",
        f"    {a} = (v{half})((({mask}_t){a} & {mask}) | (({mask}_t){b} & ~{mask}));",
    ]


def _last(word: str, kind: DType) -> str:
    x, y = "a2[0]", "a2[1]"
    if word == "sum":
        return f"{x} + {y}"
    nan = f" || {x} != {x}" if kind.is_float else ""
    return f"{x} {'>' if word == 'max' else '<'} {y}{nan} ? {x} : {y}"


__all__ = ["fold_helpers", "folded"]
