"""Integer scalar trees on plain Python integers, and a look for a difference at the elements' extremes.

Independent of the bit-vectors: a counterexample found here needs no solver, and has as few non-zero elements as possible.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

Kind = tuple[str, int]
BOOL = ("u", 1)
MOST = 20_000  # combinations of extremes tried
WIDEST = 1 << 12  # bits: no exact value has as many


def limits(kind: Kind) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    k, bits = kind
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if k == "i" else (0, (1 << bits) - 1)


def wrapped(value: int, kind: Kind) -> int:
    """The value modulo 2^bits, in the type's range."""
    low, _ = limits(kind)
    return (value - low) % (1 << kind[1]) + low


@lru_cache(maxsize=1024)  # names of types are SymPy's symbols, which are slow to print
def kind_of(name: Any) -> Kind:
    """The element type of this name.

    bf16 is told from f16 by its kind, types of 8 bits and fewer by their names, and bool has one bit.
    """
    text = str(name)
    if text == "bool":
        return BOOL
    if text[0] in "ef" and not text[1:].isdigit():
        return text, int(text[1])
    return ("bf", 16) if text == "bf16" else (text[0], int(text[1:]))


def value(e: Any, at: Mapping[str, int], types: Mapping[str, Kind]) -> tuple[int, Kind | None]:
    """(value, type) of a tree whose leaves have the values `at`; a literal has no type. Raises KeyError for other heads."""
    if e.is_Integer:
        return int(e), None
    if e.is_Symbol:
        return at[e.name], types[e.name]
    head = type(e).__name__
    if head == "Cast":
        kind = kind_of(e.args[0])
        found, source = value(e.args[1], at, types)
        if source is None and not e.args[1].is_Integer:
            raise KeyError(head)  # literals of which some may be floating point
        if kind == BOOL:
            return int(found != 0), kind
        return wrapped(found, _integer(kind)), kind
    if head == "Saturate":
        kind = _integer(kind_of(e.args[0]))
        low, high = limits(kind)
        return min(max(_exact(e.args[1], at, types), low), high), kind
    if head == "Select":
        op, x, y = e.args[0].args
        holds = COMPARE[str(op)](value(x, at, types)[0], value(y, at, types)[0])
        return value(e.args[1] if holds else e.args[2], at, types)
    parts = [value(a, at, types) for a in e.args]
    common = next((k for _, k in parts if k is not None), None)
    result = ARITHMETIC[head](*[v for v, _ in parts])
    return (result if common is None else wrapped(result, _integer(common))), common


def _exact(e: Any, at: Mapping[str, int], types: Mapping[str, Kind]) -> int:
    if e.is_Integer or e.is_Symbol or type(e).__name__ in ("Cast", "Saturate"):
        return value(e, at, types)[0]
    return EXACTLY[type(e).__name__](*[_exact(a, at, types) for a in e.args])


def _integer(kind: Kind) -> Kind:
    if kind[0] not in ("i", "u"):
        raise KeyError(kind)
    return kind


ARITHMETIC: dict[str, Callable[..., int]] = {
    "SAdd": operator.add,
    "SSub": operator.sub,
    "SMul": operator.mul,
    "SShr": lambda a, b: a >> b if 0 <= b < WIDEST else -(a < 0),  # exact: further out, it is the sign
    "SShl": lambda a, b: a << b if 0 <= b < WIDEST else 0,  # exact: of a type's bits those are left that it has
    "SAnd": operator.and_,
    "SOr": operator.or_,
    "SXor": operator.xor,
    "SInvert": operator.invert,
    "SFloorDiv": lambda a, b: a // b if b else 0,
    "SMod": lambda a, b: a % b if b else a,
    "SNeg": operator.neg,
    "SMax": max,
    "SMin": min,
    "Relu": lambda a: max(a, 0),
    "Abs": abs,
}
TYPED = ("SShl", "SAnd", "SOr", "SXor", "SInvert", "SFloorDiv", "SMod")  # none of them stands below a saturation
EXACTLY = {head: of for head, of in ARITHMETIC.items() if head not in TYPED}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def spanned(head: str, *spans: Iterable[int]) -> tuple[int, int]:
    """Bounds of the operation's exact result on operands in these ranges. Raises KeyError if none are known.

    >>> spanned("SMul", (-3, 2), (1, 5)), spanned("Relu", (-3, 2))
    ((-15, 10), (0, 2))
    """
    if head == "SShr":
        low, high = spans[0]
        return min(low, 0), max(high, -1)
    if head == "SShl" and not 0 <= min(*spans[1]) <= max(*spans[1]) < 128:
        raise KeyError(head)
    if head in _BITWISE:
        return _BITWISE[head](*map(tuple, spans))
    if head == "Abs" and min(*spans[0]) < 0 < max(*spans[0]):
        return 0, max(map(abs, spans[0]))
    ends = [ARITHMETIC[head](*corner) for corner in itertools.product(*spans)]
    return min(ends), max(ends)


def _both_bits(*spans: tuple[int, int]) -> tuple[int, int]:
    """x ^ y, x | y: no more bits than the longer one has, and no sign if neither has one."""
    most = max((v if v >= 0 else ~v).bit_length() for s in spans for v in s)
    return -(1 << most) if min(map(min, spans)) < 0 else 0, (1 << most) - 1


def _common_bits(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """x & y: if one has no sign, the result has none and is no larger than it."""
    least = [max(s) for s in (a, b) if min(s) >= 0]
    return (0, min(least)) if least else _both_bits(a, b)


def _quotients(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """x // y: the least divisors of each sign give the largest quotients."""
    ys = {y for y in (*b, -1, 1) if min(b) <= y <= max(b) and y}
    found = [x // y for x in a for y in ys] + ([0] if min(b) <= 0 <= max(b) else [])
    return min(found), max(found)


def _remainders(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """x % y: between 0 and y, and x itself if y is 0."""
    low, high = min(0, min(b) + 1), max(0, max(b) - 1)
    zero = min(b) <= 0 <= max(b)
    return (min(low, *a), max(high, *a)) if zero else (low, high)


_BITWISE: dict[str, Callable[..., tuple[int, int]]] = {
    "SAnd": _common_bits, "SOr": _both_bits, "SXor": _both_bits, "SFloorDiv": _quotients, "SMod": _remainders,
}  # fmt: skip


def difference(
    left: Any, right: Any, types: Mapping[str, Kind], result: Kind, ranges: Mapping[str, tuple[int, int]]
) -> dict[str, int] | None:
    """Elements at which the trees differ: found at their extremes, with the fewest not 0, then made as small as they go,
    one after the other. None if no such were found."""
    names = sorted(types)
    extremes = {n: [v for v in reversed(ranges.get(n, limits(types[n]))) if v] for n in names}
    base = {n: 0 if _allowed(0, n, types, ranges) else ranges[n][0] for n in names}

    def differ(at: Mapping[str, int]) -> bool:
        return wrapped(value(left, at, types)[0], result) != wrapped(value(right, at, types)[0], result)

    tried = 0
    for count in range(len(names) + 1):
        for chosen in itertools.combinations(names, count):
            for values in itertools.product(*(extremes[n] for n in chosen)):
                at = {**base, **dict(zip(chosen, values, strict=True))}
                tried += 1
                if tried > MOST:
                    return None
                if differ(at):
                    return _smallest(at, chosen, differ, lambda v, n: _allowed(v, n, types, ranges))
    return None


def _smallest(
    at: dict[str, int],
    chosen: tuple[str, ...],
    differ: Callable[[Mapping[str, int]], bool],
    allowed: Callable[[int, str], bool],
) -> dict[str, int]:
    """The same with each chosen element as near to 0 as the others allow. Up to a size of 256 every value is tried,
    beyond it the values met by a bisection."""
    for name in chosen:
        value, sign = abs(at[name]), (1 if at[name] > 0 else -1)
        low, high = 0, value
        if value <= 256:
            high = next(
                v
                for v in range(value + 1)
                if v == value or (allowed(sign * v, name) and differ({**at, name: sign * v}))
            )
            low = high
        while low < high:
            middle = (low + high) // 2
            if allowed(sign * middle, name) and differ({**at, name: sign * middle}):
                high = middle
            else:
                low = middle + 1
        at = {**at, name: sign * high}
    return at


def _allowed(v: int, name: str, types: Mapping[str, Kind], ranges: Mapping[str, tuple[int, int]]) -> bool:
    low, high = ranges.get(name, limits(types[name]))
    return low <= v <= high
