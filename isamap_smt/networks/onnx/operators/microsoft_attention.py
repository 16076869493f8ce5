"""Attention of onnxruntime's domain com.microsoft, as its ContribOperators.md defines it.

Caches are [batch, heads, length, depth]. Uncomputed cases are refused by the name of their input or attribute.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.attention import Seen, attention, heads_of, joined, rotary
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx
from isamap_smt.networks.onnx.schema import MICROSOFT


def _refuse(node: Node, inputs: Dict[int, str], attributes: Dict[str, object]) -> None:
    """Raises UncomputedError if one of these inputs is given, or an attribute has another value than here."""
    for position, name in inputs.items():
        if node.get(position) is not None:
            raise UncomputedError(f"{node.op} with its input {name} is not computed", node.name)
    for name, value in attributes.items():
        if (found := node.attribute(name, value)) != value:
            raise UncomputedError(f"{node.op} with {name} = {found} is not computed", node.name)


def _scale(node: Node) -> float | None:
    return float(node.attribute("scale", 0.0)) or None


def _mask(node: Node, position: int, batch: int, rows: int, columns: int) -> Var | None:
    """The summands of scores: `mask_filter_value` at keys hidden by the mask of numbers, else 0."""
    g, mask = node.graph, node.get(position)
    if mask is None:
        return None
    if mask.rank == 1 and mask.elements in (batch, 2 * batch):  # where the keys of each batch end, and where they begin
        place = g.constant(np.arange(columns, dtype=mask.dtype.numpy))
        ends = do.part(mask, [0], [batch], [1])
        seen = do.compared("Less", place, g.view(ends, (batch, 1, 1, 1)))
        if mask.elements == 2 * batch:
            begins = g.view(do.part(mask, [batch], [batch], [1]), (batch, 1, 1, 1))
            seen = do.logical("And", seen, do.compared("GreaterOrEqual", place, begins))
    elif mask.shape in ((batch, columns), (batch, rows, columns)):
        seen = g.view(do.converted(mask, do.BOOL), (batch, 1, mask.shape[1] if mask.rank == 3 else 1, columns))
    else:
        told = f"{mask.value} for {batch} batches of {rows} queries and {columns} keys"
        raise UncomputedError(f"{node.op} with a mask {told} is not computed", node.name)
    hidden = np.array(node.attribute("mask_filter_value", -10000.0), node[0].dtype.numpy)
    return do.where(seen, g.constant(np.zeros((), hidden.dtype)), g.constant(hidden))


def _biased(node: Node, position: int, mask: Var | None, columns: int) -> Var | None:
    """The mask and attention_bias, one number for each key."""
    bias = node.get(position)
    if bias is None:
        return mask
    if bias.rank != 4 or bias.shape[3] != columns:
        raise NetworkError(f"{bias.value} is not added to scores of {columns} keys", node.name)
    return bias if mask is None else do.pointwise("{} + {}".format, mask, bias, to=mask.dtype)


def _past(node: Node, past: Var, x: Var) -> Var:
    """Rows of a cache, and the new ones behind them."""
    if past.rank != 4 or (*past.shape[:2], past.shape[3]) != (*x.shape[:2], x.shape[3]):
        raise NetworkError(f"{past.value} is no cache of [batch, heads, length, depth] before {x.value}", node.name)
    return do.concatenate([past, x], 2)


def _pieces(x: Var, axis: int, count: int) -> list[Var]:
    """Values of one place each along an axis, without it."""
    shape = [s for n, s in enumerate(x.shape) if n != axis]
    return [x.graph.view(v, shape) for v in do.split(x, [1] * count, axis)]


@onnx("MultiHeadAttention", domain=MICROSOFT)
def _multi_head(node: Node) -> list[Var | None]:
    g, heads = node.graph, node.number("num_heads", 0, 1)
    _refuse(node, {8: "past_sequence_length", 9: "cache_indirection"}, {})
    if node.outputs > 3:
        raise UncomputedError("MultiHeadAttention does not compute its result qk", node.name)
    q, k, v, bias = node.of_rank(0, 3, 5), node.get(1), node.get(2), node.get(3)
    if q.rank == 5 and k is None and v is None and q.shape[2:4] == (heads, 3):
        parts = _pieces(q, 3, 3)
    elif q.rank == 3 and k is not None and k.rank == 5 and v is None and k.shape[2:4] == (heads, 2):
        parts = [q, *_pieces(k, 3, 2)]
    elif q.rank == 3 and k is not None and v is not None and 3 <= k.rank == v.rank <= 4:
        parts = [q, k, v]
    else:
        told = ", ".join(str(x.value) for x in (q, k, v) if x is not None)
        raise UncomputedError(f"MultiHeadAttention of {told} for {heads} heads is not computed", node.name)
    flat = [x if x.rank == 3 else g.view(x, (*x.shape[:2], heads * x.shape[3])) for x in parts[:1]]
    for x in parts[1:]:  # keys and values of another attention have their heads in front
        packed = x.rank == 4 and x is not k and x is not v
        flat.append(g.view(x, (*x.shape[:2], heads * x.shape[3])) if packed else x)
    if bias is not None:
        if any(x.rank != 3 for x in flat):
            raise UncomputedError(
                "MultiHeadAttention with its input bias, of keys in heads, is not computed", node.name
            )
        if bias.rank != 1 or bias.elements != sum(x.shape[2] for x in flat):
            raise NetworkError(f"the bias {bias.value} is not as wide as queries, keys and values", node.name)
        added = do.split(bias, [x.shape[2] for x in flat], 0)
        flat = [do.binary("Add", x, b) for x, b in zip(flat, added, strict=True)]
    query, key, value = (heads_of(x, heads) if x.rank == 3 else x for x in flat)
    if (node.get(6) is None) != (node.get(7) is None):
        raise NetworkError("past_key and past_value are there together, or neither is", node.name)
    if node.get(6) is not None:
        key, value = _past(node, node[6], key), _past(node, node[7], value)
    rows, columns = query.shape[2], key.shape[2]
    mask = _biased(node, 5, _mask(node, 4, query.shape[0], rows, columns), columns)
    seen = Seen(mask, bool(node.attribute("unidirectional", 0)), first=columns - rows)
    return [joined(attention(query, key, value, seen, _scale(node))[0]), key, value]


@onnx("Attention", domain=MICROSOFT)
def _attention(node: Node) -> list[Var | None]:
    g, x, heads = node.graph, node.of_rank(0, 3), node.number("num_heads", 0, 1)
    _refuse(node, {6: "past_sequence_length"}, {"do_rotary": 0, "past_present_share_buffer": 0})
    w, bias, past = node.of_rank(1, 2), node.get(2), node.get(4)
    widths = [int(n) for n in node.attribute("qkv_hidden_sizes", [w.shape[1] // 3] * 3)]
    if len(widths) != 3 or min(widths) < 1 or sum(widths) != w.shape[1] or w.shape[0] != x.shape[2]:
        raise NetworkError(f"{w.value} does not make queries, keys and values of {x.value}", node.name)
    if bias is not None and bias.shape != w.shape[1:]:
        raise NetworkError(f"the bias {bias.value} is not as wide as {w.value}", node.name)
    rows = g.view(x, (x.shape[0] * x.shape[1], x.shape[2]))
    made = g.view(do.gemm(rows, w, bias, 1.0, 1.0, (False, False)), (*x.shape[:2], w.shape[1]))
    q, k, v = (heads_of(part, heads) for part in do.split(made, widths, 2))
    if past is not None:
        if past.rank != 5 or past.shape[0] != 2:
            raise NetworkError(f"{past.value} is no cache of keys and values", node.name)
        k, v = (_past(node, p, new) for p, new in zip(_pieces(past, 0, 2), (k, v), strict=True))
    length, columns = q.shape[2], k.shape[2]
    mask = _biased(node, 5, _mask(node, 3, q.shape[0], length, columns), columns)
    seen = Seen(mask, bool(node.attribute("unidirectional", 0)), first=columns - length)
    out = joined(attention(q, k, v, seen, _scale(node))[0])
    if node.outputs < 2:
        return [out]
    if k.shape != v.shape:
        raise NetworkError(f"{k.value} and {v.value} are in no cache together", node.name)
    return [out, do.concatenate([g.view(c, (1, *c.shape)) for c in (k, v)], 0)]


@onnx("GroupQueryAttention", domain=MICROSOFT)
def _group_query(node: Node) -> list[Var | None]:
    """New keys go behind the cache's first seqlens_k + 1 - length rows; these numbers are data, looked at by each call."""
    g, heads, groups = node.graph, node.number("num_heads", 0, 1), node.number("kv_num_heads", 0, 1)
    _refuse(
        node,
        {11: "head_sink", 12: "k_scale", 13: "v_scale"},
        {"smooth_softmax": 0, "qk_output": 0, "k_quant_type": "NONE", "v_quant_type": "NONE", "kv_cache_bit_width": 0},
    )
    if node.outputs > 3:
        raise UncomputedError("GroupQueryAttention does not compute its result output_qk", node.name)
    q, k, v = node.of_rank(0, 3), node.get(1), node.get(2)
    if k is None and v is None and q.shape[2] % (heads + 2 * groups) == 0:
        depth = q.shape[2] // (heads + 2 * groups)
        q, k, v = do.split(q, [heads * depth, groups * depth, groups * depth], 2)
    if k is None or v is None:
        raise NetworkError(f"{q.value} has no keys and values", node.name)
    q, k, v = heads_of(q, heads), heads_of(k, groups), heads_of(v, groups)
    batch, length, past_k, past_v = q.shape[0], q.shape[2], node.get(3), node.get(4)
    if node[5].elements != batch:
        raise NetworkError(f"{node[5].value} is not one length for each of {batch}", node.name)
    lengths = do.pointwise("{} + 1".format, do.converted(g.view(node[5], (batch,)), do.I64))
    total = None if node[6].constant is None else node.whole_scalar(6)
    if (past_k is None) != (past_v is None):
        raise NetworkError("past_key and past_value are there together, or neither is", node.name)
    prompt = past_k is None or total == length
    if not prompt and total is None and length > 1:
        node.known(6)  # whether these are the first tokens is not to be seen: it is refused
    held = None if prompt else do.pointwise(lambda n: f"{n} - {length}", lengths)
    if node.attribute("do_rotary", 0):
        cos, sin = _angles(node, node[7], node[8], node.get(9), held, length)
        turned, apart = 2 * cos.shape[-1], bool(node.attribute("rotary_interleaved", 0))
        q, k = rotary(q, cos, sin, apart, turned), rotary(k, cos, sin, apart, turned)
    if past_k is not None and past_v is not None:
        k, v = (_written(node, p, x, lengths, held, total) for p, x in ((past_k, k), (past_v, v)))
    window = int(node.attribute("local_window_size", -1))
    mask, left = _biased(node, 10, None, k.shape[2]), window - 1 if window > 0 else -1
    seen = Seen(mask, True, left, lengths=lengths, first=0 if prompt else None)
    made, _ = attention(q, k, v, seen, _scale(node), float(node.attribute("softcap", 0.0)))
    return [joined(made), k, v]


def _written(node: Node, past: Var, x: Var, lengths: Var, held: Var | None, total: int | None) -> Var:
    """The cache with new rows behind its held ones, of `total` rows at least; behind all of them 0, whatever lay there."""
    if past.rank != 4 or (*past.shape[:2], past.shape[3]) != (*x.shape[:2], x.shape[3]):
        raise NetworkError(f"{past.value} is no cache of [batch, heads, length, depth] before {x.value}", node.name)
    more = max(0, (past.shape[2] if total is None else total) - past.shape[2])
    cache = do.pad(past, [0] * 4, [0, 0, more, 0]) if more else past
    if cache.shape[2] < x.shape[2]:
        raise NetworkError(f"{cache.value} has no room for {x.value}", node.name)
    zero = node.graph.constant(np.zeros((), cache.dtype.numpy))
    reads = {"C": cache, "X": x, "N": lengths, "Z": zero} | ({} if held is None else {"J": held})
    place = "l" if held is None else "J[b]+l"
    text = f"Y[b,h,i,d] = select(i64(i) < N[b], C[b,h,i,d], Z[])\nY[b,h,{place},d] = X[b,h,l,d]"
    axes = dict(zip("bhid", cache.shape, strict=True)) | {"l": x.shape[2]}
    return node.graph.step(text, reads, {"Y": (cache.dtype, cache.shape)}, axes)[0]


def _angles(node: Node, cos: Var, sin: Var, positions: Var | None, first: Var | None, length: int) -> tuple[Var, Var]:
    """Rows [batch or 1, length, half] of both tables: at given positions, or from `first` of each batch on, or from 0 on."""
    g = node.graph
    if cos.rank != 2 or sin.shape != cos.shape:
        raise NetworkError(f"{cos.value} and {sin.value} are no tables of angles", node.name)
    if positions is None and first is not None:
        steps = g.constant(np.arange(length))
        positions = do.pointwise("{} + {}".format, g.view(first, (first.elements, 1)), steps)
    if positions is None:
        if length > cos.shape[0]:
            raise NetworkError(f"{cos.value} has not {length} positions", node.name)
        return _rows(cos, length), _rows(sin, length)
    return do.gather(cos, positions, 0), do.gather(sin, positions, 0)


def _rows(table: Var, count: int) -> Var:
    return table.graph.view(do.part(table, [0, 0], [count, table.shape[1]], [1, 1]), (1, count, table.shape[1]))


@onnx("RotaryEmbedding", domain=MICROSOFT)
def _rotary(node: Node) -> Var:
    _refuse(node, {}, {"is_packed_batching": 0, "scale": 1.0})
    x, positions, cos, sin = node.of_rank(0, 3, 4), node[1], node[2], node[3]
    flat, turned = x.rank == 3, node.number("rotary_embedding_dim", 0)
    if cos.rank != 2:
        raise NetworkError(f"{cos.value} is no table of angles", node.name)
    if flat:
        x = heads_of(x, node.number("num_heads", 0) or x.shape[2] // max(1, 2 * cos.shape[1]))
    batch, _, length, _ = x.shape
    if positions.shape == (batch, length):
        cos, sin = _angles(node, cos, sin, positions, None, length)
    elif positions.elements == 1:
        cos, sin = _angles(node, cos, sin, None, node.graph.view(positions, (1,)), length)
    else:
        raise NetworkError(f"{positions.value} is no position of each of {batch} times {length}", node.name)
    made = rotary(x, cos, sin, bool(node.attribute("interleaved", 0)), turned or 2 * cos.shape[2])
    return joined(made) if flat else made
