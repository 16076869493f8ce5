"""Scaled dot-product attention as one kernel, and the rotation of queries and keys by their positions.

    scores[b,h,i,j] = scale * Q[b,h,i] . K[b,h,j] + mask[b,h,i,j]     minus infinity where query i does not see key j
    Y[b,h,i] = sum over j of softmax(scores)[b,h,i,j] * V[b,h,j]      0 where it sees none

Queries are [batch, heads, rows, depth], keys [batch, groups, columns, depth]; each group of keys serves heads / groups
heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var


@dataclass(frozen=True)
class Seen:
    """The keys visible to a query. first: the position of query 0 among the keys.

    mask: broadcasts against [batch, heads, rows, columns]; truth values mark visible keys, numbers are added to scores.
    causal: none behind the query's position. left, right: none further from it; -1 is any. lengths: [batch], the number
    of keys; if `first` is None, the queries are the last ones of them.
    """

    mask: Var | None = None
    causal: bool = False
    left: int = -1
    right: int = -1
    lengths: Var | None = None
    first: int | None = 0


def heads_of(x: Var, heads: int) -> Var:
    """[batch, heads, length, depth] of [batch, length, heads * depth]. Raises NetworkError."""
    if x.rank != 3 or heads < 1 or x.shape[2] % heads:
        raise NetworkError(f"{x.value} is not of {heads} heads")
    batch, length, width = x.shape
    return do.transpose(x.graph.view(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))


def joined(x: Var) -> Var:
    """[batch, length, heads * depth] of [batch, heads, length, depth]."""
    batch, heads, length, depth = x.shape
    return x.graph.view(do.transpose(x, (0, 2, 1, 3)), (batch, length, heads * depth))


@dataclass(frozen=True)
class _Scores:
    """The scores of an attention: statements so far. at: their index; shape: as a text has it."""

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


def _mask(mask: Var, groups: int, share: int, shape: tuple[int, ...]) -> Var:
    """The mask, shaped to broadcast against [batch, groups, share, rows, columns]; its missing columns are not seen."""
    if not 1 <= mask.rank <= 4:
        raise NetworkError(f"{mask.value} is no mask")
    if mask.shape[-1] not in (1, shape[-1]) and mask.shape[-1] < shape[-1]:
        missing = [0] * (mask.rank - 1) + [shape[-1] - mask.shape[-1]]
        mask = do.pad(mask, [0] * mask.rank, missing, "constant", 0 if mask.dtype == do.BOOL else -math.inf)
    if do.broadcast(mask.shape, shape) != shape:
        raise NetworkError(f"the mask {mask.value} does not broadcast to scores of shape {list(shape)}")
    wide = [1] * (4 - mask.rank) + list(mask.shape)
    middle = (groups, share) if wide[1] == groups * share and wide[1] != 1 else (1, 1)
    return mask.graph.view(mask, (wide[0], *middle, *wide[2:]))


def _masked(s: _Scores, now: str, mask: Var | None, seen: Seen, rows: int) -> str:
    """The scores, minus infinity wherever a query does not attend."""
    value, lengths = f"{now}[{s.at}]", seen.lengths
    if mask is not None:
        s.reads["P"] = mask
        bias = do.element(mask, "P", s.at.split(","), s.d)
        value = f"select({bias} != 0, {value}, F[])" if mask.dtype == do.BOOL else f"{value} + {bias}"
    if lengths is not None:
        s.reads["N"] = do.converted(lengths, do.I64)
    if seen.first is None and lengths is None:
        raise NetworkError("the first query has no position, and keys have no lengths")
    place = f"i64(i) + i64(N[b]) - {do.number(rows)}" if seen.first is None else f"i64(i) + {do.number(seen.first)}"
    tests = [f"i64(j) <= {place}"] if seen.causal else []
    tests += [f"{place} - {seen.left} <= i64(j)"] if seen.left >= 0 else []
    tests += [f"i64(j) <= {place} + {seen.right}"] if seen.right >= 0 else []
    tests += ["i64(j) < i64(N[b])"] if lengths is not None else []
    for test in tests:
        value = f"select({test}, {value}, F[])"
    if "F[]" in value:
        s.reads["F"] = s.reads["Q"].graph.constant(np.array(-np.inf, s.d.numpy))
    return now if value == f"{now}[{s.at}]" else s.then("B", value)


def attention(
    q: Var, k: Var, v: Var, seen: Seen, scale: float | None = None, softcap: float = 0.0, mode: int | None = None
) -> tuple[Var, Var | None]:
    """The attention, and the scores of a mode: 0 as they are, 1 capped, 2 masked, 3 as weights.

    scale: 1 / sqrt(depth) by default. softcap: if not 0, scores become c * tanh(scores / c). Raises NetworkError for
    shapes that do not fit.
    """
    g = q.graph
    if (q.rank, k.rank, v.rank) != (4, 4, 4) or k.shape[3] != q.shape[3] or v.shape[:3] != k.shape[:3]:
        raise NetworkError(f"{q.value}, {k.value} and {v.value} do not fit")
    if k.shape[0] != q.shape[0]:
        raise NetworkError(f"{q.value}, {k.value} and {v.value} do not fit")
    if empty := [x for x in (q, k, v) if not x.elements]:
        raise NetworkError(f"{empty[0].value} has no elements")
    if q.shape[1] % k.shape[1]:
        raise NetworkError(f"{q.shape[1]} heads of queries and {k.shape[1]} of keys")
    batch, heads, rows, depth = q.shape
    groups, columns, width = k.shape[1], k.shape[2], v.shape[3]
    share, d = heads // groups, do.computed_in(q.dtype)
    wide = g.view(q, (batch, groups, share, rows, depth))
    scale = 1 / math.sqrt(depth) if scale is None else scale
    if not 0 <= scale < math.inf:
        raise NetworkError(f"its scale is {scale}")
    root = do.literal(np.float64(math.sqrt(scale)).astype(d.numpy).item())
    query, key, value = (
        do.converted_text(t, x.dtype, d) for t, x in (("Q[b,g,s,i,c]", wide), ("K[b,g,j,c]", k), ("V[b,g,j,e]", v))
    )
    held, small = f"{batch},{groups},{share},{rows},{columns}", f"{batch},{groups},{share},{rows}"
    s = _Scores(d, "b,g,s,i,j", held, {"Q": wide, "K": k, "V": v}, [], {"A": held})
    s.lines.append(f"A[{s.at}] += ({query} * {root}) * ({key} * {root})")
    stages = ["A"]
    cap = do.literal(softcap)
    stages.append(s.then("C", f"{cap} * tanh(A[{s.at}] / {cap})") if softcap else "A")
    mask = None if seen.mask is None else _mask(seen.mask, groups, share, (batch, heads, rows, columns))
    now = _masked(s, stages[-1], mask, seen, rows)
    stages += [now, "W"]
    least, tiny = (do.literal(float(x)) for x in (np.finfo(d.numpy).min, np.finfo(d.numpy).tiny))
    s.lines.append(f"M[b,g,s,i] max= {now}[{s.at}]")
    s.then("E", f"exp({now}[{s.at}] - max(M[b,g,s,i], {least}))")  # of a row without keys nothing is left, and no NaN
    s.lines.append(f"S[b,g,s,i] += E[{s.at}]")
    s.then("W", f"E[{s.at}] / max(S[b,g,s,i], {tiny})")
    s.lines.extend([f"O[b,g,s,i,e] += W[{s.at}] * {value}", "Y[b,g,s,i,e] = O[b,g,s,i,e]"])
    s.temporaries.update(M=small, S=small, O=f"{small},{width}")
    writes = {"Y": (q.dtype, (batch, groups, share, rows, width))}
    if mode is not None:
        if not 0 <= mode <= 3:
            raise NetworkError(f"no mode {mode} of its fourth result")
        s.lines.append(f"Z[{s.at}] = {stages[mode]}[{s.at}]")
        writes["Z"] = (q.dtype, (batch, groups, share, rows, columns))
    axes = {"b": batch, "g": groups, "s": share, "i": rows, "j": columns, "c": depth, "e": width}
    head = [f"temporary {', '.join(s.temporaries)}", *(f"{n}: {d}[{t}]" for n, t in s.temporaries.items())]
    made = g.step("\n".join([*head, *s.lines]), s.reads, writes, axes)
    scores = None if mode is None else g.view(made[1], (batch, heads, rows, columns))
    return g.view(made[0], (batch, heads, rows, width)), scores


def rotary(x: Var, cos: Var, sin: Var, interleaved: bool = False, turned: int = 0) -> Var:
    """x [batch, heads, length, depth] with pairs of its elements turned by angles [batch or 1, length, turned / 2].

    turned: how many elements of each row; all by itself. interleaved: pairs are neighbours, and not of two halves.
    """
    g, (batch, heads, length, depth) = x.graph, x.shape
    turned = turned or depth
    half = turned // 2
    if not 1 <= half <= depth // 2 or cos.rank != 3 or sin.shape != cos.shape or turned % 2:
        raise NetworkError(f"{cos.value} and {sin.value} do not turn {x.value}")
    if cos.shape[-1] != half:
        raise NetworkError(f"{cos.value} does not hold {half} angles")
    cos, sin = (g.view(v, (v.shape[0], 1, *v.shape[1:])) for v in (cos, sin))
    d = do.computed_in(x.dtype)
    c, s = (do.element(v, n, ["b", "h", "l", "k"], d) for v, n in ((cos, "C"), (sin, "S")))
    places = ("2*k", "2*k+1") if interleaved else ("k", f"k+{half}")
    first, second = (f"X[b,h,l,{p}]" if x.dtype == d else f"{d}(X[b,h,l,{p}])" for p in places)
    lines = [
        f"Y[b,h,l,{places[0]}] = {c} * {first} - {s} * {second}",
        f"Y[b,h,l,{places[1]}] = {s} * {first} + {c} * {second}",
    ]
    axes = {"b": batch, "h": heads, "l": length, "k": half}
    if turned < depth:
        lines.append(f"Y[b,h,l,r+{turned}] = X[b,h,l,r+{turned}]")
        axes["r"] = depth - turned
    return g.step("\n".join(lines), {"X": x, "C": cos, "S": sin}, {"Y": (x.dtype, x.shape)}, axes)[0]
