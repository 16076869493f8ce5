"""A kernel that is called like a compiled one, and runs in an emulator: a process for each call, with the arrays in files."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.codegen.checks import BEGIN, TRUST_FINITE, TRUST_RANGES
from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, HardwareError
from isamap_smt.ir.program import Alloc, Program
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee
from isamap_smt.runtime.memory import ALIGNMENT
from isamap_smt.runtime.refusals import refusal
from isamap_smt.targets.emulator import Emulator


class EmulatedKernel(Callee):
    """A program built for another machine, callable on arrays. Constant operands are packed by each call.

    alignment: bytes; arrays start at multiples of it, as near to a page that must not be touched as that allows. With 1 the page
    follows each array's last byte.
    """

    constants: tuple[str, ...] = ()

    def __init__(self, program: Program, file: Path, emulator: Emulator, notes: tuple[str, ...] = ()) -> None:
        """file: the program, linked with caller.c."""
        super().__init__(program)
        self.file, self.emulator, self.notes, self.alignment = file, emulator, notes, ALIGNMENT

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel. Raises also HardwareError where the program ends before it answers."""
        call = self.prepare(*inputs, **options)
        call.run()
        return call.result

    def prepare(
        self,
        *inputs: Any,
        out: Any = None,
        sizes: Dict[str, int] | None = None,
        threads: int = 1,
        check_finite: bool = True,
        check_ranges: bool = True,
        **named: Any,
    ) -> EmulatedCall:
        """A call with everything checked that Python sees; the C checks the rest when it runs."""
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), out, sizes)
        how = (BEGIN if arguments.fresh else 0) | (0 if check_finite else TRUST_FINITE)
        how |= 0 if check_ranges else TRUST_RANGES
        return EmulatedCall(self, arguments, how, whole_number(threads, "threads", ArgumentError))

    def __repr__(self) -> str:
        return f"EmulatedKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.emulator.title})"


class EmulatedCall:
    """One call. run() may be repeated; `result` is what the kernel returns."""

    def __init__(self, kernel: EmulatedKernel, arguments: check.Arguments, how: int, threads: int) -> None:
        self.arguments = arguments
        self._kernel, self._how, self._threads = kernel, how, threads

    def run(self) -> None:
        """Compute in a new process. Raises what the kernel refuses, and HardwareError where the process fails."""
        kernel, arrays = self._kernel, self.arguments.arrays
        for name in kernel.kernel.temporaries:
            if name not in kernel.program.starts:
                kernel._begin(name, arrays[name])
        with tempfile.TemporaryDirectory(prefix="isamap-call-") as scratch:
            call, answer = Path(scratch) / "call", Path(scratch) / "answer"
            self._write(call)
            command = [*kernel.emulator.command, str(kernel.file), str(call), str(answer)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise HardwareError(_failed(kernel, done.returncode, done.stderr))
            self._read(answer.read_bytes())

    def _write(self, file: Path) -> None:
        kernel = self._kernel
        arrays = [self.arguments.arrays[t.name] for t in kernel.kernel.tensors]
        sizes = [*(self.arguments.sizes[n] for n in kernel.signature.free_sizes), self._how]
        buffers = sum(isinstance(n, Alloc) for n in kernel.program.ahead)
        head = [self._threads, kernel.alignment, buffers, len(sizes), len(arrays)]
        written = [int(t.name in kernel.kernel.outputs) for t in kernel.kernel.tensors]
        with file.open("wb") as to:
            to.write(np.array([*head, *sizes, *(a.nbytes for a in arrays), *written], "<i8").tobytes())
            for array in arrays:
                to.write(array.tobytes())

    def _read(self, said: bytes) -> None:
        kernel, arguments = self._kernel, self.arguments
        code = int(np.frombuffer(said[:8], "<i8")[0])
        if code:
            raise refusal(kernel.program, code, said[8:].decode(), arguments.arrays, arguments.sizes)
        position = 8
        for tensor in kernel.kernel.tensors:
            if tensor.name in kernel.kernel.outputs:
                array = arguments.arrays[tensor.name]
                array[...] = np.frombuffer(said, array.dtype, array.size, position).reshape(array.shape)
                position += array.nbytes

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self._kernel.signature.outputs, self.arguments.arrays
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}


def _failed(kernel: EmulatedKernel, status: int, said: str) -> str:
    how = (
        f"was ended by {signal.Signals(-status).name}"
        if -status in list(signal.Signals)
        else f"ended with status {status}"
    )
    last = said.strip().splitlines()[-1:] or ["it said nothing"]
    return f"{kernel.kernel.name} under {kernel.emulator.title} {how}: {last[0]}"
