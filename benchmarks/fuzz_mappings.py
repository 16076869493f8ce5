"""Fuzzes the claims about mappings: random kernels, instructions, mappings and sizes, the verdict against execution.

    python -m benchmarks.fuzz_mappings [cases] [seed] [--seconds S] [--jobs N]

Every candidate of a random family is judged by the search and carried out lane by lane (tests/attacks/executed.py), and so
are mappings edited by hand. Proved must compute right at every size tried. Refuted must compute wrong at the sizes of its
own witness, unless what is refuted is a claim of the mapping that executing it does not use (its inverse), or one that is
false on integers and does not show: two values that happen to be equal. The same seed gives the same cases, whatever the
number of processes; an interrupt prints what ran.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.parallel import cpu_seconds, spread
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.proof import MappingError, prove
from isamap_smt.proof.family_normal import is_normal
from isamap_smt.proof.family_witnesses import PairWitness
from isamap_smt.search import find_mappings
from tests.attacks.executed import Fault, Work, clashes, compute, fill, fused, placed, right, right_fused
from tests.attacks.random_problems import Problem, problem
from tests.whole_family import candidates

LUCKY = "refuted, a cell has two elements or an element two cells, and the result is right all the same"
TWICE = "refuted, two points assign one element, and the result is right all the same"
FILLED = "refuted, a lane outside the guard contributes, and the fills of its cells multiply to no change by luck"
PART = 500  # cases of one part of a run
BY_HAND = 0.3  # edited mappings for each problem, on average


@dataclass
class Tally:
    """How many cases there were, and those that need a person."""

    cases: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    wrong: list[str] = field(default_factory=list)  # proved, and computes wrong
    false: list[str] = field(default_factory=list)  # refuted, and computes right at the witness' sizes
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Verdicts compared with execution."""
        return sum(self.cases.values())

    def add(self, other: Tally) -> None:
        """Take over what another part of the run found."""
        self.cases.update(other.cases)
        self.unknown.update(other.unknown)
        self.wrong += other.wrong
        self.false += other.false
        self.runs += other.runs


def sizes_to_try(kernel: Kernel, rng: random.Random, count: int) -> Iterator[dict[str, int]]:
    """All 2, one beyond another, then random; one empty vector when nothing is free."""
    lows = {p.name: p.low for p in kernel.parameters}
    names = [n for n in kernel.free_sizes if n not in lows]
    parameters = [n for n in kernel.free_sizes if n in lows]
    yield {**dict.fromkeys(names, 2), **{n: lows[n] for n in parameters}}
    if not kernel.free_sizes:
        return
    yield {n: 1 + 2 * (k % 2) for k, n in enumerate(names)} | {n: lows[n] + 1 for n in parameters}
    for _ in range(count):
        yield {n: rng.choice([1, 2, 3, 4, 5]) for n in names} | {n: lows[n] + rng.randint(0, 2) for n in parameters}


def fuzz(cases: int, seed: int, runs: int = 4, seconds: float = float("inf")) -> Tally:
    """At least that many verdicts, the same ones for the same seed; fewer when that takes longer than `seconds`."""
    rng, tally = random.Random(seed), Tally()
    started = time.perf_counter()
    while tally.total < cases and time.perf_counter() - started < seconds:
        drawn = problem(rng)
        kernel = drawn.kernel
        if rng.random() < 0.4:
            names = [n for n in kernel.free_sizes if rng.random() < 0.7]
            kernel = kernel.with_sizes({n: rng.choice([1, 2, 3, 4, 5, 6, 8]) for n in names})
        _family(drawn, kernel, rng, runs, tally)
        if rng.random() < BY_HAND:
            _by_hand(drawn, kernel, rng, runs, tally)
    return tally


def _family(drawn: Problem, kernel: Kernel, rng: random.Random, runs: int, tally: Tally) -> None:
    operands, partial = rng.choice(["fixed", "any"]), rng.random() < 0.5
    try:
        found = find_mappings(kernel, drawn.instruction, operands=operands, partial=partial).finished()
    except IsamapError:
        return
    family = found.family
    where = f"{drawn.text!r} {drawn.contract!r} {drawn.instruction.axes} {kernel.free_sizes}"
    legal = {(p.mapping.groups, p.mapping.binding) for p in found.legal}
    unknown = {(m.groups, m.binding) for m, _ in found.unknown}
    for _, reason in found.unknown:
        tally.unknown[reason.splitlines()[-1].split(":")[0].strip()[:60]] += 1
    works = [w for s in sizes_to_try(kernel, rng, runs) if (w := _work(kernel, s)) is not None]
    pairs = [(w.where, _works(kernel, dict(w.sizes))) for w in found.witnesses if isinstance(w, PairWitness)]
    for c in candidates(family):
        b, code = c
        if not is_normal(family, code):
            continue
        key = family.groups(code), family.bindings[b]
        if key in legal:
            tally.cases["proved"] += 1
            for work in works:
                tally.runs += 1
                if not right_fused(work, family, code, b):
                    tally.wrong.append(f"{where} {family.mapping(c).id} at {work.sizes}")
                    break
        elif key in unknown:
            tally.cases["unknown"] += 1
        else:
            tally.cases["refuted"] += 1
            for cube, seeds in pairs:
                if c in cube and seeds:
                    tally.runs += 1
                    if all(right_fused(w, family, code, b) for w in seeds):
                        if _assigned_twice(seeds[0]):
                            tally.cases["refuted"] -= 1
                            tally.cases[TWICE] += 1
                        elif clashes(family, family.bindings[b], fused(seeds[0], family, code)):
                            tally.cases["refuted"] -= 1
                            tally.cases[LUCKY] += 1
                        else:
                            tally.false.append(f"{where} {family.mapping(c).id} at {seeds[0].sizes}")
                    break
            else:  # bounds, values and guards: shown wrong at one of the usual sizes
                tally.runs += len(works)
                if works and all(right_fused(w, family, code, b) for w in works):
                    tally.cases["refuted, right at the sizes tried"] += 1
                    tally.cases["refuted"] -= 1
    if legal and rng.random() < 0.2:
        _same_machine(found, works)


def _work(kernel: Kernel, sizes: dict[str, int]) -> Work | None:
    """None where the kernel itself leaves a tensor."""
    work = Work(kernel, sizes)
    try:
        assert work.want is not None
    except (Fault, ValueError):
        return None
    return work


def _assigned_twice(work: Work) -> bool:
    """Whether two points of the kernel's domain assign one element: its value is then that of whichever comes last."""
    s = work.kernel.statements[work.statement]
    where = work.where[s.target]
    return s.op == "=" and len(set(where.tolist())) < len(where)


def _fills_to_nothing(m: Mapping) -> bool:
    """Whether a lane all of whose cells hold the fill contributes the fill itself, modulo 2**64."""
    contract = m.instruction.kernel.statements[0]
    least = np.array([fill(contract.op)])
    with np.errstate(over="ignore"):
        made = compute(contract.value, dict.fromkeys((o for o, _ in m.binding), least))
    return bool(np.array_equal(np.broadcast_to(made, least.shape), least))


def _works(kernel: Kernel, sizes: dict[str, int]) -> list[Work]:
    """The same sizes with several elements: a maximum hides a wrong element more often than not."""
    first = _work(kernel, sizes)
    return [] if first is None else [first, *(Work(kernel, sizes, seed=k) for k in range(4, 16))]


def _same_machine(found: Any, works: list[Work]) -> None:
    """A candidate carried out from its codes and from its expressions gives the same: the two executors agree."""
    m = found.legal[-1].mapping
    for work in works[:2]:
        assert right(work, m), f"{m} at {work.sizes}"


def _by_hand(drawn: Problem, kernel: Kernel, rng: random.Random, runs: int, tally: Tally) -> None:
    from tests.attacks.random_edits import by_hand, random_fused

    m = random_fused(kernel, drawn.instruction, rng)
    if m is None:
        return
    m = by_hand(m, rng)
    try:
        result = prove(m)
    except MappingError:
        return
    where = f"{drawn.text!r} {drawn.contract!r} {drawn.instruction.axes} {_shown(m)}"
    if isinstance(result, ProvedMapping):
        tally.cases["by hand proved"] += 1
        for sizes in sizes_to_try(kernel, rng, runs):
            work = _work(kernel, sizes)
            tally.runs += 1
            if work is not None and not right(work, m):
                tally.wrong.append(f"{where} at {sizes}")
                break
    elif result.refuted:
        tally.cases["by hand refuted"] += 1
        _check_refutation(result, where, tally)
    else:
        tally.cases["by hand unknown"] += 1


def _check_refutation(result: Any, where: str, tally: Tally) -> None:
    """Every refutation by points must show in the result at the sizes of the witness."""
    m: Mapping = result.mapping
    for claim in result.proof.claims:
        if claim.claim not in ("agreement", "exclusive", "bounds", "neutral") or not isinstance(claim.verdict, Refuted):
            continue
        sizes = {n: int(claim.verdict.witness[n]) for n in m.kernel.free_sizes if n in claim.verdict.witness}
        if len(sizes) < len(m.kernel.free_sizes):
            continue
        works = _works(m.kernel, sizes)
        tally.runs += 1
        if works and all(right(w, m) for w in works):
            lanes = placed(works[0], m)
            if claim.claim == "exclusive" and _assigned_twice(works[0]):
                tally.cases["by hand refuted"] -= 1
                tally.cases[f"by hand {TWICE}"] += 1
            elif claim.claim == "neutral" and _fills_to_nothing(m):
                tally.cases["by hand refuted"] -= 1
                tally.cases[f"by hand {FILLED}"] += 1
            elif claim.claim in ("agreement", "exclusive") and clashes(m, m.binding, lanes):
                tally.cases["by hand refuted"] -= 1
                tally.cases[f"by hand {LUCKY}"] += 1
            else:
                tally.false.append(f"{claim}: {where} at {sizes}")
        return


def _shown(m: Mapping) -> str:
    outer = [(a.name, a.extent) for a in m.outer]
    fed = [(o, str(a)) for o, a in m.binding]
    return f"outer {outer} forward {dict(m.forward)} inverse {dict(m.inverse)} guard {m.guard} {fed}"


def run(cases: int, seed: int, seconds: float = float("inf"), jobs: int = 1) -> Tally:
    """The same verdicts for the same cases and seed: parts of a run have seeds of their own, made from it."""
    tally, deadline = Tally(), time.time() + seconds
    parts = [(min(PART, cases - k), seed * 1_000_003 + k, deadline) for k in range(0, cases, PART)]
    results = spread(_part, parts, jobs)
    columns = (TextColumn("random mappings"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task("", total=cases)
        try:
            for part in results:
                tally.add(part)
                shown.update(task, completed=tally.total)
        except KeyboardInterrupt:
            print(f"stopped after {tally.total} of {cases}", file=sys.stderr)
        results.close()  # type: ignore[attr-defined]
    return tally


def _part(unit: tuple[int, int, float]) -> Tally:
    cases, seed, deadline = unit
    return fuzz(cases, seed, seconds=max(0.0, deadline - time.time()))


def main() -> int:
    """Fuzz and print; 1 when something proved was wrong, or refuted with a witness that is none."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_mappings")
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="stop after that long")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    options, started = parser.parse_args(), time.perf_counter()
    tally = run(options.cases, options.seed, options.seconds, options.jobs)
    for text in tally.wrong:
        print("PROVED BUT WRONG", text)
    for text in tally.false[:20]:
        print("REFUTED BUT RIGHT", text)
    seconds, used = time.perf_counter() - started, cpu_seconds()
    print(f"{tally.total} verdicts compared with {tally.runs} executions, seed {options.seed}")
    print(f"{seconds:.0f} s, {used:.0f} s of processor time")
    print(dict(tally.cases))
    print("unknown:", dict(tally.unknown))
    print(f"proved but wrong: {len(tally.wrong)}; refuted but right at the witness' sizes: {len(tally.false)}")
    return 1 if tally.wrong or tally.false else 0


if __name__ == "__main__":
    raise SystemExit(main())
