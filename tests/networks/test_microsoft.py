"""Operators of com.microsoft, beside NumPy formulas of their published definitions, and onnxruntime where it is installed."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
import pytest
from onnx import helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError
from tests.networks.models import model

rng = np.random.default_rng(0)
X, SKIP = rng.standard_normal((2, 3, 8), np.float32), rng.standard_normal((2, 3, 8), np.float32)
ROWS = [rng.standard_normal(8, np.float32) for _ in range(3)]
A, B = rng.standard_normal((2, 4, 3), np.float32), rng.standard_normal((5, 4), np.float32)
D = rng.standard_normal((4, 2, 3, 5), np.float32)
TURNED, WIDE = np.swapaxes(A, 1, 2)[:, None].copy(), np.broadcast_to(A[:1], (2, 3, 4, 3)).copy()


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def fast(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def norm(x: np.ndarray, g: np.ndarray, b: Any, epsilon: float) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * g + b


def simple(x: np.ndarray, g: np.ndarray, epsilon: float) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * g


CASES: list[tuple[str, list[np.ndarray], dict[str, Any], np.ndarray]] = [
    ("Gelu", [X], {}, gelu(X)),
    ("BiasGelu", [X, ROWS[0]], {}, gelu(X + ROWS[0])),
    ("FastGelu", [X], {}, fast(X)),
    ("FastGelu", [X, ROWS[0]], {}, fast(X + ROWS[0])),
    ("QuickGelu", [X], {}, X / (1 + np.exp(-1.702 * X))),
    ("QuickGelu", [X], {"alpha": 0.5}, X / (1 + np.exp(-0.5 * X))),
    ("FusedMatMul", [A, B], {"alpha": 0.25, "transA": 1, "transB": 1}, 0.25 * np.swapaxes(A, 1, 2) @ B.T),
    ("FusedMatMul", [TURNED, D], {"transBatchB": 1}, TURNED @ D.transpose(1, 2, 0, 3)),
    ("FusedMatMul", [D, WIDE], {"transBatchA": 1, "transA": 1}, D.transpose(1, 2, 3, 0) @ WIDE),
    ("SkipLayerNormalization", [X, SKIP, *ROWS], {"epsilon": 0.01}, norm(X + SKIP + ROWS[2], *ROWS[:2], 0.01)),
    ("SkipLayerNormalization", [X, SKIP[:1], ROWS[0]], {}, norm(X + SKIP[:1], ROWS[0], 0, 1e-12)),
    ("SkipSimplifiedLayerNormalization", [X, SKIP, *ROWS[:2]], {}, simple(X + SKIP + ROWS[1], ROWS[0], 1e-12)),
]  # fmt: skip


def of(op: str, arrays: list[np.ndarray], attributes: dict[str, Any], results: int = 1) -> Any:
    names = [f"i{n}" for n in range(len(arrays))]
    outputs = ["y", "", "", "sum"][:results]
    made = model(
        [helper.make_node(op, names, outputs, name="n", domain="com.microsoft", **attributes)],
        {n: list(a.shape) for n, a in zip(names, arrays, strict=True)},
        {n: None for n in outputs if n}, {},
    )  # fmt: skip
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


@pytest.mark.parametrize(("op", "arrays", "attributes", "wanted"), CASES)
def test_an_operator(op: str, arrays: list[np.ndarray], attributes: dict[str, Any], wanted: np.ndarray) -> None:
    made = of(op, arrays, attributes)
    given = {f"i{n}": a for n, a in enumerate(arrays)}
    assert np.allclose(im.run_network(im.from_onnx(made), given)["y"], wanted, rtol=1e-4, atol=1e-5)


def test_onnxruntime_says_the_same() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    for op, arrays, attributes, wanted in CASES:
        made = of(op, arrays, attributes)
        made.ir_version = 8
        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        (got,) = session.run(["y"], {f"i{n}": a for n, a in enumerate(arrays)})
        assert np.allclose(got, wanted, rtol=1e-3, atol=1e-3), op


def test_the_sum_is_the_fourth_result() -> None:
    made = im.from_onnx(of("SkipLayerNormalization", [X, SKIP, ROWS[0]], {}, 4))
    found = im.run_network(made, {"i0": X, "i1": SKIP, "i2": ROWS[0]})
    assert np.allclose(found["sum"], X + SKIP)


@pytest.mark.parametrize(
    ("op", "arrays", "attributes", "told"),
    [
        ("FusedMatMul", [A, B], {"transBatchB": 1}, "n: i1: .* has no batches for transBatchB"),
        ("FusedMatMul", [A, B], {"alpha": 1}, "the attribute alpha of FusedMatMul is of type int, and not float"),
        ("BiasGelu", [X], {}, "has not 1 inputs"),
        ("Gelu", [X], {"beta": 1.0}, "has no attribute beta"),
        ("Attentions", [X], {}, "has no operator Attentions"),
        ("SkipLayerNormalization", [X, SKIP, ROWS[0][:7]], {}, "has not one element for each of a row"),
        ("SkipLayerNormalization", [X, SKIP[..., :7], ROWS[0]], {}, "is not skipped to"),
        ("SkipLayerNormalization", [X, SKIP[:1, :1][None], ROWS[0]], {}, "is not skipped to"),
        ("SkipLayerNormalization", [X, SKIP[:1][None], ROWS[0]], {}, "is not skipped to"),
    ],
)
def test_what_is_wrong_is_refused(op: str, arrays: list[np.ndarray], attributes: dict[str, Any], told: str) -> None:
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(of(op, arrays, attributes))


def of_bytes(arrays: list[np.ndarray], how: dict[str, Any]) -> Any:
    """A product with weights in blocks, its inputs of the arrays' types."""
    made = of("MatMulNBits", arrays, how)
    for given, array in zip(made.graph.input, arrays, strict=True):
        given.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    return made


def halves(x: np.ndarray, bits: int) -> np.ndarray:
    """Rows of elements as bytes hold them, the lower bits first."""
    return np.stack([x & 15, x >> 4], -1).reshape(len(x), -1) if bits == 4 else x.reshape(len(x), -1)


def rounded(a: np.ndarray, block: int) -> np.ndarray:
    """Each block of a row in whole numbers of 127 steps on each side, times the step."""
    filled = np.zeros((len(a), -(-a.shape[1] // block) * block), np.float32)
    filled[:, : a.shape[1]] = a
    blocks = filled.reshape(len(a), -1, block)
    largest = np.abs(blocks).max(-1, keepdims=True)
    steps = np.rint(blocks * (np.float32(127) / np.maximum(largest, np.float32(1e-36))))
    return (steps.astype(np.float64) * largest / 127).reshape(len(a), -1)[:, : a.shape[1]]


@pytest.mark.parametrize("level", [0, 4])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize(
    ("rows", "inner", "columns", "block"), [(1, 64, 10, 32), (3, 80, 9, 32), (2, 48, 7, 16), (5, 640, 40, 128)]
)
def test_weights_in_blocks(
    level: int, bits: int, points: bool, rows: int, inner: int, columns: int, block: int
) -> None:
    """A last block that is not full is filled up, as the operator says; zero points are packed as weights are."""
    rng = np.random.default_rng(inner)
    blocks, per = -(-inner // block), 8 // bits
    a = rng.standard_normal((rows, inner)).astype(np.float32)
    a[0, :block] = 0  # a block without a largest element
    packed = rng.integers(0, 256, (columns, blocks, block // per)).astype(np.uint8)
    scales = rng.uniform(0.1, 1, (columns, blocks)).astype(np.float32)
    zeros = rng.integers(0, 256, (columns, -(-blocks // per))).astype(np.uint8)
    whole = halves(packed.reshape(columns, -1), bits).reshape(columns, blocks, block).astype(np.float64)
    zero = (
        halves(zeros, bits)[:, :blocks].astype(np.float64)
        if points
        else np.full((columns, blocks), float(1 << (bits - 1)))
    )
    weights = ((whole - zero[..., None]) * scales[..., None]).reshape(columns, -1)[:, :inner]
    wanted = (rounded(a, block) if level == 4 else a) @ weights.T
    how = {"K": inner, "N": columns, "bits": bits, "block_size": block, "accuracy_level": level}
    constants = {"i1": packed, "i2": scales.reshape(-1), **({"i3": zeros.reshape(-1)} if points else {})}
    made = of_bytes([a, *constants.values()], how)
    network = im.from_onnx(made, constants=constants)
    np.testing.assert_allclose(im.run_network(network, {"i0": a})["y"], wanted, rtol=1e-4, atol=2e-3)
    if points and rows > 2:
        np.testing.assert_allclose(im.compile_network(network)(a)["y"], wanted, rtol=1e-4, atol=2e-3)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"K": 64, "N": 4, "bits": 3, "block_size": 32}, "of 3 bits it is not computed"),
        ({"K": 60, "N": 4, "bits": 4, "block_size": 32}, "no rows of 60 in blocks of 32"),
        ({"K": 64, "N": 5, "bits": 4, "block_size": 32}, "are no 5 rows of 2 blocks of 32"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(how: dict[str, Any], told: str) -> None:
    arrays = [np.zeros((1, 64), np.float32), np.zeros((4, 2, 16), np.uint8), np.ones(8, np.float32)]
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(of_bytes(arrays, how))


@pytest.mark.parametrize("shape", [(5,), (1,), (1, 4), ()])
def test_a_bias_has_one_element_for_each_column(shape: tuple[int, ...]) -> None:
    arrays = [np.zeros((1, 64), np.float32), np.zeros((4, 2, 16), np.uint8), np.ones(8, np.float32)]
    made = of_bytes([*arrays, np.zeros(shape, np.float32)], {"K": 64, "N": 4, "bits": 4, "block_size": 32})
    made.graph.node[0].input[3:] = ["", "", "i3"]
    with pytest.raises(NetworkError, match=r"n: i3: .* has not one element for each of 4 columns"):
        im.from_onnx(made)
