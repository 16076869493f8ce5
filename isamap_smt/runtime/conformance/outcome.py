"""What checking a machine's instructions found, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.runtime.conformance.arena import Arena

RIGHT, WRONG, NOT_RUN = "right", "wrong", "not run"


@dataclass(frozen=True)
class Checked:
    """One instruction. status: RIGHT, WRONG or NOT_RUN; reason: the counterexample, or why it was not run.

    results: how many cells were compared. how: what 'equal' means. emulated: by what, so that no CPU is tested; '' for this CPU.
    """

    name: str
    status: str
    reason: str = ""
    results: int = 0
    how: str = ""
    emulated: str = ""

    def __str__(self) -> str:
        match self.status:
            case "right":
                by = f", emulated by {self.emulated}" if self.emulated else ""
                return f"{self.name}: does what its description says: {self.results:,} results, {self.how}{by}"
            case "wrong":
                return f"{self.name} does not do what its description says\n{_indented(self.reason)}"
        return f"{self.name}: not run: {self.reason}"


@dataclass(frozen=True)
class HardwareCheck(Shown):
    """All instructions of one machine. verdict: 'right', 'wrong' where one is wrong, else 'unknown' where one was not run."""

    machine: str
    checked: tuple[Checked, ...]
    seed: int = 0

    @property
    def verdict(self) -> str:
        """In one word."""
        found = {c.status for c in self.checked}
        return WRONG if WRONG in found else "unknown" if NOT_RUN in found else RIGHT

    def of(self, status: str) -> tuple[Checked, ...]:
        """Those of that status."""
        return tuple(c for c in self.checked if c.status == status)

    def __str__(self) -> str:
        lines = [str(c) for c in (*self.of(WRONG), *self.of(NOT_RUN))]
        good, emulated = len(self.of(RIGHT)), [c.emulated for c in self.of(RIGHT) if c.emulated]
        by = ", ".join(dict.fromkeys(emulated))
        by = f" ({len(emulated)} of them emulated by {by}, which tests the description and no CPU)" if by else ""
        words = {RIGHT: "right", WRONG: "wrong", "unknown": "not known to be right"}[self.verdict]
        lines.append(
            f"{self.machine} is {words}: {good} of {len(self.checked)} instructions do what their descriptions say{by}"
        )
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """One row for each instruction."""
        rows = tuple((c.name, c.status, f"{c.results:,}", c.how, c.reason.split("\n", 1)[0]) for c in self.checked)
        return (Table("Instructions", ("name", "status", "results", "compared", "reason"), rows),)


@dataclass(frozen=True)
class Step:
    """Calls that run at the same time, and what is looked at afterwards.

    calls: (function, places before, places after, numbers, count, period, bytes of the results).
    verify: what is wrong, or ''. where: the
    circumstances, for whoever has to be told that the instruction did not survive them.
    """

    calls: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, int, int], ...]
    verify: Callable[[Arena], str]
    where: str
    results: int


class NotRunnableError(Exception):
    """Why an instruction cannot be run here."""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def document(found: HardwareCheck) -> dict[str, Any]:
    """The JSON of `isamap check-hardware`."""
    return {
        "hardware": found.machine,
        "verdict": found.verdict,
        "seed": found.seed,
        "instructions": [
            {
                "name": c.name, "status": c.status, "reason": c.reason, "results": c.results, "compared": c.how,
                "emulated": bool(c.emulated), "emulator": c.emulated or None,
            }
            for c in found.checked
        ],
    }  # fmt: skip
