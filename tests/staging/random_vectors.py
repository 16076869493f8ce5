"""Legal plans, drawn at random, of statements that are no sums of products, in phases, on machines with a vector unit."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

import mixed
import numpy as np
import vectors
from judged import runs_wrong
from random_programs import random_decision

import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import IsamapError, ScheduleError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.phases import joined, phase_counts, phase_kernels
from isamap_smt.ir.program import Program
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.fuse import takes
from isamap_smt.mapping.instances import instances
from isamap_smt.pipeline.on_chip import Chosen, OnChip
from isamap_smt.scheduling.staged import decoded, scheduled
from isamap_smt.scheduling.staged_problem import question
from isamap_smt.scheduling.staying import NOTHING_KEPT, Kept
from isamap_smt.search import find_mappings

KERNELS = (
    "Y[i,j] = relu(X[i,j])", "Y[i,j] = X[i,j] + Z[i,j]", "Y[i,j] = X[j,i] * Z[i,j]", "Y[i,j] = 0.125 * X[i,j]",
    "Y[i,j] = max(X[i,j], Z[i,j])", "Y[i,j] = X[i,j] - M[i]", "Y[i,j] = X[i,j] * G[j]", "Y[i] = X[i] + -3", "Y[j,i] = exp(X[i,j])",
    "Y[i,j] = X[i,j] * X[i,j]", "S[i] += X[i,j]", "S[i] max= X[i,j]", "S[j] += X[i,j]", "S[j] max= X[i,j]", "S[i] max= X[i,j,k]",
    "Y[n,i,j] = X[n,i,j] - M[n,i]", "Y[i,j] max= X[2*i + r,j]", "Y[i,j] max= X[2*i + r,2*j + s]", "Y[i,j] += X[i,j + s]",
    "temporary T\nT[i,j] = X[i,j] + Z[i,j]\nY[i,j] = relu(T[i,j])", "temporary S\nS[i] += X[i,j]\nY[i] = S[i] * 0.25",
    "temporary M\nM[i] max= X[i,j]\nY[i,j] = X[i,j] - M[i]",
    "temporary M, D\nM[i] max= X[i,j]\nD[i,j] = X[i,j] - M[i]\nY[i] += D[i,j]",
    "temporary S, D\nS[i] += X[i,j]\nD[i,j] = X[i,j] + Z[j,i]\nY[i,j] = D[i,j] - S[i]",
    "D[i,j] = X[i,j] + Z[j,i]\nY[i] max= D[i,j]", "D[i,j] = X[i,j] * G[j]\nE[i,j] = exp(D[i,j])\nY[j] += D[i,j]",
    "temporary D, E\nD[n,i,j] = X[n,i,j] * G[j]\nE[n,j,i] = D[n,i,j] + Z[n,j]\nY[n,j] max= E[n,j,i]",
)  # fmt: skip
PHASES = tuple(text for text in KERNELS if len(text.splitlines()) > 1)
CHAINS = tuple(  # which a machine that changes tiles in place carries out in one phase
    f"temporary T\n{text}"
    for text in (
        "T[i,j] = X[i,j] - M[i]\nY[i,j] = T[i,j] * R[i] * G[j] + B[j]", "T[i,j] = X[i,j] - M[i]\nY[j,i] = exp(T[i,j])",
        "T[i,j] = X[i,j] + Z[i,j]\nY[i,j] = relu(T[i,j]) * 0.5", "T[i,j] = X[j,i] * Z[i,j]\nY[i,j] = max(T[i,j], W[i,j])",
        "T[i,j] = max(X[i,j], 0)\nY[i,j] = T[i,j] + Z[j,i]",
        "temporary U\nT[i,j] = X[i,j] + Z[i,j]\nU[i,j] = T[i,j] * 2\nY[i] max= U[i,j]",
    )
)  # fmt: skip
OF_TYPES = (  # of bytes, whole numbers and floats that lie in one file of registers
    ("Y[i,j] = sat_i8(X[i,j] + Z[i,j])", {"X": "i32", "Z": "i32", "Y": "i8"}), ("Y[i,j] = i32(X[j,i])", {"X": "i8", "Y": "i32"}),
    ("Y[i,j] = max(X[i,j], Z[i,j])", {"X": "i8", "Z": "i8", "Y": "i8"}), ("S[i] += i32(X[i,j])", {"X": "i8", "S": "i32"}),
    ("Y[i,j] = f32(i32(X[i,j])) * 0.5", {"X": "i8", "Y": "f32"}), ("Y[i,j] = X[i,j] * Z[i,j]", dict.fromkeys("XYZ", "i32")),
    ("Y[i,j] = round_i8(f32(i32(X[i,j]) + Z[i,j]) * 0.5)", {"X": "i8", "Z": "i32", "Y": "i8"}),
    ("D[i,j] = max(X[i,j], Z[i,j])\nS[i] += i32(D[i,j])", {"X": "i8", "Z": "i8", "D": "i8", "S": "i32"}),
    ("temporary D\nD[i,j] = f32(X[i,j] + Z[i,j])\nS[i] += D[i,j]", {"X": "i32", "Z": "i32", "D": "f32", "S": "f32"}),
    (
        "temporary D, E\nD[i,j] = i32(X[i,j])\nE[i,j] = f32(D[i,j])\nY[i,j] = E[i,j] * 0.25",
        {"X": "i8", "D": "i32", "E": "f32", "Y": "f32"},
    ),
)  # fmt: skip
SHAPES = ((4, 8, 8), (8, 4, 12), (4, 4, 4), (2, 8, 16))
TRIES = 60
NEAR = 1e-5  # of functions that the executor of the tests rounds otherwise


@dataclass(frozen=True)
class DrawnVectors:
    """words: which. sizes: of all axes by symbol, of which the program's open ones may be others."""

    words: str
    kernel: Kernel
    sizes: dict[str, int]
    program: Program


def draw_vectors(seed: int, types: bool = False, layouts: bool = False, ways: bool = False) -> DrawnVectors:
    """Raises ScheduleError where no legal plan is drawn. types: of elements of several, in one file of registers. layouts:
    tiles lie in fragments. ways: a move for each way in which elements lie."""
    rng = random.Random(seed)
    for _ in range(TRIES):
        here = rng.random() < 0.3
        texts = CHAINS if here else rng.choice((KERNELS, PHASES))
        text, shape, short = rng.choice(texts), rng.choice(SHAPES), rng.random() < 0.3
        kernel, hardware = im.kernel(text, name="drawn"), vectors.machine(*shape, short=short, here=here)
        if types:
            (text, of), here, short = rng.choice(OF_TYPES), False, False
            kernel, hardware = im.kernel(text, dtypes=of, name="drawn"), mixed.registers(*shape)
        hardware = vectors.laid_out(hardware) if layouts else hardware
        hardware = vectors.in_ways(hardware, *shape[:2]) if ways else hardware
        sizes = {str(a.extent): rng.randint(1, 3 if a.name in "rsn" else 14) for a in kernel.axes}
        often = rng.choice((0.0, 0.0, 0.7, 1.0))
        known = {n: v for n, v in sizes.items() if v > 1 and rng.random() < often}
        try:
            fixed = kernel.with_sizes(known)
            counts = phase_counts(kernel) if here else (1,) * len(kernel.statements)
            drawn = _on_chip(rng, fixed, phase_kernels(fixed, counts), hardware, sizes)
            program = joined(
                [lower_stages(s, hardware) for s, _ in drawn.chosen], fixed, [s.staying for s, _ in drawn.chosen]
            )
        except ScheduleError:
            continue
        stays = "".join(f" {s.staying.tensor} stays" for s in drawn.stays)
        words = f"{text!r} {sizes} known {known} on {shape}{' short' * short}{stays}"
        return DrawnVectors(words, kernel, sizes, program)
    raise ScheduleError(f"no legal plan in {TRIES} draws")


@cache
def _mappings(kernel: Kernel, hardware: Hardware) -> list[im.ProvedMapping]:
    s = kernel.statements[0]
    ready = [x for i in hardware.computes for x in instances(i, s) if i.combines == s.op and takes(kernel, x)]
    return [p for i in ready for partial in (False, True) for p in find_mappings(kernel, i, partial=partial).finished()]


def _in_digits(rng: random.Random, p: im.ProvedMapping, kernel: Kernel) -> im.ProvedMapping:
    """A mapping with one more loop, around blocks of an axis; the same where there is none, or it is not legal."""
    choices = {t: g for t, g in p.mapping.groups if len(g) == 1}
    if not choices:
        return p
    axis = rng.choice(sorted(choices))
    axes = {t: [f"{g[0]}%{rng.randint(2, 9)}"] if t == axis else list(g) for t, g in p.mapping.groups}
    target = p.mapping.instruction.kernel.statements[0].target.tensor
    operands = {o: a.tensor for o, a in p.mapping.binding if o != target}
    try:
        found = im.prove(im.fuse(kernel, p.mapping.instruction, axes, operands, partial=True))
    except IsamapError:  # an axis has no such digit
        return p
    return found if isinstance(found, im.ProvedMapping) else p


def _on_chip(
    rng: random.Random, kernel: Kernel, phases: tuple[Kernel, ...], hardware: Hardware, sizes: dict[str, int]
) -> OnChip:
    """Any legal plan of all phases, where any temporaries stay that can: their cycles are drawn, too."""
    liked = rng.choice((0.0, 1.0, 10.0))

    def chosen(phase: int, kept: Kept) -> Chosen:
        for _ in range(20 if kept.stays else 0):  # until a mapping is drawn that has its tiles so
            with suppress(ScheduleError):
                made = _drawn(rng, phases[phase], hardware, sizes, kept)
                break
        else:
            made = _drawn(rng, phases[phase], hardware, sizes, kept)
        return replace(made, objective=rng.random() / (liked if kept.stays else 1)), ()

    first = tuple(chosen(n, NOTHING_KEPT) for n in range(len(phases)))
    found = OnChip(hardware, chosen, lambda s: lower_stages(s, hardware), first)
    return found.with_temporaries(kernel, phases) if liked and len(phases) > 1 else found


def _drawn(
    rng: random.Random, kernel: Kernel, hardware: Hardware, sizes: dict[str, int], kept: Kept = NOTHING_KEPT
) -> Schedule:
    """Any legal plan of one phase."""
    found = _mappings(kernel, hardware)
    if not found:
        raise ScheduleError("nothing maps")
    proved = rng.choice(found)
    if rng.random() < 0.3:
        proved = _in_digits(rng, proved, kernel)
    asked = question(proved.mapping, hardware, sizes, {}, kept)
    decision = random_decision(rng, asked.problem, 400)
    return scheduled(proved, *decoded(proved.mapping, asked, decision))


def what_goes_wrong(
    drawn: DrawnVectors, program: Program, seeds: int = 2, also: tuple[dict[str, int], ...] = (), plainly: int = 0
) -> str:
    """At the sizes of the plan, at some others and at those of `also`; numbers are small and whole, and all below 0 at every other
    size, so that zeros that come into a maximum are seen."""
    rng = random.Random(drawn.words)
    others = [{n: rng.randint(1, 14) for n in drawn.sizes} for _ in range(2)]
    for number, at in enumerate([drawn.sizes, *others, *({**drawn.sizes, **a} for a in also)]):
        free = {n: v for n, v in at.items() if n in program.kernel.free_sizes}
        full = {**drawn.sizes, **free}
        kernel = drawn.kernel.with_sizes(full)
        draw = np.random.default_rng(number)
        shapes = {n: [int(evaluate(e, {})) for e in kernel.tensor(n).shape] for n in kernel.inputs}
        top = 5 if number % 2 else -1
        arrays = {n: draw.integers(-5, top, s).astype(kernel.tensor(n).dtype.numpy) for n, s in shapes.items()}
        want = im.run_kernel(kernel, arrays)
        near = NEAR if "exp" in drawn.kernel.text else 0.0
        if said := runs_wrong(program, arrays, free, want, seeds, plainly, near):
            return f"{full}: {said}"
    return ""
