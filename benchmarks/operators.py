"""Reductions, normalisations and activations of f32 against NumPy and onnxruntime, in the same turns, on one thread.

python -m benchmarks.operators [TURNS]

Ratios are of times, theirs over ours: above 1, ours is the faster. onnxruntime is left out where it is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import isamap_smt as im
from examples import norms

Run = Callable[[], Any]
ADD = im.kernel("y[i,n] = x[i,n] + z[i,n]", name="add")
ROW_SUM = im.kernel("y[i] += x[i,n]", name="row_sum")
ROW_MAX = im.kernel("y[i] max= x[i,n]", name="row_max")
COLUMN_MAX = im.kernel("y[n] max= x[i,n]", name="column_max")


@dataclass(frozen=True)
class Operator:
    """numpy: of the inputs by name. onnx: the operator, its inputs in order and its attributes; None where it has none."""

    kernel: im.Kernel
    numpy: Callable[..., Any]
    onnx: tuple[str, tuple[str, ...], dict[str, Any]] | None


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _layer_norm(x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    m = x.mean(1, keepdims=True)
    return (x - m) / np.sqrt(((x - m) ** 2).mean(1, keepdims=True) + np.float32(1e-5)) * g + b


def _gelu(x: np.ndarray) -> np.ndarray:
    return np.float32(0.5) * x * (1 + np.tanh(np.float32(0.7978846) * (x + np.float32(0.044715) * x**3)))


OPERATORS = (
    Operator(ADD, lambda x, z: x + z, ("Add", ("x", "z"), {})),
    Operator(ROW_SUM, lambda x: x.sum(1), ("ReduceSum", ("x", "axes"), {"keepdims": 0})),
    Operator(ROW_MAX, lambda x: x.max(1), ("ReduceMax", ("x", "axes"), {"keepdims": 0})),
    Operator(COLUMN_MAX, lambda x: x.max(0), None),
    Operator(norms.SOFTMAX, _softmax, ("Softmax", ("x",), {"axis": 1})),
    Operator(norms.LAYER_NORM, _layer_norm, ("LayerNormalization", ("x", "g", "b"), {"epsilon": 1e-5})),
    Operator(
        norms.RMS_NORM,
        lambda x, g: x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-6)) * g,
        ("SimplifiedLayerNormalization", ("x", "g"), {"epsilon": 1e-6}),
    ),
    Operator(norms.GELU_TANH, _gelu, ("Gelu", ("x",), {"approximate": "tanh"})),
)


def arrays(kernel: im.Kernel, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    """Normal values for the inputs."""
    rng, full = np.random.default_rng(0), kernel.with_sizes(sizes)
    shapes = {n: tuple(int(e) for e in full.tensor(n).shape) for n in kernel.inputs}
    return {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}


def ours(kernel: im.Kernel, sizes: dict[str, int], given: dict[str, np.ndarray]) -> Run:
    """A compiled kernel with its output's memory given."""
    built = im.build(im.plan(kernel.with_dtypes({t.name: "f32" for t in kernel.tensors}), "host", sizes=sizes))
    inputs = [given[n] for n in kernel.inputs]
    return lambda: built(*inputs)


def onnxruntime(operator: Operator, given: dict[str, np.ndarray]) -> Run | None:
    """A session of the one operator on one thread; None where there is none."""
    if operator.onnx is None:
        return None
    try:
        import onnx
        import onnxruntime as ort
    except ImportError:
        return None
    name, inputs, attributes = operator.onnx
    values = {n: np.array([1], np.int64) if n == "axes" else given[n] for n in inputs}
    kinds = {n: onnx.TensorProto.INT64 if n == "axes" else onnx.TensorProto.FLOAT for n in inputs}
    infos = [onnx.helper.make_tensor_value_info(n, kinds[n], v.shape) for n, v in values.items()]
    out = onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, None)
    node = onnx.helper.make_node(name, list(inputs), ["out"], **attributes)
    graph = onnx.helper.make_graph([node], "one", infos, [out])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)])
    model.ir_version = 10
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, values)[0]


def timed(run: Run, seconds: float = 0.02) -> float:
    """The best time of a call within a while."""
    best, end = float("inf"), perf_counter() + seconds
    while perf_counter() < end:
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


def main(turns: int = 15) -> None:
    """A line for each operator and shape: our time, and the median ratio of each peer with its quartiles."""
    for sizes in ({"i": 128, "n": 768}, {"i": 1000, "n": 1000}, {"i": 77, "n": 3333}):
        for o in OPERATORS:
            size = sizes if o.kernel is not norms.GELU_TANH else {"i": sizes["i"] * sizes["n"]}
            given = arrays(o.kernel, size)
            mine = ours(o.kernel, size, given)
            peers = {"numpy": lambda o=o, given=given: o.numpy(**given), "onnxruntime": onnxruntime(o, given)}
            wanted = o.numpy(**{n: a.astype(np.float64) for n, a in given.items()})
            np.testing.assert_allclose(mine(), wanted, rtol=1e-4, atol=1e-4)
            runs = {"isamap": mine, **{n: r for n, r in peers.items() if r is not None}}
            found: dict[str, list[float]] = {n: [] for n in runs}
            for _ in range(turns):
                for n, run in runs.items():
                    found[n].append(timed(run))
            told = []
            for n in list(runs)[1:]:
                ratios = sorted(b / a for a, b in zip(found["isamap"], found[n], strict=True))
                told.append(
                    f"{n} {median(ratios):.2f} [{ratios[len(ratios) // 4]:.2f}, {ratios[-1 - len(ratios) // 4]:.2f}]"
                )
            where = "x".join(map(str, sizes.values()))
            print(
                f"{o.kernel.name:12} {where:10} {median(found['isamap']) * 1e6:8.1f} us   {'   '.join(told)}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
