"""Statements sharing a loop over blocks of an axis: the tensors they hand on, and the cache traffic of a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from isamap_smt.ir.expr import is_constant, sym
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.schedule import Schedule
from isamap_smt.pipeline.time_steps import constant_along
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.problem import INPUT_EXPOSED, OUTPUT_EXPOSED
from isamap_smt.scheduling.setting import Machine, Setting, machine, setting
from isamap_smt.scheduling.supply import compulsory, holding, kept_between


def statement_of(s: Schedule) -> Statement:
    """The scheduled statement."""
    return s.proved.mapping.statement


def alone(axis: str, indices: list[tuple[object, ...]]) -> bool:
    """Whether one dimension of the tensor is indexed by the axis itself in every write and read."""
    return any(all(i[d] == sym(axis) for i in indices) for d in range(len(indices[0])))


@dataclass(frozen=True)
class Group:
    """Schedules of neighbouring mapped statements, and the tensors they hand to later ones among them.

    left: schedules given up: their statements have few points per value of the axis, and these are computed one by one.
    over: outer axes with their extents; the blocks are repeated for each of their values.
    """

    kernel: Kernel
    schedules: tuple[Schedule, ...]
    left: tuple[Schedule, ...]
    handed: tuple[str, ...]
    axis: str
    extent: int
    over: tuple[tuple[str, int], ...] = ()

    @property
    def values(self) -> int:
        """How often all blocks along the axis are run: the product of the outer extents."""
        return prod(n for _, n in self.over)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes of the loops shared by the statements, the outermost first."""
        return (*(a for a, _ in self.over), self.axis)

    @property
    def row(self) -> int:
        """Bytes for one value of the axis: of tensors handed over, and of tensors read by several statements."""
        return self._bytes((*self.handed, *self.common))

    @property
    def live(self) -> int:
        """Bytes for one value of the axis in a cache at the end of a block that prefetches (isamap_smt.codegen.lower).

        It counts tensors handed over, the next block of tensors that several statements read, and results of the same shape and
        type as one of these.
        """
        written = (statement_of(s).target.tensor for s in self.schedules)
        shapes = {(x.shape, x.dtype) for x in map(self.kernel.tensor, self.common)}
        results = [self.kernel.tensor(t) for t in written if t in self.kernel.results]
        return self._bytes((*self.handed, *self.common, *(t.name for t in results if (t.shape, t.dtype) in shapes)))

    @property
    def touched(self) -> int:
        """Bytes of all tensors read and written by its statements, except tensors of open sizes."""
        found = map(statement_of, self.schedules)
        names = {t for s in found for t in (s.target.tensor, *(a.tensor for a in s.inputs))}
        return self._whole(t for t in names if all(map(is_constant, self.kernel.tensor(t).shape)))

    def _bytes(self, names: tuple[str, ...]) -> int:
        return self._whole(names) // (self.extent * self.values)

    def _whole(self, names: Iterable[str]) -> int:
        return sum(prod(map(int, t.shape)) * t.dtype.bytes for t in map(self.kernel.tensor, names))

    @property
    def common(self) -> tuple[str, ...]:
        """Tensors of known sizes, not written here: several statements read the same elements for one value of the axis."""
        read = [dict.fromkeys(a.tensor for a in statement_of(s).inputs) for s in self.schedules]
        several = [t for t in dict.fromkeys(t for r in read for t in r) if sum(t in r for r in read) > 1]
        places = {
            t: [a.index for s in self.schedules for a in statement_of(s).inputs if a.tensor == t] for t in several
        }
        fixed = [t for t in several if all(is_constant(n) for n in self.kernel.tensor(t).shape)]
        return tuple(t for t in fixed if t not in self.handed and alone(self.axis, places[t]))

    @property
    def apart(self) -> float:
        """Predicted cycles of one after the other."""
        return sum(s.objective or 0.0 for s in (*self.schedules, *self.left))


def traffic(
    group: Group, points: int, count: int, small: dict[str, int], sizes: dict[str, int], figures: Figures
) -> tuple[float, float, float]:
    """Memory traffic of `count` blocks beyond their prices. small, sizes: of a block, and of the whole.

    Returns the cycles, the exposed part of them, and the cycles for operands read by all blocks.
    """
    seen = _seen(group, small, sizes, figures)
    streamed, exposed = _streamed(group, seen)
    again = _again(group, points, seen) * (count - 1)
    return streamed + again, exposed + again * INPUT_EXPOSED, again


@dataclass(frozen=True)
class _Seen:
    """A statement as the cost model sees it: in one block, and as a whole. still: tensors read at the same places in all blocks."""

    block: Setting
    every: Setting
    machine: Machine
    still: frozenset[str]

    def bytes(self, operand: str, whole: bool) -> int:
        """Bytes of the operand's elements in one block, or of all."""
        s = self.every if whole else self.block
        return compulsory(s, operand) * s.bytes(operand)


def _seen(group: Group, small: dict[str, int], sizes: dict[str, int], figures: Figures) -> tuple[_Seen, ...]:
    found = []
    for schedule in group.schedules:
        mapping, hardware = schedule.proved.mapping, schedule.hardware
        assert hardware is not None
        held = [set(constant_along(group.kernel, mapping.statement_index, a)) for a in group.axes]
        found.append(
            _Seen(
                setting(schedule.proved, hardware, small, (), 1),
                setting(schedule.proved, hardware, sizes, (), 1),
                machine(hardware, mapping.instruction, figures),
                frozenset(set.intersection(*held)),
            )
        )
    return tuple(found)


def _streamed(group: Group, seen: Sequence[_Seen]) -> tuple[float, float]:
    """Cycles to bring tensors that no two blocks share, from the level where the whole tensors lie; and the exposed part of them.

    A block's price assumes them at the level where one block would stay between calls. A tensor read by several statements
    comes once.
    """
    total = exposed = 0.0
    brought: set[str] = set()
    written = {statement_of(s).target.tensor for s in group.schedules[:-1]}
    for x in seen:
        every, m = x.every, x.machine
        levels = range(kept_between(x.block, m), kept_between(every, m))
        stays = {*group.handed, *brought, *x.still}
        for o in (*every.inputs, every.output):
            output = o == every.output
            if every.tensor(o) in stays or (output and every.tensor(o) in written):
                continue
            moved = x.bytes(o, whole=True) * (2 if output else 1)
            cycles = sum(moved * m.cycles(u) for u in levels)
            total += cycles
            exposed += cycles * (OUTPUT_EXPOSED if output else INPUT_EXPOSED)
        brought |= set(group.common) & {every.tensor(o) for o in every.inputs}
    return total, exposed


def _again(group: Group, points: int, seen: Sequence[_Seen]) -> float:
    """Cycles per block to bring operands that all blocks read, from the level where they stay beside the tensors handed over.

    The price of a block takes each statement to have the caches for itself.
    """
    still = {x.every.tensor(o): (x, o) for x in seen for o in x.every.inputs if x.every.tensor(o) in x.still}
    size = sum(x.bytes(o, whole=False) for x, o in still.values()) + points * group.row
    total = 0.0
    for x, o in still.values():
        levels = range(kept_between(x.block, x.machine), holding(size, x.machine))
        total += x.bytes(o, whole=False) * sum(map(x.machine.cycles, levels))
    return total
