"""Many mappings as a picture: every choice for one instruction axis with every choice for another.

A mapping chooses the kernel's axes for each axis of the instruction, and the tensors of its operands.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.layout import BROADCAST, CONTIGUOUS, GATHER, STRIDED, supply

KINDS = (CONTIGUOUS, BROADCAST, STRIDED, GATHER)


@dataclass(frozen=True)
class Tile:
    """One mapping. number: its position among the mappings, from 1. supplies: how memory feeds each operand, in their order."""

    number: int
    id: str
    supplies: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Mappings with different choices for two instruction axes. shared: `j=k; a=I, b=W`, the choices common to all.

    rows, columns: the kernel's axes taken by `row` and `column`. tiles: a row for each of rows; None if nothing is legal.
    """

    shared: str
    row: str
    column: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    tiles: tuple[tuple[Tile | None, ...], ...]


def tables(mappings: Sequence[Mapping]) -> tuple[Table, ...]:
    """A table for each assignment of tensors and each choice of the other axes, if its two axes have two choices or more each.

    The two axes are those of most choices. The shortest choices come first, in the kernel's order.
    """
    # A rewriting of the kernel has axes of its own, and what is no choice of whole axes has no row.
    numbered = [(n, m) for n, m in enumerate(mappings, 1) if m.groups and m.split is None]
    alike = dict.fromkeys(m.binding for _, m in numbered)
    return tuple(t for binding in alike for t in _tables([(n, m) for n, m in numbered if m.binding == binding]))


def _tables(numbered: list[tuple[int, Mapping]]) -> list[Table]:
    """The tables of mappings with one assignment of tensors."""
    mapping = numbered[0][1]
    order = {a.name: n for n, a in enumerate(mapping.kernel.axes)}
    choices = [(n, m, dict(m.groups)) for n, m in numbered]
    taken = {
        t: sorted({chosen[t] for *_, chosen in choices}, key=lambda g: (len(g), [order[a] for a in g]))
        for t in mapping.instruction.axes
    }
    two = sorted(taken, key=lambda t: -len(taken[t]))[:2]
    if len(two) < 2 or len(taken[two[1]]) < 2:
        return []
    row, column = (t for t in taken if t in two)
    others = [t for t in taken if t not in two]
    placed = {tuple(chosen[t] for t in (*others, row, column)): _tile(n, m) for n, m, chosen in choices}
    found = []
    for rest in itertools.product(*(taken[t] for t in others)):
        tiles = tuple(tuple(placed.get((*rest, r, c)) for c in taken[column]) for r in taken[row])
        if any(map(any, tiles)):
            shared = ", ".join(f"{t}={_told(g)}" for t, g in zip(others, rest, strict=True))
            rows, columns = (tuple(map(_told, taken[t])) for t in (row, column))
            found.append(
                Table("; ".join(filter(None, (shared, _operands(mapping)))), row, column, rows, columns, tiles)
            )
    return found


def _tile(number: int, mapping: Mapping) -> Tile:
    return Tile(number, mapping.id, tuple((o, supply(mapping, o).kind) for o, _ in mapping.binding))


def _told(group: Sequence[str]) -> str:
    return ".".join(group) or "-"


def _operands(mapping: Mapping) -> str:
    """The tensors of the inputs: `a=I, b=W`."""
    output = mapping.instruction.kernel.statements[0].target.tensor
    return ", ".join(f"{o}={a.tensor}" for o, a in mapping.binding if o != output)
