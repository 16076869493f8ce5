"""Quantised graphs in integers: chains of operators, drawn at random, against whole numbers of NumPy, bit for bit."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.rewrite import rewritten

OPSET = 21


@dataclass
class Quantised:
    """Bytes as the graph has them, and what NumPy says they are. name: of the dequantised value."""

    name: str
    whole: np.ndarray
    scale: np.float32
    zero: int


@dataclass
class Model:
    """A graph of QuantizeLinear and DequantizeLinear that is being built, with what each value is for one input."""

    draw: random.Random
    of: Any  # of activations
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    count: int = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def given(self, array: Any) -> str:
        name = self.fresh("c")
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, op: str, *inputs: str, **how: Any) -> str:
        name = self.fresh("v")
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"{op}_{self.count}", **how))
        return name

    def zero_point(self) -> int:
        low = np.iinfo(self.of).min
        return low if self.draw.random() < 0.4 else self.draw.randint(low, low + 255)

    def quantised(self, name: str, value: np.ndarray, scale: Any = None, zero: int | None = None) -> Quantised:
        """Behind QuantizeLinear and DequantizeLinear. value: f32, already over the scale where it is a sum's."""
        zero = self.zero_point() if zero is None else zero
        pair = self.given(np.float32(scale)), self.given(self.of(zero))
        name = self.node("DequantizeLinear", self.node("QuantizeLinear", name, *pair), *pair)
        low, high = np.iinfo(self.of).min, np.iinfo(self.of).max
        whole = np.clip(np.rint(value.astype(np.float32)).astype(np.float64) + zero, low, high).astype(np.int64)
        return Quantised(name, whole, np.float32(scale), zero)

    def of_sum(self, name: str, total: np.ndarray, scale: np.ndarray) -> Quantised:
        """Of sums of products with these scales, in a scale that leaves most of them inside."""
        unit = np.float32(np.abs(total * scale.astype(np.float64)).max() / self.draw.randint(90, 140) + 1e-6)
        value = total.astype(np.float32) * (scale.astype(np.float32) / unit)
        return self.quantised(name, value, unit)

    def weights(self, shape: tuple[int, ...], axis: int) -> tuple[str, np.ndarray, np.ndarray]:
        """Signed bytes with one scale, or one for each of an axis; the scales broadcast against the axis."""
        rng = np.random.default_rng(self.draw.randint(0, 1 << 30))
        whole = rng.integers(-127, 128, shape).astype(np.int8)
        several = self.draw.random() < 0.5
        scale = rng.uniform(0.001, 0.02, shape[axis] if several else ()).astype(np.float32)
        zero = np.zeros(scale.shape, np.int8)
        how = {"axis": axis} if several else {}
        name = self.node("DequantizeLinear", self.given(whole), self.given(scale), self.given(zero), **how)
        return name, whole.astype(np.int64), scale

    def bias(self, x: Quantised, scale: np.ndarray, count: int) -> tuple[str, np.ndarray]:
        rng = np.random.default_rng(count)
        whole = rng.integers(-3000, 3000, count).astype(np.int32)
        unit = np.broadcast_to(x.scale * scale, (count,)) if scale.ndim else x.scale * scale
        how = {"axis": 0} if scale.ndim else {}
        return self.node(
            "DequantizeLinear", self.given(whole), self.given(unit.astype(np.float32)), **how
        ), whole.astype(np.int64)


def convolved(x: np.ndarray, w: np.ndarray, stride: int, pad: int, groups: int) -> np.ndarray:
    """Of whole numbers, 0 beside the image."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    size, each, per = w.shape[2], w.shape[0] // groups, x.shape[1] // groups
    rows, columns = ((n - size) // stride + 1 for n in x.shape[2:])
    made = np.zeros((x.shape[0], w.shape[0], rows, columns), np.int64)
    for m in range(w.shape[0]):
        part = x[:, m // each * per : (m // each + 1) * per]
        for r in range(size):
            for s in range(size):
                seen = part[:, :, r : r + rows * stride : stride, s : s + columns * stride : stride]
                made[:, m] += (seen[:, :, :rows, :columns] * w[m, :, r, s][None, :, None, None]).sum(1)
    return made


def conv(m: Model, x: Quantised) -> Quantised:
    channels, size = x.whole.shape[1], m.draw.choice([1, 3])
    groups = m.draw.choice([1, 1, channels])
    many, stride, pad = (
        m.draw.choice([1, 2]) * channels,
        m.draw.choice([1, 2]),
        m.draw.choice([0, 1]) if size == 3 else 0,
    )
    if min(x.whole.shape[2:]) + 2 * pad < size:
        return x
    name, w, scale = m.weights((many, channels // groups, size, size), 0)
    more: list[str] = []
    total = convolved(x.whole - x.zero, w, stride, pad, groups)
    if m.draw.random() < 0.6:
        given, bias = m.bias(x, scale, many)
        more, total = [given], total + bias[None, :, None, None]
    made = m.node(
        "Conv", x.name, name, *more, strides=[stride] * 2, pads=[pad] * 4, group=groups, kernel_shape=[size] * 2
    )
    if m.draw.random() < 0.5:
        made, total = m.node("Relu", made), np.maximum(total, 0)
    wide = scale[:, None, None] if scale.ndim else scale
    return m.of_sum(made, total, np.asarray(x.scale * wide))


def max_pool(m: Model, x: Quantised) -> Quantised:
    if min(x.whole.shape[2:]) < 2:
        return x
    rows, columns = (n // 2 for n in x.whole.shape[2:])
    cut = x.whole[:, :, : 2 * rows, : 2 * columns]
    whole = cut.reshape(*cut.shape[:2], rows, 2, columns, 2).max((3, 5))
    name = m.node("MaxPool", x.name, kernel_shape=[2, 2], strides=[2, 2])
    found = m.quantised(name, (whole - x.zero).astype(np.float32), x.scale, x.zero)
    assert (found.whole == whole).all()
    return found


def average(m: Model, x: Quantised) -> Quantised:
    count = x.whole.shape[2] * x.whole.shape[3]
    total = (x.whole - x.zero).sum((2, 3), keepdims=True)
    return m.of_sum(m.node("GlobalAveragePool", x.name), total, np.asarray(x.scale / np.float32(count)))


def added(m: Model, x: Quantised) -> Quantised:
    """To another value of its shape."""
    y = x
    for _ in range(5):
        y = conv(m, x)
        if y.whole.shape == x.whole.shape:
            break
    else:
        y = x
    left, right = ((v.whole - v.zero).astype(np.float32) * v.scale for v in (x, y))
    total, unit = left + right, np.float32(0.05)
    return m.quantised(m.node("Add", x.name, y.name), total / unit, unit)


def joined(m: Model, x: Quantised) -> Quantised:
    whole = np.concatenate([x.whole, x.whole], 1)
    return m.quantised(m.node("Concat", x.name, x.name, axis=1), (whole - x.zero).astype(np.float32), x.scale, x.zero)


def turned(m: Model, x: Quantised) -> Quantised:
    name = m.node("Transpose", x.name, perm=[0, 1, 3, 2])
    return Quantised(name, x.whole.transpose(0, 1, 3, 2), x.scale, x.zero)


def product(m: Model, x: Quantised) -> Quantised:
    """With weights, or with the value itself, turned."""
    if m.draw.random() < 0.5:
        other = turned(m, x)
        total = (x.whole - x.zero) @ (other.whole - other.zero)
        return m.of_sum(m.node("MatMul", x.name, other.name), total, np.asarray(x.scale * other.scale))
    name, w, scale = m.weights((x.whole.shape[3], m.draw.randint(1, 9)), 1)
    return m.of_sum(m.node("MatMul", x.name, name), (x.whole - x.zero) @ w, np.asarray(x.scale * scale))


OPERATORS = (conv, conv, max_pool, average, added, joined, turned, product)


def drawn(seed: int, steps: int = 5) -> tuple[Any, np.ndarray, Quantised]:
    """A model, an input, and its last value."""
    draw = random.Random(seed)
    m = Model(draw, draw.choice([np.uint8, np.int8]))
    shape = (draw.choice([1, 2]), draw.choice([2, 3, 4]), draw.randint(3, 8), draw.randint(3, 8))
    image = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    x = m.quantised("x", image / np.float32(0.02), np.float32(0.02))
    for _ in range(steps):
        x = draw.choice(OPERATORS)(m, x)
    return model_of(m, image, x), image, x


def model_of(m: Model, image: np.ndarray, x: Quantised) -> Any:
    """The model from the image to a value."""
    graph = helper.make_graph(
        m.nodes, "drawn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, image.shape)],
        [helper.make_tensor_value_info(x.name, TensorProto.FLOAT, x.whole.shape)],
        m.constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    onnx.checker.check_model(model)
    return model


def assert_these_bytes(found: np.ndarray, x: Quantised) -> None:
    np.testing.assert_array_equal(np.rint(found / x.scale).astype(np.int64) + x.zero, x.whole)


def of_integers(network: Any) -> None:
    """No sum of the network is one of products of floating point."""
    for step in network.kernels:
        for s in step.kernel.statements:
            if s.op == "+=" and len(s.inputs) > 1:
                assert all(not step.kernel.tensor(a.tensor).dtype.is_float for a in s.inputs), step.node


@pytest.mark.parametrize("seed", range(40))
def test_a_chain_is_computed_in_whole_numbers(seed: int) -> None:
    model, image, x = drawn(seed)
    network = im.from_onnx(model)
    of_integers(network)
    assert_these_bytes(im.run_network(network, {"x": image})[x.name], x)


@pytest.mark.parametrize("seed", range(6))
def test_a_sum_of_two_values_reads_no_floats(seed: int) -> None:
    """What makes bytes wider is computed where they are read, though it could be where they are made."""
    m = Model(random.Random(seed), np.uint8)
    image = np.random.default_rng(seed).standard_normal((1, 3, 6, 6)).astype(np.float32)
    x = m.quantised("x", image / np.float32(0.02), np.float32(0.02))
    one = other = conv(m, x)
    while other is one or other.whole.shape != one.whole.shape:
        other = conv(m, x)
    total = sum((v.whole - v.zero).astype(np.float32) * v.scale for v in (one, other))
    y = m.quantised(m.node("Add", one.name, other.name), np.float32(total) / np.float32(0.05), np.float32(0.05))
    added_here = m.nodes[-3].name
    y = conv(m, y)
    network = rewritten(im.from_onnx(model_of(m, image, y)), "avx2")[0]
    (step,) = (s for s in network.kernels if added_here in s.node)
    images = [v for _, v in step.reads if v not in network.constants and len(network.values[v].shape) == 4]
    assert not any(network.values[v].dtype.is_float for v in images)
    assert_these_bytes(im.run_network(network, {"x": image})[y.name], y)


@pytest.mark.parametrize("seed", range(100, 106))
def test_compiled_chains_are_the_same(seed: int) -> None:
    model, image, x = drawn(seed, 4)
    assert_these_bytes(im.compile_network(im.from_onnx(model))(image)[x.name], x)


@pytest.mark.parametrize("seed", range(200, 212))
def test_onnxruntime_gives_the_same_bytes(seed: int) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model, image, x = drawn(seed)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
        pytest.skip(f"onnxruntime makes a graph of it that it refuses: {error}")
    found = np.rint(session.run(None, {"x": image})[0] / x.scale).astype(np.int64) + x.zero
    assert np.abs(found - x.whole).max() <= 1  # it rounds means and sums of two on ways of its own


@pytest.mark.parametrize("scale", [0.0, -0.5, np.nan, np.inf])
def test_a_scale_that_is_no_positive_number_is_named(scale: float) -> None:
    m = Model(random.Random(0), np.uint8)
    pair = m.given(np.float32(scale)), m.given(np.uint8(0))
    name = m.node("QuantizeLinear", "x", *pair)
    graph = helper.make_graph(
        m.nodes, "scaled", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info(name, TensorProto.UINT8, [4])], m.constants,
    )  # fmt: skip
    with pytest.raises(NetworkError, match=r"QuantizeLinear_3: the scale .* is no positive number"):
        im.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10))
