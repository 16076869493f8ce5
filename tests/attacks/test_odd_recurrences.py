"""Recurrences that no library kernel has: what is proved runs right, edited or not; rows that are not there yet are not proved."""

from __future__ import annotations

import random
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "programs"))

import edits
import toys

import isamap_smt as im
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.program import Program
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials

SUM = "R[t,b,j] += H[t,b,k] * U[k,j]"


def clipped(value: str) -> str:
    """Kept small: a state that grows from one time step to the next is soon rounded, and then the order of a sum shows."""
    return f"max(min({value}, 3), -3)"


# name -> the kernel, and the sums that the toy machine's instruction computes
RIGHT: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "two states, the second of which reads the first one's new row": (
        (
            "for t:", f"  {SUM}", f"  H[t+1,b,j] = {clipped('R[t,b,j] - G[t,b,j]')}",
            "  Q[t,b,j] += G[t,b,k] * V[k,j]", f"  G[t+1,b,j] = {clipped('Q[t,b,j] + H[t+1,b,j]')}",
        ),
        (0, 2),
    ),
    "two states that cross": (
        (
            "for t:", "  R[t,b,j] += G[t,b,k] * U[k,j]", "  Q[t,b,j] += H[t,b,k] * V[k,j]",
            f"  H[t+1,b,j] = {clipped('R[t,b,j]')}", f"  G[t+1,b,j] = {clipped('Q[t,b,j]')}",
        ),
        (0, 1),
    ),
    "a sum that is changed in place": (
        ("for t:", f"  {SUM}", "  R[t,b,j] = R[t,b,j] + X[t,b,j]", f"  H[t+1,b,j] = {clipped('R[t,b,j]')}"),
        (0,),
    ),
    "two time steps back": (("for t:", f"  {SUM}", f"  H[t+2,b,j] = {clipped('R[t,b,j] + H[t+1,b,j]')}"), (0,)),
    "the sum last, of the row that the time step has just made": (
        ("for t:", f"  H[t+1,b,j] = {clipped('R[t,b,j] + X[t,b,j]')}", "  R[t+1,b,j] += H[t+1,b,k] * U[k,j]"),
        (1,),
    ),
    "a state written before the time steps and twice in each, read after them": (
        (
            "H[0,b,j] = S[b,j]", "for t:", f"  {SUM}", f"  H[t+1,b,j] = {clipped('R[t,b,j]')}",
            "  H[t+1,b,j] = H[t+1,b,j] + X[t,b,j]", "Y[t,b,j] += H[t+1,b,k] * V[k,j]",
        ),
        (1, 4),
    ),
}  # fmt: skip
# what a time step reads is written by a later statement of the time step, by a later time step, or by several time steps
OTHERWISE = {
    "a row of this time step, above its sum": f"for t:\n  H[t+1,b,j] = {clipped('R[t,b,j] + X[t,b,j]')}\n  {SUM}",
    "a row of the next time step": f"for t:\n  R[t,b,j] += H[t+1,b,k] * U[k,j]\n  H[t+1,b,j] = {clipped('R[t,b,j]')}",
    "the row that the time step itself will write": f"for t:\n  {SUM}\n  H[t,b,j] = {clipped('R[t,b,j]')}",
    "two rows in turn": f"H: f32[2,B,J]\nfor t:\n  R[t,b,j] += H[t%2,b,k] * U[k,j]\n"
    f"  H[(t+1)%2,b,j] = {clipped('R[t,b,j]')}",
    "one row for all time steps": f"H: f32[T,B,J]\nfor t:\n  R[t,b,j] += H[0,b,k] * U[k,j]\n"
    f"  H[t,b,j] = {clipped('R[t,b,j]')}",
}


def lowered(text: str, sums: tuple[int, ...]) -> Program:
    """The kernel on the toy machine; other statements are computed element by element."""
    kernel = im.kernel(f"axis k < J\n{text}")
    kernel = kernel.with_dtypes({t.name: "f32" for t in kernel.tensors})
    found = [im.fuse(kernel, toys.FMA, {"l": ("j",)}, statement=n) for n in sums]
    return lower(*(toys.schedule(m, "t:1 b:2 j:4 k:1", 3, {"b": 2, "j": 4}) for m in found))


@cache
def right(name: str) -> Program:
    """One of RIGHT, lowered once."""
    lines, sums = RIGHT[name]
    return lowered("\n".join(lines), sums)


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_proved_and_runs_right(name: str) -> None:
    proof = prove_program(right(name))
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(right(name), 6) is None


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_row_that_is_written_afterwards_is_not_proved(name: str) -> None:
    """Whatever is read there: the row as it was before the time steps, or, in a wrong program, as a time step left it."""
    assert not prove_program(lowered(OTHERWISE[name], (1 if name.endswith("its sum") else 0,))).proved


def test_edited_programs_that_are_proved_run_right() -> None:
    proved = 0
    for seed in range(40):
        rng = random.Random(f"odd {seed}")
        name = rng.choice(sorted(RIGHT))
        program, done = edits.edited(right(name), rng, 1)
        if prove_program(program, stop=True).proved:
            proved += 1
            assert trials(program, 6, seed) is None, (name, done)
    assert proved >= 3
