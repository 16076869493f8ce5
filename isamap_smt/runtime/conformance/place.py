"""Places to run instructions for a check: this CPU, by a process of Python's, or any other Place."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from isamap_smt.ir.features import architectures
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.outcome import Step
from isamap_smt.runtime.feature_flags import own_architecture
from isamap_smt.runtime.simde import find_simde

SECONDS = 2.0  # of processor time for one call
_RUNNER = Path(__file__).with_name("runner.py")


@dataclass(frozen=True)
class Lack:
    """Why instructions cannot be run. features: those missing on this CPU."""

    why: str
    features: tuple[str, ...] = ()


# (built, arena, place of the answers in it, steps, an empty directory) -> how the process of these calls ended
Run = Callable[[Path, Arena, int, Sequence[Step], Path], subprocess.CompletedProcess[str]]


class Place(Protocol):
    """Builds functions of isamap_smt.runtime.conformance.source and calls them in a process of its own."""

    def of(self, machine: Hardware) -> Place:
        """The place with the machine's values for its choices, such as the length of vectors. Raises HardwareError."""

    def emulator(self, used: Sequence[Instruction]) -> str:
        """The emulator for these instructions; '' for none."""

    def lacks(self, used: Sequence[Instruction]) -> Lack | None:
        """Why these instructions cannot be run; None if they can."""

    def build(self, text: str, requires: Iterable[str], emulator: str) -> Path:
        """The C, built. Raises BuildError."""

    def opened(self) -> AbstractContextManager[Run]:
        """Runs calls on arenas as runner.py does, each time in a process of its own, until the context is left."""


class Here:
    """This CPU; x86 instructions it lacks are emulated by SIMDe if that is installed.

    cc: as for build(). emulate: all by SIMDe; None: those this CPU lacks.
    """

    def __init__(self, cc: str | None = None, emulate: bool | None = None) -> None:
        self.cc, self.emulate = cc, emulate

    def of(self, machine: Hardware) -> Here:
        """This CPU chooses nothing."""
        return self

    def emulator(self, used: Sequence[Instruction]) -> str:
        """SIMDe, or nothing."""
        emulated = bool(missing_features(used)) if self.emulate is None else self.emulate
        return "SIMDe" if emulated else ""

    def lacks(self, used: Sequence[Instruction]) -> Lack | None:
        """Why SIMDe cannot help."""
        lacking = tuple(missing_features(used))
        why = f"this CPU has no {', '.join(lacking)}, and " if lacking else ""
        if any(own_architecture() not in architectures(f) for f in lacking):
            return Lack(f"{why}it is {own_architecture()}; name a machine that has them with --target", lacking)
        if self.emulator(used) and find_simde() is None:
            return Lack(f"{why}SIMDe (libsimde-dev) is not installed", lacking)
        return None

    def build(self, text: str, requires: Iterable[str], emulator: str) -> Path:
        """A shared library."""
        return build_library(text, requires, cc=self.cc, simde=bool(emulator))

    @contextmanager
    def opened(self) -> Iterator[Run]:
        """Python, with nothing but its standard library, started once: each run is a fork of it."""
        with _Forks() as forks:
            yield forks.run


class _Forks:
    """runner.py, started at the first run. It leads a process group, so its forks end with it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> _Forks:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()

    def run(
        self, built: Path, arena: Arena, answers: int, steps: Sequence[Step], scratch: Path
    ) -> subprocess.CompletedProcess[str]:
        """The calls in a fork; how it ended, or the runner itself."""
        memory, calls, errors = (scratch / n for n in ("memory", "calls.json", "errors"))
        arena.write(memory)
        told = {
            "library": str(built), "memory": str(memory), "size": arena.end, "protections": arena.protections,
            "calls": [s.calls for s in steps], "answers": answers, "seconds": SECONDS,
        }  # fmt: skip
        calls.write_text(json.dumps(told))
        if self._process is None:
            command, pipe = [sys.executable, "-I", "-S", str(_RUNNER)], subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, process_group=0)
        runner = self._process
        assert runner.stdin and runner.stdout
        with suppress(BrokenPipeError):
            runner.stdin.write(json.dumps([str(calls), str(errors)]) + "\n")
            runner.stdin.flush()
        if answer := runner.stdout.readline():
            return subprocess.CompletedProcess(runner.args, int(answer), "", errors.read_text(errors="replace"))
        _, said = runner.communicate()
        return subprocess.CompletedProcess(runner.args, runner.returncode, "", said)
