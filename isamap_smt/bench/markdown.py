"""The means of a run and what stands behind its extremes, as Markdown for a results page."""

from __future__ import annotations

from collections.abc import Iterator

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.goals import Standing, standings
from isamap_smt.bench.results import Results
from isamap_smt.bench.summary import Entry, Row, excluded, extremes, form, group, rows
from isamap_smt.bench.tables import sections


def summary(results: Results) -> str:
    """Geometric means by class and by layout, best and worst cases with their schedules, and who was left out."""
    lines = [
        f"{len(results.entries)} figures on {results.machine['cpu']}. A figure is the median over turns of isamap's rate "
        "over that of the best peer in the same turn; means are geometric. `noisy`: too few quiet turns.",
        "",
        *_goals(standings(results.entries)),
        *_means(rows(results.entries, group), "class"),
        "",
        *_means([r for r in rows(results.entries, form) if r.group != "all"], "layout, window or steps"),
        "",
        *_extremes(results.entries),
        *_left_out(results),
    ]
    return "\n".join(lines) + "\n"


def _goals(found: list[Standing]) -> Iterator[str]:
    """The project's goals, and what was measured."""
    if not found:
        return
    yield "| suite | weights | threads | goal | mean [worst, best] | of limit | met |"
    yield "|---|---|---|---|---|---|---|"
    for s in found:
        r = s.row
        share = "-" if r.fraction is None else f"{r.fraction:.2f}"
        measured = f"{r.mean:.2f} [{r.worst:.2f}, {r.best:.2f}]"
        yield f"| {r.suite} | {r.condition} | {r.threads} | {s.goal} | {measured} | {share} | {'yes' if s.met else 'no'} |"
    yield ""


def _means(found: list[Row], word: str) -> Iterator[str]:
    yield f"| suite | weights | threads | {word} | cases | mean | worst | best | of limit | failed | no peer | noisy |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for r in found:
        numbers = " | ".join("-" if v is None else f"{v:.2f}" for v in (r.mean, r.worst, r.best, r.fraction))
        name = f"**{r.group}**" if r.group == "all" else r.group
        yield (
            f"| {r.suite} | {r.condition} | {r.threads} | {name} | {r.cases} | {numbers} | {r.failed} | {r.alone} | {r.noisy} |"
        )


def _extremes(entries: list[Entry]) -> Iterator[str]:
    """One best and one worst for each suite, condition and number of threads."""
    yield "| suite | weights | threads | | case | ratio | peer | GF/s | schedule |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for suite, threads, condition, mine in sections(entries):
        best, worst = extremes(mine, 1)
        for word, chosen in (("best", best), ("worst", worst)):
            for e in chosen:
                ours, r = e["contenders"][OURS], e["ratio"]
                about = ours["about"]
                packing = "; ".join(f"{n}: {p}" for n, p in about["packing"].items())
                yield (
                    f"| {suite} | {condition} | {threads} | {word} | {e['case']['name']} "
                    f"| {r['median']:.2f} [{r['low']:.2f}, {r['high']:.2f}] | {e['best_peer']} | {ours['gflops']['median']:.1f} "
                    f"| {about['instruction']}, {about['mapping']}; {about['schedule']}; {packing} |"
                )
    yield ""


def _left_out(results: Results) -> Iterator[str]:
    for name, words in results.missing.items():
        yield f"- missing: {name}: {words}"
    for o in excluded(results.entries):
        yield f"- {o.status}, not counted: {o.name} in {o.cases} of {o.suite}, such as {o.case}: {o.words}"
