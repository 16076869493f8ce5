"""Long sums and maxima with few results, on 2 to 6 threads: a range for each, in partial sums of lanes, compared with NumPy.

Elements are whole numbers so small that every sum is exact; what is left over of ranges and of lanes, guards, rows, conversions and
statements behind a sum are drawn. Each plan is called with as many threads as it was made for, with one, two and seven.

python -m benchmarks.fuzz_ranges [KERNELS] [SEED] [MACHINE]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.rewrite import Rewrite

Arrays = dict[str, np.ndarray]
KERNELS: dict[str, Callable[[Arrays], Any]] = {
    "Y[] += X[n] * Z[n]": lambda a: (a["X"] * a["Z"]).sum(),
    "Y[] += X[n]": lambda a: a["X"].sum(),
    "Y[] max= X[n]": lambda a: a["X"].max(),
    "Y[] min= X[n] + Z[n]": lambda a: (a["X"] + a["Z"]).min(),
    "Y[] += X[n] where n >= 5": lambda a: a["X"][5:].sum(),
    "Y[] max= X[n] where n <= N - 3": lambda a: a["X"][:-2].max(),
    "Y[] += select(X[n] > 1, X[n], Z[n])": lambda a: np.where(a["X"] > 1, a["X"], a["Z"]).sum(),
    "Y[] += X[n] * X[n+1]": lambda a: (a["X"][:-1] * a["X"][1:]).sum(),
    "Y[] += X[2*n] * Z[n]": lambda a: (a["X"][::2] * a["Z"]).sum(),
    "Y[i] += X[i,n] * Z[n]": lambda a: (a["X"] * a["Z"]).sum(1),
    "Y[i] max= X[i,n]": lambda a: a["X"].max(1),
    "Y[i] += X[n,i]": lambda a: a["X"].sum(0),
    "Y[i] += X[i,n] where n <= 400*i": lambda a: sum_below(a["X"]),
    "temporary M\nM[] += X[n]\nY[n] = X[n] - M[]": lambda a: a["X"] - a["X"].sum(),
    "temporary M, V\nM[] max= X[n]\nV[] += X[n] - M[]\nY[n] = V[] + X[n]": lambda a: (a["X"] - a["X"].max()).sum() + a["X"],
    "temporary S, T\nS[] += X[n] * Z[n]\nT[] += X[n] * X[n]\nY[] = S[] + T[]": lambda a: (a["X"] * (a["Z"] + a["X"])).sum(),
}  # fmt: skip
TYPES = (
    {},
    {},
    {"X": "i32", "Z": "i32", "Y": "i32"},
    {"X": "f64", "Z": "f64", "Y": "f64"},
    {"X": "u8", "Z": "i8", "Y": "i32"},
)


def sum_below(x: np.ndarray) -> np.ndarray:
    return np.array([row[: 400 * i + 1].sum() for i, row in enumerate(x)])


def shared(plan: im.Plan) -> str:
    """Whether threads have ranges, or how the sum is taken apart else."""
    chain = () if plan.split is None else plan.split.split.chain
    ranges = any(isinstance(s, Rewrite) and s.within is not None for s in chain)
    return "ranges in lanes" if ranges else "in pieces" if chain else "in one piece"


def one(rng: random.Random, machine: str) -> tuple[str, str]:
    """What came of one kernel, and the kernel in words."""
    text, types, threads = rng.choice(list(KERNELS)), dict(rng.choice(TYPES)), rng.randint(2, 6)
    kernel = im.kernel(text, name="ranges")
    names = {t.name for t in kernel.tensors}
    types |= dict.fromkeys(kernel.temporaries, types["Y"]) if types else {}
    kernel = kernel.with_dtypes({n: t for n, t in types.items() if n in names})
    sizes = {"N": rng.choice([rng.randint(6, 70), rng.randint(64, 3000), rng.randint(20_000, 60_000)])}
    sizes |= {"I": rng.randint(1, 6)} if "I" in kernel.free_sizes else {}
    told = f"{text!r} {types} {sizes} on {machine}, {threads} threads"
    try:
        plan = im.plan(kernel, machine, sizes=sizes, threads=threads)
        run = im.build(plan)
    except IsamapError as error:
        return "refused", f"{told}: {error}"
    draw, sized = np.random.default_rng(rng.getrandbits(32)), kernel.with_sizes(sizes)
    shapes = {n: tuple(map(int, sized.tensor(n).shape)) for n in sized.inputs}
    arrays = {n: draw.integers(0, 4, shape).astype(sized.tensor(n).dtype.numpy) for n, shape in shapes.items()}
    want = KERNELS[text]({n: a.astype(np.int64) for n, a in arrays.items()})
    got = [run(**arrays, threads=n) for n in (threads, 1, 2, 7)]
    return shared(plan) if all(np.array_equal(g, want) for g in got) else "WRONG", told


def main(count: int = 100, seed: int = 0, machine: str = "host") -> None:
    rng, found = random.Random(seed), Counter[str]()
    for n in range(1, count + 1):
        what, told = one(rng, machine)
        found[what] += 1
        if what in ("WRONG", "refused"):
            print(f"{what}: {told}", flush=True)
        if n % 20 == 0 or n == count:
            print(f"{n} of {count}: {dict(found)}", flush=True)
    sys.exit(1 if found["WRONG"] or found["refused"] else 0)


if __name__ == "__main__":
    main(*(int(w) if w.isdigit() else w for w in sys.argv[1:]))  # type: ignore[arg-type]
