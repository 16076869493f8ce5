"""The state of a program that runs: its memory with what is poison in it, and what was found wrong so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.states import Need

POISON, BOUNDS, WRITE, LANES, RACE, UNDEFINED = "poison", "bounds", "write", "lanes", "race", "undefined"
POOL = 997  # values of each type that uninitialised memory is filled from
T = TypeVar("T")
Where = slice | np.ndarray  # places in a flat array


@dataclass(frozen=True)
class Finding:
    """Something a correct program never does: poison, bounds, write, lanes, race or undefined. where: loop variables."""

    kind: str
    text: str
    where: Dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        at = " ".join(f"{k}={v}" for k, v in self.where.items())
        return f"{self.kind}: {self.text}" + (f" at {at}" if at else "")


class Recent(Generic[T]):
    """Answers that were worked out lately."""

    def __init__(self, most: int = 5_000) -> None:
        self._most = most
        self._answers: dict[Any, T] = {}
        self.get = self._answers.get

    def put(self, key: Any, answer: T) -> None:
        """Keep an answer; all others are forgotten when they have become too many."""
        if len(self._answers) >= self._most:
            self._answers.clear()
        self._answers[key] = answer


class Stop(Exception):
    """Execution cannot go on meaningfully after a finding."""


class Memory:
    """One array, flat: its elements and a poison byte for each. `level`: how many parallel loops enclose its declaration.

    tracks: parallel loop instance -> (last writer, last reader) of each element. numbers: of its registers, where they have some.
    """

    __slots__ = (
        "data",
        "dtype",
        "level",
        "mask",
        "name",
        "numbers",
        "poison",
        "readonly",
        "shape",
        "strides",
        "tracks",
    )

    def __init__(
        self, name: str, data: np.ndarray, shape: tuple[int, ...], dtype: DType, poison: bool = False, level: int = 0,
        readonly: bool = False, numbers: range = range(0),
    ) -> None:  # fmt: skip
        self.name, self.data, self.shape, self.dtype, self.numbers = name, data, shape, dtype, numbers
        self.level, self.readonly = level, readonly
        self.poison = bytearray(b"\1" * data.size if poison else data.size)
        self.mask = np.frombuffer(self.poison, bool) if data.size else np.zeros(0, bool)
        self.strides = strides(shape)
        self.tracks: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def register(self, lead: tuple[int, ...]) -> int:
        """The number of one of its registers, which leading indices name."""
        size = self.strides[len(lead) - 1] if lead else self.data.size
        return self.numbers.start + sum(i * s for i, s in zip(lead, self.strides, strict=False)) // max(1, size)

    def put(self, where: Where, values: Any, poison: Any) -> None:
        """Write elements with their poison; of elements written twice the last one stays."""
        self.data[where], self.mask[where] = values, poison


@lru_cache(maxsize=2_000)
def strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= n
    return tuple(reversed(found))


class Machine:
    """One run. env: sizes and the variables of the loops being run; parallel: (instance, iteration) of each such loop.

    states: state memory -> its cells, on the thread that runs; 0 in those that nothing has written.
    """

    def __init__(self, kernel: Kernel, env: dict[str, int], poisoning: bool, seed: int) -> None:
        self.kernel, self.env, self.poisoning = kernel, env, poisoning
        self.random = np.random.default_rng(seed)
        self.memory: dict[str, Memory] = {}
        self.findings: list[Finding] = []
        self.parallel: list[tuple[int, int]] = []
        self.states: dict[str, tuple[int, ...]] = {}
        self.instances = 0
        self._pools: dict[str, np.ndarray] = {}
        self._turn = 0

    def find(self, kind: str, text: str) -> None:
        """Note a finding and go on."""
        self.findings.append(Finding(kind, text, dict(self.env)))

    def stop(self, kind: str, text: str) -> NoReturn:
        """Note a finding; going on would only repeat it or crash."""
        self.find(kind, text)
        raise Stop

    def check_inside(self, array: Memory, at: Sequence[np.ndarray]) -> None:
        """Every element is inside its array; at: one vector per dimension."""
        for d, (i, n) in enumerate(zip(at, array.shape, strict=True)):
            bad = (i < 0) | (i >= n)
            if bad.any():
                element = [int(x[bad.argmax()]) for x in at]
                where = f"{array.name}{element} is outside its shape {list(array.shape)} (dimension {d})"
                self.stop(BOUNDS, where)

    def check_rank(self, array: Memory, dimensions: int) -> None:
        """An index has as many entries as the array has dimensions."""
        if dimensions != len(array.shape):
            self.stop(BOUNDS, f"{array.name} has {len(array.shape)} dimensions, not {dimensions}")

    def check_writable(self, array: Memory) -> None:
        """Inputs are not written."""
        if array.readonly:
            self.stop(WRITE, f"{array.name} is an input and is written")

    def fresh(self, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
        """What a new buffer holds, flat: anything; zeros where nothing is poisoned."""
        size = 1
        for n in shape:
            size *= n
        if not self.poisoning:
            return np.zeros(size, dtype.numpy)
        pool = self._pools.get(dtype.name)
        if pool is None:
            pool = self._pools[dtype.name] = garbage((POOL,), dtype, self.random)
        self._turn = (self._turn + 101) % POOL
        if self._turn + size <= POOL:
            return pool[self._turn : self._turn + size].copy()
        return np.resize(np.roll(pool, -self._turn), size)

    def lose_registers(self, numbers: range | None = None) -> None:
        """What lies in registers with these numbers is gone; None: in all that have one."""
        for array in self.memory.values():
            if set(array.numbers) & set(array.numbers if numbers is None else numbers):
                array.put(slice(None), self.fresh(array.shape, array.dtype), True)

    def check_states(self, name: str, needs: Iterable[tuple[Need, int]]) -> None:
        """What an instruction needs holds on this thread."""
        for need, number in needs:
            cells, at = self.states.get(need.memory, ()), need.at(number)
            has = cells[at] if at < len(cells) else 0
            if has != need.value:
                self.stop(UNDEFINED, f"{name} needs {need.memory}[{at}] = {need.value}, and it is {has}")

    def note(self, array: Memory, where: Where, write: bool) -> None:
        """Race detection: who touched these elements in another iteration of a parallel loop around us?"""
        for depth, (instance, iteration) in enumerate(self.parallel):
            if array.level > depth:
                continue
            if instance not in array.tracks:
                array.tracks[instance] = (np.full(array.data.size, -1), np.full(array.data.size, -1))
            writer, reader = array.tracks[instance]
            written, read = writer[where], reader[where]
            clash = (written >= 0) & (written != iteration)
            if write:
                clash |= (read != -1) & (read != iteration)
            if clash.any():
                self.stop(RACE, f"two iterations of a parallel loop touch the same element of {array.name}")
            if write:
                writer[where] = iteration
            else:
                reader[where] = np.where((read == -1) | (read == iteration), iteration, -2)


def garbage(shape: tuple[int, ...], dtype: DType, random: np.random.Generator) -> np.ndarray:
    """What uninitialised memory may hold."""
    if dtype.is_float:
        return np.asarray(1000 + random.random(shape)).astype(dtype.numpy)
    low, high = max(dtype.low, -(2**62)), min(dtype.high, 2**62)
    return np.asarray(random.integers(low, high, shape, endpoint=True)).astype(dtype.numpy)


def another(x: np.ndarray) -> np.ndarray:
    """A second filling, different in every cell: NaN, or each cell plus another odd number."""
    if x.dtype.kind in "iu":
        return x + (2 * np.arange(x.size).reshape(x.shape) + 1).astype(x.dtype)
    return np.full_like(x, np.nan)


def bits(x: np.ndarray) -> np.ndarray:
    """The array's bit patterns, so that NaN equals itself and -0 differs from 0."""
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")
