/* Two loops around the micro-ops, which gemm and alu share: the indices of one step. */
#include "vta_model.h"

uint64_t micro_ops_of(const struct instruction *i) {
    return (uint64_t)i->iter_out * i->iter_in * (i->uop_end - i->uop_begin);
}

/* Step n counts micro-ops first, then iter_in, then iter_out. */
int indices_of(struct vta *v, uint64_t n, struct indices *to) {
    const struct instruction *i = v->now;
    uint32_t length = i->uop_end - i->uop_begin, at = i->uop_begin + (uint32_t)(n % length);
    uint64_t x = n / length % i->iter_in, y = n / length / i->iter_in;
    if (!v->uop_written[at]) return refuse(v, VTA_UNWRITTEN, "micro-op %u is read, and was never written", at);
    uint32_t uop = v->uop[at];
    to->uop = at;
    to->y = y;
    to->x = x;
    to->dst = (uop & 2047) + (uint32_t)(y * i->dst_out + x * i->dst_in);
    to->src = (uop >> 11 & 2047) + (uint32_t)(y * i->src_out + x * i->src_in);
    to->wgt = (uop >> 22) + (uint32_t)(y * i->wgt_out + x * i->wgt_in);
    return VTA_DONE;
}

int check_index(struct vta *v, const struct indices *i, const char *what, uint32_t index, uint32_t memory) {
    if (index < entries_of(memory)) return VTA_DONE;
    return refuse(v, VTA_INDEX, "%s is %u, and %s has %u entries (micro-op %u, iteration %llu, %llu)", what, index,
                  memory_name(memory), entries_of(memory), i->uop, (unsigned long long)i->y, (unsigned long long)i->x);
}
