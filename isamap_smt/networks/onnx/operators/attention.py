"""Attention and rotary embedding."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx


def _heads(node: Node, x: Var, heads: int) -> Var:
    """[batch, heads, length, depth] of [batch, length, heads * depth]."""
    if x.rank != 3 or x.shape[2] % heads:
        raise NetworkError(f"{x.value} is not of {heads} heads")
    batch, length, width = x.shape
    return do.transpose(node.graph.view(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))


@dataclass(frozen=True)
class Scores:
    """The scores of an attention: statements so far, and the last one's tensor. at: their index; shape: as a text has it."""

    node: Node
    d: DType
    at: str
    shape: str
    reads: dict[str, Var]
    lines: list[str]
    temporaries: dict[str, str]

    def then(self, name: str, value: str) -> str:
        """Another value of each score, called so."""
        self.lines.append(f"{name}[{self.at}] = {value}")
        self.temporaries[name] = self.shape
        return name


def _mask(node: Node, groups: int, share: int, columns: int) -> Var | None:
    """The mask so that it broadcasts against [batch, groups, share, rows, columns]."""
    mask = node.get(3)
    if mask is None:
        return None
    if not 1 <= mask.rank <= 4:
        raise NetworkError(f"{mask.value} is no mask")
    if mask.shape[-1] < columns:
        missing = [0] * (mask.rank - 1) + [columns - mask.shape[-1]]
        mask = do.pad(mask, [0] * mask.rank, missing, "constant", 0 if mask.truth else -math.inf)
    shape = [1] * (4 - mask.rank) + list(mask.shape)
    middle = (groups, share) if shape[1] == groups * share and shape[1] > 1 else (1, 1)
    return node.graph.view(mask, (shape[0], *middle, *shape[2:]))


def _masked(s: Scores, now: str, mask: Var | None, lengths: Var | None, rows: int, offset: int) -> str:
    """The scores with minus infinity where a query does not attend."""
    node, value = s.node, f"{now}[{s.at}]"
    if mask is not None:
        s.reads["P"] = mask
        bias = do.element(mask, "P", s.at.split(","), s.d)
        value = f"select({bias} != 0, {value}, F[])" if mask.truth else f"{value} + {bias}"
    if lengths is not None:
        s.reads["N"] = do.converted(lengths, do.I64)
    place = f"i64(i) + i64(N[b]) - {rows}" if lengths is not None else f"i64(i) + {offset}"
    left, right = int(node.attribute("left_window_size", -1)), int(node.attribute("right_window_size", -1))
    tests = [f"i64(j) <= {place}"] if node.attribute("is_causal", 0) else []
    tests += [f"{place} - {left} <= i64(j)"] if left >= 0 else []
    tests += [f"i64(j) <= {place} + {right}"] if right >= 0 else []
    tests += ["i64(j) < i64(N[b])"] if lengths is not None else []
    for test in tests:
        value = f"select({test}, {value}, F[])"
    if "F[]" in value:
        s.reads["F"] = node.graph.constant(np.array(-np.inf, s.d.numpy))
    return now if value == f"{now}[{s.at}]" else s.then("B", value)


def _operands(node: Node) -> tuple[Var, Var, Var]:
    """Queries, keys and values as [batch, heads, length, depth], past ones before them. Raises NetworkError."""
    q, k, v = (node.of_rank(n, 3, 4) for n in range(3))
    past_k, past_v = node.get(4), node.get(5)
    if q.rank == 3:
        q = _heads(node, q, node.number("q_num_heads", 0, 1))
        k, v = (_heads(node, x, node.number("kv_num_heads", 0, 1)) for x in (k, v))
    if past_k is not None and past_v is not None:
        k, v = do.concatenate([past_k, k], 2), do.concatenate([past_v, v], 2)
    if (q.rank, k.rank, v.rank) != (4, 4, 4) or (past_k is None) != (past_v is None):
        raise NetworkError(f"{q.value}, {k.value} and {v.value} do not fit")
    if k.shape[3] != q.shape[3] or v.shape[:3] != k.shape[:3] or k.shape[0] != q.shape[0]:
        raise NetworkError(f"{q.value}, {k.value} and {v.value} do not fit")
    if not q.elements * k.elements * v.elements or q.shape[1] % k.shape[1]:
        raise NetworkError(f"{q.shape[1]} heads of queries and {k.shape[1]} of keys")
    return q, k, v


@onnx("Attention")
def _attention(node: Node) -> list[Var]:
    g, (q, k, v), flat = node.graph, _operands(node), node[0].rank == 3
    past_k = node.get(4)
    batch, heads, rows, depth = q.shape
    groups, columns, width = k.shape[1], k.shape[2], v.shape[3]
    share, d = heads // groups, do.computed_in(q.dtype)
    wide = g.view(q, (batch, groups, share, rows, depth))
    scale = float(node.attribute("scale", 1 / math.sqrt(depth)))
    if not 0 <= scale < math.inf:
        raise NetworkError(f"its scale is {scale}")
    factor = math.sqrt(scale)
    root = do.literal(np.float64(factor).astype(d.numpy).item())
    query, key, value = (
        do.converted_text(t, x.dtype, d) for t, x in (("Q[b,g,s,i,c]", wide), ("K[b,g,j,c]", k), ("V[b,g,j,e]", v))
    )
    held, small = f"{batch},{groups},{share},{rows},{columns}", f"{batch},{groups},{share},{rows}"
    s = Scores(node, d, "b,g,s,i,j", held, {"Q": wide, "K": k, "V": v}, [], {"A": held})
    s.lines.append(f"A[{s.at}] += ({query} * {root}) * ({key} * {root})")
    stages, softcap = ["A"], float(node.attribute("softcap", 0.0))
    cap = do.literal(softcap)
    stages.append(s.then("C", f"{cap} * tanh(A[{s.at}] / {cap})") if softcap else "A")
    offset = 0 if past_k is None else past_k.shape[2]
    now = _masked(s, stages[-1], _mask(node, groups, share, columns), node.get(6), rows, offset)
    stages += [now, "W"]
    least, tiny = (do.literal(float(x)) for x in (np.finfo(d.numpy).min, np.finfo(d.numpy).tiny))
    s.lines.append(f"M[b,g,s,i] max= {now}[{s.at}]")
    s.then("E", f"exp({now}[{s.at}] - max(M[b,g,s,i], {least}))")  # of a row without keys nothing is left, and no NaN
    s.lines.append(f"S[b,g,s,i] += E[{s.at}]")
    s.then("W", f"E[{s.at}] / max(S[b,g,s,i], {tiny})")
    s.lines.extend([f"O[b,g,s,i,e] += W[{s.at}] * {value}", "Y[b,g,s,i,e] = O[b,g,s,i,e]"])
    s.temporaries.update(M=small, S=small, O=f"{small},{width}")
    writes = {"Y": (q.dtype, (batch, groups, share, rows, width))}
    if node.outputs > 3:
        if (mode := node.number("qk_matmul_output_mode", 0)) > 3:
            raise NetworkError(f"no mode {mode} of its fourth result")
        s.lines.append(f"Z[{s.at}] = {stages[mode]}[{s.at}]")
        writes["Z"] = (q.dtype, (batch, groups, share, rows, columns))
    axes = {"b": batch, "g": groups, "s": share, "i": rows, "j": columns, "c": depth, "e": width}
    head = [f"temporary {', '.join(s.temporaries)}", *(f"{n}: {d}[{t}]" for n, t in s.temporaries.items())]
    made = g.step("\n".join([*head, *s.lines]), s.reads, writes, axes)
    out = g.view(made[0], (batch, heads, rows, width))
    if flat:
        out = g.view(do.transpose(out, (0, 2, 1, 3)), (batch, rows, heads * width))
    return [out, k, v, *(g.view(z, (batch, heads, rows, columns)) for z in made[1:])]


@onnx("RotaryEmbedding")
def _rotary(node: Node) -> Var:
    g, x, cos, sin, positions = node.graph, node.of_rank(0, 3, 4), node[1], node[2], node.get(3)
    flat = x.rank == 3
    if flat:
        x = _heads(node, x, node.number("num_heads", 0, 1))
    batch, heads, length, depth = x.shape
    turned = int(node.attribute("rotary_embedding_dim", 0)) or depth
    half = turned // 2
    if positions is not None:
        cos, sin = do.gather(cos, positions, 0), do.gather(sin, positions, 0)
    if not 1 <= half <= depth // 2 or cos.rank != 3 or sin.shape != cos.shape or turned % 2:
        raise NetworkError(f"{cos.value} and {sin.value} do not turn {x.value}")
    if cos.shape[-1] != half:
        raise NetworkError(f"{cos.value} does not hold {half} angles")
    cos, sin = (g.view(v, (v.shape[0], 1, *v.shape[1:])) for v in (cos, sin))
    d = do.computed_in(x.dtype)
    c, s = (do.element(v, n, ["b", "h", "l", "k"], d) for v, n in ((cos, "C"), (sin, "S")))
    places = ("2*k", "2*k+1") if node.attribute("interleaved", 0) else ("k", f"k+{half}")
    first, second = (f"X[b,h,l,{p}]" if x.dtype == d else f"{d}(X[b,h,l,{p}])" for p in places)
    lines = [
        f"Y[b,h,l,{places[0]}] = {c} * {first} - {s} * {second}",
        f"Y[b,h,l,{places[1]}] = {s} * {first} + {c} * {second}",
    ]
    axes = {"b": batch, "h": heads, "l": length, "k": half}
    if turned < depth:
        lines.append(f"Y[b,h,l,r+{turned}] = X[b,h,l,r+{turned}]")
        axes["r"] = depth - turned
    made = g.step("\n".join(lines), {"X": x, "C": cos, "S": sin}, {"Y": (x.dtype, x.shape)}, axes)[0]
    return g.view(do.transpose(made, (0, 2, 1, 3)), (batch, length, heads * depth)) if flat else made
