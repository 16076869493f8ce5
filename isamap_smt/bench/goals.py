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
