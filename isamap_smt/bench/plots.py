"""The results as pictures: of the run as a whole, the ratio to the best peer by operator; by shape; and the roofline.

In the one picture of a run a line goes from the worst shape of an operator to the best, and a dot is the geometric mean. The
picture of the same figures is the same file, and says them in words, too.
"""

from __future__ import annotations

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
    """An operator of one run: of all its cases a row for each condition."""

    suite: str
    threads: int
    cases: int
    rows: tuple[Row, ...]

    @property
    def mean(self) -> float:
        """The geometric mean of its ratios: of weights packed ahead, where there are such figures."""
        return next((r for r in self.rows if r.condition == "constant"), self.rows[0]).mean or 0.0


def groups(parts: list[Part]) -> list[Group]:
    """What there is on the fewest threads and has a peer; the largest ratio first."""
    threads = min((r.threads for part in parts for r in part.rows), default=1)
    found = []
    for part in parts:
        known = [r for r in part.rows if r.threads == threads and r.group == "all" and r.mean is not None]
        for suite in dict.fromkeys(r.suite for r in known):
            mine = tuple(r for r in known if r.suite == suite)
            found.append(Group(suite, threads, max(r.cases for r in mine), mine))
    return sorted(found, key=lambda g: -g.mean)


def description(parts: list[Part]) -> str:
    """Every figure of the picture, in words."""
    return "\n".join(
        f"{g.suite}, weights {r.condition}: {r.mean:.2f} [{r.worst:.2f}, {r.best:.2f}] of {r.cases}"
        for g in groups(parts)
        for r in g.rows
    )


def write_overview(parts: list[Part], path: Path) -> Path:
    """The picture as SVG; the same bytes for the same figures and the same matplotlib."""
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context(REPEATABLE):
        figure = _drawn(groups(parts), parts[0].machine)
        about = {"Date": None, "Creator": "isamap bench", "Description": description(parts)}
        figure.savefig(path, bbox_inches="tight", metadata=about)
        pyplot.close(figure)
    return path


def _drawn(found: list[Group], machine: str) -> Any:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.0, 1.0 + 0.27 * len(found)))
    both = any(len(g.rows) > 1 for g in found)
    for condition, face, shift in (("constant", COLOURS[0], -0.15), ("free", "white", 0.15)):
        known = [(n + shift * both, r) for n, g in enumerate(found) for r in g.rows if r.condition == condition]
        heights = [y for y, _ in known]
        axes.hlines(heights, [r.worst for _, r in known], [r.best for _, r in known], color=COLOURS[0], linewidth=1.2)
        axes.plot([r.mean for _, r in known], heights, "o", color=COLOURS[0], markersize=4, markerfacecolor=face)
    _frame(axes, [r for g in found for r in g.rows])
    axes.set_ylim(len(found) - 0.5, -0.5)
    names = [f"{NAMES.get(g.suite, g.suite)} ({g.cases} shapes)" for g in found]
    axes.set_yticks(range(len(found)), names, fontsize=8)
    axes.set_title("\n".join([_told(found), machine]), fontsize=9, loc="left")
    return figure


def _told(found: list[Group]) -> str:
    """What is compared, and how many of the figures had too few quiet turns."""
    threads = "one thread" if found[0].threads == 1 else f"{found[0].threads} threads"
    noisy, cases = (sum(getattr(r, n) for g in found for r in g.rows) for n in ("noisy", "cases"))
    noise = f"; noisy: {noisy} of {cases} figures had too few quiet turns" if noisy else ""
    return f"Speedup over the fastest other library, {threads}{noise}"


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
    axes.set_xlabel("speedup: dot, geometric mean over shapes; line, the worst and the best shape", fontsize=8)
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
