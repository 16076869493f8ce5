"""The loops over tiles of a staged schedule: their variables, and the number of a tile in its slot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Node, Serial, number_of


@dataclass(frozen=True)
class TileLoop:
    """Over steps of an axis (level 1) or over the tiles of a step (level 0). mark: tells loops of several nests apart."""

    axis: str
    count: Any
    level: int
    mark: str = ""

    @property
    def name(self) -> str:
        """Of its variable."""
        return f"{self.axis}{'_step' if self.level else ''}{self.mark}"

    @property
    def var(self) -> Any:
        """Its variable."""
        return sym(self.name)

    @property
    def number(self) -> Any:
        """Of its iterations in the whole program."""
        return number_of(self.var)

    def marked(self, mark: str) -> TileLoop:
        """The same loop in another nest."""
        return replace(self, mark=mark)

    def loop(self, body: tuple[Node, ...]) -> Serial:
        """Around a body."""
        return Serial(self.var, sp.sympify(self.count), body)


@dataclass(frozen=True)
class Tile:
    """loops: over the tiles of a stage, outermost first, of constant counts. around: variables of the loops around the stage."""

    loops: tuple[TileLoop, ...]
    around: tuple[Any, ...]

    @property
    def version(self) -> tuple[Any, ...]:
        """Which content a tile is."""
        return (*self.around, *(x.var for x in self.loops))

    @property
    def size(self) -> int:
        """How many tiles a slot has."""
        size = 1
        for x in self.loops:
            size *= int(x.count)
        return size


def tile_index(tile: Tile) -> Any:
    """The number of a tile in its slot: its loops are the digits."""
    index = sp.S.Zero
    for x in tile.loops:
        index = index * int(x.count) + x.var
    return sp.expand(index)


def loops_around(loops: tuple[TileLoop, ...]) -> tuple[Any, ...]:
    """Their variables."""
    return tuple(x.var for x in loops)
