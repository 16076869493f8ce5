"""Fuzzes everything from text to machine code: random kernels, compiled, called, and compared with an oracle of their own.

    python -m benchmarks.fuzz_kernels [count] [seed] [--compiled N] [--seconds S] [--limit S] [--form NAME] [--machine NAME]
                                      [--out FILE] [--keep SECONDS] [--case JSON]

Each case is a kernel in any statement form of the language, with element types, sizes, a machine and options
(tests/oracle/random_cases.py). What it should compute is worked out on Python integers and fractions, from the text alone
(tests/oracle/meaning.py), and nothing of isamap_smt is imported for it. A worker process compiles and calls it, and may die.
What goes wrong is made smaller and printed with the command that shows it. Exits with 1 where something was wrong, crashed, was
refused as a fault of isamap, or was given up as one for code that computes element by element. The same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.oracle.case import Case
from tests.oracle.random_cases import FORMS, MACHINES, case
from tests.oracle.shrink import shrunk
from tests.oracle.trial import BAD, EQUAL, SLOW, UNKNOWN, Outcome, Worker

SEEDS = 1_000_000  # cases of one seed


@dataclass
class Tally:
    """What ran, and what needs a person: the first case of each signature, made smaller."""

    kinds: Counter[str] = field(default_factory=Counter)
    signatures: Counter[str] = field(default_factory=Counter)
    instructions: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    compiled: int = 0
    found: dict[str, tuple[Case, Outcome]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.kinds.values())

    @property
    def bad(self) -> int:
        """Cases that were wrong, crashed, or were refused as a fault of isamap."""
        return sum(self.kinds[k] for k in BAD)

    def document(self) -> dict[str, object]:
        """Everything as JSON."""
        return {
            "cases": self.total, "compiled": self.compiled, "kinds": dict(self.kinds), "instructions": dict(self.instructions),
            "signatures": dict(self.signatures.most_common()), "given_up": dict(self.given_up.most_common()),
            "seconds": {stage: round(s, 1) for stage, s in self.seconds.items()},
            "found": {s: {"case": json.loads(c.json()), "kind": o.kind, "said": o.said} for s, (c, o) in self.found.items()},
        }  # fmt: skip


def fuzz(
    cases: range, *, compiled: int = sys.maxsize, seconds: float = float("inf"), limit: float = 60.0, tries: int = 40,
    forms: dict[str, int] | None = None, machines: dict[str, int] | None = None, planted: str = "",
) -> Tally:  # fmt: skip
    """The cases of these numbers, until so many were compiled or the time is over. limit: seconds of a case.

    tries: cases asked about to make a bad one smaller. planted: a fault put into the worker, to see that it is found.
    """
    tally, started = Tally(), time.perf_counter()
    columns = (
        TextColumn("random kernels"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
    )
    with Worker(limit, planted) as worker, Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task("", total=len(cases), told="")
        try:
            for number in cases:
                if tally.compiled >= compiled or time.perf_counter() - started > seconds:
                    break
                drawn = case(number, forms, machines)
                _note(tally, drawn, worker.trial(drawn), worker, tries)
                shown.update(task, advance=1, told=f"{tally.compiled} compiled, {tally.bad} bad")
        except KeyboardInterrupt:
            print(f"stopped after {tally.total} of {len(cases)}", file=sys.stderr)
    return tally


def _note(tally: Tally, drawn: Case, outcome: Outcome, worker: Worker, tries: int) -> None:
    tally.kinds[outcome.kind] += 1
    tally.compiled += outcome.compiled
    tally.given_up.update(outcome.given_up)
    tally.seconds.update(outcome.seconds)
    if outcome.instruction:
        tally.instructions[outcome.instruction] += 1
    if outcome.kind == EQUAL:
        return
    signature = outcome.signature
    tally.signatures[signature] += 1
    if signature in tally.found or outcome.kind not in (*BAD, UNKNOWN, SLOW):
        return
    if outcome.kind != SLOW:
        kept = {drawn.json(): outcome}

        def same(smaller: Case) -> bool:
            again = worker.trial(smaller)
            kept[smaller.json()] = again
            return again.signature == signature

        drawn = shrunk(drawn, same, tries)
        outcome = kept[drawn.json()]
    tally.found[signature] = (drawn, outcome)
    print(told(drawn, outcome), flush=True)


def told(drawn: Case, outcome: Outcome) -> str:
    """A finding in words, with the commands that show it again."""
    what = outcome.said.strip().splitlines()
    lines = [f"{outcome.kind.upper()} at {outcome.stage} ({outcome.instruction or drawn.machine}), seed {drawn.seed}"]
    lines += [f"    {line}" for line in drawn.text.splitlines()]
    lines += [f"  {line}" for line in (what[-6:] if outcome.kind == "crash" else what[:4])]
    return "\n".join([*lines, f"  {drawn.command()}", f"  python -m benchmarks.fuzz_kernels --case '{drawn.json()}'"])


def report(tally: Tally) -> None:
    """The counts, and what was refused how often."""
    print(f"{tally.total} kernels, {tally.compiled} compiled and called: {dict(tally.kinds)}")
    for signature, count in tally.signatures.most_common(40):
        print(f"{count:6}  {signature}")
    for reason, count in tally.given_up.most_common(40):
        print(f"{count:6}  element by element: {reason}")
    print("seconds: " + ", ".join(f"{stage} {s:.0f}" for stage, s in tally.seconds.most_common()))


def main() -> int:
    """Fuzz and print; 1 when something was wrong."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_kernels")
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument(
        "--compiled", type=int, default=sys.maxsize, metavar="N", help="stop after so many were compiled"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="stop after that long")
    parser.add_argument("--limit", type=float, default=60.0, metavar="S", help="seconds of one case")
    parser.add_argument("--form", choices=sorted(FORMS), action="append", help="these statement forms alone")
    parser.add_argument("--machine", choices=sorted(MACHINES), action="append", help="these machines alone")
    parser.add_argument("--out", type=Path, help="write the counts and findings as JSON")
    parser.add_argument("--case", metavar="JSON", help="this case alone")
    parser.add_argument("--tries", type=int, default=40, metavar="N", help="steps to make a finding smaller")
    chosen = parser.parse_args()
    for stop in (signal.SIGINT, signal.SIGTERM):  # the counts so far are told, in the background as well
        signal.signal(stop, signal.default_int_handler)
    if chosen.case:
        with Worker(chosen.limit) as worker:
            drawn = Case.of(chosen.case)
            outcome = worker.trial(drawn)
        print(told(drawn, outcome))
        return outcome.kind in BAD
    forms = {n: FORMS[n] for n in chosen.form} if chosen.form else None
    machines = {n: MACHINES[n] for n in chosen.machine} if chosen.machine else None
    numbers = range(chosen.seed * SEEDS, chosen.seed * SEEDS + chosen.count)
    tally = fuzz(
        numbers, compiled=chosen.compiled, seconds=chosen.seconds, limit=chosen.limit, tries=chosen.tries, forms=forms,
        machines=machines,
    )  # fmt: skip
    report(tally)
    if chosen.out:
        chosen.out.write_text(json.dumps(tally.document(), indent=1) + "\n")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
