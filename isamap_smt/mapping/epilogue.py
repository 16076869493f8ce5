"""Selects instructions for what follows a sum, at the place of the sums: the last one stores, the others change cells in place.

    Y[i,j] = sat_i8(max(T[i,j] + b[j], 0))      begun at b, at_least_0 in place, stored clamped

It is instruction selection under an engine's constraints. A part of the value is a value of a sum's cells in one memory.
Beside the cell an instruction may read elements in main memory, numbers in the code, or cells filled by a move. Forms by
proved rules, patterns, and the cheapest cover are those of selection on cores. Nothing here is trusted; the program's
proof composes the steps again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from math import inf, prod
from typing import Any

import sympy as sp

from isamap_encodings.cover_model import Offer, cheapest
from isamap_smt.ir.epilogue import BEGINS, STORES, UPDATES, Epilogue, begins_at, epilogue_of
from isamap_smt.ir.errors import DTypeError, IsamapError, ScheduleError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Cast, Read, SAdd, Scalar, reads
from isamap_smt.ir.states import CODE
from isamap_smt.ir.typed import plain, type_of
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.patterns import TICKS, Bound, Known, Step, bindings_of, known_sizes, pattern_of
from isamap_smt.mapping.rewriting import Equalities, Forms
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.mapping.rule_verdicts import require
from isamap_smt.mapping.settled import settled

ONWARD = "onward"
Part = tuple[str, Any]  # a value of a sum's cells, in one memory
STORED: Part = (MAIN, None)


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


@dataclass(frozen=True)
class Way:
    """A step to a part, from one that its cells hold, or from none: it begins them. role: BEGINS, ONWARD, UPDATES or STORES.

    step: None if what computes the sums assigns them. rewritten: not of the value as it was given.
    """

    role: str
    part: Part
    of: Part | None
    step: Step | None
    rewritten: bool = False

    @property
    def ticks(self) -> int:
        """How long its instruction, and the moves of its elements, occupy their engines for a whole tile."""
        used = () if self.step is None else (self.step, *self.step.moves)
        return sum(round(TICKS * _cycles(s.instruction)) for s in used)


def _cycles(i: Instruction) -> float:
    return float(i.occupies.cycles(prod(i.axes[a] for a in i.occupies.per)))


def covers_of(
    kernel: Kernel, machine: Hardware, compute: Instruction, fits: Callable[[Way], bool] | None = None
) -> tuple[Cover, ...]:
    """The cheapest cover of the epilogue of sums for each storing instruction, in the memory of the sums or in one they
    are taken on to from there. fits: whether a way may be taken; () if nothing is left of covers that there are.

    Raises ScheduleError if there is none at all.
    """
    found = _ways_or_why(kernel, machine, compute)
    if isinstance(found, str):
        raise ScheduleError(found)
    return _cheapest(found, tuple(fits is None or fits(w) for w in found))


def carried_out(kernel: Kernel, machine: Hardware, memory: str) -> bool:
    """Whether the epilogue of sums in this memory has a cover. Raises ScheduleError for a kernel without an epilogue."""
    return bool(_cheapest(_ways(epilogue_of(kernel), machine, memory)))


@lru_cache(maxsize=1024)
def _cheapest(ways: tuple[Way, ...], kept: tuple[bool, ...] = ()) -> tuple[Cover, ...]:
    """For each instruction that stores; first those in the sums' own memory, and of these the cheapest."""
    some = [w for w, k in zip(ways, kept or (True,) * len(ways), strict=True) if k]
    numbers = {p: n for n, p in enumerate(dict.fromkeys((STORED, *(w.part for w in some), *(w.of for w in some))))}
    found: list[tuple[bool, int, Cover]] = []
    for store in dict.fromkeys(w.step.instruction for w in some if w.role == STORES and w.step):
        left = [w for w in some if w.role != STORES or (w.step and w.step.instruction == store)]
        offers = [Offer(numbers[w.part], () if w.of is None else (numbers[w.of],), w.ticks, w.rewritten) for w in left]
        if (cover := cheapest(offers, 0)) is not None:
            made = _cover({left[n].part: left[n] for n in cover.offers})
            found.append((made.onward is not None, cover.cost, made))
    return tuple(c for _, _, c in sorted(found, key=lambda f: f[:2]))


def _cover(taken: dict[Part, Way]) -> Cover:
    """The ways that are taken, from the stored value on down."""
    chain: list[Way] = []
    part = STORED
    while True:
        chain.append(taken[part])
        if chain[-1].of is None:
            break
        part = chain[-1].of
    begins, onward, updates, (store,) = (
        tuple(w.step for w in reversed(chain) if w.role == role and w.step)
        for role in (BEGINS, ONWARD, UPDATES, STORES)
    )
    return Cover(next(iter(begins), None), updates, store, next((s.instruction for s in onward), None))


@lru_cache(maxsize=256)  # asked for each mapping, and for each plan that is lowered
def _ways_or_why(kernel: Kernel, machine: Hardware, compute: Instruction) -> tuple[Way, ...] | str:
    """All ways, some of which make a cover; or why none do."""
    memory, epilogue = compute.operand(compute.target).memory, epilogue_of(kernel)
    ways = _ways(epilogue, machine, memory, tuple(_onward(machine, compute, memory)))
    if _cheapest(ways):
        return ways
    further = _not_taken_on(machine, compute, memory) if _begun(epilogue, machine, memory) else ""
    return f"{_why_none(epilogue, machine, memory)}{further}"


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
            typed = i.types[target.name] == i.types[source.name] == compute.types[compute.target]
            if source.memory == memory != target.memory and same and typed:
                yield i


def _why_none(epilogue: Epilogue, machine: Hardware, memory: str) -> str:
    """Why nothing covers an epilogue of sums in this memory, in words."""
    kernel = epilogue.kernel
    if not _begun(epilogue, machine, memory):
        start = {0: "0", inf: "inf", -inf: "-inf"}.get(epilogue.start, str(epilogue.start))
        dtype = kernel.tensor(epilogue.sum).dtype
        typed = f" as {dtype}" * any(begins_at(i) == epilogue.start for i in _in(machine, memory))
        return (
            f"{machine.name}: no instruction begins cells of {memory} at {start}{typed}; describe one, such as "
            f"'x[r,c] = {start}'"
        )
    if epilogue.statement is None:
        if kinds := _stored_as(machine, memory):
            sums = kernel.statements[0].target
            index = ",".join(map(str, sums.index))
            shown = f"'Y[{index}] = {kinds[0]}({sums.tensor}[{index}])' with {sums.tensor} a temporary"
            return (
                f"{machine.name}: sums lie in {memory} as {kernel.tensor(epilogue.sum).dtype}, and go from there to memory only as "
                f"{' or '.join(kinds)}; let a statement make them that, such as {shown}"
            )
        return (
            f"{machine.name}: sums lie in {memory}, and no instruction moves from {memory} to memory; describe one, such as "
            "'m[r,c] = x[r,c]'"
        )
    missing = _out_of_range(epilogue, machine, memory) or _of_another_type(epilogue, machine, memory)
    return f"{machine.name}: " + (
        f"{value_text(epilogue.value)}: {missing}"
        if missing
        else f"nothing computes {value_text(epilogue.value)} of sums in {memory}; describe a store that does, or "
        f"steps that change cells of {memory} in place"
    )


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
    for c in _cheapest(_ways(epilogue, replace(machine, instructions=wide), memory)):
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
            fits = carried_out(other, machine, memory)
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


# ---- The ways: patterns of instructions against the forms of the value, for cells of a memory.


@lru_cache(maxsize=256)
def _ways(epilogue: Epilogue, machine: Hardware, memory: str, onward: tuple[Instruction, ...] = ()) -> tuple[Way, ...]:
    """All ways to values of sums in this memory, and behind a move onward in another one."""
    for rule in machine.rules:
        require(rule)
    types = {t.name: t.dtype for t in epilogue.kernel.tensors}
    value = plain(known_sizes(epilogue.value), types)
    found: list[Way] = []
    for number, written in enumerate(dict.fromkeys((value, settled(value, types, epilogue.kernel.ranges)))):
        for rules in ((*RULES, *machine.rules), ()):
            with suppress(IsamapError):  # as it is written, it may go
                equal = Equalities(written, types, types[epilogue.result], rules, reals=False)
                equal.saturate()
                found += _Ways(epilogue, machine, memory, onward, Forms(equal), written, number).found()
                break
    return tuple(found)


class _Ways:
    """The ways from the stored value down to the sum, in one spelling of the value. number: of the spelling."""

    def __init__(
        self, epilogue: Epilogue, machine: Hardware, memory: str, onward: tuple[Instruction, ...], forms: Forms,
        written: Any, number: int,
    ) -> None:  # fmt: skip
        self.epilogue, self.machine, self.home, self.onward = epilogue, machine, memory, onward
        self.forms, self.number, self.given = forms, number, set(sp.preorder_traversal(written))
        self.types = {t.name: t.dtype for t in epilogue.kernel.tensors}

    def found(self) -> list[Way]:
        """All of them, the stored value's first."""
        ways = list(self._stores())
        seen = {STORED}
        for way in ways:  # the list grows
            if way.of is not None and way.of not in seen:
                seen.add(way.of)
                ways += self._to(*way.of)
        return ways

    def _stores(self) -> Iterator[Way]:
        result = self.types[self.epilogue.result]
        for i in self.machine.instructions:
            if i.operand(i.target).memory == MAIN and i.types[i.target] == result:
                for memory in dict.fromkeys((self.home, *(m.operand(m.target).memory for m in self.onward))):
                    if (cells := _read(i, memory)) is not None:
                        yield from self._by(STORES, STORED, i, cells, memory, self.forms.root)

    def _to(self, memory: str, value: tuple[int, Any]) -> Iterator[Way]:
        """Ways to a value of the cells of a memory."""
        _, tree = value
        if self._is_sum(tree):
            yield from self._begun(memory, value)
        if memory == self.home and self.epilogue.op == "+" and not self.types[self.epilogue.sum].is_float:
            yield from self._begun_at_elements((memory, value), tree)
        for i in _in(self.machine, memory):
            if _changes(i):
                yield from self._by(UPDATES, (memory, value), i, i.target, memory, tree)

    def _begun(self, memory: str, value: tuple[int, Any]) -> Iterator[Way]:
        """Ways to the sum itself: in its own memory it begins, in another one it was taken on to it."""
        if memory == self.home:
            for step in _begun(self.epilogue, self.machine, memory):
                yield Way(BEGINS, (memory, value), None, step)
        for move in self.onward:
            if move.operand(move.target).memory == memory:
                yield Way(ONWARD, (memory, value), (self.home, value), Step(move))

    def _begun_at_elements(self, part: Part, tree: Any) -> Iterator[Way]:
        """Ways to the sum and an element, which it begins at."""
        for form in self.forms.of[tree]:
            for own, other in (form.args, form.args[::-1]) if isinstance(form, SAdd) else ():
                if not self._is_sum(own) or _of_sum(other, self.epilogue):
                    continue
                for i in _in(self.machine, part[0]):
                    s = i.kernel.statements[0]
                    sources, typed = (
                        {r.tensor for r in reads(s.value)},
                        i.types[i.target] == self.types[self.epilogue.sum],
                    )
                    far = bool(sources) and {i.operand(o).memory for o in sources} == {MAIN}
                    if s.op == "=" and not s.guard and far and typed:
                        for bound, rewritten in self._bindings(i, "", other):
                            yield Way(BEGINS, part, None, Step(i, bound), rewritten or form not in self.given)

    def _by(self, role: str, part: Part, i: Instruction, cells: str, memory: str, tree: Any) -> Iterator[Way]:
        """Ways by an instruction that reads these cells. Floating point is rounded as it is written."""
        if i.rounding == "fused" and any(d.is_float for d in i.types.values()):
            return
        for bound, rewritten in self._bindings(i, cells, tree):
            others = dict(bound)
            left = others.pop(cells)
            if _of_sum(left, self.epilogue) and (left != tree or role == STORES):
                for step in _supplied(self.machine, Step(i, tuple(others.items()))):
                    yield Way(role, part, (memory, (self.number, left)), step, rewritten)

    def _bindings(self, i: Instruction, cells: str, tree: Any) -> Iterator[tuple[Bound, bool]]:
        """What the operands stand for, and whether that is found in no value as it was given."""
        pattern, takes = pattern_of(i), partial(self._taken, i, cells)
        given = set(bindings_of(i, pattern, tree, Known(takes, lambda t: (t,)))) if tree in self.given else set()
        for bound in bindings_of(i, pattern, tree, Known(takes, self.forms.of.__getitem__)):
            yield bound, bound not in given

    def _taken(self, i: Instruction, cells: str, operand: str, tree: Any, _: bool) -> Any:
        """A value of the cells, or the element that another operand reads; None for what it cannot stand for."""
        if tree in self.forms.exact or type_of(tree, self.types) != i.types[operand]:
            return None
        if operand == cells:
            return tree
        element = isinstance(tree, Read) and tree.tensor != self.epilogue.sum
        return Access(tree.tensor, tree.index) if element else None

    def _is_sum(self, tree: Any) -> bool:
        return any(isinstance(form, Read) and form.tensor == self.epilogue.sum for form in self.forms.of[tree])


def _of_sum(tree: Any, epilogue: Epilogue) -> bool:
    return any(r.tensor == epilogue.sum for r in reads(tree))


def _begun(epilogue: Epilogue, machine: Hardware, memory: str) -> tuple[Step | None, ...]:
    """Ways to begin cells of the memory at the reduction's start; (None,) if the computing instruction assigns them."""
    if epilogue.assigned:
        return (None,)
    dtype = epilogue.kernel.tensor(epilogue.sum).dtype
    own = (i for i in _in(machine, memory) if i.types[i.target] == dtype)
    return tuple(Step(i) for i in own if begins_at(i) == epilogue.start)


def _in(machine: Hardware, memory: str) -> Iterator[Instruction]:
    """Instructions that write cells of the memory."""
    return (i for i in machine.instructions if i.operand(i.target).memory == memory)


def _read(i: Instruction, memory: str) -> str | None:
    """The only operand it reads in the memory, if all others lie in main memory or are immediates; else None."""
    s = i.kernel.statements[0]
    read = {r.tensor for r in reads(s.value)}
    here = [o for o in read if i.operand(o).memory == memory]
    others = {i.operand(o).memory for o in read if o not in here}
    return here[0] if len(here) == 1 and s.op == "=" and others <= {MAIN, CODE} and not s.guard else None


def _changes(i: Instruction) -> bool:
    """Whether it computes new values of cells from their own."""
    s = i.kernel.statements[0]
    return any(r.tensor == s.target.tensor for r in reads(s.value)) and s.op == "=" and not s.guard


def _supplied(machine: Hardware, step: Step) -> Iterator[Step]:
    """The step with moves of its operands in memories of the machine, in every way."""
    there = [o for o, _ in step.bound if step.instruction.operand(o).memory not in (MAIN, CODE)]
    moves = ([m for m in _in(machine, step.instruction.operand(o).memory) if _brings(m, step, o)] for o in there)
    for taken in product(*moves):
        yield replace(step, brought=tuple(zip(there, taken, strict=True)))


def _brings(move: Instruction, step: Step, operand: str) -> bool:
    """Whether it copies elements of an operand's type from main memory."""
    s = move.kernel.statements[0]
    copies = isinstance(s.value, Read) and s.op == "=" and not s.guard
    return (
        copies
        and move.operand(s.inputs[0].tensor).memory == MAIN
        and (move.types[move.target] == step.instruction.types[operand])
    )
