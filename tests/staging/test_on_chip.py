"""Temporaries that stay on chip between the phases of a program: planned, proved, carried out; and programs that lose them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

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
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.phases import joined, phase_kernels
from isamap_smt.ir.program import Alloc, Command, Program, Ref
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

SOFTMAX = """temporary M, E, S
M[i] max= X[i,j]
E[i,j] = exp(X[i,j] - M[i])
S[i] += E[i,j]
Y[i,j] = E[i,j] / S[i]"""
READ_OFTEN = "D[i,j] = X[i,j] + Z[i,j]\nY[i] max= D[i,j]\nS[i] += D[i,j]\nU[i] max= D[i,j]\nV[i] += D[i,j]"


@cache
def planned(text: str = SOFTMAX, tiles: int = 40, i: int = 8, j: int = 24) -> im.Plan:
    return im.stage(im.kernel(text, name="k"), vectors.machine(4, 8, tiles), sizes={"i": i, "j": j})


def given(plan: im.Plan) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Numbers below 0, and the results."""
    draw = np.random.default_rng(1)
    shapes = {t: [int(evaluate(e, {})) for e in plan.kernel.tensor(t).shape] for t in plan.kernel.inputs}
    arrays = {t: draw.integers(-7, -1, s).astype(np.float32) / 4 for t, s in shapes.items()}
    return arrays, im.run_kernel(plan.kernel, arrays)


def goes_wrong(plan: im.Plan, program: Program) -> str:
    arrays, want = given(plan)
    return runs_wrong(program, arrays, {}, want, 3, 2, 1e-5)


def staying(plan: im.Plan) -> list[str]:
    return [n.split()[0] for n in plan.notes if "between phases" in n]


def moved(program: Program) -> set[str]:
    return {r.name for u in uses(program) if u.instruction.kind in ("load", "store") for _, r in u.operands}


@pytest.mark.parametrize("sizes", [(8, 24), (5, 13), (12, 40)])
def test_a_softmax_is_proved_right_and_quicker(sizes: tuple[int, int]) -> None:
    plan = planned(SOFTMAX, 40, *sizes)
    stay = staying(plan)
    assert stay and plan.proof.proved
    assert not moved(plan.program) & set(stay)
    assert all(
        any("stays on chip" in o for o in s.decided_outside) == any(t.stays for t in s.stages) for s in plan.phases
    )
    assert goes_wrong(plan, plan.program) == ""
    assert (
        plan.cycles
        == sum(s.objective for s in plan.phases if s.objective)
        == simulate(plan.program, given(plan)[0]).cycles
    )
    narrow = planned(SOFTMAX, 6, *sizes)  # no room for much of it
    assert len(staying(narrow)) < len(stay) and plan.cycles < narrow.cycles


def test_sums_over_ragged_tiles_take_no_element_that_stays() -> None:
    """Nobody puts zeros behind its last column: it comes through main memory."""
    whole, ragged = planned(), planned(SOFTMAX, 40, 5, 13)
    assert {"E"} & set(staying(whole)) and not {"E"} & set(staying(ragged))


def test_all_temporaries_of_a_small_kernel_stay() -> None:
    text = "temporary D, E\nD[i,j] = X[i,j] + Z[i,j]\nE[i,j] = exp(D[i,j])\nY[i] max= E[i,j]"
    plan = planned(text)
    assert len(staying(plan)) == len(plan.kernel.temporaries) > 0
    assert moved(plan.program) == {"X", "Z", "Y"} | {b.buffer.name for b in nodes_of(Alloc, plan.program)} & moved(
        plan.program
    )
    assert goes_wrong(plan, plan.program) == ""


def shared(plan: im.Plan) -> str:
    """A buffer that several phases use."""
    return next(a.buffer.name for a in nodes_of(Alloc, plan.program) if a.buffer.type.outside == "dead")


def relocated(program: Program, name: str, offset: int) -> Program:
    """The same with another place for a buffer."""

    def at(n: object) -> object:
        own = isinstance(n, Alloc) and n.buffer.name == name
        return Alloc(replace(n.buffer, offset=offset)) if own and isinstance(n, Alloc) else n

    return replace(program, body=tuple(at(n) for n in program.body))  # type: ignore[misc]


def test_a_phase_in_between_that_uses_its_rows() -> None:
    plan = planned()
    name = shared(plan)
    others = [a.buffer for a in nodes_of(Alloc, plan.program) if a.buffer.name != name]
    seen = 0
    for b in others:
        wrong = relocated(plan.program, name, b.offset)
        proof = prove_program(wrong)
        assert proof.word != "proved" or not goes_wrong(plan, wrong)
        seen += proof.word == "refuted" and bool(goes_wrong(plan, wrong))
    assert seen


@pytest.mark.parametrize("what", ["slot", "content", "both"])
def test_another_tile_than_the_one_that_is_meant(what: str) -> None:
    """Of each use in a phase that finds it."""
    plan = planned()
    name = shared(plan)
    users = [u for u in uses(plan.program) if isinstance(u, Command) and any(r.name == name for _, r in u.operands)]
    assert len(users) > 1
    for user in users:

        def moved_on(r: Ref) -> Ref:
            if r.name != name:
                return r
            slot = (r.index[0] + 1,) if what != "content" else r.index
            version = (*r.version[:-1], r.version[-1] + 1) if what != "slot" else r.version
            return replace(r, index=slot, version=version)

        places = tuple((o, moved_on(r)) for o, r in user.operands)
        wrong = rewritten(
            plan.program, lambda x, user=user, places=places: (replace(x, operands=places),) if x is user else None
        )
        assert prove_program(wrong).word != "proved"


def test_what_is_left_out_of_the_phase_that_computes_it() -> None:
    """Its beginning, or what adds to it."""
    plan = planned()
    name = shared(plan)
    writers = [
        u for u in uses(plan.program)
        if isinstance(u, Command) and u.instruction.kernel.statements and dict(u.operands)[u.instruction.target].name == name
    ]  # fmt: skip
    for writer in writers:
        wrong = rewritten(plan.program, lambda x, writer=writer: () if x is writer else None)
        assert prove_program(wrong).word != "proved"
        assert goes_wrong(plan, wrong)


def test_a_result_is_stored_and_main_memory_holds_nothing_of_what_stays() -> None:
    plan = planned()
    (tensor,) = {a.buffer.type.tensor for a in nodes_of(Alloc, plan.program) if a.buffer.name == shared(plan)}
    given_back = replace(plan.kernel, temporaries=tuple(t for t in plan.kernel.temporaries if t != tensor))
    proof = prove_program(replace(plan.program, kernel=given_back))
    assert f"{tensor} is a result, and nothing stores it" in " ".join(
        getattr(c.verdict, "text", "") for c in proof.failed()
    )
    loads = [u for u in uses(plan.program) if isinstance(u, Command) and u.instruction.name == "load"]
    for u in loads:
        places = tuple((o, replace(r, name=tensor) if r.name == "X" else r) for o, r in u.operands)
        wrong = rewritten(
            plan.program, lambda x, u=u, places=places: (replace(x, operands=places),) if x is u else None
        )
        assert places == u.operands or prove_program(wrong).word != "proved"


def test_buffers_of_other_cells_are_not_taken_for_one() -> None:
    """Each phase has them where its own plan says."""
    kernel = im.kernel(
        "axis j < I\nD: [I, I]\ntemporary D\nD[i,j] = X[i,j] + Z[i,j]\nY[i,j] = exp(D[j,i])", name="k"
    ).with_sizes({"I": 8})
    machine = vectors.machine(4, 8, 40)
    alone = [im.stage(k, machine).schedule for k in phase_kernels(kernel, (1, 1))]
    with pytest.raises(im.IsamapError, match="D lies in"):
        joined([lower_stages(s, machine) for s in alone if s], kernel, [["D"], ["D"]])


@pytest.mark.parametrize("text", PHASES)
def test_phases_at_sizes_that_are_no_multiples(text: str) -> None:
    kernel = im.kernel(text, name="k")
    sizes = {a.name: n for a, n in zip(kernel.axes, (6, 9, 5), strict=False)}
    plan = im.stage(kernel, vectors.machine(4, 8, 40), sizes=sizes)
    arrays, want = given(plan)
    assert plain_executor.differs(plan.program, arrays, {}, want, 3, 1e-5) == ""
    assert plan.cycles == simulate(plan.program, arrays).cycles
    assert sp.sympify(plan.cycles).is_positive


def test_a_result_that_stays_is_stored_too() -> None:
    """And proved twice: with its stores, and by what lies on chip in the end."""
    plan = planned(READ_OFTEN)
    assert "D stays in vectors between phases, and is stored, too" in plan.notes
    loads = [u for u in uses(plan.program) if isinstance(u, Command) and u.instruction.kind == "load"]
    assert "D" not in {r.name for u in loads for _, r in u.operands}
    assert goes_wrong(plan, plan.program) == ""
    (adds,) = [u for u in uses(plan.program) if isinstance(u, Command) and u.instruction.name == "add"]
    (stores,) = [u for u in uses(plan.program) if isinstance(u, Command) and u.instruction.name == "store"]
    unstored = rewritten(plan.program, lambda x: () if x is stores else None)
    assert prove_program(unstored).word == "refuted" and goes_wrong(plan, unstored)
    later = replace(
        adds, operands=tuple((o, replace(r, index=(r.index[0] + 1,)) if o == "y" else r) for o, r in adds.operands)
    )
    assert prove_program(rewritten(plan.program, lambda x: (later,) if x is adds else None)).word != "proved"


def test_what_changes_a_result_behind_its_store_is_seen() -> None:
    """Main memory then has the right elements, and the next phase finds others."""
    kernel = im.kernel(READ_OFTEN, name="k")
    plan = im.stage(kernel, vectors.machine(4, 8, 40, here=True), sizes={"i": 8, "j": 24})
    assert any("stored, too" in n for n in plan.notes)
    (stores,) = [u for u in uses(plan.program) if isinstance(u, Command) and u.instruction.name == "store"]
    held = next(r for _, r in stores.operands if r.version)
    exp = vectors.machine(4, 8, 40, here=True).instruction("exp_here")
    changes = Command(exp, ((exp.target, held),), awaits=stores.awaits)
    wrong = rewritten(plan.program, lambda x: (x, changes) if x is stores else None)
    assert goes_wrong(plan, wrong)
    assert prove_program(wrong).word != "proved"
