"""Why no mapping could be scheduled: a reason common to several is given once."""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.ir.errors import ScheduleError


def nothing_scheduled(problems: Sequence[tuple[str, str]]) -> ScheduleError:
    """The error for these pairs of a mapping and its problem. Problems are grouped by their text before the advice.

    >>> print(nothing_scheduled([("l=i", "no axis 'q'; known: i, j"), ("l=i.j", "no axis 'q'; known: i.j")]))
    no axis 'q'; known: i, j
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for mapping, text in problems:
        groups.setdefault(text.partition("; ")[0], []).append((mapping, text))  # what follows is advice
    if len(groups) == 1:
        return ScheduleError(problems[0][1])
    lines = []
    for found in groups.values():
        names = dict.fromkeys(mapping for mapping, _ in found)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        lines.append(f"{next(iter(names))}{more}: {found[0][1]}")
    return ScheduleError("no mapping could be scheduled:\n  " + "\n  ".join(lines))
