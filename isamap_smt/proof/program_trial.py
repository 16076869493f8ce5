"""A program against its kernel on small sizes: one wrong run is a counterexample, many right ones prove nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np

from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.folds import folded
from isamap_smt.ir.hypotheses import Finite, Hypothesis, Range, broken
from isamap_smt.ir.indirect import drawn, index_tensors
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program
from isamap_smt.ir.used import fitting

SMALL = (1, 2, 3, 4, 5, 7, 9)
ROUNDINGS = 64  # units in the last place of the largest number that two orders of a long sum may differ by
MOST = 1500  # points of a domain that is run
LARGE = (17, 19)  # now and then, one size beyond the block sizes that tests use
SEARCH = 20_000  # points of all the domains together that a search runs through


@dataclass(frozen=True)
class Trial:
    """The sizes of a failed run, and the failure in words."""

    sizes: dict[str, int]
    text: str


@dataclass(frozen=True)
class _Case:
    """Elements at some sizes, and the kernel's results for them. Never written to: programs copy their outputs."""

    kernel: Kernel
    sizes: dict[str, int]
    arrays: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]
    seed: int

    @cached_property
    def begun(self) -> dict[str, np.ndarray]:
        """The kernel's results without given outputs."""
        return run_kernel(self.kernel, self.arrays, None, self.sizes)


def trials(program: Program, count: int, seed: int = 0, special: bool = True) -> Trial | None:
    """Run at `count` vectors of small sizes against the kernel; the first failure, or None.

    Elements are small integers, so every order of summation gives the same. `special` puts NaN and infinities into some
    inputs, unless the program assumes them finite.
    """
    for case in islice(_cases(program.kernel, program.hypotheses, seed, special), count):
        found = None if case is None else _one(program, case)
        if case is not None and found is not None:
            return Trial(case.sizes, found)
    return None


def search(program: Program, seed: int = 0) -> Trial | None:
    """Look for a failure at sizes about those of the program's tiles, one size at a time and all together."""
    for case in _cases_near(program.kernel, program.hypotheses, _about(program), seed):
        found = None if case is None else _one(program, case)
        if case is not None and found is not None:
            return Trial(case.sizes, found)
    return None


class _Cases:
    """Cases, made as far as they are asked for: a program's edits share its kernel."""

    def __init__(self, cases: Iterator[_Case | None]) -> None:
        self._made: list[_Case | None] = []
        self._rest = cases

    def __iter__(self) -> Iterator[_Case | None]:
        yield from self._made
        for case in self._rest:
            self._made.append(case)
            yield case


@lru_cache(maxsize=1_000)
def _cases(kernel: Kernel, hypotheses: tuple[Hypothesis, ...], seed: int, special: bool) -> _Cases:
    def made() -> Iterator[_Case | None]:
        random = np.random.default_rng(seed)
        for n, sizes in enumerate(_vectors(kernel, random)):
            yield _case(kernel, hypotheses, sizes, random, special and n % 2 == 1, seed + n)

    return _Cases(made())


@lru_cache(maxsize=100)
def _cases_near(kernel: Kernel, hypotheses: tuple[Hypothesis, ...], about: tuple[int, ...], seed: int) -> _Cases:
    def made() -> Iterator[_Case | None]:
        random = np.random.default_rng(seed)
        left = SEARCH
        for n, sizes in enumerate(_near(kernel, about)):
            left -= _points(kernel, sizes)
            if left < 0:
                return
            yield _case(kernel, hypotheses, sizes, random, n % 4 == 3, seed + n)

    return _Cases(made())


def _vectors(kernel: Kernel, random: np.random.Generator) -> Iterator[dict[str, int]]:
    """Size vectors: all ones, all nines as far as few points allow, random ones, and so on; one without free sizes."""
    sizes = _least(kernel)
    names = sorted(sizes)
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


def _least(kernel: Kernel) -> dict[str, int]:
    """The least value of every free size and parameter."""
    names = {*kernel.free_sizes, *(p.name for p in kernel.parameters)}
    return {**dict.fromkeys(sorted(names), 1), **{p.name: max(1, p.low) for p in kernel.parameters}}


def _about(program: Program) -> tuple[int, ...]:
    """Sizes at, just below and just above one and two tiles."""
    tiles = {s.step for x in program.schedules[:1] for s in x.loops if s.step > 1}
    return tuple(sorted({max(1, k * t + d) for t in tiles for k in (1, 2) for d in (-1, 0, 1)}))


def _near(kernel: Kernel, about: tuple[int, ...]) -> Iterator[dict[str, int]]:
    """Each size by itself at these, the others small; then all that way."""
    least = _least(kernel)
    for low in (1, 3):
        for n in about:
            for name in least:
                yield {**{k: max(v, low) for k, v in least.items()}, name: max(least[name], n)}
    for n in about:
        yield {k: max(v, n) for k, v in least.items()}


def _points(kernel: Kernel, sizes: dict[str, int]) -> int:
    """Points of the kernel's domain."""
    return sum(math.prod(int(evaluate(a.extent, sizes)) for a in s.axes) for s in kernel.statements)


def _case(
    kernel: Kernel, hypotheses: tuple[Hypothesis, ...], sizes: dict[str, int], random: np.random.Generator, special: bool,
    seed: int,
) -> _Case | None:  # fmt: skip
    """Random elements at these sizes; None if the kernel has no result there, or the hypotheses exclude the sizes."""
    if broken(hypotheses, sizes, {}):
        return None  # no call has these sizes
    arrays = {t.name: _elements(kernel, hypotheses, t.name, sizes, random, special) for t in kernel.tensors}
    outputs = {n: arrays.pop(n) for n in kernel.outputs}
    if index_tensors(kernel):
        arrays = fitting(kernel.with_sizes(sizes), arrays, np.random.default_rng(seed))
    try:
        return _Case(kernel, sizes, arrays, outputs, run_kernel(kernel, arrays, outputs, sizes), seed)
    except SizeError:
        return None


def _one(program: Program, case: _Case) -> str | None:
    """The first difference: in a call that adds to outputs, or, if some hold anything, in a call that adds to nothing."""
    found = _compared(program, case, case.outputs, case.expected)
    if found is None and set(program.unfilled) - set(program.kernel.temporaries):
        found = _compared(program, case, None, case.begun)
    return found


def _compared(
    program: Program, case: _Case, out: dict[str, np.ndarray] | None, expected: dict[str, np.ndarray]
) -> str | None:
    from isamap_smt.simulator.run import run_program

    run = run_program(program, case.arrays, out, case.sizes, seed=case.seed)
    if run.findings:
        return str(run.findings[0])
    for n, want in expected.items():
        if n in folded(program):
            continue  # its memory holds the last block alone
        got = run.outputs[n]
        same = (got == want) | (_nan(got) & _nan(want)) | _rounded_alike(got, want, case)
        if not same.all():
            at = tuple(int(i) for i in np.argwhere(~same)[0])
            return f"{n}{list(at)} is {got[at]}, the kernel gives {want[at]}"
    return None


def _rounded_alike(got: np.ndarray, want: np.ndarray, case: _Case) -> Any:
    """Elementwise: may a difference come from the order of roundings? Only if some number is too large to be exact.

    Inputs are small whole numbers, so sums of few products are exact in any order; values that grow from iteration to
    iteration are not.
    """
    if want.dtype.kind != "f":
        return False
    kinds = [x for x in case.expected.values() if x.dtype.kind == "f"]
    coarsest = max(float(np.finfo(x.dtype).eps) for x in kinds)
    largest = max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in kinds), default=0.0)
    if largest * coarsest < 1.0:
        return False
    with np.errstate(all="ignore"):
        return np.abs(got.astype(np.float64) - want.astype(np.float64)) <= ROUNDINGS * coarsest * largest


def _nan(x: np.ndarray) -> np.ndarray:
    return np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def _elements(
    kernel: Kernel, hypotheses: tuple[Hypothesis, ...], name: str, sizes: dict[str, int], random: np.random.Generator,
    special: bool,
) -> np.ndarray:  # fmt: skip
    t = kernel.tensor(name)
    shape = tuple(max(0, int(evaluate(e, sizes))) for e in t.shape)
    low, most = 0 if t.dtype.kind == "u" else -4, 4 if t.dtype.is_float else min(4, t.dtype.high)
    if not t.dtype.is_float and t.dtype.bits == 8 and random.random() < 0.5:
        low, most = t.dtype.low, t.dtype.high  # what a copy of another type could not hold; sums stay exact
    if index_tensors(kernel).get(name):
        low, most = drawn(kernel.with_sizes(sizes), name, low, most)
    values = random.integers(low, most, shape, endpoint=True).astype(t.dtype.numpy)
    for assumed, least, greatest in kernel.ranges:
        values = values.clip(least, greatest).astype(t.dtype.numpy) if assumed == name else values
    if Range(name, 0, 0) in hypotheses:
        values[...] = 0
    ranged = name in {n for n, *_ in kernel.ranges}
    if special and t.dtype.is_float and not ranged and Finite(name) not in hypotheses:
        where = random.random(shape) < 0.1
        values[where] = random.choice([np.nan, np.inf, -np.inf], size=int(where.sum()))
    return values
