"""Peak and latency of a compute instruction, from its emitted C.

Throughput: a register tile of accumulators, as in a matrix product. Its columns' operands stay in registers, its rows'
come from memory one by one. So a compiler shares the first work on an operand (widening bytes) as in a kernel, and
nothing else. Latency: one accumulator waiting for itself. Empty `asm` statements make operands and accumulators new, so
nothing is moved out of the loop or added up beforehand.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.c_names import Names
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.states import needs_at
from isamap_smt.mapping.configuring import c_use, configuring
from isamap_smt.runtime.cache import build_library

TILES = ((4, 2), (6, 2), (4, 3))  # rows and columns of accumulators; the fastest counts, as some spill
NUMBERED_TILES = (
    (2, 2),
)  # the same of registers that the C names by numbers: eight with their operands, none from memory
_CHAIN = 8
_ROUNDS = 10_000


@dataclass(frozen=True)
class Rate:
    """seconds between starts when nothing waits, and from an accumulator to itself."""

    interval: float
    latency: float


def measurable(instruction: Instruction) -> bool:
    """Whether the instruction's C needs nothing but its operands, in registers C's `asm` can name."""
    operands = {t.name for t in instruction.kernel.tensors}
    fields = {part.split("}")[0] for part in instruction.emit.split("{")[1:]}
    plain = "_Float16" not in dict(instruction.c_types).values()
    here = instruction.numbered or not instruction.cells_needed
    return bool(instruction.emit) and instruction.kind == "compute" and fields == operands and plain and here


class Rates:
    """The compiled measurements of a few instructions; each pass() is one more try of all of them."""

    def __init__(self, machine: Hardware, instructions: Sequence[Instruction], cc: str | None = None) -> None:
        """Compile them; all are of this machine. Raises BuildError with the name of the refused instruction."""
        self._calls: dict[str, tuple[list[tuple[Any, int]], Any]] = {}
        self._best: dict[str, Rate] = {}
        for alike in _by_features(instructions):
            library = ctypes.CDLL(str(build_library(source(machine, alike), alike[0].requires, cc=cc, native=True)))
            for n, i in enumerate(alike):
                tiles = [(_entry(library, f"isamap_tile_{n}_{r}_{c}"), r * c) for r, c in _tiles(i)]
                self._calls[i.name] = tiles, _entry(library, f"isamap_chain_{n}")

    def measure(self, tries: int = 40) -> None:
        """Try each instruction a few times more; the best time counts, because noise only adds."""
        for name, (tiles, chain) in self._calls.items():
            interval = min(_seconds(call, tries) / count for call, count in tiles)
            latency = _seconds(chain, tries) / _CHAIN
            known = self._best.get(name, Rate(interval, latency))
            self._best[name] = Rate(min(interval, known.interval), min(latency, known.latency))

    @property
    def found(self) -> dict[str, Rate]:
        """The best of every try so far, by instruction."""
        return dict(self._best)


def _by_features(instructions: Sequence[Instruction]) -> list[list[Instruction]]:
    """Instructions with the same features, together: they are compiled at once."""
    groups: dict[tuple[str, ...], list[Instruction]] = {}
    for i in instructions:
        groups.setdefault(tuple(sorted(i.requires)), []).append(i)
    return list(groups.values())


def _entry(library: Any, name: str) -> Any:
    call = getattr(library, name)
    call.argtypes, call.restype = [ctypes.c_int64], None
    return call


def _seconds(call: Any, tries: int) -> float:
    """Seconds of one round."""
    best = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        call(_ROUNDS)
        best = min(best, time.perf_counter() - start)
    return best / _ROUNDS


def source(machine: Hardware, instructions: Sequence[Instruction]) -> str:
    """The C of all measurements: isamap_tile_N_ROWS_COLUMNS(rounds) and isamap_chain_N(rounds) of the N-th."""
    named = [h for i in instructions for h in i.headers]
    headers = [f"#include <{h}>" for h in dict.fromkeys((*named, "stdint.h", "string.h", "math.h"))]
    states = dict.fromkeys(need.memory for i in instructions for need in i.cells_needed)
    used = (*instructions, *(x for memory in states for x in machine.configuring(memory)))
    preludes = list(dict.fromkeys(part for i in used for part in i.prelude))
    code = []
    for n, i in enumerate(instructions):
        for rows, columns in _tiles(i):
            name = f"isamap_tile_{n}_{rows}_{columns}"
            code.append(
                _numbered_tile(machine, i, rows, columns, name) if i.numbered else _tile(i, rows, columns, name)
            )
        chain = f"isamap_chain_{n}"
        code.append(_numbered_chain(machine, i, chain) if i.numbered else _chain(i, chain))
    return "\n".join([*headers, *preludes, *code]) + "\n"


def _tiles(instruction: Instruction) -> tuple[tuple[int, int], ...]:
    return NUMBERED_TILES if instruction.numbered else TILES


def _tile(instruction: Instruction, rows: int, columns: int, name: str) -> str:
    """Each round executes once into each of rows x columns accumulators."""
    output, inputs, types = _operands(instruction)
    streamed, kept = inputs[0], inputs[1:]
    names = Names()
    column = {(n, c): names.give(n, c) for n in kept for c in range(columns)}
    columns_of = [(n, x) for (n, _), x in column.items()]
    acc = {(r, c): names.give(output, r, c) for r in range(rows) for c in range(columns)}
    declared = [f"    static {types[streamed]} isamap_memory[{rows}];"]
    declared += [f"    {types[streamed]} *isamap_rows = isamap_memory;"]
    declared += [_zero(types[n], x) for n, x in columns_of]
    declared += [_zero(types[output], x) for x in acc.values()]
    body = [
        '        __asm__ volatile("" : "+r"(isamap_rows) : : "memory");',
        *(_fence(types[n], x) for n, x in columns_of),
    ]
    for r in range(rows):
        body.append(f"        {types[streamed]} isamap_row_{r} = isamap_rows[{r}];")
        for c in range(columns):
            named = {output: acc[r, c], streamed: f"isamap_row_{r}", **{n: column[n, c] for n in kept}}
            body.append(_execution(instruction, named))
    # each accumulator stays a variable of its own: scalars are not joined into vectors
    alive = [_fence(types[output], x) for x in acc.values()]
    return _function(name, declared, [*body, *alive])


def _chain(instruction: Instruction, name: str) -> str:
    """Each round executes a few times into one accumulator."""
    output, inputs, types = _operands(instruction)
    named = _named((output, *inputs))
    declared = [_zero(types[n], x) for n, x in named.items()]
    body = [_fence(types[n], named[n]) for n in inputs]
    body += [_execution(instruction, named), _fence(types[output], named[output])] * _CHAIN
    return _function(name, declared, body)


def _numbered_tile(machine: Hardware, instruction: Instruction, rows: int, columns: int, name: str) -> str:
    """The same of registers with numbers, whose C is not moved out of loops."""
    output, inputs, _ = _operands(instruction)
    grid = [(r, c) for r in range(rows) for c in range(columns)]
    names = Names()
    held = {(n, x): names.give(n, x) for k, n in enumerate(inputs) for x in range(columns if k else rows)}
    places = [
        {output: names.give(output, r, c), **{n: held[n, c if k else r] for k, n in enumerate(inputs)}} for r, c in grid
    ]
    return in_state(machine, instruction, name, places)


def _numbered_chain(machine: Hardware, instruction: Instruction, name: str) -> str:
    output, inputs, _ = _operands(instruction)
    return in_state(machine, instruction, name, [_named((output, *inputs))] * _CHAIN)


def in_state(machine: Hardware, instruction: Instruction, name: str, executions: list[dict[str, str]]) -> str:
    """The C of `void name(int64_t rounds)`: executions on registers with these names, numbered in their order."""
    names = dict.fromkeys(register for e in executions for register in e.values())
    numbers = {register: n for n, register in enumerate(names)}
    needs = [x for e in executions for x in needs_at(instruction, {o: (numbers[r],) for o, r in e.items()})]
    enter, leave = configuring(machine, needs)
    declared = [f"    enum {{ {', '.join(f'{register} = {n}' for register, n in numbers.items())} }};"]
    declared += [f"    {c_use(use, 'return;')}" for use in enter]
    after = " ".join(c_use(use, "return;") for use in leave)
    return _function(name, declared, [_execution(instruction, e) for e in executions], after)


def _named(operands: tuple[str, ...]) -> dict[str, str]:
    names = Names()
    return {n: names.give(n) for n in operands}


def _operands(instruction: Instruction) -> tuple[str, list[str], dict[str, str]]:
    """(output, inputs, C type of each)."""
    output = instruction.kernel.statements[0].target.tensor
    return output, [t.name for t in instruction.kernel.tensors if t.name != output], dict(instruction.c_types)


def _execution(instruction: Instruction, named: dict[str, str]) -> str:
    return f"        {instruction.statement(named)}"


def _zero(c_type: str, name: str) -> str:
    return f"    {c_type} {name}; memset(&{name}, 0, sizeof {name});"


def _fence(c_type: str, name: str) -> str:
    """As far as the compiler knows, the variable has a new value."""
    whole_number = c_type.endswith("_t")
    return f'        __asm__ volatile("" : "+{"r" if whole_number else "v"}"({name}));'


def _function(name: str, declared: list[str], body: list[str], after: str = "") -> str:
    loop = ["    for (int64_t isamap_round = 0; isamap_round < isamap_rounds; ++isamap_round) {", *body, "    }"]
    return "\n".join(
        [f"__attribute__((aligned(64))) void {name}(int64_t isamap_rounds) {{", *declared, *loop, after, "}"]
    )
