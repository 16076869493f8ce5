"""Three verdicts, everywhere: Proved, Refuted with a witness, Unknown with its reason. Unknown is never green."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Proved:
    """The claim's negation is unsatisfiable. how: the reason, if it was not asked as one question, else ''."""

    seconds: float = 0.0
    how: str = ""

    word: ClassVar[str] = "proved"


@dataclass(frozen=True)
class Refuted:
    """The claim fails for `witness` (names to integers, or to text for other values)."""

    witness: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    seconds: float = 0.0

    word: ClassVar[str] = "refuted"


@dataclass(frozen=True)
class Unknown:
    """No answer within the deterministic limit, or not expressible in the encodings."""

    reason: str
    seconds: float = 0.0

    word: ClassVar[str] = "unknown"


Verdict = Proved | Refuted | Unknown


def worst(verdicts: list[Verdict]) -> str:
    """'refuted' if any is refuted, else 'unknown' if any is unknown (or there are none), else 'proved'."""
    words = {v.word for v in verdicts}
    if "refuted" in words:
        return "refuted"
    return "unknown" if "unknown" in words or not words else "proved"
