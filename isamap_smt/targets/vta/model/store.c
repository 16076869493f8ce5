/* store: rows of out into main memory. out is a memory of its own, which gemm and alu write along with acc: only what they wrote
   last is there. fsim reads acc instead, so a store counts as a reader of acc, too. */
#include <string.h>
#include "vta_model.h"

int store_row(struct vta *v, uint32_t row) {
    const struct instruction *i = v->now;
    uint64_t to = ((uint64_t)i->dram + (uint64_t)row * i->x_stride) * BLOCK;
    touch_dram(v, to, (uint64_t)i->x_size * BLOCK, 1);
    for (uint32_t x = 0; x < i->x_size; x++) {
        uint32_t index = i->sram + row * i->x_size + x;
        touch(v, v->acc_cells + index, 0, "out's entry", index);
        uint8_t written = v->acc_written[index];
        if (written == NEVER) return refuse(v, VTA_UNWRITTEN, "entry %u of out is read, and was never written", index);
        if (written != COMPUTED)
            return refuse(v, VTA_STALE, "entry %u was %s last, which fsim stores and hardware does not; let alu write it", index,
                          written == LOADED ? "loaded into acc" : "reset");
        memcpy(v->dram + to + (uint64_t)x * BLOCK, v->out[index], BLOCK);
    }
    return VTA_DONE;
}
