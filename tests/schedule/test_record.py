"""Every schedule goes through its record, as JSON, and comes back; every decision has a part in the program's name."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_smt as im
from isamap_smt.cli.plan_view import schedule_document
from isamap_smt.ir.schedule import (
    APART,
    FOUND,
    CostPart,
    LoopStep,
    Schedule,
    Stage,
    Utilisation,
    decisions,
    schedule_of,
    schedule_record,
)
from isamap_smt.scheduling.record import program_of, to_record

names = st.sampled_from(["i", "j", "p.q", "k_part", "", "L1->ymm"])
numbers = st.integers(-1, 2**40)
reals = st.floats(allow_nan=False, allow_infinity=False)


def pairs(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(names, value), max_size=3).map(tuple)


def some(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | value


LOOPS = st.builds(LoopStep, axis=names, step=st.integers(1, 2**40), level=names)
STAGES = st.builds(
    Stage,
    operand=st.sampled_from("abc"),
    depth=some(numbers),
    ahead=st.booleans(),
    prefetch=numbers,
    block=some(numbers),
    memory=names,
    slots=numbers,
    rows=numbers,
    offset=numbers,
    via=names,
    begin=names,
    padding=names,
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "loops": st.lists(LOOPS, min_size=3, max_size=5).map(tuple),
    "blocks": st.lists(st.builds(LoopStep, axis=names, step=st.integers(1, 99)), max_size=2).map(tuple),
    "accumulate": numbers,
    "registers": pairs(numbers),
    "stages": st.lists(STAGES, max_size=3).map(tuple),
    "parallel": some(st.integers(0, 2)),
    "status": names,
    "space": names,
    **dict.fromkeys(("objective", "bound", "gap", "lower_bound"), some(reals)),
    "tiles": pairs(pairs(numbers)),
    "traffic": pairs(reals),
    "seconds": reals,
    "notes": st.lists(names, max_size=2).map(tuple),
    "sizes": pairs(numbers),
    "fused": st.lists(st.sampled_from("ijk"), max_size=2).map(tuple),
    "streams": numbers,
    "unit": names,
    "costs": st.lists(st.builds(CostPart, name=names, amount=reals, within=names), max_size=2).map(tuple),
    "assumes": pairs(names),
    "decided_outside": st.lists(names, max_size=2).map(tuple),
    "unscheduled": pairs(numbers),
    "utilisation": st.lists(
        st.builds(Utilisation, kind=names, name=names, used=reals, available=reals), max_size=2
    ).map(tuple),
}


@cache
def proved() -> im.ProvedMapping:
    found = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(found, im.ProvedMapping)
    return found


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    return Schedule(proved=proved(), hardware=None, **{name: draw(value) for name, value in FIELDS.items()})


def test_every_field_is_tried() -> None:
    """A field that is added to a schedule needs a strategy here, and then its record is tested."""
    assert {f.name for f in fields(Schedule)} == {*FIELDS, *APART}


@settings(max_examples=200)
@given(schedules())
def test_a_schedule_comes_back_from_its_record(schedule: Schedule) -> None:
    again = json.loads(json.dumps(schedule_record(schedule)))
    assert schedule_of(again, schedule.proved, None) == schedule


@settings(max_examples=200)
@given(schedules())
def test_decisions_alone_say_the_program(schedule: Schedule) -> None:
    again = json.loads(json.dumps(decisions(schedule_record(schedule))))
    found = {name: getattr(schedule_of(again, schedule.proved, None), name) for name in FIELDS if name not in FOUND}
    wanted = {name: getattr(schedule, name) for name in found}
    wanted["loops"] = tuple(replace(x, level="") for x in schedule.loops)
    assert found == wanted


@settings(max_examples=100)
@given(schedules(), schedules())
def test_another_decision_is_another_program(schedule: Schedule, other: Schedule) -> None:
    before = program_of(to_record(schedule))
    for name in FIELDS:
        changed = replace(schedule, **{name: getattr(other, name)})
        decides = name not in FOUND and name != "sizes"  # which are the task's
        same = decisions(schedule_record(changed)) == decisions(schedule_record(schedule))
        assert (program_of(to_record(changed)) == before) == (same or not decides)


@settings(max_examples=50)
@given(schedules())
def test_the_command_line_prints_every_field(schedule: Schedule) -> None:
    assert set(schedule_document(replace(schedule, loops=LOOP3, stages=()))) >= set(schedule_record(schedule))


LOOP3 = (LoopStep("i", 4), LoopStep("i", 2), LoopStep("k", 1))


@pytest.mark.parametrize(
    "change",
    [
        {"parallel": 9},
        {"parallel": "0"},
        {"parallel": True},
        {"loops": [{"axis": "i"}]},
        {"loops": [{"axis": "i", "step": 0}]},
        {"registers": [["i", 4, 2]]},
        {"registers": ["ij"]},
        {"accumulate": 2.5},
        {"packing": [{"operand": "d", "depth": None, "ahead": False}]},
        {"packing": [["a"]]},
        {"shared": 3},
        {"notes": [3]},
    ],
)
def test_what_is_no_record_is_refused(change: dict[str, Any]) -> None:
    record = schedule_record(Schedule(proved(), LOOP3, 2, (), ()))
    assert schedule_of(record, proved(), None).loops == LOOP3
    with pytest.raises((TypeError, ValueError)):
        schedule_of({**record, **change}, proved(), None)


def test_programs_keep_the_names_they_have_in_databases() -> None:
    """A name that was given before there were prefetching, blocks and shared loops."""
    schedule = Schedule(proved(), LOOP3, 2, (("i", 2), ("k", 1)), (Stage("a"), Stage("b", 0)))
    assert program_of(to_record(schedule)) == "b8e9de0888a07bde"
