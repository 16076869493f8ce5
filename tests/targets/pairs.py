"""Every library kernel on every machine that comes with isamap: planned for open sizes, proved, built, and run at odd sizes.

`python -m tests.targets.pairs` runs all of them, or those of the machines named, and writes docs/pairs.md;
tests/targets/test_pairs.py runs them as tests.
"""

from __future__ import annotations

import functools
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import isamap_hardware
import isamap_kernels
import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import IsamapError
from isamap_smt.mapping.fuse import takes
from isamap_smt.runtime.judge import Judgement, arithmetic_of, judge, wanted
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.targets import find_target
from isamap_smt.targets.simulate import Simulated
from isamap_smt.targets.target import executor_of

HOST = "host"
PAGE = Path(__file__).parents[2] / "docs" / "pairs.md"
WINDOW = {"sp": 2, "sq": 1, "dp": 1, "dq": 2, "pp": 1, "pq": 1}  # of convolutions; everything else stays open
# The second size leaves remainders in every direction of tiles of 4, 8 and 16.
SIZES: dict[str, tuple[dict[str, int], ...]] = {
    **dict.fromkeys(
        ("gemm", "gemm_nt", "gemm_tn", "linear_relu", "linear_int8"), ({"i": 1, "j": 3, "k": 5}, {"i": 7, "j": 37, "k": 19})
    ),
    "matvec": ({"i": 3, "k": 5}, {"i": 37, "k": 19}),
    "batched_gemm": ({"b": 1, "i": 1, "j": 3, "k": 5}, {"b": 3, "i": 7, "j": 21, "k": 9}),
    "conv2d": ({"n": 1, "p": 3, "q": 3, "r": 3, "s": 1, "c": 1, "k": 3}, {"n": 1, "p": 3, "q": 5, "r": 3, "s": 3, "c": 5, "k": 19}),
    "depthwise_conv2d": ({"n": 1, "p": 3, "q": 3, "r": 3, "s": 1, "c": 3}, {"n": 1, "p": 3, "q": 5, "r": 3, "s": 3, "c": 37}),
    "pointwise_conv2d": ({"n": 1, "p": 1, "q": 3, "c": 5, "k": 3}, {"n": 2, "p": 3, "q": 5, "c": 9, "k": 21}),
    "depthwise_separable_conv2d": (
        {"n": 1, "p": 3, "q": 3, "r": 3, "s": 1, "c": 3, "k": 5}, {"n": 1, "p": 3, "q": 5, "r": 3, "s": 3, "c": 9, "k": 19},
    ),
    "linear_q4": ({"i": 1, "j": 3, "b": 1}, {"i": 3, "j": 19, "b": 5}),
    "two_layers": ({"i": 1, "j": 3, "k": 5, "m": 3}, {"i": 7, "j": 21, "k": 9, "m": 19}),
    "gru": ({"t": 1, "b": 1, "j": 3, "c": 5}, {"t": 3, "b": 3, "j": 19, "c": 9}),
    "lstm": ({"t": 1, "b": 1, "j": 3, "c": 5}, {"t": 3, "b": 3, "j": 19, "c": 9}),
}  # fmt: skip

TABLES = ("<!-- from here on by `python -m tests.targets.pairs` -->", "<!-- to here -->")
LONG = 40  # characters of a cell; what is longer becomes a note
Types = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A kernel and a machine. types: of the two factors and the sum of the first product; () as the library has them."""

    kernel: str
    machine: str
    types: Types = ()

    def __str__(self) -> str:
        return "-".join((self.machine, self.kernel, *self.types))

    @property
    def typed(self) -> im.Kernel:
        """The kernel with these types."""
        found = im.find_kernel(self.kernel)
        return found.with_dtypes(dict(zip(product_of(found), self.types, strict=True))) if self.types else found


def product_of(kernel: im.Kernel) -> tuple[str, str, str]:
    """The factors and the sum of the first statement."""
    first = kernel.statements[0]
    a, b = dict.fromkeys(access.tensor for access in first.inputs)
    return a, b, first.target.tensor


def machines() -> tuple[str, ...]:
    """Of `isamap list hardware`."""
    return (*isamap_hardware.names(), HOST)


def types_of(kernel: str, machine: str) -> tuple[Types, ...]:
    """Those to try, of the types that the machine computes on: those of the library if they are among them, else the first of
    floating point; and the first integers for a kernel of one statement, which may have any. Those of the library where none fits.
    """
    found = im.find_kernel(kernel)
    own = types(found)
    products = [
        i for i in im.find_hardware(machine).computes if i.kernel.statements[0].op == "+" and len(i.kernel.inputs) == 2
    ]
    offered = dict.fromkeys(types(i.kernel) for i in products)
    chosen: dict[bool, Types] = {}
    for some in sorted(offered, key=lambda t: t != own):
        if len(found.statements) == 1 or some[2] == own[2]:
            chosen.setdefault(dtype(some[2]).is_float, some)
    return tuple(() if t == own else t for t in chosen.values()) or ((),)


def types(kernel: im.Kernel) -> Types:
    """Of product_of()."""
    return tuple(str(kernel.tensor(n).dtype) for n in product_of(kernel))


def all_pairs() -> tuple[Pair, ...]:
    """Every kernel on every machine, with each of its types."""
    return tuple(Pair(k, m, t) for m in machines() for k in isamap_kernels.names() for t in types_of(k, m))


@dataclass(frozen=True)
class Found:
    """What became of a pair. text: what computes each statement, or why nothing does; wrong: what is wrong with a result, or ''."""

    text: str
    wrong: str = ""


def window(kernel: im.Kernel) -> dict[str, int]:
    """The values of its parameters."""
    return {p.name: WINDOW[p.name] for p in kernel.parameters}


def planned(pair: Pair) -> im.Plan:
    """The default plan. Raises IsamapError."""
    kernel, machine = pair.typed, im.find_hardware(pair.machine)
    return (
        im.stage(kernel, machine, sizes=window(kernel))
        if machine.engines
        else im.plan(kernel, machine, sizes=window(kernel))
    )


@functools.cache
def found(pair: Pair) -> Found:
    """The pair, planned, proved, built, and run on each executor at each size."""
    try:
        made = planned(pair)
    except IsamapError as error:
        return Found(refused(pair, error))
    text = computed_by(pair, made)
    kernels = [pair.typed.with_sizes({**window(pair.typed), **sizes}) for sizes in SIZES[pair.kernel]]
    for name in executors(im.find_hardware(pair.machine))[0]:
        where = find_target(name)
        runnable = where.build(where.emit(made))
        for kernel in kernels:
            if wrong := wrong_at(kernel, runnable, made):
                return Found(text, f"{name}, {kernel.text} at {[t.shape for t in kernel.tensors]}: {wrong}")
    return Found(text)


def wrong_at(kernel: im.Kernel, runnable: Any, made: im.Plan) -> str:
    """What is wrong with a run, or ''. The simulator runs it in two orders, and detects data races, too."""
    arrays = arrays_of(kernel)
    if isinstance(runnable, Simulated):
        observed = runnable.observe(kernel, arrays, seeds=1)
        return observed.wrong or unexplained(kernel, observed.judged)
    arithmetic = arithmetic_of(made.program)
    sizes = {n: v for n, v in window(made.kernel).items() if n in made.program.kernel.free_sizes}
    got = runnable(**arrays, sizes=sizes)
    seen = judge(kernel, got, wanted(kernel, arrays, arithmetic, got), arithmetic)
    return seen.reason or unexplained(kernel, seen)


def unexplained(kernel: im.Kernel, seen: Judgement) -> str:
    """What is wrong with a result near the reference, or ''."""
    return "" if seen.exact or rounds(kernel) else f"off by {seen.error:.1e}, and nothing rounds here"


def refused(pair: Pair, error: IsamapError) -> str:
    """Nothing maps; or why mappings that are proved lead to no program."""
    if not (count := mappings_of(pair)):
        return "no mapping"
    if not any(i.emit for i in im.find_hardware(pair.machine).computes):
        return f"{count} mappings proved"
    return f"{count} mappings: {' '.join(str(error).split())}"


def computed_by(pair: Pair, made: im.Plan) -> str:
    """The instruction of each product, or what computes where no instruction does."""
    products = [s for s in made.kernel.statements if s.reduction_axes]
    uses = [made.instruction] if made.phases else [s.proved.mapping.instruction for s in made.program.schedules]
    if not uses:
        return (
            f"{count} mappings, none is used" if (count := mappings_of(pair)) else "no mapping, so element by element"
        )
    of = f" ({len(uses)} of {len(products)} products)" if len(uses) != len(products) else ""
    return ", ".join(dict.fromkeys(f"`{i.short}`" for i in uses)) + of


def mappings_of(pair: Pair) -> int:
    """How many of the main statement onto the machine's instructions are proved."""
    kernel = pair.typed
    fitting = (i for i in im.find_hardware(pair.machine).computes if takes(kernel, i, kernel.main))
    return sum(len(im.find_mappings(kernel, i)) for i in fitting)


def arrays_of(kernel: im.Kernel) -> dict[str, np.ndarray]:
    """Random inputs; floating point is small whole numbers, whose sums are exact, where nothing rounds them anyway."""
    arrays = arrays_for(kernel, seed=3)
    if rounds(kernel):
        return arrays
    random = np.random.default_rng(4)
    return {
        n: random.integers(-4, 4, x.shape, endpoint=True).astype(x.dtype) if kernel.tensor(n).dtype.is_float else x
        for n, x in arrays.items()
    }


def rounds(kernel: im.Kernel) -> bool:
    """Whether it takes functions whose values are no whole numbers."""
    return any(f in kernel.text for f in ("sigmoid", "tanh", "round"))


def executors(machine: im.Hardware) -> tuple[tuple[str, ...], str]:
    """(names of the targets that run its programs here; why it is the simulator alone, or '')."""
    name, why = executor_of(machine)
    if not name:
        return ("simulate",), why
    spike = find_target("riscv64-spike")
    return (name, *([spike.name] if not spike.available() and machine.name.startswith("rvv") else [])), ""


def written(found_of: dict[Pair, Found]) -> str:
    """The page."""
    head, rest = PAGE.read_text().split(TABLES[0])
    tail = rest.split(TABLES[1])[1]
    wrong = [f"- **WRONG**: {p}: {f.wrong}" for p, f in found_of.items() if f.wrong]
    notes = list(dict.fromkeys(f.text for f in found_of.values() if len(f.text) > LONG))
    lines = ["| machine | what ran its programs |", "|---|---|"]
    lines += [f"| {m} | {ran_by(im.find_hardware(m))} |" for m in machines()]
    lines += ["", f"| kernel | {' | '.join(machines())} |", "|---" * (len(machines()) + 1) + "|"]
    for k in isamap_kernels.names():
        cells = ["; ".join(cell(found_of[Pair(k, m, t)], notes) for t in types_of(k, m)) for m in machines()]
        lines.append(f"| {k} | {' | '.join(cells)} |")
    lines += ["", *(f"{n}. {text}" for n, text in enumerate(notes, 1)), *wrong]
    return f"{head}{TABLES[0]}\n{chr(10).join(lines).rstrip()}\n{TABLES[1]}{tail}"


def cell(seen: Found, notes: list[str]) -> str:
    """What the page says of it: a long reason is a note."""
    said = f"note {notes.index(seen.text) + 1}" if len(seen.text) > LONG else seen.text
    return f"**WRONG** {said}" if seen.wrong else said


def ran_by(machine: im.Hardware) -> str:
    """What executes its programs here, in words."""
    names, why = executors(machine)
    if not any(i.emit for i in machine.computes):
        return f"nothing: {why}"
    titles = " and ".join(find_target(n).executor(machine) for n in names)
    return f"{titles}: {why}" if why else titles


def page() -> dict[tuple[str, str], tuple[str, ...]]:
    """(kernel, machine) -> what the page says of each of its types, notes in full."""
    text = PAGE.read_text().split(TABLES[0])[1].split(TABLES[1])[0]
    notes = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    start = next(n for n, row in enumerate(rows) if row[0] == "kernel")
    names = rows[start][1:]
    return {
        (row[0], m): tuple(re.sub(r"^note (\d+)$", lambda found: notes[found[1]], c) for c in text.split("; "))
        for row in rows[start + 2 :]
        for m, text in zip(names, row[1:], strict=True)
    }


def timed(pair: Pair) -> tuple[Pair, Found, float]:
    """With the seconds that it took."""
    start = time.perf_counter()
    return pair, found(pair), time.perf_counter() - start


def kept(without: list[str]) -> dict[Pair, Found]:
    """What the page says of pairs of other machines."""
    said = page()
    others = (p for p in all_pairs() if p.machine not in without)
    return {p: Found(said[p.kernel, p.machine][types_of(p.kernel, p.machine).index(p.types)]) for p in others}


def main(only: list[str]) -> None:
    """Run every pair, or those of some machines alone, and write the page."""
    seen = kept(only) if only else {}
    with ProcessPoolExecutor() as pool:
        for pair, this, seconds in pool.map(timed, [p for p in all_pairs() if p not in seen]):
            seen[pair] = this
            print(f"{seconds:6.1f} s  {pair}: {this.text} {this.wrong}", file=sys.stderr, flush=True)
    PAGE.write_text(written({p: seen[p] for p in all_pairs()}))


if __name__ == "__main__":
    main(sys.argv[1:])
