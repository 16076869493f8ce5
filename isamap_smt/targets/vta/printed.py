"""A proved program of VTA's engines as C that lists its instructions, with awaits and signals, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Between phases
all engines wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.program import Issued, Program, Ref
from isamap_smt.ir.traversal import parts
from isamap_smt.targets.engines_text import EnginesText
from isamap_smt.targets.vta.sources import HEADER

ENGINES = ("load", "compute", "store")


def in_memory(program: Program) -> tuple[Tensor, ...]:
    """The tensors that lie in main memory, in their order: not those whose elements never leave the accumulator."""
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
        """Those of its places, and of what it awaits."""
        yield from super().expressions(node)
        yield from (amount for _, amount in node.awaits)

    def use(self, node: Issued) -> None:
        """What it awaits, its instruction, what it signals."""
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
