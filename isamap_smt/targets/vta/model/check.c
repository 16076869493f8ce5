/* What is refused before anything runs: all that the bits of the instructions alone say. */
#include <stdarg.h>
#include <stdio.h>
#include "vta_model.h"

/* Keep the reason, in one sentence, and return why. v->now: the instruction it is about. */
int refuse(struct vta *v, int why, const char *format, ...) {
    char *to = v->report->message;
    int size = sizeof v->report->message, head = 0;
    if (v->now) head = snprintf(to, (uint32_t)size, "instruction %u, %s: ", v->now->number, name_of(v->now));
    va_list rest;
    va_start(rest, format);
    vsnprintf(to + head, (uint32_t)(size - head), format, rest);
    va_end(rest);
    return why;
}

static int check_tokens(struct vta *v, const struct instruction *i) {
    const char *what = i->engine == LOAD ? "load has no engine before it" : "store has no engine behind it";
    int wrong = i->engine == LOAD ? i->pop_prev || i->push_prev : i->engine == STORE && (i->pop_next || i->push_next);
    if (!wrong) return VTA_DONE;
    return refuse(v, VTA_TOKENS, "%s to pass tokens to, and bit %d or %d asks for it", what, i->engine == LOAD ? 3 : 4,
                  i->engine == LOAD ? 5 : 6);
}

static int check_pads(struct vta *v, const struct instruction *i) {
    int pads = i->y_pad_0 || i->y_pad_1 || i->x_pad_0 || i->x_pad_1;
    if (!pads) return VTA_DONE;
    if (i->x_size == 0) return refuse(v, VTA_SHAPE, "x_size is 0 and there are pads, which HLS writes and the others do not");
    if (i->opcode == OP_STORE) return refuse(v, VTA_SHAPE, "there are pads, which a store has not");
    if (i->memory == INP || i->memory == ACC) return VTA_DONE;
    return refuse(v, VTA_SHAPE, "there are pads, and HLS pads inp and acc alone");
}

static int check_transfer(struct vta *v, const struct instruction *i) {
    if (i->opcode == OP_LOAD && i->memory > ACC)
        return refuse(v, VTA_NOT_COVERED, "memory %u is not one that all sources load; those are 0 to 3", i->memory);
    if (i->opcode == OP_STORE && i->memory != OUT)
        return refuse(v, VTA_NOT_COVERED, "memory %u is stored, and that can be done with 4 (out) alone", i->memory);
    int why = check_pads(v, i);
    if (why || i->x_size == 0) return why;
    if (i->y_size == 0) return refuse(v, VTA_SHAPE, "y_size is 0, for which Chisel counts on from 0");
    if (i->memory == UOP && i->y_size != 1) return refuse(v, VTA_SHAPE, "y_size is %u, and HLS loads one row of uop", i->y_size);
    uint64_t width = (uint64_t)i->x_pad_0 + i->x_size + i->x_pad_1, end = i->sram + rows_of(i) * width;
    if (end > entries_of(i->memory))
        return refuse(v, VTA_INDEX, "it reaches entry %llu, and %s has %u entries%s", (unsigned long long)end - 1,
                      memory_name(i->memory), entries_of(i->memory), i->memory == UOP ? " in Chisel" : "");
    uint64_t last = (uint64_t)i->dram + (uint64_t)(i->y_size - 1) * i->x_stride + i->x_size, bytes = last * bytes_of(i->memory);
    if (bytes > v->bytes)
        return refuse(v, VTA_MEMORY, "it ends at byte %llu of main memory, which has %llu", (unsigned long long)bytes,
                      (unsigned long long)v->bytes);
    if (bytes > (uint64_t)1 << 32) return refuse(v, VTA_MEMORY, "it ends behind 4 GiB, and fsim's addresses have 32 bits");
    return VTA_DONE;
}

static int check_loops(struct vta *v, const struct instruction *i) {
    if (i->iter_out == 0 || i->iter_in == 0)
        return refuse(v, VTA_SHAPE, "it has %u x %u iterations, and Chisel counts on from 0", i->iter_out, i->iter_in);
    if (i->uop_begin >= i->uop_end)
        return refuse(v, VTA_SHAPE, "its micro-ops begin at %u and end at %u, and Chisel counts on", i->uop_begin, i->uop_end);
    if (i->uop_end > UOP_ENTRIES)
        return refuse(v, VTA_INDEX, "its last micro-op is %u, and uop has %d entries in Chisel", i->uop_end - 1, UOP_ENTRIES);
    return VTA_DONE;
}

static int check_alu(struct vta *v, const struct instruction *i) {
    int why = check_loops(v, i);
    if (why) return why;
    if (i->op > ALU_SHR) return refuse(v, VTA_NOT_COVERED, "operation %u is not one in which all sources agree; those are 0 to 3", i->op);
    if (i->reset) return refuse(v, VTA_NOT_COVERED, "bit 7 is set, and has no meaning here");
    if (!i->use_imm && i->imm)
        return refuse(v, VTA_NOT_COVERED, "the immediate is %d and not used, but Chisel takes its sign for a shift's", i->imm);
    if (i->use_imm && i->op == ALU_SHR && (i->imm < 0 || i->imm > 15))
        return refuse(v, VTA_SHIFT, "it shifts by %d, and the sources agree on 0 to 15 alone", i->imm);
    return VTA_DONE;
}

static int check_one(struct vta *v, const struct instruction *i) {
    if (i->opcode > OP_ALU) return refuse(v, VTA_NOT_COVERED, "there is no opcode %u", i->opcode);
    if (i->unused) return refuse(v, VTA_NOT_COVERED, "bits are set that have no meaning");
    int why = check_tokens(v, i);
    if (why) return why;
    if (i->opcode == OP_LOAD || i->opcode == OP_STORE) return check_transfer(v, i);
    if (i->opcode == OP_GEMM) return check_loops(v, i);
    if (i->opcode == OP_ALU) return check_alu(v, i);
    if (i->number + 1 < v->count) return refuse(v, VTA_FINISH, "instructions stand behind it, and HLS may stop before them");
    return VTA_DONE;
}

int check(struct vta *v) {
    for (uint64_t n = 0; n < v->count; n++) {
        v->now = v->program + n;
        int why = check_one(v, v->now);
        if (why) return why;
    }
    v->now = 0;
    if (v->count == 0 || v->program[v->count - 1].opcode != OP_FINISH)
        return refuse(v, VTA_FINISH, "the last instruction is not finish, without which the host waits for ever");
    return VTA_DONE;
}
