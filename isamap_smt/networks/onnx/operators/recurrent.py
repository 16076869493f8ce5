"""RNN, GRU and LSTM: all time steps in one kernel, with the products of the inputs ahead of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx

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
_WAYS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
Function = Callable[[str], str]


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


@dataclass(frozen=True)
class Cell:
    """One direction of a layer. weights [gates, hidden, width], inner [gates, hidden, hidden], biases [2, gates, hidden]; first and
    memory [batch, hidden]: the state before the first time step; peepholes [3, hidden]."""

    node: Node
    x: Var
    weights: Var
    inner: Var
    biases: Var
    first: Var
    memory: Var
    peepholes: Var
    number: int
    reverse: bool

    @property
    def hidden(self) -> int:
        """How many hidden units there are."""
        return self.inner.shape[1]

    @property
    def each(self) -> str:
        """The shape of a value of each time step, as a text has it."""
        return f"{self.x.shape[0]},{self.x.shape[1]},{self.hidden}"

    @property
    def states(self) -> str:
        """The shape of the states, including the one before the first step."""
        return f"{self.x.shape[0] + 1},{self.x.shape[1]},{self.hidden}"

    @property
    def reads(self) -> dict[str, Var]:
        """The tensors read by every cell."""
        return {"X": self.x, "W": self.weights, "U": self.inner, "B": self.biases, "F": self.first}


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
    hidden, gates = r.shape[2], {"RNN": 1, "GRU": 3, "LSTM": 4}[node.op]
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
        biases = of(3, (2, gates, hidden))
        first, memory, peepholes = of(5, (batch, hidden)), of(6, (batch, hidden)), of(7, (3, hidden))
        cell = Cell(node, x, weights, inner, biases, first, memory, peepholes, number, reverse)
        parts.append({"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}[node.op](cell))
    ys = [g.view(p[0], (time, 1, batch, hidden)) for p in parts]
    lasts = [[g.view(v, (1, batch, hidden)) for v in (p[n] for p in parts)] for n in range(1, len(parts[0]))]
    made = [do.concatenate(ys, 1), *(do.concatenate(last, 0) for last in lasts)]
    if node.attribute("layout", 0):
        made = [do.transpose(made[0], (2, 0, 1, 3)), *(do.transpose(m, (1, 0, 2)) for m in made[1:])]
    return made


def _step(c: Cell, reads: dict[str, Var], lines: list[str], temporaries: dict[str, str], cell: bool) -> list[Var]:
    """The layer's results: all states, the last one, and of an LSTM the last memory."""
    d, steps = c.x.dtype, c.x.shape[0]
    here = f"{steps - 1}-t" if c.reverse else "t"
    head = [f"temporary {', '.join(temporaries)}", *(f"{n}: {d}[{s}]" for n, s in temporaries.items())]
    ends = [f"Y[{here},b,j] = H[t+1,b,j]", f"L[b,j] = H[{steps},b,j]", *([f"Z[b,j] = C[{steps},b,j]"] if cell else [])]
    text = "\n".join([*head, *lines, *ends]).replace("{here}", here)
    shape = (steps, c.x.shape[1], c.hidden)
    writes = {"Y": (d, shape), "L": (d, shape[1:])} | ({"Z": (d, shape[1:])} if cell else {})
    axes = {"t": steps, "b": shape[1], "c": c.x.shape[2], "j": c.hidden, "k": c.hidden}
    return list(c.node.graph.step(text, reads, writes, axes))


def _rnn(c: Cell) -> list[Var]:
    (f,) = _functions(c.node, ["Tanh"], c.number)
    lines = [
        "G[t,b,j] += X[{here},b,c] * W[0,j,c]",
        "H[0,b,j] = F[b,j]",
        "for t:",
        "  R[t,b,j] += H[t,b,k] * U[0,j,k]",
        f"  H[t+1,b,j] = {f('G[t,b,j] + R[t,b,j] + B[0,0,j] + B[1,0,j]')}",
    ]
    return _step(c, c.reads, lines, {"G": c.each, "R": c.each, "H": c.states}, False)


def _gru(c: Cell) -> list[Var]:
    f, h = _functions(c.node, ["Sigmoid", "Tanh"], c.number)
    ahead = bool(c.node.attribute("linear_before_reset", 0))
    lines = [f"G{n}[t,b,j] += X[{{here}},b,c] * W[{n},j,c]" for n in range(3)]
    lines += ["H[0,b,j] = F[b,j]", "for t:"]
    lines += [f"  R{n}[t,b,j] += H[t,b,k] * U[{n},j,k]" for n in (0, 1)]
    lines += [f"  Q{n}[t,b,j] = {f(f'G{n}[t,b,j] + R{n}[t,b,j] + B[0,{n},j] + B[1,{n},j]')}" for n in (0, 1)]
    if ahead:
        lines += ["  R2[t,b,j] += H[t,b,k] * U[2,j,k]"]
        inside = "G2[t,b,j] + B[0,2,j] + Q1[t,b,j] * (R2[t,b,j] + B[1,2,j])"
    else:
        lines += ["  V[t,b,j] = Q1[t,b,j] * H[t,b,j]", "  R2[t,b,j] += V[t,b,k] * U[2,j,k]"]
        inside = "G2[t,b,j] + R2[t,b,j] + B[0,2,j] + B[1,2,j]"
    lines += [f"  H[t+1,b,j] = (1 - Q0[t,b,j]) * {h(inside)} + Q0[t,b,j] * H[t,b,j]"]
    names = ("G0", "G1", "G2", "R0", "R1", "R2", "Q0", "Q1", *([] if ahead else ["V"]))
    return _step(c, c.reads, lines, {**dict.fromkeys(names, c.each), "H": c.states}, False)


def _lstm(c: Cell) -> list[Var]:
    f, g, h = _functions(c.node, ["Sigmoid", "Tanh", "Tanh"], c.number)
    peep = c.node.get(7) is not None
    lines = [f"G{n}[t,b,j] += X[{{here}},b,c] * W[{n},j,c]" for n in range(4)]
    lines += ["H[0,b,j] = F[b,j]", "C[0,b,j] = M[b,j]", "for t:"]
    lines += [f"  R{n}[t,b,j] += H[t,b,k] * U[{n},j,k]" for n in range(4)]

    def gate(n: int, more: str = "") -> str:
        return f"G{n}[t,b,j] + R{n}[t,b,j] + B[0,{n},j] + B[1,{n},j]{more}"

    def held(n: int, at: str) -> str:
        return f" + P[{n},j] * C[{at},b,j]" if peep else ""

    forgotten = "(1 - Q[t,b,j])" if c.node.attribute("input_forget", 0) else f(gate(2, held(2, "t")))
    lines += [f"  Q[t,b,j] = {f(gate(0, held(0, 't')))}"]
    lines += [f"  C[t+1,b,j] = {forgotten} * C[t,b,j] + Q[t,b,j] * {g(gate(3))}"]
    lines += [f"  H[t+1,b,j] = {f(gate(1, held(1, 't+1')))} * {h('C[t+1,b,j]')}"]
    names = ("G0", "G1", "G2", "G3", "R0", "R1", "R2", "R3", "Q")
    temporaries = {**dict.fromkeys(names, c.each), "H": c.states, "C": c.states}
    return _step(c, {**c.reads, "M": c.memory} | ({"P": c.peepholes} if peep else {}), lines, temporaries, True)
