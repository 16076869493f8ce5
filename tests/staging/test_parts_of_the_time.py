"""The parts of a plan's time add up to it, and are those of the simulated engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import Shape, machine
from shipped import SHIPPED

import isamap_smt as im
from isamap_smt.cli.plan_view import plan_document
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.scheduling.staged import EPILOGUE, PROLOGUE, STEADY
from isamap_smt.scheduling.staged import WHOLE as WITHIN
from isamap_smt.simulator.timeline import parts

OUTER = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"
WHOLE = dict(i=32, j=32, k=32, m=16, jo=2, ko=2)
RIMS = dict(i=37, j=29, k=33, m=19, jo=2, ko=2)
Case = tuple[im.Kernel | str, im.Hardware | str, dict[str, int]]
CASES: dict[str, Case] = {
    "outer_product": ("gemm", OUTER, dict(i=64, j=64, k=64)),
    "outer_product, large": ("gemm", OUTER, dict(i=128, j=128, k=128)),
    "a further memory": ("gemm", machine(Shape(scratchpad=4, further=64)), dict(i=64, j=64, k=64)),
    "another tile": ("gemm", machine(Shape(i=16, j=4, k=8)), dict(i=64, j=64, k=64)),
    "rims": ("gemm", machine(Shape(i=16, j=4, k=8)), dict(i=61, j=33, k=50)),
    **{f"{name} on {m}": (kernel, m, WHOLE) for name, kernel, m in SHIPPED},
    **{f"{name} on {m}, rims": (kernel, m, RIMS) for name, kernel, m in SHIPPED},
}


@pytest.mark.parametrize("name", CASES)
def test_the_parts_add_up_and_the_first_use_begins_behind_the_prologue(name: str) -> None:
    kernel, hardware, sizes = CASES[name]
    found = im.find_kernel(kernel) if isinstance(kernel, str) else kernel
    given = {a.name: sizes[a.name] for s in found.statements for a in s.axes if str(a.extent) in found.free_sizes}
    plan = im.plan(kernel, hardware, sizes=given)
    for s in plan.phases:
        rows = {p.name: p.amount for p in s.costs if not p.within}
        assert list(rows) == [PROLOGUE, STEADY, EPILOGUE] and min(rows.values()) >= 0
        assert sum(rows.values()) == pytest.approx(s.objective)
    run = im.simulate(plan.program, arrays_for(plan.kernel.with_sizes(given), 0), trace=True)
    seen = parts(run, {s.proved.mapping.instruction.name for s in plan.phases})
    assert seen is not None and plan.cycles == run.cycles
    first, last = ({p.name: p.amount for p in s.costs} for s in (plan.phases[0], plan.phases[-1]))
    assert (seen.prologue, seen.epilogue) == (first[PROLOGUE], last[EPILOGUE])
    worked = {e: b.cycles for e, b in run.engines.items() if b.cycles}
    assert worked == {
        e: sum(p.amount for s in plan.phases for p in s.costs if (p.name, p.within) == (e, WITHIN)) for e in worked
    }
    first = first[PROLOGUE]
    document = plan_document(plan)
    assert document.get("phases", [document])[0]["parts"][PROLOGUE] == first
