"""The three matrix shapes of CUDA's wmma, f16 x f16 -> f32: for mapping and proof, not emitted.

A fragment is spread over the 32 threads of a warp in a way CUDA does not specify; here it is one operand.
"""

from __future__ import annotations

import isamap_smt as im

SHAPES = ((16, 16, 16), (32, 8, 16), (8, 32, 16))


def _mma(i: int, j: int, k: int) -> im.Instruction:
    return im.instruction(
        f"wmma.{i}x{j}x{k}",
        "c[i,j] += a[i,k] * b[k,j]",
        axes={"i": i, "j": j, "k": k},
        dtypes={"a": "f16", "b": "f16", "c": "f32"},
        places=dict.fromkeys("abc", "fragment"),
        emit="",
        requires=("wmma",),
        latency=32.0,
        per_cycle=0.125,
        rounding="products exact, order and rounding of the sum unspecified",
    )


HARDWARE = im.Hardware(
    "wmma",
    (
        im.Memory("fragment", 64 << 10, count=64, energy=0.15),
        im.Memory("shared", 96 << 10, energy=2.5),
        im.Memory("L2", 6 << 20, energy=12.5, shared=True),
        im.Memory("DRAM", None, energy=162.5, shared=True),
    ),
    (
        im.Link("shared", "fragment", 128.0, latency=20),
        im.Link("fragment", "shared", 128.0, latency=20),
        im.Link("L2", "shared", 64.0, latency=200),
        im.Link("shared", "L2", 64.0, latency=200),
        im.Link("DRAM", "L2", 10.0, latency=500),
        im.Link("L2", "DRAM", 10.0, latency=500),
    ),
    tuple(_mma(*shape) for shape in SHAPES),
    "one multiprocessor of a CUDA GPU with tensor cores (mapping and proof only)",
)
