"""A rejection is a result: a mapping not legal, or not known to be, with the reason in the user's names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.proof.witness_text import Counterexample

if TYPE_CHECKING:
    from isamap_smt.proof.mend import Mend
    from isamap_smt.proof.ranges import WeakestRange


# ---- Where a statement of a kernel stands: the file it was loaded from, and the line.


def origin(kernel: Kernel, statement: Statement) -> str:
    """`ops.py:12: S[i,j] += ...`; without the line if the file does not hold the statement as written; '' if no file.

    A kernel's file is `path:name` or a path, as find_kernel() takes it.
    """
    if not kernel.file:
        return ""
    path, _, name = kernel.file.rpartition(":")
    if not path or not name.isidentifier():
        path, name = kernel.file, ""
    source = (statement.source.strip() or kernel.text.strip()).splitlines()
    written = source[0].strip() if source else ""
    line = _line(Path(path), written, name)
    return f"{path}:{line}: {written}" if line else f"{path}: {written}"


def _line(path: Path, written: str, name: str) -> int:
    """The line (from 1) of the statement, the first after `name` is assigned; else the line of `name`; else 0."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    start = next((n for n, text in enumerate(lines) if name and text.replace(" ", "").startswith(f"{name}=")), -1)
    wanted = "".join(written.split())
    # logical lines are joined from several: what stands on the first one is enough to find it
    for n in range(max(start, 0), len(lines)):
        have = "".join(lines[n].split())
        if wanted and (wanted in have or (len(have) > 8 and wanted.startswith(have))):
            return n + 1
    return start + 1


@dataclass(frozen=True)
class Rejection(Shown):
    """The result of prove() for a mapping that is refuted or unknown. False in a condition."""

    mapping: Mapping
    proof: Proof

    @property
    def refuted(self) -> bool:
        """Whether some claim has a counterexample; otherwise some claim is unknown."""
        return self.proof.word == "refuted"

    @property
    def claim(self) -> ClaimResult:
        """The deciding obligation: the first refuted one, else the first unknown."""
        return self.proof.failed()[0]

    @cached_property
    def ranges(self) -> tuple[WeakestRange, ...]:
        """For single inputs, the largest range of values under which the mapping is proved; worked out when asked.

        Empty if the mapping is rejected for another reason than saturation or wrapping.
        """
        from isamap_smt.proof.ranges import weakest_ranges  # it proves, and proving makes rejections

        return weakest_ranges(self)

    @cached_property
    def mend(self) -> Mend | None:
        """A proved mapping near this one, with its command or call; None if no candidate of a short list is proved.

        Worked out when asked, within half a second.
        """
        from isamap_smt.proof.mend import mend  # it proves, and proving makes rejections

        return mend(self)

    @cached_property
    def suggestions(self) -> tuple[str, ...]:
        """Proved alternatives to write: options that assume values, or else the mend's command or call.

        If the instruction contradicts its own contract and neither helps: the place of its description.
        """
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
        """The clashing index dimensions or conditions, and their axes; empty if the claim is not about places."""
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
                    lines.append(f"  {c.told}: unknown, {c.verdict.reason}")
            return "\n".join([*lines, *(f"  try: {s}" for s in self.suggestions)])
        assert isinstance(failed.verdict, Refuted)
        lines = [f"{m.kernel.name} does not map onto {m.instruction.name}", f"  {m.id}"]
        if place := origin(m.kernel, m.statement):
            lines.append(f"  {place}")
        first, *rest = self.reason.split("\n")
        fails = "" if isinstance(failed.verdict.text, Counterexample) else "fails, "
        lines += [f"  {failed.told}: {fails}{first}", *(f"  {line}" for line in rest)]
        others = [c.told for c in self.proof.failed()[1:] if isinstance(c.verdict, Refuted)]
        if others:
            lines.append(f"  also refuted: {', '.join(others)}")
        return "\n".join([*lines, *(f"  try: {s}" for s in self.suggestions)])
