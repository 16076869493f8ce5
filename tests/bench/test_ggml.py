"""ggml's product of weights in Q4_0 is NumPy's, of activations in Q8_0."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import ggml
from benchmarks.four_bits import EXACT, weights_of
from isamap_smt.networks.against import error_of


def test_activations_in_q8() -> None:
    """127 steps of the largest of a block; zeros stay."""
    x = np.zeros((2, 64), np.float32)
    x[0, :3] = 127, 1.4, -63.6
    assert np.array_equal(ggml.in_q8(x)[0, :4], [127, 1, -64, 0])
    assert not ggml.in_q8(x)[1].any()


def test_weights_are_in_bytes_as_in_the_matrix() -> None:
    halves, scales, matrix = weights_of(64)
    assert matrix[3, 33] == (int(halves[3, 1, 0] >> 4) - 8) * scales[3, 1]
    assert (matrix.reshape(64, 2, 32)[:, :, 0] == -8 * scales).all()


@pytest.mark.skipif(not ggml.installed(), reason="llama-cpp-python is not installed")
@pytest.mark.parametrize("repacked", [False, True])
@pytest.mark.parametrize("rows", [1, 8])
def test_product(rows: int, repacked: bool) -> None:
    _, _, matrix = weights_of(256)
    x = np.random.default_rng(2).standard_normal((rows, 256)).astype(np.float32)
    try:
        product = ggml.Product(matrix, rows, 1, repacked=repacked)
    except LookupError as error:
        pytest.skip(str(error))
    product.give(x)
    product()
    assert error_of(product.result(), ggml.in_q8(x) @ matrix.T.astype(np.float64)) <= EXACT
    assert error_of(product.result(), ggml.in_q8(x) @ matrix.T.astype(np.float64) * 1.001) > EXACT
