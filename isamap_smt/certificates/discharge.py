"""Questions answered by solvers from their SMT-LIB text alone, each answer remembered under the text's digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isamap_encodings.cvc5_check import RESOURCES, cvc5_answer, cvc5_version
from isamap_encodings.solve import versions
from isamap_encodings.z3_check import STEPS, z3_answer
from isamap_smt.certificates.cache import Cache
from isamap_smt.certificates.claim_file import Question
from isamap_smt.certificates.digests import canonical, digest


@dataclass(frozen=True)
class Tally:
    """How many questions cvc5 answered as wanted, how many it left open, and what it or Z3 contradicts, in words."""

    agreed: int = 0
    open: int = 0
    disagreements: tuple[str, ...] = ()


def second_opinion(questions: Sequence[Question], cache: Cache) -> Tally:
    """cvc5's answers, compared with the wanted ones (which Z3 gave). Nothing is asked where cvc5 is not installed."""
    version = cvc5_version()
    if version is None:
        return Tally(0, len(questions))
    agreed, left = 0, 0
    disagreements = []
    fresh: dict[str, str] = {}
    for q in questions:
        key = digest(canonical(["cvc5", version, RESOURCES, q.script]))
        answer = cache.get(key)
        if answer is None:
            answer = fresh[key] = cvc5_answer(q.script)
        if answer == q.wanted:
            agreed += 1
        elif answer == "unknown":
            left += 1
        else:
            disagreements.append(f"Z3 says {q.wanted}, cvc5 says {answer}")
    cache.put(fresh)
    return Tally(agreed, left, tuple(disagreements))


def z3_again(questions: Sequence[Question], cache: Cache) -> list[str]:
    """Z3's answers to stored text."""
    version = versions()["z3"]
    fresh: dict[str, str] = {}
    answers = []
    for q in questions:
        key = digest(canonical(["z3", version, STEPS, q.script]))
        answer = cache.get(key)
        if answer is None:
            answer = fresh[key] = z3_answer(q.script)
        answers.append(answer)
    cache.put(fresh)
    return answers
