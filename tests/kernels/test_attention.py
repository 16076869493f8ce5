"""Attention runs on instructions, and equals NumPy's in f64 within the rounding of f32."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from examples.attention import ATTENTION, CAUSAL


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray, z: float, causal: bool) -> np.ndarray:
    """softmax(z q k^T) v in f64."""
    scores = np.einsum("hqd,hkd->hqk", *(a.astype(np.float64) for a in (q, k)))
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -1e30)
    weights = np.exp((scores - scores.max(2, keepdims=True)) * z)
    return np.einsum("hqk,hkd->hqd", weights, v.astype(np.float64)) / weights.sum(2, keepdims=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, 1, 3), (2, 17, 29, 8)])
def test_attention(causal: bool, shape: tuple[int, int, int, int]) -> None:
    h, queries, keys, d = shape
    kernel = (CAUSAL if causal else ATTENTION).with_dtypes({})
    planned = im.plan(kernel, "avx2", sizes={"h": h, "q": queries, "k": keys, "d": d})
    assert {s.proved.mapping.instruction.short for s in planned.program.schedules} >= {"fmadd_ps"}
    rng = np.random.default_rng(3)
    q = rng.standard_normal((h, queries, d), np.float32)
    k, v = (rng.standard_normal((h, keys, d), np.float32) for _ in range(2))
    z = np.float32(d**-0.5)
    got = im.build(planned)(Q=q, K=k, V=v, z=np.array(z))
    np.testing.assert_allclose(got, expected(q, k, v, float(z), causal), rtol=1e-4, atol=1e-5)
