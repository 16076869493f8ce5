/* Wrapping, shifting and cutting. */
#include "vta_model.h"

/* Modulo 2^32, in two's complement. */
int32_t wrapped(int64_t value) {
    int64_t rest = (int64_t)((uint64_t)value & 0xffffffff);
    return (int32_t)(rest >= ((int64_t)1 << 31) ? rest - ((int64_t)1 << 32) : rest);
}

/* The largest integer that is at most value / 2^shift. shift < 32. */
int32_t shifted(int32_t value, uint32_t shift) {
    int64_t unit = (int64_t)1 << shift, rest = ((int64_t)value % unit + unit) % unit;
    return (int32_t)((value - rest) / unit);
}

/* Bits 7..0 as a signed number; nothing saturates. */
int8_t low_byte(int32_t value) { return (int8_t)((int32_t)(((uint32_t)value & 255) ^ 128) - 128); }

int32_t little_endian(const uint8_t *bytes) {
    return wrapped((int64_t)bytes[0] | (int64_t)bytes[1] << 8 | (int64_t)bytes[2] << 16 | (int64_t)bytes[3] << 24);
}
