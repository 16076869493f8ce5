"""C for another machine: a static program of the ziglang compiler, run by QEMU's user-mode emulator."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from isamap_smt.codegen.printed import require_printed
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.features import architectures
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import vector_bits
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.pipeline.build import printed
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.cache import build_program_for, first_for
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.outcome import Step
from isamap_smt.runtime.conformance.place import SECONDS, Lack, Run
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.feature_flags import architecture_of
from isamap_smt.runtime.memory import ALIGNMENT
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.target import is_triple
from isamap_smt.targets.elsewhere import ElsewhereKernel
from isamap_smt.targets.emulator import INSTALL, Emulator, emulated_architectures, emulator_name, find_emulator
from isamap_smt.targets.target import Sources, Target

# ---- Instructions run in an emulator, to check what their descriptions say: what runner.py does, in C.


SLOWER = 10  # an emulator than the CPU that it runs on
_CHECKER = Path(__file__).with_name("checker.c")


class Emulated:
    """The machine of a triple, emulated."""

    def __init__(self, triple: str, architecture: str, emulator: Emulator, cc: str | None = None) -> None:
        self.triple, self.architecture, self.program, self.cc = triple, architecture, emulator, cc

    def of(self, machine: Hardware) -> Emulated:
        """With vectors as long as the machine's."""
        program = self.program.with_vectors(vector_bits(machine))
        return Emulated(self.triple, self.architecture, program, self.cc)

    def emulator(self, used: Sequence[Instruction]) -> str:
        """Its name and version."""
        return self.program.title

    def lacks(self, used: Sequence[Instruction]) -> Lack | None:
        """The features found in no CPU of the architecture; None if there are none."""
        lacking = sorted({f for i in used for f in i.requires if self.architecture not in architectures(f)})
        return Lack(f"{self.architecture} has no {', '.join(lacking)}") if lacking else None

    def build(self, text: str, requires: Iterable[str], emulator: str) -> Path:
        """A static program with a table of the functions."""
        numbers = sorted(int(n) for n in re.findall(r"^int isamap_check_(\d+)\(", text, re.MULTILINE))
        rows = "".join(f"    {{{n}, isamap_check_{n}}},\n" for n in numbers)
        table = (
            "const struct { int64_t number; int (*call)(int64_t, int64_t, char **, char **, const int64_t *); }\n"
            f"isamap_check_table[] = {{\n{rows}}};\nconst int64_t isamap_check_rows = {len(numbers)};\n"
        )
        return build_program_for(self.triple, f"{text}\n{table}", _CHECKER.read_text(), requires, self.cc)

    @contextmanager
    def opened(self) -> Iterator[Run]:
        """The emulator, started for each run."""
        yield self._run

    def _run(
        self, built: Path, arena: Arena, answers: int, steps: Sequence[Step], scratch: Path
    ) -> subprocess.CompletedProcess[str]:
        """Run the checker on the input of a fork of runner.py, written as numbers."""
        memory, told = scratch / "memory", scratch / "calls"
        arena.write(memory)
        numbers = [arena.end, answers, int(SLOWER * SECONDS)]
        numbers += _counted([n for protection in arena.protections for n in protection])
        numbers.append(len(steps))
        for step in steps:
            numbers.append(len(step.calls))
            numbers += [n for call in step.calls for n in _words(call)]
        told.write_bytes(np.array([len(numbers), *numbers], "<i8").tobytes())
        command = [*self.program.command, str(built), str(told), str(memory)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch)


def _words(call: tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, int, int]) -> Iterator[int]:
    function, start, end, numbers, *rest = call
    yield int(function.rsplit("_", 1)[-1])
    for some in (start, end, numbers):
        yield from _counted(some)
    yield from rest


def _counted(numbers: Sequence[int]) -> list[int]:
    return [len(numbers), *numbers]


# ---- A kernel that is called like a compiled one, and runs in an emulator: a process for each call, with the arrays in
# files.


class EmulatedKernel(ElsewhereKernel):
    """A program built for another machine, callable on arrays. Constant operands are packed by each call.

    alignment: bytes. Arrays start at multiples of it, as near to a forbidden page as this allows. With 1, the page
    follows each array's last byte.
    """

    def __init__(self, program: Program, file: Path, emulator: Emulator, notes: tuple[str, ...] = ()) -> None:
        """file: the program, linked with caller.c."""
        super().__init__(program)
        self.file, self.emulator, self.notes, self.alignment = file, emulator, notes, ALIGNMENT

    def answer(self, arrays: Sequence[np.ndarray], numbers: Sequence[int], threads: int) -> tuple[int, str]:
        """In the emulator; as ElsewhereKernel."""
        with tempfile.TemporaryDirectory(prefix="isamap-call-") as scratch:
            call, answer = Path(scratch) / "call", Path(scratch) / "answer"
            self._write(call, arrays, numbers, threads)
            command = [*self.emulator.command, str(self.file), str(call), str(answer)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise HardwareError(_failed(self, done.returncode, done.stderr))
            return self._read(answer.read_bytes(), arrays)

    def _write(self, file: Path, arrays: Sequence[np.ndarray], numbers: Sequence[int], threads: int) -> None:
        head = [threads, self.alignment, self.buffers, len(numbers), len(arrays)]
        written = [int(n in self.written) for n in range(len(arrays))]
        with file.open("wb") as to:
            to.write(np.array([*head, *numbers, *(a.nbytes for a in arrays), *written], "<i8").tobytes())
            for array in arrays:
                to.write(array.tobytes())

    def _read(self, said: bytes, arrays: Sequence[np.ndarray]) -> tuple[int, str]:
        code = int(np.frombuffer(said[:8], "<i8")[0])
        if code:
            return code, said[8:].decode()
        position = 8
        for array in (arrays[n] for n in self.written):
            array[...] = np.frombuffer(said, array.dtype, array.size, position).reshape(array.shape)
            position += array.nbytes
        return 0, ""

    def __repr__(self) -> str:
        return f"EmulatedKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.emulator.title})"


def _failed(kernel: EmulatedKernel, status: int, said: str) -> str:
    how = (
        f"was ended by {signal.Signals(-status).name}"
        if -status in list(signal.Signals)
        else f"ended with status {status}"
    )
    last = said.strip().splitlines()[-1:] or ["it said nothing"]
    return f"{kernel.kernel.name} under {kernel.emulator.title} {how}: {last[0]}"


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
        """'' for a machine with C for this architecture, and vectors of a length known to the emulator; else why not."""
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
        """The emulator and its version, and the length of the machine's vectors if one is chosen."""
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
        """The kernel's C, and C to call it on arrays from files."""
        caller = Path(__file__).with_name(CALLER).read_text()
        return {KERNEL: printed(proved), CALLER: caller}

    def build(self, sources: Sources, *, cc: str | None = None) -> EmulatedKernel:
        """Built by the compiler of the ziglang wheel, the only one for these machines: BuildError if cc names another.

        Instructions not shipped with the project are checked there first: DescriptionError.
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
