"""An architecture's operands while one instruction computes: extents, axes of the mesh, levels on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from isamap_smt.architectures.form import AXES, INDEXED, Architecture, Level
from isamap_smt.ir.dtypes import dtype


@dataclass(frozen=True)
class Way:
    """An operand's levels: main memory, at most one in between, its own memory; and those inside of the array. left: the others."""

    main: Level
    via: Level | None
    own: Level
    inside: tuple[Level, ...]
    left: tuple[Level, ...] = ()


@dataclass(frozen=True)
class Placed:
    """A choice. axes: mesh -> axis. extents: of the product. ways: of each operand."""

    architecture: Architecture
    axes: Mapping[str, str]
    extents: Mapping[str, int]
    ways: Mapping[str, Way]

    def size(self, mesh: str) -> int:
        """How many places a mesh has."""
        return next(m.size for m in self.architecture.meshes if m.name == mesh)

    @property
    def steps(self) -> int:
        """Cycles of one product in the array."""
        return prod(self.turns.values())

    @property
    def turns(self) -> dict[str, int]:
        """Axis -> how many times the array goes on along it in a product."""
        across = {a: prod(m.size for m in self.architecture.meshes if self.axes[m.name] == a) for a in AXES}
        return {a: -(-self.extents[a] // across[a]) for a in AXES}

    def stays(self, operand: str) -> int:
        """The number of steps each element stays in place: the axis with the most turns is innermost."""
        axis, turns = max(self.turns.items(), key=lambda x: x[1])
        return 1 if axis in INDEXED[operand] else turns

    def elements(self, operand: str) -> int:
        """Of an operand of one product."""
        return prod(self.extents[a] for a in INDEXED[operand])

    def apart(self, level: Level, operand: str) -> int:
        """How many instances hold different elements of an operand."""
        return prod(self.size(m) for m in level.over if self.axes[m] in INDEXED[operand])

    def copies(self, level: Level, operand: str) -> int:
        """How many instances hold each element of it."""
        return prod(self.size(m) for m in level.over if self.axes[m] not in INDEXED[operand])

    def tiles(self, level: Level, operand: str) -> int:
        """The number of an operand's tiles with room in its part of a level; the operands there share it evenly."""
        bits = (level.bits or 0) * self.apart(level, operand) // len(level.holds)
        return int(bits // (8 * self.elements(operand) * dtype(dict(self.architecture.types)[operand]).bytes))

    def shared(self, level: Level, operand: str) -> int:
        """The number of multipliers served by one access in a step.

        They lie along meshes without the operand's axes, and without copies in the level.
        """
        return prod(
            m.size
            for m in self.architecture.meshes
            if m.name not in level.over and self.axes[m.name] not in INDEXED[operand]
        )
