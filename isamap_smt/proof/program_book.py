"""The book of obligations: every claim asked about a program, in words, with its verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.hypotheses import Hypothesis
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.proof.program_sites import Formula, Site, Sites, UnrecognisedError

Watch = Callable[[Sequence[ClaimResult]], None]


class StopHere(Exception):
    """The first obligation that is not proved was found, and no more was asked for."""


class Book:
    """Collects obligations in the order they are asked; with `stop`, up to the first that is not proved, and with any
    witness that replays instead of a smallest one."""

    def __init__(self, sites: Sites, stop: bool = False, watch: Watch | None = None) -> None:
        self.sites = sites
        self.stop = stop
        self.watch = watch
        self.results: list[ClaimResult] = []
        self.hypotheses: dict[Hypothesis, None] = {}  # that single claims were proved under
        self.wanted: dict[
            Hypothesis, None
        ] = {}  # conditions that an entry check could grant, and that would mend a claim

    def ask(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """Ask whether the sizes' hypotheses and the assumptions imply all goals."""
        known, name = [*self.sites.hypotheses, *assumptions], f"{claim} {subject}: {statement}"
        verdict = implied(known, goals, self.sites.sizes, name, smallest=not self.stop)
        if isinstance(verdict, Refuted):
            verdict = Refuted(verdict.witness, f"{statement}: fails at {_words(verdict.witness)}", verdict.seconds)
        return self.note(claim, subject, statement, verdict)

    def covered(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """Like ask(), for what the claims rest on: a program of which it is not so may be right, and is Unknown."""
        return self.note(claim, subject, statement, self.looked_at(claim, subject, statement, assumptions, goals))

    def looked_at(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """The verdict of covered(), not written down: for those who have another way where it is not so."""
        known, name = [*self.sites.hypotheses, *assumptions], f"{claim} {subject}: {statement}"
        verdict = implied(known, goals, self.sites.sizes, name, smallest=not self.stop)
        if isinstance(verdict, Refuted):
            verdict = Unknown(f"{statement}: not so at {_words(verdict.witness)}, and no claim covers that")
        return verdict

    def note(self, claim: str, subject: str, statement: str, verdict: Verdict) -> Verdict:
        """Write down a verdict reached without the solver."""
        result = ClaimResult(claim, subject, verdict, statement)
        self.results.append(result)
        if self.watch is not None:
            self.watch([result])
        if self.stop and not isinstance(verdict, Proved):
            raise StopHere
        return verdict

    def structure(self, claim: str, subject: str, statement: str, right: bool, wrong: str) -> bool:
        """An obligation on the program's shape; `wrong` says what is the matter."""
        self.note(claim, subject, statement, Proved() if right else Refuted({}, wrong))
        return right

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


def _words(witness: Any) -> str:
    return " ".join(f"{k}={v}" for k, v in witness.items()) or "every size"


def place(site: Site) -> str:
    """Where a statement stands, by the loops around it: 'inside j0, k0'."""
    names = [loop.var.name for loop in site.loops]
    return f"inside {', '.join(names)}" if names else "at the top"
