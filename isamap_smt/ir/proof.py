"""The result of prove(): the mapping with one verdict per claim. Only prove() can make a ProvedMapping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from isamap_encodings.verdict import Proved, Unknown, Verdict, worst
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.hypotheses import Hypothesis, texts
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table

CLAIMS = (
    "scalar", "agreement", "exclusive", "coverage", "bounds", "neutral", "precondition", "disjoint", "program",
    "begun", "progress", "order", "memory", "configuration", "link", "forms", "rounding", "hypotheses",
)  # fmt: skip

# The claims of a mapping as people read them. JSON, certificates and `ClaimResult.claim` keep the names.
PHRASES = {
    "scalar": "arithmetic matches",
    "agreement": "single-valued lane",
    "exclusive": "one writer per element",
    "coverage": "every iteration once",
    "bounds": "accesses in bounds",
    "neutral": "masked lanes have no effect",
    "order": "order of sums kept",
    "hypotheses": "assumptions consistent",
}


class Seal:
    """The prover's mark on a proved value.

    It fits only the very objects it was made for, so a copy with one field replaced is not proved.
    """

    def __init__(self, *sealed: Any) -> None:
        self._sealed = sealed

    def fits(self, *values: Any) -> bool:
        """Whether these are the sealed objects themselves."""
        return len(values) == len(self._sealed) and all(a is b for a, b in zip(values, self._sealed, strict=True))

    def __reduce__(self) -> Any:
        raise TypeError("a proved value cannot be pickled or deep-copied: store what was proved, and prove it again")


def phrase(claim: str) -> str:
    """People's name for a mapping's claim; the claim's own name if there is no phrase.

    >>> phrase("exclusive")
    'one writer per element'
    """
    return PHRASES.get(claim, claim)


@dataclass(frozen=True)
class ClaimResult:
    """One obligation: its claim, its subject (operand or buffer), a statement in words, and its verdict."""

    claim: str
    subject: str
    verdict: Verdict
    statement: str = ""

    def __str__(self) -> str:
        about = f" {self.subject}" if self.subject else ""
        return f"{self.claim}{about}: {self.verdict.word}"

    @property
    def told(self) -> str:
        """A mapping's claim for people: its phrase and its subject: `one writer per element (c)`."""
        return phrase(self.claim) + (f" ({self.subject})" if self.subject else "")


@dataclass(frozen=True)
class Proof(Shown):
    """All obligations of a mapping or a program. `arithmetic` is exact, ordered or reassociate.

    `hypotheses` are taken for granted: each is listed in the report, and checked when the kernel is called.
    """

    claims: tuple[ClaimResult, ...]
    arithmetic: str = "exact"
    hypotheses: tuple[Hypothesis, ...] = ()
    seconds: float = 0.0

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The hypotheses in words, each once."""
        return texts(self.hypotheses)

    @property
    def word(self) -> str:
        """proved, refuted or unknown for the whole."""
        return worst([c.verdict for c in self.claims])

    @property
    def proved(self) -> bool:
        """Whether every obligation is proved."""
        return self.word == "proved"

    def failed(self) -> tuple[ClaimResult, ...]:
        """Obligations without a proof, refuted ones first."""
        bad = [c for c in self.claims if not isinstance(c.verdict, Proved)]
        return tuple(sorted(bad, key=lambda c: isinstance(c.verdict, Unknown)))

    def __str__(self) -> str:
        lines = [f"{self.word}: {len(self.claims)} obligations in {self.seconds:.2f} s; arithmetic: {self.arithmetic}"]
        lines += [f"  {c}" for c in self.failed()]
        if self.assumptions:
            lines.append(f"  assumed: {'; '.join(self.assumptions)}")
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """Every obligation with its verdict."""
        rows = (
            (c.claim, c.subject, c.verdict.word, f"{c.verdict.seconds * 1e3:.1f}", c.statement) for c in self.claims
        )
        return (Table("Obligations", ("claim", "about", "verdict", "ms", "what it says"), tuple(rows)),)


@dataclass(frozen=True)
class ProvedMapping(Shown):
    """A mapping with every claim proved."""

    mapping: Mapping
    proof: Proof
    _seal: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        sealed = isinstance(self._seal, Seal) and self._seal.fits(self.mapping, self.proof)
        if not sealed or not self.proof.proved:
            raise NotProvedError("a ProvedMapping is made by isamap_smt.prove(); this one was not")

    @property
    def left(self) -> tuple[str, ...]:
        """Claims left to the program's proof, in words, for an instruction with needs beyond its operands."""
        i = self.mapping.instruction
        if not i.needs:
            return ()
        return (f"configuration: that what {i.name} needs of states and registers holds is a claim of the program",)

    def __str__(self) -> str:
        proved = f"{self.mapping.id}: {len(self.proof.claims)} obligations proved ({self.proof.arithmetic})"
        return "\n  left to the program's proof: ".join([proved, *self.left])

    def tables(self) -> tuple[Table, ...]:
        """Every obligation with its verdict."""
        return self.proof.tables()


def seal(mapping: Mapping, proof: Proof) -> ProvedMapping:
    """For the prover only: wrap a mapping with a complete proof. Raises NotProvedError otherwise."""
    return ProvedMapping(mapping, proof, Seal(mapping, proof))
