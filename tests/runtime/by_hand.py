"""What a library written by hand says that packs and checks nothing."""

from __future__ import annotations

UNPACKED = """
int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed) {
    (void)tensors; (void)sizes; (void)packed;
    return 0;
}
int isamap_check(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads) {
    (void)tensors; (void)sizes; (void)packed; (void)threads;
    return 0;
}
int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which) { (void)sizes; (void)which; return -1; }
"""
