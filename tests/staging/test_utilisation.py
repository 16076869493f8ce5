"""Every result says how much of the machine is used, and why each legal mapping that was not scheduled was left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from engines import Shape, machine

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.cli.plan_view import plan_document
from isamap_smt.ir.schedule import BANDWIDTH, LINK, MACS, MEMORY
from isamap_smt.pipeline.axis_parts import InParts
from isamap_smt.pipeline.staged import stage
from isamap_smt.search import find_mappings
from isamap_smt.simulator import simulate

OUTER = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"
CONV = dict(n=2, p=12, q=12, k=16, c=16, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)


def test_what_is_used_is_what_a_run_uses() -> None:
    sizes = {"i": 40, "j": 24, "k": 32}
    plan = stage("gemm", machine(), sizes=sizes)
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((40, 32)).astype(np.float32), rng.standard_normal((32, 24)).astype(np.float32)
    seen = simulate(plan.program, {"A": a, "B": b}, trace=True)
    of = {(u.kind, u.name): u for u in plan.schedule.utilisation}
    assert seen.cycles is not None
    macs = of[MACS, "outer"]
    assert macs.used == 40 * 24 * 32 and macs.available == seen.cycles * 8 * 8 * 8 / 12  # an execution takes 12 cycles
    assert of[LINK, "memory -> scratchpad"].share == seen.engines["load"].cycles / seen.cycles
    assert of[LINK, "accumulators -> memory"].share == seen.engines["store"].cycles / seen.cycles
    for memory in ("scratchpad", "accumulators"):
        rows = {
            s.row + n
            for step in seen.trace
            for s in (*step.reads, *step.writes)
            if s.memory == memory
            for n in range(s.rows)
        }
        assert of[MEMORY, memory].used == len(rows) and 0 < of[MEMORY, memory].share <= 1


def test_a_link_that_two_engines_serve_is_never_more_than_busy() -> None:
    plan = stage("gemm", machine(Shape(4, 8, 2, 3, 6, loads=("load", "load_b"))), sizes={"i": 40, "j": 40, "k": 16})
    assert all(0 <= u.share <= 1 for u in plan.schedule.utilisation)
    assert {u.name for u in plan.schedule.utilisation if u.kind == LINK} == {
        "memory -> pad_a", "memory -> pad_b", "accumulators -> memory"
    }  # fmt: skip


@pytest.fixture
def as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """No phase is taken apart along an axis."""
    monkeypatch.setattr(InParts, "quicker", lambda *given: None)


@pytest.mark.usefixtures("as_it_stands")
def test_a_load_that_cannot_leave_out_points_in_front_is_said_to_cost_a_mapping() -> None:
    """Without `front=` rows of an image cannot be mapped, and the plan uses a few of the rows of the array."""
    able, unable = (stage("conv2d", machine(Shape(padded=p, k=8)), sizes=CONV) for p in (True, False))
    (note,) = (n for n in unable.notes if "no tiles can be made of it" in n)
    assert "from the front" in note and not any("no tiles can be made" in n for n in able.notes)
    assert unable.cycles > 1.2 * able.cycles


def test_sizes_that_are_left_open_are_said_to_cost_a_mapping() -> None:
    """Steps of tiles along the columns of an image are known once strides, dilations and zeros are."""
    open_ones = {n: e for n, e in CONV.items() if len(n) == 1}
    for sizes in ({**open_ones, "n": 1}, {**CONV, "n": 1}):
        found = stage("conv2d", machine(Shape(padded=True, k=8)), sizes=sizes)
        notes = [n for n in found.notes if "would take" in n]
        assert len(notes) == ("dq" not in sizes), notes
        assert all(re.search(r"in steps that are not known; give d[pq], p[pq], s[pq]$", n) for n in notes)


@pytest.mark.usefixtures("as_it_stands")
@pytest.mark.parametrize("padded", [False, True])
def test_every_legal_mapping_is_counted(padded: bool) -> None:
    hardware = machine(Shape(padded=padded))
    plan = stage("conv2d", hardware, sizes=CONV)
    (outer,) = (i for i in hardware.computes if i.short == "outer")
    legal = len(find_mappings(im.find_kernel("conv2d").with_sizes(CONV), outer, partial=False).finished())
    s = plan.schedule
    said = next(t for t in s.decided_outside if t.startswith("the mapping: "))
    scheduled, _, every = map(int, re.findall(r"\d+", said))  # with those that fill tiles by digits of axes
    assert scheduled + sum(n for _, n in s.unscheduled) == every >= legal > scheduled
    assert all(n > 0 and not why.startswith("i=") for why, n in s.unscheduled)
    document = plan_document(plan)
    assert document["unscheduled"] == [{"reason": why, "mappings": n} for why, n in s.unscheduled]
    assert set(document["utilisation"]) == {MACS, LINK, BANDWIDTH, MEMORY}


def test_both_stand_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schedule", "gemm", OUTER, "--sizes", "i=64,j=64,k=64"]
    assert run(words) == 0
    told = capsys.readouterr().out
    assert (
        "Utilisation" in told and "memory -> scratchpad" in told and "Legal mappings that were not scheduled:" in told
    )
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["utilisation"][LINK]["memory -> scratchpad"] > 0.5 and found["unscheduled"][0]["mappings"] == 1
