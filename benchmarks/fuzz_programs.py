"""Fuzzes the claims about programs: random edits, the proof's verdict against what the program does.

    python benchmarks/fuzz_programs.py [count] [seed] [--jobs N] [--seconds S] [-v]

A program that is proved must behave at every small size tried, with memory poisoned, NaN and infinities among the
elements. Prints how many were proved and yet wrong (must be 0), and what share of the right ones was refused. The
programs depend on the seed alone. Ctrl-C, or --seconds, ends it with the counts so far.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "programs"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import by_data
import direct
import edits
import masked
import recurrences
import statements
import toys
import widened
from rich.console import Console
from rich.progress import Progress

from benchmarks.parallel import cpu_seconds, spread
from isamap_smt.ir.program import Program
from isamap_smt.ir.program_at import instances
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
RUNS = 8  # of a program that is proved
REFUSED_RUNS = 3  # of one that is not
BLOCK = 20  # programs that a process takes at a time
MAKERS: dict[str, Callable[[], Program]] = {
    "packed": toys.packed_gemm, "parallel": lambda: toys.packed_gemm(0), "inplace": toys.inplace_gemm,
    "dot": toys.dot_gemm, "fused": toys.fused_gemm, "staged": toys.staged_gemm, "conv": toys.padded_conv,
    "fixed": lambda: toys.packed_gemm(0, {"i": 5, "j": 9, "k": 7}),
    "small": lambda: toys.dot_gemm({"i": 3, "j": 9, "k": 5}), "blocked": toys.blocked_gemm,
    **{f"lengths {name}": make for name, make in toys.OF_ANY_LENGTH.items()},
    **{f"epilogue {name}": make for name, make in statements.ORIGINALS.items()},
    **{f"turns {name}": make for name, make in recurrences.ORIGINALS.items()},
    **{f"by data: {name}": make for name, make in by_data.ORIGINALS.items()},
    **{f"masked {name}": make for name, make in masked.ORIGINALS.items()},
    **{f"widened {name}": make for name, make in widened.ORIGINALS.items()},
    **{f"direct {n + 1}": partial(direct.made, text, bool(n % 2)) for n, text in enumerate(direct.ALL)},
}  # fmt: skip


def fuzz(
    count: int, seed: int, runs: int = RUNS, refused: int = REFUSED_RUNS, jobs: int = 1, seconds: float = float("inf")
) -> list[Outcome]:
    """`count` edited programs, the same ones for the same seed; fewer when interrupted or when the time is over.

    runs, refused: of a program that is proved, and of one that is not.
    """
    started, outcomes = time.perf_counter(), []
    blocks = [range(n, min(n + BLOCK, count)) for n in range(0, count, BLOCK)]
    results = spread(partial(_block, seed, runs, refused), blocks, jobs)
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("edited programs", total=count)
        try:
            for block in results:
                outcomes += block
                progress.update(task, completed=len(outcomes))
                if time.perf_counter() - started > seconds:
                    break
        except KeyboardInterrupt:
            pass
        results.close()  # type: ignore[attr-defined]
    if len(outcomes) < count:
        print(f"stopped after {len(outcomes)} of {count}", file=sys.stderr)
    return outcomes


def _block(seed: int, runs: int, refused: int, numbers: range) -> list[Outcome]:
    return [_one(random.Random(f"{seed} {n}"), runs, refused) for n in numbers]


@cache
def original(name: str) -> Program:
    """A program before it is edited."""
    return MAKERS[name]()


def _one(rng: random.Random, runs: int, refused: int) -> Outcome:
    name = rng.choice(sorted(MAKERS))
    program, done = edits.edited(original(name), rng, rng.choice([1, 1, 1, 2, 2, 3]))
    try:
        proof = prove_program(program, stop=True)
    except Exception as e:  # whatever it is, it is a fault of ours that must not end the run
        return Outcome(name, tuple(done), "crashed", repr(e), "")
    bad = proof.failed()
    failed = f"{bad[0].claim} {bad[0].subject}: {bad[0].statement}" if bad else ""
    seed = rng.randrange(100)  # few, so that the kernel's own results can be kept
    try:
        count = runs if proof.proved else refused
        trial = next((t for p in instances(program) if (t := trials(p, count, seed))), None)
        wrong = f"{trial.text} at {trial.sizes}" if trial else ""
    except (IndexError, KeyError, ValueError, TypeError) as e:
        wrong = f"does not run: {e!r}"
    return Outcome(name, tuple(done), proof.word, failed, wrong)


def report(outcomes: list[Outcome], verbose: bool) -> int:
    """Print the counts; how many proved programs were wrong."""
    bad = [o for o in outcomes if o.verdict == "crashed" or (o.verdict == "proved" and o.wrong)]
    right = [o for o in outcomes if not o.wrong and o.verdict != "crashed"]
    refused = [o for o in right if o.verdict != "proved"]
    for o in bad:
        words = "THE PROVER CRASHED" if o.verdict == "crashed" else "PROVED BUT WRONG"
        print(words, o.program, o.edits, o.wrong or o.failed)
    print("verdicts", dict(Counter(o.verdict for o in outcomes)))
    crashed = sum(o.verdict == "crashed" for o in bad)
    print(f"crashed: {crashed}")
    print(f"proved but wrong: {len(bad) - crashed} ({RUNS} runs of each program that is proved)")
    print(f"refused but right: {len(refused)} of {len(right)} right ones ({len(refused) / max(1, len(right)):.0%});")
    print(f"  right means not seen to be wrong in {REFUSED_RUNS} runs of each program that is refused")
    claims = [o for o in refused if any(k in e for e in o.edits for k in CLAIM_EDITS)]
    print(f"of these {len(claims)} had a type, a point or a hint edited: a claim is false, whatever the program does")
    print("refused by", dict(Counter(o.failed.split(" ")[0] for o in refused)))
    unknown = [o for o in outcomes if o.verdict == "unknown" and o.wrong]
    print(f"unknown and wrong: {len(unknown)}")
    for o in refused if verbose else []:
        print("  refused", o.program, o.edits, o.verdict, o.failed)
    for o in unknown if verbose else unknown[:12]:
        print("  unknown and wrong", o.program, o.edits, o.failed, "|", o.wrong)
    return len(bad)


def main() -> int:
    """Fuzz and print; 1 when something proved was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this long")
    parser.add_argument("-v", action="store_true", help="list what was refused and right")
    chosen = parser.parse_args()
    started = time.perf_counter()
    outcomes = fuzz(chosen.count, chosen.seed, jobs=chosen.jobs, seconds=chosen.seconds)
    took = time.perf_counter() - started
    used = cpu_seconds()
    print(f"{len(outcomes)} programs, seed {chosen.seed}, {took:.0f} s in {chosen.jobs} processes")
    print(f"{len(outcomes) / took:.1f} programs per second, {len(outcomes) / used:.1f} per second of processor time")
    return 1 if report(outcomes, chosen.v) else 0


if __name__ == "__main__":
    raise SystemExit(main())
