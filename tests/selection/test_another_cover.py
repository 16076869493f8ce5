"""A cover that its check refuses is given up: selection makes another one, and the plan says why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.cover_model import Offer, cheapest
from isamap_smt.ir.errors import DescriptionError

pytestmark = pytest.mark.needs("avx2", "fma")
AVX2 = im.find_hardware("avx2")
SIZES = {"i": 5, "j": 13}


@pytest.fixture(scope="module")
def slipped() -> im.Hardware:
    """Its addition subtracts."""

    def changed(i: im.Instruction) -> im.Instruction:
        return replace(i, emit=i.emit.replace("_mm256_add_ps", "_mm256_sub_ps")) if i.short == "add_ps" else i

    return replace(AVX2, instructions=tuple(map(changed, AVX2.instructions)))


def test_the_search_goes_on_without_what_a_check_refuses(slipped: im.Hardware) -> None:
    kernel = im.kernel("Y[i,j] = A[i,j] * B[i,j] + C[i,j]", name="sums")
    planned = im.plan(kernel, slipped, sizes=SIZES)
    assert planned.instruction is not None and "_mm256_sub_ps" in planned.instruction.emit
    made = im.build(planned)
    note = next(n for n in made.notes if "another cover" in n)
    assert "does not do what its description says" in note and "the instruction gave" in note
    assert "_mm256_sub_ps" not in made.source and "_mm256_mul_ps" in made.source
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 5, 13), dtype=np.float32)
    assert np.array_equal(made(a, b, c), a * b + c)


def test_an_instruction_that_is_asked_for_is_not_replaced(slipped: im.Hardware) -> None:
    kernel = im.kernel("Y[i,j] = A[i,j] + C[i,j]", name="sums")
    planned = im.plan(kernel, slipped, sizes=SIZES, instruction="add_ps")
    with pytest.raises(DescriptionError, match="does not do what its description says"):
        im.build(planned)


def test_nothing_is_made_in_a_way_that_is_banned() -> None:
    offers = [Offer(0, (), 0), Offer(1, (0,), 5), Offer(1, (0,), 7), Offer(1, (0,), 9)]
    first = cheapest(offers, 1)
    assert first is not None and first.offers == (0, 1)
    second = cheapest(offers, 1, banned=[(0, 1)])
    assert second is not None and second.offers == (0, 2)
    assert cheapest(offers, 1, banned=[(0, 1), (0, 2), (0, 3)]) is None


def test_a_way_that_needs_what_it_makes_is_never_taken() -> None:
    """i32(f32(i32(x))) offers one."""
    offers = [Offer(0, (), 0), Offer(1, (1,), 1), Offer(1, (0,), 5), Offer(1, (1, 0), 2)]
    found = cheapest(offers, 1)
    assert found is not None and found.offers == (0, 2)
    assert cheapest(offers, 1, banned=[(0, 2)]) is None


def test_what_overflows_in_the_kernels_own_order_is_no_mistake_of_a_cover() -> None:
    """A variance: the square of a deviation of 3.6e19 is no f32, and a 2,000th of it is."""
    kernel = im.kernel("temporary S\nS[i] += X[i,j]\nV[i] += (X[i,j]-S[i]/J)*(X[i,j]-S[i]/J)/J", name="variance")
    made = im.build(im.plan(kernel, "avx2", sizes={"i": 30, "j": 2000}))
    assert not any("another cover" in n for n in made.notes)
    x = np.random.default_rng(0).standard_normal((30, 2000), dtype=np.float32)
    assert np.allclose(made(x), x.var(axis=1), rtol=1e-5)


def test_a_wrong_product_inside_a_sum_is_seen() -> None:
    """What is followed operation by operation is as far off as rounding carries it, and no further."""

    def changed(i: im.Instruction) -> im.Instruction:
        return replace(i, emit=i.emit.replace("_mm256_mul_ps", "_mm256_sub_ps")) if i.short == "mul_ps" else i

    wrong = replace(AVX2, instructions=tuple(map(changed, AVX2.instructions)))
    kernel = im.kernel("V[i] += (X[i,j]-S[i]/7)*(X[i,j]-S[i]/7)/7", name="deviations")
    made = im.build(im.plan(kernel, wrong, sizes={"i": 30, "j": 64}))
    (note,) = (n for n in made.notes if "another cover" in n)
    assert "avx2.mul_ps does not do what its description says" in note
    x, s = np.random.default_rng(0).standard_normal((2, 30, 64), dtype=np.float32)
    deviations = (x - s[:, 0, None] / 7) ** 2
    assert np.allclose(made(x, s[:, 0].copy()), (deviations / 7).sum(axis=1), rtol=1e-5)
