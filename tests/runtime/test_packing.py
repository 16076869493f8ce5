"""A constant operand is packed once; another array under its name is noticed."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Buffer, IndexType, Program, Ref, copy_of
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel, _by_hand
from isamap_smt.runtime.packing import constant_tensors

# B transposed into `packed[0]`; counts in its first element of `packs` how often that happened
PACKED_GEMM = """
#include <stdint.h>
static int64_t packs = 0;
int64_t packs_so_far(void) { return packs; }
int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    float *C = (float *)tensors[0];
    const float *A = tensors[1], *P = packed[0];
    int64_t I = sizes[0], J = sizes[1], K = sizes[2];
    (void)threads;
    for (int64_t i = 0; i < I; i++)
        for (int64_t j = 0; j < J; j++)
            for (int64_t k = 0; k < K; k++) C[i * J + j] += A[i * K + k] * P[j * K + k];
    return 0;
}
int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed) {
    const float *B = tensors[2];
    float *P = packed[0];
    int64_t J = sizes[1], K = sizes[2];
    packs++;
    for (int64_t j = 0; j < J; j++)
        for (int64_t k = 0; k < K; k++) P[j * K + k] = B[k * J + j];
    return 0;
}
int isamap_check(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    (void)tensors; (void)sizes; (void)packed; (void)threads;
    return 0;
}
const char *isamap_text(int code) { (void)code; return ""; }
int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which) { return which ? -1 : 4 * sizes[1] * sizes[2]; }
"""


@pytest.fixture(scope="module")
def gemm() -> CompiledKernel:
    """f32 GEMM with B packed ahead."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    j, k = sym("j"), sym("k")
    J, K = sym("J"), sym("K")
    buffer = Buffer("P", kernel.tensor("B").dtype, (j, k), (J, K), IndexType("B", (k, j)))
    pack = copy_of(Ref("P", (j, k)), Ref("B", (k, j)), ((j, J), (k, K)), (sp.Lt(k, K),), dtypes=(im.f32, im.f32))
    program = Program(schedule=None, kernel=kernel, ahead=(Alloc(buffer), pack), body=())  # type: ignore[arg-type]
    assert [t.name for t in kernel.tensors] == ["C", "A", "B"]
    return _by_hand(program, PACKED_GEMM, build_library(PACKED_GEMM))


def arrays(rows: int = 4) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(rows)
    a = random.integers(-9, 9, (rows, 3)).astype(np.float32)
    return a, random.integers(-9, 9, (3, 5)).astype(np.float32)


def packs(kernel: CompiledKernel) -> int:
    return int(ctypes.CDLL(str(kernel.library)).packs_so_far())


def test_what_is_constant_is_read_off_the_program(gemm: CompiledKernel) -> None:
    assert constant_tensors(gemm.program) == ("B",)


def test_without_pack_it_is_packed_at_every_call(gemm: CompiledKernel) -> None:
    a, b = arrays()
    before = packs(gemm)
    assert (gemm(a, b) == a @ b).all()
    assert (gemm(a, b) == a @ b).all()
    assert packs(gemm) == before + 2


def test_packed_once_for_many_calls_and_sizes(gemm: CompiledKernel) -> None:
    _, b = arrays()
    before = packs(gemm)
    ready = gemm.pack(B=b)  # I is not known yet, and not needed
    for rows in (1, 4, 9):
        a, _ = arrays(rows)
        assert (ready(a) == a @ b).all()
        assert (ready(A=a, B=b.copy()) == a @ b).all()
    assert packs(gemm) == before + 1


def test_another_constant_is_noticed() -> None:
    a, b = arrays()
    ready = im.compile("gemm", "scalar", constant=["B"]).pack(B=b)
    assert (ready(a, B=b) == a @ b).all()
    b[1, 1] += 1
    with pytest.raises(im.IsamapError, match="gemm: B does not hold what was packed; pack it again"):
        ready(a, B=b)
    with pytest.raises(im.IsamapError, match=r"it is float32\[2, 5\], packed was float32\[3, 5\]"):
        ready(a, B=b[:2])


def test_pack_wants_the_constant_operands(gemm: CompiledKernel) -> None:
    a, _ = arrays()
    with pytest.raises(im.IsamapError, match="constant operands are B; got A"):
        gemm.pack(A=a)


def test_sizes_that_contradict_the_packed_ones(gemm: CompiledKernel) -> None:
    _, b = arrays()
    with pytest.raises(im.IsamapError, match="dimension 1 of A is 7, but K = 3"):
        gemm.pack(B=b)(np.zeros((2, 7), np.float32))
