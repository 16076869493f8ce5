"""Recurrent layers: inputs that let every gate be seen, and the states that follow from them, in float64.

What a layer gives is one array: the states H before the first and after each step, as H[t,b,j], and for LSTM cells one more
row, their memory C after the last step. That is what libraries return.
"""

from __future__ import annotations

import numpy as np

from isamap_smt.bench.case import Case

Arrays = dict[str, np.ndarray]

#: Of the largest element. Sums of up to 2816 products in f32, in any order, and activations of a few ulp were seen to leave
#: at most 4e-6 after 25 steps (each step shrinks what was there). Weights rounded to f16 on the way leave 4e-5 to 3e-4, and
#: an exchanged gate more than 1e-2.
TOLERANCE = 2e-5


def inputs(case: Case, seed: int = 0) -> Arrays:
    """Inputs X of variance one; weights as libraries begin with, within 1 / sqrt(columns); the rest within one.

    So gates lie where their curves are steep: saturated ones would hide what is wrong before them.
    """
    shapes = case.shapes()
    rng = np.random.default_rng(seed)
    found: Arrays = {}
    for name in case.problem().inputs:
        if name == "X":
            found[name] = rng.standard_normal(shapes[name], dtype=np.float32)
            continue
        bound = 1.0 / np.sqrt(shapes[name][0]) if name in case.weights else 1.0
        found[name] = (rng.random(shapes[name], dtype=np.float32) * 2 - 1) * np.float32(bound)
    return found


def outcome(results: np.ndarray | Arrays) -> np.ndarray:
    """A kernel's results, the states H or a dictionary of H and C, as the one array that is compared."""
    if isinstance(results, np.ndarray):
        return results.copy()
    return np.concatenate([results["H"], results["C"][-1:]])


def gru(case: Case, arrays: Arrays) -> np.ndarray:
    """Cells of Cho et al., the reset gate behind the product; see isamap_kernels.recurrent."""
    exact, sums = _prepared(arrays)
    states = [exact["H0"]]
    for p in sums:
        h = states[-1]
        r = _product(h, exact["U"]) + exact["bh"]
        reset, update = _sigmoid(p[:, 0] + r[:, 0]), _sigmoid(p[:, 1] + r[:, 1])
        new = np.tanh(p[:, 2] + reset * r[:, 2])
        states.append((1.0 - update) * new + update * h)
    return np.stack(states)


def lstm(case: Case, arrays: Arrays) -> np.ndarray:
    """Cells with input, forget, cell and output gate; see isamap_kernels.recurrent."""
    exact, sums = _prepared(arrays)
    states, memory = [exact["H0"]], exact["C0"]
    for p in sums:
        gates = p + _product(states[-1], exact["U"]) + exact["bh"]
        put, forget, give = (_sigmoid(gates[:, g]) for g in (0, 1, 3))
        memory = forget * memory + put * np.tanh(gates[:, 2])
        states.append(give * np.tanh(memory))
    return np.stack([*states, memory])


def _prepared(arrays: Arrays) -> tuple[Arrays, np.ndarray]:
    """(everything in float64, what the inputs and their biases add to the gates: step, batch, gate, element)."""
    exact = {n: a.astype(np.float64) for n, a in arrays.items()}
    return exact, _product(exact["X"], exact["W"]) + exact["bi"]


def _product(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """x[..., c] times weights[c, g, j]."""
    inner, gates, hidden = weights.shape
    return (x @ weights.reshape(inner, gates * hidden)).reshape(*x.shape[:-1], gates, hidden)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), where exp(-x) cannot overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * x))
