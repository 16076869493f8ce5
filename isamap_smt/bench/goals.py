"""What the project wants to reach, beside what was measured.

The goals are ratios to the best peer under the same conditions, as geometric means over a suite, on a quiet machine with
AVX-512.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isamap_smt.bench.summary import Entry, Row, group, rows


@dataclass(frozen=True)
class Goal:
    """mean: of the ratios. worst: of each class's mean, or of each case."""

    mean: float
    worst: float | None = None


# by suite, and by condition: weights packed ahead, or nothing constant
GOALS: dict[tuple[str, str], Goal] = {
    ("gemm-f32", "constant"): Goal(1.05, 0.97),
    ("gemm-f32", "free"): Goal(1.03),
    **{("gemm-int8", c): Goal(1.15) for c in ("constant", "free")},
    ("gemm-bf16", "constant"): Goal(1.25),
    **{(s, "constant"): Goal(1.3, 1.0) for s in ("gru", "lstm")},
    **{("conv", c): Goal(1.05) for c in ("constant", "free")},
    **{("depthwise", c): Goal(2.0) for c in ("constant", "free")},
    **{("separable", c): Goal(1.15) for c in ("constant", "free")},
}


@dataclass(frozen=True)
class Standing:
    """A goal and the row that was measured for it. met: by the mean and, where the goal has one, by the worst."""

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
        # of recurrent layers no case may be slower; of products no class of shapes
        means = [c.mean for c in classes[r.suite, r.condition, r.threads] if c.mean is not None]
        least = r.worst if goal.worst == 1.0 else min(means, default=r.mean)
        made.append(Standing(goal, r, r.mean >= goal.mean and (goal.worst is None or least >= goal.worst)))
    return made
