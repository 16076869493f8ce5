"""Attacks the prover with systematic mutants of what it has proved. The score must be 100%.

    python benchmarks/mutation.py [mappings|programs|all] [--every N] [--seconds S] [--jobs N] [-v]

Mappings: legal mappings of the library's kernels onto shipped instructions; each number, symbol, bound, guard, operand and
element type is changed in turn (tests/attacks/mapping_mutants.py). Programs: the pinned programs of the tests, each edit
that the program fuzzer knows, at every node (tests/attacks/program_mutants.py). A mutant is killed when it is refuted. One
that is not must compute right at every size tried: then it is listed as equivalent. What is proved and computes wrong is
a fault of the prover; what is unknown and computes wrong survives. --every N takes every Nth mutant only; --seconds S
stops after that long, and the score says of how many mutants it is. --jobs N: so many processes, for programs.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import isamap_smt as im
from benchmarks.parallel import cpu_seconds
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof import MappingError, prove
from isamap_smt.search import find_mappings
from tests.attacks.executed import Fault, Work, right, typed_right
from tests.attacks.mapping_mutants import Mutant, mutants

INSTRUCTIONS = (
    "scalar.muladd_f32", "avx2.fmadd_ps", "avx2.madd_u8i8", "avx2.madd_i16i16", "avx512_vnni.dpbusd",
    "avx512_vnni.maddubs_dot", "avx512_bf16.dpbf16_ps", "wmma.16x16x16",
)  # fmt: skip
KERNELS = ("gemm", "gemm_nt", "matvec", "batched_gemm", "pointwise_conv2d", "conv2d", "depthwise_conv2d")
MOST = 3  # mappings of one pair that are mutated: the first, the last and one between
SIZES = 6  # vectors at which a mutant that is not refuted is carried out


@dataclass
class Score:
    """What became of the mutants."""

    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    equivalent: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    misuse: int = 0
    deadline: float = float("inf")

    @property
    def late(self) -> bool:
        """Whether the time allowed is over."""
        return time.perf_counter() > self.deadline

    def add(self, other: Score) -> None:
        """Take over what another score counts."""
        self.counts.update(other.counts)
        self.kinds.update(other.kinds)
        self.equivalent += other.equivalent
        self.unsound += other.unsound
        self.survivors += other.survivors
        self.misuse += other.misuse

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def percent(self) -> float:
        """Killed or shown equivalent, of all."""
        good = self.counts["refuted"] + self.counts["equivalent, proved"] + self.counts["equivalent, not proved"]
        return 100 * good / max(1, self.total)


def pairs(kernels: Iterable[str] = KERNELS, instructions: Iterable[str] = INSTRUCTIONS) -> Iterator[ProvedMapping]:
    """Proved mappings of the library onto shipped instructions, and of each kernel onto its own point."""
    for name in kernels:
        kernel = im.find_kernel(name)
        yield _proved(im.fuse(kernel, point_instruction(kernel), {}))
        for wanted in instructions:
            instruction = im.find_instruction(wanted)
            typed = _typed(kernel, instruction)
            if typed is None:
                continue
            try:
                legal = find_mappings(typed, instruction, operands="any").legal
            except IsamapError:
                continue
            yield from [legal[k] for k in sorted({0, len(legal) // 2, len(legal) - 1}) if legal][:MOST]


def _proved(m: Mapping) -> ProvedMapping:
    result = prove(m)
    assert isinstance(result, ProvedMapping), str(result)
    return result


def _typed(kernel: Kernel, instruction: im.Instruction) -> Kernel | None:
    """The kernel with the instruction's element types; what saturates gets the range under which it does not."""
    ours, theirs = kernel.statements[0], instruction.kernel.statements[0]
    if len(ours.inputs) != len(theirs.inputs):
        return None
    table = {
        a.tensor: instruction.kernel.tensor(b.tensor).dtype
        for a, b in zip((ours.target, *ours.inputs), (theirs.target, *theirs.inputs), strict=True)
    }
    typed = kernel.with_dtypes(table)
    return im.assume(typed, [f"{ours.inputs[0].tensor} <= 128"]) if instruction.exact is not None else typed


def sizes_to_try(kernel: Kernel, count: int, seed: int = 5) -> Iterator[dict[str, int]]:
    """All 2, then each in turn large, then random small ones."""
    rng = random.Random(seed)
    lows = {p.name: p.low for p in kernel.parameters}
    names = [n for n in kernel.free_sizes if n not in lows]
    fixed = {n: lows[n] for n in kernel.free_sizes if n in lows}
    yield {**dict.fromkeys(names, 2), **fixed}
    for n in names:
        yield {**dict.fromkeys(names, 1), n: 19, **fixed}
    yield {**dict.fromkeys(names, 3), **{n: low + 1 for n, low in fixed.items()}}
    for _ in range(count):
        yield {n: rng.choice([1, 2, 3, 5]) for n in names} | {n: low + rng.randint(0, 1) for n, low in fixed.items()}


def computes_right(m: Mapping) -> str:
    """'' when the mapping gives the kernel's result at every size tried, else what went wrong."""
    for k, sizes in enumerate(sizes_to_try(m.kernel, SIZES)):
        work = Work(m.kernel, sizes, m.statement_index)
        try:
            np.size(work.want)
        except (Fault, ValueError, MemoryError):
            continue  # the kernel itself has no result there
        if not right(work, m):
            return f"another result at {sizes}"
        if k % 3 == 0 and not typed_right(m, sizes, k):
            return f"another result in its own types at {sizes}"
    return ""


def judge(mutant: Mutant, score: Score, where: str) -> None:
    """Prove one mutant, and carry it out unless it is refuted."""
    try:
        result = prove(mutant.mapping)
    except (MappingError, IsamapError):
        score.misuse += 1
        return
    score.kinds[mutant.kind] += 1
    if not isinstance(result, ProvedMapping) and result.refuted:
        score.counts["refuted"] += 1
        return
    wrong = computes_right(mutant.mapping)
    word = "proved" if isinstance(result, ProvedMapping) else "unknown"
    text = f"{where}: {mutant.what}"
    if not wrong:
        score.counts["equivalent, proved" if word == "proved" else "equivalent, not proved"] += 1
        score.equivalent.append(f"{text} ({reason(mutant)}; {word})")
    elif word == "proved":
        score.counts["PROVED BUT WRONG"] += 1
        score.unsound.append(f"{text}: {wrong}")
    else:
        score.counts["unknown, and wrong"] += 1
        score.survivors.append(f"{text}: {wrong}\n    {result.claim}: {result.claim.verdict.reason}")


def reason(mutant: Mutant) -> str:
    """Why a mutant may compute the same."""
    return {
        "forward": "the expression has the same value at every guarded point",
        "inverse": "the expression has the same value at every point of the domain",
        "outer": "the guard leaves the further iterations out",
        "guard": "the condition holds at the same points",
        "binding": "the operands are interchangeable",
        "dtype": "the instruction takes these types, too",
        "range": "the bound was not tight",
        "instruction": "the changed instruction, as described, computes the kernel as well",
    }.get(mutant.kind, "the statement is one that changes nothing")


def mappings(score: Score, every: int = 1, chosen: Iterable[ProvedMapping] | None = None, offset: int = 0) -> None:
    """Mutate every chosen mapping."""
    number = offset
    for proved in pairs() if chosen is None else chosen:
        if score.late:
            break
        m = proved.mapping
        where = f"{m.kernel.name} onto {m.instruction.name} {m.id}"
        started, before = time.perf_counter(), score.total
        for mutant in mutants(m):
            number += 1
            if number % every == 0 and not score.late:
                judge(mutant, score, where)
        if "-v" in sys.argv:
            print(f"  {where}: {score.total - before} mutants, {time.perf_counter() - started:.1f} s", flush=True)


def report(title: str, score: Score, verbose: bool) -> int:
    """Print the score; 1 unless it is 100%."""
    print(f"\n{title}: {score.total} mutants, score {score.percent:.2f}%")
    print(" ", dict(score.counts), f"and {score.misuse} that are no {title[:-1]} at all")
    print("  by what was changed:", dict(score.kinds))
    for text in score.unsound:
        print("  PROVED BUT WRONG", text)
    for text in score.survivors:
        print("  unknown, and wrong:", text)
    for text in score.equivalent if verbose else score.equivalent[:12]:
        print("  equivalent:", text)
    if len(score.equivalent) > 12 and not verbose:
        print(f"  ... and {len(score.equivalent) - 12} more equivalent ones (-v lists them)")
    return 0 if score.unsound == [] and score.survivors == [] else 1


def main() -> int:
    """Mutate and print."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("-")]
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    arguments = [a for a in arguments if not a.replace(".", "").isdigit()]
    what = arguments[0] if arguments else "all"
    parts: dict[str, Callable[[Score, int], None]] = {}
    if what in ("mappings", "all"):
        parts["mappings"] = mappings
    if what in ("programs", "all"):
        from tests.attacks.program_mutants import programs

        jobs = int(sys.argv[sys.argv.index("--jobs") + 1]) if "--jobs" in sys.argv else 1
        parts["programs"] = partial(programs, jobs=jobs)
    status, before = 0, cpu_seconds()
    for title, part in parts.items():
        started = time.perf_counter()
        limit = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else float("inf")
        score = Score(deadline=started + limit)
        part(score, every)
        status |= report(title, score, "-v" in sys.argv)
        took = time.perf_counter() - started
        used, before = cpu_seconds() - before, cpu_seconds()
        rates = f"{score.total / took:.1f} mutants per second, {score.total / used:.1f} per second of processor time"
        print(f"  {took:.0f} s, {rates}")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
