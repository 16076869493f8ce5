"""The drawing of lanes says what the mapping says, cell by cell."""

from __future__ import annotations

import pytest

from isamap_smt.ir.mapping import Mapping
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.report.lanes import Grid, axis_rows, example_sizes, executions, symbolic


def mapping(kernel: str, instruction: str, axes: str) -> Mapping:
    """A mapping of the fuse family, not proved: the drawing does not care."""
    return fuse(find_kernel(kernel), find_instruction(instruction), axes)


def grid(m: Mapping, operand: str, sizes: dict[str, int], which: int = 0) -> Grid:
    """The cells of one operand in one of the first executions."""
    return next(g for g in executions(m, sizes)[which].grids if g.operand == operand)


def test_a_contiguous_operand_is_a_ramp() -> None:
    g = grid(mapping("gemm", "avx2.fmadd_ps", "l=j"), "b", {"I": 4, "J": 16, "K": 5})
    assert [c.label for c in g.cells] == [f"0,{j}" for j in range(8)]
    assert [c.shade for c in g.cells] == [n / 7 for n in range(8)]
    assert (g.rows, g.columns) == (1, 8)


def test_a_broadcast_operand_is_flat() -> None:
    g = grid(mapping("gemm", "avx2.fmadd_ps", "l=j"), "a", {"I": 4, "J": 16, "K": 5})
    assert {c.label for c in g.cells} == {"0,0"}
    assert len({c.shade for c in g.cells}) == 1


def test_points_outside_the_kernel_are_dead() -> None:
    m = mapping("gemm", "avx2.fmadd_ps", "l=j")
    sizes = {"I": 1, "J": 11, "K": 1}
    first, second = executions(m, sizes)
    assert (first.live, second.live, second.points) == (8, 3, 8)
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
    first = executions(m, sizes, 1)[0]
    assert (first.live, first.points) == (3, 8)
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
    assert cell.label == "3,5"
    assert cell.tooltip.startswith("c[3,5] holds C[3,5]\n")
    assert "and 10 more" in cell.tooltip  # 16 points of k


def test_open_sizes_are_examples() -> None:
    m = mapping("conv2d", "avx2.fmadd_ps", "l=k")
    sizes = example_sizes(m)
    assert symbolic(m)
    assert (sizes["sp"], sizes["pp"]) == (1, 0)
    assert len(executions(m, sizes)) == 2


@pytest.mark.parametrize(("axes", "members"), [("l=j", ["j"]), ("l=i.j", ["i", "j"])])
def test_axes(axes: str, members: list[str]) -> None:
    assert axis_rows(mapping("gemm", "avx2.fmadd_ps", axes)) == [{"axis": "l", "points": 8, "members": members}]
