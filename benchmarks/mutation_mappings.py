"""Which mappings are mutated, and how one mutant is judged; benchmarks/mutation.py runs it.

Shipped are the mappings that a certificate in proofs/ is about and those on a certified list of all legal ones. Beside
them come each kernel on its own point, and the instruction that is exact only in a range of values.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import isamap_smt as im
from benchmarks.mutation_score import Score
from benchmarks.parallel import spread
from isamap_smt.certificates.subject import POINT
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.mapping.point import point_instruction
from isamap_smt.mapping.types_of import with_types_of
from isamap_smt.proof.mapping import FIRST, prove_after
from isamap_smt.search import find_mappings
from tests.attacks.executed import Fault, Work, right, typed_right
from tests.attacks.mapping_mutants import Mutant, mutants

PROOFS = Path(__file__).resolve().parent.parent / "proofs"
IN_RANGE = "avx512_vnni.maddubs_dot"  # exact where one operand is at most 128
KERNELS = ("gemm", "gemm_nt", "matvec", "batched_gemm", "pointwise_conv2d", "conv2d", "depthwise_conv2d")
SIZES = 3  # random vectors at which a mutant that is not refuted is carried out, beside the regular ones


@dataclass(frozen=True)
class Subject:
    """A mapping by names: a kernel and an instruction of the library, the mapping's id, and which statement it maps."""

    kernel: str
    instruction: str
    id: str
    statement: int = 0

    def __str__(self) -> str:
        which = f" (statement {self.statement + 1})" if self.statement else ""
        return f"{self.kernel}{which} onto {self.instruction} {self.id}"

    def mapping(self) -> Mapping:
        """What the names stand for today."""
        kernel, instruction = _pair(self.kernel, self.instruction)
        axes, _, operands = self.id.partition(";")
        return im.fuse(kernel, instruction, {} if axes == "point" else axes, operands, self.statement)


@lru_cache(maxsize=64)
def _pair(name: str, source: str) -> tuple[Kernel, im.Instruction]:
    kernel = im.find_kernel(name)
    if source == POINT:
        return kernel, point_instruction(kernel)
    instruction = im.find_instruction(source)
    typed = with_types_of(kernel, instruction, "any")
    if source == IN_RANGE:
        typed = im.assume(typed, [f"{typed.statements[0].inputs[0].tensor} <= 128"])
    return typed, instruction


def shipped() -> tuple[Subject, ...]:
    """Every mapping with a certificate, every one on a certified list, and the library's kernels on their own points."""
    found: dict[Subject, None] = {}
    for manifest in sorted(PROOFS.rglob("manifest.json")):
        document = json.loads(manifest.read_text())
        if document["kind"] == "mapping":
            ids, statement = [document["mapping"]["id"]], document["mapping"]["statement"]
        elif document["kind"] == "completeness":
            ids, statement = document["legal"], document["family"]["statement"]
        else:
            continue
        if document["kernel"]["source"] is not None:
            pair = document["kernel"]["source"], document["instruction"]["source"]
            found.update(dict.fromkeys(Subject(*pair, i, statement) for i in ids))
    beside = [next(iter(subjects([k], [i]))) for k in KERNELS for i in (POINT, IN_RANGE)]
    return (*beside, *sorted(found, key=str))


def subjects(kernels: Iterable[str], instructions: Sequence[str]) -> tuple[Subject, ...]:
    """Every legal mapping of the kernels onto the instructions; instructions that do not fit are left out."""
    found = []
    for name in kernels:
        for source in instructions:
            try:
                legal = find_mappings(*_pair(name, source)).finished().legal
            except IsamapError:
                continue
            found += [Subject(name, source, p.mapping.id) for p in legal]
    return tuple(found)


def every_legal() -> tuple[Subject, ...]:
    """Every legal mapping of every shipped pair, on a certified list or not."""
    pairs = dict.fromkeys((s.kernel, s.instruction) for s in shipped())
    return tuple(s for name, source in pairs for s in subjects([name], [source]))


def sizes_to_try(kernel: Kernel, count: int, seed: int = 5) -> Iterator[dict[str, int]]:
    """All 2, then each in turn large beside ones and twos, then random small ones."""
    rng = random.Random(seed)
    lows = {p.name: p.low for p in kernel.parameters}
    names = [n for n in kernel.free_sizes if n not in lows]
    fixed = {n: lows[n] for n in kernel.free_sizes if n in lows}
    yield {**dict.fromkeys(names, 2), **fixed}
    for n in names:
        yield {**dict.fromkeys(names, 1), n: 19, **fixed}
        yield {**dict.fromkeys(names, 2), n: 19, **fixed}
        yield from ({**dict.fromkeys(names, 1), n: 19, **fixed, p: 1} for p, low in fixed.items() if low == 0)
    yield {**dict.fromkeys(names, 3), **{n: low + 1 for n, low in fixed.items()}}
    for n, low in fixed.items():
        yield {**dict.fromkeys(names, 2), **fixed, n: low + 1}
    for _ in range(count):
        yield {n: rng.choice([1, 2, 3, 5]) for n in names} | {n: low + rng.randint(0, 1) for n, low in fixed.items()}


@lru_cache(maxsize=64)
def _work(kernel: Kernel, statement: int, sizes: tuple[tuple[str, int], ...]) -> Work | None:
    """The kernel's own result at these sizes, None where it has none."""
    work = Work(kernel, dict(sizes), statement)
    if any(n < 0 for shape in work.shapes.values() for n in shape):
        return None
    try:
        np.size(work.want)
    except (Fault, ValueError, MemoryError):
        return None
    return work


def computes_right(m: Mapping) -> str:
    """'' when the mapping gives the kernel's result at every size tried, else what went wrong.

    Sizes at which it has more points than fit are passed over; that all have is wrong, too.
    """
    tried = 0
    for k, sizes in enumerate(sizes_to_try(m.kernel, SIZES)):
        work = _work(m.kernel, m.statement_index, tuple(sizes.items()))
        if work is None:
            continue
        try:
            same = right(work, m)
        except MemoryError:
            continue
        tried += 1
        if not same:
            return f"another result at {sizes}"
        if k % 3 == 0 and not typed_right(m, sizes, k):
            return f"another result in its own types at {sizes}"
    return "" if tried else "no size of few enough points"


def judge(mutant: Mutant, score: Score, where: str) -> None:
    """Prove one mutant, and carry it out unless it is refuted.

    The proof leaves off at the first claim that fails. What it does not decide is proved once more at full length where it
    computes wrong, or where more than the length of a loop was changed.
    """
    try:
        result = prove_after(mutant.mapping, FIRST, stop=True)
    except IsamapError:
        score.misuse += 1
        return
    except Exception as e:  # whatever it is, it is a fault, and one fault shall not hide the next
        score.counts["the prover fails"] += 1
        score.survivors.append(f"{where}: {mutant.what}: the prover ends with {e!r}")
        return
    score.kinds[mutant.kind] += 1
    if not isinstance(result, ProvedMapping) and result.refuted:
        score.counts["refuted"] += 1
        return
    wrong = computes_right(mutant.mapping)
    if not isinstance(result, ProvedMapping) and (wrong or mutant.kind != "outer"):
        result = prove_after(mutant.mapping, FIRST)
        if not isinstance(result, ProvedMapping) and result.refuted:
            score.counts["refuted"] += 1
            return
    word = "proved" if isinstance(result, ProvedMapping) else "unknown"
    text = f"{where}: {mutant.what}"
    if not wrong:
        score.counts["equivalent, proved" if word == "proved" else "equivalent, not proved"] += 1
        score.equivalent.append(f"{text} ({reason(mutant)}; {word})")
    elif isinstance(result, ProvedMapping):
        score.counts["PROVED BUT WRONG"] += 1
        score.unsound.append(f"{text}: {wrong}")
    else:
        score.counts["unknown, and wrong"] += 1
        score.survivors.append(f"{text}: {wrong}\n    {result.claim}: {result.claim.verdict}")


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


def attack(unit: tuple[Subject, int, int, float]) -> tuple[Subject, Score]:
    """(mapping, N, offset, deadline): every Nth mutant, counted from the offset, until the deadline."""
    subject, every, offset, deadline = unit
    score = Score(deadline=deadline)
    for number, mutant in enumerate(mutants(subject.mapping()), offset):
        if score.late:
            break
        if number % every == 0:
            judge(mutant, score, str(subject))
    return subject, score


def mappings(
    score: Score, every: int = 1, chosen: Sequence[Subject] | None = None, jobs: int = 1, verbose: bool = False
) -> None:
    """Mutate every chosen mapping (by default what is shipped). Ctrl-C and the deadline leave what is done so far."""
    chosen = shipped() if chosen is None else chosen
    results = spread(attack, [(s, every, n, score.deadline) for n, s in enumerate(chosen)], jobs)
    columns = (TextColumn("mappings"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=Console(stderr=True)) as shown:
        task, started = shown.add_task("", total=len(chosen)), time.perf_counter()
        try:
            for subject, part in results:
                score.add(part)
                shown.update(task, advance=1, description=f"{score.total} mutants")
                if verbose:
                    seconds = time.perf_counter() - started
                    print(f"  {subject}: {part.total} mutants; {score.total} after {seconds:.0f} s", flush=True)
                if score.late:
                    break
        except KeyboardInterrupt:
            print(f"stopped after {score.total} mutants", file=sys.stderr)
        results.close()  # type: ignore[attr-defined]


__all__ = ["Subject", "computes_right", "every_legal", "judge", "mappings", "shipped", "subjects"]
