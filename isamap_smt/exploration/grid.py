"""Kernels by machines: every cell is answered once, in parallel, and kept in a file, so an interrupted run can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from isamap_smt.certificates.workers import spread
from isamap_smt.exploration.cells import FIELDS, Answer, Cell, Layer, answered, layer, read_answer
from isamap_smt.ir.arguments import time_limit, whole_number
from isamap_smt.ir.conditions import parse_expression
from isamap_smt.ir.errors import HardwareError, ScheduleError, UnknownNameError
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.loading import with_set
from isamap_smt.records.record import Kind, RecordError
from isamap_smt.records.store import Store, StoreError
from isamap_smt.runtime.executors import Executors, Handed

Made = Hardware | str | Callable[..., Hardware]
Told = Callable[[int, int, Answer], None]
CELLS = "cells.sqlite"
KIND = Kind("explored cell", 1, fields=FIELDS)
ON_CHIP = "bytes"  # the name, in a cost, of what all memories of a machine hold


@dataclass(frozen=True)
class Machine:
    """A column. name: as asked for. values: of the varying parameters. cost: of the machine, None if nobody asked."""

    name: str
    hardware: Hardware
    values: tuple[tuple[str, int], ...] = ()
    cost: float | None = None

    @property
    def title(self) -> str:
        """The varying values, or else the name."""
        return ", ".join(f"{n}={v}" for n, v in self.values) or self.name


@dataclass(frozen=True)
class Explored:
    """answers: of each layer on each machine, in their order; None if it was interrupted before."""

    layers: tuple[Layer, ...]
    machines: tuple[Machine, ...]
    answers: tuple[tuple[Answer | None, ...], ...]

    def total(self, machine: int) -> float | None:
        """Cycles of all layers on a machine, each times its count; None if one has no plan."""
        column = [row[machine] for row in self.answers]
        cycles = [
            None if a is None or a.cycles is None else a.cycles * x.times
            for a, x in zip(column, self.layers, strict=True)
        ]
        return None if any(c is None for c in cycles) else float(sum(c or 0.0 for c in cycles))

    def bottleneck(self, machine: int) -> tuple[str, float]:
        """The part with the most cycles on a machine over all layers, and its share; '' and 0 if nothing is known."""
        parts: dict[str, float] = {}
        for x, row in zip(self.layers, self.answers, strict=True):
            answer = row[machine]
            for n, v in answer.parts if answer else ():
                parts[n] = parts.get(n, 0.0) + v * x.times
        total = self.total(machine)
        if not parts or not total:
            return "", 0.0
        name = max(parts, key=lambda n: parts[n])
        return name, parts[name] / total

    @property
    def pareto(self) -> tuple[int, ...]:
        """The machines without another one both cheaper and faster, from the cheapest on."""
        known = [
            (m.cost, t, n)
            for n, m in enumerate(self.machines)
            if m.cost is not None and (t := self.total(n)) is not None
        ]
        best: list[int] = []
        least = float("inf")
        for _, t, n in sorted(known):
            if t < least:
                best.append(n)
                least = t
        return tuple(best)

    @property
    def complete(self) -> bool:
        """Whether every cell has an answer."""
        return all(a is not None for row in self.answers for a in row)

    def document(self) -> dict[str, Any]:
        """As JSON: the machines, and for each layer an answer by machine."""
        front = self.pareto
        return {
            "complete": self.complete,
            "machines": [
                {
                    "name": m.name, "values": dict(m.values), "cost": m.cost, "cycles": self.total(n),
                    "bottleneck": self.bottleneck(n)[0], "share": round(self.bottleneck(n)[1], 3), "pareto": n in front,
                }
                for n, m in enumerate(self.machines)
            ],
            "layers": [
                {
                    "name": x.name, "sizes": dict(x.sizes), "times": x.times,
                    "answers": [None if a is None else a.document() for a in row],
                }
                for x, row in zip(self.layers, self.answers, strict=True)
            ],
        }  # fmt: skip


def table(
    kernels: Iterable[str | Kernel | Layer],
    machines: Iterable[Hardware | str],
    *,
    sizes: Mapping[str, int] | None = None,
    timeout: float | None = None,
    jobs: int | None = None,
    executor: Executors | None = None,
    keep: Path | str | None = None,
    progress: Told | None = None,
) -> Explored:
    """Every kernel on every machine: legal mappings, cycles of the best plan, or the reason why there is none.

    kernels: values, names, or texts such as `12*gemm@i=128,j=768,k=768`: with sizes, and a count. sizes: for kernels
    without their own. timeout: seconds for each plan. jobs: processes, by default one for each core. executor: one
    of `concurrent.futures`, such as a cluster's, or a function that makes one; it plans in place of the processes. keep: a
    directory of answers: each is written there once it is known, and looked for before it is asked. Raises
    UnknownNameError, SizeError, HardwareError, and CertificateError if a process was ended from outside.
    """
    columns = [Machine(m if isinstance(m, str) else m.name, find_hardware(m)) for m in _listed(machines, "machines")]
    return _explored(_layers(kernels, sizes), columns, True, timeout, jobs, executor, keep, progress)


def sweep(
    machine: Made,
    over: Mapping[str, Sequence[int]],
    kernels: Iterable[str | Kernel | Layer],
    *,
    sizes: Mapping[str, int] | None = None,
    cost: str = ON_CHIP,
    timeout: float | None = None,
    jobs: int | None = None,
    executor: Executors | None = None,
    keep: Path | str | None = None,
    progress: Told | None = None,
) -> Explored:
    """The kernels on every machine made by a description from these parameters.

    machine: its function, or the function's `file.py:NAME`. over: values by parameter; all combinations are made. cost:
    an expression over the parameters and `bytes`, the capacity of all of the machine's memories together. The others as
    for table(). Raises UnknownNameError if the machine has no such parameter, HardwareError if a combination is
    refused.
    """
    given: Any = over
    if not isinstance(given, Mapping) or not given:
        raise UnknownNameError("over: pass values by parameter, such as {'kib': [32, 64]}")
    grid = {
        str(n): [whole_number(v, n, HardwareError, low=0) for v in _listed(values, n)] for n, values in over.items()
    }
    price = parse_expression(cost)
    if price is None:
        raise UnknownNameError(f"cost {cost!r} is no number of names with + - * //, such as 'bytes + 4096*dmas'")
    columns = []
    for chosen in product(*grid.values()):
        values = dict(zip(grid, chosen, strict=True))
        hardware = _made(machine, values)
        columns.append(Machine(_name(machine), hardware, tuple(values.items()), _cost(price, cost, hardware, values)))
    return _explored(_layers(kernels, sizes), columns, False, timeout, jobs, executor, keep, progress)


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, str | Kernel | Layer | Hardware) or not isinstance(values, Iterable):
        raise UnknownNameError(
            f"{what}: pass a list, such as [{values!r}]" if isinstance(values, str) else f"{what}: pass a list"
        )
    found = list(values)
    if not found:
        raise UnknownNameError(f"{what}: the list is empty")
    return found


def _layers(kernels: Iterable[str | Kernel | Layer], sizes: Mapping[str, int] | None) -> tuple[Layer, ...]:
    return tuple(layer(k, sizes) for k in _listed(kernels, "kernels"))


def _name(machine: Made) -> str:
    return machine if isinstance(machine, str) else getattr(machine, "__name__", getattr(machine, "name", "machine"))


def _made(machine: Made, values: dict[str, int]) -> Hardware:
    if isinstance(machine, str):
        return find_hardware(with_set(machine, [f"{n}={v}" for n, v in values.items()]))
    if isinstance(machine, Hardware):
        raise UnknownNameError(
            f"{machine.name} is made already; pass the function that makes it, or `file.py:NAME` of one"
        )
    try:
        return machine(**values)
    except TypeError as error:
        raise UnknownNameError(f"{_name(machine)}: {error}") from None


def _cost(price: Any, text: str, hardware: Hardware, values: dict[str, int]) -> float:
    known = {**values, ON_CHIP: sum(m.capacity * m.count for m in hardware.memories if m.capacity)}
    if unknown := sorted(symbols_of([price]) - set(known)):
        raise UnknownNameError(f"cost {text!r}: {unknown[0]} is no parameter that varies; known: {', '.join(known)}")
    return float(evaluate(price, known))


def _explored(
    layers: tuple[Layer, ...],
    machines: list[Machine],
    count: bool,
    timeout: float | None,
    jobs: int | None,
    executor: Executors | None,
    keep: Path | str | None,
    progress: Told | None,
) -> Explored:
    limit = time_limit(timeout, ScheduleError)
    cells = [Cell(x, m.hardware, m.name, m.values, count, limit) for x in layers for m in machines]
    keys = [c.key for c in cells]
    book = _Book(None if keep is None else Path(keep) / CELLS, keys)
    asked = {k: c for k, c in zip(keys, cells, strict=True) if k not in book.known}
    done = len(cells) - len(asked)

    def arrived(n: int, _: int, answer: Answer) -> None:
        book.write(answer)
        if progress:
            progress(done + n, len(cells), answer)

    workers = None if jobs is None else whole_number(jobs, "jobs", ScheduleError)
    hands = None if executor is None else Handed(executor, ScheduleError)
    if asked:
        spread(answered, [(c,) for c in asked.values()], workers, arrived, hands)
    found = [book.known.get(k) for k in keys]
    width = len(machines)
    return Explored(
        layers, tuple(machines), tuple(tuple(found[n * width : (n + 1) * width]) for n in range(len(layers)))
    )


class _Book:
    """Answers by key, in memory and, if there is one, in a file: each is written once it is known. Raises HardwareError."""

    def __init__(self, file: Path | None, keys: Iterable[str]) -> None:
        """keys: of what will be asked, and is looked for in the file."""
        self.file, self.known = file, dict[str, Answer]()
        if file is None:
            return
        with self._opened() as store:
            for key in keys:
                with suppress(RecordError, TypeError, ValueError, AttributeError):  # damaged: it is asked anew
                    if (found := store.get(key)) is not None and found["status"] != "TIME":  # another limit may do
                        self.known[key] = read_answer(found)

    def write(self, answer: Answer) -> None:
        self.known[answer.key] = answer
        if self.file is not None:
            with self._opened() as store:
                store.put({answer.key: answer.document()})

    @contextmanager
    def _opened(self) -> Iterator[Store]:
        assert self.file is not None
        try:
            with Store(KIND, self.file) as store:
                yield store
        except StoreError as error:
            raise HardwareError(f"cannot keep answers in {self.file}: it {error}; name another directory") from None


__all__ = ["CELLS", "Explored", "Machine", "sweep", "table"]
