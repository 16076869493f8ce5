"""The type of every part of a value, and the value with its implicit casts made explicit.

Without written casts, every element read is converted to the output's type before anything is computed. With written
casts the value stays as written, and its result is converted to the output's type. Then both sides of every operation
have one type; a literal takes the type of the other side. Inside Saturate, + - * max min and sums are exact: integers
of any type may meet there, and nothing wraps before the clamp.

A conversion to bool is written out as a choice, x != 0 ? 1 : 0. So every other part of a value of bool is an element, a
choice, a maximum, a minimum or one of the bits: 0 or 1 of themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_encodings.scalar_values import TYPED
from isamap_smt.ir.arguments import LARGEST
from isamap_smt.ir.dtypes import DTYPES, DType, bool_
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import INDEX_HEADS, FloorDiv, FloorMod, elements, shown, substitute
from isamap_smt.ir.heads import HEADS
from isamap_smt.ir.indirect import indices_of
from isamap_smt.ir.kernel import REDUCTIONS, Kernel, Statement
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    Constant,
    IndexValue,
    Read,
    Round,
    SAnd,
    Saturate,
    Scalar,
    Select,
    SFloorDiv,
    SMax,
    SMin,
    SMod,
    SOr,
    SShl,
    SShr,
    Sum,
    SXor,
    cast,
    index_values,
    reads,
    rewrite_reads,
)

OF_BOOL = (SMax, SMin, SAnd, SOr, SXor)  # operations on two bools with a bool as result
EXACT = DType("exact", "i", 64, "int64_t")  # the type of integers below a saturation; they never wrap


@lru_cache(maxsize=512)
def typed_value(kernel: Kernel, statement: Statement) -> Any:
    """The statement's value with every conversion written as Cast, of the target's type as a whole.

    Raises DTypeError if two types meet without a cast, and for functions missing in the type.
    """
    return typed_at(kernel, statement, {})


def typed_at(kernel: Kernel, statement: Statement, sizes: Mapping[str, int]) -> Any:
    """typed_value() of a kernel with these sizes and parameters; they stay names in it."""
    try:
        return _typed_value(kernel, statement, sizes)
    except DTypeError as error:
        raise DTypeError(f"{statement.place}: {error}" if statement.place else str(error)) from None


def _typed_value(kernel: Kernel, statement: Statement, sizes: Mapping[str, int]) -> Any:
    types = {t.name: t.dtype for t in kernel.tensors}
    out = types[statement.target.tensor]
    if out.is_stored and statement.op != "=":
        name = statement.target.tensor
        raise DTypeError(f"{name} is {out}, which is stored and converted; add up into a temporary of another type")
    if out == bool_ and statement.op in ("+", "*"):
        name, sign = statement.target.tensor, REDUCTIONS[statement.op]
        raise DTypeError(
            f"{name} is bool, and {sign} is of numbers; write max= for any of them, min= for all, or give {name} a type that "
            f"counts, such as `{name}: i32`"
        )
    value, found = converted(statement, types)
    check_index_values(value, found or out, kernel, statement, sizes)
    if found is None:
        _check_literals(value, out)
    elif found != out:
        value = _truth(value) if out == bool_ else cast(out, value)
    return value


def _truth(value: Any) -> Any:
    """1 if the value is not 0, NaN included, else 0."""
    return value if _is_truth(value) else Select(Compare(sp.Symbol("!="), value, sp.S.Zero), sp.S.One, sp.S.Zero)


def _is_truth(value: Any) -> bool:
    """Whether it is 0, 1, or a choice between such values."""
    return (
        value in (0, 1)
        if isinstance(value, sp.Integer)
        else isinstance(value, Select) and all(map(_is_truth, value.args[1:]))
    )


def _without_bools(value: Any, types: Mapping[str, DType], bare: bool = True) -> Any:
    """The value with each conversion to bool written out. bare: 0 and 1 mean the same whatever type they take there."""
    if not isinstance(value, Scalar) or isinstance(value, Read | IndexValue):
        return value
    if isinstance(value, Cast) and target(value) == bool_:
        inner = value.args[1]
        if type_of(inner, dict(types)) == bool_:
            return _without_bools(inner, types, bare)
        found = _truth(_without_bools(inner, types))
        return found if bare else cast(bool_, found)
    keeps = isinstance(value, Cast | Compare)
    return value.func(*(_without_bools(a, types, keeps) for a in value.args))


def converted(statement: Statement, types: dict[str, DType]) -> tuple[Any, DType | None]:
    """The statement's value with every element converted as the types require, and its type, None for literals.

    It needs no size. Raises DTypeError.
    """
    out, value = types[statement.target.tensor], statement.value
    for e in elements(indices_of(statement)):
        if types[e.tensor].is_float or types[e.tensor].bits < 8:
            raise DTypeError(
                f"{e.tensor} is {types[e.tensor]}, and {e} is an index; give it an integer type, such as `{e.tensor}: i32`"
            )
    if not has_casts(value) and out != bool_:
        if not out.is_float:
            _check_compared(value, types, statement, out)
        value = rewrite_reads(value, lambda r: r if types[r.tensor] == out else cast(out, r))
    found = type_of(value, types)
    return _without_bools(value, types), found


def _check_compared(value: Any, types: dict[str, DType], statement: Statement, out: DType) -> None:
    """Raises DTypeError if a floating-point element would be made an integer before it is compared."""
    compared = (c for c in sp.preorder_traversal(value) if isinstance(c, Compare))
    lost = next((r for c in compared for r in reads(c) if types[r.tensor].is_float), None)
    if lost is not None:
        kind, name = types[lost.tensor], statement.target.tensor
        raise DTypeError(
            f"{lost.tensor} is {kind} and is compared in a statement of {out}: as no cast is written, it would be converted to "
            f"{out} before that; write one, such as select({lost.tensor}[..] == .., {out}(a), {out}(b)), and {kind} is compared, "
            f"or give {name} a floating-point type"
        )


def has_casts(value: Any) -> bool:
    """Whether the value contains a cast, a saturation or a rounding."""
    return isinstance(value, Cast | Saturate | Round) or any(has_casts(a) for a in getattr(value, "args", ()))


def plain(value: Any, types: dict[str, DType]) -> Any:
    """The value without conversions of elements to their own type: a choice of integers by floats is written with them."""
    if isinstance(value, Cast) and isinstance(value.args[1], Read):
        return value.args[1] if types[value.args[1].tensor].name == value.args[0].name else value
    return value.func(*(plain(a, types) for a in value.args)) if isinstance(value, Scalar) and value.args else value


def below(tree: Any, exact: bool) -> bool:
    """Whether the operands of an operation are exact integers. exact: whether it is one itself."""
    return isinstance(tree, Saturate) or (exact and not isinstance(tree, Cast | Round))


def of_type(value: Any, kind: DType) -> Any:
    """A value of the type below a saturation; a value without a type of its own would be an exact integer there."""
    has_one = isinstance(value, Read | Cast | Saturate | Round) or not isinstance(value, Scalar)
    return value if has_one else Cast(sp.Symbol(kind.name), value)


def type_of(value: Any, types: dict[str, DType]) -> DType | None:
    """The type of the value; None for literals, typed by their surroundings. Raises DTypeError."""
    match value:
        case Read():
            return types[value.tensor]
        case Cast():
            to, inner = DTYPES[value.args[0].name], value.args[1]
            if type_of(inner, types) is None:
                _check_literals(inner, literal_kind(inner, to))
            return to
        case Saturate():
            _check_exact(value.args[1], types)
            return DTYPES[value.args[0].name]
        case Round():
            return _rounded(value, types)
        case Sum():
            return _of_numbers(value, type_of(value.args[2], types))
        case Select():
            _meet(value.args[0].args[1:], types, value.args[0])
            return _meet(value.args[1:], types, value)
        case Compare():
            raise DTypeError("a comparison is only the condition of select(condition, a, b)")
        case sp.Number() | IndexValue():
            return None
    found = _meet(value.args, types, value)
    if value.floating and found is not None and not found.is_float:
        raise DTypeError(f"{describe(value)} needs floating point, not {found}; cast its operands, such as f32(x)")
    _of_numbers(value, found)
    check_whole(value, found)
    return found


def _of_numbers(value: Any, found: DType | None) -> DType | None:
    """The type itself. Raises DTypeError if it is only stored, or is bool and the operation does not take bools."""
    if found is not None and found.is_stored:
        to = "f32" if found.is_float else f"{found.kind}8"
        raise DTypeError(f"{describe(value)} is not computed in {found}, which is stored and converted; write {to}(x)")
    if found == bool_ and not isinstance(value, OF_BOOL):
        raise DTypeError(
            f"{describe(value)} is of numbers, not bool; write a conversion, such as i32(x), or join conditions by and, or, not"
        )
    return found


def own_type(x: Any, kind: DType, types: dict[str, DType]) -> DType:
    """The type of a tree, `kind` if it has none; EXACT for an operation below a saturation, open to several types."""
    if kind is EXACT and not isinstance(x, Read | Cast | Saturate | Round):
        return EXACT
    return type_of(x, types) or kind


def given_type(x: Any, types: dict[str, DType]) -> DType:
    """The type of the operand of a conversion or rounding."""
    inner = x.args[1]
    return type_of(inner, types) or (DTYPES["f64"] if isinstance(x, Round) else literal_kind(inner, target(x)))


def operands(x: Any, own: DType, types: dict[str, DType]) -> Iterator[tuple[Any, DType]]:
    """The operands of a tree of the type `own`, each with the type for literals in it.

    Of a choice the two compared ones come first.
    """
    match x:
        case Cast() | Round():
            yield x.args[1], given_type(x, types)
        case Saturate():
            yield x.args[1], EXACT
        case Select():
            yield from operands(x.args[0], comparison_kind(x.args[0], types, own), types)
            yield from ((a, own) for a in x.args[1:])
        case Compare():
            yield from ((a, own) for a in x.args[1:])
        case Sum():
            yield x.args[2], own
        case _:
            yield from ((a, own) for a in x.args)


def target(x: Any) -> DType:
    """The target type of a conversion, a saturation or a rounding."""
    return DTYPES[x.args[0].name]


def literal_kind(value: Any, to: DType) -> DType:
    """The type for computing literals cast to `to`.

    It is `to` if this is floating point, else f64 if one of the literals is, else i64, or u64 if one is beyond i64.
    """
    if to.is_float:
        return to
    parts = list(sp.preorder_traversal(value))
    if any(p.is_Float or getattr(p, "floating", False) for p in parts):
        return DTYPES["f64"]
    far = any(isinstance(p, sp.Integer) and int(p) > DTYPES["i64"].high for p in parts)
    return DTYPES["u64" if far else "i64"]


def comparison_kind(condition: Any, types: dict[str, DType], own: DType) -> DType:
    """The type of a comparison: its sides'; i64 if both are whole numbers, such as axes; else `own`."""
    sides = condition.args[1:]
    found = next((t for v in sides if (t := type_of(v, types))), None)
    whole = not any(p.is_Float or getattr(p, "floating", False) for v in sides for p in sp.preorder_traversal(v))
    return found or (DTYPES["i64"] if whole else own)


def _rounded(value: Any, types: dict[str, DType]) -> DType:
    """Floating point of any type in, an integer type of at most 32 bits out: f64 holds its bounds exactly."""
    to, given = DTYPES[value.args[0].name], type_of(value.args[1], types)
    if given is not None and not given.is_float:
        raise DTypeError(f"round_{to} takes floating point, not {given}; use sat_{to} for integers")
    if to.is_float or to.bits > 32:
        raise DTypeError(f"round_{to}: rounding is to integers of at most 32 bits")
    return to


def _meet(values: tuple[Any, ...], types: dict[str, DType], whole: Any) -> DType | None:
    """The one type of several values."""
    found = [(v, type_of(v, types)) for v in values]
    kinds = list(dict.fromkeys(t for _, t in found if t is not None))
    if len(kinds) > 1:
        raise DTypeError(
            f"{describe(whole)} meets {kinds[0]} and {kinds[1]}; write a cast, such as {kinds[0]}(x), on one side"
        )
    if not kinds:
        return None
    for v, t in found:
        if t is None:
            _check_literals(v, kinds[0])
    return kinds[0]


def check_whole(value: Any, kind: DType | None) -> None:
    """Raises DTypeError for an integer operation on other types, a shift beyond the type's bits, and a division by 0.

    kind: None if there is no type yet.
    """
    real = kind is not None and kind.is_float
    if value.whole and real:
        hint = "; write floor(a / b)" if isinstance(value, SFloorDiv) else "; cast its operands, such as i32(x)"
        raise DTypeError(f"{describe(value)} is of integers, not {kind}{hint}")
    by, bits = value.args[-1] if value.args else sp.S.One, 64 if kind is None else kind.bits
    if isinstance(value, SShl | SShr) and by.is_Integer and not 0 <= int(by) < bits:
        raise DTypeError(f"a shift by {int(by)} bits: {kind or 'a literal'} is shifted by 0 to {bits - 1}")
    if isinstance(value, SFloorDiv | SMod) and by == 0 and not real:
        raise DTypeError(f"{describe(value)} by 0: a divisor that is written is none")


def _check_literals(value: Any, kind: DType) -> None:
    """Raises DTypeError if a literal in a value of type `kind` is not one of its values.

    Literals of a comparison have a type of their own, checked by _meet().
    """
    if isinstance(value, Compare):
        return
    if isinstance(value, Constant) and not kind.is_float:
        raise DTypeError(f"{describe(value)} is not an integer, and the value is {kind}")
    if isinstance(value, sp.Float) and not kind.is_float:
        raise DTypeError(f"{float(value)!r} is not an integer, and the value is {kind}")
    if isinstance(value, sp.Integer) and not kind.is_float and not kind.low <= int(value) <= kind.high:
        raise DTypeError(f"{int(value)} does not fit {kind} [{kind.low}, {kind.high}]")
    if isinstance(value, Scalar) and not isinstance(value, Cast | Saturate | Round):
        check_whole(value, kind)
    for a in getattr(value, "args", ()):
        if not isinstance(value, Cast | Saturate | Round | IndexValue):  # for index values only their ends count
            _check_literals(a, kind)


def _check_exact(value: Any, types: dict[str, DType]) -> None:
    """Raises DTypeError unless everything below a saturation is integer."""
    match value:
        case Read() | Cast() | Saturate() | Round():
            kind = type_of(value, types)
            if kind == bool_:
                raise DTypeError("saturation is defined for integers, not bool; cast first, such as i32(x)")
            if kind is not None and kind.is_float:
                raise DTypeError(f"saturation is defined for integers, not {kind}; cast first, such as i32(x)")
        case Sum():
            _check_exact(value.args[2], types)
        case SShr():
            check_whole(value, None)
            for a in value.args:
                _check_exact(a, types)
        case sp.Float():
            raise DTypeError(f"saturation is defined for integers, not {float(value)!r}")
        case Scalar() if isinstance(value, Select) or value.floating:
            raise DTypeError(f"{describe(value)} cannot stand inside a saturation")
        case Scalar() if type(value).__name__ in TYPED:
            raise DTypeError(
                f"{describe(value)} inside a saturation needs a type of its own: write a cast, such as i32(x), around it"
            )
        case sp.Integer():
            pass
        case IndexValue():
            raise DTypeError(
                f"{value.args[0]} inside a saturation needs a type of its own, such as i64({value.args[0]})"
            )
        case _:
            for a in value.args:
                _check_exact(a, types)


def check_index_values(value: Any, kind: DType, kernel: Kernel, statement: Statement, sizes: Mapping[str, int]) -> None:
    """Raises DTypeError if an index expression in a value of type `kind` may exceed the range of its type."""
    if not index_values(value):
        return
    types = {t.name: t.dtype for t in kernel.tensors}
    match value:
        case IndexValue():
            low, high = ends(substitute(value.args[0], sizes), kernel, statement)
            if not kind.is_float and not kind.low <= low <= high <= kind.high:
                e = shown(value.args[0])
                raise DTypeError(
                    f"{e} may be {high if high > kind.high else low}, which {kind} does not hold; fix its size, or write "
                    f"{kind}({e}) for the value modulo 2^{kind.bits}"
                )
            return
        case Saturate():  # each stands below a conversion there
            for part in _conversions(value.args[1]):
                check_index_values(part, kind, kernel, statement, sizes)
            return
    for a, inner in operands(value, kind, types):
        check_index_values(a, own_type(a, inner, types), kernel, statement, sizes)


def _conversions(value: Any) -> Iterator[Any]:
    """The outermost conversions in a tree."""
    if isinstance(value, Cast | Saturate | Round):
        yield value
        return
    for a in value.args:
        yield from _conversions(a)


def ends(e: Any, kernel: Kernel, statement: Statement) -> tuple[int, int]:
    """Bounds of an index expression, as long as sizes are at most 2^31."""
    if e.is_Integer:
        return int(e), int(e)
    if e.is_Symbol:
        extent = next((a.extent for a in statement.axes if a.name == e.name), None)
        if extent is not None:
            return 0, max(0, ends(sp.sympify(extent), kernel, statement)[1] - 1)
        return next((p.low for p in kernel.parameters if p.name == e.name), 1), LARGEST
    parts = [ends(a, kernel, statement) for a in e.args]
    if e.is_Pow:
        parts = [parts[0]] * int(e.exp)
    if isinstance(e, FloorMod):
        return 0, parts[1][1] - 1
    if isinstance(e, FloorDiv):
        parts[1] = max(parts[1][0], 1), max(parts[1][1], 1)
    operation = INDEX_HEADS[sp.Mul if e.is_Pow else type(e)].of
    found = parts[0]
    for part in parts[1:]:
        corners = [operation(a, b) for a in found for b in part]
        found = min(corners), max(corners)
    return found


def holds(kind: DType, low: int, high: int) -> bool:
    """Whether every whole number from low to high is exactly a value of the type."""
    if kind.is_scale:
        return 1 <= low <= high <= HOLDS[kind.name]
    if kind.is_float:
        return -HOLDS[kind.name] <= low <= high <= HOLDS[kind.name]
    return kind.low <= low <= high <= kind.high


HOLDS = {
    "f64": 2**53,
    "f32": 2**24,
    "f16": 2**11,
    "bf16": 2**8,
    "f8e4m3": 2**4,
    "f8e4m3fnuz": 2**4,
    "f8e5m2": 2**3,
    "f8e5m2fnuz": 2**3,
    "f4e2m1": 4,
    "e8m0": 2,
}  # up to which whole numbers are values of the type


def describe(value: Any) -> str:
    """The operation in words, for an error."""
    row = HEADS.get(type(value))
    if row is None:
        return type(value).__name__.lower()
    return row.words or (f"`{row.text}`" if row.arity == 2 else row.text)


__all__ = ["EXACT", "describe", "has_casts", "literal_kind", "type_of", "typed_value"]
