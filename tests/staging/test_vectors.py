"""Statements that are no sums of products, on a vector unit with a scratchpad: planned, proved, carried out; and wrong programs."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import plain_executor
import pytest
import sympy as sp
import vectors
from judged import runs_wrong
from random_vectors import draw_vectors, what_goes_wrong
from use_edits import commanded, edits, rewritten, uses

import isamap_smt as im
from isamap_smt.ir.errors import UndecidedError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.program import Command, Program
from isamap_smt.mapping.staged_values import stage_values
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.split import prove_split
from isamap_smt.simulator import simulate

SOFTMAX = """temporary M, E, S
M[i] max= X[i,j]
E[i,j] = exp(X[i,j] - M[i])
S[i] += E[i,j]
Y[i,j] = E[i,j] / S[i]"""
NORM = """temporary T, D, V
T[i] += X[i,j]
D[i,j] = X[i,j] - T[i] * 0.0625
V[i] += D[i,j] * D[i,j]
Y[i,j] = D[i,j] * rsqrt(V[i] * 0.0625 + 0.00001) * g[j] + b[j]"""
ATTENTION = """temporary P, L, M, E, S, O
P[i,j] += Q[i,d] * K[j,d]
L[i,j] = 0.25 * P[i,j]
M[i] max= L[i,j]
E[i,j] = exp(L[i,j] - M[i])
S[i] += E[i,j]
O[i,e] += E[i,j] * V[j,e]
Y[i,e] = O[i,e] / S[i]"""
BLOCK = """axis k < D
axis j < I
X: [I, D]
N: [I, D]
Z: [I, D]
A: [I, D]
K: [I, D]
V: [I, D]
E: [I, I]
L: [I, I]
P: [I, I]
temporary T, D, V2, N, Q, K, V, P, L, M, E, S, O, A, Z, U, T2, D2, W2, N2, H, G, F
T[i] += X[i,d]
D[i,d] = X[i,d] - T[i] * 0.0625
V2[i] += D[i,d] * D[i,d]
N[i,d] = D[i,d] * rsqrt(V2[i] * 0.0625 + 0.00001) * g1[d] + b1[d]
Q[i,d] += N[i,k] * WQ[k,d]
K[i,d] += N[i,k] * WK[k,d]
V[i,d] += N[i,k] * WV[k,d]
P[i,j] += Q[i,d] * K[j,d]
L[i,j] = 0.25 * P[i,j]
M[i] max= L[i,j]
E[i,j] = exp(L[i,j] - M[i])
S[i] += E[i,j]
O[i,d] += E[i,j] * V[j,d]
A[i,d] = O[i,d] / S[i]
U[i,d] += A[i,k] * WO[k,d]
Z[i,d] = U[i,d] + X[i,d]
T2[i] += Z[i,d]
D2[i,d] = Z[i,d] - T2[i] * 0.0625
W2[i] += D2[i,d] * D2[i,d]
N2[i,d] = D2[i,d] * rsqrt(W2[i] * 0.0625 + 0.00001) * g2[d] + b2[d]
H[i,f] += N2[i,d] * W1[d,f]
G[i,f] = relu(H[i,f] + c1[f])
F[i,d] += G[i,f] * Wd[f,d]
Y[i,d] = F[i,d] + Z[i,d]"""
KERNELS = {
    "relu": "Y[i,j] = relu(X[i,j])", "residual": "Y[i,j] = X[i,j] + Z[i,j]", "sums": "S[i] += X[i,j]", "maxima": "S[i] max= X[i,j]",
    "pooling": "Y[i,j] max= X[2*i + r,2*j + s]", "softmax": SOFTMAX, "norm": NORM, "attention": ATTENTION,
}  # fmt: skip
SMALL = {"R": 2, "S": 3}
KNOWN = {
    name: {a.name: SMALL.get(str(a.extent), n) for a, n in zip(im.kernel(text).axes, (9, 11, 6, 5), strict=False)}
    for name, text in KERNELS.items()
}


@cache
def planned(name: str, known: bool = False) -> im.Plan:
    """sizes open, or known and no multiples of a tile's sides."""
    kernel = im.kernel(KERNELS[name], name=name)
    return im.stage(kernel, vectors.machine(product=name == "attention"), sizes=KNOWN[name] if known else {})


def goes_wrong(name: str, program: Program, open_: tuple[int, ...] = (1, 9, 13)) -> str:
    """What is wrong with a program, at some sizes; all numbers are below 0, so that zeros in a maximum are seen."""
    kernel = im.kernel(KERNELS[name], name=name)
    for n in open_:
        sizes = (
            {s: SMALL.get(s, n + k) for k, s in enumerate(kernel.free_sizes)}
            if program.kernel.free_sizes
            else KNOWN[name]
        )
        known, free = kernel.with_sizes(sizes), {s: v for s, v in sizes.items() if s in program.kernel.free_sizes}
        draw = np.random.default_rng(n)
        shapes = {t: [int(evaluate(e, {})) for e in known.tensor(t).shape] for t in known.inputs}
        arrays = {t: draw.integers(-7, -1, s).astype(np.float32) / 4 for t, s in shapes.items()}
        want = im.run_kernel(known, arrays)
        if said := runs_wrong(program, arrays, free, want, 3, 2, 1e-5):
            return said
    return ""


@pytest.mark.parametrize("known", [False, True], ids=["open", "known"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_proved_and_right(name: str, known: bool) -> None:
    plan = planned(name, known)
    assert plan.proof.proved
    assert goes_wrong(name, plan.program) == ""
    computing = [
        u.instruction for u in uses(plan.program) if isinstance(u, Command) and u.instruction.kind == "compute"
    ]
    assert len(computing) == len(plan.kernel.statements) == len(plan.phases)


@pytest.mark.parametrize("seed", range(12))
def test_plans_are_proved_and_edits_that_go_wrong_are_not(seed: int) -> None:
    """More of it: python -m benchmarks.fuzz_uses --of vectors."""
    d = draw_vectors(seed)
    assert prove_program(d.program).failed() == (), d.words
    assert what_goes_wrong(d, d.program, plainly=1) == "", d.words
    rng = random.Random(seed)
    for _ in range(2):
        told, program = edits(d.program, rng, 1)
        if prove_program(program).proved:
            assert what_goes_wrong(d, program) == "", (d.words, told)


def refuted(name: str, program: Program) -> bool:
    """Whether a program goes wrong, and is refuted."""
    return bool(goes_wrong(name, program)) and prove_program(program).word == "refuted"


def test_a_maximum_takes_no_zeros_from_a_ragged_tile() -> None:
    """All columns of a tile are reduced, those behind the row's end too: zeros, which a load left there."""
    plan = planned("maxima")
    every = commanded(
        plan.program, lambda u: replace(u, active=(sp.Integer(8),)) if u.instruction.name == "row_max" else u
    )
    assert refuted("maxima", every)


def test_sums_take_zeros_from_a_ragged_tile_as_nothing() -> None:
    """row_sum adds all columns of a tile."""
    (adds,) = [u for u in uses(planned("sums").program) if u.instruction.name == "row_sum"]
    assert not adds.counted


@pytest.mark.parametrize(("name", "wrong"), [("maxima", "clear"), ("sums", "clear_to_least")])
def test_a_beginning_with_the_wrong_number(name: str, wrong: str) -> None:
    plan, other = planned(name), vectors.machine().instruction(wrong)
    begun = commanded(
        plan.program, lambda u: replace(u, instruction=other) if u.instruction.name.startswith("clear") else u
    )
    assert refuted(name, begun)


@pytest.mark.parametrize("name", ["maxima", "sums", "relu"])
def test_nothing_begins_a_content(name: str) -> None:
    """What begins it is left out, or does not say that it does."""
    program = planned(name).program
    (begins,) = [
        u for u in uses(program)
        if isinstance(u, Command) and u.begins and (u.instruction.name.startswith("clear") or u.instruction.kind == "compute")
    ]  # fmt: skip
    silent = rewritten(program, lambda u: (replace(u, begins=False),) if u is begins else None)
    assert prove_program(silent).word != "proved"
    left = rewritten(program, lambda u: () if u is begins else None)
    assert prove_program(left).word != "proved"
    assert goes_wrong(name, left)


@pytest.mark.parametrize("name", ["relu", "residual", "sums", "maxima"])
def test_awaits_and_signals_that_are_left_out(name: str) -> None:
    program = planned(name).program
    for u in uses(program):
        for n in range(len(u.awaits)):
            without = rewritten(
                program, lambda x, u=u, n=n: (replace(x, awaits=x.awaits[:n] + x.awaits[n + 1 :]),) if x is u else None
            )
            proof = prove_program(without)
            assert proof.word == "refuted" or not goes_wrong(name, without), u.instruction.name


def test_a_slot_that_another_content_lies_in() -> None:
    program = planned("relu").program
    (computes,) = [u for u in uses(program) if u.instruction.kind == "compute"]
    for operand in ("y", "a"):
        places = tuple(
            (o, replace(r, index=(r.index[0] + 1, *r.index[1:])) if o == operand else r) for o, r in computes.operands
        )
        moved = rewritten(program, lambda x, places=places: (replace(x, operands=places),) if x is computes else None)
        assert refuted("relu", moved)


def test_another_number_in_the_code() -> None:
    program = planned("relu").program
    (computes,) = [u for u in uses(program) if u.instruction.kind == "compute"]
    places = tuple((o, replace(r, index=(sp.Integer(-1),)) if o == "x" else r) for o, r in computes.operands)
    assert refuted("relu", rewritten(program, lambda x: (replace(x, operands=places),) if x is computes else None))


def test_a_statement_is_taken_apart_with_a_proof() -> None:
    plan = planned("softmax")
    assert plan.split is not None and plan.split.proof.proved
    assert [str(one) for one in plan.split.split.chain] == ["a part of statement 2 in E_part1"]


@pytest.mark.parametrize("what", ["another value", "read elsewhere", "another shape"])
def test_wrong_parts_are_refuted(what: str) -> None:
    kernel = im.kernel("Y[i,j] = exp(X[i,j] - M[i]) * X[i,j]", name="k")
    x = stage_values(kernel, 0, 2)
    assert prove_split(x).proved
    first, last = x.kernel.statements
    match what:
        case "another value":
            other = stage_values(im.kernel("Y[i,j] = exp(M[i] - X[i,j]) * X[i,j]", name="k"), 0, 2).kernel.statements[0]
            made = (replace(first, value=other.value), last)
        case "read elsewhere":
            turned = replace(first, target=replace(first.target, index=first.target.index[::-1]))
            made = (turned, last)
        case _:
            made = (replace(first, axes=first.axes[:1]), last)
    assert not prove_split(replace(x, kernel=replace(x.kernel, statements=made))).proved


def test_a_part_below_a_saturation_is_none() -> None:
    """There nothing wraps, and an element does."""
    kernel = im.kernel("Y[i] = sat_i8(A[i] + B[i])", dtypes={"Y": "i8", "A": "i32", "B": "i32"}, name="k")
    with pytest.raises(im.IsamapError, match="no part 1"):
        stage_values(kernel, 0, 1)


@pytest.mark.parametrize(
    ("text", "without", "said"),
    [
        ("Y[i,j] = sin(X[i,j])", "", "`Y[i,j] = sin(X[i,j])`: no instruction of vector computes sin(X[i, j])"),
        ("Y[i,j] = exp(X[i,j] - Z[i,j])", "sub sub_row", "no instruction of vector computes X[i, j] - Z[i, j]"),
        ("S[i] max= X[i,j]", "clear_to_least", "begins cells of vectors at -inf; describe one, such as 'x[r,c] = -inf'"),
        ("S[i] += X[i,j]", "clear", "no instruction begins cells of vectors at 0"),
        ("Y[i,j] = relu(X[i,j])", "store store_column", "no instruction moves from vectors to memory"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(text: str, without: str, said: str) -> None:
    kernel = im.kernel(text, name="k")
    with pytest.raises(im.IsamapError) as error:
        im.stage(kernel, vectors.machine(without=frozenset(without.split())))
    assert said in str(error.value)


def test_a_maximum_over_ragged_tiles_needs_an_instruction_that_leaves_columns_out() -> None:
    m = vectors.machine()
    whole = replace(m, instructions=tuple(replace(i, active=()) if i.name == "row_max" else i for i in m.instructions))
    kernel = im.kernel(KERNELS["maxima"], name="maxima")
    assert im.stage(kernel, whole, sizes={"i": 8, "j": 16}).proof.proved
    for sizes, extent in (({"i": 8, "j": 11}, "11"), ({}, "J")):
        with pytest.raises(im.IsamapError) as error:
            im.stage(kernel, whole, sizes=sizes)
        assert (
            f"row_max takes 8 points of c at once, along axis j of maxima, and it has {extent}: what lies beyond"
            in str(error.value)
        )
        assert "say active={'c': 'points'}" in str(error.value)


def test_a_size_is_a_number_in_the_code() -> None:
    """Where it is known; of one that is open the refusal says so."""
    kernel = im.kernel("temporary s\ns[i] += X[i,n]\nY[i] = s[i] / N", name="mean")
    plan = im.stage(kernel, vectors.machine(), sizes={"i": 9, "n": 13})
    (divides,) = [u for u in uses(plan.program) if u.instruction.name == "divide_number"]
    assert dict(divides.operands)["x"].index == (13,)
    values = np.random.default_rng(0).integers(-7, 7, (9, 13)).astype(np.float32)
    want = im.run_kernel(kernel.with_sizes({"i": 9, "n": 13}), {"X": values})
    assert plain_executor.differs(plan.program, {"X": values}, {}, want, 2) == ""
    with pytest.raises(im.IsamapError, match="give N, so that it is a number in the code"):
        im.stage(kernel, vectors.machine())


def test_mappings_with_blocks_of_an_axis() -> None:
    """Their kernel has a `where`, which leaves out no element of the one that was asked for."""
    kernel = im.kernel("Y[i,j] = X[i,j] - M[i]", name="k")
    plan = im.stage(kernel, vectors.machine(), sizes={"i": 13, "j": 37}, axes="r=i,c=j%24")
    values = {
        n: np.random.default_rng(1).integers(-7, 7, s).astype(np.float32) for n, s in (("X", (13, 37)), ("M", 13))
    }
    want = im.run_kernel(kernel.with_sizes({"i": 13, "j": 37}), values)
    assert plain_executor.differs(plan.program, values, {}, want, 2) == ""


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Y[i,j] = exp(X[i,j] - M[i])", ("exp_here",)),
        ("Y[i,j] = (X[i,j] - M[i]) * r[i] * g[j] + b[j]", ("mul_here", "mul_here", "add_here")),
    ],
)
def test_what_is_computed_in_place_stays_on_chip(text: str, steps: tuple[str, ...]) -> None:
    """One phase, with less time than by statements over tensors in main memory."""
    kernel, sizes = im.kernel(text, name="k"), {"i": 9, "j": 19}
    plan = im.stage(kernel, vectors.machine(here=True), sizes=sizes)
    (phase,) = plan.phases
    assert phase.stages[-1].updates == steps
    moved = {r.name for u in uses(plan.program) if u.instruction.kind in ("load", "store") for _, r in u.operands}
    assert not moved & set(plan.kernel.temporaries)
    assert plan.cycles < im.stage(kernel, vectors.machine(), sizes=sizes).cycles
    draw, known = np.random.default_rng(3), kernel.with_sizes(sizes)
    shapes = {t: [int(evaluate(e, {})) for e in known.tensor(t).shape] for t in known.inputs}
    arrays = {t: draw.integers(-7, 3, s).astype(np.float32) / 4 for t, s in shapes.items()}
    assert plain_executor.differs(plan.program, arrays, {}, im.run_kernel(known, arrays), 3, 1e-5) == ""


def test_a_transformer_block() -> None:
    """A norm, attention, a residual, a norm, two layers and a residual: one kernel of 38 phases."""
    kernel, sizes = im.kernel(BLOCK, name="block"), {"i": 9, "d": 10, "f": 13}
    plan = im.stage(kernel, vectors.machine(8, 8, 16, product=True), sizes=sizes)
    draw, known = np.random.default_rng(3), kernel.with_sizes(sizes)
    shapes = {t: [int(evaluate(e, {})) for e in known.tensor(t).shape] for t in known.inputs}
    arrays = {t: draw.integers(-3, 4, s).astype(np.float32) / 4 for t, s in shapes.items()}
    want = im.run_kernel(known, arrays)
    assert np.array_equal(simulate(plan.program, arrays, seed=1).outputs["Y"], want["Y"])
    assert plain_executor.differs(plan.program, arrays, {}, want, 1, 1e-4) == ""


def test_one_element_as_two_operands() -> None:
    """y = a * b, where both are the same."""
    kernel = im.kernel("Y[i,j] = X[i,j] * X[i,j]", name="k")
    plan = im.stage(kernel, vectors.machine(without=frozenset({"square"})))
    (computes,) = [u for u in uses(plan.program) if u.instruction.name == "mul"]
    places = dict(computes.operands)
    assert places["a"] == places["b"]
    other = replace(places["b"], version=places["b"].version[::-1], index=(places["b"].index[0] + 1,))
    wrong = rewritten(
        plan.program,
        lambda u: (
            (replace(u, operands=tuple((o, other if o == "b" else r) for o, r in u.operands)),)
            if u is computes
            else None
        ),
    )
    assert prove_program(wrong).word == "refuted"


def test_a_sum_whose_terms_have_an_order() -> None:
    """Programs for engines add them in any."""
    program = planned("sums").program
    (s,) = program.kernel.statements
    ordered = replace(program.kernel, statements=(replace(s, ordered=True),))
    proof = prove_program(replace(program, kernel=ordered))
    assert [c.claim for c in proof.failed()] == ["order"]


def test_what_would_admit_a_plan_is_found() -> None:
    """An instruction that begins maxima; a number of the statement is no hindrance."""
    lacking = vectors.machine(without=frozenset({"clear_to_least"}))
    found = im.why(im.kernel(KERNELS["maxima"], name="k"), lacking.instruction("row_max"), machine=lacking)
    assert found.planned is not None
    assert [str(e) for e in found.planned.edits[0].edits] == [
        "add an instruction that begins 4 sums in vectors at -inf"
    ]
    machine = vectors.machine()
    found = im.why(im.kernel(KERNELS["relu"], name="k"), machine.instruction("larger_number"), machine=machine)
    assert found.helped


def test_a_search_that_is_not_decided_takes_nothing_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plan in time is no statement that no instruction computes."""

    def late(*_: object) -> None:
        raise UndecidedError("the solver found no plan in time")

    monkeypatch.setattr("isamap_smt.pipeline.staged.schedule_stages", late)
    with pytest.raises(UndecidedError, match="in time"):
        im.stage(im.kernel(SOFTMAX, name="softmax"), vectors.machine())
