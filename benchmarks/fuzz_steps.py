"""Fuzzes recurrences at length: random time steps that read each other's rows, compiled by gcc -O1 in batches, in poisoned memory.

    python -m benchmarks.fuzz_steps [count] [seed] [--proved EVERY] [--scalar EVERY] [--out FILE] [--number N]

Kernels are tests/oracle/random_steps.py's. Many are compiled by one call of the compiler, and each is run twice: whatever memory a
call may hand out unfilled holds one pattern, then another. What comes out is compared with the interpreter, bit for bit. Every so
manyth is proved as a whole, and its interpreted results compared with what the text means (tests/oracle/meaning.py); of the
others the claim that decides what is filled is proved alone. Most are computed element by element; every so manyth is planned for
the machine `scalar`, whose instructions begin sums in registers. Exits with 1 where something was wrong or was not proved. The
same seed gives the same kernels; --out is written after each batch and gone on with.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import isamap_smt as im
from isamap_smt.codegen import print_c
from isamap_smt.codegen.c_printer import _text
from isamap_smt.codegen.checks import BEGIN
from isamap_smt.codegen.lower import lower_points
from isamap_smt.ir.errors import IsamapError, NotProvedError, SizeError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.interpret import neutral, random_arrays, run_kernel
from isamap_smt.ir.program import Program
from tests.oracle.case import Case, expected
from tests.oracle.random_steps import steps
from tests.oracle.trial import NO_MEANING

SEEDS = 1_000_000  # kernels of one seed
BATCH = 16
POISON = (0xA5, 0xFF)
SIZES = {"T": (1, 2, 3, 4, 5, 7), "J": (1, 2, 3, 5), "I": (1, 2, 3, 4, 5), "K": (1, 2, 3)}


@dataclass(frozen=True)
class Drawn:
    """A kernel, its sizes, and what it computes."""

    number: int
    text: str
    kernel: im.Kernel
    sizes: Mapping[str, int]
    program: Program
    arrays: dict[str, np.ndarray]
    interpreted: dict[str, np.ndarray]
    whole: bool  # proved

    @property
    def c(self) -> str:
        """Raises NotProvedError."""
        return print_c(im.require_proof(self.program)) if self.whole else _text(self.program)


def drawn(number: int, proved: int, scalar: int) -> Drawn | str:
    """The kernel of that number; in words why there is none."""
    rng = random.Random(f"steps {number}")
    text = str(steps(rng))
    sizes = {n: rng.choice(found) for n, found in SIZES.items()}
    try:
        kernel = im.kernel(text, name="steps")
        sizes = {n: v for n, v in sizes.items() if n in kernel.free_sizes}
        arrays = random_arrays(kernel, sizes, np.random.default_rng(number))
        interpreted = run_kernel(kernel, arrays, None, sizes)
    except IsamapError as why:
        return f"no meaning: {type(why).__name__}"
    whole = number % proved == 0
    if whole and (said := _as_the_text_says(Case(text, sizes, seed=number), kernel)):
        return said
    kernel = kernel.with_sizes(sizes) if rng.random() < 0.4 else kernel
    planned = number % scalar == 0 and not kernel.tensors[0].dtype.is_float  # sums in any order
    program = im.plan(kernel, "scalar", timeout=10.0).program if planned else lower_points(kernel)
    return Drawn(number, text, kernel, sizes, program, arrays, interpreted, whole)


def _as_the_text_says(case: Case, kernel: im.Kernel) -> str:
    """Where the interpreter differs from the oracle, in words."""
    try:
        want = expected(case)
    except NO_MEANING as why:
        return f"no meaning: {type(why).__name__}"
    kinds = {t.name: t.dtype.numpy for t in kernel.tensors}
    arrays = {n: np.array(v, kinds[n]).reshape(want.shapes[n]) for n, v in want.inputs.items()}
    found = run_kernel(kernel, arrays, None, case.sizes)
    wrong = (held.difference(found[n].reshape(-1).tolist()) for n, held in want.results.items())
    return next((f"WRONG: interpreter: {said}" for said in wrong if said), "")


def told(numbers: range, proved: int = 1, scalar: int = 16) -> Iterator[tuple[int, str, str]]:
    """(number, outcome, more) of each kernel, batch by batch."""
    for begin in range(numbers.start, numbers.stop, BATCH):
        batch = range(begin, min(begin + BATCH, numbers.stop))
        ready: list[tuple[Drawn, str]] = []
        for number in batch:
            try:
                found = drawn(number, proved, scalar)
                if isinstance(found, str):
                    yield number, found, ""
                    continue
                ready.append((found, found.c))
            except NotProvedError as error:
                kind = "WRONG: refuted" if error.refuted else "unknown"
                yield number, kind, str(error)
            except SizeError as error:  # it has a meaning at the drawn sizes, and reaches out of a tensor at others
                yield number, "refused: some sizes reach out of a tensor", str(error)
        if ready:
            yield from _called(ready)


def _called(ready: list[tuple[Drawn, str]]) -> Iterator[tuple[int, str, str]]:
    with tempfile.TemporaryDirectory(prefix="isamap-steps-") as folder:
        source, made = Path(folder, "steps.c"), Path(folder, "steps.so")
        apart = (re.sub(r"\b(isamap|ISAMAP|im)_(?=\w)", rf"\g<1>{d.number}_", c) for d, c in ready)
        source.write_text("\n".join(apart))
        built = subprocess.run(
            ["gcc", "-O1", "-std=gnu11", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing",
             "-o", str(made), str(source), "-lm", "-lpthread"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if built.returncode:
            yield from ((d.number, "WRONG: not compiled", built.stderr[:500]) for d, _ in ready)
            return
        library = ctypes.CDLL(str(made))
        for d, _ in ready:
            wrong = _compared(d, library)
            yield d.number, "WRONG: differs" if wrong else _kind(d), wrong


def _kind(d: Drawn) -> str:
    rows = sorted({s.target.tensor for r in d.kernel.recurrences for s in d.kernel.statements[r.first : r.end]})
    unfilled = [n for n in rows if n in d.program.unfilled]
    fill = "all" if len(unfilled) == len(rows) else "some" if unfilled else "none"
    return f"equal, {'by instructions' if d.program.schedules else 'by element'}, {fill} of the rows unfilled"


def _compared(d: Drawn, library: Any) -> str:
    """Where machine code and interpreter differ, in words."""
    run = getattr(library, f"isamap{d.number}_run")
    for pattern in POISON:
        held = _memory(d, pattern)
        pointers = (ctypes.c_void_p * len(held))(*(a.ctypes.data for a in held.values()))
        numbers = [*(d.sizes[n] for n in d.kernel.free_sizes), BEGIN]
        code = run(pointers, (ctypes.c_int64 * len(numbers))(*numbers), None, ctypes.c_int64(1))
        if code:
            return f"the call is refused with {code}"
        for n, want in d.interpreted.items():
            if n in d.kernel.results and not _alike(held[n], want).all():
                at = [int(i) for i in np.argwhere(~_alike(held[n], want))[0]]
                return f"{n}{at} is {held[n][tuple(at)]}, the interpreter says {want[tuple(at)]} (poison {pattern:#x})"
    return ""


def _alike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    nan = np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    return np.asarray((a == b) | nan)


def _memory(d: Drawn, pattern: int) -> dict[str, np.ndarray]:
    """The tensors of a call that adds to nothing: as the runtime makes them, and poison where it fills nothing."""
    held = {}
    shapes = {t.name: tuple(int(evaluate(e, d.sizes)) for e in t.shape) for t in d.kernel.tensors}
    for t in d.kernel.tensors:
        if t.name in d.arrays:
            held[t.name] = d.arrays[t.name].copy()
            continue
        bytes_there = np.full((*shapes[t.name], t.dtype.bytes), pattern, np.uint8)
        held[t.name] = bytes_there.view(t.dtype.numpy)[..., 0]
        if t.name not in d.program.unfilled:
            first = next(s for s in d.kernel.statements if s.target.tensor == t.name)
            held[t.name][...] = neutral(first.op, t.dtype)
    return held


def main() -> int:
    """Fuzz and print; 1 when something was wrong."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz_steps")
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--scalar", type=int, default=16, metavar="EVERY", help="kernels that instructions compute")
    parser.add_argument("--proved", type=int, default=1, metavar="EVERY", help="kernels that are proved as a whole")
    parser.add_argument("--out", type=Path, help="write the counts as JSON after each batch; go on where they end")
    parser.add_argument("--number", type=int, metavar="N", help="this kernel alone, with its text")
    chosen = parser.parse_args()
    if chosen.number is not None:
        print(steps(random.Random(f"steps {chosen.number}")))
        print(*told(range(chosen.number, chosen.number + 1), chosen.proved, chosen.scalar), sep="\n")
        return 0
    begin, counts, bad = chosen.seed * SEEDS, Counter[str](), []
    after = begin
    if chosen.out and chosen.out.exists():
        held = json.loads(chosen.out.read_text())
        counts, bad, after = Counter(held["counts"]), held["bad"], held["next"]
    for number, kind, more in told(range(after, begin + chosen.count), chosen.proved, chosen.scalar):
        counts[kind] += 1
        if kind.startswith(("WRONG", "unknown")):
            bad.append([number, kind, more])
            print(number, kind, more, flush=True)
        if chosen.out and number % BATCH == BATCH - 1:
            document = {"next": number + 1, "counts": counts, "bad": bad}
            chosen.out.write_text(json.dumps(document, indent=1) + "\n")
    print(dict(counts.most_common()))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
