"""Padding is zero in a product that is negated or has numbers among its factors, and in nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.program import Alloc, Node, Program
from isamap_smt.ir.schedule import Stage
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_compute import is_product
from isamap_smt.proof.program_trial import trials
from tests.families import with_one
from tests.programs.portable import is_copy

PRODUCTS = ["-(A[i,k]*B[k,j])", "2*A[i,k]*B[k,j]", "A[i,k]*(B[k,j]*-3)", "-A[i,k]*-B[k,j]"]
OTHERS = ["A[i,k]*B[k,j]+1", "A[i,k]-B[k,j]", "max(A[i,k],0)*B[k,j]", "-(A[i,k]+B[k,j])"]


def _packed(value: str, dtype: str, ordered: str = "") -> Program:
    """Both operands packed, with zeros where k is 3 or more."""
    kernel = im.kernel(f"C[i,j] += {value} where k < 3 {ordered}", dtypes=dict.fromkeys("ABC", dtype))
    mapping = im.find_mappings(kernel, point_instruction(kernel)).legal[0]
    chosen = im.schedule(mapping, im.find_hardware("scalar"), fix={"register.i": 6, "register.j": 2})
    return lower(replace(chosen, stages=(Stage("x0", 0), Stage("x1", 0))))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("value", "dtype"), with_one(PRODUCTS, ["i32", "f32", "u8"]))
def test_a_product_is_zero_with_a_factor(value: str, dtype: str) -> None:
    if dtype == "u8" and "-3" in value:
        pytest.skip("no such number in u8")
    program = _packed(value, dtype)
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 8) is None


@pytest.mark.parametrize("dtype", ["i32", "f32"])
@pytest.mark.parametrize("value", PRODUCTS)
def test_padding_with_anything_is_refuted_by_neutral_alone(value: str, dtype: str) -> None:
    def f(n: Node) -> Any:
        if isinstance(n, Alloc) and n.buffer.type.guard and n.buffer.type.outside == "0":
            return (Alloc(replace(n.buffer, type=replace(n.buffer.type, outside="dead"))),)
        return (replace(n, fill=""),) if is_copy(n) and n.fill == "0" else None

    program = rewritten(_packed(value, dtype), f)
    failed = prove_program(program).failed()
    assert {c.claim for c in failed} == {"neutral"}
    assert all(isinstance(c.verdict, Refuted) for c in failed)
    assert trials(program, 8) is not None


@pytest.mark.parametrize("value", OTHERS)
def test_nothing_else_may_be_padded(value: str) -> None:
    with pytest.raises(ScheduleError, match="is no sum of products, so no padding of"):
        _packed(value, "i32")
    kernel = im.kernel(f"C[i,j] += {value} where k < 3", dtypes=dict.fromkeys("ABC", "i32"))
    assert not is_product(kernel.statements[0].value, False)


def test_a_number_that_is_infinite_in_its_type_is_no_factor() -> None:
    kernel = im.kernel("C[i] += 70000.0*A[i,k] where k < 3", dtypes=dict.fromkeys("AC", "f16"))
    assert not is_product(kernel.statements[0].value, False)


def test_a_number_alone_is_no_product() -> None:
    for text in ("C[i] += 2 over i, k where k < 3\naxis k < 5", "C[i] += -(2*3) over i, k where k < 3\naxis k < 5"):
        assert not is_product(im.kernel(text).statements[0].value, False)


@pytest.mark.parametrize("value", PRODUCTS)
def test_an_ordered_sum_keeps_the_sign_of_zero(value: str) -> None:
    kernel = im.kernel(f"C[i,j] += {value} where k < 3 ordered", dtypes=dict.fromkeys("ABC", "f32"))
    assert not is_product(kernel.statements[0].value, True)
    with pytest.raises(ScheduleError, match="is ordered and has a guard"):
        _packed(value, "f32", "ordered")
