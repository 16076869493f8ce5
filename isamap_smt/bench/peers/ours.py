"""isamap: map, prove, schedule, prove the program, compile, call."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peak import Peak
from isamap_smt.bench.work import Work
from isamap_smt.pipeline import Plan, build, plan
from isamap_smt.runtime.measure import prepare


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """The kernel planned for these sizes and this many threads, and built; options: timeout, seconds of the solver."""
    start = time.perf_counter()
    planned = plan(
        case.problem(),
        "host",
        sizes=case.size,
        constant=(case.weights,) if condition == "constant" else (),
        threads=threads,
        timeout=options.get("timeout", 10.0),
    )
    compiled = build(planned)
    seconds = time.perf_counter() - start
    call = prepare(compiled, arrays, threads)
    kept: list[np.ndarray] = []

    def run() -> None:
        call.run()

    def result() -> np.ndarray:
        kept.append(np.array(call.result))
        return kept[0]

    peak = Peak(planned.hardware, planned.instruction) if planned.instruction.axes else None
    return Work(run, result, about(planned, seconds), peak.measure if peak else None)


def about(planned: Plan, seconds: float) -> dict[str, Any]:
    """The decisions behind the code. predicted_cycles are the cost model's; seconds are those of plan and build."""
    s = planned.schedule
    return {
        "instruction": planned.instruction.name,
        "mapping": planned.proved.mapping.id,
        "verdict": planned.proof.word,
        "schedule": str(s),
        "status": s.status,
        "gap": s.gap,
        "space": s.space,
        "registers": dict(s.registers),
        "loops": [str(x) for x in s.loops],
        "packing": {p.operand: str(p) for p in s.packing},
        "parallel": None if s.parallel is None else str(s.loops[s.parallel]),
        "predicted_cycles": s.objective,
        "notes": list(planned.notes),
        "compile_seconds": round(seconds, 3),
        "stages": {stage: round(taken, 3) for stage, taken in planned.seconds},
    }
