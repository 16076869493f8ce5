"""Terms over bits: the content of a register lane or a memory cell, as a tree over the bits at the start.

A term has a width in bits. Numbers of IEEE 754 are terms of 16, 32 or 64 bits, and operations on them round to
nearest even; the choice of NaN is left open. Equal terms are one object. The constructors below fold constants, and
keep the operands of sums and products in one order, as rounding does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any


class Term:
    """One node: its operation, its width, and operands (terms, and plain numbers or names)."""

    __slots__ = ("args", "number", "op", "width")
    op: str
    width: int
    args: tuple[Any, ...]
    number: int

    def __repr__(self) -> str:
        return f"{self.op}:{self.width}({', '.join(map(repr, self.args))})"

    @property
    def value(self) -> int | None:
        """The number of a constant, without sign; None for other terms."""
        return self.args[0] if self.op == "const" else None


_known: dict[tuple[Any, ...], Term] = {}


def make(op: str, width: int, *args: Any) -> Term:
    """The term itself, without folding."""
    key = (op, width, *args)
    found = _known.get(key)
    if found is None:
        found = Term()
        found.op, found.width, found.args, found.number = op, width, args, len(_known)
        _known[key] = found
    return found


def const(value: int, width: int) -> Term:
    """A number, modulo 2^width."""
    return make("const", width, value & ((1 << width) - 1))


def cell(name: str, width: int) -> Term:
    """The content of the named cell at the start."""
    return make("cell", width, name)


TRUE, FALSE = const(1, 1), const(0, 1)


def signed(value: int, width: int) -> int:
    """The number with these bits in two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


# ---- bits in a row -------------------------------------------------------------------------------------------------


def concat(parts: Iterable[Term]) -> Term:
    """The parts beside each other, the lowest first."""
    flat: list[Term] = []
    for p in parts:
        for q in p.args if p.op == "concat" else (p,):
            if flat and (joined := _joined(flat[-1], q)) is not None:
                flat[-1] = joined
            else:
                flat.append(q)
    return flat[0] if len(flat) == 1 else make("concat", sum(p.width for p in flat), *flat)


def _joined(low: Term, high: Term) -> Term | None:
    """Two neighbours as one term, if they are consecutive bits of one term or small constants; else None."""
    if low.op == high.op == "extract" and low.args[0] is high.args[0] and low.args[1] + low.width == high.args[1]:
        return extract(low.args[0], low.args[1], low.width + high.width)
    return None


def extract(x: Term, low: int, width: int) -> Term:
    """`width` bits of x from bit `low` on."""
    if low == 0 and width == x.width:
        return x
    match x.op:
        case "const":
            return const(x.args[0] >> low, width)
        case "extract":
            return extract(x.args[0], x.args[1] + low, width)
        case "concat":
            return _from_parts(x, low, width)
        case "ite":
            c, a, b = x.args
            return ite(c, extract(a, low, width), extract(b, low, width))
        case "and" | "or" | "xor":
            return bitwise(x.op, extract(x.args[0], low, width), extract(x.args[1], low, width))
        case "zext" if low >= x.args[0].width:
            return const(0, width)
        case "zext" | "sext" if low + width <= x.args[0].width:
            return extract(x.args[0], low, width)
    return make("extract", width, x, low)


def _from_parts(x: Term, low: int, width: int) -> Term:
    found, at = [], 0
    for p in x.args:
        first, last = max(low, at), min(low + width, at + p.width)
        if first < last:
            found.append(extract(p, first - at, last - first))
        at += p.width
    return concat(found)


def lanes(x: Term, width: int) -> list[Term]:
    """The lanes of that width, the lowest first."""
    return [extract(x, at, width) for at in range(0, x.width, width)]


def resized(x: Term, width: int, is_signed: bool) -> Term:
    """x with more bits, the sign's or zeros, or its lowest ones."""
    if width <= x.width:
        return extract(x, 0, width)
    if x.value is not None:
        return const(signed(x.value, x.width) if is_signed else x.value, width)
    if x.op == "mul" and _holds_product(x, is_signed):
        return binary("mul", *(_wider(a, width) for a in x.args))
    return make("sext" if is_signed else "zext", width, x)


def _holds_product(x: Term, is_signed: bool) -> bool:
    """Whether the product of two narrower numbers is exact in x, as a number with or without sign."""
    narrow = [a.args[0].width for a in x.args if a.op in ("sext", "zext")]
    kinds = {a.op for a in x.args}
    return (
        len(narrow) == len(x.args) and sum(narrow) <= x.width and ("sext" in kinds if is_signed else kinds == {"zext"})
    )


def _wider(x: Term, width: int) -> Term:
    """An already widened number, made wider still."""
    return make(x.op, width, x.args[0])


# ---- integers ------------------------------------------------------------------------------------------------------

_FOLD: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "lshr": lambda a, b, w: a >> b if b < w else 0,
    "ashr": lambda a, b, w: signed(a, w) >> min(b, w - 1),
    "udiv": lambda a, b, w: a // b,
}
_COMMUTES = {"add", "mul", "and", "or", "xor", "fadd", "fmul", "eq", "feq"}


def binary(op: str, a: Term, b: Term) -> Term:
    """add, sub, mul, shl, lshr, ashr or udiv (by a constant other than 0) of two terms of one width, modulo 2^width."""
    if op in ("and", "or", "xor"):
        return bitwise(op, a, b)
    assert a.width == b.width, (op, a.width, b.width)
    if a.value is not None and b.value is not None and not (op == "udiv" and b.value == 0):
        return const(_FOLD[op](a.value, b.value, a.width), a.width)
    if b.value == 0 and op in ("add", "sub", "shl", "lshr", "ashr"):
        return a
    if a.value == 0 and op == "add":
        return b
    return make(op, a.width, *_ordered(op, a, b))


def bitwise(op: str, a: Term, b: Term) -> Term:
    """and, or or xor."""
    assert a.width == b.width, (op, a.width, b.width)
    if a.value is not None and b.value is not None:
        return const(_FOLD[op](a.value, b.value, a.width), a.width)
    if a is b:
        return const(0, a.width) if op == "xor" else a
    if b.value is not None:
        a, b = b, a
    if a.value == 0:
        return const(0, a.width) if op == "and" else b
    if a.value == (1 << a.width) - 1 and op != "xor":
        return b if op == "and" else a
    if "concat" in (a.op, b.op):
        cuts = _cuts(a) | _cuts(b)
        return concat(bitwise(op, extract(a, at, n), extract(b, at, n)) for at, n in _pieces(cuts, a.width))
    return make(op, a.width, *_ordered(op, a, b))


def _cuts(x: Term) -> set[int]:
    found, at = set(), 0
    for p in x.args if x.op == "concat" else ():
        found.add(at)
        at += p.width
    return found


def _pieces(cuts: set[int], width: int) -> Iterator[tuple[int, int]]:
    ends = sorted(cuts | {0, width})
    return ((a, b - a) for a, b in pairwise(ends))


def _ordered(op: str, a: Term, b: Term) -> tuple[Term, Term]:
    return (b, a) if op in _COMMUTES and b.number < a.number else (a, b)


def negated(x: Term) -> Term:
    """Every bit turned round."""
    return bitwise("xor", x, const(-1, x.width))


def ite(c: Term, a: Term, b: Term) -> Term:
    """a if the bit c is set, else b."""
    assert c.width == 1 and a.width == b.width
    if c.value is not None:
        return a if c.value else b
    if a is b:
        return a
    if a.width == 1 and a.value == 1 and b.value == 0:
        return c
    if "concat" in (a.op, b.op):
        cuts = _cuts(a) | _cuts(b)
        return concat(ite(c, extract(a, at, n), extract(b, at, n)) for at, n in _pieces(cuts, a.width))
    return make("ite", a.width, c, a, b)


def compare(op: str, a: Term, b: Term) -> Term:
    """eq, ult or slt of integers; feq, flt or fle of numbers, false for NaN. One bit."""
    assert a.width == b.width, (op, a.width, b.width)
    if a.value is not None and b.value is not None and op in ("eq", "ult", "slt"):
        x, y = (signed(v, a.width) if op == "slt" else v for v in (a.value, b.value))
        return const(int(x == y if op == "eq" else x < y), 1)
    return make(op, 1, *_ordered(op, a, b))


# ---- numbers of IEEE 754 ---------------------------------------------------------------------------------------------


def rounded(op: str, *x: Term) -> Term:
    """fadd, fsub, fmul, fdiv, fma (x*y + z, rounded once) of numbers of one width."""
    assert len({t.width for t in x}) == 1, (op, [t.width for t in x])
    known = _by_one(op, x)
    if known is not None:
        return known
    if op == "fdiv" and (factor := _exact_inverse(x[1])) is not None:
        return rounded("fmul", x[0], factor)
    if op == "fma":
        return make(op, x[0].width, *_ordered("fmul", x[0], x[1]), x[2])
    return make(op, x[0].width, *_ordered(op, x[0], x[1]))


_ONE = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0 << 48}


def _by_one(op: str, x: tuple[Term, ...]) -> Term | None:
    """A product with 1 or -1, or a quotient by it, is exact: the other number, or its opposite (a NaN stays one)."""
    one = _ONE[x[0].width]
    if op == "fdiv" and x[1].value is not None and x[1].value & ~(1 << (x[1].width - 1)) == one:
        return x[0] if x[1].value == one else opposite(x[0])
    if op not in ("fmul", "fma"):
        return None
    for a, b in (x[:2], x[1::-1]):
        if a.value is not None and a.value & ~(1 << (a.width - 1)) == one:
            product = b if a.value == one else opposite(b)
            return product if op == "fmul" else rounded("fadd", product, x[2])
    return None


def _exact_inverse(x: Term) -> Term | None:
    """1/x of a power of two if it is a normal number; None for others. The quotient by x is then the product with
    1/x: both round the same exact value once."""
    if x.value is None:
        return None
    fraction = {16: 10, 32: 23, 64: 52}[x.width]
    bias = (1 << (x.width - fraction - 2)) - 1
    exponent = x.value >> fraction & 2 * bias + 1
    if x.value & ((1 << fraction) - 1) or not 0 < exponent < 2 * bias:
        return None
    return const(x.value & 1 << (x.width - 1) | 2 * bias - exponent << fraction, x.width)


def sign_bit(x: Term) -> Term:
    """The highest bit."""
    return extract(x, x.width - 1, 1)


def opposite(x: Term) -> Term:
    """The number with its sign turned round."""
    if x.value is not None:
        return const(x.value ^ 1 << (x.width - 1), x.width)
    return x.args[0] if x.op == "fneg" else make("fneg", x.width, x)


def is_nan(x: Term) -> Term:
    """Whether the number is none."""
    return negated(compare("feq", x, x))


def converted(op: str, x: Term, width: int) -> Term:
    """ff: to a number of another width. sf, uf: from an integer. fs, fu: to an integer, towards zero, clamped, NaN as 0."""
    return x if op == "ff" and width == x.width else make(op, width, x)


# ---- looking at terms ----------------------------------------------------------------------------------------------


def walk(roots: Iterable[Term]) -> list[Term]:
    """Every term below these, each once, operands first."""
    found: dict[Term, None] = {}
    stack = [(t, False) for t in roots]
    while stack:
        t, ready = stack.pop()
        if t in found:
            continue
        if ready:
            found[t] = None
            continue
        stack.append((t, True))
        stack.extend((a, False) for a in t.args if isinstance(a, Term) and a not in found)
    return list(found)


def cells(*roots: Term) -> dict[str, int]:
    """Name -> width of every cell in the terms, in order of name."""
    return dict(sorted((t.args[0], t.width) for t in walk(roots) if t.op == "cell"))
