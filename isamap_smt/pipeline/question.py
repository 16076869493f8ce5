"""The question asked of plan(), with knowledge of the machine, and the seconds of its stages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from isamap_encodings import deadline
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.pipeline import decisions
from isamap_smt.pipeline.fusion import NOT_FUSED, fusion_pin, without_fusion
from isamap_smt.pipeline.knowledge import AUTO, known_figures, known_winner
from isamap_smt.pipeline.split import split_pin, without_split
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.record import Record
from isamap_smt.tuning.task import Task

if TYPE_CHECKING:
    from isamap_smt.equality import Equality

Progress = Callable[[str], None]


@dataclass
class Clock:
    """Seconds by stage. known: decisions made while it runs, by question."""

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict)

    def time(self, stage: str, work: Callable[..., Any], *given: Any) -> Any:
        """The result of the work. Raises DeadlinePassed, with the stage, once the caller's time is over."""
        if self.progress:
            self.progress(stage)
        start = time.perf_counter()
        try:
            deadline.check()
            return work(*given)
        except deadline.DeadlinePassed as passed:
            passed.stage = passed.stage or stage
            raise
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


@dataclass(frozen=True)
class Tuned:
    """The winner of a search: the digest of its program, a note for the user, and its schedule's record."""

    program: str
    told: str
    record: Record = field(hash=False)


@dataclass(frozen=True)
class Other:
    """A kernel with the same results as the one asked about, at these sizes of it. told: its description. found: the proof."""

    kernel: Kernel
    sizes: tuple[tuple[str, int], ...]
    told: str
    found: Equality = field(compare=False)

    def __str__(self) -> str:
        return self.told


@dataclass(frozen=True)
class Question:
    """The arguments of plan(). `progress` takes no part in the comparison, so it does not split the cache."""

    kernel: Kernel
    hardware: Hardware
    sizes: tuple[tuple[str, int], ...]
    constant: tuple[str, ...]
    threads: int
    objective: str
    pins: tuple[Pin, ...]
    timeout: float
    instruction: str | None
    strategy: str = "exact"
    cost_model: str = "analytic"
    figures: Figures = DESCRIBED
    winners: bool = False  # whether winners of searches are used
    tuned: Tuned | None = None  # what a search found
    said: tuple[str, ...] = ()
    family: str = "fuse"
    digits: tuple[
        tuple[str, str], ...
    ] = ()  # axes of which the second is to be in an instruction axis, and the first outside
    others: tuple[Other, ...] = ()  # kernels that compute the same
    banned: tuple[tuple[Mapping, str], ...] = ()  # mappings whose schedule cannot be lowered by itself, and why
    progress: Progress | None = field(default=None, compare=False)

    def digest(self, statement: int) -> str:
        """The key of the decision about a statement on disk."""
        main = statement == self.kernel.main
        own = (self.pins, self.instruction) if main else (statement,)
        rest = (self.sizes, self.constant, self.threads, self.objective, self.timeout, own)
        return decisions.digest(self.kernel, self.hardware, (*rest, self.figures, *self.digits))

    def why_banned(self, mapping: Mapping) -> str | None:
        """Why the mapping's schedule cannot be lowered; None if nothing is known against it."""
        return next((why for m, why in self.banned if m == mapping), None)

    @property
    def task(self) -> Task:
        """The task of a search for the same."""
        return Task(self.kernel, self.hardware, self.sizes, self.constant, self.threads, self.pins, self.instruction)


def may_fall_back(q: Question) -> bool:
    """Whether scalar code keeps all pins: none but share=no or split=no, and no instruction named."""
    ways = fusion_pin(q.pins) in (None, NOT_FUSED) and split_pin(q.pins) in (None, False)
    return q.instruction is None and ways and not without_split(without_fusion(q.pins))


def informed(q: Question) -> Question:
    """The question with a search's winner for this machine, or its measured prices."""
    if q.objective != "latency":
        return replace(q, strategy="exact", cost_model="analytic")
    if q.strategy == AUTO:
        q = with_winner(replace(q, strategy="exact", winners=True))
    if q.tuned:
        return q
    prices = known_figures(q.cost_model, q.hardware)
    return replace(q, figures=prices.figures, said=(*q.said, *prices.notes))


def with_winner(q: Question) -> Question:
    """The question with the winner of the last search for it, if there was one."""
    found = known_winner(q.task)
    q = replace(q, said=tuple(dict.fromkeys((*q.said, *found.notes))))
    if found.winner is None:
        return q
    w = found.winner
    ratio = f", {w.baseline / w.seconds:.2f} times as fast as the choice without measuring" if w.baseline else ""
    told = f"found by `isamap tune` ({w.strategy}, {w.tried} programs, {w.taken[:10]}): {w.seconds:.3g} s{ratio}"
    return replace(q, cost_model="analytic", tuned=Tuned(w.program, told, w.record))
