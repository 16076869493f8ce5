"""Targets of machines with engines: a proved program as C, executed by a model of the machine, and callable on arrays."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, HardwareError, NotProvedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee
from isamap_smt.targets.engines_text import EnginesText
from isamap_smt.targets.target import PrintedProgram, Sources, Target, checked_of, compiler_missing

PROGRAM = "program.c"


class EngineTarget(Target):
    """One machine with engines, and descriptions whose C issues its instructions. The model that executes it needs a C compiler.

    machine: the machine's name in messages. text: what prints its programs.
    """

    timed = False
    machine: ClassVar[str]
    text: ClassVar[type[EnginesText]]

    def available(self, cc: str | None = None) -> str:
        """Whether there is a C compiler, for the model."""
        return compiler_missing(cc)

    @abstractmethod
    def executes(self, machine: Hardware) -> bool:
        """Whether all its instructions are this machine's."""

    def takes(self, machine: Hardware) -> str:
        """Machines with engines whose C issues this machine's instructions."""
        issued = all(i.emit and self.text.header in i.headers for i in machine.instructions)
        if machine.engines and issued and self.executes(machine):
            return ""
        return (
            f"target {self.name}: the instructions of {machine.name} have no C that issues {self.machine}'s; "
            f"take the machine `{self.example}`"
        )

    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The program in C. Raises NotProvedError, HardwareError."""
        checked = checked_of(proved)
        machine = checked.program.machine
        if machine is None or (why := self.takes(machine)):
            raise HardwareError(
                f"target {self.name}: {checked.program.name} is no program of engines" if machine is None else why
            )
        return {PROGRAM: PrintedProgram.of(self.text(checked.program).text(), checked, self.text)}

    def printed(self, sources: Sources) -> PrintedProgram:
        """What emit() gave. Raises NotProvedError for other text."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram) or text.by is not self.text:
            raise NotProvedError(f"target {self.name} builds what emit() gave, which belongs to a proved program")
        return text


class EngineKernel(Callee):
    """A program of engines, callable on arrays. Its sums begin at 0, or where the kernel says.

    machine: in messages. made: the program, built. executor: what runs it, in words. told: of the last call.
    """

    constants: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    machine: ClassVar[str]

    made: Any
    executor: str

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel, without out=. Raises also what the model raises (see prepare().run())."""
        call = self.prepare(*inputs, **options)
        call.run()
        self.told = call.told
        return call.result

    def prepare(
        self, *inputs: Any, out: Any = None, sizes: dict[str, int] | None = None, threads: int = 1, **named: Any
    ) -> EngineCall:
        """A call with its arrays checked. Raises ArgumentError, SizeError."""
        if out is not None:
            raise ArgumentError(
                f"{self.kernel.name} on {self.machine} begins its sums itself; leave out= out, and add to what it gives"
            )
        if whole_number(threads, "threads", ArgumentError) != 1:
            raise ArgumentError(f"{self.kernel.name} on {self.machine} runs in one thread; leave threads= out")
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), None, sizes, accumulate=True)
        self.require_reached(arguments)
        self._check_assumed(arguments)
        return self.call(arguments)

    def require_reached(self, arguments: check.Arguments) -> None:
        """Raise SizeError for what the machine's addresses do not reach."""

    @abstractmethod
    def call(self, arguments: check.Arguments) -> EngineCall:
        """A call with these arrays."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.executor})"


class EngineCall:
    """One call. run() may be repeated; `result` is what the kernel returns; `told`: what the last run was, in words."""

    told: tuple[str, ...] = ()

    def __init__(self, kernel: EngineKernel, arguments: check.Arguments) -> None:
        self.arguments, self.kernel = arguments, kernel

    @abstractmethod
    def run(self) -> None:
        """Compute."""

    def begun(self, tensors: tuple[str, ...]) -> tuple[list[Any], list[int], list[int]]:
        """Arrays of these tensors, outputs as they begin; the kernel's free sizes; and the positions of what is written."""
        self.kernel._begin(self.arguments)
        kernel, arrays = self.kernel.kernel, self.arguments.arrays
        written = [n for n, t in enumerate(tensors) if t in kernel.outputs]
        return [arrays[t] for t in tensors], [self.arguments.sizes[n] for n in kernel.free_sizes], written

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self.kernel.signature.outputs, self.arguments.arrays
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}
