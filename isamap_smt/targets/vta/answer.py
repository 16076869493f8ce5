"""The outcome of a program on the model: a report, or the reason why it is refused or stands still."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from isamap_smt.ir.errors import HardwareError


class Why(IntEnum):
    """Why a program is refused: vta_why of vta_model.h."""

    NOT_COVERED = 1
    SHAPE = 2
    INDEX = 3
    MEMORY = 4
    UNWRITTEN = 5
    STALE = 6
    SHIFT = 7
    TOKENS = 8
    FINISH = 9
    DEADLOCK = 10
    NO_ROOM = 11


@dataclass(frozen=True)
class Report:
    """The model's observations.

    races: pairs of accesses without an order by tokens; race: the first of them, in words. steps: of all engines.
    hazards: micro-ops reading an accumulator entry just written by the micro-op before them. instructions: executed by
    load, compute and store.
    """

    races: int
    race: str
    steps: int
    hazards: int
    instructions: tuple[int, int, int]


class RefusedError(HardwareError):
    """A program is refused. The text names the instruction (counted from 0) and the reason; `why` is its kind."""

    def __init__(self, why: int, text: str, report: Report) -> None:
        super().__init__(f"{text} (before that, a race: {report.race})" if report.races else text)
        self.why = Why(why)
        self.report = report


class DeadlockError(HardwareError):
    """No engine can go on. The text names the queue each of them waits for, and the place."""

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(f"{text} (before that, a race: {report.race})" if report.races else text)
        self.report = report
