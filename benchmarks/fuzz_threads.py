"""Random chains of statements over rows on 1, 2, 3 and 8 threads, compared with NumPy; the bits are the same each time.

Each chain is planned as a user has it, and once more in blocks of rows that threads must share, however little there is to do:
every temporary that a block hands over is then folded, in memory of each thread's own. Elements are whole numbers so small that
all sums are exact.

python -m benchmarks.fuzz_threads [CHAINS] [SEED] [MACHINE]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.folds import folded
from isamap_smt.ir.program import Loop, Parallel, Program
from tests.programs.loop_kinds import of_kind

Arrays = dict[str, np.ndarray]
LONGEST, THREADS, AGAIN = 70, (1, 2, 3, 8), 3
SIGNS: dict[str, Callable[..., Any]] = {"max": np.maximum, "min": np.minimum, "+": np.add, "-": np.subtract}


@dataclass(frozen=True)
class Chain:
    """A kernel as text, the arrays that it takes, and its results: what no statement reads."""

    text: str
    sizes: dict[str, int]
    arrays: Arrays
    wanted: Arrays


def chain(rng: random.Random) -> Chain:
    """Two to five statements; each takes what an earlier one left. Values stay within -8 and 8, sums below 2^24."""
    sizes = {a: rng.choice([1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 37, 61, 67, rng.randint(1, LONGEST)]) for a in "inm"}
    draw = np.random.default_rng(rng.randrange(1 << 30))
    held: Arrays = {"x": draw.integers(-8, 9, (sizes["i"], sizes["n"])).astype(np.float32)}
    given, axes, lines = dict(held), {"x": "n"}, []
    last, rows = "x", list[str]()
    for k in range(rng.randint(2, 5)):
        name, kinds = f"t{k}", ["row", "each", "each", "product"] if axes[last] == "n" else ["row", "each"]
        kind, a = rng.choice(kinds), axes[last]
        if kind == "row":
            op = rng.choice(["+", "max"])
            lines.append(f"{name}[i] {op}= {last}[i,{a}]")
            sums = held[last].sum(1) if op == "+" else held[last].max(1)
            held[name], rows = sums.astype(np.float32), [*rows, name]
            continue
        if kind == "product":
            given["W"] = held["W"] = draw.integers(-2, 3, (sizes["n"], sizes["m"])).astype(np.float32)
            lines.append(f"{name}[i,m] += {last}[i,n] * W[n,m]")
            held[name], axes[name], last = held[last] @ held["W"], "m", name
            continue
        other = rng.choice([*rows, f"v_{a}", *(t for t in axes if axes[t] == a)])
        if other not in held:
            given[other] = held[other] = draw.integers(-8, 9, sizes[a]).astype(np.float32)
        index = "[i]" if other in rows else f"[{a}]" if other.startswith("v_") else f"[i,{a}]"
        right = held[other][:, None] if other in rows else held[other]
        sign = rng.choice(list(SIGNS))
        said = (
            f"{sign}({last}[i,{a}], {other}{index})"
            if sign in ("max", "min")
            else f"{last}[i,{a}] {sign} {other}{index}"
        )
        lines.append(f"{name}[i,{a}] = max(min({said}, 8.0), -8.0)")
        held[name] = np.maximum(np.minimum(SIGNS[sign](held[last], right), 8), -8).astype(np.float32)
        axes[name], last = a, name
    names = [line.partition("[")[0] for line in lines]
    read = {t for t in names if any(f"{t}[" in line.partition("=")[2] for line in lines)}
    text = "\n".join([*([f"temporary {', '.join(sorted(read))}"] if read else []), *lines])
    used = {n for n in given if f"{n}[" in text}
    kept = {a: n for a, n in sizes.items() if any(f"{a}]" in x or f"{a}," in x for x in lines)}
    return Chain(text, kept, {n: given[n] for n in used}, {n: held[n] for n in names if n not in read})


def shared(program: Program) -> Program:
    """The program with its outermost loops over blocks shared by threads."""
    spread = (of_kind(Parallel, n) if isinstance(n, Loop) and n.folds else n for n in program.body)
    return replace(program, body=tuple(spread))


def programs(c: Chain, machine: str, rng: random.Random) -> Iterator[tuple[str, Program]]:
    """How the chain is computed, in words, and the program."""
    kernel = im.kernel(c.text)
    yield "as planned", im.plan(kernel, machine, sizes=c.sizes, threads=2).program
    for block in sorted({rng.randint(1, c.sizes["i"]) for _ in range(4)} - {c.sizes["i"]}):
        try:
            blocks = im.plan(kernel, machine, sizes=c.sizes, fix={"share.i": block}).program
        except IsamapError:
            continue  # no two neighbours share such blocks
        if folded(blocks):
            yield "blocks shared", shared(blocks)
            return


def wrong(program: Program, c: Chain) -> str:
    """What is wrong with it; '' for nothing."""
    try:
        built = im.build(program)
    except IsamapError as error:
        return f"not built: {str(error).splitlines()[0]}"
    calls = [(t, built(**c.arrays, threads=t)) for t in THREADS for _ in range(AGAIN)]
    found = [
        (
            t,
            y
            if isinstance(y, dict)
            else dict(zip(built.kernel.results, y if isinstance(y, tuple) else (y,), strict=True)),
        )
        for t, y in calls
    ]
    other = {t for t, y in found if not all(np.array_equal(y[n], z) for n, z in c.wanted.items())}
    bits = {tuple(y[n].tobytes() for n in c.wanted) for _, y in found}
    return (
        f"other values on {sorted(other)} threads" if other else "other bits in another call" if len(bits) > 1 else ""
    )


def main(count: int, seed: int, machine: str) -> int:
    """Prints what was found; how many programs are wrong."""
    tally: Counter[str] = Counter()
    for n in range(count):
        rng = random.Random(f"{seed} {n}")
        c = chain(rng)
        for way, program in programs(c, machine, rng):
            said = wrong(program, c)
            folds = "folds" if folded(program) else "no folds"
            tally[f"{way}, {folds}: {said or 'right'}"] += 1
            if said:
                print(f"{n} {c.sizes} {way}: {said}\n{c.text}\n", flush=True)
    for key, times in sorted(tally.items()):
        print(f"{times:6d}  {key}")
    return sum(times for key, times in tally.items() if not key.endswith("right"))


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(
        main(int(given[0]) if given else 100, int(given[1]) if given[1:] else 0, given[2] if given[2:] else "host") > 0
    )
