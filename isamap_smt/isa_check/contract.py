"""What a statement in the project's language says, cell by cell: terms over the bits that the cells held before.

One execution of an instruction has few cells, so every loop is written out. Integers wrap to their type and are exact inside a
saturation; floating point is rounded operation by operation, products and sums once where the rounding is `fused`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import evaluate, substitute
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    IndexValue,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    SDiv,
    Select,
    SMax,
    SMin,
    SMul,
    SNeg,
    SShr,
    SSub,
    Sum,
)
from isamap_smt.ir.typed import comparison_kind, literal_kind, type_of, typed_at
from isamap_smt.isa_check.evaluate import FLOATS, as_bits

Cells = dict[str, list[Term]]  # operand -> its cells, row-major
Env = dict[str, int]
EXACT = 64  # bits in which what stands inside a saturation is computed


class NotCovered(LanguageError):
    """The text says something that cannot be read here."""


def run_contract(
    kernel: Kernel,
    before: Cells,
    rounding: str = "unfused",
    sizes: Mapping[str, int] | None = None,
    touched: dict[str, int] | None = None,
) -> Cells:
    """The cells after all statements. sizes: of what the kernel leaves open. touched: operand -> cells up to the last that is read
    or written, filled here. Raises NotCovered."""
    after = {name: list(held) for name, held in before.items()}
    for s in kernel.statements:
        _statement(kernel, s, after, rounding, dict(sizes or {}), {} if touched is None else touched)
    return after


def _statement(kernel: Kernel, s: Statement, held: Cells, rounding: str, sizes: Env, touched: dict[str, int]) -> None:
    value, out = typed_at(kernel, s, sizes), kernel.tensor(s.target.tensor).dtype
    seen = {name: list(old) for name, old in held.items()} if s.op == "=" else held
    read = _Reader(kernel, seen, touched)
    ranges = [range(int(evaluate(a.extent, sizes))) for a in s.axes]
    for point in itertools.product(*ranges):
        env = sizes | dict(zip([a.name for a in s.axes], point, strict=True))
        if not all(bool(substitute(g, env)) for g in s.guard):
            continue
        at = read.place(s.target.tensor, s.target.index, env)
        old = held[s.target.tensor][at]
        if rounding == "fused" and s.op == "+" and out.is_float and isinstance(value, SMul):
            x, y = (read.value(a, env, out) for a in value.args)
            new = bits.rounded("fma", x, y, old)
        else:
            new = _combine(s.op, old, read.value(value, env, out), out)
        held[s.target.tensor][at] = new


def _combine(op: str, old: Term, value: Term, out: DType) -> Term:
    heads: dict[str, type] = {"+": SAdd, "*": SMul, "max": SMax, "min": SMin}
    return value if op == "=" else arithmetic(heads[op], old, value, dtype=out)


class _Reader:
    """Values of scalar trees at one point."""

    def __init__(self, kernel: Kernel, cells: Cells, touched: dict[str, int]) -> None:
        self.cells, self.touched = cells, touched
        self.types = {t.name: t.dtype for t in kernel.tensors}
        self.shapes = {t.name: t.shape for t in kernel.tensors}

    def place(self, tensor: str, index: tuple[Any, ...], env: Env) -> int:
        """Where the element lies in the row-major list. Raises NotCovered outside."""
        at = 0
        for i, extent in zip(index, self.shapes[tensor], strict=True):
            here, n = int(evaluate(i, env)), int(evaluate(extent, env))
            if not 0 <= here < n:
                raise NotCovered(f"the contract reads or writes {tensor} at {here}, of {n}")
            at = at * n + here
        self.touched[tensor] = max(self.touched.get(tensor, 0), at + 1)
        return at

    def value(self, e: Any, env: Env, kind: DType) -> Term:
        """The bits of e; literals take `kind`."""
        match e:
            case Read():
                return self.cells[e.tensor][self.place(e.tensor, e.index, env)]
            case sp.Integer() | sp.Float():
                return literal(e, kind)
            case IndexValue():  # of types that hold it: typed_at() has looked
                return literal(int(evaluate(e.args[0], env)), kind)
            case Cast():
                to = DTYPES[e.args[0].name]
                source = type_of(e.args[1], self.types) or literal_kind(e.args[1], to)
                return convert(self.value(e.args[1], env, source), source, to)
            case Saturate():
                return _clamped(self._exact(e.args[1], env), DTYPES[e.args[0].name])
            case Sum():
                return self._sum(e, env, lambda body, at: self.value(body, at, kind), type_of(e, self.types) or kind)
            case Select():
                return self._select(e, env, kind)
            case SNeg() | Relu() | SAdd() | SSub() | SMul() | SDiv() | SMax() | SMin():
                own = type_of(e, self.types) or kind
                return arithmetic(type(e), *(self.value(a, env, own) for a in e.args), dtype=own)
            case SShr():  # a count that is negative or too large is a large number without sign, and leaves the sign alone
                own = type_of(e, self.types) or kind
                moved = (self.value(a, env, own) for a in e.args)
                return bits.binary("ashr" if own.kind == "i" else "lshr", *moved)
        raise NotCovered(f"{type(e).__name__.lower()} is not compared bit for bit here")

    def _select(self, e: Any, env: Env, kind: DType) -> Term:
        condition, a, b = e.args
        own = comparison_kind(condition, self.types, kind)
        x, y = (self.value(v, env, own) for v in condition.args[1:])
        result = type_of(e, self.types) or kind
        return bits.ite(_holds(condition, x, y, own), self.value(a, env, result), self.value(b, env, result))

    def _sum(self, e: Any, env: Env, value: Callable[[Any, Env], Term], dtype: DType | None) -> Term:
        axis, count, body = e.args[0].name, int(e.args[1]), e.args[2]
        parts = [value(body, env | {axis: n}) for n in range(count)]
        total = parts[0]
        for p in parts[1:]:
            total = bits.binary("add", total, p) if dtype is None else arithmetic(SAdd, total, p, dtype=dtype)
        return total

    def _exact(self, e: Any, env: Env) -> Term:
        """An integer that nothing wraps, in EXACT bits."""
        match e:
            case sp.Integer():
                return bits.const(int(e), EXACT)
            case Read() | Cast() | Saturate() | Round():
                own = type_of(e, self.types)
                if own is None or own.is_float or own.bits > 32:
                    raise NotCovered(f"a saturation of {own} is not computed exactly here")
                return bits.resized(self.value(e, env, own), EXACT, own.kind == "i")
            case Sum():
                return self._sum(e, env, self._exact, None)
            case SNeg():
                return bits.binary("sub", bits.const(0, EXACT), self._exact(e.args[0], env))
            case SAdd() | SSub() | SMul():
                return bits.binary(_INTEGER[type(e)], *(self._exact(a, env) for a in e.args))
        raise NotCovered(f"{type(e).__name__.lower()} inside a saturation is not computed here")


def literal(e: Any, kind: DType) -> Term:
    """The bits of a number of that type."""
    if kind.is_float:
        return float_constant(float(e), kind.bits)
    return bits.const(int(e), kind.bits)


def float_constant(x: float, width: int) -> Term:
    """The bits of the nearest number of that width."""
    import numpy as np

    with np.errstate(all="ignore"):
        return bits.const(int(as_bits(np.array([x]).astype(FLOATS[width]))[0]), width)


def _holds(condition: Any, x: Term, y: Term, kind: DType) -> Term:
    assert isinstance(condition, Compare)
    op = condition.args[0].name
    if op in (">", ">="):
        x, y, op = y, x, {">": "<", ">=": "<="}[op]
    if kind.is_float:
        equal = bits.compare("feq", x, y)
        return {
            "<": bits.compare("flt", x, y),
            "<=": bits.compare("fle", x, y),
            "==": equal,
            "!=": bits.negated(equal),
        }[op]
    less = "slt" if kind.kind == "i" else "ult"
    equal = bits.compare("eq", x, y)
    holds = {"<": bits.compare(less, x, y), "==": equal, "!=": bits.negated(equal)}
    return bits.negated(bits.compare(less, y, x)) if op == "<=" else holds[op]


_INTEGER: dict[type, str] = {SAdd: "add", SSub: "sub", SMul: "mul"}
_FLOAT: dict[type, str] = {SAdd: "fadd", SSub: "fsub", SMul: "fmul", SDiv: "fdiv"}


def arithmetic(head: type, *x: Term, dtype: DType) -> Term:
    """One operation on values of one type, as the language means it. Raises NotCovered for bf16."""
    if dtype.name == "bf16":
        raise NotCovered("arithmetic in bf16 is not compared bit for bit here")
    if head is Relu:
        return arithmetic(SMax, x[0], bits.const(0, dtype.bits), dtype=dtype)
    if head in (SMax, SMin):
        return _extreme(head is SMax, x[0], x[1], dtype)
    if dtype.is_float:
        return bits.opposite(x[0]) if head is SNeg else bits.rounded(_FLOAT[head], *x)
    if head is SNeg:
        return bits.binary("sub", bits.const(0, dtype.bits), x[0])
    if head not in _INTEGER:
        raise NotCovered(f"division of {dtype}")
    return bits.binary(_INTEGER[head], *x)


def _extreme(largest: bool, x: Term, y: Term, dtype: DType) -> Term:
    """NaN if either is NaN; of +0 and -0 the second, which the language leaves open."""
    if not dtype.is_float:
        less = bits.compare("slt" if dtype.kind == "i" else "ult", x, y)
        return bits.ite(less, y, x) if largest else bits.ite(less, x, y)
    less = bits.compare("flt", x, y)
    chosen = bits.ite(less, y, x) if largest else bits.ite(less, x, y)
    return bits.ite(bits.is_nan(x), x, bits.ite(bits.is_nan(y), y, chosen))


def _clamped(x: Term, to: DType) -> Term:
    low, high = bits.const(to.low, EXACT), bits.const(to.high, EXACT)
    inside = bits.ite(bits.compare("slt", x, low), low, bits.ite(bits.compare("slt", high, x), high, x))
    return bits.extract(inside, 0, to.bits)


def convert(x: Term, source: DType, to: DType) -> Term:
    """A value of one type in another, as docs/language.md says. Raises NotCovered for bf16."""
    if source == to:
        return x
    if "bf16" in (source.name, to.name):
        raise NotCovered("conversions of bf16 are not compared bit for bit here")
    if source.is_float and to.is_float:
        return bits.converted("ff", x, to.bits)
    if to.is_float:
        return bits.converted("sf" if source.kind == "i" else "uf", x, to.bits)
    if source.is_float:
        return bits.converted("fs" if to.kind == "i" else "fu", x, to.bits)
    return bits.resized(x, to.bits, source.kind == "i")


def start(operands: Mapping[str, tuple[DType, int]]) -> Cells:
    """Every cell of every operand (type, number of cells) as a term of its own, `a[3]`."""
    return {n: [bits.cell(f"{n}[{k}]", d.bits) for k in range(count)] for n, (d, count) in operands.items()}


def cell_count(kernel: Kernel, name: str, sizes: Mapping[str, int]) -> int:
    """How many cells an operand has."""
    return prod(int(evaluate(e, sizes)) for e in kernel.tensor(name).shape)
