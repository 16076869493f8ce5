"""C for this CPU: a shared library, called in this process."""

from __future__ import annotations

from isamap_smt.codegen.printed import require_printed
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.pipeline.build import printed
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.conformance.place import Here
from isamap_smt.targets.target import Sources, Target, compiler_missing

KERNEL = "kernel.c"


class C(Target):
    """This CPU."""

    name = example = "c"

    def available(self, cc: str | None = None) -> str:
        """Whether there is a C compiler."""
        return compiler_missing(cc)

    def takes(self, machine: Hardware) -> str:
        """'' for every machine with C. Instructions missing on this CPU are told by plan() and build()."""
        return machine.no_c

    def executor(self, machine: Hardware | None = None) -> str:
        """The name of this CPU."""
        from isamap_hardware.host import cpu_name

        return cpu_name()

    def place(self, cc: str | None = None) -> Here:
        """This CPU."""
        return Here(cc)

    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """One file of C."""
        return {KERNEL: printed(proved)}

    def build(self, sources: Sources, *, cc: str | None = None) -> CompiledKernel:
        """As build_program()."""
        return build_program(require_printed(sources[KERNEL], "build()"), cc=cc)
