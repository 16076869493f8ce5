"""LSTM, GRU and RNN of torch: one kernel for each layer and direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks import recurrent as layers
from isamap_smt.networks.graph import Var
from isamap_smt.networks.torch.call import Call, aten

# torch's gates, one after the other along its weights
_GATES = {"lstm": ("input", "forget", "cell", "output"), "gru": ("reset", "update", "new"), "rnn": ("new",)}
_KERNELS = {"lstm": layers.LSTM, "gru": layers.GRU, "rnn": layers.RNN}


def _sigmoid(x: str) -> str:
    return f"sigmoid({x})"


def _tanh(x: str) -> str:
    return f"tanh({x})"


def _relu(x: str) -> str:
    return f"relu({x})"


_FUNCTIONS = {
    "lstm": (_sigmoid, _tanh, _tanh), "gru": (_sigmoid, _tanh), "rnn_tanh": (_tanh,), "rnn_relu": (_relu,),
}  # fmt: skip


@aten("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
def _recurrent(
    c: Call, input: Var, hx: Any, params: Sequence[Var], has_biases: bool, num_layers: int, dropout: float, train: bool,
    bidirectional: bool, batch_first: bool,
) -> list[Var | None]:  # fmt: skip
    if train and dropout:
        raise UncomputedError("dropout draws numbers; call the model's eval() first")
    if do.computed_in(input.dtype) != input.dtype:
        raise UncomputedError(f"of {input.dtype} it is not computed")
    op = c.op.partition(".")[0]
    starts = list(hx) if op == "lstm" else [hx]
    x = do.transpose(input, (1, 0, 2)) if batch_first else input
    ways = 2 if bidirectional else 1
    each = len(params) // (num_layers * ways)
    lasts: list[list[Var]] = [[] for _ in starts]
    for layer in range(num_layers):
        made = []
        for way in range(ways):
            n = layer * ways + way
            held = [_state(s, n) for s in starts]
            cell = _cell(c, op, x, held, params[n * each : (n + 1) * each], has_biases, way == 1)
            states, *ends = _layer(op, cell)
            made.append(states)
            for ended, last in zip(lasts, ends, strict=True):
                ended.append(c.graph.view(last, (1, *last.shape)))
        x = do.concatenate(made, 2)
    return [do.transpose(x, (1, 0, 2)) if batch_first else x, *(do.concatenate(ended, 0) for ended in lasts)]


def _state(x: Var, number: int) -> Var:
    """The state of one direction of a layer, [batch, units], of those of all."""
    taken = do.part(x, [number, 0, 0], [1, *x.shape[1:]], [1, 1, 1])
    return x.graph.view(taken, x.shape[1:])


def _layer(op: str, cell: layers.Cell) -> list[Var]:
    """All states of the layer, the last one, and of an LSTM the last memory."""
    if op == "lstm":
        return layers.lstm(cell)
    return layers.gru(cell, ahead=True) if op == "gru" else layers.rnn(cell)


def _cell(
    c: Call, op: str, x: Var, starts: Sequence[Var], params: Sequence[Var], has_biases: bool, reverse: bool
) -> layers.Cell:
    """One direction of a layer. starts: its states before the first time step. params: as torch.lstm takes them."""
    kind, graph = op.partition("_")[0], c.graph
    weights, inner, *more = params
    gates = len(_GATES[kind])
    hidden = inner.shape[0] // gates

    def gated(w: Var) -> Var:
        return graph.view(w, (gates, hidden, w.shape[1]))

    if has_biases:
        biases = do.concatenate([graph.view(b, (1, gates, hidden)) for b in more[:2]], 0)
    else:
        biases = graph.constant(np.zeros((2, gates, hidden), x.dtype.numpy))
    projection = more[-1] if len(more) > 2 * has_biases else None
    order = tuple(_GATES[kind].index(gate) for gate in _KERNELS[kind])
    memory = starts[1] if op == "lstm" else None
    return layers.Cell(
        graph,
        x,
        gated(weights),
        gated(inner),
        biases,
        starts[0],
        _FUNCTIONS[op],
        order,
        reverse,
        memory,
        projection=projection,
    )
