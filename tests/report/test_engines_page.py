"""The page of a plan for engines: its parts, its numbers against the simulator's steps, and its pictures by their coordinates."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import WrongKindError
from isamap_smt.report.engines import engine_report
from isamap_smt.report.pictures import ROW, WIDTH, Picture, colours, occupancy, timeline
from isamap_smt.report.whole import phase_rows
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.simulator.timeline import contents, parts
from tests.report.test_page import Reader, text_of

OUTER = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"
SIZES = {"i": 64, "j": 64, "k": 64}
CHARACTER = 7.2  # pixels of 11.5: of common fixed fonts the widest, 0.62 em


def ran(kernel: str, machine: str, sizes: dict[str, int]) -> tuple[im.Plan, im.Simulation]:
    plan = im.plan(kernel, machine, sizes=sizes)
    return plan, im.simulate(plan.program, arrays_for(plan.kernel.with_sizes(sizes), 0), trace=True)


@pytest.fixture(scope="module")
def outer() -> tuple[im.Plan, im.Simulation]:
    return ran("gemm", OUTER, SIZES)


@pytest.fixture(scope="module")
def page(outer: tuple[im.Plan, im.Simulation]) -> str:
    return engine_report(*outer)


def test_it_is_well_formed_and_loads_nothing(page: str) -> None:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert (reader.open, reader.links) == ([], [])
    assert reader.anchors == ["claims", *reader.ids]
    assert reader.ids == ["kernel", "timeline", "memories", "schedule", "code", "claims", "machine", "mapping", "made"]
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)
    assert (
        "<title>gemm on outer_product.outer · isamap</title>" in page and "<h1>gemm on outer_product.outer</h1>" in page
    )
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page
    assert "nothing was scheduled" not in page.lower()


def test_its_numbers_are_those_of_the_simulator(page: str, outer: tuple[im.Plan, im.Simulation]) -> None:
    plan, run = outer
    told = text_of(page)
    assert run.cycles is not None
    cycles = max(s.end or 0 for s in run.trace)
    for engine in run.engines:
        busy = sum((s.end or 0) - (s.begin or 0) for s in run.trace if s.engine == engine)
        uses = sum(s.engine == engine for s in run.trace)
        assert f"{100 * busy / cycles:.0f} % of the time {engine} is busy, {uses:,} uses" in told
    assert f"{cycles:,.0f} cycles simulated; predicted {plan.cycles:,.0f} ({plan.cycles / cycles - 1:+.1%})" in told
    first = min(s.begin or 0 for s in run.trace if s.instruction == "outer")
    last = max(s.end or 0 for s in run.trace if s.instruction == "outer")
    rows = (("prologue", first), ("steady state", last - first), ("epilogue", cycles - last), ("total", cycles))
    predicted = [p.amount for p in plan.phases[0].costs if not p.within]
    for (name, seen), said in zip(rows, [*predicted, plan.cycles], strict=True):
        assert f"{name} {said:,.0f} {seen:,.0f}" in told
    for s in plan.phases[0].stages:
        row = f"{plan.phases[0].tensor(s)} ({s.operand}) {s.memory} {s.slots} {s.rows} {s.offset}"
        assert row in told
    (phase,) = plan.phases
    every = len(plan.proof.claims) + len(phase.proved.proof.claims)
    assert f"proved · {every} obligations program and mapping for these sizes" in told
    assert "optimal plan: optimal in its space" in told and "simulated, not run on hardware" in told
    assert "sizes open" not in told.lower()
    assert html.unescape(page).count(str(plan.program)) == 1
    assert (
        "load gather s[r,c] = m[r,c] 16 + 1 × r × c" in told
        and "execute outer acc[i,j] += a[k,i] * b[k,j] 4 + 1 × k" in told
    )
    assert "i=i,j=j,k=k;a=A,b=B" in told and "2 legal" in told
    assert "scratchpad: 528 of 2,048 rows of 32 bytes" in told and "accumulators: 128 of 128 rows" in told


def drawn(run: im.Simulation) -> Iterator[Picture]:
    yield timeline(run, parts(run, {"outer", "gemmini.matmul", "matmul"}))
    yield from occupancy(run).values()


def check_geometry(picture: Picture) -> None:
    for r in picture.rectangles:
        assert r.x >= 0 and r.y >= 0 and r.width > 0 and r.height > 0, r
        assert r.x + r.width <= picture.width + 1e-6 and r.y + r.height <= picture.height, r
    for x1, y1, x2, y2, _ in picture.lines:
        assert min(x1, x2) >= 0 and max(x1, x2) <= picture.width and min(y1, y2) >= 0 and max(y1, y2) <= picture.height
    boxes = []
    for label in picture.labels:
        long = CHARACTER * len(label.text)
        begin = label.x - {"start": 0.0, "middle": long / 2, "end": long}[label.anchor]
        boxes.append((begin, begin + long, label.y - 11, label.y + 3, label.text))
        assert begin >= -2 and begin + long <= picture.width + 2 and 11 <= label.y <= picture.height - 3, label
    for (a0, a1, b0, b1, one), (c0, c1, d0, d1, other) in combinations(boxes, 2):
        assert a1 <= c0 or c1 <= a0 or b1 <= d0 or d1 <= b0, (one, other)


@pytest.mark.parametrize(
    ("kernel", "machine", "sizes"),
    [("gemm", OUTER, SIZES), ("gemm", OUTER, {"i": 3, "j": 2, "k": 1}), ("gemm", OUTER, {"i": 160, "j": 160, "k": 160}),
     ("gemm", "gemmini", {"i": 40, "j": 40, "k": 40})],
    ids=["64", "one tile", "160, uses summed for each pixel", "gemmini"],
)  # fmt: skip
def test_areas_are_cycles_and_labels_are_apart(kernel: str, machine: str, sizes: dict[str, int]) -> None:
    plan, run = ran(kernel, machine, sizes)
    pictures = list(drawn(run))
    for picture in pictures:
        check_geometry(picture)
    line, *memories = pictures
    assert run.cycles
    left = min(x1 for x1, _, _, _, kind in line.lines if kind == "axis")
    scale = (WIDTH - left - 14) / run.cycles
    tops = sorted({round(t.y) for t in line.labels if t.text in run.engines})
    engines = {y: t.text for y in tops for t in line.labels if round(t.y) == y and t.text in run.engines}
    found: dict[tuple[str, int], float] = defaultdict(float)
    for r in line.rectangles:
        middle = min(engines, key=lambda y: abs(y - 4 - (r.y + r.height / 2)))
        found[engines[middle], r.colour] += r.width * r.height / ROW / scale
    wanted: dict[tuple[str, int], float] = defaultdict(float)
    of = colours(run)
    for s in run.trace:
        slots = (*s.writes, *s.reads)
        if s.begin != s.end:
            wanted[s.engine, of[slots[0].tensor if slots else ""]] += (s.end or 0) - (s.begin or 0)
    assert found == pytest.approx(wanted)
    assert len(set(of.values())) == len(of)
    held = contents(run)
    for memory, picture in zip(sorted({c.slot.memory for c in held}), memories, strict=True):
        mine = [c for c in held if c.slot.memory == memory and c.end > c.begin]
        rows = max(c.slot.row + c.slot.rows for c in mine)
        if len(mine) <= 2000:
            from_x = min(x1 for x1, _, _, _, _ in picture.lines)
            width = WIDTH - from_x - 14
            seen = sum(r.width / width * run.cycles * r.height / 150 * rows for r in picture.rectangles)
            assert seen == pytest.approx(sum((c.end - c.begin) * c.slot.rows for c in mine))
    assert plan.proof.proved


def test_the_pictures_stand_in_the_page(page: str, outer: tuple[im.Plan, im.Simulation]) -> None:
    _, run = outer
    shown = re.findall(r'<figure class="picture">.*?</figure>', page, re.S)
    for text, picture in zip(shown, drawn(run), strict=True):
        assert text.count("<rect") == len(picture.rectangles) == text.count("<title>")
        labels = [html.unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", text)]
        assert labels == [t.text for t in picture.labels]
        sides = re.findall(
            r'<rect class="fill link\d" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', text
        )
        assert all(float(x) + float(w) <= picture.width + 0.01 for x, _, w, _ in sides) and len(sides) == text.count(
            "<rect"
        )
    assert shown[0].count('class="mark-line"') == 2


def test_without_a_run_the_page_says_why(outer: tuple[im.Plan, im.Simulation]) -> None:
    plan, _ = outer
    page = engine_report(plan, None, [], "not simulated: about 2 uses")
    told = text_of(page)
    assert "not simulated: about 2 uses" in told and 'id="timeline"' not in page and "simulated," not in told
    assert f"{plan.cycles:,.0f} cycles predicted" in told
    untraced = im.simulate(plan.program, arrays_for(plan.kernel.with_sizes(SIZES), 0))
    with pytest.raises(WrongKindError, match="trace=True"):
        engine_report(plan, untraced, [])


def test_several_phases_are_a_graph_and_a_table() -> None:
    chain = im.kernel("temporary H\nH[i,j] += A[i,k] * B[k,j]\nC[i,m] += H[i,j] * D[j,m]", name="chain")
    plan = im.plan(chain, OUTER, sizes=dict(i=32, j=32, k=32, m=32))
    page = engine_report(plan, None, [], "not simulated")
    told, rows = text_of(page), phase_rows(plan.kernel, plan.phases)
    assert page.count('<rect class="statement') == len(rows) == 2
    for r in rows:
        assert " ".join(r.cells) in told
    assert sum(r.cost or 0.0 for r in rows) == plan.cycles and f"together {plan.cycles:,.0f}" in told
    assert "2 parts, each optimal in its space; all together by the cost model, with no bound" in told
    assert "chain on outer_product i=32 j=32 k=32 m=32 f32" in told
    assert phase_rows(plan.kernel, plan.phases[:1]) == ()
