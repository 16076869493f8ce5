"""The results as pictures: of the run as a whole, the ratio to the best peer by class and by shape, and the roofline.

In the one picture of a run a line goes from the worst shape of a class to the best, and a dot is the class's geometric mean. The
picture of the same figures is the same file, and says them in words, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.pages import Part, part_of
from isamap_smt.bench.results import Results
from isamap_smt.bench.summary import Entry, Row
from isamap_smt.bench.tables import sections
from isamap_smt.ir.errors import IsamapError

NAMES = {
    "conv": "convolution, f32",
    "depthwise": "depthwise convolution, f32",
    "separable": "depthwise separable, f32",
    "gemm-f32": "GEMM, f32",
    "gemm-int8": "GEMM, u8 x i8",
    "gemm-bf16": "GEMM, bf16",
    "gru": "GRU, f32",
    "lstm": "LSTM, f32",
    "reductions": "reductions, f32",
    "elementwise": "elementwise, f32",
    "norms": "norms, f32",
    "attention": "attention, f32",
    "quantised": "layers of bytes",
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


class PlotError(IsamapError):
    """Pictures were asked for and cannot be drawn."""


def require_matplotlib() -> None:
    """Pictures can be drawn afterwards, without a display. Raises PlotError."""
    try:
        import matplotlib
    except ImportError:
        raise PlotError("--plots needs matplotlib: pip install 'isamap-smt[bench]'") from None
    matplotlib.use("svg")


def write_plots(results: Results, folder: Path) -> list[Path]:
    """One picture of everything, and two for each suite, number of threads and condition. Raises PlotError."""
    written = write_means([part_of(results)], folder)
    for suite, threads, condition, entries in sections(results.entries):
        title = f"{suite}, weights {condition}, {threads} thread{'s' * (threads > 1)}"
        stem = f"{suite}-{condition}-{threads}"
        if any(e["ratio"] for e in entries):
            written.append(_saved(_ratios(entries, title), folder / f"ratio-{stem}.svg"))
        if any(e.get("limit") for e in entries):
            bands = results.bandwidth.get(str(threads), [])
            written.append(_saved(_roofline(entries, bands, threads, title), folder / f"roofline-{stem}.svg"))
    return written


def write_means(parts: list[Part], folder: Path) -> list[Path]:
    """The one picture of everything, unless nothing had a peer. Raises PlotError."""
    require_matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = any(r.mean for part in parts for r in part.rows)
        return [write_overview(parts, folder / "ratios.svg")] if known else []
    except OSError as error:
        raise PlotError(f"cannot write into {folder}: {error.strerror}") from None


def _saved(figure: Any, path: Path) -> Path:
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context(REPEATABLE):
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": "isamap bench"})
    pyplot.close(figure)
    return path


def _ratios(entries: list[Entry], title: str) -> Any:
    """A bar for each case, in ascending order within its class; whiskers are quartiles."""
    from matplotlib import pyplot

    known = sorted((e for e in entries if e["ratio"]), key=lambda e: (e["case"]["group"], e["ratio"]["median"]))
    groups = list(dict.fromkeys(e["case"]["group"] for e in known))
    figure, axes = pyplot.subplots(figsize=(max(6.0, 0.16 * len(known)), 4.0))
    for n, e in enumerate(known):
        r = e["ratio"]
        error = [[max(0.0, r["median"] - r["low"])], [max(0.0, r["high"] - r["median"])]]
        colour = COLOURS[groups.index(e["case"]["group"]) % len(COLOURS)]
        first = all(k["case"]["group"] != e["case"]["group"] for k in known[:n])
        label = e["case"]["group"] if first else None
        axes.bar(n, r["median"], color=colour, yerr=error, error_kw={"linewidth": 0.7}, label=label)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(known)), [e["case"]["name"] for e in known], rotation=90, fontsize=6)
    axes.set_ylabel("isamap / best peer")
    axes.set_title(title)
    axes.legend(fontsize=7)
    return figure


def _roofline(entries: list[Entry], bands: list[dict[str, float]], threads: int, title: str) -> Any:
    """Speed against operations per byte that has to move at least; a line for each size of memory read."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.5, 4.5))
    known = [e for e in entries if "gflops" in e["contenders"].get(OURS, {})]
    peak = max((e["peak"] for e in known if e.get("peak")), default=None)
    intensity = [e["operations"] / e["bytes"] for e in known]
    low, high = min(intensity) / 2, max(intensity) * 2
    for band in bands:
        top = peak or band["rate"] * high / 1e9
        ys = [min(top, band["rate"] * x / 1e9) for x in (low, top * 1e9 / band["rate"], high)]
        xs = [low, max(low, top * 1e9 / band["rate"]), max(high, top * 1e9 / band["rate"])]
        label = f"{_size(band['size'] * threads)}: {band['rate'] / 1e9:.0f} GB/s"
        axes.plot(xs, ys, linewidth=0.8, label=label)
    axes.scatter(
        intensity,
        [e["contenders"][OURS]["gflops"]["median"] for e in known],
        s=14,
        color="black",
        zorder=3,
        label="isamap",
    )
    rivals = [
        (x, e["contenders"][e["best_peer"]]["gflops"]) for x, e in zip(intensity, known, strict=True) if e["best_peer"]
    ]
    if rivals:
        xs, ys = [x for x, _ in rivals], [g["median"] for _, g in rivals]
        axes.scatter(xs, ys, s=14, facecolors="none", edgecolors="#D55E00", zorder=2, label="best peer")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlim(low, high)
    axes.set_xlabel("operations per byte of inputs and output")
    axes.set_ylabel("GF/s")
    axes.set_title(title)
    axes.legend(fontsize=6)
    return figure


def _size(count: float) -> str:
    return f"{count / 2**20:g} MiB" if count >= 2**20 else f"{count / 2**10:g} KiB"
