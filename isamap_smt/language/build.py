"""The Python form: axes, tensors and values that write themselves as kernel text.

    i, j, k = axes("i j k")
    A, B, C = tensors("A B C")
    gemm = kernel(C[i, j].add(A[i, k] * B[k, j]), name="gemm")

There is one grammar and one set of errors: the objects hold text, and `kernel` parses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.kernel import Parameter
from isamap_smt.ir.kinds import require_kind

Lines = tuple[str, ...]  # declarations that an expression needs, each once


def _merge(*parts: Any) -> Lines:
    return tuple(dict.fromkeys(line for p in parts for line in getattr(p, "lines", ())))


# how tightly the outermost operator binds
_COMPARING, _OR, _XOR, _AND, _SHIFTING, _ADDING, _MULTIPLYING, _ATOM = range(8)
_BINDS = {
    "|": _OR, "^": _XOR, "&": _AND, "<<": _SHIFTING, ">>": _SHIFTING, "+": _ADDING, "-": _ADDING, "*": _MULTIPLYING,
    "/": _MULTIPLYING, "//": _MULTIPLYING, "%": _MULTIPLYING,
}  # fmt: skip


def _operand(x: Any, least: int = _ATOM) -> str:
    """x inside a larger expression: in brackets when it binds less tightly than its surroundings need."""
    if isinstance(x, Condition):
        return f"({x.text})"
    if isinstance(x, Index | Value):
        return f"({x.text})" if x.binds < least else x.text
    return f"({x!r})" if x < 0 else repr(x)


def _text(x: Any) -> str:
    return x.text if isinstance(x, Index | Value | Condition) else repr(x)


@dataclass(frozen=True, eq=False)
class Condition:
    """A comparison: of indices for `where`, of values for `select`, or a value, 1 for true and 0 for false.

    c & d, c | d and ~c are both, either one and the opposite.
    """

    text: str
    lines: Lines

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"({self.text}) and ({other.text})", _merge(self, other))

    def __or__(self, other: Condition) -> Condition:
        return Condition(f"({self.text}) or ({other.text})", _merge(self, other))

    def __invert__(self) -> Condition:
        return Condition(f"not ({self.text})", self.lines)

    def __bool__(self) -> bool:
        raise LanguageError(
            f"the condition {self.text} has no truth value here\n"
            "  Python reads `0 <= i < n` as two conditions joined by `and`; write within(i, 0, n)"
        )


def _operators(sign: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The methods for `self sign other`, and for `other sign self`."""
    return lambda self, other: self._join(self, sign, other), lambda self, other: self._join(other, sign, self)


def _comparison(sign: str) -> Callable[[Any, Any], Condition]:
    return lambda self, other: self._compare(sign, other)


class _Arithmetic:
    """Operators to join texts."""

    text: str
    lines: Lines

    def _make(self, text: str, binds: int, *parts: Any) -> Any:
        kind = Index if isinstance(self, Index) else Value
        return kind(text, _merge(*parts), binds)

    def _join(self, a: Any, sign: str, b: Any) -> Any:
        binds = _BINDS[sign]
        return self._make(f"{_operand(a, binds)} {sign} {_operand(b, binds + 1)}", binds, a, b)

    __add__, __radd__ = _operators("+")
    __sub__, __rsub__ = _operators("-")
    __mul__, __rmul__ = _operators("*")

    def __neg__(self) -> Any:
        return self._make(f"-{_operand(self)}", _ADDING, self)

    def _compare(self, sign: str, other: Any) -> Condition:
        return Condition(f"{_operand(self, _ADDING)} {sign} {_operand(other, _ADDING)}", _merge(self, other))

    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("<", "<=", ">", ">="))

    def equals(self, other: Any) -> Condition:
        """The condition self == other (Python's == is left to mean the same object)."""
        return self._compare("==", other)


@dataclass(frozen=True, eq=False)
class Index(_Arithmetic):
    """An index expression."""

    text: str
    lines: Lines = ()
    binds: int = _ATOM

    __floordiv__ = _operators("//")[0]
    __mod__ = _operators("%")[0]


@dataclass(frozen=True, eq=False)
class Value(_Arithmetic):
    """A value computed from elements."""

    text: str
    lines: Lines = ()
    binds: int = _ATOM

    __truediv__, __rtruediv__ = _operators("/")

    def __pow__(self, exponent: float) -> Any:
        return self._make(f"{_operand(self)} ** {exponent!r}", _MULTIPLYING, self)

    __floordiv__, __rfloordiv__ = _operators("//")
    __mod__, __rmod__ = _operators("%")
    __lshift__, __rlshift__ = _operators("<<")
    __rshift__, __rrshift__ = _operators(">>")
    __and__, __rand__ = _operators("&")
    __xor__, __rxor__ = _operators("^")
    __or__, __ror__ = _operators("|")

    def __invert__(self) -> Any:
        return self._make(f"~{_operand(self)}", _MULTIPLYING, self)


@dataclass(frozen=True, eq=False)
class Element(Value):
    """An element of a tensor: a value, and a place for statements to write to."""

    def set(self, value: Any) -> Assignment:
        """The statement self = value."""
        return self._assign("=", value)

    def add(self, value: Any) -> Assignment:
        """The statement self += value."""
        return self._assign("+=", value)

    def multiply(self, value: Any) -> Assignment:
        """The statement self *= value."""
        return self._assign("*=", value)

    def maximum(self, value: Any) -> Assignment:
        """The statement self max= value."""
        return self._assign("max=", value)

    def minimum(self, value: Any) -> Assignment:
        """The statement self min= value."""
        return self._assign("min=", value)

    def _assign(self, sign: str, value: Any) -> Assignment:
        return Assignment(f"{self.text} {sign} {_text(value)}", _merge(self, value))


@dataclass(frozen=True, eq=False)
class Assignment:
    """One statement."""

    text: str
    lines: Lines
    guard: tuple[Condition, ...] = ()
    keep_order: bool = False
    listed: tuple[Index, ...] = ()

    def where(self, *conditions: Condition) -> Assignment:
        """The statement at the points with all conditions true."""
        return replace(self, guard=(*self.guard, *conditions), lines=_merge(self, *conditions))

    def over(self, *axes: Index) -> Assignment:
        """The statement with its axes in this order."""
        return replace(self, listed=axes, lines=_merge(self, *axes))

    def ordered(self) -> Assignment:
        """The statement with its floating-point reduction in the order of the axes."""
        return replace(self, keep_order=True)


@dataclass(frozen=True, eq=False)
class TimeSteps:
    """Statements computed together, one time step along an axis after the other."""

    axis: Index
    statements: tuple[Assignment, ...]


@dataclass(frozen=True, eq=False)
class TensorName:
    """A tensor to be indexed."""

    name: str
    lines: Lines = ()

    def __getitem__(self, index: Any) -> Element:
        indices = index if isinstance(index, tuple) else (index,)
        return Element(f"{self.name}[{', '.join(map(_text, indices))}]", _merge(self, *indices))


def axes(names: str, **extents: int) -> Any:
    """Axes by name, separated by blanks; one alone is returned by itself. `extents` fixes numbers of points.

    >>> l, e = axes("l e", l=16)
    >>> l.lines, e.lines
    (('axis l < 16',), ())
    """
    require_kind("axes", names, str, "names with blanks between, such as 'i j'")
    made = [Index(n, (f"axis {n} < {extents[n]}",) if n in extents else ()) for n in names.split()]
    return made[0] if len(made) == 1 else tuple(made)


def param(name: str, low: int = 0, high: int | None = None) -> Index:
    """An integer the user sets, at least `low`. With `high` it is at most this, and programs are made for this bound."""
    return Index(name, (f"param {Parameter(name, low, high)}",))


def size(name: str) -> Index:
    """A size: the extent of an axis (I for i), or a symbol of its own, at least 1."""
    return Index(name)


def tensor(name: str, dtype_: str | DType | None = None, shape: Iterable[Any] | None = None) -> TensorName:
    """A tensor; element type and shape may be left out, as in text. `shape=()` has no dimensions: index it with ()."""
    require_kind("tensor", name, str, "a name such as 'A'")
    lines: list[str] = []
    parts: list[Any] = []
    kind = "" if dtype_ is None else dtype(dtype_).name
    if shape is not None:
        parts = list(shape)
        kind += f"[{', '.join(map(_text, parts))}]"
    if kind:
        lines.append(f"{name}: {kind}")
    return TensorName(name, (*_merge(*parts), *lines))


def tensors(names: str, dtype_: str | DType | None = None) -> tuple[TensorName, ...]:
    """Tensors by name, separated by blanks."""
    return tuple(tensor(n, dtype_) for n in names.split())


def within(x: Any, low: Any, high: Any) -> Condition:
    """The condition low <= x < high."""
    return Condition(
        f"{_operand(low, _ADDING)} <= {_operand(x, _ADDING)} < {_operand(high, _ADDING)}", _merge(low, x, high)
    )


def call(function: str, *args: Any) -> Value:
    """A scalar function of the language by name: relu, exp, max, a cast such as i32, sat_i16 ...

    >>> A, i = tensor("A"), axes("i")
    >>> call("max", A[i], 0).text
    'max(A[i], 0)'
    """
    return Value(f"{function}({', '.join(map(_text, args))})", _merge(*args))


def cast(to: str | DType, x: Any) -> Value:
    """x converted to an element type."""
    return call(dtype(to).name, x)


def select(condition: Condition, x: Any, y: Any) -> Value:
    """x if the condition holds, else y."""
    return Value(f"select({condition.text}, {_text(x)}, {_text(y)})", _merge(condition, x, y))


def total(axis: Index, count: int, x: Any) -> Value:
    """x summed over axis in [0, count), inside the value."""
    return Value(f"sum({axis.text}, {count}, {_text(x)})", _merge(x))


def time_steps(axis: Index, *statements: Assignment) -> TimeSteps:
    """The block `for axis:` of these statements: all of them at one value of the axis before the next value.

    >>> x, s = tensors("x s")
    >>> t = axes("t")
    >>> print(as_text(time_steps(t, s[t + 1].set(s[t] + x[t]))))
    for t:
      s[t + 1] = s[t] + x[t]
    """
    return TimeSteps(axis, statements)


def as_text(statements: Any) -> str:
    """Kernel text for one statement (or block) of the Python form, or for several in order."""
    given = (
        list(statements)
        if isinstance(statements, Iterable) and not isinstance(statements, Assignment)
        else [statements]
    )
    declared: list[Any] = []
    written: list[str] = []
    for s in given:
        members = s.statements if isinstance(s, TimeSteps) else (s,)
        if isinstance(s, TimeSteps):
            written.append(f"for {s.axis.text}:")
            declared.append(s.axis)
        for member in members:
            written.append(("  " if isinstance(s, TimeSteps) else "") + _statement(member))
        declared += members
    return "\n".join([*_merge(*declared), *written])


def _statement(s: Any) -> str:
    if not isinstance(s, Assignment):
        raise LanguageError(
            f"a kernel is text or statements such as C[i, j].add(A[i, k] * B[k, j]); this is {type(s).__name__}"
        )
    over = f" over {', '.join(a.text for a in s.listed)}" if s.listed else ""
    where = f" where {' and '.join(c.text for c in s.guard)}" if s.guard else ""
    return f"{s.text}{over}{where}{' ordered' if s.keep_order else ''}"
