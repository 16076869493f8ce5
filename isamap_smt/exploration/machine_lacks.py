"""Why a kernel with a mapping has no plan on a machine with engines: the smallest edits of the machine to admit one.

For each mapping it is known which operands' tiles cannot come or go. An edit is derived for the first of them; with it
the next one is asked, until none is left. Every reported result was planned on the edited machine, and its program
proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from isamap_smt.exploration.derived_moves import for_input, for_sums
from isamap_smt.exploration.machine_edits import Add, Alter, Edit, Enlarge
from isamap_smt.ir.errors import IsamapError, ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping as KernelMapping
from isamap_smt.ir.phases import phase_kernels
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.mapping.instances import instances
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import assumed_sizes, stage
from isamap_smt.scheduling.staged import too_small
from isamap_smt.scheduling.staged_problem import check_form, lacking, question
from isamap_smt.search import find_mappings

MOST = 3  # edits at once
TOLD = 6  # sets of as few edits that are reported
PLANNED = 12  # sets of as few edits that are planned
LOOKED_AT = 8  # mappings of a phase, those that lack least
DOUBLED = 4  # times that a memory is doubled


@dataclass(frozen=True)
class Mended:
    """Edits of a machine, and the cycles of the proved plan with them."""

    edits: tuple[Edit, ...]
    cycles: float

    def __str__(self) -> str:
        return f"{' and '.join(map(str, self.edits))}: {self.cycles:,.0f} cycles"

    def document(self) -> dict[str, Any]:
        """As JSON: each edit by its kind, with its line of description."""
        return {"edits": [_document(e) for e in self.edits], "cycles": self.cycles}


def _document(e: Edit) -> dict[str, Any]:
    match e:
        case Add() | Alter():
            of = {"instruction": e.instruction.name}
        case _:
            of = {"memory": e.memory}
    return {"kind": type(e).__name__.lower(), **of, "told": str(e), "line": e.line}


@dataclass(frozen=True)
class Planned:
    """cycles: of the plan on the machine as it is, None if there is none.

    partial: the plan leaves an axis of the instruction unused, and mappings with all of them in use have none. reasons:
    the machine's gaps, for the mapping with the fewest. edits: as few at once as admit a plan, the quickest first.
    """

    machine: Hardware
    cycles: float | None = None
    partial: bool = False
    reasons: tuple[str, ...] = ()
    edits: tuple[Mended, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether there is a plan, and no better mapping is refused."""
        return self.cycles is not None and not self.partial

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "machine": self.machine.name,
            "cycles": self.cycles,
            "partial": self.partial,
            "reasons": list(self.reasons),
            "edits": [e.document() for e in self.edits],
        }


def planned(kernel: Kernel, compute: Instruction, machine: Hardware, sizes: Mapping[str, int]) -> Planned:
    """The plan of a kernel by an instruction of a machine with engines, or the smallest edits of the machine for one.

    sizes: if they are left out, the program is for all. Raises SizeError.
    """
    search = _Search(kernel, compute, dict(sizes))
    plan, why = search.plan(machine)
    phases = search.phases()
    whole = all(any(_uses_all(p.mapping) for p in one) for one in phases)
    if plan is not None and (not whole or all(_uses_all(s.proved.mapping) for s in plan.schedules)):
        return Planned(machine, plan.cycles)
    reasons = tuple(dict.fromkeys(r for one in phases for r in _least(one, machine)))
    cycles = None if plan is None else plan.cycles
    found = search.edits(machine, phases, cycles) if phases else ()
    return Planned(machine, cycles, plan is not None, reasons or ((why,) if why else ()), found)


def _uses_all(m: KernelMapping) -> bool:
    """Whether no axis of the instruction is left unused."""
    return all(group for _, group in m.groups)


def _least(phase: tuple[ProvedMapping, ...], machine: Hardware) -> tuple[str, ...]:
    """The gaps of the machine for the mapping of a phase with the fewest."""
    return tuple(min((lacking(p.mapping, machine) for p in phase), key=len, default=dict[str, str]()).values())


@dataclass(frozen=True)
class _Search:
    kernel: Kernel
    compute: Instruction
    sizes: dict[str, int]

    def plan(self, machine: Hardware) -> tuple[Plan | None, str]:
        """A plan whose program is proved, or why there is none."""
        try:
            return stage(self.kernel, machine, sizes=self.sizes, instruction=self.compute.name), ""
        except IsamapError as error:
            return None, str(error)

    def phases(self) -> tuple[tuple[ProvedMapping, ...], ...]:
        """For each sum, the mappings with programs on some machine: those using all instruction axes, if any do.

        Empty if a sum has none.
        """
        try:
            kernels = phase_kernels(self.kernel.with_sizes(self.sizes))
            found = tuple(self._mappings(k) for k in kernels)
        except ScheduleError:
            return ()
        return found if all(found) else ()

    def _mappings(self, kernel: Kernel) -> tuple[ProvedMapping, ...]:
        ready = tuple(instances(self.compute, kernel.statements[kernel.main]))
        for partial in (False, True):
            legal = tuple(p for i in ready for p in find_mappings(kernel, i, partial=partial).legal)
            if found := tuple(p for p in legal if self._mendable(p.mapping)):
                return found
        return ()

    def _mendable(self, m: KernelMapping) -> bool:
        """Whether edits of the machine alone can lead to a plan: moves convert nothing, and programs have a form."""
        out, taken = self.compute.target, m.instruction.types
        if any(m.element(o) != taken[o] for o in taken if o != out):
            return False
        try:
            check_form(m, m.instruction)
        except ScheduleError:
            return False
        return True

    def edits(
        self, machine: Hardware, phases: tuple[tuple[ProvedMapping, ...], ...], limit: float | None
    ) -> tuple[Mended, ...]:
        """The fewest edits at once to admit a plan. limit: its cycles have to be fewer."""
        level: dict[frozenset[Edit], tuple[tuple[Edit, ...], Hardware]] = {frozenset(): ((), machine)}
        for _ in range(MOST):
            following: dict[frozenset[Edit], tuple[tuple[Edit, ...], Hardware]] = {}
            for edits, edited in level.values():
                for new in self._next(edited, phases):
                    if (after := _applied(edited, new)) is not None:
                        following.setdefault(frozenset((*edits, new)), ((*edits, new), after))
            found = list(self._confirmed(following, phases, limit))
            if found:
                return tuple(sorted(found, key=lambda f: f.cycles)[:TOLD])
            level = following
        return ()

    def _confirmed(
        self,
        level: dict[frozenset[Edit], tuple[tuple[Edit, ...], Hardware]],
        phases: tuple[tuple[ProvedMapping, ...], ...],
        limit: float | None,
    ) -> Iterator[Mended]:
        tried = 0
        for edits, edited in level.values():
            if tried == PLANNED or not all(any(not lacking(p.mapping, edited) for p in one) for one in phases):
                continue
            tried += 1
            plan, _ = self.plan(edited)
            if plan is not None and (limit is None or plan.cycles < limit):
                yield Mended(edits, plan.cycles)

    def _next(self, machine: Hardware, phases: tuple[tuple[ProvedMapping, ...], ...]) -> Iterator[Edit]:
        """Edits for the first sum with a gap; if there is none, edits of memories."""
        for one in phases:
            lacks = sorted(((p.mapping, lacking(p.mapping, machine)) for p in one), key=lambda x: len(x[1]))
            if not lacks[0][1]:
                continue
            fewest = [x for x in lacks if len(x[1]) == len(lacks[0][1])]
            for m, missing in fewest[:LOOKED_AT]:
                yield from self._for(m, machine, next(iter(missing)))
            return
        yield from self._larger(machine, phases)

    def _for(self, m: KernelMapping, machine: Hardware, operand: str) -> Iterator[Edit]:
        """Edits to let an operand's tiles come and go; for sums, also both halves of a pair if no single edit does it."""
        out = operand == self.compute.target
        kinds = [
            [(e, after) for e in kind if (after := _applied(machine, e)) is not None]
            for kind in (for_sums if out else for_input)(m, machine, operand)
        ]
        alone = [next((e for e, after in kind if operand not in lacking(m, after)), None) for kind in kinds]
        yield from (e for e in alone if e is not None)
        if out and not any(alone):
            first, *others = kinds  # how sums begin, and how they are stored
            for kind in others:
                both = ((a, b) for (a, _), (b, after) in product(first, kind) if self._both(m, a, after))
                yield from next(both, ())

    def _both(self, m: KernelMapping, e: Edit, machine: Hardware) -> bool:
        """Whether sums begin and are stored with one more edit."""
        after = _applied(machine, e)
        return after is not None and self.compute.target not in lacking(m, after)

    def _larger(self, machine: Hardware, phases: tuple[tuple[ProvedMapping, ...], ...]) -> Iterator[Enlarge]:
        """Room for one tile of each operand in each memory; if it is there, twice the capacity, or more."""
        rows = {m.name: m for m in machine.memories if m.rows}
        found = dict[str, int]()
        for one in phases:
            for p in one[:LOOKED_AT]:
                try:
                    asked = question(p.mapping, machine, assumed_sizes(p.mapping.kernel, self.sizes), {})
                except ScheduleError:
                    continue
                for name, has, needs in too_small(asked):
                    found.setdefault(name, (rows[name].rows + needs - has) * rows[name].row)
        if found:
            yield from (Enlarge(name, capacity) for name, capacity in found.items())
            return
        for n in range(1, DOUBLED + 1):
            yield from (Enlarge(m.name, m.capacity << n) for m in rows.values())


def _applied(machine: Hardware, e: Edit) -> Hardware | None:
    """The edited machine; None if its description is refused."""
    try:
        return e.apply(machine)
    except IsamapError:
        return None


__all__ = ["Mended", "Planned", "planned"]
