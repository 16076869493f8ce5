"""Random statements onto lanes: each is planned, proved, compiled (simulated, of a machine without C), and compared with NumPy bit
for bit; no code is shared. Operands are ordinary, or of the whole range of their type. What is added up may be off by the rounding
of each operation, and is finite where everything in the text is, unless a note of the plan says otherwise.

python -m benchmarks.fuzz_selection [STATEMENTS] [SEED] [MACHINE]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.targets.target import default_target

Env = dict[str, Any]
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
REDUCE = {"+": np.add, "max": np.maximum, "min": np.minimum}
TESTS = {"<": np.less, "<=": np.less_equal, "==": np.equal}
LEAVES = "on the way numbers may be too large, or too small"  # a note of plans whose sums are rewritten


@dataclass(frozen=True)
class Term:
    """An expression: as kernel text, and as a function of arrays that stand broadcast over (i, j).

    near: (value in f64, how far rounding may take any program from it), infinitely where something leaves the type.
    """

    text: str
    value: Callable[[Env], Any]
    near: Callable[[Env], tuple[Any, Any]]


def leaf(text: str, value: Callable[[Env], Any]) -> Term:
    """What is exact."""
    return Term(text, value, lambda e: (np.asarray(value(e), np.float64), np.zeros(np.shape(value(e)))))


def rounded(value: Any, error: Any, kind: Any) -> tuple[Any, Any]:
    """The same after an operation's own rounding."""
    limits = np.finfo(kind)
    error = (error + np.abs(value) * limits.eps) * 1.01 + limits.smallest_subnormal
    left = ~(np.abs(value) + error < limits.max) if kind != np.float64 else ~(np.abs(value) + error < 1e300)
    return value, np.where(left, np.inf, error)


def arithmetic(kind: str, x: Term, y: Term) -> Callable[[Env], tuple[Any, Any]]:
    """Of a sum, difference, product or quotient."""

    def near(e: Env) -> tuple[Any, Any]:
        (a, da), (b, db) = x.near(e), y.near(e)
        if kind in "+-":
            return rounded(a + b if kind == "+" else a - b, da + db, e["type"])
        if kind == "*":
            return rounded(a * b, da * np.abs(b) + db * np.abs(a) + da * db, e["type"])
        away = np.abs(b) - db
        off = np.where(away > 0, (da + np.abs(a / b) * db) / away, np.inf)
        return rounded(a / b, off, e["type"])

    return near


def chosen(a: Term, b: Term, sign: str, x: Term, y: Term) -> Callable[[Env], tuple[Any, Any]]:
    """Of a selection; a and b are elements or numbers, and exact."""

    def near(e: Env) -> tuple[Any, Any]:
        holds = TESTS[sign](a.value(e), b.value(e))
        (u, du), (v, dv) = x.near(e), y.near(e)
        return np.where(holds, u, v), np.where(holds, du, dv)

    return near


def term(rng: random.Random, depth: int, reads: list[str], floats: bool) -> Term:
    """A random expression over the elements named `reads`."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.8:
            name = rng.choice(reads)
            return leaf(name, lambda e: e[name])
        number = rng.choice([0.5, 1.5, -2.25, 3.0]) if floats else rng.choice([1, 3, 7, 100])
        return leaf(f"({number})" if number < 0 else str(number), lambda e: e["one"] * e["type"](number))
    x, y = (term(rng, depth - 1, reads, floats) for _ in range(2))
    zeros = any(w in y.text for w in ("max", "min", "relu"))  # of either sign, which a quotient would tell apart
    kind = rng.choice(["+", "-", "*", "max", "min", "relu", "select", *(["/"] if floats and not zeros else [])])
    if kind in "+-*/":
        work = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[kind]
        return Term(f"({x.text} {kind} {y.text})", lambda e: work(x.value(e), y.value(e)), arithmetic(kind, x, y))
    if kind in ("max", "min"):

        def larger(e: Env) -> tuple[Any, Any]:
            (u, du), (v, dv) = x.near(e), y.near(e)
            return REDUCE[kind](u, v), np.maximum(du, dv)

        return Term(f"{kind}({x.text}, {y.text})", lambda e: REDUCE[kind](x.value(e), y.value(e)), larger)
    if kind == "relu":
        return Term(
            f"relu({x.text})", lambda e: np.maximum(x.value(e), e["type"](0)),
            lambda e: (np.maximum(x.near(e)[0], 0), x.near(e)[1]),
        )  # fmt: skip
    a, b = (term(rng, 0, reads, floats) for _ in range(2))
    sign = rng.choice(["<", "<=", "=="])
    test = TESTS[sign]
    return Term(
        f"select({a.text} {sign} {b.text}, {x.text}, {y.text})",
        lambda e: np.where(test(a.value(e), b.value(e)), x.value(e), y.value(e)),
        chosen(a, b, sign, x, y),
    )


def statement(rng: random.Random) -> tuple[str, str, str, Term, dict[str, str]]:
    """(type, operator, kernel text, value, operand -> index)."""
    kind = rng.choice(["f32", "f32", "f64", "i32"])
    op = rng.choice(["=", "=", "max", "min", "+"])
    shapes = {n: rng.choice(["i,j", "i,j", "j", "i"]) for n in "ABC"} | {"A": "i,j"}
    found = term(rng, rng.randint(1, 4), [f"{n}[{s}]" for n, s in shapes.items()], kind != "i32")
    own = leaf("A[i,j]", lambda e: e["A[i,j]"])
    found = Term(
        f"{found.text} + A[i,j]",
        lambda e, f=found: np.add(f.value(e), e["A[i,j]"]),
        arithmetic("+", found, own),  # type: ignore[misc]
    )
    target = "Y[i,j]" if op == "=" else rng.choice(["Y[i]", "Y[j]"])
    return kind, op, f"{target} {'' if op == '=' else op}= {found.text}", found, shapes


def expected(kind: str, op: str, text: str, found: Term, arrays: dict[str, np.ndarray], shapes: dict[str, str]) -> Any:
    """What NumPy computes, and of a sum of floating point the largest error that its order explains."""
    view = {"i,j": lambda a: a, "j": lambda a: a[None, :], "i": lambda a: a[:, None]}
    env: Env = {f"{n}[{s}]": view[s](arrays[n]) for n, s in shapes.items()}
    env |= {"one": np.ones((1, 1), TYPES[kind]), "type": TYPES[kind]}
    full = np.broadcast_to(found.value(env), arrays["A"].shape)
    if op == "=":
        return full, None
    axis = 1 if text.startswith("Y[i]") else 0
    if op == "+" and kind != "i32":
        wide, off = (np.broadcast_to(x, full.shape) for x in found.near(env))
        largest = (np.abs(wide) + off).sum(axis)
        allowed = off.sum(axis) + full.shape[axis] * np.finfo(TYPES[kind]).eps * largest * 4
        allowed = np.where(
            largest < np.finfo(TYPES[kind]).max / 4, allowed, np.inf
        )  # in some order a part leaves the type
        return wide.sum(axis), allowed
    with_type = {"dtype": TYPES[kind]} if op == "+" else {}
    return REDUCE[op].reduce(full, axis=axis, **with_type), None


def operand(rng: np.random.Generator, kind: str, shape: tuple[int, ...], whole: bool = True) -> np.ndarray:
    """Ordinary values, now and then infinities, NaN, zeros, the ends of the type; if `whole`, often of all exponents."""
    if kind == "i32":
        return np.where(
            rng.random(shape) < 0.1, rng.integers(-(2**31), 2**31, shape), rng.integers(-50, 50, shape)
        ).astype(np.int32)
    if whole and rng.random() < 0.5:
        limits = np.finfo(TYPES[kind])
        exponents = rng.uniform(limits.minexp - 20, limits.maxexp - 0.1, shape) * rng.choice([1, 0.5, 0.25])
        return (rng.choice([-1.0, 1.0], shape) * np.exp2(exponents)).astype(TYPES[kind])
    odd = rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, 3e38], shape)
    return np.where(rng.random(shape) < 0.02, odd, rng.standard_normal(shape)).astype(TYPES[kind])


def same(got: np.ndarray, wanted: np.ndarray, allowed: Any) -> bool:
    """Equal values (the sign of a zero left open, as max and min do), or within what is allowed."""
    if allowed is None:
        return bool(np.array_equal(got, wanted, equal_nan=got.dtype.kind == "f"))
    finite = np.isfinite(wanted) & np.isfinite(allowed)
    return bool((np.abs(got.astype(np.float64) - wanted)[finite] <= allowed[finite]).all())


def one(seed: int, machine: str) -> str:
    """'selected', 'described' or 'portable': how a random statement was computed, or 'noted' where nothing is promised of numbers
    of the whole range; raises AssertionError where it was wrong."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    kind, op, text, found, shapes = statement(rng)
    sizes = {"i": rng.randint(1, 40), "j": rng.randint(1, 70)}
    used = {n: s for n, s in shapes.items() if f"{n}[" in text}
    kernel = im.kernel(text, dtypes=dict.fromkeys((*used, "Y"), kind), name="statement")
    planned = im.plan(kernel, machine, sizes=sizes)
    size = {"i,j": (sizes["i"], sizes["j"]), "i": (sizes["i"],), "j": (sizes["j"],)}
    noted = op == "+" and any(LEAVES in n for n in planned.notes)
    arrays = {n: operand(numbers, kind, size[s], not noted) for n, s in used.items()}
    where = default_target(planned.hardware)
    built = where.build(where.emit(planned))
    with np.errstate(all="ignore"):
        got = built(**{n: arrays[n] for n in kernel.inputs})
        got = got["Y"] if isinstance(got, dict) else got
        wanted, allowed = expected(kind, op, text, found, arrays, used)
    assert not any("another cover" in n for n in built.notes), f"seed {seed}: {text}\n{built.notes}"
    with np.errstate(all="ignore"):
        right = same(got, wanted, allowed)
    if not right:
        raise AssertionError(f"seed {seed}, {kind}, {sizes}: {text}\n{planned}\ngot {got}\nwanted {wanted}")
    used_one = planned.instruction
    if noted:
        return "noted"
    return "portable" if used_one is None else "selected" if used_one.short == "selected" else "described"


def attack(one: Callable[[int, str], str], count: int = 100, seed: int = 0, machine: str = "host") -> None:
    """Counts how the statements were computed. one: tries that of a seed, and raises AssertionError where it was wrong."""
    how: Counter[str] = Counter()
    for n in range(count):
        how[one(seed + n, machine)] += 1
        print(f"\r{n + 1} of {count}: {dict(how)}", end="", file=sys.stderr)
    print(f"{count} statements from seed {seed} on {machine}: 0 wrong; {dict(how)}")


def words() -> tuple[int | str, ...]:
    """Count, seed and machine, as the command line has them."""
    return tuple(int(w) if w.isdigit() else w for w in sys.argv[1:])


if __name__ == "__main__":
    attack(one, *words())  # type: ignore[arg-type]
