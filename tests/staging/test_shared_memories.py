"""A memory with a bandwidth or banks serves one use after the other: each use of a run, by its own bytes and rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from engines import Shape, machine

import isamap_smt as im
from isamap_smt.ir.schedule import BANDWIDTH
from isamap_smt.simulator.service import service

SIZES = {"i": 32, "j": 32, "k": 16}  # whole tiles of 8
ROW = 8 * 4  # bytes
# Of a use of whole tiles: cycles of work; rows that it touches in main memory, in the scratchpad, in the accumulators.
USES = {"load": (24, 8, 8, 0), "outer": (12, 0, 16, 16), "clear": (1, 0, 0, 8), "store": (24, 8, 0, 8)}
SHAPES = {
    "main memory": Shape(main=16),
    "main memory that is slower than either engine": Shape(main=4),
    "banks": Shape(banks=1),
    "banks of two ports": Shape(banks=2, ports=2),
    "all": Shape(main=24, pads=48, banks=2, accumulators=2, scratchpad=3),
    "a bandwidth that is no whole number": Shape(main=12.8, pads=100),
}


def cycles_of(rows: int, bandwidth: float | None, banks: int = 0, ports: int = 1) -> float:
    """Cycles that a memory serves whole rows."""
    by_bytes = rows * ROW / bandwidth if bandwidth else 0.0
    by_rows = -(-rows // banks) / ports if banks else 0.0
    return max(by_bytes, by_rows)


@pytest.mark.parametrize("name", SHAPES)
def test_every_use_ends_when_its_work_is_done_and_all_have_served_it(name: str) -> None:
    shape = SHAPES[name]
    plan = im.stage("gemm_tn", machine(shape), sizes=SIZES)
    draw = np.random.default_rng(0)
    a, b = draw.standard_normal((16, 32)).astype(np.float32), draw.standard_normal((16, 32)).astype(np.float32)
    seen = im.simulate(plan.program, {"A": a, "B": b}, trace=True)
    assert seen.sound and np.allclose(seen.outputs["C"], a.T @ b, atol=1e-4)
    engines = [e.name for e in machine(shape).engines]
    steps = sorted((s for s in seen.trace if s.instruction in USES), key=lambda s: (s.begin, engines.index(s.engine)))
    assert Counter(s.instruction for s in steps)["outer"] == 32 and len({s.engine for s in steps}) == 3
    free = dict.fromkeys(("main", "scratchpad", "accumulators"), 0.0)
    waited = 0
    for s in steps:
        work, *rows = USES[s.instruction]
        end = s.begin + work
        for memory, count in zip(free, rows, strict=True):
            taken = (
                cycles_of(count, shape.main)
                if memory == "main"
                else cycles_of(count, shape.pads, shape.banks, shape.ports)
            )
            if taken:
                free[memory] = max(free[memory], s.begin) + taken
                end = max(end, free[memory])
        waited += end > s.begin + max(work, *(cycles_of(r, shape.main) for r in rows[:1]))
        assert s.end == pytest.approx(end, rel=1e-12), s
    assert seen.cycles == pytest.approx(max(s.end for s in steps)) == plan.schedule.objective
    assert waited or shape.main == 16


def test_two_engines_have_the_bandwidth_between_them() -> None:
    """A plan takes no less than all bytes by what main memory moves in a cycle; where that is much, as long as without a limit."""
    apart = Shape(4, 8, 4, loads=("load", "load_b"), start=0, accumulators=64)
    loads = {"i": 128, "j": 128, "k": 256}
    alone, wide, narrow = (im.stage("gemm", machine(replace(apart, main=m)), sizes=loads) for m in (None, 1000, 2))
    assert alone.cycles <= wide.cycles <= 1.01 * alone.cycles
    moved = sum(r.read_bytes + r.written_bytes for r in narrow.traffic().rows if r.memory in ("memory", "DRAM"))
    assert narrow.cycles >= moved / 2 > 0.9 * narrow.cycles > 1.1 * alone.cycles
    (used,) = (u for u in narrow.schedule.utilisation if u.kind == BANDWIDTH)
    assert (used.name, used.used, used.available) == ("DRAM", pytest.approx(moved / 2), narrow.cycles)
    assert any("served" in text for text, _ in narrow.schedule.assumes)
    assert not any("served" in text for text, _ in alone.schedule.assumes)


def test_what_a_use_moves_is_what_its_active_points_are() -> None:
    m = machine(Shape(main=4, pads=16, banks=4))
    load, memories = m.instruction("load"), m.memories
    found = dict(service(load, memories, (("r", 3), ("c", 5))))
    assert found == {"DRAM": 3 * 5 * 4 / 4, "scratchpad": 8 * ROW / 16}  # zeros beyond are written, too
    store = dict(service(m.instruction("store"), memories, (("r", 3), ("c", 5))))
    assert store == {"DRAM": 15, "accumulators": max(3 * 5 * 4 / 16, 1)}
    assert not service(m.instruction("store"), memories, (("r", 0), ("c", 5)))


def test_a_memory_of_one_engine_makes_its_uses_longer_and_nothing_else() -> None:
    """As if their work said so: a row of 32 bytes takes 4 cycles, and not 1."""
    sizes = {"i": 64, "j": 64, "k": 64}
    shape = Shape(stores="load", start=0)  # what loads also stores, and is alone at main memory
    fix = {"inside.a": 0, "inside.b": 0}  # of these the best is found, whatever the ticks of a cycle
    found = im.stage("gemm_tn", machine(replace(shape, main=8)), sizes=sizes, fix=fix)
    same = im.stage("gemm_tn", machine(replace(shape, each=4)), sizes=sizes, fix=fix)
    assert found.cycles == same.cycles and found.schedule.stages == same.schedule.stages
    assert (found.schedule.status, found.schedule.bound) == (same.schedule.status, same.schedule.bound)
