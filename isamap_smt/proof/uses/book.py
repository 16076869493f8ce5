"""The book of obligations of a program for engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.expr import FloorDiv, substitute, symbols_of
from isamap_smt.ir.program import Loop, Program
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program_book import Book, Watch
from isamap_smt.proof.program_sites import Sites
from isamap_smt.proof.uses.moments import Formula, Moment

STEP, STEPS = (
    8,
    4,
)  # sizes at which numbers of iterations are looked at by their definition: so many steps, one point beyond
Told = Callable[[dict[str, Any]], str]
Trial = Callable[[dict[str, int]], bool]  # whether the program goes wrong at these sizes


# Something, where it sees the program go wrong at these sizes; where it does at others, these and what happens.
Seen = Callable[[dict[str, int]], bool | Refuted]


class UseBook(Book):
    """ask() a claim with the facts about its moments. Refuted only if the numbers of iterations obey their definition.

    trial: runs the program. Some claims exceed the need (an order by the text, or by one counter): they are refuted
    only if the run goes wrong at the counterexample's sizes.
    computed: tensors left by earlier phases, no inputs of a call; their elements are not known to be finite.
    """

    def __init__(
        self, sites: Sites, trial: Trial, stop: bool = False, watch: Watch | None = None,
        computed: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        super().__init__(sites, stop, watch)
        self.trial, self.computed = trial, computed
        lows = {p.name: p.low for p in sites.kernel.parameters}
        self.least = {n: lows.get(n, 1) for n in sites.sizes}

    def ask(
        self, claim: str, subject: str, statement: str, assumptions: Sequence[Formula], goals: Sequence[Formula],
        moments: Iterable[Moment] = (), told: Told | None = None, tried: bool = False, trial: Seen | None = None,
    ) -> Verdict:  # fmt: skip
        """Whether the given facts imply all goals.

        moments: the moments with numbers in the claim. told: puts a counterexample in words. tried: a counterexample
        counts only if the program goes wrong at its sizes; trial: judges this instead.
        """
        known = [*self.sites.hypotheses, *assumptions]
        name = f"{claim} {subject}: {statement}"
        verdict: Verdict = implied(known, goals, self.sites.sizes, name)
        if not isinstance(verdict, Proved) and (exact := [f for m in moments for f in m.exact()]):
            verdict = self._confirmed([*known, *exact], goals, name)
        if isinstance(verdict, Refuted):
            env = dict(verdict.witness)
            words = told(env) if told else f"fails at {' '.join(f'{k}={v}' for k, v in sorted(env.items()))}"
            sees = trial or (self.trial if tried else None)
            seen = True if sees is None else sees({n: int(env.get(n, low)) for n, low in self.least.items()})
            if isinstance(seen, Refuted):
                verdict = Refuted(seen.witness, f"{statement}: {seen.text}", verdict.seconds)
            elif not seen:
                verdict = Unknown(
                    f"no text and no counter says so ({words}), and nothing goes wrong there", verdict.seconds
                )
            else:
                verdict = Refuted(verdict.witness, f"{statement}: {words}", verdict.seconds)
        return self.note(claim, subject, statement, verdict)

    def _confirmed(self, known: list[Formula], goals: Sequence[Formula], name: str) -> Verdict:
        """A counterexample at small sizes, with numbers by their definition; Unknown if there is none."""
        for at in self._small():
            known_here = [_at(f, at) for f in known]
            found = implied(known_here, [_at(g, at) for g in goals], (), f"{name}: {at}")
            if isinstance(found, Refuted):
                return replace(found, witness={**at, **found.witness})
        return Unknown(
            "it does not follow from what is known of the numbers, and no counterexample was found at small sizes"
        )

    def alike(self, counts: Iterable[int]) -> Iterator[dict[str, int]]:
        """Sizes one point above so many steps of the loops bounded by each size."""
        for count in counts:
            steps = {n: count * _step(self.sites.program, n) + 1 for n in self.sites.sizes}
            yield {n: max(steps.get(n, low), low) for n, low in self.least.items()}

    def _small(self) -> Iterator[dict[str, int]]:
        """Sizes one point above 0, 1, 2, 3 steps of the loops bounded by a size; those with few steps first."""
        steps = [_step(self.sites.program, n) for n in self.sites.sizes]
        for counts in sorted(product(range(STEPS), repeat=len(steps)), key=sum):
            yield {n: c * s + 1 for n, c, s in zip(self.sites.sizes, counts, steps, strict=True)}


def _step(program: Program, size: str) -> int:
    """The number of points in one iteration of the loops bounded by the size."""
    counts = [sp.sympify(n.count) for n in nodes_of(Loop, program.body)]
    divisors = (d.args[1] for c in counts for d in c.atoms(FloorDiv) if size in symbols_of([d.args[0]]))
    return max((int(d) for d in divisors if d.is_Integer), default=STEP)


def _at(f: Any, sizes: dict[str, int]) -> Any:
    if isinstance(f, tuple):
        return (f[0], *(_at(a, sizes) for a in f[1:]))
    return substitute(f, sizes) if isinstance(f, sp.Basic) else f
