/* Calls a kernel on arrays that lie in a file, and writes what it computed to another.

       caller CALL ANSWER

   CALL: 64-bit numbers: threads, alignment, buffers, sizes, tensors; then the sizes, how many bytes each tensor has, and whether
   it is written (1 or 0); then the tensors' bytes, one after the other.
   ANSWER: one 64-bit number, the kernel's code; then its text, or where the code is 0 the tensors that are written.

   Each array ends as near as its alignment allows to a page that nothing may touch. Exits with 0 where ANSWER is whole. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads);
int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed);
int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which);
const char *isamap_text(int code);

static void fail(const char *what) {
    perror(what);
    exit(3);
}

static void take(void *to, size_t count, FILE *from) {
    if (fread(to, 1, count, from) != count) fail("reading the call");
}

static int64_t *numbers(int64_t count, FILE *from) {
    int64_t *found = malloc(8 * (size_t)(count + 1));
    if (!found) fail("malloc");
    take(found, 8 * (size_t)count, from);
    return found;
}

static void *place(int64_t count, int64_t alignment) {
    const int64_t page = sysconf(_SC_PAGESIZE), whole = (count + alignment + page - 1) / page * page;
    char *start = mmap(NULL, (size_t)(whole + page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + whole, (size_t)page, PROT_NONE)) fail("mmap");
    return start + (whole - count) / alignment * alignment;
}

static int packed_and_run(void **tensors, const int64_t *sizes, int64_t buffers, int64_t threads) {
    void **packed = calloc((size_t)(buffers + 1), sizeof *packed);
    if (!packed) fail("calloc");
    for (int64_t b = 0; b < buffers; ++b) {
        const int64_t bytes = isamap_packed_bytes(sizes, b);
        if (bytes < 0) return (int)-bytes;
        packed[b] = place(bytes, 64);
    }
    const int code = buffers ? isamap_pack((const void *const *)tensors, sizes, packed) : 0;
    return code ? code : isamap_run((const void *const *)tensors, sizes, packed, threads);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    FILE *call = fopen(words[1], "rb");
    if (!call) fail(words[1]);
    const int64_t *head = numbers(5, call), *sizes = numbers(head[3], call);
    const int64_t *bytes = numbers(head[4], call), *written = numbers(head[4], call);
    void **tensors = calloc((size_t)(head[4] + 1), sizeof *tensors);
    if (!tensors) fail("calloc");
    for (int64_t t = 0; t < head[4]; ++t) {
        tensors[t] = place(bytes[t], head[1]);
        take(tensors[t], (size_t)bytes[t], call);
    }
    const int64_t code = packed_and_run(tensors, sizes, head[2], head[0]);
    FILE *answer = fopen(words[2], "wb");
    if (!answer) fail(words[2]);
    fwrite(&code, 8, 1, answer);
    if (code) fputs(isamap_text((int)code), answer);
    for (int64_t t = 0; !code && t < head[4]; ++t)
        if (written[t]) fwrite(tensors[t], 1, (size_t)bytes[t], answer);
    if (fclose(answer)) fail(words[2]);
    return 0;
}
