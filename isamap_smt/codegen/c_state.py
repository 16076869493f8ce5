"""What is known while a program is printed: identifiers, places, register types, and the lines so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from isamap_smt.codegen.c_expr import c_expr, c_offset
from isamap_smt.ir.boxes import always_true
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.program import FRESH, Alloc, Buffer, Copy, Exec, Loop, Move, Node, Program, Ref, walk
from isamap_smt.ir.tiles import NUMBERED, TileConfiguration
from isamap_smt.mapping.moves import register_operand

_KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "I",
        "tensors",
        "sizes",
        "packed",
        "threads",
        "from",
        "to",
        "context",
        "share",
        "isamap_result",
        # what the code uses of the standard headers
        "NULL",
        "aligned_alloc",
        "free",
        "memcpy",
        "memset",
        "size_t",
        "uintptr_t",
        *(f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)),
    ]
)


END, ONWARDS = (
    "_end",
    "_on",
)  # behind a loop's variable: its count, and what counts onwards where the loop runs backwards


@dataclass
class Printer:
    """Text being written. names: symbols -> C identifiers. constants: unrolled variables -> numbers.

    registers: buffers of registers -> what their C identifiers begin with.

    ranges: variables of the loops around, with the most that each can count to.
    numbers: register file -> how many of its numbered registers are in use here. states: those that the function is in.
    """

    program: Program
    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, DType, tuple[Any, ...]]] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    register_types: dict[str, str] = field(default_factory=dict)
    register_files: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    states: tuple[TileConfiguration, ...] = ()
    functions: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    loop_variables: list[str] = field(default_factory=list)
    ranges: list[Axis] = field(default_factory=list)
    depth: int = 1

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def open_relations(self, relations: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those that the constants and the ranges of the loops do not decide; a relation that never holds stays."""
        here = (substitute(r, self.constants) for r in relations)
        return tuple(r for r in here if not always_true(r, tuple(self.ranges)))

    def expr(self, e: Any) -> str:
        return c_expr(substitute(e, self.constants), self.names)

    def pointer(self, ref: Ref) -> str:
        name, _, shape = self.places[ref.name]
        index = tuple(substitute(i, self.constants) for i in ref.index)
        return f"{name} + {c_offset(index, shape, self.names)}"

    def number(self, register: str) -> int:
        """The next number of the register file that these registers are of. Raises ScheduleError when all are in use."""
        file, count = self.register_files[register], int(self.register_types[register].removeprefix(NUMBERED))
        found = self.numbers.get(file, 0)
        if found >= count:
            raise ScheduleError(
                f"{self.program.name} needs more than the {count} registers of {file}; take smaller register tiles"
            )
        self.numbers[file] = found + 1
        return found


def name_everything(p: Printer) -> None:
    program = p.program
    taken = set(_KEYWORDS)
    nodes = [n for n, _ in walk((*program.ahead, *program.body))]
    variables = {str(n.var) for n in nodes if isinstance(n, Loop)}
    copied = {str(cell) for n in nodes if isinstance(n, Copy) for cell, _ in n.over}
    derived = {f"{v}{ending}" for v in variables for ending in (END, ONWARDS)}
    if variables & derived:
        raise ScheduleError(
            f"a loop cannot be called {min(variables & derived)}: that is what the C calls a part of another loop"
        )
    taken |= variables | derived | copied

    def unique(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    for size in program.kernel.free_sizes:
        p.names[size] = unique(f"n_{size}")
    if program.starts:
        p.names[FRESH.name] = unique("isamap_fresh")
    for t in program.kernel.tensors:
        p.places[t.name] = (unique(t.name), t.dtype, t.shape)
    registers: dict[str, set[tuple[int, ...]]] = {}
    for n in nodes:
        if isinstance(n, Alloc) and n.buffer.memory == "heap":
            p.places[n.buffer.name] = (unique(n.buffer.name), n.buffer.dtype, n.buffer.shape)
        elif isinstance(n, Alloc):
            registers.setdefault(n.buffer.name, set()).update(register_indices(n.buffer))
        for register, instruction, operand in _registers(n):
            p.register_types.setdefault(register, dict(instruction.c_types)[operand])
            p.register_files.setdefault(register, dict(instruction.places)[operand])
    for register, indices in registers.items():
        name = register
        while taken & (own := {numbered(name, i) for i in indices}):
            name += "_"
        taken |= own
        p.registers[register] = name


def register_indices(b: Buffer) -> list[tuple[int, ...]]:
    """The numbers of a buffer's registers, one for each dimension that counts them."""
    return list(product(*(range(int(e)) for e in b.shape[: len(b.shape) - b.lanes])))


def numbered(name: str, index: Iterable[int]) -> str:
    """What the C calls one register of several.

    >>> numbered("acc", (1, 0)), numbered("a_r", ())
    ('acc_1_0', 'a_r')
    """
    return "_".join([name, *map(str, index)])


def _registers(node: Node) -> list[tuple[str, Instruction, str]]:
    """(buffer, instruction, operand) of each register that a node names."""
    if isinstance(node, Move):
        return [(node.register.name, node.instruction, register_operand(node.instruction))]
    if isinstance(node, Exec):
        return [(ref.name, node.instruction, o) for o, ref in node.operands]
    return []
