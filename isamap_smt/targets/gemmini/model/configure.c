/* config_ex, config_ld, config_st. A register that is set keeps its value until it is set again. */
#include "gemmini_model.h"

static uint32_t field(uint64_t bits, uint32_t low, uint32_t width) {
    return (uint32_t)(bits >> low & (((uint64_t)1 << width) - 1));
}

static int configure_execute(struct gemmini *g, uint64_t rs1, uint64_t rs2) {
    struct execute_config new = {
        .set = 1,
        .weights_stay = (int)field(rs1, 2, 1),
        .relu = field(rs1, 3, 2) == 1,
        .a_transposed = (int)field(rs1, 8, 1),
        .b_transposed = (int)field(rs1, 9, 1),
        .shift = field(rs2, 0, 32),
    };
    g->name = "config_ex";
    if (g->preload_waits) return refuse(g, GEMMINI_ORDER, "it stands between a preload and its compute");
    if (field(rs1, 16, 16) != 1 || field(rs2, 48, 16) != 1)
        return refuse(g, GEMMINI_CONFIG, "the row strides of A and C are %u and %u; only 1 and 1 mean the same to all sources",
                      field(rs1, 16, 16), field(rs2, 48, 16));
    if (field(rs1, 7, 1)) {
        if (!g->execute.set) return refuse(g, GEMMINI_CONFIG, "it sets the strides alone, and the rest was never configured");
        return GEMMINI_DONE;
    }
    if (field(rs1, 3, 2) > 1)
        return refuse(g, GEMMINI_NOT_COVERED, "activation %u is neither 0 (none) nor 1 (ReLU)", field(rs1, 3, 2));
    if (new.shift > 31) return refuse(g, GEMMINI_CONFIG, "the shift is %u, and 0 to 31 are possible", new.shift);
    if (new.weights_stay ? new.a_transposed && new.b_transposed : new.b_transposed && !new.a_transposed)
        return refuse(g, GEMMINI_CONFIG, "%s", new.weights_stay ? "weight-stationary transposes A or B, not both"
                                                                : "output-stationary transposes B only together with A");
    if (g->execute.set && g->execute.weights_stay != new.weights_stay) g->array_set = 0;
    g->execute = new;
    return GEMMINI_DONE;
}

static int configure_load(struct gemmini *g, uint64_t rs1, uint64_t rs2) {
    uint32_t which = field(rs1, 3, 2), repeats = field(rs1, 8, 8);
    g->name = "config_ld";
    if (which >= LOADS) return refuse(g, GEMMINI_CONFIG, "it is for mvin number %u, and there are 0, 1 and 2", which);
    if (repeats > 1) return refuse(g, GEMMINI_NOT_COVERED, "pixels are repeated %u times", repeats);
    struct load_config new = {
        .set = 1,
        .shrunk = (int)field(rs1, 2, 1),
        .block_stride = field(rs1, 16, 16),
        .scale = field(rs1, 32, 32),
        .stride = rs2,
    };
    g->load[which] = new;
    return GEMMINI_DONE;
}

static int configure_store(struct gemmini *g, uint64_t rs1, uint64_t rs2) {
    g->name = "config_st";
    if (field(rs1, 2, 2) > 1)
        return refuse(g, GEMMINI_NOT_COVERED, "activation %u is neither 0 (none) nor 1 (ReLU)", field(rs1, 2, 2));
    if (field(rs1, 4, 2)) return refuse(g, GEMMINI_NOT_COVERED, "pooling (a stride of %u) is asked for", field(rs1, 4, 2));
    struct store_config new = {
        .set = 1,
        .relu = field(rs1, 2, 2) == 1,
        .stride = field(rs2, 0, 32),
        .scale = field(rs2, 32, 32),
    };
    g->store = new;
    return GEMMINI_DONE;
}

int configure(struct gemmini *g, uint64_t rs1, uint64_t rs2) {
    switch (field(rs1, 0, 2)) {
    case 0: return configure_execute(g, rs1, rs2);
    case 1: return configure_load(g, rs1, rs2);
    case 2: return configure_store(g, rs1, rs2);
    default: return refuse(g, GEMMINI_NOT_COVERED, "the normalisation registers are configured");
    }
}
