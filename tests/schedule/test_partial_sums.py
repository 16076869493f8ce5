"""Sums in partial sums: taken where lanes or threads lack an axis, pinned, refused, and right when run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Compute, Loop
from isamap_smt.ir.traversal import walk
from isamap_smt.pipeline.plan import Plan
from tests.programs.portable import is_element

THIN = {"i": 2, "j": 24, "k": 139}
BYTES = {"A": "u8", "B": "i8", "C": "i32"}


def planned(kernel: str | im.Kernel, sizes: dict[str, int], **more: Any) -> Plan:
    return im.plan(kernel, "host", sizes=sizes, strategy="exact", cost_model="analytic", **more)


def assert_right(plan: Plan, kernel: im.Kernel, sizes: dict[str, int]) -> None:
    """Run against the kernel as it was asked for, on small integers: exact in every order."""
    rng = np.random.default_rng(3)
    sized = kernel.with_sizes(sizes)
    arrays = {
        n: rng.integers(0, 5, tuple(map(int, sized.tensor(n).shape))).astype(sized.tensor(n).dtype.numpy)
        for n in sized.inputs
    }
    out = random_arrays(sized, {}, rng, outputs=True)
    start = {n: np.asarray(np.round(out[n])).astype(sized.tensor(n).dtype.numpy) for n in sized.results}
    name = sized.results[0]
    want = run_kernel(sized, arrays, start)[name]
    np.testing.assert_array_equal(im.build(plan)(**arrays, out=np.array(start[name])), want)


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("dtypes", [{}, BYTES], ids=["f32", "bytes"])
def test_lanes_hold_partial_sums_where_both_operands_lie_along_the_sum(dtypes: dict[str, str]) -> None:
    kernel = im.find_kernel("gemm_nt").with_dtypes(dtypes)
    plan = planned(kernel, THIN)
    lanes = plan.instruction.axes["l"]
    assert lanes in (8, 16) and plan.split is not None and plan.split.split.row.parts == lanes
    assert any(f"the sum over k in {lanes} partial sums" in n and "cycles predicted" in n for n in plan.notes)
    assert all(p.depth is None for p in plan.schedule.stages), "an operand is copied"
    assert_right(plan, kernel, THIN)


@pytest.mark.needs("avx2", "fma")
def test_partial_sums_are_added_up_while_their_tile_is_at_hand() -> None:
    plan = planned("gemm_nt", {"i": 2, "j": 48, "k": 512})
    assert plan.split is not None
    (tiles,) = plan.program.body
    inside = [n for n, _ in walk((tiles,))]
    both = any(isinstance(n, Compute) for n in inside) and any(is_element(n) for n in inside)
    assert isinstance(tiles, Loop) and both, "the loop over tiles holds the products and the sums"


@pytest.mark.needs("avx2", "fma")
def test_a_dot_product_uses_vectors() -> None:
    kernel = im.kernel("s[] += x[k] * z[k]", name="dot")
    plan = planned(kernel, {"k": 1003})
    assert plan.instruction.short == "fmadd_ps"
    assert_right(plan, kernel, {"k": 1003})


@pytest.mark.parametrize("machine", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("op", ["+=", "max="])
def test_one_result_uses_vectors_on_machines_without_registers_for_one_element(machine: str, op: str) -> None:
    plan = im.plan(im.kernel(f"s[] {op} x[k]", name="one"), machine, sizes={"k": 1003})
    assert plan.split is not None and max(plan.instruction.axes.values()) >= 4


@pytest.mark.needs("avx2", "fma")
def test_each_thread_sums_a_range_in_lanes_where_there_are_fewer_results() -> None:
    kernel, sizes = im.kernel("s[] max= x[k] + z[k]", name="one"), {"K": 100_003}
    plan = planned(kernel, sizes, threads=3)
    assert plan.split is not None and len(plan.split.split.chain) == 2
    ranges, lanes = plan.split.split.chain
    assert (ranges.row.axis, ranges.row.parts) == ("k", 3) and lanes.row.parts > 8 and lanes.within is ranges
    assert any(f"the maximum over k in 3 partial maxima, each in {lanes.row.parts}" in n for n in plan.notes)
    assert plan.schedule.parallel is not None
    assert_right(plan, kernel, sizes)


@pytest.mark.needs("avx2", "fma")
def test_what_lies_across_the_sum_is_left_in_one() -> None:
    assert planned("gemm", {"i": 2, "j": 24, "k": 139}).split is None
    assert planned("gemm_nt", {"i": 256, "j": 256, "k": 64}).split is None


@pytest.mark.needs("avx2", "fma")
def test_threads_sum_a_range_each_where_the_output_has_nothing_to_share() -> None:
    sizes = {"i": 1, "j": 8, "k": 10_001}
    plan = planned("gemm", sizes, threads=2)
    assert plan.split is not None and plan.split.split.row.parts == 16  # two threads with eight chunks each
    assert plan.schedule.parallel is not None
    whole, two = (planned("gemm", sizes, threads=2, fix=f).schedule.objective for f in ({"split": "no"}, {"cut.k": 2}))
    assert plan.schedule.objective < min(whole, two)
    kernel = im.find_kernel("gemm")
    assert_right(plan, kernel, sizes)
    assert planned("gemm", sizes).split is None


@pytest.mark.one_in(3)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(
    "pin, parts", [({"split.k": "4"}, 4), ({"cut.k": 3}, 3), ({"split.k": 2, "register.j": 16}, 2)]
)
def test_pins(pin: dict[str, Any], parts: int) -> None:
    plan = planned("gemm_nt", THIN, fix=pin)
    assert plan.split is not None and plan.split.split.row.parts == parts
    assert_right(plan, im.find_kernel("gemm_nt"), THIN)


@pytest.mark.needs("avx2", "fma")
def test_pinned_bytes_keep_the_neighbours_together_that_a_lane_adds() -> None:
    kernel = im.find_kernel("gemm_nt").with_dtypes(BYTES)
    plan = planned(kernel, THIN, fix={"split.k": 8})
    assert plan.split is not None and "k_near" in plan.kernel.text
    assert_right(plan, kernel, THIN)


@pytest.mark.parametrize("pin", [{"split": "no"}, {"register.j": 16}])
def test_other_pins_are_about_the_kernel_as_it_is_written(pin: dict[str, Any]) -> None:
    assert planned("gemm_nt", THIN, fix=pin).split is None


@pytest.mark.parametrize(
    "pin, words",
    [
        ({"split": "yes"}, "write split=no"),
        ({"cut": "no"}, "write split=no"),
        ({"split.k": "many"}, "must be a number of partial sums"),
        ({"split.k": None}, "must be a number of partial sums"),
        ({"cut.k": 0}, "2 to 139 partial sums, not 0"),
        ({"split.k": 500}, "2 to 139 partial sums, not 500"),
        ({"split.j": 4}, "does not sum over 'j'"),
        ({"split.k": 4, "cut.k": 2}, "split one way"),
    ],
)
def test_wrong_pins_are_said(pin: dict[str, Any], words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        planned("gemm_nt", THIN, fix=pin)


def test_an_open_sum_is_not_split() -> None:
    assert planned("gemm_nt", {"i": 2}).split is None
    with pytest.raises(ScheduleError, match="extent K is open"):
        planned("gemm_nt", {"i": 2}, fix={"split.k": 8})


def test_the_same_question_has_the_same_answer_from_the_decisions_on_disk() -> None:
    first = planned("gemm_nt", {"i": 3, "j": 24, "k": 139})
    import_module("isamap_smt.pipeline.plan")._plan.cache_clear()
    again = planned("gemm_nt", {"i": 3, "j": 24, "k": 139})
    assert again is not first
    assert (again.kernel, str(again.schedule), again.notes) == (first.kernel, str(first.schedule), first.notes)


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("n", "chains"), [(4096 + 37, 4), (300, 1)])
def test_a_sum_to_one_element_has_chains_side_by_side_where_it_is_long(n: int, chains: int) -> None:
    """A register of partial sums waits for the sum before it; four of them do not."""
    kernel = im.kernel("y[] += x[n] * z[n]", name="dot")
    plan = planned(kernel, {"n": n})
    lanes = plan.instruction.axes["l"]
    assert plan.split is not None and plan.split.split.row.parts == chains * lanes
    assert_right(plan, kernel, {"n": n})


@pytest.mark.parametrize("text", ["S[] += X[i]", "M[] max= X[i]", "M[] min= X[i]", "S[] += X[b,i]"])
@pytest.mark.parametrize("kind", ["f32", "i32"])
def test_an_open_sum_is_in_partial_sums(text: str, kind: str) -> None:
    """At every size, fewer points than lanes included; no size is read beyond the end, where a NaN stands."""
    kernel = im.kernel(text, name="all_of", dtypes={"X": kind, text[0]: kind})
    plan = planned(kernel, {})
    if not any(len(i.axes) == 1 for i in plan.hardware.computes):
        pytest.skip("this machine has no lanes")
    assert plan.instruction is not None
    assert plan.instruction.short == "selected"
    compiled = im.build(plan)
    rng = np.random.default_rng(5)
    for n in (1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 127, 130, 1000):
        whole = rng.integers(-9, 9, (3, n + 70)).astype(kernel.tensor("X").dtype.numpy)
        whole[..., -70:] = 0 if kind == "i32" else np.nan
        x = np.ascontiguousarray(whole[:, :n]) if "b" in text else whole[0, :n]
        want = {"+": np.sum, "x": np.max, "n": np.min}[text.split("=", maxsplit=1)[0].strip()[-1]](x)
        np.testing.assert_array_equal(compiled(x), want)
