"""Random values that invite rewriting, onto lanes: what the chosen steps compute against what the statement says, in NumPy.

python -m benchmarks.fuzz_rules [STATEMENTS] [SEED] [MACHINE]

Each statement is selected and proved; then the steps' value is worked out tree by tree, by arithmetic that is written here, on odd
operands. Assigned values must be the same bits (but for the sign of a zero that a maximum leaves open); of what is added up, the
difference may be what rounding explains. Nothing is compiled, so thousands take minutes; benchmarks.fuzz_selection compiles.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.mapping.selection import selected_instruction

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
Array = np.ndarray


def text(rng: random.Random, depth: int, floats: bool) -> str:
    """A random value over A, B and C, with many numbers, signs, factors in common and choices."""

    def deeper() -> str:
        return text(rng, depth - 1, floats)

    if depth == 0 or rng.random() < 0.12:
        return rng.choice("ABC")
    x, y, z = deeper(), deeper(), rng.choice("ABC")
    number = rng.choice(
        ["2", "4", "0.5", "8", "1", "0.125", "3", "-2", "0.1"] if floats else ["2", "4", "1", "6", "-1", "-4"]
    )
    kinds = [
        f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"(-{x})", f"(-(-{x}))", f"({x} * ({number}))", f"({x} * {z} + {y} * {z})",
        f"({x} * {z} - {z} * {y})", f"max({x}, 0)", f"relu({x})", f"max({x}, {y})", f"min(max({x}, -1), 1)", f"(0 - {x})",
        f"({x} + 0)", f"({x} - 0)", f"abs({x})", f"abs(-{x})", f"select({x} > {y}, {x}, {y})", f"select({x} < 0, -{x}, {x})",
        f"select({x} > 0, {x}, 0)", f"select({x} >= {z}, {x}, {y})", f"select({x} != {z}, {y}, {x})", f"max(max({x}, {y}), 1)",
    ]  # fmt: skip
    if floats:
        kinds += [f"({x} / ({number}))", f"({x} / {z} / {y})", f"({x} / 4 + {y} / 4)", f"sqrt(abs({x}))", f"(1 / sqrt({x}))",
                  f"(1 / {z})", f"({x} / 3)"]  # fmt: skip
    return rng.choice(kinds)


WORK: dict[str, Callable[..., Any]] = {
    "SAdd": np.add, "SSub": np.subtract, "SMul": np.multiply, "SDiv": np.divide, "SMax": np.maximum, "SMin": np.minimum,
    "SNeg": np.negative, "Abs": np.abs, "Sqrt": np.sqrt, "Relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "Rsqrt": lambda x: x.dtype.type(1) / np.sqrt(x),
}  # fmt: skip
COMPARE = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def value(tree: Any, at: dict[str, Array], kind: type) -> Array:
    """The tree in NumPy, each operation in the type."""
    if type(tree).__name__ == "Read":
        return at[str(tree.args[0])]
    if tree.is_Number:
        return np.full_like(next(iter(at.values())), kind(int(tree) if tree.is_Integer else float(tree)))
    if type(tree).__name__ == "Select":
        op, a, b = tree.args[0].args
        holds = COMPARE[str(op)](value(a, at, kind), value(b, at, kind))
        return np.where(holds, value(tree.args[1], at, kind), value(tree.args[2], at, kind))
    return np.asarray(WORK[type(tree).__name__](*[value(a, at, kind) for a in tree.args]), kind)


def error(tree: Any, at: dict[str, Array]) -> tuple[Array, Array]:
    """(value, error in units of rounding) to first order, in f64."""
    name = type(tree).__name__
    if name == "Read" or tree.is_Number:
        found = value(tree, at, np.float64)
        return found, np.zeros_like(found) if name == "Read" else np.abs(found)
    if name == "Select":
        op, a, b = tree.args[0].args
        holds = COMPARE[str(op)](error(a, at)[0], error(b, at)[0])
        parts = [error(t, at) for t in tree.args[1:]]
        return np.where(holds, parts[0][0], parts[1][0]), np.maximum(parts[0][1], parts[1][1])
    parts = [error(a, at) for a in tree.args]
    found = np.asarray(WORK[name](*[v for v, _ in parts]))
    errors = [e for _, e in parts]
    if name == "SMul":
        return found, errors[0] * abs(parts[1][0]) + errors[1] * abs(parts[0][0]) + abs(found)
    if name == "SDiv":
        return found, (errors[0] + abs(found) * errors[1]) / abs(parts[1][0]) + abs(found)
    if name in ("Sqrt", "Rsqrt"):
        return found, errors[0] / (2 * np.abs(parts[0][0])) * abs(found) + 2 * abs(found)
    return found, sum(errors) + (0 if name in ("SNeg", "Abs", "SMax", "SMin", "Relu") else abs(found))


def operands(rng: np.random.Generator, kind: str, odd: bool) -> Array:
    """Many values: ordinary ones and, where asked, many that are odd."""
    n = 4000
    if kind == "i32":
        wide = rng.integers(-(2**31), 2**31, n)
        return np.where(rng.random(n) < 0.5, wide, rng.integers(-9, 9, n)).astype(np.int32)
    special = rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, 3e38, 1.0, -1.0, 1e-38], n)
    with np.errstate(all="ignore"):
        plain = rng.standard_normal(n) * np.exp2(rng.uniform(-8, 8, n))
        return (np.where(rng.random(n) < 0.4, special, plain) if odd else plain).astype(TYPES[kind])


def one(seed: int, machine: im.Hardware) -> str:
    """How a random statement fared: 'rewritten', 'as written', 'unknown' or 'portable'; raises AssertionError where it was proved
    and wrong, or where an instruction that isamap made itself is refuted."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    kind, op = rng.choice(["f32", "f32", "f64", "i32"]), rng.choice(["=", "=", "+="])
    said = text(rng, rng.randint(1, 4), kind != "i32")
    written = "".join(f"{c}[i,j]" if c in "ABC" else c for c in said)
    kernel = im.kernel(f"Y[{'i,j' if op == '=' else 'j'}] {op} {written} + A[i,j]", name="statement")
    kernel = kernel.with_dtypes({t.name: kind for t in kernel.tensors})
    taken = selected_instruction(machine, kernel)
    if taken is None:
        return "portable"
    binding = dict(zip(taken.kernel.inputs, kernel.inputs, strict=True))
    found = im.prove(im.fuse(kernel, taken, "l=j", binding))
    if not isinstance(found, im.ProvedMapping):
        assert not found.refuted, f"seed {seed}: {kernel}\n{found}"
        return "unknown"
    right = _right(taken, kernel, kind, op, numbers, said)
    assert right, f"seed {seed}, {kind}: {kernel}\nby {taken.exact}"
    return "rewritten" if getattr(taken, "rules", ()) else "as written"


def _right(taken: Any, kernel: Any, kind: str, op: str, rng: np.random.Generator, said: str) -> bool:
    contract, steps = taken.kernel.statements[0].value, (taken.exact or taken.kernel).statements[0].value
    with np.errstate(all="ignore"):
        at = {n: operands(rng, kind, op == "=") for n in taken.kernel.inputs}
        wanted, got = value(contract, at, TYPES[kind]), value(steps, at, TYPES[kind])
        if kind == "i32":
            return bool((wanted == got).all())
        if op == "=":
            same = (wanted == got) | (np.isnan(wanted) & np.isnan(got))
            signs = (np.signbit(wanted) == np.signbit(got)) | np.isnan(wanted)
            return bool((same & (signs | any(w in said for w in ("max", "min", "relu")))).all())
        wide = {n: a.astype(np.float64) for n, a in at.items()}
        exact, allowed = error(contract, wide)
        own = np.finfo(TYPES[kind])
        slack = 300 * float(own.eps) * (allowed + np.abs(exact)) + float(own.smallest_normal) * 1e3
        far = np.abs(got.astype(np.float64) - wanted) > slack
        counted = np.isfinite(wanted) & np.isfinite(allowed) & np.isfinite(got)
        return bool(far[counted].mean() < 0.001) if counted.any() else True


def main(count: int = 1000, seed: int = 0, machine: str = "avx2") -> None:
    """Counts how the statements fared."""
    how: Counter[str] = Counter()
    hardware = im.find_hardware(machine)
    for n in range(count):
        how[one(seed + n, hardware)] += 1
        print(f"\r{n + 1} of {count}: {dict(how)}", end="", file=sys.stderr)
    covered = 100 * (how["rewritten"] + how["as written"]) / count
    print(
        f"{count} statements from seed {seed} on {machine}: 0 proved but wrong; {covered:.1f}% covered and proved; {dict(how)}"
    )


if __name__ == "__main__":
    main(*(int(w) if w.isdigit() else w for w in sys.argv[1:]))  # type: ignore[arg-type]
