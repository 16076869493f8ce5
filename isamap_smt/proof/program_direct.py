"""Claim 11 for tensors that statements compute over memory alone: whoever touches an element does so in the kernel's order.

No accumulator stands for such a tensor and no buffer holds a copy of it: each point reads and writes memory at one moment, its
own. So it is enough that two points of the kernel that touch one element, and one of which writes it, run in the order in which
the kernel carries them out: then every point reads what the kernel reads, and the kernel's last value is left in the end. Nothing
is asked of the kernel itself: it may assign an element twice, or read what it writes later. Points of one statement that add to
an element and read nothing of the tensor may come in any order (where a sum is `ordered`, program_order asks for that).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_executions import Execution
from isamap_smt.proof.program_kernel_order import precedes
from isamap_smt.proof.program_moments import never_earlier
from isamap_smt.proof.program_sites import equal, primed, rename, state


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
    """Elements that the two touch, first e and then f, where one of them writes; in words."""
    alike = e.position == f.position and e.statement.op != "=" and not _reads(tensor, e)
    first, second = _touches(tensor, e), _touches(tensor, f)
    for mine, writes in first:
        for other, overwrites in second:
            if (writes or overwrites) and not alike:
                done, then = ("written" if w else "read" for w in (writes, overwrites))
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
