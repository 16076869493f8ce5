"""Claims with their verdicts, in the order of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.proof import ClaimResult

Watch = Callable[[Sequence[ClaimResult]], None]
Formula = Any


class Noted:
    """Collects verdicts.

    given: known facts of all claims; counterexamples keep their `sizes` small. stop: any counterexample will do, not
    only a smallest one. watch: receives each claim as soon as it is decided.
    """

    def __init__(
        self, given: Iterable[Formula], sizes: Sequence[str], stop: bool = False, watch: Watch | None = None
    ) -> None:
        self.given, self.sizes, self.stop, self.watch = list(given), sizes, stop, watch
        self.results: list[ClaimResult] = []

    @property
    def all_proved(self) -> bool:
        """Whether nothing has failed so far."""
        return all(isinstance(r.verdict, Proved) for r in self.results)

    def ask(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """Asks whether the given facts and the assumptions imply all goals."""
        verdict = self.implied(claim, subject, statement, assumptions, goals)
        return self.note(claim, subject, statement, in_words(verdict, statement))

    def implied(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula]
    ) -> Verdict:
        """The solver's verdict, not noted."""
        known, name = [*self.given, *assumptions], f"{claim} {subject}: {statement}"
        return implied(known, goals, self.sizes, name, smallest=not self.stop)

    def note(self, claim: str, subject: str, statement: str, verdict: Verdict) -> Verdict:
        """Write down a verdict."""
        result = ClaimResult(claim, subject, verdict, statement)
        self.results.append(result)
        if self.watch is not None:
            self.watch([result])
        return verdict

    def structure(self, claim: str, subject: str, statement: str, right: bool, wrong: str) -> bool:
        """A claim on the shape of the proved object; `wrong` tells the fault."""
        self.note(claim, subject, statement, Proved() if right else Refuted({}, wrong))
        return right


def in_words(verdict: Verdict, statement: str, nowhere: str = "every size") -> Verdict:
    """The verdict; a refutation says where the statement fails. nowhere: the words for a witness without values."""
    if not isinstance(verdict, Refuted):
        return verdict
    return Refuted(verdict.witness, f"{statement}: fails at {witness_words(verdict.witness, nowhere)}", verdict.seconds)


def witness_words(witness: Mapping[str, Any], nowhere: str = "every size") -> str:
    """The values of a counterexample."""
    return " ".join(f"{k}={v}" for k, v in witness.items()) or nowhere


__all__ = ["Noted", "Watch", "in_words", "witness_words"]
