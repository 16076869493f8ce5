"""A results page, read back: the means of each class of shapes, as markdown.py wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from isamap_smt.bench.results import Results, ResultsError
from isamap_smt.bench.summary import Row, group, rows

_MACHINE = re.compile(r"^\d+ figures on (.+?)\. A figure is ")
_COLUMNS = "| suite | weights | threads | class | cases | mean | worst | best | of limit | failed | no peer | noisy |"


@dataclass(frozen=True)
class Part:
    """The means of one run: the machine's name, and a row for each class and for all of a suite together."""

    machine: str
    rows: tuple[Row, ...]


def part_of(results: Results) -> Part:
    """The same of a results file."""
    return Part(results.machine["cpu"], tuple(rows(results.entries, group)))


def read_page(path: Path) -> list[Part]:
    """The runs on a page, in its order. Raises ResultsError where there is none, or a line cannot be read."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ResultsError(f"cannot read {path}: {words}") from None
    parts: list[Part] = []
    machine = ""
    for number, line in enumerate(lines):
        if found := _MACHINE.match(line):
            machine = found[1]
        elif line == _COLUMNS:
            parts.append(Part(machine, tuple(_rows(path, lines, number + 2))))
    if not parts:
        raise ResultsError(
            f"{path} holds no means of `isamap bench`: neither results of -o nor a page with the tables of `isamap bench`"
        )
    return parts


def _rows(path: Path, lines: list[str], first: int) -> list[Row]:
    found = []
    for number in range(first, len(lines)):
        if not lines[number].startswith("|"):
            break
        try:
            found.append(_row(lines[number]))
        except ValueError:
            raise ResultsError(f"{path}:{number + 1}: no row of means: {lines[number]}") from None
    return found


def _row(line: str) -> Row:
    """
    >>> _row("| gemm-f32 | free | 1 | **all** | 8 | 1.08 | 0.91 | 1.38 | 0.79 | 0 | 0 | 6 |").worst
    0.91
    """
    suite, condition, threads, name, cases, *rest = (word.strip() for word in line.strip("|\n").split("|"))
    mean, worst, best, fraction = (None if word == "-" else float(word) for word in rest[:4])
    failed, alone, noisy = (int(word) for word in rest[4:])
    return Row(
        suite, condition, int(threads), name.strip("*"), int(cases), mean, worst, best, fraction, failed, alone, noisy
    )
