"""The operators of the suite `operators` that no other suite has: sizes, inputs, and what is right.

One size each: what is measured is whether a form of kernel is computed well at all. Weights are given at each call, but for
quantised layers, which every library packs ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.bench import references as want

Arrays = dict[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]
Drawn = Callable[[np.random.Generator, Shapes], Arrays]


@dataclass(frozen=True)
class Row:
    """kernel: FILE.py:NAME of examples. small, usual: sizes to compare at and to measure at. expected: of the arrays and sizes by
    name. ours, theirs: how far a result may be off, of its largest element."""

    kernel: str
    small: str
    usual: str
    inputs: Drawn
    expected: Callable[..., Any]
    ours: float = 0.0
    theirs: float = 0.0
    weights: tuple[str, ...] = ()


def whole(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """Whole numbers, so few that sums of products of two are exact in any order."""
    return {n: rng.integers(-3, 4, s).astype(np.float32) for n, s in shapes.items()}


def _normal(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    return {n: rng.standard_normal(s, np.float32) for n, s in shapes.items()}


def _found(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """Numbers of rows of a table, and whole numbers."""
    rest = whole(rng, {n: s for n, s in shapes.items() if n != "at"})
    return {**rest, "at": rng.integers(0, shapes["E"][0], shapes["at"])}


def _bytes(**ranges: tuple[float, float]) -> Drawn:
    """Bytes of their whole range, i8 where the kernel says so; of these names numbers in f32."""

    def made(rng: np.random.Generator, shapes: Shapes) -> Arrays:
        signed = {"B", "zb", "F", "W"}
        drawn = {n: rng.integers(-128, 128, s).astype(np.int8) if n in signed else rng.integers(0, 256, s).astype(np.uint8)
                 for n, s in shapes.items() if n not in ranges}  # fmt: skip
        found: Arrays = {**drawn, **{n: rng.uniform(*ranges[n], shapes[n]).astype(np.float32) for n in ranges}}
        if "F" in shapes:
            found["b"] = rng.integers(-1000, 1001, shapes["b"]).astype(np.int32)
        return found

    return made


def _linear(X: Any, W: Any, s: Any, b: Any) -> Any:
    return (X.astype(np.int64) @ W.astype(np.int64)).astype(np.float64) * s + b


def _running(axis: int) -> Callable[..., Any]:
    """Running sums that begin with a 0."""

    def made(X: Any) -> Any:
        return np.concatenate([np.take(0 * X, [0], axis), X.cumsum(axis)], axis)

    return made


_SUM = 1e-5  # f32 sums of some hundred numbers; functions of a few ulp
_POOL = "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1", "n=1 p=28 q=28 c=64 r=3 s=3 t=2 pad=1"

#: By name, which is the family of the case.
ROWS: dict[str, Row] = {
    "mean": Row("norms.py:MEAN", "i=5 n=37", "i=128 n=768", _normal, lambda x: x.mean(1), _SUM, _SUM),
    "argmax": Row("indexed.py:ARGMAX", "i=5 j=37", "i=128 j=1000", _normal, lambda X: X.argmax(1)),
    "cumulative_sum": Row(
        "indexed.py:CUMULATIVE_SUM", "t=5 j=37", "t=512 j=256", whole, _running(0)
    ),
    "cumulative_sum_along": Row("indexed.py:CUMULATIVE_SUM_ALONG", "i=5 t=37", "i=256 t=512", whole, _running(1)),
    "gelu_mlp": Row(
        "contractions.py:GELU_MLP", "i=5 h=19 k=7 j=13", "i=128 h=1024 k=256 j=256", _normal,
        lambda **a: want.mlp("GELU_MLP", **a), _SUM, _SUM,
    ),
    "silu_mlp": Row(
        "contractions.py:SILU_MLP", "i=5 h=19 k=7 j=13", "i=128 h=1024 k=256 j=256", _normal,
        lambda **a: want.mlp("SILU_MLP", **a), _SUM, _SUM,
    ),
    "int8_linear": Row(
        "onnx_quantised.py:INT8_LINEAR", "i=5 j=19 k=37", "i=128 j=256 k=256", _bytes(s=(0.0005, 0.01), b=(-1, 1)), _linear,
        _SUM, _SUM, ("W",),
    ),
    "qlinear_matmul": Row(
        "onnx_quantised.py:QLINEAR_MATMUL", "i=17 j=19 k=37", "i=128 j=256 k=256", _bytes(s=(0.0005, 0.01)),
        want.qlinear_matmul, weights=("B",),
    ),
    "qlinear_conv": Row(
        "onnx_quantised.py:QLINEAR_CONV", "n=1 p=4 q=5 k=17 r=3 s=3 c=5 t=1 pad=1",
        "n=1 p=28 q=28 k=64 r=3 s=3 c=64 t=1 pad=1", _bytes(m=(0.0005, 0.01)), want.qlinear_conv, weights=("F",),
    ),
    "grouped_conv2d": Row(
        "convolutions.py:GROUPED", "n=1 p=5 q=7 g=2 k=9 c=3 r=3 s=2", "n=1 p=28 q=28 g=4 k=16 c=16 r=3 s=3", whole, want.grouped
    ),
    "conv3d": Row(
        "convolutions.py:VOLUME", "n=1 p=3 q=2 v=5 k=17 c=3 r=2 s=3 w=1", "n=1 p=8 q=8 v=8 k=32 c=32 r=3 s=3 w=3", whole,
        want.volume,
    ),
    "dilated_conv2d": Row(
        "convolutions.py:DILATED", "n=1 p=5 q=6 k=17 c=3 r=3 s=2 d=2", "n=1 p=28 q=28 k=64 c=32 r=3 s=3 d=2", whole, want.dilated
    ),
    "transposed_conv2d": Row(
        "convolutions.py:TRANSPOSED", "n=1 p=4 q=5 k=9 c=3 r=3 s=2 t=2", "n=1 p=14 q=14 k=32 c=64 r=3 s=3 t=2", whole,
        want.transposed,
    ),
    "transposed_conv2d_by_output": Row(
        "convolutions.py:TRANSPOSED_BY_OUTPUT", "n=1 P=4 Q=5 k=9 c=3 r=3 s=2 t=2", "n=1 P=14 Q=14 k=32 c=64 r=3 s=3 t=2", whole,
        want.transposed,
    ),
    "capsule_conv2d": Row(
        "convolutions.py:CAPSULE", "n=1 p=3 q=2 k=3 i=4 j=4 c=2 r=2 s=3 m=4", "n=1 p=6 q=6 k=16 i=4 j=4 c=8 r=3 s=3 m=4", whole,
        want.capsule,
    ),
    "batched_weight_conv2d": Row(
        "convolutions.py:BATCHED_WEIGHTS", "n=3 p=4 q=5 k=17 c=3 r=2 s=3", "n=4 p=14 q=14 k=32 c=32 r=3 s=3", whole, want.batched
    ),
    "max_pool": Row("windows.py:MAX_POOL", *_POOL, _normal, want.max_pool),
    "max_pool_repeated": Row("windows.py:MAX_POOL_REPEATED", *_POOL, _normal, want.max_pool),
    "average_pool": Row("windows.py:AVERAGE_POOL", *_POOL, _normal, want.average_pool, _SUM, _SUM),
    "bilinear_resize": Row(
        "windows.py:BILINEAR", "n=1 H=5 W_=7 c=9 z=2", "n=1 H=28 W_=28 c=64 z=2", _normal, want.bilinear, _SUM, _SUM
    ),
    "stencil2d": Row("windows.py:STENCIL", "i=5 j=37", "i=512 j=512", _normal, want.stencil, _SUM, _SUM),
    "mttkrp": Row("contractions.py:MTTKRP", "i=5 j=7 k=9 r=17", "i=64 j=64 k=64 r=32", whole, want.mttkrp),
    "sddmm": Row("contractions.py:SDDMM", "i=7 j=19 k=9", "i=256 j=256 k=64", whole, lambda A, B, S: S * (A @ B)),
    "gemm_of_a_part": Row(
        "contractions.py:GEMM_OF_A_PART", "i=7 j=19 k=9 o=3 rest=5", "i=128 j=256 k=256 o=64 rest=192", whole,
        lambda A, B, o: A[:, o : o + len(B)] @ B,
    ),
    "embedding": Row("indexed.py:EMBEDDING", "V=8 i=5 j=19", "V=10000 i=512 j=768", _found, lambda E, at: E[at]),
    "embedding_bag": Row(
        "indexed.py:EMBEDDING_BAG", "V=8 i=5 l=3 j=19", "V=10000 i=64 l=8 j=768", _found,
        lambda E, at, w: np.einsum("ilj,il->ij", E[at], w),
    ),
}  # fmt: skip
