"""What a C file may hold: two to four vectors as one value, shifts by a parameter, halves as quotients or products, and types
that nobody here knows, which leave the other functions readable."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from isamap_encodings import bit_terms as bits
from isamap_smt.isa import check_isa
from isamap_smt.isa.evaluate import FLOATS, evaluate

NEON = """#include <arm_neon.h>
/* isamap: r[e,l] = m[2*l+e]  for l < 4, e < 2; r, m: f32 */
static inline float32x4x2_t apart(const float *m) { return vld2q_f32(m); }
/* isamap: r[e,l] = m[4*e+l]  for l < 4, e < 2; r, m: f32 */
static inline float32x4x2_t wrong(const float *m) { return vld2q_f32(m); }
/* isamap: m[3*l+e] = r[e,l]  for l < 8, e < 3; r, m: u8 */
static inline void put(uint8_t *m, uint8x8x3_t r) { vst3_u8(m, r); }
/* isamap: r[l] = m[4*l] + m[4*l+3]  for l < 4; r, m: f32; rounding: unfused */
static inline float32x4_t ends(const float *m) {
    float32x4x4_t v = vld4q_f32(m);
    float32x4x2_t p = {{v.val[0], v.val[3]}};
    p.val[1] = vaddq_f32(p.val[0], p.val[1]);
    return p.val[1];
}
/* isamap: r[l] = a[0,l] + a[1,l]  for l < 4; r, a: i32 */
static inline int32x4_t behind(const int32x4x2_t *p, int32x4x2_t a) {
    return vaddq_s32(a.val[0], vzipq_s32(a.val[1], a.val[1]).val[0]);
}
/* isamap: r[2*l+e] = m[4*e+l]  for l < 4, e < 2; r, m: i32 */
static inline int32x4x2_t woven(const int32_t *m) { return vzipq_s32(vld1q_s32(m), vld1q_s32_x2(m).val[1]); }
/* isamap: r[l] = a[0,l] + a[1,l]  for l < 4; r, a: i32 */
static inline int32x4_t both(int32x4x2_t a) { return a.val[0] + a.val[1]; }
/* isamap: r[l] = a[l]  for l < 4; r, a: i32 */
static inline int32x4_t sum(int32x4x2_t a) { return a + a; }
/* isamap: r[l] = a[l] + b[l]  for l < 4; r, a, b: f32 */
static inline float32x4_t add(float32x4_t a, float32x4_t b) { return vaddq_f32(a, b); }
/* isamap: r[l] = a[l]  for l < 4; r, a: f32 */
static inline Vec4f unknown(Vec4f a) { return a; }
/* isamap: r[l] = a[l]  for l < 4; r, a: f32 */
static inline float32x4_t of_its_own(struct pair a) { return a.first; }
"""
X86 = """#include <immintrin.h>
/* isamap: r[l] = a[l] >> n  for l < 8; r, a: i32; 0 <= n <= 40 */
static inline __m256i arithmetic(__m256i a, int n) { return _mm256_srai_epi32(a, n); }
/* isamap: r[l] = a[l] >> n  for l < 8; r, a: i32; 0 <= n <= 40 */
static inline __m256i logical(__m256i a, int n) { return _mm256_srli_epi32(a, n); }
/* isamap: r[l] = a[l] >> n  for l < 8; r, a: u32; 0 <= n <= 40 */
static inline __m256i unsigned_(__m256i a, int n) { return _mm256_srli_epi32(a, n); }
/* isamap: r[l] = i8(a[l]) >> n  for l < 8; r, a: i8; 128 <= n <= 130 */
static inline void beyond(int8_t *r, const int8_t *a, int n) { for (int l = 0; l < 8; ++l) r[l] = a[l] >> n; }
/* isamap: r[l] = a[l] / 2  for l < 8; r, a: f32; rounding: unfused */
static inline __m256 half(__m256 a) { return _mm256_mul_ps(a, _mm256_set1_ps(0.5f)); }
/* isamap: r[l] = a[l] * -0.125  for l < 8; r, a: f32; rounding: unfused */
static inline __m256 eighth(__m256 a) { return _mm256_div_ps(a, _mm256_set1_ps(-8.0f)); }
/* isamap: r[l] = a[l] / 3  for l < 8; r, a: f32; rounding: unfused */
static inline __m256 third(__m256 a) { return _mm256_mul_ps(a, _mm256_set1_ps(1 / 3.0f)); }
"""


def verdicts(text: str, file: Path) -> dict[str, tuple[str, str]]:
    file.write_text(text)
    return {f.name: (f.verdict, f.reason) for f in check_isa(str(file)).entries}


def test_several_vectors_are_read_and_one_type_spoils_one_function(tmp_path: Path) -> None:
    found = verdicts(NEON, tmp_path / "neon.h")
    assert {n: v for n, (v, _) in found.items()} == {
        "apart": "proved", "wrong": "refuted", "put": "proved", "ends": "proved", "behind": "unread", "woven": "proved",
        "both": "proved",
        "sum": "unread", "add": "proved", "unknown": "unread", "of_its_own": "unread",
    }  # fmt: skip
    assert "the contract says nothing of the parameter p" in found["behind"][1]
    assert "the contract gives a 128 bits, its C type int32x4x2_t has 256" in found["sum"][1]
    assert found["unknown"][1].endswith("the type Vec4f is not covered")
    assert "the type Struct is not covered" in found["of_its_own"][1]


def test_shifts_by_a_parameter_and_exact_quotients(tmp_path: Path) -> None:
    found = verdicts(X86, tmp_path / "x86.h")
    assert {n: v for n, (v, _) in found.items()} == {
        "arithmetic": "proved", "logical": "refuted", "unsigned_": "proved", "beyond": "unread", "half": "proved",
        "eighth": "proved", "third": "refuted",
    }  # fmt: skip
    assert "n may be 128, which i8 does not hold" in found["beyond"][1]


@pytest.mark.parametrize("width", [16, 32, 64])
def test_a_quotient_by_a_power_of_two_is_the_product(width: int) -> None:
    """As IEEE 754 says, of all numbers of 16 bits, and of odd and random ones of the others; where the inverse is none, nothing is
    changed."""
    dtype, whole = FLOATS[width], np.dtype(f"u{width // 8}")
    fraction = np.finfo(dtype).nmant
    rng = np.random.default_rng(width)
    ends = np.array([0, 1, (1 << fraction) - 1, 1 << fraction, (1 << width - 1) - 1], np.uint64)
    rows = np.arange(1 << 16) if width == 16 else np.concatenate([ends, rng.integers(0, 1 << 63, 4000, np.uint64)])
    x = rows.astype(np.uint64) & np.uint64((1 << width) - 1)
    x = np.concatenate([x, x ^ np.uint64(1 << width - 1)])
    cell, changed = bits.cell("x", width), 0
    exponents = range(1 << width - 1 - fraction) if width < 64 else range(0, 2048, 37)
    for exponent, sign in itertools.product(exponents, (0, 1)):
        divisor = exponent << fraction | sign << width - 1
        term = bits.rounded("fdiv", cell, bits.const(divisor, width))
        changed += term.op != "fdiv"
        said = np.atleast_1d(evaluate([term], {"x": x})[0]).astype(whole)
        with np.errstate(all="ignore"):
            right = x.astype(whole).view(dtype) / np.array(divisor, whole).view(dtype)
        same = (said == right.view(whole)) | (np.isnan(said.view(dtype)) & np.isnan(right))
        assert same.all(), hex(divisor)
    assert changed > len(exponents)
    assert bits.rounded("fdiv", cell, bits.const(3 << fraction - 1 | 1 << width - 3, width)).op == "fdiv"
