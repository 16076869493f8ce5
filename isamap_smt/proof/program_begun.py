"""Claim 18: nothing that is read, or given back, depends on what memory held before the call.

The memory of some tensors is filled before a call with what their reductions start from; that of the others (Program.starts and
Program.assigned) holds anything: of temporaries in every call, of results in calls that add to nothing. Asked is that the kernel
begins every element of these before it needs it (isamap_smt.proof.kernel_begun):

- of a tensor that is assigned: each element that a statement reads or adds to is written by a point that precedes, so that
  the first one that touches it assigns it; and each element of a result is written;
- of a sum that begins in accumulators: each element that others need gets a point of the first statement before, or is
  stored before by its accumulators without one (isamap_smt.proof.program_start).

The program does the same: its executions are the kernel's points (claims 4 and 13), and those that touch one element run in the
kernel's order (claim 11). Cells of buffers are claim 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.proof.kernel_begun import answer, questions, with_room
from isamap_smt.proof.program_book import Book

_CLAIM = "begun"
_Stored = Callable[[], Sequence[tuple[str, Verdict]]]


def begun_claims(book: Book) -> None:
    """The claim, for the tensors that are assigned."""
    kernel = book.sites.kernel
    for tensor in book.sites.program.assigned:
        right = tensor in kernel.outputs and tensor not in book.sites.program.starts
        words = f"{tensor} is assigned before it is read"
        if not right:
            said = f"{tensor} is no output of the kernel, or begins in accumulators, too"
            book.structure(_CLAIM, tensor, words, False, said)
            continue
        for q in questions(kernel, tensor):
            book.note(_CLAIM, tensor, q.needed.words, answer(kernel, q, book.sites.hypotheses, book.sites.sizes))


def filled_claims(book: Book) -> None:
    """Of a program for engines: its outputs begin at 0 in main memory, none holds anything."""
    for tensor in book.sites.program.unfilled:
        said = f"{tensor} is said to hold anything before, and outputs of a program for engines begin at 0"
        book.structure(_CLAIM, tensor, f"{tensor} begins at 0", False, said)


def begun_by_points(book: Book, tensor: str, first: int, stored: _Stored | None) -> None:
    """The claim for a tensor that begins in accumulators of the statement `first`. stored: what shows that these store each element
    that is read, with points or without; None where every element is needed."""
    kernel = book.sites.kernel
    known, sizes = book.sites.hypotheses, book.sites.sizes
    found = [(q.needed.words, answer(kernel, q, known, sizes)) for q in questions(kernel, tensor, first)]
    if not all(isinstance(v, Proved) for _, v in found):
        instead = stored() if stored is not None else ()
        if instead and all(isinstance(v, Proved) for _, v in instead):
            found = list(instead)
        else:
            roomy = with_room(kernel, first)
            by_room = [answer(roomy, q, known, sizes) for q in questions(roomy, tensor, first)]
            found = [
                (w, v if isinstance(v, Proved) else _without_points(w, r))
                for (w, v), r in zip(found, by_room, strict=True)
            ]
    for words, verdict in found:
        book.note(_CLAIM, tensor, words, verdict)


def _without_points(words: str, room: Verdict) -> Verdict:
    """Refuted where no accumulator stands for an element that is needed; else nothing shows that one begins it."""
    if isinstance(room, Refuted):
        return room
    return Unknown(f"{words}: no point of the reduction is found for some element")
