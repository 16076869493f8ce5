"""The operators of examples/ against torch and onnxruntime, where these are installed; quantised layers bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from benchmarks import operator_table
from benchmarks.operator_peers import OPERATORS, Operator, onnxruntime, settings, torch
from examples import indexed, onnx_quantised


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.kernel.name)
def test_the_same_as_others(operator: Operator) -> None:
    """What the kernel means, by the interpreter; test_operators.py compares compiled code with that."""
    sizes = settings(operator.small)
    arrays = operator.arrays(sizes)
    mine = list(im.run_kernel(operator.kernel, arrays, sizes=sizes).values())[-1]
    peers = operator.peers(arrays, sizes)
    if not peers:
        pytest.skip(f"{operator.kernel.name} is compared with nothing: " + _missing())
    for name, run in peers.items():
        other = np.asarray(run())
        assert other.shape == mine.shape, name
        if operator.exact:
            assert np.array_equal(other, mine), name
        else:
            np.testing.assert_allclose(mine, other, rtol=2e-5, atol=2e-5, err_msg=name)


def _missing() -> str:
    left = [n for n, found in (("torch", torch()), ("onnxruntime with onnx", onnxruntime())) if found is None]
    return f"{' and '.join(left)} not installed"


def test_a_row_of_the_table() -> None:
    """docs/operators.md is made of these."""
    operator = next(o for o in OPERATORS if o.kernel is indexed.EMBEDDING)
    told = [x.strip() for x in operator_table.row(replace(operator, usual=operator.small), 1).strip("|").split("|")]
    assert told[:3] == ["`embedding`", operator.small, "element by element"]
    assert float(told[3]) > 0
    assert float(told[4]) > 0
    assert len(told) == 7


def test_rounding_is_onnxruntimes() -> None:
    """Zero points of every kind, ties (scales that are powers of two), results beyond both ends: the same bytes."""
    if onnxruntime() is None:
        pytest.skip(_missing())
    rng = np.random.default_rng(7)
    operator = next(o for o in OPERATORS if o.kernel is onnx_quantised.QLINEAR_MATMUL)
    assert operator.onnx is not None
    seen = set()
    for turn in range(60):
        sizes = dict(zip("ijk", map(int, rng.integers(1, 40, 3)), strict=True))
        arrays = operator.arrays(sizes)
        arrays["za"], arrays["zy"] = (np.asarray(v, np.uint8) for v in rng.choice([0, 1, 127, 128, 255], 2))
        arrays["zb"] = rng.integers(-128, 128, sizes["j"]).astype(np.int8)
        if turn % 2:
            arrays["s"] = rng.choice([0.5, 0.25, 2.0**-9, 2.0**-12], sizes["j"]).astype(np.float32)
        mine = im.run_kernel(operator.kernel, arrays)["Y"]
        assert np.array_equal(operator.onnx(arrays, sizes)(), mine)
        seen |= set(mine.reshape(-1).tolist())
    assert len(seen) == 256, "every byte is a result"
