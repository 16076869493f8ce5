"""Random expressions over all element types, onto lanes: the chosen steps against the statement, on exact integers and fractions.

python -m benchmarks.fuzz_expressions [STATEMENTS] [SEED] [MACHINE]

Each statement is selected and proved. The text of the statement and the text of its steps are then carried out by tests/oracle,
which reads and computes by code of its own, on odd operands. Assigned values must be the same bits (but for the sign of a zero
that a maximum leaves open); what is added up in floating point may differ by what rounding explains. Nothing is compiled, so
that thousands take minutes; benchmarks.fuzz_selection and benchmarks.fuzz_lanes compile.
"""

from __future__ import annotations

import ast
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import isamap_smt as im
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.pipeline.ranges_left import range_left
from tests.oracle.meaning import Meaning, execute
from tests.oracle.numbers import KINDS, Kind, Number, converted
from tests.oracle.text import read_text

INTEGERS, FLOATS, STORED = ("i8", "u8", "i16", "u16", "i32"), ("f32", "f64"), ("f16", "bf16")
POINTS = 48
EPSILONS = 300  # how far a sum may be off, in units of the errors of its operations


class Writer:
    """Random expressions over the elements of given types, with numbers, signs and factors in common that invite rewriting."""

    def __init__(self, rng: random.Random, kinds: dict[str, str]) -> None:
        self.rng, self.kinds = rng, kinds

    def value(self, kind: str, depth: int) -> str:
        """One of that type."""
        if depth == 0 or self.rng.random() < 0.12:
            return self.leaf(kind)
        if kind in STORED or (self.rng.random() < 0.15 and len(set(self.kinds.values())) > 1):
            return self.conversion(kind, depth - 1)
        own = self.whole if kind in INTEGERS else self.real
        return self.rng.choice([self.arithmetic, self.arithmetic, self.choice, own])(kind, depth - 1)

    def leaf(self, kind: str) -> str:
        """An element, converted where none is of that type."""
        name = self.rng.choice([n for n, k in self.kinds.items() if k == kind] or list(self.kinds))
        return name if self.kinds[name] == kind else self.cast(name, self.kinds[name], kind)

    def conversion(self, kind: str, depth: int) -> str:
        """From another type that is there, or a wider one."""
        of = (
            "f32"
            if kind in STORED
            else self.rng.choice([k for k in sorted({*self.kinds.values(), "i32", "f32"}) if k != kind])
        )
        if kind in INTEGERS and self.rng.random() < 0.3:
            of = self.rng.choice(INTEGERS)
            x, y = self.value(of, depth), self.value(of, depth)
            return f"sat_{kind}({of}({x}) {self.rng.choice('+-*')} {of}({y}))"
        return self.cast(self.value(of, depth), of, kind)

    def cast(self, x: str, of: str, kind: str) -> str:
        """x of type `of` in the other type."""
        ways = [f"{kind}({x})"]
        if kind in INTEGERS:
            ways.append(f"sat_{kind}({of}({x}))" if of in INTEGERS else f"round_{kind}({x})")
        return self.rng.choice(ways)

    def number(self, kind: str) -> str:
        """A literal of the type."""
        if kind not in INTEGERS:
            return self.rng.choice(["2", "4", "0.5", "8", "1", "0.125", "3", "-2", "0.1"])
        return self.rng.choice(["2", "4", "1", "6", "100", *(["-1", "-4"] if kind[0] == "i" else [])])

    def arithmetic(self, kind: str, depth: int) -> str:
        """Sums, differences, products."""
        x, y, z, c = self.value(kind, depth), self.value(kind, depth), self.leaf(kind), self.number(kind)
        return self.rng.choice(
            [f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} * ({c}))", f"({x} + ({c}))", f"({x} * {z} + {y} * {z})",
             f"({x} * {z} - {z} * {y})", f"({x} + 0)", f"({x} - 0)", f"(0 - {x})", f"(-{x})", f"(-(-{x}))"]
        )  # fmt: skip

    def choice(self, kind: str, depth: int) -> str:
        """Maxima, minima, selections."""
        x, y, z = self.value(kind, depth), self.value(kind, depth), self.leaf(kind)
        sign = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return self.rng.choice(
            [f"max({x}, {y})", f"min({x}, {y})", f"max({x}, 0)", f"relu({x})", f"min(max({x}, {z}), {y})", f"max(max({x}, {y}), 1)",
             f"select({z} {sign} {x}, {x}, {y})", f"select({x} {sign} {y}, {z}, {y})", f"select({x} {sign} 0, {x}, 0)"]
        )  # fmt: skip

    def whole(self, kind: str, depth: int) -> str:
        """What only integers have."""
        x, y = self.value(kind, depth), self.value(kind, depth)
        by = self.rng.randrange(KINDS[kind].bits)
        ways = [f"({x} >> {by})", f"({x} >> {by})", f"sat_{kind}({kind}({x}) + {kind}({y}))"]
        ways += [f"abs({x})", f"select({x} < 0, -{x}, {x})"] if kind[0] == "i" else []
        ways += [
            f"({x} & {y})",
            f"({x} | {y})",
            f"({x} ^ {y})",
            f"(~{x})",
            f"({x} << {by})",
            f"({x} // {by + 1})",
            f"({x} % {by + 1})",
        ]
        ways += [f"u8((u16({x}) + u16({y}) + 1) >> 1)"] if kind == "u8" else []
        return self.rng.choice(ways)

    def real(self, kind: str, depth: int) -> str:
        """What only floating point has."""
        x, y, z, c = self.value(kind, depth), self.value(kind, depth), self.leaf(kind), self.number(kind)
        return self.rng.choice(
            [f"({x} / ({c}))", f"({x} / {z} / {y})", f"({x} / 4 + {y} / 4)", f"(1 / sqrt({x}))", f"sqrt(abs({x}))", f"(1 / {z})",
             f"abs({x})", f"abs(-{x})", f"select({x} < 0, -{x}, {x})", f"({x} / 3)"]
        )  # fmt: skip


def operand(rng: random.Random, kind: Kind, odd: bool, whole: bool = True) -> Number:
    """An ordinary value, one of the whole range unless that is not asked for, or, where asked, often one that is odd."""
    if not kind.floating:
        edge = rng.choice([kind.low, kind.high, kind.low + 1, kind.high - 1, 0, 1])
        return rng.choice([edge, rng.randint(kind.low, kind.high), rng.randint(max(kind.low, -9), 9)])
    if odd and rng.random() < 0.3:
        return converted(
            kind, rng.choice([math.inf, -math.inf, math.nan, 0.0, -0.0, 1e-40, 3e38, 1.0, -1.0, 127.5, 2.0**31, -3e9])
        )
    most = (1 << kind.exponent - 1) - 4
    if whole and rng.random() < 0.2:  # the ends of the range
        return converted(kind, rng.choice([1, -1]) * rng.uniform(1, 2) * 2.0 ** rng.choice([most + 3, most + 3, -most]))
    exponent = (
        rng.uniform(-8, 8) if not whole or rng.random() < 0.5 else rng.uniform(-most, most) * rng.choice([1, 0.5])
    )
    return converted(kind, rng.gauss(0, 1) * 2.0**exponent)


def carried_out(value: str, out: str, kinds: dict[str, str], numbers: dict[str, list[Number]]) -> list[Number]:
    """The value at each point, by the oracle."""
    text = f"axis l < {POINTS}\nYY[l] = {value}"
    meaning = Meaning(read_text(text), {**kinds, "YY": out}, {})
    return execute(meaning, {n: numbers[n] for n in meaning.inputs})["YY"].numbers


def bound(node: ast.AST, at: Callable[[str], float], kind: Kind) -> tuple[float, float]:
    """(value, error in units of rounding) of an expression of one floating-point type at a point, to first order. Raises
    ArithmeticError where rounding may do more than that, or some part that is computed is no normal number of the type."""
    value, error = _bound(node, at, kind)
    top = 2.0 ** ((1 << kind.exponent - 1) - 1)
    if value and not isinstance(node, ast.Subscript) and not 4 / top <= abs(value) / 2 <= top * 0.99:
        raise ArithmeticError
    return value, error


def _bound(node: ast.AST, at: Callable[[str], float], kind: Kind) -> tuple[float, float]:
    match node:
        case ast.Constant(value=v):
            return float(v), abs(float(v))
        case ast.Subscript(value=ast.Name(id=n)):
            return at(n), 0.0
        case ast.UnaryOp(operand=x):
            v, e = bound(x, at, kind)
            return -v, e
        case ast.BinOp(left=a, op=op, right=b):
            (x, dx), (y, dy) = bound(a, at, kind), bound(b, at, kind)
            match op:
                case ast.Mult():
                    return x * y, dx * abs(y) + dy * abs(x) + abs(x * y)
                case ast.Div():
                    found = x / y
                    return found, (dx + abs(found) * dy) / abs(y) + abs(found)
            found = x + y if isinstance(op, ast.Add) else x - y
            return found, dx + dy + abs(found)
        case ast.Call(func=ast.Name(id="select"), args=[ast.Compare(left=a, ops=[op], comparators=[b]), yes, no]):
            (x, dx), (y, dy) = bound(a, at, kind), bound(b, at, kind)
            if abs(x - y) <= 1e-3 * (dx + dy):
                raise ArithmeticError  # rounding may decide otherwise
            holds = {"Lt": x < y, "LtE": x <= y, "Gt": x > y, "GtE": x >= y, "Eq": x == y, "NotEq": x != y}[
                type(op).__name__
            ]
            return bound(yes if holds else no, at, kind)
        case ast.Call(func=ast.Name(id="sqrt" | "rsqrt" as name), args=[x]):
            v, e = bound(x, at, kind)
            found = math.sqrt(v) if name == "sqrt" else 1 / math.sqrt(v)
            return found, e * found / (2 * v) + 2 * found
        case ast.Call(func=ast.Name(id=name), args=[ast.Subscript() as element]) if name in FLOATS:
            v, _ = bound(element, at, kind)
            return v, abs(v)
        case ast.Call(func=ast.Name(id=name), args=args) if name in ("max", "min", "relu", "abs"):
            parts = [bound(a, at, kind) for a in args] + [(0.0, 0.0)] * (name == "relu")
            values = [v for v, _ in parts]
            return (abs(values[0]) if name == "abs" else max(values) if name != "min" else min(values)), sum(
                e for _, e in parts
            )
    raise ArithmeticError  # a conversion on the way, which rounding may decide otherwise


def near(got: Number, wanted: Number, contract: ast.AST, at: Callable[[str], float], kind: Kind) -> bool:
    """Whether rounding explains the difference; where the value leaves the type or is not known, it does."""
    try:
        exact, error = bound(contract, at, kind)
    except (ArithmeticError, ValueError, OverflowError):
        return True
    if not all(map(math.isfinite, (wanted, exact, error))):
        return True
    return abs(got - wanted) <= EPSILONS * kind.epsilon * (error + abs(exact))


def one(seed: int, machine: str | im.Hardware) -> str:
    """How a random statement fared: 'lanes' of instructions ('rewritten' where a rule was used, 'noted' where numbers on the way
    may then leave the type), 'lanes and portable C', 'portable C', 'unknown'. Raises AssertionError where it was proved and wrong,
    or where what isamap made itself is refuted."""
    hardware = im.find_hardware(machine) if isinstance(machine, str) else machine
    rng = random.Random(seed)
    out = rng.choice([*INTEGERS, *FLOATS, *FLOATS, "i32", *STORED])
    adds = out not in STORED and rng.random() < 0.25
    others = STORED if adds and out == "f32" else (*INTEGERS, "f32", *STORED)
    pool = [out, out, out, rng.choice(others)] if out != "f64" else [out]
    kinds = {n: rng.choice(pool) for n in "ABC"}
    said = Writer(rng, kinds).value(out, rng.randint(1, 4))
    if "A" not in said or said == "A":
        whole = Writer(rng, {"A": kinds["A"]})
        said = f"{out}(f32(A) * 3)" if out in STORED else f"max({said}, {whole.arithmetic(out, 0)})"
    # without a cast in it everything would be converted to the type of Y
    said = (
        said
        if any(f"{k}(" in said for k in KINDS) or {kinds[n] for n in "ABC" if n in said} == {out}
        else f"{out}({said})"
    )
    written = "".join(f"{c}[i,j]" if c in "ABC" else c for c in said)
    kernel = im.kernel(f"Y[{'j' if adds else 'i,j'}] {'+' if adds else ''}= {written}", name="statement")
    kernel = kernel.with_dtypes({t.name: kinds.get(t.name, out) for t in kernel.tensors})
    taken = selected_instruction(hardware, kernel)
    if taken is None:
        return "portable C"
    binding = dict(zip(taken.kernel.inputs, kernel.inputs, strict=True))
    found = im.prove(im.fuse(kernel, taken, "l=j", binding))
    if not isinstance(found, im.ProvedMapping):
        assert not found.refuted, f"seed {seed}: {kernel}\n{found}"
        return "unknown"
    wrong = _first_wrong(taken, binding, kinds, out, said, adds, rng)
    assert not wrong, f"seed {seed} on {hardware.name}: {kernel}\nby {taken.exact}\n{wrong}"
    if "portable C" in taken.told:
        return "lanes and portable C"
    if adds and range_left(taken):
        return "noted"
    return "rewritten" if getattr(taken, "rules", ()) else "lanes"


def _first_wrong(
    taken: Any, binding: dict[str, str], kinds: dict[str, str], out: str, said: str, adds: bool, rng: random.Random
) -> str:
    """The first point where the steps do not compute the statement; '' for none. Where numbers on the way may leave the type, and a
    plan says so, ordinary ones are tried."""
    noted = adds and bool(range_left(taken))
    numbers = {n: [operand(rng, KINDS[k], not adds, not noted) for _ in range(POINTS)] for n, k in kinds.items()}
    lanes = {x: numbers[n] for x, n in binding.items()}
    here = "".join(f"{c}[l]" if c in "ABC" else c for c in said)
    wanted = carried_out(here, out, kinds, numbers)
    steps = value_text((taken.exact or taken.kernel).statements[0].value)
    got = carried_out(steps, out, {x: kinds[n] for x, n in binding.items()}, lanes)
    free_zero = adds or any(w in said for w in ("max", "min", "relu"))
    contract = ast.parse(here, mode="eval").body
    for p, (a, b) in enumerate(zip(got, wanted, strict=True)):
        same = (a == b and (free_zero or math.copysign(1, a) == math.copysign(1, b))) or (
            math.isnan(a) and math.isnan(b)
        )
        if not same and adds and out in FLOATS:
            same = near(a, b, contract, lambda n, p=p: float(numbers[n][p]), KINDS[out])  # type: ignore[misc]
        if not same:
            return f"{steps} is {a!r} instead of {b!r} at { ({n: v[p] for n, v in numbers.items()}) }"
    return ""


def main(count: int = 1000, seed: int = 0, machine: str = "avx2") -> None:
    """Counts how the statements fared."""
    how: Counter[str] = Counter()
    hardware = im.find_hardware(machine)
    for n in range(count):
        how[one(seed + n, hardware)] += 1
        if n % 50 == 49:
            print(f"\r{n + 1} of {count}: {dict(how)}", end="", file=sys.stderr)
    lanes = how["rewritten"] + how["noted"] + how["lanes"]
    share = [100 * n / count for n in (lanes, lanes + how["lanes and portable C"])]
    covered = f"{share[0]:.1f}% by instructions alone, {share[1]:.1f}% with lanes"
    print(f"{count} expressions from seed {seed} on {machine}: 0 proved but wrong; {covered}; {dict(how)}")


if __name__ == "__main__":
    main(*(int(w) if w.isdigit() else w for w in sys.argv[1:]))  # type: ignore[arg-type]
