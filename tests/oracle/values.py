"""Values of statements as functions of the point: types first, then each operation in its own type."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

from tests.oracle import text as language
from tests.oracle.numbers import (
    KINDS,
    Kind,
    Number,
    arithmetic,
    converted,
    larger,
    nearest,
    negative,
    rounded,
    smaller,
    wrapped,
)
from tests.oracle.text import Line

Function = Callable[..., Number]
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.LShift: "<<", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_WHOLE: dict[str, Callable[[Number], int]] = {
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "rint": round,  # Python's ties go to even, too
}  # fmt: skip
_BENT = {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"}
_SMOOTH = {"exp", "log", "tanh", "sigmoid", "erf", "sqrt", "rsqrt"}


class Source(Protocol):
    """Where elements come from."""

    def element(self, node: ast.Subscript, bound: list[str]) -> Function: ...
    def kind(self, node: ast.Subscript) -> Kind: ...
    def count(self, node: ast.Call) -> int: ...
    def index(self, node: ast.expr, bound: list[str]) -> Callable[..., int]: ...


def _shifted(x: int, by: int, bits: float) -> int:
    """The largest integer that is at most x / 2^by; the sign where `by` is negative, or no bit of the type."""
    return x // 2**by if 0 <= by < min(bits, 10_000) else -1 if x < 0 else 0


class Value:
    """The function of the point. exact: nothing was rounded so far; approximate: how many exp and the like are in it;
    discrete: a small error in an element may change it much; rough: the largest epsilon of a type that a function or a sum
    is in."""

    def __init__(self) -> None:
        self.at: Function = lambda *p: 0
        self.exact, self.approximate, self.discrete = True, 0, False
        self.rough = 0.0


class Values:
    """Reads the value of one statement."""

    def __init__(self, source: Source, line: Line, out: Kind) -> None:
        self.source, self.out, self.made = source, out, Value()
        self.node = language.expression(line.value)
        self.converts = out.name != "bool" and not any(_is_cast(n) for n in ast.walk(self.node))

    def whole(self) -> Value:
        """The value in the output's type."""
        kind = self.kind(self.node)
        inner, out = self.value(self.node, kind or self.out, []), self.out
        if kind is None or kind == out:
            self.made.at = inner
        else:
            self.made.discrete |= not out.floating
            self.made.at = lambda *p: self._cast(kind, out, inner(*p))
        return self.made

    def _cast(self, held: Kind, to: Kind, x: Number) -> Number:
        found = converted(to, x)
        if to.floating and found != x and not math.isnan(x):
            self.made.exact = False
        return found

    def kind(self, node: ast.AST) -> Kind | None:
        """The type of a value; None for literals."""
        match node:
            case ast.Constant() | ast.Name() | ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return None
            case ast.Subscript():
                return self.out if self.converts else self.source.kind(node)
            case ast.UnaryOp(operand=x):
                return self.kind(x)
            case ast.BinOp(left=a, right=b):
                return self.kind(a) or self.kind(b)
            case ast.Call(func=ast.Name(id=name), args=args):
                to = name.removeprefix("sat_").removeprefix("round_")
                if to in KINDS:
                    return KINDS[to]
                rest = args[1:] if name == "select" else args[-1:] if name == "sum" else args
                return next((k for a in rest if (k := self.kind(a))), None)
        raise ValueError(f"no value: {ast.dump(node)}")

    def value(self, node: ast.AST, own: Kind, bound: list[str]) -> Function:
        """The value as a number of its type, `own` for literals. bound: axes of the sums around it."""
        kind = self.kind(node) or own
        if isinstance(node, ast.Name) and node.id in ("inf", "nan"):
            number = converted(kind, math.inf if node.id == "inf" else math.nan)
            return lambda *p: number
        if _is_index(node):
            index = self.source.index(node, bound)
            return lambda *p: self._rounded(kind, index(*p))
        match node:
            case ast.Constant():
                return self._literal(node.value, kind)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=v)) if v != 0:
                return self._literal(-v, kind)
            case ast.Subscript():
                return self._element(node, bound)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                self.made.discrete = True
                holds = self._condition(node, kind, bound)
                return lambda *p: converted(kind, int(holds(*p)))
            case ast.UnaryOp(op=ast.Invert(), operand=x):
                inverted = self.value(x, kind, bound)
                return lambda *p: wrapped(kind, ~int(inverted(*p)))
            case ast.UnaryOp(op=op, operand=x):
                inner = self.value(x, kind, bound)
                return inner if isinstance(op, ast.UAdd) else lambda *p: negative(kind, inner(*p))
            case ast.BinOp(left=a, op=ast.RShift(), right=ast.Constant(value=by)):
                inner = self.value(a, kind, bound)
                return lambda *p: inner(*p) >> by  # type: ignore[operator]
            case ast.BinOp(left=a, op=ast.RShift(), right=b):
                moved, count = self.value(a, kind, bound), self.value(b, kind, bound)
                return lambda *p: _shifted(moved(*p), count(*p), kind.bits)  # type: ignore[arg-type]
            case ast.BinOp(left=a, op=op, right=b):
                return self._binary(kind, _SIGNS[type(op)], self.value(a, kind, bound), self.value(b, kind, bound))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, node, args, kind, bound)
        raise ValueError(f"no value: {ast.dump(node)}")

    def _rounded(self, kind: Kind, number: int) -> Number:
        """The integer that an index expression is, in that type."""
        found = converted(kind, number)
        if found != number and not kind.floating:
            raise ValueError(f"{number} is no {kind.name}")
        self.made.exact &= found == number
        return found

    def _literal(self, v: Any, kind: Kind) -> Function:
        number = converted(kind, v) if kind.floating else v
        if kind.floating and number != v:
            self.made.exact = False
        return lambda *p: number

    def _element(self, node: ast.Subscript, bound: list[str]) -> Function:
        at, held, out = self.source.element(node, bound), self.source.kind(node), self.out
        if not self.converts or held == out:
            return at
        self.made.discrete |= not out.floating
        return lambda *p: self._cast(held, out, at(*p))

    def _binary(self, kind: Kind, sign: str, a: Function, b: Function) -> Function:
        if sign == "%" and kind.floating:
            self.made.discrete = True

            def left(*p: int) -> Number:
                y = float(b(*p))
                r = _left(float(a(*p)), y)
                found = arithmetic(kind, "+", r, y)[0] if r != 0 and (r < 0) != (y < 0) else r
                return math.copysign(0.0, y) if r == 0 else found

            return left

        def both(*p: int) -> Number:
            found, exact = arithmetic(kind, sign, a(*p), b(*p))
            if not exact:
                self.made.exact = False
            return found

        return both

    def _call(self, name: str, node: ast.Call, args: list[ast.expr], kind: Kind, bound: list[str]) -> Function:
        if name in KINDS:
            return self._written_cast(KINDS[name], args[0], bound)
        if name.startswith("sat_"):
            exact = self._unbounded(args[0], bound)
            return lambda *p: min(max(exact(*p), kind.low), kind.high)
        if name.startswith("round_"):
            self.made.discrete = True
            inner = self.value(args[0], KINDS["f64"], bound)
            return lambda *p: nearest(kind, float(inner(*p)))
        if name == "sum":
            return self._sum(node, kind, bound)
        if name == "select":
            return self._select(args, kind, bound)
        inner = self.value(args[0], kind, bound)
        if name in _SMOOTH:
            self.made.approximate += 1
            self.made.exact = False
            self.made.rough = max(self.made.rough, kind.epsilon)
            return lambda *p: _smooth(name, kind, float(inner(*p)))
        if name in _BENT or name == "pow":
            self.made.approximate += 1
            self.made.exact, self.made.discrete = False, True  # near a pole, or an end of its arguments, it is steep
            self.made.rough = max(self.made.rough, kind.epsilon)
            parts = [self.value(a, kind, bound) for a in args]
            of = getattr(math, name)
            return lambda *p: _bent(of, kind, *(float(part(*p)) for part in parts))
        if name == "fmod":
            self.made.discrete = True
            parts = [inner, self.value(args[1], kind, bound)]
            return lambda *p: _left(float(parts[0](*p)), float(parts[1](*p)))
        if name == "abs" or name in _WHOLE:
            self.made.discrete |= name != "abs"
            return lambda *p: _plain(name, kind, inner(*p))
        other = self.value(args[1], kind, bound) if name != "relu" else lambda *p: 0
        choose = smaller if name == "min" else larger
        return lambda *p: choose(kind, inner(*p), other(*p))

    def _written_cast(self, to: Kind, node: ast.expr, bound: list[str]) -> Function:
        held = self.kind(node)
        if held is None:
            floats = any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(node))
            held = to if to.floating else KINDS["f64" if floats else "i64"]
        inner, kind = self.value(node, held, bound), held
        self.made.discrete |= not to.floating
        return lambda *p: self._cast(kind, to, inner(*p))

    def _sum(self, node: ast.Call, kind: Kind, bound: list[str]) -> Function:
        self.made.rough = max(self.made.rough, kind.epsilon)
        assert isinstance(node.args[0], ast.Name)
        count = self.source.count(node)
        body = self.value(node.args[-1], kind, [*bound, node.args[0].id])

        def total(*p: int) -> Number:
            found = body(*p, 0)
            for n in range(1, count):
                found, exact = arithmetic(kind, "+", found, body(*p, n))
                self.made.exact &= exact
            return found

        return total

    def _select(self, args: list[ast.expr], kind: Kind, bound: list[str]) -> Function:
        self.made.discrete = True
        holds = self._condition(args[0], kind, bound)
        yes, no = (self.value(s, kind, bound) for s in args[1:])

        def choose(*p: int) -> Number:
            first, second = yes(*p), no(*p)
            return first if holds(*p) else second

        return choose

    def _condition(self, node: ast.expr, kind: Kind, bound: list[str]) -> Callable[..., bool]:
        """Whether it holds at a point."""
        match node:
            case ast.BoolOp(op=op, values=parts):
                every = [self._condition(v, kind, bound) for v in parts]
                of = all if isinstance(op, ast.And) else any
                return lambda *p: of([holds(*p) for holds in every])
            case ast.UnaryOp(op=ast.Not(), operand=x):
                opposite = self._condition(x, kind, bound)
                return lambda *p: not opposite(*p)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                pairs = list(zip((left, *rights), ops, rights, strict=False))
                tests = [self._compared(a, op, b, kind, bound) for a, op, b in pairs]
                return lambda *p: all(holds(*p) for holds in tests)
        return self._compared(node, ast.NotEq(), ast.Constant(0), kind, bound)

    def _compared(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr, kind: Kind, bound: list[str]
    ) -> Callable[..., bool]:
        sides = (left, right)
        exact = KINDS["i64"] if all(_is_index(s) or _is_whole(s) for s in sides) else kind
        common = next((k for s in sides if (k := self.kind(s))), exact)
        a, b = (self.value(s, common, bound) for s in sides)
        return lambda *p: _holds(op, a(*p), b(*p))

    def _unbounded(self, node: ast.expr, bound: list[str]) -> Function:
        """Inside a saturation: exact integers of any size, but for what has a type of its own."""
        match node:
            case ast.Constant(value=v):
                return lambda *p: v
            case ast.UnaryOp(op=op, operand=x):
                inner = self._unbounded(x, bound)
                return inner if isinstance(op, ast.UAdd) else lambda *p: -inner(*p)
            case ast.BinOp(left=a, op=ast.RShift(), right=ast.Constant(value=by)):
                shifted = self._unbounded(a, bound)
                return lambda *p: shifted(*p) >> by  # type: ignore[operator]
            case ast.BinOp(left=a, op=ast.RShift(), right=b):
                moved, count = self._unbounded(a, bound), self._unbounded(b, bound)
                return lambda *p: _shifted(moved(*p), count(*p), math.inf)  # type: ignore[arg-type]
            case ast.BinOp(left=a, op=op, right=b):
                first, second, sign = self._unbounded(a, bound), self._unbounded(b, bound), _SIGNS[type(op)]
                operation = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[sign]
                return lambda *p: operation(first(*p), second(*p))  # type: ignore[arg-type]
            case ast.Call(func=ast.Name(id="sum"), args=args):
                assert isinstance(args[0], ast.Name)
                body, count = self._unbounded(args[-1], [*bound, args[0].id]), self.source.count(node)
                return lambda *p: sum(body(*p, n) for n in range(count))
            case ast.Call(func=ast.Name(id="max" | "min" | "relu" | "abs" as name), args=args):
                parts = [self._unbounded(a, bound) for a in args]
                if name == "abs":
                    return lambda *p: abs(parts[0](*p))
                if name == "relu":
                    return lambda *p: max(parts[0](*p), 0)
                choose = max if name == "max" else min
                return lambda *p: choose(parts[0](*p), parts[1](*p))
        return self.value(node, KINDS["i64"], bound)


def _is_index(node: ast.AST) -> TypeGuard[ast.expr]:
    """Whether it is made of axes, sizes and whole numbers alone, and not of numbers alone."""
    inside = list(ast.walk(node))
    allowed = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
    return (
        all(isinstance(n, allowed) and not isinstance(n, ast.Div) for n in inside)
        and all(isinstance(n.value, int) for n in inside if isinstance(n, ast.Constant))
        and any(isinstance(n, ast.Name) for n in inside)
        and not any(isinstance(n, ast.Name) and n.id in ("inf", "nan") for n in inside)
    )


def _is_whole(node: ast.AST) -> bool:
    """Whether it is a whole number."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _is_cast(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    return node.func.id.removeprefix("sat_").removeprefix("round_") in KINDS


def _holds(op: ast.cmpop, x: Number, y: Number) -> bool:
    match op:
        case ast.Lt():
            return x < y
        case ast.LtE():
            return x <= y
        case ast.Gt():
            return x > y
        case ast.GtE():
            return x >= y
        case ast.Eq():
            return x == y
    return x != y


def _plain(name: str, kind: Kind, x: Number) -> Number:
    """abs, and those to integers, which the type has."""
    if name in _WHOLE:
        return math.copysign(_WHOLE[name](x), x) if math.isfinite(x) else x
    return math.fabs(x) if kind.floating else wrapped(kind, abs(int(x)))


def _bent(of: Callable[..., float], kind: Kind, *x: float) -> Number:
    """One of Python's own functions, which raise where IEEE 754 has an infinity or none."""
    try:
        found = of(*x)
    except OverflowError:
        odd = len(x) == 2 and x[0] < 0 and x[1] % 2 == 1
        found = -math.inf if odd or (of is math.sinh and x[0] < 0) else math.inf
    except ValueError:
        pole = (of is math.atanh and abs(x[0]) == 1) or (of is math.pow and x[0] == 0)
        found = math.copysign(math.inf, x[0]) if pole else math.nan
        if of is math.pow and pole and x[1] % 2 != 1:
            found = math.inf
    return converted(kind, found)


def _left(x: float, y: float) -> float:
    return math.nan if y == 0 or math.isinf(x) or math.isnan(x + y) else math.fmod(x, y)


def _smooth(name: str, kind: Kind, x: float) -> Number:
    """The value nearest to the real function's, up to what Python's own functions are off."""
    if math.isnan(x):
        return math.nan
    try:
        if name == "exp":
            found = math.exp(x)
        elif name in ("tanh", "erf"):
            found = getattr(math, name)(x)
        elif name == "log":
            found = -math.inf if x == 0 else math.log(x) if x > 0 else math.nan
        elif name == "sqrt":
            found = math.sqrt(x) if x >= 0 else math.nan
        elif name == "rsqrt":
            found = math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x) if x > 0 else math.nan
        else:
            found = 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
    except OverflowError:
        found = math.inf
    return converted(kind, found)


__all__ = ["Value", "Values", "rounded", "wrapped"]
