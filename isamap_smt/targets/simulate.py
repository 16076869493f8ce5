"""The simulator: any machine. Adversarial runs show that no order changes the result; on engines, a timed run gives cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NotProvedError, SizeError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.left_behind import feeding
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.runtime.explained import explained
from isamap_smt.runtime.judge import Judgement, arithmetic_of, judge, visited, wanted
from isamap_smt.simulator import Busy, Simulation, simulate
from isamap_smt.simulator.run import run_program
from isamap_smt.targets.target import PrintedProgram, Sources, Target, checked_of

PROGRAM = "program.txt"
RACES = 20  # that are told
MOST_USES = 2**20  # of a core's instruction: a minute or two for each order, and a gigabyte or two


@dataclass(frozen=True)
class Observed:
    """The outcome of runs on one set of arrays: the first run's result or the first wrong one, against the reference.

    cycles: of the timed run; None of a core, as it keeps no time. orders: the number of runs, the first and one for
    each seed. races: those possible in any order, with uses beyond their memory and deadlocks; of a core, every act
    that no right program does. timed: the timed run of engines with its trace, if asked for.
    """

    judged: Judgement
    cycles: float | None
    engines: Mapping[str, Busy]
    orders: int
    races: tuple[str, ...]
    timed: Simulation | None = None

    @property
    def wrong(self) -> str:
        """The fault, or ''."""
        return self.judged.reason or (f"{len(self.races)} races, the first: {self.races[0]}" if self.races else "")


class Simulated:
    """A proved program, to be called on arrays as compiled kernels are."""

    constants: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __init__(self, checked: ProvedProgram) -> None:
        self.checked = checked
        self.program = checked.program

    def __call__(self, *, sizes: Any = None, **arrays: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs of the first run, by name. Outputs begin at the start values of their reductions.

        sizes: by name, those the program leaves open and no array's dimension gives.
        """
        return self._run(arrays, None, self.program.kernel.named_sizes(sizes)).outputs

    def observe(self, kernel: Kernel, arrays: Mapping[str, np.ndarray], seeds: int, trace: bool = False) -> Observed:
        """The first run and one for each seed, each compared with the reference. `kernel` has all sizes.

        trace: keep the one of a timed run. Raises SizeError if a core's program would take hours.
        """
        program = self.program
        _require_few(program, kernel)
        arithmetic = self.checked.proof.arithmetic if program.machine is not None else arithmetic_of(program)
        sizes = self._sizes_of(kernel)
        first, *others = (self._run(arrays, seed, sizes, trace) for seed in (None, *range(seeds)))
        near = explained(program, kernel, arrays)
        same = None if feeding(kernel) else wanted(kernel, arrays, arithmetic)
        rights = (same or wanted(kernel, arrays, arithmetic, run.outputs) for run in (first, *others))
        judged = [
            judge(kernel, run.outputs, right, arithmetic, near)
            for run, right in zip((first, *others), rights, strict=True)
        ]
        found = dict.fromkeys(text for run in (first, *others) for text in run.wrong)
        worst = next((j for j in judged if j.reason), judged[0])
        return Observed(worst, first.cycles, first.engines, seeds + 1, tuple(found)[:RACES], first.timed)

    def _sizes_of(self, kernel: Kernel) -> dict[str, int]:
        """The sizes left open by the program, taken from a kernel with all sizes."""
        points = {a.name: a.extent for a in kernel.axes}
        opened = (a for a in self.program.kernel.axes if a.extent.is_Symbol and a.name in points)
        return {str(a.extent): int(points[a.name]) for a in opened}

    def _run(
        self, arrays: Mapping[str, np.ndarray], seed: int | None, sizes: Mapping[str, int] | None, trace: bool = False
    ) -> _Run:
        """The engines in an order drawn from the seed, or timed without one; a core's parallel iterations in such an order."""
        if self.program.machine is None:
            core = run_program(self.program, arrays, sizes=sizes, seed=0 if seed is None else seed + 1)
            return _Run(dict(core.outputs), None, {}, tuple(map(str, core.findings)))
        kept = trace and seed is None
        run = simulate(self.program, arrays, sizes=sizes, seed=seed, trace=kept)
        stuck = (f"deadlock: {run.deadlock}",) if run.deadlock else ()
        return _Run(run.outputs, run.cycles, run.engines, (*run.wrong, *stuck), run if kept else None)


def _require_few(program: Program, kernel: Kernel) -> None:
    """Nothing happens for a program of engines, or of few uses. Raises SizeError."""
    at_once = max((prod(s.proved.mapping.instruction.axes.values()) for s in program.schedules), default=1)
    uses = visited(kernel) // at_once
    if program.machine is None and uses > MOST_USES:
        raise SizeError(
            f"{kernel.name} takes about {uses:,} uses of instructions at these sizes, and the simulator runs those of a core one "
            f"by one: at most {MOST_USES:,}; give smaller sizes"
        )


@dataclass(frozen=True)
class _Run:
    """One run.

    wrong: races and every other act that no right program does. timed: of engines, with a trace if asked for.
    """

    outputs: dict[str, np.ndarray]
    cycles: float | None
    engines: Mapping[str, Busy]
    wrong: tuple[str, ...]
    timed: Simulation | None = None


class Simulate(Target):
    """Memories filled with poison at first; engines with vector clocks; see isamap_smt.simulator."""

    name = example = "simulate"
    timed = False

    def available(self, cc: str | None = None) -> str:
        """Always."""
        return ""

    def takes(self, machine: Hardware) -> str:
        """All."""
        return ""

    def executor(self, machine: Hardware | None = None) -> str:
        """The simulator."""
        return "isamap's simulator"

    def emit(self, proved: Any) -> Sources:
        """The program as text. Raises NotProvedError."""
        checked = checked_of(proved)
        return {PROGRAM: PrintedProgram.of(str(checked.program), checked, Simulate)}

    def build(self, sources: Sources, *, cc: str | None = None) -> Any:
        """A Simulated. Raises NotProvedError for text not made by emit()."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram) or text.by is not Simulate:
            raise NotProvedError("the simulator runs what emit() gave, which belongs to a proved program")
        return Simulated(text.checked)
