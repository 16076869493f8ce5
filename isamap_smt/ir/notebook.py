"""A stage's value shows itself: `str()` in a terminal, HTML in a notebook, the same words in both.

A value gives its text in `__str__` and, if rows and columns read better, its tables in `tables()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows of cells below a title; every row has one cell for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.title!r}: every row needs {len(self.columns)} cells")


class Shown:
    """Gives a class with a `__str__` its notebook output. Jupyter and IPython look for these two methods."""

    def tables(self) -> Sequence[Table]:
        """Tables for a notebook to show below the text; none by default."""
        return ()

    def _repr_html_(self) -> str:
        return pre(str(self)) + "".join(map(html_table, self.tables()))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(type(self).__name__ if cycle else str(self))


def pre(text: str) -> str:
    """The text as HTML, with its lines kept.

    >>> pre("i < I")
    '<pre>i &lt; I</pre>'
    """
    return f"<pre>{escape(text, quote=False)}</pre>"


def html_table(table: Table) -> str:
    """The table as HTML, every cell escaped.

    >>> html_table(Table("Tiles", ("axis", "L1"), (("i", "4"),)))
    '<table><caption>Tiles</caption><tr><th>axis</th><th>L1</th></tr><tr><td>i</td><td>4</td></tr></table>'
    """
    rows = [_row(table.columns, "th"), *(_row(row, "td") for row in table.rows)]
    return f"<table><caption>{escape(table.title, quote=False)}</caption>{''.join(rows)}</table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(c, quote=False)}</{tag}>" for c in cells) + "</tr>"
