"""ONNX's own definitions of operators as functions of simpler ones."""

from __future__ import annotations

from typing import Any

from isamap_smt.networks.extents import written_shape
from isamap_smt.networks.graph import Var


def body(onnx: Any, node: Any, domain: str, opset: int, inputs: list[Var | None]) -> Any:
    """The FunctionProto of a node's operator at an opset; None if ONNX gives none."""
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, domain)
    except Exception:  # onnx.defs.SchemaError is no class of every version
        return None
    if schema.has_function:
        made = onnx.FunctionProto()
        made.ParseFromString(
            _bytes(schema.get_function_with_opset_version(opset) if _older(schema, opset) else schema.function_body)
        )
        return made if made.node else None
    if schema.has_context_dependent_function:
        types = [b"" if x is None else type_of(onnx, x) for x in inputs]
        versions = list(schema.context_dependent_function_opset_versions)
        fitting = max((v for v in versions if v <= opset), default=None)
        if fitting is None:
            return None
        made = onnx.FunctionProto()
        made.ParseFromString(
            schema.get_context_dependent_function_with_opset_version(fitting, node.SerializeToString(), types)
        )
        return made if made.node else None
    return None


def _older(schema: Any, opset: int) -> bool:
    return bool(schema.function_opset_versions) and opset < max(schema.function_opset_versions)


def _bytes(found: Any) -> bytes:
    return found if isinstance(found, bytes) else bytes(found.SerializeToString())


def type_of(onnx: Any, x: Var) -> bytes:
    """The bytes of a value's TypeProto."""
    of = x.dtype.numpy
    made = onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(of), written_shape(x.shape))
    return bytes(made.SerializeToString())


def defaults(onnx: Any, node: Any, domain: str, opset: int) -> dict[str, Any]:
    """The default values of attributes in an operator's schema, by name."""
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, domain)
    except Exception:
        return {}
    return {n: a.default_value for n, a in schema.attributes.items() if a.default_value.name}


def with_attributes(onnx: Any, node: Any, given: dict[str, Any]) -> Any:  # node: a NodeProto
    """A function's node, with values for attributes that refer to the function's; those it lacks are left out."""
    if not any(a.ref_attr_name for a in node.attribute):
        return node
    made = onnx.NodeProto()
    made.CopyFrom(node)
    del made.attribute[:]
    for a in node.attribute:
        if not a.ref_attr_name:
            made.attribute.append(a)
        elif a.ref_attr_name in given:
            value = onnx.AttributeProto()
            value.CopyFrom(given[a.ref_attr_name])
            value.name = a.name
            made.attribute.append(value)
    return made
