/* preload and compute: pairs. WS (weight-stationary): the array keeps B. OS (output-stationary): it keeps the sums. */
#include "gemmini_model.h"

static int check_spad_operand(struct gemmini *g, const struct operand *o, const char *what) {
    int why = check_shape(g, o, DIM, what);
    if (why || o->garbage) return why;
    why = check_address(g, o, what);
    if (why) return why;
    if (o->accumulator) return refuse(g, GEMMINI_ADDRESS, "%s is in the accumulator, from which the array does not read", what);
    return GEMMINI_DONE;
}

int preload(struct gemmini *g, uint64_t held, uint64_t into) {
    struct operand h = operand_of(held), c = operand_of(into);
    if (!g->execute.set) return refuse(g, GEMMINI_CONFIG, "config_ex was never executed");
    if (g->preload_waits) return refuse(g, GEMMINI_ORDER, "the preload before it had no compute");
    int why = check_spad_operand(g, &h, g->execute.weights_stay ? "B" : "D");
    if (why) return why;
    why = check_shape(g, &c, DIM, "C");
    if (why) return why;
    if (!c.garbage) {
        why = check_address(g, &c, "C");
        if (why) return why;
    }
    if (!g->execute.weights_stay && c.accumulator && !c.garbage && g->execute.shift)
        return refuse(g, GEMMINI_CONFIG, "sums are shifted by %u into the accumulator, which Spike does not do", g->execute.shift);
    g->held = h;
    g->into = c;
    g->preload_waits = 1;
    return GEMMINI_DONE;
}

/* The 16 x 16 operand: cells of its rows and columns, 0 elsewhere; no address: 0 everywhere. Transposed: [i][j] lies in row j. */
static int fetch(struct gemmini *g, const struct operand *o, int transposed, int32_t to[DIM][DIM]) {
    for (uint32_t i = 0; i < DIM; i++)
        for (uint32_t j = 0; j < DIM; j++) {
            int8_t value = 0;
            if (!o->garbage && i < o->rows && j < o->columns) {
                int why = read_spad(g, o->row + (transposed ? j : i), transposed ? i : j, &value);
                if (why) return why;
            }
            to[i][j] = value;
        }
    return GEMMINI_DONE;
}

static int64_t product_of(int32_t a[DIM][DIM], int32_t b[DIM][DIM], uint32_t i, uint32_t j) {
    int64_t sum = 0;
    for (uint32_t k = 0; k < DIM; k++) sum += (int64_t)a[i][k] * b[k][j];
    return sum;
}

/* Weight-stationary: sums pass through the array, and end in 32 bits. */
static void add_products(int32_t a[DIM][DIM], int32_t b[DIM][DIM], int32_t sums[DIM][DIM]) {
    for (uint32_t i = 0; i < DIM; i++)
        for (uint32_t j = 0; j < DIM; j++) sums[i][j] = wrapped(sums[i][j] + product_of(a, b, i, j), 32);
}

/* Output-stationary: sums stay in the array, whose wires have 20 bits. Counts what they cut. */
static void keep_products(struct gemmini *g, int32_t a[DIM][DIM], int32_t b[DIM][DIM]) {
    int wide = 0;
    for (uint32_t i = 0; i < DIM; i++)
        for (uint32_t j = 0; j < DIM; j++) {
            int64_t sum = g->array[i][j] + product_of(a, b, i, j);
            g->array[i][j] = wrapped(sum, WIRES);
            wide |= g->array[i][j] != sum;
        }
    g->wide += (uint64_t)wide;
}

static int store_results(struct gemmini *g, int32_t from[DIM][DIM]) {
    const struct operand *c = &g->into;
    uint32_t shift = g->execute.weights_stay ? 0 : g->execute.shift;
    for (uint32_t i = 0; i < c->rows && !c->garbage; i++)
        for (uint32_t j = 0; j < c->columns; j++) {
            int8_t small = saturated(shifted(from[i][j], shift));
            if (g->execute.relu && small < 0) small = 0;
            int why = c->accumulator ? write_acc(g, c->row + i, j, from[i][j], c->accumulate) : write_spad(g, c->row + i, j, small);
            if (why) return why;
        }
    return GEMMINI_DONE;
}

/* What must hold of a pair, beyond what preload checked. */
static int check_pair(struct gemmini *g, const struct operand *a, const struct operand *bd, int fresh) {
    if (!g->preload_waits) return refuse(g, GEMMINI_ORDER, "no preload stands before it");
    if (a->garbage) return refuse(g, GEMMINI_ADDRESS, "A has the address of no row (all ones), and its data are undefined");
    int why = check_spad_operand(g, a, "A");
    if (why) return why;
    why = check_spad_operand(g, bd, g->execute.weights_stay ? "D" : "B");
    if (why) return why;
    if (!fresh && !g->array_set) return refuse(g, GEMMINI_ORDER, "it keeps what is in the array, and nothing is");
    if (!fresh && !g->held.garbage)
        return refuse(g, GEMMINI_ORDER, "it keeps what is in the array, and its preload names other data");
    if (!fresh && !g->execute.weights_stay && g->sums_stored)
        return refuse(g, GEMMINI_ORDER, "it adds to sums that were stored, which only Spike still has");
    uint32_t fed = bd->garbage || bd->rows < a->rows ? a->rows : bd->rows;
    if (g->execute.weights_stay && !g->into.garbage && g->into.rows > fed)
        return refuse(g, GEMMINI_SHAPE, "C has %u rows, and A and D feed %u; the RTL may write no more", g->into.rows, fed);
    return GEMMINI_DONE;
}

/* fresh: the array takes what the preload names; else it keeps what it has. */
int compute(struct gemmini *g, uint64_t a_bits, uint64_t bd_bits, int fresh) {
    struct operand a = operand_of(a_bits), bd = operand_of(bd_bits);
    const struct execute_config *config = &g->execute;
    int32_t left[DIM][DIM], right[DIM][DIM];
    int why = check_pair(g, &a, &bd, fresh);
    if (why) return why;
    g->preload_waits = 0;
    if (fresh) {
        why = fetch(g, &g->held, config->weights_stay && config->b_transposed, g->array);
        if (why) return why;
        g->array_set = 1;
    }
    why = fetch(g, &a, config->a_transposed, left);
    if (why) return why;
    why = fetch(g, &bd, !config->weights_stay && config->b_transposed, right);
    if (why) return why;
    if (config->weights_stay) {
        add_products(left, g->array, right);
        return store_results(g, right);
    }
    keep_products(g, left, right);
    g->sums_stored = !g->into.garbage;
    return store_results(g, g->array);
}
