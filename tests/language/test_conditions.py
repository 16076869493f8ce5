"""and, or, not, chains and comparisons as values: choices by one comparison each, in the interpreter, in C and on vectors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.language import axes, kernel, select, tensors, to_text

NUMBERS = (-1.0, -0.0, 0.0, 1.0, 2.5, np.inf, np.nan)
TEXTS = {
    "select(A[i] < B[i] and B[i] > 0, A[i], B[i])": lambda a, b: a if a < b and b > 0 else b,
    "select(A[i] < B[i] or not B[i] > 0, A[i], B[i])": lambda a, b: a if a < b or not b > 0 else b,
    "select(not (A[i] < 1 and (B[i] < 1 or A[i] == B[i])), A[i], 7)": lambda a, b: (
        a if not (a < 1 and (b < 1 or a == b)) else 7
    ),
    "select(0 <= A[i] < B[i] != 1, 1, 2)": lambda a, b: 1 if 0 <= a < b != 1 else 2,
    "(A[i] < B[i]) + 2 * (A[i] >= B[i])": lambda a, b: (a < b) + 2 * (a >= b),
    "select(A[i], B[i], 3)": lambda a, b: b if a else 3,
    "A[i] and not B[i]": lambda a, b: int(bool(a) and not b),
    "select((A[i] < B[i]) == (B[i] < 1), A[i] - 1, 0)": lambda a, b: a - 1 if (a < b) == (b < 1) else 0,
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("machine", ["scalar", pytest.param("avx2", marks=pytest.mark.needs("avx2"))])
def test_they_mean_what_pythons_do(text: str, machine: str) -> None:
    made = kernel(f"Y[i] = {text}")
    a, b = (np.float32(v) for v in zip(*itertools.product(NUMBERS, repeat=2), strict=True))
    want = np.float32([TEXTS[text](x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)])
    np.testing.assert_array_equal(run_kernel(made, {"A": a, "B": b})["Y"], want)
    np.testing.assert_array_equal(im.compile(made, machine)(A=a, B=b), want)
    assert kernel(to_text(made)) == made


def test_they_are_choices_by_one_comparison_each() -> None:
    made = kernel("Y[i] = select(A[i] < 1 and not (B[i] < 2 or A[i] == B[i]), A[i], B[i])")
    assert to_text(made).splitlines()[-1] == (
        "Y[i] = select(A[i] < 1, select(B[i] < 2, B[i], select(A[i] == B[i], B[i], A[i])), B[i])"
    )


@pytest.mark.needs("avx2")
def test_they_are_computed_in_lanes() -> None:
    made = kernel("Y[i] = select(A[i] < B[i] and B[i] < 4, A[i], B[i])")
    assert (
        "avx2.selected" in im.plan(made, "avx2").checked.program.name
        or "_mm256_blendv_ps" in im.plan(made, "avx2").source
    )


def test_a_comparison_has_its_own_type() -> None:
    made = kernel("Y[i] = select(f32(X[i]) < 2.5, 1, 0) + i32(X[i] != 0.5)", dtypes={"X": "f32", "Y": "i32"})
    x = np.float32([0.5, 1, 3, np.nan])
    assert run_kernel(made, {"X": x})["Y"].tolist() == im.compile(made, "scalar")(X=x).tolist() == [1, 2, 1, 1]


def test_axes_are_compared_exactly() -> None:
    made = kernel("Y[i,j] = select(i <= j and j != 2, X[i,j], 0)")
    x = np.ones((4, 4), np.float32)
    want = [[float(i <= j and j != 2) for j in range(4)] for i in range(4)]
    assert run_kernel(made, {"X": x})["Y"].tolist() == im.compile(made, "scalar")(X=x).tolist() == want


def test_the_python_form() -> None:
    i, (a, b, y) = axes("i"), tensors("A B Y")
    both, either = (a[i] < b[i]) & (b[i] > 0), (a[i] < 0) | ~(b[i] < 2)
    made = kernel([y[i].set(select(both, a[i], (either, b[i])[1]) + (a[i] < 1))])
    assert made == kernel("Y[i] = select(A[i] < B[i] and B[i] > 0, A[i], B[i]) + (A[i] < 1)")
    assert kernel(y[i].set(either)) == kernel("Y[i] = A[i] < 0 or not B[i] < 2 # B")


TOO_MANY = " and ".join(["(A[i] < 0 or A[i] > 1)"] * 7)
REFUSED = {
    "Y[i] = select(1, A[i], 2)": "line 1, column 15: a condition compares values",
    "Y[i] = select(A[i] in B[i], 1, 2)": "line 1, column 15: this is no comparison of values",
    "Y[i] = select(not 2.5, A[i], 2)": "line 1, column 19: a condition compares values",
    f"Y[i] = select({TOO_MANY}, 1, 0)": "line 1, column 15: this condition becomes 254 choices, and 64 are the most",
    "Y[i] = select(A[i] < 2, 1)": "line 1, column 8: select takes 3 arguments, not 2",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(LanguageError) as e:
        kernel(text)
    assert str(e.value).splitlines()[0] == REFUSED[text]
