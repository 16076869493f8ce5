"""Phases taken apart along an axis, where a border of the image rules quicker mappings out, or accumulators are few.

A kernel in parts is a candidate beside the one as it stands: it is proved to be equal, and taken if it is quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from isamap_smt.equality import Equality, equal
from isamap_smt.ir.errors import ScheduleError, UndecidedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.phases import phase_kernels
from isamap_smt.mapping.axis_parts import Parts, along_borders, in_parts
from isamap_smt.mapping.fuse import fuse
from isamap_smt.pipeline.on_chip import Chosen
from isamap_smt.scheduling.staged_problem import executions, question

FAR = 2  # times less work: parts are then planned
Sizes = Callable[[Kernel], dict[str, int]]


@dataclass(frozen=True)
class Apart:
    """A kernel with a phase in parts. counts: statements of each of its phases. chosen: of the parts' phases. told: in words."""

    kernel: Kernel
    counts: tuple[int, ...]
    chosen: tuple[Chosen, ...]
    told: tuple[str, ...]

    @property
    def cycles(self) -> float:
        """Of the parts."""
        return sum(s.objective or 0.0 for s, _ in self.chosen)


@dataclass(frozen=True)
class InParts:
    """Takes phases apart. chosen: plans a phase, by the mappings given. legal: all mappings of a phase planned before."""

    machine: Hardware
    chosen: Callable[[Kernel, Sequence[Mapping]], Chosen]
    legal: Callable[[Kernel], Sequence[Mapping]]
    sizes: Sizes

    def quicker(self, kernel: Kernel, counts: tuple[int, ...], number: int, whole: Chosen) -> Apart | None:
        """The kernel with a phase in parts, if they are quicker than its schedule and proved to be equal; else None."""
        best = self._quicker(kernel, counts, number, whole)
        if best is None:
            return None
        found = equal(kernel, best.kernel, "bits")
        return replace(best, told=(*best.told, f"{_arithmetic(found)}")) if found.is_proved else None

    def _quicker(self, kernel: Kernel, counts: tuple[int, ...], number: int, whole: Chosen) -> Apart | None:
        best: Apart | None = None
        most = whole[0].objective or 0.0
        for parts in along_borders(kernel, sum(counts[:number])):
            if parts.statements != counts[number]:
                continue
            made = in_parts(kernel, parts)
            apart = (*counts[:number], *(2,) * len(parts.ranges), *counts[number + 1 :])
            legal = self.legal(phase_kernels(kernel, counts)[number])
            if not self._less_work(made, apart, number, parts, legal):
                continue
            try:
                found = self._planned(made, apart, number, parts, legal, most)
            except UndecidedError:
                raise
            except ScheduleError:
                continue
            if found is not None:
                best, most = found, found.cycles
        return best

    def _less_work(
        self, kernel: Kernel, counts: tuple[int, ...], number: int, parts: Parts, legal: Sequence[Mapping]
    ) -> bool:
        """Whether executions of all parts, by mappings that tiles can be made of, are a part of those of the whole."""
        sizes = self.sizes(legal[0].kernel) if legal else {}
        work = sorted(((executions(m, self.machine, sizes)[1], n) for n, m in enumerate(legal)), key=lambda x: x[0])
        least = next((w for w, n in work if self._tiles(legal[n])), 0.0)
        if not work or work[0][0] * FAR > least:
            return False
        left = least / FAR
        ordered = [legal[n] for _, n in work]
        for part in phase_kernels(kernel, counts)[number : number + len(parts.ranges)]:
            own = next((m for m in like(ordered, part, parts) if self._tiles(m)), None)
            if own is None:
                return False
            left -= executions(own, self.machine, self.sizes(part))[1]
        return left >= 0

    def _tiles(self, mapping: Mapping) -> bool:
        try:
            question(mapping, self.machine, self.sizes(mapping.kernel), {})
        except ScheduleError:
            return False
        return True

    def _planned(
        self,
        kernel: Kernel,
        counts: tuple[int, ...],
        number: int,
        parts: Parts,
        legal: Sequence[Mapping],
        most: float,
    ) -> Apart | None:
        """The schedules of all parts, which may be taken apart again; None if they take `most` cycles."""
        told = [str(parts)]
        chosen: list[Chosen] = []
        at, end = number, number + len(parts.ranges)
        while at < end:
            part = phase_kernels(kernel, counts)[at]
            one = self.chosen(part, tuple(like(legal, part, parts)))
            again = self._quicker(kernel, counts, at, one)
            if again is None:
                chosen.append(one)
                at += 1
            else:
                end += len(again.counts) - len(counts)
                at += 1 + len(again.counts) - len(counts)
                kernel, counts = again.kernel, again.counts
                chosen += again.chosen
                told += again.told
            if sum(s.objective or 0.0 for s, _ in chosen) >= most:
                return None
        return Apart(kernel, counts, tuple(chosen), tuple(told))


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


def _arithmetic(found: Equality) -> str:
    return f"proved: {found}"


__all__ = ["Apart", "InParts", "like"]
