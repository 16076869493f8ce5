"""Claims 10 and 18 for reductions begun in an accumulator: no contribution is lost, and no unwritten memory is used.

A program may set accumulators to the reduction's start (0, or the least value for a maximum) instead of loading them
(Program.starts): always for temporaries, and for outputs in calls with FRESH = 1. The memory of such a tensor holds
anything before the call. The claims are:

- the number is the start value of the first statement to write the tensor;
- a begun visit is the first of its elements: the loops that only count visits stand at 0, an element is visited at one
  set of values of the others, and any other write of it comes later; so no contribution is lost;
- an element loaded by the first statement's accumulators in such a call was begun and stored at an earlier visit: the
  one with all loops at 0 that the element does not depend on;
- the first statement to add to the tensor does so in accumulators only, never in memory itself;
- each needed element receives an earlier point of the first statement (claim 18). So accumulators of later statements
  may load it: by the second claim it was begun before they store it, and no visit of another accumulator stands between
  their load and their store (claim 10). A temporary may have elements without points (`where k <= q`): then
  accumulators of the first statement stored each element before it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from isamap_encodings.neutral_element import FILLS
from isamap_encodings.verdict import Verdict
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import FRESH, Buffer, Compute, IndexType, Loop, Ref
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_accumulators import Accumulators
from isamap_smt.proof.program_begun import begun_by_points
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_cover import covered
from isamap_smt.proof.program_executions import execution, executions
from isamap_smt.proof.program_held import TRUE, Transfer, place_of
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


def start_claims(
    book: Book, transfers: Sequence[Transfer], touched: Sequence[Access], accumulators: Accumulators,
    scopes: Mapping[tuple[int, ...], Scope],
) -> None:  # fmt: skip
    """Notes all these claims, for every tensor started by the program itself."""
    for tensor in book.sites.program.starts:
        words = f"{tensor} begins in accumulators"
        book.attempt(
            "progress", tensor, words, lambda t=tensor: _tensor(book, t, transfers, touched, accumulators, scopes)
        )  # fmt: skip


def begins(book: Book, t: Transfer) -> bool:
    """Whether a number is put into an accumulator of such a tensor; start_claims() asks about it.

    A zero in any other register is a transfer like others, such as padding for a later statement.
    """
    if t.src is not None or t.dst.home is None or t.dst.held.tensor not in book.sites.program.starts:
        return False
    return any(_adds_to(site) is t.dst.home for site in book.sites.computing())


def _adds_to(site: Site) -> Site | None:
    """The declaration of an execution's accumulator; None if its target is no register."""
    node = site.node
    assert isinstance(node, Compute)
    ref = dict(node.operands).get(node.instruction.kernel.statements[0].target.tensor)
    return None if ref is None else site.visible.get(ref.name)


def _tensor(
    book: Book, tensor: str, transfers: Sequence[Transfer], touched: Sequence[Access], accumulators: Accumulators,
    scopes: Mapping[tuple[int, ...], Scope],
) -> None:  # fmt: skip
    kernel = book.sites.kernel
    first = next((n for n, s in enumerate(kernel.statements) if s.target.tensor == tensor), None)
    right = first is not None and kernel.statements[first].op in FILLS
    wrong = f"{tensor} is no reduction of the kernel"
    number = _begins_at(kernel, first) if right and first is not None else "0"
    if (
        not book.structure("progress", tensor, f"{tensor} begins at {number} in the kernel", right, wrong)
        or first is None
    ):
        return
    found = [execution(book.sites, site) for site in executions(book.sites)]
    direct = any(e.position == first and e.target.home is None for e in found)
    if direct:
        wrong = f"it adds to what the memory of {tensor} holds, which is anything"
        book.structure("progress", tensor, f"statement {first + 1} adds to {tensor} in accumulators only", False, wrong)
    begun: dict[tuple[int, ...], Scope] = {}
    for t in transfers:
        if not begins(book, t) or t.dst.held.tensor != tensor:
            continue
        assert t.dst.home is not None
        scope = scopes.get(t.dst.home.position)
        if scope is None or t not in scope.loads or accumulators.distance(t.dst.home) != 1:
            raise UnrecognisedError(f"{t.dst.name} is begun, and is no accumulator that is loaded from {tensor}")
        begun[scope.site.position] = scope
        words, wrong = f"{scope.name} begins at {number} {place(t.site)}", f"it begins at {t.fill}"
        book.structure("progress", tensor, words, t.fill == number, wrong)
        _zeroed(book, tensor, t, scope, touched)
    for scope in begun.values():
        _apart(book, scope)
    mine = {e.target.home.position for e in found if e.position == first and e.target.home is not None}
    later = {e.target.home.position for e in found if e.position != first and e.target.home is not None} - mine
    for scope in scopes.values():
        for t in (*scope.loads, *scope.added) if scope.site.position not in later else ():
            if t.src is not None and t.src.home is None and t.src.name == tensor:
                _loaded(book, tensor, t, scope)
    mine_first = [s for p, s in scopes.items() if p in mine]
    stored = partial(_stored_before_read, book, tensor, mine_first, touched)
    begun_by_points(book, tensor, first, stored if tensor in kernel.temporaries else None)


def _stored_before_read(
    book: Book, tensor: str, scopes: Sequence[Scope], touched: Sequence[Access]
) -> list[tuple[str, Verdict]]:
    """Claims with verdicts: accumulators of the first statement stored an element of a temporary before its read.

    Only reads that count are claimed.
    """
    stores = [(t.site, t.dst, t.selected) for s in scopes for t in s.stores]
    homes = {s.site.position for s in scopes}
    at = {site.position: execution(book.sites, site) for site in executions(book.sites)}
    verdicts: list[tuple[str, Verdict]] = []
    for a in touched:
        own = a.transfer is not None and a.transfer.dst.home is not None and a.transfer.dst.home.position in homes
        if a.writes or own or a.place.home is not None or a.place.name != tensor:
            continue
        counts = (
            [a.transfer.dst.held.guard] if a.transfer else [at[a.site.position].live, *at[a.site.position].inside()]
        )
        words = f"an element of {tensor} that is read {place(a.site)} was begun and stored before"
        goal = covered(a.site, a.place.index, stores)
        verdicts.append((words, book.looked_at("begun", tensor, words, [*state(a.site), a.where, *counts], [goal])))
    return verdicts


def _begins_at(kernel: Kernel, position: int) -> str:
    """The start value of the statement's reduction."""
    s = kernel.statements[position]
    return str(sp.sympify(neutral(s.op, kernel.tensor(s.target.tensor).dtype)))


def _visits(scope: Scope) -> tuple[list[Loop], list[Loop]]:
    """Loops around an accumulator: (loops its elements depend on, loops that only count visits of them)."""
    held: IndexType = scope.site.node.buffer.type  # type: ignore[union-attr]
    mentioned = symbols_of([*map(sp.sympify, held.coordinates), *held.guard])
    apart = [x for x in scope.site.loops if x.var.name in mentioned]
    return apart, [x for x in scope.site.loops if x.var.name not in mentioned]


def _zeroed(book: Book, tensor: str, t: Transfer, scope: Scope, touched: Sequence[Access]) -> None:
    """The begun visit is the first one of its elements, in a call that adds to nothing; or it adds their old values."""
    live = [*state(t.site), t.dst.held.guard]
    if scope.added:
        added = [(a.site, a.dst, a.selected) for a in scope.added]
        live.append(("not", covered(scope.site, t.dst.index, added, len(scope.site.position) - 1)))
    _, again_and_again = _visits(scope)
    if any(x.unordered for x in again_and_again):
        raise UnrecognisedError(f"visits of one element of {tensor} run in any order")
    goals: list[Formula] = [("eq", x.var, sp.S.Zero) for x in again_and_again]
    goals += [] if tensor in book.sites.kernel.temporaries else [("eq", FRESH, sp.S.One)]
    words = f"{scope.name} is begun {place(t.site)} only where nothing was added to its elements before"
    if goals:
        book.ask("progress", scope.name, words, live, goals)
    for a in touched:
        mine = a.transfer is not None and a.transfer.src is not None and a.transfer.src.home is scope.site
        if mine or not a.writes or a.place.home is not None or a.place.name != tensor:
            continue
        again = primed([x.var.name for x in a.site.loops] + own_names(a.site.node))
        given = [*live, *rename([*state(a.site), a.where], again)]
        given += equal(t.dst.held.coordinates, [rename(i, again) for i in a.place.index])
        about = f"{scope.name} is begun {place(t.site)} before its elements are written {place(a.site)}"
        never_earlier(book, "progress", tensor, about, (scope.site, scope.turn(t.site)), given, a.site)


def _apart(book: Book, scope: Scope) -> None:
    """An element is visited at one set of values of the loops in the accumulator's type, and at no other."""
    buffer: Buffer = scope.site.node.buffer  # type: ignore[union-attr]
    loops, _ = _visits(scope)
    here = place_of(book.sites, scope.site, Ref(buffer.name, buffer.cells), buffer.cells)
    again = primed([x.var.name for x in scope.site.loops] + own_names(scope.site.node))
    live = [*state(scope.site), here.held.guard]
    same = equal(here.held.coordinates, [rename(c, again) for c in here.held.coordinates])
    words = f"{scope.name} stands for other elements wherever {', '.join(x.var.name for x in loops)} are others"
    goals = [("eq", x.var, again[x.var.name]) for x in loops]
    if goals:
        book.ask("progress", scope.name, words, [*live, *rename(live, again), *same], goals)


def _loaded(book: Book, tensor: str, t: Transfer, scope: Scope) -> None:
    """In a call that adds to nothing, the element was begun and stored before, at its first visit."""
    _, again_and_again = _visits(scope)
    if any(x.unordered for x in again_and_again):
        raise UnrecognisedError(f"visits of one element of {tensor} run in any order")
    first: dict[str, Any] = {x.var.name: sp.S.Zero for x in again_and_again}
    zeroes = [(z.site, z.dst, TRUE) for z in scope.loads if z.src is None]
    zeroed = covered(scope.site, t.dst.index, zeroes, len(scope.site.position) - 1)
    earlier = ("or", *(("lt", sp.S.Zero, x.var) for x in again_and_again))
    given = [*state(t.site), t.selected, t.dst.held.guard]
    if tensor not in book.sites.kernel.temporaries:
        given.append(("eq", FRESH, sp.S.One))
    words = f"what {scope.name} loads {place(t.site)} in a call that adds to nothing was begun and stored at an earlier visit"
    book.ask("progress", tensor, words, given, [*rename(scope.site.context(), first), rename(zeroed, first), earlier])
