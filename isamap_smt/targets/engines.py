"""Targets of machines with engines: a proved program as C, executed by a model of the machine, and callable on arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar

import sympy as sp

from isamap_smt.codegen.c_expr import HELPERS, c_condition, c_expr, c_offset, row_major
from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ArgumentError, HardwareError, NotProvedError
from isamap_smt.ir.expr import substitute, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.phases import blocks_of, ends_a_block, phases
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Configure,
    If,
    Issued,
    Loop,
    Node,
    Program,
    ProvedProgram,
    Ref,
    immediate,
)
from isamap_smt.ir.states import c_cells
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.uses.text import in_order
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.callee import Callee
from isamap_smt.targets.target import PrintedProgram, Sources, Target, checked_of, compiler_missing

PROGRAM = "program.c"


class EngineTarget(Target):
    """One machine with engines, and descriptions with C to issue its instructions. Its model needs a C compiler.

    machine: its name in messages. text: the printer of its programs.
    """

    timed = False
    machine: ClassVar[str]
    text: ClassVar[type[EnginesText]]

    def available(self, cc: str | None = None) -> str:
        """Whether there is a C compiler, for the model."""
        return compiler_missing(cc)

    @abstractmethod
    def executes(self, machine: Hardware) -> bool:
        """Whether all its instructions are this machine's."""

    def takes(self, machine: Hardware) -> str:
        """Machines with engines whose C issues this machine's instructions."""
        issued = all(i.emit and self.text.header in i.headers for i in machine.instructions)
        if machine.engines and issued and self.executes(machine):
            return ""
        return (
            f"target {self.name}: the instructions of {machine.name} have no C that issues {self.machine}'s; "
            f"take the machine `{self.example}`"
        )

    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The program in C. Raises NotProvedError, HardwareError."""
        checked = checked_of(proved)
        machine = checked.program.machine
        if machine is None or (why := self.takes(machine)):
            raise HardwareError(
                f"target {self.name}: {checked.program.name} is no program of engines" if machine is None else why
            )
        return {PROGRAM: PrintedProgram.of(self.text(checked.program).text(), checked, self.text)}

    def printed(self, sources: Sources) -> PrintedProgram:
        """The text made by emit(). Raises NotProvedError for any other."""
        text = sources.get(PROGRAM)
        if not isinstance(text, PrintedProgram) or text.by is not self.text:
            raise NotProvedError(f"target {self.name} builds what emit() gave, which belongs to a proved program")
        return text


class EngineKernel(Callee):
    """A program of engines, callable on arrays. Its sums begin at 0, or at the kernel's own start value.

    machine: in messages. made: the program, built. executor: its runner, in words. told: of the last call.
    """

    constants: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    machine: ClassVar[str]

    made: Any
    executor: str

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays; as CompiledKernel, without out=. Raises also the model's errors (see prepare().run())."""
        call = self.prepare(*inputs, **options)
        call.run()
        self.told = call.told
        return call.result

    def prepare(
        self, *inputs: Any, out: Any = None, sizes: dict[str, int] | None = None, threads: int = 1, **named: Any
    ) -> EngineCall:
        """A call with its arrays checked. Raises ArgumentError, SizeError."""
        if out is not None:
            raise ArgumentError(
                f"{self.kernel.name} on {self.machine} begins its sums itself; leave out= out, and add to what it gives"
            )
        if whole_number(threads, "threads", ArgumentError) != 1:
            raise ArgumentError(f"{self.kernel.name} on {self.machine} runs in one thread; leave threads= out")
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), None, sizes, accumulate=True)
        self.require_reached(arguments)
        self._check_assumed(arguments)
        return self.call(arguments)

    def require_reached(self, arguments: check.Arguments) -> None:
        """Raise SizeError for arrays beyond the reach of the machine's addresses."""

    @abstractmethod
    def call(self, arguments: check.Arguments) -> EngineCall:
        """A call with these arrays."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.executor})"


class EngineCall:
    """One call. run() may be repeated; `result` is the kernel's result; `told` describes the last run."""

    told: tuple[str, ...] = ()

    def __init__(self, kernel: EngineKernel, arguments: check.Arguments) -> None:
        self.arguments, self.kernel = arguments, kernel

    @abstractmethod
    def run(self) -> None:
        """Compute."""

    def begun(self, tensors: tuple[str, ...]) -> tuple[list[Any], list[int], list[int]]:
        """Arrays of these tensors, outputs at their start values; the free sizes; the written tensors' positions."""
        self.kernel._begin(self.arguments)
        kernel, arrays = self.kernel.kernel, self.arguments.arrays
        written = [n for n, t in enumerate(tensors) if t in kernel.outputs]
        return [arrays[t] for t in tensors], [self.arguments.sizes[n] for n in kernel.free_sizes], written

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names, arrays = self.kernel.signature.outputs, self.arguments.arrays
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}


# ---- What the C of all targets of engines has in common: the nodes of a proved program in the order of its text.
#
# A target says which tensors its programs are given, and what stands for a use.


@dataclass
class EnginesText(ABC):
    """Collects lines. names: of loops' variables and numbers, and of sizes, in the C."""

    header: ClassVar[str]  # of the machine's C
    entry: ClassVar[str]  # the function
    before: ClassVar[tuple[str, ...]] = ()
    between: ClassVar[str]  # two phases
    after: ClassVar[tuple[str, ...]] = ()

    program: Program
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    depth: int = 1

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors given to the C, in their order."""
        return self.program.kernel.tensors

    @abstractmethod
    def use(self, node: Issued) -> None:
        """Put the lines of a use."""

    def expressions(self, node: Issued) -> Iterator[Any]:
        """The expressions in the lines of a use."""
        yield from (e for _, r in node.operands for e in r.index)

    def text(self) -> str:
        """The function of (arrays, numbers): `tensors` in their order, the kernel's free sizes in theirs."""
        kernel = self.program.kernel
        uses = list(nodes_of(Issued, self.program.body))
        self.names |= {n: f"im_size_{k}" for k, n in enumerate(kernel.free_sizes)}
        for k, t in enumerate(self.tensors):
            const = "" if t.name in kernel.outputs else "const "
            self._put(f"{const}{t.dtype.c} *const im_tensor_{k} = arrays[{k}]; /* {t.name} */")
        for k, n in enumerate(kernel.free_sizes):
            self._put(f"const int64_t {self.names[n]} = numbers[{k}]; /* {n} */")
        self._put("(void)numbers;")
        counted = symbols_of(sp.sympify(e) for u in uses for e in self.expressions(u))
        for loop in dict.fromkeys(nodes_of(Loop, self.program.body)):
            self.names[str(loop.var)] = f"im_v{len(self.names)}"
            if str(loop.number) in counted:
                self.names[str(loop.number)] = f"im_n{len(self.names)}"
                self._put(f"int64_t {self.names[str(loop.number)]} = 0;")
        for line in self.before:
            self._put(line)
        shown = groupby(phases(self.program), lambda p: tuple(x.var for x in blocks_of(p)))
        parts_of_it = [own for loops, found in shown for own in ([tuple(found)] if loops else ((p,) for p in found))]
        for which, own in enumerate(parts_of_it):
            if which:
                self._put(self.between)
            self._phases(own, len(blocks_of(own[0])))
        for line in self.after:
            self._put(line)
        printed = [u.instruction for u in uses if u.instruction.emit]
        parts = [
            *(f'#include "{h}"' for h in dict.fromkeys(h for i in printed for h in i.headers)),
            HELPERS,
            *dict.fromkeys(part for i in printed for part in i.prelude),
            f"{self.entry}(void *const *arrays, const int64_t *numbers) {{",
            *self.lines,
            "}",
        ]
        return "\n".join(parts) + "\n"

    def _phases(self, own: Sequence[Program], depth: int) -> None:
        """Phases in the same `depth` loops over blocks, with a barrier behind each; one phase if there are none."""
        bodies = [in_order(p).body for p in own]
        for nodes in bodies:
            self._body(tuple(n for n in nodes if isinstance(n, Alloc)))
        inner: list[tuple[Node, ...]] = [tuple(n for n in nodes if not isinstance(n, Alloc)) for nodes in bodies]
        for _ in range(depth):
            (loop,) = inner[0]
            assert isinstance(loop, Loop)
            self._put(self._opening(loop))
            self.depth += 1
            inner = [body for (n,) in inner if isinstance(n, Loop) for body in [n.body]]
        for nodes in inner:
            self._body(tuple(n for n in nodes if not (depth and ends_a_block(n))))
            if depth:
                self._put(self.between)
        for _ in range(depth):
            self.depth -= 1
            self._put("}")

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
                case Issued():
                    self.use(node)

    def _loop(self, loop: Loop) -> None:
        self._block(self._opening(loop), loop.body)

    def _opening(self, loop: Loop) -> str:
        var, number = self.names[str(loop.var)], self.names.get(str(loop.number))
        onwards = f"{var}++, {number}++" if number else f"{var}++"
        return f"for (int64_t {var} = 0; {var} < {self._expr(loop.trips)}; {onwards}) {{"

    def _block(self, opening: str, body: tuple[Node, ...]) -> None:
        self._put(opening)
        self.depth += 1
        self._body(body)
        self.depth -= 1
        self._put("}")

    def _words(self, use: Issued) -> dict[str, str]:
        """The C text for each operand, stride and parameter of a use."""
        i, words = use.instruction, {m: str(n) for m, n in use.sets}
        if isinstance(use, Configure):
            return words | {i.kernel.inputs[0]: c_cells("int64_t", [self._cell(e) for e in use.cells])}
        for name, ref in use.operands:
            if (number := immediate(ref)) is not None:
                words[name] = f"{float(number).hex()}f" if i.kernel.tensor(name).dtype.is_float else str(number)
                continue
            if (buffer := self.buffers.get(ref.name)) is not None:
                words[name] = self._expr(sp.expand(buffer.offset + buffer.rows * ref.index[0] + sum(ref.index[1:])))
                continue
            words |= self._in_main(use, name, ref.name, ref.index)
        return words | {p: self._expr(e) for p, e in use.parameters.items()}

    def _cell(self, e: Any) -> str:
        """A cell of a state: a number, or the bits of an element."""
        if not isinstance(e, Ref):
            return self._expr(e)
        number, t = [t.name for t in self.tensors].index(e.name), self.program.kernel.tensor(e.name)
        element = f"im_tensor_{number}[{c_offset(e.index, t.shape, self.names)}]"
        if not t.dtype.is_float:
            return element
        return f"((const union {{ {t.dtype.c} im_number; uint32_t im_bits; }}){{{element}}}).im_bits"

    def _in_main(self, use: Issued, name: str, tensor: str, index: tuple[Any, ...]) -> dict[str, str]:
        """A pointer to the element of the first active point, and the strides.

        If no point is active, nothing follows the pointer.
        """
        i, kernel = use.instruction, self.program.kernel
        begin = dict.fromkeys(i.extents, sp.S.Zero) | {a: use.parameters[p] for a, p in i.front}
        number = [t.name for t in self.tensors].index(tensor)
        shape = kernel.tensor(tensor).shape
        first = tuple(sp.expand(substitute(e, begin)) for e in index)
        assert not symbols_of(first) & set(i.extents)
        element = kernel.tensor(tensor).dtype.c
        kind = f"{'' if tensor in kernel.outputs else 'const '}{element} *"
        place = f"(uintptr_t)im_tensor_{number} + sizeof({element}) * (uintptr_t)({c_offset(first, shape, self.names)})"
        strides = i.address(name).strides(row_major(index, shape))
        return {name: f"({kind})({place})", **{n: self._expr(step) for n, step in strides.items()}}
