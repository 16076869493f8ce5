"""isamap report KERNEL HARDWARE: everything about one kernel on one machine, as one HTML page."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Collection, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isamap_smt.certificates.directory import check_file, write_whole
from isamap_smt.cli.map_kernel import as_document
from isamap_smt.cli.network import constants_option, foreign_option, is_model, most_option, report_model
from isamap_smt.cli.options import (
    OptionError,
    check_instruction,
    compiler_option,
    computing,
    kernel_options,
    parse_dtypes,
    plan_options,
    read_asked,
    reproducing,
)
from isamap_smt.cli.output import answer, console, progress, say
from isamap_smt.cli.plan_view import plan_document, planned_with_notes, schedule_document
from isamap_smt.cli.prove_mapping import proof_document
from isamap_smt.ir.errors import DTypeError, HardwareError, ScheduleError, WrongResultError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.types_of import with_types_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.measure import Measured

if TYPE_CHECKING:
    from isamap_smt.search import MappingSet
    from isamap_smt.simulator import Simulation

ITS_OWN = ("output", "force", "show", "as_json")  # of where the page goes, and of what else is said
MOST_DRAWN = 2**18  # uses of a simulated run that a page shows: about a minute


@click.command("report")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write; by default KERNEL-HARDWARE.html.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there, whatever it is.")
@click.option("--measure/--no-measure", default=True, show_default=False,
              help="Run the kernel, for the roofline, where this CPU can.")  # fmt: skip
@compiler_option
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
@constants_option
@most_option
@foreign_option
@plan_options
@kernel_options
def command(
    words: tuple[str, ...],
    output: Path | None,
    force: bool,
    measure: bool,
    cc: str | None,
    show: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Write one self-contained HTML page: lanes, loops and buffers, roofline, claims with their times, C.

    `isamap report MODEL.onnx [HARDWARE]` does the same with a whole network: its steps, memory, times and proof. Of
    a machine with engines: cycles, a timeline of the simulated run, the contents of the memories, the plan, the
    program, its proof. If a machine only maps (its instructions have no C, or it has no memories), or no instruction
    takes the kernel, the page shows every mapping, proved, and how the others are refuted; it says that nothing was
    scheduled, and why.
    """
    from isamap_smt.report.page import is_report

    if is_model(words):
        place = output or Path(f"{Path(words[0]).stem}.html")
        check_file(place, is_report, force)
        told = report_model(words, place, measure, cc, reproducing(*ITS_OWN), options)
        _finished(told, place, as_json, show)
        return
    for name, option in (("constants", "constants"), ("most", "max"), ("foreign", "foreign")):
        if options.pop(name):
            raise click.UsageError(f"--{option} is of a model: isamap report MODEL.onnx")
    if output:
        check_file(output, is_report, force)  # before anything is planned
    asked = read_asked(words, options)
    place = output or Path(f"{asked['kernel'].name}-{asked['hardware'].name}.html".replace(os.sep, "_"))
    check_file(place, is_report, force)
    instructions = computing(asked["hardware"], asked["instruction"], asked["kernel"])
    given = set(parse_dtypes(options["dtypes"]))
    if asked["hardware"].engines:
        document, why = engines_page(place, asked, instructions, given, measure)
    elif asked["hardware"].lacks:
        require_no_schedule(asked)
        document, why = None, asked["hardware"].lacks
    else:
        check_instruction(asked["kernel"], asked["hardware"], asked["instruction"])
        planned = planned_with_notes(asked)
        document, why = planned_page(place, asked, planned, measure, cc), planned.notes
    if document is None:
        document = maps_alone(place, asked, instructions, given, why)
    _finished(document, place, as_json, show)


def _finished(document: dict[str, Any], place: Path, as_json: bool, show: bool) -> None:
    answer(as_json, lambda: document, lambda: console().print(f"wrote {place}"))
    if show:
        webbrowser.open(place.resolve().as_uri())


def planned_page(
    place: Path, asked: dict[str, Any], planned: Plan, measure: bool, cc: str | None
) -> dict[str, Any] | None:
    """Write the page about a plan; returns its content as JSON. None if the plan uses no instruction: a page draws its lanes."""
    from isamap_smt.report.compared import Beside, beside
    from isamap_smt.report.page import html_report
    from isamap_smt.report.roofline import roofline_position

    if planned.proved is None or planned.schedule is None or planned.instruction is None:
        return None
    with progress("running") as tell:
        measured, clock, note = measured_if_possible(planned, asked["threads"], cc) if measure else (None, None, "")
        against = Beside()
        if measured:
            tell("running NumPy")
            kernel = planned.kernel.with_sizes(dict(planned.schedule.sizes))
            against = beside(planned, kernel, clock, measured.threads)
        tell("writing")
        write_whole(place, html_report(planned, measured, clock, note, beside=against, command=reproducing(*ITS_OWN)))
    if note:
        say(f"note: {note}")
    return {
        "page": str(place),
        "instruction": planned.instruction.name,
        "mapping": planned.proved.mapping.id,
        "verdict": planned.proof.word,
        "gflops": round(measured.gflops, 3) if measured else None,
        "standing": stands.document() if (stands := roofline_position(planned, measured)) else None,
        "schedule": schedule_document(planned.schedule),
        "notes": list(planned.notes),
    }


def require_no_schedule(asked: dict[str, Any]) -> None:
    """Raises OptionError if a decision or a constant of a schedule is asked for: the machine has no schedule."""
    hardware = asked["hardware"]
    for option in ("fix", "constant"):
        if asked[option]:
            why = f"nothing was scheduled: {'; '.join(hardware.lacks)}"
            raise OptionError(f"--{option} is about a schedule, and {hardware.name} has none; leave it out\n{why}")


def maps_alone(
    place: Path, asked: dict[str, Any], instructions: Sequence[Instruction], given: Collection[str], why: Sequence[str]
) -> dict[str, Any]:
    """Write the page about mappings without a schedule; returns its content as JSON.

    given: tensors with element types from the command line; the others take the instruction's, as in `isamap map`.
    why: the obstacles to a schedule.
    """
    from isamap_smt.report.page import mapping_report

    kernel, hardware = asked["kernel"], asked["hardware"]
    found = searches(asked, instructions, given)
    write_whole(place, mapping_report(kernel, asked["sizes"], hardware, found, why, reproducing(*ITS_OWN)))
    told = f"nothing was scheduled: {'; '.join(why)}"
    if hardware.lacks:
        say(f"note: {told}")
    return {**mappings_document(place, hardware, found, why), "notes": [told]}


def mappings_document(
    place: Path, hardware: Hardware, found: Sequence[MappingSet], lacks: Sequence[str]
) -> dict[str, Any]:
    """The content of a page about mappings, as JSON."""
    return {
        "page": str(place),
        "hardware": hardware.name,
        "schedule": None,
        "lacks": list(lacks),
        "found": [
            {
                "instruction": f.family.instruction.name,
                "statement": f.family.statement + 1,
                **as_document(f),
                "proofs": {p.mapping.id: proof_document(p.proof) for p in f.legal},
                "reasons": [{"subject": subject, "why": text} for subject, text in f.reasons],
            }
            for f in found
        ],
    }


def searches(asked: dict[str, Any], instructions: Sequence[Instruction], given: Collection[str]) -> list[MappingSet]:
    """A search for mappings of each statement onto each instruction. given: as for maps_alone()."""
    from isamap_smt.language.ranges import assume
    from isamap_smt.search import find_mappings

    kernel = asked["kernel"]
    sized = kernel.with_sizes(asked["sizes"])
    found = []
    for i in instructions:
        for n in range(len(sized.statements)):
            typed = assume(_meant(with_types_of(sized, i, "any", given, n), sized, n), asked["assume"])
            with progress(f"mapping {kernel.name} onto {i.name}"):
                found.append(find_mappings(typed, i, statement=n).finished())
    return found


def engines_page(
    place: Path, asked: dict[str, Any], instructions: Sequence[Instruction], given: Collection[str], measure: bool
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Write the page about a plan for engines. Returns (its content as JSON, ()), or (None, reasons) without a schedule.

    measure: simulate it. Raises WrongResultError, and the errors of plan() if decisions of a schedule are asked for.
    """
    from isamap_smt.report.engines import engine_report

    try:
        planned = planned_with_notes(asked)
    except (ScheduleError, HardwareError) as error:
        if asked["fix"] or asked["constant"]:
            raise
        return None, (error.option or str(error),)
    run, note = simulated_if_few(planned) if measure else (None, "")
    found = searches(asked, instructions, given)
    write_whole(place, engine_report(planned, run, found, note, reproducing(*ITS_OWN)))
    if note:
        say(f"note: {note}")
    document = {
        **mappings_document(place, asked["hardware"], found, ()),
        "schedule": plan_document(planned),
        "verdict": planned.proof.word,
        "predicted_cycles": planned.cycles,
        "cycles": run.cycles if run else None,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in run.engines.items()} if run else {},
        "notes": list(planned.notes),
    }
    return document, ()


def simulated_if_few(planned: Plan) -> tuple[Simulation | None, str]:
    """A timed run of a plan for engines at the plan's own sizes; or None, and why. Raises WrongResultError."""
    from isamap_smt.runtime.judge import visited
    from isamap_smt.runtime.measure import arrays_for
    from isamap_smt.targets.simulate import Simulated

    kernel = planned.kernel.with_sizes({n: v for s in planned.phases for n, v in s.sizes})
    at_once = max(prod(s.proved.mapping.instruction.axes.values()) for s in planned.phases)
    if (uses := visited(kernel) // at_once) > MOST_DRAWN:
        return None, f"not simulated: about {uses:,} uses, and at most {MOST_DRAWN:,} are; give smaller --sizes"
    with progress("simulating"):
        seen = Simulated(planned.checked).observe(kernel, arrays_for(kernel, 0), 0, trace=True)
    if seen.wrong:
        raise WrongResultError(f"the result is wrong: {seen.wrong}")
    return seen.timed, ""


def _meant(typed: Kernel, sized: Kernel, statement: int) -> Kernel:
    """The kernel in an instruction's types, or as it was if its statement means nothing in these (an axis is no i8)."""
    from isamap_smt.ir.typed import typed_value

    try:
        typed_value(typed, typed.statements[statement])
    except DTypeError:
        return sized
    return typed


def measured_if_possible(planned: Any, threads: int, cc: str | None) -> tuple[Measured | None, float | None, str]:
    """(the measurement, the clock in GHz just after, why nothing was measured)."""
    from isamap_smt.language.hardware_library import missing_features
    from isamap_smt.pipeline.build import build
    from isamap_smt.runtime.clock import clock_ghz
    from isamap_smt.runtime.measure import measure, require_right
    from isamap_smt.runtime.packing import used_instructions

    kernel = planned.kernel.with_sizes(dict(planned.schedule.sizes))
    if kernel.free_sizes:
        return None, None, f"not run: {', '.join(kernel.free_sizes)} have no value; give them with --sizes"
    if why := planned.hardware.no_c:
        return None, None, f"not run: {why}"
    missing = missing_features(used_instructions(planned.program))
    if missing:
        return None, None, f"not run: this CPU has no {', '.join(missing)}"
    measured = require_right(kernel, measure(build(planned, cc=cc), kernel, threads))
    return measured, clock_ghz(cc), ""
