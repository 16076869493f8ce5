"""Values that must agree bit for bit and are not one tree: numbers for which they differ, or a proof in floating point.

The search uses the interpreter's own arithmetic, each operation rounded to its type, so the interpreter shows every
difference found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.ranges import Question
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.scalar_values import BOOL
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.evaluate import Evaluator
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import Read, Relu, Scalar, SMax, SMin
from isamap_smt.proof.scalar_rules import by_rules

MOST = 20_000  # combinations of the numbers below
RANDOM = 20_000
TIES = tuple(1 + 2.0**-n + 2.0**-48 for n in (8, 11, 24))  # just above the middle of two numbers of bf16, f16 and f32
NUMBERS = (1.0, 2.0, 3.0, -1.0, 0.1, 0.0, -0.0, -3.0, 1e4, 1e-4, float("inf"), float("nan"), -float("inf"), *TIES)


def equal_bits(q: Question, rules: Sequence[Rule] = ()) -> Verdict:
    """Whether both values are the same bits for all elements (any NaN is equal to any other), by a chain of rules or by Z3."""
    found = _difference(q)
    if found is not None:
        return found
    if rules and isinstance(chain := by_rules(q, rules, reals=False), Proved):
        return chain
    verdict = equal_floats(q.left, q.right, q.types, q.result, q.ranges)
    if isinstance(verdict, Unknown):
        text = f"equal over the reals; rounding, NaN and signs of zero may still differ ({verdict.reason})"
        if q.result[0] in ("i", "u"):
            text = f"no difference was found, and none is ruled out ({verdict.reason})"
        return Unknown(text, verdict.seconds)
    return verdict


def _difference(q: Question) -> Refuted | None:
    """Elements at which the bits differ, by the interpreter; simple ones first."""
    used = {s.name for e in (q.left, q.right) for s in getattr(e, "free_symbols", ())}
    names = sorted(n for n in q.types if n in used)
    kinds = {n: _dtype(*q.types[n]) for n in names}
    with np.errstate(over="ignore"):  # infinities are numbers, too
        samples = _samples([kinds[n] for n in names], [q.ranges.get(n) for n in names])
    arrays = {f"x{i}": samples[i] for i in range(len(names))}
    count = len(samples[0]) if names else 1
    kernel = Kernel("samples", tuple(Tensor(f"x{i}", kinds[n], (count,)) for i, n in enumerate(names)), ())
    at = Evaluator(kernel, arrays)
    env = {"i": np.arange(count), "#": np.arange(count)}
    out = _dtype(*q.result)
    table = {n: Read(sp.Symbol(f"x{i}"), sym("i")) for i, n in enumerate(names)}
    try:
        with np.errstate(all="ignore"):
            left, right = (at.value(_reads(e, table), env, out) for e in (q.left, q.right))
    except (IsamapError, KeyError, TypeError):
        return None
    word = np.dtype(f"u{out.bytes}")
    nan = np.isnan(left.astype(np.float64)) & np.isnan(right.astype(np.float64))
    differ = (left.view(word) != right.view(word)) & ~nan
    if any(e.has(SMax, SMin, Relu) for e in (q.left, q.right)):
        differ &= left != right  # which of +0 and -0 is the larger is left open
    if not differ.any():
        return None
    k = int(np.argmax(differ))
    witness = {n: _number(samples[i][k]) for i, n in enumerate(names)}
    return Refuted(witness | {"kernel": _number(left[k]), "instruction": _number(right[k])})


def _number(x: Any) -> float | int | str:
    """A finite number, or the name of any other value."""
    if np.asarray(x).dtype.kind in "iu":
        return int(x)
    return float(x) if np.isfinite(float(x)) else str(float(x))


def _reads(e: Any, table: dict[str, Any]) -> Any:
    if getattr(e, "is_Symbol", False):
        return table.get(e.name, e)
    if not isinstance(e, Scalar):
        return e
    return e.func(*[_reads(a, table) for a in e.args])


def _dtype(kind: str, bits: int) -> DType:
    return DTYPES[{("bf", 16): "bf16", BOOL: "bool"}.get((kind, bits), kind if kind in DTYPES else f"{kind}{bits}")]


def _samples(kinds: list[DType], ranges: list[tuple[int, int] | None]) -> list[np.ndarray]:
    """One array per element: all combinations of a few numbers, simple ones first, then random ones."""
    if any(not d.is_float for d in kinds):
        return _mixed(kinds, ranges)
    few: tuple[float, ...] = NUMBERS
    while len(few) ** len(kinds) > MOST and len(few) > 2:
        few = few[:-1]
    rows = np.array(list(itertools.islice(itertools.product(few, repeat=len(kinds)), MOST)))
    rng = np.random.default_rng(0)
    shape = (RANDOM, len(kinds))
    more = rng.choice([-1.0, 1.0], shape) * np.exp2(rng.uniform(-12, 12, shape))
    special = np.array(NUMBERS)
    mixed = np.where(rng.random(shape) < 0.2, special[rng.integers(0, len(special), shape)], more)
    values = np.concatenate([rows.reshape(-1, len(kinds)), more, mixed])
    return [values[:, i].astype(d.numpy) for i, d in enumerate(kinds)]


def _mixed(kinds: list[DType], ranges: list[tuple[int, int] | None]) -> list[np.ndarray]:
    """The same if some elements are integers: small ones, ends of ranges, and random ones of every length."""
    few = [_few(d, r) for d, r in zip(kinds, ranges, strict=True)]
    while math.prod(map(len, few)) > MOST and max(map(len, few)) > 2:
        few = [values[: max(2, len(values) - 1)] for values in few]
    rows = list(zip(*itertools.islice(itertools.product(*few), MOST), strict=True))
    rng = np.random.default_rng(0)
    return [
        np.concatenate([np.array(row, d.numpy), _drawn(d, *(r or (d.low, d.high)), rng)])
        for d, r, row in zip(kinds, ranges, rows, strict=True)
    ]


def _few(d: DType, r: tuple[int, int] | None) -> list[float]:
    if d.is_float:
        return list(NUMBERS)
    low, high = r or (d.low, d.high)
    ties = [(1 << n) + (1 << (n - d)) + 1 for n in (24, 60) for d in (8, 11, 24)]  # as TIES
    near = (1, 0, 2, 3, -1, low, high, low + 1, high - 1, 100, 300, (1 << 24) + 1, (1 << 53) + 1, *ties)
    return [v for v in dict.fromkeys(near) if low <= v <= high]


def _drawn(d: DType, low: int, high: int, rng: np.random.Generator) -> np.ndarray:
    """RANDOM numbers of every length, from `low` to `high`."""
    positive = rng.random(RANDOM) < 0.5
    if d.is_float:
        return (np.where(positive, 1.0, -1.0) * np.exp2(rng.uniform(-12, 40, RANDOM))).astype(d.numpy)
    bits = rng.integers(1, d.bits, RANDOM, np.uint64, endpoint=True)
    size = rng.integers(0, 2**64 - 1, RANDOM, np.uint64, endpoint=True) >> (64 - bits)
    up, down = (np.minimum(size, np.uint64(max(0, end))) for end in (high, -low))
    return np.clip(np.where(positive, up, -down).astype(d.numpy), low, high)  # modulo 2^64 until here


__all__ = ["equal_bits"]
