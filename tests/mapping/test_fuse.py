"""Fuse mappings say what the formula in the module says, and wrong axes are told apart."""

from __future__ import annotations

import itertools

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError, UnknownNameError
from isamap_smt.ir.expr import evaluate
from isamap_smt.mapping.axes import AxesError, parse_axes
from isamap_smt.mapping.fuse import bindings, fuse, is_fused
from isamap_smt.mapping.layout import layouts, supply

GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
TILE = im.instruction(
    "toy.mma",
    "c[i,j] += a[i,k] * b[k,j]",
    axes={"i": 4, "j": 4, "k": 4},
    dtypes=dict.fromkeys("abc", "f32"),
    places=dict.fromkeys("abc", "tile"),
)
FMA = im.instruction(
    "toy.fma",
    "c[l] += a[] * b[l]",
    axes={"l": 8},
    dtypes=dict.fromkeys("abc", "f32"),
    places={"a": "scalar", "b": "vector", "c": "vector"},
)


@pytest.mark.parametrize("axes", ["i=i,j=j,k=k", "i=i.k,j=j,k=-", "i=-,j=i.j.k,k=-", "i=k.i,j=-,k=j"])
def test_forward_and_inverse_are_inverse_where_the_guard_holds(axes: str) -> None:
    m = fuse(GEMM, TILE, axes, partial=True)
    sizes = {"I": 3, "J": 5, "K": 2}
    extents = {a.name: evaluate(a.extent, sizes) for a in m.outer} | m.instruction.axes
    seen = set()
    for values in itertools.product(*(range(e) for e in extents.values())):
        env = {**sizes, **dict(zip(extents, values, strict=True))}
        if all(evaluate(g, env) for g in m.guard):
            point = {a: evaluate(e, env) for a, e in m.forward}
            seen.add(tuple(point.values()))
            back = {n: evaluate(e, {**sizes, **point}) for n, e in m.inverse}
            assert back == {n: env[n] for n in back}
    assert seen == set(itertools.product(range(3), range(5), range(2)))


def test_a_tile_that_divides_a_fixed_size_needs_no_guard() -> None:
    assert fuse(GEMM.with_sizes({"j": 16}), FMA, "l=j").guard == ()
    assert len(fuse(GEMM.with_sizes({"j": 17}), FMA, "l=j").guard) == 1


def test_an_edited_mapping_is_no_longer_of_the_family() -> None:
    from dataclasses import replace

    m = fuse(GEMM, FMA, "l=j")
    assert is_fused(m)
    assert not is_fused(replace(m, guard=()))
    assert not is_fused(replace(m, groups=(("l", ("i",)),)))


@pytest.mark.parametrize(
    ("axes", "error", "words"),
    [
        ("i=i,jj=j,k=k", UnknownNameError, "toy.mma has no axis 'jj'; did you mean j?"),
        ("i=i,j=jj,k=k", UnknownNameError, "gemm has no axis 'jj'; did you mean j?"),
        ("i=i,j=i,k=k", AxesError, "kernel axis 'i' is used in i and in j; an axis feeds at most one instruction axis"),
        ("i=i.i,j=j,k=k", AxesError, "kernel axis 'i' is used twice in i"),
        ("i=i,j=j", AxesError, "instruction axis 'k' of toy.mma gets no kernel axis"),
        ("i", AxesError, "'i' is not of the form instruction-axis=kernel-axis.kernel-axis"),
        ("i=i,i=j", AxesError, "instruction axis 'i' is given twice"),
    ],
)
def test_wrong_axes_are_refused(axes: str, error: type[IsamapError], words: str) -> None:
    with pytest.raises(error) as e:
        fuse(GEMM, TILE, axes)
    assert words in str(e.value)


@pytest.mark.parametrize(
    ("operands", "words"),
    [
        ("a=A", "operand 'b' of toy.fma is bound to no tensor"),
        ("a=A,b=D", "gemm reads no 'D' for operand 'b'"),
        ("a=A,d=B", "toy.fma has no operand 'd'"),
        ("every", "write fixed, any, or operand=tensor pairs"),
    ],
)
def test_wrong_operands_are_refused(operands: str, words: str) -> None:
    with pytest.raises(IsamapError) as e:
        fuse(GEMM, FMA, "l=j", operands)
    assert words in str(e.value)


def test_a_size_called_like_an_instruction_axis_is_refused() -> None:
    k = im.kernel("size l\naxis i < l\ny[i] += x[i]", name="odd")
    v = im.instruction(
        "toy.add", "c[l] += a[l]", axes={"l": 4}, dtypes=dict.fromkeys("ac", "f32"), places=dict.fromkeys("ac", "v")
    )
    with pytest.raises(AxesError, match="rename the size"):
        fuse(k, v, "l=i")


def test_operands_that_cannot_be_told_apart_are_not_permuted() -> None:
    vector = im.instruction(
        "toy.vfma",
        "c[l] += a[l] * b[l]",
        axes={"l": 8},
        dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "vector"),
    )
    assert len(bindings(GEMM, vector, "any")) == 1
    assert len(bindings(GEMM, FMA, "any")) == 2
    typed = GEMM.with_dtypes({"A": "f64"})
    assert bindings(typed, FMA, "any") == ()


def test_axes_text_round_trips() -> None:
    assert parse_axes("i=n.p, j=k,k=") == {"i": ("n", "p"), "j": ("k",), "k": ()}


SUPPLY = [
    (GEMM, FMA, "l=j", {"c": "contiguous", "a": "broadcast", "b": "contiguous"}),
    (GEMM, FMA, "l=i", {"c": "strided", "a": "broadcast", "b": "broadcast"}),
    (GEMM, TILE, "i=i,j=j,k=k", {"c": "strided", "a": "strided", "b": "strided"}),
]


@pytest.mark.parametrize(("kernel", "instruction", "axes", "kinds"), SUPPLY)
def test_supply(kernel: im.Kernel, instruction: im.Instruction, axes: str, kinds: dict[str, str]) -> None:
    m = fuse(kernel, instruction, axes)
    found = {o: supply(m, o).kind for o, _ in m.binding}
    if axes == "l=i":
        assert found["c"] == "strided" and dict(supply(m, "c").strides)["l"] == m.kernel.tensor("C").shape[1]
        return
    assert found == kinds


@pytest.mark.parametrize("axes", ["i=n.p,j=k,k=c", "i=p,j=k,k=r.c", "i=q,j=n.k,k=c"])
def test_layout_and_strides_are_what_the_coordinates_say(axes: str) -> None:
    conv = im.kernel("O[n,p,q,k] += I[n,p+r,q,c] * W[r,k,c]", name="conv")
    m = fuse(conv, TILE, axes)
    sizes = {"N": 2, "P": 3, "Q": 2, "K": 5, "R": 2, "C": 3}
    for operand, found in layouts(m).items():
        shape = [evaluate(e, sizes) for e in conv.tensor(found.tensor).shape]
        for t, stride in found.supply.strides:
            steps = set()
            extents = {a.name: evaluate(a.extent, sizes) for a in m.outer} | m.instruction.axes
            for values in itertools.product(*(range(e) for e in extents.values())):
                env = {**sizes, **dict(zip(extents, values, strict=True))}
                nearby = {**env, t: env[t] + 1}
                if env[t] + 1 < m.instruction.axes[t] and all(evaluate(g, e) for g in m.guard for e in (env, nearby)):
                    a, b = (_address([evaluate(c, e) for c in found.coordinates], shape) for e in (env, nearby))
                    steps.add(b - a)
            if stride is not None:
                assert steps <= {evaluate(stride, sizes)}, (operand, t)
            else:
                assert len(steps) > 1, (operand, t)


def _address(index: list[int], shape: list[int]) -> int:
    address = 0
    for i, e in zip(index, shape, strict=True):
        address = address * e + i
    return address
