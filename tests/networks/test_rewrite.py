"""Fusion and layouts change no value: random networks, by the interpreter before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.networks.layout import through
from isamap_smt.networks.rewrite import rewritten
from tests.networks.models import convolutional, expected, model, node, weight


class Drawn:
    """A random graph of windows, elementwise operators, views, transposes and joins, on images and rows."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.weights: dict[str, np.ndarray] = {}
        self.values: dict[str, tuple[int, ...]] = {
            "x": (int(self.rng.choice([1, 2])), int(self.rng.choice([3, 4])), 6, 8)
        }
        self.nodes: list[Any] = []
        for _ in range(int(self.rng.integers(4, 10))):
            name = str(self.rng.choice(list(self.values)))
            self.rng.choice(IMAGES if len(self.values[name]) == 4 else ROWS)(self, name, self.values[name])

    def new(self, op: str, inputs: list[str], shape: tuple[int, ...], **attributes: Any) -> str:
        """Another node; the name of its result."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(op, inputs, [name], **attributes))
        self.values[name] = shape
        return name

    def constant(self, *shape: int) -> str:
        """Weights of this shape."""
        name = f"w{len(self.weights)}"
        self.weights[name] = weight(self.rng, *shape)
        return name

    def shape(self, *shape: int) -> str:
        """A shape as a constant."""
        name = f"w{len(self.weights)}"
        self.weights[name] = np.array(shape, np.int64)
        return name

    def other(self, test: Any) -> str:
        """A value whose shape passes."""
        return str(self.rng.choice([n for n, s in self.values.items() if test(s)]))

    def unary(self, name: str, shape: tuple[int, ...]) -> None:
        self.new(str(self.rng.choice(["Relu", "Sigmoid"])), [name], shape)

    def add(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("Add", [name, self.other(lambda s: s == shape)], shape)

    def scale(self, name: str, shape: tuple[int, ...]) -> None:
        wide = [shape[1], 1, 1] if len(shape) == 4 else [shape[-1]]
        self.new("Mul", [name, self.constant(*wide)], shape)

    def softmax(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("Softmax", [name], shape, axis=-1)

    def conv(self, name: str, shape: tuple[int, ...]) -> None:
        k, m = int(self.rng.choice([1, 3])), int(self.rng.choice([4, 6]))
        weights = [self.constant(m, shape[1], k, k), self.constant(m)]
        self.new("Conv", [name, *weights], (shape[0], m, *shape[2:]), pads=[k // 2] * 4)

    def depthwise(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("Conv", [name, self.constant(shape[1], 1, 3, 3)], shape, pads=[1] * 4, group=shape[1])

    def pool(self, name: str, shape: tuple[int, ...]) -> None:
        op = str(self.rng.choice(["MaxPool", "AveragePool"]))
        self.new(op, [name], shape, kernel_shape=[3, 3], pads=[1] * 4)

    def concat(self, name: str, shape: tuple[int, ...]) -> None:
        other = self.other(lambda s: len(s) == 4 and (s[0], *s[2:]) == (shape[0], *shape[2:]))
        self.new("Concat", [name, other], (shape[0], shape[1] + self.values[other][1], *shape[2:]), axis=1)

    def flatten(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("Flatten", [name], (shape[0], int(np.prod(shape[1:]))))

    def transpose(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("Transpose", [name], tuple(shape[n] for n in (0, 1, 3, 2)), perm=[0, 1, 3, 2])

    def mean(self, name: str, shape: tuple[int, ...]) -> None:
        self.new("GlobalAveragePool", [name], (shape[0], shape[1], 1, 1))

    def shuffle(self, name: str, shape: tuple[int, ...]) -> None:
        if shape[1] % 2:
            return
        apart = (shape[0], 2, shape[1] // 2, *shape[2:])
        seen = self.new("Reshape", [name, self.shape(*apart)], apart)
        turned = self.new("Transpose", [seen], (shape[0], shape[1] // 2, 2, *shape[2:]), perm=[0, 2, 1, 3, 4])
        self.new("Reshape", [turned, self.shape(*shape)], shape)

    def axis(self, shape: tuple[int, ...]) -> int:
        return int(self.rng.integers(len(shape)))

    def with_axis(self, shape: tuple[int, ...], axis: int, extent: int) -> tuple[int, ...]:
        return (*shape[:axis], extent, *shape[axis + 1 :])

    def split(self, name: str, shape: tuple[int, ...]) -> None:
        axis = self.axis(shape)
        if shape[axis] < 2:
            return
        left = int(self.rng.integers(1, shape[axis]))
        names = [f"v{len(self.nodes)}", f"v{len(self.nodes)}b"]
        self.nodes.append(node("Split", [name, self.shape(left, shape[axis] - left)], names, axis=axis))
        for n, extent in zip(names, (left, shape[axis] - left), strict=True):
            self.values[n] = self.with_axis(shape, axis, extent)

    def slice(self, name: str, shape: tuple[int, ...]) -> None:
        axis, step = self.axis(shape), int(self.rng.choice([1, 2, -1]))
        begin, end = (0, shape[axis]) if step > 0 else (-1, -shape[axis] - 1)
        made = self.with_axis(shape, axis, -(-shape[axis] // abs(step)))
        self.new("Slice", [name, *map(self.shape, (begin, end, axis, step))], made)

    def pad(self, name: str, shape: tuple[int, ...]) -> None:
        axis, mode = self.axis(shape), str(self.rng.choice(["constant", "edge", "reflect"]))
        many = min(2, shape[axis] - 1)
        pads = [many if n % len(shape) == axis else 0 for n in range(2 * len(shape))]
        self.new("Pad", [name, self.shape(*pads)], self.with_axis(shape, axis, shape[axis] + 2 * many), mode=mode)

    def gather(self, name: str, shape: tuple[int, ...]) -> None:
        axis, taken = self.axis(shape), self.new("ArgMax", [name], (*shape[:-1], 1), axis=-1)
        del self.values[taken]  # it holds i64
        if shape[axis] >= shape[-1] and len(shape) == 2:
            self.new(
                "GatherElements" if axis else "Gather",
                [name, taken],
                (*shape[:1], 1, *(() if axis else shape[1:])),
                axis=axis,
            )

    def reduce(self, name: str, shape: tuple[int, ...]) -> None:
        axis, op = self.axis(shape), str(self.rng.choice(["ReduceMean", "ReduceMax", "ReduceL2"]))
        self.new(op, [name], self.with_axis(shape, axis, 1), axes=[axis])

    def twice(self, name: str, shape: tuple[int, ...]) -> None:
        self.new(str(self.rng.choice(["Mul", "Sub", "Max"])), [name, name], shape)


ROWS: list[Any] = [
    Drawn.unary, Drawn.add, Drawn.scale, Drawn.softmax, Drawn.split, Drawn.slice, Drawn.pad, Drawn.reduce, Drawn.twice,
    Drawn.gather,
]  # fmt: skip
IMAGES: list[Any] = [
    *ROWS, Drawn.conv, Drawn.conv, Drawn.depthwise, Drawn.pool, Drawn.concat, Drawn.flatten, Drawn.transpose,
    Drawn.mean, Drawn.shuffle,
]  # fmt: skip


def random_model(seed: int) -> Any:
    """A model whose outputs are all values that no node reads."""
    made = Drawn(seed)
    if not made.nodes:
        made.unary("x", made.values["x"])
    read = {i for n in made.nodes for i in n.input}
    outputs = {o: list(made.values[o]) for n in made.nodes for o in n.output if o not in read and o in made.values}
    if not outputs:
        outputs = {made.new("Relu", ["x"], made.values["x"]): list(made.values["x"])}
    return model(made.nodes, {"x": list(made.values["x"])}, outputs, made.weights)


@pytest.mark.parametrize("seed", range(60))
def test_the_rewritten_network_computes_the_same(seed: int) -> None:
    proto = random_model(seed)
    network = im.from_onnx(proto)
    arrays = {"x": np.random.default_rng(seed).standard_normal(network.values["x"].shape).astype(np.float32)}
    wanted = expected(proto, arrays)
    for made in (network, *(rewritten(network, hardware)[0] for hardware in ("avx2", "scalar"))):
        got = im.run_network(made.check(), arrays)
        for name, w in wanted.items():
            np.testing.assert_allclose(got[name], w, rtol=1e-4, atol=1e-5)


def test_fusion_leaves_few_kernels() -> None:
    network = im.from_onnx(convolutional())
    made = rewritten(network, "avx2")[0]
    assert len(network.kernels) == 10
    assert [s.node for s in made.kernels] == ["c1, r1", "p1", "c2, bn", "dw, ad, r2", "fl", "lg", "y"]
    first = im.to_text(made.kernels[0].kernel).splitlines()[-1]
    assert first == "Y0[0, a1, a2, a3] = relu(T0[0, a1, a2, a3] + A2[a3])"


def test_equal_layers_are_one_kernel() -> None:
    rng = np.random.default_rng(0)
    weights = {f"W{n}": weight(rng, 4, 4, 3, 3) for n in range(3)}
    nodes = []
    for n in range(3):
        nodes += [
            node("Conv", [f"r{n}" if n else "x", f"W{n}"], [f"c{n}"], pads=[1] * 4),
            node("Relu", [f"c{n}"], [f"r{n + 1}"]),
        ]
    nodes.append(node("Identity", ["r3"], ["y"]))
    network = rewritten(im.from_onnx(model(nodes, {"x": [1, 4, 8, 8]}, {"y": [1, 4, 8, 8]}, weights)), "avx2")[0]
    assert len({s.kernel for s in network.kernels[1:2]}) == 1
    assert len(network.kernels) <= 4


@pytest.mark.parametrize("seed", range(200))
def test_a_view_of_stored_dimensions_holds_the_same_elements(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 6], rng.integers(1, 5)))
    left, wanted = int(np.prod(shape)), []
    while left > 1 or rng.random() < 0.3:
        part = int(rng.choice([d for d in (1, 2, 3, 4, 6, 12, left) if left % d == 0]))
        wanted.append(part)
        left //= part
    order = tuple(int(n) for n in rng.permutation(len(shape)))
    found = through(shape, order, wanted)
    x = np.arange(np.prod(shape)).reshape(shape)
    stored = np.ascontiguousarray(x.transpose(order))
    if found is None:
        return
    assert sorted(found) == list(range(len(wanted)))
    seen = stored.reshape([wanted[n] for n in found])
    assert (seen == x.reshape(wanted).transpose(found)).all()


def test_a_sum_over_one_element_is_computed() -> None:
    rng = np.random.default_rng(0)
    weights = {"W": weight(rng, 1, 3), "V": weight(rng, 5, 1)}
    nodes = [
        node("MatMul", ["x", "W"], ["a"]),
        node("Gemm", ["x", "W"], ["b"]),
        node("Einsum", ["x", "V"], ["c"], equation="ik,jk->ij"),
        node("MatMul", ["t", "x"], ["d"]),
        node("Transpose", ["x"], ["t"], perm=[1, 0]),
    ]
    proto = model([nodes[4], *nodes[:4]], {"x": [5, 1]}, dict.fromkeys("abcd"), weights)
    arrays = {"x": rng.standard_normal((5, 1)).astype(np.float32)}
    network = im.from_onnx(proto)
    for made in (network, *(rewritten(network, hardware)[0] for hardware in ("avx2", "scalar"))):
        got = im.run_network(made, arrays)
        for name, wanted in expected(proto, arrays).items():
            np.testing.assert_allclose(got[name], wanted, rtol=1e-5)


def chain(*constants: tuple[str, Any]) -> tuple[im.Network, Any]:
    """x through operators with constants, one behind the other."""
    weights = {f"w{n}": np.asarray(c, np.float32) for n, (_, c) in enumerate(constants)}
    nodes = [node(op, [f"v{n}" if n else "x", f"w{n}"], [f"v{n + 1}"]) for n, (op, _) in enumerate(constants)]
    proto = model(nodes, {"x": [1, 3, 4, 8]}, {f"v{len(constants)}": [1, 3, 4, 8]}, weights)
    return im.from_onnx(proto), proto


def test_scales_and_shifts_behind_each_other_are_one_product_and_one_sum() -> None:
    rng = np.random.default_rng(0)
    c = [rng.standard_normal((3, 1, 1)) for _ in range(4)]
    network, proto = chain(("Mul", c[0]), ("Add", c[1]), ("Mul", c[2]), ("Add", 0.5), ("Add", c[3]))
    (step,) = network.kernels
    assert im.to_text(step.kernel).splitlines()[-1].endswith("= X0[0, a1, a2, a3] * X1[a1, 0, 0] + X2[a1, 0, 0]")
    x = rng.standard_normal((1, 3, 4, 8)).astype(np.float32)
    np.testing.assert_allclose(
        im.run_network(network, {"x": x})["v5"], expected(proto, {"x": x})["v5"], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("scales", [(1e30, 1e30), (1e-30, 1e-30), (np.inf, 0.0), (0.0, np.nan)])
def test_factors_that_together_leave_their_type_stay_apart(scales: tuple[float, float]) -> None:
    network, proto = chain(("Mul", scales[0]), ("Mul", scales[1]))
    x = np.full((1, 3, 4, 8), 1e-20 if scales[0] > 1 else 1e20, np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(im.run_network(network, {"x": x})["v2"], expected(proto, {"x": x})["v2"])
