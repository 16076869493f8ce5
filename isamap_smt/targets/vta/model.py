"""The model in this process: a program on a main memory, with its engines ordered by a seed."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

from isamap_smt.ir.errors import HardwareError
from isamap_smt.runtime.cache import build_library
from isamap_smt.targets.joined import joined
from isamap_smt.targets.vta.answer import DeadlockError, RefusedError, Report, Why

__all__ = ["DeadlockError", "RefusedError", "Report", "Why", "build_model", "model_source", "run", "run_on"]

_MODEL = Path(__file__).with_name("model")


class _Report(ctypes.Structure):
    """struct vta_report."""

    _fields_ = (
        ("code", ctypes.c_int64),
        ("races", ctypes.c_uint64),
        ("steps", ctypes.c_uint64),
        ("hazards", ctypes.c_uint64),
        ("instructions", ctypes.c_uint64 * 3),
        ("message", ctypes.c_char * 320),
        ("race", ctypes.c_char * 320),
    )


def model_source() -> str:
    """The C of the model, as one text."""
    return joined(sorted(_MODEL.glob("*.c")), {"vta_model.h": _MODEL / "vta_model.h"})


@cache
def build_model(cc: str | None = None, source: str | None = None) -> Path:
    """The model's shared library, from the cache or newly built. source: a changed one. Raises BuildError."""
    return build_library(model_source() if source is None else source, cc=cc)


def run(dram: np.ndarray, instructions: np.ndarray, seed: int, cc: str | None = None) -> Report:
    """Run a program on a machine with nothing written yet.

    dram: bytes, the first at physical address 0; stores change them, even if the program is refused later.
    instructions: bytes, 16 for each. seed: chooses the order of the engines, 0 to 2^64 - 1; with 0 it is always the
    first one able to go on. Raises RefusedError, DeadlockError and BuildError.
    """
    return run_on(build_model(cc), dram, instructions, seed)


def run_on(library: Path, dram: np.ndarray, instructions: np.ndarray, seed: int) -> Report:
    """run(), on a library of build_model()."""
    _check(dram, instructions)
    words, seen = np.ascontiguousarray(instructions), _Report()
    ctypes.CDLL(str(library)).vta_model_run(
        ctypes.c_void_p(dram.ctypes.data),
        ctypes.c_uint64(dram.size),
        ctypes.c_void_p(words.ctypes.data),
        ctypes.c_uint64(words.size // 16),
        ctypes.c_uint64(seed),
        ctypes.byref(seen),
    )
    first, second, third = seen.instructions
    report = Report(seen.races, seen.race.decode(), seen.steps, seen.hazards, (first, second, third))
    if seen.code == Why.NO_ROOM:
        raise HardwareError("there is no memory for a model of VTA; take a smaller main memory or a shorter program")
    if seen.code == Why.DEADLOCK:
        raise DeadlockError(seen.message.decode(), report)
    if seen.code:
        raise RefusedError(seen.code, seen.message.decode(), report)
    return report


def _check(dram: np.ndarray, instructions: np.ndarray) -> None:
    if dram.dtype != np.uint8 or not dram.flags.c_contiguous or not dram.flags.writeable:
        raise HardwareError("main memory is not an array of uint8, without gaps, that can be written; copy it into one")
    if instructions.dtype != np.uint8 or instructions.size % 16:
        raise HardwareError("the instructions are not an array of uint8 with 16 bytes for each; view them as bytes")
