"""Convolutions, pooling and resizing: operators of [n, c, spatial...]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks import windows as of_windows
from isamap_smt.networks.extents import open_sizes
from isamap_smt.networks.graph import LARGEST_VALUE, Var
from isamap_smt.networks.onnx.node import Node, onnx

PADDED = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


@dataclass(frozen=True)
class Window:
    """One number for each spatial dimension."""

    points: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    after: list[int]
    counts: list[int]


def window(node: Node, x: Var, points: list[int]) -> Window:
    """The window of a node's attributes. Raises NetworkError."""
    rank = x.rank - 2
    if rank < 1:
        raise NetworkError(f"{x.value} is no image of channels")
    strides, dilations = node.numbers("strides", [1] * rank, 1), node.numbers("dilations", [1] * rank, 1)
    pads = node.numbers("pads", [0] * 2 * rank)
    auto = node.choice("auto_pad", "NOTSET", PADDED)
    if min(points, default=1) < 1 or len(points) != rank:
        raise NetworkError(
            f"its window {points}, strides {strides}, dilations {dilations} and pads {pads} do not fit {x.value}"
        )
    before, after = pads[:rank], pads[rank:]
    counts = []
    for n, extent in enumerate(x.shape[2:]):
        reach = dilations[n] * (points[n] - 1) + 1
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            count = -(-extent // strides[n])
            total = max(0, (count - 1) * strides[n] + reach - extent)
            before[n] = total // 2 if auto == "SAME_UPPER" else total - total // 2
            after[n] = total - before[n]
        else:
            if auto == "VALID":
                before[n] = after[n] = 0
            whole = extent + before[n] + after[n] - reach
            count = whole // strides[n] + 1
            if node.attribute("ceil_mode", 0):
                count = -(-whole // strides[n]) + 1
                if (count - 1) * strides[n] >= extent + before[n]:
                    count -= 1  # a window that begins behind the image
        if count < 1:
            raise NetworkError(f"its window of {points} has no place in {x.value}")
        counts.append(count)
    return Window(points, strides, dilations, before, after, counts)


@onnx("Conv")
def _conv(node: Node) -> Var:
    x, w = node[0], node[1]
    found = window(node, x, list(w.shape[2:]))
    return of_windows.convolution(
        x, w, node.get(2), found.strides, found.dilations, found.before, found.after, int(node.attribute("group", 1))
    )


@onnx("ConvTranspose")
def _conv_transpose(node: Node) -> Var:
    x, w = node[0], node[1]
    rank, points = x.rank - 2, list(w.shape[2:])
    if rank < 1 or len(points) != rank:
        raise NetworkError(f"{w.value} is no window of {x.value}")
    strides, dilations = node.numbers("strides", [1] * rank, 1), node.numbers("dilations", [1] * rank, 1)
    pads, more = node.numbers("pads", [0] * 2 * rank, -LARGEST_VALUE), node.numbers("output_padding", [0] * rank)
    auto, asked = node.choice("auto_pad", "NOTSET", PADDED), node.attribute("output_shape")
    if asked is not None and len(asked) not in (rank, rank + 2):
        raise NetworkError(f"its output_shape is {asked}")
    before, counts = pads[:rank], []
    for n, whole in enumerate(of_windows.transposed_extents(x.shape[2:], points, strides, dilations, more)):
        if asked is not None or auto in ("SAME_UPPER", "SAME_LOWER"):
            count = int(asked[n + len(asked) - rank]) if asked is not None else x.shape[n + 2] * strides[n]
            total = whole - count
            before[n] = total // 2 if auto == "SAME_UPPER" else total - total // 2
        else:
            count = whole - pads[n] - pads[n + rank]
        counts.append(count)
    return of_windows.transposed_convolution(
        x, w, node.get(2), strides, dilations, before, counts, int(node.attribute("group", 1))
    )


@onnx("MaxPool")
def _max_pool(node: Node) -> Var | list[Var]:
    x = node[0]
    w = window(node, x, [int(n) for n in node.attribute("kernel_shape")])
    made = of_windows.pool(x, "max=", w.points, w.strides, w.dilations, w.before, w.counts)
    if node.outputs < 2:
        return made
    inner, places, guard = of_windows.windows(x.shape[2:], w.counts, w.points, w.strides, w.dilations, w.before)
    out = do.names(len(w.counts), "p")
    order = range(len(places)) if not node.attribute("storage_order", 0) else reversed(range(len(places)))
    flat, scale = "", 1
    for d in reversed(list(order)):
        flat = f"{scale}*({places[d]})" + (f"+{flat}" if flat else "")
        scale *= x.shape[d + 2]
    flat = f"{scale * x.shape[1]}*n+{scale}*c+{flat}"
    axes = {"n": x.shape[0], "c": x.shape[1], **dict(zip(out, w.counts, strict=True))}
    axes |= {r: k for r, k in zip(inner, w.points, strict=True) if r in "".join(places)}
    at, to = f"[{','.join(['n', 'c', *out])}]", do.computed_in(x.dtype)
    most = math.prod(x.shape)
    value = f"select({to}(X[{','.join(['n', 'c', *places])}]) == {to}(M{at}), i64({flat}), i64({most}))"
    found = node.graph.step(f"Y{at} min= {value}{guard}", {"X": x, "M": made}, {"Y": (do.I64, made.shape)}, axes)[0]
    return [made, found]


def divisors(x: Var, w: Window, padded: bool) -> np.ndarray:
    """How many elements each window averages: those of the image, or of the image with its pads."""
    sides = []
    for n, extent in enumerate(x.shape[2:]):
        places = (
            w.strides[n] * np.arange(w.counts[n])[:, None]
            + w.dilations[n] * np.arange(w.points[n])[None, :]
            - w.before[n]
        )
        low, high = (-w.before[n], extent + w.after[n]) if padded else (0, extent)
        sides.append(((places >= low) & (places < high)).sum(1))
    total = np.ones((), np.int64)
    for side in sides:
        total = np.multiply.outer(total, side)
    return total


@onnx("AveragePool")
def _average_pool(node: Node) -> Var:
    x = node[0]
    w = window(node, x, [int(n) for n in node.attribute("kernel_shape")])
    counted = divisors(x, w, bool(node.attribute("count_include_pad", 0)))
    return of_windows.pool(x, "+=", w.points, w.strides, w.dilations, w.before, w.counts, divisors=counted)


@onnx("LpPool")
def _lp_pool(node: Node) -> Var:
    x, p = node[0], int(node.attribute("p", 2))
    w = window(node, x, [int(n) for n in node.attribute("kernel_shape")])
    element = {1: "abs({0})", 2: "{0} * {0}"}.get(p, f"abs({{0}}) ** {p}")
    root = {1: None, 2: "sqrt({0})".format}.get(p, f"exp(log({{0}}) / {p})".format)
    return of_windows.pool(x, "+=", w.points, w.strides, w.dilations, w.before, w.counts, element.format, root)


def _whole(node: Node, op: str, mean: bool) -> Var:
    x = node[0]
    count = math.prod(x.shape[2:])
    return do.reduce(x, range(2, x.rank), op, finish=(lambda t: f"{t} / {count}") if mean else None)


@onnx("GlobalAveragePool")
def _global_average(node: Node) -> Var:
    return _whole(node, "+=", True)


@onnx("GlobalMaxPool")
def _global_max(node: Node) -> Var:
    return _whole(node, "max=", False)


@onnx("GlobalLpPool")
def _global_lp(node: Node) -> Var:
    p = int(node.attribute("p", 2))
    if p not in (1, 2):
        raise UncomputedError(f"p={p} is not computed")
    x = node[0]
    return do.reduce(
        x,
        range(2, x.rank),
        "+=",
        lambda e: f"abs({e})" if p == 1 else f"{e} * {e}",
        None if p == 1 else lambda t: f"sqrt({t})",
    )


@onnx("Col2Im")
def _col2im(node: Node) -> Var:
    x, image, block = node.of_rank(0, 3), node.wanted(1), node.wanted(2)
    rank = len(image)
    strides, dilations = node.numbers("strides", [1] * rank, 1), node.numbers("dilations", [1] * rank, 1)
    pads = node.numbers("pads", [0] * 2 * rank)
    if len(block) != rank or min((*image, *block), default=0) < 1 or x.shape[1] % math.prod(block):
        raise NetworkError(f"{x.value} are no blocks {block} of an image {image}")
    counts = [
        (image[n] + pads[n] + pads[n + rank] - dilations[n] * (block[n] - 1) - 1) // strides[n] + 1 for n in range(rank)
    ]
    c = x.shape[1] // math.prod(block)
    apart = node.graph.view(x, (x.shape[0], c, *block, *counts))
    out, inner = do.names(rank, "p"), do.names(rank, "r")
    places, tests = [], []
    for n in range(rank):
        at = f"{out[n]}-{dilations[n]}*{inner[n]}+{pads[n]}"
        places.append(at if strides[n] == 1 else f"({at})//{strides[n]}")
        tests.append(
            f"0 <= {at} and {places[-1]} < {counts[n]}"
            + ("" if strides[n] == 1 else f" and ({at}) % {strides[n]} == 0")
        )
    text = f"Y[n,c,{','.join(out)}] += X[n,c,{','.join(inner)},{','.join(places)}] where {' and '.join(tests)}"
    axes = {"n": x.shape[0], "c": c, **dict(zip(out, image, strict=True)), **dict(zip(inner, block, strict=True))}
    return node.graph.step(text, {"X": apart}, {"Y": (x.dtype, (x.shape[0], c, *image))}, axes)[0]


# ---- Resizing: each dimension is a product with a matrix of weights, which are known


@onnx("Resize", "Upsample")
def _resize(node: Node) -> Var:
    x = node[0]
    first = 1 if node.op == "Upsample" or node.opset < 11 else 2
    roi = node.known(1) if first == 2 and node.get(1) is not None else None
    scales = node.known(first, "scales")
    sizes = node.whole(3) if first == 2 else None
    axes = node.attribute("axes")
    axes = list(range(x.rank)) if axes is None else [do.along(x, int(a)) for a in axes]
    if not x.elements:
        raise NetworkError(f"{x.value} has no elements")
    if scales is not None and scales.size > x.rank:
        raise NetworkError(f"{scales.size} scales of {x.value}")
    given = [] if scales is None or sizes is not None else [float(s) for s in scales.reshape(-1)]
    if len(given if sizes is None else sizes) != len(axes) or len({*axes}) < len(axes):
        raise NetworkError(f"{len(given if sizes is None else sizes)} scales or sizes for {len(axes)} axes")
    if roi is not None and roi.size not in (0, 2 * len(axes)):
        raise NetworkError(f"a region of {roi.size} numbers for {len(axes)} axes")
    as_it_is = [
        g == 1 if sizes is None else sizes[n] == x.shape[a]
        for n, (a, g) in enumerate(zip(axes, given or axes, strict=True))
    ]
    moved = [(x.shape[a], sizes[n] if sizes else 1) for n, a in enumerate(axes) if not as_it_is[n]]
    if open_sizes(moved) or (
        open_sizes([x.shape]) and node.attribute("keep_aspect_ratio_policy", "stretch") != "stretch"
    ):
        raise UncomputedError(f"it resizes a dimension of {x.value} that is open")
    if sizes is not None:
        given = [1.0 if kept else n / x.shape[a] for a, n, kept in zip(axes, sizes, as_it_is, strict=True)]
        policy = node.choice("keep_aspect_ratio_policy", "stretch", ("stretch", "not_larger", "not_smaller"))
        if policy != "stretch":
            one = min(given) if policy == "not_larger" else max(given)
            given = [one] * len(given)
            sizes = [math.floor(one * x.shape[a] + 0.5) for a in axes]
    if not all(0 < s < LARGEST_VALUE for s in given) or any(n < 1 for n in sizes or ()):
        raise NetworkError(f"it scales by {given}")
    out = x
    for n, a in enumerate(axes):
        size = sizes[n] if sizes is not None else x.shape[a] if as_it_is[n] else math.floor(given[n] * x.shape[a])
        if (
            size == x.shape[a]
            and given[n] == 1
            and node.attribute("coordinate_transformation_mode", "") != "tf_crop_and_resize"
        ):
            continue
        region = (float(roi[n]), float(roi[n + len(axes)])) if roi is not None and roi.size else (0.0, 1.0)
        out = _along(node, out, a, size, given[n], region)
    return out


def _coordinates(how: str, places: np.ndarray, length: int, scale: float, region: tuple[float, float]) -> np.ndarray:
    """The coordinate in the source of each place of the result."""
    size = len(places)
    if size == 1 and how in ("pytorch_half_pixel", "align_corners"):
        return np.zeros(1)
    match how:
        case "half_pixel" | "pytorch_half_pixel":
            return (places + 0.5) / scale - 0.5
        case "half_pixel_symmetric":
            return length / 2 * (1 - size / (scale * length)) + (places + 0.5) / scale - 0.5
        case "align_corners":
            return places * (length - 1) / (scale * length - 1)
        case "asymmetric":
            return places / scale
        case "tf_crop_and_resize":
            start, end = (e * (length - 1) for e in region)
            return start + places * (end - start) / (size - 1) if size > 1 else np.full(1, (start + end) / 2)
    raise NetworkError(f"no coordinates {how!r}")


def _along(node: Node, x: Var, axis: int, size: int, scale: float, region: tuple[float, float]) -> Var:
    """x resized along one axis."""
    length = x.shape[axis]
    upsample = node.op == "Upsample" or node.opset < 11
    how = "asymmetric" if upsample else node.attribute("coordinate_transformation_mode", "half_pixel")
    mode = node.choice("mode", "nearest", ("nearest", "linear", "bilinear", "cubic"))
    node.graph.room([size, 1 if mode == "nearest" and how != "tf_crop_and_resize" else length], np.float64)
    places = np.arange(size, dtype=np.float64)
    at = _coordinates(how, places, length, scale, region)
    outside = (at < 0) | (at > length - 1) if how == "tf_crop_and_resize" else np.zeros(size, bool)
    if not np.isfinite(at).all() or np.abs(at).max(initial=0) > LARGEST_VALUE:
        raise NetworkError(f"its region or scale {scale} leads nowhere")
    if mode == "nearest":
        rounding = node.attribute("nearest_mode", "floor" if upsample else "round_prefer_floor")
        near = {
            "round_prefer_floor": np.ceil(at - 0.5),
            "round_prefer_ceil": np.floor(at + 0.5),
            "floor": np.floor(at),
            "ceil": np.ceil(at),
        }
        if rounding not in near:
            raise NetworkError(f"no rounding {rounding!r}")
        found = np.clip(near[rounding], 0, length - 1).astype(np.int64)
        if not outside.any():
            return do.gather(x, node.graph.constant(found), axis)
        weights = np.zeros((size, length))
        weights[np.arange(size), found] = 1
    else:
        weights = _weights(node, at, length, scale, mode)
    extra = float(node.attribute("extrapolation_value", 0.0))
    weights[outside] = 0
    index, inner = do.names(x.rank), do.names(x.rank)
    inner[axis] = "s"
    shape = [size if n == axis else s for n, s in enumerate(x.shape)]
    d = do.computed_in(x.dtype)
    matrix = node.graph.constant(weights.astype(d.numpy))
    reads = {"X": x, "W": matrix}
    read = do.converted_text(f"X[{','.join(inner)}]", x.dtype, d)
    value = f"W[{index[axis]},s] * {read}"
    held = ",".join(map(str, shape))
    at_out = f"[{','.join(index)}]"
    if outside.any() and extra:
        reads["E"] = node.graph.constant(np.where(outside, extra, 0).astype(d.numpy))
        text = f"temporary T\nT: {d}[{held}]\nT{at_out} += {value}\nY{at_out} = T{at_out} + E[{index[axis]}]"
    elif d != x.dtype:
        text = f"temporary T\nT: {d}[{held}]\nT{at_out} += {value}\nY{at_out} = T{at_out}"
    else:
        text = f"Y{at_out} += {value}"
    axes = {**dict(zip(index, shape, strict=True)), "s": length}
    return node.graph.step(text, reads, {"Y": (x.dtype, shape)}, axes)[0]


def _weights(node: Node, at: np.ndarray, length: int, scale: float, mode: str) -> np.ndarray:
    """The matrix of linear or cubic interpolation."""
    made = np.zeros((len(at), length))
    smooth = bool(node.attribute("antialias", 0)) and scale < 1
    stretch = min(scale, 1.0) if smooth else 1.0
    reach = (1 if mode in ("linear", "bilinear") else 2) / stretch
    a = float(node.attribute("cubic_coeff_a", -0.75))
    left_out = bool(node.attribute("exclude_outside", 0))
    for row, centre in enumerate(at):
        first = math.floor(centre - reach) + 1 if not smooth else math.ceil(centre - reach)
        taps = range(first, math.floor(centre + reach) + 1)
        found = []
        for tap in taps:
            distance = abs(centre - tap) * stretch
            if mode in ("linear", "bilinear"):
                weight = max(0.0, 1 - distance)
            elif distance < 1:
                weight = ((a + 2) * distance - (a + 3)) * distance * distance + 1
            elif distance < 2:
                weight = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
            else:
                weight = 0.0
            found.append((tap, weight))
        if left_out:
            found = [(t, w) for t, w in found if 0 <= t < length]
        total = sum(w for _, w in found) if smooth or left_out else 1.0
        for tap, weight in found:
            made[row, min(max(tap, 0), length - 1)] += weight / total
    return made


@onnx("AffineGrid")
def _affine_grid(node: Node) -> Var:
    theta, size = node.of_rank(0, 3), node.graph.sizes(node.wanted(1))
    if len(size) not in (4, 5) or theta.shape[1:] != (len(size) - 2, len(size) - 1):
        raise NetworkError(f"{theta.value} makes no grid of {list(size)}")
    node.graph.room([*size[2:], len(size)], np.float64)
    corners = bool(node.attribute("align_corners", 0))
    axes = []
    for length in size[2:]:
        axes.append(np.linspace(-1, 1, length) if corners else (2 * np.arange(length) + 1) / length - 1)
    grid = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(size[2:])], -1)
    rows = node.graph.constant(grid.reshape(-1, len(axes) + 1).astype(theta.dtype.numpy))
    made = do.matmul(rows, do.transpose(theta, (0, 2, 1)))
    return node.graph.view(made, (size[0], *size[2:], len(axes)))
