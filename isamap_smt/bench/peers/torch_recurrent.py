"""torch's nn.GRU and nn.LSTM, and oneDNN's LSTM with its weights reordered ahead. torch has no such GRU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.layouts import gate_rows
from isamap_smt.bench.recurrent import outcome
from isamap_smt.bench.work import Work

if TYPE_CHECKING:
    import torch

Arrays = dict[str, np.ndarray]
_LSTM = 2  # oneDNN's and torch's number for this cell


def layer(case: Case, arrays: Arrays) -> Work:
    """The module as it is called, without gradients; nn.LSTM on the CPU is oneDNN's layer with weights as they lie."""
    import torch

    torch.set_grad_enabled(False)
    made = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[case.family](case.size["c"], case.size["j"])
    made.requires_grad_(False).eval()
    for name, parameter in zip(_NAMES, weights(case, arrays), strict=True):
        getattr(made, name).copy_(parameter)
    x, *states = (torch.from_numpy(arrays[n]) for n in ("X", "H0", "C0") if n in arrays)
    first = states[0][None] if case.family == "gru" else tuple(s[None] for s in states)
    held: list[torch.Tensor] = []

    def run() -> None:
        y, last = made(x, first)
        held[:] = [y] if case.family == "gru" else [y, last[1]]

    return Work(run, lambda: result(arrays, held), {"call": f"torch.nn.{type(made).__name__}(x, state)"})


_NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


def weights(case: Case, arrays: Arrays) -> list[torch.Tensor]:
    """W, U and their biases, in torch's layout; its gates have the kernels' order."""
    import torch

    order = tuple(range(arrays["bi"].shape[0]))
    return [torch.from_numpy(gate_rows(arrays[n], order)) for n in ("W", "U", "bi", "bh")]


def result(arrays: Arrays, held: list[torch.Tensor]) -> np.ndarray:
    """The states after each step [t, b, j], and the memory [1, b, j] after the last, as the kernel's results."""
    states = np.concatenate([arrays["H0"][None], held[0].numpy()])
    return outcome(states if len(held) == 1 else {"H": states, "C": held[1].numpy().reshape(1, *states.shape[1:])})


def packed_lstm(case: Case, arrays: Arrays) -> Work:
    """What torch.compile emits for an LSTM whose weights are frozen."""
    import torch

    torch.set_grad_enabled(False)
    hidden = case.size["j"]
    x, h, c = (torch.from_numpy(arrays[n]) for n in ("X", "H0", "C0"))
    wi, wh, bi, bh = weights(case, arrays)
    packed = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(wi, wh, hidden, False, True, False, list(x.shape))
    held: list[torch.Tensor] = []

    def run() -> None:
        y, _, memory, _ = torch.ops.aten.mkldnn_rnn_layer(
            x, *packed, bi, bh, h[None], c[None], False, [], _LSTM, hidden, 1, True, False, False, False
        )
        held[:] = [y, memory]

    return Work(run, lambda: result(arrays, held), {"call": "mkldnn_rnn_layer, reordered weights"})
