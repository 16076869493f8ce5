"""What is kept of each answer, in answers.json: what was decided, its predicted cost, and digests of C, program text and claims;
and the digests of schedules by hand (tests/codegen/pinned.py).

python -m tests.pinned.answers record [PART]     answers all questions (or those whose words contain PART) and writes them
python -m tests.pinned.answers compare [PART]    says which answers are other, and which cost more
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from isamap_smt.certificates.fingerprint import program_text
from isamap_smt.codegen import print_c
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.proof.program import require_proof
from isamap_smt.targets import find_target
from tests.pinned.questions import Question, planned, questions

ANSWERS = Path(__file__).with_name("answers.json")
Answer = dict[str, Any]


def digests(checked: ProvedProgram, text: str) -> Answer:
    """Of a program's C (`text`), of the program as text, and of its claims: what each says, of what, and its verdict."""
    claims = [f"{c.claim} {c.subject}: {c.verdict.word}: {c.statement}" for c in checked.proof.claims]
    found = {"C": text, "program": program_text(checked.program), "claims": "\n".join(claims)}
    return {"obligations": len(claims), **{n: sha256(t.encode()).hexdigest()[:16] for n, t in found.items() if t}}


def answered(q: Question) -> Answer:
    """The answer, or why there is none."""
    try:
        made = planned(q)
    except IsamapError as error:
        return {"refused": f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"}
    if not made.phases:
        text, cost, schedules = made.source, made.cycles, made.program.schedules
    else:
        target = find_target(q.machine) if q.machine in ("gemmini", "vta") else None
        text = "" if target is None else "".join(map(str, target.emit(made).values()))
        cost, schedules = made.cycles, made.phases
    told = [f"{s.proved.mapping.instruction.name}: {s.proved.mapping.id}: {s}" for s in schedules]
    return {"title": made.title, "schedules": told, "cycles": round(cost, 3), **digests(made.checked, text)}


def by_hand(case: Any) -> Answer:
    """Digests of a schedule by hand, a Case of tests/codegen/pinned.py."""
    checked = require_proof(case.program())
    return digests(checked, print_c(checked))


def recorded() -> dict[str, Answer]:
    """What is kept, by the questions' words."""
    found: dict[str, Answer] = json.loads(ANSWERS.read_text())
    return found


def _cases() -> Iterable[Any]:
    sys.path.insert(0, str(ANSWERS.parents[1] / "codegen"))
    import pinned

    cases: Iterable[Any] = pinned.ALL
    return cases


def _one(q: Question) -> tuple[str, Answer]:
    return q.id, answered(q)


def _start() -> None:
    """Decisions that are kept on disk, and a calibration, are somebody's own."""
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()


def _answers(asked: Iterable[Question], tell: Callable[[str, Answer], None]) -> None:
    with multiprocessing.get_context("spawn").Pool(2, _start, maxtasksperchild=20) as pool:
        for words, answer in pool.imap_unordered(_one, asked):
            tell(words, answer)


def record(asked: Iterable[Question]) -> None:
    """Write the answers to these questions, beside those to others."""
    found = recorded() if ANSWERS.exists() else {}
    found |= {c.name: by_hand(c) for c in _cases()}

    def keep(words: str, answer: Answer) -> None:
        found[words] = answer
        print(words, answer.get("cycles", answer.get("refused")), flush=True)
        ordered = {n: found[n] for n in (*(c.name for c in _cases()), *(q.id for q in questions())) if n in found}
        ANSWERS.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")

    _answers(asked, keep)


def compare(asked: Iterable[Question]) -> int:
    """Say what is other than it was. Returns how many answers cost more, or are none where there was one."""
    kept, seen, worse = recorded(), [0, 0, 0], []

    def tell(words: str, now: Answer) -> None:
        before = kept[words]
        other = [n for n in dict.fromkeys((*before, *now)) if before.get(n) != now.get(n)]
        seen[0], seen[1] = seen[0] + 1, seen[1] + bool(other)
        if not other:
            return
        ratio = now["cycles"] / before["cycles"] if "cycles" in now and before.get("cycles") else float("nan")
        print(f"{words}: {', '.join(other)} other; cycles x {ratio:.3f}; {now.get('refused', '')}", flush=True)
        if ("refused" in now and "refused" not in before) or ratio > 1.0001:
            worse.append(words)

    _answers(asked, tell)
    print(f"{seen[0]} answers, {seen[1]} other, {len(worse)} cost more or are none: {'; '.join(worse)}")
    return len(worse)


def main(command: str, part: str = "") -> int:
    """The command line, above."""
    asked = [q for q in questions() if part in q.id]
    return compare(asked) if command == "compare" else (record(asked) or 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
