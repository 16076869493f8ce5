"""A statement that reaches beyond a declared shape: refused where sizes are fixed, checked at each call where they are open."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.ir.reach import needed_sizes
from isamap_smt.proof import prove_program

TEXT = "axis n < 4\nC: u16\nA: u16[N]\nC[n] = A[n]"
NEEDED = {
    TEXT: ("N >= 4",),
    "axis n < M\nC: u16\nA: u16[N]\nC[n] = A[n]": ("N >= M",),
    "C: u16\nA: u16[N]\nB: u16[K]\nC[n] += A[n+1] * B[k]": (),
    "C: u16[I]\nA: u16[N]\nC[i] = sum(e, 4, A[4*i+e])": ("N >= 4*I",),
    "axis n < 4\nC: u16\nA: u16[N]\nC[n] = A[n] where n < N": (),
    "C: u16[N]\nA: u16\nC[n] = A[n+1]": (),
    "axis n < M\nC: u16\nA: u16[M+N]\nC[n] = A[n+1]": (),
    "C: u16\nA: u16[P]\nC[i] = A[i//2]": ("P >= ((I - 1) // 2) + 1",),
    "C: u16\nA: u16[P]\nC[i,j] = A[(i + 2*j)//4 + j]": ("P >= J + ((I + 2*J - 3) // 4)",),
    "C: u16\nA: u16[P]\nC[i] = A[P - 1 - i//2]": (),
    "C: u16\nA: u16[I//2 + 1]\nC[i] = A[i//2]": (),
    "C: u16\nA: u16[P]\nC[i] = A[i - i//2]": (),
}


@pytest.mark.parametrize("text", NEEDED)
def test_what_is_needed_of_sizes(text: str) -> None:
    assert tuple(c.text for c in needed_sizes(im.kernel(text))) == NEEDED[text]


def test_fixed_sizes_that_are_too_small() -> None:
    with pytest.raises(SizeError) as refused:
        im.plan(im.kernel(TEXT), "scalar", sizes={"N": 3})
    assert str(refused.value) == (
        "A: index n of dimension 0 reaches 3, outside [0, 3);\n"
        "  correct the shape of A, or add a guard such as `where 0 <= n < 3`"
    )


def test_open_sizes_are_checked_at_each_call() -> None:
    built = im.build(im.plan(im.kernel(TEXT), "scalar"))
    np.testing.assert_array_equal(built(np.arange(5, dtype=np.uint16)), range(4))
    np.testing.assert_array_equal(built(np.arange(4, dtype=np.uint16)), range(4))
    with pytest.raises(SizeError, match="N >= 4"):
        built(np.arange(3, dtype=np.uint16))


@pytest.mark.parametrize("assumed", [(), ("N >= 3",), ("N == 4",), ("K >= 4",)])
def test_without_the_condition_the_program_is_refuted(assumed: tuple[str, ...]) -> None:
    program = im.plan(im.kernel(TEXT), "scalar").program
    assert program.assumptions == ("N >= 4",)
    assert prove_program(program).proved
    assert {c.claim for c in prove_program(replace(program, hypotheses=tuple(map(Relation.of, assumed)))).failed()} == {
        "bounds"
    }


def test_quotients_of_open_sizes_are_checked_at_each_call() -> None:
    """Each group of two rows reads one element."""
    built = im.compile(im.kernel("C: u16\nA: u16[P]\nC[i] = A[i//2]"), "scalar")
    given = np.arange(3, dtype=np.uint16)
    for n in (1, 5, 6):
        np.testing.assert_array_equal(built(given, sizes={"I": n}), np.arange(n) // 2)
    with pytest.raises(SizeError, match=re.escape("P >= ((I - 1) // 2) + 1")):
        built(given, sizes={"I": 7})


@pytest.mark.parametrize("assumed", [(), ("P >= (I - 1) // 2",), ("P >= I // 2",), ("I >= 2",)])
def test_without_that_condition_the_program_is_refuted(assumed: tuple[str, ...]) -> None:
    program = im.plan(im.kernel("C: u16\nA: u16[P]\nC[i] = A[i//2]"), "scalar").program
    assert prove_program(program).proved
    assert {c.claim for c in prove_program(replace(program, hypotheses=tuple(map(Relation.of, assumed)))).failed()} == {
        "bounds"
    }


def test_a_kernel_that_reaches_out_at_some_sizes_is_no_fault_of_isamap() -> None:
    text = "C: u16\nA: u16[I]\nC[i] = A[4*(i//4) + 3 - i%4]"
    with pytest.raises(SizeError) as refused:
        im.plan(im.kernel(text), "scalar")
    assert str(refused.value).startswith(
        "line 3: A has no element where index 4*(i // 4) - (i % 4) + 3 of dimension 0 is 3, outside [0, 1): at I=1 i=0;\n  correct"
    )
    assert im.plan(im.kernel(text), "scalar", sizes={"I": 8}).proof.proved
