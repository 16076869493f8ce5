"""Engines working beside each other on a machine: the time of a use, and operands' places in addressed memories."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from isamap_smt.ir.addresses import Steps, parsed
from isamap_smt.ir.arguments import LARGEST
from isamap_smt.ir.conditions import parse_expression
from isamap_smt.ir.errors import HardwareError, LanguageError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, FloorMod, elements, sym, symbols_of
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.machine_parameters import exceeds
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.states import CODE

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.ir.instruction import Instruction


ZERO, KEPT = "zero", "kept"
LEAST, MOST = "least", "most"  # of the numbers of the type, the infinities included


@dataclass(frozen=True)
class Engine:
    """Issues its uses in order, completes them in order, and runs beside the others.

    host: the core that calls programs. It writes tensors before a program and reads the results behind it, and issues
    nothing else.
    """

    name: str
    host: bool = False


@dataclass(frozen=True)
class Operand:
    """Where the cells of an operand lie: `row` and `column`, over the contract's axes, from the first row of the place.

    Both are None in main memory and in registers, since the place itself says which element each cell holds.
    """

    name: str
    memory: str
    row: Any = None
    column: Any = None


@dataclass(frozen=True)
class Work:
    """How long a use occupies its engine: `start` cycles, and `each` for every active point of the axes in `per`."""

    start: float = 0.0
    each: float = 1.0
    per: tuple[str, ...] = ()

    def cycles(self, points: Any) -> Any:
        """With so many active points of those axes."""
        return self.start + self.each * points


# ---- A description's facts on engines: who issues an instruction, its operands' cells, and the parts a use can leave out.
#
# Machines without engines say nothing of it; on one with engines every instruction does.


_FORM = "write the memory and which axis counts its rows and its columns, such as 'scratchpad[r,c]', or 0 for one row"
LONGEST = 1e6  # cycles
Cells = tuple[tuple[str, Any, Any], ...]


@dataclass(frozen=True)
class Placed:
    """memories: operand -> memory. cells: (operand, row, column) of places such as 'scratchpad[r,c]'.

    steps: of places such as 'memory[r*stride + c]'. state: the state memory of a place such as 'tilecfg[x]', or ''.
    """

    memories: dict[str, str]
    cells: Cells
    steps: tuple[tuple[str, Steps], ...]
    state: str


def placed(name: str, contract: Kernel, places: Mapping[str, Any]) -> Placed:
    """The places given by texts, parsed. Raises LanguageError."""
    memories: dict[str, str] = {}
    cells, far, state = [], [], ""
    operands = [t.name for t in contract.tensors]
    for operand, place in places.items():
        memory, bracket, inside = str(place).partition("[")
        memories[operand] = memory.strip() if bracket else place
        if not bracket or operand not in operands:
            continue
        where = f"instruction {name}: {operand} lies in {place!r}"
        if memories[operand] == MAIN:
            if steps := parsed(where, inside, contract, operand):
                far.append((operand, steps))
        elif inside.strip() == f"{_written(contract, operand)}]":
            state = memories[operand]
        else:
            index = {a.tensor: a.index for a in contract.statements[0].inputs}.get(operand, ())
            cells.append((operand, *_row_and_column(where, contract, inside, index)))
    return Placed(memories, tuple(cells), tuple(far), state)


def _written(contract: Kernel, operand: str) -> str:
    """The index of the statement's target, if the operand is the target and has one dimension; else ''."""
    target = contract.statements[0].target
    return ",".join(map(str, target.index)) if target.tensor == operand and len(target.index) == 1 else ""


def _row_and_column(where: str, contract: Kernel, inside: str, index: tuple[Any, ...]) -> tuple[Any, Any]:
    """index: the operand's in the contract. A dimension that data names has a name of its own in the place."""
    axes = [a.name for a in contract.axes]
    parts = [p.strip() for p in inside.rstrip("] ").split(",")]
    if len(parts) != 2 or not inside.rstrip().endswith("]"):
        raise LanguageError(f"{where}: {_FORM}")
    named = _of_dimensions(where, parts, index, axes) if elements(index) else {}
    row, column = (_counted_by(where, p, axes, named) for p in parts)
    return row, column


def _counted_by(where: str, part: str, axes: list[str], named: Collection[str]) -> Any:
    """The row or column of a place: an axis, 0, or an expression over axes."""
    if part == "0" or part in axes or part in named:
        return 0 if part == "0" else sym(part)
    found = parse_expression(part)
    if found is None or not _is_quasi_affine(found):
        raise LanguageError(
            f"{where}, and {part!r} is no row or column; write an axis, or a sum of axes times numbers, with // and % by numbers, "
            "such as '(i % 8)*4 + j//2'"
        )
    if unknown := sorted(symbols_of([found]) - set(axes)):
        raise LanguageError(f"{where}, and {unknown[0]!r} is no axis; {did_you_mean(unknown[0], axes)}")
    return found


def _is_quasi_affine(e: Any) -> bool:
    """Whether it is a sum of axes times numbers, and of such sums // or % a number, times numbers."""
    match e:
        case sp.Integer() | sp.Symbol():
            return True
        case sp.Add():
            return all(map(_is_quasi_affine, e.args))
        case sp.Mul():
            number, rest = e.as_coeff_Mul()
            return bool(number.is_Integer) and not rest.is_Mul and _is_quasi_affine(rest)
        case FloorDiv() | FloorMod():
            return bool(e.args[1].is_Integer) and _is_quasi_affine(e.args[0])
    return False


def _of_dimensions(where: str, parts: list[str], index: tuple[Any, ...], axes: list[str]) -> set[str]:
    """The names of dimensions that data names: rows and columns of the place are the operand's dimensions, in order."""
    given = [p for p in parts if p != "0"]
    named = {p for p, i in zip(given, index, strict=False) if elements([i])}
    plain = [p for p, i in zip(given, index, strict=False) if not elements([i])]
    if len(given) != len(index) or plain != [str(i) for i in index if not elements([i])]:
        raise LanguageError(
            f"{where} and is read at {elements(index)[0]}: write its dimensions in their order, with a name of its own for one "
            "that data names, such as 'scratchpad[h,j]' for b[idx[i], j]"
        )
    if wrong := next((p for p in sorted(named) if p in axes or not _is_name(p)), ""):
        raise LanguageError(
            f"{where}, and data names the cell along {wrong!r}, where an axis counts; give that dimension another name"
        )
    return named


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[^\W\d]\w*", text) is not None


def is_number(value: Any) -> bool:
    """Whether it is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_issue(i: Instruction) -> None:
    """Raises LanguageError unless the instruction's fields for engines are sound."""
    if i.engine != "" and not _is_name(i.engine):
        raise LanguageError(f"instruction {i.name}: engine={i.engine!r}: pass the name of the engine that issues it")
    said = {"places with [row,column]": i.cells, "work": i.work, "front": i.front}
    if not i.engine and (alone := [what for what, given in said.items() if given]):
        raise LanguageError(
            f"instruction {i.name}: {alone[0]} is for instructions that an engine issues; add engine='...'"
        )
    axes = [a.name for a in i.kernel.axes]
    _check_counted(i, axes)
    for cell in _sequence(i.name, "cells", i.cells):
        if not isinstance(cell, tuple | list) or len(cell) != 3:
            raise LanguageError(f"instruction {i.name}: cells holds {cell!r}: pass (operand, row, column)")
    _check_order(i)
    _check_beyond(i, axes)
    if i.work is not None:
        _check_work(i.name, i.work, axes)


def _check_order(i: Instruction) -> None:
    """Raises LanguageError if a compute instruction takes cells transposed: its contract's first index counts rows."""
    for o, *lie in i.cells if i.kind == "compute" else ():
        named, index = [e for e in lie if e != 0], list(i.indices.get(o, ()))
        if len(named) == 2 and named == index[::-1] != index:
            turned, own = (",".join(map(str, x)) for x in (named, index))
            memory = dict(i.places).get(o, "")
            raise LanguageError(
                f"instruction {i.name}: {o} lies in '{memory}[{turned}]', transposed: the contract writes {o}[{own}], and its "
                f"first index counts rows; write {o}[{turned}] in the contract, or '{memory}[{own}]'"
            )


def _check_beyond(i: Instruction, axes: list[str]) -> None:
    """Raises LanguageError unless `beyond` fits: it gives the contents of written cells that are not active."""
    if i.beyond in (ZERO, LEAST, MOST) and not i.counted:
        raise LanguageError(
            f"instruction {i.name}: beyond={i.beyond!r} says what becomes of cells that are not active, and all are; name what "
            f"counts the active ones, as in active={{{(axes or ['l'])[0]!r}: 'active'}}, or leave beyond out"
        )
    filled = () if i.engine or i.kind == "store" else (LEAST, MOST)
    if i.beyond not in (ZERO, KEPT, *filled):
        *first, last = [repr(x) for x in (ZERO, *filled, KEPT)]
        raise LanguageError(f"instruction {i.name}: beyond={i.beyond!r}: pass {', '.join(first)} or {last}")
    if i.beyond != KEPT and i.kind == "store" and not i.engine:
        raise LanguageError(
            f"instruction {i.name}: beyond={i.beyond!r}: a core's store touches nothing but the active cells; leave beyond out"
        )


def _check_counted(i: Instruction, axes: list[str]) -> None:
    """Raises LanguageError unless each use parameter counting active points has an axis and a name of its own."""
    seen: dict[str, str] = {}
    for what, given, example in (("active", i.active, "rows"), ("front", i.front, "front")):
        for pair in _sequence(i.name, what, given):
            axis, parameter = pair if isinstance(pair, tuple | list) and len(pair) == 2 else (pair, "")
            if not _is_name(parameter):
                raise LanguageError(
                    f"instruction {i.name}: {what} of {axis} is {parameter!r}: pass the name of a use parameter, such as "
                    f"{example!r}"
                )
            if axis not in axes:
                raise LanguageError(
                    f"instruction {i.name}: {what} names {axis!r}, no axis; {did_you_mean(str(axis), axes)}"
                )
            if i.front and parameter in seen:
                raise LanguageError(
                    f"instruction {i.name}: {parameter} is what {seen[parameter]} says; give what {what} says of {axis} a name "
                    "of its own"
                )
            seen[parameter] = f"{what} of {axis}"


def _sequence(name: str, what: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, tuple | list):
        raise LanguageError(f"instruction {name}: {what}={given!r}: pass a tuple")
    return tuple(given)


def _check_work(name: str, work: Any, axes: list[str]) -> None:
    if type(work) is not Work:
        raise LanguageError(f"instruction {name}: work={work!r}: pass im.Work(start, each, per), in cycles")
    for what, value in (("start", work.start), ("each", work.each)):
        if not is_number(value) or not 0 <= value <= LONGEST:
            raise LanguageError(f"instruction {name}: {what}={value!r} of its work: pass a number of cycles, 0 to 1e6")
    per: object = work.per
    if not isinstance(per, tuple) or any(a not in axes for a in per):
        example = ", ".join(map(repr, axes[:1]))
        raise LanguageError(
            f"instruction {name}: per={per!r} of its work: pass a tuple of axes whose active points take `each` cycles, such "
            f"as ({example},); the axes are {', '.join(axes)}"
        )


def check_engines(h: Hardware) -> None:
    """Raises HardwareError unless an engine issues every instruction and operands' cells lie inside their memories.

    A machine without engines has no such instruction.
    """
    names = [e.name for e in h.engines]
    for n, engine in enumerate(names):
        if not _is_name(engine):
            raise HardwareError(
                f"hardware {h.name}: engine {engine!r}: a name is a letter, then letters, digits and _, such as 'load'"
            )
        if engine in names[:n]:
            raise HardwareError(
                f"hardware {h.name}: two engines are called {engine}; give each a name of its own, or leave one out"
            )
    hosts = [e.name for e in h.engines if e.host]
    if len(hosts) > 1 or hosts == names != []:
        raise HardwareError(
            f"hardware {h.name}: {' and '.join(hosts)} call programs; one engine does, beside those that carry them out"
        )
    _check_limits(h)
    for i in h.instructions:
        where = f"hardware {h.name}: {i.where}"
        if i.engine in hosts:
            raise HardwareError(
                f"{where} is issued by {i.engine}, which calls programs and carries nothing out; name another engine"
            )
        if i.engine not in names and (names or i.engine):
            hint = (
                did_you_mean(i.engine, names) if names else f"add engines=(im.Engine({i.engine!r}), ...) to the machine"
            )
            said = f"is issued by {i.engine!r}, which is no engine" if i.engine else "says no engine that issues it"
            raise HardwareError(f"{where} {said}; {hint}")
        for operand, memory in i.places if names and i.kind != "configure" else ():
            _check_cells(h, i, where, operand, memory)


def _check_limits(h: Hardware) -> None:
    """Raises HardwareError unless memories with a bandwidth or banks are shared by engines, and main memory is one."""
    limited = [m for m in h.memories if m.is_limited]
    if limited and not h.engines:
        raise HardwareError(
            f"hardware {h.name}: memory {limited[0].name} has a bandwidth or banks that engines share, and the machine has no "
            "engines; a core's bandwidth is that of its links, im.Link(source, target, bandwidth)"
        )
    mains = [m.name for m in h.memories if m.is_main]
    if len(mains) > 1 and (main := next((m for m in limited if m.is_main), None)):
        raise HardwareError(
            f"hardware {h.name}: tensors lie in one main memory where {main.name} has a bandwidth, and here are "
            f"{' and '.join(mains)}; leave one out"
        )
    placed = {memory for i in h.instructions for _, memory in i.places}
    if idle := next((m for m in limited if not m.is_main and m.name not in placed), None):
        raise HardwareError(
            f"hardware {h.name}: memory {idle.name} has a bandwidth or banks, and no instruction has an operand there; "
            "tensors lie in the memory without a capacity, im.Memory(name, None, bandwidth=...)"
        )


def _check_cells(h: Hardware, i: Instruction, where: str, operand: str, memory: str) -> None:
    cells = {o: (row, column) for o, row, column in i.cells}
    if memory == MAIN:
        return
    if memory == CODE:
        t = i.kernel.tensor(operand)
        if t.shape or i.kernel.statements[0].target.tensor == operand:
            raise HardwareError(
                f"{where}: {operand} stands in the code, and a use reads one number there; write {operand}[], or put it into memory"
            )
        return
    m = h.memory(memory)
    if operand not in cells or not m.row:
        missing = f"im.Memory({memory!r}, ...) needs row=, the bytes of a row" if operand in cells else _FORM
        raise HardwareError(f"{where}: where do the cells of {operand} lie in {memory}? {missing}")
    dtype = i.kernel.tensor(operand).dtype
    if m.bits and (dtype.is_float or dtype.low == 0 or m.bits > 8 * dtype.bytes):
        raise HardwareError(
            f"{where}: {operand} is {dtype}, and cells of {memory} have {m.bits} bits; signed integers of more have so few"
        )
    extents = {a.name: a.extent for a in i.kernel.axes}
    named = [str(e) for e in cells[operand] if e != 0]
    if elements(i.indices.get(operand, ())):
        extents |= dict(zip(named, i.shapes[operand], strict=True))
    rows, columns = (extents.get(str(e), 1) for e in cells[operand])  # of a layout: isamap_smt.ir.layouts
    if exceeds(columns * dtype.bytes, m.row) or exceeds(rows, m.rows) or exceeds(rows, LARGEST):
        raise HardwareError(
            f"{where}: {operand} has {rows} rows of {columns * dtype.bytes} bytes, and {memory} has {m.rows} rows of {m.row}; "
            "describe a larger memory, or a smaller tile"
        )


def issued(name: str, given: Any, what: str = "active") -> tuple[tuple[str, str], ...]:
    """(axis, use parameter) of a table. Raises LanguageError."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise LanguageError(
            f"instruction {name}: {what}={given!r}: pass a use parameter for each axis, such as {{'r': 'rows'}}"
        )
    return tuple(given.items())
