/* The fields of an instruction: 128 bits, little endian, none across bit 64. */
#include "vta_model.h"

struct halves {
    uint64_t low, high;
};

/* width bits of the 128 from bit `from` on. */
static uint32_t field(struct halves h, uint32_t from, uint32_t width) {
    uint64_t half = from < 64 ? h.low : h.high;
    return (uint32_t)(half >> from % 64 & (((uint64_t)1 << width) - 1));
}

static uint64_t half_of(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int n = 7; n >= 0; n--) value = value << 8 | bytes[n];
    return value;
}

static void decode_transfer(struct halves h, struct instruction *to) {
    to->memory = field(h, 7, 3);
    to->sram = field(h, 10, 16);
    to->dram = field(h, 26, 32);
    to->unused = field(h, 58, 6);
    to->y_size = field(h, 64, 16);
    to->x_size = field(h, 80, 16);
    to->x_stride = field(h, 96, 16);
    to->y_pad_0 = field(h, 112, 4);
    to->y_pad_1 = field(h, 116, 4);
    to->x_pad_0 = field(h, 120, 4);
    to->x_pad_1 = field(h, 124, 4);
}

/* What gemm and alu have in common. */
static void decode_loops(struct halves h, struct instruction *to) {
    to->reset = field(h, 7, 1);
    to->uop_begin = field(h, 8, 13);
    to->uop_end = field(h, 21, 14);
    to->iter_out = field(h, 35, 14);
    to->iter_in = field(h, 49, 14);
    to->unused = field(h, 63, 1);
    to->dst_out = field(h, 64, 11);
    to->dst_in = field(h, 75, 11);
    to->src_out = field(h, 86, 11);
    to->src_in = field(h, 97, 11);
}

static void decode_alu(struct halves h, struct instruction *to) {
    decode_loops(h, to);
    to->op = field(h, 108, 3);
    to->use_imm = field(h, 111, 1);
    to->imm = (int32_t)(field(h, 112, 16) ^ 0x8000) - 0x8000;
}

static enum engine engine_of(const struct instruction *i) {
    if (i->opcode == OP_STORE) return STORE;
    return i->opcode == OP_LOAD && (i->memory == INP || i->memory == WGT) ? LOAD : COMPUTE;
}

void decode(const uint8_t *bytes, struct instruction *to) {
    struct halves h = {half_of(bytes), half_of(bytes + 8)};
    struct instruction new = {
        .opcode = field(h, 0, 3),
        .pop_prev = field(h, 3, 1),
        .pop_next = field(h, 4, 1),
        .push_prev = field(h, 5, 1),
        .push_next = field(h, 6, 1),
    };
    if (new.opcode == OP_LOAD || new.opcode == OP_STORE) decode_transfer(h, &new);
    if (new.opcode == OP_GEMM) {
        decode_loops(h, &new);
        new.wgt_out = field(h, 108, 10);
        new.wgt_in = field(h, 118, 10);
    }
    if (new.opcode == OP_ALU) decode_alu(h, &new);
    if (new.opcode == OP_FINISH) new.unused = h.low >> 7 != 0 || h.high != 0;
    new.engine = engine_of(&new);
    *to = new;
}

const char *name_of(const struct instruction *i) {
    static const char *const loads[] = {"load uop", "load wgt", "load inp", "load acc", "load", "load", "load", "load"};
    static const char *const others[] = {"load", "store", "gemm", "finish", "alu", "unknown", "unknown", "unknown"};
    return i->opcode == OP_LOAD ? loads[i->memory] : others[i->opcode];
}
