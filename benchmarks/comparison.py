"""What a comparison of search strategies says: who beats random search, how good the cost models are, and both as Markdown.

Everything here follows from the plain data that benchmarks/strategies.py measured and wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.bench.summary import geometric_mean

REFERENCE = "random"
DRAWS = 1000  # of the bootstrap
_FEW = 6  # shapes below which nothing is said of others
_SHARE = 0.95  # of the draws, between the ends of an interval
Entry = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """A strategy over random search: speed of its programs over that of random's, above 1 where they are faster.

    mean: geometric, over shapes; low, high: the ends of its 95% interval.
    """

    shapes: int
    mean: float
    low: float
    high: float

    @property
    def beats(self) -> bool:
        """Whether the whole interval lies above 1, to the two digits that are shown: what cannot be told is no win.

        >>> Verdict(10, 1.07, 1.01, 1.12).beats, Verdict(10, 1.07, 0.98, 1.12).beats, Verdict(10, 1.07, 1.004, 1.1).beats
        (True, False, False)
        """
        return round(self.low, 2) > 1.0

    @property
    def loses(self) -> bool:
        """Whether the whole interval lies below 1."""
        return round(self.high, 2) < 1.0

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def verdict(ratios: Sequence[Sequence[float]]) -> Verdict | None:
    """From the ratios of every shape, one for each turn; None of no shapes.

    The interval is a bootstrap's: shapes are drawn anew, and for each its turns. With one shape it knows only the noise.
    """
    if not ratios:
        return None
    logs = [np.log2(np.asarray(turns, float)) for turns in ratios]
    generator = np.random.default_rng(0)
    means = []
    for _ in range(DRAWS):
        drawn = (logs[n] for n in generator.integers(len(logs), size=len(logs)))
        means.append(np.mean([np.median(x[generator.integers(len(x), size=len(x))]) for x in drawn]))
    low, high = np.quantile(means, [(1 - _SHARE) / 2, (1 + _SHARE) / 2])
    mean = geometric_mean(2.0 ** float(np.median(x)) for x in logs)
    assert mean is not None
    return Verdict(len(logs), mean, 2.0 ** float(low), 2.0 ** float(high))


def sentence(strategy: str, own: Verdict | None, kept: Verdict | None, reason: str = "") -> str:
    """What a reader needs to know of one strategy. own: by its own programs; kept: with the exact choice tried first."""
    if own is None or kept is None:
        return f"{strategy} was not compared: {reason or 'no shape has a program of its own and one of random search'}."
    over = f"over {_count(own.shapes, 'shape')}" + ", too few to speak of others" * (own.shapes < _FEW)
    return (
        f"{strategy} {_words(own)}: {own} {over}. "
        f"With the exact choice tried first, as `isamap tune` does, it {_words(kept)}: {kept}."
    )


def _words(v: Verdict) -> str:
    if v.beats:
        return "beats random search"
    return "does not beat random search, which is faster" if v.loses else "does not beat random search"


def strategies(document: Entry) -> list[str]:
    """Those that were asked for, without the one that they are compared with."""
    return [s for s in document["settings"]["strategies"] if s != REFERENCE]


def ratios(document: Entry, strategy: str, which: str) -> list[list[float]]:
    """The ratios of every shape where the strategy and random search have a program. which: own or kept."""
    found = (e["strategies"].get(strategy, {}).get(which) for e in document["entries"])
    return [x["ratios"] for x in found if x and x["ratios"]]


def conclusions(document: Entry) -> dict[str, Entry]:
    """By strategy: both verdicts as plain data, and the sentence."""
    made: dict[str, Entry] = {}
    for name in strategies(document):
        own, kept = (verdict(ratios(document, name, which)) for which in ("own", "kept"))
        failed = [e["strategies"][name]["reason"] for e in document["entries"] if name in e["strategies"]]
        reason = next((words for words in failed if words), "")
        made[name] = {"own": _plain(own), "kept": _plain(kept), "sentence": sentence(name, own, kept, reason)}
    return made


def _plain(v: Verdict | None) -> Entry | None:
    return None if v is None else {"shapes": v.shapes, "mean": v.mean, "low": v.low, "high": v.high, "beats": v.beats}


def markdown(document: Entry) -> str:
    """Sentences, ratios by shape, rank correlations, and what was left out; headings begin at the third level."""
    told = conclusions(document)
    lines = [
        _conditions(document),
        "",
        *(f"- {c['sentence']}" for c in told.values()),
        "",
        "### Best of its own programs",
        "",
        *_shapes(document, "own", told),
        "",
        "### Best of these and the exact choice, as `isamap tune` keeps it",
        "",
        *_shapes(document, "kept", told),
        "",
        "### Searches",
        "",
        *_searches(document),
        "",
        "### Rank correlation of the cost models",
        "",
        "Spearman's, between predictions and measured times over the programs that random search tried. A model that learns "
        "learned from those of the other shapes.",
        "",
        *_ranks(document),
    ]
    if left := [*_left_out(document)]:
        lines += ["", "### Left out", "", *left]
    return "\n".join(lines) + "\n"


def _conditions(document: Entry) -> str:
    """What was measured, what a figure means, and what it may not be worth."""
    s, entries = document["settings"], document["entries"]
    whole = "" if document["complete"] else f" Stopped early: {len(s['shapes'])} were asked for."
    return (
        f"{_count(len(entries), 'shape')}, f32, nothing constant, {_count(s['threads'], 'thread')}, on "
        f"{document['machine']['cpu']}.{whole} Each search tries the exact choice and {_count(s['trials'], 'program')} of its "
        f"own, for {s['budget']:g} s at most, in an empty database, seed {s['seed']}. The winners of a shape are then timed "
        "in turns; a figure is the speed of a strategy's winner over that of random's in the same turn, above 1 where it is "
        "faster: median [quartiles] by shape, geometric mean [95% interval, shapes and turns drawn anew] over shapes. A "
        "strategy beats random search where the whole interval lies above 1." + _doubts(document)
    )


def _shapes(document: Entry, which: str, told: dict[str, Entry]) -> Iterator[str]:
    names = strategies(document)
    yield from _head("shape", "random, GF/s", *names, "quiet turns")
    for e in document["entries"]:
        mine = e["strategies"]
        best = (mine.get(REFERENCE, {}).get(which) or {}).get("gflops")
        cells = [_spread((mine.get(n, {}).get(which) or {}).get("ratio")) for n in names]
        turns = f"{e['turns']['quiet']} of {e['turns']['quiet'] + e['turns']['dropped']}"
        yield _row(e["name"], _spread(best, "{:.3g}"), *cells, turns + " (noisy)" * e["turns"]["noisy"])
    means = [_spread(told[n][which], of="mean") for n in names]
    yield _row("**geometric mean**", "", *means, "")


def _doubts(document: Entry) -> str:
    """Why the figures may not be worth much; nothing where they are."""
    said, entries = "", document["entries"]
    if noisy := sum(e["turns"]["noisy"] for e in entries):
        said += f" Others used the machine: too few turns were quiet in {noisy} of {_count(len(entries), 'shape')}."
    if document["code_changed"]:
        said += " The code of isamap changed meanwhile: shapes were searched with different code."
    return said


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _searches(document: Entry) -> Iterator[str]:
    """What each strategy tried on all shapes together, and why its searches ended: equal budgets are seen here."""
    yield from _head("strategy", "shapes", "programs", "without a time", "seconds", "ended")
    for name in document["settings"]["strategies"]:
        found = [e["strategies"][name] for e in document["entries"] if "ended" in e["strategies"].get(name, {})]
        ended = Counter(a["ended"] for a in found)
        counts = (sum(a[n] for a in found) for n in ("programs", "without_time"))
        words = "; ".join(f"{why} ({n})" for why, n in ended.items())
        yield _row(name, str(len(found)), *map(str, counts), f"{sum(a['seconds'] for a in found):.0f}", words)


def _ranks(document: Entry) -> Iterator[str]:
    entries = document["entries"]
    models = sorted({m for e in entries for m in e["ranks"]})
    yield from _head("shape", "programs", *models)
    values: dict[str, list[float]] = {m: [] for m in models}
    for e in entries:
        found = {m: e["ranks"].get(m, {}).get("value") for m in models}
        for m, value in found.items():
            values[m] += [] if value is None else [value]
        count = max((r["programs"] for r in e["ranks"].values()), default=0)
        yield _row(e["name"], str(count), *("-" if v is None else f"{v:.2f}" for v in found.values()))
    cells = [f"{np.mean(v):.2f} [{min(v):.2f}, {max(v):.2f}]" if v else "-" for v in values.values()]
    yield _row("**mean [least, most]**", "", *cells)


def _left_out(document: Entry) -> Iterator[str]:
    """Who had no figure, once for each reason, and where."""
    said: dict[tuple[str, str], list[str]] = {}
    for e in document["entries"]:
        for name, about in e["strategies"].items():
            if about["reason"]:
                said.setdefault((name, about["reason"]), []).append(e["name"])
        for model, rank in e["ranks"].items():
            if rank["reason"]:
                said.setdefault((f"the {model} model", rank["reason"]), []).append(e["name"])
    for (name, reason), where in said.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        yield f"- {name} on {where[0]}{more}: {reason}"


def _head(*columns: str) -> Iterator[str]:
    yield _row(*columns)
    yield "|" + "---|" * len(columns)


def _row(*cells: str) -> str:
    return f"| {' | '.join(c.replace('|', '/') for c in cells)} |"


def _spread(found: Entry | None, number: str = "{:.2f}", of: str = "median") -> str:
    """A figure of plain data and the ends of its interval; a dash for none."""
    if not found:
        return "-"
    text: Callable[[float], str] = number.format
    return f"{text(found[of])} [{text(found['low'])}, {text(found['high'])}]"
