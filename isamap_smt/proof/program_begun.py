"""Claim 18: no value read, or given back, depends on the memory's content before the call.

Before a call, the memory of some tensors is filled with the start value of their reductions. The memory of the others
(Program.starts and Program.assigned) holds anything: of temporaries in every call, of results in calls that add to
nothing. The claim is that the kernel begins every element of these before it needs it (isamap_smt.proof.kernel_begun):

- of an assigned tensor: an earlier point writes each element a statement reads or adds to, so the first point to touch
  it assigns it; and each element of a result is written;
- of a sum begun in accumulators: each element needed elsewhere gets an earlier point of the first statement, or its
  accumulators stored it before without one (isamap_smt.proof.program_start).

The program does the same: its executions are the kernel's points (claims 4 and 13), and executions on one element run
in the kernel's order (claim 11). Cells of buffers are claim 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.proof.kernel_begun import answer, questions, with_room
from isamap_smt.proof.program_book import Book

_CLAIM = "begun"
_Stored = Callable[[], Sequence[tuple[str, Verdict]]]


def begun_claims(book: Book) -> None:
    """The claim, for assigned tensors."""
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
    """Outputs of a program for engines begin at 0 in main memory, so none may be declared to hold anything."""
    for tensor in book.sites.program.unfilled:
        said = f"{tensor} is said to hold anything before, and outputs of a program for engines begin at 0"
        book.structure(_CLAIM, tensor, f"{tensor} begins at 0", False, said)


def begun_by_points(book: Book, tensor: str, first: int, stored: _Stored | None) -> None:
    """The claim for a tensor begun in accumulators of the statement `first`.

    stored: asks whether these accumulators store each element before it is read, with points or without, and returns
    the verdicts; None if every element is needed.
    """
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
    """Refuted if no accumulator stands for a needed element; else Unknown, as no point is found to begin it."""
    if isinstance(room, Refuted):
        return room
    return Unknown(f"{words}: no point of the reduction is found for some element")
