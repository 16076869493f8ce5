/* Scaling, shifting and saturating. A float is its 32 bits; no arithmetic of the CPU on floats is used. */
#include "gemmini_model.h"

static uint32_t bits_of(uint64_t value) {
    uint32_t n = 0;
    while (value >> n && n < 64) n++;
    return n;
}

/* value / 2^shift to the nearest integer, ties to the even one. value < 2^62. */
uint64_t nearest_even(uint64_t value, uint32_t shift) {
    if (shift == 0) return value;
    if (shift > 62) return 0;
    uint64_t low = value >> shift, rest = value & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
    return low + (rest > half || (rest == half && (low & 1)));
}

/* Keep the 24 significant bits that a float has. */
static uint64_t to_24_bits(uint64_t value, int32_t *exponent) {
    uint32_t bits = bits_of(value);
    if (bits <= 24) return value;
    *exponent += (int32_t)(bits - 24);
    return nearest_even(value, bits - 24);
}

int scale_is_finite(uint32_t scale) { return (scale >> 23 & 255) != 255; }

/* sat8(rne(f32(value) * scale)): the integer becomes a float, the product a float, then an integer, each to the nearest, ties to
   even. scale: bits of a finite float. Returns 1 where the product is 2^63 or more: then C's conversion has no value.
   Products too small for a normal float are all rounded to 0. */
int scaled(int32_t value, uint32_t scale, int8_t *result) {
    uint32_t fraction = scale & 0x7fffff, field = scale >> 23 & 255;
    int32_t exponent = field ? (int32_t)field - 150 : -149;
    uint64_t factor = field ? fraction | 0x800000 : fraction;
    int negative = (value < 0) != (int)(scale >> 31);
    uint64_t size = to_24_bits((uint64_t)(value < 0 ? -(int64_t)value : value), &exponent);
    uint64_t product = to_24_bits(size * factor, &exponent);
    *result = 0;
    if (product == 0) return 0;
    if ((int32_t)bits_of(product) + exponent > 63) return 1;
    uint64_t whole = exponent >= 0 ? product << exponent : nearest_even(product, (uint32_t)-exponent);
    *result = saturated(negative ? -(int64_t)whole : (int64_t)whole);
    return 0;
}

/* value / 2^shift to the nearest integer, ties to the even one. shift < 32. */
int32_t shifted(int32_t value, uint32_t shift) {
    if (shift == 0) return value;
    int64_t unit = (int64_t)1 << shift, rest = ((int64_t)value % unit + unit) % unit, low = (value - rest) / unit;
    return (int32_t)(low + (2 * rest > unit || (2 * rest == unit && low % 2 != 0)));
}

int8_t saturated(int64_t value) { return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value); }

/* Modulo 2^bits, in two's complement. bits: at most 32. */
int32_t wrapped(int64_t value, uint32_t bits) {
    int64_t span = (int64_t)1 << bits, rest = (value % span + span) % span;
    return (int32_t)(rest >= span / 2 ? rest - span : rest);
}
