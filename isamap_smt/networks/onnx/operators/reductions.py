"""Reductions, running sums, and norms along axes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx

# operator -> (reduction, each element, what is made of the result; N is the number of elements)
_PLAIN: dict[str, tuple[str, str, str]] = {
    "ReduceSum": ("+=", "{x}", "{x}"),
    "ReduceMean": ("+=", "{x}", "{x} / {N}"),
    "ReduceProd": ("*=", "{x}", "{x}"),
    "ReduceMax": ("max=", "{x}", "{x}"),
    "ReduceMin": ("min=", "{x}", "{x}"),
    "ReduceL1": ("+=", "abs({x})", "{x}"),
    "ReduceL2": ("+=", "{x} * {x}", "sqrt({x})"),
    "ReduceSumSquare": ("+=", "{x} * {x}", "{x}"),
    "ReduceLogSum": ("+=", "{x}", "log({x})"),
}
_EMPTY = {"max=": -math.inf, "min=": math.inf, "*=": 1.0, "+=": 0.0}


def axes_asked(node: Node) -> tuple[int, ...] | None:
    """The axes that are reduced; None where nothing is."""
    found = node.whole(1, "axes")
    if not found:
        return None if node.attribute("noop_with_empty_axes", 0) else tuple(range(node[0].rank))
    return do.axes_of(found, node[0].rank)


def _reduction(node: Node) -> Var:
    x, (op, element, finish) = node[0], _PLAIN[node.op]
    axes = axes_asked(node)
    keep = bool(node.attribute("keepdims", 1))
    if axes is None:  # each element is a sum of its own
        axes = ()
    if x.truth and op in ("max=", "min=") and x.elements and axes:
        return node.graph.retyped(_made(x, axes, op, element, finish, keep), True)
    if x.elements == 0 or not axes:
        if x.elements == 0:
            return _of_nothing(node, axes, op, finish, keep)
        one = element.replace("{x}", "{0}")
        if finish == "{x} / {N}":
            finish = "{x}"
        whole = finish.replace("{x}", f"({one})")
        return do.pointwise(whole.format, x) if whole not in ("({0})",) else x
    return _made(x, axes, op, element, finish, keep)


def _of_nothing(node: Node, axes: tuple[int, ...], op: str, finish: str, keep: bool) -> Var:
    x = node[0]
    shape = [1 if n in axes else s for n, s in enumerate(x.shape) if keep or n not in axes]
    value = _EMPTY[op]
    if x.dtype.kind != "f" and math.isinf(value):
        value = x.dtype.low if value < 0 else x.dtype.high
    if finish.startswith("log"):
        value = -math.inf if value == 0 else math.log(value)
    if finish.endswith("{N}"):
        value = math.nan
    if x.truth:
        return node.graph.constant(np.full(node.graph.room(shape, np.bool_), op != "max=", np.bool_))
    return node.graph.constant(np.full(node.graph.room(shape, x.dtype.numpy), value, x.dtype.numpy))


def _made(x: Var, axes: tuple[int, ...], op: str, element: str, finish: str, keep: bool) -> Var:
    count = math.prod(x.shape[n] for n in axes)
    if not x.dtype.is_float and finish != "{x}":
        raise UncomputedError(f"of {x.dtype} it is not computed")
    last: Callable[[str], str] | None = None
    if finish != "{x}":

        def last(t: str) -> str:
            return finish.replace("{x}", t).replace("{N}", str(count))

    return do.reduce(x, axes, op, lambda e: element.replace("{x}", e), last, keep)


OPERATORS |= {("", _name): _reduction for _name in _PLAIN}


@onnx("ReduceLogSumExp")
def _log_sum_exp(node: Node) -> Var:
    x, axes = node[0], axes_asked(node) or ()
    if not x.elements:
        return _of_nothing(node, axes, "+=", "log({x})", bool(node.attribute("keepdims", 1)))
    index = do.names(x.rank)
    kept = [i for n, i in enumerate(index) if n not in axes]
    shape = tuple(s for n, s in enumerate(x.shape) if n not in axes)
    d = do.computed_in(x.dtype)
    e = f"X[{','.join(index)}]" if d == x.dtype else f"{d}(X[{','.join(index)}])"
    at, held = f"[{','.join(kept)}]", f"{d}[{','.join(map(str, shape))}]"
    text = f"temporary M, F, S\nM: {held}\nF: {held}\nS: {held}\nM{at} max= {e}\n"
    most = "3.4e38" if d.bits == 32 else "1.7e308"
    text += f"F{at} = min(max(M{at}, -{most}), {most})\nS{at} += exp({e} - F{at})\nY{at} = log(S{at}) + F{at}"
    made = node.graph.step(text, {"X": x}, {"Y": (x.dtype, shape)}, dict(zip(index, x.shape, strict=True)))[0]
    if node.attribute("keepdims", 1):
        return node.graph.view(made, [1 if n in axes else s for n, s in enumerate(x.shape)])
    return made


@onnx("ArgMax", "ArgMin")
def _argument(node: Node) -> Var:
    op = "max=" if node.op == "ArgMax" else "min="
    last, keep = bool(node.attribute("select_last_index", 0)), bool(node.attribute("keepdims", 1))
    return do.argument(node[0], int(node.attribute("axis", 0)), op, last, keep)


@onnx("Softmax", "LogSoftmax")
def _softmax(node: Node) -> Var:
    x = node[0]
    log = node.op == "LogSoftmax"
    if node.opset >= 13:
        return do.softmax(x, [do.axis_of(int(node.attribute("axis", -1)), x.rank)], log)
    axis = do.axis_of(int(node.attribute("axis", 1)), x.rank)
    rows = node.graph.view(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
    return node.graph.view(do.softmax(rows, [1], log), x.shape)


@onnx("Hardmax")
def _hardmax(node: Node) -> Var:
    x = node[0]
    old = node.opset < 13
    axis = do.axis_of(int(node.attribute("axis", 1 if old else -1)), x.rank)
    shape = x.shape
    if old:
        x, axis = node.graph.view(x, (math.prod(shape[:axis]), math.prod(shape[axis:]))), 1
    best = do.argument(x, axis, "max=", False, True)
    index = do.names(x.rank)
    at = do.element(best, "J", index)
    value = f"{x.dtype}(select(i64({at}) == i64({index[axis]}), 1, 0))"
    made = node.graph.step(
        f"Y[{','.join(index)}] = {value}",
        {"J": best},
        {"Y": (x.dtype, x.shape)},
        dict(zip(index, x.shape, strict=True)),
    )[0]
    return node.graph.view(made, shape)


@onnx("CumSum", "CumProd")
def _running(node: Node) -> Var:
    axis = [node.whole_scalar(1)]
    op = "+" if node.op == "CumSum" else "*"
    return do.running(node[0], axis[0], op, bool(node.attribute("exclusive", 0)), bool(node.attribute("reverse", 0)))


@onnx("LpNormalization")
def _lp_normalization(node: Node) -> Var:
    x = node[0]
    axis, p = do.axis_of(int(node.attribute("axis", -1)), x.rank), int(node.attribute("p", 2))
    total = do.reduce(
        x, [axis], "+=", lambda e: f"abs({e})" if p == 1 else f"{e} * {e}", None if p == 1 else lambda t: f"sqrt({t})"
    )
    return do.pointwise(lambda e, t: f"select({t} == 0, 0, {e} / {t})", x, total, to=x.dtype)


@onnx("TopK")
def _top_k(node: Node) -> list[Var]:
    """By counting: an element's rank is how many come before it."""
    x, (k,) = node[0], node.wanted(1, "k", 1)
    axis, largest = do.along(x, int(node.attribute("axis", -1))), bool(node.attribute("largest", 1))
    if not 0 <= k <= x.shape[axis]:
        raise NetworkError(f"the {k} of {x.shape[axis]} elements")
    if x.shape[axis] > 4096:
        raise UncomputedError(
            f"the {k} of {x.shape[axis]} elements: it is computed by comparing each two, of 4,096 at most"
        )
    index = do.names(x.rank)
    other, ranked = list(index), list(index)
    other[axis], ranked[axis] = "o", "k"
    d = do.computed_in(x.dtype)
    kept = tuple(k if n == axis else s for n, s in enumerate(x.shape))
    here, there = (f"{d}(X[{','.join(i)}])" for i in (index, other))
    sign = ">" if largest else "<"
    beats = f"select({there} {sign} {here}, i64(1), select({there} == {here}, select(o < {index[axis]}, i64(1), i64(0)), i64(0)))"
    at = ",".join(index)
    place = f"i64(R[{at}]) == i64(k)"
    axes = {**dict(zip(index, x.shape, strict=True)), "o": x.shape[axis], "k": k}
    shape = ",".join(map(str, x.shape))
    ranks = f"R[{at}] += {beats}"
    lines = [
        f"temporary R\nR: i64[{shape}]",
        ranks,
        f"J[{','.join(ranked)}] += select({place}, i64({index[axis]}), i64(0))",
    ]
    found = node.graph.step("\n".join(lines), {"X": x}, {"J": (do.I64, kept)}, axes)[0]
    return [do.gather_elements(x, found, axis), found]
