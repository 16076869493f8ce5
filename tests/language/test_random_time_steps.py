"""Random blocks of time steps against a loop over single points: whatever is computed at once, or as a product, is the same."""

from __future__ import annotations

import random

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, reference, run_kernel

T, J = 4, 3
TENSORS = "ABC"  # [T + 2, J + 1], written; X likewise, read
ROWS, COLUMNS = ("t", "t+1", "t+2", "2", "t//2", "t%2", "3-t"), ("j", "j+1", "2-j", "1", "j%2")


def element(rng: random.Random, tensors: str, columns: tuple[str, ...] = COLUMNS) -> str:
    return f"{rng.choice(tensors)}[{rng.choice(ROWS)},{rng.choice(columns)}]"


def statement(rng: random.Random, inside: bool) -> tuple[str, str, list[str], bool]:
    """Target, operator, factors of the value, and whether it runs over k, too."""
    row = rng.choice(["t", "t+1", "t+2", "t//2", "3-t"] if inside else ROWS)
    reduces = rng.random() < 0.5
    columns = (*COLUMNS, "k", "k+1") if reduces else COLUMNS
    target = f"{rng.choice(TENSORS)}[{row},{rng.choice(COLUMNS)}]"
    parts = [element(rng, TENSORS + "X", columns) for _ in range(rng.randint(1, 2))]
    if reduces and not any("k" in p for p in parts):
        parts.append("X[t,k]")
    free = {a for a in "tj" if a in target.partition("[")[2]}
    op = "=" if not reduces and free == {"t", "j"} and rng.random() < 0.6 else "+="
    return target, op, parts, reduces


def block(seed: int) -> tuple[str, list[tuple[bool, list[tuple[str, str, list[str], bool]]]]]:
    """A kernel's text, and its parts: (whether they are computed together, statements)."""
    rng = random.Random(seed)
    lines = []
    parts = []
    for turns in [False, True][rng.randint(0, 1) :]:
        made = [statement(rng, turns) for _ in range(rng.randint(1, 3))]
        parts.append((turns, made))
        lines += ["for t:"] * turns
        for target, op, factors, reduces in made:
            over = ", ".join("tjk" if reduces else "tj")
            lines.append(f"{'  ' * turns}{target} {op} {' * '.join(factors)} over {over}")
    used = [n for n in (*TENSORS, "X") if any(f"{n}[" in x for x in lines)]
    sums = any(one[3] for _, made in parts for one in made)
    axes = [f"axis t < {T}", f"axis j < {J}", *[f"axis k < {J}"] * sums]
    lines[:0] = [*axes, *(f"{n}: i32[{T + 2}, {J + 1}]" for n in used)]
    return "\n".join(lines), parts


def by_points(parts: list[tuple[bool, list[tuple[str, str, list[str], bool]]]], held: dict[str, np.ndarray]) -> None:
    """Element by element, in Python integers that wrap at the end of each operation."""

    def carry_out(one: tuple[str, str, list[str], bool], t: int) -> None:
        target, op, factors, reduces = one
        for j in range(J):
            for k in range(J) if reduces else (0,):
                names = {"t": t, "j": j, "k": k}
                value = 1
                for f in factors:
                    value *= int(at(f, names, held))
                name, _, index = target.partition("[")
                place = eval(f"({index[:-1]})", {}, names)  # noqa: S307 - made above
                old = int(held[name][place]) if op == "+=" else 0
                held[name][place] = np.int64(old + value & 0xFFFFFFFF).astype(np.int32)

    for turns, made in parts:
        if turns:
            for t in range(T):
                for one in made:
                    carry_out(one, t)
        else:
            for one in made:
                for t in range(T):
                    carry_out(one, t)


def at(access: str, names: dict[str, int], held: dict[str, np.ndarray]) -> np.int32:
    name, _, index = access.partition("[")
    return held[name][eval(f"({index[:-1]})", {}, names)]  # noqa: S307 - made above


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in (40, 80))])
def test_they_equal_a_loop_over_points(start: int) -> None:
    together = 0
    for seed in range(start, start + 40):
        text, parts = block(seed)
        kernel = im.kernel(text)
        assert im.kernel(im.to_text(kernel)) == kernel, text
        rng = np.random.default_rng(seed)
        arrays = random_arrays(kernel, {}, rng)
        given = {n: rng.integers(-9, 9, (T + 2, J + 1), np.int32) for n in kernel.outputs}
        held = {**arrays, **{n: a.copy() for n, a in given.items()}}
        by_points(parts, held)
        for run in (run_kernel, reference):
            found = run(kernel, arrays, given)
            for n in kernel.outputs:
                np.testing.assert_array_equal(found[n], held[n], err_msg=f"{seed} {n}\n{text}")
        apart = im.kernel("\n".join(x.strip() for x in text.splitlines() if x != "for t:"))
        together += any((run_kernel(apart, arrays, given)[n] != held[n]).any() for n in kernel.outputs)
    assert together > 5  # the time steps matter in some of them
