"""A contract of one statement at a glance: whether it only copies or clears, and how many cells operands have.

>>> outline("c[l] = max(a[l], 0)", {"l": 8})
Outline(target='c', combines='=', indices={'c': ('l',), 'a': ('l',)}, shapes={'c': (8,), 'a': (8,)}, copied=None, cleared=False)
>>> outline("r[l] = m[]", {"l": 8}).copied, outline("r[l] = 0", {"l": 8}).cleared
(Copied(source='m', along=False), True)
>>> outline("c[l] = a[2*l] + a[2*l + 1]", {"l": 8}).shapes["a"]
(16,)
>>> outline("c[l] = a[l] where l < 4", {"l": 8}) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

_PLACE = r"([A-Za-z_]\w*)\[([\w,+* ]*)\]"
_ACCESS = re.compile(_PLACE)
_STATEMENT = re.compile(_PLACE + r" (=|\+=|max=) ([^\n\[;]*(?:" + _PLACE + r"[^\n\[;]*)*)")
_NOT_PLAIN = re.compile(r"\b(where|sum|for|param)\b")
Index = tuple[tuple[tuple[str, ...], ...], ...]  # of each dimension the terms, of each term the factors


@dataclass(frozen=True)
class Copied:
    """The operand copied to the target, and whether both have the same axes."""

    source: str
    along: bool


@dataclass(frozen=True)
class Outline:
    """target: the operand written. combines: as Instruction.combines. indices: operand -> axes; None if some index
    is more. shapes: operand -> extents, in the order of the text. cleared: whether 0 is assigned."""

    target: str
    combines: str
    indices: Mapping[str, tuple[str, ...]] | None
    shapes: Mapping[str, tuple[int, ...]]
    copied: Copied | None
    cleared: bool


def outline(text: str, axes: Mapping[str, int]) -> Outline | None:
    """None if the text is more than one statement at every point, or an index is no sum of axes times whole numbers."""
    found = _read(text)
    if found is None or found[2] != set(axes):
        return None
    target, op, _, indices, copied, cleared = found
    most = {n: extent - 1 for n, extent in axes.items()}
    shapes: dict[str, tuple[int, ...]] = {}
    for operand, index in indices:
        shape = tuple(1 + sum(prod(most[f] if f in most else int(f) for f in term) for term in at) for at in index)
        shapes[operand] = tuple(map(max, shape, shapes.get(operand, shape)))
    named = {o: tuple(f for at in index for term in at for f in term) for o, index in indices}
    plain = all(len(named[o]) == len(index) and set(named[o]) <= set(axes) for o, index in indices)
    single = plain and all(shapes[o] == tuple(axes[n] for n in named[o]) for o in named)
    combines = "" if [o for o, _ in indices].count(target) > 1 else op.removesuffix("=") or op
    return Outline(target, combines, named if single else None, shapes, copied, cleared)


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[str, str, set[str], list[tuple[str, Index]], Copied | None, bool] | None:
    """Target, operator as it is written, axes, operands with their indices, and the last two of Outline."""
    whole = _STATEMENT.fullmatch(text)
    if whole is None or _NOT_PLAIN.search(text):
        return None
    indices = [(operand, _index(inside)) for operand, inside in _ACCESS.findall(text)]
    factors = [f for _, index in indices for at in index for term in at for f in term]
    if any(not (f.isidentifier() or f.isdigit()) for f in factors):
        return None
    op, value = whole[3], whole[4]
    copied = None
    if op == "=" and _ACCESS.fullmatch(value):
        (_, there), (source, here) = indices
        copied = Copied(source, _axes(there) == _axes(here))
    return whole[1], op, {a for _, i in indices for a in _axes(i)}, indices, copied, op == "=" and value in ("0", "0.0")


def _index(inside: str) -> Index:
    parts = inside.split(",") if inside.strip() else []
    return tuple(tuple(tuple(f.strip() for f in term.split("*")) for term in part.split("+")) for part in parts)


def _axes(index: Index) -> set[str]:
    return {f for at in index for term in at for f in term if f.isidentifier()}
