"""A program of uses: `Loop | Use` over buffers in named memories, with counters between engines.

Meaning, for an executor:
- A loop's body is run for var = 0, 1 ... count - 1 (not at all where count <= 0). `number` counts the iterations that were
  begun before in the whole program: 0 at the first, and one more each time, never restarting.
- Every engine issues the uses of its own instructions in the order in which the program comes to them, and completes them
  in that order. Different engines know nothing of each other but the counters.
- A use begins when every await holds: the counter is at least the amount. When it is complete, each counter it signals is one more.
  Counters begin at 0.
- It then reads and writes its operands' cells as the contract says, for the points of the instruction's axes that are active: below
  the use's parameters. A contract `x = ...` writes also the cells with an axis beyond, with 0, where the instruction says 'zero'.
- A place in a buffer: row `offset + slot * rows + row` of the memory, column `column`; for a tensor the element at
  `index`, over the contract's axes. Cells of memories that are not main hold poison at first.
- `version` is a ghost: which content of the buffer is meant, by the loop variables at which it was begun. No executor looks at it.

What is proved of it: isamap_smt.proof.uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.graph import Machine, MachineInstruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import IndexType
from isamap_smt.ir.proof import Proof, Seal


@dataclass(frozen=True)
class SlottedBuffer:
    """`slots` pieces of `rows` rows each, from row `offset` of the memory.

    version: symbols, one for each loop around the use that begins a content. cells: symbols (row, column) inside one piece. type:
    over versions, cells and sizes, what a cell of a content stands for.
    """

    name: str
    memory: str
    offset: int
    rows: int
    slots: int
    version: tuple[Any, ...]
    cells: tuple[Any, Any]
    type: IndexType


@dataclass(frozen=True)
class BufferPlace:
    """The piece `slot` of a buffer, which holds `version`; both over loop variables and numbers. The operand begins at its
    first row."""

    buffer: str
    slot: Any
    version: tuple[Any, ...]


@dataclass(frozen=True)
class TensorPlace:
    """Element of a tensor by the contract's axes and loop variables."""

    tensor: str
    index: tuple[Any, ...]


@dataclass(frozen=True)
class Use:
    """One use of an instruction. places: operand -> place. parameters: use parameter -> how many points are active.

    awaits: (counter, amount). signals: counters. point: kernel axis -> expression over the contract's axes and loop variables, for
    uses that compute; a claim, no executor looks at it. begins: whether it begins a content of the buffer that it writes.
    """

    instruction: MachineInstruction
    places: tuple[tuple[str, BufferPlace | TensorPlace], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    awaits: tuple[tuple[str, Any], ...] = ()
    signals: tuple[str, ...] = ()
    point: tuple[tuple[str, Any], ...] = ()
    begins: bool = False


@dataclass(frozen=True)
class CountedLoop:
    """count: over sizes alone. number: the symbol of the iterations begun before it in the whole program.

    A loop over a vector length, which is not known, has `base`: the symbol that stands for step * var, below `extent`. Nothing is
    then divided or multiplied by `step`; `count` is a symbol, too.
    """

    var: Any
    count: Any
    number: Any
    body: tuple[UseNode, ...]
    base: Any = None
    step: Any = None
    extent: Any = None


UseNode = CountedLoop | Use


@dataclass(frozen=True)
class UseProgram:
    """kernel: what is computed, each output beginning at 0. buffers lie in memories of the machine. parameters: of the machine,
    such as a vector length, each at least 1. Executors know their values; the proof holds for all."""

    kernel: Kernel
    machine: Machine
    buffers: tuple[SlottedBuffer, ...]
    body: tuple[UseNode, ...]
    parameters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Loops, uses with their places, and the counters that join engines."""
        from isamap_smt.ir.uses_text import text_of

        return text_of(self)

    def buffer(self, name: str) -> SlottedBuffer:
        """By name."""
        return next(b for b in self.buffers if b.name == name)


@dataclass(frozen=True)
class ProvedUses:
    """A program every claim of which is proved. Only isamap_smt.proof.uses makes one; targets run nothing else."""

    program: UseProgram
    proof: Proof
    _seal: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        sealed = isinstance(self._seal, Seal) and self._seal.fits(self.program, self.proof)
        if not sealed or not self.proof.proved:
            raise NotProvedError("a ProvedUses is made by isamap_smt.proof.uses.require_uses(); this one was not")


def walk_uses(
    body: tuple[UseNode, ...], loops: tuple[CountedLoop, ...] = ()
) -> Iterator[tuple[Use, tuple[CountedLoop, ...]]]:
    """Every use with the loops around it, outermost first, in program order."""
    for node in body:
        if isinstance(node, CountedLoop):
            yield from walk_uses(node.body, (*loops, node))
        else:
            yield node, loops
