"""Programs for Gemmini in Spike: a bare RISC-V machine whose custom-3 instructions the model executes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from isamap_smt.ir.errors import HardwareError
from isamap_smt.runtime.cache import build_bare
from isamap_smt.targets.gemmini import extension
from isamap_smt.targets.gemmini.answer import Answer, RefusedError
from isamap_smt.targets.gemmini.model import build_model
from isamap_smt.targets.gemmini.sources import GUEST, HEADER
from isamap_smt.targets.spike import process
from isamap_smt.targets.spike.process import SECONDS, BareProgram, EndedError, title

__all__ = ["SpikeProgram", "build_for_spike", "missing", "title"]

_FLAGS = (*process.BARE, "-Dguest_program=gemmini_program")
_OPTIONS = ("--isa=rv64gc", f"--extension={extension.NAME}", f"--extlib={extension.__file__}")


def missing() -> str:
    """'' if programs can be built and run here; else the missing piece, and how to install it."""
    return process.missing("Gemmini in Spike")


def build_for_spike(program: str) -> SpikeProgram:
    """program: C including gemmini_isa.h and defining gemmini_program.

    Raises BuildError, and HardwareError if something is missing.
    """
    if why := missing():
        raise HardwareError(why)
    beside = {HEADER: (GUEST / HEADER).read_text(), **process.guest_files()}
    return SpikeProgram(build_bare(program, beside, _FLAGS), build_model())


class SpikeProgram:
    """A program, callable on arrays: a process of Spike for each call. Behind the last byte of each array there is no memory."""

    def __init__(self, program: Path, model: Path) -> None:
        """program: an ELF file. model: the library of build_model()."""
        self._bare = BareProgram(program, _OPTIONS, {extension.LIBRARY: str(model)})

    def __call__(
        self,
        arrays: Sequence[np.ndarray],
        numbers: Sequence[int] = (),
        *,
        written: Collection[int],
        seconds: float = SECONDS,
    ) -> Answer:
        """Run on a machine with nothing written yet.

        arrays: in the program's order; those with positions in `written` are changed. numbers: of 64 bits. seconds: the
        time limit. Raises RefusedError, and HardwareError if the program ends before it answers.
        """
        try:
            code, lines = self._bare(arrays, numbers, written=written, seconds=seconds)
        except EndedError as ended:
            if ended.status != extension.REFUSED:
                raise
            line = next(n for n in ended.lines if n.startswith(extension.ERROR))
            why, text = line.removeprefix(extension.ERROR).split(" ", maxsplit=1)
            raise RefusedError(int(why), text) from None
        return Answer(code, tuple(n.removeprefix(extension.NOTE) for n in lines if n.startswith(extension.NOTE)))
