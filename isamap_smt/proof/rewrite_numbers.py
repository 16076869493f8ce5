"""Claims about elements of temporaries in place of values of axes.

scalar      a temporary has whole numbers in its type; an element has the former value's type there or, in a comparison,
            a type with all values of both sides
program     the trees of operations are the same, with elements in place of values of axes
bounds      an element read is one of the temporary's
axis        it is the value of the same expression at that point
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import substitute, symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.rewrite import Again, Counted
from isamap_smt.ir.scalar import Cast, Compare, IndexValue, Read, Round, Saturate, Scalar
from isamap_smt.ir.typed import ends, holds, literal_kind, type_of, typed_value
from isamap_smt.proof.program_sites import equal, span
from isamap_smt.proof.rewrite_book import RewriteBook, at_point
from isamap_smt.proof.rewrite_temporaries import each_once, written_and_read


@dataclass(frozen=True)
class _Met:
    """An element in place of a value. kind: the value's type there.

    compared: the whole numbers it is compared with, if with nothing else.
    """

    value: Any
    element: Any
    kind: DType | None
    compared: tuple[Any, ...] = ()


class _AnotherTreeError(Exception):
    """The trees of operations differ."""


def tables(c: RewriteBook) -> None:
    """A temporary for each value: written once, ahead of all its readers, with an expression's value in its type."""
    for r in c.x.roles:
        if not isinstance(r, Counted):
            continue
        written_and_read(c, r)
        each_once(c, r)
        v, kind = c.statement(r).value, c.x.kernel.tensor(r.into).dtype
        right = isinstance(v, Cast) and v.args[0].name == kind.name and isinstance(v.args[1], IndexValue)
        words = f"an element of {r.into} is a whole number converted to {kind}"
        c.structure("scalar", r.into, words, right, f"{r.into} is computed otherwise")


def elements_for_values(c: RewriteBook) -> None:
    """Claims about the elements in place of values, in each statement."""
    for r in c.x.roles:
        if isinstance(r, Again):
            _Numbers(c).statement(r)


class _Numbers:
    """The values of one statement after the other."""

    def __init__(self, c: RewriteBook) -> None:
        self.c = c
        self.tables = {r.into: c.statement(r) for r in c.x.roles if isinstance(r, Counted)}
        self.types = {t.name: t.dtype for t in c.x.kernel.tensors}

    def statement(self, role: Again) -> None:
        """The same operations, with the right elements for values."""
        c, n = self.c, role.of
        old, s = c.x.whole.statements[n], c.statement(role)
        words = "the operations are those of the whole, with elements for values of axes"
        try:
            left, right = typed_value(c.x.whole, old), typed_value(c.x.kernel, s)
            met = tuple(self._met(left, right, self.types[s.target.tensor]))
        except (_AnotherTreeError, DTypeError) as error:
            c.structure("program", f"statement {n + 1}", words, False, str(error) or "it computes something else")
            return
        c.structure("program", f"statement {n + 1}", words, True, "")
        for m in dict.fromkeys(met):
            self._element(n, old, m)

    def _met(self, old: Any, new: Any, kind: DType | None) -> Iterator[_Met]:
        """The values turned into elements, each with its former type: like a literal's, the other operand's."""
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
        c = self.c
        name, subject = m.element.tensor, f"statement {n + 1} {m.value}"
        table = self.tables[name]
        known = at_point(old)
        shape = c.x.kernel.tensor(name).shape
        if len(shape) != len(m.element.index) or symbols_of(m.element.index) - {a.name for a in old.axes} - set(
            c.sizes
        ):
            c.structure("bounds", subject, f"it is an element of {name}", False, "its index is no place there")
            return
        inside = [f for i, e in zip(m.element.index, shape, strict=True) for f in span(i, e)]
        c.ask("bounds", subject, f"it is an element of {name}", known, inside or [("and",)])
        at = {i.name: e for i, e in zip(table.target.index, m.element.index, strict=True)}
        there = substitute(table.value.args[1].args[0], at)
        goals = equal([there], [m.value]) if sp.expand(there - m.value) != 0 else [("and",)]
        c.ask("axis", subject, f"the element of {name} is the value at this point", known, goals)
        kind = self.types[name]
        if m.compared:
            values = [v.args[0] if isinstance(v, IndexValue) else v for v in m.compared]
            right = all(holds(kind, *ends(v, c.x.whole, old)) for v in values)
            words, wrong = f"{kind} holds all numbers that are compared", f"{kind} does not hold all of both sides"
        else:
            right = m.kind == kind
            words, wrong = f"the value is {kind} there", f"the value is {m.kind} there, and {name} is {kind}"
        c.structure("scalar", subject, words, right, wrong)


__all__ = ["elements_for_values", "tables"]
