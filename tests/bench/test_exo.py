"""The sgemm scheduled with Exo: right at every edge, for both instruction sets; which tile it takes."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.bench.case import Case
from isamap_smt.bench.contenders import CONTENDERS
from isamap_smt.bench.peers.exo_schedule import FEW, NAME, source, tile
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.simde import find_simde

EXO = CONTENDERS["exo"]


def computes(rows: int, columns: int, depth: int, library: Path) -> bool:
    """Whether it adds the product to what C holds, and writes nowhere else."""
    rng = np.random.default_rng(0)
    a, b, c = (
        rng.integers(-9, 10, shape).astype(np.float32) for shape in ((rows, depth), (depth, columns), (rows, columns))
    )
    guard = 64
    held = np.full(rows * columns + 2 * guard, np.nan, np.float32)
    inside = held[guard:-guard].reshape(rows, columns)
    inside[:] = c
    call = getattr(ctypes.CDLL(str(library)), NAME)
    call.argtypes, call.restype = [ctypes.c_void_p] * 4, None
    call(None, a.ctypes.data, b.ctypes.data, inside.ctypes.data)
    untouched = np.isnan(held[:guard]).all() and np.isnan(held[-guard:]).all()
    return bool(untouched) and np.array_equal(inside, c + a @ b)


@pytest.mark.parametrize(
    ("size", "avx512"),
    [
        ((1, 61, 70), False),  # one row, panels not packed
        ((5, 3, 9), False),  # less than a vector
        ((389, 29, 300), False),  # two blocks of rows, two panels, and remainders of both
        ((31, 101, 130), True),
        ((2, 7, 5), True),
    ],
)
def test_edges_are_right(size: tuple[int, int, int], avx512: bool) -> None:
    if words := EXO.missing():
        pytest.skip(words)
    requires = ["avx512f"] if avx512 else ["avx2", "fma"]
    emulated = not host_features().issuperset(requires)
    if emulated and find_simde() is None:
        pytest.skip(f"this CPU has no {' or no '.join(requires)}, and SIMDe (libsimde-dev) is not installed")
    text, words = source(*size, avx512)
    assert ("packed" in words) == (size[0] > FEW)
    assert computes(*size, build_library(text, requires, simde=emulated))


def test_a_tile_fits_into_registers() -> None:
    """With a row of B, an element of A and one register more."""
    for lanes, registers in ((8, 16), (16, 32)):
        for rows in (1, 2, 5, 7, 64, 1000):
            for columns in (1, 8, 17, 100, 4096):
                r, w = tile(rows, columns, lanes, registers)
                assert 1 <= r <= rows
                assert w <= -(-columns // lanes)
                assert r * w + w + 2 <= registers
    assert tile(1024, 700, 8, 16) == (6, 2)


def test_it_takes_what_it_is_scheduled_for(small: Case) -> None:
    assert EXO.plays(small, "free", 1)
    assert not EXO.plays(small, "free", 2)
    assert not EXO.plays(small, "constant", 1)
