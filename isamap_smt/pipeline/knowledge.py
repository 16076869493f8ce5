"""Knowledge of this machine for a plan: its calibration, and the winners of earlier searches.

If one cannot be used, a note says so and never stops a plan; a search needs them, and raises instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.machine_model.calibration import Calibration, identity, load
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.runtime.clock import clock_ghz
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.record import is_whole
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.protocols import Context, CostModel, cost_model_names, find_cost_model, strategy_names
from isamap_smt.tuning.task import Task

if TYPE_CHECKING:
    from isamap_smt.tuning.database import Database, Winner

AUTO = "auto"
DROPPED = "the winner of an earlier search was left out"
AGAIN = "run `isamap tune` again"


@dataclass(frozen=True)
class Known:
    """A winner or a table of prices, with notes for the user."""

    winner: Winner | None = None
    figures: Figures = DESCRIBED
    notes: tuple[str, ...] = ()


def usable_calibration() -> tuple[Calibration | None, tuple[str, ...]]:
    """The calibration of this machine, or None; and the reason if there is one but it is not used."""
    try:
        return load(), ()
    except CalibrationError as error:
        return None, (f"{error}; the hardware's description is used instead",)


def known_winner(task: Task) -> Known:
    """The winner of the last search for the task on this machine, if there was one."""
    from isamap_smt.tuning.database import Database, database_path

    if task.kernel.with_sizes(dict(task.sizes)).free_sizes or not database_path().exists():
        return Known()
    try:
        with Database() as database:
            winner = database.winner(task.digest, identity().digest)
    except TuningError as error:
        return Known(notes=(f"no search was looked up: {error}",))
    if winner is not None and not is_whole(winner.record, winner.program):
        return Known(notes=(f"{DROPPED}: its schedule in the tuning database {database.path} is damaged; {AGAIN}",))
    return Known(winner)


def known_figures(model: str, hardware: Hardware) -> Known:
    """The prices used by the exact solver: by default the calibration's, if there is one."""
    if model == "analytic":
        return Known()
    if model != AUTO:
        return Known(figures=cost_model(model, hardware).figures)
    calibration, notes = usable_calibration()
    return Known(figures=DESCRIBED if calibration is None else calibration.figures(hardware), notes=notes)


def cost_model(name: str, hardware: Hardware, database: Database | None = None) -> CostModel:
    """The cost model of that name; 'auto' is the calibrated one if there is a calibration, else the analytic one.

    Raises UnknownNameError, CalibrationError, or TuningError with the data missing for the model.
    """
    calibration = usable_calibration()[0] if name in (AUTO, "learned") else None if name == "analytic" else load()
    if name == AUTO:
        name = "analytic" if calibration is None else "calibrated"
    clock = calibration.clock if calibration is not None else (clock_ghz() or 1.0)
    if name == "learned" and database is None:
        from isamap_smt.tuning.database import Database, database_path

        if database_path().exists():
            with Database() as opened:
                return find_cost_model(name)(Context(hardware, clock, calibration, opened))
    return find_cost_model(name)(Context(hardware, clock, calibration, database))


def known_strategy(name: str) -> str:
    """The name of an installed strategy, or 'auto'. Raises UnknownNameError."""
    return _known(name, "strategy", strategy_names)


def known_model(name: str) -> str:
    """The name of an installed cost model, or 'auto'. Raises UnknownNameError."""
    return _known(name, "cost_model", cost_model_names)


def _known(name: Any, what: str, installed: Callable[[], tuple[str, ...]]) -> str:
    if isinstance(name, str) and name == AUTO:
        return name
    names = (AUTO, *installed())
    if not isinstance(name, str):
        raise UnknownNameError(f"{what}={name!r}: pass a name; known: {', '.join(names)}")
    if name not in names:
        raise UnknownNameError(f"{what}={name!r} is not installed; {did_you_mean(name, names)}")
    return name
