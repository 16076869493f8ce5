"""What kernel text means: axes, sizes, shapes, guards, definitions, types."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import reference, run_kernel
from isamap_smt.ir.scalar import Cast, Read, SAdd, Select, SMul, SNeg, SSub
from isamap_smt.language import kernel


def shape(k, name):
    return ", ".join(map(str, k.tensor(name).shape))


def test_gemm_has_the_axes_sizes_and_shapes_of_a_matrix_product():
    k = kernel("C[i,j] += A[i,k] * B[k,j]  # a comment", name="gemm")
    assert [(a.name, str(a.extent)) for a in k.axes] == [("i", "I"), ("j", "J"), ("k", "K")]
    assert [t.name for t in k.tensors] == ["C", "A", "B"]
    assert (shape(k, "C"), shape(k, "A"), shape(k, "B")) == ("I, J", "I, K", "K, J")
    assert k.free_sizes == ("I", "J", "K")
    assert k.statements[0].op == "+" and not k.statements[0].ordered


@pytest.mark.parametrize(
    ("index", "extent"),
    [
        ("p+r", "P + R - 1"),
        ("2*p+r", "2*P + R - 2"),
        ("p+7", "P + 7"),
        ("P-1-p+r", "P + R - 1"),
        ("p*s+r", "P*s + R - s"),
        ("p*s+p+r", "P*s + P + R - s - 1"),
        ("(4*p+3)//4+r", "P + R - 1"),
        ("3", "4"),
    ],
)
def test_a_shape_follows_from_the_largest_index(index, extent):
    k = kernel(f"param s >= 1\nO[p] += A[{index}] * W[r] * V[p]")
    assert sp.expand(k.tensor("A").shape[0] - sp.sympify(extent, locals={n: sym(n) for n in "PRs"})) == 0


@pytest.mark.parametrize(
    ("index", "extent", "at"),
    [
        ("i % 7", 7, lambda i, e: i % 7),
        ("7 - i % 7", 8, lambda i, e: 7 - i % 7),
        ("(i-3) % 5", 5, lambda i, e: (i - 3) % 5),
        ("2*i % 8", 8, lambda i, e: 2 * i % 8),
        ("e + i % 7", 10, lambda i, e: e + i % 7),
        ("(i + i//2) % 3", 3, lambda i, e: (i + i // 2) % 3),
        ("e % 7", 4, lambda i, e: e),
    ],
)
def test_a_remainder_gives_the_extent_that_it_stays_below(index, extent, at):
    k = kernel(f"axis e < 4\nC[i,e] = A[{index}] + B[i,e]")
    assert k.tensor("A").shape == (extent,)
    a = np.arange(extent, dtype=np.float32)
    got = run_kernel(k, {"A": a, "B": np.zeros((40, 4), np.float32)})["C"]
    assert all(got[i, e] == a[at(i, e)] for i in range(40) for e in range(4))


def test_the_largest_of_several_indices_counts():
    k = kernel("y[i] = A[i] + A[i+2] + A[i+1]")
    assert shape(k, "A") == "I + 2"


def test_a_guard_names_the_extent():
    k = kernel("O[n,p,k] += I[n,p+r-1,c] * W[r,c,k] where 0 <= p+r-1 < H")
    assert shape(k, "I") == "N, H, C"
    assert k.free_sizes == ("C", "H", "K", "N", "P", "R")


@pytest.mark.parametrize(
    ("index", "guard", "extent"),
    [("i-1", "1 <= i", "I - 1"), ("i-3", "i > 2", "I - 3"), ("i-k", "k <= i", "I"), ("2*i-k", "k < 2*i+1", "2*I - 1")],
)
def test_a_guard_says_that_an_index_is_not_negative(index, guard, extent):
    k = kernel(f"y[i] += x[{index}] * w[k] where {guard}")
    assert shape(k, "x") == extent


@pytest.mark.parametrize(
    ("index", "guard"), [("i-2", "1 <= i"), ("i-3", "i > 1"), ("i-k-1", "k <= i"), ("i-k", "i <= k")]
)
def test_a_guard_that_says_less(index, guard):
    with pytest.raises(LanguageError, match="this index of x goes down to"):
        kernel(f"y[i] += x[{index}] * w[k] where {guard}")


def test_a_guard_keeps_one_form_whichever_way_round_it_is_written():
    a = kernel("y[i] = x[i] where i >= 2 and i < 5")
    b = kernel("y[i] = x[i] where 2 <= i and 5 > i")
    assert a == b
    assert a.statements[0].guard == (sp.Le(2, sym("i")), sp.Lt(sym("i"), 5))


def test_definitions_are_put_in_wherever_they_stand():
    k = kernel("L = H + 1\nH = 2*P\nx: [L]\ny[p] = x[p] where p < H")
    assert shape(k, "x") == "2*P + 1"
    assert k.statements[0].guard == (sp.Lt(sym("p"), 2 * sym("P")),)


def test_a_definition_may_give_an_axis_its_extent():
    assert str(kernel("P = H - 2\ny[p] = x[p]").axes[0].extent) == "H - 2"


def test_upper_case_axes_and_linear_indices_with_sizes():
    k = kernel("C[M,N] += A[M,K] * B[K,N]")
    assert [(a.name, str(a.extent)) for a in k.axes] == [("M", "M_"), ("N", "N_"), ("K", "K_")]
    linear = kernel("C: [I*J]\nC[i*J+j] += A[i,k] * B[k,j]")
    assert [a.name for a in linear.axes] == ["i", "j", "k"]


def test_parameters_axis_extents_and_sizes():
    k = kernel("param s, t >= 1\nparam pad\naxis e < 4\nsize Z\ny[i] += x[i*s+e+t+Z]")
    assert [(p.name, p.low) for p in k.parameters] == [("s", 1), ("t", 1), ("pad", 0)]
    assert [(a.name, str(a.extent)) for a in k.axes] == [("i", "I"), ("e", "4")]
    assert k.with_sizes({"i": 3, "s": 2, "t": 1, "Z": 5}).free_sizes == ()


def test_types_come_from_the_text_and_the_argument_wins():
    k = kernel("A: u8\nB: i8[K,J]\nC[i,j] += A[i,k] * B[k,j]", dtypes={"C": "i32", "B": "u8"})
    assert [str(t.dtype) for t in k.tensors] == ["i32", "u8", "u8"]


def test_sizes_are_fixed_on_the_way():
    k = kernel("C[i,j] += A[i,k] * B[k,j]", sizes={"i": 4, "K": 3})
    assert (shape(k, "A"), k.free_sizes) == ("4, 3", ("J",))


def test_values_keep_the_order_they_are_written_in():
    value = kernel("y[i] = a[i] - (b[i] - c[i]) * -1 + -d[i]").statements[0].value
    a, b, c, d = (Read(sp.Symbol(n), sym("i")) for n in "abcd")
    assert value == SAdd(SSub(a, SMul(SSub(b, c), sp.Integer(-1))), SNeg(d))


def test_casts_select_and_every_reduction():
    k = kernel("m[i] max= f32(a[i,j])\nm[i] min= a[i,j]\nm[i] *= a[i,j] ordered\nm[i] = select(m[i] < 0.5, 0.5, m[i])")
    assert [s.op for s in k.statements] == ["max", "min", "*", "="]
    assert [s.ordered for s in k.statements] == [False, False, True, False]
    assert isinstance(k.statements[0].value, Cast) and isinstance(k.statements[3].value, Select)
    assert k.outputs == ("m",) and k.inputs == ("a",)


def test_statements_run_over_several_lines_where_brackets_or_where_say_so():
    one = kernel("y[i] += A[i,k] * x[k] where k < 3 and i < 4 ordered")
    assert one == kernel("y[i] += (A[i,k]\n   * x[k])\n  where k < 3\n  and i < 4\n  ordered")
    assert one == kernel("y[i] += A[i,k] * x[k] ordered where k < 3 and i < 4")


def test_tensors_without_dimensions():
    k = kernel("r[] += a[k] * b[ ]")
    assert k.tensor("r").shape == () and k.tensor("b").shape == ()
    assert k.statements[0].reduction_axes == ("k",)


def test_over_gives_the_order_of_the_axes_and_axes_that_no_index_mentions():
    k = kernel("y[i] += A[i,j,k] over k, i, j where i < 3 ordered")
    assert [a.name for a in k.axes] == ["k", "i", "j"]
    assert k.statements[0].reduction_axes == ("k", "j")
    counted = kernel("axis r < 5\ny[i] += x[i] over i, r")
    assert run_kernel(counted, {"x": np.ones(2, np.float32)})["y"].tolist() == [5, 5]
    assert reference(counted, {"x": np.ones(2, np.float32)})["y"].tolist() == [5, 5]


def test_the_file_stands_in_the_error():
    with pytest.raises(LanguageError) as e:
        kernel("C[i] = relo(A[i])", file="my.py:relu")
    assert str(e.value).startswith("my.py:relu:1:8: there is no function 'relo'")
    assert (e.value.line, e.value.column) == (1, 8)
