"""Fuzzes the claims about programs: random edits, the proof's verdict against what the program does.

    python benchmarks/fuzz_programs.py [count] [seed]

A program that is proved must behave at every small size tried, with memory poisoned, NaN and infinities among the
elements. Prints how many were proved and yet wrong (must be 0), and what share of the right ones was refused.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "programs"))

import edits
import toys
from rich.console import Console
from rich.progress import track

from isamap_smt.ir.program import Program
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials


@dataclass(frozen=True)
class Outcome:
    """One edited program: what was edited, the verdict, the claim that failed, and what went wrong when it ran."""

    program: str
    edits: tuple[str, ...]
    verdict: str
    failed: str
    wrong: str


# edits that change what a program says about itself and not what it does
CLAIM_EDITS = ("coordinates of", "guard of Alloc", "outside of", "step of", "point of")
IN_TESTS = 200  # edited programs in the test suite
MAKERS = {
    "packed": toys.packed_gemm, "parallel": lambda: toys.packed_gemm(0), "inplace": toys.inplace_gemm,
    "dot": toys.dot_gemm, "fused": toys.fused_gemm, "staged": toys.staged_gemm, "conv": toys.padded_conv,
    "fixed": lambda: toys.packed_gemm(0, {"i": 5, "j": 9, "k": 7}),
    "small": lambda: toys.dot_gemm({"i": 3, "j": 9, "k": 5}),
}  # fmt: skip


def fuzz(count: int, seed: int, runs: int = 8, refused: bool = True) -> list[Outcome]:
    """`count` edited programs, the same ones for the same seed; fewer when interrupted.

    refused: also run what is not proved.
    """
    rng = random.Random(seed)
    originals: dict[str, Program] = {name: make() for name, make in MAKERS.items()}
    outcomes: list[Outcome] = []
    try:
        for _ in track(range(count), "edited programs", console=Console(stderr=True)):
            outcomes.append(_one(originals, rng, runs, refused))
    except KeyboardInterrupt:
        print(f"stopped after {len(outcomes)} of {count}", file=sys.stderr)
    return outcomes


def _one(originals: dict[str, Program], rng: random.Random, runs: int, refused: bool) -> Outcome:
    name = rng.choice(sorted(originals))
    program, done = edits.edited(originals[name], rng, rng.choice([1, 1, 1, 2, 2, 3]))
    proof = prove_program(program, stop=True)
    bad = proof.failed()
    failed = f"{bad[0].claim} {bad[0].subject}: {bad[0].statement}" if bad else ""
    seed = rng.randrange(10**6)
    try:
        trial = trials(program, runs, seed) if refused or proof.proved else None
        wrong = f"{trial.text} at {trial.sizes}" if trial else ""
    except (IndexError, KeyError, ValueError, TypeError) as e:
        wrong = f"does not run: {e!r}"
    return Outcome(name, tuple(done), proof.word, failed, wrong)


def main() -> int:
    """Fuzz and print; 1 when something proved was wrong."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    started = time.perf_counter()
    outcomes = fuzz(count, seed)
    bad = [o for o in outcomes if o.verdict == "proved" and o.wrong]
    right = [o for o in outcomes if not o.wrong]
    refused = [o for o in right if o.verdict != "proved"]
    for o in bad:
        print("PROVED BUT WRONG", o.program, o.edits, o.wrong)
    print(f"{len(outcomes)} programs, seed {seed}, {time.perf_counter() - started:.0f} s")
    print("verdicts", dict(Counter(o.verdict for o in outcomes)))
    print(f"proved but wrong: {len(bad)}")
    print(f"refused but right: {len(refused)} of {len(right)} right ones ({len(refused) / max(1, len(right)):.0%})")
    claims = [o for o in refused if any(k in e for e in o.edits for k in CLAIM_EDITS)]
    print(f"of these {len(claims)} had a type, a point or a hint edited: a claim is false, whatever the program does")
    print("refused by", dict(Counter(o.failed.split(" ")[0] for o in refused)))
    if "-v" in sys.argv:
        for o in refused:
            print("  refused", o.program, o.edits, o.verdict, o.failed)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
