"""A code of the C as an exception: of its kind, with the C's own text and details from the caller's arrays."""

from __future__ import annotations

from collections.abc import Mapping as Dict

import numpy as np

from isamap_smt.codegen.c_checks import NOT_COVERED
from isamap_smt.codegen.checks import SIZES, VALUES, entry_checks
from isamap_smt.ir.errors import ArgumentError, HardwareError, IsamapError, SizeError
from isamap_smt.ir.hypotheses import Finite, Range
from isamap_smt.ir.program import Program
from isamap_smt.ir.schedule import ZEROS
from isamap_smt.ir.used import Used, misused
from isamap_smt.runtime.arguments import Signature, listed, not_finite, out_of_range

GROUP = 1000


def refusal(
    program: Program, code: int, text: str, arrays: Dict[str, np.ndarray], sizes: Dict[str, int]
) -> IsamapError | MemoryError:
    """The exception for a code that is not 0. `text`: the C's for it."""
    name = program.kernel.name
    if code == 1:
        return MemoryError(f"{name}: no memory for its buffers")
    if code == -1:
        return HardwareError(f"{name}: the system refuses this process the registers that its instructions use")
    if code == NOT_COVERED:
        return HardwareError(f"{name}: {text}")
    if code // GROUP == SIZES // GROUP:
        return SizeError(f"{name}: {text}; it is called with {listed(sizes) or 'no sizes'}")
    if code // GROUP == VALUES // GROUP:
        # The C checks whole vectors and stops at no element: if one is at fault, it is looked up here.
        asked = next((c.asked for c in entry_checks(program) if c.code == code), None)
        match asked:
            case Finite(tensor=t):
                padded = dict.fromkeys(
                    s.tensor(stage) for s in program.schedules for stage in s.stages if stage.padding == ZEROS
                )
                return ArgumentError(not_finite(Signature.of(program.kernel), t, arrays[t], tuple(padded)))
            case Range(tensor=t, low=low, high=high):
                return ArgumentError(out_of_range(Signature.of(program.kernel), t, low, high, arrays[t]))
            case Used():
                fixed = program.kernel.with_sizes({n: v for n, v in sizes.items() if n in program.kernel.free_sizes})
                given = {n: np.asarray(arrays[n]) for n in fixed.inputs}
                return ArgumentError(misused(fixed, asked.at(sizes), given) or f"{name}: {text}")
    return ArgumentError(f"{name}: {text}")
