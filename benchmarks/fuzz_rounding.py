"""Random statements, planned and run: results and both bounds of the rounding error against exact fractions; no code is shared.

Every second kernel has several statements: joined indices, elements without points, reads before writes, and time steps.

python -m benchmarks.fuzz_rounding [STATEMENTS] [SEED] [MACHINE]
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

import isamap_smt as im
from benchmarks.fuzz_selection import TYPES, attack, statement, words
from benchmarks.rounding_programs import drawn
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.near import Near
from isamap_smt.targets.target import default_target

EXACTLY = Fraction(1, 10**50)  # functions have 60 digits
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


Wanted = dict[str, list[Fraction | None]]
Drawn = tuple[im.Kernel, dict[str, int], dict[str, np.ndarray], Wanted]


def of_one_statement(rng: random.Random, numbers: np.random.Generator) -> Drawn | str:
    """A kernel, its sizes, its inputs and its exact results; or why there is none."""
    kind, op, text, found, shapes = statement(rng)
    if kind == "i32":
        return "integers"
    sizes = {"i": rng.randint(1, 9), "j": rng.randint(1, 30)}
    used = {n: s for n, s in shapes.items() if f"{n}[" in text}
    kernel = im.kernel(text, dtypes=dict.fromkeys((*used, "Y"), kind), name="statement")
    size = {"i,j": (sizes["i"], sizes["j"]), "i": (sizes["i"],), "j": (sizes["j"],)}
    scale = {n: numbers.choice([1, 1000, 1e-6]) for n in used}
    arrays = {n: (numbers.standard_normal(size[s]) * scale[n]).astype(TYPES[kind]) for n, s in used.items()}
    wanted = exact(op, text, found, arrays, used)
    return "divided by 0" if wanted is None else (kernel, sizes, arrays, {"Y": list(wanted.flat)})


def of_several(rng: random.Random, numbers: np.random.Generator) -> Drawn:
    """The same of several statements over vectors, some of them in time steps."""
    made, kind = drawn(rng, steps=0.25), rng.choice(["f32", "f32", "f64", "f16", "bf16"])
    names = [*made.lengths, *made.shapes]
    kernel = im.kernel(made.text(), dtypes=dict.fromkeys(names, kind), name="statements").with_sizes(made.used)
    scale = {n: numbers.choice([1, 1, 1, 30, 1e-6]) for n in made.shapes}
    arrays = {n: (numbers.standard_normal(s) * scale[n]).astype(DTYPES[kind].numpy) for n, s in made.shapes.items()}
    return kernel, {}, arrays, made.exact(arrays)


def followed(of: Any, arrays: dict[str, np.ndarray], sizes: dict[str, int]) -> dict[str, Near]:
    """The bounds for these arrays; none where a point of a statement reads what another one writes."""
    try:
        return im.rounding_error(of, arrays, sizes)
    except SizeError as error:
        assert "reads what another one writes" in str(error)
        return {}


def one(seed: int, machine: str) -> str:
    """'bounded', or why nothing was said. Raises AssertionError where a result or the middle lies beyond its bound."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    made = of_one_statement(rng, numbers) if seed % 2 else of_several(rng, numbers)
    if isinstance(made, str):
        return made
    kernel, sizes, arrays, wanted = made
    planned = im.plan(kernel, machine, sizes=sizes)
    where = default_target(planned.hardware)
    with np.errstate(all="ignore"):
        near = followed(kernel if kernel.recurrences else planned, arrays, sizes)
        got = where.build(where.emit(planned))(**{n: arrays[n] for n in kernel.inputs})
    got = got if isinstance(got, dict) else {kernel.results[0]: got}
    ranges = {n: (float(arrays[n].min()), float(arrays[n].max())) for n in kernel.inputs}
    try:
        before = im.rounding_bound(planned, ranges, sizes)
    except SizeError:  # of time steps nothing is known without a run
        assert kernel.recurrences, kernel.text
        before = {}
    told = 0
    for name, exactly in wanted.items():
        words = f"seed {seed}: {kernel.text}\n{kernel.tensors}\n{sizes}, {arrays}\n{planned}\n{name}: "
        if name in before and np.isfinite(before[name].error):
            for g, w in zip(got[name].flat, exactly, strict=True):
                b = before[name]
                assert w is not None, f"{words}{b}, of what has no value"
                allowed = Fraction(b.relative) * abs(w) + Fraction(b.absolute)
                inside = abs(w) <= Fraction(b.size) * (1 + Fraction(1, 2**40))
                assert abs(Fraction(float(g)) - w) <= allowed + EXACTLY and inside, (
                    f"{words}{g}, {b}, exactly {float(w)}"
                )
        if name not in near:
            continue
        for g, v, e, w in zip(got[name].flat, near[name].value.flat, near[name].error.flat, exactly, strict=True):
            if not np.isfinite(e) or not np.isfinite(v):
                assert np.isfinite(v) or w is None, f"{words}{v} +- {e}, exactly {w}"
                continue
            told += 1
            assert w is not None, f"{words}{v} +- {e} of what has no value"
            middle, error = Fraction(float(v)), Fraction(float(e)) + EXACTLY
            right = abs(middle - w) <= error and abs(middle - Fraction(float(g))) <= error
            assert right, f"{words}{g} {v} +- {e}, exactly {float(w)}"
    total = sum(map(len, wanted.values()))
    return "bounded" if told == total else "bounded in part" if told else "nothing said"


if __name__ == "__main__":
    attack(one, *words())  # type: ignore[arg-type]
