/* Races: accesses of two engines to one cell, one of them a write, that no token orders. Micro-ops are read and written by one engine
   and have none. */
#include <stdio.h>
#include "vta_model.h"

static void note(struct vta *v, uint32_t other, int wrote, int writes, const char *memory, uint64_t index) {
    if (v->report->races++) return;
    const struct instruction *o = v->program + other - 1;
    snprintf(v->report->race, sizeof v->report->race,
             "instruction %u, %s, %s %s %llu, instruction %u, %s, %s it, and no token orders them", o->number, name_of(o),
             wrote ? "writes" : "reads", memory, (unsigned long long)index, v->now->number, name_of(v->now),
             writes ? "writes" : "reads");
}

/* Whether an instruction was over before the one that is executed began. other: its number plus one; 0: there is none. */
static int is_before(const struct vta *v, uint32_t other) {
    if (other == 0) return 1;
    const struct instruction *o = v->program + other - 1;
    return o->engine == v->now->engine || o->ordinal <= v->engine[v->now->engine].clock.seen[o->engine];
}

/* The instruction that is executed reads or writes a cell. */
void touch(struct vta *v, struct cell *cell, int writes, const char *memory, uint64_t index) {
    uint32_t self = v->now->number + 1;
    if (!is_before(v, cell->writer)) note(v, cell->writer, 1, writes, memory, index);
    for (int e = 0; writes && e < ENGINES; e++)
        if (!is_before(v, cell->reader[e])) note(v, cell->reader[e], 0, writes, memory, index);
    if (writes)
        cell->writer = self;
    else
        cell->reader[v->now->engine] = self;
}

void touch_dram(struct vta *v, uint64_t address, uint64_t bytes, int writes) {
    for (uint64_t a = address; a < address + bytes; a += 4) touch(v, v->dram_cells + a / 4, writes, "main memory's byte", a);
}

/* finish is executed: each engine's last instruction must be over. */
void note_unfinished(struct vta *v) {
    for (enum engine e = LOAD; e < ENGINES; e++) {
        const struct state *s = v->engine + e;
        if (e == COMPUTE || s->total == 0 || is_before(v, s->own[s->total - 1] + 1) || v->report->races++) continue;
        const struct instruction *o = v->program + s->own[s->total - 1];
        snprintf(v->report->race, sizeof v->report->race,
                 "instruction %u, %s, may run after instruction %u, finish, which waits for no token that comes after it", o->number,
                 name_of(o), v->now->number);
    }
}
