"""Networks in Python: values are combined by operators and functions, and become kernels as they are written.

    x = input("x", (1, 3, 32, 32))
    y = relu(conv2d(x, weights, pad=1) + shortcut)
    made = network({"y": y})

Shapes are NumPy's, images are [n, c, h, w]. Values of different inputs may meet. Operands have one type, and so has the
result; astype() converts. An array or a number takes the type of its fellow operand, if that type holds it. Functions
raise NetworkError, naming themselves, if shapes, axes or types do not fit.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Dict
from functools import wraps
from itertools import count
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from isamap_smt.equality import Equality
from isamap_smt.equality import equal as equal_kernels
from isamap_smt.ir.dtypes import DType, dtype, from_numpy
from isamap_smt.ir.errors import NetworkError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.networks import attention as attending
from isamap_smt.networks import norms as of_norms
from isamap_smt.networks import operators as do
from isamap_smt.networks import windows as of_windows
from isamap_smt.networks.extents import Extent, OpenSize, named_size
from isamap_smt.networks.functions import FAST_GELU, GELU, SILU
from isamap_smt.networks.graph import Graph, Network, Var

Pair = int | tuple[int, int]
Axes = int | Sequence[int] | None
P = ParamSpec("P")
R = TypeVar("R")
_numbers = count(1)  # of all nodes in this process, so that graphs that meet call nothing the same


def open_size(name: str, most: int) -> OpenSize:
    """A dimension chosen by each call, from 1 to the planned maximum `most`. Raises NetworkError."""
    return named_size(name, most)


def input(name: str, shape: Sequence[Any], dtype: DType | str = "f32") -> Var:
    """A value given by the caller; dtype "bool" is of truth values. Dimensions are numbers or open_size().

    Raises NetworkError for an impossible shape.
    """
    return Graph(node=name).input(name, dtype, shape)


def network(outputs: Dict[str, Var], name: str = "network") -> Network:
    """The network of these results, by their names.

    Its inputs are those the results depend on, and those ever combined with them.
    """
    if not outputs:
        raise NetworkError("a network has results: network({'y': y})")
    graph = _together(*outputs.values())
    graph.name = name
    return graph.network(outputs.values(), outputs)


def _together(*xs: Any) -> Graph:
    """The one graph of all values among these."""
    graphs = [x.graph for x in xs if isinstance(x, Var)]
    if not graphs:
        raise NetworkError("no operand is a value of a network; make one with input()")
    for other in graphs[1:]:
        graphs[0].take_in(other.whole)
    return graphs[0]


def _named(make: Callable[P, R]) -> Callable[P, R]:
    """The function; if an error names no node, it names the function."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return make(*args, **kwargs)
        except NetworkError as error:
            raise error if error.node else NetworkError(str(error), make.__name__) from None

    return made


def _graph(op: str, *xs: Any) -> Graph:
    """The common graph of all operands; the next steps are named after the function."""
    graph = _together(*xs)
    graph.node = f"{op}_{next(_numbers)}"
    return graph


def _alike(op: str, *xs: Any, needed: int | None = None) -> list[Var]:
    """The operands present, all of one type; the first `needed`, by default all, have to be. Raises NetworkError."""
    graph = _graph(op, *xs)
    if builtins.any(x is None for x in xs[:needed]):
        raise NetworkError(f"an operand of {op} is None", graph.node)
    first = next(x for x in xs if isinstance(x, Var))
    for x in xs:
        if isinstance(x, Var) and x.dtype != first.dtype:
            raise NetworkError(
                f"{first.value} and {x.value} are of two types; convert one: astype(x, {first.dtype.name!r})",
                graph.node,
            )
    return [x if isinstance(x, Var) else _constant(graph, x, first) for x in xs if x is not None]


def _array(x: Any) -> np.ndarray:
    try:
        made = np.asarray(x)
    except (TypeError, ValueError):
        raise NetworkError(f"a {type(x).__name__} is no array of numbers") from None
    if made.dtype.kind not in "biuf" and from_numpy(made.dtype) is None:
        raise NetworkError(f"elements of type {made.dtype} are not computed with")
    return made


def _constant(graph: Graph, x: Any, like: Var) -> Var:
    """An array or a number in the type of a value. Raises NetworkError if the type does not hold it."""
    array, to = _array(x), like.dtype.numpy
    if array.dtype != to:
        with np.errstate(all="ignore"):
            made = array.astype(to)
            if like.dtype == do.BOOL:
                fits = False
            elif like.dtype.is_float:
                fits = bool((np.isfinite(made.astype(np.float64)) | ~np.isfinite(array.astype(np.float64))).all())
            else:
                fits = array.dtype.kind in "biu" and bool((made == array).all())
        if not fits:
            what = str(x) if array.ndim == 0 else f"an array of {array.dtype}"
            raise NetworkError(f"{what} is nothing that {like.value} holds; convert that: astype(x, 'f32')", graph.node)
        array = made
    return graph.constant(array)


def _numeric(op: str, *xs: Any, floating: bool = False, needed: int | None = None) -> list[Var]:
    """_alike(), of numbers; of floating point if asked. Raises NetworkError."""
    found = _alike(op, *xs, needed=needed)
    x = found[0]
    if x.dtype == do.BOOL or (floating and not x.dtype.is_float):
        kind = "of floating point" if floating else "a number"
        raise NetworkError(f"{x.value} is not {kind}; convert it: astype(x, 'f32')", x.graph.node)
    return found


def _one(n: Any) -> Any:
    """A whole number, or an open extent. Raises NetworkError."""
    if isinstance(n, Extent | OpenSize):
        return n if isinstance(n, Extent) else n.extent
    try:
        return operator.index(n)
    except TypeError:
        raise NetworkError(f"{n!r} is no whole number") from None


def _several(n: Any) -> list[Any]:
    """A whole number, or several, as a list. Raises NetworkError."""
    if isinstance(n, Sequence | np.ndarray) and not isinstance(n, str) and np.ndim(n) == 1:
        return [_one(k) for k in n]
    return [_one(n)]


def _optional(given: Sequence[Any], found: Sequence[Var]) -> list[Var | None]:
    """The operands found, with None for each operand not given."""
    rest = iter(found)
    return [None if x is None else next(rest) for x in given]


# ---- Of one element


def _unary(name: str, x: Var, floating: bool = True) -> Var:
    (x,) = _numeric(name.lower(), x, floating=floating)
    return do.unary(name, x)


@_named
def relu(x: Var) -> Var:
    """max(x, 0), element by element."""
    return _unary("Relu", x, False)


@_named
def abs(x: Var) -> Var:
    """The absolute value, element by element."""
    return _unary("Abs", x, False)


@_named
def negative(x: Var) -> Var:
    """-x, element by element."""
    return _unary("Neg", x, False)


@_named
def sign(x: Var) -> Var:
    """-1, 0 or 1, element by element."""
    return _unary("Sign", x, False)


@_named
def sigmoid(x: Var) -> Var:
    """1 / (1 + exp(-x)), element by element."""
    return _unary("Sigmoid", x)


@_named
def tanh(x: Var) -> Var:
    """The hyperbolic tangent, element by element."""
    return _unary("Tanh", x)


@_named
def exp(x: Var) -> Var:
    """e to the power of x, element by element."""
    return _unary("Exp", x)


@_named
def log(x: Var) -> Var:
    """The natural logarithm, element by element."""
    return _unary("Log", x)


@_named
def sqrt(x: Var) -> Var:
    """The square root, element by element."""
    return _unary("Sqrt", x)


@_named
def erf(x: Var) -> Var:
    """The error function, element by element."""
    return _unary("Erf", x)


@_named
def sin(x: Var) -> Var:
    """The sine, element by element."""
    return _unary("Sin", x)


@_named
def cos(x: Var) -> Var:
    """The cosine, element by element."""
    return _unary("Cos", x)


@_named
def gelu(x: Var, approximate: bool = False) -> Var:
    """x times the normal distribution's share below x. approximate: by tanh."""
    (x,) = _numeric("gelu", x, floating=True)
    return do.applied(FAST_GELU if approximate else GELU, x)


@_named
def silu(x: Var) -> Var:
    """x * sigmoid(x), element by element."""
    (x,) = _numeric("silu", x, floating=True)
    return do.applied(SILU, x)


@_named
def astype(x: Var, to: DType | str) -> Var:
    """x in another type, rounded to nearest, towards 0 if to whole numbers; to "bool": whether it is not 0."""
    _graph("astype", x)
    return do.converted(x, dtype(to))


# ---- Of two elements, whose shapes broadcast


def combined(op: str, sign: str, a: Any, b: Any) -> Var:
    """a sign b: `+ - * / **`, and the comparisons `< <= > >= == !=`, giving truth values."""
    if sign in do.SIGNS:
        x, y = _alike(op, a, b)
        if x.dtype == do.BOOL and sign not in ("==", "!="):
            raise NetworkError(f"truth values have no order: {x.value} {sign} {y.value}", x.graph.node)
        return do.compared(do.SIGNS[sign], x, y)
    x, y = _numeric(op, a, b, floating=sign in ("/", "**"))
    match sign:
        case "/":
            return do.divided(x, y)
        case "**":
            return do.power(x, y)
    return do.binary({"+": "Add", "-": "Sub", "*": "Mul"}[sign], x, y)


@overload
def equal(
    a: Kernel, b: Kernel, arithmetic: str = "reals", sizes: Dict[str, int] | None = None, timeout: float | None = None
) -> Equality: ...


@overload
def equal(a: Any, b: Any) -> Var: ...


@_named
def equal(a: Any, b: Any, *asked: Any, **named: Any) -> Var | Equality:
    """Of two kernels, whether they compute the same: as isamap_smt.equality.equal(). Of values of a network, whether elements are
    equal, as truth values. (`x == y` asks whether both are one value of a network.)"""
    if isinstance(a, Kernel) or isinstance(b, Kernel):
        return equal_kernels(a, b, *asked, **named)
    if asked or named:
        raise NetworkError("arithmetic, sizes and timeout are of two kernels; these are values of a network")
    return combined("equal", "==", a, b)


@_named
def not_equal(a: Any, b: Any) -> Var:
    """Whether elements differ, as truth values."""
    return combined("not_equal", "!=", a, b)


@_named
def maximum(a: Any, b: Any) -> Var:
    """The larger element of both."""
    return do.binary("Max", *_numeric("maximum", a, b))


@_named
def minimum(a: Any, b: Any) -> Var:
    """The smaller element of both."""
    return do.binary("Min", *_numeric("minimum", a, b))


@_named
def logical_and(a: Any, b: Any) -> Var:
    """Whether both truth values are true."""
    return _logical("And", a, b)


@_named
def logical_or(a: Any, b: Any) -> Var:
    """Whether one of both truth values is true."""
    return _logical("Or", a, b)


@_named
def logical_not(x: Var) -> Var:
    """Whether a truth value is false."""
    return _logical("Xor", x, np.bool_(True))


def _logical(name: str, a: Any, b: Any) -> Var:
    x, y = _alike(name.lower(), a, b)
    if x.dtype != do.BOOL:
        raise NetworkError(
            f"{x.value} is not of truth values; compare it, or convert it: astype(x, 'bool')", x.graph.node
        )
    return do.logical(name, x, y)


@_named
def clip(x: Var, low: Any = None, high: Any = None) -> Var:
    """Elements below `low` become `low`, then those above `high` become `high`."""
    x, *more = _numeric("clip", x, low, high, needed=1)
    return do.clip(x, *_optional((low, high), more))


@_named
def where(condition: Any, a: Any, b: Any) -> Var:
    """The elements of a where the condition is true, and those of b elsewhere; all three broadcast."""
    graph = _graph("where", condition, a, b)
    c = condition if isinstance(condition, Var) else graph.constant(_array(condition).astype(np.bool_))
    if isinstance(a, Var) or isinstance(b, Var):
        x, y = _alike("where", a, b)
    else:
        of = np.result_type(_array(a), _array(b))
        of = np.dtype(np.float32) if isinstance(a, float) or isinstance(b, float) else of
        x, y = (graph.constant(_array(v).astype(of)) for v in (a, b))
    return do.where(c, x, y)


# ---- Products, windows and norms


@_named
def matmul(a: Any, b: Any) -> Var:
    """NumPy's matmul: products of the last two dimensions, batches broadcast."""
    x, y = _numeric("matmul", a, b)
    return do.matmul(x, y)


@_named
def linear(x: Var, w: Any, bias: Any = None) -> Var:
    """x [..., inner] times w [inner, columns], plus bias [columns]."""
    x, w, *more = _numeric("linear", x, w, bias, needed=2)
    if w.rank != 2 or not x.rank or x.shape[-1] != w.shape[0]:
        raise NetworkError(f"{x.value} does not fit weights {w.value}: [inner, columns]", x.graph.node)
    rows = x.graph.view(x, (math.prod(x.shape[:-1]), x.shape[-1]))
    made = do.gemm(rows, w, more[0] if more else None, 1.0, 1.0, (False, False))
    return x.graph.view(made, (*x.shape[:-1], w.shape[1]))


@_named
def conv1d(
    x: Var, w: Any, bias: Any = None, *, stride: int = 1, pad: int = 0, dilation: int = 1, groups: int = 1
) -> Var:
    """Cross-correlation: x [n, c, l], w [m, c / groups, r], bias [m]; result [n, m, ...]. pad: zeros on each side."""
    return _convolution("conv1d", x, w, bias, [_one(stride)], [_one(pad)], [_one(dilation)], groups)


@_named
def conv2d(
    x: Var, w: Any, bias: Any = None, *, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1
) -> Var:
    """Cross-correlation: x [n, c, h, w], w [m, c / groups, r, s], bias [m]; result [n, m, ...]. pad: zeros on each side."""
    return _convolution("conv2d", x, w, bias, _pair(stride), _pair(pad), _pair(dilation), groups)


def _convolution(
    op: str, x: Var, w: Any, bias: Any, steps: list[int], sides: list[int], dilations: list[int], groups: int
) -> Var:
    x, w, *more = _numeric(op, x, w, bias, needed=2)
    _images(x, w, len(steps))
    _positive("stride and dilation", [*steps, *dilations])
    if builtins.min(sides) < 0:
        raise NetworkError(f"pad {sides} is negative; slices cut off: x[..., 1:-1]", x.graph.node)
    return of_windows.convolution(x, w, more[0] if more else None, steps, dilations, sides, sides, _one(groups))


def _images(x: Var, w: Var, space: int) -> None:
    if (x.rank, w.rank) != (space + 2, space + 2):
        raise NetworkError(
            f"{x.value} and {w.value} are no images and their filters, of {space + 2} dimensions each", x.graph.node
        )


def _positive(what: str, numbers: Sequence[int]) -> None:
    if builtins.min(numbers) < 1:
        raise NetworkError(f"{what} {list(numbers)} are not all 1 at least")


@_named
def conv_transpose2d(
    x: Var, w: Any, bias: Any = None, *, stride: Pair = 1, pad: Pair = 0, output_pad: Pair = 0, dilation: Pair = 1, groups: int = 1
) -> Var:  # fmt: skip
    """The transpose of conv2d: x [n, c, h, w], w [c, m / groups, r, s], bias [m].

    Results have (extent - 1) * stride + dilation * (r - 1) + 1 + output_pad - 2 * pad places along each side.
    """
    x, w, *more = _numeric("conv_transpose2d", x, w, bias, needed=2)
    _images(x, w, 2)
    steps, sides, apart, extra = _pair(stride), _pair(pad), _pair(dilation), _pair(output_pad)
    _positive("stride and dilation", [*steps, *apart])
    whole = of_windows.transposed_extents(x.shape[2:], w.shape[2:], steps, apart, extra)
    counts = [n - 2 * p for n, p in zip(whole, sides, strict=True)]
    if builtins.min(counts) < 1:
        raise NetworkError(f"nothing is left of {x.value} within pads {sides}", x.graph.node)
    return of_windows.transposed_convolution(x, w, more[0] if more else None, steps, apart, sides, counts, _one(groups))


@_named
def max_pool2d(x: Var, size: Pair, *, stride: Pair | None = None, pad: Pair = 0) -> Var:
    """The largest element of each window; padding takes no part. stride: the window's size by default."""
    (x,) = _numeric("max_pool2d", x)
    return _pooled(x, "max=", size, stride, pad)


@_named
def average_pool2d(x: Var, size: Pair, *, stride: Pair | None = None) -> Var:
    """The mean of each window."""
    (x,) = _numeric("average_pool2d", x, floating=True)
    return _pooled(x, "+=", size, stride, 0)


def _pooled(x: Var, op: str, size: Pair, stride: Pair | None, pad: Pair) -> Var:
    points, steps, sides = _pair(size), _pair(size if stride is None else stride), _pair(pad)
    _positive("size and stride", [*points, *steps])
    if x.rank != 4:
        raise NetworkError(f"{x.value} is no image of four dimensions", x.graph.node)
    counts = [(s + 2 * p - k) // t + 1 for s, p, k, t in zip(x.shape[2:], sides, points, steps, strict=True)]
    if builtins.min(counts) < 1 or builtins.any(not 0 <= p < k for p, k in zip(sides, points, strict=True)):
        raise NetworkError(f"a window of {points} with pads {sides} has no place in {x.value}", x.graph.node)
    divisors = np.full(counts, math.prod(points)) if op == "+=" else None
    return of_windows.pool(x, op, points, steps, [1, 1], sides, counts, divisors=divisors)


def _pair(n: Pair) -> list[int]:
    found = _several(n)
    found = found if isinstance(n, Sequence) else found * 2
    if len(found) != 2:
        raise NetworkError(f"{n} is no number, nor one for each of two sides")
    return found


@_named
def softmax(x: Var, axis: int = -1) -> Var:
    """exp(x) over its sum along the axis."""
    (x,) = _numeric("softmax", x, floating=True)
    return do.softmax(x, [do.along(x, _one(axis))])


@_named
def layer_norm(x: Var, scale: Any = None, shift: Any = None, *, axis: int = -1, epsilon: float = 1e-5) -> Var:
    """x less its mean over the axis and those behind it, over its standard deviation, times scale plus shift."""
    x, *more = _numeric("layer_norm", x, scale, shift, floating=True, needed=1)
    g, b = _optional((scale, shift), more)
    return of_norms.normalise(x, range(do.along(x, _one(axis)), x.rank), epsilon, g, b)[0]


@_named
def rms_norm(x: Var, scale: Any = None, *, axis: int = -1, epsilon: float = 1e-5) -> Var:
    """x over the root of its mean square over the axis and those behind it, times scale."""
    x, *more = _numeric("rms_norm", x, scale, floating=True, needed=1)
    return of_norms.normalise(
        x, range(do.along(x, _one(axis)), x.rank), epsilon, more[0] if more else None, None, centred=False
    )[0]


@_named
def group_norm(x: Var, groups: int, scale: Any = None, shift: Any = None, *, epsilon: float = 1e-5) -> Var:
    """x [n, c, ...] in groups of channels: each less its mean, over its deviation; then scale [c] and shift [c]."""
    x, *more = _numeric("group_norm", x, scale, shift, floating=True, needed=1)
    g, b = _optional((scale, shift), more)
    return of_norms.group_norm(x, _one(groups), g, b, epsilon)


@_named
def batch_norm(x: Var, mean: Any, variance: Any, scale: Any = None, shift: Any = None, *, epsilon: float = 1e-5) -> Var:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift for x [n, c, ...], all others [c]: the norm with known statistics."""
    given = (mean, variance, scale, shift)
    x, *more = _numeric("batch_norm", x, *given, floating=True, needed=3)
    m, v, g, b = _optional(given, more)
    assert m is not None and v is not None
    return of_norms.batch_norm(x, m, v, g, b, epsilon)


@_named
def attention(q: Var, k: Any, v: Any, mask: Any = None, *, causal: bool = False, scale: float | None = None) -> Var:
    """softmax(scale * q @ k^T + mask) @ v of [batch, heads, length, depth]; batch, or both in front, may be missing.

    Heads of k and v divide those of q. mask broadcasts against the scores: truth values mark visible keys, numbers are
    added. causal: a query sees keys up to its own position, the last query's being the last key's. scale: 1 /
    sqrt(depth) by default. A query without visible keys gives 0.
    """
    q, k, v = _numeric("attention", q, k, v, floating=True)
    graph = q.graph
    if not 2 <= q.rank <= 4 or (k.rank, v.rank) != (q.rank, q.rank):
        raise NetworkError(f"{q.value}, {k.value} and {v.value} are not all [batch, heads, length, depth]", graph.node)
    if mask is not None and not isinstance(mask, Var):
        mask = graph.constant(held) if (held := _array(mask)).dtype == np.bool_ else _constant(graph, held, q)
    elif mask is not None:
        node = graph.node
        graph = _together(q, mask)
        graph.node = node
        if mask.dtype not in (do.BOOL, q.dtype):
            raise NetworkError(f"the mask {mask.value} is neither of truth values nor of {q.dtype}", node)

    if mask is not None and (not 1 <= mask.rank <= q.rank or mask.shape[-1] not in (1, k.shape[-2])):
        raise NetworkError(f"the mask {mask.value} does not broadcast to scores of {q.value}", graph.node)

    def wide(x: Var) -> Var:
        return graph.view(x, (*[1] * (4 - q.rank), *x.shape))

    seen = attending.Seen(mask, causal, first=k.shape[-2] - q.shape[-2])
    made, _ = attending.attention(wide(q), wide(k), wide(v), seen, scale)
    return graph.view(made, (*q.shape[:-1], v.shape[-1]))


# ---- Reductions: `axis` is one, several, or None for all; keepdims leaves a dimension of 1 for each


def _reduced(name: str, op: str, x: Var, axis: Axes, keepdims: bool, floating: bool = False) -> Var:
    (x,) = _numeric(op, x, floating=floating)
    given = range(x.rank) if axis is None else _several(axis)
    axes = [do.along(x, n) for n in given]
    if len({*axes}) < len(axes):
        raise NetworkError(f"axis {axis} names a dimension of {x.value} twice", x.graph.node)
    if op in ("max", "min") and not x.elements:
        raise NetworkError(f"{x.value} has no elements, and no {op}", x.graph.node)
    return do.reduction(name, x, axes, keepdims)


@_named
def sum(x: Var, axis: Axes = None, keepdims: bool = False) -> Var:
    """The sum along axes, in x's own type."""
    return _reduced("ReduceSum", "sum", x, axis, keepdims)


@_named
def mean(x: Var, axis: Axes = None, keepdims: bool = False) -> Var:
    """The mean along axes, of floating point."""
    return _reduced("ReduceMean", "mean", x, axis, keepdims, True)


@_named
def max(x: Var, axis: Axes = None, keepdims: bool = False) -> Var:
    """The largest element along axes."""
    return _reduced("ReduceMax", "max", x, axis, keepdims)


@_named
def min(x: Var, axis: Axes = None, keepdims: bool = False) -> Var:
    """The smallest element along axes."""
    return _reduced("ReduceMin", "min", x, axis, keepdims)


# ---- Movement


@_named
def reshape(x: Var, shape: Sequence[int]) -> Var:
    """The same elements in another shape; one dimension may be -1. Nothing is moved."""
    _graph("reshape", x)
    return do.reshape(x, _several(shape))


@_named
def transpose(x: Var, order: Sequence[int] | None = None) -> Var:
    """The dimensions in another order, reversed by itself."""
    _graph("transpose", x)
    return do.transpose(x, list(reversed(range(x.rank))) if order is None else _several(order))


@_named
def squeeze(x: Var, axis: Axes = None) -> Var:
    """x without dimensions of 1: those named, or all. Nothing is moved."""
    _graph("squeeze", x)
    return do.squeeze(x, None if axis is None else _several(axis))


@_named
def expand_dims(x: Var, axis: int | Sequence[int]) -> Var:
    """x with dimensions of 1 at these places of the result. Nothing is moved."""
    _graph("expand_dims", x)
    return do.unsqueeze(x, _several(axis))


@_named
def expand(x: Var, shape: Sequence[int]) -> Var:
    """x broadcast to a shape."""
    _graph("expand", x)
    wanted = _several(shape)
    if do.broadcast(x.shape, wanted) != tuple(wanted):
        raise NetworkError(f"{x.value} does not broadcast to {wanted}")
    return do.expand(x, wanted)


@_named
def concatenate(xs: Sequence[Any], axis: int = 0) -> Var:
    """Values one behind the other along an axis."""
    return do.concatenate(_alike("concatenate", *xs), _one(axis))


@_named
def split(x: Var, parts: int | Sequence[int], axis: int = 0) -> list[Var]:
    """So many equal parts along an axis, or parts of these extents."""
    _graph("split", x)
    axis, sizes = do.along(x, _one(axis)), _several(parts)
    if not isinstance(parts, Sequence | np.ndarray):
        (number,) = sizes
        if number < 1 or x.shape[axis] % number:
            raise NetworkError(f"{x.value} has no {number} equal parts along axis {axis}; give their extents")
        sizes = [x.shape[axis] // number] * number
    return do.split(x, sizes, axis)


@_named
def pad(x: Var, pads: int | Sequence[tuple[int, int]], mode: str = "constant", value: float = 0) -> Var:
    """x with so many elements (before, after) each dimension; mode: constant, edge, reflect or wrap."""
    _graph("pad", x)
    sides = [_several(p) for p in pads] if isinstance(pads, Sequence) else [[_one(pads)] * 2] * x.rank
    if len(sides) != x.rank or builtins.any(len(p) != 2 or builtins.min(p) < 0 for p in sides):
        raise NetworkError(f"pads {sides} are not (before, after) of each dimension of {x.value}")
    if mode == "constant":
        filled = _constant(x.graph, value, x).constant
        assert filled is not None
        value = filled.reshape(-1)[0].item()
    elif not x.elements:
        raise NetworkError(f"{x.value} has no elements to pad with")
    return do.pad(x, [b for b, _ in sides], [a for _, a in sides], mode, value)


@_named
def take(table: Any, indices: Any, axis: int = 0) -> Var:
    """Slices of a table along an axis, one for each index; indices below 0 count from the end, and each call looks at them."""
    return do.gather(*_indexed("take", table, indices), _one(axis))


@_named
def gather(x: Any, indices: Any, axis: int) -> Var:
    """x indexed along one axis: each place of `indices` gets x's element there, with the index as coordinate on `axis`."""
    return do.gather_elements(*_indexed("gather", x, indices), _one(axis))


@_named
def embedding(indices: Any, table: Any) -> Var:
    """The row of the table [rows, width] for each index."""
    rows, at = _indexed("embedding", table, indices)
    if rows.rank != 2:
        raise NetworkError(f"{rows.value} is no table [rows, width]", rows.graph.node)
    return do.gather(rows, at, 0)


def _indexed(op: str, table: Any, indices: Any) -> tuple[Var, Var]:
    graph = _graph(op, indices, table)
    x, at = (v if isinstance(v, Var) else graph.constant(_array(v)) for v in (table, indices))
    if at.dtype == do.BOOL or at.dtype.is_float:
        raise NetworkError(f"{at.value} holds no whole numbers, and indices are some", graph.node)
    return x, at


def item(x: Var, key: Any) -> Var:
    """x[key] as NumPy has it: numbers, slices, None and `...`. Raises NetworkError for other keys."""
    graph = _graph("item", x)
    keys = list(key) if isinstance(key, tuple) else [key]
    for k in keys:
        if not (k is None or k is Ellipsis or isinstance(k, slice | int | np.integer)) or isinstance(k, bool):
            told = f"a {type(k).__name__}"
            raise NetworkError(f"{x.value} is not indexed by {told}; take() and gather() take indices", graph.node)
    named = [k for k in keys if k is not None and k is not Ellipsis]
    dots = [n for n, k in enumerate(keys) if k is Ellipsis]
    if len(named) > x.rank or len(dots) > 1:
        raise NetworkError(f"{x.value} has not {len(named)} dimensions to index, or `...` is there twice", graph.node)
    at = dots[0] if dots else len(keys)
    keys[at : at + 1] = [slice(None)] * (x.rank - len(named))
    axes = iter(range(x.rank))
    starts: list[Any] = []
    counts: list[Any] = []
    steps: list[Any] = []
    shape: list[Any] = []
    for k in keys:
        if k is None:
            shape.append(1)
            continue
        extent = x.shape[axis := next(axes)]
        if isinstance(k, slice):
            if k.step == 0:
                raise NetworkError(f"a step of 0 in an index of {x.value}", graph.node)
            for found, n in zip((starts, counts, steps), do.points(extent, k), strict=True):
                found.append(n)
            shape.append(counts[-1])
        else:
            if not -extent <= k < extent:
                raise NetworkError(f"index {k} is outside of dimension {axis + 1} of {x.value}", graph.node)
            starts.append(int(k) if k >= 0 else int(k) + extent)
            counts.append(1)
            steps.append(1)
    return graph.view(do.part(x, starts, counts, steps), shape)


def rows(x: Var) -> Iterator[Var]:
    """x[0], x[1] and so on. Raises NetworkError for a value without dimensions."""
    if not x.rank:
        raise NetworkError(f"{x.value} has no dimensions to go through")
    return (item(x, n) for n in range(x.shape[0]))
