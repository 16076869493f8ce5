/* Calls a kernel, and is its C library: memory that it allocates. What else it needs, bytes.c has.

   arrays: 512 bytes for the text of a code that is not 0, which ends with a zero; then the kernel's tensors.
   numbers: where the memory for allocations begins, its bytes, threads, buffers; then the kernel's sizes. Returns the kernel's code. */
#include <stddef.h>
#include <stdint.h>

enum { TEXT = 512, BUFFERS = 64, NO_MEMORY = 1 };

int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads);
int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed);
int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which);
const char *isamap_text(int code);

static uintptr_t heap, next, end;
static uint64_t living;

void *aligned_alloc(size_t alignment, size_t bytes) {
    const uintptr_t place = (next + alignment - 1) / alignment * alignment;
    if (place > end || bytes > end - place) return NULL;
    next = place + bytes;
    living++;
    return (void *)place;
}

/* What is freed is used again when nothing lives. */
void free(void *memory) {
    if (memory && --living == 0) next = heap;
}

static int packed_and_run(const void *const *tensors, const int64_t *sizes, int64_t buffers, int64_t threads) {
    static void *packed[BUFFERS];
    if (buffers > BUFFERS) return NO_MEMORY;
    for (int64_t b = 0; b < buffers; b++) {
        const int64_t bytes = isamap_packed_bytes(sizes, b);
        if (bytes < 0) return (int)-bytes;
        packed[b] = aligned_alloc(64, (size_t)bytes);
        if (!packed[b]) return NO_MEMORY;
    }
    const int code = buffers ? isamap_pack(tensors, sizes, packed) : 0;
    return code ? code : isamap_run(tensors, sizes, packed, threads);
}

int64_t guest_program(void *const *arrays, const int64_t *numbers) {
    heap = next = (uintptr_t)numbers[0];
    end = heap + (uintptr_t)numbers[1];
    const int code = packed_and_run((const void *const *)arrays + 1, numbers + 4, numbers[3], numbers[2]);
    char *text = arrays[0];
    const char *said = isamap_text(code);
    size_t n = 0;
    for (; said[n] && n + 1 < TEXT; n++) text[n] = said[n];
    text[n] = 0;
    return code;
}
