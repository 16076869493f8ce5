"""isamap report KERNEL HARDWARE: everything about one kernel on one machine, as one HTML page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import click

from isamap_smt.cli.directory import check_file, write_whole
from isamap_smt.cli.options import compiler_option, kernel_options, plan_options
from isamap_smt.cli.output import console, print_json, progress, say
from isamap_smt.cli.schedule_kernel import make_plan, schedule_document
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.runtime.measure import Measured


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
@click.option("--measure/--no-measure", default=True, help="Run the kernel, for the roofline, where this CPU can.")
@compiler_option
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
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
    """Write one self-contained HTML page: lanes, loops and buffers, roofline, claims with their times, C."""
    from isamap_smt.report.page import html_report, is_report

    if output:
        check_file(output, is_report, force)  # before anything is planned
    planned = make_plan(words, options)
    if planned.proved is None:
        raise ScheduleError(f"{planned.title}: there is no instruction whose lanes a report could draw")
    place = output or Path(f"{planned.kernel.name}-{planned.hardware.name}.html")
    check_file(place, is_report, force)
    with progress("running") as tell:
        measured, clock, note = measured_if_possible(planned, options["threads"], cc) if measure else (None, None, "")
        tell("writing")
        write_whole(place, html_report(planned, measured, clock, note))
    if note:
        say(f"note: {note}")
    if as_json:
        from isamap_smt.report.standing import standing

        print_json({
            "page": str(place),
            "instruction": planned.instruction.name,
            "mapping": planned.proved.mapping.id,
            "verdict": planned.proof.word,
            "gflops": round(measured.gflops, 3) if measured else None,
            "standing": stands.document() if (stands := standing(planned, measured)) else None,
            "schedule": schedule_document(planned.schedule),
            "notes": list(planned.notes),
        })  # fmt: skip
    else:
        console().print(f"wrote {place}")
    if show:
        webbrowser.open(place.resolve().as_uri())


def measured_if_possible(planned: Any, threads: int, cc: str | None) -> tuple[Measured | None, float | None, str]:
    """(what was measured, the clock in GHz just after, why nothing was measured)."""
    from isamap_smt.language.hardware_library import missing_features
    from isamap_smt.pipeline import build
    from isamap_smt.runtime.clock import clock_ghz
    from isamap_smt.runtime.measure import measure, require_right
    from isamap_smt.runtime.packing import used_instructions

    kernel = planned.kernel.with_sizes(dict(planned.schedule.sizes))
    if kernel.free_sizes:
        return None, None, f"not run: {', '.join(kernel.free_sizes)} have no value; give them with --sizes"
    missing = missing_features(used_instructions(planned.program))
    if missing:
        return None, None, f"not run: this CPU has no {', '.join(missing)}"
    measured = require_right(kernel, measure(build(planned, cc=cc), kernel, threads))
    return measured, clock_ghz(cc), ""
