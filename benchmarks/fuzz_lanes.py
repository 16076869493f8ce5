"""Random statements whose values change their type on their way, onto lanes: compared with NumPy bit for bit; no code is shared.

python -m benchmarks.fuzz_lanes [STATEMENTS] [SEED] [MACHINE]

Integers are exact. What isamap's language says of conversions is said again here, with NumPy alone: integers wrap, `sat_` clamps
the exact integer, a float is cut off (or rounded to even) and clamped, and NaN is 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import isamap_smt as im
from benchmarks.fuzz_selection import attack, words

INTEGERS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32}
FLOATS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
TYPES: dict[str, Any] = {**INTEGERS, **FLOATS}
Env = dict[str, Any]


@dataclass(frozen=True)
class Term:
    """An expression of one type: as kernel text, and as a function of arrays that stand broadcast over (i, j)."""

    text: str
    value: Callable[[Env], Any]


def clamp(x: Any, kind: str) -> Any:
    """Numbers of f64 that are whole, or of i64, as the nearest of the integer type; NaN is 0."""
    ends = np.iinfo(TYPES[kind])
    return np.clip(np.where(np.isnan(x), 0, x), ends.min, ends.max).astype(np.int64).astype(TYPES[kind])


class Maker:
    """Random expressions over the elements that are there: text -> type."""

    def __init__(self, rng: random.Random, reads: dict[str, str]) -> None:
        self.rng, self.reads = rng, reads

    def term(self, kind: str, depth: int) -> Term:
        """One of that type."""
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf(kind)
        ways = [self.converted] * 3
        ways += [self.whole, self.whole, self.whole, self.saturated] if kind in INTEGERS else []
        ways += [self.floating] * 3 if kind == "f32" else []
        return self.rng.choice(ways)(kind, depth - 1)

    def leaf(self, kind: str) -> Term:
        """An element, converted where none is of that type."""
        name = self.rng.choice([n for n, k in self.reads.items() if k == kind] or list(self.reads))
        found = Term(name, lambda e: e[name])
        return found if self.reads[name] == kind else self._convert(found, self.reads[name], kind)

    def converted(self, kind: str, depth: int) -> Term:
        """A conversion from another type."""
        others = [k for k in (FLOATS if kind in ("f16", "bf16") else TYPES) if k != kind]
        of = self.rng.choice(["f32"] if kind in ("f16", "bf16") else others)
        return self._convert(self.term(of, depth), of, kind)

    def _convert(self, x: Term, of: str, kind: str) -> Term:
        if kind in FLOATS:
            if of == "i32" and kind != "f32":  # NumPy would round it twice
                return self._convert(self._convert(x, of, "f32"), "f32", kind)
            return Term(f"{kind}({x.text})", lambda e: x.value(e).astype(np.float32).astype(TYPES[kind]))
        if of in INTEGERS:
            if self.rng.random() < 0.5:
                return Term(f"sat_{kind}({_typed(x, of)})", lambda e: clamp(x.value(e).astype(np.int64), kind))
            return Term(f"{kind}({x.text})", lambda e: x.value(e).astype(TYPES[kind]))
        if self.rng.random() < 0.5:
            return Term(f"round_{kind}({x.text})", lambda e: clamp(np.rint(x.value(e).astype(np.float64)), kind))
        return Term(f"{kind}({x.text})", lambda e: clamp(np.trunc(x.value(e).astype(np.float64)), kind))

    def saturated(self, kind: str, depth: int) -> Term:
        """An exact sum, difference or product that is clamped."""
        of = self.rng.choice(list(INTEGERS))
        x, y = self.term(of, depth), self.term(of, depth)
        sign, work = self.rng.choice([("+", np.add), ("-", np.subtract), ("*", np.multiply)])
        return Term(
            f"sat_{kind}({_typed(x, of)} {sign} {_typed(y, of)})",
            lambda e: clamp(work(x.value(e).astype(np.int64), y.value(e).astype(np.int64)), kind),
        )

    def whole(self, kind: str, depth: int) -> Term:
        """An operation on integers of the type."""
        x, y = self.term(kind, depth), self.term(kind, depth)
        word = self.rng.choice(["+", "-", "*", "max", "min", ">>", "relu", "select", "number", "mean"])
        if word in "+-*":
            work = {"+": np.add, "-": np.subtract, "*": np.multiply}[word]
            return Term(f"({x.text} {word} {y.text})", lambda e: work(x.value(e), y.value(e), dtype=TYPES[kind]))
        if word in ("max", "min"):
            pick = np.maximum if word == "max" else np.minimum
            return Term(f"{word}({x.text}, {y.text})", lambda e: pick(x.value(e), y.value(e)))
        if word == ">>":
            by = self.rng.randrange(np.iinfo(TYPES[kind]).bits)
            return Term(f"({x.text} >> {by})", lambda e: np.right_shift(x.value(e), TYPES[kind](by)))
        if word == "relu":
            return Term(f"relu({x.text})", lambda e: np.maximum(x.value(e), TYPES[kind](0)))
        if word == "number":
            number = self.rng.choice([1, 3, 100, 127])
            return Term(f"({x.text} + {number})", lambda e: np.add(x.value(e), TYPES[kind](number), dtype=TYPES[kind]))
        if word == "mean" and kind == "u8":
            return Term(
                f"u8((u16({x.text}) + u16({y.text}) + 1) >> 1)",
                lambda e: ((x.value(e).astype(int) + y.value(e).astype(int) + 1) >> 1).astype(np.uint8),
            )
        return self._select(kind, x, y)

    def _select(self, kind: str, x: Term, y: Term) -> Term:
        a, b = self.leaf(kind), self.leaf(kind)
        sign, test = self.rng.choice([("<", np.less), ("<=", np.less_equal), ("==", np.equal)])
        return Term(
            f"select({a.text} {sign} {b.text}, {x.text}, {y.text})",
            lambda e: np.where(test(a.value(e), b.value(e)), x.value(e), y.value(e)),
        )

    def floating(self, kind: str, depth: int) -> Term:
        """An operation on f32."""
        x, y = self.term(kind, depth), self.term(kind, depth)
        word = self.rng.choice(["+", "-", "*", "max", "min", "select", "number"])
        if word in "+-*":
            work = {"+": np.add, "-": np.subtract, "*": np.multiply}[word]
            return Term(f"({x.text} {word} {y.text})", lambda e: work(x.value(e), y.value(e)))
        if word in ("max", "min"):
            pick = np.maximum if word == "max" else np.minimum
            return Term(f"{word}({x.text}, {y.text})", lambda e: pick(x.value(e), y.value(e)))
        if word == "number":
            return Term(f"({x.text} * 0.375)", lambda e: x.value(e) * np.float32(0.375))
        return self._select(kind, x, y)


def _typed(x: Term, kind: str) -> str:
    """The term with its type said, so that what is exact around it begins there."""
    return f"{kind}({x.text})"


def operand(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Ordinary values, and the ends of the type; of floats infinities and NaN."""
    if kind in INTEGERS:
        ends = np.iinfo(TYPES[kind])
        any_of = rng.integers(ends.min, ends.max, shape, endpoint=True)
        return np.where(rng.random(shape) < 0.3, rng.choice([ends.min, ends.max, 0, 1], shape), any_of).astype(
            TYPES[kind]
        )
    odd = rng.choice([np.inf, -np.inf, np.nan, 0.5, -1.5, 2.0**31, -(2.0**31), 3e9, 127.5, 255.5], shape)
    with np.errstate(all="ignore"):
        usual = rng.standard_normal(shape) * rng.choice([1.0, 100.0, 1e5], shape)
        return np.where(rng.random(shape) < 0.1, odd, usual).astype(np.float32).astype(TYPES[kind])


def one(seed: int, machine: str) -> str:
    """How a random statement was computed: 'lanes', 'lanes and portable C', 'described' or 'portable C'. Raises AssertionError
    where it was wrong."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    out = rng.choice([*TYPES, "i8", "u8", "i32", "f32"])
    shapes = {n: rng.choice(["i,j", "i,j", "j", "i"]) for n in "BC"} | {"A": "i,j"}
    pool = [*rng.sample([*TYPES], 2), out]
    kinds = {n: rng.choice(pool) for n in "ABC"}
    found = Maker(rng, {f"{n}[{s}]": kinds[n] for n, s in shapes.items()}).term(out, rng.randint(1, 4))
    used = [n for n in "ABC" if f"{n}[" in found.text]
    whole = all(f"{n}[{shapes[n]}]" in found.text for n in used) and any(shapes[n] == "i,j" for n in used)
    op = rng.choice(["=", "=", "max", "min", "+"]) if out in INTEGERS and whole else "="
    target = "Y[i,j]" if op == "=" else rng.choice(["Y[i]", "Y[j]"])
    # without a cast in it everything would be converted to the type of Y
    text = f"{target} {'' if op == '=' else op}= {found.text if '(' in found.text else f'{out}({found.text})'}"
    sizes = {"i": rng.randint(1, 20), "j": rng.randint(1, 150)}
    kernel = im.kernel(text, dtypes={"Y": out} | {n: kinds[n] for n in used}, name="statement")
    size = {"i,j": (sizes["i"], sizes["j"]), "i": (sizes["i"],), "j": (sizes["j"],)}
    arrays = {n: operand(numbers, kinds[n], size[shapes[n]]) for n in used}
    planned = im.plan(kernel, machine, sizes={a.name: sizes[a.name] for a in kernel.axes})
    got = im.build(planned)(*(arrays[n] for n in kernel.inputs))
    view: dict[str, Callable[[Any], Any]] = {"i,j": lambda a: a, "j": lambda a: a[None, :], "i": lambda a: a[:, None]}
    with np.errstate(all="ignore"):
        full = np.broadcast_to(
            found.value({f"{n}[{shapes[n]}]": view[shapes[n]](arrays[n]) for n in used}), size["i,j"]
        )
        wanted = full if op == "=" else _reduced(op, full, 1 if target == "Y[i]" else 0, out)
    if not np.array_equal(got, wanted, equal_nan=out in FLOATS):
        raise AssertionError(f"seed {seed}, {kinds}, {sizes}: {text}\n{planned}\ngot {got}\nwanted {wanted}")
    i = planned.instruction
    if i is None:
        return "portable C"
    return "described" if i.short != "selected" else "lanes and portable C" if "portable C" in i.told else "lanes"


def _reduced(op: str, full: Any, axis: int, kind: str) -> Any:
    """Along one axis; sums wrap."""
    if op == "+":
        return np.add.reduce(full, axis=axis, dtype=TYPES[kind])
    return (np.maximum if op == "max" else np.minimum).reduce(full, axis=axis)


if __name__ == "__main__":
    attack(one, *words())  # type: ignore[arg-type]
