"""What the check of one certificate says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

STATUSES = ("ok", "stale", "unknown", "broken", "damaged")
FAILING = ("stale", "broken", "damaged")


@dataclass(frozen=True)
class Outcome:
    """One certificate's status.

    ok: every claim is proved today, of unchanged values, and the files say the same. stale: proved, but something changed
    since it was written. broken: some claim is no longer proved (`told` has the counterexample). damaged: the files are
    not as they were written. unknown: a solver gave up, or two solvers disagree.

    told: sentences, the first says what is the matter. claims, formulas: numbers of obligations and of questions. second:
    questions that cvc5 answered like Z3. alone: questions that only Z3 decides. seconds: of the whole check, on one core.
    z3: seconds of each question. formulas_left: what Z3 gave up on, or the solvers contradict each other about, as
    (path, SMT-LIB text). remembered: an earlier check found it, and nothing it depends on has changed.
    """

    id: str
    status: str
    told: tuple[str, ...] = ()
    claims: int = 0
    formulas: int = 0
    second: int = 0
    alone: int = 0
    seconds: float = 0.0
    z3: tuple[float, ...] = ()
    remembered: bool = False
    formulas_left: tuple[tuple[str, str], ...] = ()

    def as_document(self) -> dict[str, Any]:
        """As JSON."""
        return {k: v for k, v in asdict(self).items() if k not in ("z3", "formulas_left")}

    def __str__(self) -> str:
        first, *rest = self.told or ("",)
        head = f"{self.id}: {self.status}" + (f": {first}" if first else "")
        return "\n".join([head, *(f"  {line}" for text in rest for line in text.split("\n"))])


def exit_status(outcomes: list[Outcome]) -> int:
    """0 when all are ok, 1 when any is stale, broken or damaged, else 2: some are unknown, or there are none."""
    words = {o.status for o in outcomes}
    if words & set(FAILING):
        return 1
    return 2 if "unknown" in words or not words else 0
