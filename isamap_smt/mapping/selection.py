"""Instruction selection: a statement's value computed lane by lane with a machine's instructions, as one of its own.

    Y[i,j] = max(X[i,j] + B[j], 0)      to[l] = max(x0[l] + x1[l], 0), by add_ps and at_least_0_ps

The result is an instruction like any other: its contract is the statement's own expression over lanes, `exact` is the
value of its steps one after the other, and the scalar claim compares the two. It is mapped, scheduled, lowered and
tested like others. CP-SAT chooses the instruction for each part; a part without one is computed lane by lane in
portable C. On a machine without C the instructions compute all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from typing import Any

import sympy as sp

from isamap_encodings.cover_model import Offer, cheapest
from isamap_smt.ir.dtypes import DType, bool_, widens
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import Inside, element, elements, is_constant, sym, written
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.heads import CONVERSIONS, FUNCTION_ROWS
from isamap_smt.ir.instruction import Cost, Instruction, SelectedInstruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    Pow,
    Read,
    Relu,
    Rsqrt,
    SAdd,
    Scalar,
    SDiv,
    SMax,
    SMin,
    SNeg,
    SSub,
    cast,
    index_values,
    read,
    reads,
    rewrite_reads,
)
from isamap_smt.ir.typed import below, of_type, plain, target, type_of, typed_value
from isamap_smt.language.printer import to_text
from isamap_smt.language.values import heads_written
from isamap_smt.mapping.lookups import is_lookup, lookup_of, lookups_of, of_extents, of_tables
from isamap_smt.mapping.patterns import COMBINE, TICKS, Bound, Known, Step, bindings_of, pattern_of
from isamap_smt.mapping.point_c import c_value
from isamap_smt.mapping.rewriting import Equalities, Forms
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.mapping.rule_verdicts import require


@lru_cache(maxsize=64)
def steps_of(machine: Hardware, lanes: int) -> tuple[Instruction, ...]:
    """The machine's instructions on registers of so many lanes alone."""
    found = (i for i in machine.computes if machine.offers(i))
    return tuple(i for i in found if all(shape == (lanes,) for shape in i.shapes.values()))


@lru_cache(maxsize=4096)
def by_lane(i: Instruction) -> bool:
    """Whether each lane is computed of the same lane of each operand, whatever else the machine holds."""
    if len(i.kernel.axes) != 1 or i.numbered or i.cells_needed or i.may_fail or i.assume or i.preconditions:
        return False
    (axis,) = i.kernel.axes
    s = i.kernel.statements[0]
    places = [s.target, *s.inputs]
    plain = all(a.index == (axis.symbol,) for a in places) and not s.guard and s.op in ("=", *COMBINE)
    rounds = i.rounding in ("exact", "fused", "unfused")
    return plain and rounds and len(dict(i.c_types)) in ((len(i.places),) if i.emit else (0,))


TO, LANE = "to", "l"
CONVERTING = {head.__name__ for head in CONVERSIONS}  # those to an element's own type stand in no pattern
LANES_COST, FUNCTION_COST = 8, 12  # cycles of a part in portable C; of exp and the like
SELECTED = "selected"
HOLE = "isamap_operand_"  # before an operand's name, until the C is whole


def selected_instruction(machine: Hardware, kernel: Kernel, statement: int = 0) -> Instruction | None:
    """The instruction that computes the statement in lanes of this machine's registers. Of several numbers of lanes it
    has the one with the fewest cycles an element, moves included; of equal ones the largest.

    None if its registers do not hold the operands, the value has axes in it, its output does not tell the points left
    out, or portable C cannot do the rest exactly. Raises RuleError for a rule of the machine that fails in one of its
    arithmetics.
    """
    for rule in machine.rules:
        require(rule)
    if machine.opened is not None or machine.engines:
        return None
    if not of_tables(kernel.statements[statement]):
        return None
    try:
        asked = _Asked.of(kernel, statement)
    except IsamapError:  # the value has no type
        return None
    return _selected(machine, asked, (*RULES, *machine.rules))


@dataclass(frozen=True)
class _Asked:
    """A statement without its names: its value of `x0`, `x1`, ... in the order read, and `to`; types: theirs, `to` last."""

    op: str
    ordered: bool
    value: Any
    types: tuple[tuple[str, DType], ...]

    @staticmethod
    def of(kernel: Kernel, statement: int) -> _Asked:
        """Raises IsamapError for a value without a type."""
        s = kernel.statements[statement]
        inputs = dict.fromkeys(a for a in s.inputs if a != s.target)
        names = {a: f"x{n}" for n, a in enumerate(inputs)} | {s.target: TO}

        def renamed(r: Any) -> Any:
            found = {e: element(names[Access(e.tensor, e.index)], ()) for e in elements(r.index)}
            index = tuple(i.xreplace(found) for i in r.index) if found else ()
            return Read(sp.Symbol(names[Access(r.tensor, tuple(r.index))]), *index)

        value = rewrite_reads(typed_value(kernel, s), renamed)
        types = [(n, kernel.tensor(a.tensor).dtype) for a, n in names.items()]
        if types[-1][1] != bool_:  # lanes of bool are bytes of 0 and 1
            value, types = _as_bytes(value), [(n, d.cells) for n, d in types]
        return _Asked(s.op, s.ordered, value, tuple(types))


def _as_bytes(value: Any) -> Any:
    """The value with u8 in the place of bool."""
    if not isinstance(value, Scalar) or isinstance(value, Read):
        return value
    if isinstance(value, Cast) and target(value) == bool_:
        return cast(bool_.cells, _as_bytes(value.args[1]))
    return value.func(*map(_as_bytes, value.args))


@lru_cache(maxsize=1024)
def _selected(machine: Hardware, asked: _Asked, rules: tuple[Rule, ...]) -> Instruction | None:
    found: list[tuple[float, Instruction]] = []
    for files in register_files(machine):
        for allowed in (rules, ()):
            try:
                made = _Selection(machine, asked, files, allowed).instruction()
            except IsamapError:
                continue  # with fewer lanes, or as it is written, it may go
            if made is not None:
                moves = (files.of[t.dtype.name].load for t in made.kernel.tensors)
                cycles = sum(1 / i.cost.per_cycle for i in (made, *moves))
                found.append((cycles / files.lanes, made))
                break
    return min(found, key=lambda f: f[0], default=(0.0, None))[1]


@dataclass(frozen=True)
class File:
    """Registers for values of one type, one element in each lane, with the moves to and from them."""

    memory: str
    c_type: str
    load: Instruction
    store: Instruction
    broadcast: Instruction


@dataclass(frozen=True)
class Files:
    """The registers of so many lanes, by the name of the element type."""

    lanes: int
    of: dict[str, File]

    def __hash__(self) -> int:
        return hash((self.lanes, tuple(self.of)))


@lru_cache(maxsize=64)
def register_files(machine: Hardware) -> tuple[Files, ...]:
    """Registers with one element in each lane, most lanes first; of several for one type the first."""
    found: dict[int, dict[tuple[str, str, str], dict[str, Instruction]]] = {}
    for i in machine.moves:
        if i.kind not in ("load", "store", "broadcast") or not machine.offers(i) or not _lane_by_lane(i):
            continue
        register, place = next((o, place) for o, place in i.places if place != "memory")
        shape = i.shapes[register]
        if len(shape) == 1 and is_constant(shape[0]) and (machine.simulated or register in dict(i.c_types)):
            key = (i.types[register].name, place, dict(i.c_types).get(register, ""))
            found.setdefault(int(shape[0]), {}).setdefault(key, {}).setdefault(i.kind, i)
    return tuple(Files(lanes, _first_of_type(files)) for lanes, files in sorted(found.items(), reverse=True))


def _first_of_type(files: dict[tuple[str, str, str], dict[str, Instruction]]) -> dict[str, File]:
    first: dict[str, File] = {}
    for (kind, _, _), moves in files.items():
        if len(moves) == 3:
            first.setdefault(kind, _file(moves))
    return first


def _lane_by_lane(move: Instruction) -> bool:
    """Whether neighbouring lanes are neighbouring elements, or one, wherever these lie."""
    lane, *others = sorted(set(move.indices.values()), key=len, reverse=True)
    plain = all(x.is_Symbol for x in lane) and others == ([()] if move.kind == "broadcast" else [])
    return plain and not (move.active or move.numbered or move.preconditions or move.assume)


def _file(moves: dict[str, Instruction]) -> File:
    load = moves["load"]
    register, memory = next((o, place) for o, place in load.places if place != "memory")
    return File(memory, dict(load.c_types).get(register, ""), load, moves["store"], moves["broadcast"])


@dataclass(frozen=True)
class _Part:
    """A part of the value, with one way to compute it: a step and its operands, portable C, or none for an element."""

    step: Step | None
    tree: Any
    form: Any = None  # what portable C computes, equal to the tree


class _Selection:
    """One statement in registers of one number of lanes."""

    def __init__(self, machine: Hardware, asked: _Asked, files: Files, rules: tuple[Rule, ...]) -> None:
        self.machine, self.files, self.rules, self.asked = machine, files, rules, asked
        self.types, self.value = dict(asked.types), asked.value
        own = read(TO)
        value = plain(self.value, self.types)
        self.mixed = (
            value != self.value
        )  # elements of other types than the result's, written as conversions to their own
        self.root = value if self.asked.op == "=" else COMBINE[self.asked.op](own, value)
        self.parts: list[Any] = []
        self.numbers: dict[Any, int] = {}
        self._open: set[Any] = set()

    @cached_property
    def forms(self) -> Forms:
        """The value's forms by the rules, in the statement's arithmetic."""
        reals = self.types[TO].is_float and self.asked.op == "+" and not self.asked.ordered
        found = Equalities(self.root, self.types, self.types[TO], self.rules, reals)
        found.saturate()
        return Forms(found)

    def instruction(self) -> Instruction | None:
        """The statement as one instruction; None if these registers do not suffice."""
        if any(d.name not in self.files.of for d in self.types.values()) or (
            isinstance(self.root, Read) and not is_lookup(self.root)
        ):
            return None
        if not any(True for _ in reads(self.value)) or index_values(self.value) or _tells_zeros(self.root):
            return None
        offers, made = self._offers()
        banned: list[tuple[int, ...]] = []
        while (cover := cheapest(offers, self.numbers[self.forms.root], banned=banned)) is not None:
            taken = self._in_order({offers[n].part: (offers[n], made[n]) for n in cover.offers})
            copied = isinstance(self.forms.root, Read)
            if not copied and not any(p.step or _is_function(p.form) for p in taken):
                return None  # nothing but portable C, which compilers make vectors of
            found = self._assembled(taken, cover.cost / TICKS)
            if found is None or cover_digest(found.emit) not in self.machine.refused:
                return None if found is None else replace(found, gap=(cover.cost - cover.bound) / max(cover.cost, 1))
            banned.append(cover.offers)
        return None

    # ---- the steps for each part

    def _offers(self) -> tuple[list[Offer], list[_Part]]:
        self._number(self.forms.root)
        found = (i for i in steps_of(self.machine, self.files.lanes) if i.name not in self.machine.refused)
        heads = {op[0] for op, _ in self.forms.found.graph.terms} | CONVERTING  # type: ignore[index]
        found = (i for i in found if heads_written(i.written.partition("=")[2]) <= heads)
        there = {type_of(tree, self.types) for tree in self.parts}
        exact = any(tree in self.forms.exact for tree in self.parts)  # operands of any integer type may be parts of it
        steps = [i for i in found if self._serves(i, there, exact)]
        offers: list[Offer] = []
        made: list[_Part] = []
        given = set(sp.preorder_traversal(self.root))
        for n, tree in enumerate(self.parts):
            if isinstance(tree, Read) and not is_lookup(tree):
                offers.append(Offer(n, (), 0))
                made.append(_Part(None, tree))
                continue
            if is_lookup(tree):
                for i, bound in self._looked_up(tree):
                    offers.append(Offer(n, tuple(self.numbers[t] for _, t in bound), round(TICKS / i.cost.per_cycle)))
                    made.append(_Part(Step(i, bound), tree))
                continue
            for i in steps:
                takes = partial(self._taken, i, tree)
                plain = (
                    set(bindings_of(i, pattern_of(i), tree, Known(takes, lambda t: (t,)))) if tree in given else set()
                )
                for bound in bindings_of(i, pattern_of(i), tree, Known(takes, self._forms)):
                    uses = tuple(self.numbers[t] for _, t in bound if t in self.numbers)
                    ticks = round(TICKS / i.cost.per_cycle)
                    offers.append(Offer(n, uses, ticks, bound not in plain))
                    made.append(_Part(Step(i, bound), tree))
            for form in self._forms(tree):
                if not (self.machine.simulated or isinstance(form, Read)) and self._in_lanes(tree, form):
                    uses = tuple(self.numbers[a] for a in self._operands(form))
                    ticks = (FUNCTION_COST if _is_function(form) else LANES_COST) * TICKS
                    offers.append(Offer(n, uses, ticks, form not in given))
                    made.append(_Part(None, tree, form))
        return offers, made

    def _forms(self, tree: Any) -> Sequence[Any]:
        """The forms of a part; the conversion of an index has its own alone."""
        return self.forms.of.get(tree, (tree,))

    def _in_order(self, chosen: dict[int, tuple[Offer, _Part]]) -> list[_Part]:
        """The needed parts, each behind the parts it uses."""
        found: dict[int, _Part] = {}

        def make(number: int) -> None:
            if number not in found:
                offer, part = chosen[number]
                for u in sorted(offer.uses):
                    make(u)
                found[number] = part

        make(self.numbers[self.forms.root])
        return list(found.values())

    def _serves(self, i: Instruction, there: set[DType | None], exact: bool) -> bool:
        """Whether it works lane by lane, and its operands have types of parts and lie in registers in use. Sums
        may be rounded once with their product, if their order is free; all else is rounded as it is written."""
        if any(d not in there and not (exact and not d.is_float) for o, d in i.types.items() if o != i.target):
            return False
        files = [self.files.of.get(i.types[o].name) for o, _ in i.places]
        lies = zip(i.places, files, strict=True)
        if any(f is None or (place, dict(i.c_types).get(o, "")) != (f.memory, f.c_type) for (o, place), f in lies):
            return False
        return by_lane(i) and (i.rounding != "fused" or (self.asked.op == "+" and not self.asked.ordered))

    def _looked_up(self, tree: Any) -> Iterator[tuple[Instruction, Bound]]:
        """Lookups that find the element, each with its operands.

        The result and the indices lie in registers in use; the table has one of its own.
        """
        for i in lookups_of(self.machine, self.files.lanes):
            bound = lookup_of(i, tree)
            if bound is None or i.name in self.machine.refused or type_of(tree, self.types) != i.types[i.target]:
                continue
            bound = tuple((o, self._as_index(i, o, t)) for o, t in bound)
            if any(t not in self.numbers for _, t in bound):
                continue
            files = [
                (o, place, self.files.of.get(i.types[o].name)) for o, place in i.places if o != pattern_of(i).tensor
            ]
            if all(f and (place, dict(i.c_types).get(o, "")) == (f.memory, f.c_type) for o, place, f in files):
                yield i, bound

    def _as_index(self, i: Instruction, operand: str, element: Any) -> Any:
        """The element as the operand of a lookup: an index of fewer bits is converted. None for another type."""
        held, wanted = self.types[element.tensor], i.types[operand]
        if held == wanted:
            return element
        return cast(wanted, element) if operand != pattern_of(i).tensor and widens(held, wanted) else None

    def _number(self, tree: Any) -> None:
        """Numbers for the parts of the value, each behind the parts it uses."""
        if tree in self.numbers or tree in self._open or not any(True for _ in reads(tree)):
            return
        self._open.add(tree)
        if is_lookup(tree):
            for name in (tree.tensor, *(e.tensor for e in elements(tree.index))):
                self._number(read(name))
            for i in lookups_of(self.machine, self.files.lanes):
                for part in (self._as_index(i, o, t) for o, t in lookup_of(i, tree) or ()):
                    if isinstance(part, Cast):
                        self._number(part)
        for form in self.forms.of.get(tree, (tree,)):
            if not isinstance(form, Read):
                for a in self._operands(form):
                    self._number(a)
        self.numbers[tree] = len(self.parts)
        self.parts.append(tree)

    def _type(self, tree: Any, around: Any) -> DType | None:
        """The element type of a part; a number has its neighbour's. None for an exact integer below a saturation."""
        if tree in self.forms.exact:
            return None
        return type_of(tree, self.types) or (type_of(around, self.types) if tree is not around else None)

    def _taken(self, i: Instruction, around: Any, operand: str, tree: Any, exact: bool) -> Any:
        """The part itself, if the operand may stand for it: a part of its type, or a number of its values."""
        d = i.types[operand]
        fits = bool(d.low <= tree <= d.high) if exact and tree.is_Integer else self._type(tree, around) == d
        return tree if fits else None

    def _in_lanes(self, tree: Any, form: Any) -> bool:
        """Whether the part and the operands of one of its forms lie in registers."""
        kinds = [type_of(a, self.types) for a in (tree, *self._operands(form))]
        return all(d is not None and d.name in self.files.of for d in kinds)

    def _operands(self, tree: Any) -> Iterator[Any]:
        """An operation's operands, without numbers and types; through comparisons and saturations to their parts."""
        for a in tree.args:
            if any(True for _ in reads(a)):
                if isinstance(a, Compare):
                    yield from self._operands(a)
                elif a in self.forms.exact:
                    yield from self._operands(self.forms.of[a][0])
                else:
                    yield a

    def _with(self, tree: Any, operands: dict[Any, Any], exact: bool = False) -> Any:
        """The operation on other operands. exact: below a saturation."""
        args = []
        inner = below(tree, exact)
        for a in tree.args:
            inside = a if isinstance(a, Compare) else self.forms.of[a][0] if a in self.forms.exact else None
            if inside is not None:
                args.append(self._with(inside, operands, inner))
            else:
                other = operands.get(a, a)
                kind = type_of(a, self.types) if inner and other is not a else None
                args.append(other if kind is None else of_type(other, kind))
        return tree.func(*args)

    # ---- the instruction

    def _assembled(self, taken: list[_Part], cycles: float) -> SelectedInstruction | None:
        names: dict[Any, str] = {}
        lines: list[str] = []
        used: list[Instruction] = []
        composed: dict[Any, Any] = {}
        parts: list[tuple[float, tuple[str, ...]]] = []
        for n, p in enumerate(taken):
            if isinstance(p.tree, Read) and not is_lookup(p.tree):
                names[p.tree], composed[p.tree] = f"{HOLE}{p.tree.tensor}", p.tree
                lines += [f"{HOLE}{TO} = {names[p.tree]};"] if p.tree == self.forms.root else []
                continue
            last = p.tree == self.forms.root
            names[p.tree] = f"isamap_t{n}"
            file = self.files.of[self._kind(p.tree).name]
            lines.append(f"{file.c_type} {names[p.tree]};")
            if p.step is None:
                lines += self._by_lane(p, names)
                composed[p.tree] = self._with(p.form, composed)
                parts.append((FUNCTION_COST if _is_function(p.form) else LANES_COST, tuple(self.types)))
            else:
                lines += self._by_step(p, names)
                used.append(p.step.instruction)
                found = p.step.value({o: composed.get(t, t) for o, t in p.step.bound})
                composed[p.tree] = of_extents(found, p.tree)
                decided = dict.fromkeys(r.tensor for r in reads(composed[p.tree]))
                parts.append((1 / p.step.instruction.cost.per_cycle, tuple(decided)))
            if last:
                lines.append(f"{HOLE}{TO} = {names[p.tree]};")
        plain = "\n".join(lines).replace("{", "{{").replace("}", "}}")
        whole = composed[self.forms.root]
        value = _value_of(self.asked.op, whole)
        if value is None or _tells_zeros(whole):
            return None
        rules = self.forms.rules(whole)
        if self.machine.simulated:
            plain = ""
        made = self._described(re.sub(HOLE + r"(\w+)", r"{\1}", plain), used, cycles, value, _tables(taken))
        return replace(made, rules=rules, cost=replace(made.cost, parts=tuple(parts)))

    def _own(self, element: Any) -> Any:
        """An element with its type written, as in the statement, unless it is the result's."""
        kind = self._kind(element)
        return element if kind == self.types[TO] else cast(kind, element)

    def _kind(self, tree: Any) -> DType:
        found = type_of(tree, self.types)
        assert found is not None
        return found

    def _by_step(self, p: _Part, names: dict[Any, str]) -> list[str]:
        """The step's own C on the registers of its operands; a number in its place is broadcast."""
        assert p.step is not None
        i, lines, registers = p.step.instruction, [], {}
        for operand, tree in p.step.bound:
            if tree in names:
                registers[operand] = names[tree]
                continue
            d = i.kernel.tensor(operand).dtype
            text, _ = c_value(tree, {}, d)
            registers[operand] = name = f"{names[p.tree]}_{operand}"
            file = self.files.of[d.name]
            moved = dict(zip(_both(file.broadcast), (name, f"(&(const {d.c}){{{text}}})"), strict=True))
            lines += [f"{file.c_type} {name};", file.broadcast.statement(moved)]
        out = i.target
        if out in registers:  # it adds to what stands there
            lines.append(f"{names[p.tree]} = {registers[out]};")
        return [*lines, *i.taking_turns(registers | {out: names[p.tree]}, names[p.tree])]

    def _by_lane(self, p: _Part, names: dict[Any, str]) -> list[str]:
        """Portable C for each lane, between registers and arrays of their elements; compilers make vectors of it."""
        made, lines, elements = names[p.tree], [], {}
        operands = list(dict.fromkeys(self._operands(p.form)))
        for n, a in enumerate(operands):
            d, cells = self._kind(a), f"{made}_{n}"
            file = self.files.of[d.name]
            moved = dict(zip(_both(file.store), (names[a], cells), strict=True))
            lines += [f"{d.c} {cells}[{self.files.lanes}];", file.store.statement(moved)]
            elements[f"p{n}"] = (f"{cells}[isamap_l]", d)
        alone = self._with(p.form, {a: read(f"p{n}") for n, a in enumerate(operands)})
        d = self._kind(p.tree)
        text, _ = c_value(alone, elements, d)
        file = self.files.of[d.name]
        moved = dict(zip(_both(file.load), (made, f"{made}_r"), strict=True))
        lines += [
            f"{d.c} {made}_r[{self.files.lanes}];",
            f"for (int isamap_l = 0; isamap_l < {self.files.lanes}; ++isamap_l) {made}_r[isamap_l] = {text};",
            file.load.statement(moved),
        ]
        return lines

    def _described(
        self, emit: str, used: list[Instruction], cycles: float, value: Any, tables: dict[str, tuple[Instruction, str]]
    ) -> SelectedInstruction:
        """tables: each with the instruction and its operand that hold it."""
        lane = (sym(LANE),)
        axis = Axis(LANE, sp.Integer(self.files.lanes))
        shapes = {o: i.shapes[mine] for o, (i, mine) in tables.items()}

        def element_at(r: Any) -> Any:
            if not r.index:
                return Read(r.args[0], *lane)
            named = {e: element(e.tensor, lane) for e in elements(r.index)}
            cells = zip(r.index, shapes[r.tensor], strict=True)
            return Read(r.args[0], *(Inside(written(i).xreplace(named), sp.sympify(n)) for i, n in cells))

        def at(tree: Any) -> Any:
            return rewrite_reads(tree, element_at)

        order = sorted(self.types.items(), key=lambda t: t[0] != TO)
        tensors = tuple(Tensor(o, d, shapes.get(o, (axis.extent,))) for o, d in order)
        own = {o: self.files.of[d.name] for o, d in order}
        files = {o: (f.memory, f.c_type) for o, f in own.items()}
        for o, (i, mine) in tables.items():
            files[o] = dict(i.places)[mine], dict(i.c_types).get(mine, "")

        def kernel(value: Any) -> Kernel:
            s = Statement(Access(TO, lane), self.asked.op, at(value), (axis,))
            made = Kernel(f"{self.machine.name}.{SELECTED}", tensors, (s,))
            return replace(made, text=to_text(made))

        fused = any(i.rounding == "fused" for i in used)
        floats = self.types[TO].is_float
        moves = [m for f in self.files.of.values() for m in (f.load, f.store, f.broadcast)]
        sources = [*used, *moves]
        return SelectedInstruction(
            f"{self.machine.name}.{SELECTED}",
            kernel(self.value),
            places=tuple((t.name, files[t.name][0]) for t in tensors),
            emit=emit,
            requires=tuple(dict.fromkeys(r for i in sources for r in i.requires)),
            cost=Cost(sum(i.cost.latency for i in used), 1 / max(cycles, 1 / TICKS)),
            exact=kernel(rewrite_reads(value, self._own) if self.mixed else value),
            rounding="fused" if fused else "unfused" if floats else "exact",
            c_types=tuple((t.name, c) for t in tensors if (c := files[t.name][1])),
            headers=tuple(dict.fromkeys(h for i in sources for h in (*i.headers, "stdint.h", "string.h"))),
            prelude=tuple(dict.fromkeys(p for i in sources for p in i.prelude)),
            temporaries=min(4, len(used)),
            steps_taken=(*(i.short for i in used), *(["portable C"] if "for (int" in emit else [])),
        )


def _tables(taken: Sequence[_Part]) -> dict[str, tuple[Instruction, str]]:
    """Each table looked up by the parts, with the instruction and its operand that hold it."""
    looked_up = [(p.tree.tensor, p.step.instruction) for p in taken if p.step and is_lookup(p.tree)]
    return {tensor: (i, pattern_of(i).tensor) for tensor, i in looked_up}


def cover_digest(emit: str) -> str:
    """The digest by which a machine refuses the C of a cover."""
    return sha256(emit.encode()).hexdigest()[:32]


def _tells_zeros(tree: Any) -> bool:
    """Whether it divides by, or takes a power of, a max or min whose zero may be +0 or -0, as the instruction likes:
    the results are far apart."""
    divisor = tree.args[-1] if isinstance(tree, SDiv | Rsqrt) else tree.args[0] if isinstance(tree, Pow) else None
    if divisor is not None and any(map(_open_zero, sp.preorder_traversal(divisor))):
        return True
    return any(map(_tells_zeros, tree.args))


def _open_zero(tree: Any) -> bool:
    """A maximum or minimum that may be 0: no number in it keeps it away."""
    if isinstance(tree, SMax | SMin):
        return not (_keeps_away(tree, 1) or _keeps_away(tree, -1))
    return isinstance(tree, Relu)


def _keeps_away(tree: Any, sign: int) -> bool:
    """Whether the tree has this sign and is not 0, by the numbers in it alone."""
    if isinstance(tree, SMax | SMin):
        one_does = isinstance(tree, SMax) == (sign > 0)
        return (any if one_does else all)(_keeps_away(a, sign) for a in tree.args)
    return isinstance(tree, sp.Number) and bool(sign * tree > 0)


def _is_function(tree: Any) -> bool:
    """Whether it is a function computed by isamap's own sequence of operations."""
    return any(row.ulp > 0.5 and isinstance(tree, head) for head, row in FUNCTION_ROWS.items())


def _value_of(op: str, tree: Any) -> Any:
    """The added value of a statement, from its target's new value; None if it does not stand apart."""
    own = read(TO)
    if op == "=":
        return tree
    if isinstance(tree, COMBINE[op]) and own in tree.args:
        a, b = tree.args
        return b if a == own else a
    if op != "+" or not isinstance(tree, SAdd | SSub):
        return None
    a, b = tree.args
    if a == own:  # less b
        return -b if b.is_Number else SNeg(b)
    if (inner := _value_of(op, a)) is not None:
        return tree.func(inner, b)
    inner = _value_of(op, b) if isinstance(tree, SAdd) else None
    return None if inner is None else SAdd(a, inner)


def _both(move: Instruction) -> tuple[str, str]:
    """The move's register operand, and the other."""
    register = next(o for o, place in move.places if place != "memory")
    return register, next(o for o, place in move.places if place == "memory")
