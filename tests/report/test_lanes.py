"""The drawing of lanes says what the mapping says, cell by cell."""

from __future__ import annotations

import pytest

from isamap_smt.ir.mapping import Mapping
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.report.lanes import Grid, axis_rows, example_sizes, issues, symbolic


def mapping(kernel: str, instruction: str, axes: str) -> Mapping:
    """A mapping of the fuse family, not proved: the drawing does not care."""
    return fuse(find_kernel(kernel), find_instruction(instruction), axes)


def grid(m: Mapping, operand: str, sizes: dict[str, int], which: int = 0) -> Grid:
    """The cells of one operand in one of the issues that are drawn."""
    return next(g for g in issues(m, sizes)[which].grids if g.operand == operand)


def test_a_contiguous_operand_is_a_ramp() -> None:
    g = grid(mapping("gemm", "avx2.fmadd_ps", "l=j"), "b", {"I": 4, "J": 16, "K": 5})
    assert (g.register, g.element, g.uniform) == ("b[l]", "B[0, l]", False)
    assert [c.label for c in g.cells] == [str(j) for j in range(8)]
    assert [c.shade for c in g.cells] == [n / 7 for n in range(8)]
    assert (g.rows, g.columns) == (1, 8)


def test_a_broadcast_operand_is_flat() -> None:
    g = grid(mapping("gemm", "avx2.fmadd_ps", "l=j"), "a", {"I": 4, "J": 16, "K": 5})
    assert (g.element, g.uniform) == ("A[0, 0]", True)
    assert {c.label for c in g.cells} == {"0"}
    assert all(c.tooltip.splitlines()[0] == f"a[{n}] holds A[0,0]" for n, c in enumerate(g.cells))
    assert len({c.shade for c in g.cells}) == 1


def test_points_outside_the_kernel_are_dead() -> None:
    m = mapping("gemm", "avx2.fmadd_ps", "l=j")
    sizes = {"I": 1, "J": 11, "K": 1}
    first, second = issues(m, sizes)
    assert (first.live, second.live, second.iterations) == (8, 3, 8)
    assert (first.masked, second.masked) == (False, True)
    assert [c.live for c in grid(m, "c", sizes, 1).cells] == [True] * 3 + [False] * 5
    assert grid(m, "c", sizes, 1).cells[7].tooltip == "c[7]: not used"


def test_a_guard_leaves_holes() -> None:
    """With one row of zeros around the image, row 0 of the window misses it for the first output row."""
    sizes = {
        "N": 1,
        "P": 4,
        "Q": 4,
        "K": 1,
        "C": 1,
        "R": 3,
        "S": 3,
        "sp": 1,
        "sq": 1,
        "dp": 1,
        "dq": 1,
        "pp": 1,
        "pq": 1,
    }
    m = mapping("conv2d", "avx2.fmadd_ps", "l=p")
    first = issues(m, sizes)[0]
    assert (first.live, first.iterations) == (3, 8)
    assert "r_out=0, s_out=1" in first.where  # the left column of the window lies in the padding
    assert [c.live for c in next(g for g in first.grids if g.operand == "a").cells] == [
        False,
        *[True] * 3,
        *[False] * 4,
    ]


def test_a_square_instruction() -> None:
    m = mapping("gemm", "wmma.16x16x16", "i=i,j=j,k=k")
    g = grid(m, "c", {"I": 16, "J": 16, "K": 16})
    assert (g.rows, g.columns, len(g.cells)) == (16, 16, 256)
    cell = next(c for c in g.cells if (c.row, c.column) == (3, 5))
    assert (g.heads[3], cell.label) == ("3", "5")
    assert g.element == "C[i, j]"
    assert cell.tooltip.startswith("c[3,5] holds C[3,5]\n")
    assert "and 13 more" in cell.tooltip  # 16 points of k


def test_open_sizes_are_examples() -> None:
    m = mapping("conv2d", "avx2.fmadd_ps", "l=k")
    sizes = example_sizes(m)
    assert symbolic(m)
    assert (sizes["sp"], sizes["pp"]) == (1, 0)
    assert len(issues(m, sizes)) == 2


@pytest.mark.parametrize(("axes", "members"), [("l=j", ["j"]), ("l=i.j", ["i", "j"])])
def test_axes(axes: str, members: list[str]) -> None:
    assert axis_rows(mapping("gemm", "avx2.fmadd_ps", axes)) == [{"axis": "l", "extent": 8, "members": members}]


PADDED = dict(N=1, P=4, Q=5, K=20, C=2, R=3, S=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)


def test_only_indices_that_vary_are_in_the_cells() -> None:
    m = mapping("conv2d", "avx512.fmadd_ps", "l=k")
    first, last = issues(m, PADDED)
    assert (first.name, last.name) == ("First", "Last")
    assert [g.element for g in first.grids] == ["O[0, 0, 0, l]", "I[0, 0, 0, 0]", "W[1, 1, 0, l]"]
    assert [g.element for g in last.grids] == ["O[0, 3, 4, l + 16]", "I[0, 3, 4, 1]", "W[1, 1, 1, l + 16]"]
    assert [c.label for c in last.grids[0].cells] == ["16", "17", "18", "19", *[""] * 12]
    assert [c.label for c in first.grids[0].cells] == [str(k) for k in range(16)]


@pytest.mark.parametrize(("kernel", "instruction", "axes"), [
    ("conv2d", "avx512.fmadd_ps", "l=k"), ("conv2d", "avx512.fmadd_ps", "l=p.q"),
    ("conv2d", "wmma.16x16x16", "i=n.p.q,j=k,k=r.c"), ("depthwise_conv2d", "avx2.fmadd_ps", "l=c"),
    ("gemm", "wmma.16x16x16", "i=i,j=j,k=k"), ("gemm", "wmma.16x16x16", "i=j,j=i,k=k"), ("gemm", "avx512_vnni.dpbusd", "l=j,e=k"),
])  # fmt: skip
def test_head_caption_and_label_say_which_element_a_cell_holds(kernel: str, instruction: str, axes: str) -> None:
    """The numbers of the caption, of a row's head and of a cell's label, in this order, are the element of the tooltip."""
    m = mapping(kernel, instruction, axes)
    for issue in issues(m, example_sizes(m)):
        for g in issue.grids:
            assert all(bool(c.label) == c.live for c in g.cells)
            caption = g.element.partition("[")[2][:-1].split(", ")
            for c in g.cells:
                held = c.tooltip.splitlines()[0].partition(" holds ")[2].partition("[")[2][:-1].split(",")
                if not c.live:
                    assert held == [""]
                    continue
                fixed = [w == h for w, h in zip(caption, held, strict=True)]
                head = g.heads[c.row].split(",") if g.heads else []
                label = iter(c.label.split(","))
                told = [next(label) if h == "·" else h for h in head]
                shown = [h for h, same in zip(held, fixed, strict=True) if not same]
                assert [*told, *label] == (held[-1:] if g.uniform or not shown else shown)
                assert len(c.label) * 0.62 * g.cell[2] < g.cell[0]


def test_the_last_issue_shows_the_tail_that_sizes_leave() -> None:
    m = mapping("gemm", "avx512.fmadd_ps", "l=j")
    first, last = issues(m, {"I": 700, "J": 700, "K": 700})
    assert (first.where, first.live) == ("i_out=0, k_out=0, l_tile=0", 16)
    assert (last.where, last.live) == ("i_out=699, k_out=699, l_tile=43", 700 - 43 * 16)
    (only,) = issues(m, {"I": 700, "J": 704, "K": 700})
    assert (only.name, only.live) == ("First", 16)


@pytest.mark.parametrize("axes", ["l=k", "l=p", "l=p.q", "l=n.p.q"])
@pytest.mark.parametrize("instruction", ["avx2.fmadd_ps", "avx512.fmadd_ps"])
def test_example_sizes_leave_a_tail(instruction: str, axes: str) -> None:
    m = mapping("conv2d", instruction, axes)
    assert issues(m, example_sizes(m))[-1].masked


def test_a_tall_and_narrow_operand_lies_below_the_lanes() -> None:
    """The 16 lanes of four bytes each: lanes of all operands stand below each other."""
    m = mapping("gemm", "avx512_vnni.dpbusd", "l=j,e=k")
    _, last = issues(m, {"I": 20, "J": 37, "K": 50})
    acc, a, b = last.grids
    assert [(g.rows, g.columns, g.flat) for g in last.grids] == [(1, 16, True), (4, 16, True), (4, 16, True)]
    assert (acc.head, b.heads) == (0, ("48", "49", "", ""))
    assert {last.margin(g) for g in last.grids} == {b.head} and b.head > 0
    assert {g.cell[0] for g in last.grids} == {47}
    assert [c.label for c in b.cells if c.row == 1] == ["32", "33", "34", "35", "36", *[""] * 11]
    assert (a.element, a.heads) == ("A[19, e + 48]", ())
    square = issues(mapping("gemm", "wmma.16x16x16", "i=i,j=j,k=k"), {"I": 16, "J": 16, "K": 16})[0]
    assert all(not g.flat and square.margin(g) == g.head for g in square.grids)


def test_a_transposed_operand_says_which_index_its_rows_are() -> None:
    c = grid(mapping("gemm", "wmma.16x16x16", "i=j,j=i,k=k"), "c", {"I": 16, "J": 16, "K": 16})
    assert (c.element, c.heads[3]) == ("C[j, i]", "·,3")
    (cell,) = [x for x in c.cells if (x.row, x.column) == (3, 5)]
    assert cell.label == "5" and cell.tooltip.startswith("c[3,5] holds C[5,3]")
