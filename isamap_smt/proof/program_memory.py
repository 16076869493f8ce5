"""Claims 12 and 14: registers are fixed, buffers are sized once, every number fits 64 bits, nothing is vacuous.

memory      register indices are constants once the unrolled loops are unrolled; a heap buffer's shape depends on
            sizes only; the magnitude of every index, counter and byte offset is below a polynomial in the sizes,
            compared with 2**63 by the entry check
hypotheses  every divisor is positive in its place; no statement's context is a contradiction
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import consistent
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.expr import (
    WIDEST,
    Element,
    FloorDiv,
    FloorMod,
    IMax,
    IMin,
    Inside,
    ISelect,
    elements,
    expanded,
    is_constant,
    shown,
    substitute,
    sym,
    symbols_of,
)
from isamap_smt.ir.hypotheses import Fits
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    Ask,
    Buffer,
    Command,
    Compute,
    Copy,
    If,
    Move,
    Point,
    Program,
    Unrolled,
    Use,
)
from isamap_smt.ir.program_at import instances
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_sites import (
    Site,
    Sites,
    UnrecognisedError,
    asked_for,
    collect,
    own_spans,
    refs,
    state,
)

LIMIT = 2**63
# |a*v| and |b| are at most 4 and 3 times the largest |a*v + b| for v from 1 to two or more; three such factors stand in an offset
OPEN = 8**3


def memory_claims(book: Book) -> None:
    """Both claims."""
    for site in book.sites.of(Alloc):
        _shape(book, site)
    for site in book.sites.of(Use):
        _constant_registers(book, site)
    loops = (x for s in book.sites.sites for x in s.loops)
    for x in {(x.var.name, shown(x.count)): x for x in loops if isinstance(x, Unrolled)}.values():
        fixed = is_constant(sp.sympify(x.count))
        book.structure(
            "memory", x.var.name, "an unrolled loop has a fixed count", fixed, f"{x.var.name} runs to {x.count}"
        )
    book.attempt("memory", "", "every number fits 64 bits", lambda: _fits(book))
    _divisors(book)
    _contexts(book)


def _shape(book: Book, site: Site) -> None:
    b: Buffer = site.node.buffer  # type: ignore[union-attr]
    if b.memory == "registers":
        right = all(is_constant(sp.sympify(e)) and int(e) >= 1 for e in b.shape)
        book.structure("memory", b.name, "the number of registers is fixed", right, f"{b.name} has shape {b.shape}")
        return
    loose = symbols_of(map(sp.sympify, b.shape)) - set(book.sites.sizes)
    book.structure(
        "memory", b.name, "the buffer's shape depends on sizes only", not loose and b.memory == "heap",
        f"{b.name} has shape {b.shape} in {b.memory}",
    )  # fmt: skip


def _constant_registers(book: Book, site: Site) -> None:
    unrolled = {x.var.name for x in site.loops if isinstance(x, Unrolled)}
    for r in refs(site.node):
        b = site.buffer(r.name)
        if b is not None and b.memory == "registers" and not (isinstance(site.node, Move) and r is site.node.memory):
            loose = symbols_of(map(sp.sympify, r.index)) - unrolled
            book.structure(
                "memory", r.name, "a register is named by unrolled loops only", not loose,
                f"{r.name}{list(r.index)} depends on {', '.join(sorted(loose))}",
            )  # fmt: skip


# ---- 64 bits -------------------------------------------------------------------------------------------------------


class _Magnitude:
    """Bounds on absolute values, as polynomials with coefficients >= 0 in the sizes, all >= 1, and in |parameters|.

    Where no size is free they are numbers of Python, which are added and compared in no time.
    """

    def __init__(self, sites: Sites, site: Site) -> None:
        self.sizes = _sizes(sites)
        self.types = {t.name: t.dtype for t in sites.kernel.tensors}
        self.variables: dict[str, Any] = {}
        self.seen: list[Any] = []
        self._known: dict[Any, Any] = {}
        for x in site.loops:
            self.variables[x.var.name] = self.count(sp.sympify(x.count))
        for v, n in own_spans(site.node):
            self.variables[v.name] = self.count(sp.sympify(n))

    def of(self, e: Any) -> Any:
        """|e| <= the result; `seen` collects the results for all parts computed in C on the way."""
        e = sp.sympify(e)
        if e not in self._known:
            self._known[e] = _expanded(self._of(e))
            self.seen.append(self._known[e])
        return self._known[e]

    def _of(self, e: Any) -> Any:
        if e.is_Integer:
            return abs(int(e))
        if e.is_Symbol:
            if e == FRESH:
                return 1
            if e.name in self.sizes:
                return self.sizes[e.name]
            if e.name not in self.variables:
                raise UnrecognisedError(f"nothing bounds {e.name}")
            return self.variables[e.name]
        if isinstance(e, Element):
            for i in e.index:
                self.of(i)
            return min(WIDEST, 1 << self.types[e.tensor].bits)
        if isinstance(e, Inside):
            self.of(e.args[0])
            return self.of(e.args[1])
        if isinstance(e, ISelect):
            return most([self.of(a) for a in e.args][2:])
        parts = [self.of(a) for a in e.args]
        match e:
            case sp.Add():
                return sum(parts)
            case sp.Mul():
                return prod(parts)
            case sp.Pow():
                return sp.sympify(parts[0]) ** e.args[1]
            case FloorDiv():
                return (_over(parts[0], e.args[1]) if e.args[1].is_Integer else parts[0]) + 1
            case FloorMod():
                return parts[1]
            case IMin() | IMax():
                return most(parts)
        raise UnrecognisedError(f"no magnitude for {e}")

    def count(self, e: Any) -> Any:
        """A bound on a loop's variable, limited only by an upper bound of the count."""
        self.of(e)
        return _expanded(self._above(e))

    def _above(self, e: Any) -> Any:
        match e:
            case IMin():
                fixed = [a for a in e.args if a.is_Integer]
                return abs(int(fixed[0])) if fixed else self.of(e)
            case FloorDiv() if e.args[1].is_Integer:
                return _over(self._above(e.args[0]), e.args[1]) + 1
            case sp.Add():
                return sum(self._above(a) for a in e.args)
        return self.of(e)


def _expanded(bound: Any) -> Any:
    return bound if isinstance(bound, int | Fraction) else expanded(bound)


def _over(bound: Any, divisor: Any) -> Any:
    return Fraction(bound) / int(divisor) if isinstance(bound, int | Fraction) else bound / divisor


def most(polynomials: list[Any]) -> Any:
    """One polynomial above all: the larger coefficient of every monomial. Holds since sizes are >= 1.

    >>> most([sp.Integer(2), sp.Integer(3)])
    3
    """
    if all(isinstance(p, int | Fraction) for p in polynomials):
        return max(0, *polynomials)
    return _most(tuple(dict.fromkeys(map(sp.sympify, polynomials))))


@lru_cache(maxsize=20_000)
def _most(polynomials: tuple[Any, ...]) -> Any:
    table: dict[Any, Any] = {}
    for p in polynomials:
        for term in sp.Add.make_args(sp.expand(p)):
            c, monomial = term.as_coeff_Mul()
            table[monomial] = max(table.get(monomial, sp.S.Zero), c)
    return sp.Add(*[c * m for m, c in table.items()])


@lru_cache(maxsize=64)
def entry_bound(program: Program) -> Any:
    """A polynomial in the free sizes: while it is below 2**63, no index, counter or byte offset overflows int64.

    With machine parameters, the C computes terms apart, such as 4*VL - 8, though they are one number at each value.
    Each such term stays below OPEN times the largest bound at some value.
    """
    if not program.parameters or program.machine:
        return (_known(program) or [bound_of(collect(program))])[0]
    return sp.expand(OPEN * most([entry_bound(p) for p in instances(program)]))


def _sizes(sites: Sites) -> dict[str, Any]:
    """Sizes and parameters without their signs."""
    below = {p.name for p in sites.kernel.parameters if p.low < 0}
    return {n: IMax(sym(n), -sym(n)) if n in below else sym(n) for n in sites.sizes}


def bound_of(sites: Sites) -> Any:
    """The same for sites already collected."""
    known = _known(sites.program)
    if not known:
        known.append(_bound_of(sites))
    return known[0]


@per_object(most=256)
def _known(program: Program) -> list[Any]:
    """A list for the program's bound, cached once found: the proof asks for it, and so does the printer."""
    return []


def _bound_of(sites: Sites) -> Any:
    found: list[Any] = [1]
    for t in sites.kernel.tensors:
        size = sp.expand(substitute(sp.Mul(*_positive(t.shape)) * t.dtype.bytes, _sizes(sites)))
        found.append(int(size) if size.is_Integer else size)
    for site in sites.sites:
        m = _Magnitude(sites, site)
        for e in _expressions(sites, site):
            m.of(e)
        found += [most(m.seen)] if m.seen else []
    return sp.sympify(most(found))


def _positive(shape: tuple[Any, ...]) -> list[Any]:
    """Extents with every coefficient made positive: a bound on them, since sizes are >= 1."""
    positive = []
    for e in shape:
        terms = [abs(c) * m for c, m in (t.as_coeff_Mul() for t in sp.Add.make_args(sp.expand(sp.sympify(e))))]
        positive.append(sp.Add(*terms))
    return positive


def _expressions(sites: Sites, site: Site) -> Iterator[Any]:
    """Every number computed in C at a statement, offsets in bytes included."""
    node = site.node
    for n in site.around:
        yield from (a for c in n.condition for a in getattr(c, "args", ())) if isinstance(n, If) else (n.trips,)
    if isinstance(node, Alloc):
        yield sp.Mul(*node.buffer.shape) * node.buffer.dtype.bytes
    if isinstance(node, Copy):
        yield from (a for g in node.where for a in getattr(g, "args", ()))
        yield from _form(node)
    if isinstance(node, Ask):
        yield node.number
    if isinstance(node, Move):
        yield from node.counted
        yield from (p.distance for p in node.prefetch)
    for r in (*refs(node), *asked_for(node)):
        b = site.buffer(r.name)
        where = sites.kernel.tensor(r.name) if b is None else b
        offset: Any = sp.S.Zero
        for i, n in zip(r.index, where.shape, strict=False):
            offset = offset * _positive((n,))[0] + sp.sympify(i)
        yield offset * where.dtype.bytes
        yield from r.index


def _form(copy: Copy) -> Iterator[Any]:
    """The further numbers of a copy in tiles."""
    if copy.form is None:
        return
    yield from (a for g in copy.form.whole or () for a in getattr(g, "args", ()))
    if copy.form.block is not None:
        yield from (x for x in (copy.form.block.to_row, copy.form.block.from_row) if x is not None)
        yield from (x for _, x in copy.form.block.cut or ())


def _fits(book: Book) -> None:
    bound = bound_of(book.sites)
    words = "every index, counter and byte offset fits 64 bits"
    if is_constant(bound) or not symbols_of([bound]):
        right = bound < LIMIT
        book.structure("memory", "", words, bool(right), f"a number may reach {bound}")
        return
    fits = Fits(bound)
    book.hypotheses[fits] = None
    book.note("memory", "", f"{words} while {fits} (checked at entry)", Proved())


# ---- hypotheses ------------------------------------------------------------------------------------------------------


def _divisors(book: Book) -> None:
    """Divisors of every expression are positive, under the sizes' hypotheses alone; elements in indices are inputs."""
    found: dict[Any, None] = {}
    indices: dict[Any, None] = {}
    for site in book.sites.sites:
        for e in _everything(book.sites, site):
            indices |= dict.fromkeys(elements([e]))
            for d in sp.sympify(e).atoms(FloorDiv, FloorMod):
                found[d.args[1]] = None
    for e in indices:
        # to every formula it is a function of its place, at any time
        right, wrong = e.tensor in book.sites.kernel.inputs, f"{e.tensor} is written"
        book.structure("hypotheses", str(e), "what an index is made of does not change", right, wrong)
    for d in found:
        if not (d.is_Integer and d > 0):
            book.ask("hypotheses", str(d), f"the divisor {d} is positive", [], [("lt", sp.S.Zero, d)])


def _everything(sites: Sites, site: Site) -> Iterator[Any]:
    yield from _expressions(sites, site)
    node = site.node
    if isinstance(node, Alloc):
        yield from node.buffer.type.coordinates
        yield from (a for g in node.buffer.type.guard for a in getattr(g, "args", ()))
    if isinstance(node, Compute | Point | Command):
        yield from (e for _, e in node.point)
    yield from (n for _, n in own_spans(node))


def _contexts(book: Book) -> None:
    """No proof about a statement is vacuous: its context can be met, or it never runs."""
    asked: set[tuple[Any, ...]] = set()
    for site in book.sites.sites:
        context = (*book.sites.hypotheses, *state(site))
        if context in asked:
            continue
        asked.add(context)
        verdict = consistent(context, book.sites.sizes, "hypotheses")
        words = f"the ranges {place(site)} can be met"
        if isinstance(verdict, Refuted):
            verdict, words = Proved(verdict.seconds), f"what stands {place(site)} never runs at these sizes"
        book.note("hypotheses", "", words, verdict)
