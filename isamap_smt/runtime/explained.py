"""The possible rounding error of a program, for the expressions its instructions really compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.arguments import valid_sizes
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.near import Near
from isamap_smt.ir.online import Online
from isamap_smt.ir.program import Program
from isamap_smt.ir.rewrite import ProvedSplit
from isamap_smt.ir.rounding_bound import Bound, widest
from isamap_smt.ir.rounding_bound import rounding_bound as bound_of_kernel
from isamap_smt.ir.rounding_error import rounding_error as of_kernel
from isamap_smt.ir.rounding_notes import few_digits
from isamap_smt.language.library import found_kernel
from isamap_smt.language.printer import statement_text
from isamap_smt.proof.rounded_as import computed_by, rounds_as_written

FOLLOWED = 500_000  # points at each of which a run looks at the rounding


def rounding_error(
    of: Kernel | Any, arrays: Mapping[str, np.ndarray], sizes: Mapping[str, int] | None = None
) -> dict[str, Near]:
    """Output name -> `value` and `error` of its elements for these arrays.

    The exact result, and that of any program of the kernel with sums in any order, both lie within the error of the
    value. Infinity: nothing is said of that element.
    of: a kernel; or a plan, a program or a compiled kernel, whose instructions may compute other expressions, equal over
    the reals. Raises SizeError if there are too many points, or if an instruction rounds in a way of its own.
    """
    if isinstance(of, (Kernel, str)) or of is None:
        return of_kernel(found_kernel(of), arrays, sizes)
    kernel, trees = computed_by(_program(of))
    return of_kernel(kernel, arrays, _known(kernel, sizes), trees)


def rounding_bound(
    of: Kernel | Any, ranges: Mapping[str, tuple[float, float]], sizes: Mapping[str, int] | None = None
) -> dict[str, Bound]:
    """Output name -> an error bound and the range of its elements, for all inputs within these ranges; without a run.

    It holds for calls that add to nothing.
    of: as for rounding_error(). ranges: input -> least and greatest element; integers have those of their type if none is given.
    Raises SizeError for open sizes, recurrences (of running maxima, plan.notes say it), and if an instruction rounds in a way of
    its own; UnknownNameError for an input without a range, RangeError for a range that is none.
    """
    if isinstance(of, (Kernel, str)) or of is None:
        return bound_of_kernel(found_kernel(of), ranges, sizes)
    program, sizes = _program(of), valid_sizes(sizes)
    split: ProvedSplit | None = getattr(of, "split", None)
    if split is not None and any(isinstance(x, Online) for x in split.split.chain):
        raise SizeError(
            f"{split.split.origin.name} takes {split.split.chain[0]}: no bound from ranges is known; plan.notes say what is known "
            "of each sum, for all scores"
        )
    found = _bounded(*computed_by(program), ranges, sizes)
    if split is None or not rounds_as_written(program):
        return found
    extents = {a.name: int(a.extent) for a in program.kernel.axes if is_constant(a.extent)}
    open_ = {a.name: extents[a.name] for a in split.split.origin.axes if a.extent.is_Symbol and a.name in extents}
    return _nearer(found, _bounded(split.split.origin, {}, ranges, {**sizes, **open_}))


def _bounded(
    kernel: Kernel, trees: dict[int, Any], ranges: Mapping[str, tuple[float, float]], sizes: Mapping[str, int]
) -> dict[str, Bound]:
    return bound_of_kernel(kernel, ranges, _known(kernel, sizes), trees)


def _known(kernel: Kernel, sizes: Mapping[str, int] | None) -> dict[str, int]:
    """The given sizes that this kernel has: a program's kernel may have fewer than the one it was made of."""
    free = {*kernel.free_sizes, *(a.name for a in kernel.axes)}
    return {n: v for n, v in valid_sizes(sizes).items() if n in free}


def _program(of: Any) -> Program:
    found = getattr(of, "program", of)
    require_kind("rounding_error", found, Program, "a kernel, a plan, a program or a compiled kernel")
    program: Program = found
    return program


def _nearer(one: dict[str, Bound], other: dict[str, Bound]) -> dict[str, Bound]:
    """The smaller bound of each: a sum in parts has the terms of the whole, but other facts may be known of them."""
    return {n: min(b, other[n], key=lambda x: x.error) for n, b in one.items()}


def explained(program: Program, kernel: Kernel, arrays: Mapping[str, np.ndarray]) -> dict[str, Near]:
    """rounding_error() for floating-point results; empty if it is not followed. `kernel` has all sizes."""
    points = sum(int(sp.prod(a.extent for a in s.axes)) for s in kernel.statements)
    floats = any(kernel.tensor(n).dtype.is_float for n in kernel.results)
    if program.machine is not None or points > FOLLOWED or not floats:
        return {}
    try:
        return rounding_error(program, arrays, _sizes(program, kernel))
    except SizeError:
        return {}


def foreseen(
    program: Program, kernel: Kernel, arrays: Mapping[str, np.ndarray], results: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    """A statement on each result for all inputs in ranges around these; it names the ranges. `kernel` has all sizes.

    If the bound is no less than the result itself, it gives the reason. Empty if nothing is known.
    """
    floats = [n for n in kernel.inputs if kernel.tensor(n).dtype.is_float]
    wide = {n: arrays[n].astype(np.float64) for n in floats}  # of e8m0 there is no 0 to begin from
    if program.machine is not None or not all(np.isfinite(x).all() for x in wide.values()):
        return ()
    ends = {n: (float(x.min(initial=0)), float(x.max(initial=0))) for n, x in wide.items()}
    ranges = {n: (few_digits(low, up=False), few_digits(high, up=True)) for n, (low, high) in ends.items()}
    given = " and ".join(f"{low:g} <= {n} <= {high:g}" for n, (low, high) in ranges.items())
    try:
        found = rounding_bound(program, ranges, _sizes(program, kernel))
        found = _nearer(found, bound_of_kernel(kernel, ranges)) if rounds_as_written(program) else found
        known = {n: b for n, b in found.items() if kernel.tensor(n).dtype.is_float and np.isfinite(b.error)}
        told = (_told(n, b, kernel, ranges, results[n]) for n, b in known.items())
        return tuple(f"for all inputs{f' with {given}' if given else ''}, {text}" for text in told)
    except SizeError:
        return ()


def _told(
    name: str, bound: Bound, kernel: Kernel, ranges: Mapping[str, tuple[float, float]], result: np.ndarray
) -> str:
    """The bound of one result, in words."""
    largest = float(np.abs(result.astype(np.float64)).max(initial=0))
    if not bound.error > largest:
        return f"{name} is {bound}"
    s, size = widest(kernel, ranges)
    return (
        f"nothing useful is known of {name}, which may be off by {bound.error:.1e}, more than its largest element here, "
        f"{largest:.1e}: elements of {statement_text(s)} may be as large as {size:.1e}"
    )


def _sizes(program: Program, kernel: Kernel) -> dict[str, int]:
    """The sizes left open by the program."""
    extents = {a.name: a.extent for a in kernel.axes}
    named = [a for a in program.kernel.axes if a.extent.is_Symbol and a.name in extents]
    return {str(a.extent): int(extents[a.name]) for a in named}
