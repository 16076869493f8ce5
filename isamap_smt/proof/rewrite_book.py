"""The book of a rewrite's claims: each with its verdict, under the known facts about sizes."""

from __future__ import annotations

from dataclasses import dataclass

from isamap_encodings.verdict import Verdict
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.rewrite import Again, Counted, Rewrite, Role
from isamap_smt.proof.noted import Noted, Watch
from isamap_smt.proof.program_sites import Formula, span

FRONT = -1  # where a statement stands in front of all of the whole


@dataclass(frozen=True)
class Words:
    """Wordings of the claims of a row, with places for names: {name} of a temporary, {home} of the output."""

    statements: str = "all other statements are as they were, and the pieces are in the place of the sum"
    temporaries: str = ""  # all of them at once; each by its name where ""
    neutral: str = "{name} is written by one statement and read by one behind it"
    kind: str = "{name} has the element type of {home}"
    filled: str = ""
    again: tuple[str, str] | None = None  # its subject, and what is claimed; None where `statements` says it, too
    closing: str = ""


class RewriteBook(Noted):
    """Collects the verdicts. about: the subject of the next claims, if it is not the kernel's only sum."""

    def __init__(self, x: Rewrite, words: Words, watch: Watch | None = None) -> None:
        low = {p.name: p.low for p in x.whole.parameters}
        sizes = sorted({*x.whole.free_sizes, *x.kernel.free_sizes})
        super().__init__([("le", low.get(n, 1), sym(n)) for n in sizes], sizes, watch=watch)
        self.words, self.about = words, ""
        self.turn_to(x)

    def turn_to(self, x: Rewrite) -> None:
        """Speak of this one from now on."""
        self.x = x
        self.old = x.whole.statements[(*x.row.restated, 0)[0]]
        self.kind = x.whole.tensor(self.old.target.tensor).dtype
        self.others = {a.name: a.extent for a in self.old.axes if a.name not in x.row.replaced}

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

    def note(self, claim: str, subject: str, statement: str, verdict: Verdict) -> Verdict:
        """Notes a verdict, with `about` in front of its subject."""
        return super().note(claim, f"{self.about} {subject}".strip(), statement, verdict)


def at_point(s: Statement) -> list[Formula]:
    """The ranges and guards at a point of the statement."""
    return [*(f for a in s.axes for f in span(a.symbol, a.extent)), *s.guard]


__all__ = ["FRONT", "RewriteBook", "Words", "at_point"]
