/* Which instruction a function code is, and what others call. */
#include <stdlib.h>
#include "gemmini_model.h"

struct gemmini *gemmini_new(gemmini_read *read, gemmini_write *write, void *memory) {
    struct gemmini *g = calloc(1, sizeof *g);
    if (!g) return 0;
    g->read = read;
    g->write = write;
    g->memory = memory;
    return g;
}

void gemmini_free(struct gemmini *g) { free(g); }

const char *gemmini_message(const struct gemmini *g) { return g->message; }

uint64_t gemmini_wide(const struct gemmini *g) { return g->wide; }

static const char *name_of(uint32_t funct) {
    static const char *const names[] = {"config",   "mvin2", "mvin", "mvout", "compute_preloaded", "compute_accumulated", "preload",
                                        "flush",    "loop_ws", "loop_ws", "loop_ws", "loop_ws", "loop_ws", "loop_ws", "mvin3",
                                        "loop_conv"};
    return funct < sizeof names / sizeof *names ? names[funct] : funct < 22 ? "loop_conv" : "unknown";
}

/* One instruction. 0, or why it is refused: then gemmini_message() says the reason, and the model is not used any more. */
int gemmini_execute(struct gemmini *g, uint32_t funct, uint64_t rs1, uint64_t rs2) {
    g->executed++;
    g->name = name_of(funct);
    switch (funct) {
    case 0: return configure(g, rs1, rs2);
    case 1: return mvin(g, &g->load[1], rs1, rs2);
    case 2: return mvin(g, &g->load[0], rs1, rs2);
    case 3: return mvout(g, rs1, rs2);
    case 4: return compute(g, rs1, rs2, 1);
    case 5: return compute(g, rs1, rs2, 0);
    case 6: return preload(g, rs1, rs2);
    case 7: return GEMMINI_DONE; /* flush: of address translations, which are not modelled */
    case 14: return mvin(g, &g->load[2], rs1, rs2);
    default: return refuse(g, GEMMINI_NOT_COVERED, "function code %u is not covered", funct);
    }
}
