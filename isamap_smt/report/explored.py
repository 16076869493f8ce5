"""The explored plans, as Markdown and as a page: a table of kernels and machines, and machines by their cost and their cycles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from isamap_smt.exploration import Answer, Explored
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.report.page import rendered

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 420, 90, 50, 20, 30


def cell_words(a: Answer | None, counted: bool) -> str:
    """One answer in a few words: cycles, with a sign if they are not known to be the least."""
    if a is None:
        return "not asked yet"
    count = f"{a.mappings} mapping{'s' * (a.mappings != 1)}; " if counted and a.mappings is not None else ""
    if a.cycles is None:
        return f"{count}{'no plan in time' if a.status == 'TIME' else 'none'}"
    return f"{count}{a.cycles:,.0f} cycles{'' if a.status == 'OPTIMAL' else ' (feasible)'}"


def reasons(found: Explored) -> list[tuple[str, str, str]]:
    """(kernel, machine, why there is no plan), of every cell without one."""
    return [
        (x.name, m.title, a.reason)
        for x, row in zip(found.layers, found.answers, strict=True)
        for m, a in zip(found.machines, row, strict=True)
        if a is not None and a.cycles is None
    ]


def machine_rows(found: Explored) -> list[list[str]]:
    """A row by machine of a sweep: its values, cost, cycles, the largest part of them, and whether no other one is better."""
    front = found.pareto
    rows = []
    for n, m in enumerate(found.machines):
        total, (name, share) = found.total(n), found.bottleneck(n)
        rows.append([
            *(f"{v:,}" for _, v in m.values),
            "" if m.cost is None else f"{m.cost:,.0f}",
            "no plan" if total is None else f"{total:,.0f}",
            f"{name} {100 * share:.0f}%" if name else "",
            "best" if n in front else "",
        ])  # fmt: skip
    return rows


def machine_columns(found: Explored) -> list[str]:
    """Their titles."""
    return [*(n for n, _ in found.machines[0].values), "cost", "cycles", "most of them", "Pareto"]


def markdown(found: Explored) -> str:
    """The tables as Markdown."""
    lines: list[str] = []
    if found.machines[0].values:
        lines += _markdown(machine_columns(found), machine_rows(found))
        lines.append("")
    counted = not found.machines[0].values
    names = [m.title for m in found.machines]
    rows = [
        [x.name, *(cell_words(a, counted) for a in row)] for x, row in zip(found.layers, found.answers, strict=True)
    ]
    lines += _markdown(["kernel", *names], rows)
    if missing := reasons(found):
        lines += ["", *_markdown(["kernel", "machine", "why there is no plan"], [list(r) for r in missing])]
    return "\n".join(lines) + "\n"


def _markdown(columns: list[str], rows: list[list[str]]) -> list[str]:
    def row(cells: list[str]) -> str:
        return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"

    return [row(columns), row(["---"] * len(columns)), *map(row, rows)]


@dataclass(frozen=True)
class Dot:
    """A machine in the picture. best: whether no other one is cheaper and faster."""

    x: float
    y: float
    title: str
    best: bool


def picture(found: Explored) -> dict[str, Any] | None:
    """Machines by cost and cycles, both from 0 on; None if fewer than two have both."""
    known = [
        (m.cost, t, n) for n, m in enumerate(found.machines) if m.cost is not None and (t := found.total(n)) is not None
    ]
    if len(known) < 2:
        return None
    far, high = max(c for c, *_ in known) or 1.0, max(t for _, t, _ in known) or 1.0
    front = found.pareto

    def at(cost: float, cycles: float) -> tuple[float, float]:
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * cost / far,
            HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * cycles / high,
        )

    dots = [
        Dot(*at(c, t), f"{found.machines[n].title}: {t:,.0f} cycles, cost {c:,.0f}", n in front) for c, t, n in known
    ]
    line = [at(c, t) for n in front for c, t, k in known if k == n]
    steps = [p for (x, y), (x2, _) in pairwise(line) for p in ((x, y), (x2, y))] + line[-1:]
    ticks = [n / 4 for n in range(5)]
    return {
        "width": WIDTH, "height": HEIGHT, "dots": dots, "line": " ".join(f"{x:.1f},{y:.1f}" for x, y in steps),
        "left": LEFT, "right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM, "top": TOP,
        "across": [(at(far * t, 0)[0], f"{far * t:,.0f}") for t in ticks],
        "up": [(at(0, high * t)[1], f"{high * t:,.0f}") for t in ticks],
    }  # fmt: skip


def svg(found: Explored) -> str:
    """The picture of cost and cycles alone. Raises ScheduleError if fewer than two machines have both."""
    drawn = picture(found)
    if drawn is None:
        raise ScheduleError("a picture of cost and cycles needs two machines that have both")
    return rendered("pareto.svg.j2", {"picture": drawn})


def page(found: Explored, title: str, generator: str) -> str:
    """One HTML page without external resources."""
    swept = bool(found.machines[0].values)
    return rendered(
        "explored.html.j2",
        {
            "title": title,
            "generator": generator,
            "picture": picture(found) if swept else None,
            "columns": machine_columns(found) if swept else [],
            "rows": machine_rows(found) if swept else [],
            "machines": [m.title for m in found.machines],
            "layers": [
                (x.name, [cell_words(a, not swept) for a in row])
                for x, row in zip(found.layers, found.answers, strict=True)
            ],
            "reasons": reasons(found),
        },
    )
