"""Run a compiled kernel on random arrays: compare with the reference, and time it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isamap_smt.ir.errors import SizeError, WrongResultError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.points import computed
from isamap_smt.runtime.explained import explained, foreseen
from isamap_smt.runtime.judge import Judgement, arithmetic_of, by_name, judge, wanted

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Measured:
    """The findings of one run. seconds: the best repetition; max_error: max|got-ref| / max|ref|.

    bound: the largest error explained by rounding; 0 if the result must be equal. wrong: the fault, or ''.
    """

    exact: bool
    max_error: float
    seconds: float
    gflops: float
    reference: str
    repetitions: int
    threads: int = 1
    bound: float = 0.0
    wrong: str = ""


def require_sizes(kernel: Kernel) -> None:
    """Raise SizeError unless every size is known. It names the missing ones."""
    axes = {str(a.extent): a.name for a in kernel.axes}
    missing = [axes.get(n, n) for n in kernel.free_sizes]
    if missing:
        example = ",".join(f"{n}=..." for n in missing)
        raise SizeError(f"{kernel.name} runs only at known sizes; {', '.join(missing)} missing: add --sizes {example}")


def operations(kernel: Kernel) -> int:
    """2 for every computed point, a multiplication and an addition; none if its guard does not hold. Sizes must be known."""
    return 2 * computed(kernel)


def arrays_for(kernel: Kernel, seed: int) -> Arrays:
    """Random inputs starting at a cache line. Raises SizeError if they do not fit into memory."""
    from isamap_smt.ir.interpret import random_arrays
    from isamap_smt.runtime.memory import aligned_empty

    found = {}
    try:
        for name, array in random_arrays(kernel, rng=np.random.default_rng(seed)).items():
            found[name] = aligned_empty(array.shape, array.dtype)
            found[name][...] = array
    except MemoryError:
        sizes = ", ".join(f"{t.name} {'x'.join(map(str, t.shape))}" for t in kernel.tensors)
        raise SizeError(f"{kernel.name}: its arrays do not fit into memory ({sizes}); give smaller sizes") from None
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


def judged_call(compiled: Any, kernel: Kernel, threads: int, seed: int = 0) -> tuple[Any, Judgement]:
    """One call on random arrays, done, and how its result compares with the reference. `kernel` has all sizes."""
    require_sizes(kernel)
    arrays = arrays_for(kernel, seed)
    call = prepare(compiled, arrays, threads)
    call.run()
    arithmetic = arithmetic_of(compiled.program)
    near = explained(compiled.program, kernel, arrays)
    seen = judge(kernel, call.result, wanted(kernel, arrays, arithmetic, call.result), arithmetic, near)
    results = by_name(kernel, call.result)
    return call, replace(seen, foreseen=foreseen(compiled.program, kernel, arrays, results))


def measure(compiled: Any, kernel: Kernel, threads: int, seed: int = 0, budget: float = 1.0) -> Measured:
    """Check one call against the reference, then repeat it for `budget` seconds. `kernel` has all sizes."""
    call, j = judged_call(compiled, kernel, threads, seed)
    times = repeated(call, budget)
    rate = speed(kernel, times)
    return Measured(j.exact, j.error, min(times), rate, j.against, len(times), threads, j.bound, j.reason)


def repeated(call: Any, budget: float) -> list[float]:
    """Seconds of each run of a call, `budget` seconds long."""
    (times,) = best_time([call.run], budget)
    return times


def speed(kernel: Kernel, times: Sequence[float]) -> float:
    """GFLOP/s, or GOP/s, of the best of these times."""
    return operations(kernel) / min(times) / 1e9


def require_right(kernel: Kernel, seen: Measured) -> Measured:
    """The same. Raises WrongResultError if the result was wrong."""
    if seen.wrong:
        raise WrongResultError(f"{kernel.name} was run, and its result is wrong: {seen.wrong}")
    return seen
