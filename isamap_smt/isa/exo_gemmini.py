"""Exo's Gemmini table, tested: the C of each entry is executed on the model of Gemmini, and every cell compared with its text.

Before the C runs, the three loads, the store and the array are configured to something else than what the text can mean, as a
program before it may have done; an entry that rests on a configuration its text does not name is thereby refuted. What its text
asserts or reads of Exo's configuration is set by the table's own entries that write it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.isa.c_values import Unreadable
from isamap_smt.isa.exo_table import kind_of, text_of
from isamap_smt.isa.quick_import import imported

# ---- What an instruction of Exo does to numbers: its statements carried out on NumPy arrays, as the C that Exo makes
# of them would.
#
# Integers wrap to their type, a product of an integer and a float is a float of 32 bits, and a float becomes an integer
# towards zero.


NUMPY = {"i8": np.int8, "i32": np.int32, "f32": np.float32}
_ALLOCATED = {"INT8": np.int8, "INT32": np.int32, "F32": np.float32}  # Exo's classes; their text is slow to make
Number = Any  # int, or np.float32
Config = dict[tuple[str, str], Any]

_INDEX: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
}  # fmt: skip


@dataclass
class Concrete:
    """One procedure on its arguments. values: of numbers, by Exo's names; arrays: of tensors and scalars, changed in place.

    strides: elements from one row of a tensor to the next, where the text asks for them. config: Exo's configuration, changed too.
    """

    values: dict[Any, Any]
    arrays: dict[Any, np.ndarray]
    config: Config
    strides: dict[Any, int] = field(default_factory=dict)

    def run(self, body: Any) -> None:
        """Carry the statements out in order. Raises Unreadable for what is not covered."""
        for s in body:
            match kind_of(s):
                case "Pass":
                    pass
                case "For":
                    for i in range(self.integer(s.lo), self.integer(s.hi)):
                        self.values[s.iter] = i
                        self.run(s.body)
                case "If":
                    self.run(s.body if self.integer(s.cond) else s.orelse)
                case "Alloc":
                    self.arrays[s.name] = np.zeros((), _ALLOCATED[kind_of(s.type.basetype())])
                case "Assign" | "Reduce":
                    self._assign(s)
                case "WriteConfig":
                    self.config[s.config.name(), s.field] = self._configured(s.rhs)
                case "Call":
                    self._call(s)
                case other:
                    raise Unreadable(f"{other} in its text is not covered")

    def _configured(self, e: Any) -> Any:
        if kind_of(e) == "Read" and e.name in self.arrays:
            return self.number(e)
        return self.integer(e)

    def _call(self, s: Any) -> None:
        values, arrays, strides = {}, {}, {}
        for a, e in zip(s.f.args, s.args, strict=True):
            if not a.type.is_numeric():
                values[a.name] = self.integer(e)
                continue
            arrays[a.name] = self._view(e)
            if getattr(e, "name", None) in self.strides:
                strides[a.name] = self.strides[e.name]
        Concrete(values, arrays, self.config, strides).run(s.f.body)

    def _view(self, e: Any) -> np.ndarray:
        """What is handed on: a tensor, a window of it, one element or a scalar."""
        if kind_of(e) == "WindowExpr":
            at = tuple(
                slice(self.integer(i.lo), self.integer(i.hi)) if kind_of(i) == "Interval" else self.integer(i.pt)
                for i in e.idx
            )
            return self.arrays[e.name][at]
        if kind_of(e) == "Read" and e.name in self.arrays:
            at = tuple(slice(self.integer(i), self.integer(i) + 1) for i in e.idx)
            whole = self.arrays[e.name]
            return whole[at].reshape(()) if at else whole
        if kind_of(e) == "ReadConfig":
            return np.array(self.config[e.config.name(), e.field], np.float32)
        raise Unreadable(f"{kind_of(e)} is handed to a procedure, which is not covered")

    def _assign(self, s: Any) -> None:
        cells = self.arrays[s.name]
        at = tuple(self.integer(i) for i in s.idx)
        if any(not 0 <= i < n for i, n in zip(at, cells.shape, strict=True)):
            raise Unreadable(f"its text writes {s.name} at {at}, beyond {cells.shape}")
        value = self.number(s.rhs)
        if kind_of(s) == "Reduce":
            value = _add(_held(cells[at]), value)
        cells[at] = _as(value, cells.dtype)

    def number(self, e: Any) -> Number:
        """A value: an int, or a float of 32 bits."""
        match kind_of(e):
            case "Read":
                return _held(self.arrays[e.name][tuple(self.integer(i) for i in e.idx)])
            case "ReadConfig":
                return self.config[e.config.name(), e.field]
            case "Const":
                return int(e.val) if float(e.val) == int(e.val) else np.float32(e.val)
            case "USub":
                return -self.number(e.arg)
            case "BinOp":
                x, y = self.number(e.lhs), self.number(e.rhs)
                return {"+": _add, "-": lambda a, b: _add(a, -b), "*": _multiply}[e.op](x, y)
            case "Extern" if e.f.name() == "select":
                x, v, y, z = (self.number(a) for a in e.args)
                return y if x < v else z
            case "Extern" if e.f.name() == "relu":
                return max(self.number(e.args[0]), 0)
        raise Unreadable(f"{kind_of(e)} in its text is not covered")

    def integer(self, e: Any) -> Any:
        """An index, a condition, or what is configured."""
        match kind_of(e):
            case "Const":
                return e.val
            case "Read":
                return self.values[e.name]
            case "ReadConfig":
                return self.config[e.config.name(), e.field]
            case "StrideExpr":
                return self.strides[e.name]
            case "BinOp":
                return _INDEX[e.op](self.integer(e.lhs), self.integer(e.rhs))
        raise Unreadable(f"{e} is no number that is known here")


def _held(x: Any) -> Number:
    return np.float32(x) if np.asarray(x).dtype == np.float32 else int(x)


def _floats(x: Number, y: Number) -> bool:
    return isinstance(x, np.float32) or isinstance(y, np.float32)


def _add(x: Number, y: Number) -> Number:
    return np.float32(x) + np.float32(y) if _floats(x, y) else x + y


def _multiply(x: Number, y: Number) -> Number:
    return np.float32(x) * np.float32(y) if _floats(x, y) else x * y


def _as(value: Number, dtype: Any) -> Any:
    """A value in a type: integers wrap, floats become integers towards zero."""
    if dtype == np.float32:
        return np.float32(value)
    bits = 8 * np.dtype(dtype).itemsize
    whole = int(value)
    return (whole + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


LOCAL = {"GEMM_SCRATCH": 0, "GEMM_ACCUM": 1 << 31}  # the bits that say of a row's number which memory it is in
ROWS, FIRST = 20, 2  # of a region with an operand in it, and where the operand begins
APART = 64  # rows from one region to the next
NUMBERS, FEWER = (1, 2, 7, 15, 16), (1, 5, 16)  # values of sizes; of three
SCALES = (1.0, 0.5, 2.0, 0.037)


@dataclass(frozen=True)
class Argument:
    """One argument. kind: size, flag, stride, scalar, memory (rows of a tensor) or local (rows of a local memory)."""

    name: str
    symbol: Any
    kind: str
    dtype: str = ""
    shape: tuple[Any, ...] = ()
    local: int = 0


@dataclass
class GemminiEntry:
    """One @instr whose C issues Gemmini's instructions."""

    ir: Any
    text: str
    arguments: list[Argument] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Exo's."""
        return str(self.ir.name)

    @property
    def where(self) -> str:
        """File and line."""
        return f"{Path(str(self.ir.srcinfo.filename)).name}:{self.ir.srcinfo.lineno}"

    @property
    def code(self) -> str:
        """Its template."""
        return str(self.ir.instr.c_instr).strip()

    def read(self) -> None:
        """Fill in its arguments. Raises Unreadable for those that cannot be laid out as the text asserts."""
        self.arguments = read_arguments(self.ir)

    def only_configures(self) -> bool:
        """Whether its text writes Exo's configuration and nothing else."""
        return all(kind_of(s) == "WriteConfig" for s in self.ir.body)

    def writes(self) -> set[tuple[str, str]]:
        """(configuration, field) that its text writes from an argument."""
        return {
            (s.config.name(), s.field) for s in self.ir.body if kind_of(s) == "WriteConfig" and kind_of(s.rhs) == "Read"
        }


def read_entries() -> list[GemminiEntry]:
    """All of Exo's Gemmini table, in its order. Raises ImportError where Exo is not installed."""
    found = []
    for what in vars(imported("exo.platforms.gemmini")).values():
        if type(what).__name__ == "Procedure" and what.is_instr():
            found.append(GemminiEntry(what._loopir_proc, text_of(what)))
    return found


def read_arguments(ir: Any) -> list[Argument]:
    """Its arguments. Raises Unreadable for those that cannot be laid out as the text asserts."""
    found = []
    for a in ir.args:
        name, kind = str(a.name), kind_of(a.type)
        if kind in ("Size", "Bool", "Stride"):
            found.append(Argument(name, a.name, {"Size": "size", "Bool": "flag", "Stride": "stride"}[kind]))
            continue
        dtype, memory = str(a.type.basetype()), a.mem.name() if a.mem is not None else "DRAM"
        shape = tuple(a.type.shape()) if a.type.is_tensor_or_window() else ()
        if dtype not in NUMPY:
            raise Unreadable(f"the element type {dtype} is not covered")
        if memory in LOCAL:
            _check_rows(ir, a, shape)
            found.append(Argument(name, a.name, "local", dtype, shape, LOCAL[memory]))
        else:
            _check_columns(ir, a, shape)
            found.append(Argument(name, a.name, "memory" if shape else "scalar", dtype, shape))
    return found


def _asserted(ir: Any, name: str) -> dict[int, int]:
    """dimension -> stride that an assertion gives as a number."""
    return {
        p.lhs.dim: p.rhs.val
        for p in ir.preds
        if kind_of(getattr(p, "lhs", None)) == "StrideExpr" and str(p.lhs.name) == name and kind_of(p.rhs) == "Const"
    }


def _check_rows(ir: Any, a: Any, shape: tuple[Any, ...]) -> None:
    asserted = _asserted(ir, str(a.name))
    if len(shape) == 1:
        raise Unreadable(
            f"{a.name} has one dimension, and Exo's {a.mem.name()} gives addresses to windows of two or more alone"
        )
    wanted = {len(shape) - 2: 16, len(shape) - 1: 1}
    wrong = {d: n for d, n in asserted.items() if wanted.get(d, n) != n or len(shape) > 2}
    if wrong:
        said = ", ".join(f"stride({a.name}, {d}) == {n}" for d, n in sorted(asserted.items()))
        raise Unreadable(
            f"it asserts {said} of {len(shape)} dimensions, and rows of 16 cells would overlap: nothing can be laid out so"
        )


def _check_columns(ir: Any, a: Any, shape: tuple[Any, ...]) -> None:
    asserted = _asserted(ir, str(a.name))
    if len(shape) > 1 and asserted.get(0) == 1:
        raise Unreadable(f"it asserts stride({a.name}, 0) == 1, and rows of more than one cell would overlap")


# ---- one execution -----------------------------------------------------------------------------------------------------


@dataclass
class Trial:
    """One choice of everything: sizes, strides, flags, what cells hold. rows: elements from one row to the next, in main memory."""

    values: dict[Any, Any]
    arrays: dict[Any, np.ndarray]  # of local operands the whole region
    rows: dict[Any, int]
    config: dict[tuple[str, str], Any]


def extent(e: Any, values: dict[Any, Any]) -> int:
    """An extent at these sizes."""
    return int(Concrete(values, {}, {}).integer(e))


def allowed(ir: Any, values: dict[Any, Any]) -> bool:
    """Whether the assertions about sizes hold."""
    asked = [
        p for p in ir.preds if "StrideExpr" not in (kind_of(getattr(p, "lhs", None)), kind_of(getattr(p, "rhs", None)))
    ]
    return all(Concrete(values, {}, {}).integer(p) for p in asked)


def trials(e: GemminiEntry, random: np.random.Generator) -> Iterator[Trial]:
    """Sizes at and between their bounds, and cells at random and at the ends of their types."""
    sizes = [a for a in e.arguments if a.kind == "size"]
    for n, chosen in enumerate(itertools.product(*(NUMBERS if len(sizes) < 3 else FEWER for _ in sizes))):
        values: dict[Any, Any] = {a.symbol: v for a, v in zip(sizes, chosen, strict=True)}
        if not allowed(e.ir, values):
            continue
        for again in range(2):
            t = Trial(dict(values), {}, {}, {})
            for a in e.arguments:
                _choose(a, t, random, n + again)
            for k, (name, part) in enumerate(sorted(read_config(e))):
                t.config[name, part] = _configured(part, n + again + k)
            for p in e.ir.preds:
                if kind_of(getattr(p, "rhs", None)) == "ReadConfig":
                    t.config[p.rhs.config.name(), p.rhs.field] = t.rows[p.lhs.name]
            yield t


def _configured(part: str, n: int) -> Any:
    if part == "act":
        return bool(n % 2)
    return np.float32(SCALES[n % len(SCALES)]) if part == "scale" else 23


def _choose(a: Argument, t: Trial, random: np.random.Generator, n: int) -> None:
    match a.kind:
        case "flag":
            t.values[a.symbol] = bool(n % 2)
        case "stride":
            t.values[a.symbol] = 16 + 3 * (n % 3)
        case "scalar":
            t.arrays[a.symbol] = np.array(SCALES[n % len(SCALES)], np.float32)
        case "memory":
            shape = [extent(x, t.values) for x in a.shape]
            t.rows[a.symbol] = shape[-1] + (0, 3, 48)[n % 3]
            t.arrays[a.symbol] = _cells(a.dtype, (shape[0] if len(shape) > 1 else 1, t.rows[a.symbol]), random)
        case "local":
            t.arrays[a.symbol] = _cells(a.dtype, (ROWS, 16), random)


def _cells(dtype: str, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """A third at random, a third at the ends of the type, a third near zero."""
    low, high = DTYPES[dtype].low, DTYPES[dtype].high
    found = random.integers(low, high, shape, endpoint=True, dtype=np.int64)
    ends = random.choice(np.array([low, low + 1, -1, 0, 1, high - 1, high]), shape)
    small = random.integers(-300, 300, shape) if dtype != "i8" else random.integers(-3, 3, shape)
    which = random.integers(0, 3, shape)
    return np.where(which == 0, found, np.where(which == 1, ends, small)).astype(NUMPY[dtype])


def read_config(e: GemminiEntry) -> set[tuple[str, str]]:
    """(configuration, field) that its text reads."""
    found: set[tuple[str, str]] = set()
    _find_config(e.ir.body, found)
    return found


def asserted_config(e: GemminiEntry) -> set[tuple[str, str]]:
    """(configuration, field) that its text asserts to be a stride of an argument."""
    return {(p.rhs.config.name(), p.rhs.field) for p in e.ir.preds if kind_of(getattr(p, "rhs", None)) == "ReadConfig"}


def _find_config(node: Any, found: set[tuple[str, str]]) -> None:
    if isinstance(node, list | tuple):
        for x in node:
            _find_config(x, found)
    elif kind_of(node) == "ReadConfig":
        found.add((node.config.name(), node.field))
    elif hasattr(node, "__attrs_attrs__") and "proc" not in kind_of(node):
        for part in ("body", "orelse", "cond", "rhs", "lhs", "args", "arg"):
            _find_config(getattr(node, part, None), found)


def said(e: GemminiEntry, t: Trial) -> dict[Any, np.ndarray]:
    """What its text leaves in each array."""
    after = {s: x.copy() for s, x in t.arrays.items()}
    views = dict(after)
    for a in e.arguments:
        shape = [extent(x, t.values) for x in a.shape]
        if a.kind == "local":
            views[a.symbol] = after[a.symbol][FIRST : FIRST + shape[0]]
        elif a.kind == "memory":
            rows = after[a.symbol][:, : shape[-1]]
            views[a.symbol] = rows if len(shape) > 1 else rows[0]
    Concrete(dict(t.values), views, dict(t.config), dict(t.rows)).run(e.ir.body)
    return after


# ---- its C -------------------------------------------------------------------------------------------------------------

_HOSTILE = """\
    for (uint32_t which = 0; which < 3; which++) gemmini_config_ld(which, 5 + 16 * which, 0x40000000, 0, 19);
    gemmini_config_st(13, 0x3f000000, 1);
    gemmini_config_ex(GEMMINI_OUTPUT_STATIONARY, 1, 0, 0, 0);
"""


class Writer:
    """The C that tests one entry. Arrays and numbers are passed in the order of its arguments, then those of configurations."""

    def __init__(self, e: GemminiEntry, table: list[GemminiEntry]) -> None:
        self.entry, self.table = e, table
        self.given: list[tuple[str, Any]] = []  # how to get each array: ('array'|'result', symbol)
        self.numbers: list[Any] = []  # of a Trial -> int
        self.lines: list[str] = []

    def function(self, name: str, wanted: list[tuple[str, str]]) -> str:
        """A function of that name. wanted: what must be configured by entries of the table, before the C runs."""
        holes = {a.name: self._operand(a, n) for n, a in enumerate(self.entry.arguments)}
        before = [line for a in self.entry.arguments for line in self._load(a)]
        after = [line for a in self.entry.arguments for line in self._dump(a)]
        configured = self._configure(wanted)
        own = fill(self.entry.code, holes)
        head = f"static void {name}(void *const *arrays, const int64_t *numbers) {{\n    (void)arrays, (void)numbers;"
        lines = [head, *before, _HOSTILE, *self.lines, *configured, "    {", own, "    }", *after, "}"]
        return "\n".join(lines) + "\n"

    def _array(self, what: str, symbol: Any) -> str:
        self.given.append((what, symbol))
        return f"arrays[{len(self.given) - 1}]"

    def _number(self, how: Any) -> str:
        self.numbers.append(how)
        return f"numbers[{len(self.numbers) - 1}]"

    def _operand(self, a: Argument, n: int) -> dict[str, str]:
        """What its template means by the argument: with `_data`, and without."""
        if a.kind in ("size", "flag", "stride"):
            value = self._number(lambda t, a=a: int(t.values[a.symbol]))
            return {"": value, "_data": value}
        if a.kind == "local":
            c = {"i8": "int8_t", "i32": "int32_t"}[a.dtype]
            row = a.local + FIRST + APART * n
            return {"_data": f"(*({c} *)(uint64_t)({row}u))"}
        c = {"i8": "int8_t", "i32": "int32_t", "f32": "float"}[a.dtype]
        pointer = f"(({c} *){self._array('array', a.symbol)})"
        if a.kind == "scalar":
            return {"": pointer, "_data": f"{pointer}[0]"}
        stride = self._number(lambda t, a=a: t.rows[a.symbol])
        self.lines.append(
            f"    struct {{ {c} *data; int64_t strides[2]; }} exo_{a.name} = {{ {pointer}, {{ {stride}, 1 }} }};"
        )
        self.lines.append(f"    (void)exo_{a.name};")
        return {"": f"exo_{a.name}", "_data": f"{pointer}[0]"}

    def _load(self, a: Argument) -> list[str]:
        if a.kind != "local":
            return []
        array = self._array("array", a.symbol)
        return self._moved(a, array, "gemmini_config_ld(0, {bytes}, GEMMINI_ONE, 0, 16);", "gemmini_mvin", a.local)

    def _dump(self, a: Argument) -> list[str]:
        if a.kind != "local":
            return []
        array = self._array("result", a.symbol)
        local = a.local | (1 << 29 if a.local else 0)
        return self._moved(a, array, "gemmini_config_st({bytes}, GEMMINI_ONE, 0);", "gemmini_mvout", local)

    def _moved(self, a: Argument, array: str, config: str, move: str, local: int) -> list[str]:
        n = [x.symbol for x in self.entry.arguments].index(a.symbol)
        width = 16 * np.dtype(NUMPY[a.dtype]).itemsize
        lines = ["    " + config.format(bytes=width)]
        for first in range(0, ROWS, 16):
            rows = min(16, ROWS - first)
            where = local + APART * n + first
            lines.append(f"    {move}((char *){array} + {first * width}, gemmini_block({where}u, {rows}, 16));")
        return lines

    def _configure(self, wanted: list[tuple[str, str]]) -> list[str]:
        lines = []
        for name in dict.fromkeys(n for n, _ in wanted):
            parts = [p for n, p in wanted if n == name]
            writer = next((x for x in self.table if {(name, p) for p in parts} <= x.writes()), None)
            if writer is None:
                raise Unreadable(f"no entry of the table configures {name}.{parts[0]}, on which its text rests")
            lines += ["    {", fill(writer.code, self._configuration(writer, name)), "    }"]
        return lines

    def _configuration(self, writer: GemminiEntry, name: str) -> dict[str, dict[str, str]]:
        """Its arguments' values, by what they configure; what is not asked for is something else than anything can mean."""
        holes: dict[str, dict[str, str]] = {}
        for s in writer.ir.body:
            part, argument = s.field, str(s.rhs.name)
            if part == "scale":
                local = f"exo_{name}_{part}"
                bits = self._number(lambda t, k=(name, part): int(np.float32(t.config.get(k, 0.25)).view(np.uint32)))
                self.lines.append(f"    uint32_t {local}_bits = (uint32_t){bits}; float {local}[1];")
                self.lines.append(f"    memcpy({local}, &{local}_bits, 4);")
                holes[argument] = {"": local}
            else:
                value = self._number(lambda t, k=(name, part): int(t.config.get(k, 29)))
                holes[argument] = {"": value, "_data": value}
        return holes


def fill(code: str, holes: dict[str, dict[str, str]]) -> str:
    """A template with its arguments. Raises Unreadable for one that asks for more."""

    def put(m: re.Match[str]) -> str:
        if m[1] is None:
            return m[0][0]
        name, end = (m[1][:-5], "_data") if m[1].endswith("_data") else (m[1], "")
        if name not in holes or end not in holes[name]:
            raise Unreadable(f"its C asks for {{{m[1]}}}, which it does not have")
        return holes[name][end]

    return re.sub(r"\{\{|\}\}|\{(\w+)\}", put, code)
