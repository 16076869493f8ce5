"""The core that calls a program is an engine: it has written the tensors before, and reads the results behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import use_edits as edits

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Issued, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target

MACHINE = isamap_hardware.load("gemmini")
SUM = "T[i,j] += i32(X[i,k]) * i32(W[k,j])"
TYPES = {"X": "i8", "W": "i8", "T": "i32", "H": "i8", "U": "i32", "V": "i8"}
ONE = im.kernel(SUM, dtypes={n: TYPES[n] for n in "XWT"}, name="one")
TWO = im.kernel(
    f"temporary T, H\n{SUM}\nH[i,j] = round_i8(f32(T[i,j]) * 0.01)\nU[i,m] += i32(H[i,j]) * i32(V[j,m])", dtypes=TYPES, name="two"
)  # fmt: skip


@cache
def planned(kernel: im.Kernel) -> Any:
    return im.stage(kernel, MACHINE)


def without(program: Program, barrier: str) -> Program:
    """A barrier left out."""
    names = {f"{barrier}_{e.name}" for e in MACHINE.engines}

    def meant(u: Issued) -> bool:
        return bool(names & {*u.signals, *(c for c, _ in u.awaits)})

    return edits.rewritten(program, lambda u: () if meant(u) else None)


def host_first(program: Program) -> Program:
    """The host reads the results before the barrier."""
    *body, take = program.body
    at = next(n for n, x in enumerate(body) if isinstance(x, Issued) and "done_load" in x.signals)
    return replace(program, body=(*body[:at], take, *body[at:]))


def in_a_phase(program: Program) -> Program:
    """The host writes the tensors behind the barrier, beside the first phase."""
    body = list(program.body)
    give = next(x for x in body if isinstance(x, Issued) and x.instruction.kind == "give")
    body.remove(give)
    at = max(
        n for n, x in enumerate(body) if isinstance(x, Issued) and any(c.startswith("given_") for c, _ in x.awaits)
    )
    return replace(program, body=(*body[: at + 1], give, *body[at + 1 :]))


def unawaited(program: Program, who: str, whom: str) -> Program:
    """At the last barrier one engine does not wait for another."""
    return edits.edited(
        program,
        lambda u: (
            replace(u, awaits=tuple((c, a) for c, a in u.awaits if c != f"done_{whom}"))
            if u.instruction.engine == who
            else u
        ),
    )


MUTANTS: dict[str, Callable[[Program], Program]] = {
    "no first fence": lambda p: without(p, "given"),
    "no last fence": lambda p: without(p, "done"),
    "the host reads before the last fence": host_first,
    "the host writes behind the first fence": in_a_phase,
    "the host does not wait for the stores": lambda p: unawaited(p, "host", "store"),
}


def races(program: Program) -> bool:
    sizes = {"I": 20, "J": 18, "K": 17, "M": 5}
    dims = {"X": (20, 17), "W": (17, 18), "V": (18, 5)}
    arrays = {n: np.ones(dims[n], np.int8) for n in program.kernel.inputs}
    return not simulate(
        program, arrays, {n: v for n, v in sizes.items() if n in program.kernel.free_sizes}, seed=2
    ).sound


@pytest.mark.parametrize("kernel", [ONE, TWO], ids=lambda k: k.name)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_program_without_a_fence_is_refuted_and_races(name: str, kernel: im.Kernel) -> None:
    wrong = MUTANTS[name](planned(kernel).program)
    proof = prove_program(wrong)
    assert proof.word == "refuted" and {c.claim for c in proof.failed()} == {"order"}
    assert "no counter orders the two" in proof.failed()[0].verdict.text and races(wrong)


def test_the_program_itself_is_proved_and_does_not_race() -> None:
    for kernel in (ONE, TWO):
        program = planned(kernel).program
        assert prove_program(program).proved and not races(program)
        assert len(phases(program)) == (1 if kernel is ONE else 2)


def test_each_barrier_is_a_fence_of_the_core() -> None:
    for kernel, fences in ((ONE, 2), (TWO, 3)):
        assert find_target("gemmini").emit(planned(kernel))["program.c"].count("    gemmini_fence();") == fences


def test_what_no_host_is() -> None:
    load, *_ = MACHINE.instructions
    two = (*MACHINE.engines, im.Engine("other", host=True))
    with pytest.raises(HardwareError, match="host and other call programs"):
        replace(MACHINE, engines=two)
    with pytest.raises(HardwareError, match="is issued by host, which calls programs"):
        replace(MACHINE, instructions=(replace(load, engine="host"), *MACHINE.instructions[1:]))
