"""Fuzzes the proof of programs of uses: random edits, its verdict against what the simulator does.

    python -m benchmarks.fuzz_uses [sources] [seed] [--of sums|epilogues|phases] [--jobs N] [--edits N] [--out FILE]

--of: sums alone, sums with an epilogue, or two of them in phases.

A source is a program written by hand, or one lowered from a random legal plan of a random kernel on a random machine. It is
proved as it is, and with edits. A program that is proved must have no race, no deadlock and the right result in every order
tried. Prints how many were proved and yet wrong (must be 0), undecided, and refuted without going wrong: those with edits of
what a program says of itself, which no executor looks at, apart. Ctrl-C ends it with the counts so far.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "staging"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "uses"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import outer_product
import random_epilogues as epilogues
import random_programs as plans
import use_edits as edits
from judged import wrong
from rich.console import Console
from rich.progress import track

from benchmarks.parallel import cpu_seconds, spread
from isamap_encodings.verdict import Refuted, Verdict
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import Proof
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.uses import book

EDITS = 20  # programs of one source
FAR = 60  # sizes of a counterexample that are run
KINDS = ("sums", "epilogues", "phases")
KEPT = 50_000  # answers that are remembered: edits leave most questions of a program as they are


@dataclass(frozen=True)
class Found:
    """One program: its source's seed, its edits ('' for none), the proof's verdict, what went wrong, seconds of the proof."""

    seed: int
    told: str
    word: str
    wrong: str
    seconds: float
    failed: str = ""

    @property
    def ghost(self) -> bool:
        """Whether some edit is of what the program says of itself."""
        return any(e.split()[0] in edits.GHOST for e in self.told.split(", ") if e)


Judge = Callable[[Program, Proof], str]


@cache
def remember() -> None:
    """Of this process: asks each question of the proof once."""
    ask, known = book.implied, {}

    def implied(given: Sequence[Any], goals: Sequence[Any], sizes: Sequence[str], name: str = "") -> Verdict:
        if len(known) > KEPT:
            known.clear()
        key = (tuple(given), tuple(goals), tuple(sizes))
        if key not in known:
            known[key] = ask(given, goals, sizes, name)
        return known[key]

    book.implied = implied


def _with_epilogue(seed: int, phases: bool) -> tuple[str, Program, Judge]:
    """A plan of sums with an epilogue, or of two of them."""
    drawn = epilogues.draw_epilogue(seed, phases)

    def judge(program: Program, proof: Proof) -> str:
        witnesses = [dict(c.verdict.witness) for c in proof.failed() if isinstance(c.verdict, Refuted)][:2]
        also = [{n: int(w[n]) for n in drawn.sizes if 0 < int(w.get(n, 0)) < FAR} for w in witnesses]
        return epilogues.what_goes_wrong(drawn, program, 4 if proof.proved else 1, tuple(a for a in also if a))

    return drawn.words, drawn.program, judge


def source(seed: int, kind: str = "sums") -> tuple[str, Program, Judge]:
    """A program that is right, and how to find out what is wrong with an edited one."""
    rng = random.Random(seed)
    if seed % 5 == 0 and kind == "sums":
        choice = outer_product.Choice(rng.choice([1, 2, 3]), rng.choice([1, 2, 3]))
        return str(choice), outer_product.gemm(choice), lambda p, proof: wrong(p, seeds=3 if proof.proved else 1)
    if kind in ("epilogues", "phases"):
        return _with_epilogue(seed, kind == "phases")
    drawn = plans.draw(seed)

    def judge(program: Program, proof: Proof) -> str:
        open_sizes = plans.by_symbol(drawn.kernel, {a: a for a in drawn.open})  # type: ignore[dict-item]
        witnesses = [dict(c.verdict.witness) for c in proof.failed() if isinstance(c.verdict, Refuted)][:3]
        also = [{a: int(w[n]) for n, a in open_sizes.items() if int(w.get(n, 0)) > 0} for w in witnesses]
        return plans.goes_wrong(drawn, program, 3, 3 if proof.proved else 1, [a for a in also if a])

    return drawn.words, drawn.program, judge


def one(seed: int, count: int = EDITS, kind: str = "sums") -> list[Found]:
    """One source, as it is and edited, proved and run."""
    remember()
    _, program, judge = source(seed, kind)
    rng, found = random.Random(seed), []
    for n in range(count):
        told, changed = edits.edits(program, rng, rng.choice([1, 1, 1, 2, 3]) if n else 0)
        proof = prove_program(changed)
        failed = "; ".join(f"{c}: {c.statement}" for c in proof.failed()[:3])
        found.append(Found(seed, told, proof.word, judge(changed, proof), proof.seconds, failed))
    return found


def main() -> int:
    """0 where nothing is proved that goes wrong, and nothing unedited is refused."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_uses")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--edits", type=int, default=EDITS)
    parser.add_argument("--of", choices=KINDS, default="sums", help="what the sources compute")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    bad: list[Found] = []
    others: list[Found] = []
    slowest = 0.0
    console = Console(stderr=True)
    seeds = range(asked.seed, asked.seed + asked.count)

    work = partial(one, count=asked.edits, kind=asked.of)
    try:
        for group in track(spread(work, seeds, asked.jobs), "programs of uses", asked.count, console=console):
            for found in group:
                counts["programs"] += 1
                word = f"{found.word}, {'wrong' if found.wrong else 'right'}"
                counts[f"{word}, says something of itself" if found.ghost and found.word != "proved" else word] += 1
                counts["unedited"] += not found.told
                slowest = max(slowest, found.seconds)
                if (found.word == "proved" and found.wrong) or (found.word != "proved" and not found.told):
                    bad.append(found)
                    console.print(f"{found}")
                elif found.word != "proved" and not found.wrong and not found.ghost:
                    others.append(found)
    except KeyboardInterrupt:
        pass
    result = {**counts, "bad": len(bad), "slowest proof, s": round(slowest, 2), "CPU, s": round(cpu_seconds())}
    print(json.dumps(result, indent=2))
    if asked.out:
        asked.out.write_text(
            json.dumps({"counts": result, "bad": list(map(str, bad)), "right": list(map(str, others))}, indent=2)
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
