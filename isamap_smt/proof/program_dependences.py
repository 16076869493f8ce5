"""Claim 11 between statements: what one statement of the kernel leaves is there before another one uses it.

The kernel runs one statement after the other. So all contributions of earlier statements to an element have reached
memory before a later statement reads that element, or writes it:

- a contribution reaches memory when the accumulator that received it is stored (the outermost one, where one is
  loaded from another), or at once where the statement is computed over memory;
- an element is read when it is copied from memory, or by the statement that is computed over memory.

Covered are tensors whose readers come after all their writers, and statements `x = f(x, ...)` that read of their own
output only the element that they write. Others (recurrences) are Unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.program import Compute, Loop
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_executions import Execution, execution, executions
from isamap_smt.proof.program_held import Place
from isamap_smt.proof.program_holders import Holders
from isamap_smt.proof.program_scope import Scope
from isamap_smt.proof.program_sites import (
    Formula,
    Site,
    UnrecognisedError,
    common,
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


def dependence_claims(book: Book, touched: Sequence[Access], holders: Holders, scopes: Scopes) -> None:
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
            lambda t=tensor: _tensor(book, t, [e for e in found if e is not None], touched, holders, scopes),
        )  # fmt: skip


def _tensor(
    book: Book, tensor: str, found: Sequence[Execution], touched: Sequence[Access], holders: Holders, scopes: Scopes
) -> None:
    statements = book.sites.kernel.statements
    writers = [n for n, s in enumerate(statements) if s.target.tensor == tensor]
    readers = [n for n, s in enumerate(statements) if any(a.tensor == tensor for a in s.inputs)]
    for n in writers:
        _assigned_once(statements[n], tensor)
    for n in readers:
        if n in writers:
            _in_place(statements[n], [e for e in found if e.position == n], n)
        elif n < max(writers):
            raise UnrecognisedError(f"statement {n + 1} reads {tensor}, which statement {max(writers) + 1} writes")
    _not_from_accumulators(tensor, touched, holders)
    for n in writers:
        mine = [e for e in found if e.position == n]
        for use in _later(tensor, n, writers, found, touched, holders):
            for e in mine:
                _before(book, e, use, holders, scopes)


def _assigned_once(s: Statement, tensor: str) -> None:
    """`=` gives an element one value: its index is the statement's axes, in any order."""
    names = [getattr(i, "name", None) for i in s.target.index]
    if s.op == "=" and sorted(map(str, names)) != sorted(a.name for a in s.axes):
        raise UnrecognisedError(f"{tensor} is assigned more than once, so the order of its values matters")


def _in_place(s: Statement, found: Sequence[Execution], n: int) -> None:
    own = [a for a in s.inputs if a.tensor == s.target.tensor]
    if s.op != "=" or any(a.index != s.target.index for a in own):
        raise UnrecognisedError(f"statement {n + 1} reads other elements of its own output")
    for e in found:
        taken = [p for a, p in e.inputs if a.tensor == s.target.tensor]
        if not isinstance(e.site.node, Compute) or e.target.home is not None or any(p.home is not None for p in taken):
            raise UnrecognisedError(f"statement {n + 1} works in place, and not on {s.target.tensor} itself")


def _not_from_accumulators(tensor: str, touched: Sequence[Access], holders: Holders) -> None:
    computed = [a.place for a in touched if a.transfer is None and not a.writes and a.place.held.tensor == tensor]
    for p in computed:
        if holders.is_accumulator(p.home):
            raise UnrecognisedError(f"{p.name} is read before it is stored to {tensor}")


def _later(
    tensor: str, n: int, writers: Sequence[int], found: Sequence[Execution], touched: Sequence[Access], holders: Holders
) -> Iterator[_Use]:
    """What must come after statement n: copies of the tensor out of memory, later statements that read or write it."""
    for a in touched:
        if a.writes or a.place.home is not None or a.place.name != tensor:
            continue
        if a.transfer is not None and holders.is_copy(a.transfer.dst.home):
            yield _Use(a.site, a.place.index, (a.where,), "is copied")
    for e in found:
        if e.position == n:
            continue
        if e.position not in writers:
            for p in (p for access, p in e.inputs if access.tensor == tensor and p.home is None):
                yield _Use(e.site, p.index, (e.live,), f"is read by statement {e.position + 1}")
        elif e.position > n:
            yield _Use(e.site, tuple(e.output), (e.live, *e.inside()), f"is written by statement {e.position + 1}")


def _before(book: Book, e: Execution, use: _Use, holders: Holders, scopes: Scopes) -> None:
    """No use of an element comes before a contribution to it has reached memory, at any depth of the shared loops."""
    home, settled = _settled(e.target, holders, scopes)
    anchor = e.site if home is None else home
    shared = common(anchor, use.site)
    again = primed([x.var.name for x in use.site.loops] + own_names(use.site.node))
    given = [*state(e.site), e.live, *e.inside(), *rename([*state(use.site), *use.where], again)]
    given += equal(e.output, [rename(i, again) for i in use.element])
    around = [x for x in anchor.around[: max(0, shared - 1)] if isinstance(x, Loop)]
    tensor = e.statement.target.tensor
    about = f"every contribution {place(e.site)} to an element of {tensor} has reached memory before it {use.words}"
    for x in around:
        other = again[x.var.name]
        wrong: Formula = ("ne", x.var, other) if x.kind == "parallel" else ("lt", other, x.var)
        book.ask("order", tensor, f"{about}: along {x.var}", [*given, wrong], [("or",)])
        given.append(("eq", x.var, other))
    if not _stands_before(anchor, settled, use.site, shared):
        book.ask("order", tensor, about, given, [("or",)])


def _settled(target: Place, holders: Holders, scopes: Scopes) -> tuple[Site | None, int]:
    """The outermost accumulator on the way to memory and the statement of its body that stores it last."""
    home: Site | None = target.home
    while home is not None:
        scope = scopes.get(home.position)
        if scope is None or not holders.is_accumulator(home) or not scope.stores:
            raise UnrecognisedError(f"how {target.name} reaches memory is not recognised")
        outer = scope.stores[0].dst.home
        if outer is None:
            return home, scope.settled
        home = outer
    return None, -1


def _stands_before(anchor: Site, settled: int, use: Site, shared: int) -> bool:
    """Whether the contribution is in memory when the use runs, at equal values of the loops they share."""
    body = len(anchor.position) - 1
    if settled >= 0 and shared >= body:
        return settled < use.position[body]
    return anchor.position < use.position
