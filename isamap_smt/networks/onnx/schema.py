"""A node keeps ONNX's schema of its operator: attributes by type, inputs by number and element type.

Operators rely on it: an attribute read as whole numbers is whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.model import library

MICROSOFT = "com.microsoft"
_NAMES = {"f16": "float16", "f32": "float", "f64": "double", "bf16": "bfloat16", "bool": "bool"}
_NAMES |= {
    "f8e4m3": "float8e4m3fn",
    "f8e5m2": "float8e5m2",
    "f8e4m3fnuz": "float8e4m3fnuz",
    "f8e5m2fnuz": "float8e5m2fnuz",
    "e8m0": "float8e8m0",
    "f4e2m1": "float4e2m1",
}
_NAMES |= {f"{k}{bits}": f"{'u' * (k == 'u')}int{bits}" for k in "iu" for bits in (8, 16, 32, 64)}


@dataclass(frozen=True)
class Parameter:
    """An input. types: those allowed; letter: inputs of one letter have one type; one_type: so have those of a variadic one."""

    types: frozenset[str]
    letter: str
    needed: bool
    one_type: bool


@dataclass(frozen=True)
class Schema:
    """attributes: the kind of each, and whether it is required. most: inputs, outputs."""

    attributes: Dict[str, tuple[int, bool]]
    inputs: tuple[Parameter, ...]
    least: int
    most: tuple[int, int]


def _own(inputs: str, *, results: int = 1, **attributes: str) -> Schema:
    """A schema of inputs `X bias? at:int64 rest*`, of one floating-point type if none is told; TA, TB, TY are bytes.

    The last may be there any number of times, of any types. attributes: `f` a number, `i` a whole one, `s` a word, `is`
    whole numbers; `!` is required.
    """
    given = []
    for name in inputs.split():
        _, _, told = name.partition(":")
        types: tuple[str, ...] = (told,) if told else ("float16", "bfloat16", "float", "double")
        if told in ("TA", "TB", "TY"):
            types = _BYTES
        elif name.endswith("*"):
            types = (*_BYTES, "float")
        given.append(
            Parameter(frozenset(f"tensor({t})" for t in types), told or "T", "?" not in name, not name.endswith("*"))
        )
    kinds = {n: (_KINDS[k.rstrip("!")], k.endswith("!")) for n, k in attributes.items()}
    least = max(n + 1 for n, p in enumerate(given) if p.needed)
    return Schema(kinds, tuple(given), least, (_MANY if inputs.endswith("*") else len(given), results))


_MANY, _BYTES = 1 << 31, ("int8", "uint8")
_KINDS = {"f": 1, "i": 2, "s": 3, "is": 7}  # of AttributeProto
# operators whose schema is that of one of ONNX: (domain, operator) -> (operator, opset, domain)
_LIKE = {("", "SimplifiedLayerNormalization"): ("RMSNormalization", 23, "")}
_ONE = "X:TA X_scale:float X_zero_point?:TA Y_scale:float Y_zero_point?:TA"
_TWO = "A:TA A_scale:float A_zero_point?:TA B:TA B_scale:float B_zero_point?:TA C_scale:float C_zero_point?:TA"
# operators that ONNX has no schema of
_OWN: dict[tuple[str, str], Schema] = {
    (MICROSOFT, "Attention"): _own(
        "input weights bias? mask_index?:int32 past? attention_bias? past_sequence_length?:int32", results=2, do_rotary="i",
        mask_filter_value="f", num_heads="i!", past_present_share_buffer="i", qkv_hidden_sizes="is", rotary_embedding_dim="i",
        scale="f", unidirectional="i",
    ),
    (MICROSOFT, "BiasGelu"): _own("A B"),
    (MICROSOFT, "DynamicQuantizeMatMul"): _own("A:float B:TB b_scale:float b_zero_point?:TB bias?:float"),
    (MICROSOFT, "FastGelu"): _own("X bias?"),
    (MICROSOFT, "FusedMatMul"): _own("A B", alpha="f", transA="i", transB="i", transBatchA="i", transBatchB="i"),
    (MICROSOFT, "Gelu"): _own("X"),
    (MICROSOFT, "GroupQueryAttention"): _own(
        "query key? value? past_key? past_value? seqlens_k:int32 total_sequence_length:int32 cos_cache? sin_cache? "
        "position_ids?:int64 attention_bias? head_sink? k_scale? v_scale?", results=4, do_rotary="i", k_quant_type="s",
        kv_cache_bit_width="i", kv_num_heads="i!", local_window_size="i", num_heads="i!", qk_output="i", rotary_interleaved="i",
        scale="f", smooth_softmax="i", softcap="f", v_quant_type="s",
    ),
    (MICROSOFT, "MatMulIntegerToFloat"): _own(
        "A:TA B:TB a_scale:float b_scale:float a_zero_point?:TA b_zero_point?:TB bias?:float"
    ),
    (MICROSOFT, "MatMulNBits"): _own(
        "A B:uint8 scales zero_points?:uint8 g_idx?:int32 bias?", K="i!", N="i!", accuracy_level="i", bits="i", block_size="i!",
    ),
    (MICROSOFT, "MultiHeadAttention"): _own(
        "query key? value? bias? key_padding_mask?:int32 attention_bias? past_key? past_value? past_sequence_length?:int32 "
        "cache_indirection?:int32", results=4, mask_filter_value="f", num_heads="i!", scale="f", unidirectional="i",
    ),
    (MICROSOFT, "QGemm"): _own(
        "A:TA a_scale:float a_zero_point:TA B:TB b_scale:float b_zero_point:TB C?:int32 y_scale?:float y_zero_point?:TY",
        alpha="f", transA="i", transB="i",
    ),
    (MICROSOFT, "QLinearAdd"): _own(_TWO),
    (MICROSOFT, "QLinearAveragePool"): _own(
        _ONE, auto_pad="s", ceil_mode="i", channels_last="i", count_include_pad="i", kernel_shape="is!", pads="is", strides="is",
    ),
    (MICROSOFT, "QLinearConcat"): _own("Y_scale:float Y_zero_point:TY inputs*", axis="i!"),
    (MICROSOFT, "QLinearGlobalAveragePool"): _own(_ONE, channels_last="i"),
    (MICROSOFT, "QLinearLeakyRelu"): _own(_ONE, alpha="f"),
    (MICROSOFT, "QLinearMul"): _own(_TWO),
    (MICROSOFT, "QLinearSigmoid"): _own(_ONE),
    (MICROSOFT, "QLinearSoftmax"): _own(_ONE, axis="i", opset="i!"),
    (MICROSOFT, "QLinearWhere"): _own(
        "condition:bool X:TA x_scale:float x_zero_point:TA Y:TA y_scale:float y_zero_point:TA z_scale:float z_zero_point:TA"
    ),
    (MICROSOFT, "QuickGelu"): _own("X", alpha="f"),
    (MICROSOFT, "RotaryEmbedding"): _own(
        "input position_ids:int64 cos_cache sin_cache", interleaved="i", is_packed_batching="i", num_heads="i",
        rotary_embedding_dim="i", scale="f",
    ),
    (MICROSOFT, "SkipLayerNormalization"): _own("input skip gamma beta? bias?", results=4, epsilon="f"),
    (MICROSOFT, "SkipSimplifiedLayerNormalization"): _own("input skip gamma bias?", results=4, epsilon="f"),
}  # fmt: skip


@lru_cache(maxsize=1024)
def schema_of(op: str, domain: str, opset: int) -> Schema | None:
    """The schema of an operator at an opset; None if ONNX has none."""
    onnx = library()
    if (domain, op) in _OWN:
        return _OWN[domain, op]
    like, version, within = _LIKE.get((domain, op), (op, opset, domain))
    try:
        found = onnx.defs.get_schema(like, version, within)
    except Exception:  # onnx.defs.SchemaError is no class of every version
        return None
    option = onnx.defs.OpSchema.FormalParameterOption
    inputs = tuple(
        Parameter(
            frozenset(i.types), i.type_str, i.option == option.Single, i.option != option.Variadic or i.is_homogeneous
        )
        for i in found.inputs
    )
    kinds = {n: (int(a.type.value), bool(a.required)) for n, a in found.attributes.items()}
    return Schema(kinds, inputs, found.min_input, (found.max_input, found.max_output))


def check_node(node: Any, name: str, domain: str, opset: int, inputs: Sequence[Var | None]) -> None:
    """Raises NetworkError for a node breaking its operator's schema."""
    schema, op = schema_of(node.op_type, domain, opset), node.op_type
    if schema is None:
        raise NetworkError(f"{name}: opset {opset} has no operator {op}")
    kinds = library().AttributeProto
    seen = set()
    for a in node.attribute:
        if a.name in seen:
            raise NetworkError(f"{name}: the attribute {a.name} of {op} is given twice")
        seen.add(a.name)
        if a.ref_attr_name:
            raise NetworkError(f"{name}: the attribute {a.name} of {op} is that of a function, and this is none")
        wanted = schema.attributes.get(a.name)
        if wanted is None:
            raise NetworkError(f"{name}: {op} of opset {opset} has no attribute {a.name}")
        if a.type != wanted[0]:
            told = (
                kinds.AttributeType.Name(k).lower() if k in kinds.AttributeType.values() else k
                for k in (a.type, wanted[0])
            )
            raise NetworkError(f"{name}: the attribute {a.name} of {op} is of type {next(told)}, and not {next(told)}")
    for attribute, (_, required) in schema.attributes.items():
        if required and attribute not in seen:
            raise NetworkError(f"{name}: {op} lacks its attribute {attribute}")
    if not schema.least <= len(inputs) <= schema.most[0] or len(node.output) > schema.most[1]:
        raise NetworkError(f"{name}: {op} of opset {opset} has not {len(inputs)} inputs and {len(node.output)} results")
    letters: dict[str, str] = {}
    for n, x in enumerate(inputs):
        p = schema.inputs[min(n, len(schema.inputs) - 1)]
        if x is None:
            if p.needed:
                raise NetworkError(f"{name}: {op} lacks its input {n + 1}")
            continue
        held = _NAMES.get(x.dtype.name, "")
        if held and f"tensor({held})" not in p.types:
            raise NetworkError(f"{name}: {op} of opset {opset} does not take {held} as its input {n + 1}")
        if held and p.one_type and letters.setdefault(p.letter, held) != held:
            raise NetworkError(f"{name}: {op} takes inputs of one type, and not of {letters[p.letter]} and {held}")
