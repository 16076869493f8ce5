"""C's own operators on numbers and vectors: usual conversions, wrapping of unsigned types, and what is undefined."""

from __future__ import annotations

from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa.c_types import DOUBLE, INT, NUMBERS, CType, as_dtype, named, of_element
from isamap_smt.isa.c_values import Address, Fault, NoCError, Promises, Result, Unreadable, Value, settled
from isamap_smt.isa.contract import convert, float_constant

_RANK = ("int", "unsigned int", "long", "unsigned long")
_FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_WHOLE = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_TURNED = {">": "<", ">=": "<="}


def whole(value: int, kind: str) -> Value:
    """A constant integer of that type."""
    return Value(NUMBERS[kind], bits.const(value, NUMBERS[kind].bits))


def typed(name: str, x: Term) -> Value:
    """A value of the type of that name."""
    return Value(named(name), x)


def lane_type(vector: CType) -> CType:
    """The C type of a vector's lanes."""
    assert vector.lane is not None
    return of_element(vector.lane)


def constant(node: Any) -> Value:
    """A literal. Raises Unreadable for strings."""
    text = node.value
    if node.type in ("float", "double", "long double"):
        kind = NUMBERS["float"] if text[-1] in "fF" and not text.lower().startswith("0x") else DOUBLE
        body = text.rstrip("fFlL")
        number = float.fromhex(body) if body.lower().startswith("0x") else float(body)
        return Value(kind, float_constant(number, kind.bits))
    if "int" not in node.type:
        raise Unreadable(f"the literal {text} is not covered")
    body = text.rstrip("uUlL")
    number = int(body, 0) if not (len(body) > 1 and body[0] == "0" and body[1].isdigit()) else int(body, 8)
    suffix = text[len(body) :].lower()
    kinds = ["int", "unsigned int", "long", "unsigned long"]
    if "u" in suffix:
        kinds = kinds[1::2]
    elif body.isdecimal():
        kinds = kinds[::2]
    if "l" in suffix:
        kinds = [k for k in kinds if "long" in k]
    for k in kinds:
        if number < 1 << (NUMBERS[k].bits - (NUMBERS[k].kind == "i")):
            return whole(number, k)
    raise NoCError(f"{text} is too large")


def converted(x: Value, to: CType, promises: Promises) -> Value:
    """A number as another type of number, as an assignment converts it."""
    source = x.type
    if (source.kind, source.bits) == (to.kind, to.bits):
        return Value(to, x.term)
    if to.name in ("_Bool", "bool"):
        raise Unreadable("conversions to bool are not covered")
    if source.kind == "f" and to.is_integer:
        _in_range(x, to, promises)
    return Value(to, settled(convert(x.term, as_dtype(source), as_dtype(to))))


def _in_range(x: Value, to: CType, promises: Promises) -> None:
    """A number beyond the integer type is undefined in C."""
    d = as_dtype(to)
    exact = d.bits < {16: 11, 32: 24, 64: 53}[x.type.bits]  # whether low - 1 is a number of that type
    low, high = (float_constant(v, x.type.bits) for v in (float(d.low) - int(exact), float(d.high + 1)))
    below = "flt" if exact else "fle"
    inside = bits.bitwise("and", bits.compare(below, low, x.term), bits.compare("flt", x.term, high))
    promises.ask(settled(inside), f"a number that {to} does not hold is converted to it, which is undefined in C")


def cast(x: Result, to: CType, promises: Promises, where: str) -> Result:
    """(type)x. Raises Fault and Unreadable."""
    if to.kind == "0":
        return None
    if isinstance(x, Address):
        if to.kind != "p" or to.to is None:
            raise Unreadable(f"{where}a pointer as {to} is not covered")
        return Address(x.block, x.offset, to.to)
    if x is None or to.kind == "p":
        raise Unreadable(f"{where}{'nothing' if x is None else x.type} as {to} is not covered")
    if {"v", "s"} & {x.type.kind, to.kind}:
        if x.type.kind == "s" or x.type.kind != to.kind or x.type.bits != to.bits:
            raise NoCError(f"{where}{x.type} as {to}")
        return Value(to, x.term)
    return converted(x, to, promises)


def promoted(x: Value) -> Value:
    """Integers narrower than int become int."""
    return converted(x, INT, Promises()) if x.type.is_integer and x.type.bits < 32 else x


def _common(x: Value, y: Value) -> tuple[Value, Value]:
    if "f" in (x.type.kind, y.type.kind):
        floats = [v.type for v in (x, y) if v.type.kind == "f"]
        to = max(floats, key=lambda t: t.bits)
    else:
        x, y = promoted(x), promoted(y)
        ranks = [2 * (v.type.bits == 64) + (v.type.kind == "u") for v in (x, y)]
        to = NUMBERS[_RANK[max(ranks)]]
    none = Promises()
    return converted(x, to, none), converted(y, to, none)


def unary(op: str, x: Value, promises: Promises, where: str) -> Value:
    """- + ~ or !."""
    if x.type.kind == "s":
        raise NoCError(f"{where}{op} of {x.type}")
    if x.type.kind == "v":
        return _lanes(op, x, None, promises, where)
    if op == "!":
        zero = converted(whole(0, "int"), x.type, promises)
        return binary("==", x, zero, promises, where)
    x = promoted(x)
    if op == "+":
        return x
    if op == "-" and x.type.kind == "f":
        return Value(x.type, settled(bits.opposite(x.term)))
    if op == "-":
        return binary("-", Value(x.type, bits.const(0, x.type.bits)), x, promises, where)
    if op == "~" and x.type.is_integer:
        return Value(x.type, bits.negated(x.term))
    raise Unreadable(f"{where}{op} of {x.type} is not covered")


def binary(op: str, x: Value, y: Value, promises: Promises, where: str) -> Value:
    """An operator between two values. Raises Fault and Unreadable."""
    if "s" in (x.type.kind, y.type.kind):
        raise NoCError(f"{where}{op} of {x.type} and {y.type}")
    if "v" in (x.type.kind, y.type.kind):
        return _lanes(op, x, y, promises, where)
    if op in ("<<", ">>"):
        return _shift(op, promoted(x), promoted(y), promises, where)
    x, y = _common(x, y)
    if op in ("<", ">", "<=", ">=", "==", "!="):
        if op in _TURNED:
            x, y, op = y, x, _TURNED[op]
        return Value(INT, bits.resized(settled(_compared(op, x, y)), 32, False))
    if x.type.kind == "f":
        if op not in _FLOAT:
            raise NoCError(f"{where}{op} of {x.type}")
        return Value(x.type, settled(bits.rounded(_FLOAT[op], x.term, y.term)))
    if op in ("/", "%"):
        return _divided(op, x, y, where)
    return _wrapped(op, x, y, promises, where)


def _wrapped(op: str, x: Value, y: Value, promises: Promises, where: str) -> Value:
    found = bits.binary(_WHOLE[op], x.term, y.term)
    if x.type.kind == "i" and op in "+-*":
        n = x.type.bits
        if n > 32 and (x.number is None or y.number is None):
            raise Unreadable(f"{where}{op} of {x.type} that depend on operands is not covered")
        wide = bits.binary(_WHOLE[op], *(bits.resized(v.term, 2 * n, True) for v in (x, y)))
        text = f"{op} of {x.type} overflows, which is undefined in C"
        promises.ask(bits.compare("eq", bits.resized(found, 2 * n, True), wide), text)
    return Value(x.type, found)


def shuffle(given: list[Result], where: str) -> Value:
    """Intel's macro _MM_SHUFFLE(z, y, x, w)."""
    numbers = [v.number for v in given if isinstance(v, Value)]
    known = [n for n in numbers if n is not None]
    if len(known) != 4:
        raise Unreadable(f"{where}_MM_SHUFFLE of what is no constant")
    z, y, x, w = known
    return whole(z << 6 | y << 4 | x << 2 | w, "int")


def _shift(op: str, x: Value, y: Value, promises: Promises, where: str) -> Value:
    by = y.number
    if by is None:
        raise Unreadable(f"{where}a shift by what depends on operands is not covered")
    n = x.type.bits
    if not 0 <= by < n:
        raise Fault(f"{x.type} is shifted by {by}, which is undefined in C")
    amount = bits.const(by, n)
    if op == ">>":
        return Value(x.type, bits.binary("ashr" if x.type.kind == "i" else "lshr", x.term, amount))
    if x.type.kind == "i":
        if x.number is None:
            raise Unreadable(f"{where}<< of a signed number that depends on operands is not covered")
        if x.number < 0 or x.number << by >= 1 << (n - 1):
            raise Fault(f"{x.number} << {by} is no {x.type}, which is undefined in C")
    return Value(x.type, bits.binary("shl", x.term, amount))


def _divided(op: str, x: Value, y: Value, where: str) -> Value:
    a, b = x.number, y.number
    if b == 0:
        raise Fault(f"{where}division by 0")
    if a is not None and b is not None:
        q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return Value(x.type, bits.const(q if op == "/" else a - b * q, x.type.bits))
    if op == "/" and x.type.kind == "u" and b is not None:
        return Value(x.type, bits.binary("udiv", x.term, y.term))
    raise Unreadable(f"{where}{op} of {x.type} that depend on operands is not covered")


def _compared(op: str, x: Value, y: Value) -> Term:
    if x.type.kind == "f":
        head = {"<": "flt", "<=": "fle", "==": "feq", "!=": "feq"}[op]
        found = bits.compare(head, x.term, y.term)
        return bits.negated(found) if op == "!=" else found
    less = "slt" if x.type.kind == "i" else "ult"
    if op == "<=":
        return bits.negated(bits.compare(less, y.term, x.term))
    if op == "<":
        return bits.compare(less, x.term, y.term)
    found = bits.compare("eq", x.term, y.term)
    return bits.negated(found) if op == "!=" else found


def _lanes(op: str, x: Value, y: Value | None, promises: Promises, where: str) -> Value:
    """Operators on vectors, lane by lane; integers wrap."""
    kind = x.type
    if kind.kind != "v" or kind.lane is None or (y is not None and y.type.name != kind.name):
        raise Unreadable(f"{where}{op} of a vector and another type is not covered")
    lane = lane_type(kind)
    found = []
    for n, a in enumerate(bits.lanes(x.term, lane.bits)):
        b = None if y is None else bits.lanes(y.term, lane.bits)[n]
        if op == "-" and b is None:
            found.append(bits.opposite(a) if lane.kind == "f" else bits.binary("sub", bits.const(0, lane.bits), a))
        elif b is not None and lane.kind == "f" and op in _FLOAT:
            found.append(bits.rounded(_FLOAT[op], a, b))
        elif b is not None and lane.is_integer and op in _WHOLE and op != "<<":
            found.append(bits.binary(_WHOLE[op], a, b))
        else:
            raise Unreadable(f"{where}{op} of {kind} is not covered")
    return Value(kind, bits.concat(found))
