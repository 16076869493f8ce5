"""Proves a lowered program: every statement type-checks, every output receives every point of its domain once.

The program is walked as it stands. Nothing in it is trusted, neither its types nor the hints on its loops: types are
claims that every writer must meet and every reader relies on. A structure that the claims do not cover is Unknown; it
is Refuted when a run on small sizes shows it wrong.
"""

from __future__ import annotations

import time

from isamap_encodings.verdict import Unknown
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_compute import compute_claims
from isamap_smt.proof.program_link import link_claims
from isamap_smt.proof.program_memory import memory_claims
from isamap_smt.proof.program_moves import move_claims
from isamap_smt.proof.program_parallel import parallel_claims
from isamap_smt.proof.program_reads import read_claims
from isamap_smt.proof.program_scope import scope_claims
from isamap_smt.proof.program_sites import UnrecognisedError, collect


def prove_program(program: Program) -> Proof:
    """One verdict per obligation, for all free sizes at once. `assumptions` are what the entry check must test."""
    started = time.perf_counter()
    proof = program.schedule.proved.proof
    try:
        book = Book(collect(program))
    except UnrecognisedError as e:
        result = ClaimResult("hypotheses", "", Unknown(str(e)), "every name means one thing")
        return Proof((result,), proof.arithmetic, (), time.perf_counter() - started)
    transfers = move_claims(book)
    read_claims(book, transfers)
    compute_claims(book)
    link_claims(book)
    scope_claims(book, transfers)
    parallel_claims(book, transfers)
    memory_claims(book)
    assumptions = (*_entry(program, book), *proof.assumptions, *program.assumptions)
    return Proof(
        tuple(book.results), proof.arithmetic, tuple(dict.fromkeys(assumptions)), time.perf_counter() - started
    )


def _entry(program: Program, book: Book) -> list[str]:
    """Hypotheses that every claim rests on, in words."""
    kernel = program.kernel
    sizes = [f"{name} >= {dict((p.name, p.low) for p in kernel.parameters).get(name, 1)}" for name in book.sites.sizes]
    arrays = [f"{t.name} is a row-major array of shape {list(t.shape)}" for t in kernel.tensors]
    apart = [f"{o} overlaps no other array" for o in kernel.outputs]
    packed = {s.node.src.name for s in book.sites.sites if s.position[0] == 0 and hasattr(s.node, "src")}
    constant = [f"{t} does not change after it was packed" for t in sorted(packed) if t in {x.name for x in kernel.tensors}]
    return [*sizes, *arrays, *apart, *constant, *book.assumptions]
