"""The space of schedules of one proved mapping at one machine: every choice in it has a price, and becomes a Schedule.

`space()` states it, the exact solver or any other strategy chooses in it, `ScheduleSpace.schedule()` writes the choice
down. Nothing here is trusted, because the lowered program is proved afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from typing import Any

from isamap_encodings.schedule_answer import Answer
from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_problem import Choice, Cost, ScheduleProblem
from isamap_smt.ir.arguments import MOST_THREADS, valid_sizes, whole_number
from isamap_smt.ir.boxes import decided_at
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.notes import OneThread
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule, Stage
from isamap_smt.mapping.layout import plain_lanes
from isamap_smt.scheduling import decode
from isamap_smt.scheduling.arguments import Pin, known_objective, pinned, tensor_names
from isamap_smt.scheduling.breakdown import assumptions, lower_bound, parts, unused
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.pins import Pins, read_pins
from isamap_smt.scheduling.prefetch import in_blocks, prefetched
from isamap_smt.scheduling.problem import problem, repriced
from isamap_smt.scheduling.setting import UNIT, Machine, Setting, machine, setting
from isamap_smt.scheduling.tiles import in_words


def one_thread(threads: int) -> OneThread:
    """The note that this many threads would take longer."""
    return OneThread.because(f", which is predicted to be faster than {threads}")


@dataclass(frozen=True)
class ScheduleSpace:
    """All schedules of one mapping. problem: the decisions with their prices on `machine`."""

    setting: Setting
    machine: Machine
    pins: Pins
    problem: ScheduleProblem
    energy: bool
    sizes: tuple[tuple[str, int], ...]
    notes: tuple[str, ...] = ()

    def priced_by(self, figures: Figures) -> ScheduleSpace:
        """The same space at other prices: a Choice means the same schedule in both, but for how far ahead it prefetches."""
        s = self.setting
        m = machine(s.hardware, s.mapping.instruction, figures, s.threads)
        return replace(self, machine=m, problem=repriced(self.problem, s, m, self.pins, self.energy))

    def with_inner(self) -> ScheduleSpace:
        """The same space with threads also on loops of an inner block."""
        return replace(self, problem=replace(self.problem, inner=True))

    def serial(self) -> ScheduleSpace:
        """The same space for one thread, with a note on the reason: no loop has a trip for each thread."""
        note = OneThread.because(f": no loop has a trip for each of {self.setting.threads} threads")
        return replace(self, problem=replace(self.problem, parallelizable=()), notes=(*self.notes, note))

    def cost(self, choice: Choice) -> Cost | None:
        """The price of a choice; None if it is not in the space."""
        return evaluate(self.problem, choice)

    def elapsed(self, choice: Choice, cost: Cost | None = None) -> float | None:
        """Cycles from start to end, threads counted (picojoules if energy is the objective); None as for cost()."""
        cost = cost or self.cost(choice)
        if cost is None:
            return None
        return cost.total / UNIT / (1 if self.energy else self.setting.threads)

    def lower_bound(self) -> float:
        """Cycles or picojoules needed by every schedule of the model, on one thread."""
        return lower_bound(self.setting, self.machine, self.energy)

    def schedule(self, choice: Choice) -> Schedule:
        """The schedule of a choice, not proved to be the best. Raises ScheduleError outside the space."""
        cost = self.cost(choice)
        if cost is None:
            raise ScheduleError(f"{choice} is not in the space of {self.setting.mapping.id}")
        floor = round(self.lower_bound() * UNIT)
        return self.answered(Answer("FEASIBLE", choice, cost, floor, 0.0, 1))

    def answered(self, answer: Answer) -> Schedule:
        """The schedule of the solver's choice, with its status and gap. The answer must hold a choice."""
        s, m, plain = self.setting, self.machine, self.problem
        if answer.choice is None or answer.cost is None:
            raise ScheduleError(f"no schedule of {s.mapping.id}: {answer.status}")
        n = decode.nest(s, m, plain, answer.choice)
        row = plain.registers[answer.choice.register].tile
        packing = decode.packing(s, plain, answer.choice, n)
        packing = tuple(replace(x, padding=self.pins.padding.get(x.operand, "")) for x in packing)
        packing, told = prefetched(s, m, plain, answer.choice, answer.cost, self.pins, packing)
        packing, also = in_blocks(s, plain, answer.choice, answer.cost, n, packing)
        total, bound = answer.cost.total, min(answer.bound, answer.cost.total)
        return Schedule(
            s.proved,
            n.loops,
            n.accumulate,
            tuple((a.name, row[d]) for d, a in enumerate(plain.axes)),
            packing,
            decode.parallel(plain, n, answer.cost),
            answer.status,
            in_words(m, len(plain.registers)),
            total / UNIT,
            bound / UNIT,
            (total - bound) / total if total else 0.0,
            self.lower_bound(),
            decode.tiles(s, m, plain, answer.choice),
            decode.traffic(m, plain, answer.cost),
            answer.seconds,
            (*self._notes(answer), *told, *also),
            self.sizes,
            s.hardware,
            unit="pJ" if self.energy else "cycles",
            costs=parts(m, s.mapping.instruction, answer.cost, self.energy),
            assumes=assumptions(m, self.energy, s.threads),
            decided_outside=self._outside(packing, n),
        )

    def _outside(self, stages: tuple[Stage, ...], nest: decode.Nest) -> tuple[str, ...]:
        """Decisions taken after the solver, in words."""
        mapping, found = self.setting.mapping, []
        if any(x.level == decode.BLOCK for x in nest.loops):
            found.append(
                f"that a sum is closed, and begun anew, after {decode.MOST} terms at most, so that it rounds less"
            )
        if any((x.prefetch and x.operand not in self.pins.prefetch) or x.block is not None for x in stages):
            found.append("how far ahead lines are asked for, and which share of a block")
        for x in stages:
            access = mapping.operand_access(x.operand)
            if x.depth is None and not x.padding and decided_at(mapping.statement, access.index):
                found.append(f"the padding of {access.tensor}: tests at its border, or a copy with zeros")
        return tuple(found)

    def _notes(self, answer: Answer) -> tuple[str, ...]:
        notes = []
        if self.setting.assumed:
            told = ", ".join(f"{n}={v}" for n, v in self.setting.assumed)
            notes.append(f"chosen for {told}; legal for every size")
        if answer.stopped:
            notes.append(f"the search ended early: {answer.stopped}")
        if self.problem.or_alone and answer.cost is not None and answer.cost.shared is None:
            notes.append(one_thread(self.setting.threads))
        if self.machine.figures != DESCRIBED:
            notes.append(f"priced with {self.machine.figures.origin}")
        s = self.setting
        notes += unused(s.hardware, s.mapping.instruction, self.machine, self.energy)
        return (*notes, *self.notes)


def space(
    proved: ProvedMapping,
    hardware: Hardware,
    sizes: Dict[str, int] | None = None,
    *,
    objective: str = "latency",
    constant: Iterable[str] = (),
    fix: Dict[str, Any] | tuple[Pin, ...] | None = None,
    threads: int = 1,
    figures: Figures = DESCRIBED,
) -> ScheduleSpace:
    """Every schedule of the mapping at these sizes, priced. Arguments and errors are those of schedule()."""
    if not isinstance(proved, ProvedMapping):
        raise NotProvedError(
            f"schedule() takes what prove() returns when every claim is proved, not {type(proved).__name__}; "
            "call isamap_smt.prove(mapping) first"
        )
    known_objective(objective)
    for operand, _ in proved.mapping.binding:
        plain_lanes(proved.mapping, operand)
    threads = whole_number(threads, "threads", ScheduleError, high=MOST_THREADS)
    given = valid_sizes(sizes)
    energy = objective == "energy"
    s = setting(proved, hardware, given, tensor_names(constant), threads)
    m = machine(hardware, s.mapping.instruction, figures, threads)
    if energy and not any(x.energy for x in m.memories):
        raise ScheduleError(f"{hardware.name} gives no energies, so schedules cannot be compared by energy")
    pins = read_pins(pinned(fix), s, m)
    return ScheduleSpace(s, m, pins, problem(s, m, pins, energy), energy, tuple(sorted(given.items())))
