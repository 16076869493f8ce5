"""The scalar claim: exact machine arithmetic for integers, the order and rounding of floating point where it is fixed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_smt as im
from isamap_encodings import scalar as encoding
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.scalar import Relu, SAdd, SMax, SMul, SSub, cast, saturate
from isamap_smt.mapping.fuse import fuse
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof import Rejection, prove

GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
BYTES = GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
SATURATING = (
    "acc[l] += i32(sat_i16(i32(a[l,0]) * i32(b[l,0]) + i32(a[l,1]) * i32(b[l,1])))"
    " + i32(sat_i16(i32(a[l,2]) * i32(b[l,2]) + i32(a[l,3]) * i32(b[l,3])))"
)


def dot(exact: str | None = None, **more: object) -> Instruction:
    made = im.instruction(
        "toy.dot",
        "acc[l] += i32(a[l,e]) * i32(b[l,e])",
        axes={"l": 16, "e": 4},
        dtypes={"a": "u8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"),
        exact=exact,
    )
    return replace(made, **more)


def scalar(result: ProvedMapping | Rejection, subject: str) -> Verdict:
    return next(c.verdict for c in result.proof.claims if c.claim == "scalar" and c.subject == subject)


def test_an_exact_dot_is_proved_and_its_arithmetic_is_exact() -> None:
    p = prove(fuse(BYTES, dot(), "l=j,e=k"))
    assert isinstance(p, ProvedMapping)
    assert p.proof.arithmetic == "exact"


def test_a_saturating_dot_is_refuted_with_numbers_that_replay() -> None:
    verdict = scalar(prove(fuse(BYTES, dot(SATURATING), "l=j,e=k")), "instruction")
    assert isinstance(verdict, Refuted)
    w = verdict.witness
    total = sum(w[f"a[l,{e}]"] * w[f"b[l,{e}]"] for e in range(4))
    halves = [sum(w[f"a[l,{e}]"] * w[f"b[l,{e}]"] for e in pair) for pair in ((0, 1), (2, 3))]
    saturated = sum(min(max(h, -32768), 32767) for h in halves)
    assert (w["contract"], w["instruction"]) == (total, saturated)
    assert total != saturated
    assert sum(w[f"{o}[l,{e}]"] != 0 for o in "ab" for e in range(4)) <= 4
    assert f"the contract gives {total}, the instruction {saturated}" in verdict.text


@pytest.mark.parametrize("assume", [(("a", 0, 127),), (("b", -64, 64),)])
def test_a_saturating_dot_is_proved_where_it_cannot_saturate(assume: tuple[tuple[str, int, int], ...]) -> None:
    p = prove(fuse(BYTES, dot(SATURATING, assume=assume), "l=j,e=k"))
    assert isinstance(p, ProvedMapping), str(p)
    tensor = {"a": "A", "b": "B"}[assume[0][0]]
    assert f"{assume[0][1]} <= {tensor} <= {assume[0][2]}" in p.proof.assumptions


def test_a_range_that_is_too_wide_is_refuted() -> None:
    wide = dot(SATURATING, assume=(("a", 0, 129),))
    assert isinstance(scalar(prove(fuse(BYTES, wide, "l=j,e=k")), "instruction"), Refuted)


def test_commuted_factors_are_found() -> None:
    k = im.kernel("C[i,j] += B[k,j] * A[i,k]", name="commuted")
    v = im.instruction(
        "toy.fma", "c[l] += a[] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
    )  # fmt: skip
    assert isinstance(prove(fuse(k, v, "l=j", "a=A,b=B")), ProvedMapping)


def test_another_function_of_the_operands_is_refuted() -> None:
    k = im.kernel("C[i,j] += A[i,k] - B[k,j]", name="difference")
    v = im.instruction(
        "toy.sum", "c[l] += a[] + b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
    )  # fmt: skip
    assert isinstance(scalar(prove(fuse(k, v, "l=j")), "value"), Refuted)


def test_an_accumulating_instruction_does_not_overwrite() -> None:
    k = im.kernel("C[i,j] = A[i,j] * B[i,j]", name="product")
    v = im.instruction(
        "toy.fma", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
    )  # fmt: skip
    verdict = scalar(prove(fuse(k, v, "l=j")), "operands")
    assert isinstance(verdict, Refuted)
    assert verdict.text == "product combines with =, toy.fma with +="


def test_an_assignment_that_adds_to_its_target_accumulates() -> None:
    v = im.instruction(
        "toy.fma", "c[l] = c[l] + a[] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
    )  # fmt: skip
    assert isinstance(scalar(prove(fuse(GEMM, v, "l=j")), "operands"), Proved)


# ---- ordered floating point -----------------------------------------------------------------------------------------

ORDERED = replace(GEMM, statements=(replace(GEMM.statements[0], ordered=True),))


def multiply_add(rounding: str, **dtypes: str) -> Instruction:
    return im.instruction(
        "toy.fma", "c[l] += a[] * b[l]", axes={"l": 8}, dtypes={**dict.fromkeys("abc", "f32"), **dtypes},
        places=dict.fromkeys("abc", "v"), rounding=rounding,
    )  # fmt: skip


def test_an_ordered_sum_is_proved_without_fusing() -> None:
    p = prove(fuse(ORDERED, multiply_add("unfused"), "l=j"))
    assert isinstance(p, ProvedMapping), str(p)
    assert p.proof.arithmetic == "ordered"


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_an_ordered_sum_refutes_a_fused_multiply_add_with_numbers(name: str) -> None:
    kernel = ORDERED.with_dtypes(dict.fromkeys("ABC", name))
    verdict = scalar(prove(fuse(kernel, multiply_add("fused", a=name, b=name, c=name), "l=j")), "order")
    assert isinstance(verdict, Refuted)
    kind = {"f32": np.float32, "f64": np.float64}[name]
    w = {k: kind(v) for k, v in verdict.witness.items()}
    assert kind(w["a"] * w["b"]) + w["c"] == w["kernel"] != w["instruction"]


def test_products_of_f16_are_exact_in_f32_so_fusing_them_changes_nothing() -> None:
    kernel = ORDERED.with_dtypes({"A": "f16", "B": "f16", "C": "f32"})
    v = im.instruction(
        "toy.fma", "c[l] += f32(a[]) * f32(b[l])", axes={"l": 8}, dtypes={"a": "f16", "b": "f16", "c": "f32"},
        places=dict.fromkeys("abc", "v"), rounding="fused",
    )  # fmt: skip
    assert isinstance(prove(fuse(kernel, v, "l=j")), ProvedMapping)


def test_an_ordered_sum_refutes_an_instruction_that_adds_several() -> None:
    v = im.instruction(
        "toy.dot", "c[l] += a[l,e] * b[l,e]", axes={"l": 4, "e": 4}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
    )  # fmt: skip
    verdict = scalar(prove(fuse(ORDERED, v, "l=j,e=k")), "order")
    assert isinstance(verdict, Refuted)
    big = np.float32(verdict.witness["accumulator"])
    one = np.float32(1)
    assert (big + one) + one == verdict.witness["kernel"]
    assert big + (one + one) == verdict.witness["instruction"]
    alone = prove(fuse(ORDERED, v, "l=j,e=-", partial=True))
    assert isinstance(alone, ProvedMapping), str(alone)
    assert any("an accumulator of -0 stays" in a for a in alone.proof.assumptions)


# ---- the bit-vector rules against plain integers --------------------------------------------------------------------

X, Y = sp.Symbol("x"), sp.Symbol("y")
TREES = [
    (SAdd(cast("i32", X), cast("i32", Y)), lambda x, y: x + y),
    (SMul(cast("i32", X), cast("i32", Y)), lambda x, y: x * y),
    (SSub(cast("i32", X), cast("i32", Y)), lambda x, y: x - y),
    (cast("i32", saturate("i16", SMul(SMul(X, Y), sp.Integer(9)))), lambda x, y: max(-32768, min(32767, 9 * x * y))),
    (cast("i32", saturate("i8", SSub(X, Y))), lambda x, y: max(-128, min(127, x - y))),
    (cast("i32", cast("i8", X)), lambda x, y: (x + 128) % 256 - 128),
    (cast("i32", cast("u8", Y)), lambda x, y: y % 256),
    (Relu(cast("i32", Y)), lambda x, y: max(y, 0)),
    (SMax(cast("i32", X), cast("i32", Y)), max),
]


@pytest.mark.parametrize(("tree", "meaning"), TREES)
@settings(max_examples=15)
@given(x=st.sampled_from([0, 1, 127, 128, 200, 255]), y=st.sampled_from([-128, -127, -1, 0, 1, 64, 127]))
def test_bit_vectors_agree_with_plain_integers(tree: object, meaning: object, x: int, y: int) -> None:
    value = meaning(x, y)  # type: ignore[operator]
    at = {"x": (x, x), "y": (y, y)}
    types = {"x": ("u", 8), "y": ("i", 8)}
    assert isinstance(encoding.equal_integers(tree, sp.Integer(value), types, ("i", 32), at), Proved)
    assert isinstance(encoding.equal_integers(tree, sp.Integer(value + 1), types, ("i", 32), at), Refuted)


def test_what_the_rules_do_not_cover_is_unknown() -> None:
    verdict = encoding.equal_integers(X, cast("i32", X), {"x": ("f", 32)}, ("i", 32), {})
    assert isinstance(verdict, Unknown)


def cells(text: str, dtypes: dict[str, str], **more: object) -> Instruction:
    """An instruction of eight lanes."""
    return im.instruction("toy.cells", text, axes={"l": 8}, dtypes=dtypes, places=dict.fromkeys(dtypes, "v"), **more)


@pytest.mark.parametrize(
    ("kernel", "contract"),
    [
        ("y[i] += (A[i,k] * B[i,k]) * D[i,k] ordered", "y[l] += a[l] * (b[l] * d[l])"),
        ("y[i] max= (A[i,k] * B[i,k]) * D[i,k]", "y[l] max= a[l] * (b[l] * d[l])"),
        ("y[i] = max(A[i], B[i]) + D[i]", "y[l] = select(a[l] < b[l], b[l], a[l]) + d[l]"),
    ],
)
def test_equal_over_the_reals_is_not_equal_bit_for_bit(kernel: str, contract: str) -> None:
    made = im.kernel(kernel, dtypes=dict.fromkeys(("y", "A", "B", "D"), "f32"))
    instruction = cells(contract, dict.fromkeys("yabd", "f32"), rounding="unfused")
    verdict = scalar(prove(fuse(made, instruction, "l=i")), "value")
    assert isinstance(verdict, Refuted)
    assert verdict.witness["kernel"] != verdict.witness["instruction"]


def test_the_reals_may_associate_where_the_sum_may_be_reordered() -> None:
    made = im.kernel("y[i] += (A[i,k] * B[i,k]) * D[i,k]", dtypes=dict.fromkeys(("y", "A", "B", "D"), "f32"))
    result = prove(fuse(made, cells("y[l] += a[l] * (b[l] * d[l])", dict.fromkeys("yabd", "f32")), "l=i"))
    assert (result.proof.word, result.proof.arithmetic) == ("proved", "reassociate")


def test_a_fused_maximum_is_not_exact() -> None:
    made = im.kernel("y[i] max= A[i,k] * B[i,k] + D[i,k]", dtypes=dict.fromkeys(("y", "A", "B", "D"), "f32"))
    instruction = cells("y[l] max= a[l] * b[l] + d[l]", dict.fromkeys("yabd", "f32"), rounding="fused")
    assert prove(fuse(made, instruction, "l=i")).proof.arithmetic == "reassociate"


def test_integers_inside_floating_point_wrap() -> None:
    """a < a + 1 holds for every real number and not for 127 in eight bits."""
    dtypes = {"y": "f32", "A": "i8", "B": "i8"}
    made = im.kernel("y[i] += f32(select(A[i] < A[i] + 1, B[i], A[i]))", dtypes=dtypes)
    instruction = cells("y[l] += f32(select(a[l] < i8(3), b[l], b[l]))", {"y": "f32", "a": "i8", "b": "i8"})
    verdict = scalar(prove(fuse(made, instruction, "l=i")), "value")
    assert isinstance(verdict, Unknown)
    assert "wraps" in verdict.reason


def test_a_difference_through_an_unknown_function_is_not_a_refutation() -> None:
    """Narrowing what was just widened gives it back, which an unknown function does not know."""
    made = im.kernel("y[i] += f32(bf16(f32(A[i])))", dtypes={"y": "f32", "A": "bf16"})
    verdict = scalar(prove(fuse(made, cells("y[l] += f32(a[l])", {"y": "f32", "a": "bf16"}), "l=i")), "value")
    assert isinstance(verdict, Unknown)
    assert "conversion to bf16" in verdict.reason


def test_an_exact_meaning_with_a_guard_leaves_lanes_out() -> None:
    exact = "c[l] += a[l] * b[l] where l < 4"
    made = im.kernel("y[i] += A[i] * B[i]", dtypes=dict.fromkeys("yAB", "i32"))
    instruction = cells("c[l] += a[l] * b[l]", dict.fromkeys("cab", "i32"), exact=exact)
    verdict = scalar(prove(fuse(made, instruction, "l=i")), "instruction")
    assert isinstance(verdict, Unknown)
    assert "guard" in verdict.reason


def test_an_exact_meaning_of_fewer_lanes_is_not_the_contract() -> None:
    whole = cells("c[l] += a[l] * b[l]", dict.fromkeys("cab", "i32"))
    exact = im.kernel("c[l] += a[l] * b[l]\naxis l < 4\nc: i32[8]\na: i32[8]\nb: i32[8]")
    made = im.kernel("y[i] += A[i] * B[i]", dtypes=dict.fromkeys("yAB", "i32"))
    verdict = scalar(prove(fuse(made, replace(whole, exact=exact), "l=i")), "instruction")
    assert isinstance(verdict, Unknown)
    assert "lanes" in verdict.reason


def test_a_statement_that_writes_an_element_twice_is_refuted_by_the_two_points() -> None:
    k = im.kernel("A[t//2,j] = X[t,j]", name="halves")
    result = prove(fuse(k, point_instruction(k), {}))
    [bad] = [c for c in result.proof.failed() if c.claim == "exclusive"]
    assert isinstance(bad.verdict, Refuted)
    assert bad.verdict.witness["T"] == 2
