"""Fuzzes the proof of programs of uses: random edits, its verdict against what the simulator does.

    python -m benchmarks.fuzz_uses [count] [seed] [--jobs N] [--out FILE]

A program that is proved must have no race, no deadlock and the right result in every order tried. Prints how many were proved
and yet wrong (must be 0), undecided, and refuted without going wrong (they say something wrong of themselves). Ctrl-C ends it
with the counts so far.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "uses"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import use_edits as edits
from judged import wrong
from rich.console import Console
from rich.progress import track

from benchmarks.parallel import cpu_seconds, spread
from isamap_smt.proof.uses import prove_uses

Found = tuple[int, str, str, str, float]  # seed, edits, verdict, what went wrong, seconds of the proof


def one(seed: int) -> Found:
    """One program, proved and run."""
    told, program = edits.random_program(seed)
    proof = prove_uses(program)
    return seed, told, proof.word, wrong(program, seeds=3 if proof.proved else 1), proof.seconds


def main() -> int:
    """0 where nothing is proved that goes wrong, and nothing unedited is refused."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_uses")
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    bad: list[Found] = []
    slowest = 0.0
    seeds = range(asked.seed, asked.seed + asked.count)
    console = Console(stderr=True)
    try:
        for found in track(spread(one, seeds, asked.jobs), "programs of uses", asked.count, console=console):
            _, told, word, what, seconds = found
            counts[f"{word}, {'wrong' if what else 'right'}"] += 1
            counts["unedited"] += not told
            slowest = max(slowest, seconds)
            if (word == "proved" and what) or (word != "proved" and not told):
                bad.append(found)
                console.print(f"{found}")
    except KeyboardInterrupt:
        pass
    result = {**counts, "bad": len(bad), "slowest proof, s": round(slowest, 2), "CPU, s": round(cpu_seconds())}
    print(json.dumps(result, indent=2))
    if asked.out:
        asked.out.write_text(json.dumps({"counts": result, "bad": bad}, indent=2))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
