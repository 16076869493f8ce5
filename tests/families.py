"""Families of many cases of one claim: a part of each is run by `make test`, all of it by `make test-all`.

The part is drawn by what a case says, so that another case more or less leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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


def leave_out(items: Sequence[pytest.Item]) -> None:
    """Mark `exhaustive` what `@pytest.mark.one_in(n, each=("argument", ...))` leaves out of the cases of a test: of each n one is
    drawn. A test keeps one case at least, and one of every value of the arguments that `each` names."""
    families: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("one_in") is not None:
            families.setdefault(item.nodeid.split("[", 1)[0], []).append(item)
    for cases in families.values():
        marker = cases[0].get_closest_marker("one_in")
        assert marker is not None and len(marker.args) == 1, "one_in(n): how many cases there are for one that stays"
        kept = _kept([c for c in cases if c.get_closest_marker("exhaustive") is None], *marker.args, **marker.kwargs)
        for case in cases:
            if case not in kept:
                case.add_marker(pytest.mark.exhaustive)


def _kept(cases: list[pytest.Item], among: int, each: Sequence[str] = ()) -> list[pytest.Item]:
    values = {c: {(n, str(c.callspec.params[n])) for n in each} for c in cases}  # type: ignore[attr-defined]
    kept = [c for c in cases if draw(c.name, among) == 0] or cases[:1]
    for case in cases:
        if values[case] - set().union(*(values[k] for k in kept)):
            kept.append(case)
    return kept
