/* mvout: rows of the scratchpad or the accumulator into main memory. */
#include "gemmini_model.h"

static int check_store(struct gemmini *g, const struct operand *from) {
    const struct store_config *store = &g->store;
    if (!store->set) return refuse(g, GEMMINI_CONFIG, "config_st was never executed");
    int why = check_address(g, from, "the source");
    if (why) return why;
    why = check_shape(g, from, from->full ? DIM : MAX_COLUMNS, "the block");
    if (why) return why;
    if (from->accumulator && !from->full) {
        if (!scale_is_finite(store->scale)) return refuse(g, GEMMINI_SCALE, "the scale is no finite number");
        if (store->relu && store->scale >> 31)
            return refuse(g, GEMMINI_SCALE, "the scale is negative with ReLU, which Spike applies after it and the RTL before it");
    }
    return GEMMINI_DONE;
}

/* One cell as the bytes that are stored: 4 of a full accumulator row, else 1. */
static int take(struct gemmini *g, const struct operand *from, uint32_t row, uint32_t column, uint8_t *to) {
    int8_t small = 0;
    int32_t value = 0;
    if (!from->accumulator) {
        int why = read_spad(g, row, column, &small);
        *to = (uint8_t)small;
        return why;
    }
    int why = read_acc(g, row, column, &value);
    if (why) return why;
    if (from->full) {
        for (uint32_t n = 0; n < 4; n++) to[n] = (uint8_t)((uint32_t)value >> 8 * n);
        return GEMMINI_DONE;
    }
    if (scaled(value, g->store.scale, &small)) return refuse(g, GEMMINI_SCALE, "%d times the scale is 2^63 or more", value);
    *to = (uint8_t)(g->store.relu && small < 0 ? 0 : small);
    return GEMMINI_DONE;
}

int mvout(struct gemmini *g, uint64_t address, uint64_t local) {
    struct operand from = operand_of(local);
    int why = check_store(g, &from);
    if (why) return why;
    uint32_t size = from.accumulator && from.full ? 4 : 1;
    for (uint32_t r = 0; r < from.rows; r++) {
        uint8_t bytes[MAX_COLUMNS] = {0};
        uint64_t to = address + (uint64_t)r * g->store.stride;
        for (uint32_t c = 0; c < from.columns; c++) {
            why = take(g, &from, from.row + c / DIM * DIM + r, c % DIM, bytes + c * size);
            if (why) return why;
        }
        if (g->write(g->memory, to, bytes, from.columns * size))
            return refuse(g, GEMMINI_MEMORY, "no main memory for the %u bytes at 0x%llx, to which row %u is written",
                          from.columns * size, (unsigned long long)to, r);
    }
    return GEMMINI_DONE;
}
