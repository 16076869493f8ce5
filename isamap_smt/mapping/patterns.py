"""Instructions as patterns of values: what each operand stands for where an instruction computes a given value.

    acc[r,c] = max(acc[r,c], i32(x[]))      of max(T + b, 7):   acc = T + b, x = 7

One matcher serves all that chooses instructions for values: selection on cores, what follows a sum on machines with
engines, and statements that are taken apart. They differ in what an operand may stand for, and in which forms a part
of the value has. Nothing here is trusted: proofs compose the contracts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isamap_smt.ir.expr import element, elements
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    IndexValue,
    Read,
    SAdd,
    Scalar,
    SMax,
    SMin,
    SMul,
    read,
    rewrite_reads,
)
from isamap_smt.ir.typed import below, of_type, plain, typed_value

Bound = tuple[tuple[str, Any], ...]  # operand -> what it stands for
COMMUTE = (SAdd, SMul, SMax, SMin)
TICKS = 16  # of a cycle
COMBINE: dict[str, type[Any]] = {"+": SAdd, "*": SMul, "max": SMax, "min": SMin}


@dataclass(frozen=True)
class Step:
    """One instruction of a cover. bound: operands -> what they stand for: parts of the value, elements of the kernel, or
    numbers. brought: operands in a memory of the machine -> the move of their elements to it."""

    instruction: Instruction
    bound: Bound = ()
    brought: tuple[tuple[str, Instruction], ...] = ()

    @property
    def moves(self) -> tuple[Step, ...]:
        """The moves of its elements, each with the element it reads."""
        at = dict(self.bound)
        return tuple(Step(m, ((m.kernel.statements[0].inputs[0].tensor, at[o]),)) for o, m in self.brought)

    def value(self, operands: dict[str, Any]) -> Any:
        """What it computes, with these values for its operands."""
        return self._value(pattern_of(self.instruction), operands, False)

    def _value(self, pattern: Any, operands: dict[str, Any], exact: bool) -> Any:
        if isinstance(pattern, Read):
            found = operands[pattern.tensor]
            if elements(pattern.index):  # a cell that elements of other operands name
                named = {e: element(_unconverted(operands[e.tensor]).tensor, ()) for e in elements(pattern.index)}
                return Read(found.args[0], *(i.xreplace(named) for i in pattern.index))
            return of_type(found, self.instruction.types[pattern.tensor]) if exact else found
        args = [self._value(a, operands, below(pattern, exact)) for a in pattern.args]
        return pattern.func(*args) if args else pattern


def _unconverted(value: Any) -> Any:
    """The element of an index; a conversion to more bits keeps its number."""
    return value.args[1] if isinstance(value, Cast) else value


@dataclass(frozen=True)
class Known:
    """What is known of a value. takes: what an operand is bound to if it stands for a part, None if it cannot; the last
    argument tells whether the operand is below a saturation. forms: trees equal to a part, made of parts."""

    takes: Callable[[str, Any, bool], Any]
    forms: Callable[[Any], Sequence[Any]]


@lru_cache(maxsize=4096)
def pattern_of(i: Instruction) -> Any:
    """A cell's new value over the elements read; for an accumulation, its old value is one of them."""
    k = i.exact or i.kernel
    s = k.statements[0]
    value = rewrite_reads(plain(typed_value(k, s), {t.name: t.dtype for t in k.tensors}), _anywhere)
    return value if s.op == "=" else COMBINE[s.op](read(s.target.tensor), value)


def _anywhere(r: Any) -> Any:
    """An element without its place; one that data names by the elements in its index, without theirs."""
    named = {e: element(e.tensor, ()) for e in elements(r.index)}
    return Read(r.args[0], *(i.xreplace(named) for i in r.index)) if named else read(r.tensor)


def bindings_of(i: Instruction, pattern: Any, tree: Any, known: Known) -> Iterator[Bound]:
    """Ways to compute the tree by the instruction: what each operand stands for.

    Operands keep their written order if it is one of the ways.
    """
    seen = set()
    for bound in _matched(i, pattern, tree, {}, known, False):
        found = tuple(bound.items())
        if found not in seen:
            seen.add(found)
            yield found


def _matched(
    i: Instruction, pattern: Any, tree: Any, bound: dict[str, Any], known: Known, exact: bool
) -> Iterator[dict[str, Any]]:
    """exact: below a saturation."""
    if isinstance(pattern, Read) and elements(pattern.index):
        return  # data names the cell: no part of a value lies there
    if (name := immediate_of(i, pattern)) or isinstance(pattern, Read):
        found = _number(i, name, tree) if name else known.takes(pattern.tensor, tree, exact)
        operand = name or pattern.tensor
        if found is not None and bound.get(operand, found) == found:
            yield {**bound, operand: found}
        return
    if not isinstance(pattern, Scalar):
        if pattern == known_sizes(tree):
            yield bound
        return
    exact = below(pattern, exact)
    for form in (tree,) if isinstance(pattern, Compare) else known.forms(tree):
        if type(pattern) is not type(form) or len(pattern.args) != len(form.args):
            continue
        yield from _all(i, list(zip(pattern.args, form.args, strict=True)), bound, known, exact)
        if isinstance(pattern, COMMUTE) and not _same_again(i, pattern):
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


def _same_again(i: Instruction, pattern: Any) -> bool:
    """Whether the instruction with the two operands in the other order is the same again."""
    names = [a.tensor for a in pattern.args if isinstance(a, Read)]
    held = {(dict(i.places).get(n), i.types[n], i.indices[n]) for n in names}
    return len(names) == 2 and i.target not in names and len(held) == 1


def immediate_of(i: Instruction, pattern: Any) -> str:
    """The operand given as a number in the code, if the pattern is one, on its way to a wider type perhaps; else ''."""
    while isinstance(pattern, Cast):
        pattern = pattern.args[1]
    return pattern.tensor if isinstance(pattern, Read) and pattern.tensor in i.immediates else ""


def _number(i: Instruction, name: str, tree: Any) -> int | float | None:
    """The number that the immediate is; None if it is none of its numbers."""
    while isinstance(tree, Cast):
        tree = tree.args[1]
    tree = known_sizes(tree)
    low, high = i.immediates[name]
    if not tree.is_Number or not low <= tree <= high or not (tree.is_Integer or i.types[name].is_float):
        return None
    return int(tree) if tree.is_Integer else float(tree)


def known_sizes(tree: Any) -> Any:
    """The tree with sizes that stand as values, and are known, as numbers."""
    if isinstance(tree, IndexValue):
        return tree.args[0] if tree.args[0].is_Integer else tree
    inside = isinstance(tree, Scalar) and not isinstance(tree, Read)
    return tree.func(*map(known_sizes, tree.args)) if inside and tree.args else tree
