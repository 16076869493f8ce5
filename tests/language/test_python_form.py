"""The Python form and the text form give equal kernels."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import (
    axes,
    call,
    cast,
    kernel,
    param,
    select,
    size,
    tensor,
    tensors,
    time_steps,
    total,
    within,
)


def test_gemm():
    i, j, k = axes("i j k")
    A, B, C = tensors("A B C")
    assert kernel(C[i, j].add(A[i, k] * B[k, j])) == kernel("C[i,j] += A[i,k] * B[k,j]")


def test_time_steps():
    (j, k), t = axes("j k"), axes("t", t=5)
    H, X, U, Y = tensors("H X U Y")
    made = kernel(
        [time_steps(t, H[t + 1, j].add(X[t, k] * U[k, j]), H[t + 1, j].set(H[t + 1, j] + H[t, j])), Y[j].set(H[5, j])]
    )
    assert made == kernel(
        "axis t < 5\nfor t:\n  H[t+1,j] += X[t,k] * U[k,j]\n  H[t+1,j] = H[t+1,j] + H[t,j]\nY[j] = H[5,j]"
    )
    assert kernel(time_steps(t, Y[t].set(X[t]))) == kernel("axis t < 5\nfor t:\n  Y[t] = X[t]")
    with pytest.raises(LanguageError, match="this block has no statements"):
        kernel([time_steps(t), Y[t].set(X[t])])
    with pytest.raises(LanguageError, match=r"statements such as .* this is Element"):
        kernel(time_steps(t, Y[t]))
    with pytest.raises(LanguageError, match="this is TimeSteps"):
        kernel(time_steps(t, time_steps(t, Y[t].set(X[t]))))


def test_convolution_with_stride_padding_and_types():
    p, r, c = axes("p r c")
    P, R, C = size("P"), size("R"), size("C")
    s, pad = param("s", 1), param("pad")
    H = (P - 1) * s + R - 2 * pad
    I = tensor("I", "bf16", (H, C))
    O, W = tensors("O W")
    y = p * s + r - pad
    made = kernel(O[p].add(I[y, c] * W[r, c]).where(within(y, 0, H)).ordered(), dtypes={"W": "bf16"})
    assert made == kernel(
        "param s >= 1\nparam pad >= 0\nH = (P-1)*s + R - 2*pad\nI: bf16[H, C]\nW: bf16\n"
        "O[p] += I[p*s+r-pad, c] * W[r,c] where 0 <= p*s+r-pad < H ordered"
    )


def test_values_several_statements_and_every_reduction():
    (i, j), e = axes("i j"), axes("e")
    x, y, z = tensors("x y z")
    made = kernel(
        [
            y[i].maximum(-(x[i, j] - 1) / 2),
            y[i].minimum(2.5 - x[i, j]),
            y[i].multiply(call("exp", x[i, j]) + 1),
            y[i].set(select(y[i] >= 0, y[i], cast("f32", 3))).where(i % 2 < 1, (i // 2).equals(i - i // 2)),
            z[()].add(total(e, 4, y[4 * i + e])),
        ]
    )
    assert made == kernel(
        "y[i] max= -(x[i,j] - 1) / 2\ny[i] min= 2.5 - x[i,j]\ny[i] *= exp(x[i,j]) + 1\n"
        "y[i] = select(y[i] >= 0, y[i], f32(3)) where i % 2 < 1 and i // 2 == i - i // 2\n"
        "z[] += sum(e, 4, y[4*i+e])"
    )


def test_brackets_follow_the_expression_and_not_the_text():
    i, (a, b, c, y) = axes("i"), tensors("a b c y")
    made = kernel(y[i].set(a[i] - (b[i] - c[i]) * (a[i] + 1) + -(b[i] * c[i])))
    assert made == kernel("y[i] = a[i] - (b[i] - c[i]) * (a[i] + 1) + -(b[i] * c[i])")


def test_the_order_of_the_axes():
    i, j, (x, y) = axes("i"), axes("j", j=3), tensors("x y")
    assert kernel(y[()].add(x[i]).over(j, i)) == kernel("axis j < 3\ny[] += x[i] over j, i")


def test_fixed_extents():
    (l, e), (a, r) = axes("l e", l=16, e=4), tensors("a r")
    assert kernel(r[l].add(a[l, e])) == kernel("axis l < 16\naxis e < 4\nr[l] += a[l,e]")


def test_a_chained_comparison_is_refused_with_the_way_to_write_it():
    i, n = axes("i"), size("N")
    with pytest.raises(LanguageError, match=r"no truth value here\n.*write within\(i, 0, n\)"):
        0 <= i < n  # noqa: B015


def test_something_else_than_statements_is_refused():
    with pytest.raises(LanguageError, match=r"a kernel is text or statements such as .*; this is int"):
        kernel([3])
