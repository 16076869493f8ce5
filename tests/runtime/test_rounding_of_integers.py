"""Integers wrap around: bounds of rounding say nothing where their type does not hold a value, and nothing wrong elsewhere."""

from __future__ import annotations

import random
from contextlib import suppress

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError, LanguageError
from isamap_smt.ir.interpret import reference, run_kernel
from isamap_smt.proof.rounding import prove_rounding

POINTS = 512
OF_TWO = ("{} + {}", "{} - {}", "{} * {}", "max({}, {})", "min({}, {})", "{} // {}", "{} % {}", "{} & {}", "{} | {}", "{} ^ {}",
          "{} << {}", "{} >> {}")  # fmt: skip
OF_ONE = ("-{}", "abs({})", "~{}", "relu({})", "KIND(i32({}) * 2)", "sat_KIND({} + 3)")
AROUND = ("f32(KIND({}))", "exp(f32(KIND({})) * 0.01)", "f32(KIND({})) / 3")


def expression(rng: random.Random, depth: int) -> str:
    if not depth:
        return rng.choice(["A[i]", "B[i]", "3", "7"])
    made = rng.choice(OF_TWO if rng.random() < 0.6 else OF_ONE)
    return f"({made.format(*(expression(rng, depth - 1) for _ in range(made.count('{}'))))})"


def wrong(text: str, kind: str, out: str, ends: tuple[int, int], seed: int) -> set[str]:
    """Which analyses say what is not so."""
    types = {n: t for n, t in (("A", kind), ("B", kind), ("Y", out)) if f"{n}[" in text}
    kernel = im.kernel(text.replace("KIND", kind), dtypes=types, sizes={"i": POINTS})
    rng, ranges = np.random.default_rng(seed), dict.fromkeys(kernel.inputs, ends)
    drawn = {n: rng.integers(ends[0], ends[1] + 1, POINTS) for n in kernel.inputs}
    drawn = {n: np.where(rng.random(POINTS) < 0.3, rng.choice(ends, POINTS), v) for n, v in drawn.items()}
    arrays = {n: v.astype(kernel.tensor(n).dtype.numpy) for n, v in drawn.items()}
    found = set()
    with np.errstate(all="ignore"):
        got, want = (f(kernel, arrays)["Y"].astype(np.float64) for f in (run_kernel, reference))
        b, near = im.rounding_bound(kernel, ranges)["Y"], im.rounding_error(kernel, arrays)["Y"]
        slack = 1e-12 * max(abs(b.low), abs(b.high))
        inside = (b.low - slack <= want) & (want <= b.high + slack)
        if np.isfinite(b.error) and not (inside & (abs(got - want) <= b.relative * abs(want) + b.absolute)).all():
            found.add("ranges")
        beyond = np.maximum(abs(got - near.value), abs(want - near.value)) > near.error * 1.000001
        if np.isnan(near.error).any() or (np.isfinite(near.error) & beyond).any():
            found.add("arrays")
    proof, derived = prove_rounding(kernel, ranges, {})
    if proof.proved and any(not (abs(got - want) <= r * abs(want) + a).all() for r, a in derived.values()):
        found.add("proof")
    return found | ({"a proposal"} if proof.word == "refuted" else set())


@pytest.mark.parametrize(
    ("text", "kind", "out"),
    [
        ("Y[i] = -A[i]", "i8", "i8"), ("Y[i] = abs(A[i])", "i8", "i8"), ("Y[i] max= -A[i]", "u8", "u8"),
        ("Y[i] = sqrt(f32(abs(A[i])))", "i8", "f32"), ("Y[i] = max(A[i], 7) * (B[i] % 7)", "i16", "i16"),
        ("Y[i] = f32(i16(relu(i16(i32(B[i] << A[i]) * 2))))", "i16", "f32"),
    ],
)  # fmt: skip
def test_nothing_wrong_is_said_of_whole_types(text: str, kind: str, out: str) -> None:
    of = im.kernel("y[i] = x[i]", dtypes={"x": kind, "y": kind}).tensor("x").dtype
    assert not wrong(text, kind, out, (of.low, of.high), 1)


@pytest.mark.parametrize("first", [0, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_nothing_wrong_is_said_of_random_values(first: int) -> None:
    followed = 0
    for seed in range(first, first + 150):
        rng = random.Random(seed)
        kind = rng.choice(["i8", "u8", "i16"])
        out = rng.choice([kind, "f32"])
        text = expression(rng, rng.randint(1, 3))
        text = f"Y[i] {rng.choice(['=', '+=', 'max='])} {text if out == kind else rng.choice(AROUND).format(text)}"
        low = 0 if kind == "u8" else -128
        ends = sorted(rng.choices([low, low + 127, 255 + low, 5 + low // 9, 100], k=2))
        with suppress(DTypeError, LanguageError):  # texts that are no kernel
            assert not wrong(text, kind, out, (ends[0], ends[1]), seed), f"seed {seed}: {text}"
            followed += 1
    assert followed > 100
