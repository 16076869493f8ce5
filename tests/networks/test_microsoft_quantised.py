"""onnxruntime's operators of bytes, drawn at random, beside their definitions in f64, and onnxruntime where it is installed.

A result in bytes may lie half a step from the exact number, and as far as f32 rounds besides.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError
from tests.networks.test_quantised import of_integers

ROUNDED = 2e-3  # steps of the result that f32 may be off by
BYTES = (np.uint8, np.int8)


@dataclass
class Case:
    """A node, its inputs in order, which of them are known, and what it should give: numbers, and their scale and zero point.

    plain: as onnxruntime takes it: every zero point is there and known, and one number has no dimensions.
    """

    draw: random.Random
    op: str
    plain: bool = False
    arrays: list[np.ndarray | None] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    how: dict[str, Any] = field(default_factory=dict)
    exact: np.ndarray = field(default_factory=lambda: np.zeros(()))
    result: tuple[Any, float, int] | None = None  # None: of f32

    def put(self, x: Any, known: bool = True) -> None:
        """An input; those that are known are so nine times of ten."""
        held = None if x is None else np.array(x, order="C")
        self.arrays.append(held if held is None or held.ndim or not self.rarely(0.5) else held.reshape(1))
        self.known.append(known and (self.plain or self.draw.random() < 0.9))

    def rarely(self, chance: float) -> bool:
        """Whether to leave what is plain."""
        return not self.plain and self.draw.random() < chance

    @property
    def numbers(self) -> np.random.Generator:
        return np.random.default_rng(self.draw.randint(0, 1 << 30))

    def quantised(self, of: Any, shape: tuple[int, ...], *, known: bool = False, optional: bool = True) -> np.ndarray:
        """Bytes with a scale and a zero point as the next inputs; the numbers that they are."""
        low = int(np.iinfo(of).min)
        bytes_ = self.numbers.integers(low, low + 256, shape).astype(of)
        scale, zero = np.float32(self.draw.uniform(0.002, 0.05)), self.draw.randint(low, low + 255)
        if optional and self.rarely(0.2):
            zero = 0
            self.put(bytes_, known), self.put(scale), self.put(None)
        else:
            self.put(bytes_, known), self.put(scale), self.put(of(zero))
        return (bytes_.astype(np.float64) - zero) * float(scale)

    def into(self, exact: np.ndarray, of: Any, at: int | None = None, optional: bool = False) -> None:
        """The result, in a scale that leaves most of it inside; at: where its inputs stand."""
        low, unit = int(np.iinfo(of).min), np.float32(np.abs(exact).max() / self.draw.randint(90, 200) + 1e-4)
        zero = 0 if (left_out := optional and self.rarely(0.1)) else self.draw.randint(low, low + 255)
        parts: list[Any] = [unit, None if left_out else of(zero)]
        at = len(self.arrays) if at is None else at
        self.arrays[at:at], self.known[at:at] = [None if p is None else np.asarray(p) for p in parts], [True, True]
        self.exact, self.result = exact, (of, float(unit), zero)

    def model(self) -> Any:
        names = ["" if a is None else f"i{n}" for n, a in enumerate(self.arrays)]
        while names and not names[-1]:
            names.pop()
        of = np.dtype(np.float32 if self.result is None else self.result[0])
        told = helper.make_tensor_value_info
        graph = helper.make_graph(
            [helper.make_node(self.op, names, ["y"], name="n", domain="com.microsoft", **self.how)], "one",
            [told(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in self.given().items()],
            [told("y", helper.np_dtype_to_tensor_dtype(of), self.exact.shape)],
            [numpy_helper.from_array(a, n) for n, a, k in zip(names, self.arrays, self.known, strict=False) if n and k],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def given(self) -> dict[str, np.ndarray]:
        return {
            f"i{n}": a for n, (a, k) in enumerate(zip(self.arrays, self.known, strict=True)) if a is not None and not k
        }

    def assert_near(self, found: np.ndarray) -> None:
        if self.result is None:
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, self.exact, rtol=1e-5, atol=1e-5 * max(np.abs(self.exact).max(), 1))
            return
        of, unit, zero = self.result
        assert found.dtype == of and found.shape == self.exact.shape
        wanted = np.clip(self.exact / unit + zero, np.iinfo(of).min, np.iinfo(of).max)
        assert np.abs(found.astype(np.float64) - wanted).max() <= 0.5 + ROUNDED


def image(c: Case, most: int = 9) -> tuple[int, ...]:
    return (c.draw.choice([1, 2]), c.draw.randint(1, 4), *(c.draw.randint(2, most) for _ in range(2)))


def two(c: Case, compute: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    of, shape = c.draw.choice(BYTES), image(c)
    other = tuple(1 if c.draw.random() < 0.3 else s for s in shape)[c.draw.choice([0, 0, 1, 2]) :]
    shapes = [shape, other]
    c.draw.shuffle(shapes)
    a, b = (c.quantised(of, s, known=n == 1 and c.draw.random() < 0.3) for n, s in enumerate(shapes))
    c.into(compute(a, b), of, optional=True)


def one(c: Case, compute: Callable[[np.ndarray], np.ndarray], optional: bool = True) -> None:
    of = c.draw.choice(BYTES)
    c.into(compute(c.quantised(of, image(c))), of, optional=optional)


def leaky(c: Case) -> None:
    c.how["alpha"] = alpha = float(np.float32(c.draw.uniform(-0.2, 0.5)))
    one(c, lambda x: np.where(x < 0, alpha * x, x))


def softmax(c: Case) -> None:
    c.how = {"opset": (opset := c.draw.choice([11, 12, 13, 21]))}
    if c.draw.random() < 0.7:
        c.how["axis"] = c.draw.randint(-4, 3)
    axis = int(c.how.get("axis", -1)) % 4

    def compute(x: np.ndarray) -> np.ndarray:
        axes = (axis,) if opset >= 13 else tuple(range(axis, 4))
        e = np.exp(x - x.max(axes, keepdims=True))
        return np.asarray(e / e.sum(axes, keepdims=True))

    one(c, compute, optional=False)


def channels(c: Case, x: np.ndarray, compute: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Of an image whose channels are last now and then."""
    if c.draw.random() < 0.3:
        c.how["channels_last"] = 1
        return compute(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    return compute(x)


def averages(c: Case) -> None:
    of, size = c.draw.choice(BYTES), [c.draw.choice([1, 2, 3]) for _ in range(2)]
    x = c.quantised(of, image(c))
    strides, pads = [c.draw.choice([1, 2]) for _ in range(2)], [c.draw.randint(0, s - 1) for s in (*size, *size)]
    c.how |= {"kernel_shape": size, "strides": strides, "pads": pads}
    counted = c.draw.random() < 0.4
    c.how |= {"count_include_pad": 1} if counted else {}

    def compute(x: np.ndarray) -> np.ndarray:
        around = ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3]))
        wide, there = np.pad(x, around), np.pad(np.ones(x.shape), around)
        counts = [(n - k) // s + 1 for n, k, s in zip(wide.shape[2:], size, strides, strict=True)]
        made = np.zeros((*x.shape[:2], *counts))
        for p, q in itertools.product(*map(range, counts)):
            cut = np.s_[:, :, p * strides[0] : p * strides[0] + size[0], q * strides[1] : q * strides[1] + size[1]]
            among = size[0] * size[1] if counted else there[cut].sum((2, 3))
            made[:, :, p, q] = wide[cut].sum((2, 3)) / among
        return made

    if min(n + 2 for n in x.shape[1:]) < 5:
        c.how["pads"] = pads = [s - 1 for s in (*size, *size)]  # so that a window has a place in any image
    c.into(channels(c, x, compute), of, optional=True)


def average(c: Case) -> None:
    of = c.draw.choice(BYTES)
    x = c.quantised(of, image(c), optional=False)
    c.into(channels(c, x, lambda x: x.mean((2, 3), keepdims=True)), of)


def joined(c: Case) -> None:
    of, shape, axis = c.draw.choice(BYTES), list(image(c)), c.draw.randint(-4, 3)
    c.how["axis"], parts = axis, []
    for _ in range(c.draw.randint(1, 3)):
        shape[axis] = c.draw.randint(1, 5)
        parts.append(c.quantised(of, tuple(shape), known=c.draw.random() < 0.2, optional=False))
    if c.draw.random() < 0.4:  # of one scale
        for n in range(0, len(c.arrays), 3):
            c.arrays[n + 1 : n + 3], c.known[n + 1 : n + 3] = c.arrays[1:3], [True, True]
        parts = [
            (a.astype(np.float64) - c.arrays[2].item()) * c.arrays[1].item()  # type: ignore[union-attr]
            for a in c.arrays[::3]
        ]
    c.into(np.concatenate(parts, axis), of, 0)


def where(c: Case) -> None:
    of, shape = c.draw.choice(BYTES), image(c)
    c.put(chosen := c.numbers.random(shape) < 0.5, False)
    x, y = (c.quantised(of, s, optional=False) for s in (shape, shape[2:]))
    c.into(np.where(chosen, x, y), of)


def matrix(c: Case, rows: int, columns: int, turned: int) -> tuple[Any, np.ndarray]:
    of = c.draw.choice(BYTES)
    low = int(np.iinfo(of).min)
    made = c.numbers.integers(low, low + 256, (rows, columns)).astype(of)
    return of, made.T if turned else made


def columnwise(c: Case, of: Any, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Scales and zero points of a matrix: one, or one for each column; several zero points now and then."""
    several, low = c.draw.random() < 0.5, int(np.iinfo(of).min)
    scale = c.numbers.uniform(0.001, 0.02, columns if several else ()).astype(np.float32)
    zero = np.full(scale.shape, c.draw.choice([0, low + 128, low + 7]), of)
    if several and c.draw.random() < 0.3:
        zero = c.numbers.integers(low, low + 256, columns).astype(of)
    return scale, zero


def gemm(c: Case) -> None:
    m, k, n = (c.draw.randint(1, 9) for _ in range(3))
    turned = [c.draw.choice([0, 1]) for _ in range(2)]
    (of_a, a), (of_b, b) = matrix(c, m, k, turned[0]), matrix(c, k, n, turned[1])
    scale, zero = (
        np.float32(c.draw.uniform(0.002, 0.05)),
        of_a(c.draw.randint(*(int(getattr(np.iinfo(of_a), e)) for e in ("min", "max")))),
    )
    scales, zeros = columnwise(c, of_b, n)
    c.put(a, False), c.put(scale), c.put(zero), c.put(b), c.put(scales), c.put(zeros)
    c.how = {name: value for name, value in zip(("transA", "transB"), turned, strict=True) if value}
    alpha = c.draw.choice([1.0, 1.0, 0.5, 1.7])
    c.how |= {"alpha": alpha} if alpha != 1 else {}
    left, right = (a.T if turned[0] else a).astype(np.int64), (b.T if turned[1] else b).astype(np.int64)
    whole = (left - int(zero)) @ (right - zeros.astype(np.int64))
    if c.draw.random() < 0.6:
        bias = c.numbers.integers(-3000, 3000, c.draw.choice([(n,), (1, n), (m, n), (m, 1)])).astype(np.int32)
        c.put(bias, c.draw.random() < 0.8)
        whole = whole + bias
    else:
        c.put(None)
    exact = whole * (float(scale) * scales.astype(np.float64) * float(np.float32(alpha)))
    if c.draw.random() < 0.8:
        c.into(exact, c.draw.choice(BYTES))
    else:
        c.exact = exact


def to_float(c: Case) -> None:
    shape = (*c.draw.choice([(), (2,), (3, 2)]), c.draw.randint(1, 6), c.draw.randint(1, 9))
    n, of_a = c.draw.randint(1, 9), c.draw.choice(BYTES)
    low = int(np.iinfo(of_a).min)
    a = c.numbers.integers(low, low + 256, shape).astype(of_a)
    of_b, b = matrix(c, shape[-1], n, 0)
    scale, zero = np.float32(c.draw.uniform(0.002, 0.05)), of_a(c.draw.randint(low, low + 255))
    scales, zeros = columnwise(c, of_b, n)
    c.put(a, False), c.put(b), c.put(scale), c.put(scales)
    if c.rarely(0.2):
        zero, zeros = of_a(0), np.zeros((), of_b)
        c.put(None), c.put(None)
    else:
        c.put(zero), c.put(zeros)
    whole = (a.astype(np.int64) - int(zero)) @ (b.astype(np.int64) - zeros.astype(np.int64))
    c.exact = whole * (float(scale) * scales.astype(np.float64))
    bias_of(c, n)


def bias_of(c: Case, n: int) -> None:
    if c.draw.random() < 0.5:
        c.put(bias := c.numbers.standard_normal(n).astype(np.float32))
        c.exact = c.exact + bias


def dynamic(c: Case) -> None:
    shape, n = (*c.draw.choice([(), (2,)]), c.draw.randint(1, 6), c.draw.randint(2, 9)), c.draw.randint(1, 9)
    a = c.numbers.standard_normal(shape).astype(np.float32) * np.float32(c.draw.uniform(0.1, 3))
    of_b, b = matrix(c, shape[-1], n, 0)
    scales, zeros = columnwise(c, of_b, n)
    c.put(a, False), c.put(b), c.put(scales)
    if c.rarely(0.2):
        zeros = np.zeros((), of_b)
        c.put(None)
    else:
        c.put(zeros)
    low, high = (
        np.float32(min(a.min(), 0)),
        np.float32(max(a.max(), 0)),
    )  # DynamicQuantizeLinear, in f32 as ONNX defines it
    scale = np.float32((high - low) / np.float32(255))
    zero = int(np.clip(np.rint(-low / scale), 0, 255))
    whole = np.clip(np.rint(a / scale) + np.float32(zero), 0, 255).astype(np.int64) - zero
    c.exact = (whole @ (b.astype(np.int64) - zeros.astype(np.int64))) * (float(scale) * scales.astype(np.float64))
    bias_of(c, n)


DRAWN: dict[str, Callable[[Case], None]] = {
    "QLinearAdd": lambda c: two(c, np.add), "QLinearMul": lambda c: two(c, np.multiply),
    "QLinearSigmoid": lambda c: one(c, lambda x: 1 / (1 + np.exp(-x))), "QLinearLeakyRelu": leaky, "QLinearSoftmax": softmax,
    "QLinearConcat": joined, "QLinearAveragePool": averages, "QLinearGlobalAveragePool": average, "QLinearWhere": where,
    "QGemm": gemm, "MatMulIntegerToFloat": to_float, "DynamicQuantizeMatMul": dynamic,
}  # fmt: skip


def drawn(op: str, seed: int, plain: bool = False) -> Case:
    c = Case(random.Random(f"{op} {seed}"), op, plain)
    DRAWN[op](c)
    return c


@pytest.mark.parametrize("op", DRAWN)
def test_an_operator_is_as_defined(op: str) -> None:
    for seed in range(25):
        c = drawn(op, seed)
        c.assert_near(im.run_network(im.from_onnx(c.model()), c.given())["y"])


@pytest.mark.parametrize("op", DRAWN)
def test_a_compiled_operator_gives_the_same_bytes(op: str) -> None:
    for seed in (100, 101):
        c = drawn(op, seed)
        network = im.from_onnx(c.model())
        found = im.compile_network(network)(**c.given())["y"]
        assert found.tobytes() == im.run_network(network, c.given())["y"].tobytes()


# By how many of a hundred bytes onnxruntime's may differ, each by one: it exponentiates by a table in whole numbers.
OTHER = {"QLinearSoftmax": 10}


@pytest.mark.parametrize("op", DRAWN)
def test_onnxruntime_gives_the_same_bytes(op: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    options, count, other = onnxruntime.SessionOptions(), 0, 0
    options.log_severity_level = 4
    for seed in range(200, 230):
        c = drawn(op, seed, True)
        model = c.model()
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            continue  # products with signed bytes on the left
        theirs, ours = session.run(None, c.given())[0], im.run_network(im.from_onnx(model), c.given())["y"]
        if c.result is None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * max(np.abs(c.exact).max(), 1))
            count += ours.size
            continue
        far = np.abs(ours.astype(int) - theirs.astype(int))
        assert far.max() <= (op in OTHER), (seed, c.how)
        count, other = count + far.size, other + int((far > 0).sum())
    assert count > 100
    assert other <= count * OTHER.get(op, 0) / 100


@pytest.mark.parametrize("of", BYTES)
def test_ties_go_to_the_even_byte(of: Any) -> None:
    """Before the zero point is added."""
    c = Case(random.Random(0), "QLinearAdd", True)
    x, half, zero = np.arange(-20, 21).astype(of), np.float32(0.5), of(0)
    c.put(x, False), c.put(half), c.put(zero), c.put(np.zeros(1, of)), c.put(half), c.put(zero)
    c.put(np.float32(1)), c.put(of(3))
    c.exact, c.result = x * 0.5, (of, 1.0, 3)
    found = im.run_network(im.from_onnx(c.model()), c.given())["y"]
    low, high = np.iinfo(of).min, np.iinfo(of).max
    np.testing.assert_array_equal(found, np.clip(np.rint(x.astype(np.float64) * 0.5) + 3, low, high))


# ---- What is refused


def changed(op: str, **changes: Any) -> Any:
    """The model of an operator with inputs i3=... or attributes that are others; a tuple is a shape, of zeros."""
    inputs = {int(n[1:]): v for n, v in changes.items() if n[1:].isdigit()}
    cases = (drawn(op, seed, True) for seed in range(50))
    c = next(c for c in cases if len(c.arrays) > max(inputs, default=0) and (op != "QGemm" or c.result is not None))
    for n, value in inputs.items():
        held = c.arrays[n]
        made = np.zeros(value, held.dtype) if isinstance(value, tuple) and held is not None else value
        c.arrays[n] = None if made is None else np.asarray(made)
    c.how |= {n: v for n, v in changes.items() if not n[1:].isdigit()}
    return c.model()


F = np.float32


@pytest.mark.parametrize("scale", [0.0, -0.5, np.nan, np.inf])
@pytest.mark.parametrize(
    ("op", "at"),
    [
        ("QLinearAdd", 1), ("QLinearAdd", 4), ("QLinearAdd", 6), ("QLinearMul", 4), ("QLinearSigmoid", 3), ("QLinearSoftmax", 1),
        ("QLinearConcat", 0), ("QLinearConcat", 3), ("QLinearAveragePool", 1), ("QLinearGlobalAveragePool", 3), ("QLinearWhere", 7),
        ("QGemm", 1), ("QGemm", 4), ("QGemm", 7), ("MatMulIntegerToFloat", 2), ("MatMulIntegerToFloat", 3),
        ("DynamicQuantizeMatMul", 2),
    ],
)  # fmt: skip
def test_a_scale_that_is_no_positive_number_is_named(op: str, at: int, scale: float) -> None:
    told = rf"n: the scale .* of {op} is no positive number; give its input {at + 1} a scale above 0"
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(changed(op, **{f"i{at}": F(scale)}))


@pytest.mark.parametrize(
    ("op", "changes", "told"),
    [
        ("QLinearAdd", {"i1": F([1, 2])}, r"n: input 2 of QLinearAdd is .*\[2\].*, and must be one number"),
        ("QLinearAdd", {"i6": F([1, 2])}, r"n: input 7 of QLinearAdd is .*\[2\].*, and must be one number"),
        ("QLinearAdd", {"i1": np.float64(1)}, "n: QLinearAdd of opset 1 does not take double as its input 2"),
        ("QLinearAdd", {"i2": np.int32(1)}, "n: QLinearAdd of opset 1 does not take int32 as its input 3"),
        ("QLinearSigmoid", {"alpha": 1.0}, "n: QLinearSigmoid of opset 1 has no attribute alpha"),
        ("QLinearMul", {"i3": (7, 11), "i0": (5, 3)}, "n: .*broadcast"),
        ("QLinearConcat", {"i4": None}, "n: QLinearConcat lacks its input 5|n: QLinearConcat has 4 inputs"),
        ("QLinearConcat", {"axis": 9}, "n: QLinearConcat: axis 9"),
        ("QLinearAveragePool", {"i0": (2, 3)}, "n: .* is no image of channels"),
        ("QLinearAveragePool", {"kernel_shape": [2]}, "n: .*window"),
        ("QLinearGlobalAveragePool", {"i0": (2, 3)}, "n: .* is no image of channels"),
        ("QGemm", {"i0": (3, 13)}, r"n: .* have no product; QGemm wants \[M,K\] and \[K,N\]"),
        ("QGemm", {"i4": np.ones(40, F)}, "n: input 5 of QGemm is .*, and must be one number, or one for each column of"),
        ("QGemm", {"i5": (1, 2)}, "n: input 6 of QGemm is .*, and must be one number, or one for each column of"),
        ("QGemm", {"i6": np.ones(40, np.int32)}, "n: .*broadcast"),
        ("QGemm", {"i8": None}, "n: QGemm has one of a scale and a zero point of its result, and must have both or none"),
        ("MatMulIntegerToFloat", {"i0": (3, 13)}, "n: .* have no product"),
        ("MatMulIntegerToFloat", {"i2": np.ones(2, F)}, "is the scale of .*, and only one number is computed"),
        ("DynamicQuantizeMatMul", {"i4": (40,)}, "n: .* has not one element for each column of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(op: str, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(changed(op, **changes))


# ---- A network


class Samples:
    """What onnxruntime's quantiser calibrates with."""

    def __init__(self, count: int) -> None:
        draw = np.random.default_rng(1)
        self.left = [{"x": draw.standard_normal((1, 3, 16, 16)).astype(F)} for _ in range(count)]

    def get_next(self) -> Any:
        return self.left.pop() if self.left else None


def floating() -> Any:
    """Convolutions, a residual sum, a join of branches, a gate, means, a product of matrices and softmax, with seeded weights."""
    draw = np.random.default_rng(0)
    weights: dict[str, np.ndarray] = {}

    def w(name: str, *shape: int) -> str:
        weights[name] = (draw.standard_normal(shape) / np.sqrt(max(np.prod(shape[1:]), 1))).astype(F)
        return name

    def conv(x: str, y: str, many: int, channels: int, size: int) -> Any:
        names = [x, w(f"w_{y}", many, channels, size, size), w(f"b_{y}", many)]
        return helper.make_node("Conv", names, [y], name=y, kernel_shape=[size] * 2, pads=[size // 2] * 4)

    def node(op: str, inputs: str, output: str, **how: Any) -> Any:
        return helper.make_node(op, inputs.split(), [output], name=output, **how)

    nodes = [
        conv("x", "c1", 8, 3, 3), node("Relu", "c1", "r1"), conv("r1", "c2", 8, 8, 3), node("LeakyRelu", "c2", "l2", alpha=0.1),
        conv("l2", "c3", 8, 8, 3), node("Add", "r1 c3", "sum"), node("MaxPool", "sum", "m", kernel_shape=[2, 2], strides=[2, 2]),
        conv("m", "c4", 6, 8, 1), node("AveragePool", "m", "a", kernel_shape=[3, 3], pads=[1] * 4),
        node("Concat", "c4 a", "j", axis=1), node("Sigmoid", "j", "gate"), node("Mul", "j gate", "swish"),
        node("GlobalAveragePool", "swish", "g"), node("Flatten", "g", "flat"),
        node("Gemm", f"flat {w('w_gemm', 10, 14)} {w('b_gemm', 10)}", "scores", transB=1), node("Softmax", "scores", "y", axis=-1),
    ]  # fmt: skip
    told = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "small", [told("x", 1, [1, 3, 16, 16])], [told("y", 1, [1, 10])],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize(("of", "per_channel"), [("QUInt8", False), ("QInt8", True)])
def test_a_statically_quantised_network_is_computed_by_kernels_alone(tmp_path: Any, of: str, per_channel: bool) -> None:
    """Every byte between its operators is onnxruntime's; none is computed by another library, or the model would be refused."""
    pytest.importorskip("onnxruntime")
    import onnxruntime
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    plain, small = tmp_path / "plain.onnx", tmp_path / "small.onnx"
    onnx.save(floating(), plain)
    quantize_static(
        plain, small, Samples(20), quant_format=QuantFormat.QOperator, activation_type=getattr(QuantType, of),
        weight_type=QuantType.QInt8, per_channel=per_channel,
    )  # fmt: skip
    model = onnx.load(small)
    assert {n.op_type for n in model.graph.node if n.domain == "com.microsoft"} == {
        "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul",
        "QLinearSigmoid", "QLinearSoftmax", "QGemm",
    }  # fmt: skip
    byte = onnx.TensorProto.UINT8 if of == "QUInt8" else onnx.TensorProto.INT8
    for name in (n.output[0] for n in model.graph.node if n.output[0] != "y"):
        model.graph.output.append(helper.make_tensor_value_info(name, byte, None))
    network = im.from_onnx(model)
    of_integers(network)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    made = im.compile_network(network)
    for x in (d["x"] for d in Samples(10).left):
        ours, theirs = made(x), dict(zip(names, session.run(names, {"x": x}), strict=True))
        assert len(np.unique(theirs["sum_quantized"])) > 100
        for name in names:
            if name in ("y", "y_quantized"):  # of steps of 1/256
                assert np.abs((ours[name] - theirs[name].astype(F)) * (256 if name == "y" else 1)).max() <= 1
            else:
                np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
