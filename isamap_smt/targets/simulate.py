"""The simulator: any machine with engines. One timed run gives cycles; adversarial runs show that no order changes the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.pipeline.staged import StagedPlan
from isamap_smt.runtime.judge import Judgement, judge, wanted
from isamap_smt.simulator import Busy, simulate
from isamap_smt.targets.target import Sources, Target

PROGRAM = "program.txt"
RACES = 20  # that are told


class PrintedProgram(str):
    """The text of a program, with the proved program that it is the text of."""

    checked: ProvedProgram

    @classmethod
    def of(cls, checked: ProvedProgram) -> PrintedProgram:
        """The text of a proved program."""
        made = cls(str(checked.program))
        made.checked = checked
        return made


@dataclass(frozen=True)
class Observed:
    """What runs on one set of arrays showed: result of the timed run or the first wrong one, compared with the reference.

    cycles: of the timed run. orders: how many runs, the timed one and one for each seed. races: all that any order could show,
    with uses beyond their memory and deadlocks.
    """

    judged: Judgement
    cycles: float | None
    engines: Mapping[str, Busy]
    orders: int
    races: tuple[str, ...]

    @property
    def wrong(self) -> str:
        """What is wrong, or ''."""
        return self.judged.reason or (f"{len(self.races)} races, the first: {self.races[0]}" if self.races else "")


class Simulated:
    """A proved program, to be called on arrays as compiled kernels are."""

    constants: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __init__(self, checked: ProvedProgram) -> None:
        self.checked = checked
        self.program = checked.program

    def __call__(self, **arrays: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs of a timed run, by name. Outputs begin at 0."""
        return simulate(self.program, arrays).outputs

    def observe(self, kernel: Kernel, arrays: Mapping[str, np.ndarray], seeds: int) -> Observed:
        """A timed run and one for each seed, each compared with the reference. `kernel` has all sizes."""
        right = wanted(kernel, arrays, self.checked.proof.arithmetic)
        timed = simulate(self.program, arrays)
        judged = judge(kernel, timed.outputs, right, self.checked.proof.arithmetic)
        found = dict.fromkeys([*map(str, timed.races), *([f"deadlock: {timed.deadlock}"] if timed.deadlock else [])])
        for seed in range(seeds):
            run = simulate(self.program, arrays, seed=seed)
            again = judge(kernel, run.outputs, right, self.checked.proof.arithmetic)
            judged = again if again.reason and not judged.reason else judged
            found |= dict.fromkeys(map(str, run.races))
        return Observed(judged, timed.cycles, timed.engines, seeds + 1, tuple(found)[:RACES])


class Simulate(Target):
    """Engines, memories that begin as poison, and vector clocks; see isamap_smt.simulator."""

    name = example = "simulate"
    timed = False

    @classmethod
    def named(cls, name: str) -> Target | None:
        """The one target of this kind."""
        return cls() if name == cls.name else None

    def available(self, cc: str | None = None) -> str:
        """Always."""
        return ""

    def takes(self, machine: Hardware) -> str:
        """Machines with engines."""
        return "" if machine.engines else f"{machine.name} has no engines; its programs run as C: use --target c"

    def executor(self) -> str:
        """The simulator."""
        return "isamap's simulator"

    def emit(self, proved: Any) -> Sources:
        """The program as text. Raises NotProvedError."""
        checked = proved.checked if isinstance(proved, StagedPlan) else proved
        if not isinstance(checked, ProvedProgram) or checked.program.machine is None:
            raise NotProvedError(
                f"the simulator takes the plan or the proved program of a machine with engines, not {type(proved).__name__}"
            )
        return {PROGRAM: PrintedProgram.of(checked)}

    def build(self, sources: Sources, *, cc: str | None = None) -> Any:
        """A Simulated. Raises NotProvedError for text that emit() did not make."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram):
            raise NotProvedError("the simulator runs what emit() gave, which belongs to a proved program")
        return Simulated(text.checked)
