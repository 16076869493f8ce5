"""One picture of a run: on its fewest threads, how the ratio to the best peer goes from shape to shape of each operator.

A line goes from the worst shape of a class to the best, and a dot is the class's geometric mean. The picture of the
same figures is the same file, and says them in words, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isamap_smt.bench.pages import Part
from isamap_smt.bench.summary import Row

NAMES = {
    "conv": "convolution, f32",
    "depthwise": "depthwise convolution, f32",
    "separable": "depthwise separable, f32",
    "gemm-f32": "GEMM, f32",
    "gemm-int8": "GEMM, u8 x i8",
    "gemm-bf16": "GEMM, bf16",
    "gru": "GRU, f32",
    "lstm": "LSTM, f32",
}
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")  # Okabe and Ito, 2008
REPEATABLE: Any = {"svg.hashsalt": "isamap", "svg.fonttype": "none"}  # the same ids in each file, and letters as text
_TICKS = (0.125, 0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Group:
    """An operator of one run: its classes in order, each with a row for each condition."""

    suite: str
    threads: int
    cases: int
    classes: dict[str, list[Row]]


def groups(parts: list[Part]) -> Iterator[Group]:
    """What there is on the fewest threads, without the classes that have no peer."""
    threads = min((r.threads for part in parts for r in part.rows), default=1)
    for part in parts:
        known = [r for r in part.rows if r.threads == threads and r.mean is not None]
        for suite in dict.fromkeys(r.suite for r in known):
            mine = [r for r in known if r.suite == suite]
            names = dict.fromkeys(r.group for r in mine if r.group != "all")
            classes = {n: [r for r in mine if r.group == n] for n in names}
            yield Group(suite, threads, max(r.cases for r in mine if r.group == "all"), classes)


def description(parts: list[Part]) -> str:
    """Every figure of the picture, in words."""
    lines = [
        f"{g.suite}, {name}, weights {r.condition}: {r.mean:.2f} [{r.worst:.2f}, {r.best:.2f}] of {r.cases}"
        for g in groups(parts)
        for name, found in g.classes.items()
        for r in found
    ]
    return "\n".join(lines)


def write_overview(parts: list[Part], path: Path) -> Path:
    """The picture as SVG; the same bytes for the same figures and the same matplotlib."""
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context(REPEATABLE):
        figure = _drawn(list(groups(parts)), parts[0].machine)
        about = {"Date": None, "Creator": "isamap bench", "Description": description(parts)}
        figure.savefig(path, bbox_inches="tight", metadata=about)
        pyplot.close(figure)
    return path


def _drawn(found: list[Group], machine: str) -> Any:
    from matplotlib import pyplot

    height = sum(1.3 + len(g.classes) for g in found)
    figure, axes = pyplot.subplots(figsize=(7.0, 1.0 + 0.18 * height))
    y, heights, labels = 0.0, [], []
    suites = list(dict.fromkeys(g.suite for g in found))
    for g in found:
        title = f"{NAMES.get(g.suite, g.suite)} ({g.cases} shapes)"
        axes.text(
            0.01, y, title, transform=axes.get_yaxis_transform(), va="center", weight="bold", fontsize=8,
            bbox={"facecolor": "white", "linewidth": 0, "pad": 1},
        )  # fmt: skip
        here = [y + 1.0 + n for n in range(len(g.classes))]
        heights += here
        labels += [f"{name} ({max(r.cases for r in mine)})" for name, mine in g.classes.items()]
        _ranges(axes, list(zip(here, g.classes.values(), strict=True)), COLOURS[suites.index(g.suite) % len(COLOURS)])
        y = here[-1] + 1.3
    _frame(axes, [r for g in found for mine in g.classes.values() for r in mine])
    axes.set_ylim(y - 0.5, -0.8)
    axes.set_yticks(heights, labels, fontsize=8)
    threads = "one thread" if found[0].threads == 1 else f"{found[0].threads} threads"
    axes.set_title(f"Speed against the best other library, {threads}\n{machine}", fontsize=9, loc="left")
    return figure


def _ranges(axes: Any, classes: list[tuple[float, list[Row]]], colour: str) -> None:
    """A line and a dot for each row; two conditions of a class stand above one another."""
    both = any(len(mine) > 1 for _, mine in classes)
    for condition, face, shift in (("constant", colour, -0.18), ("free", "white", 0.18)):
        known = [(y + shift * both, r) for y, mine in classes for r in mine if r.condition == condition]
        heights = [y for y, _ in known]
        axes.hlines(heights, [r.worst for _, r in known], [r.best for _, r in known], color=colour, linewidth=1.2)
        axes.plot([r.mean for _, r in known], heights, "o", color=colour, markersize=4, markerfacecolor=face)


def _frame(axes: Any, found: list[Row]) -> None:
    """The ratio's axis, logarithmic, with a line at 1 and the two kinds of dots explained."""
    low, high = min(r.worst or 1.0 for r in found), max(r.best or 1.0 for r in found)
    ticks = [t for t in _TICKS if low / 1.5 <= t <= high * 1.5]
    axes.set_xscale("log")
    axes.set_xlim(min(low / 1.08, 0.7), max(high * 1.08, 1.4))
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks], fontsize=8)
    axes.minorticks_off()
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.grid(axis="x", linewidth=0.3)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("times as fast: dot, geometric mean of a class; line, its worst and its best shape", fontsize=8)
    for face, words in (("grey", "weights packed ahead"), ("white", "nothing constant")):
        axes.plot([], [], color="grey", marker="o", markersize=4, markerfacecolor=face, linestyle="", label=words)
    axes.legend(fontsize=8, loc="lower right")
