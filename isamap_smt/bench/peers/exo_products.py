# mypy: ignore-errors
# ruff: noqa: F821, PLE0643, RUF016, SIM300
"""What is computed, in Exo's own language: Exo reads these functions' source, Python never runs them.

So checkers of Python's types and names have no say here. Exo is imported where it is needed, because it may be missing.
"""

from __future__ import annotations

from functools import cache


@cache
def product(rows: int, columns: int, depth: int):
    """C[rows, columns] += A[rows, K] B[K, columns] for any K up to `depth`: what every level of blocking computes."""
    from exo import DRAM, proc

    @proc
    def product(K: size, A: [f32][rows, K] @ DRAM, B: [f32][K, columns] @ DRAM, C: [f32][rows, columns] @ DRAM):
        assert K <= depth
        assert stride(A, 1) == 1
        assert stride(B, 1) == 1
        assert stride(C, 1) == 1
        for i in seq(0, rows):
            for k in seq(0, K):
                for j in seq(0, columns):
                    C[i, j] += A[i, k] * B[k, j]

    return product


@cache
def whole(rows: int, columns: int, depth: int):
    """The same for whole matrices: `void isamap_exo_sgemm(void *, const float *A, const float *B, float *C)`."""
    from exo import DRAM, proc

    @proc
    def isamap_exo_sgemm(A: f32[rows, depth] @ DRAM, B: f32[depth, columns] @ DRAM, C: f32[rows, columns] @ DRAM):
        for i in seq(0, rows):
            for k in seq(0, depth):
                for j in seq(0, columns):
                    C[i, j] += A[i, k] * B[k, j]

    return isamap_exo_sgemm


@cache
def packed_memory():
    """Memory for packed panels: from a cache line on, and not the stack's."""
    from exo.libs.memories import DRAM_STATIC

    class Packed(DRAM_STATIC):
        @classmethod
        def alloc(cls, new_name, prim_type, shape, srcinfo):
            return "_Alignas(64) " + super().alloc(new_name, prim_type, shape, srcinfo)

    return Packed


_FIRST = "_mm256_cmpgt_epi32(_mm256_set1_epi32({n}), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))"


@cache
def first_lanes_avx2():
    """Instructions on the first n of 8 lanes, which Exo has for AVX-512 only.

    Nobody reads the other lanes, so arithmetic need not spare them.
    """
    from exo import DRAM, instr
    from exo.libs.memories import AVX2

    @instr("{dst_data} = _mm256_maskload_ps(&{src_data}, " + _FIRST + ");")
    def load_first(n: size, dst: [f32][8] @ AVX2, src: [f32][n] @ DRAM):
        assert n <= 8
        assert stride(dst, 0) == 1
        assert stride(src, 0) == 1
        for l in seq(0, 8):
            if l < n:
                dst[l] = src[l]

    @instr("_mm256_maskstore_ps(&{dst_data}, " + _FIRST + ", {src_data});")
    def store_first(n: size, dst: [f32][n] @ DRAM, src: [f32][8] @ AVX2):
        assert n <= 8
        assert stride(dst, 0) == 1
        assert stride(src, 0) == 1
        for l in seq(0, 8):
            if l < n:
                dst[l] = src[l]

    @instr("{dst_data} = _mm256_broadcast_ss(&{src_data});")
    def broadcast_first(n: size, dst: [f32][8] @ AVX2, src: [f32][1] @ DRAM):
        assert n <= 8
        assert stride(dst, 0) == 1
        for l in seq(0, 8):
            if l < n:
                dst[l] = src[0]

    @instr("{c_data} = _mm256_fmadd_ps({a_data}, {b_data}, {c_data});")
    def fma_first(n: size, a: [f32][8] @ AVX2, b: [f32][8] @ AVX2, c: [f32][8] @ AVX2):
        assert n <= 8
        assert stride(a, 0) == 1
        assert stride(b, 0) == 1
        assert stride(c, 0) == 1
        for l in seq(0, 8):
            if l < n:
                c[l] += a[l] * b[l]

    return load_first, store_first, broadcast_first, fma_first
