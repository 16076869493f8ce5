"""Claim 11 between statements: a later statement of the kernel finds all contributions of the earlier ones.

The kernel runs one statement after the other. So all contributions of earlier statements to an element have reached
memory before a later statement reads that element, or writes it:

- a contribution reaches memory when its accumulator is stored (the outermost one, if one is loaded from another), or at
  once if the statement is computed over memory;
- an element is read when it is copied from memory, or by a statement computed over memory.

Covered are tensors with all readers after all writers, statements `x = f(x, ...)` that read of their own output only
the element they write, and recurrences. In a recurrence "earlier" is the time step first and then the statement; it is
a claim about the kernel that no element is written after its read. Others are Unknown, unless they are computed over
memory alone: then all their points are compared with the kernel's own order (program_direct).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isamap_encodings.verdict import Proved, Verdict
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.program import Alloc, Compute, If, Loop, Move, Parallel, Unrolled
from isamap_smt.ir.traversal import walk
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_accumulators import Accumulators
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_executions import Execution, execution, executions
from isamap_smt.proof.program_held import Place
from isamap_smt.proof.program_kernel_order import (
    Order,
    axes_in_order,
    injective,
    lexicographic,
    order_of,
    overwrites,
    precedes,
)
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

# ---- Claim 8: no iteration of a parallel loop, of one that can run backwards, or of one whose iterations take turns,
# reads or writes what another one writes.
#
# Buffers declared inside the loop are private to an iteration. For every other write inside it, two iterations are
# compared with every access to the same tensor or buffer: at different values of the loop's variable (and any values of
# the loops inside it) they are at different elements.
#
# No register lives across a loop shared by threads: each thread has its own registers, and gives back the ones it
# configured (AMX). If iterations take turns, they move and compute on registers, and do nothing else.


def parallel_claims(book: Book, touched: Sequence[Access]) -> None:
    """The claim for every such loop of the program, over everything the program touches."""
    for position, loop in _reordered(book):
        if isinstance(loop, Parallel):
            _no_register_around(book, loop, position)
        if isinstance(loop, Unrolled):
            _takes_turns(book, loop)
        inside = [a for a in touched if a.site.position[: len(position)] == position]
        shared = [a for a in inside if a.place.home is None or a.place.home.position[: len(position)] != position]
        done: set[tuple[int, int]] = set()
        for n, a in enumerate(shared):
            for m, b in enumerate(shared):
                if a.writes and (m, n) not in done and _same(a, b):
                    done.add((n, m))
                    book.attempt(
                        "disjoint", a.place.name, f"iterations of {loop.var.name} do not meet",
                        lambda a=a, b=b, loop=loop, p=position: _apart(book, loop, p, a, b),
                    )  # fmt: skip


def _takes_turns(book: Book, loop: Unrolled) -> None:
    """A woven loop holds nothing but steps of moves and executions.

    A register with a number would be the same one in every iteration, so no buffer of the loop has a number.
    """
    others = [
        n
        for n, _ in walk(loop.body)
        if not (
            isinstance(n, If)
            or (isinstance(n, Unrolled) and n.woven)
            or (isinstance(n, Alloc) and n.buffer.memory == "registers" and n.buffer.first is None)
            or isinstance(n, Move | Compute)
        )
    ]
    found = f"{loop.var.name} is no unrolled loop of moves and executions alone"
    book.structure("disjoint", loop.var.name, f"iterations of {loop.var.name} can take turns", not others, found)


def _no_register_around(book: Book, loop: Parallel, position: tuple[int, ...]) -> None:
    for s in book.sites.sites:
        if s.position[: len(position)] == position:
            for name, home in s.visible.items():
                buffer = s.buffer(name)
                if buffer and buffer.memory == "registers" and home.position[: len(position)] != position:
                    words = f"no register lives across {loop.var.name}, which threads share"
                    found = f"the register {name} lives across {loop.var.name}, which threads share"
                    book.structure("disjoint", name, words, False, found)
            return


def _reordered(book: Book) -> list[tuple[tuple[int, ...], Loop]]:
    """Each loop whose iterations need not run in order, with its position."""
    found: dict[tuple[int, ...], Loop] = {}
    for s in book.sites.sites:
        for n, x in enumerate(s.around):
            if isinstance(x, Loop) and x.unordered:
                found[s.position[: n + 2]] = x
    return sorted(found.items())


def _same(a: Access, b: Access) -> bool:
    return a.place.name == b.place.name and a.place.home is b.place.home


def _apart(book: Book, loop: Loop, position: tuple[int, ...], a: Access, b: Access) -> None:
    words = f"two iterations of {loop.var.name} never touch the same element of {a.place.name}"
    held = a.place.home is not None and a.site.buffer(a.place.name).memory == "registers"  # type: ignore[union-attr]
    if held and not isinstance(loop, Unrolled):
        book.structure(
            "disjoint", a.place.name, words, False, f"iterations of {loop.var.name} share the register {a.place.name}"
        )
        return
    outside = len(position) - 2
    inner = [x.var.name for x in b.site.around[outside:] if isinstance(x, Loop)] + own_names(b.site.node)
    again = primed(inner)
    given = [*state(a.site), a.where, *rename([*state(b.site), b.where], again)]
    given += equal(a.place.index, [rename(i, again) for i in b.place.index])
    book.ask("disjoint", a.place.name, words, given, [("eq", loop.var, again[loop.var.name])])


# ---- Claim 11 for one statement: an `ordered` floating-point reduction adds to each element in the order of the
# kernel's axes.
#
# Two executions that add to one output element are compared: if the loops put one first, its point comes first in the
# kernel's own order. Lanes of one execution add to elements of their own (exclusive), so they need no order.


_WORDS = "each element receives its points in the order of the kernel's axes"


def order_claims(book: Book) -> None:
    """The claim, for floating-point sums or products in a fixed order."""
    for position, s in enumerate(book.sites.kernel.statements):
        dtype = book.sites.kernel.tensor(s.target.tensor).dtype
        if s.ordered and dtype.is_float and s.op in ("+", "*"):
            book.attempt("order", "", _WORDS, lambda n=position: _order(book, n))


def _order(book: Book, position: int) -> None:
    found = [e for e in (execution(book.sites, s) for s in executions(book.sites)) if e.position == position]
    if len(found) != 1:
        raise UnrecognisedError(f"{len(found)} places compute the statement; their order is proved for one")
    for depth in range(len(found[0].site.loops)):
        _one_loop(book, found[0], depth)


def _one_loop(book: Book, e: Execution, position: int) -> None:
    """An earlier iteration of this loop, at equal values of the loops around it, holds earlier points."""
    loops, s, target = e.site.loops, e.statement, e.output
    again = primed([x.var.name for x in loops[position:]] + e.lanes)
    here = [*state(e.site), e.live, *e.inside()]
    given = [*here, *rename(here, again), *(("eq", i, rename(i, again)) for i in target)]
    var = loops[position].var
    given.append(("lt", var, again[var.name]))
    axes = axes_in_order(book.sites.kernel, e.position)
    points = [(e.point[a], rename(e.point[a], again)) for a in axes]
    about = f"{_WORDS}: along {loops[position].var}"
    book.ask("order", s.target.tensor, about, given, [lexicographic(points)])


# ---- Claim 11 for tensors that statements compute over memory alone: whoever touches an element does so in the
# kernel's order.
#
# No accumulator stands for such a tensor and no buffer holds a copy of it: each point reads and writes memory at one
# moment, its own. So one condition is enough: two points of the kernel on one element, at least one of them a write, run
# in the kernel's order. Then every point reads the same value as in the kernel, and the kernel's last value is left in
# the end. The kernel itself is free: it may assign an element twice, or read an element that it writes later. Points of
# one statement that add to an element and read nothing of the tensor may come in any order (program_order asks for the
# order of an `ordered` sum).


def is_direct(tensor: str, touched: Sequence[Access]) -> bool:
    """Whether the tensor is touched by statements computed over memory, and by nothing else."""
    return all(
        a.transfer is None and a.place.home is None and a.computed for a in touched if a.place.held.tensor == tensor
    )


def point_by_point(book: Book, tensor: str, found: Sequence[Execution]) -> None:
    """The claim, for every pair of places in the program that touch the tensor."""
    for e in found:
        for f in found:
            for mine, other, words in _conflicts(tensor, e, f):
                again = primed(x.var.name for x in f.site.loops)
                order = precedes(
                    book.sites.kernel,
                    e.position,
                    e.point,
                    f.position,
                    {a: rename(v, again) for a, v in f.point.items()},
                )
                if order is None:
                    continue
                given = [*state(e.site), *e.inside(), *rename([*state(f.site), *f.inside()], again), order]
                given += equal(mine, [rename(i, again) for i in other])
                about = (
                    f"an element of {tensor} is {words}, in the kernel's order ({place(e.site)}, then {place(f.site)})"
                )
                never_earlier(book, "order", tensor, about, (e.site, -1), given, f.site)


def _conflicts(tensor: str, e: Execution, f: Execution) -> Iterator[tuple[Sequence[Any], Sequence[Any], str]]:
    """(element of e, element of f, words) for pairs of accesses to the tensor, first e, then f; one of them writes."""
    alike = e.position == f.position and e.statement.op != "=" and not _reads(tensor, e)
    first, second = _touches(tensor, e), _touches(tensor, f)
    for mine, writes in first:
        for other, changes in second:
            if (writes or changes) and not alike:
                done, then = ("written" if w else "read" for w in (writes, changes))
                yield (
                    mine,
                    other,
                    (f"{done} by statement {e.position + 1} before it is {then} by statement {f.position + 1}"),
                )


def _touches(tensor: str, e: Execution) -> list[tuple[tuple[Any, ...], bool]]:
    """(element, whether it is written)."""
    written = [(e.target.index, True)] if e.target.name == tensor else []
    return [*written, *((i, False) for i in dict.fromkeys(_reads(tensor, e)))]


def _reads(tensor: str, e: Execution) -> list[tuple[Any, ...]]:
    return [p.index for _, p in e.inputs if p.name == tensor]


Scopes = Mapping[tuple[int, ...], Scope]


@dataclass(frozen=True)
class _Use:
    """An element of an output in memory, read here, or written by a later statement."""

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
    """Claims with verdicts: the kernel assigns each element of the tensor once, and reads it complete, or in place.

    Raises UnrecognisedError if it plainly does not.
    """
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
    """Uses that come after statement n: copies of the tensor out of memory, later executions that read or write it."""
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
    """The outermost accumulator on the way to memory and the last statement of its body to store it."""
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
