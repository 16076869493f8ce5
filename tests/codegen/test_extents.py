"""What the schedule says is what the C does: every step of its loops is a stride in the text, every tile an unroll."""

from __future__ import annotations

import re

import pytest

from isamap_smt.codegen.c_parallel import RUNTIME
from isamap_smt.codegen.c_printer import _text
from isamap_smt.codegen.nest import build_nest
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.pipeline.plan import plan
from tests.codegen.pinned import CONVOLUTIONS, GEMM, Case

_LOOP = re.compile(r"for \(int64_t im_(\w+) = \w+(?:, \w+_end = (.+?))?; im_\1 < ([^;]+); \+\+im_\1\)")


def _loops(source: str) -> dict[str, str]:
    """Loop variable -> its bound as printed, copies' loops and those of the threads' runtime left out."""
    run = source.replace(RUNTIME, "")
    run = run[: run.index("\nint isamap_pack(")]
    return {m[1]: m[2] or m[3] for m in _LOOP.finditer(run) if not m[1].startswith("c_") and m[1] != "t"}


@pytest.mark.parametrize("case", [*GEMM, *CONVOLUTIONS], ids=lambda c: c.name)
def test_the_c_has_the_loops_of_the_schedule(case: Case) -> None:
    schedule = case.schedule()
    nest = build_nest(schedule)
    printed = _loops(_text(case.program()))
    assert set(printed) == {str(loop.var) for loop in nest.loops}
    for loop in nest.loops:
        if loop.count.is_Integer and schedule.parallel != nest.loops.index(loop):
            assert printed[str(loop.var)] == str(loop.count)


def test_solved_tiles_are_the_steps_that_are_emitted() -> None:
    planned = plan(find_kernel("gemm"), find_hardware("host"), sizes={"i": 250, "j": 190, "k": 130})
    tiles = {axis: dict(levels) for axis, levels in planned.schedule.tiles}
    for axis, levels in tiles.items():
        steps = [s.step for s in planned.schedule.loops if s.axis == axis]
        assert set(steps) <= set(levels.values())
        assert planned.schedule.register(axis) == levels["register"]
    nest = build_nest(planned.schedule)
    assert set(_loops(planned.source)) == {str(loop.var) for loop in nest.loops}
    # the register tile is unrolled: one accumulator variable per execution
    accumulators = 1
    for axis, program_axis in nest.axes.items():
        if not program_axis.reduction:
            accumulators *= tiles[axis]["register"] // program_axis.leaf
    declared = re.search(r"^ *\S+ (im_acc[\w, ]*);", planned.source, re.M)
    assert declared
    assert len(declared[1].split(",")) == accumulators


def test_a_pinned_tile_is_emitted() -> None:
    planned = plan(find_kernel("gemm"), find_hardware("host"), sizes={"i": 250, "j": 190, "k": 130}, fix={"tile.k": 26})
    assert 26 in [s.step for s in planned.schedule.loops if s.axis == "k"]
    assert "26 * im_k0" in planned.source
