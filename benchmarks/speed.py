"""Speed of compiled kernels against the peak of the instruction they use, measured in the same turns, and NumPy."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import isamap_smt as im
from benchmarks.interleave import best_rate, interleaved
from isamap_smt.bench.bandwidth import Peak
from isamap_smt.bench.summary import Spread, spread
from isamap_smt.ir.interpret import random_arrays, reference
from isamap_smt.pipeline.build import build
from isamap_smt.pipeline.plan import plan
from isamap_smt.runtime.measure import operations


@dataclass(frozen=True)
class Shape:
    """A kernel at sizes, with the share of the peak that was asked for (0: none)."""

    name: str
    kernel: str
    sizes: dict[str, int]
    dtypes: dict[str, str]
    constant: tuple[str, ...]
    goal: float


GEMM = dict(i=1024, j=700, k=512)
CONV = dict(n=1, p=56, q=56, k=64, c=64, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
DEPTHWISE = dict(n=1, p=56, q=56, c=128, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
BYTES = {"A": "u8", "B": "i8", "C": "i32"}
SHAPES = (
    Shape("f32 GEMM 1024x700x512", "gemm", GEMM, {}, (), 0.70),
    Shape("f32 GEMM 1024x700x512, B packed ahead", "gemm", GEMM, {}, ("B",), 0.70),
    Shape("u8i8 GEMM 1024x700x512", "gemm", GEMM, BYTES, (), 0.60),
    Shape("f32 conv 56x56x64->64 3x3", "conv2d", CONV, {}, (), 0.45),
    Shape("f32 conv 56x56x64->64 3x3, W packed ahead", "conv2d", CONV, {}, ("W",), 0.45),
    Shape("f32 depthwise 3x3 56x56x128", "depthwise_conv2d", DEPTHWISE, {}, (), 0.0),
    Shape("f64 GEMM 1024x700x512", "gemm", GEMM, dict.fromkeys("ABC", "f64"), (), 0.0),
)


@dataclass(frozen=True)
class Figure:
    """What was measured. rate and peak in GF/s (10^9 operations); share is within a turn."""

    shape: Shape
    instruction: str
    rate: Spread
    peak: Spread
    share: Spread
    exact: bool
    error: float
    status: str
    gap: float | None


def measure(shape: Shape, hardware: Any, threads: int = 1, turns: int = 11) -> Figure:
    """Plan, build, check against the reference, and time in turns with the peak."""
    kernel = im.find_kernel(shape.kernel).with_dtypes(shape.dtypes)
    planned = plan(kernel, hardware, sizes=shape.sizes, constant=shape.constant, threads=threads)
    compiled = build(planned)
    arrays = random_arrays(kernel, shape.sizes, np.random.default_rng(0))
    expected = reference(kernel, arrays, None, shape.sizes)[kernel.outputs[0]]
    got = compiled(**arrays, threads=threads)
    error = float(np.max(np.abs(got.astype(np.float64) - expected)) / np.max(np.abs(expected)))
    call = _call(compiled, arrays, shape, threads)
    peak = Peak(planned.hardware, planned.instruction)
    peak.measure()
    contenders = {
        "peak": lambda: max(peak.measure() for _ in range(5)) * threads,
        "kernel": best_rate(call, float(operations(kernel.with_sizes(shape.sizes)))),
    }
    figures = interleaved(contenders, turns)
    share = [k / p for k, p in zip(figures["kernel"], figures["peak"], strict=True)]
    return Figure(
        shape,
        planned.instruction.name,
        spread([f / 1e9 for f in figures["kernel"]]),
        spread([f / 1e9 for f in figures["peak"]]),
        spread(share),
        bool(np.array_equal(got.astype(np.float64), expected)),
        error,
        planned.schedule.status,
        planned.schedule.gap,
    )


def _call(compiled: Any, arrays: dict[str, Any], shape: Shape, threads: int) -> Callable[[], object]:
    if not shape.constant:
        return compiled.prepare(**arrays, threads=threads).run  # type: ignore[no-any-return]
    packed = compiled.pack(**{n: arrays[n] for n in shape.constant})
    rest = {n: a for n, a in arrays.items() if n not in shape.constant}
    return packed.prepare(**rest, threads=threads).run  # type: ignore[no-any-return]


def numpy_rate(turns: int = 5) -> Spread:
    """NumPy's own f32 GEMM 1024x700x512 on one thread, GF/s: only if OPENBLAS_NUM_THREADS=1 was set at start."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        return Spread(float("nan"), float("nan"), float("nan"), 0)
    rng = np.random.default_rng(0)
    a, b = rng.random((1024, 512), np.float32), rng.random((512, 700), np.float32)
    rates = interleaved({"numpy": best_rate(lambda: a @ b, 2.0 * 1024 * 700 * 512)}, turns)["numpy"]
    return spread([r / 1e9 for r in rates])
