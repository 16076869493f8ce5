"""The builder's functions beside NumPy: one network of them all, by the interpreter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError

rng = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape, np.float32)


X: dict[str, np.ndarray] = {
    "x": normal(3, 4), "p": np.abs(normal(3, 4)) + np.float32(0.1), "image": normal(1, 4, 5, 3),
    "n": np.arange(-6, 6).reshape(3, 4),
    "t": normal(3, 4) > 0, "at": np.array([[2, 0], [-1, 1]]), "u": np.array([0, 3, 200], np.uint8), "one": normal(1, 3, 1),
    "q": normal(2, 4, 3, 2), "k": normal(2, 2, 5, 2), "seen": normal(3, 5) > 0, "row": normal(6), "zero": np.float32(0.5),
}  # fmt: skip
C, W, R = [normal(4) for _ in range(4)], normal(6, 2, 3, 2), normal(4, 3)
V = np.abs(C[3]) + np.float32(0.5)
ERF = np.vectorize(math.erf)


def softmax(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: Any = 0, scale: float | None = None) -> np.ndarray:
    """Of every head its own keys."""
    k, v = (np.repeat(a, q.shape[-3] // a.shape[-3], -3) if q.ndim > 2 else a for a in (k, v))
    return softmax(q @ np.swapaxes(k, -1, -2) * (scale or q.shape[-1] ** -0.5) + bias) @ v


def normed(x: np.ndarray, axis: Any) -> np.ndarray:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)


def each(c: np.ndarray) -> np.ndarray:
    return c.reshape(1, -1, 1, 1)


def convolved(x: np.ndarray, w: np.ndarray, step: int = 1) -> np.ndarray:
    seen = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], tuple(range(2, x.ndim)))
    return np.einsum("nchwrs,mcrs->nmhw", seen[:, :, ::step, ::step], w)


def transposed(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """With stride 2, two groups, a pad of 1 and one place more behind."""
    made = np.zeros((1, 4, 2 * 4 + 3 + 1, 2 * 2 + 2 + 1), np.float32)
    for n in range(5):
        for m in range(3):
            for g in range(2):
                part = np.einsum("nc,cmrs->nmrs", x[:, 2 * g : 2 * g + 2, n, m], w[2 * g : 2 * g + 2])
                made[:, 2 * g : 2 * g + 2, 2 * n : 2 * n + 3, 2 * m : 2 * m + 2] += part
    return made[:, :, 1:-1, 1:-1]


LOW = np.tri(3, 5, 2, bool)
FULL = np.where(X["seen"], 0, -np.inf)
# names of inputs, a function of them, and NumPy's
CASES: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    ("x", im.exp, np.exp),
    ("p", im.log, np.log),
    ("p", im.sqrt, np.sqrt),
    ("x", abs, np.abs),
    ("x", im.tanh, np.tanh),
    ("x", im.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    ("x", lambda x: -x, np.negative),
    ("x", im.sin, np.sin),
    ("x", im.cos, np.cos),
    ("x", im.erf, ERF),
    ("n", im.sign, np.sign),
    ("n", im.abs, np.abs),
    ("u", im.abs, np.abs),
    ("n", im.relu, lambda n: np.maximum(n, 0)),
    (
        "x",
        lambda x: im.gelu(x, approximate=True),
        lambda x: x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    ("x p", lambda x, p: x / p - 2 * x + p * 3, lambda x, p: x / p - 2 * x + p * 3),
    ("x", lambda x: x**3, lambda x: x**3),
    ("p x", lambda p, x: p**x, lambda p, x: p**x),
    ("x", lambda x: 2.0**x, lambda x: 2.0**x),
    ("n", lambda n: n * n - 7, lambda n: n * n - 7),
    ("x", lambda x: C[0] + x, lambda x: C[0] + x),
    ("x", lambda x: R @ x, lambda x: R @ x),
    ("x", lambda x: x + X["n"], lambda x: x + X["n"]),
    ("x p", lambda x, p: x > p, np.greater),
    ("x p", lambda x, p: x <= p, np.less_equal),
    ("n", lambda n: n >= 2, lambda n: n >= 2),
    ("n", lambda n: n < 2, lambda n: n < 2),
    ("n", lambda n: im.equal(n, 3), lambda n: n == 3),
    ("n", lambda n: im.not_equal(n, X["n"].T[:1].T), lambda n: n != n[:, :1]),
    ("t", lambda t: im.equal(t, X["t"][0]), lambda t: t == t[0]),
    ("t x", lambda t, x: im.logical_and(t, x > 0), lambda t, x: t & (x > 0)),
    ("t", lambda t: im.logical_or(t, X["t"][::-1]), lambda t: t | t[::-1]),
    ("t", im.logical_not, np.logical_not),
    ("t x", lambda t, x: im.where(t, x, 0), lambda t, x: np.where(t, x, 0)),
    ("x", lambda x: im.where(x > 0, 1.0, x), lambda x: np.where(x > 0, 1, x)),
    ("x", lambda x: im.where(X["t"], x, x[0]), lambda x: np.where(X["t"], x, x[0])),
    ("t n", lambda t, n: im.where(t, 1, 2), lambda t, n: np.where(t, 1, 2)),
    ("t", lambda t: im.where(t, t, X["t"][0]), lambda t: np.where(t, t, t[0])),
    ("x", lambda x: im.clip(x, -0.5, 0.25), lambda x: np.clip(x, -0.5, 0.25)),
    ("n", lambda n: im.clip(n, high=2), lambda n: np.clip(n, None, 2)),
    ("x", lambda x: im.clip(x, low=C[0]), lambda x: np.clip(x, C[0], None)),
    ("x p", im.maximum, np.maximum),
    ("x", lambda x: im.minimum(0.5, x), lambda x: np.minimum(np.float32(0.5), x)),
    ("x", lambda x: im.astype(x, "i32"), lambda x: x.astype(np.int32)),
    ("n", lambda n: im.astype(n, "bool"), lambda n: n != 0),
    ("t", lambda t: im.sum(im.astype(t, "i64")), lambda t: t.astype(np.int64).sum()),
    ("n", lambda n: im.astype(n, "f32") / 4, lambda n: n.astype(np.float32) / 4),
    ("x", im.sum, np.sum),
    ("n", lambda n: im.sum(n, -1), lambda n: n.sum(-1)),
    ("x", lambda x: im.sum(x, (), True), lambda x: x),
    ("x", lambda x: im.sum(x, np.int64(-1)), lambda x: x.sum(-1)),
    ("x", lambda x: im.split(x, np.array([1, 3]), np.int8(1))[1], lambda x: x[:, 1:]),
    ("image", lambda image: im.mean(image, (-1, 1), keepdims=True), lambda image: image.mean((-1, 1), keepdims=True)),
    ("x", lambda x: im.max(x, 0), lambda x: x.max(0)),
    ("n", lambda n: im.min(n, [0, 1]), np.min),
    ("one", lambda one: im.max(one, 2, True), lambda one: one),
    (
        "image",
        lambda image: im.batch_norm(image, C[0], V, C[1], C[2]),
        lambda image: (image - each(C[0])) / np.sqrt(each(V) + 1e-5) * each(C[1]) + each(C[2]),
    ),
    (
        "image",
        lambda image: im.batch_norm(image, C[0], V, epsilon=0.1),
        lambda image: (image - each(C[0])) / np.sqrt(each(V) + 0.1),
    ),
    (
        "image",
        lambda image: im.group_norm(image, 2, C[0], C[1]),
        lambda image: normed(image.reshape(1, 2, -1), 2).reshape(image.shape) * each(C[0]) + each(C[1]),
    ),
    ("image", lambda image: im.group_norm(image, 4, shift=C[1]), lambda image: normed(image, (2, 3)) + each(C[1])),
    ("image", lambda image: im.layer_norm(image, axis=1), lambda image: normed(image, (1, 2, 3))),
    ("x", lambda x: im.rms_norm(x, C[0]), lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * C[0]),
    (
        "image",
        lambda image: im.linear(image[..., :2], W[0, :, :, 0], C[0][:3]),
        lambda image: image[..., :2] @ W[0, :, :, 0] + C[0][:3],
    ),
    (
        "row",
        lambda row: im.conv1d(row[None, None], W[:2, :1, :, 0], stride=2, pad=1),
        lambda row: convolved(np.pad(row, 1)[None, None, :, None], W[:2, :1, :, :1], 2)[..., 0],
    ),
    (
        "image",
        lambda image: im.conv_transpose2d(image, W[:4], stride=2, pad=1, output_pad=1, groups=2),
        lambda image: transposed(image, W[:4]),
    ),
    ("x", lambda x: im.softmax(x, 0), lambda x: softmax(x.T).T),
    ("q k", lambda q, k: im.attention(q, k, k), lambda q, k: attention(q, k, k)),
    ("q k", lambda q, k: im.attention(q, k, k, X["seen"], scale=0.3), lambda q, k: attention(q, k, k, FULL, 0.3)),
    (
        "q k seen",
        lambda q, k, seen: im.attention(q[0], k[0], k[0], seen),
        lambda q, k, seen: attention(q[0], k[0], k[0], FULL),
    ),
    (
        "q k",
        lambda q, k: im.attention(q[0, 0], k[0, 0], k[0, 0], causal=True),
        lambda q, k: attention(q[0, 0], k[0, 0], k[0, 0], np.where(LOW, 0, -np.inf)),
    ),
    ("q k", lambda q, k: im.attention(q, k, k, np.ones((3, 5))), lambda q, k: attention(q, k, k)),
    ("image", lambda image: image[:, 1:, ::2], lambda image: image[:, 1:, ::2]),
    ("image", lambda image: image[0, -1, ..., None], lambda image: image[0, -1, ..., None]),
    ("x", lambda x: x[::-1, 3:0:-2], lambda x: x[::-1, 3:0:-2]),
    ("t", lambda t: t[1], lambda t: t[1]),
    ("x", lambda x: x[...], lambda x: x),
    ("x", lambda x: x[-100:100, np.int64(1)], lambda x: x[:, 1]),
    ("zero", lambda zero: zero[None], lambda zero: zero[None]),
    ("x", lambda x: [*x][2], lambda x: x[2]),
    ("x", lambda x: x[1:1], lambda x: x[1:1]),
    ("one", lambda one: one[0, :, 0], lambda one: one[0, :, 0]),
    ("x", lambda x: im.split(x, 2, 1)[1], lambda x: x[:, 2:]),
    ("x", lambda x: im.split(x, [1, 3], -1)[0], lambda x: x[:, :1]),
    ("one", im.squeeze, lambda one: one[0, :, 0]),
    ("one", lambda one: im.squeeze(one, -1), lambda one: one[..., 0]),
    ("x", lambda x: im.expand_dims(x, (0, -1)), lambda x: x[None, ..., None]),
    ("one", lambda one: im.expand(one, (2, 3, 4)), lambda one: np.broadcast_to(one, (2, 3, 4))),
    ("x", lambda x: im.pad(x, [(0, 1), (2, 0)], value=-2), lambda x: np.pad(x, [(0, 1), (2, 0)], constant_values=-2)),
    ("x", lambda x: im.pad(x, 2, "reflect"), lambda x: np.pad(x, 2, "reflect")),
    ("one", lambda one: im.pad(one, 1, "edge"), lambda one: np.pad(one, 1, "edge")),
    ("x at", lambda x, at: im.take(x, at, 1), lambda x, at: np.take(x, at, 1)),
    ("x at", lambda x, at: im.gather(x, at, 0), lambda x, at: np.take_along_axis(x[:, :2], at, 0)),
    ("at", lambda at: im.embedding(at, R), lambda at: R[at]),
    ("x", lambda x: im.embedding([2, 0], x), lambda x: x[[2, 0]]),
    ("x", lambda x: im.concatenate([x, X["x"], x[:1]], 0), lambda x: np.concatenate([x, x, x[:1]])),
    ("x", lambda x: im.reshape(x, (2, -1)), lambda x: x.reshape(2, -1)),
    ("image", im.transpose, np.transpose),
]


def inputs() -> dict[str, Any]:
    return {
        n: im.input(n, a.shape, a.dtype.name.replace("float", "f").replace("uint", "u").replace("int", "i"))
        for n, a in X.items()
    }


def test_all_functions_compute_what_numpy_does() -> None:
    given = inputs()
    made = im.network({f"y{n}": of(*(given[i] for i in read.split())) for n, (read, of, _) in enumerate(CASES)})
    got = im.run_network(made, {n: X[n] for n in made.inputs})
    for n, (read, _, wanted) in enumerate(CASES):
        y = np.asarray(wanted(*(X[i] for i in read.split())))
        assert got[f"y{n}"].shape == y.shape, n
        assert (got[f"y{n}"].dtype.kind, got[f"y{n}"].dtype == np.bool_) == (y.dtype.kind, y.dtype == np.bool_), n
        assert np.allclose(got[f"y{n}"], y, rtol=1e-4, atol=1e-5), n


def test_what_needs_no_copy_is_a_view() -> None:
    x = im.input("x", (1, 4, 6))
    made = im.network(
        {"a": x[0, :, None], "b": im.squeeze(x), "c": x[..., ::1][:, :4], "d": im.expand_dims(x, 0)[0, 0]}
    )
    assert not made.kernels
    assert len(im.network({"y": x[:, 1:, ::2][0]}).kernels) == 1


def test_values_are_keys_and_have_no_truth() -> None:
    x = im.input("x", (3,))
    assert {x: 1, x + 0: 2}[x] == 1
    assert repr(x) == "<x: f32[3]>"
    with pytest.raises(
        NetworkError, match=r": bool\[3\] has no elements yet, and is neither true nor false; where\(\) chooses"
    ):
        bool(x > 0)


REFUSED: list[tuple[str, Callable[..., Any], str]] = [
    (
        "x n",
        lambda x, n: x + n,
        r"^add_\d+: x: f32\[3, 4\] and n: i64\[3, 4\] are of two types; convert one: astype\(x, 'f32'\)",
    ),
    ("n", lambda n: n + 0.5, r"^add_\d+: 0.5 is nothing that n: i64\[3, 4\] holds"),
    ("u", lambda u: u + 256, r"256 is nothing that u: u8\[3\] holds"),
    ("u", lambda u: -1 + u, "-1 is nothing"),
    ("x", lambda x: x + 1e300, "nothing that x"),
    ("n", lambda n: n * np.ones(4), "an array of float64 is nothing that n"),
    ("x", lambda x: x + "a", "elements of type <U1 are not computed with"),
    ("x", lambda x: x + [[1, 2], 3], "a list is no array of numbers"),  # noqa: RUF005
    ("x", lambda x: x + 1j, "complex128"),
    ("t", lambda t: t + 1, "1 is nothing that t: bool"),
    ("t", lambda t: t + t, r"^add_\d+: t: bool\[3, 4\] is not a number; convert it"),
    ("t", lambda t: t < t[0], "truth values have no order"),
    ("n", im.exp, r"^exp_\d+: n: i64\[3, 4\] is not of floating point; convert it: astype\(x, 'f32'\)"),
    ("n", lambda n: n / 2, "not of floating point"),
    ("x", im.logical_not, "is nothing that x|not of truth"),
    ("x", lambda x: im.logical_and(x, x), "is not of truth values; compare it"),
    ("x", lambda x: x[3], r"^item_\d+: index 3 is outside of dimension 1 of x"),
    ("x", lambda x: x[0, 0, 0], "has not 3 dimensions"),
    ("x", lambda x: x[..., ...], "twice"),
    ("x", lambda x: x[::0], "a step of 0"),
    ("x", lambda x: x[True], "is not indexed by a bool"),
    ("x at", lambda x, at: x[at], r"by a Var; take\(\) and gather\(\)"),
    ("x", lambda x: x["a"], "by a str"),
    ("zero", lambda zero: [*zero], "has no dimensions"),
    ("x", lambda x: im.sum(x, (0, -2)), r"^sum_\d+: axis \(0, -2\) names a dimension"),
    ("x", lambda x: im.mean(x, 2), "^mean.*axis 2 of a value of 2 dimensions"),
    ("x", lambda x: im.max(x[:0]), "has no elements, and no max"),
    ("n", im.mean, "not of floating point"),
    ("x", lambda x: im.expand(x, (4,)), r"^expand.*x: f32\[3, 4\] does not broadcast to \[4\]"),
    ("x", lambda x: im.expand(x, (3, 5)), r"shapes \[3, 4\], \[3, 5\] do not broadcast"),
    ("x", lambda x: im.split(x, 3, 1), "has no 3 equal parts along axis 1; give"),
    ("x", lambda x: im.split(x, [2, 3], 1), r"parts of \[2, 3\] are not 4"),
    ("x", lambda x: im.split(x, 0), "no 0 equal parts"),
    ("x", lambda x: im.squeeze(x, 0), "is not 1"),
    ("x", lambda x: im.pad(x, [(1, 1)]), "not .before, after. of each dimension"),
    ("x", lambda x: im.pad(x, -1), "not .before, after"),
    ("x", lambda x: im.pad(x, 1, "mirror"), "no padding 'mirror'"),
    ("n", lambda n: im.pad(n, 1, value=0.5), "0.5 is nothing that n"),
    ("x", lambda x: im.embedding(x, R), "holds no whole numbers, and indices are some"),
    ("at", lambda at: im.embedding(at, R[0]), r"is no table \[rows, width\]"),
    ("x at", lambda x, at: im.gather(x, at, 5), "axis 5"),
    ("x", lambda x: im.take(x, [3]), r"an index is outside of \[-3, 3\)"),
    ("image", lambda image: im.conv1d(image, W), "are no images and their filters, of 3 dimensions each"),
    ("image", lambda image: im.conv2d(image, W, stride=0), "not all 1"),
    ("image", lambda image: im.conv2d(image, W, pad=(1, 1, 1)), "nor one for each of two sides"),
    ("image", lambda image: im.conv_transpose2d(image, W[:4], pad=9), "nothing is left"),
    ("image", lambda image: im.conv2d(image, W[:, :1], groups=4, pad=-1), "is negative; slices cut off"),
    ("image", lambda image: im.conv2d(image, None), "an operand of conv2d is None"),
    ("x", lambda x: im.batch_norm(x, C[0], None), "an operand of batch_norm is None"),
    ("x", lambda x: im.equal(x, None), "an operand of equal is None"),
    ("x", lambda x: im.sum(x, 0.5), "^sum_.*: 0.5 is no whole number|^sum: 0.5 is no whole number"),
    ("x", lambda x: im.softmax(x, "a"), "^softmax: 'a' is no whole number"),
    ("x", lambda x: im.reshape(x, ("a",)), "^reshape: 'a' is no whole number"),
    ("image", lambda image: im.conv2d(image, W, groups=0), "in 0 groups"),
    ("k", lambda k: im.attention(k[:, :, :0], k, k), "has no elements"),
    ("image", lambda image: im.max_pool2d(image, 2, pad=2), "with pads"),
    ("image", lambda image: im.max_pool2d(image, 2, stride=0), "not all 1"),
    ("image", lambda image: im.group_norm(image, 3), "has no channels in 3 groups"),
    ("image", lambda image: im.group_norm(image, 2, C[0][:3]), "neither of 4 channels nor of 2"),
    ("image", lambda image: im.batch_norm(image, C[0][:3], V), "is not of the channels of"),
    ("x", lambda x: im.linear(x, W), "does not fit weights"),
    ("q k", lambda q, k: im.attention(q, k[:, :1, :, :1], k), "do not fit"),
    ("q k", lambda q, k: im.attention(q[:, :3], k, k), "3 heads of queries and 2 of keys"),
    ("q k", lambda q, k: im.attention(q, k[0], k[0]), r"not all \[batch, heads"),
    ("q k", lambda q, k: im.attention(q, k, k, np.ones((3, 4), bool)), "does not broadcast to scores of"),
    ("q k", lambda q, k: im.attention(q, k, k, scale=-1.0), "its scale is -1"),
    ("q k n", lambda q, k, n: im.attention(q, k, k, n), "neither of truth values nor of f32"),
    ("x", lambda x: im.where(x > 0, x, X["n"] + 0.5) and None, "neither true nor false"),
    ("x", lambda x: im.relu(np.zeros(3)), r"^relu: no operand is a value of a network"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_does_not_fit_is_refused(number: int) -> None:
    read, of, words = REFUSED[number]
    given = inputs()
    with pytest.raises(NetworkError, match=words):
        of(*(given[i] for i in read.split()))
