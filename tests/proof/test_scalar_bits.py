"""Floating point bit for bit: proved by structure or by Z3's floating point, refuted by numbers that replay in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import dtype
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from isamap_smt.proof.scalar_bits import RANDOM, _samples


def judged(kernel: str, contract: str, element: str, rounding: str = "unfused") -> tuple[Verdict, im.Proof]:
    names = [n for n in "yABD" if n in kernel]
    made = im.kernel(kernel, name="mine", dtypes=dict.fromkeys(names, element))
    operands = [n.lower() for n in names]
    instruction = im.instruction(
        "toy.cells", contract, axes={"l": 8}, dtypes=dict.fromkeys(operands, element),
        places=dict.fromkeys(operands, "v"), rounding=rounding,
    )  # fmt: skip
    proof = prove(fuse(made, instruction, "l=i")).proof
    return next(c.verdict for c in proof.claims if c.subject == "value"), proof


@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
@pytest.mark.parametrize(
    ("kernel", "contract"),
    [
        ("y[i] = A[i] + A[i]", "y[l] = 2 * a[l]"),
        ("y[i] = A[i] - B[i]", "y[l] = a[l] + (-b[l])"),
        ("y[i] = (-A[i]) * B[i]", "y[l] = -(a[l] * b[l])"),
        ("y[i] = A[i] / 2", "y[l] = a[l] * 0.5"),
        ("y[i] = A[i] * B[i] + D[i]", "y[l] = d[l] + b[l] * a[l]"),
    ],
)
def test_trees_with_the_same_bits_are_proved(kernel: str, contract: str, element: str) -> None:
    operands = "a=A,b=B,d=D"
    verdict, proof = (
        judged(kernel, contract, element) if "D" not in kernel else _bound(kernel, contract, element, operands)
    )
    assert isinstance(verdict, Proved)
    assert proof.arithmetic == "exact"


def _bound(kernel: str, contract: str, element: str, operands: str) -> tuple[Verdict, im.Proof]:
    made = im.kernel(kernel, name="mine", dtypes=dict.fromkeys("yABD", element))
    instruction = im.instruction(
        "toy.cells", contract, axes={"l": 8}, dtypes=dict.fromkeys("yabd", element), places=dict.fromkeys("yabd", "v"),
        rounding="unfused",
    )  # fmt: skip
    proof = prove(fuse(made, instruction, "l=i", operands)).proof
    return next(c.verdict for c in proof.claims if c.subject == "value"), proof


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_another_association_is_refuted_with_numbers(element: str) -> None:
    verdict, _ = judged("y[i] = (A[i] + B[i]) + D[i]", "y[l] = a[l] + (b[l] + d[l])", element)
    assert isinstance(verdict, Refuted)
    kind = dtype(element).numpy.type
    with np.errstate(all="ignore"):
        a, b, d = (kind(verdict.witness[f"{n}[i]"]) for n in "ABD")
        left, right = (a + b) + d, a + (b + d)
    assert float(left) != float(right)


def test_adding_zero_changes_minus_zero() -> None:
    verdict, _ = judged("y[i] = A[i] + 0", "y[l] = a[l]", "f32")
    assert isinstance(verdict, Refuted)
    assert np.signbit(verdict.witness["A[i]"])
    assert verdict.witness["A[i]"] == 0


def test_a_maximum_that_forgets_a_nan_is_refuted() -> None:
    """x86's maxps(a, b) is a > b ? a : b: with NaN in either it is b."""
    verdict, _ = judged("y[i] = max(A[i], B[i])", "y[l] = select(a[l] > b[l], a[l], b[l])", "f32")
    assert isinstance(verdict, Refuted)
    assert "nan" in (str(verdict.witness["A[i]"]), str(verdict.witness["B[i]"]))


def test_what_a_maximum_makes_of_two_zeros_is_left_open() -> None:
    verdict, _ = judged("y[i] = max(A[i], A[i])", "y[l] = a[l]", "f32")
    assert isinstance(verdict, Unknown)


def test_a_large_tree_is_unknown_and_not_green() -> None:
    verdict, _ = judged("y[i] = (A[i] * B[i]) / 2", "y[l] = a[l] * (b[l] * 0.5)", "f64")
    assert isinstance(verdict, Unknown)


def test_what_rounding_a_proof_leaves_open_is_said() -> None:
    gemm = im.find_kernel("gemm")
    fma = im.find_instruction("avx2.fmadd_ps")
    said = prove(fuse(gemm, fma, "l=j")).proof.assumptions
    assert "terms over k may be combined in any order, each result rounded to nearest even" in said
    assert "avx2.fmadd_ps rounds a product and its sum once" in said


def test_the_rounding_of_the_bf16_dot_product_is_said_as_it_is() -> None:
    dot = im.find_instruction("avx512_bf16.dpbf16_ps")
    gemm = im.kernel("C[i,j] += f32(A[i,k]) * f32(B[k,j])", name="gemm16")
    gemm = gemm.with_dtypes({"A": "bf16", "B": "bf16", "C": "f32"})
    found = prove(fuse(gemm, dot, "l=j,e=k"))
    assert isinstance(found, im.ProvedMapping), str(found)
    assert found.proof.arithmetic == "reassociate"
    (said,) = [a for a in found.proof.assumptions if a.startswith("avx512_bf16.dpbf16_ps")]
    assert "nearest even" in said
    assert "denormals" in said


def test_an_ordered_unfused_sum_assumes_nothing_about_rounding() -> None:
    ordered = im.kernel("C[i,j] += A[i,k] * B[k,j] ordered", name="ordered")
    found = prove(fuse(ordered, im.find_instruction("scalar.muladd_f32"), {}))
    assert isinstance(found, im.ProvedMapping), str(found)
    assert found.proof.arithmetic == "ordered"
    assert not any("round" in a or "order" in a for a in found.proof.assumptions)


@pytest.mark.parametrize("end", [(-(2**63), 2**63 - 1), (-5, 2**40), (7, 2**62), (-(2**62), -9)])
def test_what_is_tried_of_integers_lies_in_their_range_and_has_every_length(end: tuple[int, int]) -> None:
    kinds = [dtype("i64"), dtype("f32"), dtype("u64"), dtype("i8")]
    of_i64, floats, of_u64, of_i8 = (x[-RANDOM:] for x in _samples(kinds, [end, None, None, None]))
    low, high = end
    assert (int(of_i64.min()), int(of_i64.max())) == (low, high) and floats.min() < -1e9 and floats.max() > 1e9
    assert {v.bit_length() for v in of_u64.tolist()} == set(range(65)) and len(set(of_i8.tolist())) == 256
