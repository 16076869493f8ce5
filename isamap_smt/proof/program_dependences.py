"""Claim 11 between statements: what one statement of the kernel leaves is there before another one uses it.

The kernel runs one statement after the other. So all contributions of earlier statements to an element have reached
memory before a later statement reads that element, or writes it:

- a contribution reaches memory when the accumulator that received it is stored (the outermost one, where one is
  loaded from another), or at once where the statement is computed over memory;
- an element is read when it is copied from memory, or by the statement that is computed over memory.

Covered are tensors whose readers come after all their writers, statements `x = f(x, ...)` that read of their own output
only the element that they write, and recurrences: there "earlier" is the time step first and then the statement, and that no
element is written after it was read is a claim about the kernel. Others are Unknown, unless they are computed over memory
alone: then all their points are compared with the kernel's own order (program_direct).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isamap_encodings.verdict import Proved, Verdict
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_accumulators import Accumulators
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_direct import is_direct, point_by_point
from isamap_smt.proof.program_executions import Execution, execution, executions
from isamap_smt.proof.program_held import Place
from isamap_smt.proof.program_kernel_order import Order, injective, order_of, overwrites
from isamap_smt.proof.program_moments import never_earlier
from isamap_smt.proof.program_scope import Scope
from isamap_smt.proof.program_sites import (
    Formula,
    Site,
    UnrecognisedError,
    equal,
    own_names,
    primed,
    rename,
    state,
)

Scopes = Mapping[tuple[int, ...], Scope]


@dataclass(frozen=True)
class _Use:
    """An element of an output in memory that is read, or that a later statement writes."""

    site: Site
    element: tuple[object, ...]
    where: tuple[Formula, ...]
    words: str
    point: Mapping[str, Any] = field(default_factory=dict)
    order: Order = field(default_factory=Order)


def dependence_claims(book: Book, touched: Sequence[Access], accumulators: Accumulators, scopes: Scopes) -> None:
    """The claim, for every output of the kernel."""
    found = [
        book.attempt("order", "", "the executions are recognised", lambda s=s: execution(book.sites, s))
        for s in executions(book.sites)
    ]
    if any(e is None for e in found):
        return
    for tensor in book.sites.kernel.outputs:
        words = f"{tensor} is complete before it is used"
        book.attempt(
            "order", tensor, words,
            lambda t=tensor: _tensor(book, t, [e for e in found if e is not None], touched, accumulators, scopes),
        )  # fmt: skip


def _tensor(
    book: Book,
    tensor: str,
    found: Sequence[Execution],
    touched: Sequence[Access],
    accumulators: Accumulators,
    scopes: Scopes,
) -> None:
    kernel = book.sites.kernel
    writers = [n for n, s in enumerate(kernel.statements) if s.target.tensor == tensor]
    direct = is_direct(tensor, touched)
    try:
        verdicts = _read_when_complete(book, tensor, writers, found)
    except UnrecognisedError:
        if not direct:
            raise
        verdicts = None
    if verdicts is None or (direct and not all(isinstance(v, Proved) for _, v in verdicts)):
        point_by_point(book, tensor, found)
        return
    for words, verdict in verdicts:
        if not isinstance(book.note("order", tensor, words, verdict), Proved):
            return  # whether a copy is taken too early depends on who reads it
    _not_from_accumulators(tensor, touched, accumulators)
    for n in writers:
        mine = [e for e in found if e.position == n]
        for use in _later(book.sites.kernel, tensor, n, writers, found, touched, accumulators):
            for e in mine:
                _before(book, e, use, accumulators, scopes)


def _read_when_complete(
    book: Book, tensor: str, writers: Sequence[int], found: Sequence[Execution]
) -> list[tuple[str, Verdict]]:
    """That the kernel assigns each element of the tensor once and reads it complete, or in place: what is asked for it, with the
    verdicts. Raises UnrecognisedError where it plainly does not."""
    kernel = book.sites.kernel
    for n in writers:
        if kernel.statements[n].op == "=" and not injective(kernel.statements[n]):
            raise UnrecognisedError(f"{tensor} is assigned more than once, so the order of its values matters")
    verdicts: list[tuple[str, Verdict]] = []
    for n, s in enumerate(kernel.statements):
        for access in dict.fromkeys(a for a in s.inputs if a.tensor == tensor):
            if access == s.target:
                _in_place(s, [e for e in found if e.position == n], n)
                continue
            for q in [q for w in writers if (q := overwrites(kernel, n, access, w)) is not None]:
                verdicts.append((q.words, book.looked_at("order", tensor, q.words, q.given, [("or",)])))
                if not isinstance(verdicts[-1][1], Proved):
                    return verdicts
    return verdicts


def _in_place(s: Statement, found: Sequence[Execution], n: int) -> None:
    if s.op != "=":
        raise UnrecognisedError(f"statement {n + 1} reads the element that it adds to")
    for e in found:
        taken = [p for a, p in e.inputs if a == s.target]
        if not e.by_element or e.target.home is not None or any(p.home is not None for p in taken):
            raise UnrecognisedError(f"statement {n + 1} works in place, and not on {s.target.tensor} itself")


def _not_from_accumulators(tensor: str, touched: Sequence[Access], accumulators: Accumulators) -> None:
    computed = [a.place for a in touched if a.transfer is None and not a.writes and a.place.held.tensor == tensor]
    for p in computed:
        if accumulators.is_accumulator(p.home):
            raise UnrecognisedError(f"{p.name} is read before it is stored to {tensor}")


def _later(
    kernel: Kernel, tensor: str, n: int, writers: Sequence[int], found: Sequence[Execution],
    touched: Sequence[Access], accumulators: Accumulators,
) -> Iterator[_Use]:  # fmt: skip
    """What must come after statement n: copies of the tensor out of memory, later executions that read or write it."""
    for a in touched:
        if a.writes or a.place.home is not None or a.place.name != tensor:
            continue
        if a.transfer is not None and accumulators.is_copy(a.transfer.dst.home):
            yield _Use(a.site, a.place.index, (a.where,), "is copied")
    for e in found:
        order = order_of(kernel, n, e.position)
        if order is None:
            continue
        for access, p in e.inputs:
            if access.tensor == tensor and p.home is None and access != e.statement.target:
                yield _Use(e.site, p.index, (e.live,), f"is read by statement {e.position + 1}", e.point, order)
        if e.position in writers and e.position != n:
            where = (e.live, *e.inside())
            yield _Use(e.site, tuple(e.output), where, f"is written by statement {e.position + 1}", e.point, order)


def _before(book: Book, e: Execution, use: _Use, accumulators: Accumulators, scopes: Scopes) -> None:
    """No use of an element comes before a contribution to it has reached memory, at any depth of the shared loops."""
    home, settled = _settled(e.target, accumulators, scopes)
    anchor = e.site if home is None else home
    again = primed([x.var.name for x in use.site.loops] + own_names(use.site.node))
    given = [*state(e.site), e.live, *e.inside(), *rename([*state(use.site), *use.where], again)]
    given += equal(e.output, [rename(i, again) for i in use.element])
    given += use.order.holds(e.point, {a: rename(v, again) for a, v in use.point.items()})
    tensor = e.statement.target.tensor
    about = f"every contribution {place(e.site)} to an element of {tensor} has reached memory before it {use.words}"
    never_earlier(book, "order", tensor, about, (anchor, settled), given, use.site)


def _settled(target: Place, accumulators: Accumulators, scopes: Scopes) -> tuple[Site | None, int]:
    """The outermost accumulator on the way to memory and the statement of its body that stores it last."""
    home: Site | None = target.home
    while home is not None:
        scope = scopes.get(home.position)
        if scope is None or not accumulators.is_accumulator(home) or not scope.stores:
            raise UnrecognisedError(f"how {target.name} reaches memory is not recognised")
        outer = scope.stores[0].dst.home
        if outer is None:
            return home, scope.settled
        home = outer
    return None, -1
