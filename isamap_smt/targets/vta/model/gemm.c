/* gemm: acc[dst] += inp[src] * wgt[wgt], a vector times a block; or, with reset, acc[dst] = 0. */
#include "vta_model.h"

static void reset(struct vta *v, uint32_t dst) {
    touch(v, v->acc_cells + dst, 1, "acc's entry", dst);
    for (int lane = 0; lane < BLOCK; lane++) v->acc[dst][lane] = 0;
    v->acc_written[dst] = RESET;
}

/* wgt has a row for each number that comes out. */
static void multiply(struct vta *v, const struct indices *i) {
    touch(v, v->inp_cells + i->src, 0, "inp's entry", i->src);
    touch(v, v->wgt_cells + i->wgt, 0, "wgt's entry", i->wgt);
    touch(v, v->acc_cells + i->dst, 1, "acc's entry", i->dst);
    for (int o = 0; o < BLOCK; o++) {
        int64_t sum = v->acc[i->dst][o];
        for (int k = 0; k < BLOCK; k++) sum += (int32_t)v->inp[i->src][k] * v->wgt[i->wgt][o][k];
        v->acc[i->dst][o] = wrapped(sum);
        v->out[i->dst][o] = low_byte(v->acc[i->dst][o]);
    }
    v->acc_written[i->dst] = COMPUTED;
}

static int check_written(struct vta *v, const struct indices *i) {
    if (!v->inp_written[i->src]) return refuse(v, VTA_UNWRITTEN, "entry %u of inp is read, and was never written", i->src);
    if (!v->wgt_written[i->wgt]) return refuse(v, VTA_UNWRITTEN, "entry %u of wgt is read, and was never written", i->wgt);
    if (v->acc_written[i->dst] == NEVER)
        return refuse(v, VTA_UNWRITTEN, "entry %u of acc is read, and was never written; gemm with reset clears it", i->dst);
    return VTA_DONE;
}

int gemm_step(struct vta *v, uint64_t n) {
    struct indices i;
    int why = indices_of(v, n, &i);
    if (!why) why = check_index(v, &i, "dst", i.dst, ACC);
    if (why) return why;
    if (v->now->reset) {
        reset(v, i.dst);
        return VTA_DONE;
    }
    why = check_index(v, &i, "src", i.src, INP);
    if (!why) why = check_index(v, &i, "wgt", i.wgt, WGT);
    if (!why) why = check_written(v, &i);
    if (why) return why;
    v->report->hazards += n > 0 && i.dst == v->last_dst;
    v->last_dst = i.dst;
    multiply(v, &i);
    return VTA_DONE;
}
