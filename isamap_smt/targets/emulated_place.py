"""Instructions run in an emulator, to check what their descriptions say: what runner.py does, in C."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from isamap_smt.ir.features import architectures
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import vector_bits
from isamap_smt.runtime.cache import build_program_for
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.outcome import Step
from isamap_smt.runtime.conformance.place import SECONDS, Lack
from isamap_smt.targets.emulator import Emulator

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
        """Features that no CPU of the architecture has."""
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

    def start(
        self, built: Path, arena: Arena, answers: int, steps: Sequence[Step], scratch: Path
    ) -> subprocess.CompletedProcess[str]:
        """The emulator, on what runner.py reads, as numbers."""
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
