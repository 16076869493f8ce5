"""Views are read in place: rows any distance apart, every n-th element; what is not is refused and says what to do."""

from __future__ import annotations

import ctypes
import itertools
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, DTypeError, IsamapError, LanguageError, NotProvedError, SizeError
from isamap_smt.mapping.pitched import knows_no_gap, pitched
from isamap_smt.runtime.strided import along, with_gaps

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


def at_the_end(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(memory of NaN, a view of it with these steps whose last element stands before a page that must not be touched)."""
    count = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    pages = -(-4 * count // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    end = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + pages * mmap.PAGESIZE
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(end), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    flat = np.frombuffer(memory, np.float32, pages * mmap.PAGESIZE // 4)
    flat[:] = np.nan
    return flat, np.lib.stride_tricks.as_strided(flat[len(flat) - count :], shape, tuple(4 * s for s in steps))


@pytest.mark.needs("avx2", "fma")
def test_nothing_between_rows_is_read() -> None:
    """The array ends with the view's last element, before a page that must not be touched; between its rows stands NaN."""
    normal, pitch = im.compile(f"{EXAMPLES}/norms.py:SOFTMAX", "avx2", strided="x"), 23
    for n in (1, 7, 8, 13, 22):
        _, x = at_the_end((6, n), (pitch, 1))
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
    for names, said in ((["X"], "has no input or output 'X'"), (["B", "D"], "has no input or output 'D'")):
        with pytest.raises(ArgumentError, match=said):
            im.compile(kernel, "scalar", strided=names)
    with pytest.raises(ArgumentError, match="s is a single element"):
        im.compile(im.kernel("y[i] = s[] * x[i]"), "scalar", strided="s")
    with pytest.raises(LanguageError, match="has a A_pitch of its own"):
        pitched(im.kernel("y[i] += A[i,A_pitch]"), ["A"])
    with pytest.raises(LanguageError, match="an index of E is data"):
        im.compile(im.kernel("idx: i32\nE: [V,J]\nY[i,j] = E[idx[i],j]"), "scalar", strided="E")
    with pytest.raises(LanguageError, match="an index of Y is data"):
        im.compile(im.kernel("idx: i32\nY: [V,J]\nY[idx[i],j] += X[i,j]"), "scalar", strided="Y")
    with pytest.raises(LanguageError, match="has a C_gap of its own"):
        pitched(im.kernel("C[i,j] += A[i,C_gap] * B[C_gap,j]"), ["C"])
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


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("i", "j", "k"), [(7, 19, 11), (1, 8, 5), (6, 1, 1), (12, 33, 16), (40, 130, 600)])
def test_a_product_is_written_among_what_is_not_touched(i: int, j: int, k: int) -> None:
    """What stands between the rows and around them is as before; behind the last element is a page that must not be touched."""
    product = im.compile("gemm", "avx2", strided=["C"])
    assert str(product).endswith("written in place, wherever their rows lie: C")
    a, b = f32(i, k), f32(k, j)
    exact = a.astype(np.float64) @ b
    for pitch in (j, j + 1, j + 7, 3 * j + 64):
        flat, view = at_the_end((i, j), (pitch, 1))
        view[:] = 1
        around = np.isnan(flat)
        assert product(a, b, out=view) is view
        np.testing.assert_allclose(view, 1 + exact, rtol=1e-4, atol=1e-4)
        view[:] = np.nan
        call = product.prepare(a, b, out={"C": view}, accumulate=False)
        for _ in range(3):
            call.run()
        np.testing.assert_allclose(view, exact, rtol=1e-4, atol=1e-4)
        assert np.array_equal(np.isnan(flat), around)
    np.testing.assert_allclose(product(a, b), exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("hardware", ["scalar", "host"])
def test_outputs_of_one_and_three_axes_beside_inputs_that_are_views(hardware: str) -> None:
    add = im.compile(im.kernel("Y[i,j,k] = X[i,j,k] + 1", name="add3"), hardware, strided=["Y", "X"])
    twice = im.compile(im.kernel("y[i] = 2 * x[i]", name="twice"), hardware, strided="y")
    both = im.compile(im.kernel("Y[i,j] = X[i,j] + b[j]\nZ[i] += Y[i,j]", name="both"), hardware, strided=["Y"])
    for i, j, k in ((2, 3, 5), (4, 1, 9), (1, 7, 16), (5, 6, 33)):
        for more, behind in itertools.product((0, 1, 5), (0, 3, 16)):
            flat, view = at_the_end((i, j, k), ((j + more) * (k + behind), k + behind, 1))
            view[:] = 0
            around, x = np.isnan(flat), f32(i, j + 2, k + 3)[:, 1:-1, 2:-1]
            assert np.array_equal(add(x, out=view), x + 1) and np.array_equal(np.isnan(flat), around)
        flat, line = at_the_end((i * j,), (k,))
        line[:] = 0
        around, x = np.isnan(flat), f32(i * j)
        assert np.array_equal(twice(x, out=line), 2 * x) and np.array_equal(np.isnan(flat), around)
        flat, view = at_the_end((i, j), (j + k, 1))
        view[:] = 0
        around, x, b, z = np.isnan(flat), f32(i, j), f32(j), np.ones(i, np.float32)
        got = both(x, b, out={"Z": z, "Y": view})
        assert got["Z"] is z and got["Y"] is view and np.array_equal(view, x + b)
        np.testing.assert_allclose(z, 1 + (x + b).sum(1), rtol=1e-5, atol=1e-5)
        both(x, b, out={"Z": z, "Y": view}, accumulate=False)
        np.testing.assert_allclose(z, both(x, b)["Z"], rtol=1e-5, atol=1e-5)
        assert np.array_equal(np.isnan(flat), around)


def test_outputs_that_lie_otherwise_are_refused() -> None:
    product, a, b = im.compile("gemm", "scalar", strided=["C"]), f32(7, 5), f32(5, 9)
    for out, said in (
        (
            f32(7, 18)[:, ::2],
            "C: neighbours along its last axis lie 8 bytes apart, and rows that are written in place have theirs",
        ),
        (f32(7, 9)[::-1], "C: along axis 0 neighbours lie -36 bytes apart"),
        (np.lib.stride_tricks.as_strided(f32(63), (7, 9), (4, 4)), "C: along axis 0 neighbours lie 4 bytes apart"),
        (np.broadcast_to(f32(9), (7, 9)), "C is read-only"),
    ):
        with pytest.raises(ArgumentError, match=said):
            product(a, b, out=out)
    with pytest.raises(SizeError, match="dimension 0 of C"):
        product(a, b, out=f32(6, 9))
    with pytest.raises(DTypeError, match="C is f64"):
        product(a, b, out=np.zeros((7, 9)))
    whole = f32(7, 20)
    with pytest.raises(ArgumentError, match="C and A overlap"):
        im.compile("gemm", "scalar", strided=["A", "C"])(whole[:, :5], b, out=whole[:, 4:13])
    with pytest.raises(ArgumentError, match="multiple of 40"):
        with_gaps("Y", np.lib.stride_tricks.as_strided(f32(200), (2, 3, 4), (4 * 35, 40, 4)))
    bools = im.kernel("x: bool\ny: bool\ny[i] max= x[i,j]", name="some")
    with pytest.raises(NotProvedError, match="each call looks at all elements of y before it runs"):
        im.compile(bools, "scalar", strided=["y"])


def test_what_lies_among_the_rows_of_an_output_is_no_part_of_it() -> None:
    """An input between the rows, and one behind the last row, where a further row would go on: then a copy is written."""
    product, b = im.compile("gemm", "scalar", strided=["A", "C"]), f32(5, 9)
    whole = f32(7, 20)
    before, exact = whole.copy(), whole[:, :5].astype(np.float64) @ b
    view = whole[:, 8:17]
    assert product(whole[:, :5], b, out=view, accumulate=False) is view
    np.testing.assert_allclose(view, exact, rtol=1e-5, atol=1e-5)
    assert np.array_equal(whole[:, :8], before[:, :8]) and np.array_equal(whole[:, 17:], before[:, 17:])
    memory = f32(200)
    out, a = memory[11:151].reshape(7, 20)[:, 8:17], memory[148:183].reshape(7, 5)  # 3 behind the last element
    held, told = out.copy(), a.copy()
    call = product.prepare(a, b, out=out)
    call.run()
    call.run()
    np.testing.assert_allclose(out, held + 2 * (told.astype(np.float64) @ b), rtol=1e-4, atol=1e-4)
    assert np.array_equal(a, told)


def test_a_program_that_knows_the_room_behind_rows_is_refused() -> None:
    """The kernel that writes into that room, too, is proved, and would write what is not the caller's."""
    kernel = im.kernel(
        "param Y_gap >= 0\nX: [I, J + Y_gap]\nY: [I, J + Y_gap]\naxis j < J + Y_gap\nY[i,j] = X[i,j]", name="wide"
    )
    of = im.kernel("Y[i,j] = X[i,j]").tensor("Y")
    with pytest.raises(NotProvedError, match="the program depends on Y_gap"):
        knows_no_gap(im.plan(kernel, "scalar").program, [of])
    right = pitched(im.kernel("Y[i,j] = X[i,j]", name="copy"), ["Y"])
    knows_no_gap(im.plan(right, "scalar").program, [of])
