"""Copies that turn rows into columns go block by block, and copy what the loops would."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.runtime.compiled import build_program
from tests.families import with_one

SIZES = [(4, 75, 40), (4, 64, 64), (1, 16, 8), (3, 17, 9), (2, 130, 61)]


@pytest.mark.one_in(3)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("cc", [None, "gcc"])
@pytest.mark.parametrize("sizes", SIZES)
def test_words_are_transposed(sizes: tuple[int, int, int], cc: str | None) -> None:
    if cc and not shutil.which(cc):
        pytest.skip(f"{cc} is not installed")
    i, j, k = sizes
    plan = im.plan("gemm_nt", "avx2", sizes={"i": i, "j": j, "k": k}, fix={"pack.B": "L2"}, instruction="avx2.fmadd_ps")
    assert "isamap_transpose(" in plan.source
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((i, k), (j, k)))
    np.testing.assert_array_equal(im.build(plan, cc=cc)(a, b), a @ b.T)


@pytest.mark.needs("avx2", "fma")
def test_words_are_transposed_at_sizes_known_when_called() -> None:
    fix = {"pack.B": "L2", "register.i": 3, "register.j": 32}  # as the search ends, after seconds
    plan = im.plan("gemm_nt", "avx2", fix=fix, instruction="avx2.fmadd_ps")
    assert "isamap_transpose(" in plan.source
    run, rng = im.build(plan), np.random.default_rng(1)
    for i, j, k in SIZES:
        a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((i, k), (j, k)))
        np.testing.assert_array_equal(run(a, b), a @ b.T)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("types", "call"), [(("bf16", "f32"), "isamap_interleave_2("), (("i8", "i32"), "isamap_interleave_4(")]
)
@pytest.mark.parametrize(
    ("sizes", "cc"), with_one([(20, 75, 40), (16, 64, 64), (1, 16, 3), (3, 17, 130)], [None, "gcc"])
)
def test_rows_are_interleaved(sizes: tuple[int, int, int], types: tuple[str, str], call: str, cc: str | None) -> None:
    """For the tiles of AMX, here compiled and run where the CPU has them."""
    from isamap_smt.language.hardware_library import missing_features
    from isamap_smt.runtime.simde import find_simde

    machine = im.find_hardware("amx")
    if cc and not shutil.which(cc):
        pytest.skip(f"{cc} is not installed")
    if missing_features(machine.instructions) and find_simde() is None:
        pytest.skip("this CPU has no tiles, and SIMDe (libsimde-dev) is not installed")
    i, j, k = sizes
    kernel = im.find_kernel("gemm").with_dtypes({"A": types[0], "B": types[0], "C": types[1]})
    plan = im.plan(kernel, machine, sizes={"i": i, "j": j, "k": k})
    assert call in plan.source
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 10, s).astype(kernel.tensor("A").dtype.numpy) for s in ((i, k), (k, j)))
    got = build_program(plan.source, cc=cc, simde=True)(a, b)
    np.testing.assert_array_equal(got, a.astype(np.int64) @ b.astype(np.int64))


def test_whole_rows_are_copied_as_they_are() -> None:
    plan = im.plan("gemm", "avx2", sizes={"i": 8, "j": 64, "k": 64}, fix={"pack.B": "L2"}, instruction="avx2.fmadd_ps")
    assert "isamap_transpose" not in plan.source
