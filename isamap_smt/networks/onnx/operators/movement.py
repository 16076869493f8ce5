"""Operators to move elements, or tell of shapes."""

from __future__ import annotations

import math

import numpy as np

from isamap_smt.ir.dtypes import from_numpy
from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.extents import open_sizes
from isamap_smt.networks.graph import MOST_DIMENSIONS, Var
from isamap_smt.networks.onnx.node import Node, onnx
from isamap_smt.networks.onnx.operators.elementwise import onnx_type


@onnx("Constant")
def _constant(node: Node) -> Var:
    for name, of in (
        ("value", None),
        ("value_float", np.float32),
        ("value_int", np.int64),
        ("value_floats", np.float32),
        ("value_ints", np.int64),
    ):
        if name in node.attributes:
            made = np.asarray(node.attributes[name], of)
            if made.dtype != np.bool_ and from_numpy(made.dtype) is None:
                raise NetworkError(f"elements of type {made.dtype} are not computed with")
            return node.graph.constant(made, node.name)
    raise NetworkError("a constant of this kind is not read")


def _shape_of(node: Node, position: int) -> list[int]:
    return list(node.graph.sizes(node.wanted(position)))


@onnx("ConstantOfShape")
def _constant_of_shape(node: Node) -> Var:
    value = np.asarray(node.attribute("value", np.zeros(1, np.float32)))
    shape = _shape_of(node, 0)
    if value.size != 1:
        raise NetworkError(f"its value is {value.size} numbers, and not one")
    return do.filled(node.graph, value.reshape(()), shape)


@onnx("Shape")
def _shape(node: Node) -> Var:
    rank = node[0].rank
    start, end = int(node.attribute("start", 0)), int(node.attribute("end", rank))
    return node.graph.extents(np.array(node[0].shape[slice(start, end)], object))


@onnx("Size")
def _size(node: Node) -> Var:
    return node.graph.extents(np.array(node[0].elements, object))


@onnx("Reshape")
def _reshape(node: Node) -> Var:
    x, wanted = node[0], node.wanted(1, "shape")
    if not node.attribute("allowzero", 0):
        wanted = [x.shape[n] if s == 0 and n < x.rank else s for n, s in enumerate(wanted)]
    return do.reshape(x, wanted)


@onnx("Flatten")
def _flatten(node: Node) -> Var:
    x, axis = node[0], int(node.attribute("axis", 1))
    if not -x.rank <= axis <= x.rank:
        raise NetworkError(f"axis {axis} of {x.value}")
    axis += x.rank if axis < 0 else 0
    return node.graph.view(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@onnx("Squeeze")
def _squeeze(node: Node) -> Var:
    return do.squeeze(node[0], node.whole(1, "axes"))


@onnx("Unsqueeze")
def _unsqueeze(node: Node) -> Var:
    return do.unsqueeze(node[0], node.whole(1, "axes") or [])


@onnx("Transpose")
def _transpose(node: Node) -> Var:
    return do.transpose(node[0], node.attribute("perm", list(reversed(range(node[0].rank)))))


@onnx("Expand")
def _expand(node: Node) -> Var:
    return do.expand(node[0], _shape_of(node, 1))


@onnx("Tile")
def _tile(node: Node) -> Var:
    return do.tile(node[0], node.wanted(1))


@onnx("Concat")
def _concat(node: Node) -> Var:
    return do.concatenate([node[n] for n in range(len(node.inputs))], int(node.attribute("axis", 1)))


@onnx("Split")
def _split(node: Node) -> list[Var]:
    x = node[0]
    axis = do.along(x, int(node.attribute("axis", 0)))
    sizes = node.whole(1, "split")
    if sizes is None:
        parts = node.number("num_outputs", node.outputs, 1)
        if parts > max(x.shape[axis], node.outputs, 1):
            raise NetworkError(f"{parts} parts of {x.shape[axis]} elements")
        each = -(-x.shape[axis] // parts)
        sizes = [min(each, x.shape[axis] - n * each) for n in range(parts)]
    return do.split(x, sizes, axis)


@onnx("Slice")
def _slice(node: Node) -> Var:
    x = node[0]
    starts, ends = node.whole(1, "starts"), node.whole(2, "ends")
    axes = node.whole(3, "axes")
    steps = node.whole(4)
    if starts is None or ends is None:
        raise NetworkError("its starts or ends are missing")
    axes = list(range(len(starts))) if axes is None else [do.axis_of(a, x.rank) for a in axes]
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or len({*axes}) < len(axes) or len(axes) > x.rank:
        raise NetworkError(
            f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps of {x.value}"
        )
    begin, count, step = [0] * x.rank, list(x.shape), [1] * x.rank
    for a, s, e, t in zip(axes, starts, ends, steps, strict=True):
        if t == 0:
            raise NetworkError("a step is 0")
        begin[a], count[a], step[a] = do.points(x.shape[a], slice(s, e, t))
    return do.part(x, begin, count, step)


@onnx("Pad")
def _pad(node: Node) -> Var:
    x = node[0]
    pads = node.whole(1, "pads" if node.opset >= 2 else "paddings")
    value = node.known(2, "value")
    axes = node.whole(3)
    axes = list(range(x.rank)) if axes is None else [do.along(x, a) for a in axes]
    if pads is None or len(pads) != 2 * len(axes) or len({*axes}) < len(axes):
        raise NetworkError(f"its pads {pads} are not two for each of {len(axes)} axes")
    if value is not None and value.size != 1:
        raise NetworkError("it pads with one number")
    before, after = [0] * x.rank, [0] * x.rank
    for n, a in enumerate(axes):
        before[a], after[a] = pads[n], pads[n + len(axes)]
    fill = 0 if value is None else value.reshape(-1)[0].item()
    return do.pad(x, before, after, node.attribute("mode", "constant"), fill)


@onnx("CenterCropPad")
def _center_crop_pad(node: Node) -> Var:
    x, wanted = node[0], node.wanted(1)
    axes = [do.along(x, int(a)) for a in node.attribute("axes", range(x.rank))]
    if len(axes) != len(wanted) or len({*axes}) < len(axes) or min(wanted, default=0) < 0:
        raise NetworkError(f"the shape {wanted} for axes {axes}")
    before, after = [0] * x.rank, [0] * x.rank
    for a, size in zip(axes, wanted, strict=True):
        extra = size - x.shape[a]
        before[a] = extra // 2 if extra >= 0 else -((-extra) // 2)
        after[a] = extra - before[a]
    return do.pad(x, before, after)


@onnx("Gather")
def _gather(node: Node) -> Var:
    return do.gather(node[0], node[1], int(node.attribute("axis", 0)))


@onnx("GatherElements")
def _gather_elements(node: Node) -> Var:
    return do.gather_elements(node[0], node[1], int(node.attribute("axis", 0)))


@onnx("GatherND")
def _gather_nd(node: Node) -> Var:
    return do.gather_nd(node[0], node[1], int(node.attribute("batch_dims", 0)))


@onnx("DepthToSpace")
def _depth_to_space(node: Node) -> Var:
    n, c, h, w = node.of_rank(0, 4).shape
    b = node.number("blocksize", 1, 1)
    if c % (b * b):
        raise NetworkError(f"{c} channels are no blocks of {b} by {b}")
    if node.attribute("mode", "DCR") == "DCR":
        apart, order = (n, b, b, c // (b * b), h, w), (0, 3, 4, 1, 5, 2)
    else:
        apart, order = (n, c // (b * b), b, b, h, w), (0, 1, 4, 2, 5, 3)
    moved = do.transpose(node.graph.view(node[0], apart), order)
    return node.graph.view(moved, (n, c // (b * b), h * b, w * b))


@onnx("SpaceToDepth")
def _space_to_depth(node: Node) -> Var:
    n, c, h, w = node.of_rank(0, 4).shape
    b = node.number("blocksize", 1, 1)
    if h % b or w % b:
        raise NetworkError(f"an image of {h} by {w} has no blocks of {b} by {b}")
    order = (0, 1, 3, 5, 2, 4) if node.attribute("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    moved = do.transpose(node.graph.view(node[0], (n, c, h // b, b, w // b, b)), order)
    return node.graph.view(moved, (n, c * b * b, h // b, w // b))


@onnx("Range")
def _range(node: Node) -> Var:
    if any(node[n].extents is not None for n in range(3)):
        first, limit, step = (node.wanted(n)[0] for n in range(3))
        if step != 1:
            raise UncomputedError(f"a range of {limit} elements in steps of {step}")
        return node.graph.step(f"Y[i] = i64({first} + i)", {}, {"Y": (do.I64, (limit - first,))}, {"i": limit - first})[
            0
        ]
    first, limit, step = (node.scalar(n) for n in range(3))
    steps = (float(limit) - float(first)) / float(step) if step else math.nan
    if not math.isfinite(steps):
        raise NetworkError(f"a range from {first} to {limit} in steps of {step}")
    count = max(0, math.ceil(steps))
    node.graph.room([count], np.float64)
    with np.errstate(all="ignore"):
        return node.graph.constant((first + np.arange(count).astype(first.dtype) * step).astype(first.dtype))


@onnx("EyeLike")
def _eye(node: Node) -> Var:
    rows, columns = node.graph.room(node.of_rank(0, 2).shape, np.float64)
    kind = node.attribute("dtype")
    held = node[0].dtype if kind is None else onnx_type(kind)
    return node.graph.constant(
        np.eye(rows, columns, max(-rows, min(columns, int(node.attribute("k", 0))))).astype(held.numpy)
    )


@onnx("Trilu")
def _trilu(node: Node) -> Var:
    x, by = node.of_rank(0, 2, MOST_DIMENSIONS), 0 if node.get(1) is None else node.whole_scalar(1)
    if not open_sizes([x.shape[-2:]]):
        by = max(-x.shape[-2] - 1, min(x.shape[-1] + 1, by))
    index = do.names(x.rank)
    row, column = index[-2:]
    at = f"[{','.join(index)}]"
    test = f"{row} + {by} <= {column}" if node.attribute("upper", 1) else f"{column} <= {row} + {by}"
    if not x.elements:
        return x
    axes = dict(zip(index, x.shape, strict=True))
    return node.graph.step(f"Y{at} = X{at} where {test}", {"X": x}, {"Y": (x.dtype, x.shape)}, axes)[0]


@onnx("OneHot")
def _one_hot(node: Node) -> Var:
    indices, depth, values = node[0], [node.whole_scalar(1)], node[2]
    if values.shape != (2,):
        raise NetworkError(f"{values.value} is no pair of values")
    rank = indices.rank + 1
    axis = do.axis_of(int(node.attribute("axis", -1)), rank)
    shape = (*indices.shape[:axis], depth[0], *indices.shape[axis:])
    index = do.names(rank)
    inner = ",".join(i for n, i in enumerate(index) if n != axis)
    number = do.converted(indices, do.I64)
    d = values.dtype
    chosen, place = f"i64(J[{inner}])", f"i64({index[axis]})"
    value = f"{d}(select({chosen} == {place}, 1, select({chosen} + {depth[0]} == {place}, 1, 0)))"
    text = f"temporary T\nT: {d}[{','.join(map(str, shape))}]\nT[{','.join(index)}] = {value}\n"
    text += f"Y[{','.join(index)}] = select(T[{','.join(index)}] == 1, V[1], V[0])"
    return node.graph.step(text, {"J": number, "V": values}, {"Y": (d, shape)}, dict(zip(index, shape, strict=True)))[0]


@onnx("ReverseSequence")
def _reverse_sequence(node: Node) -> Var:
    x, lengths = node.of_rank(0, 2, MOST_DIMENSIONS), node.wanted(1)
    time, batch = node.number("time_axis", 0), node.number("batch_axis", 1)
    if {time, batch} != {0, 1} or len(lengths) != x.shape[batch] or not all(0 <= n <= x.shape[time] for n in lengths):
        raise NetworkError(f"lengths {lengths} of {x.value} along axis {time}, of axis {batch}")
    if not x.elements:
        return x
    node.graph.room(x.shape, np.int64)
    steps = np.arange(x.shape[time])
    rows = np.stack([np.where(steps < n, n - 1 - steps, steps) for n in lengths])  # batch, time
    wide = rows if batch < time else rows.T
    wide = wide.reshape([x.shape[n] if n in (time, batch) else 1 for n in range(x.rank)])
    found = node.graph.constant(np.ascontiguousarray(np.broadcast_to(wide, x.shape)).astype(np.int64))
    return do.gather_elements(x, found, time)


@onnx("Compress")
def _compress(node: Node) -> Var:
    x, chosen = node[0], node.known(1)
    axis = node.attribute("axis")
    x = node.graph.view(x, (x.elements,)) if axis is None else x
    places = np.flatnonzero(np.asarray(chosen).astype(bool))
    return do.gather(x, node.graph.constant(places.astype(np.int64)), 0 if axis is None else int(axis))


@onnx("BitCast")
def _bit_cast(node: Node) -> Var:
    to = onnx_type(node.attribute("to"))
    x = node[0]
    if x.constant is not None:
        if to.bytes != x.constant.itemsize:
            raise NetworkError(f"an element of {x.dtype} has not the bits of {to}")
        return node.graph.constant(x.constant.view(to.numpy))
    if to == x.dtype:
        return x
    raise UncomputedError(f"bits of {x.dtype} are not read as {to}")
