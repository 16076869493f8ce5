"""to_text prints text that parses to an equal kernel."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_kernels
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.typed import typed_value
from isamap_smt.language import kernel, to_text

AXES = ("i", "j", "k", "e")


@pytest.mark.parametrize("name", isamap_kernels.names())
def test_library_kernels(name):
    k = isamap_kernels.load(name)
    assert kernel(to_text(k), name=name) == k


@st.composite
def indices(draw, axes=AXES):
    axis = st.sampled_from(axes)
    term = st.one_of(
        axis,
        st.builds("{}*{}".format, axis, st.sampled_from(["2", "3", "s", "J", "(s + 1)", "s*s"])),
        st.builds("({} + {})".format, axis, st.integers(0, 9)),
        st.builds("({} + {})//{}".format, axis, axis, st.sampled_from(["2", "s", "(s*4)"])),
        st.builds("({} - 3)%{}*2".format, axis, st.sampled_from(["5", "s"])),
        st.builds("(2*{}//3)%4".format, axis),
        st.builds(str, st.integers(0, 20)),
    )
    terms = draw(st.lists(term, min_size=1, max_size=3))
    text = terms[0]
    for t in terms[1:]:
        text += draw(st.sampled_from([" + ", " - "])) + t
    return text


def values(depth=3):
    leaf = st.one_of(
        st.builds("A[{}, {}]".format, indices(), indices()),
        st.builds("x[{}]".format, indices()),
        st.just("z[]"),
        st.builds(str, st.integers(-5, 300)),
        st.builds(repr, st.floats(-1e9, 1e9, allow_nan=False)),
    )
    if depth == 0:
        return leaf
    inner = values(depth - 1)
    return st.one_of(
        leaf,
        st.builds("({}) {} ({})".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("-({})".format, inner),
        st.builds("{}({})".format, st.sampled_from(["i32", "f64", "sat_i16", "relu", "exp", "tanh", "sigmoid"]), inner),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), inner, inner),
        st.builds(
            "select({} {} {}, {}, {})".format,
            inner,
            st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
            inner,
            inner,
            inner,
        ),
        st.builds("sum(h, 3, ({}) * x[h])".format, leaf),
    )


GUARDS = st.lists(
    st.builds(
        "{} {} {}".format,
        indices(),
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
        st.one_of(indices(), st.just("Z")),
    ),
    max_size=2,
)


def test_an_axis_that_a_size_takes_out_of_every_index_stays():
    k = kernel("param s\nC[j] += A[k+i*s] * B[j] over j, i, k where i < 3").with_sizes({"s": 0})
    assert to_text(k).splitlines()[-1] == "C[j] += A[k] * B[j] over j, i, k where i < 3"
    assert kernel(to_text(k)) == k


def test_the_order_of_axes_survives_an_index_that_prints_in_another_order():
    k = kernel("O[n] += I[p*3+d*2] * W[d]")
    assert [a.name for a in k.axes] == ["n", "p", "d"]
    assert kernel(to_text(k)) == k


@settings(max_examples=60)
@given(values(), GUARDS, st.sampled_from(["+=", "*=", "max=", "min="]), st.booleans(), st.sets(st.sampled_from("ijke")))
def test_random_kernels(value, guards, op, ordered, fixed):
    # U gives every axis an index, so that any of them may stand in the guard.
    shapes = ["A: f32[M, 3*N]", "x: bf16[M]", "z: i8[]", "U: [I, J, K, 4]"]
    lines = ["param s >= 1", "size Z", "axis e < 4", *shapes]
    used = value if all(f"{t}[" in value for t in "Axz") else f"{value} + A[0, 0] * x[0] * z[]"
    where = f" where {' and '.join(guards)}" if guards else ""
    lines.append(f"C[i, k] {op} U[i, j, k, e] * ({used}){where}{' ordered' if ordered else ''}")
    k = kernel("\n".join(lines))
    k = k.with_sizes(dict.fromkeys(fixed, 4))
    try:
        again = kernel(to_text(k))
    except DTypeError:  # the text says all types; until then those of U and C were open
        with pytest.raises(DTypeError):
            typed_value(k, k.statements[0])
        return
    assert again == k
    assert to_text(again) == to_text(k)
