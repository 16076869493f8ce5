"""Products of several tensors in the order that multiplies least: drawn chains, interpreted before and after, and what stays."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.pipeline.contraction_order import reordered

CHAIN = "temporary T\nT[i,l] += A[i,k] * B[k,l]\nY[i,j] += T[i,l] * C[l,j]"
TALL = {"i": 256, "k": 128, "l": 256, "j": 4}


def drawn(seed: int) -> tuple[Kernel, dict[str, int], list[set[str]]]:
    """A chain of products, each step with one factor more; its sizes; and the axes of all factors, those of the result last."""
    rng = random.Random(seed)
    letters = list("abcdefgh")
    sizes = {x: rng.choice([1, 2, 3, 5, 8]) for x in letters}
    now, lines, terms = [letters.pop(), letters.pop()], [], []
    terms.append(set(now))
    names = [f"X0[{','.join(now)}]"]
    count = rng.randint(2, 3)
    for n in range(1, count + 1):
        over = rng.choice(now)
        new = letters.pop() if rng.random() < 0.8 else None
        factor = [x for x in (over, new) if x]
        kept = [x for x in now if x != over] + ([new] if new else [])
        kept = kept or [over]
        terms.append(set(factor))
        target = "Y" if n == count else f"T{n}"
        op = "+=" if over not in kept else "="
        lines.append(f"{target}[{','.join(kept)}] {op} {names[-1]} * X{n}[{','.join(factor)}]")
        names.append(f"{target}[{','.join(kept)}]")
        now = kept
    inner = [f"T{n}" for n in range(1, count)]
    declared = [f"{name}: i32" for name in [*(f"X{n}" for n in range(count + 1)), *inner, "Y"]]
    text = "\n".join([*declared, *([f"temporary {', '.join(inner)}"] if inner else []), *lines])
    used = {x for t in terms for x in t}
    kernel = im.kernel(text, name="chain")
    return kernel.with_sizes({x: n for x, n in sizes.items() if x in used}), sizes, [*terms, set(now)]


def multiplications(kernel: Kernel) -> int:
    """Points of all statements."""
    return sum(prod(int(a.extent) for a in s.axes) for s in kernel.statements)


def least(terms: list[frozenset[str]], target: set[str], sizes: dict[str, int]) -> int:
    """The fewest multiplications of any order of pairs, by recursion; what one factor alone has is summed first or with another."""
    if len(terms) == 1:
        return 0
    best = None
    for a, b in combinations(range(len(terms)), 2):
        rest = [t for n, t in enumerate(terms) if n not in (a, b)]
        both = terms[a] | terms[b]
        needed = set(target).union(*rest) if rest else set(target)
        cost = prod(sizes[x] for x in both) + least([*rest, frozenset(both & needed)], target, sizes)
        best = cost if best is None else min(best, cost)
    assert best is not None
    return best


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(80))
def test_drawn_chains(seed: int) -> None:
    kernel, sizes, (*terms, target) = drawn(seed)
    made = reordered(kernel)
    if made is None:
        return
    rng = np.random.default_rng(seed)
    shapes = {n: tuple(map(int, kernel.tensor(n).shape)) for n in kernel.inputs}
    arrays = {n: rng.integers(-9, 9, shape).astype(np.int32) for n, shape in shapes.items()}
    assert made.inputs == kernel.inputs and made.results == kernel.results
    assert np.array_equal(run_kernel(kernel, arrays)["Y"], run_kernel(made, arrays)["Y"])
    assert multiplications(made) < multiplications(kernel)  # of a part of the chain by LESS
    assert im.equal(kernel, made).is_proved
    assert multiplications(made) <= 1.5 * least([frozenset(t) for t in terms], target, sizes)


def test_some_chains_are_reordered_and_some_stay() -> None:
    found = [reordered(drawn(seed)[0]) is None for seed in range(80)]
    assert 10 < sum(found) < 70


def test_a_plan_takes_the_cheaper_order_and_says_so() -> None:
    plan = im.plan(im.kernel(CHAIN, name="chain"), "avx2", sizes=TALL)
    assert plan.kernel.statements[0].inputs[0].tensor in ("B", "C") and plan.kernel.inputs == ("A", "B", "C")
    assert any(n.startswith("chain, with factors in another order: ") for n in plan.notes)
    flat = im.plan(im.kernel(CHAIN, name="chain"), "avx2", sizes={"i": 4, "k": 128, "l": 256, "j": 256})
    assert not any("another order" in n for n in flat.notes)


@pytest.mark.parametrize(
    "text",
    [
        CHAIN.replace("temporary T\n", ""),  # a result itself
        f"{CHAIN}\nZ[i] += T[i,l]",  # read twice
        CHAIN.replace("B[k,l]", "B[k,l] where k <= i"),
        CHAIN.replace("B[k,l]", "B[k,l] ordered"),
        CHAIN.replace("T[i,l] *", "abs(T[i,l]) *"),
        f"Y: f64\n{CHAIN}".replace("T[i,l] * C[l,j]", "f64(T[i,l]) * f64(C[l,j])"),
        CHAIN.replace("Y[i,j] +=", "Y[i,j] max="),
    ],
)
def test_what_is_something_else_stays(text: str) -> None:
    kernel = im.kernel(text, name="other")
    assert reordered(kernel.with_sizes({n: v for n, v in TALL.items() if n.upper() in kernel.free_sizes})) is None


@pytest.mark.parametrize("asked", [{"fix": {"split": "no"}}, {"reorder": False}], ids=["pin", "reorder"])
def test_the_order_stays_where_somebody_says_so(asked: dict[str, Any]) -> None:
    plan = im.plan(im.kernel(CHAIN, name="chain"), "avx2", sizes=TALL, **asked)
    assert plan.instead is None and plan.kernel.statements[0].inputs[0].tensor == "A"


def test_run_counts_what_is_computed(tmp_path: Path) -> None:
    (tmp_path / "chain.py").write_text(f"import isamap_smt as im\n\nCHAIN = im.kernel({CHAIN!r}, name='chain')\n")
    command = [sys.executable, "-m", "isamap_smt", "run", "chain.py:CHAIN", "host", "--json"]
    command += ["--sizes", ",".join(f"{a}={n}" for a, n in TALL.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    found = json.loads(done.stdout)
    work = 2 * (TALL["k"] * TALL["l"] * TALL["j"] + TALL["i"] * TALL["k"] * TALL["j"])
    assert found["gflops"] == pytest.approx(work / found["seconds"] / 1e9, rel=0.01)


def test_a_certificate_is_of_the_kernel_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "chain.py").write_text(f"import isamap_smt as im\n\nCHAIN = im.kernel({CHAIN!r}, name='chain')\n")
    command = [sys.executable, "-m", "isamap_smt", "proofs"]
    asked = ["add", "chain.py:CHAIN", "avx2", "--sizes", "i=64,k=32,l=64,j=2", "--dir", "kept"]
    subprocess.run([*command, *asked], capture_output=True, text=True, check=True, cwd=tmp_path)
    subprocess.run(
        [*command, "check", "--dir", "kept", "--source", "chain.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
