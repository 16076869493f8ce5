"""Claims between statements that assign parts of one tensor: each element is in one part, and there when it is read.

    Y[q] = ...                axis q < 2
    Y[q_2+2] = ...            axis q_2 < 108
    Y[q_3+110] = ...          axis q_3 < 2                          of 112

Each phase of a program is proved with its own statement, which leaves all other elements as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Refuted, Unknown, Verdict
from isamap_smt.ir.epilogue import writes_a_part
from isamap_smt.ir.expr import sym
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.phases import writers
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.proof.kernel_begun import answer, questions
from isamap_smt.proof.program_sites import Formula, equal, rename, span


def claims(kernel: Kernel) -> Iterator[ClaimResult]:
    """Of each tensor that a statement assigns a part of, or several statements write."""
    sizes = tuple(sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)}))
    low = {p.name: p.low for p in kernel.parameters}
    known: list[Formula] = [("le", low.get(n, 1), sym(n)) for n in sizes]
    for tensor, parts in writers(kernel).items():
        if len(parts) == 1 and (parts[0].op != "=" or not writes_a_part(kernel, parts[0])):
            continue
        for q in questions(kernel, tensor):
            yield ClaimResult("coverage", tensor, answer(kernel, q, known, sizes), q.needed.words)
        for n, s in enumerate(parts):
            for m, other in enumerate(parts[:n]):
                words = f"parts {m + 1} and {n + 1} of {tensor} share no element"
                yield ClaimResult("exclusive", tensor, _apart(other, s, known, sizes, words), words)


def _apart(a: Statement, b: Statement, known: list[Formula], sizes: tuple[str, ...], words: str) -> Verdict:
    """Whether no point of one writes an element that a point of the other writes."""
    if writes_by_data(a) or writes_by_data(b):
        return Unknown("data says which elements they write")
    again = {x.name: sym(f"{x.name}'") for x in b.axes}
    there = [f for x in b.axes for f in span(again[x.name], rename(x.extent, again))]
    there += [rename(g, again) for g in b.guard]
    here = [*(f for x in a.axes for f in span(x.symbol, x.extent)), *a.guard]
    index = [rename(i, again) for i in b.target.index]
    found = implied([*known, *here, *there, *equal(list(a.target.index), index)], [("or",)], sizes, words)
    if isinstance(found, Refuted):
        at = " ".join(f"{n}={v}" for n, v in sorted(found.witness.items()))
        return Refuted(found.witness, f"both write one element, at {at}", found.seconds)
    return found


__all__ = ["claims"]
