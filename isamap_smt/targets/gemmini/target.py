"""Gemmini as a target: proved programs of its engines as C, run in Spike, or in this process if Spike is not installed.

Both execute the instructions by the same functional model. It refuses every case on which Gemmini's sources disagree.
"""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.errors import HardwareError, SizeError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Issued, Program
from isamap_smt.runtime import arguments as check
from isamap_smt.targets.engines import EngineCall, EngineKernel, EnginesText, EngineTarget
from isamap_smt.targets.gemmini.here import HereProgram, build_here
from isamap_smt.targets.gemmini.sources import HEADER
from isamap_smt.targets.gemmini.spike import SpikeProgram, build_for_spike, missing, title
from isamap_smt.targets.gemmini.timing import Timing, timing
from isamap_smt.targets.target import Sources

# ---- A proved program of Gemmini's engines as C that issues its instructions, in the order of its text.
#
# The text is a legal execution of the program: that each await is met by signals before it is one of its claims.
# Gemmini's controllers run ahead of each other and wait where they touch the same rows, so the C has no counters. Main
# memory they do not watch, nor does the core: the program has a barrier between what the core does and the first phase,
# between any two, and behind the last. Each of them is a fence.


class GemminiText(EnginesText):
    """gemmini_program(arrays, numbers): the kernel's tensors in their order, its free sizes in theirs; 0 when it is done."""

    header, entry = HEADER, "int64_t gemmini_program"
    before, between = ("gemmini_fence();", "gemmini_begin();"), "gemmini_fence();"
    after = ("gemmini_fence();", "return 0;")

    def use(self, node: Issued) -> None:
        """Its instruction; signals have none."""
        if node.instruction.emit:
            self._put(node.instruction.statement(self._words(node)))


LARGEST = 1 << 28  # of a size: strides of sums are 32 bits of bytes
MOST = 1 << 18  # commands that the timing model takes: some ten seconds
HERE = "the model of Gemmini in this process"


class Gemmini(EngineTarget):
    """The machine of `gemmini`, and descriptions whose C issues its instructions."""

    name = example = "gemmini"
    machine, text = "Gemmini", GemminiText

    def executes(self, machine: Hardware) -> bool:
        """Any number of engines may issue them."""
        return True

    def executor(self, machine: Hardware | None = None) -> str:
        """Spike with its version, or the model alone."""
        return HERE if missing() else title()

    def build(self, sources: Sources, *, cc: str | None = None) -> GemminiKernel:
        """In Spike if it is installed, else here. Raises BuildError, and NotProvedError for text not made by emit()."""
        text = self.printed(sources)
        here = build_here(text, cc)
        made: SpikeProgram | HereProgram = here if missing() else build_for_spike(text)
        return GemminiKernel(text.checked.program, made, self.executor(), here)


class GemminiKernel(EngineKernel):
    """A program for Gemmini, callable on arrays. Its sums begin at 0."""

    machine = "Gemmini"

    def __init__(
        self, program: Program, made: SpikeProgram | HereProgram, executor: str, here: HereProgram | None = None
    ) -> None:
        """made: the program, built. executor: its runner, in words. here: the same program, built for this process."""
        super().__init__(program)
        self.made, self.executor = made, executor
        self._here = made if isinstance(made, HereProgram) else here
        self.notes = (why,) if (why := missing()) else ()

    def timing(self, *inputs: Any, **options: Any) -> Timing | None:
        """The timing model's answer for the commands of a call: a model, not hardware.

        None if the program is not built here, and for more commands than MOST.
        """
        if self._here is None:
            return None
        arguments, kernel = self.prepare(*inputs, **options).arguments, self.kernel
        arrays = [arguments.arrays[t.name] for t in kernel.tensors]
        commands = self._here.commands(arrays, [arguments.sizes[n] for n in kernel.free_sizes])
        return timing(commands) if len(commands) <= MOST else None

    def require_reached(self, arguments: check.Arguments) -> None:
        """Strides of stores end below 2^32 bytes. Raises SizeError."""
        for name in self.kernel.outputs:
            if (count := arguments.arrays[name].nbytes) >= LARGEST:
                raise SizeError(
                    f"{self.kernel.name}: {name} has {count:,} bytes; Gemmini's strides of stores end below 2^32"
                )

    def call(self, arguments: check.Arguments) -> GemminiCall:
        """A call with these arrays."""
        return GemminiCall(self, arguments)


class GemminiCall(EngineCall):
    """One call. run() may be repeated; `result` is the kernel's result."""

    def run(self) -> None:
        """Compute. Raises RefusedError, HardwareError."""
        kernel = self.kernel.kernel
        arrays, numbers, written = self.begun(tuple(t.name for t in kernel.tensors))
        answer = self.kernel.made(arrays, numbers, written=written)
        if answer.code or answer.notes:
            raise HardwareError(f"{kernel.name} on Gemmini answered {answer.code}; {'; '.join(answer.notes)}")
