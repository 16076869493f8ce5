"""Writes where data says: random kernels against plain Python, point by point, on one thread and two; what is refused."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, IsamapError, SizeError
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.used import misused, uses
from isamap_smt.language import to_text
from isamap_smt.simulator.run import run_program

V, N, K = 6, 7, 4  # rows of Y; points of i and of k
OPS: dict[str, Any] = {"=": lambda _, new: new, "+=": operator.add, "*=": operator.mul, "max=": max, "min=": min}
ROWS = [
    ("J[i]", lambda i, k, a: a["J"][i]),
    ("J[i] + 1", lambda i, k, a: a["J"][i] + 1),
    (f"select(J[i] < 0, J[i] + {V}, J[i])", lambda i, k, a: a["J"][i] + V * (a["J"][i] < 0)),
    (f"min(max(J[i], 0), {V - 1})", lambda i, k, a: min(max(a["J"][i], 0), V - 1)),
    ("M[i,k]", lambda i, k, a: a["M"][i, k]),
    ("2*J[i] - L[k]", lambda i, k, a: 2 * a["J"][i] - a["L"][k]),
    (f"(J[i] + M[i,k]) % {V}", lambda i, k, a: (a["J"][i] + a["M"][i, k]) % V),
    ("J[i] // 2", lambda i, k, a: a["J"][i] // 2),
]
COLUMNS = [
    ("k", lambda i, k, a: k),
    (f"{K - 1}-k", lambda i, k, a: K - 1 - k),
    ("k//2", lambda i, k, a: k // 2),
    ("L[k]", lambda i, k, a: a["L"][k]),
    ("(i+k) % 4", lambda i, k, a: (i + k) % 4),
]
VALUES = [
    ("X[i,k]", lambda i, k, a: a["X"][i, k]),
    ("X[i,k] + 2", lambda i, k, a: a["X"][i, k] + 2),
    ("select(X[i,k] < 0, 3, X[i,k])", lambda i, k, a: 3 if a["X"][i, k] < 0 else a["X"][i, k]),
    ("E[J[i],k] - X[i,k]", lambda i, k, a: a["E"][inside(a["J"][i], V), k] - a["X"][i, k]),
]
GUARDS = [
    ("", lambda i, k, a: True),
    (" where i + k < 8", lambda i, k, a: i + k < 8),
    (" where i >= 2", lambda i, k, a: i >= 2),
]
FIRST = ["Y[v,k] = D[v,k]\n", "Y[v,k] += D[v,k] * 2\n", ""]
SHAPES = {"D": (V, K), "E": (V, K), "X": (N, K), "J": (N,), "L": (K,), "M": (N, K)}


class Outside(Exception):
    """An index that is none, where it is used."""


def inside(at: Any, extent: int) -> int:
    if not 0 <= at < extent:
        raise Outside
    return int(at)


def wanted(drawn: Any, arrays: dict[str, np.ndarray], begun: np.ndarray) -> np.ndarray | None:
    """Point by point in the order of the axes; None where an index is none."""
    first, op, row, column, value, guard = drawn
    y = begun.copy()
    if "+=" in first:
        y += arrays["D"] * 2
    elif first:
        y[...] = arrays["D"]
    try:
        for i in range(N):
            for k in range(K):
                if guard(i, k, arrays):
                    at = inside(row(i, k, arrays), V), inside(column(i, k, arrays), K)
                    y[at] = OPS[op](y[at], value(i, k, arrays))
    except Outside:
        return None
    return y


def kernel_of(seed: int) -> tuple[im.Kernel, Any]:
    r = random.Random(seed)
    (row, row_of), (column, column_of), (value, value_of), (guard, guard_of) = map(
        r.choice, (ROWS, COLUMNS, VALUES, GUARDS)
    )
    first, op = r.choice(FIRST), r.choice(list(OPS))
    ordered = " ordered" if r.random() < 0.3 and op in ("+=", "*=") else ""
    over = " over k, i" if r.random() < 0.2 and op != "=" else ""
    body = f"{first}Y[{row}, {column}] {op} {value}{over}{guard}{ordered}"
    kinds = {n: r.choice(["i8", "i32", "i64"]) for n in "JLM"} | dict.fromkeys("DEXY", r.choice(["f32", "i32", "f64"]))
    heads = [f"{n}: {kinds[n]}[{','.join(map(str, s))}]" for n, s in {**SHAPES, "Y": (V, K)}.items() if f"{n}[" in body]
    text = "\n".join([*heads, f"axis i < {N}", f"axis k < {K}", body])
    return im.kernel(text, name="drawn"), (first, op, row_of, column_of, value_of, guard_of)


@pytest.mark.parametrize("seed", range(40))
def test_random_ones(seed: int) -> None:
    kernel, drawn = kernel_of(seed)
    assert im.kernel(to_text(kernel), name="drawn") == kernel
    run = im.compile(kernel, "scalar", threads=2)
    rng = np.random.default_rng(seed)
    for turn in range(20):
        low, high = ((0, 2), (0, V), (-3, 5))[turn % 3]
        arrays = {
            n: rng.integers(-2, 3, s).astype(kernel.tensor(n).dtype.numpy)
            for n, s in SHAPES.items()
            if n in kernel.inputs
        }
        arrays |= {
            n: rng.integers(low, high, SHAPES[n]).astype(kernel.tensor(n).dtype.numpy)
            for n in "JLM"
            if n in kernel.inputs
        }
        begun = rng.integers(-2, 3, (V, K)).astype(kernel.tensor("Y").dtype.numpy)
        want = wanted(drawn, arrays, begun)
        if want is None:
            wrong = [text for use in uses(kernel) if (text := misused(kernel, use, arrays))]
            with pytest.raises(SizeError) as told:
                im.run_kernel(kernel, arrays, {"Y": begun})
            with pytest.raises(ArgumentError) as e:
                run(**arrays, out=begun.copy())
            assert str(told.value) == wrong[0] and str(e.value) in wrong
            continue
        assert np.array_equal(im.run_kernel(kernel, arrays, {"Y": begun})["Y"], want), kernel.text
        for threads in (1, 2):
            got = begun.copy()
            run(**arrays, out=got, threads=threads)
            assert np.array_equal(got, want), kernel.text
    told_of = run_program(run.program, arrays) if want is not None else None
    assert told_of is None or not told_of.findings


def test_bits_of_an_ordered_sum_are_the_interpreter_s() -> None:
    kernel = im.kernel("Y: [V,J]\nI: i32\nY[I[i],j] += X[i,j] ordered")
    rng = np.random.default_rng(1)
    x, at = rng.normal(size=(300, 9)).astype(np.float32), rng.integers(0, 5, 300).astype(np.int32)
    want = np.zeros((5, 9), np.float32)
    for i in range(300):
        want[at[i]] += x[i]
    got = np.zeros((5, 9), np.float32)
    im.compile(kernel, "scalar", threads=2)(X=x, I=at, out=got, threads=2)
    assert got.tobytes() == want.tobytes() == im.run_kernel(kernel, {"X": x, "I": at}, sizes={"V": 5})["Y"].tobytes()


def test_of_several_that_assign_one_element_the_last_one_does() -> None:
    kernel = im.kernel("I: i64\nY[v] = D[v]\nY[I[i]] = X[i]")
    x, at, d = np.arange(50, dtype=np.float32), np.arange(50) % 3, np.full(5, -1, np.float32)
    for threads in (1, 2):
        got = im.compile(kernel, "scalar", threads=2)(D=d, X=x, I=at, threads=threads)
        assert got.tolist() == im.run_kernel(kernel, {"D": d, "X": x, "I": at})["Y"].tolist() == [48, 49, 47, -1, -1]


def test_a_guard_says_which_elements_are_looked_at() -> None:
    kernel = im.kernel("I: i32\naxis i < N\nI: [N]\nY: [V]\nY[I[i]] += X[i] where i >= 1", name="guarded")
    x, at, y = np.ones(3, np.float32), np.array([99, 2, 2], np.int32), np.zeros(4, np.float32)
    run = im.compile(kernel, "scalar")
    run(X=x, I=at, out=y)
    assert y.tolist() == [0, 0, 2, 0]
    at[2] = 4
    with pytest.raises(
        ArgumentError, match=r"^I\[2\] is 4 at i=2, and guarded uses it as an index of dimension 0 of Y, which has 4 "
    ):
        run(X=x, I=at, out=y)
    assert y.tolist() == [0, 0, 2, 0], "nothing is written"


def test_rows_of_products_keep_their_instructions() -> None:
    """The product is mapped, and what scatters it is computed element by element behind it."""
    text = "temporary P\nI: i32\nP[i,m] += A[i,k] * B[k,m]\nY[v,m] = D[v,m]\nY[I[i],m] += P[i,m]"
    kernel = im.kernel(text)
    rng = np.random.default_rng(2)
    a, b, d = (rng.integers(-4, 5, s).astype(np.float32) for s in ((9, 12), (12, 16), (5, 16)))
    at = rng.integers(0, 5, 9).astype(np.int32)
    want = d.copy()
    np.add.at(want, at, a @ b)
    for target in ("scalar", "avx2"):
        try:
            run = im.compile(kernel, target, sizes={"i": 9, "k": 12, "m": 16, "v": 5})
        except IsamapError as error:
            assert target != "scalar", error
            continue
        assert np.array_equal(run(A=a, B=b, D=d, I=at), want)


def test_rounding_is_followed() -> None:
    """Of the points that data brings together nobody knows how many meet: all may."""
    kernel = im.kernel("I: i32\nY: [V,J]\nY[I[i],j] += X[i,j]")
    x, at = np.full((100, 2), 0.1, np.float32), np.zeros(100, np.int32)
    got = im.run_kernel(kernel, {"X": x, "I": at}, sizes={"V": 3})["Y"]
    assert fibres(kernel, kernel.statements[0]).most == kernel.statements[0].axis("i").extent
    assert abs(float(got[0, 0]) - 10.0) > 1e-6


@pytest.mark.parametrize("accumulate", ["f32"])
def test_narrow_sums_are_carried_wide(accumulate: str) -> None:
    kernel = im.kernel("I: i32\nY: f16[V,J]\nX: f16\nY[I[i],j] += X[i,j]")
    wide = im.accumulate(kernel, accumulate)
    x, at = np.ones((3000, 2), np.float16), np.zeros(3000, np.int32)
    assert im.compile(wide, "scalar", sizes={"V": 2})(X=x, I=at).tolist() == [[3000, 3000], [0, 0]]


def test_rows_are_appended_to_a_cache_in_place() -> None:
    """The cache is one tensor, which the caller gives as out=; what stands behind reads what was appended."""
    text = "K: [T,D]\nat: i32\nK[at[b] + s, d] = new[b,s,d]\nS[q,t] += Q[q,d] * K[t,d]"
    kernel = im.kernel(text, name="append")
    rng = np.random.default_rng(3)
    for run in (im.compile(kernel, "scalar", threads=2), im.compile(kernel, "scalar", sizes={"D": 8, "T": 12})):
        cache = rng.integers(-4, 5, (12, 8)).astype(np.float32)
        want = cache.copy()
        for first in (0, 5, 9):
            new, q = (rng.integers(-4, 5, s).astype(np.float32) for s in ((1, 3, 8), (2, 8)))
            scores = np.zeros((2, 12), np.float32)
            run(new=new, Q=q, at=np.array([first], np.int32), out={"K": cache, "S": scores})
            want[first : first + 3] = new[0]
            assert np.array_equal(cache, want) and np.array_equal(scores, q @ want.T)
        with pytest.raises(
            ArgumentError, match=r"^s \+ at\[b\] is 12 at b=0, s=2 \(at\[0\] is 10\), and append uses it"
        ):
            run(new=new, Q=q, at=np.array([10], np.int32), out={"K": cache, "S": scores})
        assert np.array_equal(cache, want)


def test_one_array_as_an_input_and_as_out_is_refused() -> None:
    run = im.compile(im.kernel("I: i32\nY[v,j] = C[v,j]\nY[I[i],j] = X[i,j]", name="appended"), "scalar")
    cache, x = np.zeros((5, 3), np.float32), np.ones((2, 3), np.float32)
    with pytest.raises(ArgumentError, match="Y and C overlap in memory, and Y is written; pass a copy of C"):
        run(C=cache, X=x, I=np.array([1, 2], np.int32), out=cache)
