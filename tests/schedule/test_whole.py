"""A plan's cost and its bound, and the choice that it comes from: against all choices, by recursion."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import isamap_smt as im
from benchmarks.fuzz_choices import trial
from examples import norms
from isamap_smt.cli.app import app
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.pipeline import element_by_element
from isamap_smt.pipeline.least import Least, Whole, both, smaller

PLANS = {
    "product": ("gemm", {"i": 64, "j": 64, "k": 64}, {}),
    "open": ("gemm", {}, {}),
    "in parts": ("matvec", {"i": 100, "k": 4000}, {"threads": 2}),
    "blocks": (norms.SOFTMAX, {"i": 512, "n": 1024}, {}),
    "time steps": ("lstm", {"b": 4, "j": 64, "c": 32, "t": 5}, {}),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PLANS)
def test_the_bound_is_below_the_cost(name: str) -> None:
    kernel, sizes, more = PLANS[name]
    plan = im.plan(kernel, "avx2", sizes=sizes, **more)
    assert plan.whole is not None and plan.whole.bound is not None and plan.whole.gap is not None
    assert 0 < plan.whole.bound <= plan.whole.cycles == plan.cycles
    assert 0 <= plan.whole.gap < 1 and f"plan: {plan.whole}" in str(plan)
    if len(plan.schedules) == 1:
        (s,) = plan.schedules
        assert (
            s.objective is not None and s.bound is not None and plan.whole.bound <= s.bound + plan.cycles - s.objective
        )


def test_one_mapping_alone_is_optimal_where_its_schedule_is() -> None:
    plan = im.plan(norms.GELU, "avx2", sizes={"i": 24})
    assert plan.whole is not None and plan.whole.status == "OPTIMAL" and plan.schedules[0].status == "OPTIMAL"


def test_blocks_are_counted_all() -> None:
    plan = im.plan(norms.SOFTMAX, "avx2", sizes={"i": 512, "n": 1024})
    assert any(s.fused for s in plan.schedules)
    assert plan.cycles > 512 * 1024 / 8 > sum(s.objective or 0.0 for s in plan.schedules)  # which are of one block


def test_energy_has_none() -> None:
    assert im.plan("gemm", "avx2", sizes={"i": 8, "j": 8, "k": 8}, objective="energy").whole is None


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(6))
def test_no_choice_is_cheaper(number: int) -> None:
    what, told = trial(number)
    assert what.startswith("the cheapest"), told


def test_a_refused_candidate_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum in parts is cheaper; where the proof of its program fails, the sum in one piece is taken, with a note."""
    sizes = {"i": 100, "k": 4096}
    kernel = im.kernel("Y[i] += A[i,k] * X[k]", name="refusable")
    cheaper = im.plan(kernel, "avx2", sizes=sizes)
    assert cheaper.split is not None
    proved = element_by_element.require_proof

    def refuse(program: im.Program) -> im.ProvedProgram:
        if len(program.kernel.statements) > 1:
            raise NotProvedError("no", ["a claim that stays open"], False)
        return proved(program)

    monkeypatch.setattr(element_by_element, "require_proof", refuse)
    other = im.kernel("Y[i] += A[i,k] * X[k]", name="refused")
    plan = im.plan(other, "avx2", sizes=sizes)
    assert plan.split is None and plan.schedule is not None and plan.cycles > cheaper.cycles
    assert any("given up" in n and "a claim that stays open" in n for n in plan.notes)


def test_bounds_add_up_and_unknown_ones_stay_so() -> None:
    one, two = Least(3.0, 1.0), Least(2.0, 2.0)
    assert both(one, two) == Least(5.0, 3.0) and smaller(one, two) == Least(2.0, 1.0)
    assert both(one, None) is None and smaller(None, two) is None
    assert str(Whole(10.0, None, "s")) == "10 cycles predicted, with no bound"
    assert "gap 20.0%" in str(Whole(10.0, 8.0, "s")) and Whole(10.0, 10.0, "s").status == "OPTIMAL"


def test_the_command_says_it() -> None:
    command = ["schedule", "gemm", "avx2", "--sizes", "i=64,j=64,k=64"]
    text, answer = (
        CliRunner().invoke(app, [*command, *more], catch_exceptions=False).stdout for more in ([], ["--json"])
    )
    found = json.loads(answer)["plan"]
    told = f"and no plan takes less than {found['bound']:,.0f}: gap {found['gap']:.1%}"
    assert f"plan: {found['cycles']:,.0f} cycles predicted, {told}" in " ".join(text.split())
    assert found["status"] == "FEASIBLE" and found["bound"] < found["cycles"]
