"""A proved program of Gemmini's engines as C that issues its instructions, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Gemmini's
controllers run ahead of each other and wait where they touch the same rows, so the C has no counters. Main memory they do not
watch: a phase loads what others wrote and stores results, so a fence stands before the first, between any two, and behind the last.
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
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Alloc, Buffer, If, Loop, Node, Program, ProvedProgram, Use, immediate, walk
from isamap_smt.proof.uses.text import in_order


class PrintedProgram(str):
    """The C of a program, with the proved program that it is the C of."""

    checked: ProvedProgram


def print_program(checked: ProvedProgram) -> PrintedProgram:
    """gemmini_program(arrays, numbers): the kernel's tensors in their order, its free sizes in theirs. Raises NotProvedError."""
    if not isinstance(checked, ProvedProgram):
        raise NotProvedError(f"Gemmini's C is made of a plan or a proved program, not of {type(checked).__name__}")
    made = PrintedProgram(_Printer(checked.program).text())
    made.checked = checked
    return made


@dataclass
class _Printer:
    program: Program
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    depth: int = 1

    def text(self) -> str:
        kernel = self.program.kernel
        self.names |= {n: f"im_size_{k}" for k, n in enumerate(kernel.free_sizes)}
        uses = [n.instruction for n, _ in walk(self.program.body) if isinstance(n, Use) and n.instruction.emit]
        for k, t in enumerate(kernel.tensors):
            const = "" if t.name in kernel.outputs else "const "
            self._put(f"{const}{t.dtype.c} *const im_tensor_{k} = arrays[{k}]; /* {t.name} */")
        for k, n in enumerate(kernel.free_sizes):
            self._put(f"const int64_t {self.names[n]} = numbers[{k}]; /* {n} */")
        self._put("(void)numbers;")
        counted = symbols_of(
            e for n, _ in walk(self.program.body) if isinstance(n, Use) for _, r in n.operands for e in r.index
        )
        for loop in dict.fromkeys(n for n, _ in walk(self.program.body) if isinstance(n, Loop)):
            self.names[str(loop.var)] = f"im_v{len(self.names)}"
            if str(loop.number) in counted:
                self.names[str(loop.number)] = f"im_n{len(self.names)}"
                self._put(f"int64_t {self.names[str(loop.number)]} = 0;")
        self._put("gemmini_fence();")
        self._put("gemmini_begin();")
        for which, phase in enumerate(phases(self.program)):
            if which:
                self._put("gemmini_fence();")
            self._body(in_order(phase).body)
        self._put("gemmini_fence();")
        self._put("return 0;")
        headers = dict.fromkeys(h for i in uses for h in i.headers)
        parts = [
            *(f'#include "{h}"' for h in headers),
            HELPERS,
            *dict.fromkeys(part for i in uses for part in i.prelude),
            "int64_t gemmini_program(void *const *arrays, const int64_t *numbers) {",
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
                case Use() if node.instruction.emit:
                    self._put(node.instruction.statement(self._words(node)))

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
            if (number := immediate(ref)) is not None:
                words[name] = f"{float(number).hex()}f" if i.kernel.tensor(name).dtype.is_float else str(number)
                continue
            if (buffer := self.buffers.get(ref.name)) is not None:
                words[name] = self._expr(sp.expand(buffer.offset + buffer.rows * ref.index[0]))
                continue
            words |= self._in_main(i, name, ref.name, ref.index)
        return words | {p: self._expr(e) for p, e in use.parameters.items()}

    def _in_main(self, i: Instruction, name: str, tensor: str, index: tuple[Any, ...]) -> dict[str, str]:
        """A pointer to the first element, which nothing follows where no point is active; and the strides."""
        kernel = self.program.kernel
        number = [t.name for t in kernel.tensors].index(tensor)
        shape = kernel.tensor(tensor).shape
        first = tuple(substitute(e, dict.fromkeys(i.extents, 0)) for e in index)
        assert not symbols_of(first) & set(i.extents)
        element = kernel.tensor(tensor).dtype.c
        kind = f"{'' if tensor in kernel.outputs else 'const '}{element} *"
        place = f"(uintptr_t)im_tensor_{number} + sizeof({element}) * (uintptr_t)({c_offset(first, shape, self.names)})"
        strides = i.address(name).strides(row_major(index, shape))
        return {name: f"({kind})({place})", **{n: self._expr(step) for n, step in strides.items()}}
