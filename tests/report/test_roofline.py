"""The roofline: ceilings of the machine, and where the kernel meets them."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from itertools import product as product_of

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language.hardware_library import find_hardware, find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from isamap_smt.report.labels import overlap
from isamap_smt.report.roofline import Drawing, Roofline, _of_all, draw, peak, roofline
from isamap_smt.runtime.clock import clock_ghz
from isamap_smt.scheduling.breakdown import Limit


def product(i: int, j: int, k: int) -> Kernel:
    """A matrix product at known sizes."""
    return find_kernel("gemm").with_sizes({"i": i, "j": j, "k": k})


def schedule(traffic: tuple[tuple[str, float], ...]) -> Schedule:
    """A schedule of a matrix product that moves this many bytes."""
    proved = prove(fuse(find_kernel("gemm"), find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(proved, ProvedMapping)
    return Schedule(proved, (), 0, (), (), traffic=traffic)


PLAN = cache(schedule)


def test_the_peak_is_that_of_the_description() -> None:
    assert peak(find_instruction("avx2.fmadd_ps")) == 2 * 8 * 2
    assert (
        peak(find_instruction("avx512_vnni.dpbusd")) == 2 * 64 * find_instruction("avx512_vnni.dpbusd").cost.per_cycle
    )


def test_a_link_bounds_what_its_bytes_allow() -> None:
    machine = find_hardware("avx2")
    link = next(x for x in machine.links if (x.source, x.target) == ("DRAM", "L3"))
    small, large = product(10, 5, 5), product(1024, 1024, 1024)
    roof = roofline([schedule((("DRAM->L3", 1000.0),))], small, machine)
    (ceiling,) = roof.ceilings
    assert ceiling.intensity == 0.5
    assert ceiling.attainable == link.bandwidth * 0.5
    assert roofline([schedule((("DRAM->L3", 1.0),))], large, machine).ceilings[0].attainable == roof.peak


def test_no_link_is_crossed_by_less_than_inputs_and_results() -> None:
    (ceiling,) = roofline([schedule((("DRAM->L3", 7.0),))], product(10, 5, 5), find_hardware("avx2")).ceilings
    assert ceiling.traffic == 4 * (50 + 25 + 50)


def test_what_a_cache_keeps_between_calls_limits_the_first_one_alone() -> None:
    plans, machine = [schedule((("L2->L1", 1e9), ("L3->L2", 1e9), ("DRAM->L3", 1e9)))], find_hardware("avx2")
    small, large = roofline(plans, product(150, 150, 150), machine), roofline(plans, product(4000, 4000, 4000), machine)
    assert [c.cold for c in small.ceilings] == [False, True, True]
    assert not any(c.cold for c in large.ceilings)
    assert small.limiting == small.ceilings[0] and small.ceilings[0].attainable > small.ceilings[-1].attainable
    assert [m.cold for m in draw(small).marks] == [cold for *_, cold in draw(small).lines] == [False, True, True]
    assert small.limiting.name == "L2->L1"
    assert large.limiting.attainable == min(c.attainable for c in large.ceilings)
    alone = roofline([schedule((("DRAM->L3", 1e9),))], product(50, 50, 50), machine)
    assert alone.limiting.name == "DRAM->L3" and alone.limiting.cold


def test_what_was_measured_is_divided_by_the_clock() -> None:
    plans, kernel, machine = [schedule((("L2->L1", 10.0),))], product(10, 5, 5), find_hardware("avx2")
    roof = roofline(plans, kernel, machine, gflops=64.0, clock=4.0)
    assert roof.achieved == 16.0
    assert draw(roof).measured is not None
    unknown = roofline(plans, kernel, machine, gflops=64.0)
    assert unknown.achieved is None and draw(unknown).measured is None and len(draw(unknown).labels) == 1


def test_everything_drawn_is_inside_the_frame() -> None:
    traffic = (("L2->L1", 1e9), ("L3->L2", 1e6), ("DRAM->L3", 7.0), ("moon->L3", 1.0), ("L1->L2", 0.0))
    roof = roofline([schedule(traffic)], product(1000, 1000, 500), find_hardware("avx2"), gflops=1.0, clock=3.0)
    drawing = draw(roof)
    assert [name for name, *_ in drawing.lines] == ["L2->L1", "L3->L2", "DRAM->L3"]
    check_drawing(drawing, roof)


def test_a_kernel_faster_than_the_peak_of_its_instruction_is_inside_the_frame() -> None:
    """A compiler makes vector instructions of scalar C."""
    roof = roofline([PLAN((("L2->L1", 1e6),))], product(100, 100, 100), find_hardware("avx2"), gflops=600.0, clock=3.0)
    assert roof.achieved is not None and roof.achieved > 4 * roof.peak
    check_drawing(draw(roof), roof)


def check_drawing(drawing: Drawing, roof: Roofline) -> None:
    """Marks and labels lie in the frame and on nothing else; the dot is below the marks of what limits the kernel."""
    left, top, right, bottom = drawing.frame
    for m in drawing.marks:
        assert left <= m.x <= right and top <= m.y <= bottom and m.y >= drawing.peak_y
    assert top <= drawing.peak_y <= bottom
    labels = [*drawing.labels, *(label for _, label in drawing.ticks)]
    for one, other in combinations([label.box for label in labels], 2):
        assert not overlap(one, other), (one, other)
    for label in labels:
        begin, top_of, end, bottom_of = label.box
        assert begin >= 0 and end <= drawing.width + 8 and top_of >= 0 and bottom_of <= drawing.height, label
    for label, m in product_of(drawing.labels[1:], drawing.marks):
        assert not overlap(label.box, m.box), (label, m)
    for one, other in combinations(drawing.marks, 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) > 2 or one.radius != other.radius
    if drawing.measured:
        at = roof.ceilings.index(roof.limiting)
        assert drawing.measured[0] == drawing.marks[at].x
        assert (drawing.measured[1] > drawing.marks[at].y) == (roof.achieved < roof.limiting.attainable)


BYTES = st.sampled_from([1e3, 3e5, 1e6, 1.1e6, 4e6, 1e8, 3e9])


@given(st.tuples(BYTES, BYTES, BYTES), st.floats(0.05, 190.0))
def test_labels_are_apart_wherever_dots_lie(moved: tuple[float, float, float], gflops: float) -> None:
    traffic = tuple(zip(("L2->L1", "L3->L2", "DRAM->L3"), moved, strict=True))
    roof = roofline([PLAN(traffic)], product(300, 300, 300), find_hardware("avx2"), gflops, 3.0)
    check_drawing(draw(roof), roof)


def test_statements_one_after_the_other_compute_one_after_the_other() -> None:
    first = (Limit(30, "fma"), Limit(45, "DRAM->L3"))
    assert _of_all([first, (Limit(20, "max"),)]) == Limit(50, "fma")
    assert _of_all([first, (Limit(10, "max"),)]) == Limit(45, "DRAM->L3")


def test_the_clock_is_that_of_a_machine_of_our_time() -> None:
    found = clock_ghz()
    assert found is None or found == pytest.approx(3.5, abs=3.2)


def test_no_compiler_no_clock() -> None:
    assert clock_ghz("nosuchcc") is None
