"""Tiles of a window that slides over an image share runs of elements, and a stage holds each of them once."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from arrays import array
from judged import numbers_wrong
from use_edits import at, held, holding, place, uses

import isamap_smt as im
from isamap_encodings.staging_problem import Numbers, Sliding
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.program import Command, Issued, Program
from isamap_smt.mapping.overlaps import overlap_of
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.scheduling.arguments import pinned
from isamap_smt.scheduling.staged import schedule_stages
from isamap_smt.simulator import simulate

CONV = im.kernel(im.find_kernel("conv2d").text, name="conv2d", dtypes={"O": "i32", "I": "i8", "W": "i8"})


def layer(channels: int, out: int, image: int, window: int, stride: int = 1, border: int = 0) -> dict[str, int]:
    """Sizes of a convolution."""
    p = (image + 2 * border - window) // stride + 1
    sizes = {"n": 1, "p": p, "q": p, "k": out, "c": channels, "r": window, "s": window, "sp": stride, "sq": stride}
    return sizes | {"dp": 1, "dq": 1, "pp": border, "pq": border}


# ---- How many runs there are.


@pytest.mark.parametrize("seed", range(200))
def test_runs_that_are_held_are_those_of_all_tiles(seed: int) -> None:
    """Counted one by one: none is missing, and no tile by itself would take fewer."""
    rng = random.Random(seed)
    apart, runs = rng.randint(1, 3), rng.randint(1, 4)
    step = apart * rng.randint(1, 4)
    sliding = Sliding("along", "over", step, runs, apart)
    along, over, n = rng.randint(1, 6), rng.randint(1, 6), Numbers()
    needed = {step * a + o + apart * t for a in range(along) for o in range(over) for t in range(runs)}
    rounds, of_round = sliding.rounds(n, over), sliding.of_round(n, along, over)
    places = {f + apart * t for f in range(rounds) for t in range(of_round)}
    assert needed <= places and len(places) == rounds * of_round
    held = sliding.count(n, along, over)
    assert held == min(rounds * of_round, runs * along * over) and held >= len(needed)


# ---- Plans in which tiles share runs.

# axes, sizes, pins: whole tiles along columns; runs along rows; with a stride, in two rounds; steps beyond the last tile
CASES: dict[str, tuple[str, dict[str, int], dict[str, int]]] = {
    "tiles that are one run": ("i=p,j=k,k=c", layer(9, 9, 9, 3, border=1), {"tile.q_out": 3}),
    "without a border, beyond the last tile": ("i=p,j=k,k=c", layer(5, 9, 7, 3), {"tile.q_out": 3}),
    "by a stride of two": ("i=p,j=k,k=c", layer(9, 5, 11, 3, 2, 1), {"tile.q_out": 2}),
    "rows of an image": ("i=p%2.q,j=k,k=c", layer(9, 9, 4, 3, border=1), {"tile.p_by2_out": 2}),
    "rows by a stride of two": ("i=p%2.q,j=k,k=c", layer(9, 5, 7, 3, 2, 1), {"tile.p_by2_out": 2}),
    "rows without a border": ("i=p%2.q,j=k,k=c", layer(9, 9, 5, 3), {"tile.p_by2_out": 2}),
}


@cache
def planned(name: str) -> tuple[Any, Any, Program]:
    """The kernel, the schedule and the program: with the input's tiles in a stage around both loops, in two slots."""
    axes, sizes, pins = CASES[name]
    (along,) = (p.partition(".")[2] for p in pins)
    machine, kernel = array(8, 8, 8), CONV.with_sizes(sizes)
    proved = im.prove(im.fuse(kernel, machine.instruction("matmul"), axes, "any"))
    assert isinstance(proved, im.ProvedMapping), proved
    over = "s_out" if along == "q_out" else "r_out"
    fix = {**pins, f"region.{along}": 0, f"region.{over}": 2, "stage.a": 1, "region.k_tile": 1, "slots.a": 2}
    schedule = schedule_stages([proved], machine, {}, pinned(fix), 10.0, lower_stages)
    return kernel, schedule, lower_stages(schedule, machine)


@pytest.mark.parametrize("name", CASES)
def test_plans_that_share_runs_are_proved_and_right(name: str) -> None:
    kernel, schedule, program = planned(name)
    (a,) = (s for s in schedule.stages if s.operand == "a")
    assert a.shared and "i_run_fill_a" in str(program) and ("i_run_from_" in str(program)) == ("rows by" in name)
    proof = prove_program(program)
    assert proof.proved, [(str(c), c.statement) for c in proof.failed()]
    assert numbers_wrong(program, kernel) == ""
    arrays = {n: np.zeros([int(e) for e in kernel.tensor(n).shape], np.int8) for n in kernel.inputs}
    assert simulate(program, arrays).cycles == schedule.objective


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("change", ["reads the next run", "fills the place of the next", "fills from the next", "room"])
def test_an_edit_is_refuted_and_goes_wrong(name: str, change: str) -> None:
    kernel, _, program = planned(name)
    use, operand = {"reads the next run": ("matmul", "a"), "fills from the next": ("load_a", "m")}.get(
        change, ("load_a", "s")
    )
    number = next(n for n, u in enumerate(uses(program)) if u.instruction.name == use)

    def moved(u: Issued) -> Issued:
        assert isinstance(u, Command)
        (old,) = (p for o, p in u.operands if o == operand)
        dimension = 1 if operand == "m" and "rows" in name else 2 if operand == "m" else 0
        return place(u, operand, index=tuple(e + int(n == dimension) for n, e in enumerate(old.index)))

    if change == "room":
        (buffer,) = (b for b in held(program) if b.name == "a")
        edited = holding(program, replace(buffer, slots=buffer.slots // 2))
    else:
        edited = at(program, number, moved)
    assert not prove_program(edited).proved
    assert numbers_wrong(edited, kernel) != ""


def test_tiles_that_never_meet_share_nothing() -> None:
    """Windows side by side, and one axis of the window alone."""
    unit = array(8, 8, 8).instruction("matmul")
    for sizes, shares in ((layer(9, 9, 9, 3, 3), False), (layer(9, 9, 9, 3, 2), True), (layer(9, 9, 9, 1), False)):
        mapping = im.fuse(CONV.with_sizes(sizes), unit, "i=p,j=k,k=c", "any")
        assert (overlap_of(mapping, "a", "i") is not None) == shares
        assert overlap_of(mapping, "w", "k") is None


def test_a_layer_passes_its_image_once() -> None:
    """356,408 cycles where each point of the window moved its tiles."""
    plan = stage(CONV, array(), sizes=layer(512, 512, 7, 3, border=1))
    assert plan.proof.proved and plan.cycles < 270_000
