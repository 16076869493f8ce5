"""isamap schedule KERNEL HARDWARE: tiles, loops, registers and packing, and how far from the optimum they may be."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isamap_smt.cli.options import kernel_options, plan_options, read_asked, read_plan
from isamap_smt.cli.output import byte_count, console, print_json, progress, say_notes, seconds, table
from isamap_smt.cli.staged import planned_stages, show_outside, show_staging, staging_document
from isamap_smt.ir.schedule import Schedule
from isamap_smt.scheduling.record import to_record

if TYPE_CHECKING:
    from isamap_smt.pipeline.plan import Plan

T = TypeVar("T")
SHOWN = 400  # characters of a note; some list every move of a machine


@click.command("schedule")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@plan_options
@kernel_options
def command(words: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Choose a schedule for KERNEL on HARDWARE. Stopped with Ctrl-C, the solver gives the best it has."""
    asked = read_asked(words, options)
    if asked["hardware"].engines:
        staged = planned_stages(asked)
        return print_json(staging_document(staged)) if as_json else show_staging(staged)
    planned = make_plan(words, options)
    if as_json:
        print_json(schedule_document(planned.schedule) if planned.schedule else {"notes": list(planned.notes)})
    elif planned.schedule:
        show(planned.schedule, planned.title)
    else:
        console().print(f"{planned.title}: nothing is left to schedule", style="bold")
    return None


def make_plan(words: tuple[str, ...], options: dict[str, Any]) -> Any:
    """The Plan that a command's words and options ask for; its notes are said on standard error."""
    return planned_with_notes(read_plan(words, options))


def planned_with_notes(asked: dict[str, Any]) -> Any:
    """The Plan of what read_plan() gave; its notes are said on standard error."""
    from isamap_smt.pipeline.plan import plan

    with progress(f"planning {asked['kernel'].name}") as tell:
        planned = plan(**asked, progress=tell)
    say_notes(planned.notes)
    return planned


def built_or_another(planned: Plan, build: Callable[[Plan], T]) -> tuple[Plan, T]:
    """As isamap_smt.pipeline.another_cover.built(); what a new plan has to say is said on standard error."""
    from isamap_smt.pipeline.another_cover import built

    taken, made = built(planned, build)
    say_notes(n for n in taken.notes if n not in planned.notes)
    return taken, made


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
    """Where an operand's elements are read from, in words."""
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


def show(schedule: Schedule, title: str) -> None:
    """Status and gap, then tiles, loops, packing, traffic and cost as tables, and what the cost rests on."""
    out = console()
    out.print(title, style="bold")
    gap = "" if schedule.gap is None else f", gap {schedule.gap:.2%}"
    out.print(f"{schedule.status}{gap}, in {seconds(schedule.seconds)}; space: {schedule.space}")
    if schedule.objective is not None:
        bounds = f"objective {schedule.objective:,.0f} {schedule.unit}"
        bounds += "" if schedule.bound is None else f", solver's bound {schedule.bound:,.0f}"
        bounds += "" if schedule.lower_bound is None else f", lower bound of any schedule {schedule.lower_bound:,.0f}"
        out.print(bounds)
    levels = list(dict.fromkeys(level for _, sizes in schedule.tiles for level, _ in sizes))
    if levels:
        rows = ((axis, *(str(dict(sizes).get(level, "")) for level in levels)) for axis, sizes in schedule.tiles)
        out.print(table("\nTiles (points)", "axis", *levels, rows=rows, right=levels))
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
    _show_costs(schedule)
    for note in schedule.notes:
        out.print("note: " + shorten(note, SHOWN, placeholder=" ... (the rest with --json)"))


def _show_costs(schedule: Schedule) -> None:
    """The objective's parts, those beside another one below it, and whose figures they rest on."""
    out = console()
    if schedule.costs:
        rows = [
            (f"  {p.name}", "", f"{p.amount:,.0f}") if p.within else (p.name, f"{p.amount:,.0f}", "")
            for p in schedule.costs
        ]
        title, columns = f"\nCost ({schedule.unit})", ("added", "beside it")
        out.print(table(title, "part", *columns, rows=rows, right=columns))
    whose: dict[str, list[str]] = {}
    for text, owner in schedule.assumes:
        whose.setdefault(owner, []).append(text)
    for owner, texts in whose.items():
        out.print(f"\nFigures of {owner}:")
        for text in texts:
            out.print(f"  {text}")
    if schedule.decided_outside:
        out.print()
    show_outside(schedule)
