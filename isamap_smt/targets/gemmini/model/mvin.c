/* mvin, mvin2, mvin3: rows of main memory into the scratchpad or the accumulator. */
#include "gemmini_model.h"

static int32_t little_endian(const uint8_t *bytes) {
    return wrapped((int64_t)bytes[0] | (int64_t)bytes[1] << 8 | (int64_t)bytes[2] << 16 | (int64_t)bytes[3] << 24, 32);
}

static int check_load(struct gemmini *g, const struct load_config *load, const struct operand *to, int bytewise) {
    if (!load->set) return refuse(g, GEMMINI_CONFIG, "config_ld was never executed for it");
    int why = check_address(g, to, "the destination");
    if (why) return why;
    why = check_shape(g, to, bytewise ? MAX_COLUMNS : DIM, "the block");
    if (why) return why;
    if (load->block_stride < to->rows)
        return refuse(g, GEMMINI_CONFIG, "blocks lie %u rows apart and have %u rows", load->block_stride, to->rows);
    if (bytewise && !scale_is_finite(load->scale)) return refuse(g, GEMMINI_SCALE, "the scale is no finite number");
    if (bytewise && load->scale == 0)
        return refuse(g, GEMMINI_SCALE, "the scale is 0, which later versions of the Spike model take for 1");
    return GEMMINI_DONE;
}

/* One number into its cell: bytes are scaled, the accumulator's own numbers are not. */
static int put(struct gemmini *g, const struct load_config *load, const struct operand *to, int bytewise, const uint8_t *from,
               uint32_t row, uint32_t column) {
    int8_t small = 0;
    int32_t value = bytewise ? (from[0] ^ 128) - 128 : little_endian(from);
    if (bytewise && scaled(value, load->scale, &small))
        return refuse(g, GEMMINI_SCALE, "%d times the scale is 2^63 or more", value);
    uint32_t where = to->row + row + column / DIM * load->block_stride;
    if (!to->accumulator) return write_spad(g, where, column % DIM, small);
    return write_acc(g, where, column % DIM, bytewise ? small : value, to->accumulate);
}

int mvin(struct gemmini *g, const struct load_config *load, uint64_t address, uint64_t local) {
    struct operand to = operand_of(local);
    int bytewise = !to.accumulator || load->shrunk;
    int why = check_load(g, load, &to, bytewise);
    if (why) return why;
    uint32_t size = bytewise ? 1 : 4;
    for (uint32_t r = 0; r < to.rows; r++) {
        uint8_t bytes[MAX_COLUMNS] = {0};
        uint64_t from = address + r * load->stride;
        if (address && g->read(g->memory, from, bytes, to.columns * size))
            return refuse(g, GEMMINI_MEMORY, "no main memory for the %u bytes at 0x%llx, from which row %u is read",
                          to.columns * size, (unsigned long long)from, r);
        for (uint32_t c = 0; c < to.columns; c++) {
            why = put(g, load, &to, bytewise, bytes + c * size, r, c);
            if (why) return why;
        }
    }
    return GEMMINI_DONE;
}
