"""Fuzzes the forms that kernels are rewritten to: random kernels, each form proved, and interpreted beside the kernel as it is.

    python -m benchmarks.fuzz_forms [count] [seed]

Products of differences are multiplied out, and neighbouring axes are made one and summed in parts. A form must be proved, must read
back as the text that it is, and compute the same on random arrays. Exits with 1 where one did not. The same seed gives the same
kernels.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.reach import possible_sizes
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.mapping.joined import join_axes, joinable
from isamap_smt.mapping.multiplied import multipliable, multiply_out
from isamap_smt.mapping.split import split_sum
from isamap_smt.pipeline.split import after
from isamap_smt.proof.split import prove_split
from tests.oracle.random_kernels import draft

FORMS = ("zero points", "zero points", "neighbours", "neighbours", "leading", "product", "reduction")


def forms_of(kernel: Kernel, sizes: dict[str, int]) -> list[Rewrite]:
    """Every form of every statement, one at a time."""
    found: list[Rewrite] = []
    for n in range(len(kernel.statements)):
        if multipliable(kernel, n):
            found.append(multiply_out(kernel, n))
        for pair in joinable(kernel, n):
            one = join_axes(kernel, pair, n)
            found.append(one)
            axis = next(a for a, _ in one.pieces[0].back if a not in {x.name for x in kernel.statements[n].axes})
            extent = int(one.kernel.statements[n].axis(axis).extent)
            if extent >= 4:
                found.append(after(one, split_sum(one.kernel, axis, 2 + extent % 3, statement=n), sizes))
    return found


def arrays_of(kernel: Kernel, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Whole numbers, small where anything is floating point, so that sums are exact in any order."""
    fixed, made = kernel.with_sizes(sizes), {}
    small = any(t.dtype.is_float for t in kernel.tensors)
    for name in kernel.inputs:
        t = fixed.tensor(name)
        low, high = (max(t.dtype.low, -(2**31)), min(t.dtype.high, 2**31) + 1) if not t.dtype.is_float else (-3, 4)
        low, high = (max(low, -3), min(high, 4)) if small else (low, high)
        made[name] = rng.integers(low, high, tuple(map(int, t.shape))).astype(t.dtype.numpy)
    return made


def trial(number: int) -> tuple[str, str]:
    """(what came of the kernel of this number, its text)."""
    rng = random.Random(f"forms {number}")
    text = str(draft(rng, rng.choice(FORMS)))
    try:
        kernel = im.kernel(text, name="drawn")
        sizes = {n: rng.choice([1, 2, 3, 4, 5, 7, 9]) for n in kernel.free_sizes}
        axes = {a.name for a in kernel.axes} & {"p", "q", "r"}
        kernel = kernel.with_sizes({a: sizes[a.upper()] for a in axes if a.upper() in sizes})
        sizes = {n: v for n, v in sizes.items() if n in kernel.free_sizes}
        if not possible_sizes(kernel, sizes):
            return "no meaning", text
        arrays = arrays_of(kernel, sizes, np.random.default_rng(number))
        want = run_kernel(kernel, arrays, sizes=sizes)
        made = forms_of(kernel, sizes)
    except IsamapError:
        return "refused", text
    for one in made:
        proof = prove_split(one)
        if not proof.proved:
            return f"not proved: {one}: {proof.failed()[0]}", text
        if im.kernel(one.kernel.text, name="drawn").statements != one.kernel.statements:
            return f"reads back as another: {one}", text
        got = run_kernel(one.kernel, arrays, sizes=sizes)
        for name in kernel.results:
            if not np.array_equal(got[name], want[name], equal_nan=True):
                return f"WRONG: {one} of {name}", text
    return ("equal" if made else "no form"), text


def main(count: int, seed: int) -> int:
    """The exit status."""
    kinds: Counter[str] = Counter()
    bad = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        kind, text = trial(number)
        kinds[kind.partition(":")[0]] += 1
        if kind not in ("equal", "no form", "refused", "no meaning"):
            bad += 1
            print(f"{number}: {kind}\n{text}\n")
    print(f"{count} kernels of seed {seed}: {dict(kinds)}")
    return int(bad > 0)


if __name__ == "__main__":
    given = [int(x) for x in sys.argv[1:3]]
    sys.exit(main(*(given + [300, 0][len(given) :])))
