"""What a statement in the project's language says, cell by cell: terms over the bits that the cells held before.

One execution of an instruction has few cells, so every loop is written out. Integers wrap to their type and are exact inside a
saturation; floating point is rounded operation by operation, products and sums once where the rounding is `fused`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import reduce
from math import prod
from typing import Any, ClassVar

import sympy as sp

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import evaluate, substitute
from isamap_smt.ir.heads import special
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Fold, Meaning, Rows
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    Constant,
    IndexValue,
    Read,
    Relu,
    Round,
    SAdd,
    SAnd,
    Saturate,
    SDiv,
    Select,
    SInvert,
    SMax,
    SMin,
    SMul,
    SNeg,
    SOr,
    SShl,
    SShr,
    SSub,
    Sum,
    SXor,
)
from isamap_smt.ir.typed import comparison_kind, type_of, typed_at
from isamap_smt.isa.evaluate import FLOATS, as_bits

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
    """Values of scalar trees at points."""

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
        return _At(self, env).of(e, kind)


class _At(Meaning[Term]):
    """The bits of values at one point."""

    def __init__(self, reader: _Reader, env: Env) -> None:
        super().__init__(reader.types)
        self.reader, self.env = reader, env

    def other(self, x: Any, own: DType) -> Term:
        raise NotCovered(f"{type(x).__name__.lower()} is not compared bit for bit here")

    def _read(self, x: Any, own: DType) -> Term:
        return self.reader.cells[x.tensor][self.reader.place(x.tensor, x.index, self.env)]

    def _index_value(self, x: Any, own: DType) -> Term:
        return literal(int(evaluate(x.args[0], self.env)), own)  # the type holds it: typed_at() has looked

    def _saturate(self, x: Any, to: DType) -> Term:
        return _clamped(_Exactly(self.reader, self.env).of(x.args[1]), to)

    def _sum(self, x: Any, own: DType) -> Term:
        axis, count, body = x.args
        parts = [_At(self.reader, self.env | {axis.name: n}).of(body, own) for n in range(int(count))]
        return reduce(lambda a, b: arithmetic(SAdd, a, b, dtype=own), parts)

    def _select(self, x: Any, own: DType, a: Term, b: Term, yes: Term, no: Term) -> Term:
        return bits.ite(_holds(x.args[0], a, b, comparison_kind(x.args[0], self.types, own)), yes, no)

    def _shift(self, x: Any, own: DType, a: Term, b: Term) -> Term:
        """A count that is negative or too large is a large number without sign, and leaves the sign alone."""
        return bits.binary("ashr" if own.kind == "i" else "lshr", a, b)

    def _arithmetic(self, x: Any, own: DType, *parts: Term) -> Term:
        return arithmetic(type(x), *parts, dtype=own)

    leaves: ClassVar[Rows] = {
        Read: _read, sp.Number: lambda self, x, own: literal(x, own), IndexValue: _index_value,
        Constant: lambda self, x, own: float_constant(float(special(x, own)), own.bits), Saturate: _saturate, Sum: _sum,
    }  # fmt: skip
    rows: ClassVar[Rows] = {
        Cast: lambda self, x, to, a: convert(a, self.given(x), to),
        Select: _select,
        SShr: _shift,
        **dict.fromkeys((SAnd, SOr, SXor, SShl), lambda self, x, own, a, b: bits.binary(_BITWISE[type(x)], a, b)),
        SInvert: lambda self, x, own, a: bits.binary("xor", a, bits.const(-1, own.bits)),
        **dict.fromkeys((SNeg, Relu, SAdd, SSub, SMul, SDiv, SMax, SMin), _arithmetic),
    }


class _Exactly(Fold[Term]):
    """Integers that nothing wraps, in EXACT bits."""

    def __init__(self, reader: _Reader, env: Env) -> None:
        self.reader, self.env = reader, env

    def other(self, x: Any) -> Term:
        raise NotCovered(f"{type(x).__name__.lower()} inside a saturation is not computed here")

    def _typed(self, x: Any) -> Term:
        own = type_of(x, self.reader.types)
        if own is None or own.is_float or own.bits > 32:
            raise NotCovered(f"a saturation of {own} is not computed exactly here")
        return bits.resized(self.reader.value(x, self.env, own), EXACT, own.kind == "i")

    def _sum(self, x: Any) -> Term:
        axis, count, body = x.args
        parts = [_Exactly(self.reader, self.env | {axis.name: n}).of(body) for n in range(int(count))]
        return reduce(lambda a, b: bits.binary("add", a, b), parts)

    leaves: ClassVar[Rows] = {
        sp.Integer: lambda self, x: bits.const(int(x), EXACT),
        **dict.fromkeys((Read, Cast, Saturate, Round), _typed),
        Sum: _sum,
    }
    rows: ClassVar[Rows] = {
        SNeg: lambda self, x, a: bits.binary("sub", bits.const(0, EXACT), a),
        **dict.fromkeys((SAdd, SSub, SMul), lambda self, x, a, b: bits.binary(_INTEGER[type(x)], a, b)),
    }


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


_BITWISE: dict[type, str] = {SAnd: "and", SOr: "or", SXor: "xor", SShl: "shl"}
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
