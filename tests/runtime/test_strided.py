"""Views are read in place: rows any distance apart, every n-th element; what is not is refused and says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, DTypeError, IsamapError, LanguageError, SizeError
from isamap_smt.mapping.pitched import pitched
from isamap_smt.runtime.strided import along

EXAMPLES = Path(__file__).parents[2] / "examples"
rng = np.random.default_rng(0)


def f32(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def product() -> Any:
    return im.compile("gemm", "avx2", strided=["A", "B"])


def views(whole: np.ndarray, rows: int, columns: int) -> list[np.ndarray]:
    """Views of that shape: whole rows, columns of rows, every second and third row, the last of all."""
    return [
        whole[:rows, :columns], whole[3 : 3 + rows, 5 : 5 + columns], whole[::2][:rows, 1 : 1 + columns],
        whole[1::3][:rows, :columns], whole[-rows:, -columns:], whole[:rows, :columns].copy(),
    ]  # fmt: skip


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("i", "j", "k"), [(7, 19, 11), (1, 8, 5), (6, 1, 1), (12, 33, 16)])
def test_products_of_views_are_those_of_copies(product: Any, i: int, j: int, k: int) -> None:
    for a in views(f32(40, 60), i, k):
        for b in views(f32(60, 70), k, j)[1:4]:
            before = a.copy()
            got = product(a, b)
            np.testing.assert_allclose(got, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)
            assert np.array_equal(a, before)
    assert np.array_equal(product(A=a, B=b, out=got.copy()), product(a.copy(), b.copy(), out=got.copy()))


@pytest.mark.needs("avx2", "fma")
def test_nothing_between_rows_is_read() -> None:
    """The array ends with the view's last element, before a page that must not be touched; between its rows stands NaN."""
    import ctypes
    import mmap

    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    libc = ctypes.CDLL(None, use_errno=True)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(ctypes.c_void_p(start + page), ctypes.c_size_t(page), 0) == 0
    normal, pitch = im.compile(f"{EXAMPLES}/norms.py:SOFTMAX", "avx2", strided="x"), 23
    for n in (1, 7, 8, 13, 22):
        count = 5 * pitch + n
        flat = np.frombuffer(memory, np.float32, count, page - 4 * count)
        flat[:] = np.nan
        x = np.lib.stride_tricks.as_strided(flat, (6, n), (4 * pitch, 4))
        x[:] = f32(6, n)
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(normal(x), e / e.sum(1, keepdims=True), rtol=1e-5)


def test_every_second_element_and_three_axes() -> None:
    scale = im.compile(im.kernel("y[i] = 2 * x[i]", name="twice"), "scalar", strided=["x"])
    x = f32(101)
    for view in (x[::2], x[3::7], x[5:6], x):
        assert np.array_equal(scale(view), 2 * view)
    total = im.compile(im.kernel("y[i] += x[i,j,k]", name="sum3"), "scalar", strided=["x"], sizes={"k": 3})
    x = f32(6, 8, 9)
    for view in (x[::2, 1:7:3, 2:5], x[:, :, :3], x[4:5, ::2, 6:]):
        np.testing.assert_allclose(total(view), view.sum((1, 2)), rtol=1e-5, atol=1e-6)


def test_what_lies_otherwise_is_refused_with_what_to_do(product: Any) -> None:
    a, b = f32(12, 10), f32(5, 7)
    with pytest.raises(ArgumentError) as error:
        product(a[:, ::2], b)
    assert str(error.value) == (
        "A: neighbours along its last axis lie 8 bytes apart, and rows that are read in place have theirs side by side; try "
        "np.ascontiguousarray(A), or, of A.T, a kernel with the axes of A the other way round"
    )
    for view in (a[::-1, :5], np.broadcast_to(a[0, :5], (12, 5))):
        with pytest.raises(ArgumentError, match=r"A: its rows lie (-40|0) bytes apart, and are read in place where"):
            product(view, b)
    odd = np.lib.stride_tricks.as_strided(f32(40), (3, 5), (22, 4))
    with pytest.raises(ArgumentError, match="A: its rows lie 22 bytes apart"):
        product(odd, b)
    with pytest.raises(SizeError, match="dimension 0 of B is 7, but K = 5 because"):
        product(a[:, :5], f32(7, 5))
    with pytest.raises(DTypeError, match="A is f64, gemm was compiled for f32"):
        product(a[:, :5].astype(np.float64), b)
    plain = im.compile("gemm", "scalar")
    with pytest.raises(ArgumentError, match=r"\(A\), or compile with strided=\['A'\], which reads it in place$"):
        plain(a[:, :5], b)
    with pytest.raises(ArgumentError, match=r"try np.ascontiguousarray\(A\)$"):
        plain(f32(5, 12).T, b)
    a, held = f32(12, 5), f32(12, 14)
    want = held.copy()
    want[:, ::2] += a @ b
    got = plain(a, b, out=(view := held[:, ::2]))
    assert got is view
    np.testing.assert_allclose(held, want, rtol=1e-5, atol=1e-5)


def test_an_output_that_lies_among_the_rows_is_refused(product: Any) -> None:
    whole = f32(30, 20)
    a, out = whole[::2, :20], whole[4:5, :19]
    with pytest.raises(ArgumentError, match="overlap"):
        product(a[:1, :5], f32(5, 5), out=whole[0, 3:8].reshape(1, 5))
    assert out.shape == (1, 19)
    got = product(a[:3, :5], b := f32(5, 20), out=np.zeros((3, 20), np.float32))
    np.testing.assert_allclose(got, a[:3, :5] @ b, rtol=1e-4, atol=1e-5)


def test_names_that_are_none() -> None:
    kernel = im.find_kernel("gemm")
    for names, said in ((["C"], "has no input 'C'"), (["X"], "has no input 'X'")):
        with pytest.raises(ArgumentError, match=said):
            im.compile(kernel, "scalar", strided=names)
    with pytest.raises(ArgumentError, match="s is a single element"):
        im.compile(im.kernel("y[i] = s[] * x[i]"), "scalar", strided="s")
    with pytest.raises(LanguageError, match="has a A_pitch of its own"):
        pitched(im.kernel("y[i] += A[i,A_pitch]"), ["A"])
    with pytest.raises(LanguageError, match="an index of E is data"):
        im.compile(im.kernel("idx: i32\nE: [V,J]\nY[i,j] = E[idx[i],j]"), "scalar", strided="E")
    with pytest.raises(IsamapError):
        im.compile(kernel, "scalar", strided=[3])


def test_what_is_handed_on_is_what_the_view_spans() -> None:
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    flat, steps = along("x", x[1::2, 2:5])
    assert steps == (16,) and flat.tolist() == list(range(10, 29))
    assert flat.base is not None and not flat.flags.writeable
    text = pitched(im.kernel("y[i] += A[i,j] * x[j]", name="k"), ["A"]).text
    assert im.kernel(text, name="k") == pitched(im.kernel("y[i] += A[i,j] * x[j]", name="k"), ["A"])


def test_it_is_proved_that_no_element_lies_outside() -> None:
    """With a tensor one element shorter the same accesses are refuted."""
    right = pitched(im.find_kernel("gemm"), ["A"])
    assert im.plan(right, "scalar").proof.word == "proved"
    short = im.kernel(right.text.replace("- A_pitch + K]", "- A_pitch + K - 1]"), name="short")
    assert short.tensor("A") != right.tensor("A")
    with pytest.raises(IsamapError, match="A"):
        im.plan(short, "scalar")
