"""isamap: map, prove, schedule, prove the program, compile, call."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.bench.bandwidth import Peak
from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import OPERATORS
from isamap_smt.bench.recurrent import outcome
from isamap_smt.bench.work import Work, latest
from isamap_smt.ir.schedule import Schedule
from isamap_smt.pipeline.build import build
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.pipeline.tune import tune
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.runtime.measure import prepare


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """The kernel planned for these sizes and this many threads, and built.

    options: timeout, strategy and cost_model as for plan(); tune, seconds of measuring schedules before it.
    """
    kernel = case.problem()
    asked: dict[str, Any] = {
        "sizes": case.size,
        "constant": case.weights if condition == "constant" else (),
        "threads": threads,
        "timeout": options.get("timeout"),
    }
    tuned = None
    if options.get("tune"):
        start = time.perf_counter()
        tune(kernel, "host", budget=options["tune"], **asked)
        tuned = round(time.perf_counter() - start, 3)
    chosen = {n: options[n] for n in ("strategy", "cost_model") if n in options}
    start = time.perf_counter()
    planned = plan(kernel, "host", **asked, **chosen)
    compiled = build(planned)
    first = time.perf_counter()
    build(plan(kernel, "host", **asked, **chosen))
    times = {"compile": first - start, "compile again": time.perf_counter() - first}
    known = planned.instruction is not None and planned.instruction in planned.hardware.instructions
    peak = Peak(planned.hardware, i) if known and (i := planned.instruction) and i.axes else None
    found = {**about(planned), "tuned": tuned, "seconds": {n: round(s, 4) for n, s in times.items()}}
    if case.family in OPERATORS:
        made = _whole_calls(compiled, arrays, threads)
        return replace(made, about=found, peak=peak.measure if peak else None)
    call = prepare(compiled, arrays, threads)
    return Work(call.run, lambda: outcome(call.result), found, peak.measure if peak else None)


def _whole_calls(compiled: CompiledKernel, arrays: dict[str, np.ndarray], threads: int) -> Work:
    """Calls as a user makes them: all is checked each time, and the result is a new array. Constants are packed here."""
    constants = compiled.constants
    call = compiled.pack(*(arrays[n] for n in constants)) if constants else compiled
    inputs = [arrays[n] for n in compiled.kernel.inputs if n not in constants]
    options = {"threads": threads} if threads > 1 else {}
    return latest(lambda: call(*inputs, **options), outcome, "a call")


def about(planned: Plan) -> dict[str, Any]:
    """The decisions behind the code; of several products in a kernel, of each, and in words of all.

    predicted_cycles are the cost model's. stages: seconds; `schedule` is among them where the decision was not remembered
    from an earlier run.
    """
    each = [_decided(s) for s in planned.program.schedules]
    return {
        **(each[0] if len(each) == 1 else _together(each)),
        "verdict": planned.proof.word,
        "notes": list(planned.notes),
        "stages": {stage: round(taken, 3) for stage, taken in planned.seconds},
    }


def _decided(s: Schedule) -> dict[str, Any]:
    return {
        "instruction": s.proved.mapping.instruction.name,
        "mapping": s.proved.mapping.id,
        "schedule": str(s),
        "status": s.status,
        "gap": s.gap,
        "space": s.space,
        "registers": dict(s.registers),
        "loops": [str(x) for x in s.loops],
        "packing": {p.operand: str(p) for p in s.stages},
        "parallel": None if s.parallel is None else str(s.loops[s.parallel]),
        "predicted_cycles": s.objective,
    }


def _together(each: list[dict[str, Any]]) -> dict[str, Any]:
    """What reports say of one product, said of all in their order."""
    words = {n: " then ".join(str(d[n]) for d in each) for n in ("mapping", "schedule", "parallel")}
    return {
        **words,
        "instruction": " and ".join(dict.fromkeys(d["instruction"] for d in each)),
        "packing": {f"{o}{n}": p for n, d in enumerate(each, 1) for o, p in d["packing"].items()},
        "parallel": words["parallel"] if any(d["parallel"] for d in each) else None,
        "products": each,
    }
