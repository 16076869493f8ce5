"""The edges of a printed function: arguments, checks of sizes, and buffers with their release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_expr import c_expr
from isamap_smt.codegen.c_state import Printer
from isamap_smt.codegen.checks import BEGIN
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import IMax, substitute
from isamap_smt.ir.machine_parameters import MachineParameter
from isamap_smt.ir.program import FRESH, Alloc, Buffer, Node, Program
from isamap_smt.ir.traversal import shared, walk

SPACE = "isamap_space"  # the work space of a call
ASK = "isamap_ask"  # the machine for its first, second ... parameter


def machine_parameters(program: Program) -> tuple[MachineParameter, ...]:
    """The machine's parameters, if the program's code asks for any."""
    machine = program.schedules[0].hardware if program.parameters else None
    return machine.whole.parameters if machine else ()


def chosen_values(program: Program) -> dict[str, int]:
    """Values of the machine's parameters for memory laid out ahead of calls."""
    return dict(program.schedules[0].hardware.values) if program.parameters and program.schedules[0].hardware else {}


def largest_sizes(program: Program) -> dict[str, int]:
    """The upper ends of the kernel's bounded parameters."""
    return {p.name: p.high for p in program.kernel.parameters if p.high is not None}


def answer_for_machine(program: Program) -> str:
    """Macros in place of the machine's parameter functions, with the chosen values as answers."""
    values = chosen_values(program)
    found = (f"#define {ASK}_{n}() INT64_C({values[m.name]})\n" for n, m in enumerate(machine_parameters(program)))
    return "".join(found)


def ask_machine(program: Program, define: bool) -> str:
    """C functions for the machine's parameters: declared before the project's own code, defined after the machine's."""
    found = [
        f"static int64_t {ASK}_{n}(void)" + (f" {{\n    return {m.emit};\n}}\n" if define else ";\n")
        for n, m in enumerate(machine_parameters(program))
    ]
    return "".join(found)


def packed_buffers(program: Program) -> list[Buffer]:
    return [n.buffer for n in program.ahead if isinstance(n, Alloc)]


def heap_buffers(body: tuple[Node, ...], inside_parallel: bool) -> list[Buffer]:
    """Heap buffers declared in the body, those inside a parallel loop or those outside."""
    found = (n.buffer for n, around in walk(body) if isinstance(n, Alloc) and shared(around) == inside_parallel)
    return [b for b in found if b.memory == "heap"]


def declare_arguments(p: Printer) -> None:
    kernel = p.program.kernel
    p.lines += declare_sizes(p)
    for n, t in enumerate(kernel.tensors):
        name = p.places[t.name][0]
        if t.name in kernel.outputs:
            p.put(f"{pointer_type(t.dtype)} restrict {name} = ({pointer_type(t.dtype)})isamap_tensors[{n}];")
        else:
            p.put(f"const {pointer_type(t.dtype)} restrict {name} = isamap_tensors[{n}];")
    unused(
        p, ["isamap_tensors", "isamap_sizes", "isamap_how", *p.sizes, *(p.places[t.name][0] for t in kernel.tensors)]
    )


def declare_sizes(p: Printer) -> list[str]:
    """Lines that declare free sizes, machine parameters and `isamap_how`. Without free sizes the caller may pass NULL."""
    free = p.program.kernel.free_sizes
    lines = [f"    const int64_t {p.names[size]} = isamap_sizes[{n}];" for n, size in enumerate(free)]
    lines += [
        f"    const int64_t {p.names[m.name]} = {ASK}_{n}();" for n, m in enumerate(machine_parameters(p.program))
    ]
    lines.append(f"    const int64_t isamap_how = {'' if free else '!isamap_sizes ? 0 : '}isamap_sizes[{len(free)}];")
    if FRESH.name in p.names:
        lines.append(f"    const int64_t {p.names[FRESH.name]} = isamap_how & {BEGIN};")
    return lines


@dataclass(frozen=True)
class Room:
    """A heap buffer in the work space of a call. begin: of the first thread's; bytes: of one; step: from one thread's to the next;
    threads: how many have one of their own."""

    begin: int
    bytes: int
    step: int
    threads: int

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """(start, bytes) of each thread's piece."""
        return [(self.begin + t * self.step, self.bytes) for t in range(self.threads)]


def workspace_rooms(program: Program, threads: int) -> tuple[dict[str, Room], int]:
    """Each heap buffer's room in the work space of a call on at most `threads` threads, and the total bytes; parameters
    with a largest size count with that. Raises SizeError if a size is open."""
    found, end, values = {}, 0, chosen_values(program) | largest_sizes(program)
    for each, inside in ((1, False), (threads, True)):
        for b in heap_buffers(program.body, inside_parallel=inside):
            cells = substitute(sp.Mul(*b.shape), values)
            if not cells.is_Integer:
                raise SizeError(f"{program.name}: how much work space a call needs is open; give all sizes")
            size = max(0, int(cells)) * b.dtype.bytes
            found[b.name] = room = Room(end, size, (size + 127) // 64 * 64, each)
            end += room.step * each
    return found, end


def with_workspace(p: Printer, body: Any) -> None:
    """Run the body on buffers in the work space behind the packed buffers: nothing is allocated."""
    if not workspace_rooms(p.program, p.lent)[1]:
        body()
        return
    held = f"isamap_packed[{len(packed_buffers(p.program))}]"
    p.put(f"if (!isamap_packed || !{held} || (uintptr_t){held} % 64) return 1;")
    p.put(f"char *const {SPACE} = {held};")
    p.put(f"(void){SPACE};")
    with_rooms(p, heap_buffers(p.program.body, inside_parallel=False), "0", body)


def with_rooms(p: Printer, owned: list[Buffer], thread: str, body: Any) -> None:
    """Run the body on buffers in the given thread's part of the work space."""
    rooms = workspace_rooms(p.program, p.lent)[0]
    for b in owned:
        at, room = p.places[b.name][0], rooms[b.name]
        own = f" + {room.step} * {thread}" if room.threads > 1 else ""
        p.put(f"{pointer_type(b.dtype)} restrict {at} = (void *)({SPACE} + {room.begin}{own});")
    body()


def with_buffers(p: Printer, owned: list[Buffer], body: Any) -> None:
    """Allocate the buffers, run the body, free them. Nothing leaks when memory runs out."""
    for b in owned:
        name = p.places[b.name][0]
        cells = sp.Mul(*b.shape)
        negative = any(n.is_negative for n in cells.atoms(sp.Number))  # as J - 2 is at a size of 1
        count = c_expr(IMax(sp.S.Zero, cells) if negative else cells, p.names, tight=True)
        p.put(
            f"{pointer_type(b.dtype)} restrict {name} = "
            f"aligned_alloc(64, (size_t)(({count} * {b.dtype.bytes} + 127) / 64 * 64));"
        )
    missing = " || ".join(f"!{p.places[b.name][0]}" for b in owned)
    if missing:
        p.put(f"if ({missing}) isamap_result = 1;")
        p.put("else {")
        p.depth += 1
    releases, around = tuple(f"free({p.places[b.name][0]});" for b in reversed(owned)), p.undone
    p.undone = (*releases, *around)
    body()
    p.undone = around
    if missing:
        p.depth -= 1
        p.put("}")
    for release in releases:
        p.put(release)


def unused(p: Printer, names: list[str]) -> None:
    p.put(" ".join(f"(void){n};" for n in names))


def pointer_type(dtype: DType) -> str:
    return f"{dtype.c} *"
