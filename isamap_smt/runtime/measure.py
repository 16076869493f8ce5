"""Run a compiled kernel on random arrays: compare with the reference, and time it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.convert import converted
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.kernel import Kernel

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Measured:
    """What was seen in one run. seconds: the best repetition; max_error: max|got-ref| / max|ref|."""

    exact: bool
    max_error: float
    seconds: float
    gflops: float
    reference: str
    repetitions: int
    threads: int = 1


def require_sizes(kernel: Kernel) -> None:
    """Nothing happens where every size is known. Raises SizeError that names those that are missing."""
    axes = {str(a.extent): a.name for a in kernel.axes}
    missing = [axes.get(n, n) for n in kernel.free_sizes]
    if missing:
        example = ",".join(f"{n}=..." for n in missing)
        raise SizeError(f"{kernel.name} runs only at known sizes; {', '.join(missing)} missing: add --sizes {example}")


def operations(kernel: Kernel) -> int:
    """2 x the points of every statement's box: a multiplication and an addition each. Sizes must be known."""
    total = 0
    for s in kernel.statements:
        points = 1
        for a in s.axes:
            points *= int(a.extent)
        total += 2 * points
    return total


def arrays_for(kernel: Kernel, seed: int) -> Arrays:
    """Random inputs that start at a cache line."""
    from isamap_smt.ir.interpret import random_arrays
    from isamap_smt.runtime.compiled import aligned_empty

    found = {}
    for name, array in random_arrays(kernel, rng=np.random.default_rng(seed)).items():
        found[name] = aligned_empty(array.shape, array.dtype)
        found[name][...] = array
    return found


def prepare(compiled: Any, arrays: Arrays, threads: int) -> Any:
    """A Call whose run() may be timed: constants are packed here, other operands by each run(). Sizes are all fixed."""
    if compiled.constants:
        packed = compiled.pack(**{n: arrays[n] for n in compiled.constants})
        rest = {n: a for n, a in arrays.items() if n not in compiled.constants}
        return packed.prepare(threads=threads, **rest)
    return compiled.prepare(threads=threads, **arrays)


def best_time(runs: list[Any], budget: float = 1.0, least: int = 5) -> list[list[float]]:
    """Seconds of each repetition of each function, interleaved (A B A B): at least `least` rounds, `budget` seconds."""
    taken: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + budget
    while len(taken[0]) < least or (time.perf_counter() < end and len(taken[0]) < 10_000):
        for times, run in zip(taken, runs, strict=True):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return taken


def compare(kernel: Kernel, got: Any, arrays: Arrays) -> tuple[bool, float, str]:
    """(bit for bit equal, max|got-ref| / max|ref|, what the reference is), the worst over all outputs.

    The error is infinite where a NaN stands in one of them.
    """
    from isamap_smt.ir.interpret import reference

    wanted = reference(kernel, arrays)
    results = got if isinstance(got, dict) else {kernel.results[0]: got}
    exact, worst = True, 0.0
    for name, ref in wanted.items():
        out = results[name]
        exact = exact and bool(np.array_equal(out, converted(ref, kernel.tensor(name).dtype)))
        distance = np.abs(out.astype(np.float64) - ref.astype(np.float64)).max(initial=0.0)
        scale = np.abs(ref.astype(np.float64)).max(initial=0.0)
        error = float(distance / scale) if scale else float(distance)
        worst = float("inf") if np.isnan(error) else max(worst, error)  # max() would drop a NaN
    floating = any(kernel.tensor(n).dtype.is_float for n in kernel.results)
    return exact, worst, "float64" if floating else "exact integers"


def measure(compiled: Any, kernel: Kernel, threads: int, seed: int = 0, budget: float = 1.0) -> Measured:
    """Check one call against the reference, then repeat it for `budget` seconds. `kernel` has all sizes."""
    require_sizes(kernel)
    arrays = arrays_for(kernel, seed)
    call = prepare(compiled, arrays, threads)
    call.run()
    exact, error, words = compare(kernel, call.result, arrays)
    (times,) = best_time([call.run], budget)
    best = min(times)
    return Measured(exact, error, best, operations(kernel) / best / 1e9, words, len(times), threads)
