"""The outcome of a program on the model: its answer, or the refused instruction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from isamap_smt.ir.errors import HardwareError


class Why(IntEnum):
    """Why an instruction is refused: gemmini_refusal of gemmini_model.h."""

    NOT_COVERED = 1
    ADDRESS = 2
    SHAPE = 3
    UNWRITTEN = 4
    CONFIG = 5
    SCALE = 6
    ORDER = 7
    MEMORY = 8


class RefusedError(HardwareError):
    """An instruction is refused. The text names it and the reason; `why` is its kind."""

    def __init__(self, why: int, text: str) -> None:
        super().__init__(text)
        self.why = Why(why)


@dataclass(frozen=True)
class Answer:
    """code: returned by the program. notes: the model's observations short of a refusal."""

    code: int
    notes: tuple[str, ...] = ()
