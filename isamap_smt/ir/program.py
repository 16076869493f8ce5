"""A lowered program: loops, buffers with index types, moves and uses of instructions.

Every buffer has an index type: the map from its cells and the loops around its declaration to tensor coordinates, with
a guard and the value outside it. Program proof is type checking: see isamap_smt.proof.program.

Meaning (the interpreter's and the printer's alike):

- Loop: var takes 0, 1 ... count-1 (nothing if count <= 0), or count-1 ... 0 if `backwards` is odd. Unrolled has a
  constant count; if it is `woven`, the steps of its iterations take turns, in any way keeping each iteration's own order.
  Parallel may run in any interleaving of whole iterations.
- Alloc: the buffer exists for the rest of the body around it; its cells are undefined (poison) at this moment,
  once per execution of the Alloc.
- Compute, Move: one instruction on registers, as its contract says. A register operand is named by leading indices (the
  instruction's cells are the last dimensions of the register buffer); a memory operand is addressed per instruction
  point, by an index expression over loop variables and the instruction's own axes. With `active` (numbers of active
  points, clamped to [0, points]) only points below all of them are accessed; inactive lanes of a load become 0, inactive
  lanes of a store are left alone. `point` claims the kernel point computed by each instruction point; it is a claim only,
  the interpreter does not use it.
- Copy, Point: portable C (isamap_smt.ir.portable); their operands are elements in memory. A copy is carried out for every
  point of `over`: to[...] = from[...] if all of `where` holds, else `fill` ('' leaves it alone). Counts in `over` may
  mention symbols further left in `over` and loop variables. A point of a statement has the places of Statement.inputs,
  in their order.
- SetState, Ask: a thread begins with 0 in each cell of its states. An instruction's needs of them (Instruction.needs)
  must hold at its use. Writing a state destroys the contents of registers in need of it. A request for a number above
  its instruction's `grants` is granted one of several; needs of the number must hold for each of them
  (isamap_smt.ir.states).
- If: body, if all relations hold.

On a machine with engines uses are Issued:

- Every engine issues the uses of its own instructions in program order, and completes them in this order. Different
  engines know nothing of each other but the counters. Uses under an If are issued where all its relations hold.
- A use begins when every await holds: the counter is at least the amount. When it is complete, each counter it signals is
  one more. Counters begin at 0. The number of a loop counts the iterations begun before in the whole program, and never
  restarts.
- A state is one engine's. Its cells hold anything until a use writes them, in the engine's order; an instruction's needs
  of them must hold at its use (isamap_smt.ir.states).
- A buffer has slots, from row `offset` of its memory: an operand's place is the slot, its cells lie in the slot's row and
  column given by the instruction. Cells hold poison at first. With `front` only points from these numbers on are active.
  Inactive points are written as 0 if the instruction says so. A version is a ghost: it names a content of the slot, by
  the loop variables at its start. No executor looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import prod
from typing import Annotated, Any, ClassVar, Self

import sympy as sp

from isamap_smt.ir.dtypes import DType, bool_
from isamap_smt.ir.errors import LanguageError, NotProvedError
from isamap_smt.ir.expr import IMin, is_constant, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import Hypothesis, texts
from isamap_smt.ir.instruction import COPY, ELEMENT, MOVES, Instruction, signal
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.notebook import Shown
from isamap_smt.ir.portable import computing, copying
from isamap_smt.ir.proof import Proof, Seal
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.states import CODE, writes_state

FRESH = sym("fresh?")  # 1 if a call's outputs begin at 0, 0 if it adds to their old values; no name of a user's


class Role(Enum):
    """The meaning of a node's field, for the folds over programs (isamap_smt.ir.traversal).

    Each type of node says it once, in the annotations of its fields; `bodies` names the fields holding nodes, in order.
    """

    EXPRESSION = "an expression or relation that decides what the node does; None for none"
    CLAIM = "one that is claimed alone: no executor evaluates it"
    BOUND = "a symbol that is bound here; None for none"
    BUFFER = "the name of a buffer or of a tensor"
    VARIABLE = "the name of a bound symbol"
    COUNTER = "the name of a counter"


Expr = Annotated[Any, Role.EXPRESSION]
Claim = Annotated[Any, Role.CLAIM]
Bound = Annotated[Any, Role.BOUND]
BufferName = Annotated[str, Role.BUFFER]
VariableName = Annotated[str, Role.VARIABLE]
CounterName = Annotated[str, Role.COUNTER]


@dataclass(frozen=True)
class IndexType:
    """Cell -> element of `tensor` at `coordinates`, if all of `guard` holds; otherwise the cell holds `outside`.

    Coordinates and guard are over the buffer's cell symbols, loop variables enclosing the declaration, and sizes.
    outside: '0', '-0' or another number as text, such as '-oo' or '-128'; or 'dead' (anything; such a cell must never
    reach a live result).
    """

    tensor: str
    coordinates: tuple[Claim, ...]
    guard: tuple[Claim, ...] = ()
    outside: str = "dead"


@dataclass(frozen=True)
class Buffer:
    """cells: symbols, one per dimension of `shape`.

    memory: 'registers', 'heap', 'tensor' (an argument), or the name of an addressed memory.
    For registers the last `lanes` dimensions live in one vector register, the leading ones count registers.
    Shapes of heap buffers mention sizes only, never loop variables.
    first: the number of the first register, if C names the registers of this file by numbers; else None.
    In an addressed memory: `slots` pieces of shape (rows, columns), from row `offset` on; the type is over a piece's
    cells and `version`, symbols for the loops around the use beginning a content.
    """

    name: BufferName
    dtype: DType
    cells: tuple[Bound, ...]
    shape: tuple[Expr, ...]
    type: IndexType
    memory: str = "heap"
    lanes: int = 0
    first: int | None = None
    offset: int = 0
    slots: int = 0
    version: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        _require_names(f"buffer {self.name}", self.cells)

    @property
    def rows(self) -> Any:
        """Of a slot."""
        return self.shape[0]

    @property
    def registers(self) -> int:
        """The number of its registers."""
        return prod(int(n) for n in self.shape[: len(self.shape) - self.lanes])

    @property
    def numbers(self) -> range:
        """The numbers of its registers, if they have some; else an empty range."""
        return range(0) if self.first is None else range(self.first, self.first + self.registers)


@dataclass(frozen=True)
class Ref:
    """A place in a buffer or a tensor argument.

    A buffer in slots is indexed by the slot and, unless the place begins with the slot, by its first row there.
    version: names the content.
    """

    name: BufferName
    index: tuple[Expr, ...]
    version: tuple[Claim, ...] = ()


Operands = tuple[tuple[str, Ref], ...]
Sets = tuple[tuple[str, int], ...]  # state memory, number of its set
Kept = tuple[tuple[str, int], ...]  # temporary, its dimension counted by a loop


@dataclass(frozen=True)
class Alloc:
    buffer: Buffer

    bodies = ()


@dataclass(frozen=True)
class Block:
    """A block of words of 4 bytes, copied by one call: `call` is the helper of the C.

    isamap_transpose: word w of row r of the source to word r of row w; sides: the variables of r and of w.
    isamap_interleave_2 and _4: elements n of so many rows side by side; sides: the variable of n.
    to_row, from_row: bytes from row to row, None if the helper does not ask.
    cut: for sides along which the guard leaves fewer cells, their number; None: then there is no call.
    """

    call: str
    to_row: Expr
    from_row: Expr
    sides: tuple[VariableName, ...]
    cut: tuple[tuple[VariableName, Expr], ...] | None = None


@dataclass(frozen=True)
class CopyForm:
    """How a copy is printed: `split` loops outside, then a choice, and the other loops inside.

    whole: relations ensuring the guard at all points of the inner loops; None: the guard does not depend on these
    loops, and is tested once. written: the number of innermost dimensions written out. block: a call in place of the
    inner loops.
    """

    split: int
    whole: tuple[Expr, ...] | None
    written: int = 0
    block: Block | None = None


@dataclass(frozen=True)
class Prefetch:
    """A prefetched line. It may lie outside of the memory; no value depends on it.

    distance: bytes from the first element read by the move, or from `place`, an element of another tensor; it may use
    the variables of loops. lines: unrolled loads of neighbours begin several lines; so many of them, from the first,
    get a prefetch beside them; 0: all. cache: the level it is brought into.
    """

    distance: Expr
    lines: int = 0
    cache: int = 1
    place: Ref | None = None


@dataclass(frozen=True)
class Across:
    """Elements side by side combined to one number.

    Registers are loaded. While there are several, halves of them are combined lane by lane. Last, the lanes of one
    register are combined with each other.
    """

    load: Instruction
    beside: Instruction | None
    last: Instruction

    @property
    def steps(self) -> tuple[Instruction, ...]:
        """All its instructions."""
        return tuple(i for i in (self.load, self.beside, self.last) if i is not None)


@dataclass(frozen=True)
class Use:
    """One use of an instruction; the classes below are its kinds. Raises LanguageError for an instruction of another kind."""

    instruction: Instruction

    bodies = ()

    def __post_init__(self) -> None:
        if not self.takes(self.instruction):
            raise LanguageError(f"{self.instruction.name} is no instruction of a {type(self).__name__}")

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether this kind of use fits the instruction; the base class fits none."""
        return False

    @property
    def operands(self) -> Operands:
        """Operand -> place."""
        return ()

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The executed instructions: its own, and those doing its work, if any."""
        return (self.instruction,)

    @property
    def counted(self) -> tuple[Any, ...]:
        """The numbers of inactive first points and of active points, in the order of the instruction's parameters."""
        return ()

    @property
    def parameters(self) -> dict[str, Any]:
        """The same by the names of the parameters."""
        return {p: value for (_, p), value in zip(self.instruction.counted, self.counted, strict=False)}

    @property
    def state(self) -> str:
        """The state memory written by it; '' if none."""
        return ""


@dataclass(frozen=True)
class Compute(Use):
    """Computes on registers, named by the leading indices of their buffers.

    point: kernel axis -> expression, the computed point (a claim).
    statement: its position in the kernel; one of the program's schedules is for its mapping.
    """

    operands: Operands = ()
    point: tuple[tuple[str, Claim], ...] = ()
    statement: int = 0

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it computes on a core."""
        return i.kind == "compute" and not i.engine


@dataclass(frozen=True)
class Move(Use):
    """Moves between a register and memory, or clears a register.

    A place in memory has an index over loop variables and the instruction's own axes. active: for each axis in
    Instruction.active the number of active points; () if there are none. prefetch: lines to prefetch besides.
    """

    operands: Operands = ()
    active: tuple[Expr, ...] = ()
    prefetch: tuple[Prefetch, ...] = ()

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it moves on a core."""
        return i.kind in MOVES and not i.engine

    @property
    def counted(self) -> tuple[Any, ...]:
        """The numbers of active points."""
        return self.active

    @property
    def register(self) -> Ref:
        """The register operand."""
        return dict(self.operands)[register_operand(self.instruction)]

    @property
    def memory(self) -> Ref | None:
        """The other operand, if given."""
        return next((ref for o, ref in self.operands if o != register_operand(self.instruction)), None)

    def put(self, register: Ref | None = None, memory: Ref | None = None) -> Move:
        """The same move with other places."""
        own = register_operand(self.instruction)
        places = {o: (register if o == own else memory) or ref for o, ref in self.operands}
        return replace(self, operands=tuple(places.items()))


@dataclass(frozen=True)
class Portable(Use):
    """Reads and writes elements in memory, by portable C."""

    operands: Operands = ()

    @property
    def dst(self) -> Ref:
        """The place written."""
        return self.operands[0][1]

    @property
    def reads(self) -> tuple[Ref, ...]:
        """The places read, in the order of its operands."""
        return tuple(ref for _, ref in self.operands[1:])

    def placed(self, *refs: Ref) -> Self:
        """The same use with other places, in the order of its operands."""
        return replace(self, operands=tuple((o, r) for (o, _), r in zip(self.operands, refs, strict=True)))


@dataclass(frozen=True)
class Copy(Portable):
    """Copies an element from memory to memory, for every point of `over` with all of `where` true.

    over: (symbol, count) pairs, outermost first; where: relations over them, loop variables and sizes; fill: the value
    written elsewhere, '0' or '-0', or '' for nothing. form: how it is printed; None: a test for each element.
    """

    over: tuple[tuple[Bound, Expr], ...] = ()
    where: tuple[Expr, ...] = ()
    fill: str = ""
    form: CopyForm | None = None

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it copies."""
        return i.kind == COPY and not i.engine

    @property
    def src(self) -> Ref:
        """The place read."""
        return self.operands[1][1]


@dataclass(frozen=True)
class Point(Portable):
    """Computes one point of a statement, element by element, from memory to memory.

    point: kernel axis -> expression; statement: its position in the kernel. across: the instructions combining elements
    side by side, in place of portable C.
    """

    point: tuple[tuple[str, Expr], ...] = ()
    statement: int = 0
    across: Across | None = None

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it computes an element."""
        return i.kind == ELEMENT and not i.engine

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instruction, and the others doing its work."""
        return (self.instruction, *(() if self.across is None else self.across.steps))


@dataclass(frozen=True)
class SetState(Use):
    """Writes a state of the thread. cells: each a number from 0 to 255."""

    cells: tuple[Expr, ...] = ()

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it writes given values into a state of a core."""
        return bool(writes_state(i)) and i.grants is None and not i.engine

    @property
    def state(self) -> str:
        """The memory written by it."""
        return writes_state(self.instruction)


@dataclass(frozen=True)
class Ask(Use):
    """Asks for a number, and is granted one: it is written into a state of the thread."""

    number: Expr

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it grants a number."""
        return bool(writes_state(i)) and i.grants is not None and not i.engine

    @property
    def state(self) -> str:
        """The memory holding the number."""
        return writes_state(self.instruction)


@dataclass(frozen=True)
class Issued(Use):
    """A use issued by an engine; the classes below are its kinds. awaits: (counter, amount); signals: counters."""

    awaits: tuple[tuple[CounterName, Expr], ...] = field(default=(), kw_only=True)
    signals: tuple[CounterName, ...] = field(default=(), kw_only=True)

    @property
    def sets(self) -> Sets:
        """For states with several sets of cells, the sets written or needed."""
        return ()


@dataclass(frozen=True)
class Command(Issued):
    """Moves or computes; a host's gives or takes tensors.

    active, front: for each axis of Instruction.active and .front, the number of active points, and of inactive first
    ones.
    point: for a computation, kernel axis -> expression (a claim). sets: the needed ones. begins: whether it begins a
    content of the buffer it writes.
    """

    operands: Operands = ()
    active: tuple[Expr, ...] = ()
    front: tuple[Expr, ...] = ()
    point: tuple[tuple[str, Claim], ...] = ()
    sets: Sets = ()
    begins: bool = False

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether an engine moves or computes."""
        return bool(i.engine) and i.kind not in ("configure", "signal")

    @property
    def counted(self) -> tuple[Any, ...]:
        """The numbers of inactive first points, and of active ones."""
        return (*self.front, *self.active)


@dataclass(frozen=True)
class Configure(Issued):
    """Writes a state of its engine.

    cells: each an expression over loops and sizes, or an element to take the bits from. sets: the written one.
    """

    cells: tuple[Expr | Ref, ...] = ()
    sets: Sets = ()

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it writes given values into a state of an engine."""
        return bool(writes_state(i)) and i.grants is None and bool(i.engine)

    @property
    def state(self) -> str:
        """The memory written by it."""
        return writes_state(self.instruction)


@dataclass(frozen=True)
class Signal(Issued):
    """Awaits and signals counters, and does nothing else."""

    @staticmethod
    def takes(i: Instruction) -> bool:
        """Whether it is its engine's signal."""
        return bool(i.engine) and i == signal(i.engine)


def immediate(ref: Ref) -> int | float | None:
    """The number in the code at this place; None if there is none."""
    if ref.name != CODE or len(ref.index) != 1 or ref.version or not sp.sympify(ref.index[0]).is_Number:
        return None
    value = sp.sympify(ref.index[0])
    return int(value) if value.is_Integer else float(value)


def use_of(
    instruction: Instruction, register: Ref, memory: Ref | None = None, active: tuple[Any, ...] = (),
    prefetch: tuple[Prefetch, ...] = (),
) -> Move:  # fmt: skip
    """A use of a move. memory: None for a clearing one."""
    own = register_operand(instruction)
    other = next((t.name for t in instruction.kernel.tensors if t.name != own), "m")
    places = ((own, register),) if memory is None else ((own, register), (other, memory))
    return Move(instruction, places, active, prefetch)


def copy_of(
    dst: Ref, src: Ref, over: tuple[tuple[Any, Any], ...], where: tuple[Any, ...] = (), fill: str = "0", *,
    dtypes: tuple[DType, DType],
) -> Copy:  # fmt: skip
    """A copy for each point of `over`. dtypes: of the source, and of the target."""
    i = copying(*dtypes)
    return Copy(i, _places(i, dst, src), over, where, fill)


def element_of(
    kernel: Kernel, statement: int, dst: Ref, reads: tuple[Ref, ...], point: tuple[tuple[str, Any], ...]
) -> Point:
    """One point of a statement. dst and reads lie in memory: tensors, or buffers outside of registers."""
    i = computing(kernel, statement)
    return Point(i, _places(i, dst, *reads), point, statement)


def _places(i: Instruction, *refs: Ref) -> tuple[tuple[str, Ref], ...]:
    return tuple(zip((t.name for t in i.kernel.tensors), refs, strict=True))


@dataclass(frozen=True)
class Loop:
    """The classes below are its kinds; the base class is no node.

    axis/step: the digit of the program axis it counts, (axis // step) within the axis' enclosing loop.
    """

    var: Bound
    count: Expr
    body: tuple[Node, ...]
    axis: str = ""
    step: Expr = 1

    bodies: ClassVar[tuple[str, ...]] = ("body",)

    def __post_init__(self) -> None:
        _require_names("a loop", (self.var,))

    @property
    def number(self) -> Any:
        """The symbol of the iterations begun before this one in the whole program."""
        return number_of(self.var)

    @property
    def trips(self) -> Any:
        """The iterations carried out by the C."""
        return self.count

    @property
    def unordered(self) -> bool:
        """Whether its iterations need not run one after the other from the first to the last."""
        return True

    @property
    def backwards(self) -> Any:
        """A variable: if it is odd, the iterations run backwards. None if they never do."""
        return None

    @property
    def base(self) -> Any:
        """The symbol for step * var; None if there is none."""
        return None

    @property
    def extent(self) -> Any:
        """The upper bound, excluded, of `base`; None if there is none."""
        return None

    @property
    def folds(self) -> Kept:
        """Temporaries with a block of its own for each iteration."""
        return ()

    @property
    def rings(self) -> Kept:
        """Temporaries kept as two rows."""
        return ()

    @property
    def folding(self) -> bool:
        """Whether it counts blocks of one length, so an iteration may have one of its own."""
        return False


@dataclass(frozen=True)
class Counted(Loop):
    """A loop counted by the C: every kind but the unrolled one.

    backwards: the variable of a loop around it, or None; if it is odd the iterations run from the last to the first.
    Then no iteration may read or write another one's writes.
    folds: temporaries of which an iteration touches the `step` values from step * var on, and no other does: each
    iteration has a block of its own (isamap_smt.ir.folds).
    """

    backwards: Expr = None
    folds: Kept = ()

    @property
    def folding(self) -> bool:
        """Whether it counts blocks of one length, so an iteration may have one of its own."""
        return self.base is None and is_constant(self.step)


@dataclass(frozen=True)
class Serial(Counted):
    """Its iterations run one after the other.

    base, extent: for a loop over an unknown vector length: the symbol for step * var, and its upper bound. Then nothing
    is divided or multiplied by `step`; `count` is a symbol, too.
    rings: temporaries touched by an iteration in row var and the next one alone: row r lies at r % 2.
    end: from this iteration on every test in the body fails, so the C stops there; None if not known.
    """

    base: Bound = None
    extent: Expr = None
    rings: Kept = ()
    end: Expr = None

    @property
    def trips(self) -> Any:
        """The iterations carried out by the C."""
        return self.count if self.end is None else IMin(self.count, self.end)

    @property
    def unordered(self) -> bool:
        """Whether they may run from the last to the first."""
        return self.backwards is not None

    @property
    def plain(self) -> bool:
        """Whether they always run from the first to the last, without a symbol for step * var."""
        return self.backwards is None and self.base is None


@dataclass(frozen=True)
class Parallel(Counted):
    """Threads share its iterations.

    enter, leave: executed by each of these threads, before its first and after its last iteration.
    """

    enter: tuple[SetState, ...] = ()
    leave: tuple[SetState, ...] = ()

    bodies = ("enter", "body", "leave")


@dataclass(frozen=True)
class Unrolled(Loop):
    """Its iterations are written out; the count is constant. woven: whether their steps take turns."""

    woven: bool = False

    @property
    def unordered(self) -> bool:
        """Whether their steps take turns."""
        return self.woven


@dataclass(frozen=True)
class If:
    """known: for each relation, values of unrolled variables around it making it always true, so no code tests it."""

    condition: tuple[Expr, ...]
    body: tuple[Node, ...]
    known: tuple[tuple[tuple[tuple[VariableName, int], ...], ...], ...] = ()

    bodies = ("body",)

    def open_at(self, constants: Mapping[str, int]) -> tuple[Any, ...]:
        """The relations tested at these values of the unrolled variables."""
        known = self.known or ((),) * len(self.condition)
        pairs = zip(self.condition, known, strict=True)
        return tuple(r for r, at in pairs if not any(all(constants.get(n) == v for n, v in values) for values in at))


AnyUse = Compute | Move | Copy | Point | SetState | Ask | Command | Configure | Signal
AnyLoop = Serial | Parallel | Unrolled
Node = Alloc | AnyUse | AnyLoop | If


def _require_names(what: str, names: tuple[Any, ...]) -> None:
    """Raises LanguageError unless all are symbols."""
    for e in names:
        if not getattr(e, "is_Symbol", False):
            raise LanguageError(
                f"{what} counts by a name of its own, and is given {e}; pass a symbol, such as sym('i')"
            )


def number_of(var: Any) -> Any:
    """The number of the loop with this variable; no name of a user's."""
    return sym(f"#{var.name}")


@dataclass(frozen=True)
class Program(Shown):
    """kernel: with the sizes the program was lowered for (free sizes are run-time parameters).

    ahead: run once before the first call, fills buffers of constant operands; body: each call.
    Buffers declared at the top level of `ahead` are visible in `body`.
    hypotheses: further assumptions, such as Finite('W'); each call checks them.
    schedule: of a statement mapped onto instructions; None if every statement is computed element by element.
    more: the schedules of other mapped statements, each with its own proved mapping.
    starts: tensors set by the body itself to the first value of their reductions (0; the least of all for a maximum).
    So they may hold anything before: temporaries in every call, outputs in calls with FRESH = 1.
    assigned: tensors with every element assigned before it is read or given back; they may hold anything before, too.
    The memory of all others is filled before a call that adds to nothing, and that of temporaries before every call.
    machine: its engines issue the uses and its addressed memories hold the buffers, with outputs beginning at 0; None:
    a core.
    parameters: of the machine, such as a vector length, each at least 1. Executors know their values; the proof holds
    for all.
    """

    schedule: Schedule | None
    kernel: Kernel
    ahead: tuple[Node, ...]
    body: tuple[Node, ...]
    hypotheses: tuple[Hypothesis, ...] = ()
    name: str = "kernel"
    more: tuple[Schedule, ...] = ()
    starts: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    machine: Hardware | None = None
    parameters: tuple[str, ...] = ()

    bodies = ("ahead", "body")

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The hypotheses in words, each once."""
        return texts(self.hypotheses)

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """One for each statement mapped onto instructions."""
        return () if self.schedule is None else (self.schedule, *self.more)

    @property
    def unfilled(self) -> tuple[str, ...]:
        """Tensors with arbitrary memory before: temporaries in every call, outputs in calls that add to nothing."""
        return (*self.starts, *self.assigned)

    @property
    def bools(self) -> tuple[str, ...]:
        """Tensors of bool with bytes from before a call in results: inputs, and outputs not assigned before all else."""
        hidden = (*self.kernel.temporaries, *self.assigned)
        return tuple(t.name for t in self.kernel.tensors if t.dtype == bool_ and t.name not in hidden)

    def __str__(self) -> str:
        """Pseudo-code: every loop, buffer with its index type, move and use of an instruction."""
        from isamap_smt.ir.pseudocode import pseudocode  # it imports the nodes of this file

        return pseudocode(self)


# The dataclasses of a program.
PARTS = (
    Program, Alloc, Buffer, IndexType, Ref, Serial, Parallel, Unrolled, If, Compute, Move, Copy, Point, SetState, Ask,
    Command, Configure, Signal, Prefetch, CopyForm, Block, Across,
)  # fmt: skip


@dataclass(frozen=True)
class ProvedProgram:
    """A program with every claim proved. Only prove_program's module makes one; code is built from nothing else."""

    program: Program
    proof: Proof
    _seal: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        sealed = isinstance(self._seal, Seal) and self._seal.fits(self.program, self.proof)
        if not sealed or not self.proof.proved:
            raise NotProvedError("a ProvedProgram is made by isamap_smt.proof.require_proof(); this one was not")


def seal_program(program: Program, proof: Proof) -> ProvedProgram:
    """For the prover only. Raises NotProvedError unless the proof is complete."""
    return ProvedProgram(program, proof, Seal(program, proof))
