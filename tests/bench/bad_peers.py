"""Peers that go wrong in the ways that peers do, each by really doing it."""

from __future__ import annotations

import ctypes
import os
import time
from typing import Any

import ml_dtypes
import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.data import expected
from isamap_smt.bench.work import Unsupported, Work

Arrays = dict[str, np.ndarray]


def right(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """A @ B."""
    out = arrays["A"] @ arrays["B"]
    return Work(lambda: np.matmul(arrays["A"], arrays["B"], out=out), lambda: out)


def not_a_number(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """All NaN: less than, greater than and unequal to everything."""
    out = np.full((arrays["A"].shape[0], arrays["B"].shape[1]), np.nan, np.float32)
    return Work(lambda: None, lambda: out)


def half_precision(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Weights rounded to f16 on the way, and nobody told."""
    rounded = arrays["B"].astype(np.float16).astype(np.float32)
    return Work(lambda: None, lambda: arrays["A"] @ rounded)


def crashing(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Reads address 8."""
    ctypes.string_at(8)
    raise AssertionError("still here")


def crashing_later(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Right at first, and gone at the third call."""
    out, calls = arrays["A"] @ arrays["B"], [0]

    def run() -> None:
        calls[0] += 1
        if calls[0] == 3:
            os.abort()

    return Work(run, lambda: out)


def hanging(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Never ready."""
    time.sleep(3600)
    raise AssertionError("woken")


def talking(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Prints to standard output, as libraries do, and raises."""
    os.write(1, b"{}\nwelcome to the library\n")
    raise OSError("no such device")


def refusing(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """Says that it cannot."""
    raise Unsupported("products of this type are for the next release")


def in_float64(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """The reference itself, rounded once."""
    held: list[np.ndarray] = []
    return Work(lambda: held.__setitem__(slice(None), [expected(case, arrays)]), lambda: held[0].astype(np.float32))


def window_in_bfloat16(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """The depthwise weights of a separable convolution rounded to bf16 on the way."""
    rounded = arrays["D"].astype(ml_dtypes.bfloat16).astype(np.float32)
    return in_float64(case, condition, threads, {**arrays, "D": rounded}, options)


def gates_exchanged(case: Case, condition: str, threads: int, arrays: Arrays, options: dict[str, Any]) -> Work:
    """A layer with the first two gates of what the state adds in the wrong order, as another library has them."""
    order = [1, 0, *range(2, arrays["U"].shape[1])]
    return in_float64(case, condition, threads, {**arrays, "U": arrays["U"][:, order]}, options)
