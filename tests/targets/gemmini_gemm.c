/* C = A B (+ D), written by hand, with tiles of 16 and two halves of the scratchpad: the next tiles are loaded before a compute.

   arrays: A i8 [I][K], B i8 [K][J], D i32 [I][J], C i32 or i8 [I][J].
   numbers: I, J, K, dataflow, whether D is added (weight-stationary alone), whether C is bytes, and their scale and ReLU. */
#include "gemmini_isa.h"

enum { TILE = 16 };
static int64_t I, J, K;
static const int8_t *A, *B;

static uint32_t part(int64_t all, int64_t tile) { return (uint32_t)(all - tile * TILE < TILE ? all - tile * TILE : TILE); }
static int64_t tiles(int64_t all) { return (all + TILE - 1) / TILE; }
static uint32_t a_tile(int64_t step) { return (uint32_t)(step % 2) * TILE; }
static uint32_t b_tile(int64_t step) { return 2 * TILE + (uint32_t)(step % 2) * TILE; }

/* step: (i * J tiles + j) * K tiles + k */
static void load(int64_t step) {
    int64_t k = step % tiles(K), j = step / tiles(K) % tiles(J), i = step / tiles(K) / tiles(J);
    gemmini_mvin(A + i * TILE * K + k * TILE, gemmini_block(a_tile(step), part(I, i), part(K, k)));
    gemmini_mvin2(B + k * TILE * J + j * TILE, gemmini_block(b_tile(step), part(K, k), part(J, j)));
}

static void multiply(int64_t step, uint32_t c, int weights_stay, int begun) {
    int64_t k = step % tiles(K), j = step / tiles(K) % tiles(J), i = step / tiles(K) / tiles(J);
    uint64_t a = gemmini_block(a_tile(step), part(I, i), part(K, k)), b = gemmini_block(b_tile(step), part(K, k), part(J, j));
    uint64_t none = gemmini_block(GEMMINI_NOWHERE, TILE, TILE), sums;
    if (weights_stay) {
        sums = gemmini_block(k || begun ? gemmini_acc_add(c) : gemmini_acc(c), part(I, i), part(J, j));
        gemmini_preload(b, sums);
        gemmini_compute_preloaded(a, none);
        return;
    }
    sums = k + 1 < tiles(K) ? none : gemmini_block(gemmini_acc(c), part(I, i), part(J, j));
    gemmini_preload(none, sums);
    if (k) gemmini_compute_accumulated(a, b);
    else gemmini_compute_preloaded(a, b);
}

int64_t gemmini_program(void *const *arrays, const int64_t *numbers) {
    const int32_t *d = arrays[2];
    int8_t *c = arrays[3];
    const int weights_stay = (int)numbers[3], begun = (int)numbers[4], bytes = (int)numbers[5], size = bytes ? 1 : 4;
    A = arrays[0], B = arrays[1], I = numbers[0], J = numbers[1], K = numbers[2];
    gemmini_flush();
    gemmini_config_ex(weights_stay ? GEMMINI_WEIGHT_STATIONARY : GEMMINI_OUTPUT_STATIONARY, 0, 0, 0, 0);
    gemmini_config_ld(0, (uint64_t)K, GEMMINI_ONE, 0, TILE);
    gemmini_config_ld(1, (uint64_t)J, GEMMINI_ONE, 0, TILE);
    gemmini_config_ld(2, (uint64_t)J * 4, GEMMINI_ONE, 0, TILE);
    gemmini_config_st((uint32_t)(J * size), (uint32_t)numbers[6], (int)numbers[7]);
    gemmini_fence();
    const int64_t steps = tiles(I) * tiles(J) * tiles(K);
    load(0);
    for (int64_t step = 0; step < steps; step++) {
        int64_t k = step % tiles(K), out = step / tiles(K), j = out % tiles(J), i = out / tiles(J);
        uint32_t row = (uint32_t)(out % 2) * TILE, full = bytes ? gemmini_acc(row) : gemmini_acc_full(row);
        if (begun && k == 0) gemmini_mvin3(d + i * TILE * J + j * TILE, gemmini_block(gemmini_acc(row), part(I, i), part(J, j)));
        if (step + 1 < steps) load(step + 1);
        multiply(step, row, weights_stay, begun);
        if (k + 1 == tiles(K)) gemmini_mvout(c + (i * TILE * J + j * TILE) * size, gemmini_block(full, part(I, i), part(J, j)));
    }
    gemmini_fence();
    return 42;
}
