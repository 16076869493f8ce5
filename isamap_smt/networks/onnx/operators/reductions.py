"""Reductions, running sums, and norms along axes."""

from __future__ import annotations

import math

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import REDUCED
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx


def axes_asked(node: Node) -> tuple[int, ...] | None:
    """The axes to reduce; None if nothing is reduced."""
    found = node.whole(1, "axes")
    if not found:
        return None if node.attribute("noop_with_empty_axes", 0) else tuple(range(node[0].rank))
    return do.axes_of(found, node[0].rank)


def _reduction(node: Node) -> Var:
    axes = axes_asked(node)
    return do.reduction(node.op, node[0], () if axes is None else axes, bool(node.attribute("keepdims", 1)))


OPERATORS |= {("", _name): _reduction for _name in REDUCED}


@onnx("ReduceLogSumExp")
def _log_sum_exp(node: Node) -> Var:
    x, axes = node[0], axes_asked(node) or ()
    if not x.elements:
        return do.reduction("ReduceLogSum", x, axes, bool(node.attribute("keepdims", 1)))
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
