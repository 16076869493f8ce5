"""Random kernels and instructions of the language, many of which fit each other."""

from __future__ import annotations

import random
from dataclasses import dataclass

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError

AXES, POINTS, TENSORS, OPERANDS = "ijkn", "xyz", "ABD", "abd"
VALUES = {
    1: [("{0}", 1)],
    2: [("{0} * {1}", 7), ("{0} + {1}", 1), ("{0} - {1}", 1), ("max({0}, {1})", 1)],
    3: [("{0} * {1} * {2}", 3), ("{0} * {1} + {2}", 1)],
}
OPS = [("+=", 16), ("max=", 2), ("min=", 1), ("*=", 1), ("=", 2)]


@dataclass(frozen=True)
class Problem:
    """A kernel, an instruction, and the texts that made them."""

    kernel: im.Kernel
    instruction: im.Instruction
    text: str
    contract: str


def weighted(rng: random.Random, pairs: list[tuple[str, int]]) -> str:
    return rng.choices([p[0] for p in pairs], [p[1] for p in pairs])[0]


def problem(rng: random.Random) -> Problem:
    """The next problem that the language accepts."""
    while True:
        try:
            return _draw(rng)
        except IsamapError:
            continue


def _draw(rng: random.Random) -> Problem:
    axes = AXES[: rng.choice([1, 2, 3, 3, 4, 4, 4])]
    count = rng.choice([1, 2, 2, 2, 2, 3])
    target = [a for a in axes if rng.random() < 0.6]
    sets = [[a for a in axes if rng.random() < 0.6] for _ in range(count)]
    op, value = weighted(rng, OPS), weighted(rng, VALUES[count])
    text = _kernel(rng, axes, target, sets, op, value)
    kernel = im.kernel(text, name="random")
    kernel = kernel.with_dtypes({t.name: "i64" for t in kernel.tensors})
    contract, sizes = _contract(rng, axes, target, sets, op, value)
    names = ["c", *OPERANDS[:count]]
    made = im.instruction(
        "toy.random", contract, axes=sizes, dtypes=dict.fromkeys(names, "i64"), places=dict.fromkeys(names, "v")
    )
    return Problem(kernel, made, text, contract)


def _kernel(rng: random.Random, axes: str, target: list[str], sets: list[list[str]], op: str, value: str) -> str:
    stride = "s" if rng.random() < 0.12 else ""
    # Twice the same tensor, now and then.
    names = [TENSORS[0] if n and rng.random() < 0.06 else TENSORS[n] for n in range(len(sets))]
    reads = [f"{t}[{_index(rng, axes, s, stride)}]" for t, s in zip(names, sets, strict=True)]
    lines = ["param s >= 1"] if stride else []
    body = f"C[{_index(rng, axes, target, stride if rng.random() < 0.2 else '', 0.08)}] {op} {value.format(*reads)}"
    if rng.random() < 0.25:
        body += f" where {_guard(rng, axes)}"
    return "\n".join([*lines, body])


def _index(rng: random.Random, axes: str, chosen: list[str], stride: str, odd: float = 0.3) -> str:
    parts = []
    for a in rng.sample(chosen, len(chosen)) if rng.random() < 0.3 else chosen:
        if rng.random() >= odd:
            parts.append(a)
            continue
        b = rng.choice(axes)
        forms = [
            f"{a} + {b}",
            f"{rng.choice([2, 3])}*{a}",
            f"2*{a} + {b}",
            f"{a} + {rng.choice([1, 2])}",
            f"{a}//2",
            f"{a}%2",
        ]
        if stride:
            forms += [f"{a}*{stride} + {b}", f"{a}*{stride}"] * 3
        parts.append(rng.choice(forms))
    if rng.random() < 0.05:
        parts.append("0")
    return ", ".join(parts)


def _guard(rng: random.Random, axes: str) -> str:
    a, b = rng.choice(axes), rng.choice(axes)
    return rng.choice(
        [
            f"{a} + {b} < {a.upper()}",
            f"{a} <= {b}",
            f"{a} + 1 < {a.upper()}",
            f"{a} < 3",
            f"{a} + {b} >= 1",
            f"{a} != 1",
        ]
    )


def _contract(
    rng: random.Random, axes: str, target: list[str], sets: list[list[str]], op: str, value: str
) -> tuple[str, dict[str, int]]:
    """A statement over 1 to 3 points axes: half of the time a part of the kernel, else unrelated."""
    points = POINTS[: rng.choice([1, 2, 2, 3, 3])]
    sizes = {p: rng.choice([2, 2, 3, 4]) for p in points}
    if rng.random() < 0.6:
        stands = {p: rng.choice(axes) for p in points}
        out = [p for p in points if stands[p] in target]
        cells = [[p for p in points if stands[p] in s] for s in sets]
    else:
        out = [p for p in points if rng.random() < 0.6]
        cells = [[p for p in points if rng.random() < 0.6] for _ in sets]
    if rng.random() < 0.06:
        op = weighted(rng, OPS)
    if rng.random() < 0.06:
        value = weighted(rng, VALUES[len(sets)])
    operands = [f"{o}[{_cells(rng, points, c)}]" for o, c in zip(OPERANDS, cells, strict=False)]
    return f"c[{_cells(rng, points, out)}] {op} {value.format(*operands)}", sizes


def _cells(rng: random.Random, points: str, chosen: list[str]) -> str:
    parts = [f"{p} + {rng.choice(points)}" if rng.random() < 0.04 else p for p in chosen]
    return ", ".join(parts)
