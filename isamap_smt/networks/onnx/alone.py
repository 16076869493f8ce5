"""Nodes as an ONNX model of their own, for a back end to compute, and ONNX's inference of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from typing import Any

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.definitions import type_of

LEAST_IR = 8  # from which on a model has functions, and initializers that are no inputs


def outer_names(node: Any) -> dict[str, None]:
    """The names read by a node, those of its inner graphs included, in order."""
    found = dict.fromkeys(n for n in node.input if n)
    for graph in _graphs(node):
        own = {v.name for v in (*graph.input, *graph.initializer)}
        for inner in graph.node:
            found |= dict.fromkeys(n for n in outer_names(inner) if n not in own)
            own |= {*inner.output}
        found |= dict.fromkeys(o.name for o in graph.output if o.name not in own)
    return found


def read_by(nodes: Iterable[Any]) -> dict[str, None]:
    """The names read by nodes, in their order, from outside of them."""
    found: dict[str, None] = {}
    made: set[str] = set()
    for node in nodes:
        found |= dict.fromkeys(n for n in outer_names(node) if n not in made)
        made |= {*node.output}
    return found


def _graphs(node: Any) -> Iterator[Any]:
    for a in node.attribute:
        if a.HasField("g"):
            yield a.g
        yield from a.graphs


def model_of(
    onnx: Any, nodes: Sequence[Any], opsets: Dict[str, int], proto: Any, reads: Dict[str, Var], results: Iterable[str]
) -> Any:
    """The model of successive nodes. Constants are a part of it. Raises NetworkError for data in files."""
    own = {(f.domain, f.name) for f in proto.functions}
    inner = any((n.domain, n.op_type) in own or bool(list(_graphs(n))) for n in nodes)
    functions = list(proto.functions) if inner else []
    for message in (*nodes, *functions):
        _inside(onnx, message)
    inputs = [
        onnx.helper.make_value_info(n, onnx.TypeProto.FromString(type_of(onnx, x)))
        for n, x in reads.items()
        if x.constant is None
    ]
    held = [onnx.numpy_helper.from_array(x.constant, n) for n, x in reads.items() if x.constant is not None]
    outputs = [onnx.helper.make_empty_tensor_value_info(n) for n in results]
    graph = onnx.helper.make_graph(nodes, "alone", inputs, outputs, held)
    return onnx.helper.make_model(
        graph,
        functions=functions,
        opset_imports=[onnx.helper.make_opsetid(d, v) for d, v in opsets.items()],
        ir_version=max(int(proto.ir_version), LEAST_IR),
    )


def _inside(onnx: Any, message: Any) -> None:
    """Raises NetworkError for a tensor whose data is in a file: a back end would open it, wherever it is."""
    if isinstance(message, onnx.TensorProto) and message.data_location == onnx.TensorProto.EXTERNAL:
        raise NetworkError(f"the data of {message.name or 'a tensor'} is in a file, which no back end is given")
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in [value] if hasattr(value, "ListFields") else value:
                _inside(onnx, part)


def inferred(onnx: Any, model: Any) -> dict[str, Any]:
    """The type of each result, as ONNX infers it. Raises NetworkError."""
    try:
        made = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:  # its classes are not those of every version
        told = (str(error).splitlines() or [""])[0][:300]
        raise NetworkError(f"ONNX infers no shape: {told}") from None
    return {o.name: o.type for o in made.graph.output}
