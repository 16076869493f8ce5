"""Machines of few instructions, drawn at random, and values of sums: combined from their steps, written otherwise, or any.

Values are trees of tuples here, with an evaluator and a search of their own: an oracle for what is selected and for its cost.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import summed

import isamap_smt as im
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

Value = Any  # 'T', 'b', 'R', a number, or (operation, values)
SIDE = 4
ELEMENTS = ("b", "R")
SPELT = {"+": "({} + {})", "-": "({} - {})", "max": "max({}, {})", "min": "min({}, {})", "relu": "relu({})", ">>": "({} >> {})",
         "neg": "(-{})", "i32": "i32({})", "i8": "i8({})", "sat": "sat_i8({})"}  # fmt: skip
READ = {"T": "T[i,j]", "b": "b[j]", "R": "R[i,j]"}
LOW, HIGH = -(2**31), 2**31 - 1

# name -> (contract, the memory of its other operand, what it makes of a cell and of that operand)
UPDATES: dict[str, tuple[str, str, Any]] = {
    "add": ("acc[r,c] + i32(x[])", "code", lambda v, x: ("+", v, x)),
    "most": ("min(acc[r,c], i32(x[]))", "code", lambda v, x: ("min", v, x)),
    "least": ("max(i32(x[]), acc[r,c])", "code", lambda v, x: ("max", x, v)),
    "shift": ("acc[r,c] >> i32(x[])", "shifts", lambda v, x: (">>", v, x)),
    "positive": ("relu(acc[r,c])", "", lambda v, _: ("relu", v)),
    "opposite": ("-acc[r,c]", "", lambda v, _: ("neg", v)),
    "add_tile": ("acc[r,c] + m[r,c]", "R", lambda v, x: ("+", v, x)),
    "add_row": ("m[c] + acc[r,c]", "b", lambda v, x: ("+", x, v)),
    "less_row": ("acc[r,c] - m[c]", "b", lambda v, x: ("-", v, x)),
    "most_tile": ("min(acc[r,c], m[r,c])", "R", lambda v, x: ("min", v, x)),
    "add_held": ("acc[r,c] + held[r,c]", "held", lambda v, x: ("+", v, x)),
}
STORES: dict[str, tuple[str, str, Any]] = {
    "store": ("acc[r,c]", "i32", lambda v: v),
    "store_low": ("i8(acc[r,c])", "i8", lambda v: ("i8", v)),
    "store_clamped": ("sat_i8(acc[r,c])", "i8", lambda v: ("sat", ("i32", v))),
}
BRINGS = {"bring_tile": "R", "bring_row": "b"}  # elements for add_held; they may begin sums, too
BEGINS = {"clear": None, "begin_tile": "R", "begin_row": "b", **BRINGS}


class Machine:
    """Of some of these instructions, each as long as was drawn."""

    def __init__(self, rng: random.Random) -> None:
        often = 0.3 + 0.5 * rng.random()
        self.updates = [n for n in UPDATES if rng.random() < often]
        self.stores = [n for n in STORES if rng.random() < 0.6] or ["store"]
        held = "add_held" in self.updates
        self.begins = [n for n in BEGINS if n == "clear" or (held if n in BRINGS else rng.random() < 0.4)]
        self.cycles = {
            n: rng.randint(1, 2 if n == "add_held" or n in BRINGS else 9) for n in (*UPDATES, *STORES, *BEGINS)
        }
        self.hardware = self._described()

    def _described(self) -> im.Hardware:
        far, acc = summed.FAR, summed.ACC

        def made(
            name: str, value: str, engine: str, places: dict[str, str], types: dict[str, str], **more: Any
        ) -> Instruction:
            work = im.Work(self.cycles.get(name, 1), 0)
            return summed.made(
                name, f"{more.pop('to', 'acc')}[r,c] = {value}", engine, places, types, work=work, **more
            )

        def moved(name: str, value: str, at: str, engine: str) -> Instruction:
            places, types = {"acc": acc, "m": at}, {"acc": "i32", "m": "i32"}
            return made(name, value, engine, places, types, active=summed.BOTH, beyond="zero")

        beside = {"code": ("x", "code", "i8"), "shifts": ("x", "code", "i8"), "R": ("m", far, "i32"), "b": ("m", "memory", "i32"),
                  "held": ("held", acc, "i32")}  # fmt: skip
        found = [summed.load(), summed.multiply(), made("clear", "0", "execute", {"acc": acc}, {"acc": "i32"})]
        found += [
            moved(n, *w, "load")
            for n, w in (("begin_tile", ("m[r,c]", far)), ("begin_row", ("m[c]", "memory")))
            if n in self.begins
        ]
        if "bring_tile" in self.begins:
            found += [moved("bring_tile", "m[r,c]", far, "execute"), moved("bring_row", "m[c]", "memory", "execute")]
        for n in self.updates:
            value, other, _ = UPDATES[n]
            places, types = {"acc": acc}, {"acc": "i32"}
            more: dict[str, Any] = {"active": summed.BOTH, "beyond": "zero"} if other in ELEMENTS else {}
            if other == "shifts":
                more["assume"] = (("x", 0, 15),)
            if other:
                name, place, kind = beside[other]
                places[name], types[name] = place, kind
            found.append(made(n, value, "execute", places, types, **more))
        for n in self.stores:
            value, kind, _ = STORES[n]
            found.append(
                made(n, value, "store", {"m": far, "acc": acc}, {"m": kind, "acc": "i32"}, to="m", active=summed.BOTH)
            )
        return summed.machine(*found)

    # ---- every way to a value, by trying

    def covers(self, longest: int, numbers: tuple[int, ...]) -> Iterator[tuple[int, Value, str]]:
        """(cycles, the value stored, the instruction that stores) of each sequence of at most so many updates."""
        for begin, element in ((n, e) for n in self.begins for e in read_by(BEGINS[n])):
            first: Value = ("+", "T", element) if element else "T"
            for n in range(longest + 1):
                for steps in itertools.product(self.steps(numbers), repeat=n):
                    value, cycles = first, self.cycles[begin]
                    for name, x, brought in steps:
                        value, cycles = UPDATES[name][2](value, x), cycles + self.cycles[name] + brought
                    for store in self.stores:
                        yield cycles + self.cycles[store], STORES[store][2](value), store

    def steps(self, numbers: tuple[int, ...]) -> list[tuple[str, Value, int]]:
        """(name, the other operand, cycles of its move) of each update."""
        found: list[tuple[str, Value, int]] = []
        for n in self.updates:
            other = UPDATES[n][1]
            if other in ("code", "shifts"):
                found += [(n, x, 0) for x in numbers if (0 <= x <= 15 if other == "shifts" else -128 <= x <= 127)]
            elif other == "held":
                found += [(n, x, self.cycles[m]) for m, e in BRINGS.items() for x in read_by(e)]
            else:
                found += [(n, x, 0) for x in read_by(other)]
        return found


def read_by(element: str | None) -> tuple[str, ...]:
    """What an instruction for R or b may read: rows that lie at no distance are b."""
    return {"R": ("R", "b"), "b": ("b",)}.get(element or "", (element or "",))


# ---- values


def combined(rng: random.Random, m: Machine) -> tuple[int, Value]:
    """(cycles, value) of steps that the machine has, each element of main memory once."""
    begin = rng.choice(m.begins)
    element = rng.choice(read_by(BEGINS[begin]))
    used = {element}
    value: Value = ("+", "T", element) if element else "T"
    cycles = m.cycles[begin]
    for _ in range(rng.randint(0, 3)):
        name, x, brought = rng.choice(m.steps(NUMBERS) or [("", None, 0)])
        if not name or (x in ELEMENTS and x in used):
            continue
        used.add(x if x in ELEMENTS else None)
        value, cycles = UPDATES[name][2](value, x), cycles + m.cycles[name] + brought
    store = rng.choice(m.stores)
    return cycles + m.cycles[store], STORES[store][2](value)


NUMBERS = (-100, -20, -3, 0, 2, 7, 20, 127)


def otherwise(rng: random.Random, value: Value, often: float = 0.4) -> Value:
    """The value in another form, by equalities that hold for all elements."""
    if not isinstance(value, tuple):
        return value
    head, *args = value
    args = [otherwise(rng, a, often) for a in args]
    if rng.random() >= often:
        return (head, *args)
    match head, *args:
        case ("+", x, int() as n) if -100 < n < 0 and rng.random() < 0.7:
            return "-", x, -n
        case ("+", x, int() as n) if 0 < n < 100 and rng.random() < 0.3:
            return "-", x, -n
        case ("+" | "max" | "min", x, y):
            if head == "max" and 0 in (x, y):
                return "relu", (x if y == 0 else y)
            return head, y, x
        case ("relu", x):
            return ("max", x, 0) if rng.random() < 0.6 else ("max", 0, x)
        case ("sat", ("i32", x)) if not _exact(x):
            return rng.choice(
                [("i8", ("min", ("max", x, -128), 127)), ("i8", ("max", ("min", x, 127), -128)), ("sat", x)]
            )
    return (head, *args)


def _exact(value: Value) -> bool:
    """Whether it may be beyond 32 bits where nothing wraps."""
    return isinstance(value, tuple) and (value[0] in ("+", "-", "neg") or any(map(_exact, value[1:])))


def any_value(rng: random.Random, depth: int) -> Value:
    """Any tree with T in it, and other elements once."""
    value: Value = "T"
    free = list(ELEMENTS)
    for _ in range(rng.randint(1, depth)):
        head = rng.choice(["+", "-", "max", "min", "relu", ">>", "neg", "i32"])
        if head in ("relu", "neg", "i32"):
            value = head, value
        elif head == ">>":
            value = head, value, rng.choice([1, 4, 16])
        else:
            other: Value = rng.choice(NUMBERS)
            if free and rng.random() < 0.5:
                other = free.pop(rng.randrange(len(free)))
            value = (head, value, other) if rng.random() < 0.7 else (head, other, value)
    return rng.choice([value, ("i8", value), ("sat", value), ("sat", ("i32", value))])


def kernel_of(value: Value) -> Kernel:
    """The sum of products of bytes, and the value of it."""
    kind = "i8" if isinstance(value, tuple) and value[0] in ("i8", "sat") else "i32"
    types = {n: "i32" for n in ELEMENTS if READ[n] in text(value)}
    return summed.kernel_of(f"Y[i,j] = {text(value)}", **types, Y=kind)


def text(value: Value) -> str:
    """The value as kernels spell it."""
    if isinstance(value, tuple):
        return SPELT[value[0]].format(*map(text, value[1:]))
    return READ.get(value, str(value))


def computed(value: Value, at: dict[str, int], exact: bool = False) -> int:
    """The value of these elements. exact: below a saturation."""
    if not isinstance(value, tuple):
        return at.get(value, value)
    head, *rest = value
    inside = head == "sat" or (exact and head not in ("i32", "i8"))
    args = [computed(a, at, inside) for a in rest]
    match head:
        case "sat":
            return min(max(args[0], -128), 127)
        case "i8":
            return (args[0] + 128) % 256 - 128
        case "i32":
            return _wrapped(args[0])
    found = {
        "+": lambda x, y: x + y, "-": lambda x, y: x - y, "max": max, "min": min, "relu": lambda x: max(x, 0),
        ">>": lambda x, y: x >> y, "neg": lambda x: -x,
    }[head](*args)  # fmt: skip
    return found if exact else _wrapped(found)


def _wrapped(x: int) -> int:
    return (x - LOW) % 2**32 + LOW


@cache
def samples() -> list[dict[str, int]]:
    """Elements at which values are told apart: ends of types, small ones, and all sizes between."""
    rng = random.Random(0)

    def one() -> int:
        return rng.choice(
            [rng.randint(-300, 300), rng.choice([LOW, HIGH, -128, 127, 0]), rng.randint(LOW, HIGH), rng.randint(-9, 9)]
        )

    return [{n: one() for n in ("T", *ELEMENTS)} for _ in range(400)]


def meaning(value: Value) -> tuple[int, ...]:
    """The value at all samples."""
    return tuple(computed(value, at) for at in samples())


def meaning_is(value: Value, right: tuple[int, ...]) -> bool:
    """Whether the value is this at all samples."""
    return all(computed(value, at) == r for at, r in zip(samples(), right, strict=True))


def numbers_in(value: Value) -> tuple[int, ...]:
    """The numbers in it, with both signs; the ends of a byte for a saturation."""
    if isinstance(value, tuple):
        own = (-128, 127) if value[0] == "sat" else (0,) if value[0] == "relu" else ()
        return tuple(sorted({*own, *(n for v in value[1:] for n in numbers_in(v))}))
    return (value, -value) if isinstance(value, int) else ()


def ordered(value: Value) -> Value:
    """One form for all orders of operands, and of relu."""
    if not isinstance(value, tuple):
        return value
    head, *args = value
    args = [ordered(a) for a in args]
    if head == "i32" or (head == "sat" and not _exact(value[1])):
        return ("sat", args[0]) if head == "sat" else args[0]
    if head == "sat":
        head = "sat" if isinstance(value[1], tuple) and value[1][0] == "i32" else "exact"
    if head == "relu":
        head, args = "max", [args[0], 0]
    return (head, *(sorted(args, key=repr) if head in ("+", "max", "min") else args))
