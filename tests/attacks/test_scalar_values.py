"""Random values against random rewritings of them: where the scalar claim is proved, both compute the same bits."""

from __future__ import annotations

import random
import re
from collections import Counter

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.proof import ProvedMapping

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f32", "f64", "bf16", "f16")
REALS = (0.0, -0.0, 1.0, -1.0, 1.5, 0.1, -7.25, 1e5, 6e-5, 127.5, -128.5, 2.5, np.inf, -np.inf, np.nan)
WHOLE = (0, 1, 2, 3, 127, 128, 255, 1000, -1, -2, -127, -128)
TRIES = 120


def tree(rng: random.Random, depth: int, types: tuple[str, ...]) -> str:
    """A value of A, B and small numbers."""
    if depth == 0:
        return rng.choice(["A", "B", "A", "B", "0", "1", "3", "127", "128", "255", "-1", "-128"])
    x, y = tree(rng, depth - 1, types), tree(rng, depth - 1, types)
    shapes = [f"({x} {o} {y})" for o in "+-**"] + [f"max({x},{y})", f"min({x},{y})", f"relu({x})", f"(-{x})"]
    shapes += [f"{rng.choice(types)}({x})", f"select({x} {rng.choice(['<', '<=', '=='])} {y},{y},{x})"]
    if types == INTEGERS:
        shapes += [f"sat_{rng.choice(types)}({x})"] * 2
    return rng.choice(shapes)


def rewritten(rng: random.Random, value: str, types: tuple[str, ...]) -> str:
    """The same value in other words, or nearly the same."""
    names = "|".join((*INTEGERS, *FLOATS))
    return rng.choice([
        value,
        f"({value} + 0)",
        re.sub(r"\((\w+) ([*+]) (\w+)\)", r"(\3 \2 \1)", value),
        re.sub(r"\((\w+) - (\w+)\)", r"(\1 + (-\2))", value),
        re.sub(r"relu\(", "max(0,", value, count=1),
        re.sub(r"max\((\w+),(\w+)\)", r"select(\1 < \2,\2,\1)", value),
        re.sub(r"sat_(\w+)\(", r"\1(", value, count=1),
        re.sub(rf"\b({names})\(", f"{rng.choice(types)}(", value, count=1),
    ])  # fmt: skip


def ends(rng: random.Random, name: str) -> list[float]:
    """Values of the type at the ends of its range, about zero and between."""
    d = dtype(name)
    if d.is_float:
        return list(REALS)
    found = (d.low, d.low + 1, d.high - 1, d.high, *WHOLE, *(rng.randint(d.low, d.high) for _ in range(6)))
    return [x for x in found if d.low <= x <= d.high]


def same(got: np.ndarray, want: np.ndarray, zeros: bool) -> bool:
    """Equal values, NaN like NaN; with `zeros` of one sign, too."""
    a, b = got.astype("f8"), want.astype("f8")
    nan = np.isnan(a) & np.isnan(b)
    signs = np.signbit(a) == np.signbit(b) if zeros else np.True_
    return bool((((got == want) & signs) | nan).all())


def one(rng: random.Random) -> str:
    """The verdict on one pair of values; raises AssertionError where it is proved and they differ."""
    types = FLOATS if rng.random() < 0.3 else INTEGERS
    first = rng.choice(types)
    kinds = {n: first if rng.random() < alike else rng.choice(types) for n, alike in (("A", 1), ("B", 0.7), ("C", 0.5))}
    ours = ""
    while not {"A", "B"} <= set(ours):
        ours = tree(rng, rng.choice([1, 1, 2] if types == FLOATS else [1, 2, 2, 3]), types)
    theirs = rewritten(rng, ours, types)
    op = rng.choice(["=", "+=", "+=", "max="])
    ordered = " ordered" if types == FLOATS and op == "+=" else ""  # else it is proved over the reals
    text = f"C[i] {op} {ours.replace('A', 'A[i]').replace('B', 'B[i]')}{ordered}"
    contract = f"c[] {op} {theirs.replace('A', 'a[]').replace('B', 'b[]')}"
    try:
        kernel = im.kernel(text, dtypes=kinds)
        own = {n.lower(): kind for n, kind in kinds.items()}
        unit = im.instruction(
            "toy.unit", contract, axes={}, dtypes=own, places=dict.fromkeys(own, "v"), rounding="unfused"
        )
        result = im.prove(im.fuse(kernel, unit, {}, {"a": "A", "b": "B"}))
    except IsamapError:
        return "no pair"
    if not isinstance(result, ProvedMapping) or result.proof.arithmetic == "reassociate":
        return result.proof.word
    pairs = [(x, y) for x in ends(rng, kinds["A"]) for y in ends(rng, kinds["B"])]
    start = [rng.choice(ends(rng, kinds["C"])) for _ in pairs]
    with np.errstate(all="ignore"):
        drawn = (*zip(*pairs, strict=True), start)
        made = {n: np.array(v).astype(dtype(kinds[n]).numpy) for n, v in zip("ABC", drawn, strict=True)}
        want = im.run_kernel(kernel, {"A": made["A"], "B": made["B"]}, {"C": made["C"]})["C"]
        got = im.run_instruction(unit, {n.lower(): v for n, v in made.items()})["c"]
    zeros = types == FLOATS and not re.search("max|min|relu", text + contract)
    assert same(got, want, zeros), (text, contract, kinds)
    return "proved and right"


@pytest.mark.parametrize("seed", [2, 3])
def test_what_is_proved_of_values_holds_at_the_ends_of_their_types(seed: int) -> None:
    rng = random.Random(f"values {seed}")
    found = Counter(one(rng) for _ in range(TRIES))
    assert found["proved and right"] > 40, found
