"""Fuzzes the proof of programs of uses: random edits, its verdict against what the simulator does.

    python -m benchmarks.fuzz_uses [sources] [seed] [--of KIND] [--jobs N] [--edits N] [--fields SHARE] [--quick]
        [--out FILE] [--log FILE]

--of: sums, epilogues (of them), phases (two of them), shipped (kernels on machines that isamap ships), runs (sums whose tiles are
moved in runs), or vectors (statements that are no such sums, on a vector unit). Of vectors types (elements of several, in one
file of registers), fragments (tiles lie in fragments) and ways (a move for each way in which elements lie); of epilogues one_memory
(bytes and sums lie in one) and layouts (tiles lie in fragments).
--fields: how many of the edits are of any field of any node, all fields as likely. --log: a line for each source; those
that have one are not done again. --quick: what is not proved is not run, and its proof ends at the first claim that fails.

A source is a program written by hand, or one lowered from a random legal plan of a random kernel on a random machine. It is
proved as it is, and with edits. A program that is proved must have no race, no deadlock and the right result in every order
tried, of the simulator and of an executor that shares nothing with it. Prints how many were proved and yet wrong (must be 0),
undecided, and refuted without going wrong: those with edits of what a program says of itself, which no executor looks at,
apart. Ctrl-C ends it with the counts so far.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "staging"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "uses"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import field_edits
import outer_product
import random_epilogues as epilogues
import random_programs as plans
import random_vectors as on_vectors
import shipped
import use_edits as edits
from judged import wrong
from rich.console import Console
from rich.progress import track

from benchmarks.parallel import cpu_seconds, spread
from isamap_encodings.verdict import Refuted, Verdict
from isamap_hardware import load
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import Proof
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.uses import book

EDITS = 20  # programs of one source
FAR = 60  # sizes of a counterexample that are run
KINDS = (
    "sums",
    "epilogues",
    "phases",
    "shipped",
    "runs",
    "vectors",
    "types",
    "one_memory",
    "layouts",
    "fragments",
    "ways",
)
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
        """Whether some edit is of what the program says of itself, or of a field, which may be one."""
        return any(e.split()[0] in edits.GHOST or e.startswith("field") for e in self.told.split(", ") if e)


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


def _of_witnesses(proof: Proof, names: Iterable[str]) -> tuple[dict[str, int], ...]:
    """Small sizes at which a claim of the proof fails."""
    witnesses = [dict(c.verdict.witness) for c in proof.failed() if isinstance(c.verdict, Refuted)][:2]
    also = [{n: int(w[n]) for n in names if 0 < int(w.get(n, 0)) < FAR} for w in witnesses]
    return tuple(a for a in also if a)


def _with_epilogue(seed: int, phases: bool, **about: bool) -> tuple[str, Program, Judge]:
    """A plan of sums with an epilogue, or of two of them."""
    drawn = epilogues.draw_epilogue(seed, phases, **about)

    def judge(program: Program, proof: Proof) -> str:
        sizes = _of_witnesses(proof, drawn.sizes)
        return epilogues.what_goes_wrong(drawn, program, 4 if proof.proved else 1, sizes, plainly=3 * proof.proved)

    return drawn.words, drawn.program, judge


def _on_vectors(seed: int, **about: bool) -> tuple[str, Program, Judge]:
    """A plan of one to three statements on a vector unit."""
    drawn = on_vectors.draw_vectors(seed, **about)

    def judge(program: Program, proof: Proof) -> str:
        sizes = _of_witnesses(proof, drawn.sizes)
        return on_vectors.what_goes_wrong(drawn, program, 4 if proof.proved else 1, sizes, plainly=3 * proof.proved)

    return drawn.words, drawn.program, judge


def _shipped(seed: int) -> tuple[str, Program, Judge]:
    """A program that is planned for a machine that isamap ships, sizes open or not."""
    rng = random.Random(seed)
    name, kernel, machine = rng.choice(shipped.SHIPPED)
    fixed = {a: n for a, n in shipped.some_sizes(kernel, rng).items() if n > 1 and rng.random() < 0.4}
    program = stage(kernel, load(machine), sizes=fixed if rng.random() < 0.5 else {}).program

    def judge(changed: Program, proof: Proof) -> str:
        return shipped.what_goes_wrong(kernel, changed, seed, 2 if proof.proved else 1, 2 if proof.proved else 0)

    return f"{name} on {machine} {fixed}", program, judge


def source(seed: int, kind: str = "sums") -> tuple[str, Program, Judge]:
    """A program that is right, and how to find out what is wrong with an edited one."""
    rng = random.Random(seed)
    if kind == "shipped":
        return _shipped(seed)
    if seed % 5 == 0 and kind == "sums":
        choice = outer_product.Choice(rng.choice([1, 2, 3]), rng.choice([1, 2, 3]))

        def by_hand(program: Program, proof: Proof) -> str:
            return wrong(program, seeds=3 if proof.proved else 1, plainly=3 * proof.proved)

        return str(choice), outer_product.gemm(choice), by_hand
    if kind in ("epilogues", "phases"):
        return _with_epilogue(seed, kind == "phases")
    if kind in ("one_memory", "layouts"):
        return _with_epilogue(seed, seed % 2 == 0, **{"together" if kind == "one_memory" else kind: True})
    if kind in ("vectors", "types", "fragments", "ways"):
        return _on_vectors(seed, types=kind == "types", layouts=kind == "fragments", ways=kind == "ways")
    drawn = plans.draw(seed, shapes=plans.IN_RUNS, mapped=plans.FUSED) if kind == "runs" else plans.draw(seed)

    def judge(program: Program, proof: Proof) -> str:
        open_sizes = plans.by_symbol(drawn.kernel, {a: a for a in drawn.open})  # type: ignore[dict-item]
        witnesses = [dict(c.verdict.witness) for c in proof.failed() if isinstance(c.verdict, Refuted)][:3]
        also = [{a: int(w[n]) for n, a in open_sizes.items() if int(w.get(n, 0)) > 0} for w in witnesses]
        runs = 3 if proof.proved else 1
        return plans.goes_wrong(drawn, program, 3, runs, [a for a in also if a], plainly=2 * proof.proved)

    return drawn.words, drawn.program, judge


def edited(program: Program, rng: random.Random, share: float) -> tuple[str, Program]:
    """Some random edits. share: of those of any field of any node, all fields as likely."""
    told: list[str] = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        one = (
            field_edits.edited
            if rng.random() < share or not (edits.uses(program) and edits.held(program))
            else edits.random_edit
        )
        try:
            words, program = one(program, rng)
        except (IsamapError, LookupError):
            continue  # no node is like this, or nothing is left to edit
        told += [words] if words else []
    return ", ".join(told), program


def one(seed: int, count: int = EDITS, kind: str = "sums", share: float = 0.5, quick: bool = False) -> list[Found]:
    """One source, as it is and edited, proved and run. quick: a proof ends at the first claim that fails, and is run no more."""
    remember()
    _, program, judge = source(seed, kind)
    rng, found = random.Random(seed), []
    for n in range(count):
        told, changed = edited(program, rng, share) if n else ("", program)
        try:
            proof = prove_program(changed, stop=quick)
            failed = "; ".join(f"{c}: {c.statement}" for c in proof.failed()[:3])
            said = judge(changed, proof) if proof.proved or not quick else ""
            found.append(Found(seed, told, proof.word, said, proof.seconds, failed))
        except Exception as error:  # whatever it is, it is no verdict
            found.append(Found(seed, told, "no verdict", f"{type(error).__name__}: {error}", 0.0))
    return found


def _logged(log: Path | None) -> dict[int, list[Found]]:
    """What a log holds, by seed."""
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    groups = [[Found(**f) for f in json.loads(line)] for line in lines]
    return {g[0].seed: g for g in groups if g}


def main() -> int:
    """0 where nothing is proved that goes wrong, and nothing unedited is refused."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_uses")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--edits", type=int, default=EDITS)
    parser.add_argument("--of", choices=KINDS, default="sums", help="what the sources compute")
    parser.add_argument("--fields", type=float, default=0.5, help="share of edits of any field of any node")
    parser.add_argument("--quick", action="store_true", help="run what is proved alone, and end proofs that fail early")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--log", type=Path, help="a line for each source; those that have one are not done again")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    bad: list[Found] = []
    others: list[Found] = []
    slowest = 0.0
    console = Console(stderr=True)
    known = _logged(asked.log)
    seeds = [s for s in range(asked.seed, asked.seed + asked.count) if s not in known]
    work = partial(one, count=asked.edits, kind=asked.of, share=asked.fields, quick=asked.quick)
    done = chain((known[s] for s in sorted(known)), spread(work, seeds, asked.jobs))
    try:
        for group in track(done, "programs of uses", len(known) + len(seeds), console=console):
            if asked.log and group and group[0].seed not in known:
                with asked.log.open("a") as log:
                    log.write(json.dumps([vars(f) for f in group]) + "\n")
            for found in group:
                counts["programs"] += 1
                word = f"{found.word}, {'wrong' if found.wrong else 'right'}"
                counts[f"{word}, says something of itself" if found.ghost and found.word != "proved" else word] += 1
                counts["unedited"] += not found.told
                slowest = max(slowest, found.seconds)
                wrong_one = found.word == "no verdict" or (found.word == "proved" and found.wrong)
                if wrong_one or (found.word != "proved" and not found.told):
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
