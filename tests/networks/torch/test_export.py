"""im.from_torch(model): models of torch as networks, in C and with sizes that stay open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install isamap-smt[torch]")

from torch import nn  # noqa: E402

import isamap_smt as im  # noqa: E402
from isamap_smt.ir.errors import NetworkError  # noqa: E402

SMALL = (torch.randn(4, 8),)


def small() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(-1)).eval()


def test_a_library_in_c(tmp_path: Path) -> None:
    model = small()
    written = im.write_network(im.from_torch(model, SMALL), tmp_path / "small")
    assert "sequential.so" in {n.lower() for n in written.files}
    loaded = im.load_network(tmp_path / "small")
    found = loaded(SMALL[0].numpy())["result_0"]
    np.testing.assert_allclose(found, model(*SMALL).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_batch_that_stays_open() -> None:
    model = small()
    network = im.from_torch(model, SMALL, dynamic_shapes=({0: torch.export.Dim("batch", max=8)},))
    run = im.compile_network(network)
    for n in (2, 7):
        x = torch.randn(n, 8)
        found = run(x.numpy())["result_0"]
        np.testing.assert_allclose(found, model(x).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_size_without_a_largest_one() -> None:
    with pytest.raises(NetworkError, match=r"no largest size.*max=8"):
        im.from_torch(small(), SMALL, dynamic_shapes=({0: torch.export.Dim("batch")},))


def test_an_exported_program() -> None:
    program = torch.export.export(small(), SMALL)
    assert not im.from_torch(program, name="mine").foreign
    assert im.from_torch(program, name="mine").name == "mine"


def test_a_model_that_keeps_something() -> None:
    with pytest.raises(NetworkError, match=r"changes 1\.running_mean.*eval\(\)"):
        im.from_torch(nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4)).train(), SMALL)


def test_buffers_and_constants() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("kept", torch.arange(8.0))
            self.register_buffer("left", torch.arange(8.0) + 1, persistent=False)

        def forward(self, x: Any) -> Any:
            return x * self.kept + self.left + torch.tensor([0.5])

    network = im.from_torch(Model(), SMALL)
    found = im.run_network(network, {network.inputs[0]: SMALL[0].numpy()})["result_0"]
    np.testing.assert_allclose(found, Model()(*SMALL).numpy(), rtol=1e-6)
