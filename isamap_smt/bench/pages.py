"""A results page as Markdown: the means of a run, what stands behind its extremes, and the means of each class read back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.results import Results, ResultsError
from isamap_smt.bench.summary import Entry, Row, Standing, excluded, extremes, form, group, rows, standings
from isamap_smt.bench.tables import MEANS, sections
from isamap_smt.runtime.whole_file import whole_file

_MACHINE = re.compile(r"^\d+ figures on (.+?)\. A figure is ")
_COLUMNS = f"| {' | '.join(MEANS)} |"


@dataclass(frozen=True)
class Part:
    """The means of one run: the machine's name, and a row for each class and for all of a suite together."""

    machine: str
    rows: tuple[Row, ...]


def part_of(results: Results) -> Part:
    """The same of a results file."""
    return Part(results.machine["cpu"], tuple(rows(results.entries, group)))


def read_page(path: Path) -> list[Part]:
    """The runs on a page, in its order. Raises ResultsError where there is none, or a line cannot be read."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ResultsError(f"cannot read {path}: {words}") from None
    parts: list[Part] = []
    machine = ""
    for number, line in enumerate(lines):
        if found := _MACHINE.match(line):
            machine = found[1]
        elif line == _COLUMNS:
            parts.append(Part(machine, tuple(_rows(path, lines, number + 2))))
    if not parts:
        raise ResultsError(
            f"{path} holds no means of `isamap bench`: neither results of -o nor a page with the tables of `isamap bench`"
        )
    return parts


def _rows(path: Path, lines: list[str], first: int) -> list[Row]:
    found = []
    for number in range(first, len(lines)):
        if not lines[number].startswith("|"):
            break
        try:
            found.append(_row(lines[number]))
        except ValueError:
            raise ResultsError(f"{path}:{number + 1}: no row of means: {lines[number]}") from None
    return found


def _row(line: str) -> Row:
    """
    >>> _row("| gemm-f32 | free | 1 | **all** | 8 | 1.08 | 0.91 | 1.38 | 0.79 | 0 | 0 | 6 |").worst
    0.91
    """
    suite, condition, threads, name, cases, *rest = (word.strip() for word in line.strip("|\n").split("|"))
    mean, worst, best, fraction = (None if word == "-" else float(word) for word in rest[:4])
    failed, alone, noisy = (int(word) for word in rest[4:])
    return Row(
        suite, condition, int(threads), name.strip("*"), int(cases), mean, worst, best, fraction, failed, alone, noisy
    )


def write_page(results: Results, path: Path) -> Path:
    """The summary, and a line for each case, as a page. Raises ResultsError where it cannot be written."""
    suites = ", ".join(dict.fromkeys(e["suite"] for e in results.entries))
    text = "\n".join(
        [f"# isamap bench: {suites}", "", summary(results), "## Every case", "", *_cases(results.entries), ""]
    )
    try:
        with whole_file(path) as file:
            file.write(text)
    except OSError as error:
        raise ResultsError(f"cannot write {path}: {error.strerror}") from None
    return path


def _cases(entries: list[Entry]) -> Iterator[str]:
    """The time of a call in us of everybody who was right, medians over turns, and the ratio within turns with its quartiles."""
    names = list(dict.fromkeys(n for e in entries for n, c in e["contenders"].items() if "gflops" in c))
    yield from _head("suite", "threads", "case", *(f"{n}, us" for n in names), "ratio to the best other", "")
    for e in entries:
        speeds = (e["contenders"].get(n, {}).get("gflops") for n in names)
        times = (_us(e["operations"] / speed["median"] / 1e3) if speed else "-" for speed in speeds)
        r = e["ratio"]
        ratio = f"{r['median']:.2f} [{r['low']:.2f}, {r['high']:.2f}]" if r else "-"
        noisy = "noisy" if e.get("turns", {}).get("noisy") else ""
        yield f"| {e['suite']} | {e['threads']} | {e['case']['name']} | {' | '.join(times)} | {ratio} | {noisy} |"


def _us(value: float) -> str:
    """Three digits at least, and none of an exponent."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


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


def _head(*columns: str) -> Iterator[str]:
    """The first two lines of a table."""
    yield f"|{'|'.join(f' {c} ' if c else ' ' for c in columns)}|"
    yield "|" + "---|" * len(columns)


def _goals(found: list[Standing]) -> Iterator[str]:
    """The project's goals, and what was measured."""
    if not found:
        return
    yield from _head("suite", "weights", "threads", "goal", "mean [worst, best]", "of limit", "met")
    for s in found:
        r = s.row
        share = "-" if r.fraction is None else f"{r.fraction:.2f}"
        measured = f"{r.mean:.2f} [{r.worst:.2f}, {r.best:.2f}]"
        yield f"| {r.suite} | {r.condition} | {r.threads} | {s.goal} | {measured} | {share} | {'yes' if s.met else 'no'} |"
    yield ""


def _means(found: list[Row], word: str) -> Iterator[str]:
    yield from _head(*(word if column == "class" else column for column in MEANS))
    for r in found:
        numbers = " | ".join("-" if v is None else f"{v:.2f}" for v in (r.mean, r.worst, r.best, r.fraction))
        name = f"**{r.group}**" if r.group == "all" else r.group
        yield (
            f"| {r.suite} | {r.condition} | {r.threads} | {name} | {r.cases} | {numbers} | {r.failed} | {r.alone} | {r.noisy} |"
        )


def _extremes(entries: list[Entry]) -> Iterator[str]:
    """One best and one worst for each suite, condition and number of threads."""
    yield from _head("suite", "weights", "threads", "", "case", "ratio", "peer", "GF/s", "schedule")
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
