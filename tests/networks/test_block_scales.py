"""Blocks of 8 and 4 bits of floating point with a power of two for each, as MXFP8 and MXFP4 have them: exact in f32."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import NetworkError

ELEMENTS = {
    "f8e4m3": TensorProto.FLOAT8E4M3FN, "f8e5m2": TensorProto.FLOAT8E5M2, "f4e2m1": TensorProto.FLOAT4E2M1
}  # fmt: skip
E8M0 = DTYPES["e8m0"].numpy


def model(nodes: list[Any], inputs: dict[str, np.ndarray], known: dict[str, np.ndarray], **outputs: int) -> Any:
    told, of = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        nodes, "blocks", [told(n, of(a.dtype), a.shape) for n, a in inputs.items()],
        [told(n, t, None) for n, t in outputs.items()], [numpy_helper.from_array(a, n) for n, a in known.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12)


def drawn(
    of: str, shape: tuple[int, ...], axis: int, block: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elements, scales, and the numbers that they are."""
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 16 if of == "f4e2m1" else 256, shape).astype(np.uint8).view(DTYPES[of].numpy)
    if of != "f4e2m1":
        x[~np.isfinite(x.astype(np.float32))] = 1
    blocks = [-(-s // block) if n == axis else s for n, s in enumerate(shape)]
    scale = draw.integers(117, 138, blocks).astype(np.uint8).view(E8M0)
    wide = np.repeat(scale.astype(np.float64), block, axis)[tuple(slice(s) for s in shape)]
    return x, scale, x.astype(np.float64) * wide


@pytest.mark.parametrize("of", ELEMENTS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis", "block"), [((64, 9), 0, 32), ((70, 9), 0, 32), ((9, 48), 1, 16), ((2, 5, 33), -1, 32)]
)
def test_weights_in_blocks_stand_before_a_product(
    of: str, known: bool, shape: tuple[int, ...], axis: int, block: int
) -> None:
    w, scale, meant = drawn(of, shape, axis % len(shape), block, 1)
    x = np.random.default_rng(2).integers(-4, 5, (3, shape[-2])).astype(np.float32)
    nodes = [
        helper.make_node(
            "DequantizeLinear", ["w", "s"], ["d"], axis=axis, block_size=block, output_dtype=TensorProto.FLOAT
        ),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    weights = {"w": w, "s": scale}
    inputs = {"x": x} | ({} if known else weights)
    network = im.from_onnx(model(nodes, inputs, weights if known else {}, d=TensorProto.FLOAT, y=TensorProto.FLOAT))
    found = im.run_network(network, inputs)
    np.testing.assert_array_equal(found["d"].astype(np.float64), meant)
    np.testing.assert_allclose(found["y"], x.astype(np.float64) @ meant, rtol=1e-5, atol=1e-5 * np.abs(meant).max())
    if len(shape) == 2:
        made = im.compile_network(network)(**inputs)
        np.testing.assert_array_equal(made["d"], found["d"])
        np.testing.assert_allclose(made["y"], found["y"], rtol=1e-5, atol=1e-5 * np.abs(meant).max())


@pytest.mark.parametrize("of", ELEMENTS)
def test_numbers_become_elements_of_blocks(of: str) -> None:
    """Over a power of two they are exact, then the nearest element, or the largest."""
    _, scale, _ = drawn(of, (70, 9), 0, 32, 3)
    x = (np.random.default_rng(4).standard_normal((70, 9)) * np.exp2(np.arange(9))).astype(np.float32)
    node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"], axis=0, block_size=32, output_dtype=ELEMENTS[of])
    network = im.from_onnx(model([node], {"x": x}, {"s": scale}, y=ELEMENTS[of]))
    over = x.astype(np.float64) / np.repeat(scale.astype(np.float64), 32, 0)[:70]
    every = np.arange(16 if of == "f4e2m1" else 256, dtype=np.uint8).view(DTYPES[of].numpy).astype(np.float64)
    numbers = np.unique(every[np.isfinite(every)])
    found = im.run_network(network, {"x": x})["y"].astype(np.float64)
    nearest = np.abs(over[..., None] - numbers).min(-1)
    np.testing.assert_array_equal(np.abs(over - found), nearest)


@pytest.mark.parametrize(
    ("scale", "how", "told"),
    [
        (np.full((2, 9), 127), {"output_dtype": 1}, r"\[2, 9\] has not one element for each block of 32 along axis 0 of w: .*; "
         r"give it the shape \[3, 9\]"),
        (np.full((3, 8), 127), {"output_dtype": 1}, r"dq: s: .* give it the shape \[3, 9\]"),
        (np.full((3, 9), 127), {}, "dq: its result is not of e8m0, as the scale is; give output_dtype, such as FLOAT"),
        (np.full((3, 9), 255), {"output_dtype": 1}, "dq: the scale nan of DequantizeLinear is no positive number"),
        (np.full((3, 9), 127), {"output_dtype": 1, "block_size": -3}, "dq: .* has not one element for each block of -3"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(scale: np.ndarray, how: dict[str, Any], told: str) -> None:
    w, _, _ = drawn("f8e4m3", (70, 9), 0, 32, 5)
    node = helper.make_node("DequantizeLinear", ["w", "s"], ["d"], name="dq", **{"axis": 0, "block_size": 32, **how})
    made = model([node], {}, {"w": w, "s": scale.astype(np.uint8).view(E8M0)}, d=onnx.TensorProto.FLOAT)
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(made)
