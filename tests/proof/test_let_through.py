"""The smallest sets of live operands that let something through: as when every set is asked, and found among many operands."""

from __future__ import annotations

from itertools import combinations

import pytest

import isamap_smt as im
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof.mapping_neutral import harmless, let_through
from isamap_smt.proof.scalar_trees import accumulation


def mapped(text: str) -> Mapping:
    """The statement, point by point."""
    kernel = im.kernel(text)
    (found,) = im.find_mappings(kernel, point_instruction(kernel))
    return found.mapping


def asked_one_by_one(mapping: Mapping) -> list[tuple[str, ...]]:
    contract = mapping.instruction.kernel.statements[0]
    operands = [o for o, _ in mapping.binding if o != contract.target.tensor]
    op = accumulation(mapping.kernel, mapping.statement)[0]
    value = accumulation(mapping.instruction.kernel, contract)[1]
    found: list[tuple[str, ...]] = []
    for size in range(len(operands) + 1):
        for live in combinations(operands, size):
            if not any(set(r) <= set(live) for r in found) and not harmless(op, value, frozenset(operands) - set(live)):
                found.append(live)
    return found


@pytest.mark.parametrize(
    "value",
    ["A[i]*B[i]", "A[i]*B[i] + D[i]", "A[i]*B[i] - D[i]*E[i]", "(A[i] + B[i])*D[i]", "abs(A[i]*B[i])*D[i]*E[i]"],
)
def test_they_are_those_of_all_sets(value: str) -> None:
    types = "".join(f"{n}: i32\n" for n in "ABCDE" if f"{n}[" in f"C[i] += {value}")
    mapping = mapped(f"{types}C[i] += {value}")
    assert let_through(mapping) == asked_one_by_one(mapping) != []


def test_many_operands_are_not_asked_in_all_sets() -> None:
    mapping = mapped("C[i] += " + " + ".join(f"X[i+{n}]" for n in range(40)))
    assert [len(live) for live in let_through(mapping)] == [1] * 40
