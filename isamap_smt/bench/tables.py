"""The results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.results import Results
from isamap_smt.bench.summary import (
    Entry,
    Row,
    Standing,
    excluded,
    extremes,
    form,
    fraction,
    group,
    right,
    rows,
    standings,
)
from isamap_smt.report.quantities import table

_SLACK = 1.05  # of a limit: more is no figure of the kernel's, but a limit that was measured too low
MEANS = [
    "suite",
    "weights",
    "threads",
    "class",
    "cases",
    "mean",
    "worst",
    "best",
    "of limit",
    "failed",
    "no peer",
    "noisy",
]
_SECTIONS = ("suite", "threads", "condition")


def report(results: Results) -> RenderableType:
    """Every case, the means, the extremes with their schedules, and who was left out."""
    parts: list[RenderableType] = []
    for suite, threads, condition, entries in sections(results.entries):
        words = "weights packed ahead" if condition == "constant" else "nothing constant"
        parts += [cases(entries, f"{suite}, {words}, {_threads(threads)}"), Text()]
    parts += [means(rows(results.entries, group), "Ratio to the best peer, by class of shapes"), Text()]
    parts += [means(rows(results.entries, form), "Ratio to the best peer, by layout, window or steps"), Text()]
    if reached := standings(results.entries):
        parts += [goals(reached), Text()]
    for suite, threads, condition, entries in sections(results.entries):
        parts += _extremes(f"{suite}, {condition}, {_threads(threads)}", entries)
    parts += _said(results)
    return Group(*parts)


def sections(entries: list[Entry]) -> Iterator[tuple[str, int, str, list[Entry]]]:
    """Entries by suite, threads and condition, in the order in which these first appear."""
    keys = dict.fromkeys(tuple(e[n] for n in _SECTIONS) for e in entries)
    for k in keys:
        yield *k, [e for e in entries if tuple(e[n] for n in _SECTIONS) == k]


def cases(entries: list[Entry], title: str) -> Table:
    """One line for each case: GF/s are medians, the ratio is within turns, with its quartiles."""
    shown = _table(
        title, "case", "class", "isamap GF/s", "of peak", "of limit", "best peer", "GF/s", "ratio", "turns", ""
    )
    for e in entries:
        ours = e["contenders"].get(OURS, {"status": "skipped", "words": e.get("skipped", "")})
        speed = ours.get("gflops")
        share = e["share"]["median"] if e.get("share") else None
        best = e["best_peer"]
        shown.add_row(
            e["case"]["name"],
            e["case"]["group"],
            f"{speed['median']:.1f}" if speed else Text(ours["status"], style="bold red"),
            _percent(share),
            _percent(fraction(e)),
            best or "-",
            f"{e['contenders'][best]['gflops']['median']:.1f}" if best else "-",
            _ratio(e["ratio"]),
            _turns(e),
            _notes(e, ours),
        )
    return shown


def means(found: list[Row], title: str) -> Table:
    """Geometric means, with the counts of cases that are in none."""
    shown = _table(title, *MEANS)
    for r in found:
        numbers = (_number(r.mean), _number(r.worst), _number(r.best), _percent(r.fraction))
        counts = [_count(n) for n in (r.failed, r.alone, r.noisy)]
        style = "bold" if r.group == "all" else ""
        shown.add_row(r.suite, r.condition, str(r.threads), r.group, str(r.cases), *numbers, *counts, style=style)
    return shown


def goals(found: list[Standing]) -> Table:
    """The project's goals, and what was measured."""
    shown = _table("Against the goals", "suite", "weights", "threads", "goal", "mean", "worst", "of limit", "met")
    for s in found:
        r, met = s.row, Text("yes" if s.met else "no", style="green" if s.met else "red")
        numbers = (_number(r.mean), _number(r.worst), _percent(r.fraction))
        shown.add_row(r.suite, r.condition, str(r.threads), str(s.goal), *numbers, met)
    return shown


def _extremes(title: str, entries: list[Entry]) -> list[RenderableType]:
    """The schedules behind the best and the worst ratios."""
    best, worst = extremes(entries)
    parts: list[RenderableType] = []
    for word, chosen in (("best", best), ("worst", worst)):
        for e in chosen:
            about = e["contenders"][OURS]["about"]
            packing = "; ".join(f"{n}: {p}" for n, p in about["packing"].items())
            parts.append(
                Text(f"{title}: {word}, {e['case']['name']} at {e['ratio']['median']:.2f} of {e['best_peer']}", "bold")
            )
            parts.append(Text(f"  {about['mapping']} onto {about['instruction']}; {about['schedule']}"))
            parts.append(Text(f"  {packing}" + (f"; parallel {about['parallel']}" if about["parallel"] else "")))
    return [*parts, Text()] if parts else []


def _said(results: Results) -> list[RenderableType]:
    """What a reader of the figures has to know."""
    lines = [f"missing: {name}: {words}" for name, words in results.missing.items()]
    for o in excluded(results.entries):
        plural = "s" * (o.cases > 1)
        lines.append(
            f"{o.status}, not counted: {o.name} in {o.cases} case{plural} of {o.suite}, such as {o.case}: {o.words}"
        )
    skipped = [e for e in results.entries if "skipped" in e]
    lines += [f"skipped: {e['case']['name']}: {e['skipped']}" for e in skipped]
    noisy = sum(bool(e.get("turns", {}).get("noisy")) for e in results.entries)
    if noisy:
        lines.append(f"not quiet: {noisy} of {len(results.entries)} figures had too few quiet turns, and are marked *")
    above = [e["case"]["name"] for e in results.entries if (fraction(e) or 0.0) > _SLACK]
    if above:
        lines.append(
            f"limits too low: {len(above)} figures are above theirs, such as {above[0]}: measured on a busy machine?"
        )
    lines += compiling(results.entries)
    unproved = [e for e in results.entries if right(e) and e["contenders"][OURS]["about"]["verdict"] != "proved"]
    lines += [f"not proved: {e['case']['name']}" for e in unproved]
    about = results.machine
    lines.append(f"{about['cpu']}, {about['features']}, {about['cores']} cores, load {about['load']} at the start")
    return [Text(line) for line in lines]


def compiling(entries: list[Entry]) -> list[str]:
    """How long it took from kernel to code: where the schedule was decided anew, and once more in the same process."""
    known = [(e["contenders"][OURS]["about"], e["case"]["name"]) for e in entries if right(e)]
    lines = []
    for words, key, chosen in (
        ("compiled anew", "compile", [k for k in known if "schedule" in k[0]["stages"]]),
        ("compiled again in the same process", "compile again", known),
    ):
        times = sorted((about["seconds"][key], name) for about, name in chosen)
        if times:
            middle, (most, where) = times[len(times) // 2][0], times[-1]
            lines.append(f"{words}: {len(times)} kernels, median {middle:.3g} s, most {most:.3g} s ({where})")
    return lines


def _notes(e: Entry, ours: dict[str, Any]) -> str:
    """Why there is no figure, and which peers are out."""
    if ours["status"] != "ok":
        return str(ours["words"]).split("\n", 1)[0][:90]
    out = [f"{n} {c['status']}" for n, c in e["contenders"].items() if c["status"] != "ok"]
    return ", ".join(out)


def _turns(e: Entry) -> str:
    """Quiet turns, and those dropped with a minus; * where too few were quiet."""
    turns = e.get("turns")
    if not turns:
        return "-"
    dropped = f" -{turns['dropped']}" if turns["dropped"] else ""
    return f"{turns['quiet']}{dropped}{'*' if turns['noisy'] else ''}"


def _ratio(found: dict[str, float] | None) -> Text:
    if found is None:
        return Text("-")
    style = "green" if found["median"] >= 1.0 else "red"
    return Text(f"{found['median']:.2f} [{found['low']:.2f}, {found['high']:.2f}]", style=style)


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count > 1)}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _count(value: int) -> str:
    return str(value) if value else ""


def _table(title: str, *columns: str) -> Table:
    words = ("case", "class", "best peer", "suite", "weights", "")
    return table(title, *columns, right=[c for c in columns if c not in words])
