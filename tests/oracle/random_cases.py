"""Random cases: a random kernel with sizes, machine, options and data. The same number and weights give the same case.

Sizes lie at 1, at the lanes of vectors and one beyond.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.oracle import text as language
from tests.oracle.case import Case
from tests.oracle.meaning import Meaning
from tests.oracle.random_kernels import FORMS, draft, weighted
from tests.oracle.text import Line, Text

MACHINES = {"scalar": 4, "avx2": 3, "avx512": 3, "avx512_vnni": 2, "avx512_bf16": 1, "amx": 2, "host": 5}
# the machines that have vector instructions for these elements; without portable C they take nothing else
VECTORS = {
    ("f32", "f32"): ("avx2", "avx512"), ("f64", "f64"): ("avx2", "avx512"), ("i32", "i32"): ("avx2",),
    ("i32", "u8"): ("avx2", "avx512_vnni", "amx"), ("i32", "i8"): ("avx2", "amx"), ("i32", "i16"): ("avx2",),
    ("f32", "bf16"): ("avx512_bf16", "amx"),
}  # fmt: skip
SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33)
POINTS = 5000  # of a statement
# rows that are worth to share a loop over, and masks that have more steps than one
SIZES_OF: dict[str, tuple[dict[str, tuple[int, ...]], int]] = {
    "rows": ({"H": (1, 2, 3), "I": (1, 7, 16, 33, 33, 61, 61, 130), "N": (1, 33, 130, 130, 301, 301, 640)}, 40_000),
    "steps": ({"T": (1, 2, 3, 4, 5, 7, 9, 16), "J": (1, 2, 3, 5, 8, 17), "I": (1, 2, 3, 5, 8), "K": (1, 2, 3)}, POINTS),
    "neighbours": (
        {"P": (1, 3, 5, 7, 8), "Q": (1, 2, 3, 5, 7, 9, 16), "R": (1, 2, 3), **dict.fromkeys("NCI", (1, 2, 3, 9, 17))},
        30_000,
    ),
    "zero points": (dict.fromkeys("IJK", (1, 2, 5, 16, 17, 33, 40, 64, 65)), 60_000),
    "leading": ({"L": (17, 33, 33, 40, 64)}, 8000),
    "masked": (dict.fromkeys("QKDH", (1, 2, 5, 7, 13, 16, 17, 31, 48, 65)), 30_000),
}


def case(seed: int, forms: dict[str, int] | None = None, machines: dict[str, int] | None = None) -> Case:
    """The case of that number."""
    rng = random.Random(f"kernels {seed}")
    form = str(weighted(rng, forms or FORMS))
    text = draft(rng, form)
    sizes = random_sizes(rng, text, *SIZES_OF.get(form, ({}, POINTS)))
    fixed = rng.choices(["all", "none", "some"], [6 if form != "rows" else 20, 3, 3])[0]
    held = [n for n in sizes if fixed == "all" or (fixed == "some" and rng.random() < 0.5)]
    threads = rng.choice([1, 1, 1, 2, 3])
    inputs = _inputs(text)
    constant = tuple(n for n in inputs if rng.random() < 0.5) if rng.random() < 0.15 else ()
    fix = (
        _pins(rng, text, inputs)
        if form != "rows"
        else {"share.i": rng.choice([1, 2, 4])}
        if rng.random() < 0.08
        else {}
    )
    ordered_only = all(s.op in ("=", "max=", "min=") or s.ordered for s in text.statements) and "sum(" not in str(text)
    data = rng.choices(["whole", "any", "edges"], [6, 4 if ordered_only else 1, 2 if ordered_only else 1])[0]
    types = dict(text.types) if rng.random() < 0.15 else {}
    shown = written(rng, replace(text, types={}) if types else text)
    return Case(
        shown, sizes, machine(rng, text, machines or MACHINES), types, tuple(held), threads, rng.choice([threads, 1, 2]),
        constant, fix, rng.random() < 0.15, rng.random() < 0.2, data, seed, rng.choices(["quick", "zig", "gcc"], [8, 1, 1])[0],
        rng.random() < 0.5,
    )  # fmt: skip


def written(rng: random.Random, text: Text) -> str:
    """The text as people write it: now and then with comments, empty lines and lines that go on."""
    lines = []
    for line in str(text).splitlines():
        apart = (
            line.replace(" where ", "\n      where ").replace(" over ", "\n  over ") if rng.random() < 0.06 else line
        )
        lines += [apart + "  # C[i] = nothing" * (rng.random() < 0.04)] + [""] * (rng.random() < 0.03)
    return "\n".join(lines)


def machine(rng: random.Random, text: Text, machines: dict[str, int]) -> str:
    """A machine that might have an instruction for the kernel, now and then another."""
    kinds = list(text.types.values())
    first = text.statements[0]
    sums = (
        len(text.statements) == 1
        and first.op == "+="
        and not first.ordered
        and re.fullmatch(r"[^-+]*\*[^-+*]*", first.value)
    )
    fit = VECTORS.get((kinds[0], kinds[1]), ()) if sums and len(kinds) > 2 else ()
    able = {n: w for n, w in machines.items() if n in ("host", "scalar", *fit)}
    return str(weighted(rng, machines if rng.random() < 0.02 or not able else able))


def random_sizes(rng: random.Random, text: Text, choices: Mapping[str, Sequence[int]], limit: int) -> dict[str, int]:
    """Each size and parameter of the text, so that no statement has more points than the limit."""
    names = size_names(text)
    while True:
        sizes = {n: rng.choice(choices.get(n, SIZES)) for n in names}
        sizes |= {n: low + rng.choice([0, 0, 1, 2]) for n, low in text.parameters.items()}
        for n in ("H", "W"):
            if n in sizes:
                sizes[n] = rng.choice([3, 4, 5, 7, 9])
        try:
            meaning = Meaning(text, {}, sizes)
            points = [_count(meaning, s) for s in text.statements]
        except (KeyError, NameError, ValueError, TypeError):
            return sizes
        if max(points) <= limit:
            return sizes


def _count(meaning: Meaning, s: Line) -> int:
    count = 1
    for a in meaning.axes_of(s):
        count *= meaning.axes[a]
    return count


def size_names(text: Text) -> list[str]:
    """The sizes that the text leaves open, whatever they are named in: extents, shapes, definitions, indices and guards."""
    meaning = Meaning.__new__(Meaning)
    meaning.text, meaning.axes = text, {}
    axes = meaning.axis_names()
    used = [n for e in meaning.declared() for n in language.names_in(e)]
    for s in text.statements:
        parts = [language.expression(p) for p in (s.target, s.value)]
        used += [n for p in parts for n in language.index_names(p)]
        used += language.names_in(language.expression(s.guard)) if s.guard else []
    used += [a.upper() if a != a.upper() else f"{a}_" for a in axes if a not in text.extents]
    known = {*axes, *text.parameters, *text.definitions}
    return [n for n in dict.fromkeys(used) if n not in known]


def _inputs(text: Text) -> list[str]:
    written = {s.target.partition("[")[0] for s in text.statements}
    return [n for n in text.types if n not in written]


def _pins(rng: random.Random, text: Text, inputs: list[str]) -> dict[str, object]:
    """Decisions of the schedule, seldom."""
    if rng.random() > 0.12:
        return {}
    axis = rng.choice("ijk")
    pins: list[dict[str, object]] = [
        {f"tile.{axis}": rng.choice([1, 2, 4, 8, 16])}, {f"register.{axis}": rng.choice([1, 2, 4])},
        {"parallel": axis}, {"split": "no"}, {f"split.{axis}": rng.choice([2, 4])}, {f"cut.{axis}": 2},
    ]  # fmt: skip
    if len(text.statements) > 1:
        pins += [{"share": "no"}, {f"share.{axis}": rng.choice([2, 4])}] * 2
    if inputs:
        pins += [{f"pack.{rng.choice(inputs)}": rng.choice(["no", "L2", "L1"])}]
    return rng.choice(pins)


__all__ = ["FORMS", "MACHINES", "case", "random_sizes", "size_names"]
