"""The results as pictures: the ratio to the best peer by class and by shape, and the roofline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.overview import COLOURS, REPEATABLE, write_overview
from isamap_smt.bench.pages import Part, part_of
from isamap_smt.bench.results import Results
from isamap_smt.bench.summary import Entry
from isamap_smt.bench.tables import sections
from isamap_smt.ir.errors import IsamapError


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
