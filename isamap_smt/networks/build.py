"""Networks in Python: values that are combined by operators and functions, and become kernels as they are written.

    x = input("x", (1, 3, 32, 32))
    y = relu(conv2d(x, weights, pad=1) + shortcut)
    made = network({"y": y})

Shapes are NumPy's, images are [n, c, h, w]; arrays and numbers stand where a value may. Values of different inputs may meet.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import GELU, SILU, UNARY
from isamap_smt.networks.graph import Graph, Network, Var

Pair = int | tuple[int, int]
_numbers = count(1)  # of all nodes in this process, so that graphs that meet call nothing the same


def input(name: str, shape: Sequence[int], dtype: DType | str = "f32") -> Var:
    """A value that the caller gives. Raises NetworkError for a shape that no value has."""
    return Graph(node=name).input(name, dtype, shape)


def network(outputs: Dict[str, Var], name: str = "network") -> Network:
    """The network of these results, by their names. Its inputs are those that a result depends on, or that met one."""
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
        graphs[0].take_in(other)
    return graphs[0]


def _start(op: str, *xs: Any) -> list[Var]:
    """The operands as values of one graph, which names what follows after the operator."""
    graph = _together(*xs)
    graph.node = f"{op}_{next(_numbers)}"
    first = next(x for x in xs if isinstance(x, Var))
    return [_value(graph, x, first.dtype) for x in xs if x is not None]


def _value(graph: Graph, x: Any, of: DType) -> Var:
    if isinstance(x, Var):
        return x
    number = isinstance(x, int | float) and not isinstance(x, bool)
    return graph.constant(np.asarray(x, of.numpy if number else None))


# ---- Of one element


def _unary(op: str, text: str, x: Var) -> Var:
    (x,) = _start(op, x)
    return do.applied(text, x)


def relu(x: Var) -> Var:
    """max(x, 0), element by element."""
    return _unary("relu", UNARY["Relu"], x)


def sigmoid(x: Var) -> Var:
    """1 / (1 + exp(-x)), element by element."""
    return _unary("sigmoid", UNARY["Sigmoid"], x)


def tanh(x: Var) -> Var:
    """The hyperbolic tangent, element by element."""
    return _unary("tanh", UNARY["Tanh"], x)


def exp(x: Var) -> Var:
    """e to the power of x, element by element."""
    return _unary("exp", UNARY["Exp"], x)


def sqrt(x: Var) -> Var:
    """The square root, element by element."""
    return _unary("sqrt", UNARY["Sqrt"], x)


def gelu(x: Var) -> Var:
    """x times the normal distribution's share below x."""
    return _unary("gelu", GELU, x)


def silu(x: Var) -> Var:
    """x * sigmoid(x), element by element."""
    return _unary("silu", SILU, x)


def combined(op: str, sign: str, a: Any, b: Any) -> Var:
    """a sign b, for `+ - * /`; shapes broadcast."""
    x, y = _start(op, a, b)
    return do.pointwise(f"{{}} {sign} {{}}".format, x, y)


# ---- Products, windows and norms


def matmul(a: Any, b: Any) -> Var:
    """NumPy's matmul: products of the last two dimensions, batches broadcast."""
    x, y = _start("matmul", a, b)
    return do.matmul(x, y)


def linear(x: Var, w: Any, bias: Any = None) -> Var:
    """x [rows, inner] times w [inner, columns], plus bias [columns]."""
    x, w, *more = _start("linear", x, w, bias)
    return do.gemm(x, w, more[0] if more else None, 1.0, 1.0, (False, False))


def conv2d(
    x: Var, w: Any, bias: Any = None, *, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1
) -> Var:
    """Cross-correlation: x [n, c, h, w], w [m, c / groups, r, s], bias [m]; result [n, m, ...]. pad: zeros on each side."""
    x, w, *more = _start("conv2d", x, w, bias)
    if x.rank != 4 or w.rank != 4:
        raise NetworkError(f"{x.value} and {w.value} are no images and their filters", x.graph.node)
    sides = _pair(pad)
    return do.convolution(x, w, more[0] if more else None, _pair(stride), _pair(dilation), sides, sides, groups)


def max_pool2d(x: Var, size: Pair, *, stride: Pair | None = None, pad: Pair = 0) -> Var:
    """The largest element of each window; what lies beside the image takes no part. stride: the size by itself."""
    (x,) = _start("max_pool2d", x)
    return _pooled(x, "max=", size, stride, pad, None)


def average_pool2d(x: Var, size: Pair, *, stride: Pair | None = None) -> Var:
    """The mean of each window."""
    (x,) = _start("average_pool2d", x)
    points = _pair(size)
    return _pooled(
        x, "+=", size, stride, 0, np.full(_counts(x, points, _pair(stride or size), [0, 0]), points[0] * points[1])
    )


def _pooled(x: Var, op: str, size: Pair, stride: Pair | None, pad: Pair, divisors: np.ndarray | None) -> Var:
    points, steps, sides = _pair(size), _pair(stride or size), _pair(pad)
    return do.pool(x, op, points, steps, [1, 1], sides, _counts(x, points, steps, sides), divisors=divisors)


def _counts(x: Var, points: list[int], steps: list[int], sides: list[int]) -> list[int]:
    if x.rank != 4:
        raise NetworkError(f"{x.value} is no image of four dimensions", x.graph.node)
    found = [(s + 2 * p - k) // t + 1 for s, p, k, t in zip(x.shape[2:], sides, points, steps, strict=True)]
    if min(found) < 1:
        raise NetworkError(f"a window of {points} has no place in {x.value}", x.graph.node)
    return found


def _pair(n: Pair) -> list[int]:
    return [n, n] if isinstance(n, int) else list(n)


def softmax(x: Var, axis: int = -1) -> Var:
    """exp(x) over its sum along the axis."""
    (x,) = _start("softmax", x)
    return do.softmax(x, [do.axis_of(axis, x.rank)])


def layer_norm(x: Var, scale: Any = None, shift: Any = None, *, epsilon: float = 1e-5) -> Var:
    """Each row less its mean, over its standard deviation, times scale plus shift."""
    x, *more = _start("layer_norm", x, scale, shift)
    pair = iter(more)
    g, b = (next(pair) if v is not None else None for v in (scale, shift))
    return do.normalise(x, [x.rank - 1], epsilon, g, b)[0]


# ---- Reductions and movement


def mean(x: Var, axes: Sequence[int] | None = None, keep: bool = False) -> Var:
    """The mean along axes, all of them by itself."""
    (x,) = _start("mean", x)
    found = do.axes_of(axes, x.rank)
    points = int(np.prod([x.shape[n] for n in found]))
    return do.reduce(x, found, "+=", finish=f"{{}} / {points}".format, keep=keep)


def total(x: Var, axes: Sequence[int] | None = None, keep: bool = False) -> Var:
    """The sum along axes, all of them by itself."""
    (x,) = _start("sum", x)
    return do.reduce(x, do.axes_of(axes, x.rank), "+=", keep=keep)


def reshape(x: Var, shape: Sequence[int]) -> Var:
    """The same elements in another shape; one dimension may be -1. Nothing is moved."""
    (x,) = _start("reshape", x)
    wanted = list(shape)
    if wanted.count(-1) == 1:
        rest = -int(np.prod(wanted))
        wanted[wanted.index(-1)] = x.elements // rest if rest else 0
    return x.graph.view(x, wanted)


def transpose(x: Var, order: Sequence[int] | None = None) -> Var:
    """The dimensions in another order, reversed by itself."""
    (x,) = _start("transpose", x)
    return do.transpose(x, list(reversed(range(x.rank))) if order is None else order)


def concatenate(xs: Sequence[Any], axis: int = 0) -> Var:
    """Values one behind the other along an axis."""
    return do.concatenate(_start("concatenate", *xs), axis)


def take(table: Any, indices: Var, axis: int = 0) -> Var:
    """Slices of a table along an axis, one for each index; indices below 0 count from the end, and each call looks at them."""
    graph = _together(indices, table)
    graph.node = f"take_{next(_numbers)}"
    return do.gather(_value(graph, table, indices.dtype), indices, axis)
