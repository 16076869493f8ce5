/* Which of ten classes an image is. Neither Python nor a heap: all memory is the program's own. */
#include "model.h"
#include <stdio.h>

static _Alignas(64) char arena[128 << 10];
static float image[28 * 28], scores[10];

int main(void) {
    const model_inputs in = {image};
    const model_outputs out = {scores};
    setvbuf(stdout, NULL, _IONBF, 0); /* or printf takes a buffer from the heap */
    for (int n = 0; n < 28 * 28; ++n) image[n] = (float)(n % 28) / 28;
    if (model_arena_bytes() > sizeof arena) return 1;
    const int code = model_run(&in, &out, arena, model_weights, NULL);
    if (code) return printf("%s: %s\n", model_node(code), model_text(code)), 1;
    int best = 0;
    for (int n = 1; n < 10; ++n)
        if (scores[n] > scores[best]) best = n;
    printf("class %d, score %.5f\n", best, scores[best]);
    return 0;
}
