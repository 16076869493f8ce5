"""`for t:` computes statements in time steps: the meaning against plain loops, the text and back, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.interpret import random_arrays, reference, run_kernel
from isamap_smt.ir.kernel import Kernel, Recurrence
from isamap_smt.language.printer import source_lines, statement_lines

Run = Callable[..., dict[str, np.ndarray]]
ELMAN = """
temporary R
axis k < J
H[0,j] = H0[j]
for t:
  R[t,j] += H[t,k] * U[k,j]
  H[t+1,j] = tanh(X[t,j] + R[t,j])
Y[t,j] = H[t+1,j] * 2.0
"""


def elman(x: np.ndarray, h: np.ndarray, u: np.ndarray) -> np.ndarray:
    states = [h]
    for row in x:
        states.append(np.tanh(row + states[-1] @ u))
    return np.array(states)


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    return random_arrays(im.kernel(ELMAN), {"t": 7, "j": 5}, np.random.default_rng(3))


@pytest.mark.parametrize("run", [run_kernel, reference])
def test_time_steps_equal_a_loop(run: Run, arrays: dict[str, np.ndarray]) -> None:
    wide = {n: a.astype(np.float64) for n, a in arrays.items()}
    want = elman(wide["X"], wide["H0"], wide["U"])
    found = run(im.kernel(ELMAN), arrays)
    assert set(found) == {"H", "Y"}
    np.testing.assert_allclose(found["H"], want, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found["Y"], 2 * want[1:], rtol=0, atol=2e-6)


@pytest.mark.parametrize("run", [run_kernel, reference])
def test_statement_by_statement_is_something_else(run: Run, arrays: dict[str, np.ndarray]) -> None:
    """Without `for`, every R is summed from states that are still zero."""
    together = im.kernel(ELMAN)
    apart = im.kernel(ELMAN.replace("for t:\n", ""))
    assert apart != together and apart == replace(together, recurrences=())
    assert np.abs(run(apart, arrays)["H"][2:] - run(together, arrays)["H"][2:]).max() > 0.1
    two = im.kernel(ELMAN.replace("  H[t+1,j]", "for t:\n  H[t+1,j]"))
    assert two.recurrences == (Recurrence("t", 1, 2), Recurrence("t", 2, 3))
    np.testing.assert_array_equal(run(two, arrays)["H"], run(apart, arrays)["H"])


def test_within_a_turn_the_order_is_the_one_written() -> None:
    first, second = "A[t+1] = B[t] + 1", "B[t+1] = A[t+1] * 10"
    kinds = dict.fromkeys("AB", "i32")
    one = im.kernel(f"for t:\n  {first}\n  {second}", dtypes=kinds)
    other = im.kernel(f"for t:\n  {second}\n  {first}", dtypes=kinds)
    assert run_kernel(one, {}, sizes={"t": 3})["A"].tolist() == [0, 1, 11, 111]
    assert run_kernel(other, {}, sizes={"t": 3})["A"].tolist() == [0, 1, 1, 1]


def test_a_turn_does_not_see_the_next_one() -> None:
    """B reads an element that A is given a time step later: what it held before."""
    block = "A[t] = X[t]\n  B[t] = A[t+1]"
    kinds = dict.fromkeys("ABX", "i32")
    x = np.arange(1, 5, dtype=np.int32)
    given = {"A": np.full(5, 9, np.int32)}
    together = run_kernel(im.kernel(f"for t:\n  {block}", dtypes=kinds), {"X": x}, given)
    assert together["B"].tolist() == [9, 9, 9, 9]
    apart = run_kernel(im.kernel(block.replace("  ", ""), dtypes=kinds), {"X": x}, given)
    assert apart["B"].tolist() == [2, 3, 4, 9]


@pytest.mark.parametrize("run", [run_kernel, reference])
def test_a_statement_may_read_its_own_last_turn(run: Run) -> None:
    """Running sums, along the axis and with a lag that a parameter sets; the guard ends some time steps early."""
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    k = im.kernel("for t:\n  S[t+1,j] = S[t,j] + X[t,j]")
    np.testing.assert_array_equal(run(k, {"X": x})["S"][1:], np.cumsum(x, axis=0))
    lagged = im.kernel("param s >= 1\nfor t:\n  S[t+s,j] = S[t,j] + X[t,j] where t < 2 and j > 0")
    want = np.zeros((6, 3))
    for t in range(2):
        want[t + 2, 1:] = want[t, 1:] + x[t, 1:]
    np.testing.assert_array_equal(run(lagged, {"X": x}, sizes={"s": 2})["S"], want)


@pytest.mark.parametrize("run", [run_kernel, reference])
def test_a_statement_may_read_its_own_turn_crosswise(run: Run) -> None:
    """Elements of one time step are computed in the order of the other axes, one at a time where they need each other."""
    k = im.kernel("for t:\n  S[t,j+1] = S[t,j] + X[t,j]", dtypes=dict.fromkeys("SX", "i32"))
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.testing.assert_array_equal(run(k, {"X": x})["S"][:, 1:], np.cumsum(x, axis=1))


def test_integers_wrap_turn_by_turn() -> None:
    k = im.kernel("for t:\n  S[t+1] += i8(S[t]) * i8(2) + i8(X[t])", dtypes={"S": "i8", "X": "i8"})
    x = np.full(12, 77, np.int8)
    want = np.zeros(13, np.int8)
    for t in range(12):
        want[t + 1] = np.array(int(want[t]) * 2 + 77).astype(np.int8)
    assert (np.abs(np.cumsum(x.astype(int))) > 127).any()
    for run in (run_kernel, reference):
        np.testing.assert_array_equal(run(k, {"X": x})["S"], want)


@pytest.mark.parametrize("run", [run_kernel, reference])
def test_a_product_of_integers_in_time_steps(run: Run) -> None:
    k = im.kernel(
        "axis k < J\nH[0,j] = X[j]\nfor t:\n  H[t+1,j] += i32(H[t,k]) * i32(U[k,j])", dtypes=dict.fromkeys("HXU", "i32")
    )
    rng = np.random.default_rng(1)
    x, u = rng.integers(-9, 9, 4, np.int32), rng.integers(-9, 9, (4, 4), np.int32)
    want = [x]
    for _ in range(12):
        want.append(want[-1] @ u)
    np.testing.assert_array_equal(run(k, {"X": x, "U": u}, sizes={"t": 12})["H"], np.array(want))


# ---- the text ------------------------------------------------------------------------------------------------------


def kernels() -> list[Kernel]:
    k = im.kernel(ELMAN, name="elman")
    return [
        k,
        k.with_sizes({"t": 3}),
        k.with_dtypes({"X": "bf16"}),
        im.kernel(im.to_text(k) + "\nfor t:\n\tZ[t] = X[t,0]"),
    ]


@pytest.mark.parametrize("kernel", kernels(), ids=["open", "fixed", "typed", "two"])
def test_round_trip(kernel: Kernel) -> None:
    assert kernel.recurrences[0] == Recurrence("t", 1, 3)
    again = im.kernel(im.to_text(kernel), name=kernel.name)
    assert again == kernel and again.recurrences == kernel.recurrences
    assert im.to_text(again) == im.to_text(kernel)
    assert im.to_text(kernel) != im.to_text(replace(kernel, recurrences=()))


def test_adjacent_blocks_stay_apart() -> None:
    kernel = im.kernel("for t:\n  A[t] = X[t]\nfor t:\n  B[t] = A[t]\n  C[t] = B[t]")
    assert kernel.recurrences == (Recurrence("t", 0, 1), Recurrence("t", 1, 3))
    assert statement_lines(kernel) == ["for t:", "  A[t] = X[t]", "for t:", "  B[t] = A[t]", "  C[t] = B[t]"]
    assert source_lines(kernel) == ["for t:", "  A[t] = X[t]", "for t:", "  B[t] = A[t]", "  C[t] = B[t]"]
    assert im.kernel(im.to_text(kernel)) == kernel
    assert [kernel.recurrence_of(n) for n in range(3)] == [kernel.recurrences[0], *[kernel.recurrences[1]] * 2]
    assert im.kernel("A[t] = X[t]").recurrence_of(0) is None


def test_shapes_follow_from_all_uses() -> None:
    kernel = im.kernel(ELMAN)
    assert {t.name: str(t.shape) for t in kernel.tensors} == {
        "H": "(T + 1, J)", "H0": "(J,)", "R": "(T, J)", "U": "(J, J)", "X": "(T, J)", "Y": "(T, J)",
    }  # fmt: skip
    assert kernel.free_sizes == ("J", "T")


def test_blanks_comments_and_further_lines_do_not_end_a_block() -> None:
    block = "  for t :  # the states\n\n      H[t+1,j] = H[t,j]\n# out here\n  where j < 3\n      G[t+1,j] = (H[t,j] +\nX[t,j])\n"
    text = block + "  Y[j] = H[0,j]"
    kernel = im.kernel(text, sizes={"t": 4})
    assert kernel.recurrences == (Recurrence("t", 0, 2),)
    assert len(kernel.statements) == 3


COLUMN = "the statements of the block of t are not in one column"
ERRORS = {
    "no axis": ("C[i] = A[i]\nfor t:\n  B[t] = A[t]\n  C[i] = A[i]", "k.txt:4:3: this statement of the block of t has no axis t"),
    "only summed": ("for t:\n  C[i] += A[i,t]", "k.txt:2:3: t, the axis of the block, stands in no index of C here"),
    "a parameter": ("param t\nfor t:\n  C[i+t] = A[i]", "k.txt:3:3: this statement of the block of t has no axis t"),
    "empty": ("for t:\nC[t] = A[t]", "k.txt:1:1: this block has no statements"),
    "empty at the end": ("C[t] = A[t]\nfor t:", "k.txt:2:1: this block has no statements"),
    "empty before another": ("for t:\nfor t:\n  C[t] = A[t]", "k.txt:1:1: this block has no statements"),
    "nested": ("for t:\n  for i:\n    C[t,i] = A[t,i]", "k.txt:2:3: a block does not stand inside another"),
    "declaration": ("for t:\n  C: f32\n  C[t] = A[t]", "k.txt:2:3: a declaration does not stand in a block"),
    "further in": ("for t:\n  C[t] = A[t]\n    D[t] = A[t]", f"k.txt:3:5: {COLUMN}"),
    "half out": ("for t:\n    C[t] = A[t]\n  D[t] = A[t]", f"k.txt:3:3: {COLUMN}"),
    "tab and blanks": ("for t:\n\tC[t] = A[t]\n        D[t] = A[t]", f"k.txt:3:9: {COLUMN}"),
    "range": ("for t in range(3):\n  C[t] = A[t]", "k.txt:1:1: a block names one axis and no range"),
    "two axes": ("for t, i:\n  C[t,i] = A[t,i]", "k.txt:1:1: a block names one axis and no range"),
    "no name": ("for:\n  C[t] = A[t]", "k.txt:1:1: a block names one axis and no range"),
    "no colon": ("for t\n  C[t] = A[t]", "k.txt:1:5: the head of a block ends with a colon"),
    "on one line": ("for t: C[t] = A[t]", "k.txt:1:8: a statement of a block stands on a line of its own"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_what_is_refused(case: str) -> None:
    text, words = ERRORS[case]
    with pytest.raises(LanguageError) as told:
        im.kernel(text, file="k.txt")
    assert str(told.value).splitlines()[0] == words
    assert str(told.value).splitlines()[-1].startswith("  ")  # what to do


def test_instructions_have_no_blocks() -> None:
    places, kinds, block = dict.fromkeys("ac", "ymm"), dict.fromkeys("ac", "f32"), "for l:\n  c[l] += a[l]"
    with pytest.raises(LanguageError, match="the contract is one statement without `for`"):
        im.instruction("x", block, axes={"l": 4}, dtypes=kinds, places=places)
    with pytest.raises(LanguageError, match="exact is one statement without `for`"):
        im.instruction("x", "c[l] += a[l]", exact=block, axes={"l": 4}, dtypes=kinds, places=places)
