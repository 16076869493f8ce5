"""Proves that a kernel in another form computes the same: sums and axes taken apart, maxima and sums in blocks.

isamap_smt.proof.rewrite_claims and isamap_smt.proof.online hold the claims.
"""

from __future__ import annotations

import time
from functools import lru_cache

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.online import Online
from isamap_smt.ir.proof import ClaimResult, Proof, Seal
from isamap_smt.ir.rewrite import Form, ProvedSplit, Rewrite
from isamap_smt.language.library import found_kernel
from isamap_smt.mapping.online import running
from isamap_smt.proof.noted import Watch
from isamap_smt.proof.online import OnlineClaims
from isamap_smt.proof.rewrite_claims import asked
from isamap_smt.proof.scalar import ZEROS


def prove_split(split: Form, watch: Watch | None = None) -> Proof:
    """One verdict per obligation. watch: told each obligation as soon as it is decided."""
    started = time.perf_counter()
    results = [r for one in split.chain for r in (_proved(one) if watch is None else _asked(one, watch))]
    sums = [
        (s.op, one.whole.tensor(s.target.tensor))
        for one in split.chain for s in map(one.whole.statements.__getitem__, one.reductions)
    ]  # fmt: skip
    floats = [op for op, t in sums if t.dtype.is_float]
    kind = "reassociate" if "+" in floats else "exact"
    zeros = (ZEROS,) if any(op != "+" for op in floats) else ()
    return Proof(tuple(results), kind, zeros, time.perf_counter() - started)


@lru_cache(maxsize=1024)  # many mappings are of kernels with some of the same digits
def _proved(one: Form) -> tuple[ClaimResult, ...]:
    return _asked(one, None)


def _asked(one: Form, watch: Watch | None) -> tuple[ClaimResult, ...]:
    if isinstance(one, Online):
        claims = OnlineClaims(one, watch)
        claims.ask_all()
        return tuple(claims.results)
    assert isinstance(one, Rewrite)
    return tuple(asked(one, watch))


def online(kernel: Kernel | str, axis: str, block: int) -> ProvedSplit:
    """The kernel with its maximum over `axis`, and the sums that depend on it, in blocks of so many points.

    Comes with the proof of equality over the reals; `.split.kernel` is the kernel computed. plan(kernel, hardware,
    fix={"online.k": block}) makes code of it. The sum over a row of minus infinities alone is 0 here; with the maximum
    known before the sums, it is NaN. Raises ScheduleError if nothing can run in this way.
    """
    if not isinstance(axis, str):
        raise ScheduleError(f"axis={axis!r}: pass the name of an axis")
    return require_split(running(found_kernel(kernel), axis, whole_number(block, "block", ScheduleError)))


def require_split(split: Form) -> ProvedSplit:
    """The split with its complete proof. Raises NotProvedError naming the failures."""
    proof = prove_split(split)
    if not proof.proved:
        failed = "\n  ".join(f"{c}: {c.statement}" for c in proof.failed())
        raise NotProvedError(f"{split}: not proved to be the same as {split.whole.name}\n  {failed}")
    return ProvedSplit(split, proof, Seal(split, proof))
