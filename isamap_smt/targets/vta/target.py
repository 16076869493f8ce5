"""VTA as a target: proved programs of its engines as streams of its instructions, run on the model in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.program import Issued, Program, Ref
from isamap_smt.ir.traversal import parts
from isamap_smt.runtime import arguments as check
from isamap_smt.targets.engines import EngineCall, EngineKernel, EnginesText, EngineTarget
from isamap_smt.targets.target import Sources
from isamap_smt.targets.vta.answer import Report
from isamap_smt.targets.vta.here import HereProgram, Stream, build_here
from isamap_smt.targets.vta.sources import HEADER

# ---- A proved program of VTA's engines as C that lists its instructions, with awaits and signals, in the order of its
# text.
#
# The text is a legal execution of the program: that each await is met by signals before it is one of its claims.
# Between phases all engines wait for each other.


ENGINES = ("load", "compute", "store")


def in_memory(program: Program) -> tuple[Tensor, ...]:
    """The tensors in main memory, in their order. The others never leave the accumulator."""
    used = {r.name for r in parts(program.body, Ref)}
    return tuple(t for t in program.kernel.tensors if t.name in used)


@dataclass
class VtaText(EnginesText):
    """vta_program(arrays, numbers): tensors in main memory in their order, the kernel's free sizes in theirs."""

    header, entry = HEADER, "static void vta_program"
    between = "vta_barrier();"

    counters: dict[str, int] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Those in main memory."""
        return in_memory(self.program)

    def expressions(self, node: Issued) -> Iterator[Any]:
        """The expressions of its places and its awaits."""
        yield from super().expressions(node)
        yield from (amount for _, amount in node.awaits)

    def use(self, node: Issued) -> None:
        """Print its awaits, its instruction, its signals."""
        for counter, amount in node.awaits:
            self._put(f"vta_await({self._counter(counter)}, {self._expr(amount)}); /* {counter} */")
        if node.instruction.emit:
            self._put(node.instruction.statement(self._words(node)))
        else:
            self._put(f"vta_nothing({ENGINES.index(node.instruction.engine)});")
        for counter in node.signals:
            self._put(f"vta_signal({self._counter(counter)}); /* {counter} */")

    def _counter(self, name: str) -> int:
        return self.counters.setdefault(name, len(self.counters))


HERE = "the model of VTA in this process"


class Vta(EngineTarget):
    """The machine of `vta`, and descriptions whose C lists its instructions."""

    name = example = "vta"
    machine, text = "VTA", VtaText

    def executes(self, machine: Hardware) -> bool:
        """The engines are VTA's, by name."""
        return {e.name for e in machine.engines} <= set(ENGINES)

    def executor(self, machine: Hardware | None = None) -> str:
        """The model."""
        return HERE

    def build(self, sources: Sources, *, cc: str | None = None) -> VtaKernel:
        """The kernel, built. Raises BuildError, and NotProvedError for text not made by emit()."""
        text = self.printed(sources)
        return VtaKernel(text.checked.program, build_here(text, cc))


class VtaKernel(EngineKernel):
    """A program for VTA, callable on arrays. Its sums begin at 0, or at the kernel's own start value."""

    machine = "VTA"

    def __init__(self, program: Program, made: HereProgram) -> None:
        """made: the program, built."""
        super().__init__(program)
        self.made, self.executor = made, HERE

    def call(self, arguments: check.Arguments) -> VtaCall:
        """A call with these arrays."""
        return VtaCall(self, arguments)


class VtaCall(EngineCall):
    """One call. run() may be repeated; `result` is the kernel's result. stream, report: of the last run."""

    stream: Stream | None = None
    report: Report | None = None

    def run(self, seed: int = 0) -> None:
        """Compute, with the engines in the seed's order.

        Raises SizeError, RefusedError, DeadlockError, and HardwareError for a race.
        """
        names = tuple(t.name for t in in_memory(self.kernel.program))
        arrays, numbers, written = self.begun(names)
        self.stream, self.report = self.kernel.made(arrays, numbers, written=written, names=list(names), seed=seed)
        if self.report.races:
            raise HardwareError(f"{self.kernel.kernel.name} on VTA: a race: {self.report.race}")

    @property
    def told(self) -> tuple[str, ...]:  # type: ignore[override]
        """The last run in words; () before it."""
        if self.stream is None or self.report is None:
            return ()
        s, engines = self.stream, self.report.instructions
        counts = ", ".join(f"{n} {name}" for n, name in zip(engines, ENGINES, strict=True))
        return (
            f"{s.listed} uses as {len(s.issues)} instructions ({counts}), {len(s.uops)} micro-ops, {s.tokens} tokens; no race",
        )
