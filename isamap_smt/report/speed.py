"""The cards at the head of a plan's page: its speed, the figures beside it, and its distance from the limit."""

from __future__ import annotations

from typing import Any

from isamap_smt.report.compared import Beside, processor
from isamap_smt.report.header import Card, count
from isamap_smt.report.quantities import rate, seconds
from isamap_smt.report.roofline import RooflinePosition
from isamap_smt.report.whole import predicted_cycles, standing, unpredicted
from isamap_smt.runtime.judge import INTEGERS
from isamap_smt.runtime.measure import Measured


def where(measured: Measured | None) -> str:
    """`run on Intel Xeon, 1 thread`, or a note of not having run."""
    if measured is None:
        return f"not run; planned on {processor()}"
    return f"run on {processor()}, {count(measured.threads, 'thread')}"


def cards(
    planned: Any, measured: Measured | None, beside: Beside, position: RooflinePosition | None
) -> tuple[Card, ...]:
    """The numbers of a Plan for cores: the schedule chosen, its speed, its time, its limit and its error, as far as they are known.

    position: its times by a calibration, or by the description at the clock just after the run.
    """
    found = [Card(*standing(planned.kernel, planned.program.schedules))]
    if measured:
        found += [_rate(measured, beside), _time(measured, position, planned)]
    elif (cycles := predicted_cycles(planned, 1)) is not None:
        assumed = planned.kernel.with_sizes(dict(planned.schedule.sizes)).free_sizes
        found.append(Card(f"{cycles:,.0f}", "predicted, for assumed sizes" if assumed else "predicted", "cycles"))
    if measured and position and position.of_limit:
        text = f"of the limit: {seconds(position.limit)}, {position.busy} at full rate, by {position.origin}"
        found.append(Card(f"{100 * position.of_limit:.0f}", text, "%"))
    return (*found, *([_error(measured)] if measured else ()))


def _rate(measured: Measured, beside: Beside) -> Card:
    unit = "GOP/s" if measured.reference == INTEGERS else "GFLOP/s"
    known = ["measured"]
    known += [f"{100 * measured.gflops / beside.peak:.0f} % of peak"] if beside.peak else []
    known += [f"{measured.gflops / beside.numpy:.2f} × NumPy ({beside.numpy:.3g})"] if beside.numpy else []
    return Card(rate(measured.gflops), ", ".join(known), unit)


def _time(measured: Measured, position: RooflinePosition | None, planned: Any) -> Card:
    value, _, unit = seconds(measured.seconds).partition(" ")
    cycles = predicted_cycles(planned, measured.threads)
    told = f"measured, best of {measured.repetitions:,}"
    if cycles is None:
        told += f"; not predicted: {unpredicted(planned, measured.threads)}"
    elif position and position.predicted:
        told += f"; {position.of_prediction:.2f} × predicted: {seconds(position.predicted)}, {cycles:,.0f} cycles"
    else:
        told += f"; predicted {cycles:,.0f} cycles, of an unknown clock"
    return Card(value, told, unit)


def _error(measured: Measured) -> Card:
    if measured.exact:
        return Card("exact", f"equal to the reference ({measured.reference}) bit for bit")
    allowed = f"; up to {measured.bound:.1e} passes as rounding" if measured.bound else ""
    return Card(
        f"{measured.max_error:.1e}", f"largest error, of the largest element, against {measured.reference}{allowed}"
    )
