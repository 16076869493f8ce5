/* Memory that an array or a call gives back is kept for the next one of its size: its pages are there and in the caches, where new ones
   cost as much as the work of a short kernel. All of it runs under Python's lock. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { LINE = 64, PAGE = 4096, IDLE = 32 };
static const size_t MOST_IDLE = (size_t)64 << 20, HUGE_FROM = (size_t)4 << 20, HUGE_PAGE = (size_t)2 << 20;

typedef struct {
    void *start;
    char *data;
    size_t bytes;
} Block;

static Block *idle[IDLE]; /* the last is the one given back last */
static int idle_count;
static size_t idle_bytes;

static void drop(int n) {
    Block *b = idle[n];
    idle_bytes -= b->bytes;
    memmove(idle + n, idle + n + 1, (size_t)(--idle_count - n) * sizeof *idle);
}

/* The byte that all memory holds which is taken, -1 where it holds what it held: see memory.py. */
static int poison(void) {
    static int byte = -2;
    if (byte == -2) {
        const char *said = getenv("ISAMAP_POISON");
        byte = said && *said ? atoi(said) & 0xFF : -1;
    }
    return byte;
}

/* Whether what compiled code takes from the heap holds 0x7F: see memory.py. */
static void poison_heap(int whether) {
#ifdef __GLIBC__
    if (poison() >= 0) mallopt(M_PERTURB, whether ? 0x80 : 0);
#endif
}

static Block *poisoned(Block *b) {
    if (poison() >= 0) memset(b->data, poison(), b->bytes);
    return b;
}

/* Memory that starts at a cache line; large blocks start at different places in a page, since a load that shares its last 12 address bits
   with an earlier store waits for it. NULL where there is none. */
static Block *take(size_t wanted) {
    static unsigned places;
    const size_t step = wanted < PAGE ? LINE : PAGE;
    const size_t bytes = wanted ? (wanted + step - 1) / step * step : step;
    for (int n = idle_count - 1; n >= 0; --n)
        if (idle[n]->bytes == bytes) {
            Block *found = idle[n];
            drop(n);
            return poisoned(found);
        }
    const size_t apart = bytes < PAGE ? 0 : 13u * LINE * ++places % PAGE;
    const int huge = bytes >= HUGE_FROM;
    const size_t all = LINE + apart + bytes + (huge ? HUGE_PAGE : 0);
    char *start = aligned_alloc(huge ? HUGE_PAGE : LINE, huge ? all / HUGE_PAGE * HUGE_PAGE : (all + LINE - 1) / LINE * LINE);
    if (!start) return NULL;
    if (huge) madvise(start, all / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a wish: whether it is granted does not matter */
    Block *made = (Block *)start;
    *made = (Block){start, start + LINE + apart, bytes};
    return poisoned(made);
}

static void give(Block *b) {
    if (b->bytes > MOST_IDLE) {
        free(b->start);
        return;
    }
    while (idle_count == IDLE || idle_bytes + b->bytes > MOST_IDLE) {
        Block *oldest = idle[0];
        drop(0);
        free(oldest->start);
    }
    idle[idle_count++] = b;
    idle_bytes += b->bytes;
}
