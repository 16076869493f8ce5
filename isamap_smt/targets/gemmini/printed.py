"""A proved program of Gemmini's engines as C that issues its instructions, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Gemmini's
controllers run ahead of each other and wait where they touch the same rows, so the C has no counters. Main memory they do not
watch, nor does the core: the program has a barrier between what the core does and the first phase, between any two, and behind the
last. Each of them is a fence.
"""

from __future__ import annotations

from dataclasses import dataclass

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Issued, Loop, ProvedProgram
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.uses.text import in_order
from isamap_smt.targets.engines_text import EnginesText


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
class _Printer(EnginesText):
    def text(self) -> str:
        kernel = self.program.kernel
        self.names |= {n: f"im_size_{k}" for k, n in enumerate(kernel.free_sizes)}
        uses = [n.instruction for n in nodes_of(Issued, self.program.body) if n.instruction.emit]
        for k, t in enumerate(kernel.tensors):
            const = "" if t.name in kernel.outputs else "const "
            self._put(f"{const}{t.dtype.c} *const im_tensor_{k} = arrays[{k}]; /* {t.name} */")
        for k, n in enumerate(kernel.free_sizes):
            self._put(f"const int64_t {self.names[n]} = numbers[{k}]; /* {n} */")
        self._put("(void)numbers;")
        counted = symbols_of(e for n in nodes_of(Issued, self.program.body) for _, r in n.operands for e in r.index)
        for loop in dict.fromkeys(nodes_of(Loop, self.program.body)):
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

    def use(self, node: Issued) -> None:
        if node.instruction.emit:
            self._put(node.instruction.statement(self._words(node)))
