"""The page of mappings without a schedule: the lanes first, a tile for each mapping, and every mapping with its proof."""

from __future__ import annotations

import html
import re
from functools import cache

import pytest

from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.hardware_library import find_hardware, find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.language.text import kernel as parse_kernel
from isamap_smt.mapping.layout import supply
from isamap_smt.mapping.types_of import with_types_of
from isamap_smt.report.choices import Table, tables
from isamap_smt.report.page import mapping_report
from isamap_smt.search import MappingSet, find_mappings
from tests.report.test_page import Reader

WMMA = "wmma.16x16x16"


@cache
def found(kernel: str, instruction: str = WMMA) -> MappingSet:
    asked = find_kernel(kernel)
    return search(asked, instruction)


def search(asked: Kernel, instruction: str) -> MappingSet:
    onto = find_instruction(instruction)
    return find_mappings(with_types_of(asked, onto), onto).finished()


@cache
def page(kernel: str) -> str:
    hardware = find_hardware("wmma")
    return mapping_report(find_kernel(kernel), {}, hardware, [found(kernel)], hardware.lacks)


def tiles_of(table: Table) -> dict[tuple[str, str], str]:
    """Mapping ids by the choices of row and column."""
    return {
        (row, column): tile.id
        for row, line in zip(table.rows, table.tiles, strict=True)
        for column, tile in zip(table.columns, line, strict=True)
        if tile is not None
    }


@pytest.mark.parametrize("kernel", ["gemm", "conv2d"])
def test_it_is_well_formed_and_the_lanes_come_first(kernel: str) -> None:
    reader = Reader()
    reader.feed(page(kernel))
    reader.close()
    assert reader.open == []
    assert [i for i in reader.ids if not re.fullmatch(r"m\d+-\d+", i)] == [
        "mapping",
        "kernel",
        "machine",
        "claims",
        "made",
    ]
    assert reader.links == [] and set(reader.anchors) <= set(reader.ids)
    assert not re.search(r"@import|url\(|<script|https?://(?!www\.w3\.org)", page(kernel))
    before, _ = page(kernel).split("<svg", 1)
    assert before.count("<details") == before.count("</details")  # not folded
    assert "<table" not in before.split("</head>")[1]


def test_of_few_mappings_each_can_be_looked_at() -> None:
    legal = [p.mapping.id for p in found("gemm").legal]
    labels = re.findall(
        r'<label><input type="radio" name="lanes1"( checked)?><code>([^<]*)</code></label>', page("gemm")
    )
    assert labels == [(" checked" if n == 0 else "", i) for n, i in enumerate(legal)]
    captions = re.findall(r"<code>a\[i, k\]</code> ← <code>([^<]*)</code>", page("gemm"))
    assert captions == ["A[i, k]", "A[i + 16, k + 16]", "B[k, i]", "B[k + 16, i + 16]"]
    assert 'class="tile3"' not in page("gemm")


def test_of_many_the_first_is_drawn_and_each_has_a_tile() -> None:
    legal = [p.mapping for p in found("conv2d").legal]
    assert len(legal) == 98 and 'type="radio"' not in page("conv2d")
    assert f"Mapping 1 of 98: <code>{legal[0].id}</code>" in page("conv2d")
    tiles = re.findall(
        r'<a class="tile3" href="#m1-(\d+)" title="([^"]*)">((?:<i class="\w+"></i>)*)</a>', page("conv2d")
    )
    assert sorted(int(n) for n, _, _ in tiles) == [*range(1, 99)]
    for number, tip, stripes in tiles:
        m = legal[int(number) - 1]
        kinds = [(o, supply(m, o).kind) for o, _ in m.binding]
        assert html.unescape(tip).splitlines() == [m.id, *(f"{o}: {kind}" for o, kind in kinds)]
        assert re.findall(r'class="(\w+)"', stripes) == [kind for _, kind in kinds]
        assert f'<tr id="m1-{number}"><td class="mono">{m.id}</td>' in page("conv2d")
    assert "98 mappings, each with its proof</summary>" in page("conv2d")


def test_a_tile_stands_where_its_choices_are() -> None:
    first, second = tables([p.mapping for p in found("conv2d").legal])
    assert (first.shared, first.row, first.column) == ("j=k; a=I, b=W", "i", "k")
    assert (second.shared, second.row, second.column) == ("i=k; a=W, b=I", "j", "k")
    assert first.rows == second.rows == ("n", "p", "q", "n.p", "n.q", "p.q", "n.p.q")
    assert first.columns == second.columns == ("r", "s", "c", "r.s", "r.c", "s.c", "r.s.c")
    assert tiles_of(first) == {(i, k): f"i={i},j=k,k={k};a=I,b=W" for i in first.rows for k in first.columns}
    assert tiles_of(second) == {(j, k): f"i=k,j={j},k={k};a=W,b=I" for j in first.rows for k in first.columns}


def test_what_is_not_legal_has_no_tile() -> None:
    legal = [p.mapping for p in found("conv2d").legal if p.mapping.id != "i=p,j=k,k=s;a=I,b=W"]
    first, _ = tables(legal)
    assert set(first.rows) == {"n", "p", "q", "n.p", "n.q", "p.q", "n.p.q"}
    assert first.tiles[1][1] is None and len(tiles_of(first)) == 48


def test_choices_of_a_third_axis_are_tables_of_their_own() -> None:
    asked = parse_kernel("C[p,q,s,t] += A[p,q,u,v] * B[u,v,s,t]", name="four")
    drawn = tables([p.mapping for p in search(asked, WMMA).legal])
    assert [(t.row, t.column, len(t.rows), len(t.columns)) for t in drawn] == [("i", "j", 3, 3)] * 6
    assert sorted(t.shared for t in drawn) == sorted(
        f"k={k}; {ab}" for ab in ("a=A, b=B", "a=B, b=A") for k in ("u", "v", "u.v")
    )
    for t in drawn:
        axes, operands = t.shared.split("; ")
        wanted = {(r, c): f"i={r},j={c},{axes};{operands.replace(', ', ',')}" for r in t.rows for c in t.columns}
        assert tiles_of(t) == wanted
    assert sum(len(tiles_of(t)) for t in drawn) == 54


def test_one_axis_that_varies_is_no_table() -> None:
    assert tables([p.mapping for p in found("gemm", "avx2.fmadd_ps").legal]) == ()
    assert tables([]) == ()


def test_the_types_of_tensors_are_those_that_were_mapped() -> None:
    section = page("conv2d").partition('<section id="kernel">')[2].partition("</section>")[0]
    types = dict(re.findall(r"<td><code>(\w+)</code></td><td>(\w+)</td>", section))
    assert types == {"O": "f32", "I": "f16", "W": "f16"}
