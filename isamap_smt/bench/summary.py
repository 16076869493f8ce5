"""Geometric means of the ratio to the best peer, by class of shapes, and what stands behind the extremes.

Nothing that failed is averaged in, and nothing that failed is left unsaid: each row counts the cases that have no
ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.spread import geometric_mean

Entry = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One class under one condition. mean, worst, best: of ratios; failed: cases in which isamap has no right result;
    alone: cases without a peer; noisy: cases whose machine was never quiet. fraction: median of measured over limit.
    """

    suite: str
    condition: str
    threads: int
    group: str
    cases: int
    mean: float | None
    worst: float | None
    best: float | None
    fraction: float | None
    failed: int
    alone: int
    noisy: int


def rows(entries: Iterable[Entry], of: Callable[[Entry], str]) -> list[Row]:
    """A row for each suite, condition, number of threads and class, and one for all classes together."""
    groups: dict[tuple[str, str, int, str], list[Entry]] = {}
    for e in entries:
        first = (e["suite"], e["condition"], e["threads"])
        groups.setdefault((*first, of(e)), []).append(e)
        groups.setdefault((*first, "all"), []).append(e)
    ordered = sorted(groups, key=lambda k: (k[0], k[2], k[1], k[3] == "all", k[3]))
    return [_row(*k, groups[k]) for k in ordered]


def never_right(entries: Iterable[Entry]) -> str:
    """The first error of isamap, with its case, where it has failed in every case that it took part in; otherwise ''."""
    ours = [(e, e["contenders"][OURS]) for e in entries if OURS in e["contenders"]]
    failed = [(e, o) for e, o in ours if o["status"] not in ("ok", "unsupported")]
    if not failed or any(o["status"] == "ok" for _, o in ours):
        return ""
    first, about = failed[0]
    return f"{first['suite']} {first['case']['name']}: {about['status']}: {about['words']}"


def group(entry: Entry) -> str:
    """The class of an entry's shape."""
    return str(entry["case"]["group"])


def form(entry: Entry) -> str:
    """NN, NT, TN, or the window."""
    return str(entry["case"]["form"])


def _row(suite: str, condition: str, threads: int, name: str, entries: list[Entry]) -> Row:
    ratios = [e["ratio"]["median"] for e in entries if e["ratio"]]
    fractions = sorted(f for e in entries if (f := fraction(e)) is not None)
    failed = [e for e in entries if not right(e)]
    return Row(
        suite, condition, threads, name,
        cases=len(entries),
        mean=geometric_mean(ratios),
        worst=min(ratios, default=None),
        best=max(ratios, default=None),
        fraction=fractions[len(fractions) // 2] if fractions else None,
        failed=len(failed),
        alone=sum(right(e) and e["best_peer"] is None for e in entries),
        noisy=sum(bool(e.get("turns", {}).get("noisy")) for e in entries),
    )  # fmt: skip


def right(entry: Entry) -> bool:
    """Whether isamap computed the case, rightly."""
    return bool(entry["contenders"].get(OURS, {}).get("status") == "ok")


def fraction(entry: Entry) -> float | None:
    """Measured over what arithmetic and memory allow."""
    ours = entry["contenders"].get(OURS, {})
    if not entry.get("limit") or "gflops" not in ours:
        return None
    return float(ours["gflops"]["median"]) / float(entry["limit"])


def extremes(entries: Iterable[Entry], count: int = 3) -> tuple[list[Entry], list[Entry]]:
    """(the best, the worst) by ratio; the two lists share nothing."""
    known = sorted((e for e in entries if e["ratio"]), key=lambda e: e["ratio"]["median"])
    worst = known[:count]
    return known[len(worst) :][-count:][::-1], worst


@dataclass(frozen=True)
class Out:
    """A contender that took part in `cases` cases of a suite and did not count, and the words of the first."""

    name: str
    status: str
    suite: str
    cases: int
    case: str
    words: str


def excluded(entries: Iterable[Entry]) -> list[Out]:
    """Everything that was left out of the means, by contender, status and suite."""
    found: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for e in entries:
        for name, c in e["contenders"].items():
            if c["status"] != "ok":
                words = (c["words"].splitlines() or [""])[0]
                found.setdefault((name, c["status"], e["suite"]), []).append((e["case"]["name"], words))
    return [Out(*k, len(cases), *cases[0]) for k, cases in found.items()]
