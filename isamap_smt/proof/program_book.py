"""The book of obligations: every claim asked about a program, in words, with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.hypotheses import Hypothesis
from isamap_smt.proof.noted import Noted, Watch, witness_words
from isamap_smt.proof.program_sites import Formula, Site, Sites, UnrecognisedError


class StopHere(Exception):
    """The first obligation not proved was found, and no more was asked for."""


class Book(Noted):
    """Collects obligations in the order of asking.

    With `stop`, it ends at the first one not proved, with any witness that replays instead of a smallest one.
    """

    def __init__(self, sites: Sites, stop: bool = False, watch: Watch | None = None) -> None:
        super().__init__(sites.hypotheses, sites.sizes, stop, watch)
        self.sites = sites
        self.hypotheses: dict[Hypothesis, None] = {}  # that single claims were proved under
        self.wanted: dict[
            Hypothesis, None
        ] = {}  # conditions that an entry check could grant, and that would mend a claim

    def covered(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """Like ask(), for a basis of other claims: a program may be right without it, so it is Unknown, never Refuted."""
        return self.note(claim, subject, statement, self.looked_at(claim, subject, statement, assumptions, goals))

    def looked_at(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """The verdict of covered(), not noted: for callers with another way if it fails."""
        verdict = self.implied(claim, subject, statement, assumptions, goals)
        if isinstance(verdict, Refuted):
            verdict = Unknown(f"{statement}: not so at {witness_words(verdict.witness)}, and no claim covers that")
        return verdict

    def note(self, claim: str, subject: str, statement: str, verdict: Verdict) -> Verdict:
        """Write down a verdict reached without the solver."""
        super().note(claim, subject, statement, verdict)
        if self.stop and not isinstance(verdict, Proved):
            raise StopHere
        return verdict

    def unknown(self, claim: str, subject: str, statement: str, reason: str) -> None:
        """A shape no claim covers."""
        self.note(claim, subject, statement, Unknown(reason))

    def attempt(self, claim: str, subject: str, statement: str, work: Any) -> Any:
        """Run work(); a structure it does not recognise becomes Unknown. Returns its result, or None."""
        try:
            return work()
        except UnrecognisedError as e:
            self.unknown(claim, subject, statement, str(e))
            return None


def place(site: Site) -> str:
    """The place of a statement by the loops around it: 'inside j0, k0'."""
    names = [loop.var.name for loop in site.loops]
    return f"inside {', '.join(names)}" if names else "at the top"


__all__ = ["Book", "StopHere", "Watch", "place"]
