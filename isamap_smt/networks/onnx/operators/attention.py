"""Attention and rotary embedding."""

from __future__ import annotations

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.attention import Seen, attention, heads_of, joined, rotary
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx


@onnx("Attention")
def _attention(node: Node) -> list[Var | None]:
    """Queries, keys and values as [batch, heads, length, depth] or [batch, length, heads * depth], past ones before them."""
    q, k, v = (node.of_rank(n, 3, 4) for n in range(3))
    flat, past_k, past_v, scale = q.rank == 3, node.get(4), node.get(5), node.attribute("scale")
    if flat:
        q = heads_of(q, node.number("q_num_heads", 0, 1))
        k, v = (heads_of(x, node.number("kv_num_heads", 0, 1)) for x in (k, v))
    if past_k is not None and past_v is not None:
        k, v = do.concatenate([past_k, k], 2), do.concatenate([past_v, v], 2)
    if (past_k is None) != (past_v is None):
        raise NetworkError(f"{q.value}, {k.value} and {v.value} do not fit")
    lengths = node.get(6)
    seen = Seen(
        node.get(3), bool(node.attribute("is_causal", 0)), int(node.attribute("left_window_size", -1)),
        int(node.attribute("right_window_size", -1)), lengths,
        None if lengths is not None else 0 if past_k is None else past_k.shape[2],
    )  # fmt: skip
    mode = node.number("qk_matmul_output_mode", 0) if node.outputs > 3 else None
    made, scores = attention(
        q, k, v, seen, None if scale is None else float(scale), float(node.attribute("softcap", 0.0)), mode
    )
    return [joined(made) if flat else made, k, v, *([] if scores is None else [scores])]


@onnx("RotaryEmbedding")
def _rotary(node: Node) -> Var:
    x, cos, sin, positions = node.of_rank(0, 3, 4), node[1], node[2], node.get(3)
    flat = x.rank == 3
    if flat:
        x = heads_of(x, node.number("num_heads", 0, 1))
    if positions is not None:
        cos, sin = do.gather(cos, positions, 0), do.gather(sin, positions, 0)
    made = rotary(x, cos, sin, bool(node.attribute("interleaved", 0)), node.number("rotary_embedding_dim", 0))
    return joined(made) if flat else made
