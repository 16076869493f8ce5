/* alu: acc[dst] = op(acc[dst], acc[src]), or with an immediate instead of acc[src], lane by lane. */
#include "vta_model.h"

static int32_t result(uint32_t op, int32_t a, int32_t b) {
    switch (op) {
    case ALU_MIN: return a < b ? a : b;
    case ALU_MAX: return a < b ? b : a;
    case ALU_ADD: return wrapped((int64_t)a + b);
    default: return shifted(a, (uint32_t)b);
    }
}

static int check_operands(struct vta *v, const struct indices *i) {
    const char *unwritten = "entry %u of acc is read, and was never written";
    if (v->acc_written[i->dst] == NEVER) return refuse(v, VTA_UNWRITTEN, unwritten, i->dst);
    if (v->now->use_imm) return VTA_DONE;
    if (v->acc_written[i->src] == NEVER) return refuse(v, VTA_UNWRITTEN, unwritten, i->src);
    for (int lane = 0; v->now->op == ALU_SHR && lane < BLOCK; lane++)
        if (v->acc[i->src][lane] < 0 || v->acc[i->src][lane] > 15)
            return refuse(v, VTA_SHIFT, "lane %d of entry %u shifts by %d, and the sources agree on 0 to 15 alone", lane, i->src,
                          v->acc[i->src][lane]);
    return VTA_DONE;
}

int alu_step(struct vta *v, uint64_t n) {
    struct indices i;
    const struct instruction *now = v->now;
    int why = indices_of(v, n, &i);
    if (!why) why = check_index(v, &i, "dst", i.dst, ACC);
    if (!why) why = check_index(v, &i, "src", i.src, ACC);
    if (!why) why = check_operands(v, &i);
    if (why) return why;
    v->report->hazards += n > 0 && (i.dst == v->last_dst || (!now->use_imm && i.src == v->last_dst));
    v->last_dst = i.dst;
    if (!now->use_imm) touch(v, v->acc_cells + i.src, 0, "acc's entry", i.src);
    touch(v, v->acc_cells + i.dst, 1, "acc's entry", i.dst);
    for (int lane = 0; lane < BLOCK; lane++) {
        int32_t b = now->use_imm ? now->imm : v->acc[i.src][lane];
        v->acc[i.dst][lane] = result(now->op, v->acc[i.dst][lane], b);
        v->out[i.dst][lane] = low_byte(v->acc[i.dst][lane]);
    }
    v->acc_written[i.dst] = COMPUTED;
    return VTA_DONE;
}
