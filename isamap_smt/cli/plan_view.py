"""A plan as told by commands: its JSON, and its tables. Cores have a schedule for each statement, engines for each phase."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

from isamap_smt.cli.output import byte_count, console, progress, say_notes, seconds, table
from isamap_smt.ir.schedule import USED, Schedule
from isamap_smt.report.whole import answer as of_all
from isamap_smt.report.whole import bounds, counted_loops, quality, quality_of_phases, space, stage_words, table_of
from isamap_smt.scheduling.breakdown import unused_moves
from isamap_smt.scheduling.record import to_record
from isamap_smt.scheduling.staged import TOLD

if TYPE_CHECKING:
    from isamap_smt.architectures.traffic import Traffic
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.pipeline.plan import Plan

T = TypeVar("T")
_PLACED = ("memory", "depth", "slots", "rows", "via", "offset")
SHOWN = 400  # characters of a note; some list every move of a machine


def planned_with_notes(asked: dict[str, Any]) -> Plan:
    """The Plan for the arguments from read_asked(); its notes go to standard error."""
    from isamap_smt.pipeline.plan import plan

    with progress(f"planning {asked['kernel'].name}") as tell:
        planned = plan(**asked, progress=tell)
    say_notes(planned.notes)
    return planned


def built_or_another(planned: Plan, build: Callable[[Plan], T]) -> tuple[Plan, T]:
    """As isamap_smt.pipeline.another_cover.built(); further notes of a new plan go to standard error."""
    from isamap_smt.pipeline.another_cover import built

    taken, made = built(planned, build)
    say_notes(n for n in taken.notes if n not in planned.notes)
    return taken, made


def plan_document(planned: Plan) -> dict[str, Any]:
    """The JSON of `isamap schedule`. Cycles, bytes and points; gap is a fraction."""
    if not planned.schedules:
        return {"notes": list(planned.notes)}
    if not planned.phases:
        whole = planned.whole
        names = ("cycles", "bound", "gap", "status", "space")
        told = None if whole is None else {n: getattr(whole, n) for n in names}
        return {**schedule_document(planned.schedules[0]), "plan": told}
    parts, claims = [phase_document(s) for s in planned.phases], {"claims": len(planned.proof.claims)}
    return {**parts[0], **claims} if len(parts) == 1 else {"cycles": planned.cycles, "phases": parts, **claims}


def schedule_document(schedule: Schedule) -> dict[str, Any]:
    """A schedule's record as the JSON of `isamap schedule`: pairs by name, and in words how each operand is read.

    Bytes and points; gap is a fraction; `parallel` is a position in `loops`.
    """
    record = to_record(schedule)
    by_name = {n: dict(record[n]) for n in ("registers", "sizes", "traffic")}
    return {
        "decided_outside": [],
        **record,
        **by_name,
        "mapping": schedule.proved.mapping.id,
        "tiles": {axis: dict(levels) for axis, levels in record["tiles"]},
        "packing": [{**row, "read": packing_words(schedule, row["operand"])} for row in record["packing"]],
        "assumes": [{"figure": text, "whose": whose} for text, whose in schedule.assumes],
        "seconds": round(schedule.seconds, 3),
    }


def packing_document(schedule: Schedule) -> dict[str, str]:
    """How each operand is fed, in words."""
    return {p.operand: packing_words(schedule, p.operand) for p in schedule.stages}


def packing_words(schedule: Schedule, operand: str) -> str:
    """The source of an operand's elements, in words."""
    stage = schedule.stage(operand)
    if stage.depth is None:
        where = stage.in_place
    elif operand == schedule.proved.mapping.instruction.kernel.statements[0].target.tensor:
        where = "through a buffer of one tile"
    elif stage.ahead:
        where = "packed ahead of the calls"
    else:
        where = f"packed inside {schedule.loops[stage.depth - 1]}" if stage.depth else "packed once per call"
    return where + stage.fetched


def phase_document(s: Schedule) -> dict[str, Any]:
    """The schedule of one phase of engines as JSON."""
    return {
        "mapping": s.proved.mapping.id,
        "instruction": s.proved.mapping.instruction.name,
        "status": s.status,
        "space": s.space,
        "cycles": s.objective,
        "bound": s.bound,
        "gap": s.gap,
        "unit": s.unit,
        "sizes": dict(s.sizes),
        "loops": [
            {"axis": x.axis, "tiles": x.step, "count": count} | ({"shared": True} if n < len(s.blocks) else {})
            for n, (x, count) in enumerate(counted_loops(s))
        ],
        "stages": [
            {"operand": t.operand, "tensor": s.tensor(t), **{n: getattr(t, n) for n in _PLACED}}
            | ({"shared": True} if t.shared else {})
            | ({} if t.filled is None else {"filled": t.filled})
            | ({"stays": True, "stored": t.stored} if t.stays else {})
            for t in s.stages
        ],
        "parts": {p.name: p.amount for p in s.costs},
        "utilisation": {
            kind: {u.name: u.share for u in s.utilisation if u.kind == kind}
            for kind in dict.fromkeys((*USED, *(u.kind for u in s.utilisation)))
        },
        "assumes": [text for text, _ in s.assumes],
        "decided_outside": list(s.decided_outside),
        "unscheduled": [{"reason": why, "mappings": n} for why, n in s.unscheduled],
        "seconds": round(s.seconds, 3),
    }


def schedule_words(planned: Plan) -> str:
    """The schedule in a line: block in registers, steps of the loops outside of it, and how far from the best it may be.

    Of a kernel in several parts: how many were scheduled, and a warning: the best of each says nothing of all
    together.
    """
    found = planned.schedules
    if not found:
        return "none: element by element"
    if len(found) > 1:
        return quality_of_phases(found) if planned.phases else of_all(planned.kernel, found)
    standing = quality(found)
    (s,) = found
    if planned.phases:
        steps = ", ".join(f"{x.axis} {x.step}" for x in s.loops)
        return f"tiles a step: {steps}; {standing}" if steps else standing
    held = " x ".join(f"{a} {n}" for a, n in s.registers if str(n) != "1") or "one iteration"
    last = dict(s.registers)
    outside = ", ".join(f"{x.axis} {x.step}" for x in s.loops if x.step != last.get(x.axis))
    return f"{held} in registers; {f'{outside} in cache; ' if outside else ''}{standing}"


def show_plan(planned: Plan, verbose: bool = False) -> None:
    """Of each schedule status and gap, loops, places of operands, the parts of the cost.

    verbose: also the cost model's assumptions, and the moves left unused.
    """
    out = console()
    if not planned.schedules:
        return out.print(f"{planned.title}: nothing is left to schedule", style="bold")
    out.print(planned.title, style="bold")
    if not planned.phases:
        if planned.whole is not None:
            out.print(f"plan: {planned.whole}")
        _show_whole(planned)
        return _show_core(planned.schedules[0], planned.hardware, verbose)
    for n, s in enumerate(planned.phases, 1):
        if len(planned.phases) > 1:
            out.print(f"\nPhase {n}: {s.proved.mapping.id}", style="bold")
        _show_phase(s, verbose)
    return out.print(
        f"program: {planned.proof.word}, {len(planned.proof.claims)} claims in {seconds(planned.proof.seconds)}"
    )


def _show_whole(planned: Plan) -> None:
    """For several statements, a line about all and a row for each; everything else is about one."""
    whole = table_of(planned.kernel, planned.program)
    if whole is None:
        return
    out = console()
    out.print(of_all(planned.kernel, planned.schedules))
    out.print(table("\nStatements", *whole.columns, rows=whole.cells, right=whole.numbers))
    out.print(f"\n{whole.heading}", style="bold")


def standing(s: Schedule) -> str:
    """Quality and search space of a schedule: `optimal (search space: ...)`, `feasible, gap 3.40% (search space: ...)`."""
    gap = f", gap {s.gap:.2%}" if s.gap else ""
    return f"{s.status.lower()}{gap} (search space: {space(s)})"


def _show_core(schedule: Schedule, hardware: Hardware, verbose: bool) -> None:
    out = console()
    out.print(f"{standing(schedule)}, in {seconds(schedule.seconds)}")
    if told := bounds(schedule):
        out.print(told)
    if levels := schedule.levels:
        rows = ((axis, *(str(dict(sizes).get(level, "")) for level in levels)) for axis, sizes in schedule.tiles)
        out.print(table("\nTiles (iterations)", "axis", *levels, rows=rows, right=levels))
    out.print("\nLoops, outermost first", style="bold")
    for depth, step in enumerate(schedule.loops):
        mark = "  parallel" if depth == schedule.parallel else ""
        keeps = "  (accumulators live here)" if depth == schedule.accumulate - 1 else ""
        out.print("  " * (depth + 1) + f"{step.axis} in steps of {step.step}  {step.level}{mark}{keeps}")
    out.print("  " * (len(schedule.loops) + 1) + "registers " + " x ".join(f"{a}:{n}" for a, n in schedule.registers))
    for p in schedule.stages:
        out.print(f"operand {p.operand}: {packing_words(schedule, p.operand)}")
    if schedule.traffic:
        traffic = ((str(link), f"{count:,.0f}", byte_count(count)) for link, count in schedule.traffic)
        out.print(table("\nTraffic", "link", "bytes", "", rows=traffic, right=("bytes",)))
    _show_costs(schedule, verbose)
    hidden = () if verbose else set(unused_moves(hardware, schedule.proved.mapping.instruction))
    for note in (n for n in schedule.notes if n not in hidden):
        out.print("note: " + shorten(note, SHOWN, placeholder=" ... (the rest with --json)"))


def _show_phase(s: Schedule, verbose: bool) -> None:
    out = console()
    out.print(f"{standing(s)}, in {seconds(s.seconds)}")
    at = " ".join(f"{n}={v}" for n, v in s.sizes)
    out.print(f"{bounds(s)}{f', at {at}' if at else ''}")
    out.print("\nLoops, outermost first", style="bold")
    for depth, (step, count) in enumerate(counted_loops(s)):
        each = "1 tile" if step.step == 1 else f"{step.step} tiles"
        shared = " (blocks of all phases in this loop)" if depth < len(s.blocks) else ""
        out.print("  " * (depth + 1) + f"{step.axis}: {count} steps of {each}{shared}")
    stages = []
    for t in s.stages:
        stages.append((f"{s.tensor(t)} ({t.operand})", t.memory, str(t.slots), *stage_words(s, t)))
    out.print(table("\nStages", "tensor", "memory", "slots", "tiles by", "inside", rows=stages, right=("slots",)))
    parts = [(TOLD[p.name], f"{p.amount:,.0f}", p.name) for p in s.costs if not p.within]
    parts.append(("total", f"{s.objective:,.0f}", ""))
    out.print(table("\nTime (cycles)", "part", "cycles", "", rows=parts, right=("cycles",)))
    whole = s.objective or 1
    busy = ((p.name, f"{p.amount:,.0f}", f"{p.amount / whole:.0%}") for p in s.costs if p.within)
    out.print(
        table(
            "\nWork of the engines (cycles)",
            "work",
            "cycles",
            "of the time",
            rows=busy,
            right=("cycles", "of the time"),
        )
    )
    used = ((u.kind, u.name, f"{u.used:,.0f}", f"{u.available:,.0f}", f"{u.share:.1%}") for u in s.utilisation)
    numbers = ("used", "of", "share")
    out.print(table("\nUtilisation", "what", "", *numbers, rows=used, right=numbers))
    if verbose:
        out.print("\nCost-model assumptions")
        for text, _ in s.assumes:
            out.print(f"  {text}")
    _show_outside(s)
    if s.unscheduled:
        out.print("Legal mappings that were not scheduled:")
    for why, n in s.unscheduled:
        out.print(f"  {n}: {why}")


def show_traffic(moved: Traffic) -> None:
    """Elements by level and tensor, and energy if the machine gives the energy of accesses."""
    rows = [
        (
            r.level,
            r.tensor,
            f"{r.reads:,}",
            f"{r.writes:,}",
            f"{r.read_bytes + r.written_bytes:,}",
            _picojoules(r.energy),
        )
        for r in moved.rows
    ]
    rows.append(("products", "", f"{moved.products:,}", "", "", _picojoules(moved.compute_energy)))
    rows.append(("total", "", "", "", "", _picojoules(moved.energy)))
    numbers = ("reads", "writes", "bytes", "energy (pJ)")
    console().print(table("\nTraffic (elements)", "level", "tensor", *numbers, rows=rows, right=numbers))


def _picojoules(energy: float | None) -> str:
    return "not said" if energy is None else f"{energy:,.0f}"


def _show_costs(schedule: Schedule, verbose: bool) -> None:
    """The objective's parts, each above the parts it overlaps; if verbose, the cost model's assumptions by source."""
    out = console()
    if schedule.costs:
        rows = [
            (f"  {p.told}", "", f"{p.amount:,.0f}") if p.within else (p.told, f"{p.amount:,.0f}", "")
            for p in schedule.costs
        ]
        title, columns = f"\nCost ({schedule.unit})", ("added", "overlapped")
        out.print(table(title, "part", *columns, rows=rows, right=columns))
    by_source: dict[str, list[str]] = {}
    for text, source in schedule.assumes if verbose else ():
        by_source.setdefault(source, []).append(text)
    for source, texts in by_source.items():
        out.print(f"\nCost-model assumptions; source: {source}")
        for text in texts:
            out.print(f"  {text}")
    if schedule.decided_outside:
        out.print()
    _show_outside(schedule)


def _show_outside(s: Schedule) -> None:
    """The decisions that the solver's bound does not cover."""
    if s.decided_outside:
        console().print("Chosen outside the solver:")
    for text in s.decided_outside:
        console().print(f"  {text}")
