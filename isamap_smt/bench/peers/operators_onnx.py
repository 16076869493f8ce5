"""The operators as ONNX has them: a node each where there is one, else the nodes that onnxruntime fuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import EPSILON, SCALE
from isamap_smt.bench.peers.onnx_graph import Graph
from isamap_smt.bench.work import Unsupported

Arrays = dict[str, np.ndarray]
Node = tuple[str, list[str], dict[str, Any]]  # operator, inputs, attributes
_OWN = "com.microsoft"  # onnxruntime's own operators


def graph(case: Case, arrays: Arrays) -> Graph:
    """The case as ONNX says it; the result is `out`."""
    if case.family not in _OPERATORS:
        raise Unsupported(f"{case.family} is not asked of onnxruntime")
    made: Graph = _OPERATORS[case.family](case, arrays)
    return made


def _node(name: str, **attributes: Any) -> Callable[[Case, Arrays], Graph]:
    """One node, which takes the inputs in their order."""
    return lambda case, a: _graph(case, a, [(name, [*a], attributes)])


def _reduction(name: str, axis: int) -> Callable[[Case, Arrays], Graph]:
    def made(case: Case, a: Arrays) -> Graph:
        axes = {"axes": np.array([axis], np.int64)}
        return _graph(case, {**a, **axes}, [(name, ["x", "axes"], {"keepdims": 0})], always=("axes",))

    return made


def _graph(case: Case, operands: Arrays, nodes: list[Node], always: tuple[str, ...] = ()) -> Graph:
    """Nodes whose outputs are t0, t1 and so on, and of the last, out. always: constant under each condition."""
    from onnx import helper

    names = [*(f"t{n}" for n in range(len(nodes) - 1)), "out"]
    made = [
        helper.make_node(name, takes, [gives], **how) for (name, takes, how), gives in zip(nodes, names, strict=True)
    ]
    result = case.dtypes[-1][0]
    kind, shape = case.problem().tensor(result).dtype.numpy, case.shapes()[result]
    return Graph(
        operands, case.weights, made, {"out": shape}, lambda found: found["out"], kind, always=always, version=24
    )


def _attention(causal: int) -> Callable[[Case, Arrays], Graph]:
    """Heads behind a batch of one; the scale is the operator's own."""

    def made(case: Case, a: Arrays) -> Graph:
        found = _graph(case, {n: a[n][None] for n in "QKV"}, [("Attention", [*"QKV"], {"is_causal": causal})])
        return replace(
            found, outputs={n: (1, *s) for n, s in found.outputs.items()}, result=lambda results: results["out"][0]
        )

    return made


def _layer(case: Case, a: Arrays) -> Graph:
    """QGemm, with relu behind it where the result has a sign."""
    scales = a["m"] if "m" in a else np.asarray(SCALE)
    constant = {
        "b": a["b"], "m": scales, "one": np.ones((), np.float32), "zero": np.zeros((), a["X"].dtype),
        "zeros": np.zeros(scales.shape, np.int8),
    }  # fmt: skip
    product: Node = ("QGemm", ["X", "one", "zero", "W", "m", "zeros", "b", "one", "zero"], {"domain": _OWN})
    relu: list[Node] = [] if "m" in a else [("Relu", ["t0"], {})]
    return _graph(case, {"X": a["X"], "W": a["W"], **constant}, [product, *relu], tuple(constant))


def _scale_add_relu(case: Case, a: Arrays) -> Graph:
    return _graph(
        case, a, [("Mul", ["x", "g"], {}), ("Add", ["t0", "b"], {}), ("Add", ["t1", "z"], {}), ("Relu", ["t2"], {})]
    )


_ONE = np.float32(1)


def _qlinear_matmul(case: Case, a: Arrays) -> Graph:
    """The scales of A and Y are 1, so that those of the columns are s."""
    values = {
        "A": a["A"],
        "sa": _ONE,
        "za": a["za"],
        "B": a["B"],
        "s": a["s"],
        "zb": a["zb"],
        "sy": _ONE,
        "zy": a["zy"],
    }
    return _graph(case, _arrays(values), [("QLinearMatMul", [*values], {})], tuple(n for n in values if n not in "AB"))


def _qlinear_conv(case: Case, a: Arrays) -> Graph:
    """Channels first."""
    weights = np.ascontiguousarray(a["F"].transpose(3, 2, 0, 1))
    values = {
        "x": np.ascontiguousarray(a["I"].transpose(0, 3, 1, 2)), "sx": _ONE, "zx": a["z"], "F": weights, "m": a["m"],
        "zw": np.zeros(len(weights), np.int8), "sy": _ONE, "zy": a["zy"], "b": a["b"],
    }  # fmt: skip
    k = case.size
    how = {"strides": [k["t"]] * 2, "pads": [k["pad"]] * 4}
    found = _graph(case, _arrays(values), [("QLinearConv", [*values], how)], tuple(n for n in values if n not in "xF"))
    return _channels_first(found)


def _int8_linear(case: Case, a: Arrays) -> Graph:
    nodes: list[Node] = [
        ("MatMulInteger", ["X", "W"], {}), ("Cast", ["t0"], {"to": 1}), ("Mul", ["t1", "s"], {}), ("Add", ["t2", "b"], {})
    ]  # fmt: skip
    return _graph(case, a, nodes, ("s", "b"))


def _pool(name: str, **more: Any) -> Callable[[Case, Arrays], Graph]:
    """Channels first."""

    def made(case: Case, a: Arrays) -> Graph:
        k = case.size
        how = {"kernel_shape": [k["r"], k["s"]], "strides": [k["t"]] * 2, "pads": [k["pad"]] * 4, **more}
        return _channels_first(
            _graph(case, {"I": np.ascontiguousarray(a["I"].transpose(0, 3, 1, 2))}, [(name, ["I"], how)])
        )

    return made


def _embedding(case: Case, a: Arrays) -> Graph:
    return _graph(case, a, [("Gather", ["E", "at"], {"axis": 0})])


def _arrays(values: dict[str, Any]) -> Arrays:
    return {n: np.asarray(v) for n, v in values.items()}


def _channels_first(found: Graph) -> Graph:
    n, p, q, k = found.outputs["out"]
    return replace(
        found,
        outputs={"out": (n, k, p, q)},
        result=lambda results: np.ascontiguousarray(results["out"].transpose(0, 2, 3, 1)),
    )


_OPERATORS: dict[str, Callable[[Case, Arrays], Graph]] = {
    "row_sum": _reduction("ReduceSum", 1),
    "row_max": _reduction("ReduceMax", 1),
    "column_sum": _reduction("ReduceSum", 0),
    "column_max": _reduction("ReduceMax", 0),
    "dot": _node("MatMul"),
    "log_sum_exp": _reduction("ReduceLogSumExp", 1),
    "add": _node("Add"),
    "scale_add_relu": _scale_add_relu,
    "gelu": _node("Gelu"),
    "gelu_tanh": _node("Gelu", approximate="tanh"),
    "silu": _node("QuickGelu", alpha=1.0, domain=_OWN),
    "softmax": _node("Softmax", axis=1),
    "layer_norm": _node("LayerNormalization", epsilon=EPSILON["layer_norm"]),
    "rms_norm": _node("RMSNormalization", epsilon=EPSILON["rms_norm"]),
    "attention": _attention(0),
    "causal_attention": _attention(1),
    "qlinear": _layer,
    "linear": _layer,
    "qlinear_matmul": _qlinear_matmul,
    "qlinear_conv": _qlinear_conv,
    "int8_linear": _int8_linear,
    "argmax": _node("ArgMax", axis=1, keepdims=0),
    "max_pool": _pool("MaxPool"),
    "max_pool_repeated": _pool("MaxPool"),
    "average_pool": _pool("AveragePool", count_include_pad=0),
    "embedding": _embedding,
}
