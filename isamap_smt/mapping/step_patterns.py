"""Instructions as patterns of values: which parts of a value an instruction computes lane by lane, and from what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.scalar import Compare, Read, SAdd, Scalar, SMax, SMin, SMul, read, rewrite_reads
from isamap_smt.ir.typed import below, of_type, plain, typed_value

Bound = tuple[tuple[str, Any], ...]  # operand -> part of the value, or a number
COMMUTE = (SAdd, SMul, SMax, SMin)
COMBINE: dict[str, type[Any]] = {"+": SAdd, "*": SMul, "max": SMax, "min": SMin}


@dataclass(frozen=True)
class Step:
    """An instruction that computes each lane of its result from the same lane of its operands, where it is `by_lane`."""

    instruction: Instruction

    @property
    def target(self) -> str:
        """The operand that it writes."""
        return self.instruction.target

    @cached_property
    def by_lane(self) -> bool:
        """Whether each lane is computed of the same lane of each operand, whatever else the machine holds."""
        return _lanewise(self.instruction)

    @cached_property
    def pattern(self) -> Any:
        """What a lane becomes, of the lanes read; what it adds to is one of them."""
        k = self.instruction.exact or self.instruction.kernel
        s = k.statements[0]
        value = rewrite_reads(plain(typed_value(k, s), {t.name: t.dtype for t in k.tensors}), lambda r: read(r.tensor))
        return value if s.op == "=" else COMBINE[s.op](read(s.target.tensor), value)

    def value(self, operands: dict[str, Any]) -> Any:
        """The pattern with these values for the lanes."""
        return self._value(self.pattern, operands, False)

    def _value(self, pattern: Any, operands: dict[str, Any], exact: bool) -> Any:
        if isinstance(pattern, Read):
            found = operands[pattern.tensor]
            return of_type(found, self.instruction.types[pattern.tensor]) if exact else found
        args = [self._value(a, operands, below(pattern, exact)) for a in pattern.args]
        return pattern.func(*args) if args else pattern


@lru_cache(maxsize=64)
def steps_of(machine: Hardware, lanes: int) -> tuple[Step, ...]:
    """The machine's instructions on registers of so many lanes alone."""
    found = (i for i in machine.computes if machine.offers(i))
    return tuple(Step(i) for i in found if all(shape == (lanes,) for shape in i.shapes.values()))


def _lanewise(i: Instruction) -> bool:
    if len(i.kernel.axes) != 1 or i.numbered or i.cells_needed or i.may_fail or i.assume or i.preconditions:
        return False
    (axis,) = i.kernel.axes
    s = i.kernel.statements[0]
    places = [s.target, *s.inputs]
    plain = all(a.index == (axis.symbol,) for a in places) and not s.guard and s.op in ("=", *COMBINE)
    rounds = i.rounding in ("exact", "fused", "unfused")
    return plain and rounds and len(dict(i.c_types)) in ((len(i.places),) if i.emit else (0,))


def bindings_of(
    step: Step, tree: Any, kind: Callable[[Any], DType | None], forms: Callable[[Any], Sequence[Any]]
) -> Iterator[Bound]:
    """Ways in which the step computes the tree: what each operand is. kind: the element type of a part of the value, None of an
    exact integer below a saturation. forms: trees that are equal to a part, of parts.

    Operands stay in the order in which they are written where that is a way.
    """
    seen = set()
    for bound in _matched(step.instruction, step.pattern, tree, {}, Known(kind, forms)):
        found = tuple(bound.items())
        if found not in seen:
            seen.add(found)
            yield found


@dataclass(frozen=True)
class Known:
    """What is known of a part of the value: its element type, and trees equal to it."""

    kind: Callable[[Any], DType | None]
    forms: Callable[[Any], Sequence[Any]]


def _matched(
    i: Instruction, pattern: Any, tree: Any, bound: dict[str, Any], known: Known, exact: bool = False
) -> Iterator[dict[str, Any]]:
    """exact: below a saturation."""
    if isinstance(pattern, Read):
        d = i.types[pattern.tensor]
        fits = bool(d.low <= tree <= d.high) if exact and tree.is_Integer else known.kind(tree) == d
        if fits and bound.get(pattern.tensor, tree) == tree:
            yield {**bound, pattern.tensor: tree}
        return
    if not isinstance(pattern, Scalar):
        if pattern == tree:
            yield bound
        return
    exact = below(pattern, exact)
    for form in (tree,) if isinstance(pattern, Compare) else known.forms(tree):
        if type(pattern) is not type(form) or len(pattern.args) != len(form.args):
            continue
        yield from _all(i, list(zip(pattern.args, form.args, strict=True)), bound, known, exact)
        same = all(isinstance(a, Read) for a in pattern.args)  # then the other order is the same instruction again
        if isinstance(pattern, COMMUTE) and not same:
            yield from _all(i, list(zip(pattern.args, form.args[::-1], strict=True)), bound, known, exact)


def _all(
    i: Instruction, pairs: list[Any], bound: dict[str, Any], known: Known, exact: bool
) -> Iterator[dict[str, Any]]:
    if not pairs:
        yield bound
        return
    (pattern, tree), *rest = pairs
    for found in _matched(i, pattern, tree, bound, known, exact):
        yield from _all(i, rest, found, known, exact)
