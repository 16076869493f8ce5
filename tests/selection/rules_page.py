"""docs/rules.md: the table of rewrite rules, each with the arithmetics in which it is proved and what refutes it in others.

`python -m tests.selection.rules_page` writes the table; tests/selection/test_rules.py makes sure that it is current.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isamap_smt.mapping.rule_list import rule_document, shown_verdict

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
MARKS = ("<!-- from here on by `python -m tests.selection.rules_page` -->", "<!-- to here -->")


def table(rules: Sequence[dict[str, Any]]) -> str:
    """The rules as a table of Markdown."""
    lines = ["| rule | equal | proved in | not in |", "|---|---|---|---|"]
    for r in rules:
        verdicts = r["verdicts"].items()
        proved = [
            a + (" " + " ".join(r["rounding"])).rstrip() * (a == "reals")
            for a, v in verdicts
            if v["verdict"] == "proved"
        ]
        others = [f"{a}: {shown_verdict(v) or 'unknown'}" for a, v in verdicts if v["verdict"] != "proved"]
        where = f" where {r['where']}" if r["where"] else ""
        types = "".join(f", {n} of {d}" for n, d in r["types"].items())
        equal = f"`{r['left']}` = `{r['right']}`{where}{types}"
        lines.append(f"| {r['name']} | {equal} | {', '.join(proved)} | {'; '.join(others)} |")
    return "\n".join(lines)


def written(page: str, rules: Sequence[dict[str, Any]]) -> str:
    """The page with its table made anew."""
    before, rest = page.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return f"{before}{MARKS[0]}\n\n{table(rules)}\n\n{MARKS[1]}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), rule_document()), encoding="utf-8")
