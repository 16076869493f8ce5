"""Claim 11 of one statement: an `ordered` sum receives its products in the kernel's order, whatever the tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import lower
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.schedule import LoopStep, Schedule
from isamap_smt.proof import prove_program

TEXT = "y[i] += A[i,k,l] * B[k,l]"
TYPES = dict.fromkeys(("y", "A", "B"), "f32")


def schedule(text: str, sizes: dict[str, int] | None = None) -> Schedule:
    kernel = im.kernel(text, name="twice", dtypes=TYPES)
    found = im.find_mappings(kernel, im.find_instruction("scalar.muladd_f32"))
    return im.schedule(found.legal[0], im.find_hardware("scalar"), sizes)


def order(s: Schedule) -> list[str]:
    return [c.verdict.word for c in prove_program(lower(s)).claims if c.claim == "order"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sizes", [None, {"i": 300, "k": 300, "l": 300}, {"i": 7, "k": 5, "l": 6}])
def test_what_is_scheduled_keeps_the_order(sizes: dict[str, int] | None) -> None:
    assert set(order(schedule(f"{TEXT} ordered", sizes))) == {"proved"}
    assert order(schedule(TEXT, sizes)) == []


def test_tiles_of_an_inner_reduction_axis_are_refuted() -> None:
    s = schedule(f"{TEXT} ordered", {"i": 1, "k": 4, "l": 4})
    tiled = (LoopStep("l", 2, "L1"), LoopStep("k", 1, "register"), LoopStep("l", 1, "register"))
    assert "refuted" in order(replace(s, loops=tiled, accumulate=0))
    outer = (LoopStep("k", 2, "L1"), LoopStep("k", 1, "register"), LoopStep("l", 1, "register"))
    assert set(order(replace(s, loops=outer, accumulate=0))) == {"proved"}
    swapped = (LoopStep("l", 1, "register"), LoopStep("k", 1, "register"))
    assert "refuted" in order(replace(s, loops=swapped, accumulate=0))


def test_the_sum_has_the_bits_of_the_interpreter() -> None:
    kernel = im.kernel(f"{TEXT} ordered", name="twice", dtypes=TYPES)
    rng = np.random.default_rng(3)
    a = (rng.standard_normal((3, 40, 30)) * 10.0 ** rng.integers(-6, 6, (3, 40, 30))).astype(np.float32)
    b = rng.standard_normal((40, 30)).astype(np.float32)
    want = run_kernel(kernel, {"A": a, "B": b})["y"]
    got = im.compile(kernel, im.find_hardware("scalar"), threads=2)(a, b, threads=2)
    assert np.array_equal(want.view(np.uint32), got.view(np.uint32))


def test_an_inner_reduction_axis_takes_no_tile() -> None:
    kernel = im.kernel(f"{TEXT} ordered", name="twice", dtypes=TYPES)
    found = im.find_mappings(kernel, im.find_instruction("scalar.muladd_f32"))
    with pytest.raises(ScheduleError, match="is ordered, so of its reduction axes only the outermost is cut"):
        im.schedule(found.legal[0], im.find_hardware("scalar"), {"i": 4, "k": 4, "l": 4}, fix={"tile.l": 2})


PADDED = "y[p] += x[p+r-1] * w[r] where 0 <= p+r-1 < X ordered"


def test_an_ordered_sum_leaves_out_what_lies_outside() -> None:
    kernel = im.kernel(PADDED, name="padded", dtypes=dict.fromkeys("yxw", "f32"))
    compiled = im.compile(kernel, im.find_hardware("scalar"), sizes={"p": 4, "r": 3, "X": 4})
    x, w = np.full(4, -0.0, np.float32), np.array([1, 1, 1], np.float32)
    y = compiled(x=x, w=w, out=np.full(4, -0.0, np.float32))
    assert np.signbit(y).all()  # a zero that was added outside would be +0


def test_an_ordered_sum_is_not_padded() -> None:
    kernel = im.kernel(PADDED, name="padded", dtypes=dict.fromkeys("yxw", "f32"))
    with pytest.raises(ScheduleError, match="padded is ordered and has a guard"):
        im.plan(kernel, im.find_hardware("scalar"), sizes={"p": 4, "r": 3, "X": 4}, fix={"pack.x": "L2"})
