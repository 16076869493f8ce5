"""Inputs that are tried: for each cell a row of bits. Simple ones come first, for counterexamples that one can follow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isamap_smt.isa.evaluate import FLOATS, Array, as_bits

EXACT = 400  # rows on which sums and products of numbers are exact, infinities and NaN among them
ROUNDED = 800  # rows of any numbers
SMALL = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 5.0, -7.0, 4.0)
ODD = (np.inf, -np.inf, np.nan)
EXHAUSTIVE = 16  # bits of all cells together up to which every input is tried


def samples(cells: Mapping[str, int], floats: frozenset[str]) -> dict[str, Array]:
    """Cell -> its bits in each row. floats: the cells that hold numbers of IEEE 754."""
    random = np.random.default_rng(0)
    return {
        name: _numbers(n, width, random) if name in floats else _integers(n, width, random)
        for n, (name, width) in enumerate(cells.items())
    }


def every(cells: Mapping[str, int]) -> dict[str, Array] | None:
    """All inputs there are; None where they are too many."""
    total = sum(cells.values())
    if total > EXHAUSTIVE:
        return None
    rows, at, found = np.arange(1 << total, dtype=np.uint64), 0, {}
    for name, width in cells.items():
        found[name] = rows >> np.uint64(at) & np.uint64((1 << width) - 1)
        at += width
    return found


def _numbers(n: int, width: int, random: np.random.Generator) -> Array:
    kind = FLOATS[width]
    first = np.array([float(n % 13 + 1)])
    plain = random.choice(SMALL, EXACT // 4)
    mixed = random.choice((*SMALL, *ODD), EXACT // 2, p=[0.085] * len(SMALL) + [0.05] * len(ODD))
    zeros = random.choice(SMALL[:2], EXACT - 1 - len(plain) - len(mixed))
    with np.errstate(all="ignore"):
        exact = np.concatenate([first, plain, zeros, mixed]).astype(kind)
        spread = (random.standard_normal(ROUNDED // 2) * np.exp2(random.uniform(-12, 12, ROUNDED // 2))).astype(kind)
    words = random.integers(0, 1 << min(width, 62), ROUNDED - ROUNDED // 2, dtype=np.uint64)
    if width == 64:
        words = words | random.integers(0, 4, len(words), dtype=np.uint64) << np.uint64(62)
    return np.concatenate([as_bits(exact), as_bits(spread), words])


def _integers(n: int, width: int, random: np.random.Generator) -> Array:
    top = (1 << width) - 1
    few = np.array([0, 1, 2, 3, top, top >> 1, (top >> 1) + 1, top - 1], np.uint64) & np.uint64(top)
    first = np.array([n % 13 + 1], np.uint64) & np.uint64(top)
    small = random.integers(0, min(top, 15) + 1, EXACT // 4, dtype=np.uint64)
    ends = random.choice(few, EXACT - 1 - len(small))
    words = random.integers(0, top, ROUNDED, dtype=np.uint64, endpoint=True)
    return np.concatenate([first, small, ends, words])
