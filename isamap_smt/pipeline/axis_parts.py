"""Phases taken apart along an axis: candidates beside the kernel as it stands, planned where they can gain.

Along an axis of the output, where executions of all parts, by mappings of the whole that tiles of a part can be made of, are at
most half of those of the whole: the border of an image rules these mappings out for the whole.

Along an axis of the sum, where moves of inputs take the time: tiles of a part are fewer, so they stay on chip while others
pass, and are loaded fewer times. Sums between two parts lie in main memory.

Parts are taken if they are quicker together, and proved to be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from isamap_encodings import deadline
from isamap_smt.equality import equal, meant
from isamap_smt.ir.errors import ScheduleError, UndecidedError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.phases import phase_kernels
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.axis_parts import Parts, along_borders, along_sum, in_parts
from isamap_smt.mapping.epilogue import carried_out
from isamap_smt.mapping.fuse import fuse
from isamap_smt.pipeline.on_chip import Chosen
from isamap_smt.scheduling.staged_problem import executions, question
from isamap_smt.scheduling.staged_search import beginning, once

FAR = 2  # times less work: parts are then planned
NEAR = 1.25  # times the least work of a part: the mappings that are scheduled
BUSY = 0.95  # of the time: an engine that moves takes all of it
AGAIN = 1.05  # times what it would take to move each tile once: not much can be gained below
COUNTS, LEAST = (2, 4, 8), 4  # parts of a sum; tiles in each of them
Work = tuple[float, Mapping]  # cycles of all executions of a mapping


@dataclass(frozen=True)
class Apart:
    """A kernel with a phase in parts. counts: statements of each of its phases. chosen: of the parts' phases. told: in words."""

    kernel: Kernel
    counts: tuple[int, ...]
    chosen: tuple[Chosen, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def cycles(self) -> float:
        """Of the parts."""
        return sum(s.objective or 0.0 for s, _ in self.chosen)


@dataclass(frozen=True)
class InParts:
    """Takes phases apart. chosen: plans a phase by the mappings given. sizes: planned for, of a kernel."""

    machine: Hardware
    chosen: Callable[[Kernel, Sequence[Mapping]], Chosen]
    sizes: Callable[[Kernel], dict[str, int]]

    def quicker(
        self, kernel: Kernel, counts: tuple[int, ...], number: int, whole: Chosen, legal: Sequence[Mapping]
    ) -> Apart | None:
        """The kernel with a phase in parts, if they are quicker than its schedule and proved to be equal; else None.

        legal: all mappings of the phase.
        """
        if deadline.enough():
            return None
        schedule, of = whole[0], Apart(kernel, counts)
        found = self._at_borders(of, number, legal, schedule.objective or 0.0)
        if found is None:
            found = self._in_sums(of, number, legal, schedule)
        if found is None:
            return None
        sums = kernel.tensor(kernel.statements[sum(counts[:number])].target.tensor)
        arithmetic = "reals" if sums.dtype.is_float else "bits"
        if not equal(kernel, found.kernel, arithmetic).is_proved:
            return None
        told = f"{' and '.join(found.told)}, each a phase: proved to be equal, {meant(kernel, arithmetic)}"
        return replace(found, told=(told,))

    def _in_sums(self, of: Apart, number: int, legal: Sequence[Mapping], whole: Schedule) -> Apart | None:
        """A phase in parts of its sum, with their schedules, if moves take its time and the parts are quicker."""
        best, most = None, whole.objective or 0.0
        if not self._moves_dominate(whole):
            return None
        plain = (m for _, m in self._by_work(legal) if m.split is None and m.groups and self._tiles(m))
        mapping = next(plain, None)
        if mapping is None:
            return None
        for parts in _parts_of_sum(of.kernel, sum(of.counts[:number]), mapping):
            if parts.statements != of.counts[number]:
                continue
            made = _apart(of, number, parts)
            phases = phase_kernels(made.kernel, made.counts)[number : number + len(parts.ranges)]
            if not self._take_sums_on(phases, mapping.instruction.operand(mapping.instruction.target).memory):
                return None
            mapped = [tuple(like([mapping], k, parts)) for k in phases]
            if self._least(mapped) * AGAIN > most:
                continue
            ends = self._cycles(phases[0], mapped[0]) * (len(phases) - 1) + self._cycles(phases[-1], mapped[-1])
            found = self._planned(made, number, mapped, most) if ends < most else None
            if found is not None:
                best, most = found, found.cycles
        return best

    def _take_sums_on(self, phases: Sequence[Kernel], memory: str) -> bool:
        """Whether sums in this memory begin at what an earlier phase left. In cells of few bits, sums from 0 alone are bounded."""
        every = all(len(k.statements) == 1 or carried_out(k, self.machine, memory) for k in phases)
        return every and not self.machine.memory(memory).bits

    def _cycles(self, phase: Kernel, mappings: Sequence[Mapping]) -> float:
        chosen = self._chosen(phase, mappings)
        return inf if chosen is None else chosen[0].objective or 0.0

    def _chosen(self, phase: Kernel, mappings: Sequence[Mapping]) -> Chosen | None:
        """The plan of a phase; None if there is none."""
        try:
            return self.chosen(phase, mappings)
        except UndecidedError:
            raise
        except ScheduleError:
            return None

    def _moves_dominate(self, whole: Schedule) -> bool:
        """Whether an engine that moves is busy all the time, and moves tiles again and again."""
        mapping, cycles = whole.proved.mapping, whole.objective or 0.0
        q = question(mapping, self.machine, self.sizes(mapping.kernel), {})
        busy = max((c.amount for c in whole.costs if c.within and c.name != q.problem.engine), default=0.0)
        return busy >= BUSY * cycles and cycles >= AGAIN * once(q)

    def _least(self, mapped: Sequence[tuple[Mapping, ...]]) -> float:
        """Cycles of all parts of a sum, if each tile is moved once; inf if no tiles can be made of one."""
        try:
            found = [question(m, self.machine, self.sizes(m.kernel), {}) for (m,) in mapped]
        except ScheduleError:
            return inf
        return sum(map(once, found)) + sum(map(beginning, found))

    def _at_borders(self, of: Apart, number: int, legal: Sequence[Mapping], most: float) -> Apart | None:
        """A phase in parts, with their schedules, if parts have much less work and take fewer than `most` cycles."""
        best: Apart | None = None
        for parts in along_borders(of.kernel, sum(of.counts[:number])):
            if parts.statements != of.counts[number]:
                continue
            made = _apart(of, number, parts)
            mapped = self._less_work(made, number, parts, legal)
            if not mapped:
                continue
            found = self._planned(made, number, mapped, most)
            if found is not None:
                best, most = found, found.cycles
        return best

    def _less_work(
        self, made: Apart, number: int, parts: Parts, legal: Sequence[Mapping]
    ) -> tuple[tuple[Mapping, ...], ...]:
        """Mappings of each part, if executions of all, by some that tiles can be made of, are few beside those of the whole.

        Those with much more work are left out. Empty if the parts have as much work as the whole.
        """
        known = self._by_work(legal)
        least = next((work for work, m in known if self._tiles(m)), 0.0)
        if not known or known[0][0] * FAR > least:
            return ()
        left, found = least / FAR, []
        for part in phase_kernels(made.kernel, made.counts)[number : number + len(parts.ranges)]:
            own = self._by_work([*like([m for _, m in known], part, parts)])
            needed = next((work for work, m in own if self._tiles(m)), None)
            if needed is None or needed > left:
                return ()
            left -= needed
            found.append(tuple(m for work, m in own if work <= needed * NEAR))
        return tuple(found)

    def _by_work(self, mappings: Sequence[Mapping]) -> list[Work]:
        """The mappings of least work first."""
        found = [(executions(m, self.machine, self.sizes(m.kernel))[1], m) for m in mappings]
        return sorted(found, key=lambda x: (x[0], x[1].id))

    def _tiles(self, mapping: Mapping) -> bool:
        try:
            question(mapping, self.machine, self.sizes(mapping.kernel), {})
        except ScheduleError:
            return False
        return True

    def _planned(self, made: Apart, number: int, mapped: Sequence[tuple[Mapping, ...]], most: float) -> Apart | None:
        """The schedules of all parts, which may be taken apart again; None without one, or if they take `most` cycles."""
        at = number
        for own in mapped:
            again = self._at_borders(made, at, own, most - made.cycles)
            if again is None:
                one = self._chosen(phase_kernels(made.kernel, made.counts)[at], own)
                if one is None:
                    return None
                made, at = replace(made, chosen=(*made.chosen, one)), at + 1
            else:
                at += 1 + len(again.counts) - len(made.counts)
                made = replace(again, chosen=(*made.chosen, *again.chosen), told=(*made.told, *again.told))
            if made.cycles >= most:
                return None
        return made


def _apart(of: Apart, number: int, parts: Parts) -> Apart:
    """The kernel with phase `number` in parts that are not planned yet."""
    counts = (*of.counts[:number], *parts.counts, *of.counts[number + 1 :])
    return Apart(in_parts(of.kernel, parts), counts, (), (str(parts),))


def _parts_of_sum(kernel: Kernel, statement: int, mapping: Mapping) -> Iterator[Parts]:
    """The axis with most tiles of the sum, in 2, 4 and 8 parts of whole tiles."""
    s = kernel.statements[statement]
    tiles = {}
    for t, group in mapping.groups:
        if len(group) == 1 and group[0] in s.reduction_axes and is_constant(s.axis(group[0]).extent):
            side = mapping.instruction.axes[t]
            tiles[group[0]] = (-(-int(s.axis(group[0]).extent) // side), side)
    axis = max(tiles, key=lambda a: tiles[a][0], default="")
    for parts in COUNTS:
        if axis and tiles[axis][0] >= LEAST * parts:
            found = along_sum(kernel, statement, axis, parts, tiles[axis][1])
            if found is not None:
                yield found


def like(legal: Sequence[Mapping], part: Kernel, parts: Parts) -> Iterator[Mapping]:
    """Mappings of the whole as mappings of a part; nothing about them is proved yet."""
    for m in legal:
        if m.split is not None or not m.groups:
            continue
        old = [a.name for a in m.statement.axes]
        new = [a.name for a in part.statements[0].axes]
        if len(new) < len(old):  # one column: there is no such axis
            old.remove(parts.axis)
        names = dict(zip(old, new, strict=True))
        axes = {t: [names[a] for a in g if a in names] for t, g in m.groups}
        target = m.instruction.kernel.statements[0].target.tensor
        operands = {o: a.tensor for o, a in m.binding if o != target}
        if all(axes.values()):
            yield fuse(part, m.instruction, axes, operands, 0, True)


__all__ = ["Apart", "InParts", "like"]
