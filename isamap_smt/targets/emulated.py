"""A kernel that is called like a compiled one, and runs in an emulator: a process for each call, with the arrays in files."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.program import Program
from isamap_smt.runtime.memory import ALIGNMENT
from isamap_smt.targets.elsewhere import ElsewhereKernel
from isamap_smt.targets.emulator import Emulator


class EmulatedKernel(ElsewhereKernel):
    """A program built for another machine, callable on arrays. Constant operands are packed by each call.

    alignment: bytes; arrays start at multiples of it, as near to a page that must not be touched as that allows. With 1 the page
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
