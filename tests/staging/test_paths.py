"""Operands may come through a further memory, or past it; the program is proved, and each of its counters is needed."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from engines import Shape, machine
from test_counters_needed import LATE, NEVER, without
from use_edits import edited, held, holding, place
from use_edits import uses as uses_of

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import LanguageError, ScheduleError
from isamap_smt.ir.program import Issued, Program
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

WRONG = f"{LATE}|{NEVER}".replace(r"\w+", r"[\w@]+")
SIZES = {"i": 64, "j": 64, "k": 64}
SMALL = Shape(scratchpad=4, further=160)


@cache
def planned(**fix: int | str) -> Plan:
    pins = {name.replace("__", "@").replace("_", "."): v for name, v in fix.items()}
    return stage("gemm_tn", machine(SMALL), sizes=SIZES, fix=pins)


def memories(plan: Plan, operand: str) -> list[str]:
    return [s.memory for s in plan.schedule.stages if s.operand == operand]


def cycles(plan: Plan) -> float:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (2, 64, 64)).astype(np.float32)
    seen = simulate(plan.program, {"A": a, "B": b})
    assert seen.sound and np.array_equal(seen.outputs["C"], a.T @ b) and seen.cycles is not None
    return seen.cycles


def test_a_small_scratchpad_is_filled_from_the_further_memory() -> None:
    """What is used again is brought from there, which is quicker than main memory; pinned past it, it takes longer."""
    plan = planned()
    assert ["further", "scratchpad"] in (memories(plan, "a"), memories(plan, "b"))
    past = planned(via_a="load", via_b="load")
    assert plan.schedule.status == past.schedule.status == "OPTIMAL"
    assert memories(past, "a") == memories(past, "b") == ["scratchpad"]
    assert plan.schedule.objective < 0.8 * past.schedule.objective and cycles(plan) < 0.8 * cycles(past)


def test_where_all_of_both_inputs_has_room_a_further_memory_saves_little() -> None:
    """The first tiles alone: while the array computes with them, all others come in time."""
    roomy = machine(Shape(scratchpad=160, further=160))
    whole = {
        f"inside.{o}": 0 for o in ("a", "b", "a@further", "b@further")
    }  # of others the bounds are too low to say OPTIMAL
    plan = stage("gemm_tn", roomy, sizes=SIZES, fix=whole)
    past = stage("gemm_tn", roomy, sizes=SIZES, fix={"via.a": "load", "via.b": "load", **whole})
    assert plan.schedule.status == past.schedule.status == "OPTIMAL"
    assert 0.99 * past.cycles < plan.cycles <= past.cycles
    assert stage("gemm_tn", roomy, sizes=SIZES).cycles <= plan.cycles


@cache
def in_rings() -> Program:
    """Open sizes; both inputs through two slots of the further memory, in two of the scratchpad."""
    pins = {"via.a": "feed_scratchpad", "via.b": "feed_scratchpad"}
    pins |= {f"slots.{o}": 2 for o in ("a", "b", "acc", "a@further", "b@further")}
    pins |= {
        "region.i_tile": 0,
        "region.j_tile": 0,
        "region.k_tile": 1,
        "tile.k_tile": 2,
        "stage.a@further": 1,
        "stage.b@further": 1,
    }
    return stage("gemm_tn", machine(SMALL), fix=pins).program


def counters() -> list[str]:
    return sorted({c for u in uses_of(in_rings()) for c in (*u.signals, *(c for c, _ in u.awaits))})


def test_the_program_of_open_sizes_is_proved_and_right() -> None:
    assert prove_program(in_rings()).proved
    rng = np.random.default_rng(1)
    for i, j, k in ((1, 1, 1), (20, 33, 17), (40, 9, 65)):
        a, b = (rng.integers(-4, 5, (k, n)).astype(np.float32) for n in (i, j))
        for seed in range(4):
            seen = simulate(in_rings(), {"A": a, "B": b}, seed=seed)
            assert seen.sound and np.array_equal(seen.outputs["C"], a.T @ b)


@pytest.mark.parametrize("what", ["await", "signal", "both"])
@pytest.mark.parametrize(
    "counter", ["filled_a@further", "filled_b@further", "released_a@further", "released_b@further"]
)
def test_each_counter_of_a_further_stage_is_needed(what: str, counter: str) -> None:
    """Each is released with the last of its tiles that is taken on, which says nothing of the other."""
    failed = [c.verdict for c in prove_program(without(in_rings(), what, counter)).failed()]
    assert failed and all(isinstance(v, Refuted) and re.search(WRONG, v.text) for v in failed), failed


def feeds(u: Issued) -> bool:
    return u.instruction.name.startswith("feed")


def test_what_is_taken_from_another_slot_is_refuted() -> None:
    def other(u: Issued) -> Issued:
        (source, ref) = next(((o, r) for o, r in u.operands if "@" in r.name), ("", None))
        return place(u, source, index=(ref.index[0] + 1,)) if feeds(u) and ref is not None else u

    assert prove_program(edited(in_rings(), other)).word == "refuted"


def test_a_further_stage_that_stands_for_other_elements_is_refuted() -> None:
    """Its type names the next row of the tensor; and where it says that cells beyond the tensor are elements."""
    for change in ("coordinates", "guard"):
        (buffer,) = (b for b in held(in_rings()) if b.name == "a@further")
        t = buffer.type
        new = (t.coordinates[0] + 1, *t.coordinates[1:]) if change == "coordinates" else t.guard[1:]
        changed = holding(in_rings(), replace(buffer, type=replace(t, **{change: new})))
        assert "program" in {c.claim for c in prove_program(changed).failed() if isinstance(c.verdict, Refuted)}


def test_a_move_between_memories_converts_nothing() -> None:
    with pytest.raises(LanguageError, match="a move converts nothing"):
        im.instruction(
            "feed", "s[r,c] = g[r,c]", axes={"r": 8, "c": 8}, dtypes={"s": "f32", "g": "bf16"},
            places={"s": "scratchpad[r,c]", "g": "further[r,c]"}, engine="feed",
        )  # fmt: skip


def test_a_further_memory_without_room_for_a_tile_is_passed_by_or_said() -> None:
    small = Shape(scratchpad=4, further=1)
    past = stage("gemm_tn", machine(small), sizes=SIZES)
    assert memories(past, "a") == ["scratchpad"] or memories(past, "b") == ["scratchpad"]
    with pytest.raises(ScheduleError, match="further has 8 rows"):
        stage("gemm_tn", machine(replace(small, past=False)), sizes=SIZES)


def test_an_unknown_stage_is_named() -> None:
    with pytest.raises(ScheduleError, match="a@further"):
        stage("gemm_tn", machine(SMALL), sizes=SIZES, fix={"slots.a@furthest": 2})


def with_feed(feed: im.Instruction, *, first: bool = False) -> im.Hardware:
    """Another feed in place of the machine's own, or before it."""
    made = machine(SMALL)
    own = tuple(i for i in made.instructions if first or i.name != "feed_scratchpad")
    return replace(made, instructions=(feed, *own))


def feed_of(name: str, work: im.Work, **about: object) -> im.Instruction:
    return im.instruction(
        name, "s[r,c] = g[r,c]", axes={"r": 8, "c": 8}, dtypes={"s": "f32", "g": "f32"}, engine="feed", work=work,
        places={"s": "scratchpad[r,c]", "g": "further[r,c]"}, **about,  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_feed_with_numbers_of_active_points_takes_whole_tiles() -> None:
    feed = feed_of("some_rows", im.Work(2, 1, ("r",)), active={"r": "rows"}, beyond="zero")
    plan = stage("gemm_tn", with_feed(feed), sizes=SIZES)
    assert "some_rows" in {s.via for s in plan.schedule.stages}
    assert cycles(plan) == cycles(planned())


def test_the_quicker_of_two_feeds_is_taken() -> None:
    """Whichever is described first."""
    plan = stage("gemm_tn", with_feed(feed_of("slowly", im.Work(90, 5, ("r",))), first=True), sizes=SIZES)
    assert plan.schedule.objective == planned().schedule.objective
    assert not any(s.via == "slowly" for s in plan.schedule.stages)


def test_the_engine_that_computes_takes_tiles_on_between_its_executions() -> None:
    """It has to where there is no other way."""
    plan = stage("gemm_tn", machine(replace(SMALL, fed="execute", past=False)), sizes=SIZES)
    assert memories(plan, "a") == memories(plan, "b") == ["further", "scratchpad"]
    assert plan.proof.proved and plan.cycles == cycles(plan)
    either = stage("gemm_tn", machine(replace(SMALL, fed="execute")), sizes=SIZES)
    assert cycles(either) == either.cycles <= plan.cycles


def test_an_engine_that_stores_takes_tiles_on_between_its_stores() -> None:
    """It has to where there is no other way, and does where that is quicker."""
    for past in (False, True):
        plan = stage("gemm_tn", machine(replace(SMALL, fed="store", past=past)), sizes=SIZES)
        passed = {o for o in "ab" if memories(plan, o) == ["further", "scratchpad"]}
        assert passed == {"a", "b"} if not past else passed
        assert (
            not plan.notes
            and plan.proof.proved
            and plan.cycles == cycles(plan) < planned(via_a="load", via_b="load").cycles
        )


def test_a_stage_may_be_named_by_its_own_memory() -> None:
    pins = {"slots.a@scratchpad": 1, "via.a": "feed_scratchpad"}
    (own,) = (s for s in stage("gemm_tn", machine(SMALL), sizes=SIZES, fix=pins).schedule.stages
              if (s.operand, s.memory) == ("a", "scratchpad"))  # fmt: skip
    assert own.slots == 1


def test_buffers_have_names_apart_from_tensors_and_from_each_other() -> None:
    """A tensor is called like one operand, and that operand with a dash like the other one."""
    unit = im.instruction(
        "outer", "acc[i,j] += a[k,i] * a_[k,j]", axes={"i": 8, "j": 8, "k": 8}, rounding="fused", engine="execute",
        dtypes=dict.fromkeys(("acc", "a", "a_"), "f32"), work=im.Work(4, 1, ("k",)),
        places={"acc": "accumulators[i,j]", "a": "scratchpad[k,i]", "a_": "scratchpad[k,j]"},
    )  # fmt: skip
    made = machine(SMALL)
    named = replace(made, instructions=tuple(unit if i.name == "outer" else i for i in made.instructions))
    plan = stage(im.kernel("C[i,j] += a[k,i] * b[k,j]", name="g"), named, sizes=SIZES)
    names = [b.name for b in held(plan.program)]
    assert len(set(names)) == len(names) and not {"a", "b", "C"} & set(names)
