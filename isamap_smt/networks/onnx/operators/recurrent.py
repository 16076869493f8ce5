"""RNN, GRU and LSTM of ONNX: one kernel for each direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx
from isamap_smt.networks.recurrent import GRU, LSTM, RNN, Cell, Function, gru, lstm, rnn

_ACTIVATIONS = {
    "tanh": "tanh({x})",
    "sigmoid": "sigmoid({x})",
    "relu": "relu({x})",
    "affine": "{a} * {x} + {b}",
    "leakyrelu": "select({x} < 0, {a} * {x}, {x})",
    "thresholdedrelu": "select({x} > {a}, {x}, {x} * 0)",
    "scaledtanh": "{a} * tanh({b} * {x})",
    "hardsigmoid": "max(0, min(1, {a} * {x} + {b}))",
    "elu": "select({x} < 0, {a} * (exp({x}) - 1), {x})",
    "softsign": "{x} / (1 + abs({x}))",
    "softplus": "max({x}, 0) + log(1 + exp(-abs({x})))",
}
_DEFAULTS = {"leakyrelu": (0.01, 0.0), "hardsigmoid": (0.2, 0.5), "elu": (1.0, 0.0), "thresholdedrelu": (1.0, 0.0)}
_OF = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
_WAYS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


def _functions(node: Node, default: list[str], direction: int) -> list[Function]:
    told = node.attribute("activations") or default * (2 if node.attribute("direction") == "bidirectional" else 1)
    if len(told) != len(default) * (2 if node.attribute("direction") == "bidirectional" else 1):
        raise NetworkError(f"its activations are {told}")
    alphas, betas = list(node.attribute("activation_alpha") or []), list(node.attribute("activation_beta") or [])
    found: list[Function] = []
    for position, name in enumerate(told):
        text = _ACTIVATIONS.get(name.lower())
        if text is None:
            raise NetworkError(f"no activation {name!r}")
        a, b = _DEFAULTS.get(name.lower(), (1.0, 0.0))
        a = alphas[position] if position < len(alphas) else a
        b = betas[position] if position < len(betas) else b
        clip = node.attribute("clip")

        def function(x: str, text: str = text, a: float = a, b: float = b, clip: Any = clip) -> str:
            x = x if clip is None else f"min(max({x}, {do.literal(-float(clip))}), {do.literal(float(clip))})"
            return text.format(x=f"({x})", a=do.literal(a), b=do.literal(b))

        found.append(function)
    return found[len(default) * direction : len(default) * (direction + 1)]


@onnx("RNN", "GRU", "LSTM")
def _recurrent(node: Node) -> list[Var]:
    g, x, r = node.graph, node.of_rank(0, 3), node.of_rank(2, 3)
    if do.computed_in(x.dtype) != x.dtype:
        raise UncomputedError(f"of {x.dtype} it is not computed")
    if node.attribute("layout", 0):
        x = do.transpose(x, (1, 0, 2))
    lengths = node.known(4)
    time, batch, width = x.shape
    if not time:
        raise UncomputedError("a sequence of no time steps is not computed")
    if lengths is not None and (lengths != time).any():
        raise UncomputedError("sequences of different lengths are not computed")
    hidden, gates = r.shape[2], len({"RNN": RNN, "GRU": GRU, "LSTM": LSTM}[node.op])
    ways = _WAYS[node.choice("direction", "forward", _WAYS)]
    parts: list[list[Var]] = []
    for number, reverse in enumerate(ways):

        def of(position: int, shape: tuple[int, ...], number: int = number) -> Var:
            whole = node.get(position)
            if whole is None:
                return g.constant(np.zeros(g.room(shape, x.dtype.numpy), x.dtype.numpy))
            if not whole.rank or whole.shape[0] != len(ways):
                raise NetworkError(f"{whole.value} is not of {len(ways)} directions")
            taken = do.part(whole, [number, *[0] * (whole.rank - 1)], [1, *whole.shape[1:]], [1] * whole.rank)
            return g.view(taken, shape)

        start = node.get(5)
        if start is not None and node.attribute("layout", 0):
            node.of_rank(5, 3)
            node.inputs[5] = do.transpose(start, (1, 0, 2)) if number == 0 else start
        held = node.get(6)
        if held is not None and node.attribute("layout", 0) and number == 0:
            node.of_rank(6, 3)
            node.inputs[6] = do.transpose(held, (1, 0, 2))
        weights, inner = of(1, (gates, hidden, width)), of(2, (gates, hidden, hidden))
        biases, first = of(3, (2, gates, hidden)), of(5, (batch, hidden))
        memory = of(6, (batch, hidden)) if node.op == "LSTM" else None
        peepholes = of(7, (3, hidden)) if node.op == "LSTM" and node.get(7) is not None else None
        functions = tuple(_functions(node, _OF[node.op], number))
        order = tuple(range(gates))
        cell = Cell(g, x, weights, inner, biases, first, functions, order, reverse, memory, peepholes)
        parts.append(_layer(node, cell))
    ys = [g.view(p[0], (time, 1, batch, hidden)) for p in parts]
    lasts = [[g.view(v, (1, batch, hidden)) for v in (p[n] for p in parts)] for n in range(1, len(parts[0]))]
    made = [do.concatenate(ys, 1), *(do.concatenate(last, 0) for last in lasts)]
    if node.attribute("layout", 0):
        made = [do.transpose(made[0], (2, 0, 1, 3)), *(do.transpose(m, (1, 0, 2)) for m in made[1:])]
    return made


def _layer(node: Node, cell: Cell) -> list[Var]:
    match node.op:
        case "RNN":
            return rnn(cell)
        case "GRU":
            return gru(cell, bool(node.attribute("linear_before_reset", 0)))
        case _:
            return lstm(cell, bool(node.attribute("input_forget", 0)))
