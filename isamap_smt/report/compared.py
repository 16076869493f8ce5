"""The figures beside a speed: the CPU's name, the peak of one instruction at the clock just then, and NumPy on the same arrays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.scalar import Read, SMul
from isamap_smt.machine_model.calibration import identity
from isamap_smt.report.roofline import peak
from isamap_smt.runtime.measure import arrays_for, best_time, speed


@dataclass(frozen=True)
class Beside:
    """Operations a nanosecond of the machine's peak and of NumPy, on as many threads; None if unknown."""

    peak: float | None = None
    numpy: float | None = None


def beside(
    planned: Any, kernel: Kernel, clock: float | None, threads: int = 1, seed: int = 0, budget: float = 1.0
) -> Beside:
    """The figures to compare with a Plan's speed on `threads`.

    kernel: at known sizes; clock: in GHz, just then; budget: seconds of NumPy.
    Only one statement on one thread has a peak, and only contractions, for which NumPy has BLAS, have its speed.
    """
    alone = len(kernel.statements) == 1 and threads == 1
    peaked = peak(planned.instruction) * clock if alone and clock and planned.instruction else None
    return Beside(peaked, _numpy(kernel, threads, seed, budget))


def _numpy(kernel: Kernel, threads: int, seed: int, budget: float) -> float | None:
    first, *others = kernel.statements
    if others or not _is_contraction(kernel, first):
        return None
    a, b = (Access(r.tensor, r.index) for r in first.value.args)
    arrays = arrays_for(kernel, seed)
    letters = {str(x.name): chr(97 + n) for n, x in enumerate(first.axes)}
    of_a, of_b, to = ("".join(letters[str(x)] for x in access.index) for access in (a, b, first.target))
    with threadpool_limits(threads):
        (times,) = best_time(
            [lambda: np.einsum(f"{of_a},{of_b}->{to}", arrays[a.tensor], arrays[b.tensor], optimize=True)], budget
        )
    return speed(kernel, times)


def _is_contraction(kernel: Kernel, s: Statement) -> bool:
    """A sum of products over plain axes, each in two of the three tensors, all f32 or all f64: NumPy gives these to BLAS."""
    if s.op != "+" or s.guard or not isinstance(s.value, SMul) or not all(isinstance(x, Read) for x in s.value.args):
        return False
    accesses = [s.target, *(Access(r.tensor, r.index) for r in s.value.args)]
    indices = [str(i) for a in accesses for i in a.index]
    plain = all(s.extents_of(a.index) == kernel.tensor(a.tensor).shape for a in accesses)
    types = {str(kernel.tensor(a.tensor).dtype) for a in accesses}
    return plain and all(indices.count(a.name) == 2 for a in s.axes) and types in ({"f32"}, {"f64"})


def processor() -> str:
    """This CPU's model name without trade marks and clock: `Intel Xeon`."""
    model = identity().processor.partition(" (")[0]
    return " ".join(re.sub(r"\((R|TM|tm)\)|@.*|\b(CPU|Processor)\b", " ", model).split())
