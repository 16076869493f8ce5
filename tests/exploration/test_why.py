"""Why a kernel has no mapping: what is said to help is legal when somebody else makes it so, and less than that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.exploration.why import AsContract, Broadcast, Retype, Widen, apply

GEMM = "C[i,j] += i32(A[i,k]) * i32(B[k,j])"


def instruction(text: str, axes: str, dtypes: dict[str, str], **options: Any) -> im.Instruction:
    return im.instruction(
        "npu.op", text, axes=dict.fromkeys(axes, 4), dtypes=dtypes, places=dict.fromkeys(dtypes, "r"), **options
    )


def kernel(text: str, **dtypes: str) -> im.Kernel:
    return im.kernel(text, name="k", dtypes=dtypes)


def said(found: im.Why) -> list[str]:
    return [" and ".join(map(str, a.changes)) for a in found.admitted]


BYTES = kernel(GEMM, C="i32", A="i8", B="i8")
PRODUCT = "c[i,j] += i32(a[i,k]) * i32(b[k,j])"


def test_a_legal_one_has_no_changes() -> None:
    found = im.why(BYTES, instruction(PRODUCT, "ijk", {"c": "i32", "a": "i8", "b": "i8"}))
    assert found.legal
    assert not found.admitted


@pytest.mark.parametrize(
    ("text", "axes", "dtypes", "wanted"),
    [
        ("c[i,j] += a[i,k] * b[k,j]", "ijk", {"c": "i16", "a": "i8", "b": "i8"}, "c of i32"),
        (PRODUCT, "ijk", {"c": "i32", "a": "u8", "b": "i8"}, "a of i8"),
        ("c[i] += i32(a[i,k]) * i32(b[i])", "ik", {"c": "i32", "a": "i8", "b": "i8"}, "b with axis k"),
        ("c[i,j] += i32(a[i,k]) * i32(b[k])", "ijk", {"c": "i32", "a": "i8", "b": "i8"}, "b with axis j"),
    ],
)
def test_the_smallest_change_is_found(text: str, axes: str, dtypes: dict[str, str], wanted: str) -> None:
    found = im.why(BYTES, instruction(text, axes, dtypes))
    assert not found.legal
    assert wanted in said(found)


def test_what_is_said_to_help_is_legal() -> None:
    """The changed contract, written anew as text, has as many mappings."""
    narrow = instruction("c[i,j] += a[i,k] * b[k,j]", "ijk", {"c": "i16", "a": "i8", "b": "i8"})
    (best,) = im.why(BYTES, narrow).admitted
    assert best.changes == (Retype("c", im.kernel("Y[i] = X[i]", dtypes={"Y": "i32"}).tensor("Y").dtype),)
    written = instruction("c[i,j] += a[i,k] * b[k,j]", "ijk", {"c": "i32", "a": "i8", "b": "i8"})
    assert best.mappings == len(im.find_mappings(BYTES, written).legal)


def test_two_changes_where_one_is_not_enough() -> None:
    both = instruction("c[i,j] += a[i,k] * b[k,j]", "ijk", {"c": "i16", "a": "u8", "b": "i8"})
    found = im.why(BYTES, both)
    assert found.admitted
    assert all(len(a.changes) == 2 for a in found.admitted)
    assert "c of i32 and a of i8" in said(found)


def test_an_axis_that_no_operand_has_is_gone() -> None:
    """A product of matrices becomes one with a vector."""
    found = im.why("matvec", "gemmini.matmul")
    assert not found.legal
    assert found.padded
    assert "acc without axis j and b without axis j" in said(found)
    best = next(a for a in found.admitted if str(a).startswith("acc without axis j"))
    assert [a.name for a in apply(found.instruction, best.changes).kernel.axes] == ["i", "k"]


def test_values_and_saturation() -> None:
    found = im.why("gemm", "avx512_vnni.maddubs_dot")
    assert said(found) == ["no saturation"]
    assert found.ranges
    for text in found.ranges:
        ranged = im.assume(found.kernel, [text])
        assert im.find_mappings(ranged, found.instruction).legal


def test_changes_of_axes_are_those_of_the_contract() -> None:
    made = instruction(PRODUCT, "ijk", {"c": "i32", "a": "i8", "b": "i8"})
    wide = apply(made, [Widen("a", "j")]).kernel
    assert [str(i) for i in wide.statements[0].inputs[0].index] == ["i", "k", "j"]
    assert wide.tensor("a").shape == (4, 4, 4)
    less = apply(made, [Broadcast("b", "k")]).kernel
    assert less.tensor("b").shape == (4,)
    with pytest.raises(im.IsamapError):
        apply(im.find_instruction("avx512_vnni.maddubs_dot"), [Widen("a", "l")])
    assert apply(im.find_instruction("avx512_vnni.maddubs_dot"), [AsContract()]).exact is None


def test_nothing_helps() -> None:
    found = im.why(
        kernel("Y[i] max= X[i,k]"),
        instruction("c[i] += a[i,k]", "ik", {"c": "f32", "a": "f32"}, rounding="as it likes"),
    )
    assert not found.legal
    assert not found.admitted


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "gemm", "avx2.fmadd_ps"]) == 0
    assert "legal mappings" in capsys.readouterr().out
    assert run(["why", "gemm", "linear_int8", "avx512_vnni.maddubs_dot", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [f["changes"][0]["changes"] for f in found] == [["no saturation"], ["no saturation"]]
    assert run(["why", "gemm", "gemmini"]) == 0  # each instruction of the machine that computes
    printed = capsys.readouterr().out
    assert all(f"gemm onto {i.name}" in printed for i in im.find_hardware("gemmini").computes)
    assert run(["why", "gem", "avx2.fmadd_ps"]) == 3
    assert run(["why", "gemm", "avx2.nothing"]) == 3
