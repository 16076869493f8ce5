"""Z3's engines in the order in which they are tried: the direct one first, for a while, then the one that prepares formulas.

Z3's ordinary solver looks at what a formula is made of and picks tactics for it; where integers are multiplied it tries
short bit-vectors before anything else. That finds models that the direct engine misses, and for the contradictions that
proofs consist of it takes five times as long (508 questions of one GRU: 7.3 s and 1.5 s).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

SEED = 0
DIRECT = 300_000  # steps of the direct engine; six times what the longest question of the library takes


def answered(assertions: Sequence[Any], rlimit: int, context: Any = None) -> tuple[Any, Any]:
    """(sat, unsat or unknown, the solver that said it). rlimit: the most steps of the engine that is tried last."""
    solver = z3.SimpleSolver(ctx=context)
    answer = _check(solver, assertions, min(rlimit, DIRECT))
    if answer == z3.unknown:
        solver = z3.Solver(ctx=context)
        answer = _check(solver, assertions, rlimit)
    return answer, solver


def _check(solver: Any, assertions: Sequence[Any], rlimit: int) -> Any:
    solver.set("random_seed", SEED)
    solver.set("rlimit", rlimit)
    # Z3 would take Ctrl-C for itself, answer `unknown`, and the caller would go on. So Python raises it when the steps are done.
    solver.set("ctrl_c", False)
    for a in assertions:  # not solver.add(), which looks up the sort of each and compares it with Bool
        z3.Z3_solver_assert(solver.ctx.ref(), solver.solver, a.as_ast())
    return solver.check()
