"""Numbers passed by a caller: whole ones stay whole, and nothing is rounded or read out of text in silence."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping as Dict
from numbers import Real
from typing import Any

import numpy as np

from isamap_smt.ir.errors import IsamapError, SizeError

MOST_THREADS = 2**16  # sharing the work of a schedule
LONGEST_SAID = 256  # bits of a number shown in an error
LARGEST = 2**31  # of a size, and of a number written in an index: generated code is proved up to it


def whole_number(value: Any, what: str, error: type[IsamapError], low: int = 1, high: int | None = None) -> int:
    """`value` as a Python int (NumPy's integers too). Raises `error` for anything else, below `low` and above `high`."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise error(f"{what}={value!r} is {type(value).__name__}: pass a whole number, such as {max(low, 8)}")
    if number < low:
        raise error(f"{_said(what, number)}: must be at least {low}")
    if high is not None and number > high:
        raise error(f"{_said(what, number)}: must be at most {high}")
    return number


def _said(what: str, number: int) -> str:
    """Python prints no number of more than 4,300 digits."""
    bits = number.bit_length()
    return f"{what}={number}" if bits <= LONGEST_SAID else f"{what} is a number of {bits} bits"


def yes_or_no(value: Any, what: str, error: type[IsamapError]) -> bool:
    """`value` as a Python bool (NumPy's too). Raises `error` for anything else, numbers included."""
    if not isinstance(value, bool | np.bool_):
        raise error(f"{what}={value!r} is {type(value).__name__}: pass True or False")
    return bool(value)


def position(value: Any, count: int, what: str, error: type[IsamapError]) -> int:
    """A position from 0 among so many. Raises `error` for anything else."""
    return whole_number(value, what, error, low=0, high=count - 1)


def seconds(value: Any, what: str, error: type[IsamapError]) -> float:
    """`value` as a float above 0. Raises `error` for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise error(f"{what}={value!r} is {type(value).__name__}: pass a number of seconds, such as 30")
    if math.isnan(value) or value <= 0:
        raise error(f"{what}={value}: must be more than 0 seconds")
    return float(value)


def time_limit(timeout: Any, error: type[IsamapError]) -> float | None:
    """The caller's time limit in seconds, or None. Raises `error` for anything else."""
    return None if timeout is None else seconds(timeout, "timeout", error)


def function_or_none(value: Any, what: str, error: type[IsamapError]) -> Any:
    """The value, if it is None or callable. Raises `error` for anything else."""
    if value is not None and not callable(value):
        raise error(f"{what}={value!r} is {type(value).__name__}: pass a function, or None")
    return value


def valid_sizes(sizes: Any) -> dict[str, int]:
    """Sizes by name as Python ints of at most 2^31; their lower bounds are left to the kernel. Raises SizeError."""
    if sizes is None:
        return {}
    if not isinstance(sizes, Dict):
        raise SizeError(f"sizes is {type(sizes).__name__}: pass names and numbers of points, such as {{'i': 64}}")
    made: dict[str, int] = {}
    for name, value in sizes.items():
        if not isinstance(name, str):
            raise SizeError(f"sizes: {name!r} is {type(name).__name__}, not the name of an axis, size or parameter")
        made[name] = whole_number(value, f"size {name}", SizeError, -(2**63))
        if made[name] > LARGEST:
            raise SizeError(f"size {name} is above 2^31, the largest that code is made for; leave it out or lower it")
    return made
