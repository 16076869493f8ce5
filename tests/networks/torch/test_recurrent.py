"""Recurrent layers of torch: a kernel for each layer and direction, however many time steps there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install isamap-smt[torch]")

from torch import nn  # noqa: E402

import isamap_smt as im  # noqa: E402
from isamap_smt.networks.graph import Step  # noqa: E402
from isamap_smt.networks.torch.tensors import array_of  # noqa: E402

TIME, BATCH, WIDTH, HIDDEN = 5, 3, 4, 6


pytestmark = pytest.mark.filterwarnings(
    "ignore:The tensor attributes self.layer._flat_weights"
)  # torch's own, of its layers


class Layers(nn.Module):
    """All results of a layer, as a tuple of tensors; `given` counts its states before the first time step."""

    def __init__(self, layer: Any, given: int = 0) -> None:
        super().__init__()
        self.layer, self.given = layer, given

    def forward(self, x: Any, *starts: Any) -> Any:
        made, ends = self.layer(x, starts if self.given == 2 else starts[0]) if self.given else self.layer(x)
        return (made, *ends) if isinstance(ends, tuple) else (made, ends)


LAYERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "lstm": (nn.LSTM, {}),
    "lstm: two layers, both ways, batch first": (nn.LSTM, {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    "lstm: no biases": (nn.LSTM, {"bias": False}),
    "lstm: projected": (nn.LSTM, {"proj_size": 2, "num_layers": 2, "bidirectional": True}),
    "lstm: projected, no biases": (nn.LSTM, {"proj_size": 2, "bias": False}),
    "gru": (nn.GRU, {}),
    "gru: three layers, both ways, no biases": (nn.GRU, {"num_layers": 3, "bidirectional": True, "bias": False}),
    "rnn: tanh": (nn.RNN, {"bidirectional": True}),
    "rnn: relu": (nn.RNN, {"nonlinearity": "relu", "batch_first": True, "num_layers": 2}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _traced() -> Iterator[None]:
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_rnn=True), torch.no_grad():
        yield


def layer(name: str, given: int = 0) -> Any:
    torch.manual_seed(len(name))
    kind, options = LAYERS[name]
    return Layers(kind(WIDTH, HIDDEN, **options), given).eval()


def inputs(model: Any, time: int = TIME) -> tuple[Any, ...]:
    """A sequence, and states before its first time step."""
    made = model.layer
    x = torch.randn(*((BATCH, time) if made.batch_first else (time, BATCH)), WIDTH)
    count = made.num_layers * (2 if made.bidirectional else 1)
    widths = [made.proj_size or HIDDEN, HIDDEN][: model.given]
    return (x, *(torch.randn(count, BATCH, w) for w in widths))


def assert_close(found: Any, meant: Any) -> None:
    for got, want in zip(found, meant, strict=True):
        np.testing.assert_allclose(array_of(got), array_of(want), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_it_is_a_kernel_for_each_layer_and_direction(name: str, given: bool) -> None:
    model = layer(name, (2 if name.startswith("lstm") else 1) * given)
    xs = inputs(model)
    network = im.from_torch(model, xs)
    directions = model.layer.num_layers * (2 if model.layer.bidirectional else 1)
    assert sum(isinstance(s, Step) and "for t:" in s.kernel.text for s in network.steps) == directions
    assert not network.foreign
    found = im.run_network(network, {n: x.numpy() for n, x in zip(network.inputs, xs, strict=True)})
    assert_close([torch.from_numpy(x) for x in found.values()], model(*xs))


def test_compiled() -> None:
    model = layer("lstm")
    fast = torch.compile(model, backend="isamap", options={"strict": True})
    for _ in range(2):
        xs = inputs(model)
        assert_close(fast(*xs), model(*xs))


def test_what_it_does_in_training_is_torchs_own() -> None:
    model = Layers(nn.GRU(WIDTH, HIDDEN))
    with torch.enable_grad():
        fast = torch.compile(model, backend="isamap")
        x = torch.randn(TIME, BATCH, WIDTH)
        with pytest.warns(UserWarning, match="a graph of training is left to torch"):
            fast(x)[0].sum().backward()
        assert model.layer.weight_hh_l0.grad is not None
    meant = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    with torch.enable_grad():
        model(x)[0].sum().backward()
    assert_close([p.grad for p in model.parameters()], meant)


def test_dropout_draws_torchs_numbers() -> None:
    """Between two layers in training mode, and without gradients: left to torch, which says so."""
    model = Layers(nn.LSTM(WIDTH, HIDDEN, 2, dropout=0.5)).train()
    fast = torch.compile(model, backend="isamap")
    x = torch.randn(TIME, BATCH, WIDTH)
    torch.manual_seed(1)
    found = fast(x)
    torch.manual_seed(1)
    assert_close(found, model(x))


def test_a_packed_sequence_is_torchs_own() -> None:
    kept = nn.LSTM(WIDTH, HIDDEN).eval()

    def model(x: Any) -> Any:
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 3, 2]))
        return nn.utils.rnn.pad_packed_sequence(kept(packed)[0])[0] * 2

    x = torch.randn(TIME, BATCH, WIDTH)
    assert_close([torch.compile(model, backend="isamap")(x)], [model(x)])
