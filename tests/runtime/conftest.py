"""A kernel with its C written by hand: these tests are about calling it, not about making it."""

from __future__ import annotations

from typing import Any, cast

import pytest

import isamap_smt as im
from isamap_smt.ir.program import Program
from isamap_smt.runtime import CompiledKernel, build_library
from isamap_smt.runtime.compiled import _by_hand

GEMM = """
#include <stdint.h>
int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    const float *C_ = tensors[TENSOR_C], *A = tensors[TENSOR_A], *B = tensors[TENSOR_B];
    float *C = (float *)C_;
    int64_t I = sizes[0], J = sizes[1], K = sizes[2];
    (void)packed; (void)threads;
    if (I == 13) return 1;
    if (I == 17) return 2;
    if (I == 19) return 3;
    for (int64_t i = 0; i < I; i++)
        for (int64_t j = 0; j < J; j++)
            for (int64_t k = 0; k < K; k++) C[i * J + j] += A[i * K + k] * B[k * J + j];
    return 0;
}
int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed) {
    (void)tensors; (void)sizes; (void)packed;
    return 0;
}
int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which) { (void)sizes; (void)which; return -1; }
"""


def program_of(kernel: Any, **fields: Any) -> Program:
    """A program that says only what is asked of it when it is called: no nodes, no schedule."""
    return Program(schedule=cast(Any, None), kernel=kernel, ahead=fields.pop("ahead", ()), body=(), **fields)


def with_places(kernel: Any, source: str) -> str:
    """The C with TENSOR_x replaced by the position of x among the kernel's tensors."""
    for n, t in enumerate(kernel.tensors):
        source = source.replace(f"TENSOR_{t.name}", str(n))
    return source


@pytest.fixture(scope="session")
def gemm() -> CompiledKernel:
    """f32 GEMM with symbolic sizes; B is assumed finite. I = 13, 17, 19 make its entry check fail."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    source = with_places(kernel, GEMM)
    program = program_of(kernel, assumptions=("B is finite",))
    return _by_hand(program, source, build_library(source), messages={3: "I is nineteen"})
