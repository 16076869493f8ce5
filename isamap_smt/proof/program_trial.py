"""A program against its kernel on small sizes: one wrong run is a counterexample, many right ones prove nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.execute import run_program
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program

SMALL = (1, 2, 3, 4, 5, 7, 9)
MOST = 1500  # points of a domain that is run
LARGE = (17, 19)  # now and then, one size beyond the block sizes that tests use


@dataclass(frozen=True)
class Trial:
    """What went wrong at which sizes."""

    sizes: dict[str, int]
    text: str


def trials(program: Program, count: int, seed: int = 0, special: bool = True) -> Trial | None:
    """Run at `count` vectors of small sizes against the kernel; the first failure, or None.

    Elements are small integers, so that every order of summation gives the same. `special` puts NaN and infinities
    into some inputs, except where the program assumes them finite.
    """
    random = np.random.default_rng(seed)
    for n, sizes in enumerate(_vectors(program.kernel, random)):
        if n >= count:
            return None
        found = _one(program, sizes, random, special and n % 2 == 1, seed + n)
        if found is not None:
            return Trial(sizes, found)
    return None


def _vectors(kernel: Kernel, random: np.random.Generator) -> Iterator[dict[str, int]]:
    """Size vectors: all ones, all nines as far as few points allow, random ones, and so on; one without free sizes."""
    names = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)})
    sizes = {n: max(1, low) for n, low in [*((n, 1) for n in names), *((p.name, p.low) for p in kernel.parameters)]}
    yield dict(sizes)
    turn = 0
    while names:
        turn += 1
        again = dict(sizes)
        for n in random.permutation(names):
            choice = LARGE if random.random() < 0.1 else SMALL
            # every third vector tries to be large everywhere, so that full tiles and second blocks are reached
            wanted = {**again, str(n): max(SMALL) if turn % 3 == 1 else int(random.choice(choice))}
            if _points(kernel, wanted) <= MOST:
                again = wanted
        yield again


def _points(kernel: Kernel, sizes: dict[str, int]) -> int:
    """Points of the kernel's domain."""
    return sum(math.prod(int(evaluate(a.extent, sizes)) for a in s.axes) for s in kernel.statements)


def _one(program: Program, sizes: dict[str, int], random: np.random.Generator, special: bool, seed: int) -> str | None:
    arrays = {t.name: _elements(program, t.name, sizes, random, special) for t in program.kernel.tensors}
    outputs = {n: arrays.pop(n) for n in program.kernel.outputs}
    try:
        expected = run_kernel(program.kernel, arrays, outputs, sizes)
    except SizeError:
        return None
    run = run_program(program, arrays, outputs, sizes, seed=seed)
    if run.findings:
        return str(run.findings[0])
    for n, want in expected.items():
        got = run.outputs[n]
        same = (got == want) | (_nan(got) & _nan(want))
        if not same.all():
            at = tuple(int(i) for i in np.argwhere(~same)[0])
            return f"{n}{list(at)} is {got[at]}, the kernel gives {want[at]}"
    return None


def _nan(x: np.ndarray) -> np.ndarray:
    return np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def _elements(
    program: Program, name: str, sizes: dict[str, int], random: np.random.Generator, special: bool
) -> np.ndarray:
    t = program.kernel.tensor(name)
    shape = tuple(max(0, int(evaluate(e, sizes))) for e in t.shape)
    low = 0 if t.dtype.kind == "u" else -4
    values = random.integers(low, 5, shape).astype(t.dtype.numpy)
    for assumed, least, most in program.kernel.ranges:
        values = values.clip(least, most).astype(t.dtype.numpy) if assumed == name else values
    if special and t.dtype.is_float and f"{name} is finite" not in program.assumptions:
        where = random.random(shape) < 0.1
        values[where] = random.choice([np.nan, np.inf, -np.inf], size=int(where.sum()))
    return values
