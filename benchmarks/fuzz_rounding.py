"""Random statements, planned and run: results and both bounds of the rounding error against exact fractions; no code is shared.

python -m benchmarks.fuzz_rounding [STATEMENTS] [SEED] [MACHINE]
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

import isamap_smt as im
from benchmarks.fuzz_selection import TYPES, attack, statement, words
from isamap_smt.targets.find import default_target

REDUCE = {"+": np.add, "max": np.maximum, "min": np.minimum}


def exact(op: str, text: str, found: Any, arrays: dict[str, np.ndarray], shapes: dict[str, str]) -> Any:
    """The result in fractions; None where something is divided by 0."""
    view = {"i,j": lambda a: a, "j": lambda a: a[None, :], "i": lambda a: a[:, None]}
    fractions = {n: np.vectorize(Fraction, otypes=[object])(a.astype(np.float64)) for n, a in arrays.items()}
    env: dict[str, Any] = {f"{n}[{s}]": view[s](fractions[n]) for n, s in shapes.items()}
    env |= {"one": np.full((1, 1), Fraction(1), object), "type": Fraction}
    try:
        full = np.broadcast_to(found.value(env), arrays["A"].shape)
    except ZeroDivisionError:
        return None
    return full if op == "=" else REDUCE[op].reduce(full, axis=1 if text.startswith("Y[i]") else 0)


def one(seed: int, machine: str) -> str:
    """'bounded', or why nothing was said. Raises AssertionError where a result or the middle lies beyond its bound."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    kind, op, text, found, shapes = statement(rng)
    if kind == "i32":
        return "integers"
    sizes = {"i": rng.randint(1, 9), "j": rng.randint(1, 30)}
    used = {n: s for n, s in shapes.items() if f"{n}[" in text}
    kernel = im.kernel(text, dtypes=dict.fromkeys((*used, "Y"), kind), name="statement")
    planned = im.plan(kernel, machine, sizes=sizes)
    size = {"i,j": (sizes["i"], sizes["j"]), "i": (sizes["i"],), "j": (sizes["j"],)}
    scale = {n: numbers.choice([1, 1000, 1e-6]) for n in used}
    arrays = {n: (numbers.standard_normal(size[s]) * scale[n]).astype(TYPES[kind]) for n, s in used.items()}
    wanted = exact(op, text, found, arrays, used)
    if wanted is None:
        return "divided by 0"
    near = im.rounding_error(planned, arrays)["Y"]
    where = default_target(planned.hardware)
    with np.errstate(all="ignore"):
        got = where.build(where.emit(planned))(**{n: arrays[n] for n in kernel.inputs})
    got = got["Y"] if isinstance(got, dict) else got
    ranges = {n: (float(arrays[n].min()), float(arrays[n].max())) for n in kernel.inputs}
    before = im.rounding_bound(planned, ranges, sizes)["Y"]
    told = 0
    for g, w in zip(got.flat, wanted.flat, strict=True):
        if np.isfinite(before.error):
            allowed = Fraction(before.relative) * abs(w) + Fraction(before.absolute)
            if abs(Fraction(float(g)) - w) > allowed or abs(w) > Fraction(before.size) * (1 + Fraction(1, 2**40)):
                raise AssertionError(
                    f"seed {seed}, {kind}, {sizes}: {text}\n{planned}\n{g}, {before}, exactly {float(w)}"
                )
    for g, v, e, w in zip(got.flat, near.value.flat, near.error.flat, wanted.flat, strict=True):
        if not np.isfinite(e):
            continue
        told += 1
        middle, error = Fraction(float(v)), Fraction(float(e))
        if abs(middle - w) > error or abs(middle - Fraction(float(g))) > error:
            raise AssertionError(f"seed {seed}, {kind}, {sizes}: {text}\n{planned}\n{g} {v} +- {e}, exactly {float(w)}")
    return "bounded" if told == got.size else "bounded in part" if told else "nothing said"


if __name__ == "__main__":
    attack(one, *words())  # type: ignore[arg-type]
