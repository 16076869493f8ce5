"""The graph of statements: a box for each, nothing on anything else, and outlines around those of one loop alone."""

from __future__ import annotations

import html
import re
from itertools import combinations

import pytest

from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.example_kernels import example
from isamap_smt.language.library import find_kernel
from isamap_smt.report.graph import Edge, Fused, Graph, draw_graph, edges, fused
from isamap_smt.report.labels import Box, Label, overlap
from isamap_smt.report.page import html_report
from isamap_smt.report.whole import Row, all_rows, table_of
from tests.report.test_page import text_of
from tests.report.test_whole import planned, sized


def rows_for(kernel: Kernel) -> list[Row]:
    return [Row(n, s.target.tensor, "avx512.fmadd_ps", 1, 1.0, 1 / n, "OPTIMAL", 0.0)
            for n, s in enumerate(kernel.statements, 1)]  # fmt: skip


def inside(inner: Box, outer: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def check(graph: Graph, kernel: Kernel, groups: tuple[Fused, ...]) -> None:
    assert [s.number for s in graph.statements] == list(range(1, len(kernel.statements) + 1))
    boxes = [*(s.box for s in graph.statements), *(p.box for p in graph.pills)]
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other), (one, other)
    labels: list[Label] = [*graph.notes, *(p.label for p in graph.pills)]
    for s in graph.statements:
        labels += [label for label in s.labels if label.text]
        assert all(inside(label.box, s.box) for label in s.labels), s
        assert 0 <= s.share <= s.box[2] - s.box[0] + 1e-6
    for one, other in combinations(labels, 2):
        assert not overlap(one.box, other.box), (one, other)
    for box in [*boxes, *(label.box for label in labels), *(box for _, box, _ in graph.outlines)]:
        assert inside(box, (0, 0, graph.width, graph.height)), box
    for members, around, _ in graph.outlines:
        for n, s in enumerate(graph.statements):
            assert inside(s.box, around) if n in members else not overlap(s.box, around), (n, members)
    assert sorted(n for members, *_ in graph.outlines for n in members) == sorted(
        n for g in groups for n in g.statements
    )
    straight = [path for path, again in graph.paths if not again]
    arrows = edges(kernel)
    assert len(straight) == sum(not e.again for e in arrows) and len(graph.paths) == len(arrows)
    reads = sum(len({a.tensor for a in s.inputs} & set(kernel.inputs)) for s in kernel.statements)
    assert sum(not p.result for p in graph.pills) == reads
    assert {p.label.text for p in graph.pills if p.result} == set(kernel.results)
    for path in straight:  # no edge passes through a box: its ends are at boxes' borders, its lanes beside them
        for x, y0, y1 in _lanes(path):
            assert not any(overlap((x - 1, y0, x + 1, y1), box) for box in boxes), path


def _lanes(path: str) -> list[tuple[float, float, float]]:
    """(x, from y, to y) of the straight parts."""
    points = re.findall(r"([-\d.]+),([-\d.]+) L([-\d.]+),([-\d.]+)", path)
    return [(float(x), float(y0), float(y1)) for x, y0, _, y1 in points]


PLANNED = ["gru", "lstm", "attention.py:CAUSAL", "linear_relu", "norms.py:LAYER_NORM"]


@pytest.mark.parametrize("name", PLANNED)
def test_of_plans(name: str) -> None:
    made = planned(name)
    k, groups = sized(made), fused(made.program)
    check(draw_graph(k, all_rows(made.kernel, made.program), groups), k, groups)
    for g in groups:
        assert len(g.statements) > 1
    for s in made.schedules:
        if s.fused:
            assert any(s.proved.mapping.statement_index in g.statements for g in groups)


@pytest.mark.parametrize(
    "name", ["two_layers", "depthwise_separable_conv2d", "norms.py:CAUSAL_SOFTMAX", "contractions.py:SDDMM"]
)
def test_of_kernels(name: str) -> None:
    k = example(name) if ".py:" in name else find_kernel(name)
    check(draw_graph(k, rows_for(k)), k, ())


def test_an_outline_does_not_enclose_strangers() -> None:
    from isamap_smt.language import kernel

    k = kernel("A[i] = x[i]\nB[i] = A[i]\nC[i] = A[i]\nD[i] = B[i] + C[i]")
    group = Fused((0, 1, 3), ("i",))
    graph = draw_graph(k, rows_for(k), (group,))
    check(graph, k, (group,))
    assert [members for members, *_ in graph.outlines] in ([(0, 1, 3)], [(0,), (1,), (3,)])


def test_edges_are_reads() -> None:
    gru = find_kernel("gru")
    assert edges(gru) == (
        Edge(1, 2), Edge(4, 2, True), Edge(0, 3), Edge(2, 3), Edge(0, 4), Edge(1, 4), Edge(2, 4), Edge(3, 4), Edge(4, 4, True),
    )  # fmt: skip
    assert [str(g.text) for g in fused(planned("gru").program)] == ["time steps of t"]
    assert fused(planned("gemm").program) == ()


def test_the_page_has_a_box_and_a_row_for_each_statement_and_the_source_as_written() -> None:
    made = planned("attention.py:ATTENTION")
    page = html_report(made)
    told, table = text_of(page), table_of(made.kernel, made.program)
    assert table is not None and len(table.cells) == len(made.kernel.statements) + 1
    assert page.count('<rect class="statement') == len(made.kernel.statements)
    for row in table.cells:
        assert " ".join(filter(None, row)) in told
    written, rewritten = re.findall(r'<pre class="wrap">(.*?)</pre>', page, re.S)[:2]
    assert html.unescape(written).strip() == example("attention.py:ATTENTION").text.strip()
    assert "_sums" not in written and "M_sums" in rewritten
    assert f"Computed as {len(made.kernel.statements)} statements" in told
    plain = html_report(planned("linear_relu"))
    assert "Computed as" not in plain and plain.count('<rect class="statement') == 2
    assert 'id="statements"' not in html_report(planned("gemm"))
