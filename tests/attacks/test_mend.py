"""A refutation says what clashes, where the statement stands, and what to change: only a change that is proved."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.proof import Rejection, prove
from isamap_smt.proof import mend as mending

GEMM = im.find_kernel("gemm")
BYTES = GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
HALF = GEMM.with_dtypes({"A": "f16", "B": "f16"})
CONV = im.find_kernel("conv2d").with_dtypes({"I": "f16", "W": "f16"})
FMA, WMMA = im.find_instruction("avx2.fmadd_ps"), im.find_instruction("wmma.16x16x16")
ORDERED = replace(GEMM, statements=(replace(GEMM.statements[0], ordered=True),))


def rejected(m: Mapping) -> Rejection:
    result = prove(m)
    assert isinstance(result, Rejection) and result.refuted
    return result


TYPED = "  # an instruction for these element types"

CASES: list[tuple[Kernel, str, str, object, str]] = [
    (GEMM, "avx2.fmadd_ps", "l=k", "fixed", "avx2.fmadd_ps --axes l=j"),
    (GEMM, "avx2.fmadd_ps", "l=j.k", "fixed", "avx2.fmadd_ps --axes l=j"),
    (
        HALF,
        "wmma.16x16x16",
        "i=j,j=i,k=k",
        "fixed",
        "wmma.16x16x16 --axes i=j,j=i,k=k --operands a=B,b=A --dtypes C=f32,A=f16,B=f16",
    ),
    (HALF, "wmma.16x16x16", "i=k,j=j,k=i", "fixed", "wmma.16x16x16 --axes i=i,j=j,k=k --dtypes C=f32,A=f16,B=f16"),
    (
        CONV,
        "wmma.16x16x16",
        "i=n.p,j=k,k=q.c.r.s",
        "fixed",
        "wmma.16x16x16 --axes i=n.p,j=k,k=r.s.c --dtypes O=f32,I=f16,W=f16",
    ),
    (
        CONV,
        "wmma.16x16x16",
        "i=n.p.c,j=k,k=r",
        "fixed",
        "wmma.16x16x16 --axes i=n.p,j=k,k=r --dtypes O=f32,I=f16,W=f16",
    ),
    (
        CONV,
        "wmma.16x16x16",
        "i=n.p,j=q,k=c.r.s",
        "fixed",
        "wmma.16x16x16 --axes i=n.p,j=k,k=r.s.c --dtypes O=f32,I=f16,W=f16",
    ),
    (GEMM, "avx2.fmadd_pd", "l=j", "fixed", f"avx2.fmadd_ps --axes l=j{TYPED}"),
    (GEMM, "scalar.muladd_f64", "", "fixed", f"scalar.muladd_f32 --axes ''{TYPED}"),
    (
        BYTES,
        "avx512_vnni.dpbusd",
        "l=j,e=k",
        {"a": "B", "b": "A"},
        "avx512_vnni.dpbusd --axes l=j,e=k --dtypes C=i32,A=u8,B=i8",
    ),
    (ORDERED, "avx2.fmadd_ps", "l=j", "fixed", "avx2.fmadd_ps --axes l=j  # the kernel without `ordered`"),
]


@pytest.mark.parametrize(("kernel", "name", "axes", "operands", "text"), CASES)
def test_a_mend_is_proved_and_said(kernel: Kernel, name: str, axes: str, operands: object, text: str) -> None:
    found = rejected(im.fuse(kernel, im.find_instruction(name), axes or {}, operands)).mend
    assert found is not None and str(found) == f"isamap prove {kernel.name} {text}"
    assert isinstance(found.proved, ProvedMapping)
    assert isinstance(prove(found.proved.mapping), ProvedMapping)


@pytest.mark.parametrize(("kernel", "name", "axes", "operands", "text"), CASES)
def test_what_is_said_can_be_pasted(
    kernel: Kernel, name: str, axes: str, operands: object, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command proves the mapping that was proved before it was suggested."""
    found = rejected(im.fuse(kernel, im.find_instruction(name), axes or {}, operands)).mend
    assert found is not None
    assert run([*shlex.split(found.text)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mapping"] == found.proved.mapping.id


def test_other_element_types_are_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    """No instruction of the machine multiplies 64-bit floats into sums of 32: the same mapping is proved for 32-bit ones."""
    found = rejected(im.fuse(GEMM.with_dtypes({"A": "f64", "B": "f64"}), FMA, "l=j")).mend
    assert found is not None and found.text == ("isamap prove gemm avx2.fmadd_ps --axes l=j --dtypes C=f32,A=f32,B=f32")
    assert run(shlex.split(found.text)[1:]) == 0


LARGEST = im.kernel("M[i] max= A[i,k] * B[i,k]", name="largest")
LARGEST_OF_4 = im.instruction(
    "toy.largest", "m[l] max= a[l,e] * b[l,e]", axes={"l": 8, "e": 4}, dtypes=dict.fromkeys("mab", "f32"),
    places=dict.fromkeys("mab", "v"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "change", "axis"),
    [
        (LARGEST.with_sizes({"i": 8, "k": 6}), "pad k to 8", 8),
        (LARGEST.with_sizes({"i": 8}), "pad K to a multiple of 4", "4*K_4"),
    ],
)
def test_a_size_is_padded_where_no_fill_is_neutral(kernel: Kernel, change: str, axis: object) -> None:
    """No value of a makes a*b the least number whatever b is, so that the lanes must divide k."""
    rejection = rejected(im.fuse(kernel, LARGEST_OF_4, "l=i,e=k"))
    assert rejection.claim.claim == "neutral"
    found = rejection.mend
    assert found is not None and found.change == change
    mapping = found.proved.mapping
    assert str(mapping.statement.axis("k").extent) == str(axis)
    assert isinstance(prove(mapping), ProvedMapping)
    assert str(rejection).endswith(f"\n  try: im.fuse(kernel, instruction, 'l=i,e=k')  # {change}")


def test_a_guard_is_written_as_a_call() -> None:
    bare = replace(im.fuse(GEMM, FMA, "l=j"), groups=(), guard=())
    found = rejected(bare).mend
    assert found is not None
    mended = eval(found.text, {"mapping": bare})  # noqa: S307 - our own text, as a user would paste it
    assert mended == found.proved.mapping
    with pytest.raises(im.IsamapError, match="is no condition"):
        bare.with_guard("l +")


def test_the_whole_text() -> None:
    assert str(rejected(im.fuse(GEMM, FMA, "l=k"))) == (
        "gemm does not map onto avx2.fmadd_ps\n"
        "  l=k;a=A,b=B\n"
        "  one writer per element (c): fails at i=0 j=0 k=0 and i=0 j=0 k=1 (smallest; I=1 J=1 K=2)\n"
        "    kernel       C[0,0] += A[0,0] * B[0,0]\n"
        "                 C[0,0] += A[0,1] * B[1,0]\n"
        "    instruction  iterations (l=0) and (l=1) of one issue\n"
        "  index l of c[l] differs between the two, no index of C[i,j] does\n"
        "  cells c[0] and c[1] would both hold C[0,0], each a part of its sum\n"
        "  try: isamap prove gemm avx2.fmadd_ps --axes l=j"
    )


def test_the_dimension_that_clashes_is_the_access_own() -> None:
    """The kernel and the instruction both have an axis k; only the kernel's index counts."""
    text = str(rejected(im.fuse(CONV, WMMA, "i=c,j=k,k=p")))
    assert "  index p of O[n,p,q,k] differs between the two, no index of c[i,j] does\n" in text


def test_the_condition_that_leaves_a_point_out_is_named() -> None:
    corner = im.kernel("C[i,j] += A[i,k] * B[k,j] where i + j + k < I", name="corner")
    corner = corner.with_dtypes({"A": "f16", "B": "f16"})
    text = str(rejected(im.fuse(corner, WMMA, "i=i,j=j,k=k")))
    assert "  masked lanes have no effect: fails (smallest; I=3 J=2 K=2)\n" in text
    assert "  the condition i + 16*i_tile + j + 16*j_tile + k + 16*k_tile < I leaves it out\n" in text
    assert "\n  try: isamap prove --text 'C[i,j] +=" in text and " --axes i=-,j=j,k=k --partial " in text


def test_a_mapping_by_hand_gets_its_mask() -> None:
    m = im.fuse(GEMM, FMA, "l=j")
    bare = rejected(replace(m, groups=(), guard=()))
    assert str(bare).endswith(
        "\n  also refuted: accesses in bounds (c), accesses in bounds (b)\n"
        "  try: mapping.with_guard('l + 8*l_tile < J')  # points outside the kernel masked"
    )
    g = m.guard[0]
    off = rejected(replace(m, groups=(), guard=(g.func(g.args[0] + 1, g.args[1], evaluate=False),)))
    assert "the mapping's guard l + 8*l_tile + 1 < J leaves this iteration out, so nothing computes it" in str(off)
    assert str(off).endswith("\n  try: isamap prove gemm avx2.fmadd_ps --axes l=j")


def test_what_nothing_mends_suggests_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = im.kernel("C[i,j] += A[i,k] - B[k,j]", name="difference")
    assert rejected(im.fuse(difference, FMA, "l=j")).mend is None
    shifted = im.kernel("A: [I,K]\nC[i,j] += A[i,k+1] * B[k,j]", name="shifted")
    result = rejected(im.fuse(shifted, FMA, "l=j"))
    assert result.mend is None and "try:" not in str(result)
    monkeypatch.setattr(mending, "_proved", lambda m: None)  # nothing is proved: nothing may be said
    assert rejected(im.fuse(GEMM, FMA, "l=k")).mend is None


def test_the_search_for_a_mend_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Mapping] = []
    monkeypatch.setattr(mending, "_proved", asked.append)
    assert rejected(im.fuse(CONV, WMMA, "i=n.p,j=q,k=c.r.s")).mend is None
    assert len(asked) <= mending.PROOFS
    monkeypatch.setattr(mending, "SECONDS", -1.0)
    before = len(asked)
    assert rejected(im.fuse(GEMM, FMA, "l=k")).mend is None and len(asked) == before


def test_file_and_line_of_the_statement(tmp_path: Path) -> None:
    path = tmp_path / "ops.py"
    path.write_text(
        'import isamap_smt as im\n\nother = "D[i,j] += A[i,k] * B[k,j]"\n'
        'mine = """\n# a comment\nC[i,j] += A[i,k] * B[k,j]\n"""\n'
        'made = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="made")\n'
    )
    for name, line in (("mine", 6), ("made", 8)):
        text = str(rejected(im.fuse(im.find_kernel(f"{path}:{name}"), FMA, "l=k")))
        assert f"\n  {path}:{line}: C[i,j] += A[i,k] * B[k,j]\n" in text
    assert str(path) not in str(rejected(im.fuse(GEMM, FMA, "l=k")))
