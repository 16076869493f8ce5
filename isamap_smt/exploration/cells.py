"""One kernel on one machine: how many mappings are legal, how many cycles the best plan takes, or why there is none."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from isamap_smt.certificates.digests import hardware_digests, kernel_digest
from isamap_smt.ir.errors import IsamapError, SizeError, TimeLimitError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.library import found_kernel
from isamap_smt.mapping.types_of import with_types_of_engines
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.records.record import canonical, digest
from isamap_smt.runtime.cache import own_sources
from isamap_smt.search import find_mappings

_SPEC = re.compile(r"(?:(?P<times>\d+)\s*\*\s*)?(?P<kernel>[^@]+?)(?:@(?P<sizes>.*))?")


@dataclass(frozen=True)
class Layer:
    """A kernel at some sizes, and how many times it counts. name: as it was asked for."""

    name: str
    kernel: Kernel
    sizes: tuple[tuple[str, int], ...] = ()
    times: int = 1
    by_name: bool = False


def layer(asked: str | Kernel | Layer, sizes: Mapping[str, int] | None = None) -> Layer:
    """The layer meant by a kernel, a name, or a text such as `12*gemm@i=128,j=768,k=768`. sizes: if the text has none.

    Raises UnknownNameError, SizeError.
    """
    if isinstance(asked, Layer):
        return asked
    if isinstance(asked, Kernel):
        return _checked(Layer(asked.name, asked, tuple((sizes or {}).items())))
    found = _SPEC.fullmatch(asked.strip())
    if found is None:
        raise SizeError(f"{asked!r} is no kernel with sizes; write NAME@i=128,j=64, or 12*NAME@i=128,j=64")
    own = dict(sizes or {}) if found["sizes"] is None else _sizes(found["sizes"], asked)
    name = asked.strip()
    return _checked(
        Layer(name, found_kernel(found["kernel"]), tuple(own.items()), int(found["times"] or 1), by_name=True)
    )


def _checked(made: Layer) -> Layer:
    made.kernel.with_sizes(dict(made.sizes))
    return made


def _sizes(text: str, asked: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not value.isdigit():
            raise SizeError(f"{asked!r}: {part.strip()!r} is no size; write such as i=128")
        found[name] = int(value)
    return found


@dataclass(frozen=True)
class Cell:
    """A question: a layer on a machine. machine: its name, as asked. values: of the machine's parameters, by name."""

    layer: Layer
    hardware: Hardware
    machine: str
    values: tuple[tuple[str, int], ...] = ()
    count: bool = False
    timeout: float | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel; if it was asked for by its name and the machine has engines, with the machine's element types."""
        known = self.layer
        return (
            with_types_of_engines(known.kernel, self.hardware)
            if known.by_name and self.hardware.engines
            else known.kernel
        )

    @property
    def key(self) -> str:
        """The same for the same question, in any process on any machine: a digest of kernel, sizes, machine, `count`, and
        our sources' contents, as another planner answers otherwise."""
        asked = [kernel_digest(self.kernel), sorted(self.layer.sizes), hardware_digests(self.hardware), self.count]
        return digest(canonical([*asked, own_sources(exactly=True)]))


@dataclass(frozen=True)
class Answer:
    """mappings: the number of legal ones, if asked for. status: OPTIMAL or FEASIBLE; NONE or TIME in place of a plan.

    cycles, bound: of one run; None without a plan. parts: cycles of concurrent work, such as each engine's, by name.
    reason: why there is no plan, or the plan's omissions.
    """

    key: str
    status: str
    mappings: int | None = None
    cycles: float | None = None
    bound: float | None = None
    parts: tuple[tuple[str, float], ...] = ()
    by: str = ""
    reason: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def bottleneck(self) -> str:
        """The part with the most cycles, or ''."""
        return max(self.parts, key=lambda p: p[1])[0] if self.parts and max(p[1] for p in self.parts) > 0 else ""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "parts": dict(self.parts), "bottleneck": self.bottleneck}


FIELDS = ("key", "status", "mappings", "cycles", "bound", "parts", "by", "reason", "seconds")  # of an answer's document


def read_answer(document: Mapping[str, Any]) -> Answer:
    """The answer of a document. Raises KeyError, TypeError for any other document."""
    own = {n: document[n] for n in FIELDS if n != "parts"}
    parts = tuple(sorted((str(n), float(v)) for n, v in document["parts"].items()))
    if not isinstance(own["key"], str) or not isinstance(own["status"], str):
        raise TypeError("no answer")
    return Answer(**own, parts=parts)


def answered(cell: Cell) -> Answer:
    """The answer, whatever it is: bad kernels and machines have been refused before."""
    started = time.perf_counter()
    mappings = _count(cell) if cell.count else None
    try:
        made = plan(cell.kernel, cell.hardware, sizes=dict(cell.layer.sizes), timeout=cell.timeout)
    except TimeLimitError as error:
        return Answer(cell.key, "TIME", mappings, reason=_headline(error), seconds=time.perf_counter() - started)
    except IsamapError as error:
        return Answer(cell.key, "NONE", mappings, reason=_headline(error), seconds=time.perf_counter() - started)
    return _of_plan(cell, made, mappings, time.perf_counter() - started)


def _of_plan(cell: Cell, made: Plan, mappings: int | None, seconds: float) -> Answer:
    schedules = made.schedules
    if not schedules:
        why = next((str(n) for n in made.notes), "computed element by element")
        return Answer(cell.key, "NONE", mappings, reason=_headline(why), seconds=seconds)
    beside: dict[str, float] = {}
    for s in schedules:
        for p in s.costs:
            if p.within:
                beside[p.name] = beside.get(p.name, 0.0) + p.amount
    bounds = [s.bound for s in schedules]
    return Answer(
        cell.key,
        "OPTIMAL" if all(s.status == "OPTIMAL" for s in schedules) else "FEASIBLE",
        mappings,
        made.cycles,
        None if any(b is None for b in bounds) else float(sum(b or 0.0 for b in bounds)),
        tuple(sorted(beside.items())),
        "; then ".join(dict.fromkeys(s.proved.mapping.instruction.short for s in schedules)),
        seconds=seconds,
    )


def _count(cell: Cell) -> int:
    """Legal mappings of the kernel's main statement onto every computing instruction."""
    found = 0
    for i in cell.hardware.computes:
        try:
            found += len(find_mappings(cell.kernel, i, statement=cell.kernel.main).legal)
        except IsamapError:  # other operands or element types
            continue
    return found


def _headline(error: object) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
