"""Products with a transposed factor on Gemmini: the array transposes A or B on its way in, and tiles are loaded as they lie."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.program import Configure
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from tests.targets.test_gemmini_configuration import changed
from tests.targets.test_gemmini_target import MACHINE, here, typed

# kernel -> its product by NumPy, and the cell of the array's configuration that transposes
FORMS: dict[str, tuple[Any, int]] = {
    "gemm_nt": (lambda a, b: a @ b.T, 4),
    "gemm_tn": (lambda a, b: a.T @ b, 3),
}


@functools.cache
def planned(name: str) -> Any:
    found = im.stage(typed(name), MACHINE)
    assert found.proof.proved and set(found.kernel.free_sizes) == {"I", "J", "K"}
    return found


def factors(name: str, random: np.random.Generator) -> list[np.ndarray]:
    i, j, k = (int(n) for n in random.integers(1, 60, 3))
    shapes = [(k, i) if name == "gemm_tn" else (i, k), (j, k) if name == "gemm_nt" else (k, j)]
    return [random.integers(-128, 128, shape).astype(np.int8) for shape in shapes]


def right(made: Any, name: str, a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(made(a, b), FORMS[name][0](a.astype(np.int64), b.astype(np.int64)))


@pytest.mark.parametrize("name", FORMS)
def test_one_program_at_random_sizes(name: str) -> None:
    made, random = here(planned(name)), np.random.default_rng(11)
    for _ in range(12):
        assert right(made, name, *factors(name, random))


@pytest.mark.parametrize("name", FORMS)
def test_all_columns_of_the_array_work(name: str) -> None:
    """A linear layer as PyTorch keeps its weights: one column at a time takes 4,837,986 cycles."""
    found = im.stage(typed(name), MACHINE, sizes=dict(i=128, j=768, k=768))
    assert found.schedule.proved.mapping.id == "i=i,j=j,k=k;a=A,b=B" and found.cycles < 330_000
    assert not any("unused" in n for n in found.notes)


@pytest.mark.parametrize("name", FORMS)
def test_the_array_is_configured_once(name: str) -> None:
    """Clearing sums does not mind which way round weights lie, and takes no turns with the products."""
    writes = [w for w in nodes_of(Configure, planned(name).program.body) if w.state == "passes"]
    assert len(writes) == 1 and [int(c) for c in writes[0].cells][3:] == [n == FORMS[name][1] for n in (3, 4)]


@pytest.mark.parametrize("name", FORMS)
def test_another_configuration_is_refuted(name: str) -> None:
    cell = FORMS[name][1]
    for wrong in (
        changed(planned(name).program, "passes", cell, 0),
        changed(planned(name).program, "passes", 7 - cell, 1),
    ):
        failed = prove_program(wrong).failed()
        assert failed and {c.claim for c in failed} == {"configuration"}


@pytest.mark.parametrize("name", FORMS)
def test_a_description_that_does_not_transpose_is_found(name: str) -> None:
    """The proof trusts the description; what executes the instructions does not."""
    plain = MACHINE.instruction("matmul").needs
    own = (replace(i, needs=plain) if i.short in ("matmul_at", "matmul_bt") else i for i in MACHINE.instructions)
    random = np.random.default_rng(5)
    try:
        made = here(im.stage(typed(name), replace(MACHINE, instructions=tuple(own))))
        assert not all(right(made, name, *factors(name, random)) for _ in range(4))
    except HardwareError as refused:
        assert "instruction" in str(refused)


def test_scores_of_heads() -> None:
    """S = Q K^T of each head, in bytes, as attention has it."""
    scores = im.kernel("S[h,q,k] += i32(Q[q,h,d]) * i32(K[k,h,d])", dtypes={"S": "i32", "Q": "i8", "K": "i8"})
    found = im.stage(scores, MACHINE, sizes=dict(h=3, q=20, k=37, d=33))
    assert found.schedule.proved.mapping.instruction.short == "matmul_bt"
    random = np.random.default_rng(2)
    q, k = (random.integers(-128, 128, (n, 3, 33)).astype(np.int8) for n in (20, 37))
    want = np.einsum("qhd,khd->hqk", q.astype(np.int64), k.astype(np.int64))
    assert np.array_equal(here(found)(q, k), want)
