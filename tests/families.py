"""Families of many cases of one claim: a part of each is run by `make test`, all of it by `make test-all`.

The part is drawn by what a case says, so that another case more or less leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import pytest


def drawn(text: str, one_in: int) -> bool:
    """Whether the case that says this is in `make test`, as one in so many are."""
    return crc32(text.encode()) % one_in == 0


def some(cases: Iterable[Any], one_in: int, always: Iterable[Any] = ()) -> list[Any]:
    """Parameters of a test: those that are not drawn, nor among `always`, are marked `exhaustive`."""
    kept = list(always)
    return [c if c in kept or drawn(str(c), one_in) else pytest.param(c, marks=pytest.mark.exhaustive) for c in cases]
