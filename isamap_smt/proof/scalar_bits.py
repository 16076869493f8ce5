"""Values that must agree bit for bit and are not one tree: numbers for which they differ, or a proof in floating point.

The numbers are looked for with the interpreter's own arithmetic, each operation rounded to its type, so a difference found
is one that it shows.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.ranges import Question
from isamap_encodings.scalar_floats import equal_floats
from isamap_encodings.verdict import Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.evaluate import Evaluator
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.scalar import Read, Relu, Scalar, SMax, SMin

MOST = 20_000  # combinations of the numbers below
RANDOM = 20_000
NUMBERS = (1.0, 2.0, 3.0, -1.0, 0.1, 0.0, -0.0, -3.0, 1e4, 1e-4, float("inf"), float("nan"), -float("inf"))


def equal_bits(q: Question) -> Verdict:
    """Whether both values are the same bits for all elements (any NaN is equal to any other)."""
    found = _difference(q)
    if found is not None:
        return found
    verdict = equal_floats(q.left, q.right, q.types, q.result)
    if isinstance(verdict, Unknown):
        text = f"equal over the reals; rounding, NaN and signs of zero may still differ ({verdict.reason})"
        return Unknown(text, verdict.seconds)
    return verdict


def _difference(q: Question) -> Refuted | None:
    """Elements at which the bits differ, by the interpreter; simple ones first."""
    used = {s.name for e in (q.left, q.right) for s in getattr(e, "free_symbols", ())}
    names = sorted(n for n in q.types if n in used)
    kinds = {n: _dtype(*q.types[n]) for n in names}
    if any(not d.is_float for d in kinds.values()):
        return None
    samples = _samples([kinds[n] for n in names])
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


def _number(x: Any) -> float | str:
    """A number, or the name of what is none."""
    return float(x) if np.isfinite(float(x)) else str(float(x))


def _reads(e: Any, table: dict[str, Any]) -> Any:
    if getattr(e, "is_Symbol", False):
        return table.get(e.name, e)
    if not isinstance(e, Scalar):
        return e
    return e.func(*[_reads(a, table) for a in e.args])


def _dtype(kind: str, bits: int) -> DType:
    return DTYPES["bf16" if kind == "bf" else f"{kind}{bits}"]


def _samples(kinds: list[DType]) -> list[np.ndarray]:
    """One array per element: all combinations of a few numbers, simple ones first, then random ones."""
    few: tuple[float, ...] = NUMBERS
    while len(few) ** len(kinds) > MOST and len(few) > 2:
        few = few[:-1]
    rows = np.array(list(itertools.islice(itertools.product(few, repeat=len(kinds)), MOST)))
    random = np.random.default_rng(0)
    shape = (RANDOM, len(kinds))
    more = random.choice([-1.0, 1.0], shape) * np.exp2(random.uniform(-12, 12, shape))
    special = np.array(NUMBERS)
    mixed = np.where(random.random(shape) < 0.2, special[random.integers(0, len(special), shape)], more)
    values = np.concatenate([rows.reshape(-1, len(kinds)), more, mixed])
    return [values[:, i].astype(d.numpy) for i, d in enumerate(kinds)]


__all__ = ["equal_bits"]
