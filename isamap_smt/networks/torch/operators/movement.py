"""Operators of ATen to move elements, or make them of nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.extents import Extent
from isamap_smt.networks.graph import Var
from isamap_smt.networks.torch.call import Call, aten

END = 2**63 - 1  # what torch writes for "to the end"


@aten("view", "_unsafe_view", "reshape", "view_copy", "_reshape_alias")
def _view(c: Call, self: Var, size: Sequence[Any], stride: Any = None) -> Var:
    return c.graph.view(self, c.shape)


@aten("flatten.using_ints", "unflatten.int")
def _in_shape(c: Call, self: Var, start_dim: int = 0, end_dim: int = -1, dim: int = 0, sizes: Any = None) -> Var:
    return c.graph.view(self, c.shape)


@aten("squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "squeeze_copy.dims", "unsqueeze_copy")
def _squeezed(c: Call, self: Var, dim: Any = None) -> Var:
    return c.graph.view(self, c.shape)


@aten("t", "transpose.int", "transpose_copy.int", "t_copy")
def _transpose(c: Call, self: Var, dim0: int = 0, dim1: int = 1) -> Var:
    if self.rank < 2:
        return self
    order = list(range(self.rank))
    a, b = do.along(self, dim0), do.along(self, dim1)
    order[a], order[b] = order[b], order[a]
    return do.transpose(self, order)


@aten("permute", "permute_copy")
def _permute(c: Call, self: Var, dims: Sequence[int]) -> Var:
    return do.transpose(self, [do.along(self, d) for d in dims]) if self.rank else self


@aten("expand", "expand_copy")
def _expand(c: Call, self: Var, size: Sequence[Any]) -> Var:
    return do.expand(self, c.shape)


@aten("repeat")
def _repeat(c: Call, self: Var, repeats: Sequence[int]) -> Var:
    return do.tile(c.graph.view(self, (*[1] * (len(repeats) - self.rank), *self.shape)), list(repeats))


@aten("flip")
def _flip(c: Call, self: Var, dims: Sequence[int]) -> Var:
    turned = {do.along(self, d) for d in dims}
    starts = [s - 1 if n in turned else 0 for n, s in enumerate(self.shape)]
    return do.part(self, starts, self.shape, [-1 if n in turned else 1 for n in range(self.rank)])


@aten("roll")
def _roll(c: Call, self: Var, shifts: Any, dims: Any = ()) -> Var:
    x = self if dims else c.graph.view(self, (self.elements,))
    for shift, dim in zip(shifts, dims or (0,), strict=True):
        axis = do.along(x, dim)
        if isinstance(x.shape[axis], Extent):
            raise UncomputedError(f"which of {x.shape[axis]} elements come first depends on a size")
        first = -shift % x.shape[axis]
        x = do.concatenate([_cut(x, axis, first, x.shape[axis], 1), _cut(x, axis, 0, first, 1)], axis) if first else x
    return c.graph.view(x, self.shape)


def _cut(x: Var, axis: int, start: Any, end: Any, step: int) -> Var:
    begin, count, step = do.points(x.shape[axis], slice(start, end, step))
    starts, counts, steps = [0] * x.rank, list(x.shape), [1] * x.rank
    starts[axis], counts[axis], steps[axis] = begin, count, step
    return do.part(x, starts, counts, steps)


@aten("slice.Tensor", "slice_copy.Tensor")
def _slice(c: Call, self: Var, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Var:
    axis = do.along(self, dim)
    end = None if isinstance(end, int) and end == END else end
    return _cut(self, axis, start, end, step)


@aten("select.int", "select_copy.int")
def _select(c: Call, self: Var, dim: int, index: Any) -> Var:
    axis = do.along(self, dim)
    at = index + self.shape[axis] if isinstance(index, int) and index < 0 else index
    return c.graph.view(_cut(self, axis, at, at + 1, 1), c.shape)


@aten("narrow")
def _narrow(c: Call, self: Var, dim: int, start: Any, length: Any) -> Var:
    return _cut(self, do.along(self, dim), start, start + length, 1)


@aten("cat")
def _cat(c: Call, tensors: Sequence[Var], dim: int = 0) -> Var:
    held = [do.converted(x, c.to) for x in tensors if x.shape != (0,)]  # an empty row goes with any shape
    if not held:
        raise UncomputedError("it joins nothing")
    return held[0] if len(held) == 1 else do.concatenate(held, do.along(held[0], dim))


@aten("stack")
def _stack(c: Call, tensors: Sequence[Var], dim: int = 0) -> Var:
    axis = do.axis_of(dim, len(c.shape))
    return do.concatenate([do.unsqueeze(do.converted(x, c.to), [axis]) for x in tensors], axis)


@aten("split.Tensor", "split_with_sizes", "unbind.int", "split_copy.Tensor", "split_with_sizes_copy", "unbind_copy.int")
def _split(c: Call, self: Var, dim: int = 0, split_size: Any = None, split_sizes: Any = None) -> list[Var]:
    axis = do.along(self, dim)
    shapes = [r.shape for r in c.results if r is not None]
    whole = len(shapes[0]) == self.rank
    parts = do.split(self, [s[axis] if whole else 1 for s in shapes], axis)
    return [c.graph.view(p, s) for p, s in zip(parts, shapes, strict=True)]


@aten("constant_pad_nd")
def _constant_pad(c: Call, self: Var, pad: Sequence[int], value: float = 0) -> Var:
    before, after = [0] * self.rank, [0] * self.rank
    for n in range(len(pad) // 2):
        before[-1 - n], after[-1 - n] = pad[2 * n], pad[2 * n + 1]
    return do.pad(self, before, after, value=value)


@aten("reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d")
def _other_pad(c: Call, self: Var, padding: Sequence[int]) -> Var:
    before, after = [0] * self.rank, [0] * self.rank
    for n in range(len(padding) // 2):
        before[-1 - n], after[-1 - n] = padding[2 * n], padding[2 * n + 1]
    if min(*before, *after) < 0:
        raise UncomputedError(f"its pads {list(padding)} cut off")
    return do.pad(self, before, after, "reflect" if c.op.startswith("reflection") else "edge")


# ---- By indices


@aten("embedding")
def _embedding(
    c: Call, weight: Var, indices: Var, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Var:
    return do.gather(weight, indices, 0)


@aten("index_select")
def _index_select(c: Call, self: Var, dim: int, index: Var) -> Var:
    return do.gather(self, index, dim)


@aten("gather")
def _gather(c: Call, self: Var, dim: int, index: Var, sparse_grad: bool = False) -> Var:
    return do.gather_elements(self, index, dim)


@aten("index.Tensor")
def _index(c: Call, self: Var, indices: Sequence[Var | None]) -> Var:
    there = [n for n, i in enumerate(indices) if i is not None]
    if any(indices[n].dtype.kind not in "i" for n in there):  # type: ignore[union-attr]
        raise UncomputedError("how many elements truth values choose depends on data")
    if len(there) == 1:
        (axis,) = there
        return do.gather(self, next(i for i in indices if i is not None), axis)
    if there != list(range(len(there))):
        raise UncomputedError("its indices leave dimensions out")
    held = [i for i in indices if i is not None]
    shape = do.broadcast(*(i.shape for i in held))
    columns = [do.unsqueeze(do.expand(do.converted(i, do.I64), shape), [len(shape)]) for i in held]
    return do.gather_nd(self, do.concatenate(columns, len(shape)))


# ---- Of nothing


@aten(
    "full",
    "full_like",
    "scalar_tensor",
    "zeros",
    "ones",
    "zeros_like",
    "ones_like",
    "new_zeros",
    "new_ones",
    "new_full",
)
def _full(c: Call, self: Any = None, size: Any = None, fill_value: Any = None, s: Any = None, dtype: Any = None) -> Var:
    value = s if s is not None else fill_value if fill_value is not None else int("ones" in c.op)
    if not isinstance(value, int | float):
        raise UncomputedError(f"its value {value} is no number")
    return do.filled(c.graph, np.array(value).astype(c.to.numpy), c.shape)


@aten("empty.memory_format", "empty_like", "new_empty")
def _empty(c: Call, self: Any = None, size: Any = None, dtype: Any = None) -> Var:
    return do.filled(c.graph, np.zeros((), c.to.numpy), c.shape)


@aten("diagonal", "diagonal_copy")
def _diagonal(c: Call, self: Var, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Var:
    index = do.names(len(c.shape))
    rows, columns = do.along(self, dim1), do.along(self, dim2)
    inside = iter(index[:-1])
    last = {rows: f"{index[-1]}+{max(-offset, 0)}", columns: f"{index[-1]}+{max(offset, 0)}"}
    places = [last[n] if n in last else next(inside) for n in range(self.rank)]
    line = f"Y[{','.join(index)}] = X[{','.join(places)}]"
    return c.graph.step(line, {"X": self}, {"Y": (c.to, c.shape)}, dict(zip(index, c.shape, strict=True)))[0]


@aten("arange", "arange.start", "arange.start_step")
def _arange(c: Call, start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None) -> Var:
    if any(isinstance(n, Extent) for n in (start, step)) or isinstance(c.shape[0], Extent):
        if start != 0 or step != 1 or c.to.is_float:
            raise UncomputedError(f"how many elements there are from {start} to {end} depends on a size")
        return c.graph.step(f"Y[i] = {c.to}(i)", {}, {"Y": (c.to, c.shape)}, {"i": c.shape[0]})[0]
    c.graph.room(c.shape, c.to.numpy)
    return c.graph.constant((start + step * np.arange(c.shape[0])).astype(c.to.numpy))


@aten("tril", "triu")
def _triangle(c: Call, self: Var, diagonal: int = 0) -> Var:
    if self.dtype == do.BOOL:
        raise UncomputedError("of truth values it is not computed")
    index = do.names(self.rank)
    below = f"i64({index[-1]}) - i64({index[-2]})"
    test = f"{below} <= {do.literal(diagonal)}" if c.op.startswith("tril") else f"{below} >= {do.literal(diagonal)}"
    at = f"[{','.join(index)}]"
    line = f"Y{at} = select({test}, X{at}, {c.to}(0))"
    return c.graph.step(line, {"X": self}, {"Y": (c.to, c.shape)}, dict(zip(index, c.shape, strict=True)))[0]


@aten("pixel_shuffle")
def _pixel_shuffle(c: Call, self: Var, upscale_factor: int) -> Var:
    *lead, channels, rows, columns = self.shape
    r, batch = upscale_factor, math.prod(lead)
    x = c.graph.view(self, (batch, channels // (r * r), r, r, rows, columns))
    return c.graph.view(do.transpose(x, (0, 1, 4, 2, 5, 3)), c.shape)
