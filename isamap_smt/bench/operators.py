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

from isamap_smt.bench.case import Case
from isamap_smt.bench.operator_rows import ROWS, Row
from isamap_smt.language.example_kernels import example

Arrays = dict[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]
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
