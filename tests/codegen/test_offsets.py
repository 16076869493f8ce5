"""Offsets in row-major arrays: axes that a mapping fuses are one dimension again."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.codegen.c_expr import row_major
from isamap_smt.ir.addresses import collapsed
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, sym
from isamap_smt.ir.program import Alloc
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping.moves import fits

X, T, L, N = sym("x"), sym("t"), sym("l"), sym("N")
F = 8 * X + L
THREE = (FloorDiv(FloorDiv(F, 5), 3), FloorMod(FloorDiv(F, 5), 3), FloorMod(F, 5))


@pytest.mark.parametrize(
    ("index", "shape", "dimensions"),
    [
        ((T, FloorDiv(F, 5), FloorMod(F, 5)), (4, 9, 5), 2),
        ((T + 1, *THREE), (4, 2, 3, 5), 2),
        ((2 * T + FloorDiv(F, 5), FloorMod(F, 5)), (20, 5), 1),
        # not the digits of one value in these dimensions: other divisors, another order, a shifted rest
        ((FloorDiv(F, 5), FloorMod(F, 4)), (9, 5), 2),
        ((FloorDiv(F, 5), FloorMod(F, 5)), (9, 6), 2),
        ((FloorMod(F, 5), FloorDiv(F, 5)), (5, 9), 2),
        ((FloorDiv(F, 5), FloorMod(F, 5) + 1), (9, 6), 2),
        ((2 * FloorDiv(F, 5), FloorMod(F, 5)), (18, 5), 2),
    ],
)
def test_the_element_stays_the_same(index: tuple[Any, ...], shape: tuple[int, ...], dimensions: int) -> None:
    sizes = tuple(map(sp.Integer, shape))
    assert len(collapsed(index, sizes)[0]) == dimensions
    for x, t, lane in product(range(5), range(4), range(8)):
        env = {"x": x, "t": t, "l": lane}
        expected = 0
        for i, extent in zip(index, shape, strict=True):
            expected = expected * extent + evaluate(i, env)
        assert evaluate(row_major(index, sizes), env) == expected


def test_lanes_along_fused_axes_are_consecutive() -> None:
    index, shape = (T, FloorDiv(F, N), FloorMod(F, N)), (sym("M"), sp.Integer(3), N)
    load = im.find_hardware("avx2").instruction("load_f32")
    assert fits(load, row_major(index, shape))
    assert not fits(load, row_major((T, index[2], index[1]), (sym("M"), N, sp.Integer(3))))


def test_gates_are_stored_without_a_detour() -> None:
    """The gates and elements of a GRU, fused, are one row in memory: accumulators are moved to it directly."""
    planned = im.plan("gru", "avx2", sizes={"t": 2, "b": 2, "j": 12, "c": 8})
    buffers = [n.buffer.name for n in nodes_of(Alloc, planned.program.body)]
    assert "acc" in buffers and not [b for b in buffers if "staged" in b]
    assert planned.proof.proved
