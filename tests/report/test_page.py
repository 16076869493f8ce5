"""The page is well-formed, loads nothing, and holds what the plan holds."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import sympy as sp

from isamap_smt.ir.program import Compute, Move, Serial, Unrolled
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.report.nest import Box, boxes
from isamap_smt.report.page import html_report
from isamap_smt.runtime.measure import Measured

VOID = {"meta", "br", "rect", "line", "path", "circle"}


class Reader(HTMLParser):
    """Checks that tags close in order; keeps every link and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [str(v) for n, v in attributes if n in ("href", "src", "xlink:href")]
        self.ids += [str(v) for n, v in attributes if n == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in VOID, tag

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            # a new paragraph ends the one before, as HTML allows; our template closes all
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def planned() -> Plan:
    """A small padded convolution: packing, guards, tails and masks all occur."""
    sizes = {
        "n": 1,
        "p": 5,
        "q": 6,
        "k": 11,
        "c": 3,
        "r": 3,
        "s": 3,
        "sp": 1,
        "sq": 1,
        "dp": 1,
        "dq": 1,
        "pp": 1,
        "pq": 1,
    }
    return plan(find_kernel("conv2d"), find_hardware("avx2"), sizes=sizes)


@pytest.fixture(scope="module")
def page(planned: Plan) -> str:
    """Its page, with a measurement."""
    return html_report(planned, Measured(False, 1.5e-7, 1e-3, 12.5, "float64", 7), 3.2)


def test_it_is_well_formed_and_loads_nothing(page: str) -> None:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert reader.links == []
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)
    assert reader.ids == ["kernel", "mapping", "schedule", "roofline", "claims", "code", "made"]


def test_it_says_what_the_plan_says(page: str, planned: Plan) -> None:
    assert f"{len(planned.proof.claims)} obligations" in page
    assert planned.schedule.status in page
    assert "12.5" in page and "1.5e-07" in page
    for claim in {c.claim for c in planned.proof.claims}:
        assert f"<td>{claim}</td>" in page
    for link, _ in planned.schedule.traffic:
        assert link.replace(">", "&gt;") in page
    assert "isamap_run" in page


def test_names_are_escaped(planned: Plan) -> None:
    page = html_report(planned, note="<script>alert(1)</script>")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_every_buffer_is_drawn_with_its_type(planned: Plan) -> None:
    from isamap_smt.ir.traversal import buffers

    def walk(found: tuple[Box, ...]) -> list[Box]:
        return [b for box in found for b in (box, *walk(box.inside))]

    ahead, body = boxes(planned.program)
    drawn = [b for b in walk((*ahead, *body)) if b.kind == "buffer"]
    for name, buffer in buffers(planned.program).items():
        (box,) = [b for b in drawn if b.text.startswith(f"{name}[")]
        assert box.note.startswith(f"holds {buffer.type.tensor}[")
        assert ("elsewhere" in box.note) == bool(buffer.type.guard)


def test_loops_say_where_they_end_what_they_keep_and_what_takes_turns(planned: Plan) -> None:
    at = sp.Symbol("t")
    load = find_hardware("avx2").instruction("load_f32")
    turns = Unrolled(sp.Symbol("u"), sp.Integer(4), (Move(load),), woven=True)
    body = (Serial(at, sp.Integer(9), (turns,), folds=(("e", 0),), rings=(("m", 0),), end=at + 1),)
    (box,) = boxes(replace(planned.program, body=body))[1]
    assert box.detail == "until t + 1"
    assert box.note == "each iteration has its own block of e; two rows of m are kept"
    assert [b.text for b in box.inside] == ["4 × avx2.load_f32 in turns"]


def test_every_execution_is_counted(planned: Plan) -> None:
    """Instructions in the boxes, times the unrolled loops drawn around them, are those of the program."""
    from isamap_smt.ir.expr import evaluate
    from isamap_smt.ir.traversal import walk

    wanted = 0
    for node, around in walk(planned.program.body):
        if isinstance(node, Compute):
            times = 1
            for loop in around:
                if isinstance(loop, Unrolled):
                    times *= int(evaluate(loop.count, {}))
            wanted += times

    def count(found: tuple[Box, ...], times: int) -> int:
        total = 0
        for b in found:
            if b.kind == "work":
                numbers = re.findall(rf"(\d+) × {re.escape(planned.instruction.name)}\b", b.text)
                total += times * sum(map(int, numbers))
            inner = int(b.text.split("<")[1]) if b.note == "unroll" else 1
            total += count(b.inside, times * inner)
        return total

    _, body = boxes(planned.program)
    assert count(body, 1) == wanted > 0
