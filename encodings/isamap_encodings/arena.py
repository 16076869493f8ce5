"""Claims of one memory shared by many values, in bytes: held bytes are not written, and lie inside."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from isamap_encodings.solve import check
from isamap_encodings.verdict import Verdict

Range = tuple[int, int]  # begin, and bytes


def _inside(byte: sp.Symbol, held: Range) -> list[sp.Basic]:
    begin, size = held
    return [sp.Ge(byte, begin), sp.Lt(byte, begin + size)]


def untouched(held: Range, written: Iterable[Range]) -> Verdict:
    """No byte of `held` is in a written range. The witness is the address of the least such byte."""
    byte = sp.Symbol("byte", integer=True)
    claim = ("and", *(("or", sp.Lt(byte, b), sp.Ge(byte, b + size)) for b, size in written if size))
    return check(_inside(byte, held), claim, "version")


def within(held: Range, peak: int) -> Verdict:
    """Every byte of `held` is one of the first `peak`."""
    byte = sp.Symbol("byte", integer=True)
    return check(_inside(byte, held), ("and", sp.Ge(byte, 0), sp.Lt(byte, peak)), "arena")
