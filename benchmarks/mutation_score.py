"""What became of the mutants of one attack, added up over mappings, programs and processes."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 12  # equivalent mutants printed without -v


@dataclass
class Score:
    """Counts of verdicts and of what was changed; the mutants that need a reader, in words. `deadline`: when to stop."""

    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    equivalent: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    misuse: int = 0
    deadline: float = float("inf")

    @property
    def late(self) -> bool:
        """Whether the time allowed is over."""
        return time.time() > self.deadline

    @property
    def total(self) -> int:
        """Mutants judged."""
        return sum(self.counts.values())

    @property
    def percent(self) -> float:
        """Killed or shown equivalent, of all."""
        good = self.counts["refuted"] + self.counts["equivalent, proved"] + self.counts["equivalent, not proved"]
        return 100 * good / max(1, self.total)

    def add(self, other: Score) -> None:
        """Take over what another process counted."""
        self.counts.update(other.counts)
        self.kinds.update(other.kinds)
        self.equivalent += other.equivalent
        self.unsound += other.unsound
        self.survivors += other.survivors
        self.misuse += other.misuse


def report(title: str, score: Score, verbose: bool, listed: str = "") -> int:
    """Print the score, and write the equivalent mutants to the file `listed`; 1 unless the score is 100%."""
    print(f"\n{title}: {score.total} mutants, score {score.percent:.2f}%")
    print(" ", dict(score.counts), f"and {score.misuse} that are no {title[:-1]} at all")
    print("  by what was changed:", dict(score.kinds))
    equivalent = sorted(score.equivalent)
    for text in sorted(score.unsound):
        print("  PROVED BUT WRONG", text)
    for text in sorted(score.survivors):
        print("  unknown, and wrong:", text)
    for text in equivalent if verbose else equivalent[:SHOWN]:
        print("  equivalent:", text)
    if len(score.equivalent) > SHOWN and not verbose:
        print(f"  ... and {len(score.equivalent) - SHOWN} more equivalent ones (-v prints, --list FILE writes them)")
    if listed:
        Path(listed).write_text("".join(f"{text}\n" for text in equivalent))
    return 0 if score.unsound == [] and score.survivors == [] else 1
