"""Attacks the prover with systematic mutants of what it has proved. The score must be 100%.

    python -m benchmarks.mutation [mappings|programs|all] [--every N] [--jobs N] [--seconds S] [--legal] [--list FILE] [-v]

Mappings: those that are shipped (a certificate, or a certified list of all legal ones); each number, symbol, bound, guard,
operand and element type is changed in turn (tests/attacks/mapping_mutants.py). Programs: the pinned programs of the tests,
each edit that the program fuzzer knows, at every node (tests/attacks/program_mutants.py). A mutant is killed when it is
refuted. One that is not must compute right at every size tried: then it is listed as equivalent. What is proved and
computes wrong is a fault of the prover; what is unknown and computes wrong survives. An interrupt prints the score so far.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.mutation_score import Score, report
from benchmarks.parallel import cpu_seconds


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.mutation")
    parser.add_argument("what", nargs="?", default="all", choices=("mappings", "programs", "all"))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth mutant only")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="stop after that long")
    parser.add_argument(
        "--legal", action="store_true", help="all legal mappings of the shipped pairs, certified or not"
    )
    parser.add_argument("--list", default="", metavar="FILE", help="where to write the equivalent mutants")
    parser.add_argument("-v", "--verbose", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Mutate and print."""
    options, status, before = _options(), 0, cpu_seconds()
    for title in ("mappings", "programs"):
        if options.what not in (title, "all"):
            continue
        started = time.time()
        score = Score(deadline=started + options.seconds)
        if title == "mappings":
            _mappings(score, options)
        else:
            _programs(score, options)
        status |= report(title, score, options.verbose, options.list)
        took = time.time() - started
        used, before = cpu_seconds() - before, cpu_seconds()
        rates = f"{score.total / took:.1f} mutants per second, {score.total / used:.1f} per second of processor time"
        print(f"  {took:.0f} s, {rates}")
    return status


def _mappings(score: Score, options: argparse.Namespace) -> None:
    from benchmarks.mutation_mappings import every_legal, mappings, shipped

    mappings(score, options.every, every_legal() if options.legal else shipped(), options.jobs, options.verbose)


def _programs(score: Score, options: argparse.Namespace) -> None:
    from tests.attacks.program_mutants import programs

    programs(score, options.every, jobs=options.jobs)


if __name__ == "__main__":
    raise SystemExit(main())
