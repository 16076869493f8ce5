"""An instruction is a kernel over its operands' cells, with a place for each operand and a way to emit it.

The contract (`kernel`) is the one statement offered by the instruction. `exact` is its real computation, if it does
more than the contract says (an intermediate saturation). The scalar claim relates the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from isamap_smt.ir import c_text
from isamap_smt.ir import instruction_checks as checks
from isamap_smt.ir.addresses import Address, Steps, address_of
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.engines import KEPT, Operand, Work
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.kept import hashed_once
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.machine_parameters import is_open
from isamap_smt.ir.notebook import Shown
from isamap_smt.ir.preconditions import Precondition, parse_precondition
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.states import CODE, Held, Need, Needs, parse_needs
from isamap_smt.ir.vector_types import vector_type

ACCUMULATE = "accumulate"  # a load and an addition joined by isamap: it adds elements in memory to a register
MOVES = ("load", "store", "broadcast", "zero", ACCUMULATE)  # between a register and memory, or into a register
FINITE = 2**126  # numbers of floating point in the code lie between this and its negative
GIVE, TAKE = "give", "take"  # of the host: it has written whole tensors, it reads whole tensors
COPY, ELEMENT = "copy", "element"  # of portable instructions (isamap_smt.ir.portable)


@dataclass(frozen=True)
class Cost:
    """latency in cycles; per_cycle issues that can start each cycle on one core.

    parts: of an instruction made by isamap from several: the cycles of each step, and the operands its value depends
    on. Executions with these operands in common share the step.
    """

    latency: float = 4.0
    per_cycle: float = 1.0
    parts: tuple[tuple[float, tuple[str, ...]], ...] = ()


@hashed_once
@dataclass(frozen=True)
class Instruction(Shown):
    """One instruction of one machine.

    line: of its description, for messages. file: `file.py:NAME` of its file, if found in one.
    kind: 'compute' (operands in registers), 'load', 'store', 'broadcast', 'zero' or 'accumulate' (a move), 'configure'
    (it writes a state), 'signal' (of an engine: it touches nothing), 'give' and 'take' (of the host: all of some
    tensors), 'move' (of an engine: between two memories of the machine), 'step' (of an engine: it begins, changes or
    stores sums and computes), 'copy' or 'element' (portable: from memory to memory).
    places: operand -> memory name ('zmm', 'ymm', 'memory', 'scalar').
    steps: operand in memory -> elements between neighbours along each of its indices, or the name of a use parameter (a
    stride); operands without steps lie row-major without gaps (isamap_smt.ir.addresses).
    emit: C, with {operand} for registers and pointers, and {parameter} for a use parameter; strides are in elements.
    active: axis -> the use parameter counting its active points, from the first; for a core's move the first axes, at
    most two. front: axis -> the use parameter counting its inactive first points, for uses on an engine.
    beyond: the contents of written cells that are not active, 'zero' or 'kept'; of cells left out by a core's load also
    'least' or 'most', of the numbers of their type.
    temporaries: registers of its output's kind needed by its C beside those of its operands; 0 for one intrinsic.
    rounding: how floating point differs from the contract over the reals ('fused', 'unfused', 'flushes denormals').
    preconditions: relations in words and form ('aligned m 64'); obligations at every use, as the places are.
    assume: value ranges with `exact` equal to the contract, as (operand, low, high).
    c_types: operand -> C type of its register; without one, `emit` names the register by its number, known when C
    compiles. Memory operands are pointers to the element's C type.
    headers: the includes of `emit`. prelude: texts of C definitions called by `emit`; each distinct one is printed
    once.
    needs: contents of state cells required to run, and the numbers of registers (isamap_smt.ir.states).
    may_fail: `emit` is an expression, with a value other than 0 if the system refuses.
    grants: for an instruction writing a number requested by a program: the greatest number granted for sure.
    engine: the engine of the machine issuing it; '' on a machine without engines. For engines: cells: operand -> row
    and column of its cells in its addressed memory, over the axes. work: how long a use occupies the engine.

    Raises LanguageError for impossible fields (isamap_smt.ir.instruction_checks), and for C reaching beyond itself
    (isamap_smt.ir.c_text), with its line.
    """

    composed: ClassVar[bool] = False  # whether isamap put its C together from that of others
    own: ClassVar[bool] = False  # whether isamap wrote the C itself, and calls its own helper functions there

    name: str
    kernel: Kernel
    kind: str = "compute"
    places: tuple[tuple[str, str], ...] = ()
    emit: str = ""
    requires: tuple[str, ...] = ()
    cost: Cost = field(default_factory=Cost)
    exact: Kernel | None = None
    rounding: str = "exact"
    preconditions: tuple[str, ...] = ()
    assume: tuple[tuple[str, int, int], ...] = ()
    c_types: tuple[tuple[str, str], ...] = ()
    headers: tuple[str, ...] = ()
    prelude: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    may_fail: bool = False
    grants: Any = None
    engine: str = ""
    cells: tuple[tuple[str, Any, Any], ...] = ()
    active: tuple[tuple[str, str], ...] = ()
    front: tuple[tuple[str, str], ...] = ()
    beyond: str = KEPT
    temporaries: int = 1
    work: Work | None = None
    steps: tuple[tuple[str, Steps], ...] = ()
    line: str = field(default="", compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        for field_name, value in checks.normal_form(self).items():
            object.__setattr__(self, field_name, value)
        c_text.check_instruction(self)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.emit))

    @cached_property
    def target(self) -> str:
        """The operand written by it."""
        return self.kernel.statements[0].target.tensor

    @cached_property
    def types(self) -> dict[str, DType]:
        """Operand -> element type."""
        return {t.name: t.dtype for t in self.kernel.tensors}

    @cached_property
    def written(self) -> str:
        """The text of its statement, `exact`'s if it has one."""
        return (self.exact or self.kernel).statements[0].source

    @cached_property
    def combines(self) -> str:
        """The operator combining its value with the target's old one, '=' for none; '' if the value reads it."""
        s = self.kernel.statements[0]
        return "" if s.target in s.inputs else s.op

    @cached_property
    def indices(self) -> dict[str, tuple[Any, ...]]:
        """Operand -> index of its cells; of one access, if it has several."""
        s = self.kernel.statements[0]
        return {a.tensor: a.index for a in (s.target, *s.inputs)}

    @cached_property
    def shapes(self) -> dict[str, tuple[Any, ...]]:
        """Operand -> extents of its cells."""
        return {t.name: t.shape for t in self.kernel.tensors}

    def statement(self, operands: Mapping[str, str]) -> str:
        """Its C on operands, given as C expressions: one statement, or one expression if it may fail.

        It leaves no names behind.
        """
        if self.may_fail:
            return c_text.filled(self.emit, operands, c_text.macros(self.prelude))
        return c_text.statement(self.emit, operands, c_text.macros(self.prelude), self.composed)

    def taking_turns(self, operands: Mapping[str, str], mark: str) -> tuple[str, ...]:
        """Its C as successive statements; those of other executions may stand between them.

        Names declared in it get this mark.
        """
        return c_text.steps(self.emit, operands, mark, c_text.macros(self.prelude), self.composed)

    @property
    def chained(self) -> bool:
        """Whether its C is several steps."""
        return "\n" in self.emit

    @property
    def portable(self) -> bool:
        """Whether every machine has it."""
        return self.kind in (COPY, ELEMENT)

    @property
    def axes(self) -> dict[str, int]:
        """Instruction axis -> number of points. Raises HardwareError for a machine parameter without a number."""
        try:
            return {a.name: int(a.extent) for a in self.kernel.axes}
        except TypeError:
            raise self._open() from None

    @property
    def extents(self) -> dict[str, Any]:
        """Instruction axis -> number of points, possibly a number times a machine parameter."""
        return {a.name: a.extent for a in self.kernel.axes}

    def _open(self) -> HardwareError:
        """The error for an axis as long as a machine parameter, where a number is needed."""
        axis = next(a for a in self.kernel.axes if is_open(a.extent))
        return HardwareError(
            f"{self.where}: axis {axis.name} has {axis.extent} points, and a number is needed; describe the machine with a number "
            f"in the place of {', '.join(sorted(map(str, axis.extent.free_symbols)))}"
        )

    @property
    def short(self) -> str:
        """The name without its machine."""
        return self.name.rsplit(".", 1)[-1]

    @property
    def told(self) -> str:
        """The name; for an instruction put together from others, with its parts."""
        return self.name

    @property
    def where(self) -> str:
        """The name, with the line of its description if known."""
        return f"{self.name} ({self.line})" if self.line else self.name

    def address(self, operand: str) -> Address:
        """The address of an operand's cells in main memory."""
        return address_of(self.kernel, operand, dict(self.steps).get(operand, ()))

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """Each with its memory, and its cells' rows and columns in an addressed one."""
        cells = {o: (row, column) for o, row, column in self.cells}
        return tuple(Operand(o, memory, *cells.get(o, (None, None))) for o, memory in self.places)

    def operand(self, name: str) -> Operand:
        """By its name in the contract."""
        return next(o for o in self.operands if o.name == name)

    @cached_property
    def immediates(self) -> dict[str, tuple[int, int]]:
        """Operands given as a number in the code -> the least and the greatest number allowed."""
        found = {}
        for name in (o for o, memory in self.places if memory == CODE):
            d, ranges = self.kernel.tensor(name).dtype, [(a, b) for o, a, b in self.assume if o == name]
            low, high = (-FINITE, FINITE) if d.is_float else (d.low, d.high)
            found[name] = (max([low, *(a for a, _ in ranges)]), min([high, *(b for _, b in ranges)]))
        return found

    @property
    def counted(self) -> tuple[tuple[str, str], ...]:
        """(axis, use parameter) of the parameters bounding active points: lower bounds first, then upper bounds."""
        return (*self.front, *self.active)

    @property
    def least(self) -> int:
        """The least value of its use parameters counting active points: 0, or 1 if it has none."""
        return 0 if self.counted else 1

    @property
    def occupies(self) -> Work:
        """How long a use occupies its engine: by default 1 / `per_cycle` cycles."""
        return self.work if self.work is not None else Work(1 / self.cost.per_cycle, 0)

    @property
    def strides(self) -> tuple[str, ...]:
        """The use parameters giving distances between cells in main memory."""
        return tuple(s for _, steps in self.steps for s in steps if isinstance(s, str))

    @cached_property
    def _parsed(self) -> Needs:
        return parse_needs(self, self.needs)

    @property
    def asks(self) -> tuple[Precondition, ...]:
        """The preconditions, parsed."""
        return tuple(map(parse_precondition, self.preconditions))

    @property
    def cells_needed(self) -> tuple[Need, ...]:
        """The contents of state cells required to run."""
        return self._parsed[0]

    @property
    def numbers_needed(self) -> tuple[Held, ...]:
        """The granted numbers required to run."""
        return self._parsed[2]

    @property
    def registers(self) -> dict[str, int]:
        """Operand -> its number of registers to choose from, for operands named in C by register number."""
        return dict(self._parsed[1])

    def group(self, operand: str) -> int:
        """Number of adjacent registers holding the operand's cells, by its C type; 1 if the type does not tell."""
        found = vector_type(dict(self.c_types).get(operand, ""))
        return found.group if found else 1

    @property
    def numbered(self) -> bool:
        """Whether the C names its registers by numbers."""
        return bool(self.registers)

    @property
    def _reach(self) -> str:
        """Its active points, in the names of its use parameters."""
        first, last = dict(self.front), dict(self.active)
        ends = {
            a: (f"{first[a]} <= " if a in first else "", f" < {last[a]}" if a in last else "") for a, _ in self.counted
        }
        return ", ".join(f"{low}{a}{high}" for a, (low, high) in ends.items())

    def __str__(self) -> str:
        """Contract, active points and the contents beyond, `exact` if given, operands with places, cost and needs."""
        axes = ", ".join(f"{a.name} < {a.extent}" for a in self.kernel.axes)
        lines = [f"{self.name}: {self.kernel.text.strip()}" + (f"  ({axes})" if axes else "")]
        if self.exact is not None:
            lines.append(f"  really computes {self.exact.text.strip()}")
        places = dict(self.places)
        for t in self.kernel.tensors:
            shape = ", ".join(map(str, t.shape))
            form = f"[{self.address(t.name)}]" if t.name in dict(self.steps) else ""
            lines.append(f"  {t.name}: {t.dtype}[{shape}] in {places.get(t.name, '?')}{form}")
        lines += [f"  asks for {p}" for p in self.preconditions]
        lines += [f"  at {self._reach} alone; beyond: {self.beyond}"] if self.counted else []
        lines += [f"  needs {n}" for n in self.needs]
        lines += [] if self.grants is None else [f"  grants {self.grants} for sure"]
        lines.append(f"  latency {self.cost.latency:g} cycles, {self.cost.per_cycle:g} per cycle")
        if self.requires:
            lines.append(f"  needs {', '.join(self.requires)}")
        return "\n".join(lines)


class OwnInstruction(Instruction):
    """An instruction with C written by isamap itself. It may use the names reserved to isamap."""

    own = True

    def __post_init__(self) -> None:
        """Checks nothing: all its texts are isamap's own."""

    def statement(self, operands: Mapping[str, str]) -> str:
        """Its C on operands, as one statement."""
        return c_text.statement(self.emit, operands)


@hashed_once
@dataclass(frozen=True)
class SelectedInstruction(Instruction):
    """An instruction made by isamap from the C of several others: `steps_taken`, by name.

    Its prelude is their helper functions. rules: they turn its contract into the steps' computation. They are a hint:
    the scalar claim looks for the way again. gap: the largest possible saving by cheaper steps, as a part of the cost;
    0 if this choice is the cheapest.
    """

    composed = True

    steps_taken: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    gap: float = 0.0

    @property
    def told(self) -> str:
        """The name and the steps, with their largest distance from the cheapest choice."""
        far = f"; at most {self.gap:.0%} from the cheapest" if self.gap else ""
        return f"{self.name} ({', '.join(dict.fromkeys(self.steps_taken))}{far})"

    def __post_init__(self) -> None:
        """Checks nothing: its texts were checked, each with its own instruction."""


@lru_cache(maxsize=64)
def touch(engine: str, kind: str) -> Instruction:
    """GIVE: the host has written the tensors named by a use; TAKE: it reads them. Their elements stay as they are."""
    name = f"{kind} {engine}"
    return OwnInstruction(name, Kernel(name, (), ()), kind, engine=engine, work=Work(0, 0))


@lru_cache(maxsize=64)
def signal(engine: str) -> Instruction:
    """An instruction by which an engine signals or awaits a counter, in no time."""
    name = f"signal {engine}"
    return OwnInstruction(name, Kernel(name, (), ()), "signal", engine=engine, work=Work(0, 0))
