"""Every field of every node of a core's program: which claim reads it, or why none has to.

As tests/uses/test_fields.py for engines. What engines alone have a meaning for, or has not the form it needs, is refused in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import recurrences
import toys

import isamap_smt as im
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Compute, Counted, If, IndexType, Loop, Move, Node, Prefetch, Program, Serial
from isamap_smt.ir.program_at import instances
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.proof import require_proof
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.packing import used_instructions
from tests.programs import test_configuration, test_granted, test_private_blocks, test_rings
from tests.uses.field_rows import Row, every_field, try_row


@cache
def program() -> Program:
    return im.plan(im.kernel("Y[i,j] = X[i,j] + b[j]", name="add"), "avx2").program


def changed(kind: type, **fields: Any) -> Program:
    """Every node of a kind, or every buffer, with other fields."""

    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        made = (replace(n, body=nodes(n.body)) if isinstance(n, Loop | If) else n for n in body)
        return tuple(one(n) for n in made)

    def one(n: Node) -> Node:
        if not isinstance(n, kind):
            return n
        return Alloc(replace(n.buffer, **fields)) if isinstance(n, Alloc) else replace(n, **fields)

    return replace(program(), body=nodes(program().body))


CASES: dict[str, tuple[Callable[[], Program], str]] = {
    "a row": (lambda: changed(Alloc, offset=8), "says what slots of an engine's memory have"),
    "slots": (lambda: changed(Alloc, slots=2), "says what slots of an engine's memory have"),
    "versions": (lambda: changed(Alloc, version=(sym("v"),)), "says what slots of an engine's memory have"),
    "lanes that are no number": (lambda: changed(Alloc, lanes=sym("J")), "holds J, and takes int"),
    "more lanes than dimensions": (lambda: changed(Alloc, lanes=9), "lie in one register"),
    "an extent without a base": (lambda: changed(Serial, extent=sym("J")), "says an extent, and has no base"),
    "a register's number": (lambda: changed(Alloc, first=0), "a number of its registers, which have none"),
    "a text for a number": (lambda: changed(Alloc, first="0"), "the field first of a Buffer holds 0"),
    "a fold of no tensor": (lambda: changed(Counted, folds=(("none", 0),)), "folds none, which is no tensor"),
    "elements of no tensor": (
        lambda: changed(Alloc, type=IndexType("none", ())),
        "elements of none, which is no tensor",
    ),
    "cells that hold no number": (
        lambda: changed(Alloc, type=IndexType("X", (), outside="x")),
        "that hold no element hold 'x'",
    ),
    "no operands": (lambda: changed(Compute, operands=()), "and is given []"),
    "no cache": (lambda: changed(Move, prefetch=(Prefetch(0, cache=9),)), "in a cache that C has no word for"),
    "a parameter of no machine": (lambda: replace(program(), parameters=("VL",)), "VL is no parameter of the machine"),
    "marks of no relation": (lambda: changed(If, known=((), (), ())), "are said to hold"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_meaning_is_refused(name: str) -> None:
    make, words = CASES[name]
    assert prove_program(program()).proved
    proof = prove_program(make())
    assert not proof.proved
    assert any(words in getattr(c.verdict, "reason", "") for c in proof.failed()), [c.verdict for c in proof.failed()]


def test_a_step_that_is_no_number_is_no_digit() -> None:
    """The link of a loop to its axis is a hint; without one the point is not told, and nothing is raised."""
    assert not prove_program(changed(Loop, step=sym("J"))).proved


# ---- every field -----------------------------------------------------------------------------------------------------

REFUSED = Row(refused=True)
PRINTED = "what is printed is the same in its effect"
GHOST = "a hint, of which the proof finds out itself whether it holds"
IDLE, APART = "iterations that do nothing", "iterations that touch nothing of each other's"
USUAL = ("packed", "dot", "softmax")
TILES, LENGTHS, RUNS = ("tiles",), ("lengths", "granted"), ("softmax", "turned", "ring")
SHARED = ("packed", "tiles")

TABLE: dict[str, Row] = {
    "Program.schedule": Row(("link", "program", "neutral"), refused=True),
    "Program.kernel": Row(("link", "program", "neutral", "begun")),
    "Program.ahead": Row(("hypotheses", "program"), refused=True, sources=("dot", "turns")),
    "Program.body": Row(("coverage", "link", "order", "progress", "program")),
    "Program.hypotheses": Row(("hypotheses",), free="no C is printed of what no check of it tests"),
    "Program.name": Row(free="it names the C's functions, and nothing else"),
    "Program.more": Row(refused=True, free="in another order", sources=("dot", "softmax")),
    "Program.starts": Row(("program", "progress", "begun"), free="named twice, or in another order"),
    "Program.assigned": Row(("begun",), free="what is not said is filled"),
    "Program.machine": REFUSED,
    "Program.parameters": Row(refused=True, free="one that nothing mentions", sources=LENGTHS),
    "Alloc.buffer": Row(("hypotheses",), refused=True),
    "Buffer.name": Row(("hypotheses",), refused=True),
    "Buffer.dtype": Row(("program", "link")),
    "Buffer.cells": Row(("program", "hypotheses"), refused=True, free="a name of its own"),
    "Buffer.shape": Row(("hypotheses", "bounds", "precondition"), refused=True, free="more room than is used"),
    "Buffer.type": Row(("program", "neutral")),
    "Buffer.memory": Row(("memory",)),
    "Buffer.lanes": Row(("precondition", "program", "configuration"), refused=True, free="of a heap it says nothing"),
    "Buffer.first": Row(("configuration",), refused=True, sources=TILES),
    "Buffer.offset": REFUSED,
    "Buffer.slots": REFUSED,
    "Buffer.version": REFUSED,
    "IndexType.tensor": Row(("program",), refused=True),
    "IndexType.coordinates": Row(("program",), free="another order where both are one element"),
    "IndexType.guard": Row(("program", "neutral"), free="named twice"),
    "IndexType.outside": Row(("program",), refused=True, free="where no cell is outside"),
    "Ref.name": Row(("program", "bounds", "hypotheses", "disjoint"), refused=True),
    "Ref.index": Row(("program", "bounds", "progress"), refused=True, free="the same element"),
    "Ref.version": REFUSED,
    "Serial.var": Row(("hypotheses",)),
    "Serial.count": Row(("bounds", "coverage", "progress", "neutral", "program"), free=IDLE),
    "Serial.body": Row(("coverage", "progress", "program", "link")),
    "Serial.kind": Row(("memory", "disjoint")),
    "Serial.axis": Row(("coverage",), free=GHOST),
    "Serial.step": Row(("coverage",), free=GHOST),
    "Serial.backwards": Row(("disjoint", "hypotheses"), refused=True, sources=("turns", "softmax")),
    "Serial.base": REFUSED,
    "Serial.extent": REFUSED,
    "Serial.folds": Row(("forms",), refused=True, free="a tensor of which nobody needs more", sources=("ring", "private")),
    "Serial.rings": Row(("forms",), refused=True, sources=("ring", "softmax")),
    "Serial.end": Row(("forms", "hypotheses"), refused=True, sources=("private", "softmax")),
    "Parallel.var": Row(("hypotheses",), sources=SHARED),
    "Parallel.count": Row(("bounds", "coverage", "progress", "neutral", "program"), free=IDLE, sources=SHARED),
    "Parallel.body": Row(("coverage", "progress", "program", "link"), sources=SHARED),
    "Parallel.kind": Row(("memory",), free="one thread does as much", sources=SHARED),
    "Parallel.axis": Row(("coverage",), free=GHOST, sources=SHARED),
    "Parallel.step": Row(("coverage",), free=GHOST, sources=SHARED),
    "Parallel.backwards": Row(refused=True, free="threads take iterations in any order", sources=SHARED),
    "Parallel.folds": Row(("forms",), refused=True, free="a tensor of which nobody needs more", sources=("private",)),
    "Parallel.enter": Row(("configuration",), sources=TILES),
    "Parallel.leave": Row(("configuration",), sources=TILES),
    "Unrolled.var": Row(("hypotheses",)),
    "Unrolled.count": Row(("bounds", "coverage", "progress", "neutral", "program"), free=IDLE),
    "Unrolled.body": Row(("coverage", "progress", "program", "link")),
    "Unrolled.kind": Row(("memory",)),
    "Unrolled.axis": Row(("coverage",), free=GHOST),
    "Unrolled.step": Row(("coverage",), free=GHOST),
    "Unrolled.woven": Row(("disjoint",), free=APART, sources=("columns", "softmax", "turned")),
    "If.condition": Row(("bounds", "hypotheses", "program", "coverage"), refused=True, free="the same where it is asked"),
    "If.body": Row(("program", "progress"), free="said twice"),
    "If.known": Row(("forms",), refused=True, free="no marks at all are the usual ones"),
    "Compute.instruction": Row(("link", "program"), sources=("packed", "dot", "turned")),
    "Compute.operands": Row(("program", "hypotheses"), refused=True),
    "Compute.point": Row(("link", "coverage", "program"), refused=True, sources=("dot",)),
    "Compute.statement": Row(("link",), refused=True),
    "Move.instruction": Row(("program",), refused=True),
    "Move.operands": Row(("program", "hypotheses"), refused=True),
    "Move.active": Row(("program", "precondition", "bounds"), refused=True, sources=("packed", "lengths")),
    "Move.prefetch": Row(free="what is asked for changes no value"),
    "Copy.instruction": Row(refused=True, sources=("packed", "dot")),
    "Copy.operands": Row(("hypotheses",), refused=True, sources=("packed", "dot")),
    "Copy.over": Row(("program", "bounds", "hypotheses"), refused=True, sources=("dot",)),
    "Copy.where": Row(("program", "bounds"), refused=True, sources=("dot",)),
    "Copy.fill": Row(("program",), sources=("packed", "turned")),
    "Copy.form": Row(free=PRINTED, sources=("packed", "turned")),
    "Point.instruction": Row(("program",), refused=True, sources=("softmax", "private")),
    "Point.operands": Row(("program",), refused=True, sources=("softmax", "private")),
    "Point.point": Row(("program",), refused=True, sources=("softmax", "private")),
    "Point.statement": Row(("program",), refused=True, sources=("softmax", "private")),
    "Point.across": Row(("forms", "program"), sources=("softmax",)),
    "SetState.instruction": Row(("configuration",), sources=TILES),
    "SetState.cells": Row(("configuration",), sources=TILES),
    "Ask.instruction": Row(("configuration",), sources=("granted",)),
    "Ask.number": Row(("configuration", "hypotheses"), refused=True, sources=("granted",)),
    "Prefetch.distance": Row(refused=True, free="a line that nobody needs", sources=("private",)),
    "Prefetch.lines": Row(refused=True, free="more lines, or fewer", sources=("private",)),
    "Prefetch.cache": Row(refused=True, free="another cache", sources=("private",)),
    "Prefetch.place": Row(refused=True, free="a line that nobody needs", sources=("private",)),
    "CopyForm.split": Row(refused=True, free=PRINTED, sources=("packed", "dot", "turned")),
    "CopyForm.whole": Row(("forms",), free=PRINTED, sources=("packed", "dot")),
    "CopyForm.written": Row(refused=True, free=PRINTED, sources=("packed", "softmax", "turned")),
    "CopyForm.block": Row(free=PRINTED, sources=("turned",)),
    "Block.call": Row(refused=True, sources=("turned",)),
    "Block.to_row": Row(("forms",), refused=True, sources=("turned",)),
    "Block.from_row": Row(("forms",), refused=True, sources=("turned",)),
    "Block.sides": Row(refused=True, sources=("turned",)),
    "Block.cut": Row(("forms",), free="none is cut where the guard cuts none", sources=("bytes", "turned")),
    "Across.load": Row(("forms", "program"), sources=("softmax",)),
    "Across.beside": Row(("forms", "program"), sources=("softmax", "private")),
    "Across.last": Row(("forms", "program"), sources=("softmax",)),
}  # fmt: skip

# A core's program has none: tests/programs/test_statements.py shows that one is refused.
ELSEWHERE = dict.fromkeys(("Command", "Configure", "Signal"), "an engine issues it")

# Rows of three vectors and some more, in blocks that threads share: forms, folds, loops that end early.
SOFTMAX = "temporary M, S\nM[i] max= X[i,j]\nS[i] += exp(X[i,j]-M[i])\nY[i,j] = exp(X[i,j]-M[i])/S[i]"


@cache
def source(name: str) -> Program:
    match name:
        case "packed":  # run at many sizes, one below and one above each of its tiles
            return toys.packed_gemm(0, narrow=True)
        case "columns":
            return toys.packed_gemm(0)
        case "dot":
            return toys.dot_gemm()
        case "lengths":
            return toys.OF_ANY_LENGTH["inplace"]()
        case "turns":
            return recurrences.ORIGINALS["to and fro, in blocks"]()
        case "granted":
            return test_granted.program()
        case "tiles":
            return test_configuration.program(2)
        case "bytes":
            return test_configuration.program()
        case "ring":
            return test_rings.plan().program
        case "private":
            return test_private_blocks.softmax(269, 21).program  # run hundreds of times, iteration by iteration
        case "turned":
            fix = {"pack.A": "L2"}
            return im.plan("gemm", "avx2", sizes={"i": 13, "j": 21, "k": 19}, fix=fix, cost_model="analytic").program
    kernel = im.kernel(SOFTMAX, name="softmax")
    return im.plan(kernel, "avx2", sizes={"i": 3, "j": 19}, cost_model="analytic").program


def compiled(program: Program) -> CompiledKernel | None:
    """None where no C is printed, since no check of it tests what the program assumes."""
    proved = require_proof(program)
    try:
        return build_program(im.print_c(proved))
    except NotProvedError:
        return None


def results(program: Program) -> dict[str, np.ndarray]:
    """What its C makes of small whole numbers; nothing where there is none."""
    rng = np.random.default_rng(7)
    kernel = program.kernel
    shapes = {n: tuple(int(e) for e in kernel.tensor(n).shape) for n in kernel.inputs}
    run = compiled(program)
    if run is None:
        return {}
    found = run(**{n: rng.integers(-4, 5, s).astype(np.float32) for n, s in shapes.items()})
    return dict(zip(kernel.results, found if isinstance(found, tuple) else (found,), strict=True))


before = cache(lambda name: results(source(name)))


def harm(name: str, program: Program) -> str:
    """What an edited program does that it should not; '' for nothing."""
    for one in instances(program):
        if trial := trials(one, 3, 5):
            return f"{trial.text} at {trial.sizes}"
    if name in RUNS and not missing_features(used_instructions(program)):
        for output, found in results(program).items():
            if not np.allclose(found, before(name)[output], rtol=1e-5):
                return f"the C computes another {output}"
    return ""


def test_every_field_has_a_row() -> None:
    assert set(TABLE) == every_field(ELSEWHERE)
    assert all(r.claims or r.refused or r.free for r in TABLE.values())


@pytest.mark.parametrize("name", TABLE)
def test_a_claim_reads_the_field_or_it_does_no_harm(name: str) -> None:
    row = TABLE[name]
    assert not try_row(name, row, row.sources or USUAL, source, harm, tried=2 if row is REFUSED else 3)
