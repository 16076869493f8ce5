"""Candidates as models: one Boolean a membership, `c.in.k` for the kernel axis c in the instruction axis k.

A kernel axis is in one place or in none; a place is an instruction axis, or, for the low digit of four points of c,
`c.in.k%4`. A cube is a set of candidates: all whose binding and places are among given ones. A finished cube becomes a
clause, its negation, and no candidate is ever written down.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from isamap_encodings.solve import SEED, ask, run
from isamap_encodings.verdict import Verdict

Model = tuple[int, tuple[int, ...]]  # a binding; per kernel axis 0 (outside), or the number of its place from 1


@dataclass(frozen=True)
class Cube:
    """Some candidates. bindings: numbers from 0; places: per kernel axis the places allowed, 0 is outside the instruction."""

    bindings: frozenset[int]
    places: tuple[frozenset[int], ...]

    def __contains__(self, model: Model) -> bool:
        binding, code = model
        return binding in self.bindings and all(c in p for c, p in zip(code, self.places, strict=True))

    def __le__(self, other: Cube) -> bool:
        """Whether the other one contains this one."""
        return self.bindings <= other.bindings and all(p <= q for p, q in zip(self.places, other.places, strict=True))

    @staticmethod
    def of(model: Model) -> Cube:
        """The cube of this candidate alone."""
        return Cube(frozenset({model[0]}), tuple(frozenset({c}) for c in model[1]))


@dataclass(frozen=True)
class Choices:
    """Kernel axes, places, and the number of bindings. each: sets of places (numbers from 1); none may stay empty."""

    axes: tuple[str, ...]
    places: tuple[str, ...]
    bindings: int
    each: tuple[frozenset[int], ...]


class Models:
    """The candidates outside all excluded cubes, one after another; the same ones in every process.

    Instructions of one form lead to the same questions, one after the other. The first answers are kept, so most
    searches need no solver. If a search goes on in another way, a solver is made, and told and asked everything so
    far.
    """

    def __init__(self, choices: Choices, excluded: Sequence[Cube] = ()) -> None:
        self._choices = choices
        self._said: list[Cube | None] = list(excluded)  # None: a question
        self._solver: _Solver | None = None

    def exclude(self, cube: Cube) -> None:
        """No model is in this cube from now on."""
        self._said.append(cube)
        if self._solver is not None:
            self._solver.say(cube)

    def next(self) -> Model | None:
        """A candidate in no cube; None when there is none. Raises RuntimeError if Z3 gives up, though it has no limit."""
        self._said.append(None)
        key = (self._choices, tuple(self._said)) if len(self._said) <= KEPT else None
        kept = _answers.get(key, "new") if self._solver is None and key else "new"
        if not isinstance(kept, str):
            return kept
        answer = self._solver.say(None) if self._solver is not None else self._told()
        if key:
            if len(_answers) >= MOST:
                _answers.clear()
            _answers[key] = answer
        return answer

    def _told(self) -> Model | None:
        """A solver is told and asked everything so far; the last answer."""
        self._solver = _Solver(self._choices)
        *_, answer = (self._solver.say(x) for x in self._said)
        return answer

    def each(self) -> Iterator[Model]:
        """All of them; each is excluded by itself."""
        while (model := self.next()) is not None:
            yield model
            self.exclude(Cube.of(model))


KEPT = 64  # cubes and questions of a search up to which its answers are kept
MOST = 4096  # answers
_answers: dict[tuple[Choices, tuple[Cube | None, ...]], Model | None] = {}


class _Solver:
    """Z3 with a context of its own, so earlier questions change no answer."""

    def __init__(self, choices: Choices) -> None:
        self._terms = _Terms(choices, z3.Context())
        self._solver = z3.SimpleSolver(ctx=self._terms.context)
        self._solver.set("random_seed", SEED)
        for clause in self._terms.domain():
            self._assert(clause)

    def say(self, cube: Cube | None) -> Model | None:
        """Exclude a cube; or, for None, ask for a candidate outside all of them."""
        if cube is not None:
            self._assert(self._terms.outside(cube))
            return None
        answer = run(self._solver)
        if answer == z3.unsat:
            return None
        if answer != z3.sat:
            raise RuntimeError(f"Z3 gave up on a question of Booleans: {self._solver.reason_unknown()}")
        return self._terms.read(self._solver.model())

    def _assert(self, clause: Any) -> None:
        """Add a clause. Not solver.add(): it looks up the sort of each and compares it with Bool."""
        z3.Z3_solver_assert(self._solver.ctx.ref(), self._solver.solver, clause.as_ast())


def nothing_else(choices: Choices, cubes: Sequence[Cube], steps: int) -> Verdict:
    """Proved when every candidate is in one of the cubes: outside of all but the last, there is only the last.

    steps: of Z3. The question can be recorded (solve.py). Raises ValueError without cubes.
    """
    *others, last = cubes
    terms = _Terms(choices, None)
    return ask([*terms.domain(), *map(terms.outside, others)], terms.inside(last), "nothing else", steps, model=False)


class _Terms:
    """The Booleans of one context."""

    def __init__(self, choices: Choices, context: Any) -> None:
        self.choices, self.context = choices, context
        self._in = [[z3.Bool(f"{a}.in.{t}", context) for t in choices.places] for a in choices.axes]
        many = choices.bindings > 1
        self._bound = [z3.Bool(f"binding.{b}", context) for b in range(choices.bindings)] if many else []
        self._places: dict[tuple[int, frozenset[int]], list[Any]] = {}  # terms made before
        self._denials: dict[int, tuple[Any, Any]] = {}  # by address of a term, which is kept beside its denial

    def domain(self) -> list[Any]:
        """An axis is in one place at most, operands are bound in one way, and no set of `each` is empty."""
        found = [z3.Not(z3.And(x, y)) for row in self._in for x, y in itertools.combinations(row, 2)]
        if self._bound:
            found.append(self._any(self._bound))
            found += [z3.Not(z3.And(x, y)) for x, y in itertools.combinations(self._bound, 2)]
        if not self.choices.bindings:
            found.append(z3.BoolVal(False, self.context))
        found += [self._any([row[g - 1] for row in self._in for g in sorted(places)]) for places in self.choices.each]
        return found

    def inside(self, cube: Cube) -> Any:
        """Whether the candidate is in the cube, as a formula."""
        return self._all(self._literals(cube))

    def outside(self, cube: Cube) -> Any:
        """The clause."""
        return self._any([self._denied(p) for p in self._literals(cube)])

    def _literals(self, cube: Cube) -> list[Any]:
        """The conditions of the cube: axis by axis, unless the axis may be anywhere, and for its bindings."""
        found = [p for k, places in enumerate(cube.places) for p in self._placed(k, places)]
        if self._bound and len(cube.bindings) < len(self._bound):
            found.append(self._any([x for b, x in enumerate(self._bound) if b in cube.bindings]))
        return found

    def _placed(self, k: int, places: frozenset[int]) -> list[Any]:
        """Formulas: the axis is in one of these places."""
        found = self._places.get((k, places))
        if found is None:
            row = self._in[k]
            if 0 in places:
                found = [z3.Not(x) for g, x in enumerate(row, 1) if g not in places]
            else:
                found = [self._any([x for g, x in enumerate(row, 1) if g in places])]
            self._places[k, places] = found
        return found

    def _denied(self, term: Any) -> Any:
        found = self._denials.get(term.ast.value)
        if found is None:
            found = self._denials[term.ast.value] = (term, term.arg(0) if z3.is_not(term) else z3.Not(term))
        return found[1]

    def read(self, model: Any) -> Model:
        """The candidate of a model; Booleans left open by Z3 are false."""

        true = {d.name() for d in model.decls() if z3.is_true(model[d])}
        axes, places = self.choices.axes, self.choices.places
        code = tuple(next((g for g, t in enumerate(places, 1) if f"{a}.in.{t}" in true), 0) for a in axes)
        return next((b for b in range(len(self._bound)) if f"binding.{b}" in true), 0), code

    def _any(self, terms: list[Any]) -> Any:
        if not terms:
            return z3.BoolVal(False, self.context)
        return terms[0] if len(terms) == 1 else z3.Or(*terms)

    def _all(self, terms: list[Any]) -> Any:
        if not terms:
            return z3.BoolVal(True, self.context)
        return terms[0] if len(terms) == 1 else z3.And(*terms)
