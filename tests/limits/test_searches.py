"""What a search goes through: no permutations that nothing asks for, no improvements that are noise, no questions without limit."""

from __future__ import annotations

import time

import pytest

import isamap_smt as im
from isamap_smt.mapping.fuse import bindings
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.proof.mapping_form import MappingError
from tests.limits.test_deadline import chain


def test_an_operand_takes_one_access() -> None:
    """An instruction that combines the eight lanes of one operand is no candidate for eight accesses, in none of 40,320 orders."""
    kernel, across = chain(8), im.find_instruction("avx2.sum_of_8xf32")
    assert bindings(kernel, across, "any") == ()
    with pytest.raises(MappingError, match="reads its operand 'a' at 8 cells per point"):
        im.find_mappings(kernel, across)
    assert not im.find_mappings(chain(2), across).candidates  # another number of operands


def test_the_cover_says_which_operand_takes_what() -> None:
    """Of eight operands, of two element types, there are 24 * 24 orders that fit; the cover has bound them in one."""
    text = " + ".join(f"i32(A{n}[i]) * B{n}[i]" for n in range(4))
    types = {f"A{n}": "i16" for n in range(4)} | {f"B{n}": "i32" for n in range(4)} | {"C": "i32"}
    kernel = im.kernel(f"C[i] = {text}", name="mixed", dtypes=types)
    made = selected_instruction(im.find_hardware("avx2"), kernel)
    assert made is not None
    (one,) = bindings(kernel, made, "any")
    assert [a for _, a in one[1:]] == list(kernel.statements[0].inputs)
    assert im.find_mappings(kernel, made).complete


def test_orders_are_those_that_fit() -> None:
    """The same as all permutations, of which those whose element types do not fit are left out."""
    gemm = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "u8", "C": "i32"})
    (one,) = bindings(gemm, im.find_instruction("avx512_vnni.dpbusd"), "any")
    assert {o: a.tensor for o, a in one[1:]} == {"a": "B", "b": "A"}
    gemm = im.find_kernel("gemm").with_dtypes({"A": "f16", "B": "f16"})
    both = bindings(gemm, im.find_instruction("wmma.16x16x16"), "any")
    assert [[a.tensor for _, a in b[1:]] for b in both] == [["A", "B"], ["B", "A"]]


@pytest.mark.parametrize("machine", ["avx2", "host"])
def test_a_sum_inside_the_value(machine: str) -> None:
    planned = im.plan(im.kernel("C[i,j] = sum(e, 4, A[i,e]*B[e,j])", name="inner"), machine, sizes={"i": 8, "j": 24})
    assert planned.schedule is not None


def test_a_chain_of_eight_factors() -> None:
    planned = im.plan(chain(8), "avx2", sizes=dict.fromkeys("abcdefghi", 2), timeout=20)
    assert planned.schedule is not None


def test_improvements_that_are_noise_end_a_search() -> None:
    """At sizes that are assumed; without a limit there were 8,215 of them."""
    told: list[str] = []
    kernel = im.kernel("N[i,j,k] += A[i,a]*B[a,j]*C[k,a]", name="noise")
    planned = im.plan(kernel, "avx2", progress=told.append)
    assert planned.schedule is not None
    assert planned.schedule.gap is not None
    assert planned.schedule.gap < 0.05
    assert sum("solution" in t for t in told) < 1500


def test_suggestions_have_a_limit() -> None:
    """Five products of 16 bits are more than Z3 multiplies out: a range is looked for, and given up."""
    products = " + ".join(f"i32(a[l,{e}]) * i32(b[l,{e}])" for e in range(5))
    five = im.instruction(
        "some.five", "acc[l] += i32(a[l,e]) * i32(b[l,e])", axes={"l": 8, "e": 5},
        dtypes={"a": "i16", "b": "i16", "acc": "i32"}, places={"acc": "r", "a": "r", "b": "r"},
        exact=f"acc[l] += sat_i32({products})",
    )  # fmt: skip
    gemm = im.kernel("C[i,j] += i32(A[i,k])*i32(B[k,j])", name="gemm16", dtypes={"A": "i16", "B": "i16", "C": "i32"})
    rejected = im.prove(im.fuse(gemm, five, "l=j,e=k"))
    started = time.process_time()
    assert "arithmetic matches (instruction): fails" in str(rejected)
    assert time.process_time() - started < 20  # of this process, whatever else runs; it was 50
