"""The book of a rewrite's claims: each with its verdict, under what is known of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.rewrite import Again, Counted, Rewrite, Role
from isamap_smt.proof.program_book import Watch
from isamap_smt.proof.program_sites import Formula, span

FRONT = -1  # where a statement stands in front of all of the whole


@dataclass(frozen=True)
class Words:
    """What the claims of a row say, with places for names: {name} of a temporary, {home} of the output."""

    statements: str = "all other statements are as they were, and the pieces are in the place of the sum"
    temporaries: str = ""  # all of them at once; each by its name where ""
    neutral: str = "{name} is written by one statement and read by one behind it"
    kind: str = "{name} has the element type of {home}"
    filled: str = ""
    again: tuple[str, str] | None = None  # its subject, and what is claimed; None where `statements` says it, too
    closing: str = ""


class RewriteBook:
    """Collects the verdicts. about: what the claims that follow speak of, where it is not the kernel's only sum."""

    def __init__(self, x: Rewrite, words: Words, watch: Watch | None = None) -> None:
        self.words, self.watch = words, watch
        self.results: list[ClaimResult] = []
        self.about = ""
        self.turn_to(x)
        low = {p.name: p.low for p in x.whole.parameters}
        self.sizes = sorted({*x.whole.free_sizes, *x.kernel.free_sizes})
        self.given: list[Formula] = [("le", low.get(n, 1), sym(n)) for n in self.sizes]

    def turn_to(self, x: Rewrite) -> None:
        """Speak of this one from now on."""
        self.x = x
        self.old = x.whole.statements[(*x.row.restated, 0)[0]]
        self.kind = x.whole.tensor(self.old.target.tensor).dtype
        self.others = {a.name: a.extent for a in self.old.axes if a.name not in x.row.replaced}

    @property
    def all_proved(self) -> bool:
        """Whether nothing has failed so far."""
        return all(isinstance(r.verdict, Proved) for r in self.results)

    @property
    def outer(self) -> dict[str, object]:
        """Axes of the output, with their extents."""
        return {a.name: a.extent for a in self.old.axes if a.name not in self.old.reduction_axes}

    def statement(self, role: Role) -> Statement:
        """The statement with this role."""
        return self.x.kernel.statements[role.statement]

    def stands_for(self, role: Role) -> int:
        """The statement of the whole in whose place it stands."""
        if isinstance(role, Counted):
            return FRONT
        return role.of if isinstance(role, Again) else self.x.row.restated[0]

    def inside(self, role: Role) -> list[Formula]:
        """At a point of its statement."""
        return at_point(self.statement(role))

    # ---- writing down

    def ask(self, claim: str, subject: str, words: str, known: Sequence[Formula], goals: Sequence[Formula]) -> None:
        """Ask the solver."""
        verdict = implied([*self.given, *known], goals, self.sizes, f"{claim} {subject}: {words}")
        if isinstance(verdict, Refuted):
            at = " ".join(f"{k}={v}" for k, v in verdict.witness.items()) or "every size"
            verdict = Refuted(verdict.witness, f"{words}: fails at {at}", verdict.seconds)
        self.note(claim, subject, words, verdict)

    def structure(self, claim: str, subject: str, words: str, right: bool, wrong: str) -> None:
        """A claim on the kernels' shape."""
        self.note(claim, subject, words, Proved() if right else Refuted({}, wrong))

    def note(self, claim: str, subject: str, words: str, verdict: Verdict) -> None:
        """Write a verdict down."""
        result = ClaimResult(claim, f"{self.about} {subject}".strip(), verdict, words)
        self.results.append(result)
        if self.watch is not None:
            self.watch([result])


def at_point(s: Statement) -> list[Formula]:
    """What holds at a point of the statement."""
    return [*(f for a in s.axes for f in span(a.symbol, a.extent)), *s.guard]


__all__ = ["FRONT", "RewriteBook", "Words", "at_point"]
