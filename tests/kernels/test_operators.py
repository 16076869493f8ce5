"""The operators of examples/ against NumPy (bench/references.py): compiled for this CPU, so proved, at sizes with odd edges.

Elements are small whole numbers, so that sums are exact in any order and compared bit for bit; where something is rounded on the
way, the bound says how often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from examples import contractions, convolutions, indexed, onnx_quantised, windows
from isamap_smt.bench import references as want
from isamap_smt.ir.interpret import random_arrays

ULP = 2.0**-24


@dataclass(frozen=True)
class Case:
    """kernel at `sizes`, against expected(arrays, sizes). values: how inputs are drawn that are not whole numbers from -4 to 4.
    bound: what a result may be off by, times its magnitude (of all that is added up, at most 4 times the largest result)."""

    kernel: im.Kernel
    sizes: str
    expected: Callable[[dict[str, Any], dict[str, int]], Any]
    bound: float = 0.0
    usual: bool = False
    real: bool = False

    @property
    def settings(self) -> dict[str, int]:
        pairs = (x.split("=") for x in self.sizes.split())
        return {n: int(v) for n, v in pairs}

    def __str__(self) -> str:
        return f"{self.kernel.name} {self.sizes}"


def _several(kernel: im.Kernel, expected: Any, *sizes: str, **more: Any) -> Iterator[Case]:
    """The first sizes are tried by every `make test`."""
    for n, s in enumerate(sizes):
        yield Case(
            kernel, s, lambda a, k: expected(**a, **{x: k[x] for x in _named(expected, k)}), usual=n == 0, **more
        )


def _named(function: Any, sizes: dict[str, int]) -> list[str]:
    from inspect import signature

    return [n for n in signature(function).parameters if n in sizes and n.islower()]


CASES = [
    *_several(convolutions.GROUPED, want.grouped, "n=1 p=5 q=7 g=2 k=9 c=3 r=3 s=2", "n=2 p=1 q=1 g=3 k=1 c=1 r=1 s=1"),
    *_several(
        convolutions.VOLUME, want.volume, "n=1 p=3 q=2 v=5 k=17 c=3 r=2 s=3 w=1", "n=1 p=1 q=1 v=1 k=1 c=1 r=3 s=3 w=3"
    ),
    *_several(
        convolutions.DILATED, want.dilated, "n=1 p=5 q=6 k=17 c=3 r=3 s=2 d=2", "n=2 p=1 q=9 k=5 c=1 r=2 s=3 d=3"
    ),
    *_several(
        convolutions.TRANSPOSED, want.transposed, "n=1 p=4 q=5 k=9 c=3 r=3 s=2 t=2", "n=2 p=3 q=1 k=1 c=2 r=1 s=2 t=3"
    ),
    *_several(
        convolutions.TRANSPOSED_BY_OUTPUT,
        want.transposed,
        "n=1 P=4 Q=5 k=9 c=3 r=3 s=2 t=2",
        "n=2 P=3 Q=1 k=1 c=2 r=1 s=2 t=3",
    ),
    *_several(
        convolutions.CAPSULE,
        want.capsule,
        "n=1 p=3 q=2 k=3 i=4 j=4 c=2 r=2 s=3 m=4",
        "n=1 p=1 q=5 k=1 i=3 j=5 c=3 r=1 s=1 m=2",
    ),
    *_several(
        convolutions.BATCHED_WEIGHTS, want.batched, "n=3 p=4 q=5 k=17 c=3 r=2 s=3", "n=1 p=1 q=1 k=1 c=1 r=1 s=1"
    ),
    *_several(
        windows.MAX_POOL, want.max_pool, "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1", "n=2 p=1 q=3 c=1 r=2 s=1 t=1 pad=0"
    ),
    *_several(
        windows.MAX_POOL_REPEATED,
        want.max_pool,
        "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1",
        "n=2 p=1 q=3 c=1 r=2 s=1 t=1 pad=0",
    ),
    *_several(
        windows.AVERAGE_POOL,
        want.average_pool,
        "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1",
        "n=2 p=1 q=3 c=1 r=2 s=1 t=3 pad=0",
        bound=ULP,
    ),
    *_several(
        windows.BILINEAR,
        want.bilinear,
        "n=1 H=5 W_=7 c=9 z=2",
        "n=2 H=1 W_=3 c=1 z=3",
        "n=1 H=2 W_=2 c=3 z=1",
        bound=8 * ULP,
    ),
    *_several(windows.STENCIL, want.stencil, "i=5 j=37", "i=1 j=1", bound=2 * ULP),
    *_several(contractions.MTTKRP, want.mttkrp, "i=5 j=7 k=9 r=17", "i=1 j=1 k=1 r=1"),
    *_several(contractions.MTTKRP_AT_ONCE, want.mttkrp, "i=5 j=7 k=9 r=17", "i=1 j=1 k=1 r=1"),
    *_several(
        contractions.GEMM_OF_A_PART,
        lambda A, B, o: A[:, o : o + len(B)] @ B,
        "i=7 j=19 k=9 o=3 rest=5",
        "i=1 j=1 k=1 o=0 rest=0",
    ),
    *_several(contractions.SDDMM, lambda A, B, S: S * (A @ B), "i=7 j=19 k=9", "i=1 j=1 k=1"),
    *_several(
        contractions.GELU_MLP, lambda **a: want.mlp("GELU_MLP", **a), "i=5 h=19 k=7 j=13", bound=64 * ULP, real=True
    ),
    *_several(
        contractions.SILU_MLP, lambda **a: want.mlp("SILU_MLP", **a), "i=5 h=19 k=7 j=13", bound=64 * ULP, real=True
    ),
    *_several(indexed.ARGMAX, lambda X: X.argmax(1), "i=5 j=37", "i=3 j=1", "i=1 j=16"),
    *_several(indexed.ARGMIN, lambda X: X.argmin(1), "i=5 j=37", "i=3 j=1", "i=1 j=16"),
    *_several(
        indexed.CUMULATIVE_SUM,
        lambda X: np.vstack([0 * X[:1], X.cumsum(0, np.float32)]),
        "t=9 j=19",
        "t=1 j=1",
        real=True,
    ),
    *_several(
        indexed.CUMULATIVE_SUM_ALONG,
        lambda X: np.hstack([0 * X[:, :1], X.cumsum(1, np.float32)]),
        "i=3 t=19",
        "i=1 t=1",
        real=True,
    ),
    *_several(indexed.EMBEDDING, lambda E, at: E[at], "V=9 i=5 j=19", "V=1 i=3 j=1"),
    *_several(indexed.EMBEDDING_BAG, lambda E, at, w: np.einsum("ilj,il->ij", E[at], w), "V=9 i=5 l=3 j=19"),
    *_several(onnx_quantised.QLINEAR_MATMUL, want.qlinear_matmul, "i=5 j=19 k=37", "i=1 j=1 k=1", "i=17 j=16 k=64"),
    *_several(
        onnx_quantised.QLINEAR_CONV,
        want.qlinear_conv,
        "n=1 p=4 q=5 k=17 r=3 s=3 c=5 t=1 pad=1",
        "n=2 p=2 q=3 k=3 r=2 s=1 c=3 t=2 pad=0",
    ),
    *_several(
        onnx_quantised.INT8_LINEAR,
        lambda X, W, s, b: (X.astype(int) @ W).astype(np.float32) * s + b,
        "i=5 j=19 k=37",
        bound=2 * ULP,
    ),
]


def drawn(case: Case, seed: int = 0) -> dict[str, Any]:
    """Whole numbers from -4 to 4, bytes over their range, indices of all places; scales for quantised results of all sizes."""
    rng = np.random.default_rng(seed)
    sizes = case.settings
    arrays = random_arrays(case.kernel, sizes, rng)
    for t in case.kernel.with_sizes(sizes).tensors:
        if t.name in arrays and t.dtype.is_float and not case.real:
            shape = arrays[t.name].shape
            whole = rng.integers(-4, 5, shape).astype(np.float32)
            scales = rng.choice([0.5, 0.25, 0.0078125, 0.0123, 0.03], shape).astype(np.float32)
            arrays[t.name] = scales if t.name in ("s", "m") and "qlinear" in case.kernel.name else whole
    return arrays


@cache
def compiled(case: Case) -> Any:
    return im.compile(case.kernel, "host", sizes=case.settings)


def alike(got: Any, expected: Any, bound: float) -> None:
    assert got.shape == expected.shape
    if not bound:
        assert np.array_equal(got, expected)
        return
    assert np.max(np.abs(got - expected)) <= bound * 4 * max(1.0, float(np.max(np.abs(expected))))


CHOSEN = [pytest.param(c, id=str(c), marks=[] if c.usual else pytest.mark.exhaustive) for c in CASES]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CHOSEN)
def test_compiled(case: Case) -> None:
    arrays = drawn(case)
    precise = {n: a.astype(np.float64) if a.dtype == np.float32 and case.bound else a for n, a in arrays.items()}
    expected = case.expected(precise, case.settings)
    alike(compiled(case)(**arrays), np.asarray(expected), case.bound)


@pytest.mark.parametrize("case", [pytest.param(c, id=str(c)) for c in CASES])
def test_meaning(case: Case) -> None:
    """The interpreter, which everything else is compared with."""
    arrays = drawn(case, 1)
    precise = {n: a.astype(np.float64) if a.dtype == np.float32 and case.bound else a for n, a in arrays.items()}
    (got,) = im.run_kernel(case.kernel, arrays, sizes=case.settings).values()
    alike(got, np.asarray(case.expected(precise, case.settings)), case.bound)


@pytest.mark.parametrize("name", ["ARGMAX", "ARGMIN"])
def test_ties_and_nan_are_numpys(name: str) -> None:
    """The first of several, the first NaN before all; both zeros are one value."""
    case = next(c for c in CASES if c.kernel is getattr(indexed, name))
    x = np.random.default_rng(2).integers(-1, 2, (5, 37)).astype(np.float32)
    x[1, [5, 9]], x[2, :], x[3, 0], x[4] = np.nan, -0.0, np.inf, -np.inf
    x[2, 7] = 0.0
    expected = x.argmax(1) if name == "ARGMAX" else x.argmin(1)
    assert np.array_equal(compiled(case)(x), expected)
    assert np.array_equal(im.run_kernel(case.kernel, {"X": x})["A"], expected)


def test_every_operator_is_here() -> None:
    known = {c.kernel for c in CASES}
    for module in (contractions, convolutions, indexed, onnx_quantised, windows):
        for name, kernel in vars(module).items():
            assert not isinstance(kernel, im.Kernel) or kernel in known, name


def test_a_wrong_reference_would_be_seen() -> None:
    case = next(c for c in CASES if c.kernel is convolutions.DILATED)
    wrong = replace(case, expected=lambda a, k: want.dilated(**a, d=1)[:, : k["p"], : k["q"]])
    with pytest.raises(AssertionError):
        alike(compiled(case)(**drawn(case)), wrong.expected(drawn(case), case.settings), 0.0)
