"""Tensors kept on chip between a kernel's phases: tried one after the other, each kept if the plan then takes fewer cycles.

    phase 1:  S[i] += exp(X[i,j])       S stays in the scratchpad, behind everything phases 1 to 3 have there
    phase 2:  ...                       has less room
    phase 3:  Y[i,j] = X[i,j] / S[i]    finds it

All its tiles stay, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isamap_smt.ir.errors import ScheduleError, UndecidedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Alloc, Program
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.staging import tiles_of
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping.named_cells import of_tiles
from isamap_smt.scheduling.staying import Kept, Layout, Staying, layout_of

Chosen = tuple[Schedule, tuple[str, ...]]  # of a phase, and notes
Choose = Callable[[int, Kept], Chosen]  # the best of a phase, by its number
Lowered = Callable[[Schedule], Program]


@dataclass(frozen=True)
class _Stay:
    """A tensor kept on chip. where: the phase computing it, and those reading it. rows: its rows there; 0 until known."""

    staying: Staying
    where: tuple[int, ...]
    rows: int = 0

    @property
    def first(self) -> int:
        """Its first row."""
        return self.staying.ends - self.rows

    @property
    def last(self) -> int:
        """The last phase reading it."""
        return max(self.where)

    def meets(self, phase: int) -> bool:
        """Whether it lies there during a phase."""
        return self.where[0] <= phase <= self.last


@dataclass(frozen=True)
class OnChip:
    """The phases' schedules, and the tensors kept between them."""

    machine: Hardware
    choose: Choose
    lowered: Lowered
    chosen: tuple[Chosen, ...]
    stays: tuple[_Stay, ...] = ()

    @property
    def cycles(self) -> float:
        """Of all phases."""
        return float(sum(s.objective or 0 for s, _ in self.chosen))

    def with_temporaries(self, kernel: Kernel, phases: Sequence[Kernel], last_first: bool = False) -> OnChip:
        """The same, with tensors kept between the phase that computes them and later readers, each if that saves cycles.

        phases: a kernel for each. last_first: the tensors computed last are tried first.
        """
        found = self
        for tensor in kernel.outputs[:: -1 if last_first else 1]:
            made = [n for n, k in enumerate(phases) if tensor in k.results]
            read = [n for n, k in enumerate(phases) if tensor in k.inputs]
            for memory, there in found._readers(tensor, read if len(made) == 1 else []).items():
                stored = there != read or tensor not in kernel.temporaries
                before = found
                for layout in (None, *before._layouts(tensor, (made[0], *there))):
                    try:
                        more = before._with(tensor, memory, (made[0], *there), stored, layout)
                    except UndecidedError:
                        raise
                    except ScheduleError:
                        continue
                    found = min(found, more, key=lambda f: f.cycles)
                if found is not before:
                    break
        return found

    def _layouts(self, tensor: str, phases: Sequence[int]) -> tuple[Layout, ...]:
        """The ways in which the phases that read a tensor have it, other than that of the first, which computes it."""
        found = []
        for n in phases:
            mapping = self.chosen[n][0].proved.mapping
            found += [layout_of(mapping, o) for o, a in mapping.binding if a.tensor == tensor]
        return tuple(x for x in dict.fromkeys(found[1:]) if x != found[0])

    def _readers(self, tensor: str, phases: Sequence[int]) -> dict[str, list[int]]:
        """Memory -> phases with the tensor there as an operand of a compute instruction, most phases first."""
        found: dict[str, list[int]] = {}
        for n in phases:
            mapping = self.chosen[n][0].proved.mapping
            held = {mapping.instruction.operand(o).memory for o, a in mapping.binding if a.tensor == tensor}
            for memory in sorted(held):
                found.setdefault(memory, []).append(n)
        return dict(sorted(found.items(), key=lambda x: -len(x[1])))

    def _with(
        self, tensor: str, memory: str, where: tuple[int, ...], stored: bool, layout: Layout | None = None
    ) -> OnChip:
        """The same with one more tensor kept. layout: how it lies there; None: as is best for the phase that computes it.

        Raises ScheduleError if it can't be.
        """
        new = _Stay(Staying(tensor, memory, self.machine.memory(memory).rows, stored, layout), where)
        meeting = [
            s for s in self.stays if s.staying.memory == memory and s.where[0] <= new.last and where[0] <= s.last
        ]
        new = replace(new, staying=replace(new.staying, ends=min([new.staying.ends, *(s.first for s in meeting)])))
        chosen = list(self.chosen)
        for n in range(where[0], new.last + 1):
            kept = self._kept((*self.stays, new), n)
            if (
                n in where
                or self._rows(chosen[n][0], memory) + dict(kept.taken)[memory] > self.machine.memory(memory).rows
            ):
                chosen[n] = self.choose(n, kept)
            if n == where[0]:
                new = _as_made(new, chosen[n][0])
        return replace(self, chosen=tuple(chosen), stays=(*self.stays, new))

    def _kept(self, stays: Sequence[_Stay], phase: int) -> Kept:
        """The tensors a phase leaves and finds, and the rows taken meanwhile by other phases' tensors."""
        here = [s for s in stays if s.meets(phase)]
        own = [s for s in here if phase in s.where]
        taken = {}
        for memory in dict.fromkeys(s.staying.memory for s in here):
            rows = self.machine.memory(memory).rows
            free = min(s.first for s in here if s.staying.memory == memory)
            taken[memory] = rows - free - sum(s.rows for s in own if s.staying.memory == memory)
        return Kept(tuple(s.staying for s in own), tuple(taken.items()))

    def _rows(self, schedule: Schedule, memory: str) -> int:
        """Rows of a memory taken by the phase itself."""
        stay = {s.operand for s in schedule.stages if s.stays}
        tensors = {schedule.proved.mapping.operand_access(o).tensor for o in stay}
        buffers = (a.buffer for a in nodes_of(Alloc, self.lowered(schedule).body))
        own = (b for b in buffers if b.memory == memory and b.type.tensor not in tensors)
        return max((int(b.offset + b.slots * b.rows) for b in own), default=0)


def _as_made(new: _Stay, schedule: Schedule) -> _Stay:
    """The tensor with its layout and rows as the phase computing it leaves them."""
    mapping = schedule.proved.mapping
    (stage,) = (s for s in schedule.stages if s.stays and schedule.tensor(s) == new.staying.tensor)
    rows = stage.slots * stage.rows * tiles_of(of_tiles(mapping), schedule.loops, stage.operand, stage.depth or 0)
    made = replace(new.staying, layout=layout_of(mapping, stage.operand))
    return replace(new, staying=made, rows=rows)
