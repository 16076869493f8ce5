"""Phases in loops over blocks: planned, proved, carried out; what must not be cut; and programs that cut it wrongly."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import plain_executor
import pytest
import sympy as sp
import vectors
from judged import runs_wrong
from random_vectors import PHASES
from use_edits import rewritten, uses

import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.expr import evaluate, substitute
from isamap_smt.ir.phases import blocks_of, joined, phase_kernels, phases
from isamap_smt.ir.program import Alloc, Command, Loop, Program, Ref, Signal
from isamap_smt.ir.schedule import LoopStep
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping.common_axis import Run, runs_from
from isamap_smt.pipeline import staged
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

SOFTMAX = """temporary M, E, S
M[i] max= X[i,j]
E[i,j] = exp(X[i,j] - M[i])
S[i] += E[i,j]
Y[i,j] = E[i,j] / S[i]"""
NORM = """temporary S, D, Q, R
S[i] += X[i,j]
D[i,j] = X[i,j] - S[i] * 0.0625
Q[i] += D[i,j] * D[i,j]
R[i] = rsqrt(Q[i] * 0.0625 + 0.00001)
Y[i,j] = D[i,j] * R[i]"""
CHAIN = "temporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[i,j] = exp(D[i,j])"


@cache
def planned(text: str = SOFTMAX, tiles: int = 40, **sizes: int) -> im.Plan:
    return im.stage(im.kernel(text, name="k"), vectors.machine(4, 8, tiles), sizes=sizes or {"i": 64, "j": 24})


def given(program: Program, sizes: dict[str, int] | None = None) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Numbers below 0, and the results."""
    draw, kernel = np.random.default_rng(1), program.kernel.with_sizes(sizes or {})
    shapes = {t: [int(evaluate(e, {})) for e in kernel.tensor(t).shape] for t in kernel.inputs}
    arrays = {t: draw.integers(-7, -1, s).astype(np.float32) / 4 for t, s in shapes.items()}
    return arrays, im.run_kernel(kernel, arrays)


def goes_wrong(program: Program, like: Program | None = None) -> str:
    arrays, want = given(like or program)
    return runs_wrong(program, arrays, {}, want, 2, 2, 1e-5)


def shared(program: Program) -> list[Loop]:
    """The loops over blocks."""
    return list(dict.fromkeys(x for p in phases(program) for x in blocks_of(p)))


def without_blocks(kernel: im.Kernel, machine: im.Hardware, monkeypatch: pytest.MonkeyPatch) -> im.Plan:
    with monkeypatch.context() as patch:
        patch.setattr("isamap_smt.pipeline.staged._in_blocks", lambda found, kept, *_: kept)
        return im.stage(kernel, machine)


@pytest.mark.parametrize(("text", "i", "j"), [(SOFTMAX, 64, 24), (SOFTMAX, 70, 24), (NORM, 48, 16)])
def test_rows_in_blocks_are_right_and_quicker(text: str, i: int, j: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(text, 40 if text == SOFTMAX else 16, i=i, j=j)
    assert any("are carried out in blocks" in n for n in plan.notes) and plan.proof.proved
    assert any(s.blocks for s in plan.phases)
    arrays, _ = given(plan.program)
    assert plan.cycles == simulate(plan.program, arrays).cycles
    assert goes_wrong(plan.program) == ""
    assert all(s.bound is not None and s.objective is not None and s.bound <= s.objective for s in plan.phases)
    assert plan.cycles < without_blocks(plan.kernel, plan.hardware, monkeypatch).cycles
    stay = {t for s in plan.phases for t in s.staying}
    moved = {r.name for u in uses(plan.program) if u.instruction.kind in ("load", "store") for _, r in u.operands}
    assert stay and not stay & moved


def runs(text: str) -> list[Run]:
    kernel = im.kernel(text, name="k")
    kernels = phase_kernels(kernel, (1,) * len(kernel.statements))
    return [r for n in range(len(kernels)) for r in runs_from(kernels, n) if r.first == n]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CHAIN, {(0, 1, "i"), (0, 1, "j")}),
        (SOFTMAX, {(0, 3, "i"), (1, 3, "i"), (2, 3, "i")}),
        ("axis i < 8\nD: [9,8]\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[i,j] = exp(D[i+1,j])", {(0, 1, "j")}),
        ("axis i < 8\naxis j < 8\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[i,j] = exp(D[j,i])", {(0, 1, "i"), (0, 1, "j")}),
        ("axis i < 8\naxis j < 8\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[i,j] = D[i,j] + D[j,i]", set()),
        ("temporary S\nS[j] += X[i,j]\nY[i,j] = X[i,j] - S[j]", {(0, 1, "j")}),
        ("temporary D, M\nD[i,j] = X[i,j] + Z[i,j]\nM[j] max= D[i,j]\nY[i,j] = D[i,j] - M[j]", {(0, 2, "j"), (1, 2, "j")}),
    ],
)  # fmt: skip
def test_which_axes_are_cut(text: str, found: set[tuple[int, int, str]]) -> None:
    """No axis along which a statement reads another row, rows twice, or all of them."""
    seen = {(r.first, r.last, r.axis) for r in runs(text)}
    assert seen == found


def by_hand(text: str, tiles: int, **sizes: int) -> Program:
    """Its phases in blocks of so many tiles of 4 rows, with all temporaries in main memory."""
    machine, kernel = vectors.machine(4, 8, 12), im.kernel(text, name="k").with_sizes(sizes)
    made = []
    for k in phase_kernels(kernel, (1,) * len(kernel.statements)):
        rows = k.statements[0].target.index[0]
        (s,) = im.stage(k, machine, axes={"r": [str(rows)], "c": ["j"]}, fix={"tile.r_tile": 1}).phases
        made.append(lower_stages(replace(s, blocks=(LoopStep("r_tile", tiles),)), machine))
    return joined(made, kernel, shared=((0, len(made) - 1, 1),))


REACH = (
    "axis i < 16\naxis k < {n}\nD: [16,J]\nY: [{n},J]\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[k,j] = exp(D[k+{by},j])"
)


@pytest.mark.parametrize(("n", "by", "right"), [(16, 0, True), (12, 4, False), (15, 1, False), (9, 7, False)])
def test_rows_of_a_later_block_are_not_there_yet(n: int, by: int, right: bool) -> None:
    """Through main memory, with as many blocks of each phase: a claim of its own says which block wrote what is read."""
    program = by_hand(REACH.format(n=n, by=by), 2, J=16)
    proof = prove_program(program)
    assert (proof.word, goes_wrong(program) == "") == (("proved", True) if right else ("refuted", False))
    assert right or {c.verdict.word for c in proof.failed() if "block by block" in c.statement} == {"refuted"}


def test_rows_of_an_earlier_block_are_there() -> None:
    """Y's blocks are those of its own rows, which lie behind those of D that it reads."""
    text = (
        "axis i < 16\naxis k < 16\nD: [16,J]\nY: [16,J]\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[k,j] = exp(D[{at},j])"
    )
    right, wrong = (by_hand(text.format(at=at), 2, J=16) for at in ("k", "15-k"))
    assert prove_program(right).proved and goes_wrong(right) == ""
    assert prove_program(wrong).word == "refuted" and goes_wrong(wrong)


def test_blocks_that_differ_are_not_joined() -> None:
    with pytest.raises(im.IsamapError, match="phases 1 and 2 have other blocks"):
        by_hand(REACH.format(n=8, by=4), 2, J=16)


# ---- Wrong programs.


def block_of(program: Program) -> Loop:
    (loop,) = (n for n in program.body if isinstance(n, Loop))
    return loop


def with_block(program: Program, change: Callable[[Any], Loop]) -> Program:
    loop = block_of(program)
    return replace(program, body=tuple(change(n) if n is loop else n for n in program.body))


def places(program: Program, change: Callable[[Ref], Ref]) -> list[Program]:
    """For each use, the program with its places changed, if they do."""
    found = []
    for u in uses(program):
        if not isinstance(u, Command):
            continue
        new = tuple((o, change(r)) for o, r in u.operands)
        if new != u.operands:
            found.append(rewritten(program, lambda x, u=u, new=new: (replace(x, operands=new),) if x is u else None))
    return found


def main(program: Program, instead: Callable[[Any], Any]) -> Callable[[Ref], Ref]:
    """Places in main memory with another block."""
    held, var = {a.buffer.name for a in nodes_of(Alloc, program.body)}, block_of(program).var

    def change(r: Ref) -> Ref:
        if r.name in held or var.name not in {s.name for e in r.index for s in sp.sympify(e).free_symbols}:
            return r
        return replace(r, index=tuple(sp.expand(substitute(e, {var.name: instead(var)})) for e in r.index))

    return change


BLOCKS = {
    "another one": lambda b: b + 1,
    "the one before": lambda b: b - 1,
    "a row late": lambda b: b + sp.Rational(1, 16),
    "overlapping": lambda b: b * sp.Rational(3, 4),
    "with rows between": lambda b: b * sp.Rational(5, 4),
    "the first": lambda b: sp.S.Zero,
}


@pytest.mark.parametrize("what", BLOCKS)
def test_other_rows_of_main_memory(what: str) -> None:
    program = planned(SOFTMAX).program
    wrong = places(program, main(program, BLOCKS[what]))
    assert len(wrong) > 2
    for w in wrong:
        assert prove_program(w).word == "refuted" and goes_wrong(w)


def test_a_block_less_or_more() -> None:
    """One more has no active points, and is right."""
    program = planned(SOFTMAX).program
    less, more = (with_block(program, lambda x, by=by: replace(x, count=x.count + by)) for by in (-1, 1))
    assert prove_program(less).word == "refuted" and goes_wrong(less, program)
    assert prove_program(more).proved and goes_wrong(more, program) == ""


@pytest.mark.parametrize("what", ["the one before", "the first"])
def test_contents_of_another_block(what: str) -> None:
    """What a version says is a claim alone, so the program does the same; nothing else says that they are there still."""
    program = planned(SOFTMAX).program
    var = block_of(program).var

    def change(r: Ref) -> Ref:
        return replace(r, version=tuple(BLOCKS[what](v) if v == var else v for v in r.version))

    wrong = places(program, change)
    assert len(wrong) > 4
    assert all(prove_program(w).word != "proved" for w in wrong)


def test_barriers_in_the_loop() -> None:
    """One less, one that waits for less, and none at the end of a block."""
    program = planned(SOFTMAX).program
    machine = program.machine
    assert machine is not None
    body, engines = block_of(program).body, len(machine.engines)
    signals = [n for n, x in enumerate(body) if isinstance(x, Signal) and "in_blocks" in str((x.signals, x.awaits))]
    assert len(signals) == 2 * engines * len(planned(SOFTMAX).phases)
    seen = 0
    for k in range(0, len(signals), 2 * engines):
        gone = set(signals[k : k + 2 * engines])
        left = with_block(
            program, lambda x, gone=gone: replace(x, body=tuple(b for n, b in enumerate(body) if n not in gone))
        )
        assert prove_program(left).word != "proved"
        seen += bool(goes_wrong(left))

        def early(b: Any) -> Any:
            return replace(b, awaits=tuple((c, e - 1) for c, e in b.awaits))

        less = with_block(
            program,
            lambda x, gone=gone: replace(x, body=tuple(early(b) if n in gone else b for n, b in enumerate(body))),
        )
        assert prove_program(less).word != "proved"
        seen += bool(goes_wrong(less))
    assert seen > 2


def test_a_name_of_the_proof() -> None:
    """Counters that begin as those of the barrier between blocks do, which each phase gets in its proof."""
    program = planned(SOFTMAX).program
    one = next(u for u in uses(program) if u.signals and "in_blocks" not in u.signals[0])
    wrong = rewritten(program, lambda u: (replace(u, signals=(*u.signals, "!block _load")),) if u is one else None)
    proof = prove_program(wrong)
    assert proof.word != "proved" and "as names of the proof do" in str(proof.failed()[0].verdict)


def test_names_that_nothing_defines() -> None:
    """They are refuted or unknown, and no error of the claims about blocks."""
    program = planned(SOFTMAX).program
    one = next(u for u in uses(program) if isinstance(u, Command) and u.instruction.name == "load")
    odd = tuple((o, replace(r, name="Nowhere") if r.name == "X" else r) for o, r in one.operands)
    assert (
        prove_program(rewritten(program, lambda u: (replace(one, operands=odd),) if u is one else None)).word
        != "proved"
    )


def test_loops_of_their_own_lose_what_stays() -> None:
    """All blocks of a phase, then all of the next one: it finds the last block alone."""
    plan = planned(SOFTMAX)
    made = [lower_stages(s, plan.hardware) for s in plan.phases]
    right = joined(made, plan.kernel, [s.staying for s in plan.phases], ((0, len(made) - 1, 1),))
    assert right == plan.program
    wrong = joined(made, plan.kernel, [s.staying for s in plan.phases])
    assert prove_program(wrong).word != "proved" and goes_wrong(wrong)


# ---- Drawn ones.


def drawn(seed: int) -> tuple[str, Program] | None:
    """A kernel of several statements at drawn sizes, a run of its phases in blocks of a drawn length; None if that has no plan."""
    rng = random.Random(seed)
    text, shape = rng.choice((*PHASES, SOFTMAX, NORM)), rng.choice(((4, 8, 10), (8, 4, 14), (4, 4, 9), (2, 8, 20)))
    machine, short = vectors.machine(*shape), im.kernel(text, name="drawn")
    sizes = {a.name: rng.randint(2, 15) for a in short.axes}
    kernel = short.with_sizes(sizes)
    ask = staged._Asked(machine, {}, (), 60.0, None, staged.Clock(None))
    ways = ((False, ""), (True, ""))
    try:
        found = staged._phases(kernel, ask, ways)
        kernels = phase_kernels(found.kernel, found.counts)
        run = rng.choice([r for n in range(len(kernels)) for r in runs_from(kernels, n)])
        planner = staged.InBlocks(
            machine, found.kernel, kernels, lambda k, kept: staged._chosen(k, replace(ask, kept=kept), ways),
            lambda s: staged._lowered(s, machine), lambda k: {},
        )  # fmt: skip
        made = planner._planned(((run, rng.randint(1, 3) * rng.choice(shape[:2])),))
    except (im.IsamapError, IndexError):
        return None
    chosen = [*found.chosen]
    chosen[run.first : run.last + 1] = made.chosen
    program = joined(
        [staged._lowered(s, machine) for s, _ in chosen], found.kernel, [s.staying for s, _ in chosen], (made.shared,)
    )
    stay = ", ".join(s.tensor for s in made.staying)
    return f"{text!r} {sizes} on {shape}: {made.told}; {stay}", program


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(16))
def test_drawn_blocks_are_proved_and_right(seed: int) -> None:
    """At lengths that no planner would choose, too: one that is longer than the axis, or cuts off most of a block."""
    made = drawn(seed)
    if made is None:
        return
    words, program = made
    arrays, want = given(program)
    assert prove_program(program).proved, words
    assert plain_executor.differs(program, arrays, {}, want, 3, 1e-5) == "", words
    assert simulate(program, arrays, seed=seed).sound, words
