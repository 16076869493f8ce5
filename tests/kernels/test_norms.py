"""The kernels of examples/norms.py against formulas in f64, on machines with and without vectors, sizes of every kind.

u = 2^-24. A sum of n terms in any order is off by at most n u times the sum of their magnitudes; each other operation by u, a
function by the ULP of its row in isamap_smt.ir.heads. The bounds below add these up to first order and double the result.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from examples import norms

U = 2.0**-24
SIZES = [(1, 1), (3, 7), (5, 37), (2, 128), (4, 513)]
Array = np.ndarray


@lru_cache
def compiled(name: str, machine: str) -> Any:
    return im.compile(getattr(norms, name), machine)


def erf(x: Array) -> Array:
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), dtype=np.float64)


def run(name: str, machine: str, **inputs: Array) -> Array:
    """The only result, or the last one."""
    found = compiled(name, machine)(**inputs)
    return np.asarray(list(found.values())[-1] if isinstance(found, dict) else found, dtype=np.float64)


def rows(shape: tuple[int, int]) -> Array:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 3 + 1).astype(np.float32)


def assert_near(got: Array, want: Array, bound: Any) -> None:
    assert got.shape == want.shape
    assert (np.abs(got - want) <= bound).all(), np.max(np.abs(got - want) / bound)


machines = pytest.mark.parametrize("machine", ["scalar", pytest.param("avx2", marks=pytest.mark.needs("avx2"))])
shapes = pytest.mark.parametrize("shape", SIZES, ids=str)


@pytest.mark.one_in(3)
@machines
@shapes
def test_mean_and_variance(machine: str, shape: tuple[int, int]) -> None:
    x, n = rows(shape), shape[1]
    d = x.astype(np.float64)
    size = np.abs(d).mean(axis=1)
    assert_near(run("MEAN", machine, x=x), d.mean(axis=1), 2 * (n + 1) * U * size)
    square = ((d - d.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
    largest = np.abs(d).max(axis=1)
    assert_near(run("VARIANCE", machine, x=x), d.var(axis=1), 2 * (n + 5) * U * (square + 2 * size * largest * 2))


@pytest.mark.one_in(3)
@machines
@shapes
def test_layer_norm(machine: str, shape: tuple[int, int]) -> None:
    x, n = rows(shape), shape[1]
    g, b = (np.random.default_rng(k).normal(size=n).astype(np.float32) for k in (1, 2))
    d = x.astype(np.float64)
    spread = np.sqrt(d.var(axis=1, keepdims=True) + 1e-5)
    part = (d - d.mean(axis=1, keepdims=True)) / spread
    moved = (n + 2) * U * np.abs(d).mean(axis=1, keepdims=True) / spread  # what the mean's error makes of a part
    bound = 2 * ((np.abs(part) * ((n + 8) * U + moved) + moved + U * np.abs(part)) * np.abs(g) + U * np.abs(b) + 4 * U)
    assert_near(run("LAYER_NORM", machine, x=x, g=g, b=b), part * g + b, bound)


@pytest.mark.one_in(3)
@machines
@shapes
def test_rms_norm(machine: str, shape: tuple[int, int]) -> None:
    x, n = rows(shape), shape[1]
    g = np.random.default_rng(3).normal(size=n).astype(np.float32)
    d = x.astype(np.float64)
    want = d / np.sqrt((d**2).mean(axis=1, keepdims=True) + 1e-6) * g
    assert_near(run("RMS_NORM", machine, x=x, g=g), want, 2 * (n / 2 + 7) * U * np.abs(want))


def softmax(d: Array) -> Array:
    e = np.exp(d - d.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


@pytest.mark.one_in(3)
@machines
@shapes
def test_softmax(machine: str, shape: tuple[int, int]) -> None:
    x, n = rows(shape), shape[1]
    d = x.astype(np.float64)
    far = d.max(axis=1, keepdims=True) - d  # an error of u in the exponent is this many u of the result
    want = softmax(d)
    assert_near(run("SOFTMAX", machine, x=x), want, 2 * (n + 7 + far + far.max()) * U * want)


@pytest.mark.one_in(3)
@machines
@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (5, 9), (9, 5), (33, 33)], ids=str)
def test_causal_softmax(machine: str, shape: tuple[int, int]) -> None:
    s = rows(shape)
    d = s.astype(np.float64)
    sees = np.arange(shape[1])[None] <= np.arange(shape[0])[:, None]
    want = softmax(np.where(sees, d, -np.inf))
    got = run("CAUSAL_SOFTMAX", machine, s=s)
    assert_near(got, want, 2 * (shape[1] + 7 + 2 * np.ptp(d)) * U * want)
    assert (got[~sees] == 0).all()


@pytest.mark.one_in(3)
@machines
@shapes
def test_log_sum_exp(machine: str, shape: tuple[int, int]) -> None:
    x, n = rows(shape), shape[1]
    d = x.astype(np.float64)
    top = d.max(axis=1)
    want = np.log(np.exp(d - top[:, None]).sum(axis=1)) + top
    assert_near(run("LOG_SUM_EXP", machine, x=x), want, 2 * U * (n + 4 + np.ptp(d) + 2 * math.log(n) + np.abs(want)))


@pytest.mark.one_in(4)
@machines
@pytest.mark.parametrize("name", ["GELU", "GELU_TANH", "SILU"])
@pytest.mark.parametrize("count", [1, 7, 8, 1001])
def test_activations(machine: str, name: str, count: int) -> None:
    x = np.linspace(-12, 12, count).astype(np.float32)
    d = x.astype(np.float64)
    want = {
        "GELU": 0.5 * d * (1 + erf(d / math.sqrt(2))),
        "GELU_TANH": 0.5 * d * (1 + np.tanh(math.sqrt(2 / math.pi) * (d + 0.044715 * d**3))),
        "SILU": d / (1 + np.exp(-d)),
    }[name]
    bound = 2 * U * np.abs(d) * 8
    assert_near(run(name, machine, x=x), want, bound)
    mine = im.run_kernel(getattr(norms, name), {"x": x})["y"]
    assert run(name, machine, x=x).astype(np.float32).tobytes() == mine.tobytes(), "the interpreter gives the same bits"


def test_every_kernel_is_proved() -> None:
    names = [n for n, k in vars(norms).items() if isinstance(k, im.Kernel)]
    assert len(names) == 10
    for name in names:
        program = compiled(name, "scalar").program
        assert im.prove_program(program).proved, name
