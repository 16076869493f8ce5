"""The printer's state: identifiers, places, register types, and the lines so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from isamap_smt.codegen.c_expr import c_condition, c_element, c_expr, c_offset, with_data
from isamap_smt.ir.c_names import Names
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import insides, substitute, symbols_of
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    Ask,
    Buffer,
    Compute,
    Copy,
    Counted,
    If,
    Loop,
    Move,
    Node,
    Point,
    Program,
    Ref,
    Unrolled,
)
from isamap_smt.ir.traversal import buffers, nodes_of, shared, walk
from isamap_smt.ir.vector_types import vector_type
from isamap_smt.mapping.moves import registers_of


@dataclass
class Printer:
    """Text being written. names: symbols -> C identifiers. constants: unrolled variables -> numbers.

    ends: loop variables -> C name of the count. onwards: variables of backward loops -> C name of the onward counter.
    registers: (buffer, numbers of one of its registers) -> C identifier.
    known: indices made of data -> C variable with the value here; indices: the number of such variables.
    undone: statements to give back all that the function holds here, in their order. cleared: state memory -> statement
    to clear it, of the states written by the function. granted: state memory -> variable of the granted number.
    lent: the most threads the caller lends, with their work space; 0: the C starts threads and allocates.
    """

    program: Program
    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, DType, tuple[Any, ...]]] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    onwards: dict[str, str] = field(default_factory=dict)
    registers: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    register_types: dict[str, str] = field(default_factory=dict)
    undone: tuple[str, ...] = ()
    cleared: dict[str, str] = field(default_factory=dict)
    granted: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    loop_variables: list[str] = field(default_factory=list)
    depth: int = 1
    known: dict[Any, str] = field(default_factory=dict)
    indices: int = 0
    lent: int = 0

    @property
    def sizes(self) -> list[str]:
        """Declared at every function's head: free sizes, the machine's parameters, and whether outputs begin at 0."""
        wanted = (
            *self.program.kernel.free_sizes,
            *self.program.parameters,
            *([FRESH.name] if self.program.starts else ()),
        )
        return [self.names[n] for n in wanted]

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def expr(self, e: Any) -> str:
        return c_expr(substitute(e, self.constants), self.names)

    def condition(self, relations: tuple[Any, ...]) -> str:
        return c_condition(tuple(substitute(r, self.constants) for r in relations), self.names)

    def pointer(self, ref: Ref) -> str:
        name, _, shape = self.places[ref.name]
        index = tuple(substitute(i, self.constants) for i in ref.index)
        return f"{name} + {self._offset(index, shape)}"

    def _offset(self, index: tuple[Any, ...], shape: tuple[Any, ...]) -> str:
        """The element's offset, as C text."""
        names, made = self.names, []
        for i in index:
            e, names = with_data(i, names, self._load, self.known)
            made.append(e)
        return c_offset(tuple(made), shape, names)

    def _load(self, e: Any) -> str:
        at, dtype, own = self.places[e.tensor]
        return c_element(at, self._offset(e.index, own), dtype)

    def indices_before(self, loop: Counted, start: str, count: str) -> list[Any]:
        """Declares, before the loop, each index made of data in its points that does not depend on the loop's variable.
        Without this, no compiler knows that the loop's writes leave the index unchanged. If the loop may have no turn,
        the index is read only if there is one: its elements may not exist otherwise. Returns the new indices."""
        places = [r for n in loop.body if isinstance(n, Point) for r in (n.dst, *n.reads)]
        found = [
            e for e in insides(substitute(i, self.constants) for r in places for i in r.index) if e not in self.known
        ]
        found = [e for e in found if str(loop.var) not in symbols_of([e])]
        for e in found:
            name = f"isamap_index_{self.indices}"
            turns = "" if start == "0" and count.isdigit() and int(count) > 0 else f"{start} < {count} ? "
            self.put(f"const int64_t {name} = {turns}{self._offset((e,), (e.args[1],))}{' : 0' if turns else ''};")
            self.known[e], self.indices = name, self.indices + 1
        return found


def name_everything(p: Printer) -> None:
    """Each thing of the program has a C identifier of its own."""
    program, names = p.program, Names()
    nodes = [n for n, _ in walk(program)]
    for t in program.kernel.tensors:
        p.places[t.name] = (names.give(t.name), t.dtype, t.shape)
    for size in (*program.kernel.free_sizes, *program.parameters):
        p.names[size] = names.give("n", size)
    if program.starts:
        p.names[FRESH.name] = "isamap_fresh"
    for n in nodes:
        if isinstance(n, Loop) and str(n.var) not in p.ends:
            var = str(n.var)
            p.names[var], p.ends[var] = names.give(var), names.give(var, "end")
            p.onwards[var] = names.give(var, "on")
        if isinstance(n, Ask) and n.state not in p.granted:
            p.granted[n.state] = names.give(n.state)
        for cell in (str(v) for v, _ in n.over) if isinstance(n, Copy) else ():
            if cell not in p.ends:
                p.names[cell], p.ends[cell] = names.give(cell), names.give(cell, "end")
        if isinstance(n, Alloc) and n.buffer.memory == "heap":
            p.places[n.buffer.name] = (names.give(n.buffer.name), n.buffer.dtype, n.buffer.shape)
        elif isinstance(n, Alloc):
            for index in register_indices(n.buffer):
                p.registers.setdefault((n.buffer.name, index), "")
        for operand, instruction, ref in registers_of(n):
            p.register_types.setdefault(ref.name, dict(instruction.c_types).get(operand, ""))
    for register, index in p.registers:
        p.registers[register, index] = names.give(register, *index)


def declare_granted(p: Printer, body: tuple[Node, ...]) -> None:
    """Declares a variable for each number this function itself asks for; shared loops have variables of their own."""
    own = (n.state for n, around in walk(body) if isinstance(n, Ask) and not shared(around))
    for memory in dict.fromkeys(own):
        p.put(f"size_t {p.granted[memory]} = 0;")


def register_indices(b: Buffer) -> list[tuple[int, ...]]:
    """The numbers of a buffer's registers, one per counting dimension."""
    return list(product(*(range(int(e)) for e in b.shape[: len(b.shape) - b.lanes])))


# ---- Keeping a compiler from bringing the next operand before the last one was used.
#
# In a register tile one operand streams through a register while the accumulators fill nearly all others. Compilers like to
# load early, run out of registers and move accumulators to and fro: on Zen 3 a tile of 4x24 ran at 41 GF/s so, and runs at
# 94 if each load waits for the executions before it. An empty `asm` makes it wait: its operands are their results, and memory.
# No instruction comes of it, and the processor still reorders as it likes. If registers are left, loading early is right: a tile
# of 4x16 with far rows read in place is a tenth faster without the `asm`.


# Emulated registers are no registers.
MACRO = """\
#ifdef ISAMAP_SIMDE
#define isamap_first(...)
#else
#define isamap_first(...) __asm__ volatile("" : __VA_ARGS__ : : "memory")
#endif
"""
_MOST = 14  # operands of one asm: compilers take 30, and one that is read and written counts twice


def used_up(p: Printer, body: tuple[Node, ...]) -> str:
    """The line behind all executions with one value of the streaming operand; '' if none is of use.

    It is of use if the operands of the executions take all registers. A vector streamed through a single execution can
    be an operand in memory, and shared with the next if windows overlap; so only broadcasts, and vectors with several
    executions, are kept in order.
    """
    broadcast = any(n.instruction.kind == "broadcast" for n in nodes_of(Move, body))
    names = dict(_written(p, body))
    if not names or len(names) > _MOST or (len(names) == 1 and not broadcast) or not _full(p, body):
        return ""
    operands = ", ".join(f'"+{constraint}"({name})' for name, constraint in names.items())
    return f"isamap_first({operands});"


def _full(p: Printer, body: tuple[Node, ...]) -> bool:
    """Whether the operands of the body's executions take as many registers as there are."""
    names = {ref.name for n in nodes_of(Compute, body) for _, ref in n.operands if ref.name in p.register_types}
    held = [b for name, b in buffers(p.program).items() if name in names]
    kinds = {name: vector_type(p.register_types[name]) for name in names}
    count = sum(b.registers * (kind.group if (kind := kinds[b.name]) else 1) for b in held)
    types = list(kinds.values())
    return count >= min((t.registers for t in types if t), default=count + 1)


def _written(p: Printer, body: tuple[Node, ...]) -> Iterator[tuple[str, str]]:
    """The vector registers written by executions of the body, with their constraints; unrolled loops are unrolled."""
    for node in body:
        match node:
            case Compute():
                target = node.instruction.kernel.statements[0].target.tensor
                ref = dict(node.operands)[target]
                if kind := vector_type(p.register_types[ref.name]):
                    yield register_name(p, ref), kind.constraint
            case If():
                yield from _written(p, node.body)
            case Unrolled():
                for k in range(int(node.count)):
                    p.constants[str(node.var)] = k
                    yield from _written(p, node.body)
                p.constants.pop(str(node.var), None)
            case _:
                pass


def register_name(p: Printer, ref: Ref) -> str:
    """The C variable of one register of a buffer."""
    return p.registers[ref.name, tuple(int(substitute(i, p.constants)) for i in ref.index)]
