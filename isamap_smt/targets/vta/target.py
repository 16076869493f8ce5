"""VTA as a target: proved programs of its engines as streams of its instructions, run on the model in this process."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, HardwareError, NotProvedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import StagedPlan
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee
from isamap_smt.targets.target import Sources, Target, compiler_missing
from isamap_smt.targets.vta.answer import Report
from isamap_smt.targets.vta.here import HereProgram, Stream, build_here
from isamap_smt.targets.vta.printed import ENGINES, PrintedProgram, in_memory, print_program
from isamap_smt.targets.vta.sources import HEADER

PROGRAM = "program.c"
HERE = "the model of VTA in this process"


class Vta(Target):
    """The machine of `vta`, and descriptions whose C lists its instructions."""

    name = example = "vta"
    timed = False

    def available(self, cc: str | None = None) -> str:
        """Whether there is a C compiler, for the model."""
        return compiler_missing(cc)

    def takes(self, machine: Hardware) -> str:
        """Machines with VTA's engines whose C lists its instructions."""
        listed = all(i.emit and HEADER in i.headers for i in machine.instructions)
        if listed and machine.engines and {e.name for e in machine.engines} <= set(ENGINES):
            return ""
        return f"target vta: the instructions of {machine.name} have no C that lists VTA's; take the machine `vta`"

    def executor(self, machine: Hardware | None = None) -> str:
        """The model."""
        return HERE

    def emit(self, proved: Plan | StagedPlan | ProvedProgram) -> Sources:
        """The program in C. Raises NotProvedError."""
        checked = proved.checked if isinstance(proved, Plan | StagedPlan) else proved
        machine = checked.program.machine
        if machine is None or (why := self.takes(machine)):
            raise HardwareError(
                f"target vta: {checked.program.name} is no program of engines" if machine is None else why
            )
        return {PROGRAM: print_program(checked)}

    def build(self, sources: Sources, *, cc: str | None = None) -> VtaKernel:
        """Raises NotProvedError for text that emit() did not make, and BuildError."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram):
            raise NotProvedError("target vta builds what emit() gave, which belongs to a proved program")
        return VtaKernel(text.checked.program, build_here(text, cc))


class VtaKernel(Callee):
    """A program for VTA, callable on arrays. Its sums begin at 0, or where the kernel says."""

    constants: tuple[str, ...] = ()
    told: tuple[str, ...] = ()  # of the last call

    def __init__(self, program: Program, made: HereProgram) -> None:
        """made: the program, built."""
        super().__init__(program)
        self.made, self.executor = made, HERE

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel, without out=. Raises also SizeError for shapes that VTA's addresses do not
        reach, and RefusedError and DeadlockError of the model."""
        call = self.prepare(*inputs, **options)
        call.run()
        self.told = call.told
        return call.result

    def prepare(
        self, *inputs: Any, out: Any = None, sizes: dict[str, int] | None = None, threads: int = 1, **named: Any
    ) -> VtaCall:
        """A call with its arrays checked."""
        if out is not None:
            raise ArgumentError(f"{self.kernel.name} on VTA begins its sums itself; leave out= out")
        if whole_number(threads, "threads", ArgumentError) != 1:
            raise ArgumentError(f"{self.kernel.name} on VTA runs in one thread; leave threads= out")
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), None, sizes, accumulate=True)
        self._check_assumed(arguments)
        return VtaCall(self, arguments)

    def __repr__(self) -> str:
        return f"VtaKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.executor})"


class VtaCall:
    """One call. run() may be repeated; `result` is what the kernel returns. stream, report: of the last run."""

    def __init__(self, kernel: VtaKernel, arguments: check.Arguments) -> None:
        self.arguments, self._kernel = arguments, kernel
        self.stream: Stream | None = None
        self.report: Report | None = None

    def run(self, seed: int = 0) -> None:
        """Compute, with the engines in the order that the seed chooses. Raises SizeError, RefusedError, DeadlockError, and
        HardwareError for a race."""
        kernel, arrays = self._kernel.kernel, self.arguments.arrays
        self._kernel._begin(self.arguments)
        tensors = in_memory(self._kernel.program)
        written = [n for n, t in enumerate(tensors) if t.name in kernel.outputs]
        numbers = [self.arguments.sizes[n] for n in kernel.free_sizes]
        self.stream, self.report = self._kernel.made(
            [arrays[t.name] for t in tensors], numbers, written=written, names=[t.name for t in tensors], seed=seed
        )
        if self.report.races:
            raise HardwareError(f"{kernel.name} on VTA: a race: {self.report.race}")

    @property
    def told(self) -> tuple[str, ...]:
        """What the last run was, in words; () before it."""
        if self.stream is None or self.report is None:
            return ()
        s, engines = self.stream, self.report.instructions
        counts = ", ".join(f"{n} {name}" for n, name in zip(engines, ENGINES, strict=True))
        return (
            f"{s.listed} uses as {len(s.issues)} instructions ({counts}), {len(s.uops)} micro-ops, {s.tokens} tokens; no race",
        )

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self._kernel.signature.outputs, self.arguments.arrays
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}
