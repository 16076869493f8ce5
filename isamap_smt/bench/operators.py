"""Operators that are no product alone: what is computed, on which inputs, and what is right.

The kernels are those of examples/, as a user writes them. A figure is of a whole call from Python, whose result is a new array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from isamap_smt.bench import references as want
from isamap_smt.bench.case import Case
from isamap_smt.language.example_kernels import example

# ---- The operators of the suite `operators` that no other suite has: sizes, inputs, and what is right.
#
# One size each: what is measured is whether a form of kernel is computed well at all. Weights are given at each call,
# but for quantised layers, which every library packs ahead.


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


def _standard_normal(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    return {n: rng.standard_normal(s, np.float32) for n, s in shapes.items()}


def _found(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """Numbers of rows of a table, and whole numbers."""
    rest = whole(rng, {n: s for n, s in shapes.items() if n != "at"})
    return {**rest, "at": rng.integers(0, shapes["E"][0], shapes["at"])}


def _any_bytes(**ranges: tuple[float, float]) -> Drawn:
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
    "mean": Row("norms.py:MEAN", "i=5 n=37", "i=128 n=768", _standard_normal, lambda x: x.mean(1), _SUM, _SUM),
    "argmax": Row("indexed.py:ARGMAX", "i=5 j=37", "i=128 j=1000", _standard_normal, lambda X: X.argmax(1)),
    "cumulative_sum": Row(
        "indexed.py:CUMULATIVE_SUM", "t=5 j=37", "t=512 j=256", whole, _running(0)
    ),
    "cumulative_sum_along": Row("indexed.py:CUMULATIVE_SUM_ALONG", "i=5 t=37", "i=256 t=512", whole, _running(1)),
    "gelu_mlp": Row(
        "contractions.py:GELU_MLP", "i=5 h=19 k=7 j=13", "i=128 h=1024 k=256 j=256", _standard_normal,
        lambda **a: want.mlp("GELU_MLP", **a), _SUM, _SUM,
    ),
    "silu_mlp": Row(
        "contractions.py:SILU_MLP", "i=5 h=19 k=7 j=13", "i=128 h=1024 k=256 j=256", _standard_normal,
        lambda **a: want.mlp("SILU_MLP", **a), _SUM, _SUM,
    ),
    "int8_linear": Row(
        "onnx_quantised.py:INT8_LINEAR", "i=5 j=19 k=37", "i=128 j=256 k=256", _any_bytes(s=(0.0005, 0.01), b=(-1, 1)), _linear,
        _SUM, _SUM, ("W",),
    ),
    "qlinear_matmul": Row(
        "onnx_quantised.py:QLINEAR_MATMUL", "i=17 j=19 k=37", "i=128 j=256 k=256", _any_bytes(s=(0.0005, 0.01)),
        want.qlinear_matmul, weights=("B",),
    ),
    "qlinear_conv": Row(
        "onnx_quantised.py:QLINEAR_CONV", "n=1 p=4 q=5 k=17 r=3 s=3 c=5 t=1 pad=1",
        "n=1 p=28 q=28 k=64 r=3 s=3 c=64 t=1 pad=1", _any_bytes(m=(0.0005, 0.01)), want.qlinear_conv, weights=("F",),
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
    "max_pool": Row("windows.py:MAX_POOL", *_POOL, _standard_normal, want.max_pool),
    "max_pool_repeated": Row("windows.py:MAX_POOL_REPEATED", *_POOL, _standard_normal, want.max_pool),
    "average_pool": Row("windows.py:AVERAGE_POOL", *_POOL, _standard_normal, want.average_pool, _SUM, _SUM),
    "bilinear_resize": Row(
        "windows.py:BILINEAR", "n=1 H=5 W_=7 c=9 z=2", "n=1 H=28 W_=28 c=64 z=2", _standard_normal, want.bilinear, _SUM, _SUM
    ),
    "stencil2d": Row("windows.py:STENCIL", "i=5 j=37", "i=512 j=512", _standard_normal, want.stencil, _SUM, _SUM),
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


Sizes = dict[str, int]
EPSILON = {"layer_norm": 1e-5, "rms_norm": 1e-6}  # as the examples have them
SCALE = np.float32(0.0007)  # of examples/quantised_layers.py:LINEAR

MATRICES = tuple({"i": i, "n": n} for i, n in ((128, 768), (1000, 1000), (77, 3333), (8, 768)))
VECTORS = tuple({"n": n} for n in (768, 98_304, 1_000_000))
LISTS = tuple({"i": s["i"] * s["n"]} for s in MATRICES)
HEADS = tuple({"h": 12, "q": n, "k": n, "d": 64} for n in (128, 512))  # BERT-base: Devlin et al., 2019
#: Sizes to compare at, by the axes' names.
SMALL = {"i": 5, "n": 24, "h": 2, "q": 6, "k": 6, "d": 16, "j": 8}
LAYERS_OF_BYTES = ("qlinear", "linear")
#: Of other suites, what `operators` has at their first size, too.
SHARED = ("attention", "causal_attention", "layer_norm", "rms_norm", "softmax", "log_sum_exp", *LAYERS_OF_BYTES)
LAYERS = tuple(
    {"i": i, "j": j, "k": k} for i, j, k in ((128, 768, 768), (128, 3072, 768), (128, 768, 3072), (1, 768, 768))
)


@dataclass(frozen=True)
class Operator:
    """inputs: by name, for these shapes; expected: the result, of those in float64, whole numbers as they are, and of sizes.

    ours, theirs: how far a result may be off, of its largest element. group: the class whose mean it enters.
    """

    suite: str
    kernel: str
    group: str
    sizes: tuple[Sizes, ...]
    inputs: Callable[[np.random.Generator, Shapes], Arrays]
    expected: Callable[[Arrays], np.ndarray]
    ours: float
    theirs: float
    weights: tuple[str, ...] = ()
    small: Sizes = field(default_factory=lambda: SMALL, hash=False)


def _whole(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """Whole numbers of which 2^20 add up to less than 2^24, so that sums are exact in any order."""
    return {n: rng.integers(-8, 8, s).astype(np.float32) for n, s in shapes.items()}


def _factors(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """The same for products."""
    return {n: rng.integers(-3, 4, s).astype(np.float32) for n, s in shapes.items()}


def _normal(scale: float = 1.0, shift: float = 0.0) -> Callable[[np.random.Generator, Shapes], Arrays]:
    """Normal numbers."""
    return lambda rng, shapes: {
        n: (rng.standard_normal(s, dtype=np.float32) * np.float32(scale) + np.float32(shift)) for n, s in shapes.items()
    }


def _heads(rng: np.random.Generator, shapes: Shapes) -> Arrays:
    """Normal numbers, and one over the root of the length of a head's vectors."""
    return {**_normal()(rng, shapes), "z": np.array(1 / math.sqrt(shapes["Q"][-1]), np.float32)}


def _bytes(first: type) -> Callable[[np.random.Generator, Shapes], Arrays]:
    """Bytes of the full range, biases that shift what they add up to, and scales that leave some of it out of a byte's range."""

    def made(rng: np.random.Generator, shapes: Shapes) -> Arrays:
        low, high = np.iinfo(first).min, np.iinfo(first).max
        found = {
            "X": rng.integers(low, high, shapes["X"], first, endpoint=True),
            "W": rng.integers(-128, 127, shapes["W"], np.int8, endpoint=True),
            "b": rng.integers(-100_000, 100_000, shapes["b"], np.int32),
        }
        return found if "m" not in shapes else {**found, "m": rng.uniform(2e-4, 2e-3, shapes["m"]).astype(np.float32)}

    return made


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def _log_sum_exp(x: np.ndarray) -> np.ndarray:
    top = x.max(1)
    return np.asarray(np.log(np.exp(x - top[:, None]).sum(1)) + top)


def _layer_norm(a: Arrays) -> np.ndarray:
    x = a["x"] - a["x"].mean(1, keepdims=True)
    return np.asarray(x / np.sqrt((x**2).mean(1, keepdims=True) + EPSILON["layer_norm"]) * a["g"] + a["b"])


def _rms_norm(a: Arrays) -> np.ndarray:
    x = a["x"]
    return np.asarray(x / np.sqrt((x**2).mean(1, keepdims=True) + EPSILON["rms_norm"]) * a["g"])


def _gelu(x: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def _attention(causal: bool) -> Callable[[Arrays], np.ndarray]:
    def made(a: Arrays) -> np.ndarray:
        scores = a["Q"] @ a["K"].transpose(0, 2, 1) * a["z"]
        if causal:
            scores = np.where(np.tril(np.ones(scores.shape[1:], np.bool_)), scores, -np.inf)
        return np.asarray(_softmax(scores) @ a["V"])

    return made


def _layer(a: Arrays) -> np.ndarray:
    """The sums are exact; what follows is rounded as the kernel says it: to f32, then to the nearest byte."""
    sums = (a["X"].astype(np.float64) @ a["W"].astype(np.float64)).astype(np.int64) + a["b"]
    if "m" in a:
        return np.asarray(np.clip(np.rint(sums.astype(np.float32) * a["m"]), 0, 255))
    return np.asarray(np.clip(np.rint(np.maximum(sums.astype(np.float32) * SCALE, 0)), -128, 127))


_ROUNDED = 1e-5  # of the largest element: a few thousand numbers added up in f32, and functions of a few ulp
_LOOSE = 1e-4
_STEP = 1.5  # bytes more or less: where a scale is multiplied in another order

#: By name, which is the family of its cases.
OPERATORS: dict[str, Operator] = {
    "row_sum": Operator("reductions", "reductions.py:ROW_SUM", "rows", MATRICES, _whole, lambda a: a["x"].sum(1), 0.0, 0.0),
    "row_max": Operator("reductions", "reductions.py:ROW_MAX", "rows", MATRICES, _whole, lambda a: a["x"].max(1), 0.0, 0.0),
    "column_sum": Operator(
        "reductions", "reductions.py:COLUMN_SUM", "columns", MATRICES, _whole, lambda a: a["x"].sum(0), 0.0, 0.0
    ),
    "column_max": Operator(
        "reductions", "reductions.py:COLUMN_MAX", "columns", MATRICES, _whole, lambda a: a["x"].max(0), 0.0, 0.0
    ),
    "dot": Operator(
        "reductions", "reductions.py:DOT", "dot", VECTORS, _factors, lambda a: np.asarray(a["x"] @ a["z"]), 0.0, 0.0
    ),
    "log_sum_exp": Operator(
        "reductions", "norms.py:LOG_SUM_EXP", "log-sum-exp", MATRICES, _normal(4), lambda a: _log_sum_exp(a["x"]), _ROUNDED, _LOOSE
    ),
    "add": Operator("elementwise", "elementwise.py:ADD", "arithmetic", MATRICES, _whole, lambda a: a["x"] + a["z"], 0.0, 0.0),
    "scale_add_relu": Operator(
        "elementwise", "elementwise.py:SCALE_ADD_RELU", "arithmetic", MATRICES, _factors,
        lambda a: np.maximum(a["x"] * a["g"] + a["b"] + a["z"], 0), 0.0, 0.0,
    ),
    "gelu": Operator("elementwise", "norms.py:GELU", "activation", LISTS, _normal(3), lambda a: _gelu(a["x"]), _ROUNDED, _LOOSE),
    "gelu_tanh": Operator(
        "elementwise", "norms.py:GELU_TANH", "activation", LISTS, _normal(3), lambda a: _gelu_tanh(a["x"]), _ROUNDED, _LOOSE
    ),
    "silu": Operator(
        "elementwise", "norms.py:SILU", "activation", LISTS, _normal(3), lambda a: a["x"] / (1 + np.exp(-a["x"])), _ROUNDED, _LOOSE
    ),
    "softmax": Operator("norms", "norms.py:SOFTMAX", "softmax", MATRICES, _normal(4), lambda a: _softmax(a["x"]), _ROUNDED, _LOOSE),
    "layer_norm": Operator("norms", "norms.py:LAYER_NORM", "layer norm", MATRICES, _normal(2, 1), _layer_norm, _ROUNDED, _LOOSE),
    "rms_norm": Operator("norms", "norms.py:RMS_NORM", "RMS norm", MATRICES, _normal(2, 1), _rms_norm, _ROUNDED, _LOOSE),
    "attention": Operator("attention", "attention.py:ATTENTION", "full", HEADS, _heads, _attention(False), _ROUNDED, _LOOSE),
    "causal_attention": Operator("attention", "attention.py:CAUSAL", "causal", HEADS, _heads, _attention(True), _ROUNDED, _LOOSE),
    "qlinear": Operator(
        "quantised", "quantised_layers.py:QLINEAR", "u8 x i8, scales", LAYERS, _bytes(np.uint8), _layer, 0.0, _STEP / 255, ("W",)
    ),
    "linear": Operator(
        "quantised", "quantised_layers.py:LINEAR", "i8 x i8, a scale", LAYERS, _bytes(np.int8), _layer, 0.0, _STEP / 127, ("W",)
    ),
}  # fmt: skip


def cases(suite: str) -> Iterator[Case]:
    """Those of the operators of this suite."""
    for name, operator in OPERATORS.items():
        if operator.suite == suite:
            for sizes in operator.sizes:
                yield case_of(name, sizes)
    if suite == "operators":
        yield from (case_of(name, OPERATORS[name].sizes[0]) for name in SHARED)


def _of(row: Row) -> Operator:
    """What is expected takes the arrays by name, and the sizes and parameters that it names."""
    names = signature(row.expected).parameters.values()
    whole = any(p.kind is p.VAR_KEYWORD for p in names)

    def expected(a: Arrays) -> np.ndarray:
        tensors = example(row.kernel).inputs
        return np.asarray(row.expected(**{n: v for n, v in a.items() if n in tensors or (not whole and n in taken)}))

    taken = {p.name for p in names}
    small, usual = ({n: int(v) for n, v in (x.split("=") for x in text.split())} for text in (row.small, row.usual))
    return Operator(
        "operators", row.kernel, _group(row), (usual,), row.inputs, expected, row.ours, row.theirs, row.weights, small
    )


def _group(row: Row) -> str:
    return row.kernel.partition(".")[0].replace("_", " ")


OPERATORS |= {name: _of(row) for name, row in ROWS.items()}


def case_of(name: str, sizes: Sizes) -> Case:
    """An operator at these sizes.

    >>> case_of("softmax", {"i": 128, "n": 768}).name
    'softmax 128x768'
    """
    operator = OPERATORS[name]
    kernel = example(operator.kernel)
    form = "x".join(map(str, sizes.values()))
    rest = [t.name for t in kernel.tensors if t.name not in (*kernel.inputs, *kernel.results)]
    return Case(
        name=f"{name} {form}",
        family=name,
        kernel=operator.kernel,
        sizes=tuple(sizes.items()),
        dtypes=tuple((n, kernel.tensor(n).dtype.name) for n in (*kernel.inputs, *rest, *kernel.results)),
        weights=operator.weights,
        group=operator.group,
        form=form,
    )


def inputs(case: Case, seed: int = 0) -> Arrays:
    """The inputs of a case, by name; the same for the same seed."""
    shapes = {n: s for n, s in case.shapes().items() if n in case.problem().inputs}
    return OPERATORS[case.family].inputs(np.random.default_rng(seed), shapes)


def expected(case: Case, arrays: Arrays) -> np.ndarray:
    """The result: of f32 computed in float64, of bytes as the kernel says it."""
    exact: dict[str, Any] = dict(case.size)
    exact |= {n: a.astype(np.float64) if case.elements == "f32" else a for n, a in arrays.items()}
    return OPERATORS[case.family].expected(exact)


def tolerance(case: Case, ours: bool) -> float:
    """How far a result may be off, of the largest element."""
    operator = OPERATORS[case.family]
    return operator.ours if ours else operator.theirs
