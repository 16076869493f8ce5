"""Operators of networks as kernel texts: each takes values of a graph and returns its results.

Shapes are NumPy's: elementwise operators broadcast, negative axes count from the end. Values of f16 and bf16 are
computed in f32 and rounded once, as an operator's result is stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import ArgumentError, LanguageError, NetworkError, UncomputedError
from isamap_smt.language.subscripts import read_subscripts
from isamap_smt.networks.extents import Extent, at_most, most, open_sizes
from isamap_smt.networks.functions import BINARY, COMPARING, LOGICAL, REDUCED, UNARY
from isamap_smt.networks.graph import Graph, Var

F32, F64, I64, BOOL = map(dtype, ("f32", "f64", "i64", "bool"))
# how Python writes a comparison -> ONNX's name of it
SIGNS = {text.split()[1]: name for name, text in COMPARING.items()} | {"!=": "NotEqual"}


# ---- Texts


def computed_in(d: DType) -> DType:
    """The type an operator computes in: f32 for narrower floats."""
    return F32 if d.is_float and d.bits < 32 else d


def along(x: Var, axis: int) -> int:
    """An axis of x, counted from 0. Raises NetworkError."""
    if not x.rank:
        raise NetworkError(f"{x.value} has no dimensions")
    return axis_of(axis, x.rank)


def names(count: int, prefix: str = "a") -> list[str]:
    """Names of axes."""
    return [f"{prefix}{n}" for n in range(count)]


def literal(x: float | int) -> str:
    """A number as a text has it."""
    if isinstance(x, np.generic):
        x = x.item() if x.dtype.kind in "iufb" else float(x)
    x = int(x) if isinstance(x, bool) else x
    text = repr(x)
    return f"({text})" if text.startswith("-") else text


def element(x: Var, tensor: str, index: Sequence[str], to: DType | None = None) -> str:
    """The element of x, called `tensor`, met by broadcasting at this index; converted if another type computes."""
    if x.rank > len(index):
        raise NetworkError(f"{x.value} does not broadcast to {len(index)} dimensions")
    own = index[len(index) - x.rank :]
    at = ",".join("0" if extent == 1 else i for i, extent in zip(own, x.shape, strict=True))
    return converted_text(f"{tensor}[{at}]", x.dtype, to)


def converted_text(text: str, held: DType, to: DType | None) -> str:
    return text if to is None or to == held else f"{to}({text})"


def _finite_number(x: Var) -> bool:
    return x.constant is not None and x.elements == 1 and bool(np.isfinite(float(x.constant.reshape(-1)[0])))


def broadcast(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """NumPy's shape of them together."""
    rank, found = max(map(len, shapes), default=0), []
    for n in range(rank, 0, -1):
        there = {s[-n] for s in shapes if len(s) >= n} - {1}
        if len(there) > 1:
            raise NetworkError(f"shapes {', '.join(str(list(s)) for s in shapes)} do not broadcast")
        found.append(there.pop() if there else 1)
    return tuple(found)


def applied(text: str, x: Var) -> Var:
    """A function of one element (networks/functions.py) at every point of x."""
    return pointwise(lambda value: text.format(x=value), x)


def pointwise(
    value: Callable[..., str], *xs: Var, to: DType | None = None, within: DType | None = None, written: bool = True
) -> Var:
    """value(text of each operand) at every point of the shapes' broadcast.

    within: the computing type; the operands' by default. to: the result's. written: constants of one element stand in
    the text; else they are read, so that kernels differing in them alone are one.
    """
    first = next((x for x in xs if x.constant is None), xs[0])
    within = within or computed_in(first.dtype)
    to = to or first.dtype
    shape = broadcast(*(x.shape for x in xs))
    index = names(len(shape))
    plain = within == to and all(x.dtype == to for x in xs)
    texts, reads = [], {}
    for n, x in enumerate(xs):
        if written and _finite_number(x) and (len(xs) > 1):
            assert x.constant is not None
            texts.append(literal(x.constant.reshape(-1)[0]))
            continue
        reads[f"X{n}"] = x
        texts.append(element(x, f"X{n}", index, within))
    if not reads:
        reads, texts[0] = {"X0": xs[0]}, element(xs[0], "X0", index, within)
    whole = value(*texts)
    line = f"Y[{','.join(index)}] = {whole if plain else f'{to}({whole})'}"
    return first.graph.step(line, reads, {"Y": (to, shape)}, dict(zip(index, shape, strict=True)))[0]


# ---- Of elements at the same place


def unary(name: str, x: Var) -> Var:
    """An ONNX function of one element, by its name in functions.UNARY."""
    text = UNARY[name]
    if name in ("Sign", "Abs") and x.dtype.kind == "u":
        text = "min({x}, 1)" if name == "Sign" else "{x}"
    return applied(text, x)


def binary(name: str, x: Var, y: Var) -> Var:
    """An ONNX function of two elements, by its name in functions.BINARY, in x's type."""
    if name == "PRelu" and x.dtype.kind == "u":
        return x
    if name in ("Add", "Mul"):
        for value, other in ((x, y), (y, x)):
            if is_factor(value, other):
                return affine(value, *((other, None) if name == "Mul" else (None, other)))
    return pointwise(lambda a, b: BINARY[name].format(x=a, y=b), x, y, to=x.dtype)


def compared(name: str, x: Var, y: Var) -> Var:
    """Truth values of a comparison, by its name in functions.COMPARING, or NotEqual."""
    test, yes, no = (COMPARING["Equal"], 0, 1) if name == "NotEqual" else (COMPARING[name], 1, 0)
    text = f"select({test}, {yes}, {no})"
    return pointwise(lambda a, b: text.format(x=a, y=b), x, y, to=BOOL, within=computed_in(x.dtype))


def logical(name: str, x: Var, y: Var) -> Var:
    """A truth value of two, by its name in functions.LOGICAL."""
    return pointwise(lambda a, b: LOGICAL[name].format(x=a, y=b), x, y)


def divided(x: Var, y: Var) -> Var:
    """x / y in x's type; of whole numbers towards 0."""
    if x.dtype.is_float:
        return pointwise(lambda a, b: f"{a} / {b}", x, y, to=x.dtype)
    if x.dtype.kind == "u":
        return pointwise(lambda a, b: f"{a} // {b}", x, y, to=x.dtype)
    towards_zero = (
        "select({a} < 0, select({b} < 0, -{a} // -{b}, -(-{a} // {b})), select({b} < 0, -({a} // -{b}), {a} // {b}))"
    )
    return pointwise(lambda a, b: towards_zero.format(a=a, b=b), x, y, to=x.dtype)


def power(x: Var, y: Var) -> Var:
    """x to the power of y, in x's type."""
    if y.constant is not None and y.elements == 1:
        exponent = float(y.constant.reshape(-1)[0])
        if exponent in (0.5, -0.5) and x.dtype.is_float:
            return pointwise(lambda a: f"{a} ** {literal(exponent)}", x)
        if exponent.is_integer() and 1 <= abs(exponent) <= 16 and (exponent > 0 or x.dtype.is_float):
            return pointwise(lambda a: f"{a} ** {literal(int(exponent))}", x)
    within = x.dtype if x.dtype.is_float and x.dtype.bits >= 32 else F32 if x.dtype.is_float else dtype("f64")
    a, b = converted(x, within), converted(y, within)
    return converted(pointwise(lambda p, q: f"pow({p}, {q})", a, b), x.dtype)


def clip(x: Var, low: Var | None, high: Var | None) -> Var:
    """Elements below `low` become `low`, then those above `high` become `high`."""
    if low is not None:
        x = pointwise(lambda a, b: f"max({a}, {b})", x, low, to=x.dtype)
    return x if high is None else pointwise(lambda a, b: f"min({a}, {b})", x, high, to=x.dtype)


def where(condition: Var, x: Var, y: Var) -> Var:
    """x if the condition is not 0, else y."""
    text = "select({} != 0, {}, {})".format
    return pointwise(text, converted(condition, computed_in(x.dtype)), x, y, to=x.dtype)


def affine(x: Var, factor: Var | None, shift: Var | None) -> Var:
    """x * factor + shift, of constants broadcasting against x; one after another is merged into one.

    So a norm with known statistics, and the scales and shifts behind it, are one product and one sum.
    """
    graph, of = x.graph, x.dtype.numpy
    source, f, s = graph.affine.get(x.name, (x, None, None))
    a, b = (None if v is None else v.constant for v in (factor, shift))
    with np.errstate(all="ignore"):
        product = f if a is None else a if f is None else np.asarray(f * a, of)
        moved = s if s is None or a is None else np.asarray(s * a, of)
        total = moved if b is None else b if moved is None else np.asarray(moved + b, of)
    parts = [v for v in (f, a) if v is not None]
    lost = product is not None and bool(
        ((product == 0) & np.logical_and.reduce(np.broadcast_arrays(*(v != 0 for v in parts)))).any()
    )
    if source is not x and (lost or not all(v is None or np.isfinite(v).all() for v in (product, total))):
        source, product, total = x, a, b
    known = [(sign, graph.constant(v)) for sign, v in (("*", product), ("+", total)) if v is not None]
    text = "{}" + "".join(f" {sign} {{}}" for sign, _ in known)
    made = pointwise(text.format, source, *(v for _, v in known), to=x.dtype)
    graph.affine[made.name] = (source, product, total)
    return made


def is_factor(x: Var, c: Var) -> bool:
    """Whether c is a constant of few elements, broadcasting against x of floating point."""
    if x.constant is not None or c.constant is None or not x.dtype.is_float or x.dtype.bits < 32 or c.dtype != x.dtype:
        return False
    return c.elements * 16 <= most(x.elements) and broadcast(x.shape, c.shape) == x.shape


def converted(x: Var, to: DType) -> Var:
    """x in another type."""
    if x.dtype == to:
        return x
    return pointwise(lambda a: f"{to}({a})", x, to=to, within=x.dtype)


def saturated(x: Var, to: DType) -> Var:
    """x in another type of floating point, as its largest number if x is beyond; NaN stays NaN."""
    low, high = (literal(e) for e in to.ends)
    return pointwise(
        lambda a: f"{to}(min(max({a}, {low}), {high}))", x, to=to, within=F64 if x.dtype.bits == 64 else F32
    )


def axis_of(axis: int, rank: int) -> int:
    """The axis counted from 0. Raises NetworkError."""
    if not -max(rank, 1) <= axis < max(rank, 1):
        raise NetworkError(f"axis {axis} of a value of {rank} dimensions")
    return axis % rank if rank else 0


def numbers_of(x: Var, what: str, numbers: Sequence[Any]) -> list[Any]:
    """Whole numbers, one for each dimension. Raises NetworkError."""
    if len(numbers) != x.rank:
        raise NetworkError(f"{len(numbers)} {what} for {x.value}")
    return [n if isinstance(n, Extent) else int(n) for n in numbers]


def axes_of(axes: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes counted from 0, sorted; by default all."""
    return tuple(range(rank)) if axes is None else tuple(sorted({axis_of(int(a), rank) for a in axes} - {rank}))


# ---- Movement: nothing is computed


def reshape(x: Var, shape: Sequence[int]) -> Var:
    """The same elements in another shape; one dimension may be -1."""
    wanted = list(shape)
    if -1 in wanted:
        rest = math.prod(s for s in wanted if s != -1)
        if rest <= 0 or x.elements % rest:
            raise NetworkError(f"{x.value} cannot have the shape {wanted}")
        wanted[wanted.index(-1)] = x.elements // rest
    return x.graph.view(x, wanted)


def squeeze(x: Var, axes: Sequence[int] | None) -> Var:
    """x without these dimensions of 1; by default all of them."""
    gone = {n for n, s in enumerate(x.shape) if s == 1} if axes is None else set(axes_of(axes, x.rank))
    if any(x.shape[n] != 1 for n in gone):
        raise NetworkError(f"a dimension of {x.value} is not 1")
    return x.graph.view(x, [s for n, s in enumerate(x.shape) if n not in gone])


def unsqueeze(x: Var, axes: Sequence[int]) -> Var:
    """x with dimensions of 1 at these places of the result."""
    rank = x.rank + len(axes)
    added, rest = set(axes_of(axes, rank)), iter(x.shape)
    if len(added) < len(axes):
        raise NetworkError(f"{axes} names an axis twice")
    return x.graph.view(x, [1 if n in added else next(rest) for n in range(rank)])


def split(x: Var, sizes: Sequence[int], axis: int) -> list[Var]:
    """Parts of these extents along an axis."""
    if min(sizes, default=0) < 0 or sum(sizes) != x.shape[axis]:
        raise NetworkError(f"parts of {list(sizes)} are not {x.shape[axis]}")
    made, begin = [], 0
    for size in sizes:
        starts, counts = [0] * x.rank, list(x.shape)
        starts[axis], counts[axis] = begin, size
        made.append(part(x, starts, counts, [1] * x.rank))
        begin += size
    return made


def transpose(x: Var, order: Sequence[int]) -> Var:
    """x with its dimensions in this order."""
    order = [axis_of(int(n), x.rank) for n in order]
    if sorted(order) != list(range(x.rank)):
        raise NetworkError(f"{order} is no order of the dimensions of {x.value}")
    shape = [x.shape[n] for n in order]
    if [n for n in order if x.shape[n] != 1] == [n for n in range(x.rank) if x.shape[n] != 1]:
        return x.graph.view(x, shape)
    if x.constant is not None:
        x.graph.room(shape, x.dtype.numpy)
        held = np.ascontiguousarray(np.transpose(x.constant, order))
        return x.graph.constant(held)
    index = names(x.rank)
    inside = [""] * x.rank
    for place, n in enumerate(order):
        inside[n] = index[place]
    return _moved(x, index, shape, f"X[{','.join(inside)}]")


def _moved(x: Var, index: Sequence[str], shape: Sequence[int], value: str) -> Var:
    line = f"Y[{','.join(index)}] = {value}"
    return x.graph.step(line, {"X": x}, {"Y": (x.dtype, shape)}, dict(zip(index, shape, strict=True)))[0]


def expand(x: Var, shape: Sequence[int]) -> Var:
    """x broadcast to a shape."""
    shape = broadcast(x.shape, shape)
    if math.prod(shape) == x.elements:
        return x.graph.view(x, shape)
    index = names(len(shape))
    return _moved(x, index, shape, element(x, "X", index))


def filled(graph: Graph, value: np.ndarray, shape: Sequence[Any]) -> Var:
    """A number at every place of a shape."""
    if open_sizes([shape]):
        return expand(graph.constant(value.reshape([1] * len(shape))), shape)
    return graph.constant(np.full(graph.room(shape, value.dtype), value, value.dtype))


def tile(x: Var, repeats: Sequence[int]) -> Var:
    """x repeated along each dimension."""
    repeats = numbers_of(x, "repeats", repeats)
    if all(r == 1 for r in repeats):
        return x
    shape, index = [s * int(r) for s, r in zip(x.shape, repeats, strict=True)], names(x.rank)
    inside = ["0" if s == 1 else i if r == 1 else f"{i} % {s}" for i, s, r in zip(index, x.shape, repeats, strict=True)]
    return _moved(x, index, shape, f"X[{','.join(inside)}]")


def points(extent: Any, cut: slice) -> tuple[Any, Any, int]:
    """Start, number of elements and step of a slice of a dimension.

    Raises NetworkError for a step of 0, and if the answer depends on a size.
    """
    if cut.step == 0:
        raise NetworkError("a step of 0")
    if not isinstance(extent, Extent) and not any(isinstance(e, Extent) for e in (cut.start, cut.stop)):
        found = range(extent)[cut]
        return (found[0] if found else 0), len(found), found.step
    step = 1 if cut.step is None else int(cut.step)
    if step < 0:
        if step == -1 and cut.start in (None, -1) and (cut.stop is None or cut.stop < -most(extent)):
            return extent - 1, extent, -1
        raise NetworkError(f"a slice of {extent} elements from its end, in steps of {step}")

    def clamped(end: Any, otherwise: Any) -> Any:
        end = otherwise if end is None else end + extent if at_most(end, -1) else end
        if at_most(end, 0):
            return 0
        if at_most(0, end) and at_most(end, extent):
            return end
        if at_most(extent, end):
            return extent
        raise NetworkError(
            f"which of {extent} elements a slice to {end} takes depends on a size; give it a number (--sizes)"
        )

    begin, stop = clamped(cut.start, 0), clamped(cut.stop, extent)
    count = stop - begin if at_most(begin, stop) else 0
    if count == 0 and not at_most(stop, begin):
        raise NetworkError(
            f"whether a slice from {begin} to {stop} is empty depends on a size; give it a number (--sizes)"
        )
    return begin, count if step == 1 else -(-count // step), step


def part(x: Var, starts: Sequence[int], counts: Sequence[int], steps: Sequence[int]) -> Var:
    """count elements of each dimension, from start on, step apart."""
    starts, counts, steps = (numbers_of(x, "numbers of a part", n) for n in (starts, counts, steps))
    if tuple(counts) == x.shape and all(s == 1 or n == 1 for s, n in zip(steps, counts, strict=True)):
        return x
    if not math.prod(counts):
        return x.graph.constant(np.zeros(counts, x.dtype.numpy))
    index = names(x.rank)
    inside = []
    for i, start, count, step in zip(index, starts, counts, steps, strict=True):
        if count == 1:
            inside.append(str(start))
        else:
            scaled = i if step == 1 else f"{start}-{-step}*{i}" if step < 0 else f"{step}*{i}"
            inside.append(scaled if step < 0 or start == 0 else f"{scaled}+{start}")
    return _moved(x, index, counts, f"X[{','.join(inside)}]")


def concatenate(xs: Sequence[Var], axis: int) -> Var:
    """xs one behind the other along an axis."""
    xs = [x for x in xs if x.elements or x.rank > 1] or list(xs[:1])
    if len(xs) == 1:
        return xs[0]
    axis = axis_of(axis, xs[0].rank)
    shape = list(xs[0].shape)
    for x in xs:
        if (
            not x.rank
            or [*x.shape[:axis], *x.shape[axis + 1 :]] != [*shape[:axis], *shape[axis + 1 :]]
            or x.rank != len(shape)
        ):
            raise NetworkError(
                f"{x.value} and {xs[0].value} do not stand one behind the other along dimension {axis + 1}"
            )
    shape[axis] = sum(x.shape[axis] for x in xs)
    axes: dict[str, int] = {}
    lines, begin = [], 0
    for n, x in enumerate(xs):
        if not x.elements:
            continue
        index = names(x.rank)
        index[axis] = f"j{n}"
        axes |= dict(zip(index, x.shape, strict=True))
        target = list(index)
        target[axis] = f"j{n}+{begin}" if begin else f"j{n}"
        lines.append(f"Y[{','.join(target)}] = X{n}[{','.join(index)}]")
        begin += x.shape[axis]
    reads = {f"X{n}": x for n, x in enumerate(xs) if x.elements}
    return xs[0].graph.step("\n".join(lines), reads, {"Y": (xs[0].dtype, shape)}, axes)[0]


def pad(x: Var, before: Sequence[int], after: Sequence[int], mode: str = "constant", value: float = 0) -> Var:
    """x with so many elements more on each side; mode: constant, edge, reflect or wrap. Negative numbers cut off."""
    shape = [b + s + e for b, s, e in zip(before, x.shape, after, strict=True)]
    index, inside, tests = names(x.rank), [], []
    for i, b, s, e in zip(index, before, x.shape, after, strict=True):
        at = i if b == 0 else f"{i}-{b}" if b > 0 else f"{i}+{-b}"
        if b <= 0 and e <= 0:
            inside.append(at)
        elif mode == "constant":
            inside.append(at)
            tests.append((at, s))
        elif mode == "edge":
            inside.append(f"min(max({at},0),{s - 1})")
        elif mode == "wrap":
            inside.append(f"({i}+{-b % s}) % {s}" if s > 1 else "0")
        elif mode == "reflect":
            turn = 2 * (s - 1)
            inside.append(f"min(({i}+{-b % turn}) % {turn}, {turn}-({i}+{-b % turn}) % {turn})" if s > 1 else "0")
        else:
            raise NetworkError(f"no padding {mode!r}")
    if not tests:
        return _moved(x, index, shape, f"X[{','.join(inside)}]")
    if not x.elements:
        return x.graph.constant(np.full(x.graph.room(shape, x.dtype.numpy), value, x.dtype.numpy))
    if value == 0:
        guard = " and ".join(f"0 <= {at} < {s}" for at, s in tests)
        return _moved(x, index, shape, f"X[{','.join(inside)}] where {guard}")
    if min(*before, *after) >= 0 and math.isfinite(value) and not any(isinstance(n, Extent) for n in x.shape):
        return _put_inside(x, before, after, shape, literal(x.dtype.numpy.type(value)))
    cut = {at: f"min(max({at},0),{s - 1})" for at, s in tests}
    chosen = f"X[{','.join(cut.get(at, at) for at in inside)}]"
    fill = x.graph.constant(np.array(value, x.dtype.numpy))
    text = literal(x.dtype.numpy.type(value)) if math.isfinite(value) else "F[]"
    for at, s in tests:
        chosen = f"select(0 <= {at}, select({at} < {s}, {chosen}, {text}), {text})"
    line = f"Y[{','.join(index)}] = {chosen}"
    reads = {"X": x} if math.isfinite(value) else {"X": x, "F": fill}
    return x.graph.step(line, reads, {"Y": (x.dtype, shape)}, dict(zip(index, shape, strict=True)))[0]


def _put_inside(x: Var, before: Sequence[int], after: Sequence[int], shape: Sequence[int], number: str) -> Var:
    """x within a frame of one number, part by part: both ends along each dimension, between those of the ones before it."""
    place, own = names(x.rank), names(x.rank)
    axes, lines = dict(zip(own, shape, strict=True)), []
    for d, (b, n, e) in enumerate(zip(before, x.shape, after, strict=True)):
        for name, begin, count in ((f"b{d}", 0, b), (f"e{d}", b + n, e)):
            if count:
                axes[name] = count
                lines.append(f"Y[{','.join((*place[:d], f'{name}+{begin}', *place[d + 1 :]))}] = {number}")
        if b or e:
            own[d], place[d] = f"x{d}", f"x{d}+{b}"
            axes[own[d]] = n
    lines.append(f"Y[{','.join(place)}] = X[{','.join(own)}]")
    text = "\n".join(lines)
    used = {*re.findall(r"\w+", text)}
    return x.graph.step(text, {"X": x}, {"Y": (x.dtype, shape)}, {a: n for a, n in axes.items() if a in used})[0]


# ---- Elements found by indices that are data


def number(extent: Any) -> str:
    """An extent as a value of i64."""
    return f"i64({extent})" if isinstance(extent, Extent) else str(extent)


def wrapped(indices: Var, extent: Any) -> Var:
    """Indices of i64, those below zero counted from the end."""
    if indices.constant is not None and isinstance(extent, Extent):
        least = extent.ends[0]
        if ((indices.constant < -least) | (indices.constant >= least)).any():
            raise NetworkError(f"whether an index is among {extent} depends on a size", indices.graph.node)
    elif indices.constant is not None:
        held = indices.constant.astype(np.int64)
        if ((held < -extent) | (held >= extent)).any():
            raise NetworkError(f"an index is outside of [{-extent}, {extent})", indices.graph.node)
        return indices.graph.constant(np.where(held < 0, held + extent, held))
    return pointwise(lambda a: f"select({a} < 0, {a} + {number(extent)}, {a})", converted(indices, I64))


def gather(x: Var, indices: Var, axis: int) -> Var:
    """Slices of x along an axis, one for each index; their dimensions take the axis' place."""
    axis = along(x, axis)
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    if indices.constant is not None and indices.elements == 1:
        counts, starts = list(x.shape), [0] * x.rank
        at = int(indices.constant.reshape(-1)[0])
        counts[axis], starts[axis] = 1, at if at >= 0 else x.shape[axis] + at
        if starts[axis] < 0 or starts[axis] >= x.shape[axis]:
            raise NetworkError(f"an index is outside of [{-x.shape[axis]}, {x.shape[axis]})", x.graph.node)
        return x.graph.view(part(x, starts, counts, [1] * x.rank), shape)
    found, index = wrapped(indices, x.shape[axis]), names(len(shape))
    inner = index[axis : axis + found.rank]
    inside = [*index[:axis], f"J[{','.join(inner)}]", *index[axis + found.rank :]]
    return _found(x, found, index, shape, inside)


def _found(x: Var, found: Var, index: Sequence[str], shape: Sequence[int], inside: Sequence[str]) -> Var:
    line = f"Y[{','.join(index)}] = X[{','.join(inside)}]"
    axes = dict(zip(index, shape, strict=True))
    return x.graph.step(line, {"X": x, "J": found}, {"Y": (x.dtype, shape)}, axes)[0]


def gather_elements(x: Var, indices: Var, axis: int) -> Var:
    """x indexed along one axis: each place of `indices` gets x's element there, with the index as coordinate on `axis`."""
    axis = along(x, axis)
    if indices.rank != x.rank or any(
        i > s for n, (i, s) in enumerate(zip(indices.shape, x.shape, strict=True)) if n != axis
    ):
        raise NetworkError(f"{indices.value} are no places of {x.value}")
    found = wrapped(indices, x.shape[axis])
    index = names(x.rank)
    inside = list(index)
    inside[axis] = f"J[{','.join(index)}]"
    return _found(x, found, index, found.shape, inside)


def gather_nd(x: Var, indices: Var, batch: int = 0) -> Var:
    """Slices of x, each at a row of `indices`; the first `batch` dimensions are those of both."""
    depth = indices.shape[-1] if indices.rank else 0
    if not 0 <= batch < indices.rank or indices.shape[:batch] != x.shape[:batch] or not 1 <= depth <= x.rank - batch:
        raise NetworkError(f"{indices.value} are no places of {x.value}")
    columns = [
        part(indices, [0] * (indices.rank - 1) + [n], [*indices.shape[:-1], 1], [1] * indices.rank)
        for n in range(depth)
    ]
    columns = [indices.graph.view(c, indices.shape[:-1]) for c in columns]
    found = [wrapped(c, x.shape[batch + n]) for n, c in enumerate(columns)]
    rest = x.shape[batch + depth :]
    shape = (*indices.shape[:-1], *rest)
    index = names(len(shape))
    outer = index[: indices.rank - 1]
    inside = [*index[:batch], *(f"J{n}[{','.join(outer)}]" for n in range(depth)), *index[indices.rank - 1 :]]
    line = f"Y[{','.join(index)}] = X[{','.join(inside)}]"
    reads = {"X": x, **{f"J{n}": c for n, c in enumerate(found)}}
    return x.graph.step(line, reads, {"Y": (x.dtype, shape)}, dict(zip(index, shape, strict=True)))[0]


# ---- Reductions


def reduce(
    x: Var,
    axes: Sequence[int],
    op: str,
    value: Callable[[str], str] = lambda e: e,
    finish: Callable[[str], str] | None = None,
    keep: bool = True,
    to: DType | None = None,
) -> Var:
    """value(element), reduced over the axes by op (`+=`, `*=`, `max=`, `min=`), then passed to finish()."""
    within, to = computed_in(x.dtype), to or x.dtype
    index = names(x.rank)
    kept = [i for n, i in enumerate(index) if n not in axes]
    sizes = dict(zip(index, x.shape, strict=True))
    inner = tuple(sizes[i] for i in kept)
    read = f"{within}(X[{','.join(index)}])" if within != x.dtype else f"X[{','.join(index)}]"
    at = f"[{','.join(kept)}]"
    if finish is None and within == to:
        lines = f"Y{at} {op} {value(read)}"
    else:
        last = finish or (lambda e: e)
        lines = (
            f"temporary T\nT: {within}[{','.join(map(str, inner))}]\nT{at} {op} {value(read)}\nY{at} = {last(f'T{at}')}"
        )
    made = x.graph.step(lines, {"X": x}, {"Y": (to, inner)}, sizes)[0]
    shape = [1 if n in axes else s for n, s in enumerate(x.shape)] if keep else inner
    return x.graph.view(made, shape)


def reduction(name: str, x: Var, axes: Sequence[int], keep: bool) -> Var:
    """An ONNX reduction over the axes, by its name in functions.REDUCED; over none each element is reduced by itself."""
    op, element, finish = REDUCED[name]
    if x.elements == 0:
        return _of_nothing(x, axes, op, finish, keep)
    if not axes:
        whole = ("{x}" if finish == "{x} / {N}" else finish).replace("{x}", f"({element.replace('{x}', '{0}')})")
        return pointwise(whole.format, x) if whole != "({0})" else x
    count = math.prod(x.shape[n] for n in axes)
    if not x.dtype.is_float and finish != "{x}":
        raise UncomputedError(f"of {x.dtype} it is not computed")
    last = None if finish == "{x}" else lambda t: finish.replace("{x}", t).replace("{N}", str(count))
    return reduce(x, axes, op, lambda e: element.replace("{x}", e), last, keep)


def _of_nothing(x: Var, axes: Sequence[int], op: str, finish: str, keep: bool) -> Var:
    shape = [1 if n in axes else s for n, s in enumerate(x.shape) if keep or n not in axes]
    value = {"max=": -math.inf, "min=": math.inf, "*=": 1.0, "+=": 0.0}[op]
    if x.dtype.kind != "f" and math.isinf(value):
        value = x.dtype.low if value < 0 else x.dtype.high
    if finish.startswith("log"):
        value = -math.inf if value == 0 else math.log(value)
    if finish.endswith("{N}"):
        value = math.nan
    return x.graph.constant(np.full(x.graph.room(shape, x.dtype.numpy), value, x.dtype.numpy))


def argument(x: Var, axis: int, op: str, last: bool, keep: bool) -> Var:
    """The place along the axis of the largest (op `max=`) or smallest element, the first or the last of several; i64."""
    axis = along(x, axis)
    index = names(x.rank)
    kept = [i for n, i in enumerate(index) if n != axis]
    at, here = ",".join(kept), ",".join(index)
    inner = tuple(s for n, s in enumerate(x.shape) if n != axis)
    d = computed_in(x.dtype)
    best = f"M[{at}] {op} {d}(X[{here}])"
    other = -1 if last else x.shape[axis]
    compare = f"{d}(X[{here}]) == M[{at}]"
    place = f"Y[{at}] {'max=' if last else 'min='} select({compare}, i64({index[axis]}), i64({other}))"
    text = f"temporary M\nM: {d}[{','.join(map(str, inner))}]\n{best}\n{place}"
    made = x.graph.step(text, {"X": x}, {"Y": (I64, inner)}, dict(zip(index, x.shape, strict=True)))[0]
    return x.graph.view(made, [1 if n == axis else s for n, s in enumerate(x.shape)]) if keep else made


def softmax(x: Var, axes: Sequence[int], log: bool = False) -> Var:
    """exp(x) over its sum along the axes, or its logarithm."""
    within = computed_in(x.dtype)
    index = names(x.rank)
    kept = [i for n, i in enumerate(index) if n not in axes]
    at, here = ",".join(kept), ",".join(index)
    inner = ",".join(str(s) for n, s in enumerate(x.shape) if n not in axes)
    shape = ",".join(map(str, x.shape))
    e = converted_text(f"X[{here}]", x.dtype, within)
    lines = [
        f"temporary M, E, S\nM: {within}[{inner}]\nE: {within}[{shape}]\nS: {within}[{inner}]",
        f"M[{at}] max= {e}",
    ]
    if log:
        lines += [f"E[{here}] = {e} - M[{at}]", f"S[{at}] += exp(E[{here}])", f"Y[{here}] = E[{here}] - log(S[{at}])"]
    else:
        lines += [f"E[{here}] = exp({e} - M[{at}])", f"S[{at}] += E[{here}]", f"Y[{here}] = E[{here}] / S[{at}]"]
    return x.graph.step("\n".join(lines), {"X": x}, {"Y": (x.dtype, x.shape)}, dict(zip(index, x.shape, strict=True)))[
        0
    ]


def running(x: Var, axis: int, op: str, exclusive: bool, reverse: bool) -> Var:
    """The sum (op `+`) or product (`*`) of all elements up to each one along the axis."""
    axis = along(x, axis)
    count, start = x.shape[axis], 0 if op == "+" else 1
    index = names(x.rank)
    index[axis] = "t"
    rows = ["S" if n == axis else i for n, i in enumerate(index)]
    long = [s + 1 if n == axis else s for n, s in enumerate(x.shape)]
    within = computed_in(x.dtype)

    def at(place: str) -> str:
        return ",".join(place if r == "S" else r for r in rows)

    here = f"{count - 1}-t" if reverse else "t"
    lines = [
        f"temporary S\nS: {within}[{','.join(map(str, long))}]",
        f"S[{at('0')}] = {start}",
        "for t:",
        f"  S[{at('t+1')}] = S[{at('t')}] {op} {converted_text(f'X[{at(here)}]', x.dtype, within)}",
        f"Y[{at('u')}] = S[{at((f'{count - 1}-u' if reverse else 'u') + ('' if exclusive else '+1'))}]",
    ]
    axes = {**dict(zip(index, x.shape, strict=True)), "u": count}
    return x.graph.step("\n".join(lines), {"X": x}, {"Y": (x.dtype, x.shape)}, axes)[0]


# ---- Products


def matmul(a: Var, b: Var, to: DType | None = None) -> Var:
    """NumPy's matmul: products of the last two dimensions, batches broadcast."""
    g, squeeze = a.graph, (a.rank == 1, b.rank == 1)
    if not a.rank or not b.rank:
        raise NetworkError(f"{a.value} and {b.value}: a number is no matrix")
    a = g.view(a, (1, *a.shape)) if a.rank == 1 else a
    b = g.view(b, (*b.shape, 1)) if b.rank == 1 else b
    if a.shape[-1] != b.shape[-2]:
        raise NetworkError(f"{a.value} has {a.shape[-1]} columns, and {b.value} {b.shape[-2]} rows", g.node)
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    if math.prod(b.shape[:-2]) == 1 and a.rank > 2:  # one product of all rows
        rows = math.prod(a.shape[:-1])
        made = matmul(g.view(a, (rows, a.shape[-1])), g.view(b, b.shape[-2:]), to)
        made = g.view(made, (*batch, a.shape[-2], b.shape[-1]))
    else:
        outer = names(len(batch))
        made = _product(
            a, b, (*batch, a.shape[-2], b.shape[-1]), [*outer, "i", "k"], [*outer, "k", "j"], [*outer, "i", "j"], to
        )
    shape = [n for n, gone in ((made.shape[-2], squeeze[0]), (made.shape[-1], squeeze[1])) if not gone]
    return g.view(made, (*made.shape[:-2], *shape))


def _product(
    a: Var, b: Var, shape: Sequence[int], left: list[str], right: list[str], target: list[str], to: DType | None
) -> Var:
    to = to or a.dtype
    within = computed_in(to)
    x, y = element(a, "A", left, within), element(b, "B", right, within)
    axes = {**dict(zip(target, shape, strict=True)), left[-1]: a.shape[-1]}
    at = f"[{','.join(target)}]"
    if within == to:
        text = f"Y{at} += {x} * {y}"
    else:
        text = f"temporary T\nT: {within}[{','.join(map(str, shape))}]\nT{at} += {x} * {y}\nY{at} = T{at}"
    return a.graph.step(text, {"A": a, "B": b}, {"Y": (to, shape)}, axes)[0]


def gemm(a: Var, b: Var, c: Var | None, alpha: float, beta: float, turned: tuple[bool, bool]) -> Var:
    """alpha * A * B + beta * C, with A and B transposed if asked for."""
    g, to = a.graph, a.dtype
    if (a.rank, b.rank) != (2, 2) or a.shape[not turned[0]] != b.shape[turned[1]]:
        raise NetworkError(f"{a.value} and {b.value} have no product")
    within = computed_in(to)
    rows, inner = (a.shape[1], a.shape[0]) if turned[0] else a.shape
    columns = b.shape[0] if turned[1] else b.shape[1]
    if b.constant is not None and turned[1]:
        b, turned = transpose(b, (1, 0)), (turned[0], False)
    x = element(a, "A", ["k", "i"] if turned[0] else ["i", "k"], within)
    y = element(b, "B", ["j", "k"] if turned[1] else ["k", "j"], within)
    axes, shape = {"i": rows, "j": columns, "k": inner}, (rows, columns)
    last = "T[i,j]" if alpha == 1 else f"{literal(alpha)} * T[i,j]"
    reads = {"A": a, "B": b}
    if c is not None and beta != 0:
        if broadcast(c.shape, (rows, columns)) != (rows, columns):
            raise NetworkError(f"{c.value} does not broadcast to {rows} rows of {columns}")
        reads["C"] = c
        scaled = element(c, "C", ["i", "j"], within)
        last += f" + {scaled if beta == 1 else f'{literal(beta)} * {scaled}'}"
    if last == "T[i,j]" and within == to:
        return g.step(f"Y[i,j] += {x} * {y}", reads, {"Y": (to, shape)}, axes)[0]
    text = f"temporary T\nT: {within}[{rows},{columns}]\nT[i,j] += {x} * {y}\nY[i,j] = {last}"
    return g.step(text, reads, {"Y": (to, shape)}, axes)[0]


def einsum(equation: str, *xs: Var) -> Var:
    """Einstein's sum: letters missing in the result are summed over; `...` stands for the same dimensions in all."""
    g = xs[0].graph
    try:
        read = read_subscripts(equation, [x.rank for x in xs])
        extents = read.extents([x.shape for x in xs])
    except (LanguageError, ArgumentError) as error:
        raise NetworkError(str(error)) from None
    target = read.target
    to = xs[0].dtype
    within = computed_in(to)
    value = " * ".join(element(x, f"X{n}", t, within) for n, (x, t) in enumerate(zip(xs, read.terms, strict=True)))
    shape = tuple(extents[i] for i in target)
    at = f"[{','.join(target)}]"
    sums = set(extents) - set(target)
    if not sums or within == to:
        text = f"Y{at} {'+=' if sums else '='} {value}"
    else:
        text = f"temporary T\nT: {within}[{','.join(map(str, shape))}]\nT{at} += {value}\nY{at} = T{at}"
    return g.step(text, {f"X{n}": x for n, x in enumerate(xs)}, {"Y": (to, shape)}, extents)[0]
