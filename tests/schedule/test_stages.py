"""What becomes of padding, and outputs that no move reaches, are stages of the schedule: lowering does what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen.stages import with_stages
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.schedule import LEFT_OUT, ZEROS, Schedule, schedule_of, schedule_record
from isamap_smt.ir.traversal import buffers
from isamap_smt.simulator.run import run_program

SIZES = {"N": 1, "P": 5, "Q": 6, "C": 8, "K": 16, "R": 3, "S": 3, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1}


def conv(**fix: str) -> im.Plan:
    return im.plan("conv2d", "avx2", sizes=SIZES, cost_model="analytic", fix=fix)


def padded(schedule: Schedule | None) -> str:
    """The operand that reads I, and what becomes of its padding."""
    assert schedule is not None
    (stage,) = (s for s in schedule.stages if schedule.tensor(s) == "I")
    return stage.padding


def windows(plan: im.Plan) -> list[str]:
    return [b.name for b in buffers(plan.program).values() if b.type.tensor == "I" and b.memory == "heap"]


@pytest.mark.parametrize(("pin", "stage"), [("tests", LEFT_OUT), ("zeros", ZEROS)])
def test_padding_is_what_the_schedule_says(pin: str, stage: str) -> None:
    operand = next(o for o in ("a", "b") if conv().schedule.proved.mapping.operand_access(o).tensor == "I")  # type: ignore[union-attr]
    plan = conv(**{f"pad.{operand}": pin})
    assert padded(plan.schedule) == stage
    assert bool(windows(plan)) == (stage == ZEROS)
    assert any(("copied at each call" in n) == (stage == ZEROS) for n in plan.notes)
    rng = np.random.default_rng(0)
    image, weights = (rng.integers(-3, 4, s).astype(np.float32) for s in ((1, 5, 6, 8), (3, 3, 8, 16)))
    around = np.pad(image, [(0, 0), (1, 1), (1, 1), (0, 0)])
    wanted = sum(
        np.einsum("npqc,ck->npqk", around[:, r : r + 5, s : s + 6], weights[r, s]) for r in range(3) for s in range(3)
    )
    found = run_program(plan.program, {"I": image, "W": weights})
    assert not found.findings
    assert np.array_equal(found.outputs["O"], wanted)


def test_tests_and_zeros_are_chosen_before_lowering_and_said() -> None:
    schedule = conv().schedule
    assert padded(schedule) in (LEFT_OUT, ZEROS)
    assert schedule is not None and any("padding of I" in x for x in schedule.decided_outside)
    pinned = conv(**{f"pad.{next(s.operand for s in schedule.stages if s.padding)}": "zeros"}).schedule
    assert pinned is not None and not any("padding of I" in x for x in pinned.decided_outside)


def test_an_output_that_no_move_reaches_has_a_stage() -> None:
    """C lies in columns, and vectors are stored in rows."""
    kernel = im.kernel("C[j,i] += A[i,k] * B[k,j]")
    mappings = im.find_mappings(kernel, im.find_instruction("avx2.fmadd_ps"))
    proved = next(p for p in mappings if dict(p.mapping.groups)["l"] == ("j",))
    schedule = im.schedule(proved, im.find_hardware("avx2"), {"i": 7, "j": 19, "k": 5})
    (made,) = (s for s in with_stages(schedule).stages if schedule.tensor(s) == "C")
    assert made.depth == schedule.accumulate
    program = im.lower(schedule)
    assert any(b.type.tensor == "C" and b.memory == "heap" for b in buffers(program).values())
    assert im.prove_program(program).proved
    moved = replace(made, depth=schedule.accumulate + 1)
    with pytest.raises(ScheduleError, match="its accumulators lie inside"):
        im.lower(replace(schedule, stages=(*schedule.stages, moved)))


def test_stages_are_in_records() -> None:
    schedule = conv().schedule
    assert schedule is not None
    record = schedule_record(schedule)
    assert schedule_of(record, schedule.proved, schedule.hardware).stages == schedule.stages


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("pad.b", "zeros", "no guard of the kernel cuts off elements of W"),
        ("pad.a", "mirror", "mirror"),
        ("pad.z", "zeros", "z"),
    ],
)
def test_pins_that_mean_nothing_are_refused(key: str, value: str, said: str) -> None:
    with pytest.raises(ScheduleError, match=said):
        conv(**{key: value})


def test_a_pin_of_padding_and_one_that_packs_do_not_go_together() -> None:
    with pytest.raises(ScheduleError, match="leave one out"):
        conv(**{"pad.a": "zeros", "pack.a": "L2"})
