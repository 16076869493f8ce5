"""A kernel's results as sums over its inputs: temporaries are unfolded from the last statement back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any, ClassVar

import sympy as sp

from isamap_smt.equality.domains import Known, box, opposite, pieces_without, simple, solved
from isamap_smt.equality.sums import (
    ELEMENT,
    FOLD,
    ONE,
    Atom,
    Sum,
    Term,
    add,
    exponential,
    fresh,
    fresh_axis,
    key_of,
    multiply,
    negated,
    number,
    of_atom,
    power,
    without_exponentials,
)
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import elements, substitute, symbols_of
from isamap_smt.ir.heads import HEADS
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    Constant,
    Exp,
    IndexValue,
    Log,
    Read,
    Relu,
    Round,
    Rsqrt,
    SAdd,
    Saturate,
    Scalar,
    SDiv,
    Select,
    Sigmoid,
    SMax,
    SMin,
    SMul,
    SNeg,
    Sqrt,
    SShl,
    SSub,
    Tanh,
    put_into_indices,
)
from isamap_smt.ir.scalar import Sum as InnerSum
from isamap_smt.ir.typed import EXACT, comparison_kind, target, typed_value

MOST_TERMS = 400  # of one value, before it is given up


class NotUnfoldedError(Exception):
    """Why a result has no such form. Nothing is said of it then."""


class Unfolded:
    """A kernel's tensors as values. reals: whether floating point is computed over the reals, else as its types say."""

    def __init__(self, kernel: Kernel, reals: bool) -> None:
        self.kernel, self.reals = kernel, reals
        self.types = {t.name: t.dtype for t in kernel.tensors}
        if kernel.recurrences:
            axis = kernel.recurrences[0].axis.rstrip("'")
            raise NotUnfoldedError(f"{kernel.name} goes on over time steps (`for {axis}:`)")

    def at(self, tensor: str, index: tuple[Any, ...], before: int, known: Known) -> Sum:
        """An element of a tensor, as left by the statements before number `before`."""
        writers = [n for n, s in enumerate(self.kernel.statements[:before]) if s.target.tensor == tensor]
        if tensor in self.kernel.inputs:
            return of_atom(Atom(ELEMENT, tensor, tuple(simple(i, known) for i in index)))
        value: Sum | None = None  # None: what the tensor begins at
        first = next(s for s in self.kernel.statements if s.target.tensor == tensor)
        for n in writers:
            value = self._written(n, self.kernel.statements[n], index, value, known)
        return self._begun(first, self.types[tensor]) if value is None else value

    def _begun(self, first: Statement, kind: DType) -> Sum:
        match first.op:
            case "*":
                return ONE
            case "max" | "min":
                if self.reals and kind.is_float:
                    raise NotUnfoldedError(f"{first.target.tensor} is infinite where no point reaches it")
                ends = (-inf, inf) if kind.has_infinities else kind.ends
                return _literal(ends[first.op == "min"])
        return ()

    def _written(self, n: int, s: Statement, index: tuple[Any, ...], value: Sum | None, known: Known) -> Sum:
        if any(elements([i]) for i in s.target.index):
            raise NotUnfoldedError(f"{s.target.tensor} is written where data says")
        names = {a.name: fresh_axis(a.name) for a in s.axes}
        axes = [(names[a.name], substitute(a.extent, names)) for a in s.axes]
        guard = tuple(substitute(g, names) for g in s.guard)
        inside = known.also([*box(axes), *guard])
        found = solved((substitute(i, names) - p for i, p in zip(s.target.index, index, strict=True)), axes, inside)
        table = {a: found.values.get(x.name, x) for a, x in names.items()}
        rest = known.also(box(found.left))
        whole = [simple(substitute(g, found.values), rest) for g in (*found.guard, *guard)]
        kept: list[Any] = []
        for g in dict.fromkeys(whole):
            if g != True and not rest.also(kept).holds(g):  # noqa: E712
                kept.append(g)
        rest = rest.also(kept)
        if rest.impossible():
            return self._begun(s, self.types[s.target.tensor]) if value is None else value
        own = _Value(self, n, table, rest).of_statement(s)
        kind = self.types[s.target.tensor]
        if s.op == "=":
            return self._assigned(s, own, found.left, kept, value, known)
        if s.op == "+" and (self.reals or not kind.is_float):
            begun = () if value is None else value
            return self._bounded(add(begun, _over(own, found.left, kept)))
        ring = self.reals or not kind.is_float
        if (
            (s.op in ("max", "min") or not ring) and not found.left and value is not None
        ):  # the point, where it is reached
            reached = _over(self._one_more(s.op, value, own, kind), (), kept)
            return add(reached, *(_over(value, (), g) for g in pieces_without(kept)))
        alone = value is None and not found.left and not kept and s.op != "+"  # 1 times it, or a maximum of it alone
        folded = own if alone else self._fold(s, own, found.left, kept, table, kind)
        if value is None:
            return folded
        if s.op in ("max", "min"):
            return self._one_more(s.op, value, folded, kind)
        if s.op == "*" and ring:
            return multiply(value, folded)
        return of_atom(
            Atom("call", f"{s.op}= behind", args=(value, folded), kind=kind.name)
        )  # folds are equal point by point

    def _assigned(self, s: Statement, own: Sum, left: Any, kept: list[Any], value: Sum | None, known: Known) -> Sum:
        if left:
            raise NotUnfoldedError(f"`{s.source or s.target.tensor}` may write an element more than once")
        covered = _over(own, (), kept)
        before = () if value is None else value
        if not kept or not before:
            return covered
        rest: list[Sum] = []
        for guard in pieces_without(kept):
            if not known.also(guard).impossible():
                rest.append(_over(before, (), guard))
        return self._bounded(add(covered, *rest))

    def _one_more(self, op: str, a: Sum, b: Sum, kind: DType) -> Sum:
        if self.reals and kind.is_float and op == "min":
            return negated(self._one_more("max", negated(a), negated(b), kind))
        if op not in ("max", "min"):
            return of_atom(Atom("call", op, args=(a, b), kind=kind.name))
        return of_atom(Atom(op, args=(a, b), **_typed(kind, self.reals and kind.is_float, 2)))

    def _fold(self, s: Statement, own: Sum, axes: Any, guard: Any, table: Mapping[str, Any], kind: DType) -> Sum:
        real = self.reals and kind.is_float
        if real and s.op == "min":
            return negated(self._fold(replace(s, op="max"), negated(own), axes, guard, table, kind))
        if real and s.op in ("max", "min") and len(own) == 1:
            t = own[0]  # a maximum of maxima is one
            if t.coefficient == 1 and not t.axes and not t.guard and len(t.factors) == 1:
                a, p = t.factors[0]
                if p == 1 and a.head == FOLD and a.name == s.op:
                    inner = fresh(Term(sp.S.One, ((Atom("", args=a.args), p),), a.axes, a.guard))
                    args = inner.factors[0][0].args
                    return of_atom(replace(a, args=args, axes=(*axes, *inner.axes), guard=(*guard, *inner.guard)))
        order: tuple[Any, ...] = ()
        if kind.is_float and not real:  # whoever computes it in another order computes something else
            names = {x.name for x, _ in axes}
            order = tuple(v for v in (table[a.name] for a in s.axes) if symbols_of([v]) & names)
            axes = tuple((x, e) for v in order for x, e in axes if x == v)
        return of_atom(Atom(FOLD, s.op, order, (own,), tuple(axes), tuple(guard), **_typed(kind, real, 1)))

    def _bounded(self, value: Sum) -> Sum:
        if len(value) > MOST_TERMS:
            raise NotUnfoldedError(f"written out, a value has more than {MOST_TERMS} terms")
        return value


def _over(value: Sum, axes: Any, guard: Any) -> Sum:
    """The value summed over axes, under a guard."""
    return tuple(replace(t, axes=(*axes, *t.axes), guard=(*guard, *t.guard)) for t in value)


def _typed(kind: DType, real: bool, arguments: int, exact: bool = False) -> dict[str, Any]:
    """The type of an atom and of its arguments, one for all."""
    modulus = "" if kind.is_float or exact or kind.name == "bool" else kind.name
    return {"kind": "" if real else kind.name, "moduli": (modulus,) * arguments if modulus else ()}


def _literal(value: float) -> Sum:
    return of_atom(Atom("literal", str(value))) if value in (inf, -inf) else number(sp.Integer(int(value)))


class _Value(Meaning[Sum]):
    """The value of a statement at a point. table: its axes, by name."""

    def __init__(self, tensors: Unfolded, position: int, table: Mapping[str, Any], known: Known) -> None:
        super().__init__(tensors.types)
        self.tensors, self.position, self.table, self.known = tensors, position, dict(table), known
        self.reals, self.exact = tensors.reals, False

    def of_statement(self, s: Statement) -> Sum:
        self.op, self.target = s.op, replace(s.target, index=tuple(substitute(i, self.table) for i in s.target.index))
        value = put_into_indices(typed_value(self.tensors.kernel, s), self.table)
        return self.of(value, self.types[s.target.tensor])

    def _real(self, own: DType) -> bool:
        return self.reals and own.is_float

    def _ring(self, own: DType) -> bool:
        """Whether sums of this type may be regrouped."""
        return self.reals or not own.is_float

    # ---- leaves

    def of(self, x: Any, kind: DType) -> Sum:
        if not self.exact or not isinstance(x, Cast | Round):
            return super().of(x, kind)
        self.exact = False  # within a type again
        value = super().of(x, kind)
        self.exact = True
        return self._integer(value, target(x))

    def _read(self, x: Any, own: DType) -> Sum:
        value = self._element(x)
        return self._integer(value, self.types[x.tensor]) if self.exact else value

    def _element(self, x: Any) -> Sum:
        if any(elements([i]) for i in x.index) and set(map(_tensor, elements(x.index))) & set(
            self.tensors.kernel.outputs
        ):
            raise NotUnfoldedError("an index is made of what a statement writes")
        if x.tensor == self.target.tensor and (self.op != "=" or x.index != self.target.index):
            raise NotUnfoldedError(f"{x.tensor} is read by the statement that writes it")
        return self.tensors.at(x.tensor, x.index, self.position, self.known)

    def _number(self, x: Any, own: DType) -> Sum:
        if not x.is_Float:
            return number(x)
        if not self.reals and x == 0 and str(x).startswith("-"):
            return of_atom(Atom("literal", "-0.0"))
        return number(sp.Rational(repr(float(x))))  # as it is written; str() leaves digits out

    def _constant(self, x: Any, own: DType) -> Sum:
        if self.reals:
            raise NotUnfoldedError(f"`{HEADS[type(x)].text}` is no real number")
        return of_atom(Atom("literal", HEADS[type(x)].text))

    def _index_value(self, x: Any, own: DType) -> Sum:
        return number(simple(x.args[0], self.known))

    # ---- operations

    def _opaque(self, x: Any, own: DType, *values: Sum) -> Sum:
        name = HEADS[type(x)].text
        return of_atom(Atom("call", name, args=values, **self._typed(own, len(values))))

    def _typed(self, own: DType, arguments: int) -> dict[str, Any]:
        return _typed(own, self._real(own), arguments, self.exact)

    def _add(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        return self._few(add(a, b)) if self._ring(own) else self._opaque(x, own, a, b)

    def _subtract(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        return self._few(add(a, negated(b))) if self._ring(own) else self._opaque(x, own, a, b)

    def _multiply(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        if not self._ring(own):
            return self._opaque(x, own, a, b)
        self._few((*a, *b) if len(a) * len(b) <= MOST_TERMS else (Term(sp.S.One),) * (MOST_TERMS + 1))
        return multiply(a, b)

    def _few(self, value: Sum) -> Sum:
        return self.tensors._bounded(value)

    def _negate(self, x: Any, own: DType, a: Sum) -> Sum:
        return negated(a) if self._ring(own) else self._opaque(x, own, a)

    def _divide(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        if not self._real(own):
            return self._opaque(x, own, a, b)
        if not b:
            raise NotUnfoldedError("a division by 0 is written")
        return multiply(a, power(b, -1))

    def _root(self, x: Any, own: DType, a: Sum) -> Sum:
        if not self._real(own) or not a:
            return self._opaque(x, own, a)
        return power(a, sp.Rational(1, 2) if isinstance(x, Sqrt) else sp.Rational(-1, 2))

    def _exp(self, x: Any, own: DType, a: Sum) -> Sum:
        return exponential(a) if self._real(own) else self._opaque(x, own, a)

    def _log(self, x: Any, own: DType, a: Sum) -> Sum:
        if not self._real(own):
            return self._opaque(x, own, a)
        exponents, rest = without_exponentials(a)
        return exponents if rest == ONE else add(exponents, self._opaque(x, own, rest))

    def _sigmoid(self, x: Any, own: DType, a: Sum) -> Sum:
        if not self._real(own):
            return self._opaque(x, own, a)
        return power(add(ONE, exponential(negated(a))), -1)

    def _tanh(self, x: Any, own: DType, a: Sum) -> Sum:
        if not self._real(own):
            return self._opaque(x, own, a)
        return add(ONE, multiply(number(-2), power(add(ONE, exponential(multiply(number(2), a))), -1)))

    def _largest(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        return of_atom(Atom("max", args=(a, b), **self._typed(own, 2)))

    def _smallest(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        if self._real(own):
            return self.tensors._one_more("min", a, b, own)
        return of_atom(Atom("min", args=(a, b), **self._typed(own, 2)))

    def _relu(self, x: Any, own: DType, a: Sum) -> Sum:
        return of_atom(Atom("max", args=(a, ()), **self._typed(own, 2)))

    def _absolute(self, x: Any, own: DType, a: Sum) -> Sum:
        return of_atom(Atom("max", args=(a, negated(a)))) if self._real(own) else self._opaque(x, own, a)

    def _shift_left(self, x: Any, own: DType, a: Sum, b: Sum) -> Sum:
        n = x.args[1]
        if n.is_Integer and 0 <= n < own.bits:
            return multiply(a, number(2 ** int(n)))
        return self._opaque(x, own, a, b)

    def _select(self, x: Any, own: DType, a: Sum, b: Sum, yes: Sum, no: Sum) -> Sum:
        condition = x.args[0]
        sign = condition.args[0].name
        if all(isinstance(c, IndexValue | sp.Integer) for c in condition.args[1:]):
            left, right = (
                simple(c.args[0] if isinstance(c, IndexValue) else c, self.known) for c in condition.args[1:]
            )
            relation = _RELATIONS[sign](left, right)
            return add(_where(yes, relation), _where(no, opposite(relation)))
        compared = self._compared(condition, own)
        if not self._ring(own) or not (self.reals and compared.is_float):
            if sign in (">", ">="):
                a, b, sign = b, a, {">": "<", ">=": "<="}[sign]
            if sign in ("<=", "!="):  # of numbers, b < a holds where a <= b does not
                a, b, yes, no, sign = (b, a, no, yes, "<") if sign == "<=" else (a, b, no, yes, "==")
            of, given = (_typed(k, False, 2, self.exact)["moduli"] or ("", "") for k in (compared, own))
            kind = f"{compared.name} {'' if self._real(own) else own.name}"
            return of_atom(Atom("select", sign, args=(a, b, yes, no), kind=kind, moduli=(*of, *given)))
        if sign in ("==", "!="):
            truth = of_atom(Atom("equal", args=(add(a, negated(b)),)))
            if sign == "!=":
                yes, no = no, yes
        else:
            if sign in (">", ">="):
                a, b = b, a
            strict = sign in ("<", ">")  # a <= b is not b < a
            if not strict:
                a, b, yes, no = b, a, no, yes
            if self._real(own):  # a < b: a choice of the two themselves
                keys = [key_of(v) for v in (a, b, yes, no)]
                if keys[2:] == [keys[1], keys[0]]:
                    return self._largest(x, own, a, b)
                if keys[2:] == keys[:2]:
                    return self._smallest(x, own, a, b)
            truth = of_atom(Atom("less", args=(add(b, negated(a)),)))
        return add(multiply(truth, yes), multiply(add(ONE, negated(truth)), no))

    def _compared(self, condition: Any, own: DType) -> DType:
        return comparison_kind(condition, self.types, own)

    def _inner_sum(self, x: Any, own: DType) -> Sum:
        axis, count, body = x.args
        parts = [self.of(put_into_indices(body, {axis.name: sp.Integer(n)}), own) for n in range(int(count))]
        out: Sum = parts[0]
        for p in parts[1:]:
            out = self._add(SAdd(sp.S.Zero, sp.S.Zero), own, out, p)
        return out

    # ---- conversions

    def _cast(self, x: Any, to: DType, a: Sum) -> Sum:
        source = self.given(x)
        if source == to:
            return a
        if self.reals and to.is_float:
            return a if source.is_float else self._integer(a, source)
        if not source.is_float and not to.is_float and to.name != "bool":
            return a if to.bits <= source.bits else self._integer(a, source)
        if to.is_float and not source.is_float:
            return of_atom(Atom("call", "convert", args=(self._integer(a, source),), kind=to.name))
        return of_atom(Atom("call", f"convert {source.name if not self.reals else ''}", args=(a,), kind=to.name))

    def _integer(self, a: Sum, kind: DType) -> Sum:
        """The integer behind a sum modulo 2^bits: the sum itself, if it never leaves the type's range."""
        low, high = self._ends(a)
        if kind.low <= low and high <= kind.high:
            return a
        return of_atom(Atom("integer", args=(a,), kind=kind.name, moduli=(kind.name,)))

    def _ends(self, a: Sum) -> tuple[float, float]:
        low: float = 0  # whole numbers stay exact
        high: float = 0
        for t in a:
            if t.axes or not t.coefficient.is_Integer or any(x.head != ELEMENT for x, _ in t.factors):
                return -inf, inf
            ends: list[float] = [int(t.coefficient)] * 2
            for x, p in t.factors:
                own = self._range(x.name)
                for _ in range(int(p)):
                    products = [i * j for i in ends for j in own]
                    ends = [min(products), max(products)]
            low, high = low + min(ends[0], 0 if t.guard else ends[0]), high + max(ends[1], 0 if t.guard else ends[1])
        return low, high

    def _range(self, tensor: str) -> tuple[float, float]:
        kind = self.types[tensor]
        given = next(((low, high) for n, low, high in self.tensors.kernel.ranges if n == tensor), None)
        return given or ((-inf, inf) if kind.is_float else (kind.low, kind.high))

    def _saturate(self, x: Any, to: DType) -> Sum:
        before, self.exact = self.exact, True
        value = self.of(x.args[1], EXACT)
        self.exact = before
        return of_atom(Atom("saturate", args=(value,), kind=to.name))

    def _round(self, x: Any, to: DType, a: Sum) -> Sum:
        return of_atom(Atom("call", "round", args=(a,), kind=to.name))

    leaves: ClassVar[Rows] = {
        Read: _read,
        sp.Number: _number,
        Constant: _constant,
        IndexValue: _index_value,
        Saturate: _saturate,
        InnerSum: _inner_sum,
    }
    rows: ClassVar[Rows] = {
        Cast: _cast,
        Round: _round,
        Select: _select,
        SAdd: _add,
        SSub: _subtract,
        SMul: _multiply,
        SNeg: _negate,
        SDiv: _divide,
        Sqrt: _root,
        Rsqrt: _root,
        Exp: _exp,
        Log: _log,
        Sigmoid: _sigmoid,
        Tanh: _tanh,
        SMax: _largest,
        SMin: _smallest,
        Relu: _relu,
        Abs: _absolute,
        SShl: _shift_left,
        Scalar: _opaque,
    }


_RELATIONS = {"<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne}


def _where(value: Sum, relation: Any) -> Sum:
    if relation == True:  # noqa: E712
        return value
    return () if relation == False else _over(value, (), (relation,))  # noqa: E712


def _tensor(e: Any) -> str:
    return str(e.tensor)


__all__ = ["NotUnfoldedError", "Unfolded"]
