"""Families of many cases of one claim: a part of each is run by `make test`, all of it by `make test-all`.

The part is drawn by what a case says, so that another case more or less leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

import pytest


def draw(text: str, among: int) -> int:
    """A number below `among`, always the same one for what the case says."""
    return crc32(text.encode()) % among


def part(cases: Iterable[Any], stays: Callable[[Any], bool]) -> list[Any]:
    """Parameters of a test: the cases that do not stay in `make test` are marked `exhaustive`."""
    return [c if stays(c) else pytest.param(c, marks=pytest.mark.exhaustive) for c in cases]


def with_one(cases: Iterable[Any], options: Iterable[Any]) -> list[Any]:
    """Parameters of two arguments: every case with every option; in `make test` with the one that the case draws."""
    chosen = list(options)
    return [
        pytest.param(c, o, marks=() if draw(str(c), len(chosen)) == n else pytest.mark.exhaustive)
        for c in cases
        for n, o in enumerate(chosen)
    ]
