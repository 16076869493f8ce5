"""The C that Exo's Gemmini table calls, as functions on isamap's own, with the names and order of gemmini.h (gemmini-rocc-tests).

A scale is a float and becomes its 32 bits; columns stand before rows; blocks of 16 columns lie 16 rows apart where nothing is said.
"""

from __future__ import annotations

MACROS = """\
enum { WS = 1, OS = 0 };
static inline uint32_t gemmini_bits(float scale) {
    union { float number; uint32_t word; } bits = {scale}; /* no memcpy: a program for the bare machine has no C library */
    return bits.word;
}
static inline void gemmini_extended4_config_ld(uint64_t stride, float scale, int shrunk, uint32_t block_stride, uint32_t which) {
    gemmini_config_ld(which, stride, gemmini_bits(scale), shrunk, block_stride);
}
static inline void gemmini_extended3_config_ld(uint64_t stride, float scale, int shrunk, uint32_t which) {
    gemmini_extended4_config_ld(stride, scale, shrunk, 16, which);
}
static inline void gemmini_extended_config_st(uint64_t stride, int relu, float scale) {
    gemmini_config_st((uint32_t)stride, gemmini_bits(scale), relu);
}
static inline void gemmini_extended_config_ex(int dataflow, int relu, uint32_t shift, uint64_t a_stride, int a_t, int b_t) {
    uint64_t fields = (uint64_t)dataflow << 2 | (uint64_t)relu << 3 | (uint64_t)a_t << 8 | (uint64_t)b_t << 9;
    GEMMINI_ISSUE(0, fields | a_stride << 16 | (uint64_t)GEMMINI_ONE << 32, UINT64_C(1) << 48 | shift);
}
static inline uint64_t gemmini_part(uint64_t local, int64_t rows, int64_t columns) {
    return gemmini_block((uint32_t)local, (uint32_t)rows, (uint32_t)columns);
}
#define gemmini_extended_mvin(from, local, columns, rows) \\
    gemmini_mvin((const void *)(uintptr_t)(from), gemmini_part((uint64_t)(local), (rows), (columns)))
#define gemmini_extended_mvin2(from, local, columns, rows) \\
    gemmini_mvin2((const void *)(uintptr_t)(from), gemmini_part((uint64_t)(local), (rows), (columns)))
#define gemmini_extended_mvin3(from, local, columns, rows) \\
    gemmini_mvin3((const void *)(uintptr_t)(from), gemmini_part((uint64_t)(local), (rows), (columns)))
#define gemmini_extended_mvout(to, local, columns, rows) \\
    gemmini_mvout((void *)(uintptr_t)(to), gemmini_part((uint64_t)(local), (rows), (columns)))
#define gemmini_extended_preload(bd, c, bd_columns, bd_rows, c_columns, c_rows) \\
    gemmini_preload(gemmini_part((bd), (bd_rows), (bd_columns)), \\
                    gemmini_part((c), (c_rows), (c_columns)))
#define gemmini_extended_compute_preloaded(a, bd, a_columns, a_rows, bd_columns, bd_rows) \\
    gemmini_compute_preloaded(gemmini_part((a), (a_rows), (a_columns)), \\
                              gemmini_part((bd), (bd_rows), (bd_columns)))
"""
