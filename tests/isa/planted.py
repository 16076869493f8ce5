"""C with one fault each, beside the right one, under one contract."""

from __future__ import annotations

from dataclasses import dataclass

X86, NEON = "immintrin.h", "arm_neon.h"
F8 = "l < 8; r, a, b: f32"


@dataclass(frozen=True)
class Fault:
    """name: what is wrong. contract, signature, right and wrong bodies; reason: words of the refutation."""

    name: str
    contract: str
    signature: str
    right: str
    wrong: str
    reason: str = "is another value"
    header: str = X86

    def text(self, number: int) -> str:
        """Both functions, with their contracts."""
        lines = []
        for name, body in (("right", self.right), ("wrong", self.wrong)):
            signature = self.signature.format(f"{name}_{number}")
            lines += [f"/* isamap: {self.contract} */", f"static inline {signature} {{ {body} }}"]
        return "\n".join(lines) + "\n"


TWO = "__m256 {}(__m256 a, __m256 b)"
MASK = "_mm256_cmpgt_epi32(_mm256_set1_epi32(n{}), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))"
PART = "dst[l] = src[l] where l < n for l < 8; dst, src: f32; 0 <= n <= 8"
STORE = "void {}(float *dst, __m256 src, int n)"
PUT = "_mm256_maskstore_ps(dst, {}, src);"
DOT = "acc[l] += i32(a[l,e]) * i32(b[l,e]) for l < 8, e < 4; acc: i32; a: u8; b: i8"
BYTES = "__m256i {}(__m256i acc, __m256i a, __m256i b)"
EVEN_ODD = (
    "__m256i even = _mm256_madd_epi16(_mm256_and_si256(a, _mm256_set1_epi16(255)), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));"
    "__m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8));"
    "return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));"
)
HALVES = "__m128 v = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, {}));"
REST = (
    "v = _mm_add_ps(v, _mm_movehl_ps(v, v)); v = _mm_add_ss(v, _mm_shuffle_ps(v, v, _MM_SHUFFLE(1, 1, 1, {})));"
    "return s + _mm_cvtss_f32(v);"
)
WORDS = "l < 16; r, a, b: u16"
TWO_WORDS = "__m256i {}(__m256i a, __m256i b)"
FMA = "__m256 {}(__m256 a, __m256 b, __m256 c)"
Q = "float32x4_t {}(float32x4_t c, float32x4_t a, float32x4_t b)"

FAULTS = (
    Fault("another operation", f"r[l] = a[l] + b[l] for {F8}", TWO, "return _mm256_add_ps(a, b);", "return _mm256_sub_ps(a, b);"),
    Fault("operands of a difference", f"r[l] = a[l] - b[l] for {F8}", TWO,
          "return _mm256_sub_ps(a, b);", "return _mm256_sub_ps(b, a);"),
    Fault("operands of fmadd", "c[l] += a[l] * b[l] for l < 8; a, b, c: f32", FMA,
          "return _mm256_fmadd_ps(b, a, c);", "return _mm256_fmadd_ps(c, a, b);"),
    Fault("sign of the product", "c[l] += a[l] * b[l] for l < 8; a, b, c: f32", FMA,
          "return _mm256_add_ps(_mm256_mul_ps(a, b), c);", "return _mm256_fnmadd_ps(a, b, c);"),
    Fault("rounded once, not twice", "c[l] += a[l] * b[l] for l < 8; a, b, c: f32; rounding: unfused", FMA,
          "return _mm256_add_ps(c, _mm256_mul_ps(a, b));", "return _mm256_fmadd_ps(a, b, c);"),
    Fault("lanes by halves", "r[l] = a[(l+4)%8] for l < 8; r, a: f32", "__m256 {}(__m256 a)",
          "return _mm256_permute2f128_ps(a, a, 1);", "return _mm256_permute2f128_ps(a, a, 0);"),
    Fault("one lane too many", PART, STORE, PUT.format(MASK.format("")), PUT.format(MASK.format(" + 1"))),
    Fault("a mask of bytes", PART, STORE, PUT.format(MASK.format("")), PUT.format("_mm256_set1_epi8((1 << n) - 1)")),
    Fault("reads beyond", "r[l] = p[l] for l < 4; r, p: f32", "__m128 {}(const float *p)",
          "return _mm_loadu_ps(p);", "return _mm256_castps256_ps128(_mm256_loadu_ps(p));", "reads p[4]"),
    Fault("writes beyond", "p[l] = a[l] for l < 4; p, a: f32", "void {}(float *p, __m128 a)",
          "_mm_storeu_ps(p, a);", "_mm_storeu_ps(p, a); p[4] = 0.0f;", "writes p[4]"),
    Fault("asks for alignment", "r[l] = p[l] for l < 8; r, p: f32", "__m256 {}(const float *p)",
          "return _mm256_loadu_ps(p);", "return _mm256_load_ps(p);", "at a multiple of 32 bytes"),
    Fault("saturates", f"r[l] = a[l] + b[l] for {WORDS}", TWO_WORDS,
          "return _mm256_add_epi16(a, b);", "return _mm256_adds_epu16(a, b);"),
    Fault("signed for unsigned", f"r[l] = max(a[l], b[l]) for {WORDS}", TWO_WORDS,
          "return _mm256_max_epu16(a, b);", "return _mm256_max_epi16(a, b);"),
    Fault("saturates in between", DOT, BYTES, EVEN_ODD,
          "return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));"),
    Fault("which of a NaN", f"r[l] = select(b[l] < a[l], a[l], b[l]) for {F8}", TWO,
          "return _mm256_max_ps(a, b);", "return _mm256_max_ps(b, a);"),
    Fault("sign of zero", "r[l] = -a[l] for l < 8; r, a: f32", "__m256 {}(__m256 a)",
          "return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f));", "return _mm256_sub_ps(_mm256_setzero_ps(), a);"),
    Fault("lanes that are never set", "r[l] = a[l%4] for l < 8; r: f32; a: f32[4]", "__m256 {}(__m128 a)",
          "return _mm256_insertf128_ps(_mm256_castps128_ps256(a), a, 1);", "return _mm256_castps128_ps256(a);", "never set"),
    Fault("half of a sum", "s[] += x[l] for l < 8; s, x: f32", "float {}(float s, __m256 x)",
          HALVES.format(1) + REST.format(1), HALVES.format(0) + REST.format(1)),
    Fault("a lane of a sum twice", "s[] += x[l] for l < 8; s, x: f32", "float {}(float s, __m256 x)",
          HALVES.format(1) + REST.format(1), HALVES.format(1) + REST.format(0)),
    Fault("another element type", f"r[l] = a[l] * b[l] for {F8}", TWO,
          "return _mm256_mul_ps(a, b);", "return _mm256_mul_pd(a, b);", "no C: __m256 is given"),
    Fault("shifted too far", "r[] = a[] where n < 40; r, a: i32; 0 <= n <= 32", "void {}(int *r, const int *a, int n)",
          "*r = *a;", "int k = 1 << n; *r = *a; (void)k;", "undefined in C"),
    Fault("arithmetic for logical shift", "r[l] = a[l] * 1 for l < 8; r: u16; a: u16", "__m128i {}(__m128i a)",
          "return _mm_srli_epi16(_mm_slli_epi16(a, 0), 0);", "return _mm_srai_epi16(_mm_slli_epi16(a, 1), 1);"),
    Fault("upper for lower half", "r[l] = a[l] for l < 4; r: f64; a: f32[8]", "__m256d {}(__m256 a)",
          "return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 0));", "return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));"),
    Fault("overflow of int", "r[] = a[] + b[]; r, a, b: i32", "int {}(int a, int b)",
          "return (int)((unsigned)a + (unsigned)b);", "return a + b;", "overflows"),
    Fault("an input is changed", "q[l] = p[l] for l < 8; q, p: f32", "void {}(float *q, float *p)",
          "_mm256_storeu_ps(q, _mm256_loadu_ps(p));",
          "_mm256_storeu_ps(q, _mm256_loadu_ps(p)); _mm256_storeu_ps(p, _mm256_setzero_ps());", "p[0] is another value"),
    Fault("nothing is stored", "q[l] = p[l] for l < 8; q, p: f32", "void {}(float *q, const float *p)",
          "_mm256_storeu_ps(q, _mm256_loadu_ps(p));", "__m256 v = _mm256_loadu_ps(p); (void)v;", "q[0] is another value"),
    Fault("an order that is fixed", "s[] += x[l] ordered for l < 4; s, x: f32", "float {}(float s, __m128 x)",
          "float v[4]; _mm_storeu_ps(v, x); for (int l = 0; l < 4; ++l) s += v[l]; return s;",
          "x = _mm_hadd_ps(x, x); x = _mm_hadd_ps(x, x); return s + _mm_cvtss_f32(x);"),
    Fault("a NaN that is lost, on Arm", "r[l] = max(a[l], b[l]) for l < 4; r, a, b: f32",
          "float32x4_t {}(float32x4_t a, float32x4_t b)",
          "return vmaxq_f32(a, b);", "return vbslq_f32(vcgtq_f32(a, b), a, b);", header=NEON),
    Fault("minus on Arm", "c[l] += a[l] * b[l] for l < 4; a, b, c: f32", Q,
          "return vmlaq_f32(c, a, b);", "return vmlsq_f32(c, a, b);", header=NEON),
    Fault("another lane on Arm", "c[l] += a[l] * b[1] for l < 4; a, b, c: f32[4]", Q,
          "return vfmaq_laneq_f32(c, a, b, 1);", "return vfmaq_laneq_f32(c, a, b, 2);", header=NEON),
    Fault("no such lane on Arm", "c[l] += a[l] * b[1] for l < 4; a, b, c: f32[4]", Q,
          "return vfmaq_laneq_f32(c, a, b, 1);", "return vfmaq_laneq_f32(c, a, b, 4);", "from 0 to 3", NEON),
)  # fmt: skip
