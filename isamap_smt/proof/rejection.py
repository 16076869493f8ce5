"""A rejection is a result: a mapping that is not legal, or not known to be, with the reason in the user's names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.proof.witness_origin import origin
from isamap_smt.proof.witness_text import Counterexample

if TYPE_CHECKING:
    from isamap_smt.proof.mend import Mend
    from isamap_smt.proof.ranges import WeakestRange


@dataclass(frozen=True)
class Rejection(Shown):
    """What prove() returns for a mapping that is refuted or unknown. False in a condition."""

    mapping: Mapping
    proof: Proof

    @property
    def refuted(self) -> bool:
        """Whether some claim has a counterexample; otherwise some claim is unknown."""
        return self.proof.word == "refuted"

    @property
    def claim(self) -> ClaimResult:
        """The obligation that decides: the first refuted one, else the first unknown."""
        return self.proof.failed()[0]

    @cached_property
    def ranges(self) -> tuple[WeakestRange, ...]:
        """Values of one input under which the mapping is proved, each as large a range as can be; worked out when asked.

        Empty where the reason is not that an instruction saturates or wraps.
        """
        from isamap_smt.proof.ranges import weakest_ranges  # it proves, and proving makes rejections

        return weakest_ranges(self)

    @cached_property
    def mend(self) -> Mend | None:
        """A proved mapping near this one, with what to write for it; None when none of a short list is.

        Worked out when asked, within half a second."""
        from isamap_smt.proof.mend import mend  # it proves, and proving makes rejections

        return mend(self)

    @cached_property
    def suggestions(self) -> tuple[str, ...]:
        """What to write instead, each proved: options that assume values, or else the mend's command or call.

        Where the instruction contradicts its own contract and neither helps: where it is described."""
        if self.ranges:
            return tuple(f'--assume "{r.text}"{"  # refuted one further" if r.exact else ""}' for r in self.ranges)
        if self.mend is not None:
            return (str(self.mend),)
        i, about = self.mapping.instruction, (self.claim.claim, self.claim.subject)
        if self.refuted and about == ("scalar", "instruction") and i.line:
            return (f"edit {i.name} ({i.line}): let its contract say what `exact` computes",)
        return ()

    @property
    def reason(self) -> str:
        """Why the deciding claim does not hold: the counterexample in the user's names, or why nothing decides it."""
        match self.claim.verdict:
            case Refuted(_, text):
                return text or "no values satisfy it"
            case Unknown(reason):
                return reason
        raise AssertionError("the deciding claim of a rejection is proved")

    @property
    def clash(self) -> tuple[str, ...]:
        """Which index dimension or condition clashes, and over what; empty where the claim is not about places."""
        text = self.reason
        return text.why if isinstance(text, Counterexample) else ()

    def __bool__(self) -> bool:
        return False

    def tables(self) -> tuple[Table, ...]:
        """Every obligation with its verdict."""
        return self.proof.tables()

    def __str__(self) -> str:
        m, failed = self.mapping, self.claim
        if isinstance(failed.verdict, Unknown):
            lines = [f"{m.kernel.name} onto {m.instruction.name} is not decided", f"  {m.id}"]
            for c in self.proof.failed():
                if isinstance(c.verdict, Unknown):
                    lines.append(f"  {_about(c)} is unknown: {c.verdict.reason}")
            return "\n".join([*lines, *(f"  try: {s}" for s in self.suggestions)])
        assert isinstance(failed.verdict, Refuted)
        lines = [f"{m.kernel.name} does not map onto {m.instruction.name}", f"  {m.id}"]
        if place := origin(m.kernel, m.statement):
            lines.append(f"  {place}")
        first, *rest = self.reason.split("\n")
        fails = "" if isinstance(failed.verdict.text, Counterexample) else "fails: "
        lines += [f"  {_about(failed)} {fails}{first}", *(f"  {line}" for line in rest)]
        others = [_about(c) for c in self.proof.failed()[1:] if isinstance(c.verdict, Refuted)]
        if others:
            lines.append(f"  also refuted: {', '.join(others)}")
        return "\n".join([*lines, *(f"  try: {s}" for s in self.suggestions)])


def _about(c: ClaimResult) -> str:
    return f"{c.claim} of {c.subject}" if c.subject else c.claim
