"""Zeros stand in for elements outside of a guard only where what they are multiplied with cannot become infinite on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import lower, mapped
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.schedule import ZEROS
from isamap_smt.proof import prove_program

WHERE = "where p + r < H"
SIZES = {"H": 8, "P": 8, "R": 3}
# the statement, the types of C, A, B and D, and a finite element of B (and D) of which its conversion or product makes an infinity
OVERFLOWS = {
    "converted": ("f16(A[p+r]) * f16(B[r])", ("f32", "f32", "f32", "f32"), 1e6),
    "converted to the output's type": ("A[p+r] * B[r]", ("f16", "f16", "f32", "f32"), 1e6),
    "an integer converted": ("A[p+r] * B[r]", ("f16", "f16", "u16", "f32"), 65535),
    "integers by way of f16": ("i32(f16(A[p+r]) * f16(B[r]))", ("i32", "i32", "i32", "f32"), 100000),
    "times a number": ("2 * B[r] * A[p+r]", ("f32", "f32", "f32", "f32"), 3e38),
    "of three factors": ("B[r] * D[r] * A[p+r]", ("f32", "f32", "f32", "f32"), 3e38),
}
STAYS = {
    "the same type": ("A[p+r] * B[r]", ("f32", "f32", "f32", "f32")),
    "a wider type": ("A[p+r] * B[r]", ("f32", "f32", "f16", "f32")),
    "an integer": ("A[p+r] * B[r]", ("f64", "f32", "i32", "f32")),
    "half of it": ("0.5 * B[r] * A[p+r]", ("f32", "f32", "f32", "f32")),
    "a small integer times a number": ("2.0 * f32(B[r]) * A[p+r]", ("f32", "f32", "u8", "f32")),
}


def kernel(value: str, types: tuple[str, ...]) -> im.Kernel:
    used = [(n, t) for n, t in zip("CABD", types, strict=True) if n in value or n == "C"]
    return im.kernel("\n".join([*(f"{n}: {t}" for n, t in used), f"C[p] += {value} {WHERE}"]), sizes=SIZES)


@pytest.mark.parametrize("name", OVERFLOWS)
def test_what_becomes_infinite_is_not_multiplied_by_padding(name: str) -> None:
    value, types, large = OVERFLOWS[name]
    k = kernel(value, types)
    arrays = {n: np.ones(t.shape, t.dtype.numpy) for n in k.inputs for t in [k.tensor(n)]}  # type: ignore[arg-type]
    for n in {"B", "D"} & set(k.inputs):
        arrays[n][2] = large
    planned = im.plan(k, "scalar")
    assert not any("fault of" in n for n in planned.notes)
    got = im.build(planned)(*(arrays[n] for n in planned.kernel.inputs))
    want = run_kernel(k, arrays)["C"]
    np.testing.assert_array_equal(np.asarray(got)[-2:], want[-2:])  # they meet no element that becomes infinite
    assert np.all(np.isfinite(want[-2:].astype(float)))


@pytest.mark.parametrize("name", [*OVERFLOWS, *STAYS])
def test_a_copy_with_zeros_around_it_is_proved_where_they_are_neutral(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: the schedule says so whatever the value is."""
    value, types = (OVERFLOWS.get(name) or STAYS[name])[:2]
    schedule = im.plan(kernel(value, types), "scalar").schedule
    assert schedule is not None and any(s.padding or s.depth is not None for s in schedule.stages)
    monkeypatch.setattr(mapped, "keeps_finite", lambda *_: True)
    copied = tuple(replace(s, padding=ZEROS) if s.padding else s for s in schedule.stages)
    program = lower(replace(schedule, stages=copied))
    assert "else 0" in str(program)
    proof = prove_program(program)
    assert proof.proved == (name in STAYS), proof
    assert {c.claim for c in proof.failed()} <= {"neutral"}
