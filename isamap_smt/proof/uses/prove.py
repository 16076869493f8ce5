"""prove_uses: all claims about a program of uses, for all sizes."""

from __future__ import annotations

import time

from isamap_smt.ir.proof import Proof
from isamap_smt.ir.uses import UseProgram
from isamap_smt.proof.uses.book import Book
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims


def prove_uses(program: UseProgram) -> Proof:
    """One verdict for each claim: what cells hold (`data`), and in which order they are used (`order`)."""
    started = time.perf_counter()
    moments = Moments(program)
    book = Book(sorted(moments.sizes))
    order_claims(book, moments)
    data_claims(book, moments)
    return Proof(tuple(book.results), "reassociate", (), time.perf_counter() - started)
