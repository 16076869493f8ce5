"""An instruction of Exo in isamap's form: its loops are axes, its one assignment the statement, and its template the C."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.isa.exo_table import ExoInstruction, dtype_of, extent_of, in_memory, integer, kind_of
from isamap_smt.isa.form import Form, Unstated

_HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def form_of(reader: ExoInstruction, headers: tuple[str, ...]) -> Form:
    """Raises Unstated for what the form has no word for."""
    text = _Statement(reader)
    text.read(reader.ir.body)
    used = {n for n in text.operands if n}
    arguments = [a for a in reader.ir.args if a not in reader.numbers]
    if unread := [str(a.name) for a in arguments if str(a.name) not in used]:
        raise Unstated(f"its text says nothing of {', '.join(unread)}")
    if loose := [str(a.name) for a in reader.open_numbers if str(a.name) not in text.active.values()]:
        raise Unstated(f"{loose[0]} is a number of each use that does not say how many cells are active")
    largest = reader.largest()
    c_types = {str(a.name): str(reader.operand(a, largest, 1).c_type) for a in arguments if not in_memory(a)}

    def case(numbers: dict[str, int]) -> Any:
        return reader.case({a.name: numbers.get(str(a.name), largest[a.name]) for a in reader.numbers}, 1)

    return Form(
        text.statement,
        text.axes,
        {str(a.name): dtype_of(a.type.basetype()).name for a in arguments},
        c_types,
        _emit(reader, text),
        headers,
        case,
        text.active,
    )


@dataclass
class _Statement:
    """The one statement in the loops of its text."""

    reader: ExoInstruction
    axes: dict[str, int] = field(default_factory=dict)
    active: dict[str, str] = field(default_factory=dict)
    operands: set[str] = field(default_factory=set)
    statement: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        self.fixed = self.reader.fixed_numbers()
        self.largest = self.reader.largest()
        self.types = {str(a.name): dtype_of(a.type.basetype()) for a in self.reader.ir.args if a.type.is_numeric()}
        self.scalar = {
            str(a.name) for a in self.reader.ir.args if a.type.is_numeric() and extent_of(a, self.largest) == 1
        }

    def read(self, body: Any) -> None:
        """Fill in axes, active points and the statement."""
        said = [s for s in body if kind_of(s) != "Pass"]
        if not said:
            raise Unstated("its text computes and moves nothing")
        if len(said) > 1:
            raise Unstated(f"its text has {len(said)} statements side by side")
        s = said[0]
        match kind_of(s):
            case "For":
                self._loop(s)
                self.read(s.body)
            case "If" if not s.orelse:
                self._guard(s.cond)
                self.read(s.body)
            case "Assign" | "Reduce":
                self.target = str(s.name)
                op = "=" if kind_of(s) == "Assign" else "+="
                self.statement = f"{self._read(s)} {op} {self._converted(s.rhs, self.types[self.target].name)}"
            case other:
                raise Unstated(f"its text has {'a condition with an else' if other == 'If' else other}")

    def _loop(self, s: Any) -> None:
        name = str(s.iter)
        if integer(s.lo, self.fixed) != 0:
            raise Unstated(f"its loop over {name} does not begin at 0")
        if kind_of(s.hi) == "Read" and s.hi.name not in self.fixed:
            self.active[name] = str(s.hi.name)
            self.axes[name] = self.largest[s.hi.name]
            return
        self.axes[name] = integer(s.hi, self.fixed)

    def _guard(self, e: Any) -> None:
        """`i < n`: the first n points of an axis are active. One that holds at every point says nothing."""
        sides = [kind_of(x) for x in (getattr(e, "lhs", None), getattr(e, "rhs", None))]
        if getattr(e, "op", "") != "<" or sides != ["Read", "Read"] or str(e.lhs.name) not in self.axes:
            raise Unstated(f"its condition {e} is not of the form i < n")
        axis = str(e.lhs.name)
        if e.rhs.name in self.fixed:
            if self.fixed[e.rhs.name] < self.axes[axis]:
                raise Unstated(f"it leaves out points of {axis} by a constant")
            return
        if self.largest[e.rhs.name] != self.axes[axis]:
            raise Unstated(f"{e.rhs.name} cannot be {self.axes[axis]}, all points of {axis}")
        self.active[axis] = str(e.rhs.name)

    def _read(self, e: Any) -> str:
        name = str(e.name)
        if name not in self.types:
            raise Unstated(f"{name} in its text is no operand")
        self.operands.add(name)
        if name in self.scalar:
            return f"{name}[]"
        return f"{name}[{','.join(self._index(i) for i in e.idx)}]"

    def _index(self, e: Any) -> str:
        match kind_of(e):
            case "Const":
                return str(int(e.val))
            case "Read" if e.name in self.fixed:
                return str(self.fixed[e.name])
            case "Read" if str(e.name) in self.axes:
                return str(e.name)
            case "Read":
                raise Unstated(
                    f"which cell is read depends on {e.name}, a number of each use; a use with it fixed is another"
                )
            case "BinOp":
                return f"({self._index(e.lhs)} {e.op} {self._index(e.rhs)})"
        raise Unstated(f"its index {e} is not covered")

    def _converted(self, e: Any, to: str) -> str:
        """A value, with written casts where its elements are of another type than the result."""
        if kind_of(e) == "Const":
            value = float(e.val)
            return str(int(value)) if value == int(value) else repr(value)
        if kind_of(e) == "Read":
            own = self.types.get(str(e.name))
            return self._read(e) if own is None or own.name == to else f"{to}({self._read(e)})"
        if kind_of(e) == "USub":
            return f"-({self._converted(e.arg, to)})"
        if kind_of(e) == "BinOp":
            return f"({self._converted(e.lhs, to)} {e.op} {self._converted(e.rhs, to)})"
        if kind_of(e) == "Extern":
            x = [self._converted(a, to) for a in e.args]
            if e.f.name() == "relu":
                return f"select(0 < {x[0]}, {x[0]}, 0)"
            if e.f.name() == "select":
                return f"select({x[0]} < {x[1]}, {x[2]}, {x[3]})"
            raise Unstated(f"{e.f.name()} is no function of the language")
        raise Unstated(f"{kind_of(e)} in its text is not covered")


def _emit(reader: ExoInstruction, text: _Statement) -> str:
    """The template as it stands: what it calls x_data is the register, or the first element, of x."""
    known = {str(a.name): a for a in reader.ir.args}
    fixed = {str(n): v for n, v in reader.fixed_numbers().items()}

    def put(m: re.Match[str]) -> str:
        if m[1] is None:
            return m[0]
        name = m[1].removesuffix("_data")
        if name in fixed:
            return str(fixed[name])
        a = known.get(name)
        if a is None:
            raise Unstated(f"its C asks for {{{m[1]}}}")
        if a in reader.numbers:
            return f"{{{name}}}"
        if not in_memory(a):
            if m[1] == name:
                raise Unstated(f"its C takes the address of the register {name}")
            return f"{{{name}}}"
        return f"(*{{{name}}})" if m[1] != name and a.type.is_win() else f"{{{name}}}"

    emit = " ".join(line.strip() for line in _HOLE.sub(put, reader.ir.instr.c_instr.strip()).splitlines())
    if not text.active:
        _writes_only(reader, text, emit)
    return emit


def _writes_only(reader: ExoInstruction, text: _Statement, emit: str) -> None:
    """Nothing happens unless the C may read a register before it is set, of which the text only says what it becomes."""
    name = text.target
    target = next(a for a in reader.ir.args if str(a.name) == name)
    if in_memory(target) or "+=" in text.statement or f"{name}[" in text.statement.partition("=")[2]:
        return
    if (
        not re.match(rf"[\s{{]*\{{{name}\}} =(?!=)[^;]*;", emit)
        or f"{{{name}}}" in emit.partition("=")[2].partition(";")[0]
    ):
        raise Unstated(f"its C also reads {name}, which its text only writes, and which may hold nothing yet")
