"""C for RISC-V with vectors, run bare by Spike at the vector length of a machine.

The kernel is compiled as for riscv64-linux-musl, and linked with start-up code for a machine without an operating
system. Spike leaves agnostic elements of vectors as they were; QEMU fills them with ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from isamap_smt.codegen.printed import require_printed
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.features import architectures
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.machine_parameters import vector_bits
from isamap_smt.ir.program import Parallel, Program, ProvedProgram
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.pipeline.build import printed
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.cache import build_bare
from isamap_smt.runtime.compiler import find_compiler, object_flags
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.target import check_target
from isamap_smt.targets.elsewhere import ElsewhereKernel
from isamap_smt.targets.spike import process
from isamap_smt.targets.target import Sources, Target

KERNEL, CALLER = "kernel.c", "call_kernel.c"
COMPILED, ARCHITECTURE = "riscv64-linux-musl", "riscv64"  # of that triple are the headers and the calling convention
LENGTHS = tuple(128 << n for n in range(6))  # bits; Spike refuses longer ones
HEAP, HEAP_BYTES = 0xC000_0000, 0x3000_0000  # between the program and the arrays
TEXT = 512  # bytes, in guest/kernel.c
_APART = ("-mcmodel=medany", "-fno-pic")


class SpikeVectors(Target):
    """Spike as a CPU: rv64gcv with vectors of 128 to 4096 bits."""

    name = example = "riscv64-spike"
    timed = False

    def available(self, cc: str | None = None) -> str:
        """'' if the compiler, Spike and the programs it starts are there; else the missing piece."""
        return process.missing(f"target {self.name}")

    def takes(self, machine: Hardware) -> str:
        """'' for a machine with C for RISC-V, and vectors of one of Spike's lengths; else why not."""
        if machine.engines:
            return f"target {self.name}: {machine.name} has engines, which no C of it drives; use --target simulate"
        if not any(i.emit and all(ARCHITECTURE in architectures(f) for f in i.requires) for i in machine.computes):
            return (
                f"target {self.name}: no instruction of {machine.name} has C for {ARCHITECTURE}; "
                "take other hardware, such as `rvv`, or `scalar`, whose code is portable C"
            )
        bits = vector_bits(machine)
        if bits and bits not in LENGTHS:
            lengths = ", ".join(map(str, LENGTHS))
            has = f"{machine.name} has {bits} here; choose one with --set"
            return f"target {self.name}: Spike has vectors of {lengths} bits, and {has}"
        return ""

    def executor(self, machine: Hardware | None = None) -> str:
        """Spike with its version, and the length of the machine's vectors if one is chosen."""
        bits = vector_bits(machine)
        return process.title() + (f", vectors of {bits} bits" if bits else "")

    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The kernel's C, and C to call it."""
        return {KERNEL: printed(proved), CALLER: (process.GUEST / "kernel.c").read_text()}

    def build(self, sources: Sources, *, cc: str | None = None) -> SpikeKernel:
        """Built by the compiler of the ziglang wheel: BuildError if cc names another.

        Raises HardwareError for a program refused by Spike, such as one with a loop shared by threads.
        """
        source = require_printed(sources[KERNEL], "build()")
        program = source.checked.program
        machine = program.schedules[0].hardware if program.schedules else None
        if why := self.available() or (self.takes(machine) if machine else ""):
            raise HardwareError(why)
        if any(nodes_of(Parallel, program)):
            raise HardwareError(
                f"{program.kernel.name} has a loop that threads share, and Spike runs one thread here; plan it with --threads 1"
            )
        requires = {feature for i in used_instructions(program) for feature in i.requires}
        check_target(COMPILED, requires)
        notes = require_checked(program, cc)
        compiler = find_compiler(cc or "zig")
        beside = {CALLER: sources[CALLER], **process.guest_files()}
        apart = [*object_flags(compiler, requires, COMPILED), *_APART]
        file = build_bare(source, beside, (*process.BARE, CALLER), cc, apart)
        return SpikeKernel(program, file, vector_bits(machine) or LENGTHS[0], notes)


class SpikeKernel(ElsewhereKernel):
    """A program linked for Spike, callable on arrays. Behind the last byte of each array there is no memory.

    bits: how long vectors are; one of LENGTHS.
    """

    def __init__(self, program: Program, file: Path, bits: int, notes: tuple[str, ...] = ()) -> None:
        """file: the program, linked with guest/kernel.c."""
        super().__init__(program)
        self.file, self.bits, self.notes = file, bits, notes

    def answer(self, arrays: Sequence[np.ndarray], numbers: Sequence[int], threads: int) -> tuple[int, str]:
        """In Spike; as ElsewhereKernel."""
        heap = f"{HEAP:#x}:{HEAP_BYTES:#x}"
        bare = process.BareProgram(self.file, (f"--isa=rv64gcv_zvl{self.bits}b",), heap=heap)
        text = np.zeros(TEXT, np.uint8)
        passed = [text, *(np.array(a, order="C") for a in arrays)]
        code, _ = bare(
            passed, [HEAP, HEAP_BYTES, threads, self.buffers, *numbers], written=[0, *(n + 1 for n in self.written)]
        )
        if code:
            return code, text.tobytes().partition(b"\0")[0].decode()
        for n in self.written:
            arrays[n][...] = passed[n + 1]
        return 0, ""

    def __repr__(self) -> str:
        where = f"{process.title()}, vectors of {self.bits} bits"
        return f"SpikeKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {where})"
