"""isamap calibrate: measure this machine, once."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.bar import progress_bar
from isamap_smt.cli.options import as_json, compiler_option
from isamap_smt.cli.output import answer, byte_count, console, seconds, table


@click.command("calibrate")
@click.option("--show", is_flag=True, help="Show the calibration that is kept, and measure nothing.")
@compiler_option
@as_json
def command(show: bool, cc: str | None, as_json: bool) -> None:
    """Measure bandwidths, instructions and threads of this machine; schedules are priced with what was found.

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
    answer(as_json, {"path": str(path), **found.document()}, lambda: _show(found, str(path)))


def _show(found: Any, path: str) -> None:
    out = console()
    out.print(f"{found.machine}: {found.clock:.2f} GHz", style="bold")
    rates = ("read", "write", "copy", "2: read", "2: write", "2: copy")
    streams = table("\nBytes per cycle; 2: of two cores together", "memory", "vector", "over", *rates, right=rates)
    for s in found.streams:
        two = (s.two_read, s.two_write, s.two_copy)
        numbers = [*(f"{x:.1f}" for x in (s.read, s.write, s.copy)), *(f"{x:.1f}" if x else "-" for x in two)]
        streams.add_row(s.memory, f"{s.width} B", byte_count(s.working_set), *numbers)
    out.print(streams)
    costs = table("\nInstructions", "name", "latency", "per cycle", right=("latency", "per cycle"))
    for name, cost in found.instructions:
        costs.add_row(name, f"{cost.latency:.2f}", f"{cost.per_cycle:.2f}")
    out.print(costs)
    distances = [str(d) for d in dict.fromkeys(a.distance for a in found.ahead)]
    ahead = table(
        "\nPrefetching so many bytes ahead: time over that without", "memory", "rows", *distances, right=distances
    )
    for memory, rows in dict.fromkeys((a.memory, a.rows) for a in found.ahead):
        times = {str(a.distance): a.time for a in found.ahead if (a.memory, a.rows) == (memory, rows)}
        ahead.add_row(memory, str(rows), *(f"{times[d]:.2f}" if d in times else "-" for d in distances))
    out.print(ahead)
    steps = [str(p) for p in dict.fromkeys(p.ahead for p in found.across)]
    walks = table("\nCycles for a line read across rows, so many pieces ahead", "memory", "rows", *steps, right=steps)
    for memory, height in dict.fromkeys((p.memory, p.height) for p in found.across):
        cycles = {str(p.ahead): p.cycles for p in found.across if (p.memory, p.height) == (memory, height)}
        walks.add_row(memory, str(height), *(f"{cycles[s]:.1f}" if s in cycles else "-" for s in steps))
    out.print(walks)
    out.print("\ncycles until a load arrives: " + ", ".join(f"{m} {cycles:.0f}" for m, cycles in found.latencies))
    for b in found.beside:
        out.print(
            f"beside computing, {b.width} B: {b.loads:.2f} loads a cycle; each row in place beyond the seventh {b.far_row:.2f}"
        )
    out.print(f"computing waits for {found.near}/16 of what comes from the second cache meanwhile")
    out.print(f"sharing a loop with another thread: {found.start_threads:,.0f} cycles")
    if found.left_out:
        out.print(f"not measured, so as described: {', '.join(found.left_out)}")
    if found.doubt:
        out.print(f"note: {found.doubt}", style="yellow")
    out.print(f"taken {found.taken} in {seconds(found.seconds)}; kept in {path}")
