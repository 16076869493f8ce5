"""prove(): claims 1 to 6 and 14 for one mapping, for all sizes at once.

A mapping of the fuse family is first checked to be one, then proved stage by stage (encodings/space.py). Any other is
proved by its own forward, inverse and guard. Counterexamples on small integers are looked for first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from isamap_encodings import agreement, bounds, coverage, exclusive, neutral, solve, space
from isamap_encodings.deadline import DeadlinePassed, check, until
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.arguments import time_limit
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, is_constant, sym, symbols_of
from isamap_smt.ir.hypotheses import Hypothesis, Relation, Stated
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult, Proof, ProvedMapping, seal
from isamap_smt.ir.reach import possible_sizes, size_conditions
from isamap_smt.language.ranges import assume as assume_values
from isamap_smt.mapping.fuse import is_fused
from isamap_smt.proof import witness
from isamap_smt.proof.by_data import Data, any_follows, data_of, follows, opened, padded_cells, unbound
from isamap_smt.proof.mapping_form import MappingError, check_form
from isamap_smt.proof.mapping_neutral import Neutral, let_through, neutral_claim
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.scalar import arithmetic, assumed_ranges, scalar_claims, scalar_hypotheses
from isamap_smt.proof.split import prove_split
from isamap_smt.proof.witness import Finder, Found
from isamap_smt.proof.witness_points import Instance, at_model, size_vectors
from isamap_smt.proof.witness_text import tell

# ---- A counterexample to any claim about points, looked for on small integers before a solver is asked.
#
# Nearly every wrong mapping is wrong at the smallest sizes, and to see it there takes milliseconds.


def scan(mapping: Mapping, among: Sequence[Instance]) -> Found | None:
    """The first counterexample on these instances, replayed but not shrunk; None when there is none among them."""
    finders = tuple(_finders(mapping, all(i.fused for i in among)))
    for instance in among:
        for finder, operand in finders:
            found = finder(instance, operand)
            if found is not None:
                witness.replay(mapping, found)
                return found
    return None


def _finders(mapping: Mapping, fused: bool) -> Iterator[tuple[Finder, str]]:
    """Finders of counterexamples, the most frequent failures first; a fuse mapping covers its domain by its form."""
    out = mapping.instruction.kernel.statements[0].target.tensor
    if not fused:
        yield witness.coverage, ""
    for operand, _ in mapping.binding:
        if follows(mapping, operand):
            continue
        yield witness.bounds, operand
        yield witness.agreement, operand
    yield witness.exclusive, out
    if witness.overwrites(mapping):
        yield witness.overwrite, out
    for live in () if any_follows(mapping) else let_through(mapping):
        yield witness.neutral(live), out


# ---- What a mapping's proof takes for granted: sizes are at least 1, parameters at least their lowest value, and
# declared shapes hold what the kernel reads of them (`L >= K`), as its programs assume and each call checks.
#
# These are hypotheses, so they are shown to be satisfiable (nothing is proved from a contradiction), and they are
# listed.


@dataclass(frozen=True)
class Hypotheses:
    """Hypotheses about sizes.

    lows: least value of every free size and parameter. extents: axis extents given by expressions, taken >= 1. needed:
    conditions on sizes by the kernel's declared shapes.
    """

    lows: tuple[tuple[str, int], ...]
    extents: tuple[Any, ...]
    needed: tuple[Condition, ...] = ()

    @staticmethod
    def of(mapping: Mapping) -> Hypotheses:
        """The hypotheses of a mapping of this kernel."""
        lows = {p.name: p.low for p in mapping.kernel.parameters}
        s = mapping.statement
        used = set(mapping.kernel.free_sizes) | symbols_of([a.extent for a in s.axes])
        free = sorted(used | set(lows))
        extents = tuple(a.extent for a in s.axes if not is_constant(a.extent) and not a.extent.is_Symbol)
        # An axis may run to a parameter that may be 0.
        extents += tuple(a.extent for a in s.axes if a.extent.is_Symbol and lows.get(a.extent.name, 1) < 1)
        needed = size_conditions(mapping.kernel)
        return Hypotheses(tuple((n, lows.get(n, 1)) for n in free), tuple(dict.fromkeys(extents)), needed)

    @cached_property
    def formulas(self) -> tuple[Any, ...]:
        """The hypotheses for the encodings."""
        return (
            *(("le", sp.Integer(low), sym(n)) for n, low in self.lows),
            *(("le", sp.S.One, e) for e in self.extents),
            *(c.formula for c in self.needed),
        )

    @property
    def nonnegative(self) -> frozenset[str]:
        """Sizes and parameters known to be >= 0."""
        return frozenset(n for n, low in self.lows if low >= 0)

    @property
    def listed(self) -> tuple[Hypothesis, ...]:
        """The hypotheses as the proof lists them. All claims hold of a statement whose axis has no points."""
        stated = (Stated(f"{e} >= 1") for e in self.extents)
        lows = (Condition(sym(n), ">=", sp.Integer(low)) for n, low in self.lows)
        return (*map(Relation, lows), *stated, *map(Relation, self.needed))

    def claims(self, mapping: Mapping, fused: bool) -> list[ClaimResult]:
        """Claim 14: some sizes satisfy everything at once with a point in the domain, and divisors are positive."""
        words = "some sizes satisfy every hypothesis, and divisors are positive"
        results = []
        if divisors := self._divisors(mapping):
            verdict = space.together([self._positive(mapping, d) for d in divisors])
            results.append(ClaimResult("hypotheses", "divisors", verdict, words))
            if not isinstance(verdict, Proved):
                return results  # the rest would have to evaluate them
        results.append(ClaimResult("hypotheses", "sizes", self._satisfiable(mapping, fused), words))
        return results

    def _positive(self, mapping: Mapping, divisor: Any) -> Verdict:
        """divisor >= 1 for all sizes; Refuted only with sizes that replay."""
        verdict = bounds.positive(divisor, self.lows, self.formulas)
        if isinstance(verdict, Proved):
            return verdict
        if isinstance(verdict, Refuted):
            sizes = {n: int(verdict.witness.get(n, low)) for n, low in self.lows}
            if symbols_of([divisor]) <= set(sizes):
                value = int(evaluate(divisor, sizes))
                there = all(evaluate(e, sizes) >= 1 for e in self.extents)
                if value < 1 and there and possible_sizes(mapping.kernel, sizes):
                    shown = " ".join(f"{n}={v}" for n, v in sizes.items() if sym(n) in divisor.free_symbols)
                    text = f"the divisor {divisor} is {value}" + (f" at {shown}" if shown else "")
                    return Refuted(sizes, text, verdict.seconds)
        return Unknown(f"the divisor {divisor} is not known to be positive", verdict.seconds)

    def _satisfiable(self, mapping: Mapping, fused: bool) -> Verdict:
        for sizes in size_vectors(mapping):
            instance = Instance(mapping, sizes, fused)
            if all(e >= 1 for e in instance.extents.values()) and any(len(v) for v in instance.domain.values()):
                return Proved()
        box = space.ranges((a.name, a.extent) for a in mapping.statement.axes)
        return solve.satisfiable([*self.formulas, *box, *mapping.statement.guard], "hypotheses")

    def _divisors(self, mapping: Mapping) -> list[Any]:
        """Divisors in every expression of the mapping; products of extents, each >= 1, need no question."""
        expressions = [e for _, e in (*mapping.forward, *mapping.inverse)] + [*mapping.guard]
        expressions += [a.extent for a in mapping.outer]
        for _, access in mapping.binding:
            expressions += list(access.index)
        found = {
            d.args[1]
            for e in expressions
            if hasattr(e, "atoms")
            for d in e.atoms(FloorDiv, FloorMod)
            if not (d.args[1].is_Integer and d.args[1] > 0)
        }
        return sorted(found, key=_text)


_text = lru_cache(maxsize=10_000)(str)  # the mappings of a kernel divide by much the same


Watch = Callable[[Sequence[ClaimResult]], None]
FIRST = 2  # instances tried before the solver: nearly every wrong mapping shows there


def prove(mapping: Mapping, assume: Sequence[str] = (), timeout: float | None = None) -> ProvedMapping | Rejection:
    """A ProvedMapping when every claim is proved, else a Rejection with the reason; the latter is false in conditions.

    Sizes left open by the kernel stay symbolic: the proof covers all of them, from 1 (for parameters, from their lowest
    value). `.proof` of either result has one verdict per obligation: Proved, Refuted with the smallest counterexample,
    or Unknown with its reason; times are in seconds. `.proof.assumptions` gives the hypotheses in words.
    `.proof.arithmetic` is 'exact' (machine integers), 'ordered' (bit for bit in the kernel's order) or 'reassociate'
    (over the reals). The limit is a number of solver steps, so a busy machine gives the same verdict.

    assume: values of integer inputs to take for granted, such as "A <= 127" or "-64 <= B <= 64". They are listed among
    the assumptions, stay with the proved mapping's kernel, and are checked at every call of a compiled one.

    timeout: seconds; obligations still open then are Unknown and name the limit.

    Raises MappingError if the value is no mapping at all (an axis without expression, an unknown name), and the errors
    of isamap_smt.assume().

    >>> import isamap_smt as im
    >>> gemm, fma = im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")
    >>> prove(im.fuse(gemm, fma, "l=j")).proof.word
    'proved'
    >>> print(prove(im.fuse(gemm, fma, "l=k")).claim)
    exclusive c: refuted
    """
    if not isinstance(mapping, Mapping):
        has = "; its .mapping is one" if isinstance(getattr(mapping, "mapping", None), Mapping) else ""
        raise MappingError(
            "prove() takes a mapping, such as isamap_smt.fuse(kernel, instruction, 'l=j') makes, not "
            f"{type(mapping).__name__}{has}"
        )
    ranged = assume_values(mapping.kernel, assume)
    if ranged is not mapping.kernel:
        mapping = replace(mapping, kernel=ranged)
    return prove_after(mapping, FIRST, timeout=time_limit(timeout, MappingError))


def prove_after(
    mapping: Mapping, first: int, watch: Watch | None = None, stop: bool = False, timeout: float | None = None
) -> ProvedMapping | Rejection:
    """prove(), given the number of small instances to try before the solver (0: the search has tried them).

    `watch` receives the obligations of each step as soon as they are decided. stop: end at the first claim not proved,
    with a counterexample that need not be the smallest and fewer solver steps; a proof it gives is a full one. timeout:
    seconds; obligations open after them are Unknown. Without it, DeadlinePassed is raised at the end of a caller's
    time.
    """
    started = time.perf_counter()
    check_form(mapping)
    judge = Judge(mapping, first, stop, timeout)
    with until(timeout):
        claims = judge.claims(watch)
    proof = Proof(claims, arithmetic(mapping), judge.listed(claims), round(time.perf_counter() - started, 6))
    return seal(mapping, proof) if proof.proved else Rejection(mapping, proof)


@dataclass(frozen=True)
class Judge:
    """All questions about one mapping."""

    mapping: Mapping
    first: int = FIRST
    stop: bool = False
    timeout: float | None = None

    @cached_property
    def fused(self) -> bool:
        """Whether the mapping is exactly the one of its groups."""
        return bool(self.mapping.groups) and is_fused(self.mapping)

    @cached_property
    def hypotheses(self) -> Hypotheses:
        """The hypotheses about sizes."""
        return Hypotheses.of(self.mapping)

    @cached_property
    def fused_space(self) -> space.FusedSpace:
        m, h = self.mapping, self.hypotheses
        return space.FusedSpace(
            axes=tuple((a.name, a.extent) for a in m.statement.axes),
            groups=tuple((t, m.instruction.axes[t], g) for t, g in m.groups),
            where=tuple(space.plain(g) for g in m.statement.guard),
            hypotheses=h.formulas,
            nonnegative=h.nonnegative | {a.name for a in m.statement.axes},
        )

    @cached_property
    def general_space(self) -> space.GeneralSpace:
        m = self.mapping
        return space.GeneralSpace(
            axes=tuple((a.name, a.extent) for a in m.statement.axes),
            outer=tuple((a.name, a.extent) for a in m.outer),
            points=tuple(m.instruction.axes.items()),
            forward=m.forward,
            inverse=m.inverse,
            guard=tuple(space.plain(g) for g in m.guard),
            where=tuple(space.plain(g) for g in m.statement.guard),
            hypotheses=self.hypotheses.formulas,
            brief=self.stop or scan(m, self.instances[: self.first]) is not None,
        )

    @property
    def out(self) -> str:
        """The instruction's output operand."""
        return self.mapping.instruction.kernel.statements[0].target.tensor

    def claims(self, watch: Watch | None = None) -> tuple[ClaimResult, ...]:
        """Every obligation with its verdict, hypotheses first (they decide whether the rest says anything)."""
        results: list[ClaimResult] = []
        try:
            for step in self.steps():
                results += step
                if watch is not None:
                    watch(step)
                if self.stop and not all(isinstance(c.verdict, Proved) for c in step):
                    break
                check()
        except DeadlinePassed:
            if self.timeout is None:
                raise  # a limit of the caller's
            results += self._left(results)
        return tuple(results)

    def _left(self, done: Sequence[ClaimResult]) -> list[ClaimResult]:
        """The claims undecided at the time limit, as Unknown."""
        operands = [o for o, _ in self.mapping.binding]
        wanted = [("scalar", ""), ("coverage", ""), ("neutral", ""), ("exclusive", self.out)]
        wanted += [(claim, o) for claim in ("agreement", "bounds") for o in operands]
        known = {(c.claim, c.subject if c.claim in ("agreement", "bounds", "exclusive") else "") for c in done}
        late = Unknown(f"the time limit of {self.timeout:g} s was reached")
        words = "not asked in time"
        left = [ClaimResult(claim, subject, late, words) for claim, subject in wanted if (claim, subject) not in known]
        return left or [ClaimResult("order", "", late, words)]

    def steps(self) -> Iterator[Sequence[ClaimResult]]:
        """The same claim by claim."""
        m = self.mapping
        if m.split is not None:
            yield prove_split(m.split).claims
            same = Proved() if m.split.kernel == m.kernel else Refuted({}, f"{m.split} does not lead to it")
            yield [
                ClaimResult(
                    "link", "kernel", same, "the kernel that is mapped is the one that is the same as the whole"
                )
            ]
        hypotheses = self.hypotheses.claims(m, self.fused)
        yield hypotheses
        if any(c.subject == "divisors" and not isinstance(c.verdict, Proved) for c in hypotheses):
            return  # an expression that may divide by 0 says nothing about points
        if self.stop:
            yield self._scanned(scan(m, self.instances[: self.first]))
        yield scalar_claims(m)
        if self.by_value and (why := unbound(m)):
            words = "the index is the value of one operand on either side"
            yield [ClaimResult("agreement", o, Unknown(why), words) for o in self.by_value]
            return
        if self.stop and not self.fused:
            yield self._scanned(witness.first(m, witness.coverage, "", self.instances[self.first :]))
        yield from ([self.agreement(o)] for o, _ in m.binding)
        yield from (self.cells_exist(o) for o in self.by_value)
        yield [self.exclusive()]
        yield self.coverage()
        yield from ([self.bounds(o)] for o, _ in m.binding)
        yield [self.neutral_result]
        yield self.order()

    def _scanned(self, found: witness.Found | None) -> Sequence[ClaimResult]:
        """The claim refuted by a counterexample, as found; empty without one."""
        if found is None:
            return ()
        return (ClaimResult(found.claim, found.operand, _as_found(found)),)

    def listed(self, claims: Sequence[ClaimResult]) -> tuple[Hypothesis, ...]:
        """All hypotheses of the proof."""
        asked = any(c.claim == "neutral" for c in claims) and "neutrality" in vars(
            self
        )  # it may not have been, in time
        fills = self.neutrality.hypotheses if asked else ()
        return (*self.hypotheses.listed, *scalar_hypotheses(self.mapping), *fills)

    def agreement(self, operand: str) -> ClaimResult:
        """Every cell of the operand holds one element."""
        if operand in self.by_value:
            found = self._opened(True).agreement(operand)
            return replace(found, statement=f"{found.statement}, whichever value an index has")
        index, cells = self.mapping.operand_access(operand).index, self.mapping.cells(operand)
        if self.fused:
            verdict = self._decide(operand, witness.agreement, lambda: agreement.fused(self.fused_space, index, cells))
        else:
            verdict = self._decide(
                operand, witness.agreement, lambda: agreement.general(self.general_space, index, cells)
            )
        return ClaimResult("agreement", operand, verdict, "one cell holds one element during one execution")

    def exclusive(self) -> ClaimResult:
        """Distinct output cells hold distinct elements; with `=`, distinct points write distinct ones."""
        m = self.mapping
        index, cells = m.statement.target.index, m.cells(self.out)
        part: Any = exclusive.fused if self.fused else exclusive.general
        where = self.fused_space if self.fused else self.general_space
        verdict = self._decide(self.out, witness.exclusive, lambda: part(where, index, cells))
        if isinstance(verdict, Proved) and witness.overwrites(m):
            axes = tuple((a.name, a.extent) for a in m.statement.axes)
            verdict = self._decide(
                self.out,
                witness.overwrite,
                lambda: exclusive.once(axes, m.statement.guard, self.hypotheses.formulas, index),
            )
        return ClaimResult("exclusive", self.out, verdict, "distinct output cells hold distinct elements")

    def coverage(self) -> list[ClaimResult]:
        """The kernel's domain and the guarded lanes correspond one to one."""
        words = "every point of the kernel's domain is computed by exactly one lane of one execution"
        if self.fused:
            return [ClaimResult("coverage", t, v, words) for t, v in coverage.fused(self.fused_space)]
        small = self._small("", witness.coverage, self.instances)
        if small is not None:
            return [ClaimResult("coverage", "", small, words)]
        results = []
        for subject, verdict in coverage.general(self.general_space):
            model = at_model(self.mapping, self.fused, verdict)
            shown = self._small("", witness.coverage, model) or self._unmodelled(verdict)
            results.append(ClaimResult("coverage", subject, shown, words))
        return results

    def bounds(self, operand: str) -> ClaimResult:
        """Every element accessed lies in its tensor; if data gives the index, each call checks it."""
        if operand in self.by_value:
            return self._opened(True).bounds(operand)
        m, h = self.mapping, self.hypotheses
        access = m.operand_access(operand)
        shape = m.kernel.tensor(access.tensor).shape
        axes = tuple((a.name, a.extent) for a in m.statement.axes)

        def proof() -> Verdict:
            if self.fused:
                return bounds.domain(axes, m.statement.guard, h.lows, h.formulas, access.index, shape)
            # Where the lanes are not known to be the kernel's points, they are asked about themselves.
            return bounds.general(self.general_space, access.index, shape)

        verdict = self._decide(operand, witness.bounds, proof)
        return ClaimResult("bounds", operand, verdict, f"every element of {access.tensor} accessed exists")

    @cached_property
    def by_value(self) -> tuple[str, ...]:
        """Operands whose cell or element is given by data."""
        return tuple(o for o, _ in self.mapping.binding if follows(self.mapping, o))

    @cached_property
    def _data(self) -> tuple[Data, ...]:
        held = assumed_ranges(self.mapping)
        return data_of(self.mapping, {} if isinstance(held, Unknown) else held)

    def _opened(self, used: bool, cells_of: str = "") -> Judge:
        """The same questions about the mapping with an index's value as an axis (isamap_smt.proof.by_data)."""
        return replace(self, mapping=opened(self.mapping, self._data, used, cells_of))

    def cells_exist(self, operand: str) -> Sequence[ClaimResult]:
        """The cell named by an index is one of the operand: for each possible value, and for the padding 0."""
        words = f"each cell of {operand} that an index names exists"
        axes = tuple((a, sp.Integer(n)) for a, n in self.mapping.instruction.axes.items())
        cells, shape = padded_cells(self.mapping, self._data, operand)
        beyond = self._unmodelled(bounds.domain(axes, (), (), (), cells, shape))
        guarded = bool(self.mapping.statement.guard)
        named = self._opened(not guarded, operand).bounds(operand)
        if guarded and isinstance(named.verdict, Refuted):
            left_out = "a `where` leaves points out, and no call looks at the index there, which may be any number"
            named = replace(named, verdict=Unknown(left_out, named.verdict.seconds))
        return [replace(named, statement=words), ClaimResult("bounds", operand, beyond, f"{words} where it is 0")]

    @cached_property
    def neutrality(self) -> Neutral:
        """Claim 6 with its hypotheses."""
        if self.by_value:
            return self._opened(False).neutrality
        m = self.mapping

        def reached(operands: Sequence[str], quick: bool) -> Verdict:
            cells = [m.cells(o) for o in (self.out, *operands)]
            if self.fused:
                return neutral.fused(self.fused_space, cells, quick)
            return neutral.general(self.general_space, cells)

        return neutral_claim(m, reached, self.instances)

    @property
    def neutral_result(self) -> ClaimResult:
        """Claim 6 as an obligation."""
        words = "points outside the guard change no live result"
        return ClaimResult("neutral", "", self.neutrality.verdict, words)

    def order(self) -> list[ClaimResult]:
        """A statement that reads its own target needs an order, and a mapping alone fixes none: Unknown."""
        s = self.mapping.statement
        if all(a.tensor != s.target.tensor or a == s.target for a in s.inputs):
            return []
        reason = f"the statement reads {s.target.tensor}, which it writes; its order is not proved for a mapping"
        return [ClaimResult("order", s.target.tensor, Unknown(reason), "reads see their last writer")]

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Small sizes searched for counterexamples."""
        return witness.instances(self.mapping, self.fused)

    def _small(self, operand: str, finder: witness.Finder, among: Sequence[Instance]) -> Refuted | None:
        if self.stop:
            found = witness.first(self.mapping, finder, operand, among)
            return None if found is None else _as_found(found)
        found = witness.search(self.mapping, finder, operand, among)
        return None if found is None else Refuted(found.values, tell(self.mapping, found))

    def _decide(self, operand: str, finder: witness.Finder, proof: Callable[[], Verdict]) -> Verdict:
        """A counterexample on the first small sizes, else the proof, else a counterexample on other small sizes.

        A solver's model not confirmed by a small instance is Unknown.
        """
        first = self._small(operand, finder, self.instances[: self.first])
        if first is not None:
            return first
        verdict = proof()
        if isinstance(verdict, Proved):
            return self._unmodelled(verdict)
        others = (*at_model(self.mapping, self.fused, verdict), *self.instances[self.first :])
        return self._small(operand, finder, others) or self._unmodelled(verdict)

    def _unmodelled(self, verdict: Verdict) -> Verdict:
        if isinstance(verdict, Refuted):
            shown = ", ".join(f"{k}={v}" for k, v in sorted(verdict.witness.items()) if "!" not in k)
            return Unknown(f"the solver's counterexample ({shown}) is not found on plain integers", verdict.seconds)
        return replace(verdict, seconds=round(verdict.seconds, 6))


def _as_found(found: witness.Found) -> Refuted:
    return Refuted(found.values, "a counterexample, not the smallest")


__all__ = ["Judge", "prove", "prove_after"]
