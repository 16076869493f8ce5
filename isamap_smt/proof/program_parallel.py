"""Claim 8: no iteration of a parallel loop, of one that can run backwards, or of one whose iterations take turns, reads or
writes what another one writes.

Buffers declared inside the loop are private to an iteration. For every other write inside it, two iterations are
compared with every access to the same tensor or buffer: at different values of the loop's variable (and any values of
the loops inside it) they are at different elements.

No register lives across a loop that threads share: each has its own, and gives back those that it configured (AMX). Where
iterations take turns they move and compute on registers, and do nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.ir.program import Alloc, Compute, If, Loop, Move
from isamap_smt.ir.traversal import walk
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import equal, own_names, primed, rename, state


def parallel_claims(book: Book, touched: Sequence[Access]) -> None:
    """The claim for every such loop of the program, over everything the program touches."""
    for position, loop in _reordered(book):
        if loop.kind == "parallel":
            _no_register_around(book, loop, position)
        if loop.woven:
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


def _takes_turns(book: Book, loop: Loop) -> None:
    """The steps of moves and executions are all that stands in a woven loop, which is unrolled. A register with a number would be
    the same one in every iteration."""
    others = [
        n
        for n, _ in walk(loop.body)
        if not (
            isinstance(n, If)
            or (isinstance(n, Loop) and n.woven)
            or (isinstance(n, Alloc) and n.buffer.memory == "registers" and n.buffer.first is None)
            or isinstance(n, Move | Compute)
        )
    ]
    right = loop.kind == "unroll" and loop.backwards is None and not others
    found = f"{loop.var.name} is no unrolled loop of moves and executions alone"
    book.structure("disjoint", loop.var.name, f"iterations of {loop.var.name} can take turns", right, found)


def _no_register_around(book: Book, loop: Loop, position: tuple[int, ...]) -> None:
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
    if held and not loop.woven:
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
