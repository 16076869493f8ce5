"""Gemmini as a target: proved programs of its engines as C, run in Spike, or in this process where Spike is not installed.

Both execute the instructions by the same functional model, which refuses what Gemmini's sources do not agree on.
"""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, HardwareError, NotProvedError, SizeError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import StagedPlan
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee
from isamap_smt.targets.gemmini.here import HereProgram, build_here
from isamap_smt.targets.gemmini.printed import PrintedProgram, print_program
from isamap_smt.targets.gemmini.sources import HEADER
from isamap_smt.targets.gemmini.spike import SpikeProgram, build_for_spike, missing, title
from isamap_smt.targets.gemmini.timing import Timing, timing
from isamap_smt.targets.target import Sources, Target, compiler_missing

PROGRAM = "program.c"
LARGEST = 1 << 28  # of a size: strides of sums are 32 bits of bytes
MOST = 1 << 18  # commands that the timing model takes: some ten seconds
HERE = "the model of Gemmini in this process"


class Gemmini(Target):
    """The machine of `gemmini`, and descriptions whose C issues its instructions."""

    name = example = "gemmini"
    timed = False

    def available(self, cc: str | None = None) -> str:
        """Whether there is a C compiler, for the model."""
        return compiler_missing(cc)

    def takes(self, machine: Hardware) -> str:
        """Machines with engines whose C issues Gemmini's instructions."""
        if machine.engines and all(i.emit and HEADER in i.headers for i in machine.instructions):
            return ""
        return f"target gemmini: the instructions of {machine.name} have no C that issues Gemmini's; take the machine `gemmini`"

    def executor(self, machine: Hardware | None = None) -> str:
        """Spike with its version, or the model alone."""
        return HERE if missing() else title()

    def emit(self, proved: Plan | StagedPlan | ProvedProgram) -> Sources:
        """The program in C. Raises NotProvedError."""
        checked = proved.checked if isinstance(proved, Plan | StagedPlan) else proved
        machine = checked.program.machine
        if machine is None or (why := self.takes(machine)):
            raise HardwareError(
                f"target gemmini: {checked.program.name} is no program of engines" if machine is None else why
            )
        return {PROGRAM: print_program(checked)}

    def build(self, sources: Sources, *, cc: str | None = None) -> GemminiKernel:
        """In Spike where it is installed, else here. Raises NotProvedError for text that emit() did not make, and BuildError."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram):
            raise NotProvedError("target gemmini builds what emit() gave, which belongs to a proved program")
        here = build_here(text, cc)
        made: SpikeProgram | HereProgram = here if missing() else build_for_spike(text)
        return GemminiKernel(text.checked.program, made, self.executor(), here)


class GemminiKernel(Callee):
    """A program for Gemmini, callable on arrays. Its sums begin at 0."""

    constants: tuple[str, ...] = ()

    def __init__(
        self, program: Program, made: SpikeProgram | HereProgram, executor: str, here: HereProgram | None = None
    ) -> None:
        """made: the program, built. executor: what runs it, in words. here: the same program, built for this process."""
        super().__init__(program)
        self.made, self.executor = made, executor
        self._here = made if isinstance(made, HereProgram) else here
        self.notes = (why,) if (why := missing()) else ()

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel, without out=. Raises also RefusedError where the model refuses an instruction."""
        call = self.prepare(*inputs, **options)
        call.run()
        return call.result

    def timing(self, *inputs: Any, **options: Any) -> Timing | None:
        """How long the timing model takes for the commands of a call: a model, not hardware.

        None where the program is not built here, and for more commands than MOST.
        """
        if self._here is None:
            return None
        arguments, kernel = self.prepare(*inputs, **options).arguments, self.kernel
        arrays = [arguments.arrays[t.name] for t in kernel.tensors]
        commands = self._here.commands(arrays, [arguments.sizes[n] for n in kernel.free_sizes])
        return timing(commands) if len(commands) <= MOST else None

    def prepare(
        self, *inputs: Any, out: Any = None, sizes: dict[str, int] | None = None, threads: int = 1, **named: Any
    ) -> GemminiCall:
        """A call with its arrays checked."""
        if out is not None:
            raise ArgumentError(
                f"{self.kernel.name} on Gemmini begins its sums at 0; leave out= out, and add to what it gives"
            )
        if whole_number(threads, "threads", ArgumentError) != 1:
            raise ArgumentError(f"{self.kernel.name} on Gemmini runs in one thread; leave threads= out")
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), None, sizes, accumulate=True)
        for name in self.kernel.outputs:
            if (count := arguments.arrays[name].nbytes) >= LARGEST:
                raise SizeError(
                    f"{self.kernel.name}: {name} has {count:,} bytes; Gemmini's strides of stores end below 2^32"
                )
        self._check_assumed(arguments)
        return GemminiCall(self, arguments)

    def __repr__(self) -> str:
        return f"GemminiKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.executor})"


class GemminiCall:
    """One call. run() may be repeated; `result` is what the kernel returns."""

    def __init__(self, kernel: GemminiKernel, arguments: check.Arguments) -> None:
        self.arguments, self._kernel = arguments, kernel

    def run(self) -> None:
        """Compute. Raises RefusedError, HardwareError."""
        kernel, arrays = self._kernel.kernel, self.arguments.arrays
        self._kernel._begin(self.arguments)
        written = [n for n, t in enumerate(kernel.tensors) if t.name in kernel.outputs]
        numbers = [self.arguments.sizes[n] for n in kernel.free_sizes]
        answer = self._kernel.made([arrays[t.name] for t in kernel.tensors], numbers, written=written)
        if answer.code or answer.notes:
            raise HardwareError(f"{kernel.name} on Gemmini answered {answer.code}; {'; '.join(answer.notes)}")

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self._kernel.signature.outputs, self.arguments.arrays
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}
