"""Edits of every field of every node of a program of uses, by the kind of its value."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any

import sympy as sp

import isamap_smt as im
from isamap_hardware import load
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.portable import computing, copying
from isamap_smt.ir.program import (
    PARTS,
    Across,
    Alloc,
    Ask,
    Block,
    Buffer,
    Command,
    Compute,
    Configure,
    Copy,
    CopyForm,
    IndexType,
    Loop,
    Move,
    Parallel,
    Point,
    Prefetch,
    Program,
    Ref,
    Role,
    Serial,
    SetState,
    Signal,
    Unrolled,
    Use,
)
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.traversal import buffers, nodes_of, parts
from tests.programs.loop_kinds import of_kind

LOOPS: tuple[Any, ...] = (Serial, Parallel, Unrolled)
KINDS: tuple[Any, ...] = (Compute, Move, Copy, Point, SetState, Ask, Command, Configure, Signal)
PAIRS = ("operands", "awaits", "point", "sets", "over", "folds", "rings", "cut")  # fields that are pairs with a name
Field = tuple[str, str]
KIND = "kind"  # of a loop, which is its class
# Values of fields that have few.
WORDS = {
    "outside": ["0", "-0", "1", "-oo", "dead", "other"],
    "fill": ["0", "-0", "1", ""],
    "call": ["isamap_transpose", "isamap_interleave_2", "isamap_interleave_4", "other"],
}


@dataclass(frozen=True)
class Spot:
    """One field of one node, or the kind of a loop. put: the program with another value there."""

    owner: Any
    name: str
    put: Callable[[Any], Program]

    @property
    def field(self) -> Field:
        return type(self.owner).__name__, self.name

    @property
    def value(self) -> Any:
        return type(self.owner) if self.name == KIND else getattr(self.owner, self.name)


def spots(program: Program) -> Iterator[Spot]:
    """Every field of every node."""
    yield from _of(program, lambda p: p)


def _of(node: Any, put: Callable[[Any], Program]) -> Iterator[Spot]:
    for f in fields(node):

        def set_field(v: Any, name: str = f.name) -> Program:
            return put(replace(node, **{name: v}))

        yield Spot(node, f.name, set_field)
        yield from _inside(getattr(node, f.name), set_field)
    if isinstance(node, Loop):
        yield Spot(node, KIND, lambda kind: put(of_kind(kind, node)))


def _inside(value: Any, put: Callable[[Any], Program]) -> Iterator[Spot]:
    if isinstance(value, tuple) and not isinstance(value, sp.Basic):
        for n, v in enumerate(value):

            def set_part(new: Any, n: int = n) -> Program:
                return put((*value[:n], new, *value[n + 1 :]))

            yield from _inside(v, set_part)
    elif is_dataclass(value) and isinstance(value, PARTS):
        yield from _of(value, put)


class Edits:
    """Random values for the fields of one program."""

    def __init__(self, program: Program, rng: random.Random) -> None:
        self.program, self.rng = program, rng
        self.spots = list(spots(program))
        self.uses = list(nodes_of(Use, program.body))
        loops = list(nodes_of(Loop, program.body))
        sizes = [sym(n) for n in program.kernel.free_sizes]
        self.numbers = [
            sp.S.Zero,
            sp.S.One,
            sp.Integer(2),
            *sizes,
            *(e for x in loops for e in (x.var, x.number)),
            sym("z"),
        ]
        counters = list(parts(program.body, Role.COUNTER))
        memories = [m.name for m in program.machine.memories] if program.machine else []
        tensors = [t.name for t in program.kernel.tensors]
        self.names = [
            *tensors,
            *buffers(program),
            *counters,
            *memories,
            "",
            "other",
            "0",
            "dead",
            "heap",
            "i",
        ]

    def new(self, spot: Spot) -> Any:
        """Another value for a field; the same where there is none."""
        return self._other(spot.value, spot.name)

    def _other(self, v: Any, name: str) -> Any:
        rng = self.rng
        match v:
            case bool():
                return not v
            case None:
                return self._some(name)
            case type():
                return rng.choice([k for k in LOOPS if v is not k])
            case str():
                return rng.choice(WORDS.get(name, self.names))
            case sp.logic.boolalg.BooleanAtom():
                return sp.Not(v)
            case DType():
                return DTYPES[rng.choice(sorted(DTYPES))]
            case Instruction():
                return self._instruction(v)
            case Hardware():
                return self._machine(v)
            case CopyForm() | Block():
                return None
            case Across():  # none, or another point's
                return rng.choice([None, *(n.across for n in nodes_of(Point, self.program.body) if n.across != v)])
            case Schedule():
                return rng.choice([None, _of_a_core()])
            case Kernel():
                return rng.choice(_other_kernels(v))
            case Buffer():
                return rng.choice([n.buffer for n in nodes_of(Alloc, self.program.body)])
            case IndexType():
                return rng.choice([b.type for b in buffers(self.program).values()])
            case Use():
                return self._other_kind(v)
            case Ref():
                return (
                    replace(v, name=rng.choice(self.names)) if rng.random() < 0.5 else replace(rng.choice(self._refs()))
                )
            case tuple():
                return self._tuple(v, name)
            case sp.core.relational.Relational():
                return rng.choice([sp.Lt, sp.Le, sp.Ge])(*v.args)
            case int() | sp.Basic():
                return self._number(v)
        return v

    def _other_kind(self, use: Use) -> Use:
        """A use of another kind with the same fields, of an instruction that such a use may be of. Raises IsamapError for none."""
        kind = self.rng.choice([k for k in KINDS if type(use) is not k])
        fitting = [i for i in self._instructions() if kind.takes(i)]
        same = {f.name: getattr(use, f.name) for f in fields(kind) if f.name != "instruction" and hasattr(use, f.name)}
        return kind(
            self.rng.choice(fitting) if fitting else use.instruction,
            **{"number": sp.S.One, **same} if kind is Ask else same,
        )

    def _instructions(self) -> list[Instruction]:
        """Those that its uses might be of."""
        machine = self.program.machine
        hardware = machine or next((s.hardware for s in self.program.schedules if s.hardware), None)
        signals = [signal(e.name) for e in hardware.engines] if hardware else []
        portable = [copying(DTYPES["f32"], DTYPES["f32"]), computing(self.program.kernel, 0)]
        return [*(hardware.instructions if hardware else ()), *signals, *portable, *(u.instruction for u in self.uses)]

    def _refs(self) -> list[Ref]:
        return [r for u in self.uses for _, r in u.operands] or [Ref("A", ())]

    def _number(self, v: Any) -> Any:
        rng, more = self.rng, self.rng.choice([-8, -2, -1, 1, 1, 2, 8])
        e = sp.sympify(v)
        names = sorted(e.free_symbols, key=str)
        kinds = ["more", "more", "other"] + ["swap"] * 2 * bool(names)
        match rng.choice(kinds):
            case "swap":
                return e.xreplace({rng.choice(names): rng.choice(self.numbers)})
            case "other":
                return rng.choice(self.numbers)
        return v + more

    def _tuple(self, v: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        rng = self.rng
        if name == "known" and not v:  # of a relation: it is said to hold at a value of a loop
            return ((((rng.choice(self.names), 0),),),)
        if v and isinstance(v[0], str) and name in PAIRS:  # one of several
            n = rng.randrange(len(v))
            return (*v[:n], self._other(v[n], name), *v[n + 1 :])
        if not v:
            found = self._some(name)
            return v if found is None else (found,)
        n, what = (
            rng.randrange(len(v)),
            rng.choice(["drop", "twice", "reverse", "none", "inside", "inside", "inside", "more"]),
        )
        if what == "drop":
            return (*v[:n], *v[n + 1 :])
        if what == "twice":
            return (*v, v[n])
        if what == "reverse":
            return v[::-1]
        if what == "none":
            return ()
        if what == "more" and (found := self._some(name)) not in (None, ()):
            return (*v, found)
        return (*v[:n], self._other(v[n], name), *v[n + 1 :])

    def _some(self, name: str) -> Any:
        """A value for a field that has none, or one more for a tuple of some."""
        rng, number = self.rng, self.rng.choice(self.numbers)
        word, ref, use = (
            rng.choice(self.names),
            rng.choice(self._refs()),
            rng.choice(self.uses or [Signal(signal("load"))]),
        )
        found: dict[str, Any] = {
            "beside": use.instruction, "end": number, "backwards": number, "base": number, "extent": number, "first": 0,
            "number": number, "cut": (),
            "form": CopyForm(0, None), "across": Across(use.instruction, None, use.instruction), "place": ref,
            "enter": use, "leave": use, "folds": (word, 0), "rings": (word, 0), "prefetch": Prefetch(0), "cells": number,
            "sets": (word, rng.randrange(3)), "awaits": (word, rng.choice([0, 1, number])), "signals": word,
            "over": (sym("o"), 2), "where": sp.Lt(number, 1), "active": number, "front": number, "point": (word, number),
            "version": number, "guard": sp.Lt(number, 2), "coordinates": number, "index": number, "shape": number,
            "operands": (word, ref), "hypotheses": Relation.of(rng.choice([f"{number} >= 1", f"3 >= {number}", "0 >= 1"])),
            "starts": word, "assigned": word, "parameters": word, "ahead": use, "body": use, "machine": load("vta"), "block": None,
            "schedule": _of_a_core(), "more": _of_a_core(),
        }  # fmt: skip
        return found.get(name)

    def _instruction(self, i: Instruction) -> Instruction:
        rng, machine = self.rng, self.program.machine
        signals = [] if machine is None else [signal(e.name) for e in machine.engines]
        hardware = machine or next((s.hardware for s in self.program.schedules if s.hardware), None)
        others = [*(hardware.instructions if hardware else ()), *signals, *(u.instruction for u in self.uses)]
        engines = [e.name for e in hardware.engines] if hardware and hardware.engines else ["core"]
        try:
            return rng.choice([
                lambda: rng.choice(others), lambda: replace(i, engine=rng.choice(engines)), lambda: replace(i, name="other"),
                lambda: replace(i, beyond="zero" if i.beyond == "kept" else "kept"),
                lambda: replace(i, kind=rng.choice(others).kind), lambda: replace(i, kernel=rng.choice(others).kernel),
                lambda: replace(i, steps=()),
            ])()  # fmt: skip
        except IsamapError:  # no instruction is like this
            return rng.choice(others)

    def _machine(self, m: Hardware) -> Hardware:
        rng = self.rng
        try:
            n = rng.randrange(len(m.instructions))
            k = rng.randrange(len(m.memories))
            small = replace(m.memories[k], capacity=m.memories[k].row * 2) if m.memories[k].row else m.memories[k]
            return rng.choice([
                lambda: replace(m, instructions=(*m.instructions[:n], *m.instructions[n + 1 :])),
                lambda: replace(m, memories=(*m.memories[:k], small, *m.memories[k + 1 :])),
                lambda: replace(m, engines=m.engines[::-1]),
            ])()  # fmt: skip
        except IsamapError:  # no machine is like this
            return m


def edited(program: Program, rng: random.Random, field: Field | None = None) -> tuple[str, Program]:
    """A program with one field of one node another, in words and carried out: of this field, or of any, all as likely."""
    made = Edits(program, rng)
    by: dict[Field, list[Spot]] = {}
    for s in made.spots:
        by.setdefault(s.field, []).append(s)
    at = field or rng.choice(sorted(by))
    if at not in by:
        return "", program
    spot = rng.choice(by[at])
    new = made.new(spot)
    return f"field {'.'.join(at)}: {_short(spot.value)} -> {_short(new)}", spot.put(new)


@cache
def _of_a_core() -> Any:
    """A schedule that is no engine's."""
    return im.plan("gemm", "scalar", sizes={"i": 2, "j": 2, "k": 2}).program.schedule


def _other_kernels(k: Kernel) -> list[Kernel]:
    """Kernels that compute something else: another element of the sum, or of a factor; fewer terms."""
    first, *rest = k.statements
    turned = replace(first.target, index=first.target.index[::-1])
    fewer = (*first.guard, sp.Lt(first.axes[-1].symbol, 3))
    found = [replace(first, target=turned), replace(first, guard=fewer), replace(first, op="max")]
    return [replace(k, statements=(s, *rest)) for s in found]


def _short(v: Any) -> str:
    return " ".join(str(getattr(v, "name", v)).split())[:80]
