"""What a page says of a whole plan is of the whole: rows add up, and no number is an impossible one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import prod

import pytest

from isamap_smt.ir.evaluate import points as walked
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.points import kept
from isamap_smt.language.example_kernels import example
from isamap_smt.language.library import find_kernel
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.report.page import html_report
from isamap_smt.report.roofline import Roofline, peak, roofline
from isamap_smt.report.whole import answer, predicted_cycles, repeats, rows, sentences, standing, table_of, unpredicted
from isamap_smt.runtime.measure import Measured, operations

WINDOW = dict(n=1, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
CASES: dict[str, dict[str, int]] = {
    "gemm": dict(i=48, j=64, k=40),
    "conv2d": dict(p=14, q=14, k=32, c=8, **WINDOW),
    "depthwise_conv2d": dict(p=14, q=14, c=32, **WINDOW),
    "linear_relu": dict(i=32, j=64, k=32),
    "two_layers": dict(i=32, j=32, k=32, m=32),
    "gru": dict(t=3, b=4, j=32, c=32),
    "lstm": dict(t=3, b=4, j=32, c=32),
    "attention.py:ATTENTION": dict(h=2, q=64, k=64, d=32),
    "attention.py:CAUSAL": dict(h=2, q=64, k=64, d=32),
    "depthwise_separable_conv2d": dict(p=14, q=14, c=16, k=32, **WINDOW),
    "contractions.py:SDDMM": {},
    "windows.py:STENCIL": {},
    "norms.py:CAUSAL_SOFTMAX": {},
    "norms.py:LAYER_NORM": {},
}
SEVERAL = "gru"


def kernel(name: str) -> Kernel:
    """Of the library, or an example."""
    return example(name) if ".py:" in name else find_kernel(name)


@cache
def planned(name: str) -> Plan:
    """Its plan at small sizes; axes that are not named have 64 points."""
    asked = kernel(name)
    return plan(asked, "avx512", sizes=CASES[name] or dict.fromkeys(asked.free_sizes, 64))


def sized(made: Plan) -> Kernel:
    """What is computed, at the sizes of the plan."""
    return made.kernel.with_sizes(dict(made.schedule.sizes))


def roof(made: Plan, gflops: float | None = None, clock: float | None = None) -> Roofline:
    return roofline(made.program.schedules, sized(made), made.hardware, gflops, clock)


def whole_tensors(k: Kernel) -> int:
    """Bytes of inputs and results, by their shapes."""
    return sum(prod(map(int, k.tensor(n).shape)) * k.tensor(n).dtype.bytes for n in (*k.inputs, *k.results))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CASES)
def test_no_number_is_impossible(name: str) -> None:
    made = planned(name)
    k, found = sized(made), rows(made.kernel, made.schedules)
    alive = sum(len(env["#"]) for s in k.statements for env in walked(s, 1 << 16))
    assert operations(k) == 2 * alive
    seen = roof(made)
    assert seen.operations == operations(k)
    for c in seen.ceilings:
        assert c.intensity <= seen.operations / whole_tensors(k) * (1 + 1e-9)
        assert c.attainable <= seen.peak
    scheduled = {s.proved.mapping.statement_index: s for s in made.schedules}
    assert [r.number - 1 for r in found] == sorted(scheduled)
    assert sum(r.share or 0.0 for r in found) == pytest.approx(1)
    for r in found:
        s = scheduled[r.number - 1]
        assert r.cost == s.objective * r.blocks
        # what is predicted is below the peak, of each and so of all
        least = 2 * kept(k.statements[r.number - 1]) / peak(s.proved.mapping.instruction)
        assert least <= r.cost * 1.05
    page = html_report(made)
    if len(k.statements) > 1:
        assert f"{len(found)} of {len(k.statements)}</b>" in page
        assert f"{sum(r.cost for r in found):,.0f}" in page
        for r in found:
            assert f"<td>{r.number} {r.target}</td>" in page and r.result in page
    assert answer(made.kernel, made.schedules).split(";")[0].replace(">", "&gt;") in page or len(k.statements) == 1


def test_blocks_and_time_steps_are_counted() -> None:
    made = planned(SEVERAL)
    k = sized(made)
    assert {s.proved.mapping.statement.target.tensor: repeats(s, k) for s in made.schedules} == {"P": 1, "R": 3}
    (step,) = (s for s in made.schedules if repeats(s, k) == 3)
    in_blocks = replace(step, fused=("t",))
    assert repeats(in_blocks, k) == 3
    assert repeats(step, made.kernel) is None or not made.kernel.free_sizes


def test_an_open_number_of_blocks_is_said() -> None:
    """A schedule of a time step is priced for one; without the number of steps nothing is predicted of a call."""
    made = plan("gru", "avx512")
    table = table_of(made.kernel, made.program)
    assert table is not None and table.open and "open" in {blocks for *_, blocks, _ in table.cells}
    assert unpredicted(made, 1) == "the number of blocks is open" and predicted_cycles(made, 1) is None
    assert "Where the number of blocks is open, a cost is of one block." in html_report(made)
    assert "number of blocks is open" not in html_report(planned(SEVERAL))


def test_the_answer_is_of_all_statements() -> None:
    made = planned(SEVERAL)
    first, second = made.schedules
    assert answer(made.kernel, (first, second)) == (
        "5 statements: 2 scheduled, each optimal in its space, 3 element by element"
    )
    worse = answer(made.kernel, (replace(first, status="FEASIBLE", gap=0.034), second))
    assert "2 scheduled, 1 feasible, 1 optimal in its space (gap up to 3.4%)" in worse
    assert answer(made.kernel, (replace(first, fused=("b",)), second)).endswith("; fusion chosen by the cost model")
    assert answer(made.kernel, ()) == "computed element by element: nothing is left to schedule"
    one = planned("gemm")
    assert answer(one.kernel, one.schedules) == str(one.schedule)


def test_a_gap_is_a_fraction_of_the_objective() -> None:
    """No more than the gap says is said: of 50%, the best may take half, and what was found twice as much as the best."""
    one = replace(planned("gemm").schedule, status="FEASIBLE", objective=200.0, bound=100.0, gap=0.5, lower_bound=None)
    kernel = planned("gemm").kernel
    assert standing(kernel, (one,)) == ("feasible", "schedule: feasible in its space, gap at most 50.00%")
    assert sentences(one)[0] == "FEASIBLE, gap 50.00%; objective 200 cycles, solver's bound 100."
    tuned = replace(one, status="TUNED", bound=None, gap=None)
    assert standing(kernel, (tuned,)) == ("tuned", "schedule: not shown to be optimal")
    assert sentences(tuned)[0] == "TUNED; objective 200 cycles."
    assert sentences(replace(tuned, objective=None))[0] == "TUNED."


def test_without_a_price_there_is_no_share() -> None:
    made = planned(SEVERAL)
    first, second = made.schedules
    found = rows(made.kernel, (replace(first, objective=None), second))
    assert [(r.cost is None, r.share) for r in found] == [(True, None), (False, 1.0)]


def test_what_is_drawn_of_one_statement_says_so() -> None:
    several = html_report(planned(SEVERAL), Measured(False, 1e-7, 1e-3, 12.5, "float64", 7), 3.2)
    assert "not predicted: 3 of 5 statements have no price" in several
    assert "statement 1 of 5, whose lanes and tiles are drawn here" in several
    mapped = sum(len(s.proved.proof.claims) for s in planned(SEVERAL).schedules)
    assert (
        f'2 mappings for all sizes: <span class="word proved">proved</span>, {mapped} of {mapped} obligations'
        in several
    )
    assert "Bytes of statements computed element by element are not known" in several
    one = html_report(planned("gemm"))
    assert "statement 1 of" not in one
    assert "in the solver" in one and "wall time" in one
