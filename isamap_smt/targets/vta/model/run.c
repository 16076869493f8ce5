/* The three engines, fed from one program, in the order that a seed chooses. */
#include <stdlib.h>
#include <string.h>
#include "vta_model.h"

/* splitmix64. */
static uint64_t draw(struct vta *v) {
    uint64_t z = v->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static const struct instruction *head(const struct vta *v, enum engine e) {
    const struct state *s = v->engine + e;
    return s->ended < s->fetched ? v->program + s->own[s->ended] : 0;
}

static uint64_t slices_of(const struct instruction *i) {
    if (i->opcode == OP_FINISH) return 1;
    return i->opcode == OP_GEMM || i->opcode == OP_ALU ? micro_ops_of(i) : rows_of(i);
}

/* Instructions go to their engines in order, while there is room for the next. */
static void fetch(struct vta *v) {
    while (v->fetched < v->count) {
        struct state *s = v->engine + v->program[v->fetched].engine;
        if (s->fetched - s->ended == WAITING_INSTRUCTIONS) return;
        s->fetched++;
        v->fetched++;
    }
}

static int can_go_on(const struct vta *v, enum engine e) {
    const struct instruction *i = head(v, e);
    if (!i) return 0;
    if (!v->engine[e].running) return can_pop(v, i);
    return v->engine[e].slice < slices_of(i) || can_push(v, i);
}

static int execute_slice(struct vta *v, uint64_t n) {
    switch (v->now->opcode) {
    case OP_LOAD: return load_row(v, (uint32_t)n);
    case OP_STORE: return store_row(v, (uint32_t)n);
    case OP_GEMM: return gemm_step(v, n);
    case OP_ALU: return alu_step(v, n);
    default: note_unfinished(v); return VTA_DONE;
    }
}

/* An engine takes the tokens of its next instruction, does a slice of it, or gives its tokens. */
static int go_on(struct vta *v, enum engine e) {
    struct state *s = v->engine + e;
    const struct instruction *i = v->now = head(v, e);
    v->report->steps++;
    if (!s->running) {
        pop(v, i);
        s->clock.seen[e] = i->ordinal;
        s->running = 1;
        s->slice = 0;
        return VTA_DONE;
    }
    if (s->slice < slices_of(i)) return execute_slice(v, s->slice++);
    push(v, i);
    s->running = 0;
    s->ended++;
    v->report->instructions[e]++;
    return VTA_DONE;
}

/* One of those that can; ENGINES: none can. Whoever is drawn goes on for a while, so that others fall far behind. */
static enum engine choose(struct vta *v, uint64_t seed) {
    enum engine can[ENGINES];
    uint32_t count = 0;
    for (enum engine e = LOAD; e < ENGINES; e++)
        if (can_go_on(v, e)) can[count++] = e;
    if (count == 0) return ENGINES;
    if (seed == 0) return can[0];
    if (v->burst > 0 && can_go_on(v, v->last)) {
        v->burst--;
        return v->last;
    }
    v->burst = ((uint64_t)1 << draw(v) % 8) - 1;
    v->last = can[draw(v) % count];
    return v->last;
}

static int run(struct vta *v, uint64_t seed) {
    v->random = seed;
    for (;;) {
        fetch(v);
        enum engine e = choose(v, seed);
        if (e == ENGINES) break;
        int why = go_on(v, e);
        if (why) return why;
    }
    for (enum engine e = LOAD; e < ENGINES; e++)
        if (v->engine[e].ended < v->engine[e].total) return say_deadlock(v);
    return check_left(v);
}

/* The program, decoded, and who executes what. 0 where there is no memory. */
static int prepare(struct vta *v, const uint8_t *instructions) {
    v->program = calloc(v->count + 1, sizeof *v->program);
    v->dram_cells = calloc(v->bytes / 4 + 1, sizeof *v->dram_cells);
    for (enum engine e = LOAD; e < ENGINES; e++) {
        v->engine[e].own = calloc(v->count + 1, sizeof *v->engine[e].own);
        if (!v->engine[e].own) return 0;
    }
    if (!v->program || !v->dram_cells) return 0;
    for (uint32_t n = 0; n < v->count; n++) {
        struct instruction *i = v->program + n;
        decode(instructions + (uint64_t)16 * n, i);
        struct state *s = v->engine + i->engine;
        s->own[s->total++] = n;
        i->number = n;
        i->ordinal = s->total;
    }
    return 1;
}

static void release(struct vta *v) {
    for (enum engine e = LOAD; e < ENGINES; e++) free(v->engine[e].own);
    free(v->program);
    free(v->dram_cells);
    free(v);
}

int vta_model_run(uint8_t *dram, uint64_t bytes, const uint8_t *instructions, uint64_t count, uint64_t seed,
                  struct vta_report *report) {
    memset(report, 0, sizeof *report);
    struct vta *v = calloc(1, sizeof *v);
    report->code = VTA_NO_ROOM;
    if (!v) return VTA_NO_ROOM;
    v->dram = dram;
    v->bytes = bytes;
    v->count = count;
    v->report = report;
    if (count < UINT32_MAX && prepare(v, instructions)) {
        report->code = check(v);
        if (!report->code) report->code = run(v, seed);
    }
    release(v);
    return (int)report->code;
}
