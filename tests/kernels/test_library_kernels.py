"""Every library kernel against NumPy, in the interpreter and in the reference."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_kernels
from isamap_smt.ir.interpret import random_arrays, reference, run_kernel

GEMMS = {
    "gemm": ({"i": 5, "j": 4, "k": 7}, "ik,kj->ij"),
    "gemm_nt": ({"i": 5, "j": 4, "k": 7}, "ik,jk->ij"),
    "gemm_tn": ({"i": 5, "j": 4, "k": 7}, "ki,kj->ij"),
    "matvec": ({"i": 5, "k": 7}, "ik,k->i"),
    "batched_gemm": ({"b": 3, "i": 5, "j": 4, "k": 7}, "bik,bkj->bij"),
    "pointwise_conv2d": ({"n": 2, "p": 3, "q": 4, "k": 5, "c": 6}, "npqc,ck->npqk"),
}
TYPES = [
    ("f32", "f32", "f32"),
    ("f64", "f64", "f64"),
    ("bf16", "bf16", "f32"),
    ("u8", "i8", "i32"),
    ("i32", "i32", "i32"),
]
WINDOWS = [  # sp sq dp dq pp pq
    (1, 1, 1, 1, 0, 0),
    (1, 1, 1, 1, 1, 1),
    (2, 3, 1, 1, 1, 0),
    (1, 2, 2, 3, 2, 3),
    (3, 1, 2, 1, 0, 2),
]


def typed(name, types):
    k = isamap_kernels.load(name)
    out, (a, b) = k.outputs[0], k.inputs
    return k.with_dtypes({a: types[0], b: types[1], out: types[2]})


def assert_agree(got, want, kind):
    """Integers are equal; floats agree to the rounding of the output's type over about a hundred additions."""
    if kind.is_float:
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=0, atol=200 * np.finfo(kind.numpy).eps)
    else:
        np.testing.assert_array_equal(got.astype(np.int64), want)


@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("name", GEMMS)
def test_products_equal_einsum(name, types):
    k, (sizes, subscripts) = typed(name, types), GEMMS[name]
    kind = k.tensor(k.outputs[0]).dtype
    arrays = random_arrays(k, sizes, np.random.default_rng(1), outputs=True)
    out = {k.outputs[0]: arrays.pop(k.outputs[0])}
    wide = np.float64 if kind.is_float else np.int64
    want = np.einsum(subscripts, *[arrays[n].astype(wide) for n in k.inputs])
    assert_agree(run_kernel(k, arrays)[k.outputs[0]], want, kind)
    assert_agree(run_kernel(k, arrays, out)[k.outputs[0]], want + out[k.outputs[0]].astype(wide), kind)
    assert_agree(reference(k, arrays, out)[k.outputs[0]], want + out[k.outputs[0]].astype(wide), kind)


def convolution(image, weights, window, p, q, depthwise):
    """Zero-pad, then sum one shifted and strided copy of the image for each element of the window."""
    sp, sq, dp, dq, pp, pq = window
    image = np.pad(image, ((0, 0), (pp, pp), (pq, pq), (0, 0)))
    total = 0
    for r in range(weights.shape[0]):
        for s in range(weights.shape[1]):
            rows, columns = r * dp, s * dq
            part = image[:, rows : rows + (p - 1) * sp + 1 : sp, columns : columns + (q - 1) * sq + 1 : sq]
            total = total + (part * weights[r, s] if depthwise else part @ weights[r, s])
    return total


@pytest.mark.parametrize("types", TYPES[:1] + TYPES[3:4], ids="-".join)
@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d"])
def test_convolutions_equal_padded_ones(name, window, types):
    k = typed(name, types)
    sizes = dict(zip(("sp", "sq", "dp", "dq", "pp", "pq"), window, strict=True))
    sizes |= {"n": 2, "p": 4, "q": 5, "r": 3, "s": 2, "c": 3} | ({} if name.startswith("depth") else {"k": 4})
    arrays = random_arrays(k, sizes, np.random.default_rng(2))
    kind = k.tensor("O").dtype
    wide = np.float64 if kind.is_float else np.int64
    image, weights = (arrays[n].astype(wide) for n in ("I", "W"))
    assert image.shape[1:3] == (
        3 * window[0] + 2 * window[2] + 1 - 2 * window[4],
        4 * window[1] + window[3] + 1 - 2 * window[5],
    )
    want = convolution(image, weights, window, 4, 5, name.startswith("depth"))
    assert_agree(run_kernel(k, arrays, sizes=sizes)["O"], want, kind)
    assert_agree(reference(k, arrays, sizes=sizes)["O"], want, kind)


def test_an_identity_matrix_changes_nothing():
    a = np.random.default_rng(3).standard_normal((6, 6)).astype(np.float32)
    k = isamap_kernels.load("gemm")
    np.testing.assert_array_equal(run_kernel(k, {"A": a, "B": np.eye(6, dtype=np.float32)})["C"], a)


def test_a_window_of_one_element_is_a_pointwise_convolution():
    sizes = {
        "n": 1,
        "p": 3,
        "q": 4,
        "k": 5,
        "c": 6,
        "r": 1,
        "s": 1,
        "sp": 1,
        "sq": 1,
        "dp": 1,
        "dq": 1,
        "pp": 0,
        "pq": 0,
    }
    k = isamap_kernels.load("conv2d")
    arrays = random_arrays(k, sizes, np.random.default_rng(4))
    pointwise = run_kernel(isamap_kernels.load("pointwise_conv2d"), {"I": arrays["I"], "W": arrays["W"][0, 0]})
    np.testing.assert_array_equal(run_kernel(k, arrays, sizes=sizes)["O"], pointwise["O"])


def test_names_and_load():
    assert isamap_kernels.names() == tuple(isamap_kernels.TEXTS)
    for name in isamap_kernels.names():
        assert isamap_kernels.load(name).name == name
