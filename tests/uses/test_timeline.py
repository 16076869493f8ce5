"""The trace as a document for viewers, what slots held, and the parts of a run's time, against readings of the steps by hand."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import WrongKindError
from isamap_smt.simulator.timeline import contents, parts

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = {
    "outer_product": ("gemm", f"{EXAMPLES / 'outer_product.py'}:MACHINE", {"i": 64, "j": 64, "k": 64}),
    "ragged": ("gemm", f"{EXAMPLES / 'outer_product.py'}:MACHINE", {"i": 13, "j": 21, "k": 11}),
    "gemmini": ("gemm", "gemmini", {"i": 40, "j": 33, "k": 50}),
}


@pytest.fixture(scope="module", params=CASES)
def ran(request: pytest.FixtureRequest) -> tuple[im.Plan, im.Simulation]:
    """A plan, and its timed run."""
    from isamap_smt.runtime.measure import arrays_for

    kernel, machine, sizes = CASES[request.param]
    plan = im.plan(kernel, machine, sizes=sizes)
    return plan, im.simulate(plan.program, arrays_for(plan.kernel.with_sizes(sizes), 0), trace=True)


def spans(document: dict[str, Any]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """(process, row) -> its events in their order, as a viewer reads them."""
    names: dict[tuple[int, int | None], str] = {}
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for e in document["traceEvents"]:
        if e["name"] in ("process_name", "thread_name"):
            names[e["pid"], e.get("tid")] = e["args"]["name"]
            if "tid" in e:
                found[names[e["pid"], None], e["args"]["name"]] = []
    for e in document["traceEvents"]:
        if e["ph"] in ("X", "i"):
            found[names[e["pid"], None], names[e["pid"], e["tid"]]].append(e)
    return dict(found)


def test_the_document_has_every_use_once(ran: tuple[im.Plan, im.Simulation]) -> None:
    plan, run = ran
    document = json.loads(json.dumps(im.chrome_trace(run, plan.title)))
    assert document["otherData"] == {
        "generator": "isamap run --trace", "title": plan.title, "unit": "1 cycle is written as 1 microsecond",
        "cycles": run.cycles,
    }  # fmt: skip
    rows = {row: events for (process, row), events in spans(document).items() if process == "engines"}
    assert list(rows) == list(run.engines)
    for engine, events in rows.items():
        mine = [s for s in run.trace if s.engine == engine]
        assert [(e["name"], e["ts"], e["ts"] + e.get("dur", 0), e["args"]["iteration"]) for e in events] == [
            (s.instruction, s.begin, s.end, dict(s.at)) for s in mine
        ]
        assert all(before["ts"] + before.get("dur", 0) <= after["ts"] for before, after in pairwise(events))
        assert sum(e.get("dur", 0) for e in events) == run.engines[engine].cycles
        assert len(events) == run.engines[engine].uses
        assert all((e["ph"] == "i") == (e.get("dur", 0) == 0) for e in events)
    assert max(e["ts"] + e.get("dur", 0) for events in rows.values() for e in events) == run.cycles


def test_slots_hold_one_content_at_a_time_and_uses_lie_inside(ran: tuple[im.Plan, im.Simulation]) -> None:
    plan, run = ran
    document = im.chrome_trace(run)
    touched = {str(slot) for s in run.trace for slot in (*s.reads, *s.writes)}
    memories = {(process, row): events for (process, row), events in spans(document).items() if process != "engines"}
    assert {row for _, row in memories} == touched and len(memories) == len(touched)
    assert plan.program.machine is not None
    for (process, row), events in memories.items():
        memory = plan.program.machine.memory(process)
        assert all(before["ts"] + before.get("dur", 0) <= after["ts"] for before, after in pairwise(events))
        assert all(e["args"]["first row"] + e["args"]["rows"] <= memory.rows for e in events)
        uses = [s for s in run.trace if row in map(str, (*s.reads, *s.writes))]
        assert sum(e["args"]["uses"] for e in events) == len(uses)
        for s in uses:
            assert s.begin is not None and s.end is not None
            assert sum(e["ts"] <= s.begin and s.end <= e["ts"] + e["dur"] for e in events) == 1
    assert {c.slot.tensor for c in contents(run)} <= {t.name for t in plan.kernel.tensors}


def test_a_slot_is_filled_as_often_as_the_plan_says() -> None:
    """A's tiles come one by one into two slots, all of B's once, C's eight at a time into two times eight."""
    kernel, machine, sizes = CASES["outer_product"]
    plan = im.plan(kernel, machine, sizes=sizes)
    arrays = {n: np.ones((64, 64), np.float32) for n in "AB"}
    held = contents(im.simulate(plan.program, arrays, trace=True))
    by = {n: [c for c in held if c.slot.tensor == n] for n in "ABC"}
    assert {n: len(x) for n, x in by.items()} == dict.fromkeys("ABC", 64)
    assert {n: len({c.slot for c in x}) for n, x in by.items()} == {"A": 2, "B": 64, "C": 16}
    assert {c.uses for c in by["A"]} == {1 + 8} and {c.uses for c in by["C"]} == {1 + 8 + 1}
    assert {(c.slot.row, c.slot.rows) for c in by["A"]} == {(0, 8), (8, 8)}


def test_parts_are_those_of_the_first_and_last_use(ran: tuple[im.Plan, im.Simulation]) -> None:
    plan, run = ran
    assert plan.instruction is not None and run.cycles is not None
    found = parts(run, {plan.instruction.name})
    assert found is not None
    times = [(s.begin, s.end) for s in run.trace if s.instruction == plan.instruction.name]
    assert found.prologue == times[0][0] and found.epilogue == run.cycles - (times[-1][1] or 0)
    assert found.prologue + found.steady + found.epilogue == run.cycles
    assert parts(run, {"nothing"}) is None


def test_a_run_without_a_trace_or_time_is_refused() -> None:
    kernel, machine, sizes = CASES["ragged"]
    plan = im.plan(kernel, machine, sizes=sizes)
    arrays = {"A": np.ones((13, 11), np.float32), "B": np.ones((11, 21), np.float32)}
    with pytest.raises(WrongKindError, match="the run kept no trace; pass trace=True to simulate"):
        im.chrome_trace(im.simulate(plan.program, arrays))
    with pytest.raises(WrongKindError, match="the run kept no time; call simulate\\(\\) without a seed"):
        im.chrome_trace(im.simulate(plan.program, arrays, seed=1, trace=True))
    with pytest.raises(WrongKindError, match="chrome_trace\\(\\) takes Simulation, not Plan"):
        im.chrome_trace(plan)  # type: ignore[arg-type]
