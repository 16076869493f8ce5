"""What a program on the model gives: a report, or the reason why it is refused or stands still."""

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
    """What the model saw.

    races: pairs of accesses that no token orders; race: the first of them, in words. steps: of all engines. hazards: micro-ops that
    read the accumulator's entry that the micro-op before them writes. instructions: executed by load, compute and store.
    """

    races: int
    race: str
    steps: int
    hazards: int
    instructions: tuple[int, int, int]


class RefusedError(HardwareError):
    """A program is refused. The text says at which instruction (counted from 0), and the reason; `why` is its kind."""

    def __init__(self, why: int, text: str, report: Report) -> None:
        super().__init__(f"{text} (before that, a race: {report.race})" if report.races else text)
        self.why = Why(why)
        self.report = report


class DeadlockError(HardwareError):
    """No engine can go on. The text says for which queue each of them waits, and where."""

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(f"{text} (before that, a race: {report.race})" if report.races else text)
        self.report = report
