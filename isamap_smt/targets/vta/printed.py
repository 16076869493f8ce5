"""A proved program of VTA's engines as C that lists its instructions, with awaits and signals, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Between phases
all engines wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_expr import HELPERS, c_condition, c_expr, c_offset
from isamap_smt.codegen.offsets import row_major
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import substitute, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Alloc, Buffer, If, Loop, Node, Program, ProvedProgram, Use, immediate, walk
from isamap_smt.proof.uses.text import in_order

ENGINES = ("load", "compute", "store")


class PrintedProgram(str):
    """The C of a program, with the proved program that it is the C of."""

    checked: ProvedProgram


def in_memory(program: Program) -> tuple[Tensor, ...]:
    """The tensors that lie in main memory, in their order: not those whose elements never leave the accumulator."""
    used = {r.name for n, _ in walk(program.body) if isinstance(n, Use) for _, r in n.operands}
    return tuple(t for t in program.kernel.tensors if t.name in used)


def print_program(checked: ProvedProgram) -> PrintedProgram:
    """vta_program(arrays, numbers): tensors in main memory in their order, the kernel's free sizes in theirs.

    Raises NotProvedError.
    """
    if not isinstance(checked, ProvedProgram):
        raise NotProvedError(
            f"VTA's instructions are made of a plan or a proved program, not of {type(checked).__name__}"
        )
    made = PrintedProgram(_Printer(checked.program).text())
    made.checked = checked
    return made


@dataclass
class _Printer:
    program: Program
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    depth: int = 1

    def text(self) -> str:
        kernel = self.program.kernel
        self.names |= {n: f"im_size_{k}" for k, n in enumerate(kernel.free_sizes)}
        uses = [n for n, _ in walk(self.program.body) if isinstance(n, Use)]
        for k, t in enumerate(in_memory(self.program)):
            self._put(f"{_pointer(kernel, t)}const im_tensor_{k} = arrays[{k}]; /* {t.name} */")
        for k, n in enumerate(kernel.free_sizes):
            self._put(f"const int64_t {self.names[n]} = numbers[{k}]; /* {n} */")
        self._put("(void)numbers;")
        exprs = [e for u in uses for e in (*(i for _, r in u.operands for i in r.index), *(a for _, a in u.awaits))]
        counted = symbols_of(map(sp.sympify, exprs))
        for loop in dict.fromkeys(n for n, _ in walk(self.program.body) if isinstance(n, Loop)):
            self.names[str(loop.var)] = f"im_v{len(self.names)}"
            if str(loop.number) in counted:
                self.names[str(loop.number)] = f"im_n{len(self.names)}"
                self._put(f"int64_t {self.names[str(loop.number)]} = 0;")
        for which, phase in enumerate(phases(self.program)):
            if which:
                self._put("vta_barrier();")
            self._body(in_order(phase).body)
        headers = dict.fromkeys(h for u in uses for h in u.instruction.headers)
        parts = [
            *(f'#include "{h}"' for h in headers),
            HELPERS,
            *dict.fromkeys(part for u in uses for part in u.instruction.prelude),
            "static void vta_program(void *const *arrays, const int64_t *numbers) {",
            *self.lines,
            "}",
        ]
        return "\n".join(parts) + "\n"

    def _put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def _expr(self, e: Any) -> str:
        return c_expr(e, self.names)

    def _body(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            match node:
                case Alloc():
                    self.buffers[node.buffer.name] = node.buffer
                case Loop():
                    self._loop(node)
                case If():
                    self._block(f"if ({c_condition(node.condition, self.names)}) {{", node.body)
                case Use():
                    self._use(node)

    def _use(self, use: Use) -> None:
        for counter, amount in use.awaits:
            self._put(f"vta_await({self._counter(counter)}, {self._expr(amount)}); /* {counter} */")
        if use.instruction.emit:
            self._put(use.instruction.statement(self._words(use)))
        else:
            self._put(f"vta_nothing({ENGINES.index(use.instruction.engine)});")
        for counter in use.signals:
            self._put(f"vta_signal({self._counter(counter)}); /* {counter} */")

    def _counter(self, name: str) -> int:
        return self.counters.setdefault(name, len(self.counters))

    def _loop(self, loop: Loop) -> None:
        var, number = self.names[str(loop.var)], self.names.get(str(loop.number))
        onwards = f"{var}++, {number}++" if number else f"{var}++"
        self._block(f"for (int64_t {var} = 0; {var} < {self._expr(loop.count)}; {onwards}) {{", loop.body)

    def _block(self, opening: str, body: tuple[Node, ...]) -> None:
        self._put(opening)
        self.depth += 1
        self._body(body)
        self.depth -= 1
        self._put("}")

    def _words(self, use: Use) -> dict[str, str]:
        """What stands for the operands, strides and parameters of a use in its C."""
        i, words = use.instruction, {}
        for name, ref in use.operands:
            if name in i.immediates:
                words[name] = str(immediate(ref))
            elif (buffer := self.buffers.get(ref.name)) is not None:
                words[name] = self._expr(sp.expand(buffer.offset + buffer.rows * ref.index[0]))
            else:
                words |= self._in_main(i, name, ref.name, ref.index)
        return words | {p: self._expr(e) for p, e in use.parameters.items()}

    def _in_main(self, i: Instruction, name: str, tensor: str, index: tuple[Any, ...]) -> dict[str, str]:
        """A pointer to the first element, which nothing follows where no point is active; and the strides."""
        kernel = self.program.kernel
        number = [t.name for t in in_memory(self.program)].index(tensor)
        t = kernel.tensor(tensor)
        first = tuple(substitute(e, dict.fromkeys(i.extents, 0)) for e in index)
        place = (
            f"(uintptr_t)im_tensor_{number} + sizeof({t.dtype.c}) * (uintptr_t)({c_offset(first, t.shape, self.names)})"
        )
        strides = i.address(name).strides(row_major(index, t.shape))
        return {name: f"({_pointer(kernel, t)})({place})", **{n: self._expr(step) for n, step in strides.items()}}


def _pointer(kernel: Kernel, t: Tensor) -> str:
    return f"{'' if t.name in kernel.outputs else 'const '}{t.dtype.c} *"
