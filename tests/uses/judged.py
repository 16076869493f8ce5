"""What a program of uses does, by the simulator, at sizes that reach every slot and every tail: an oracle for its proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain_executor

import isamap_smt as im
from isamap_smt.ir.errors import AssumedError, IsamapError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.program import Program
from isamap_smt.simulator import simulate

SIZES = ((1, 1, 1), (8, 8, 17), (9, 8, 8), (9, 17, 9), (17, 25, 33), (8, 33, 8), (1, 9, 25))


def wrong(program: Program, sizes: tuple[tuple[int, int, int], ...] = SIZES, seeds: int = 2, plainly: int = 0) -> str:
    """What is wrong with it at one of the sizes (I, J, K): a race, a use beyond its memory, a deadlock or a result; '' where
    nothing is. plainly: so many runs by an executor that shares nothing with the simulator, too."""
    for i, j, k in sizes:
        rng = np.random.default_rng(1000 * i + 100 * j + k)
        at = {a.name: n for a, n in zip(program.kernel.axes, (i, j, k), strict=True)}
        known = {str(a.extent): at[a.name] for a in program.kernel.axes}
        shapes = {t.name: [evaluate(e, known) for e in t.shape] for t in program.kernel.tensors}
        a, b = (rng.integers(-8, 9, shapes[n]).astype(np.float32) for n in "AB")
        want = (a.T if "A[k,i]" in program.kernel.text else a) @ b
        free = {n: v for n, v in known.items() if n in program.kernel.free_sizes}
        if said := runs_wrong(program, {"A": a, "B": b}, free, {"C": want}, seeds, plainly):
            return f"{known}: {said}"
    return ""


def runs_wrong(
    program: Program,
    arrays: dict[str, np.ndarray],
    sizes: dict[str, int],
    want: dict[str, np.ndarray],
    seeds: int = 2,
    plainly: int = 0,
    near: float = 0.0,
) -> str:
    """What goes wrong in so many runs of the simulator, and in `plainly` of an executor that shares nothing with it; '' for
    nothing, and where the program does not take these sizes. near: as of plain_executor.differs(); the simulator rounds as results
    do."""
    for seed in range(seeds):
        try:
            found = simulate(program, arrays, sizes, seed=seed)
        except AssumedError:
            return ""
        except IsamapError as e:
            return str(e)
        if not found.sound:
            return found.deadlock or found.races[0].text
        for name, right in want.items():
            if not plain_executor.same(found.outputs[name], right, 0.0):
                return f"seed {seed}: another {name}"
    return plain_executor.differs(program, arrays, sizes, want, plainly, near)


def numbers_wrong(program: Program, kernel: Any) -> str:
    """What goes wrong with it, of one run with all orders looked at, and of one by an executor that shares nothing with it."""
    rng = np.random.default_rng(1)
    shapes = {n: [int(e) for e in kernel.tensor(n).shape] for n in kernel.inputs}
    arrays = {n: rng.integers(-9, 9, s).astype(kernel.tensor(n).dtype.numpy) for n, s in shapes.items()}
    want = im.run_kernel(kernel, arrays)
    found = simulate(program, arrays, {}, seed=3)
    if not found.sound:
        return str(found.deadlock or found.races[0].text)
    if any(not np.array_equal(found.outputs[n], right) for n, right in want.items()):
        return "another result"
    return plain_executor.differs(program, arrays, {}, want, 3)
