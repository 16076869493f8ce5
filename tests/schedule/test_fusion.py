"""Neighbouring statements in blocks along an axis they share: chosen where it pays, pinned, refused, and right when run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import Loop, Parallel, Serial
from isamap_smt.language.example_kernels import example
from isamap_smt.pipeline.plan import Plan
from isamap_smt.scheduling.record import decided, from_record, to_record

SEPARABLE = {
    "n": 1,
    "p": 10,
    "q": 9,
    "c": 20,
    "k": 24,
    "r": 3,
    "s": 3,
    "sp": 1,
    "sq": 1,
    "dp": 1,
    "dq": 1,
    "pp": 1,
    "pq": 1,
}
MLP = {"i": 24, "j": 40, "k": 16, "m": 24}
HALO = """
T[i,c] += I[i+a,c] * D[a,c]
O[i,k] += T[i+b,c] * W[b,c,k]
"""


def planned(kernel: str | im.Kernel, sizes: dict[str, int], **more: Any) -> Plan:
    return im.plan(kernel, "host", sizes=sizes, strategy="exact", cost_model="analytic", **more)


def together(plan: Plan) -> list[Loop]:
    """Loops of the program whose body holds the nests of several statements."""
    shared = {s.fused for s in plan.program.schedules} - {()}
    return [n for n in plan.program.body if isinstance(n, Loop) and (n.axis,) in shared]


def assert_right(plan: Plan, sizes: dict[str, int]) -> None:
    rng = np.random.default_rng(5)
    kernel = plan.kernel.with_sizes(sizes)
    arrays = {
        t.name: rng.integers(-3, 4, tuple(map(int, t.shape))).astype(t.dtype.numpy)
        for t in kernel.tensors
        if t.name in kernel.inputs
    }
    got = im.build(plan)(**arrays)
    found = got if isinstance(got, dict) else {kernel.results[0]: got}
    want = run_kernel(plan.kernel, arrays, sizes=sizes)
    for name, array in found.items():
        np.testing.assert_array_equal(array, want[name])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("points", "threads"),  # 4 does not divide the 10 rows
    [
        (1, 1),
        (4, 2),
        (5, 1),
        *(pytest.param(*c, marks=pytest.mark.exhaustive) for c in ((1, 2), (2, 1), (2, 2), (4, 1), (5, 2))),
    ],
)
def test_a_separable_convolution_in_blocks_of_rows(points: int, threads: int) -> None:
    sizes = {**SEPARABLE, "q": 90} if threads > 1 else SEPARABLE  # as much as threads are started for
    plan = planned("depthwise_separable_conv2d", sizes, fix={"share.p": points}, threads=threads)
    (loop,) = together(plan)
    assert (loop.step, type(loop)) == (points, Parallel if threads > 1 else Serial)
    assert plan.proof.word == "proved"
    assert_right(plan, sizes)


def test_layers_with_epilogues_share_rows() -> None:
    plan = planned("two_layers", MLP, fix={"share.i": 6})
    assert [s.fused for s in plan.program.schedules] == [("i",), ("i",)]
    assert_right(plan, MLP)


def test_chosen_where_the_whole_does_not_fit_a_cache_and_told() -> None:
    large = {**SEPARABLE, "p": 112, "q": 112, "c": 256, "k": 256}
    plan = planned("depthwise_separable_conv2d", large, constant=["D", "W"])
    assert len(together(plan)) == 1
    assert any("statements 1 and 2 share blocks of" in n and "cycles predicted" in n for n in plan.notes)
    apart = planned("depthwise_separable_conv2d", large, constant=["D", "W"], fix={"share": "no"})
    assert together(apart) == []
    assert not any("share blocks" in n for n in apart.notes)


def test_small_ones_stand_one_after_the_other() -> None:
    assert together(planned("depthwise_separable_conv2d", SEPARABLE)) == []


def test_a_statement_that_needs_the_next_value_too_is_left_alone() -> None:
    sizes = {"i": 4096, "a": 3, "b": 3, "c": 64, "k": 64}
    kernel = im.kernel(HALO)
    assert together(planned(kernel, sizes)) == []
    with pytest.raises(ScheduleError, match=r"share\.i=8: .* the same value only"):
        planned(kernel, sizes, fix={"share.i": 8})


@pytest.mark.parametrize(
    ("pin", "value", "said"),
    [
        ("share", "yes", r"write share=no, or share\.AXIS=POINTS"),
        ("share.i", "few", r"share\.i=few: must be a number of points"),
        ("share.i", 0, r"share\.i=0: must be at least 1"),
        ("share.i", 24, "a block of 24 is all of i"),
        ("share.x", 2, r"share\.x=2: no two neighbouring statements"),
    ],
)
def test_a_wrong_pin_is_told(pin: str, value: Any, said: str) -> None:
    with pytest.raises(ScheduleError, match=said):
        planned("two_layers", MLP, fix={pin: value})


def test_pins_of_one_statement_are_not_lost_beside_a_shared_loop() -> None:
    with pytest.raises(ScheduleError, match=r"register\.i: pins of one statement cannot stand beside share\.i"):
        planned("two_layers", MLP, fix={"share.i": 6, "register.i": 2})


def test_a_schedule_in_blocks_is_kept_as_a_record() -> None:
    schedule = planned("two_layers", MLP, fix={"share.i": 6}).schedule
    record = to_record(schedule)
    found = from_record(record, schedule.proved.mapping.kernel, im.find_hardware("host"), schedule.sizes)
    assert found is not None and found.fused == ("i",)
    assert decided(record) != decided(to_record(planned("two_layers", MLP).schedule))


def layers(hidden: int, machine: str | im.Hardware = "avx512", **more: Any) -> Plan:
    """gelu_mlp: two products, weights of `hidden` x 256 each, and GELU between them."""
    sizes = {"i": 128, "h": hidden, "k": 256, "j": 256}
    return im.plan(
        example("contractions.py:GELU_MLP"), machine, sizes=sizes, strategy="exact", cost_model="analytic", **more
    )


def test_functions_of_a_finished_sum_have_instructions_and_share_its_rows() -> None:
    plan = layers(256)
    assert [s.proved.mapping.statement_index for s in plan.program.schedules] == [0, 1, 2]
    assert "isamap_erff(" not in plan.source
    assert {s.fused for s in plan.program.schedules} == {("i",)}


def test_blocks_are_large_where_all_weights_together_do_not_stay_in_a_cache() -> None:
    def cycles(plan: Plan) -> tuple[float, float]:
        note = next(n for n in plan.notes if "share blocks of" in n)
        blocks, apart = re.findall(r"([\d,]+) cycles predicted|([\d,]+) one after", note)
        return float(blocks[0].replace(",", "")), float(apart[1].replace(",", ""))

    few, most = cycles(layers(256, fix={"share.i": 4}))
    assert few < most  # 512 KiB stay in the second cache
    few, most = cycles(layers(1024, fix={"share.i": 4}))
    assert few > 1.2 * most  # 2 MiB come from the third, for each of 32 blocks
    (loop,) = together(layers(1024))
    assert loop.step >= 32


def test_each_thread_may_have_one_block() -> None:
    known = im.find_hardware("avx512")
    larger = tuple(replace(m, capacity=2 << 20) if m.name == "L2" else m for m in known.memories)
    machine = replace(known, memories=larger)  # what is handed over fits its second cache as a whole
    (loop,) = together(layers(1024, machine, threads=2))
    assert (loop.step, type(loop)) == (64, Parallel)
