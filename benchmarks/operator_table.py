"""docs/operators.md: each operator of examples/, what carries it out on this CPU, and its time against other libraries.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.operator_table [TURNS] > docs/operators.md

Whole calls from Python, one thread, ours and theirs in turns; a ratio is their time over ours, the median of the turns' ratios
of best times. The results are compared first.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import isamap_smt as im
from benchmarks.operator_peers import OPERATORS, Operator, Run, onnxruntime, settings, torch
from isamap_smt.bench.machine import describe
from isamap_smt.runtime import CompiledKernel

LIBRARIES = ("numpy", "torch", "onnxruntime")


def main(turns: int = 7) -> None:
    """The page, one row after the other."""
    print(_head(turns), flush=True)
    for operator in OPERATORS:
        try:
            print(row(operator, turns), flush=True)
        except im.IsamapError as error:
            print(
                f"| {_name(operator)} | {operator.usual} | refused: {str(error).splitlines()[0]} | | | | |", flush=True
            )
    print(_FOOT)


def row(operator: Operator, turns: int) -> str:
    """The operator's line, after its results were compared."""
    sizes = settings(operator.usual)
    arrays = operator.arrays(sizes)
    built = im.compile(operator.kernel, "host", sizes=sizes)

    def mine() -> Any:
        found = built(**arrays)
        return list(found.values())[-1] if isinstance(found, dict) else found

    peers = operator.peers(arrays, sizes)
    for name, run in peers.items():
        np.testing.assert_allclose(mine(), np.asarray(run()), rtol=1e-3, atol=1e-3, err_msg=name)
    runs: dict[str, Run] = {"isamap": mine, **peers}
    found: dict[str, list[float]] = {n: [] for n in runs}
    for _ in range(turns):
        for n, run in runs.items():
            found[n].append(timed(run))
    ratios = {n: median(b / a for a, b in zip(found["isamap"], found[n], strict=True)) for n in peers}
    told = " | ".join(f"{ratios[n]:.2f}" if n in ratios else "-" for n in LIBRARIES)
    return f"| {_name(operator)} | {operator.usual} | {_how(built)} | {min(found['isamap']) * 1e6:.0f} | {told} |"


def timed(run: Run, seconds: float = 0.02) -> float:
    """The best time of a call within a while."""
    best, end = float("inf"), perf_counter() + seconds
    while perf_counter() < end:
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


def _name(operator: Operator) -> str:
    return f"`{operator.kernel.name}`"


def _how(built: CompiledKernel) -> str:
    """What computes the statement with the most work, and how many of the others are computed by instructions."""
    kernel = built.program.kernel
    used = {s.proved.mapping.statement_index: s.proved.mapping.instruction for s in built.program.schedules}
    main = max(used, key=lambda n: len(kernel.statements[n].axes), default=None)
    if main is None or len(kernel.statements[main].axes) < max(len(s.axes) for s in kernel.statements):
        return "element by element"
    vectors = sum(bool(i.axes) for i in used.values())
    name = f"`{used[main].name}`" if used[main].axes else "element by element, in registers"
    return f"{name}, {vectors} of {len(kernel.statements)} statements" if len(kernel.statements) > 1 else name


def _head(turns: int) -> str:
    installed = [f"NumPy {np.__version__}"]
    installed += [f"torch {torch().__version__}"] if torch() is not None else []
    installed += [f"onnxruntime {onnxruntime().__version__}"] if onnxruntime() is not None else []
    return _HEAD.format(
        cpu=describe()["cpu"], day=datetime.now(UTC).date(), turns=turns, installed=", ".join(installed)
    )


_HEAD = """\
# Operators

Each is a kernel in [examples](../examples). It is compared with a reference in NumPy of its own
(`tests/kernels/test_operators.py`: whole numbers and bytes bit for bit), with torch and with onnxruntime
(`tests/kernels/test_operator_peers.py`), and proved when it is compiled.

`OPENBLAS_NUM_THREADS=1 python -m benchmarks.operator_table > docs/operators.md` wrote this page: {cpu}, {day}, {installed}; one
thread, whole calls from Python in the same turns, {turns} of them, on a machine that others were using, so the ratios are rough. A
ratio is their time over ours: above 1, ours is the faster. Weights are given at each call, not packed ahead.

| operator | sizes | its main statement | us | NumPy | torch | onnxruntime |
|---|---|---|---|---|---|---|"""

_FOOT = """
## What is missing

- **Data as an index** is read element by element: portable C, which the compiler vectorises along the row that is found.
  Writing at an index that is data is refused, and so is an index that a statement computes.
- **Maxima under a guard** (`max_pool`, whose windows reach out of the image) are computed element by element: a lane that
  counts for nothing would have to hold the lowest value. Without a guard they use instructions.
- **Axes as values** (the weights of `bilinear_resize`) are given to no instruction. Nor are running sums mapped, whose time
  steps read what the one before wrote.
- **Zero points of weights** are 0 in `qlinear_conv`, as ONNX's quantisers make them; in `qlinear_matmul` each column has its
  own.
- **Views with strides** are refused, with the call that copies them (`np.ascontiguousarray`). Where they lie in their array
  is a part of the kernel instead, and nothing is copied: `gemm_of_a_part` takes columns o to o + K of a wider matrix, with
  both widths left open, and is proved for all of them.
- **A comparison of floats in a statement of integers** needs a written cast somewhere in it, as `argmax` has, and is refused
  without: elements would be converted to the output's type before they are compared.
"""

if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
