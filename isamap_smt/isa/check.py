"""A table of instructions, entry by entry: read, carried out, compared; what is refuted is run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from isamap_encodings import deadline
from isamap_smt.ir.errors import IsamapError
from isamap_smt.isa.c_values import Fault, NoCError
from isamap_smt.isa.carry_out import carry_out
from isamap_smt.isa.decide import EXACTLY, REALS, Decision, decide
from isamap_smt.isa.entry import Case, Entry, Finding
from isamap_smt.isa.evaluate import evaluate
from isamap_smt.isa.meanings import Meaning

SOUND = "code that is defined, and stays within its operands"
NOT_RUN = "; evaluated, not run"
VERDICTS = ("proved", "tested", "refuted", "unknown", "unread")


@dataclass(frozen=True)
class Refutation:
    """A case whose C differs from its text. inputs: bits of cells. decision without inputs: the C is wrong whatever they hold."""

    case: Case
    decision: Decision
    used: dict[str, Meaning]


Confirm = Callable[[Entry, Refutation], "Confirmation"]
Progress = Callable[[int, int, str], None]  # how many are done, of how many, and the next


@dataclass(frozen=True)
class Confirmation:
    """What running the C gave: words for the reason, and the bits of the cell (None: it did not run)."""

    text: str
    got: int | None = None


def check_entries(
    entries: Iterable[Entry], only: str = "", confirm: Confirm | None = None, progress: Progress = lambda *_: None
) -> list[Finding]:
    """A finding for each entry whose name matches `only`, in the table's order. Raises IsamapError for a wrong `only`."""
    listed = matching(entries, only)
    found = []
    for n, e in enumerate(listed):
        progress(n, len(listed), e.name)
        found.append(check_entry(e, confirm))
    return found


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """It."""


_Named = TypeVar("_Named", bound=Named)


def matching(entries: Iterable[_Named], only: str) -> list[_Named]:
    """The entries whose name matches a regular expression anywhere. Raises IsamapError for what is none."""
    try:
        wanted = re.compile(only)
    except re.error as error:
        raise IsamapError(f"--only {only!r} is no regular expression: {error}") from None
    return [e for e in entries if wanted.search(e.name)]


def check_entry(e: Entry, confirm: Confirm | None = None) -> Finding:
    """Prove or refute one entry; `confirm` runs the C of what is refuted."""
    begun = time.perf_counter()

    def finding(verdict: str, reason: str, **more: object) -> Finding:
        took = time.perf_counter() - begun
        return Finding(e.name, verdict, reason, seconds=took, where=e.where, contract=e.contract, code=e.code, **more)  # type: ignore[arg-type]

    words, count, used = set(), 0, dict[str, Meaning]()
    try:
        deadline.check()
        for case in _made(e):
            if isinstance(case, Fault):
                return finding("refuted", str(case), expected=SOUND, got=str(case))
            decision = _decided(case, used)
            count += 1
            if decision.verdict == "refuted":
                return _shown(e, Refutation(case, decision, used), confirm, finding)
            if decision.verdict == "unknown":
                return finding("unknown", decision.reason, input=dict(case.parameters))
            words.add(decision.reason)
    except deadline.DeadlinePassed:
        return finding("unknown", "the time that was given was over")
    except IsamapError as error:
        return finding("unread", str(error))
    except RecursionError:
        return finding("unread", "its C calls itself, or is nested too deeply")
    if e.open_ended:
        return finding(
            "unknown", f"no difference for {e.open_ended} up to what was tried, and the text has no upper bound for it"
        )
    return finding("proved", _how(REALS if REALS in words else EXACTLY, count, used))


def _made(e: Entry) -> Iterator[Case | Fault]:
    """Its cases; and what is wrong with the entry itself."""
    try:
        yield from e.cases()
    except Fault as fault:
        yield fault


def _decided(case: Case, used: dict[str, Meaning]) -> Decision:
    try:
        return decide(case, carry_out(case, used))
    except Fault as fault:
        return Decision("refuted", str(fault), no_c=isinstance(fault, NoCError))


def _how(words: str, count: int, used: dict[str, Meaning]) -> str:
    own = sorted({m.origin for m in used.values() if m.origin})
    choices = f"; for each of {count} choices of its parameters" if count > 1 else ""
    meaning = f"; by the description of {', '.join(own)}" if own else ""
    return words + choices + meaning


def _shown(e: Entry, r: Refutation, confirm: Confirm | None, finding: Callable[..., Finding]) -> Finding:
    inputs = readable(r)
    expected, got = values(r)
    done = confirm(e, r) if confirm is not None else Confirmation(NOT_RUN.removeprefix("; "))
    if done.got is not None:
        operand, index = r.decision.at
        got = f"{operand}[{index}] = {number(r, operand, done.got)}"
    reason = r.decision.reason + (f"; {done.text}" if done.text else "")
    return finding("refuted", reason, input=inputs, expected=expected, got=got)


def readable(r: Refutation) -> dict[str, object]:
    """The counterexample in numbers: each parameter, and each cell that the two values depend on."""
    found: dict[str, object] = dict(r.case.parameters)
    for name, bits in sorted((r.decision.inputs or {}).items(), key=lambda item: _order(item[0])):
        operand = name.split("[")[0]
        known = any(o.name == operand for o in r.case.operands)
        found[name] = number(r, operand, bits) if known else bits
    return found


def _order(name: str) -> tuple[str, int, str]:
    place = re.fullmatch(r"(\w+)\[(\d+)\]", name)
    return (place[1], int(place[2]), "") if place else (name, 0, name)


def number(r: Refutation, operand: str, bits: int) -> float | int | str:
    """The value that a cell of the operand holds."""
    d = next(o.dtype for o in r.case.operands if o.name == operand)
    x = np.array([bits], np.uint64).astype(f"u{d.bytes}").view(d.numpy)[0]
    if not d.is_float:
        return int(x)
    return float(x) if np.isfinite(x) else str(float(x))


def values(r: Refutation) -> tuple[str, str]:
    """What the text says and what the C leaves, evaluated, at the cell that tells them apart."""
    if r.decision.inputs is None or not r.decision.at[0]:
        return SOUND, r.decision.reason
    operand, index = r.decision.at
    inputs = {n: np.array([v], np.uint64) for n, v in r.decision.inputs.items()}
    said = r.case.after[operand][index]
    done = carry_out(r.case, {}).after[operand][index]
    both = [int(np.atleast_1d(v)[0]) for v in evaluate([said, done], inputs)]
    a, b = (f"{operand}[{index}] = {number(r, operand, v)}" for v in both)
    return a, b
