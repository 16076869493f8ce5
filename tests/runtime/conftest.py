"""A kernel with its C written by hand: these tests are about calling it, not about making it."""

from __future__ import annotations

from typing import Any, cast

import pytest

import isamap_smt as im
from isamap_smt.ir.program import Program
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel, _by_hand
from tests.runtime.by_hand import UNPACKED

GEMM = """
#include <stdint.h>
int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    const float *C_ = tensors[TENSOR_C], *A = tensors[TENSOR_A], *B = tensors[TENSOR_B];
    float *C = (float *)C_;
    int64_t I = sizes[0], J = sizes[1], K = sizes[2];
    (void)packed; (void)threads;
    if (I == 13) return 1;
    if (I == 17) return 1004;
    if (I == 19) return 2019;
    for (int64_t i = 0; i < I; i++)
        for (int64_t j = 0; j < J; j++)
            for (int64_t k = 0; k < K; k++) C[i * J + j] += A[i * K + k] * B[k * J + j];
    return 0;
}
const char *isamap_text(int code) { return code == 1004 ? "I is seventeen" : "I is nineteen"; }
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
    """f32 GEMM with symbolic sizes. I = 13, 17, 19 make it return codes."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    source = with_places(kernel, GEMM + UNPACKED)
    return _by_hand(program_of(kernel), source, build_library(source))
