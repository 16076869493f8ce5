"""A callable program: the checks of a call's arrays in Python, wherever the program then runs."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.codegen.checks import TRUST_FINITE, TRUST_RANGES
from isamap_smt.ir.arguments import valid_sizes, yes_or_no
from isamap_smt.ir.errors import ArgumentError, SizeError
from isamap_smt.ir.hypotheses import Range, inside, require_assumed
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown
from isamap_smt.ir.program import Program
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.memory import aligned_empty
from isamap_smt.runtime.packing import assumed_ranges

_SHAPES_KEPT = 1024


def unchecked(check_finite: Any, check_ranges: Any) -> int:
    """The checks declined by the caller, as the C takes them. Raises ArgumentError for anything but True and False."""
    finite = yes_or_no(check_finite, "check_finite", ArgumentError)
    ranges = yes_or_no(check_ranges, "check_ranges", ArgumentError)
    return (0 if finite else TRUST_FINITE) | (0 if ranges else TRUST_RANGES)


class Callee(Shown):
    """A program with the needs of its calls: the kernel's signature, the ranges assumed by its proof, and notes for the user.

    zeroed: outputs added to only from 0, since an instruction saturates them. looked_at: these, and outputs of bool that go
    on from their contents: each call looks at them.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kernel: Kernel = program.kernel
        self.signature = check.Signature.of(program.kernel)
        self.ranges = assumed_ranges(program)
        assumed = {h for x in program.schedules for h in x.proved.proof.hypotheses}
        self.zeroed = tuple(n for n in program.kernel.results if Range(n, 0, 0) in assumed)
        self.notes: tuple[str, ...] = ()
        self.looked_at = (*self.zeroed, *(n for n in program.bools if n in program.kernel.results))
        self.started = frozenset(program.unfilled)
        self._fits: dict[Any, Dict[str, int]] = {}

    def _arguments(
        self,
        arrays: Dict[str, np.ndarray],
        out: Any,
        given: Dict[str, int] | None,
        accumulate: Any,
        work: Dict[str, np.ndarray] | None = None,
    ) -> check.Arguments:
        """The checked arguments. Outputs not passed by the caller are made, and so are temporaries except `work`.

        Everything the C cannot see is checked. accumulate: outputs passed by the caller are added to. Nothing is filled yet.
        """
        signature, add = self.signature, yes_or_no(accumulate, "accumulate", ArgumentError)
        missing = [n for n in signature.inputs if n not in arrays]
        if missing:
            taken = [
                n for n in missing if n in ("out", "sizes", "threads", "check_finite", "check_ranges", "accumulate")
            ]
            hint = f"; {taken[0]}= is an option of the call, so pass the arrays by position" if taken else ""
            raise ArgumentError(f"{signature.name}: no array for {', '.join(missing)}{hint}")
        own = check.outputs_of(signature, out)
        copies = check.copies(signature, own, arrays)
        results = {**own, **copies}
        for name, array in (*arrays.items(), *results.items()):
            check.check_array(signature, name, array, written=name in results)
        everything = {**arrays, **results, **self._work(work or {})}
        sizes = self._sizes_of(everything, given)
        fresh = not (results and add)
        for name in self.kernel.outputs:
            if name not in everything:
                everything[name] = self._made(name, sizes)
        begun = (n for n in self.kernel.outputs if fresh or n not in results)
        here = tuple(n for n in begun if n not in self.started or not (fresh or n in self.kernel.temporaries))
        return check.Arguments(everything, sizes, tuple(results), fresh, here, {n: own[n] for n in copies})

    def _work(self, given: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
        """Arrays for temporaries. Raises as check_array() does, and ArgumentError for another name."""
        for name, array in given.items():
            if name not in self.kernel.temporaries:
                raise ArgumentError(f"{self.kernel.name} has no temporary {name!r}")
            check.check_array(self.signature, name, array, written=True)
        return given

    def _check_assumed(self, arguments: check.Arguments) -> None:
        """Raise ArgumentError or AssumedError if the call breaks the proof's assumptions: for programs whose C does not look."""
        self._check_ranges(arguments.arrays)
        require_assumed(self.kernel, self.program.hypotheses, arguments.sizes, arguments.arrays)

    def _check_ranges(self, arrays: Dict[str, np.ndarray]) -> None:
        """Raise ArgumentError unless elements lie in the ranges assumed by the proof: for programs whose C does not look."""
        for name, low, high in self.ranges:
            if not inside(arrays[name], low, high).all():
                raise ArgumentError(check.out_of_proved(self.signature, name, low, high, arrays[name]))

    def _sizes_of(self, arrays: Dict[str, np.ndarray], given: Dict[str, int] | None) -> Dict[str, int]:
        """The sizes meant by these shapes, checked; shapes seen before are not worked out again."""
        given = valid_sizes(given)
        key = (tuple((n, a.shape) for n, a in arrays.items()), tuple(sorted(given.items())))
        sizes = self._fits.get(key)
        if sizes is None:
            sizes = check.infer_sizes(self.signature, arrays, given)
            check.missing_sizes(self.signature, arrays, sizes)
            check.check_shapes(self.signature, arrays, sizes)
            if len(self._fits) < _SHAPES_KEPT:
                self._fits[key] = sizes
        return sizes

    def _made(self, name: str, sizes: Dict[str, int]) -> np.ndarray:
        """An uninitialised array for an output not given. Raises SizeError if it does not fit into memory."""
        tensor = self.signature.tensors[name]
        shape = check.tensor_shape(tensor, sizes)
        try:
            return aligned_empty(shape, tensor.dtype.numpy)
        except MemoryError:
            raise SizeError(
                f"{name} has shape {list(shape)}, which does not fit into memory; give smaller sizes"
            ) from None

    def _begin(self, arguments: check.Arguments) -> None:
        """Fill the arrays that begin at the neutral element, except those begun by the program."""
        for name in arguments.begun:
            arguments.arrays[name].fill(self.first(name)[()])

    def first(self, name: str) -> np.ndarray:
        """The neutral element of the first statement writing it, as an array without dimensions."""
        op = next(s.op for s in self.kernel.statements if s.target.tensor == name)
        dtype = self.signature.tensors[name].dtype
        return np.full((), neutral(op, dtype), dtype.numpy)
