/* load: rows of main memory, with zeros around them, into uop, wgt, inp or acc. */
#include <string.h>
#include "vta_model.h"

/* Of the destination, pads among them; for a store, of both sides. */
uint64_t rows_of(const struct instruction *i) {
    return i->x_size ? (uint64_t)i->y_pad_0 + i->y_size + i->y_pad_1 : 0;
}

/* One entry from its bytes in main memory. */
static void put(struct vta *v, uint32_t memory, uint32_t index, const uint8_t *from) {
    if (memory == UOP) {
        v->uop[index] = (uint32_t)little_endian(from);
        v->uop_written[index] = 1;
    } else if (memory == WGT) {
        touch(v, v->wgt_cells + index, 1, "wgt's entry", index);
        memcpy(v->wgt[index], from, sizeof v->wgt[index]);
        v->wgt_written[index] = 1;
    } else if (memory == INP) {
        touch(v, v->inp_cells + index, 1, "inp's entry", index);
        memcpy(v->inp[index], from, sizeof v->inp[index]);
        v->inp_written[index] = 1;
    } else {
        touch(v, v->acc_cells + index, 1, "acc's entry", index);
        for (int lane = 0; lane < BLOCK; lane++) v->acc[index][lane] = little_endian(from + 4 * lane);
        v->acc_written[index] = LOADED;
    }
}

int load_row(struct vta *v, uint32_t row) {
    static const uint8_t zeros[BLOCK * BLOCK];
    const struct instruction *i = v->now;
    uint32_t width = i->x_pad_0 + i->x_size + i->x_pad_1, to = i->sram + row * width, size = bytes_of(i->memory);
    int inside = row >= i->y_pad_0 && row - i->y_pad_0 < i->y_size;
    uint64_t from = inside ? ((uint64_t)i->dram + (uint64_t)(row - i->y_pad_0) * i->x_stride) * size : 0;
    if (inside) touch_dram(v, from, (uint64_t)i->x_size * size, 0);
    for (uint32_t x = 0; x < width; x++) {
        int pad = !inside || x < i->x_pad_0 || x - i->x_pad_0 >= i->x_size;
        put(v, i->memory, to + x, pad ? zeros : v->dram + from + (uint64_t)(x - i->x_pad_0) * size);
    }
    return VTA_DONE;
}
