"""GRU and LSTM against plain NumPy loops in f64, and against PyTorch's layers where PyTorch is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_kernels.recurrent import GRU, LSTM
from isamap_smt.ir.interpret import random_arrays, reference, run_kernel
from isamap_smt.ir.kernel import Kernel, Recurrence

Arrays = dict[str, np.ndarray]
SIZES = {"t": 6, "b": 3, "j": 5, "c": 4}
TEXTS = {"gru": GRU, "lstm": LSTM}
RESULTS = {"gru": {"H"}, "lstm": {"H", "C"}}


def layer(name: str) -> Kernel:
    return im.kernel(TEXTS[name].strip(), name=name)


def drawn(name: str, seed: int = 0, **sizes: int) -> Arrays:
    return random_arrays(layer(name), {**SIZES, **sizes}, np.random.default_rng(seed))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gru(a: Arrays) -> Arrays:
    a = {n: v.astype(np.float64) for n, v in a.items()}
    states = [a["H0"]]
    for x in a["X"]:
        h = states[-1]
        gates = [(x @ a["W"][:, g] + a["bi"][g], h @ a["U"][:, g] + a["bh"][g]) for g in range(3)]
        r, z = (sigmoid(sum(gates[g])) for g in (0, 1))
        n = np.tanh(gates[2][0] + r * gates[2][1])
        states.append((1 - z) * n + z * h)
    return {"H": np.array(states)}


def lstm(a: Arrays) -> Arrays:
    a = {n: v.astype(np.float64) for n, v in a.items()}
    states, cells = [a["H0"]], [a["C0"]]
    for x in a["X"]:
        i, f, g, o = (x @ a["W"][:, g] + a["bi"][g] + states[-1] @ a["U"][:, g] + a["bh"][g] for g in range(4))
        cells.append(sigmoid(f) * cells[-1] + sigmoid(i) * np.tanh(g))
        states.append(sigmoid(o) * np.tanh(cells[-1]))
    return {"H": np.array(states), "C": np.array(cells)}


LOOPS: dict[str, Callable[[Arrays], Arrays]] = {"gru": gru, "lstm": lstm}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TEXTS)
def test_they_equal_a_loop(name: str, seed: int) -> None:
    """f64 to rounding; f32 to the rounding of a few sums of ten products, which the gates do not enlarge."""
    arrays, want = drawn(name, seed), LOOPS[name](drawn(name, seed))
    wide = {n: a.astype(np.float64) for n, a in arrays.items()}
    k64 = layer(name).with_dtypes({t.name: "f64" for t in layer(name).tensors})
    for found, error in (
        (run_kernel(layer(name), arrays), 2e-6),
        (reference(layer(name), arrays), 1e-13),
        (run_kernel(k64, wide), 1e-13),
    ):
        assert set(found) == RESULTS[name]
        for n in found:
            np.testing.assert_allclose(found[n], want[n], rtol=0, atol=error)


@pytest.mark.parametrize("name", TEXTS)
def test_every_weight_and_every_state_counts(name: str) -> None:
    """A change to any one gate's part of an operand changes the last state: no gate is left out or read twice."""
    arrays = drawn(name)
    last = run_kernel(layer(name), arrays)["H"][-1]
    for n, a in arrays.items():
        gates = {"W": 1, "U": 1, "bi": 0, "bh": 0}
        for g in range(a.shape[gates[n]]) if n in gates else (slice(None),):
            changed = a.copy()
            np.moveaxis(changed, gates.get(n, 0), 0)[g] *= 0.5
            assert np.abs(run_kernel(layer(name), {**arrays, n: changed})["H"][-1] - last).max() > 1e-4, (n, g)


@pytest.mark.parametrize(("name", "gates"), [("gru", 3), ("lstm", 4)])
def test_shapes_and_open_sizes(name: str, gates: int) -> None:
    k = layer(name)
    shapes = {t.name: ", ".join(map(str, t.shape)) for t in k.tensors}
    assert shapes["P"] == shapes["R"] == f"T, B, {gates}, J"
    assert shapes["W"] == f"C, {gates}, J" and shapes["U"] == f"J, {gates}, J"
    assert shapes["bi"] == shapes["bh"] == f"{gates}, J"
    assert shapes["X"] == "T, B, C" and shapes["H0"] == "B, J"
    assert all(shapes[n] == "T + 1, B, J" for n in RESULTS[name])
    assert k.free_sizes == ("B", "C", "J", "T")
    assert set(k.results) == RESULTS[name]
    (block,) = k.recurrences
    assert block.axis == "t" and block.end == len(k.statements) and block == Recurrence("t", block.first, block.end)
    assert im.kernel(im.to_text(k), name=name) == k


def parameters(arrays: Arrays, torch: Any) -> dict[str, Any]:
    """The state dict of PyTorch's layer: gates outermost, inputs innermost."""

    def rows(a: np.ndarray) -> Any:
        return torch.from_numpy(np.ascontiguousarray(a.reshape(a.shape[0], -1).T if a.ndim == 3 else a.reshape(-1)))

    return {
        f"{p}_l0": rows(arrays[n])
        for p, n in {"weight_ih": "W", "weight_hh": "U", "bias_ih": "bi", "bias_hh": "bh"}.items()
    }


@pytest.mark.parametrize("name", TEXTS)
def test_they_equal_torch(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: its layers are not compared")
    arrays = drawn(name, 7, t=11, j=16, c=9)
    peer = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[name](9, 16)
    peer.load_state_dict(parameters(arrays, torch))
    start = [torch.from_numpy(arrays[n])[None] for n in ("H0", "C0") if n in arrays]
    with torch.no_grad():
        rows, last = peer(torch.from_numpy(arrays["X"]), tuple(start) if name == "lstm" else start[0])
    found = run_kernel(layer(name), arrays)
    np.testing.assert_allclose(found["H"][1:], rows.numpy(), rtol=0, atol=3e-6)
    if name == "lstm":
        np.testing.assert_allclose(found["C"][-1], last[1][0].numpy(), rtol=0, atol=3e-6)
