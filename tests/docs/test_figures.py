"""The figures of docs/benchmarks.md, and the days in the README, are those of the recorded results, to the last digit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isamap_smt.bench.pages import read_page
from isamap_smt.bench.plots import NAMES

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text()
FIGURES = (REPOSITORY / "docs" / "benchmarks.md").read_text()
COLUMNS = ("RESULTS.md", "RESULTS_AVX2.md")
OPERATORS = "RESULTS_OPERATORS.md"
CONDITIONS = {"packed ahead": "constant", "nothing constant": "free"}


def table() -> list[list[str]]:
    """The cells of the lines under the table's head."""
    lines = FIGURES.split("| operator | shapes, weights |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def recorded(page: str, operator: str, shapes: str) -> str:
    """What a page says about an operator on one thread, in the words of a cell."""
    (suite,) = (s for s, name in NAMES.items() if name == operator)
    cases, condition = shapes.split(", ")
    wanted = (suite, CONDITIONS[condition], 1, "all", int(cases))
    found = [
        r
        for part in read_page(REPOSITORY / "benchmarks" / page)
        for r in part.rows
        if (r.suite, r.condition, r.threads, r.group, r.cases) == wanted
    ]
    assert len(found) <= 1
    measured = [r for r in found if r.mean is not None]
    return f"{measured[0].mean:.2f} [{measured[0].worst:.2f}, {measured[0].best:.2f}]" if measured else "-"


@pytest.mark.parametrize("row", table(), ids=lambda row: f"{row[0]}: {row[1]}")
def test_each_figure_is_recorded(row: list[str]) -> None:
    operator, shapes, *cells = row
    assert cells == [recorded(page, operator, shapes) for page in COLUMNS]


def test_the_table_is_about_every_operator_in_few_rows() -> None:
    suites = {r.suite for page in COLUMNS for part in read_page(REPOSITORY / "benchmarks" / page) for r in part.rows}
    assert {row[0] for row in table()} == {NAMES[s] for s in suites}
    assert len(table()) == 10


def test_the_operators_are_those_of_their_page() -> None:
    """A suite, how many cases it has on one thread and on two, and what came out."""
    lines = FIGURES.split("| suite | one thread | two threads |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    found = {cells[0]: cells[1:] for cells in ([c.strip() for c in line.strip("|").split("|")] for line in lines)}
    wanted: dict[str, list[str]] = {}
    for part in read_page(REPOSITORY / "benchmarks" / OPERATORS):
        for r in part.rows:
            if r.group == "all":
                wanted.setdefault(NAMES[r.suite], ["-", "-"])[r.threads - 1] = (
                    f"{r.mean:.2f} [{r.worst:.2f}, {r.best:.2f}] of {r.cases}"
                )
    assert found == wanted and found


def test_the_days_are_those_of_the_pages() -> None:
    days = [
        re.search(r"Measured (\d{4}-\d\d-\d\d)", (REPOSITORY / "benchmarks" / page).read_text()) for page in COLUMNS
    ]
    assert all(day and day[1] in README and day[1] in FIGURES for day in days)
