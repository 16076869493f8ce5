"""An instruction is a kernel over its operands' cells, with a place for each operand and a way to emit it.

The contract (`kernel`) is the one statement the instruction is offered for; `exact` is what it really computes
when that is more than the contract says (an intermediate saturation). The scalar claim relates the two.
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

ACCUMULATE = "accumulate"  # of what isamap makes of a load and an addition: it adds to a register what lies in memory
MOVES = ("load", "store", "broadcast", "zero", ACCUMULATE)  # between a register and memory, or into a register
FINITE = 2**126  # numbers of floating point in the code lie between this and its negative
GIVE, TAKE = "give", "take"  # of the host: it has written whole tensors, it reads whole tensors
COPY, ELEMENT = "copy", "element"  # of portable instructions (isamap_smt.ir.portable)


@dataclass(frozen=True)
class Cost:
    """latency in cycles; per_cycle issues that can start each cycle on one core.

    parts: of an instruction that isamap made of several: the cycles of each step, and the operands that its value depends on.
    Executions that have these in common have the step in common.
    """

    latency: float = 4.0
    per_cycle: float = 1.0
    parts: tuple[tuple[float, tuple[str, ...]], ...] = ()


@hashed_once
@dataclass(frozen=True)
class Instruction(Shown):
    """One instruction of one machine. line: where it is described, for messages. file: `file.py:NAME` where it was found so.

    kind: 'compute' (operands in registers), 'load', 'store', 'broadcast', 'zero' or
    'accumulate' (a move), 'configure' (it writes a state),
    'signal' (of an engine: it touches nothing), 'give' and 'take' (of the host: all of some tensors), 'move' (of an engine:
    between two memories of the machine), 'step' (of an engine: it begins, changes or stores sums and computes), 'copy' or
    'element' (portable: from memory to memory).
    places: operand -> memory name ('zmm', 'ymm', 'memory', 'scalar').
    steps: operand in memory -> elements between neighbours along each of its indices, or the name of a use parameter (a stride);
    what is not named lies row-major without gaps (isamap_smt.ir.addresses).
    emit: C, with {operand} for registers and pointers, and {parameter} for a use parameter; strides are in elements.
    active: axis -> the use parameter that says how many of its points are active, from the first; the first axes, at most two,
    of a move of a core. front: axis -> the use parameter that says how many of its first points are not, of what an engine issues.
    beyond: what becomes of the written cells that are not active, 'zero' or 'kept';
    of those that a core's load does not bring also 'least' or 'most', of the numbers of their type.
    temporaries: registers of its output's kind that its C needs beside those of its operands; 0 for one intrinsic.
    rounding: how floating point differs from the contract over the reals ('fused', 'unfused', 'flushes denormals').
    preconditions: relations in words and form ('aligned m 64'); obligations at every use, as the places are.
    assume: value ranges under which `exact` equals the contract, as (operand, low, high).
    c_types: operand -> C type of its register; one without is a register that `emit` names by its number, known when C compiles.
    Memory operands are pointers to the element's C type.
    headers: what `emit` includes. prelude: texts of C definitions that `emit` calls; each distinct one is printed once.
    needs: what cells of state memories hold where it runs, and which numbers registers have (isamap_smt.ir.states). may_fail: its
    `emit` is an expression that is not 0 where the system refuses. grants: of what writes the number that a program asks for: the
    most that is granted for sure.
    engine: which of the machine's engines issues it; '' on a machine without engines. For those: cells: operand -> row and
    column of its cells in its addressed memory, over the axes. work: what a use occupies the engine for.
    Raises LanguageError for what no instruction can be (isamap_smt.ir.instruction_checks), and for C that reaches beyond itself
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
        """The operand that it writes."""
        return self.kernel.statements[0].target.tensor

    @cached_property
    def types(self) -> dict[str, DType]:
        """Operand -> element type."""
        return {t.name: t.dtype for t in self.kernel.tensors}

    @cached_property
    def combines(self) -> str:
        """The operator by which its value is combined with what the target holds, '=' for none; '' where its value reads that."""
        s = self.kernel.statements[0]
        return "" if s.target in s.inputs else s.op

    @cached_property
    def indices(self) -> dict[str, tuple[Any, ...]]:
        """Operand -> index of its cells, of one access where it has several."""
        s = self.kernel.statements[0]
        return {a.tensor: a.index for a in (s.target, *s.inputs)}

    @cached_property
    def shapes(self) -> dict[str, tuple[Any, ...]]:
        """Operand -> extents of its cells."""
        return {t.name: t.shape for t in self.kernel.tensors}

    def statement(self, operands: Mapping[str, str]) -> str:
        """Its C on operands that are expressions of C: a statement that leaves nothing behind; an expression where it may fail."""
        if self.may_fail:
            return c_text.filled(self.emit, operands, c_text.macros(self.prelude))
        return c_text.statement(self.emit, operands, c_text.macros(self.prelude), self.composed)

    def taking_turns(self, operands: Mapping[str, str], mark: str) -> tuple[str, ...]:
        """Its C as statements between which those of other executions may stand; what they declare has names with this mark."""
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
        """Instruction axis -> number of points. Raises HardwareError for a machine parameter that has no number."""
        try:
            return {a.name: int(a.extent) for a in self.kernel.axes}
        except TypeError:
            raise self._open() from None

    @property
    def extents(self) -> dict[str, Any]:
        """Instruction axis -> number of points, which may be a number of times a machine parameter."""
        return {a.name: a.extent for a in self.kernel.axes}

    def _open(self) -> HardwareError:
        """An axis is as long as a parameter of the machine, and here a number is needed."""
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
        """The name; of one that is put together, with what it is made of."""
        return self.name

    @property
    def where(self) -> str:
        """The name, with the line where it is described if that is known."""
        return f"{self.name} ({self.line})" if self.line else self.name

    def address(self, operand: str) -> Address:
        """Where the cells of an operand in main memory lie."""
        return address_of(self.kernel, operand, dict(self.steps).get(operand, ()))

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """Each with its memory, and where its cells lie in an addressed one."""
        cells = {o: (row, column) for o, row, column in self.cells}
        return tuple(Operand(o, memory, *cells.get(o, (None, None))) for o, memory in self.places)

    def operand(self, name: str) -> Operand:
        """By its name in the contract."""
        return next(o for o in self.operands if o.name == name)

    @cached_property
    def immediates(self) -> dict[str, tuple[int, int]]:
        """Operands that are a number in the code -> the least and the greatest that it takes."""
        found = {}
        for name in (o for o, memory in self.places if memory == CODE):
            d, ranges = self.kernel.tensor(name).dtype, [(a, b) for o, a, b in self.assume if o == name]
            low, high = (-FINITE, FINITE) if d.is_float else (d.low, d.high)
            found[name] = (max([low, *(a for a, _ in ranges)]), min([high, *(b for _, b in ranges)]))
        return found

    @property
    def counted(self) -> tuple[tuple[str, str], ...]:
        """(axis, use parameter) of those that say which points are active: from which on, then below which."""
        return (*self.front, *self.active)

    @property
    def least(self) -> int:
        """The least value of its use parameters that say which points are active."""
        return 0 if self.counted else 1

    @property
    def occupies(self) -> Work:
        """How long a use occupies its engine; one use at a time of `per_cycle` where the description says no more."""
        return self.work if self.work is not None else Work(1 / self.cost.per_cycle, 0)

    @property
    def strides(self) -> tuple[str, ...]:
        """The use parameters that say how far cells lie apart in main memory."""
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
        """What cells of state memories hold where it runs."""
        return self._parsed[0]

    @property
    def numbers_needed(self) -> tuple[Held, ...]:
        """What numbers that a program is granted are where it runs."""
        return self._parsed[2]

    @property
    def registers(self) -> dict[str, int]:
        """Operand -> how many registers it is one of, where the C names registers by numbers."""
        return dict(self._parsed[1])

    def group(self, operand: str) -> int:
        """How many registers, beside each other, hold the operand's cells, as its C type says; 1 where that says nothing."""
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
        """Contract, which points are active and what becomes of the others, what it really computes where that
        is more, operands with their places, cost and needs."""
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
    """An instruction whose C isamap wrote itself. It may use the names that isamap keeps to itself."""

    own = True

    def __post_init__(self) -> None:
        """Nothing is checked: no text of it is anybody else's."""

    def statement(self, operands: Mapping[str, str]) -> str:
        """Its C on operands, as one statement."""
        return c_text.statement(self.emit, operands)


@hashed_once
@dataclass(frozen=True)
class SelectedInstruction(Instruction):
    """An instruction that isamap made of the C of several others, its `steps` by name; their helper functions are its prelude.

    rules: those that make its contract what the steps compute. They are a hint: the scalar claim looks for the way again. gap: by
    how much a cheaper choice of steps may be cheaper at most, as a part of the cost; 0 where this one is the cheapest."""

    composed = True

    steps_taken: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    gap: float = 0.0

    @property
    def told(self) -> str:
        """The name, and the steps; how far from the cheapest they may be."""
        far = f"; at most {self.gap:.0%} from the cheapest" if self.gap else ""
        return f"{self.name} ({', '.join(dict.fromkeys(self.steps_taken))}{far})"

    def __post_init__(self) -> None:
        """The texts that it is made of were looked at, each with its own instruction."""


@lru_cache(maxsize=64)
def touch(engine: str, kind: str) -> Instruction:
    """GIVE: the host has written the tensors that a use names; TAKE: it reads them. Their elements stay as they are."""
    name = f"{kind} {engine}"
    return OwnInstruction(name, Kernel(name, (), ()), kind, engine=engine, work=Work(0, 0))


@lru_cache(maxsize=64)
def signal(engine: str) -> Instruction:
    """What an engine issues to signal or await a counter, and takes no time for."""
    name = f"signal {engine}"
    return OwnInstruction(name, Kernel(name, (), ()), "signal", engine=engine, work=Work(0, 0))
