"""C for another machine: a static program of the ziglang compiler, run by QEMU's user-mode emulator."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from isamap_smt.codegen.printed import require_printed
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.features import architectures
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.machine_parameters import vector_bits
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.pipeline.build import printed
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.cache import build_program_for, first_for
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.feature_flags import architecture_of
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.target import is_triple
from isamap_smt.targets.emulated import EmulatedKernel
from isamap_smt.targets.emulated_place import Emulated
from isamap_smt.targets.emulator import INSTALL, Emulator, emulated_architectures, emulator_name, find_emulator
from isamap_smt.targets.target import Sources, Target

KERNEL, CALLER = "kernel.c", "caller.c"


class Cross(Target):
    """The machine of a triple, emulated."""

    example = "aarch64-linux-musl"
    timed = False

    def __init__(self, triple: str) -> None:
        """triple: ARCHITECTURE-linux-musl..., as zig calls it."""
        self.name = triple
        self.architecture = architecture_of(triple)

    @classmethod
    def named(cls, name: str) -> Target | None:
        """The target of a triple."""
        return cls(name) if is_triple(name) else None

    def available(self, cc: str | None = None) -> str:
        """Whether compiler and emulator are there."""
        if not emulator_name(self.architecture) or "-linux-musl" not in self.name:
            return (
                f"target {self.name}: it is no ARCHITECTURE-linux-musl that can be emulated here, such as aarch64-linux-musl; "
                f"known architectures: {', '.join(emulated_architectures())}"
            )
        if find_spec("ziglang") is None:
            return f"target {self.name}: its compiler is not installed; pip install ziglang"
        if find_emulator(self.architecture) is None:
            return f"target {self.name}: {emulator_name(self.architecture)} is not on PATH; {INSTALL}"
        return ""

    def takes(self, machine: Hardware) -> str:
        """Machines that have C for CPUs of this architecture, with vectors as long as the emulator has them."""
        try:
            self._emulator().with_vectors(vector_bits(machine))
        except HardwareError as error:
            return f"target {self.name}: {error}"
        if any(i.emit and all(self.architecture in architectures(f) for f in i.requires) for i in machine.computes):
            return ""
        return (
            f"target {self.name}: no instruction of {machine.name} has C for {self.architecture}; "
            "take other hardware, such as `scalar`, whose code is portable C"
        )

    def executor(self, machine: Hardware | None = None) -> str:
        """The emulator and its version, and how long the machine's vectors are where that is chosen."""
        return self._emulator().with_vectors(vector_bits(machine)).title

    def beforehand(self, cc: str | None = None) -> str:
        """The C library, before the first program."""
        if not first_for(self.name, cc):
            return ""
        return (
            f"the first program for {self.name}: zig compiles that machine's C library for it, a minute or two; it is kept, "
            "and the next programs take seconds"
        )

    def place(self, cc: str | None = None) -> Emulated:
        """The emulator."""
        return Emulated(self.name, self.architecture, self._emulator(), cc)

    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The kernel's C, and C that calls it on arrays from files."""
        caller = Path(__file__).with_name(CALLER).read_text()
        return {KERNEL: printed(proved), CALLER: caller}

    def build(self, sources: Sources, *, cc: str | None = None) -> EmulatedKernel:
        """Built by the compiler of the ziglang wheel, which alone reaches these machines: BuildError where cc names another.

        Instructions that the project does not ship are checked there first: DescriptionError.
        """
        source = require_printed(sources[KERNEL], "build()")
        program = source.checked.program
        used = used_instructions(program)
        requires = {feature for i in used for feature in i.requires}
        notes = require_checked(program, cc, self.place(cc))
        bits = vector_bits(program.schedules[0].hardware if program.parameters else None)
        file = build_program_for(self.name, source, sources[CALLER], requires, cc)
        return EmulatedKernel(program, file, self._emulator().with_vectors(bits), notes)

    def _emulator(self) -> Emulator:
        found = find_emulator(self.architecture)
        if found is None:
            raise HardwareError(self.available())
        return found
