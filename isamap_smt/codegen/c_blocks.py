"""Copies that turn rows into columns, word by word: whole blocks of them go through vector registers.

Packing for an instruction often separates the elements of a memory row and joins those of a column. Compilers make
single moves of this: 3 bytes a cycle. Two forms are recognised, both of words of 4 bytes (one f32, two bf16, four
bytes):

transpose     each word is contiguous in the source and in the destination: blocks of 8 x 8 words are transposed
interleave    each word is gathered from 2 or 4 rows of the source: rows are woven into one

The C has the same effect as the loops of the copy; nothing else is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import affine, symbols_of
from isamap_smt.ir.program import Copy
from isamap_smt.mapping.layout import WORD

_LEAST = 8  # words along both sides of a block
Dimension = tuple[Any, Any]  # (symbol, count)

SHUFFLES = """\
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define ISAMAP_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define ISAMAP_WEAVE(a, b) \\
    ISAMAP_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, \\
                   14, 30, 15, 31)
#endif
#endif
typedef uint32_t isamap_words __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t isamap_halves __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t isamap_pairs __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint8_t isamap_bytes __attribute__((vector_size(16), aligned(1), may_alias));
"""
TRANSPOSE = """\
/* Word c of row r of the source becomes word r of row c. Rows lie so many bytes apart. */
static void isamap_transpose(void *restrict to, int64_t to_row, const void *restrict from, int64_t from_row, int64_t rows,
                             int64_t columns) {
    char *restrict d = to;
    const char *restrict s = from;
    int64_t r, c = 0, whole = 0;
#ifdef ISAMAP_SHUFFLE
    for (; c + 8 <= columns; c += 8)
        for (r = 0; r + 8 <= rows; r += 8) {
            isamap_words w[8], t[8];
            for (int n = 0; n < 8; ++n) w[n] = *(const isamap_words *)(s + (r + n) * from_row + 4 * c);
            for (int n = 0; n < 4; ++n) {
                t[2 * n] = ISAMAP_SHUFFLE(w[2 * n], w[2 * n + 1], 0, 8, 1, 9, 4, 12, 5, 13);
                t[2 * n + 1] = ISAMAP_SHUFFLE(w[2 * n], w[2 * n + 1], 2, 10, 3, 11, 6, 14, 7, 15);
            }
            for (int n = 0; n < 2; ++n) {
                w[4 * n] = ISAMAP_SHUFFLE(t[4 * n], t[4 * n + 2], 0, 1, 8, 9, 4, 5, 12, 13);
                w[4 * n + 1] = ISAMAP_SHUFFLE(t[4 * n], t[4 * n + 2], 2, 3, 10, 11, 6, 7, 14, 15);
                w[4 * n + 2] = ISAMAP_SHUFFLE(t[4 * n + 1], t[4 * n + 3], 0, 1, 8, 9, 4, 5, 12, 13);
                w[4 * n + 3] = ISAMAP_SHUFFLE(t[4 * n + 1], t[4 * n + 3], 2, 3, 10, 11, 6, 7, 14, 15);
            }
            for (int n = 0; n < 4; ++n) {
                t[n] = ISAMAP_SHUFFLE(w[n], w[n + 4], 0, 1, 2, 3, 8, 9, 10, 11);
                t[n + 4] = ISAMAP_SHUFFLE(w[n], w[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
            }
            for (int n = 0; n < 8; ++n) *(isamap_words *)(d + (c + n) * to_row + 4 * r) = t[n];
        }
#endif
    for (whole = c, c = 0; c < columns; ++c)
        for (r = c < whole ? rows - rows % 8 : 0; r < rows; ++r)
            memcpy(d + c * to_row + 4 * r, s + r * from_row + 4 * c, 4);
}
"""
INTERLEAVE_2 = """\
/* Elements n of two rows, side by side. */
static void isamap_interleave_2(void *restrict to, const void *restrict from, int64_t row, int64_t count) {
    uint16_t *restrict d = to;
    const uint16_t *restrict a = from, *restrict b = (const uint16_t *)((const char *)from + row);
    int64_t n = 0;
#ifdef ISAMAP_SHUFFLE
    for (; n + 16 <= count; n += 16)
        *(isamap_pairs *)(d + 2 * n) = ISAMAP_WEAVE(*(const isamap_halves *)(a + n), *(const isamap_halves *)(b + n));
#endif
    for (; n < count; ++n) d[2 * n] = a[n], d[2 * n + 1] = b[n];
}
"""
INTERLEAVE_4 = """\
/* Bytes n of four rows, side by side. */
static void isamap_interleave_4(void *restrict to, const void *restrict from, int64_t row, int64_t count) {
    uint8_t *restrict d = to;
    const uint8_t *restrict s = from;
    int64_t n = 0;
#ifdef ISAMAP_SHUFFLE
    for (; n + 16 <= count; n += 16) {
        const isamap_bytes p = *(const isamap_bytes *)(s + n), q = *(const isamap_bytes *)(s + row + n);
        const isamap_bytes t = *(const isamap_bytes *)(s + 2 * row + n), u = *(const isamap_bytes *)(s + 3 * row + n);
        *(isamap_pairs *)(d + 4 * n) = ISAMAP_WEAVE((isamap_halves)ISAMAP_WEAVE(p, q), (isamap_halves)ISAMAP_WEAVE(t, u));
    }
#endif
    for (; n < count; ++n)
        for (int e = 0; e < 4; ++e) d[4 * n + e] = s[e * row + n];
}
"""
HELPERS = {"isamap_transpose": TRANSPOSE, "isamap_interleave_2": INTERLEAVE_2, "isamap_interleave_4": INTERLEAVE_4}


def helpers(code: str) -> str:
    """The C definitions needed by the calls in this code."""
    called = [text for name, text in HELPERS.items() if f"{name}(" in code]
    return "".join([SHUFFLES, *called]) if called else ""


@dataclass(frozen=True)
class Block:
    """How a copy is made in blocks: `outer` loops as they stand in the C, and inside them one call for the `inner` dimensions.

    call: the helper. to_row, from_row: bytes between the rows of both, as far as the helper asks. sides: the dimensions whose
    counts it takes.
    """

    outer: tuple[Dimension, ...]
    inner: tuple[Dimension, ...]
    call: str
    to_row: Any | None
    from_row: Any
    sides: tuple[Dimension, ...]


def block_of(copy: Copy, source: Any, target: Any, dtypes: tuple[DType, DType]) -> Block | None:
    """The copy in blocks; None if it has none. source, target: row-major offsets in elements; dtypes: of both."""
    names = [v.name for v, _ in copy.over]
    parts, places = affine(source, names), affine(target, names)
    if parts is None or places is None or dtypes[0] != dtypes[1] or len(names) < 2:
        return None
    size, far, near = dtypes[0].bytes, parts[0], places[0]
    last, count = copy.over[-1][0].name, copy.over[-1][1]
    grouped = size < WORD and sp.sympify(count) == WORD // size and near.get(last) == 1
    if size != WORD and not grouped:
        return None
    group = copy.over[-1:] if grouped else ()
    each = WORD // size
    if grouped and far.get(last) != 1:
        return _interleaved(copy, far, near, each, size)
    rest = copy.over[:-1] if grouped else copy.over
    row = next((d for d in rest if near.get(d[0].name) == each and _long(d[1])), None)
    column = next((d for d in rest if far.get(d[0].name) == each and d != row), None)
    if row is None or column is None or (sp.sympify(column[1]).is_Integer and not _long(column[1])):
        return None
    strides = (near.get(column[0].name, sp.S.Zero) * size, far.get(row[0].name, sp.S.Zero) * size)
    if strides[1] in (0, WORD):  # one word for all, or rows that are copied as they are
        return None
    outer = _ordered(copy, far, (row, column, *group))
    if outer is None:
        return None
    return Block(outer, (row, column, *group), "isamap_transpose", strides[0], strides[1], (row, column))


def _interleaved(copy: Copy, far: dict[str, Any], near: dict[str, Any], each: int, size: int) -> Block | None:
    along, group = copy.over[-2], copy.over[-1]
    if far.get(along[0].name) != 1 or near.get(along[0].name) != each or not _long(along[1]):
        return None
    row = far.get(group[0].name, sp.S.Zero) * size
    outer = _ordered(copy, far, (along, group))
    if outer is None or row == 0:
        return None
    return Block(outer, (along, group), f"isamap_interleave_{each}", None, row, (along,))


def _long(count: Any) -> bool:
    return bool(sp.sympify(count).is_Integer) and int(count) >= _LEAST


def _ordered(copy: Copy, far: dict[str, Any], inner: tuple[Dimension, ...]) -> tuple[Dimension, ...] | None:
    """The other loops, largest source steps outermost; None if one of their counts depends on an inner loop."""
    left = [d for d in copy.over if d not in inner]
    names, own = {v.name for v, _ in copy.over}, {v.name for v, _ in inner}
    if any(symbols_of([n]) & own for _, n in copy.over):
        return None
    found: list[Dimension] = []
    while left:
        placed = {v.name for v, _ in found}
        ready = [d for d in left if symbols_of([d[1]]) & names <= placed]
        found.append(max(ready, key=lambda d: stride_size(far.get(d[0].name, sp.S.Zero))))
        left.remove(found[-1])
    return tuple(found)


_LARGE = 1 << 12  # an open size, when strides are compared


def stride_size(stride: Any) -> int:
    """The stride's absolute value, with a large number for every open size."""
    stride = sp.sympify(stride)
    return abs(int(stride.xreplace(dict.fromkeys(stride.free_symbols, sp.Integer(_LARGE)))))
