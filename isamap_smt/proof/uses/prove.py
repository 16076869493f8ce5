"""prove_uses: all claims about a program of uses, for all sizes. require_uses: the same, or an error."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.proof import ClaimResult, Proof, Seal
from isamap_smt.ir.uses import ProvedUses, UseProgram
from isamap_smt.proof.uses.book import Book
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims
from isamap_smt.simulator import simulate


def _goes_wrong(program: UseProgram, sizes: dict[str, int]) -> bool:
    """Whether the simulator finds a race, a use beyond its memory or a deadlock. Values play no part in these."""
    kernel = program.kernel
    inputs = {n: kernel.tensor(n) for n in kernel.inputs}
    arrays = {n: np.zeros([evaluate(e, sizes) for e in t.shape], t.dtype.numpy) for n, t in inputs.items()}
    try:
        return not simulate(program, arrays, sizes, seed=0).sound
    except IsamapError:
        return True  # it is no program at these sizes


def prove_uses(program: UseProgram) -> Proof:
    """One verdict for each claim: what cells hold (`data`), and in which order they are used (`order`)."""
    started = time.perf_counter()
    moments = Moments(program)
    lows = {p.name: p.low for p in program.kernel.parameters}
    book = Book({n: lows.get(n, 1) for n in sorted(moments.sizes)}, partial(_goes_wrong, program))
    order_claims(book, moments)
    data_claims(book, moments)
    return Proof(tuple(book.results), "reassociate", (), time.perf_counter() - started)


def _why(claim: ClaimResult) -> str:
    """What the claim says, and why that fails."""
    verdict = claim.verdict
    why = verdict.text if isinstance(verdict, Refuted) else getattr(verdict, "reason", "")
    return why if why.startswith(claim.statement) else f"{claim.statement}: {why}"


def require_uses(program: UseProgram) -> ProvedUses:
    """The program with its complete proof. Raises NotProvedError with the claims that fail; then nothing may run it."""
    proof = prove_uses(program)
    if not proof.proved:
        failed = "\n  ".join(f"{c}: {_why(c)}" for c in proof.failed()[:5])
        raise NotProvedError(
            f"the program of uses for {program.kernel.name} is {proof.word}, so nothing runs it\n  {failed}"
        )
    return ProvedUses(program, proof, Seal(program, proof))
