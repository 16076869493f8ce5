"""Covers an epilogue by instructions at the place of the sums: the last one stores, the others change cells in place.

Beside the cell of a sum an instruction may read elements in main memory, numbers in the code, or cells filled by a
move. The expression is taken apart from the outside: first the store's operation, then each update's, down to the sum,
or the sum and an element at which it may begin. Nothing here is trusted; the program's proof composes the steps again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.epilogue import Epilogue, begins_at, epilogue_of
from isamap_smt.ir.errors import DTypeError, ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Cast, Read, Relu, SAdd, Saturate, Scalar, SMax, SMin, SMul, reads
from isamap_smt.ir.states import CODE
from isamap_smt.ir.typed import typed_value
from isamap_smt.language.printer import value_text

COMMUTE = (SAdd, SMul, SMax, SMin)
Bound = dict[str, Any]  # operand -> Access of the kernel, or the number of an immediate; '' -> what the cell stands for


@dataclass(frozen=True)
class Step:
    """One instruction of a cover. bound: operands besides the cells -> their element or number. brought: operands in a
    memory of the machine -> the move of their elements to it."""

    instruction: Instruction
    bound: tuple[tuple[str, Any], ...] = ()
    brought: tuple[tuple[str, Instruction], ...] = ()

    @property
    def moves(self) -> tuple[Step, ...]:
        """The moves of its elements, each with the element it reads."""
        at = dict(self.bound)
        return tuple(Step(m, ((m.kernel.statements[0].inputs[0].tensor, at[o]),)) for o, m in self.brought)


Begun = tuple[Step | None, ...]  # ways in which cells are begun; None: by what computes


@dataclass(frozen=True)
class Cover:
    """begin: sets a sum's cells to the reduction's start, or to an element; None if the computing instruction assigns
    them.
    updates: in order. store: writes the result.

    onward: takes finished sums on, unchanged, to the memory of the updates and the store; None if they lie there
    anyway.
    """

    begin: Step | None
    updates: tuple[Step, ...]
    store: Step
    onward: Instruction | None = None

    @property
    def before_the_store(self) -> tuple[Instruction, ...]:
        """The instructions on each tile beside its products and the store, in order."""
        onward = () if self.onward is None else (self.onward,)
        steps = (s for u in self.updates for s in (*u.moves, u))
        return (*(s.instruction for s in self.begins), *onward, *(s.instruction for s in steps))

    @property
    def begins(self) -> tuple[Step, ...]:
        """The step that begins a tile; none if the computing instruction does."""
        return () if self.begin is None else (self.begin,)

    @property
    def begun_by_elements(self) -> bool:
        """Whether sums begin at elements, brought by each run for itself; a number comes to a whole tile at once."""
        return any(s.instruction.kernel.statements[0].inputs for s in self.begins)


def covers_of(kernel: Kernel, machine: Hardware, compute: Instruction) -> tuple[Cover, ...]:
    """All covers of the epilogue of sums, in the memory of the sums or in one they are taken on to from there.

    Raises ScheduleError.
    """
    found = _covers_or_why(kernel, machine, compute)
    if isinstance(found, str):
        raise ScheduleError(found)
    return found


@lru_cache(maxsize=256)  # asked for each mapping, and for each plan that is lowered
def _covers_or_why(kernel: Kernel, machine: Hardware, compute: Instruction) -> tuple[Cover, ...] | str:
    memory = compute.operand(compute.kernel.statements[0].target.tensor).memory
    passed = tuple(c for move in _onward(machine, compute, memory) for c in _passed(kernel, machine, memory, move))
    try:
        return (*covers(kernel, machine, memory), *passed)
    except ScheduleError as error:
        if passed:
            return passed
        further = _not_taken_on(machine, compute, memory) if _begun(epilogue_of(kernel), machine, memory) else ""
        return f"{error}{further}"


def _not_taken_on(machine: Hardware, compute: Instruction, memory: str) -> str:
    """Why taking the sums on to another memory does not help, in words; '' if no instruction takes them on."""
    onward = tuple(_onward(machine, compute, memory))
    for i in machine.instructions:
        s = i.kernel.statements[0]
        if i.kind != "move" or i.operand(s.inputs[0].tensor).memory != memory:
            continue
        there = i.operand(s.target.tensor).memory
        why = f"and nothing stores what is asked for from {there} either"
        if i.counted:
            why = f"but a part of a tile, {', '.join(p for _, p in i.counted)}; sums are taken on whole"
        elif i.engine != compute.engine:
            why = f"but {i.engine} issues it; what takes sums on is issued by {compute.engine}, which computes them"
        elif i not in onward:
            why = "but rows and columns lie otherwise there"
        return f"; {i.name} takes them from {memory} to {there}, {why}"
    return ""


def _onward(machine: Hardware, compute: Instruction, memory: str) -> Iterator[Instruction]:
    """Instructions of the computing engine that take a whole tile to another memory, in the same layout."""
    for i in machine.instructions:
        if i.kind == "move" and i.engine == compute.engine and not i.counted:
            s = i.kernel.statements[0]
            target, source = i.operand(s.target.tensor), i.operand(s.inputs[0].tensor)
            same = (target.row, target.column) == (source.row, source.column)
            if source.memory == memory != target.memory and same:
                yield i


def _passed(kernel: Kernel, machine: Hardware, memory: str, move: Instruction) -> Iterator[Cover]:
    """Covers of sums begun at a number here and ended in the move's target memory: the move begins the cells there."""
    epilogue = epilogue_of(kernel)
    begun = _begun(epilogue, machine, memory)
    there = move.operand(move.kernel.statements[0].target.tensor).memory
    found = _covers(epilogue, machine, there, begun[:1]) if begun else ()
    yield from (replace(c, onward=move) for c in sorted(found, key=lambda c: len(c.updates)))


def covers(kernel: Kernel, machine: Hardware, memory: str) -> tuple[Cover, ...]:
    """All ways to carry out the epilogue of the kernel, of sums in this memory, the shortest first. Raises ScheduleError."""
    epilogue = epilogue_of(kernel)
    found = list(_covers(epilogue, machine, memory))
    if not found and not _begun(epilogue, machine, memory):
        start = {0: "0", inf: "inf", -inf: "-inf"}.get(epilogue.start, str(epilogue.start))
        raise ScheduleError(
            f"{machine.name}: no instruction begins cells of {memory} at {start}; describe one, such as 'x[r,c] = {start}'"
        )
    if not found and epilogue.statement is None:
        if kinds := _stored_as(machine, memory):
            sums = kernel.statements[0].target
            index = ",".join(map(str, sums.index))
            shown = f"'Y[{index}] = {kinds[0]}({sums.tensor}[{index}])' with {sums.tensor} a temporary"
            raise ScheduleError(
                f"{machine.name}: sums lie in {memory} as {kernel.tensor(epilogue.sum).dtype}, and go from there to memory only as "
                f"{' or '.join(kinds)}; let a statement make them that, such as {shown}"
            )
        raise ScheduleError(
            f"{machine.name}: sums lie in {memory}, and no instruction moves from {memory} to memory; describe one, such as "
            "'m[r,c] = x[r,c]'"
        )
    if not found:
        if why := _out_of_range(epilogue, machine, memory):
            raise ScheduleError(f"{machine.name}: {value_text(epilogue.value)}: {why}")
        if why := _of_another_type(epilogue, machine, memory):
            raise ScheduleError(f"{machine.name}: {value_text(epilogue.value)}: {why}")
        raise ScheduleError(
            f"{machine.name}: nothing computes {value_text(epilogue.value)} of sums in {memory}; describe a store that does, or "
            f"steps that change cells of {memory} in place"
        )
    return tuple(sorted(found, key=lambda c: len(c.updates)))


def _stored_as(machine: Hardware, memory: str) -> tuple[str, ...]:
    """The element types of results stored from the memory to main memory."""
    found: dict[str, None] = {}
    for i in machine.instructions:
        target = i.kernel.statements[0].target.tensor
        if i.operand(target).memory == MAIN and _read(i, memory) is not None:
            found[str(i.kernel.tensor(target).dtype)] = None
    return tuple(found)


def _out_of_range(epilogue: Epilogue, machine: Hardware, memory: str) -> str:
    """The number in the code that is out of an instruction's range, in words; '' if something else is missing."""
    wide = tuple(replace(i, assume=()) for i in machine.instructions)
    for c in _covers(epilogue, replace(machine, instructions=wide), memory):
        for step in (*c.updates, c.store):
            taken = machine.instruction(step.instruction.name).immediates
            for name, value in step.bound:
                if name in taken and not taken[name][0] <= value <= taken[name][1]:
                    low, high = taken[name]
                    return f"{step.instruction.name} takes {name} from {low} to {high}, not {value}"
    return ""


def _of_another_type(epilogue: Epilogue, machine: Hardware, memory: str) -> str:
    """The tensor that needs the sum's type to be read beside it, in words; '' if something else is missing."""
    kernel, statement = epilogue.kernel, epilogue.statement
    wide = kernel.tensor(epilogue.sum).dtype
    for t in (kernel.tensor(a.tensor) for a in (statement.inputs if statement else ())):
        if statement is None or t.dtype == wide:
            continue
        value = _uncast(statement.value, t.name, wide.name)
        other = replace(
            kernel.with_dtypes({t.name: wide}), statements=(kernel.statements[0], replace(statement, value=value))
        )
        try:
            fits = next(_covers(epilogue_of(other), machine, memory), None) is not None
        except DTypeError:  # the value means nothing with such an element
            continue
        if fits:
            return f"{t.name} is {t.dtype}, and what is read beside sums in {memory} is {wide}; give {t.name} as {wide}"
    return ""


def _uncast(e: Any, tensor: str, to: str) -> Any:
    """The tree without conversions of a tensor's elements to this type."""
    if not isinstance(e, Scalar) or isinstance(e, Read):
        return e
    if isinstance(e, Cast) and str(e.args[0]) == to and isinstance(e.args[1], Read) and e.args[1].tensor == tensor:
        return e.args[1]
    return e.func(*(_uncast(a, tensor, to) for a in e.args))


def _covers(epilogue: Epilogue, machine: Hardware, memory: str, begun: Begun = ()) -> Iterator[Cover]:
    """begun: beginnings of sums taken on to this memory; () if they begin in it."""
    result = epilogue.kernel.tensor(epilogue.result).dtype
    for store in machine.instructions:
        target = store.kernel.statements[0].target.tensor
        cells = _read(store, memory)
        if cells is None or store.operand(target).memory != MAIN or store.kernel.tensor(target).dtype != result:
            continue
        for bound, left in _taken(epilogue, store, cells, _plain(epilogue.value)):
            for begin, updates in _chain(epilogue, machine, memory, left, begun):
                yield Cover(begin, updates, Step(store, bound))


def _chain(
    epilogue: Epilogue, machine: Hardware, memory: str, tree: Any, begun: Begun
) -> Iterator[tuple[Step | None, tuple[Step, ...]]]:
    """Ways from nothing, or from sums begun elsewhere, to cells with this value."""
    begun = begun or ((None,) if epilogue.assigned else ())
    if not begun:
        yield from ((begin, ()) for begin in _beginnings(epilogue, machine, memory, tree))
    elif isinstance(tree, Read) and tree.tensor == epilogue.sum:
        yield from ((begin, ()) for begin in begun)
    for i in _in(machine, memory):
        cells = _changed(i)
        for bound, left in _taken(epilogue, i, cells, tree) if cells else ():
            if left == tree:
                continue
            for step in _supplied(machine, Step(i, bound)):
                for begin, updates in _chain(epilogue, machine, memory, left, begun):
                    yield begin, (*updates, step)


def _beginnings(epilogue: Epilogue, machine: Hardware, memory: str, tree: Any) -> Iterator[Step]:
    """Instructions that put the start of the sum into its cells."""
    if isinstance(tree, Read) and tree.tensor == epilogue.sum:
        yield from (Step(i) for i in _in(machine, memory) if begins_at(i) == epilogue.start)
    if not isinstance(tree, SAdd) or epilogue.op != "+":
        return
    for own, other in (tree.args, tree.args[::-1]):
        if not isinstance(own, Read) or own.tensor != epilogue.sum or any(r.tensor == own.tensor for r in reads(other)):
            continue
        for i in _in(machine, memory):
            s = i.kernel.statements[0]
            sources = [r.tensor for r in reads(s.value)]
            if s.op != "=" or s.guard or not sources or any(i.operand(o).memory != MAIN for o in sources):
                continue
            for bound in _matched(epilogue, i, "", _plain(typed_value(i.kernel, s)), other, {}):
                yield Step(i, tuple(bound.items()))


def _begun(epilogue: Epilogue, machine: Hardware, memory: str) -> Begun:
    """Ways to begin cells of the memory at the reduction's start; (None,) if the computing instruction assigns them."""
    if epilogue.assigned:
        return (None,)
    return tuple(Step(i) for i in _in(machine, memory) if begins_at(i) == epilogue.start)


def _in(machine: Hardware, memory: str) -> Iterator[Instruction]:
    """Instructions that write cells of the memory."""
    for i in machine.instructions:
        if i.operand(i.kernel.statements[0].target.tensor).memory == memory:
            yield i


def _read(i: Instruction, memory: str) -> str | None:
    """The only operand it reads in the memory, if all others lie in main memory or are immediates; else None."""
    s = i.kernel.statements[0]
    read = {r.tensor for r in reads(s.value)}
    here = [o for o in read if i.operand(o).memory == memory]
    others = {i.operand(o).memory for o in read if o not in here}
    return here[0] if len(here) == 1 and s.op == "=" and others <= {MAIN, CODE} and not s.guard else None


def _changed(i: Instruction) -> str | None:
    """The operand whose cells it computes new values of from their own."""
    s = i.kernel.statements[0]
    own = any(r.tensor == s.target.tensor for r in reads(s.value))
    return s.target.tensor if own and s.op == "=" and not s.guard else None


def _supplied(machine: Hardware, step: Step) -> Iterator[Step]:
    """The step with moves of its operands in memories of the machine: the first move there is for each operand."""
    brought = []
    for name, _ in step.bound:
        memory = step.instruction.operand(name).memory
        if memory in (MAIN, CODE):
            continue
        dtype = step.instruction.kernel.tensor(name).dtype
        found = next((m for m in _in(machine, memory) if _brings(m) and m.kernel.tensors[0].dtype == dtype), None)
        if found is None:
            return
        brought.append((name, found))
    yield replace(step, brought=tuple(brought))


def _brings(move: Instruction) -> bool:
    """Whether it copies from main memory."""
    s = move.kernel.statements[0]
    plain = isinstance(s.value, Read) and s.op == "=" and not s.guard
    return plain and move.operand(s.inputs[0].tensor).memory == MAIN


def _taken(
    epilogue: Epilogue, i: Instruction, cells: str, tree: Any
) -> Iterator[tuple[tuple[tuple[str, Any], ...], Any]]:
    """(its other operands, its cell's value) for each way in which the instruction computes the tree."""
    pattern = _plain(typed_value(i.kernel, i.kernel.statements[0]))
    for bound in _matched(epilogue, i, cells, pattern, tree, {}):
        left = bound[""]
        if any(r.tensor == epilogue.sum for r in reads(left)):
            yield tuple((o, e) for o, e in bound.items() if o), left


def _matched(epilogue: Epilogue, i: Instruction, cells: str, pattern: Any, tree: Any, bound: Bound) -> Iterator[Bound]:
    if isinstance(pattern, Read) and pattern.tensor not in i.immediates:
        found = _operand(epilogue, i, cells, pattern.tensor, tree)
        key = "" if pattern.tensor == cells else pattern.tensor
        if found is not None and bound.get(key, found) == found:
            yield {**bound, key: found}
        return
    number = _number(i, pattern, tree)
    if number is not None:
        yield {**bound, number[0]: number[1]}
        return
    if isinstance(pattern, Read):  # an immediate: an element of a tensor that has its name is none
        return
    if type(pattern) is not type(tree) or len(pattern.args) != len(tree.args):
        return
    if not isinstance(pattern, Scalar):
        if pattern == tree:
            yield bound
        return
    orders = [tree.args, tree.args[::-1]] if isinstance(pattern, COMMUTE) else [tree.args]
    for args in orders:
        yield from _all(epilogue, i, cells, list(zip(pattern.args, args, strict=True)), bound)


def _all(epilogue: Epilogue, i: Instruction, cells: str, pairs: list[Any], bound: Bound) -> Iterator[Bound]:
    if not pairs:
        yield bound
        return
    (pattern, tree), *rest = pairs
    for found in _matched(epilogue, i, cells, pattern, tree, bound):
        yield from _all(epilogue, i, cells, rest, found)


def _operand(epilogue: Epilogue, i: Instruction, cells: str, name: str, tree: Any) -> Any:
    """The operand's binding to the tree; None if it cannot take it."""
    if name == cells:
        return tree
    if name in i.immediates or not isinstance(tree, Read) or tree.tensor == epilogue.sum:
        return None
    same = epilogue.kernel.tensor(tree.tensor).dtype == i.kernel.tensor(name).dtype
    return Access(tree.tensor, tree.index) if same else None


def _number(i: Instruction, pattern: Any, tree: Any) -> tuple[str, int | float] | None:
    """(immediate, number in its place); the number may be converted on the way to a wider type."""
    while isinstance(pattern, Cast):
        pattern = pattern.args[1]
    while isinstance(tree, Cast):
        tree = tree.args[1]
    if not isinstance(pattern, Read) or pattern.tensor not in i.immediates or not tree.is_Number:
        return None
    whole = not i.kernel.tensor(pattern.tensor).dtype.is_float
    if whole and not tree.is_Integer:
        return None
    low, high = i.immediates[pattern.tensor]
    return (pattern.tensor, int(tree) if tree.is_Integer else float(tree)) if low <= tree <= high else None


def _plain(e: Any) -> Any:
    """relu and saturation in simpler terms: a maximum, and a minimum of a maximum in a narrower type."""
    if not isinstance(e, Scalar) or isinstance(e, Read):
        return e
    args = [_plain(a) for a in e.args]
    if isinstance(e, Relu):
        return SMax(args[0], sp.Integer(0))
    if isinstance(e, Saturate):
        d = DTYPES[str(e.args[0])]
        return Cast(e.args[0], SMin(SMax(args[1], sp.Integer(d.low)), sp.Integer(d.high)))
    return e.func(*args)
