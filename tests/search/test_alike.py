"""Instructions that compute the same are searched once, and have the same mappings."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.search.alike import legal_mappings

GEMMINI = isamap_hardware.load("gemmini")
BYTES = {"C": "i32", "A": "i8", "B": "i8"}
TEXTS = {
    "gemm": "C[i,j] += i32(A[i,k]) * i32(B[k,j])",
    "gemm_nt": "C[i,j] += i32(A[i,k]) * i32(B[j,k])",
    "heads": "C[h,i,j] += i32(A[i,h,k]) * i32(B[j,h,k])",
}


def products() -> list[im.Instruction]:
    return [i for i in GEMMINI.computes if "matmul" in i.short]


def searched(text: str, instructions: list[im.Instruction], partial: bool) -> tuple[list[im.Mapping], list[str]]:
    """Their mappings in order, and the instructions that were searched."""
    asked: list[str] = []

    def search(i: im.Instruction) -> im.MappingSet:
        asked.append(i.short)
        return im.find_mappings(im.kernel(text, dtypes=BYTES), i, partial=partial)

    found, left = legal_mappings(im.kernel(text, dtypes=BYTES), instructions, search, lambda m: "")
    assert not left and all(p.proof.proved for p in found)
    return [p.mapping for p in found], asked


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_one_search_finds_what_a_search_of_each_finds(text: str, partial: bool) -> None:
    found, asked = searched(text, products(), partial)
    each = [p.mapping for i in products() for p in im.find_mappings(im.kernel(text, dtypes=BYTES), i, partial=partial)]
    assert found == each and found
    assert asked == ["matmul"] and len(products()) == 5


def other(**fields: object) -> im.Instruction:
    """matmul under another name, with other fields."""
    return replace(products()[0], name="gemmini.other", **fields)  # type: ignore[arg-type]


def named(text: str, sides: tuple[int, int, int] = (16, 16, 16), a: str = "i8") -> im.Instruction:
    return im.instruction(
        "gemmini.other",
        text,
        axes=dict(zip("ijk", sides, strict=True)),
        dtypes={"acc": "i32", "a": a, "b": "i8"},
        places=dict.fromkeys(("acc", "a", "b"), "scratchpad"),
    )


@pytest.mark.parametrize(
    "unlike",
    [
        other(rounding="fused"),
        other(assume=(("a", 0, 127),)),
        named("acc[i,j] += i32(a[i,k]) * i32(b[k,j])", (16, 16, 8)),
        named("acc[i,j] += i32(a[i,k]) * i32(b[k,j])", a="u8"),
        named("acc[i,j] += i32(a[i,k]) * i32(b[k,i])"),
        named("acc[i,j] += i32(a[i,k]) * i32(b[k,j]) * 2"),
    ],
    ids=["rounding", "assumed", "extents", "types", "indices", "value"],
)
def test_what_computes_otherwise_is_searched_by_itself(unlike: im.Instruction) -> None:
    asked: list[str] = []

    def search(i: im.Instruction) -> list[im.ProvedMapping]:
        asked.append(i.short)
        return []

    legal_mappings(im.kernel(TEXTS["gemm"], dtypes=BYTES), [products()[0], unlike], search, lambda m: "")
    assert asked == ["matmul", "other"]


def test_a_mapping_of_no_use_is_not_proved() -> None:
    kernel = im.kernel(TEXTS["gemm"], dtypes=BYTES)
    two = products()[:2]
    found, left = legal_mappings(kernel, two, lambda i: im.find_mappings(kernel, i), lambda m: "no tiles")
    assert {p.mapping.instruction for p in found} == {two[0]} and {m.instruction for m, _ in left} == {two[1]}
    assert len(found) == len(left) == 2 and {why for _, why in left} == {"no tiles"}
