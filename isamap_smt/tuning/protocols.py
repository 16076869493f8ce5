"""The interfaces of strategies and cost models, and their entry points: ours and those of other packages.

isamap.strategies    a callable (Space, CostModel, seed) -> Strategy
isamap.cost_models   a callable (Context) -> CostModel
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.machine_model.calibration import Calibration
from isamap_smt.scheduling.figures import Figures
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.points import Point, Space

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from isamap_smt.tuning.database import Database

STRATEGIES, COST_MODELS = "isamap.strategies", "isamap.cost_models"


@dataclass(frozen=True)
class Context:
    """A cost model's sources: the machine described and measured, its clock in GHz, and earlier measurements."""

    hardware: Hardware
    clock: float
    calibration: Calibration | None = None
    database: Database | None = None


@runtime_checkable
class CostModel(Protocol):
    """Predicts times. `figures` are the exact solver's prices; predict() need not be made of them."""

    @property
    def name(self) -> str:
        """As the user names it."""
        ...

    @property
    def figures(self) -> Figures:
        """Prices for the exact solver."""
        ...

    def predict(self, space: Space, points: Sequence[Point]) -> list[float]:
        """Seconds of each point; infinite outside the space. The same points always get the same answer."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """Proposes points. The same space, model, seed and answers lead to the same proposals."""

    def ask(self, count: int) -> list[Point]:
        """Up to `count` points to measure next; none when nothing is left to propose."""
        ...

    def tell(self, point: Point, seconds: float | None) -> None:
        """The seconds of a point, told in the order of asking; None if it could not be measured."""
        ...


class Unlearning:
    """A strategy learning nothing from measurements."""

    def tell(self, point: Point, seconds: float | None) -> None:
        """Nothing is learned."""


StrategyMaker = Callable[[Space, CostModel, int], Strategy]
CostModelMaker = Callable[[Context], CostModel]


def strategy_names() -> tuple[str, ...]:
    """Every installed strategy."""
    return _names(STRATEGIES)


def cost_model_names() -> tuple[str, ...]:
    """Every installed cost model."""
    return _names(COST_MODELS)


def find_strategy(name: str) -> StrategyMaker:
    """The strategy of this name. Raises UnknownNameError, and TuningError for one failing to load."""
    return _find(STRATEGIES, "strategy", name)


def find_cost_model(name: str) -> CostModelMaker:
    """The cost model of this name. Raises UnknownNameError, and TuningError for one failing to load."""
    return _find(COST_MODELS, "cost model", name)


@cache
def _installed(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {e.name: e for e in entry_points(group=group)}


def _names(group: str) -> tuple[str, ...]:
    return tuple(sorted(_installed(group)))


def _find(group: str, what: str, name: str) -> Callable[..., Any]:
    installed = _installed(group)
    if name not in installed:
        raise UnknownNameError(f"unknown {what} {name!r}; {did_you_mean(name, installed)}")
    try:
        found = installed[name].load()
    except Exception as error:
        raise TuningError(f"the {what} {name!r} does not load: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise TuningError(f"the {what} {name!r} is a {type(found).__name__}, which cannot be called")
    made: Callable[..., Any] = found
    return made
