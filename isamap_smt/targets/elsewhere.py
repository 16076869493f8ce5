"""A kernel called like a compiled one, but run in another process, on another machine: the part common to all of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from typing import Any

import numpy as np

from isamap_smt.codegen.checks import BEGIN
from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.program import Alloc
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee, unchecked
from isamap_smt.runtime.refusals import refusal


class ElsewhereKernel(Callee):
    """A program built for another machine, callable on arrays. Constant operands are packed by each call."""

    constants: tuple[str, ...] = ()

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel. Raises also HardwareError if the program ends before it answers."""
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
        accumulate: bool = True,
        **named: Any,
    ) -> ElsewhereCall:
        """A call, with every check possible in Python done; the C checks the rest at its run."""
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), out, sizes, accumulate)
        how = (BEGIN if arguments.fresh else 0) | unchecked(check_finite, check_ranges)
        return ElsewhereCall(self, arguments, how, whole_number(threads, "threads", ArgumentError))

    @property
    def buffers(self) -> int:
        """How many buffers the program packs ahead."""
        return sum(isinstance(n, Alloc) for n in self.program.ahead)

    @property
    def written(self) -> list[int]:
        """Positions of the written tensors, in their order."""
        return [n for n, t in enumerate(self.kernel.tensors) if t.name in self.kernel.outputs]

    @abstractmethod
    def answer(self, arrays: Sequence[np.ndarray], numbers: Sequence[int], threads: int) -> tuple[int, str]:
        """Run once: the C's code and its text. arrays: the tensors'; if the code is 0, the written ones have changed.

        numbers: the C's sizes. Raises HardwareError if the program ends before it answers.
        """


class ElsewhereCall:
    """One call. run() may be repeated; `result` is the kernel's result."""

    def __init__(self, kernel: ElsewhereKernel, arguments: check.Arguments, how: int, threads: int) -> None:
        self.arguments = arguments
        self._kernel, self._how, self._threads = kernel, how, threads

    def run(self) -> None:
        """Compute in a new process. Raises the kernel's refusals, and HardwareError if the process fails."""
        self.arguments.take()
        kernel, arrays = self._kernel, dict(self.arguments.arrays)
        for name in self.arguments.begun:  # the caller's own change when nothing was refused
            arrays[name] = np.full_like(arrays[name], kernel.first(name)[()])
        numbers = [*(self.arguments.sizes[n] for n in kernel.signature.free_sizes), self._how]
        code, text = kernel.answer([arrays[t.name] for t in kernel.kernel.tensors], numbers, self._threads)
        if code:
            raise refusal(kernel.program, code, text, arrays, self.arguments.sizes)
        for name in self.arguments.begun:
            self.arguments.arrays[name][...] = arrays[name]
        self.arguments.give()

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self._kernel.signature.outputs, self.arguments.results
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}
