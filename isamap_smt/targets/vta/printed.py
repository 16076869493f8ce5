"""A proved program of VTA's engines as C that lists its instructions, with awaits and signals, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Between phases
all engines wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Issued, Loop, Program, ProvedProgram, Ref
from isamap_smt.ir.traversal import nodes_of, parts
from isamap_smt.proof.uses.text import in_order
from isamap_smt.targets.engines_text import EnginesText

ENGINES = ("load", "compute", "store")


class PrintedProgram(str):
    """The C of a program, with the proved program that it is the C of."""

    checked: ProvedProgram


def in_memory(program: Program) -> tuple[Tensor, ...]:
    """The tensors that lie in main memory, in their order: not those whose elements never leave the accumulator."""
    used = {r.name for r in parts(program.body, Ref)}
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
class _Printer(EnginesText):
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return in_memory(self.program)

    def text(self) -> str:
        kernel = self.program.kernel
        self.names |= {n: f"im_size_{k}" for k, n in enumerate(kernel.free_sizes)}
        uses = list(nodes_of(Issued, self.program.body))
        for k, t in enumerate(in_memory(self.program)):
            self._put(f"{_pointer(kernel, t)}const im_tensor_{k} = arrays[{k}]; /* {t.name} */")
        for k, n in enumerate(kernel.free_sizes):
            self._put(f"const int64_t {self.names[n]} = numbers[{k}]; /* {n} */")
        self._put("(void)numbers;")
        exprs = [e for u in uses for e in (*(i for _, r in u.operands for i in r.index), *(a for _, a in u.awaits))]
        counted = symbols_of(map(sp.sympify, exprs))
        for loop in dict.fromkeys(nodes_of(Loop, self.program.body)):
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

    def use(self, node: Issued) -> None:
        for counter, amount in node.awaits:
            self._put(f"vta_await({self._counter(counter)}, {self._expr(amount)}); /* {counter} */")
        if node.instruction.emit:
            self._put(node.instruction.statement(self._words(node)))
        else:
            self._put(f"vta_nothing({ENGINES.index(node.instruction.engine)});")
        for counter in node.signals:
            self._put(f"vta_signal({self._counter(counter)}); /* {counter} */")

    def _counter(self, name: str) -> int:
        return self.counters.setdefault(name, len(self.counters))


def _pointer(kernel: Kernel, t: Tensor) -> str:
    return f"{'' if t.name in kernel.outputs else 'const '}{t.dtype.c} *"
