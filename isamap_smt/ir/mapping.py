"""A mapping gives, for each (outer iteration, instruction point), the kernel point it computes.

forward gives every kernel axis in terms of outer and instruction axes, inverse the other way round; points with a false
guard compute nothing. Nothing in a Mapping is trusted: prove() checks every part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.conditions import parse_condition
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import RELATION_OF, substitute, words
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.notebook import Shown

if TYPE_CHECKING:
    from isamap_smt.ir.rewrite import Rewrite


@dataclass(frozen=True)
class Mapping(Shown):
    """binding: instruction operand -> access of the kernel statement (the output operand included).

    groups: for the fuse family, instruction axis -> kernel axes fused into it, in kernel order (outermost first); empty
    for mappings of another form. outer: the loops around one issue of the instruction.
    split: the rewriting behind `kernel`, if the mapping is one of the original kernel; its proof is a part of this
    mapping's.
    """

    kernel: Kernel
    instruction: Instruction
    binding: tuple[tuple[str, Access], ...]
    outer: tuple[Axis, ...]
    forward: tuple[tuple[str, Any], ...]
    inverse: tuple[tuple[str, Any], ...]
    guard: tuple[Any, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    statement_index: int = 0
    split: Rewrite | None = None

    @property
    def statement(self) -> Statement:
        """The mapped statement of the kernel."""
        return self.kernel.statements[self.statement_index]

    @property
    def id(self) -> str:
        """A short stable name such as `i=n.p,j=k,k=c;a=I,b=W`, with `l=p.q%8` if l has the low digit of q."""
        digits = {} if self.split is None else self.split.low_digits
        axes = ",".join(f"{t}={'.'.join(digits.get(a, a) for a in g) or '-'}" for t, g in self.groups)
        out = self.instruction.kernel.statements[0].target.tensor
        ops = ",".join(f"{o}={a.tensor}" for o, a in self.binding if o != out)
        if not self.instruction.axes:
            axes = "point"
        return f"{axes};{ops}" if axes else f"forward:{dict(self.forward)};{ops}"

    def with_guard(self, *conditions: str) -> Mapping:
        """The mapping restricted to points satisfying these conditions, such as `l + 8*l_tile < J`.

        Other points compute nothing. It counts as written by hand from then on, without groups. Raises IsamapError for
        text other than a relation.
        """
        added = []
        for text in conditions:
            found = parse_condition(text)
            if found is None:
                raise IsamapError(
                    f"{text!r} is no condition: compare sums and products of names, such as `l + 8*t < J`"
                )
            added.append(RELATION_OF[found.op](found.left, found.right, evaluate=False))
        return replace(self, groups=(), guard=(*self.guard, *added))

    def operand_access(self, operand: str) -> Access:
        """The kernel access behind an instruction operand."""
        return dict(self.binding)[operand]

    def element(self, operand: str) -> DType:
        """The element type of the tensor behind the operand; the operand's own may be wider."""
        return self.kernel.tensor(self.operand_access(operand).tensor).dtype

    def cells(self, operand: str) -> tuple[Any, ...]:
        """Index of the operand's cell in terms of the instruction's axes (beta)."""
        s = self.instruction.kernel.statements[0]
        for a in (s.target, *s.inputs):
            if a.tensor == operand:
                return a.index
        raise KeyError(operand)

    def coordinates(self, operand: str) -> tuple[Any, ...]:
        """Tensor coordinates of the operand's element at (outer, instruction point): alpha(phi(o, t))."""
        table = dict(self.forward)
        return tuple(substitute(i, table) for i in self.operand_access(operand).index)

    def __str__(self) -> str:
        """Its id, the loops around the instruction, and the element held by each operand's cell."""
        points = [f"{n} < {e}" for n, e in self.instruction.axes.items()]
        loops = [f"{a.name} < {words(a.extent)}" for a in self.outer]
        lines = [f"{self.kernel.name} onto {self.instruction.name}: {self.id}"]
        lines.append(f"  loops {', '.join(loops) or 'none'}; lanes {', '.join(points) or 'one'}")
        for operand, access in self.binding:
            cell = ", ".join(map(words, self.cells(operand)))
            element = f"{access.tensor}[{', '.join(map(words, self.coordinates(operand)))}]"
            taken = self.instruction.kernel.tensor(operand).dtype
            lines.append(
                f"  {operand}[{cell}] : {element if taken == self.element(operand) else f'{taken}({element})'}"
            )
        if self.guard:
            lines.append(f"  where {' and '.join(map(words, self.guard))}")
        return "\n".join(lines)
