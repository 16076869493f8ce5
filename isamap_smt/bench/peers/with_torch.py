"""torch as it is called: mm and conv2d, _int_mm for bytes, and its recurrent layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import OPERATORS
from isamap_smt.bench.peers import operators_torch
from isamap_smt.bench.peers.layouts import Convolution, convolutions, gate_rows
from isamap_smt.bench.recurrent import outcome
from isamap_smt.bench.work import Unsupported, Work, latest

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

    def states_of(found: Any) -> np.ndarray:
        y, last = found
        return result(arrays, y, None if case.family == "gru" else last[1])

    return latest(lambda: made(x, first), states_of, f"torch.nn.{type(made).__name__}(x, state)")


_NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


def weights(case: Case, arrays: Arrays) -> list[torch.Tensor]:
    """W, U and their biases, in torch's layout; its gates have the kernels' order."""
    import torch

    order = tuple(range(arrays["bi"].shape[0]))
    return [torch.from_numpy(gate_rows(arrays[n], order)) for n in ("W", "U", "bi", "bh")]


def result(arrays: Arrays, y: torch.Tensor, memory: torch.Tensor | None) -> np.ndarray:
    """The states after each step [t, b, j], and the memory [1, b, j] after the last, as the kernel's results."""
    states = np.concatenate([arrays["H0"][None], y.numpy()])
    return outcome(states if memory is None else {"H": states, "C": memory.numpy().reshape(1, *states.shape[1:])})


def packed_lstm(case: Case, arrays: Arrays) -> Work:
    """What torch.compile emits for an LSTM whose weights are frozen."""
    import torch

    torch.set_grad_enabled(False)
    hidden = case.size["j"]
    x, h, c = (torch.from_numpy(arrays[n]) for n in ("X", "H0", "C0"))
    wi, wh, bi, bh = weights(case, arrays)
    packed = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(wi, wh, hidden, False, True, False, list(x.shape))

    def run() -> Any:
        return torch.ops.aten.mkldnn_rnn_layer(
            x, *packed, bi, bh, h[None], c[None], False, [], _LSTM, hidden, 1, True, False, False, False
        )

    return latest(run, lambda found: result(arrays, found[0], found[2]), "mkldnn_rnn_layer, reordered weights")


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """A matrix product, an operator, a recurrent layer, or convolutions on tensors in torch's own order (channels first)."""
    import torch

    torch.set_num_threads(threads)
    if case.family in OPERATORS:
        return operators_torch.work(case, arrays)
    return _FAMILIES[case.family](case, arrays)


def open_channels_last(
    case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]
) -> Work:
    """Convolutions on channels-last tensors."""
    import torch

    torch.set_num_threads(threads)
    return _convolutions(*conv_operands(case, arrays, torch.channels_last))


def _product(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    import torch

    x, w = matrix_operands(case, arrays)
    if case.elements == "u8xi8":
        return _bytes(x, w)
    out = torch.full((x.shape[0], w.shape[1]), float("nan"), dtype=x.dtype)
    return Work(lambda: torch.mm(x, w, out=out), lambda: to_numpy(out), {"call": "torch.mm(x, w, out=out)"})


def _bytes(x: torch.Tensor, w: torch.Tensor) -> Work:
    """_int_mm takes signed bytes: x - 128, and the result is mended for the check only, as x W = (x-128) W + 128 1 W."""
    import torch

    signed = (x.to(torch.int16) - 128).to(torch.int8)

    def mended(y: torch.Tensor) -> np.ndarray:
        return (y.long() + 128 * w.long().sum(0)).to(torch.int32).numpy()

    return latest(lambda: torch._int_mm(signed, w), mended, "torch._int_mm(x - 128, w)")


def matrix_operands(case: Case, arrays: dict[str, np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """(x [N,K], w [K,M]) as they lie in memory: transposed operands are views."""
    a, b = tensor(arrays["A"]), tensor(arrays["B"])
    return (a.t() if case.form == "TN" else a), (b.t() if case.form == "NT" else b)


def tensor(array: np.ndarray) -> torch.Tensor:
    """The array's memory as a tensor, bf16 included."""
    import torch

    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_numpy(t: torch.Tensor) -> np.ndarray:
    """Back, bf16 included."""
    import torch

    if t.dtype == torch.bfloat16:
        import ml_dtypes

        return t.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return t.numpy()


def conv_operands(
    case: Case, arrays: dict[str, np.ndarray], order: torch.memory_format
) -> tuple[torch.Tensor, list[tuple[torch.Tensor, Convolution]]]:
    """(image, [(weights, how) of each convolution]), with the tensors in this order of memory."""
    import torch

    image, steps = convolutions(case, arrays)

    def ordered(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).contiguous(memory_format=order)

    return ordered(image), [(ordered(c.weights), c) for c in steps]


def _channels_first(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    import torch

    return _convolutions(*conv_operands(case, arrays, torch.contiguous_format))


def _convolutions(image: torch.Tensor, steps: list[tuple[torch.Tensor, Convolution]]) -> Work:
    """conv2d after conv2d on these tensors; the result is brought to the kernel's order for the check only."""
    import torch

    calls = [(weights, None, c.stride, c.padding, 1, c.groups) for weights, c in steps]
    words = reduce(lambda inner, step: f"torch.conv2d({inner}, {step[1].name})", steps, "image")
    torch.set_grad_enabled(False)
    return latest(lambda: reduce(lambda t, how: torch.conv2d(t, *how), calls, image), channels_last, words)


def channels_last(t: torch.Tensor) -> np.ndarray:
    """N C H W as an array N H W C. Raises Unsupported for opaque tensors."""
    import torch

    if t.layout != torch.strided:
        raise Unsupported(f"the result is a {t.layout} tensor")
    return t.permute(0, 2, 3, 1).contiguous().numpy()


_FAMILIES: dict[str, Callable[[Case, dict[str, np.ndarray]], Work]] = {
    "matmul": _product,
    "conv": _channels_first,
    "separable": _channels_first,
    "gru": layer,
    "lstm": layer,
}
