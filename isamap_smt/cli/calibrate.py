"""isamap calibrate: measure this machine, once."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from isamap_smt.cli.bar import progress_bar
from isamap_smt.cli.options import as_json, compiler_option
from isamap_smt.cli.output import answer, byte_count, console, seconds, table


@click.command("calibrate")
@click.option("--show", is_flag=True, help="Show the calibration that is kept, and measure nothing.")
@compiler_option
@as_json
def command(show: bool, cc: str | None, as_json: bool) -> None:
    """Measure bandwidths, instructions and threads of this machine; schedules are priced with the result.

    It takes less than a minute and wants an otherwise idle machine. The result is kept beside the caches, for this
    machine alone.
    """
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.machine_model.calibrate import calibrate
    from isamap_smt.machine_model.calibration import calibration_path, check_calibration_place, load, save
    from isamap_smt.machine_model.errors import CalibrationError

    if show:
        found = load()
        if found is None:
            raise CalibrationError(f"there is no calibration at {calibration_path()}; run `isamap calibrate`")
        path = calibration_path()
    else:
        check_calibration_place()  # before a minute of measuring
        with progress_bar("calibrating") as tell:
            found = calibrate(find_hardware("host"), cc, tell)
        path = save(found)
    answer(as_json, lambda: {"path": str(path), **found.document()}, lambda: _show(found, str(path)))


def _show(found: Any, path: str) -> None:
    out = console()
    out.print(f"{found.machine}: {found.clock:.2f} GHz", style="bold")
    rates = ("read", "write", "copy", "2: read", "2: write", "2: copy")
    streams = []
    for s in found.streams:
        two = (s.two_read, s.two_write, s.two_copy)
        numbers = [*(f"{x:.1f}" for x in (s.read, s.write, s.copy)), *(f"{x:.1f}" if x else "-" for x in two)]
        streams.append((s.memory, f"{s.width} B", byte_count(s.working_set), *numbers))
    title = "\nBytes per cycle; 2: of two cores together"
    out.print(table(title, "memory", "vector", "over", *rates, rows=streams, right=rates))
    costs = ((name, f"{cost.latency:.2f}", f"{cost.per_cycle:.2f}") for name, cost in found.instructions)
    out.print(table("\nInstructions", "name", "latency", "per cycle", rows=costs, right=("latency", "per cycle")))
    ahead = {(a.memory, a.rows, a.distance): f"{a.time:.2f}" for a in found.ahead}
    out.print(_crossed("\nPrefetching so many bytes ahead: time over that without", ahead))
    walks = {(p.memory, p.height, p.ahead): f"{p.cycles:.1f}" for p in found.across}
    out.print(_crossed("\nCycles for a line read across rows, so many pieces ahead", walks))
    out.print("\ncycles until a load arrives: " + ", ".join(f"{m} {cycles:.0f}" for m, cycles in found.latencies))
    for b in found.beside:
        out.print(
            f"beside computing, {b.width} B: {b.loads:.2f} loads a cycle; each row in place beyond the seventh {b.far_row:.2f}"
        )
    out.print(f"computing waits for {found.near}/16 of what comes from the second cache meanwhile")
    shared = f"{found.start_threads:,.0f} cycles" if found.start_threads else "not measured, so as described"
    out.print(f"sharing a loop with another thread: {shared}")
    if found.left_out:
        out.print(f"not measured, so as described: {', '.join(found.left_out)}")
    if found.doubt:
        out.print(f"note: {found.doubt}", style="yellow")
    out.print(f"taken {found.taken} in {seconds(found.seconds)}; kept in {path}")


def _crossed(title: str, figures: dict[tuple[str, int, int], str]) -> Table:
    """A row for each memory and number of rows, a column for each third part of a place."""
    columns = dict.fromkeys(n for _, _, n in figures)
    places = dict.fromkeys((memory, rows) for memory, rows, _ in figures)
    rows = ((memory, str(rows), *(figures.get((memory, rows, n), "-") for n in columns)) for memory, rows in places)
    names = list(map(str, columns))
    return table(title, "memory", "rows", *names, rows=rows, right=names)
