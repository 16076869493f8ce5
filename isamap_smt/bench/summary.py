"""Geometric means of the ratio to the best peer, by class of shapes, what stands behind the extremes, and the project's goals.

Nothing that failed is averaged in, and nothing that failed is left unsaid: each row counts the cases that have no
ratio. The goals are ratios to the best peer under the same conditions, as geometric means over a suite, on a quiet machine with
AVX-512.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from isamap_smt.bench.contenders import OURS


@dataclass(frozen=True)
class Spread:
    """Median, quartiles and number of samples."""

    median: float
    low: float
    high: float
    samples: int
    dropped: int = 0

    def __str__(self) -> str:
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}]"


def spread(values: list[float], dropped: int = 0) -> Spread:
    """Median and quartiles of at least one value."""
    if len(values) == 1:
        return Spread(values[0], values[0], values[0], 1, dropped)
    q = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(q[1], q[0], q[2], len(values), dropped)


def geometric_mean(values: Iterable[float]) -> float | None:
    """Of positive values; None of none.

    >>> geometric_mean([2.0, 8.0])
    4.0
    """
    logs = [math.log2(v) for v in values]
    return 2.0 ** (sum(logs) / len(logs)) if logs else None


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


@dataclass(frozen=True)
class Goal:
    """mean: of the ratios. of_classes: the least mean of a class of shapes; of_cases: the least ratio of a case."""

    mean: float
    of_classes: float | None = None
    of_cases: float | None = None

    def __str__(self) -> str:
        text = f"{self.mean:.2f}"
        if self.of_classes is not None:
            text += f", no class below {self.of_classes:.2f}"
        return text + (f", no case below {self.of_cases:.2f}" if self.of_cases is not None else "")


# by suite, and by condition: weights packed ahead, or nothing constant
GOALS: dict[tuple[str, str], Goal] = {
    ("gemm-f32", "constant"): Goal(1.05, of_classes=0.97),
    ("gemm-f32", "free"): Goal(1.03),
    **{("gemm-int8", c): Goal(1.15) for c in ("constant", "free")},
    ("gemm-bf16", "constant"): Goal(1.25),
    **{(s, "constant"): Goal(1.3, of_cases=1.0) for s in ("gru", "lstm")},
    **{("conv", c): Goal(1.05) for c in ("constant", "free")},
    **{("depthwise", c): Goal(2.0) for c in ("constant", "free")},
    **{("separable", c): Goal(1.15) for c in ("constant", "free")},
    ("reductions", "free"): Goal(1.0),
    ("elementwise", "free"): Goal(1.2, of_classes=1.0),
    **{(s, "free"): Goal(1.2) for s in ("norms", "attention")},
    ("quantised", "constant"): Goal(1.15),
}


@dataclass(frozen=True)
class Standing:
    """A goal and the row that was measured for it. met: nothing failed, and neither the mean nor the least is below the goal's."""

    goal: Goal
    row: Row
    met: bool


def standings(entries: Iterable[Entry]) -> list[Standing]:
    """One for each suite, condition and number of threads that has a goal and a ratio."""
    found = rows(entries, group)
    classes: dict[tuple[str, str, int], list[Row]] = {}
    for r in found:
        if r.group != "all":
            classes.setdefault((r.suite, r.condition, r.threads), []).append(r)
    made = []
    for r in found:
        goal = GOALS.get((r.suite, r.condition))
        if goal is None or r.group != "all" or r.mean is None or r.worst is None:
            continue
        means = [c.mean for c in classes[r.suite, r.condition, r.threads] if c.mean is not None]
        enough = (goal.of_classes or 0.0) <= min(means) and (goal.of_cases or 0.0) <= r.worst
        made.append(Standing(goal, r, r.mean >= goal.mean and enough and not r.failed))
    return made
