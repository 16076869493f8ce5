"""ONNX models to measure, with seeded weights: those that onnx ships; MobileNetV2, BERT, GPT-2 and an LSTM as exporters write them.

Trained weights would say the same of speed and memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from benchmarks.onnx_graph import Graph

SHIPPED = {
    "resnet50": "resnet50", "squeezenet": "squeezenet", "shufflenet": "shufflenet", "densenet121": "densenet121",
    "inception1": "inception_v1", "inception2": "inception_v2", "vgg19": "vgg19", "alexnet": "bvlc_alexnet", "zfnet512": "zfnet512",
}  # fmt: skip


def _f(x: float) -> Any:
    return np.float32(x)


def mobilenetv2() -> Any:
    """Sandler et al. 2018, width 1, 224 x 224, norms in the convolutions."""
    g = Graph(2)

    def conv(x: str, before: int, after: int, size: int, stride: int = 1, groups: int = 1, relu: bool = True) -> str:
        w = g.weight(after, before // groups, size, size, rows=before // groups * size * size)
        x = g.do(
            "Conv",
            x,
            w,
            g.weight(after, scale=0.1),
            kernel_shape=[size] * 2,
            strides=[stride] * 2,
            pads=[size // 2] * 4,
            group=groups,
        )
        return str(g.do("Clip", x, _f(0), _f(6))) if relu else x

    x = conv(g.input("image", 1, 3, 224, 224), 3, 32, 3, 2)
    before = 32
    for factor, after, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for k in range(count):
            wide = before * factor
            y = conv(x, before, wide, 1) if factor > 1 else x
            y = conv(y, wide, wide, 3, stride if k == 0 else 1, wide)
            y = conv(y, wide, after, 1, relu=False)
            x = g.do("Add", x, y) if k else y
            before = after
    x = g.do("Flatten", g.do("GlobalAveragePool", conv(x, 320, 1280, 1)))
    g.output(
        g.do("Gemm", x, g.weight(1000, 1280, rows=1280), g.weight(1000, scale=0.1), transB=1), 1, 1000, name="classes"
    )
    return g.model("mobilenetv2")


def resnet50v15() -> Any:
    """He et al. 2015 with the strides in the 3 x 3 convolutions, 224 x 224, norms in the convolutions."""
    g = Graph(5)

    def conv(x: str, before: int, after: int, size: int, stride: int = 1, relu: bool = True) -> str:
        w, b = g.weight(after, before, size, size, rows=before * size * size), g.weight(after, scale=0.1)
        x = g.do("Conv", x, w, b, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[size // 2] * 4)
        return str(g.do("Relu", x)) if relu else x

    x = conv(g.input("image", 1, 3, 224, 224), 3, 64, 7, 2)
    x = str(g.do("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4))
    before = 64
    for inner, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for k in range(count):
            step, after = stride if k == 0 else 1, 4 * inner
            y = conv(conv(conv(x, before, inner, 1), inner, inner, 3, step), inner, after, 1, relu=False)
            short = conv(x, before, after, 1, step, relu=False) if k == 0 else x
            x, before = str(g.do("Relu", g.do("Add", y, short))), after
    x = str(g.do("Flatten", g.do("GlobalAveragePool", x)))
    g.output(
        g.do("Gemm", x, g.weight(1000, 2048, rows=2048), g.weight(1000, scale=0.1), transB=1), 1, 1000, name="classes"
    )
    return g.model("resnet50v15")


def _norm(g: Graph, x: str, width: int) -> str:
    return str(
        g.do("LayerNormalization", x, np.ones(width, np.float32), np.zeros(width, np.float32), axis=-1, epsilon=1e-5)
    )


def _linear(g: Graph, x: str, before: int, after: int) -> str:
    return str(g.do("Add", g.do("MatMul", x, g.weight(before, after)), g.weight(after, scale=0.1)))


def _heads(g: Graph, x: str, rows: int, order: tuple[int, ...] = (0, 2, 1, 3)) -> str:
    return str(g.do("Transpose", g.do("Reshape", x, np.array([1, rows, 12, 64])), perm=order))


def _attend(g: Graph, scores: str, v: str, rows: int) -> str:
    """[1, rows, 768] from scores of 12 heads."""
    y = g.do("MatMul", g.do("Softmax", scores, axis=-1), v)
    return str(g.do("Reshape", g.do("Transpose", y, perm=[0, 2, 1, 3]), np.array([1, rows, 768])))


def bert() -> Any:
    """The encoder of BERT-base (Devlin et al. 2018): 12 layers of 768 in 12 heads, 128 tokens, a mask, and embeddings."""
    g, n = Graph(3), 128
    ids, mask = g.input("ids", 1, n, integer=True), g.input("mask", 1, n)
    x = g.do("Gather", g.weight(30522, 768, scale=0.02), ids)
    x = _norm(g, g.do("Add", x, g.weight(n, 768, scale=0.02)), 768)
    hidden = g.do("Mul", g.do("Sub", _f(1), g.do("Unsqueeze", mask, np.array([1, 2]))), _f(-10000))
    for _ in range(12):
        q, k, v = (_linear(g, x, 768, 768) for _ in range(3))
        scores = g.do("MatMul", _heads(g, q, n), _heads(g, k, n, (0, 2, 3, 1)))
        y = _attend(g, g.do("Add", g.do("Div", scores, _f(8)), hidden), _heads(g, v, n), n)
        x = _norm(g, g.do("Add", _linear(g, y, 768, 768), x), 768)
        y = _linear(g, x, 768, 3072)
        y = g.do("Mul", g.do("Mul", y, g.do("Add", g.do("Erf", g.do("Div", y, _f(math.sqrt(2)))), _f(1))), _f(0.5))
        x = _norm(g, g.do("Add", _linear(g, y, 3072, 768), x), 768)
    g.output(x, 1, n, 768, name="hidden")
    return g.model("bert")


def gpt2(past: int = 127) -> Any:
    """One decoding step of GPT-2 small (Radford et al. 2019): 12 layers of 768, one token after `past`, scores of 50,257."""
    g = Graph(4)
    ids = g.input("ids", 1, 1, integer=True)
    table = g.weight(50257, 768, scale=0.02)
    x = g.do("Add", g.do("Gather", table, ids), g.weight(1, 1, 768, scale=0.02))
    for layer in range(12):
        keys, values = (g.input(f"{what}{layer}", 1, 12, past, 64) for what in ("keys", "values"))
        y = _linear(g, _norm(g, x, 768), 768, 3 * 768)
        q, k, v = g.do("Split", y, np.array([768] * 3), axis=2, results=3)
        k = g.do("Concat", keys, _heads(g, k, 1), axis=2)
        v = g.do("Concat", values, _heads(g, v, 1), axis=2)
        scores = g.do("Div", g.do("MatMul", _heads(g, q, 1), g.do("Transpose", k, perm=[0, 1, 3, 2])), _f(8))
        x = g.do("Add", x, _linear(g, _attend(g, scores, v, 1), 768, 768))
        y = _linear(g, _norm(g, x, 768), 768, 3072)
        inner = g.do(
            "Mul", g.do("Add", y, g.do("Mul", g.do("Pow", y, _f(3)), _f(0.044715))), _f(math.sqrt(2 / math.pi))
        )
        y = g.do("Mul", g.do("Mul", y, _f(0.5)), g.do("Add", g.do("Tanh", inner), _f(1)))
        x = g.do("Add", x, _linear(g, y, 3072, 768))
        g.output(k, 1, 12, past + 1, 64, name=f"keys{layer}.now")
        g.output(v, 1, 12, past + 1, 64, name=f"values{layer}.now")
    g.output(g.do("MatMul", _norm(g, x, 768), g.do("Transpose", table, perm=[1, 0])), 1, 1, 50257, name="scores")
    return g.model("gpt2")


def lstm() -> Any:
    """Two LSTM layers of 512, 64 steps, batch 1, and a linear layer of the last state."""
    g, n, width = Graph(5), 64, 512
    x = g.input("x", n, 1, width)
    for _ in range(2):
        w, r = (g.weight(1, 4 * width, width, scale=1 / math.sqrt(width)) for _ in range(2))
        y, last, _ = g.do("LSTM", x, w, r, g.weight(1, 8 * width, scale=0.1), hidden_size=width, results=3)
        x = g.do("Squeeze", y, np.array([1]))
    x = g.do("Squeeze", last, np.array([0]))
    g.output(
        g.do("Gemm", x, g.weight(100, width, rows=width), g.weight(100, scale=0.1), transB=1), 1, 100, name="classes"
    )
    return g.model("lstm")


def shipped(name: str) -> Any:
    """One of the models that onnx ships without weights: values are drawn where it has ConstantOfShape."""
    path = Path(onnx.__file__).parent / "backend/test/data/light" / f"light_{SHIPPED[name]}.onnx"
    model = onnx.load(path)
    graph, rng = model.graph, np.random.default_rng(1)
    known = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    readers: dict[str, Any] = {}
    for node in graph.node:
        for place, value in enumerate(node.input):
            readers.setdefault(value, (node.op_type, place))
    kept, drawn = [], []
    for node in graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in known:
            kept.append(node)
            continue
        array = _drawn(rng, tuple(int(n) for n in known[node.input[0]]), *readers[node.output[0]])
        drawn.append(numpy_helper.from_array(array.astype(np.float32), node.output[0]))
    read = {n for node in kept for n in node.input}
    constants = [i for i in graph.initializer if i.name in read] + drawn
    inputs = [i for i in graph.input if i.name not in known and i.name not in {c.name for c in drawn}]
    for field, value in ((graph.node, kept), (graph.initializer, constants), (graph.input, inputs)):
        del field[:]
        field.extend(value)
    return model


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], op: str, place: int) -> Any:
    noise = rng.standard_normal(shape)
    if op == "BatchNormalization":  # scale, bias, mean, variance
        return np.abs(1 + 0.1 * noise) if place in (1, 4) else 0.1 * noise
    if len(shape) < 2:
        return 0.1 * noise
    return noise * np.sqrt(2 / np.prod(shape[:1] if op == "MatMul" else shape[1:]))


WRITTEN: dict[str, Callable[[], Any]] = {
    "mobilenetv2": mobilenetv2, "resnet50v15": resnet50v15, "bert": bert, "gpt2": gpt2, "lstm": lstm,
}  # fmt: skip
NAMES = (*SHIPPED, *WRITTEN)


def model(name: str) -> Any:
    """The ModelProto. Raises KeyError for a name that is not in NAMES."""
    return WRITTEN[name]() if name in WRITTEN else shipped(name)


def inputs(proto: Any, seed: int = 0) -> dict[str, np.ndarray]:
    """An array for each input: normal values, small integers, and masks of ones."""
    rng = np.random.default_rng(seed)
    made = {}
    for info in proto.graph.input:
        shape = tuple(d.dim_value for d in info.type.tensor_type.shape.dim)
        if info.type.tensor_type.elem_type == TensorProto.INT64:
            made[info.name] = rng.integers(0, 1000, shape)
        else:
            made[info.name] = (
                np.ones(shape, np.float32) if info.name == "mask" else rng.standard_normal(shape).astype(np.float32)
            )
    return made
