"""Proves that a kernel that reads values of axes from temporaries is the same: each is the value at the point that reads it.

    link        all but the values is as it was, behind the statements that compute the temporaries
    neutral     each temporary is written by one statement, in front of all that read it
    coverage    that statement computes every element, each once
    program     the trees of operations are the same, with an element where a value of an axis was
    bounds      an element that is read is one of the temporary's
    axis        it is the value of the same expression at that point
    scalar      it has the type that the value had there; or, of a comparison, one that holds all of both sides

Both kernels are read as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.numbered import Numbered
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.scalar import Cast, Compare, IndexValue, Read, Round, Saturate, Scalar
from isamap_smt.ir.typed import ends, holds, literal_kind, type_of, typed_value
from isamap_smt.proof.program_book import Watch
from isamap_smt.proof.program_sites import Formula, equal, span


@dataclass(frozen=True)
class _Met:
    """An element in the place of a value. kind: the type that the value has there. compared: with whole numbers alone, these."""

    value: Any
    element: Any
    kind: DType | None
    compared: tuple[Any, ...] = ()


class _AnotherTreeError(Exception):
    """The trees of operations differ."""


class NumberedClaims:
    """Collects the verdicts."""

    def __init__(self, x: Numbered, watch: Watch | None = None) -> None:
        self.x, self.watch = x, watch
        self.results: list[ClaimResult] = []
        low = {p.name: p.low for p in x.whole.parameters}
        self.sizes = sorted({*x.whole.free_sizes, *x.kernel.free_sizes})
        self.given: list[Formula] = [("le", low.get(n, 1), sym(n)) for n in self.sizes]
        self.tables = {s.target.tensor: s for s in x.kernel.statements[: x.tables]}
        self.types = {t.name: t.dtype for t in x.kernel.tensors}

    @property
    def all_proved(self) -> bool:
        """Whether nothing has failed so far."""
        return all(isinstance(r.verdict, Proved) for r in self.results)

    def ask_all(self) -> None:
        """Every claim. Those about the kernels' shape come first: the others rest on them."""
        self._link()
        for name in self.tables:
            self._table(name)
        if self.all_proved:
            for n in self.x.statements:
                self._statement(n)

    def structure(self, claim: str, subject: str, words: str, right: bool, wrong: str) -> None:
        """A claim on the kernels' shape."""
        self.note(claim, subject, words, Proved() if right else Refuted({}, wrong))

    def note(self, claim: str, subject: str, words: str, verdict: Verdict) -> None:
        """Write a verdict down."""
        result = ClaimResult(claim, subject, verdict, words)
        self.results.append(result)
        if self.watch is not None:
            self.watch([result])

    def ask(self, claim: str, subject: str, words: str, known: Sequence[Formula], goals: Sequence[Formula]) -> None:
        """Ask the solver."""
        verdict = implied([*self.given, *known], goals, self.sizes, f"{claim} {subject}: {words}")
        if isinstance(verdict, Refuted):
            at = " ".join(f"{k}={v}" for k, v in verdict.witness.items()) or "every size"
            verdict = Refuted(verdict.witness, f"{words}: fails at {at}", verdict.seconds)
        self.note(claim, subject, words, verdict)

    # ---- the shape

    def _link(self) -> None:
        x, whole, new = self.x, self.x.whole, self.x.kernel
        behind = new.statements[x.tables :]
        same = len(behind) == len(whole.statements) and all(
            a == b if n not in x.statements else replace(a, value=b.value, source=b.source) == b
            for n, (a, b) in enumerate(zip(behind, whole.statements, strict=True))
        )
        self.structure(
            "link", "statements", "all but the values is as it was, behind the temporaries' statements", same,
            "a statement is another one, missing, or of other points",
        )  # fmt: skip
        mine, theirs = {t.name: t for t in new.tensors}, {t.name: t for t in whole.tensors}
        fresh = len(self.tables) == x.tables and not set(self.tables) & set(theirs)
        fresh = fresh and {n: t for n, t in mine.items() if n not in self.tables} == theirs
        fresh = fresh and set(new.temporaries) == {*self.tables, *whole.temporaries}
        same = (new.parameters, new.ranges) == (whole.parameters, whole.ranges)
        self.structure(
            "link", "tensors", "the tensors are those of the whole and the temporaries", fresh and same,
            "a tensor, a parameter or a range is another one",
        )  # fmt: skip
        sizes = {*whole.free_sizes, *(p.name for p in whole.parameters)}
        apart = set(new.free_sizes) <= set(whole.free_sizes) and all(
            len({a.name for a in s.axes}) == len(s.axes) and not {a.name for a in s.axes} & sizes
            for s in self.tables.values()
        )
        self.structure("hypotheses", "names", "every name means one thing", apart, "an axis has the name of a size")
        later = tuple(replace(r, first=r.first + x.tables, end=r.end + x.tables) for r in whole.recurrences)
        words = "the recurrences hold the same statements"
        self.structure("link", "recurrences", words, new.recurrences == later, "a recurrence holds other statements")

    def _table(self, name: str) -> None:
        """One statement writes every element, and it is the value of an expression in the temporary's type."""
        new, s = self.x.kernel, self.tables[name]
        writers = [n for n, t in enumerate(new.statements) if t.target.tensor == name]
        readers = [n for n, t in enumerate(new.statements) if any(a.tensor == name for a in t.inputs)]
        first = len(writers) == 1 and writers[0] < self.x.tables <= min(readers, default=self.x.tables)
        self.structure(
            "neutral", name, f"{name} is written by one statement, in front of all that read it", first,
            f"another statement writes {name}, or reads it before",
        )  # fmt: skip
        index, extents = s.target.index, {a.name: a.extent for a in s.axes}
        names = [i.name for i in index if getattr(i, "is_Symbol", False)]
        plain = len(names) == len(index) == len(set(names)) and sorted(names) == sorted(extents)
        whole = plain and tuple(extents[n] for n in names) == new.tensor(name).shape
        self.structure(
            "coverage", name, f"each element of {name} is computed once", whole and s.op == "=" and not s.guard,
            f"an element of {name} is computed twice, or never",
        )  # fmt: skip
        v, kind = s.value, new.tensor(name).dtype
        right = isinstance(v, Cast) and v.args[0].name == kind.name and isinstance(v.args[1], IndexValue)
        self.structure(
            "scalar", name, f"an element of {name} is a whole number converted to {kind}", right,
            f"{name} is computed otherwise",
        )  # fmt: skip

    # ---- the values

    def _statement(self, n: int) -> None:
        old, s = self.x.whole.statements[n], self.x.kernel.statements[n + self.x.tables]
        words = "the operations are those of the whole, with elements for values of axes"
        try:
            left, right = typed_value(self.x.whole, old), typed_value(self.x.kernel, s)
            out = self.types[s.target.tensor]
            met = tuple(self._met(left, right, out))
        except (_AnotherTreeError, DTypeError) as error:
            self.structure("program", f"statement {n + 1}", words, False, str(error) or "it computes something else")
            return
        self.structure("program", f"statement {n + 1}", words, True, "")
        for m in dict.fromkeys(met):
            self._element(n, old, m)

    def _met(self, old: Any, new: Any, kind: DType | None) -> Iterator[_Met]:
        """The values that became elements, with the type that each had: that of what stands beside it, as a literal's."""
        if isinstance(old, IndexValue):
            if (
                isinstance(new, Cast)
                and isinstance(new.args[1], Read)
                and self.types[new.args[1].tensor].name == new.args[0].name
            ):
                new = new.args[1]
            if not isinstance(new, Read) or new.tensor not in self.tables:
                raise _AnotherTreeError(f"{old.args[0]} became no element of a temporary")
            yield _Met(old.args[0], new, kind)
            return
        if isinstance(old, Read) or not isinstance(old, Scalar):
            if old != new:
                raise _AnotherTreeError(f"{new} stands where {old} stood")
            return
        if type(old) is not type(new) or len(old.args) != len(new.args):
            raise _AnotherTreeError(f"{type(new).__name__} stands where {type(old).__name__} stood")
        yield from self._met_below(old, new, kind)

    def _met_below(self, old: Any, new: Any, kind: DType | None) -> Iterator[_Met]:
        parts = list(zip(old.args, new.args, strict=True))
        if isinstance(old, Cast | Round | Saturate):
            if old.args[0] != new.args[0]:
                raise _AnotherTreeError(f"{new.args[0]} stands where {old.args[0]} stood")
            to, inner = DTYPES[old.args[0].name], old.args[1]
            own = None if isinstance(old, Saturate) else type_of(inner, self.types)
            if own is None and isinstance(old, Cast):  # a whole number converted alone is so in one step
                own = to if isinstance(inner, IndexValue) else literal_kind(inner, to)
            yield from self._met(inner, new.args[1], own or (DTYPES["f64"] if isinstance(old, Round) else None))
            return
        if isinstance(old, Compare):
            yield from self._met_compared(old, new)
            return
        own = type_of(old, self.types) or kind
        for a, b in parts:
            yield from self._met(a, b, own)

    def _met_compared(self, old: Any, new: Any) -> Iterator[_Met]:
        if old.args[0] != new.args[0]:
            raise _AnotherTreeError(f"{new.args[0]} stands where {old.args[0]} stood")
        sides = old.args[1:]
        own = next((t for v in sides if (t := type_of(v, self.types))), None)
        alone = () if own is not None else sides
        if alone and not all(isinstance(v, IndexValue | sp.Integer) for v in alone):
            raise _AnotherTreeError("it compares numbers that are computed")
        for a, b in zip(sides, new.args[1:], strict=True):
            yield from (replace(m, compared=alone) if alone else m for m in self._met(a, b, own))

    def _element(self, n: int, old: Statement, m: _Met) -> None:
        """It is there, is the value at this point, and has its type."""
        name, subject = m.element.tensor, f"statement {n + 1} {m.value}"
        table = self.tables[name]
        known = [*(f for a in old.axes for f in span(a.symbol, a.extent)), *old.guard]
        shape = self.x.kernel.tensor(name).shape
        if len(shape) != len(m.element.index) or symbols_of(m.element.index) - {a.name for a in old.axes} - set(
            self.sizes
        ):
            self.structure("bounds", subject, f"it is an element of {name}", False, "its index is no place there")
            return
        inside = [f for i, e in zip(m.element.index, shape, strict=True) for f in span(i, e)]
        self.ask("bounds", subject, f"it is an element of {name}", known, inside or [("and",)])
        at = {i.name: e for i, e in zip(table.target.index, m.element.index, strict=True)}
        there = substitute(table.value.args[1].args[0], at)
        goals = equal([there], [m.value]) if sp.expand(there - m.value) != 0 else [("and",)]
        self.ask("axis", subject, f"the element of {name} is the value at this point", known, goals)
        kind = self.types[name]
        if m.compared:
            values = [v.args[0] if isinstance(v, IndexValue) else v for v in m.compared]
            right = all(holds(kind, *ends(v, self.x.whole, old)) for v in values)
            words, wrong = f"{kind} holds all numbers that are compared", f"{kind} does not hold all of both sides"
        else:
            right = m.kind == kind
            words, wrong = f"the value is {kind} there", f"the value is {m.kind} there, and {name} is {kind}"
        self.structure("scalar", subject, words, right, wrong)


__all__ = ["NumberedClaims"]
