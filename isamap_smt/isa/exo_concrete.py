"""What an instruction of Exo does to numbers: its statements carried out on NumPy arrays, as the C that Exo makes of them would.

Integers wrap to their type, a product of an integer and a float is a float of 32 bits, and a float becomes an integer towards zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.isa.c_values import Unreadable
from isamap_smt.isa.exo_table import kind_of

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
