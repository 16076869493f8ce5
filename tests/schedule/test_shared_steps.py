"""Steps of a cover that depend on some operands alone are paid once for all executions of a register tile that share these."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_smt as im
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.selection import selected_instruction

KERNEL = im.kernel("X: f32[M,K]\nW: u8[K,N]\nT: f32[M,N]\nT[m,n] += X[m,k] * (f32(W[k,n] & 15) - 8)", name="low_halves")
SIZES = {"m": 8, "n": 512, "k": 256}


def scheduled(rows: int, known: bool = True) -> Schedule:
    """With so many rows in a register tile, of the cover as it is, or of one whose steps nobody knows."""
    machine = im.find_hardware("avx512")
    made = selected_instruction(machine, KERNEL, 0)
    assert made is not None
    i = made if known else replace(made, cost=replace(made.cost, parts=()))
    mapping = next(p for p in im.find_mappings(KERNEL, i) if p.mapping.id.startswith("l=n;"))
    return im.schedule(mapping, machine, SIZES, fix={"register.m": rows, "register.n": 16})


def test_rows_share_what_is_made_of_the_weights() -> None:
    """Of fewer rows than these each step takes as long as one execution after the other."""
    told, hidden = (scheduled(8, known).objective for known in (True, False))
    assert told is not None and hidden is not None and told < 0.9 * hidden


def test_one_row_shares_nothing() -> None:
    assert scheduled(1).objective == scheduled(1, False).objective


@pytest.mark.parametrize("rows", [1, 2, 8])
def test_the_bound_of_any_schedule_holds(rows: int) -> None:
    s = scheduled(rows)
    assert s.objective is not None and s.lower_bound is not None and s.lower_bound <= s.objective
