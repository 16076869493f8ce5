/* Runs what a check of instructions says, as isamap_smt/runtime/conformance/runner.py does.

       checker CALLS MEMORY

   CALLS: 64-bit numbers: how many follow; the size of MEMORY; where answers go; seconds for a list of calls; protections (how many
   numbers; place, bytes, access of each); lists of calls (how many; of each how many calls; of each call the function's number, then,
   each with its count in front, places before, places after and numbers; then count, period and the bytes of the results). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, LONG = 50 }; /* calls at the same time; milliseconds for which they run on */

extern const struct {
    int64_t number;
    int (*call)(int64_t, int64_t, char **, char **, const int64_t *);
} isamap_check_table[];
extern const int64_t isamap_check_rows;

typedef struct {
    int (*call)(int64_t, int64_t, char **, char **, const int64_t *);
    char **from, **to, *first; /* the first of the results */
    const int64_t *numbers;
    int64_t count, period, bytes, together;
    int code;
} one_call;

static char *memory;
static const int64_t *next;
static pthread_barrier_t ready;

static void give_up(const char *what) {
    perror(what);
    _exit(125);
}

static void *allocate(size_t bytes) {
    void *found = malloc(bytes + 8);
    if (!found) give_up("malloc");
    return found;
}

static char **places(char **first) {
    const int64_t count = *next++;
    char **found = allocate((size_t)count * sizeof *found);
    *first = NULL;
    for (int64_t k = 0; k < count; ++k) {
        found[k] = memory + *next++;
        if (!*first || found[k] < *first) *first = found[k];
    }
    return found;
}

static one_call read_call(int64_t together) {
    one_call c = {.together = together};
    const int64_t number = *next++;
    for (int64_t row = 0; row < isamap_check_rows; ++row)
        if (isamap_check_table[row].number == number) c.call = isamap_check_table[row].call;
    if (!c.call) give_up("a function that is not there");
    c.from = places(&c.first);
    c.to = places(&c.first);
    const int64_t count = *next++;
    c.numbers = next;
    next += count;
    c.count = *next++;
    c.period = *next++;
    c.bytes = *next++;
    return c;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *run(void *which) {
    one_call *c = which;
    if (c->together == 1) {
        c->code = c->call(c->count, c->period, c->from, c->to, c->numbers);
        return NULL;
    }
    pthread_barrier_wait(&ready);
    c->code = c->call(c->count, c->period, c->from, c->to, c->numbers);
    char *held = allocate((size_t)c->bytes);
    memcpy(held, c->first, (size_t)c->bytes);
    const int64_t end = milliseconds() + LONG;
    while (!c->code && milliseconds() < end && !memcmp(held, c->first, (size_t)c->bytes))
        c->code = c->call(c->count, c->period, c->from, c->to, c->numbers);
    return NULL;
}

static void limit(int64_t seconds) {
    const struct itimerval own = {.it_value = {.tv_sec = seconds}}, real = {.it_value = {.tv_sec = 30 * seconds}};
    setitimer(ITIMER_VIRTUAL, &own, NULL);
    setitimer(ITIMER_REAL, &real, NULL);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    FILE *calls = fopen(words[1], "rb");
    int64_t total;
    if (!calls || fread(&total, 8, 1, calls) != 1) give_up(words[1]);
    int64_t *told = allocate(8 * (size_t)total);
    if (fread(told, 8, (size_t)total, calls) != (size_t)total) give_up(words[1]);
    next = told;
    const int64_t size = *next++, answers = *next++, seconds = *next++;
    const int file = open(words[2], O_RDWR);
    memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED) give_up(words[2]);
    for (int64_t left = *next++ / 3; left > 0; --left, next += 3)
        if (mprotect(memory + next[0], (size_t)next[1], (int)next[2])) give_up("mprotect");
    volatile int32_t *answer = (volatile int32_t *)(memory + answers);
    int32_t position = 1;
    const int64_t lists = *next++;
    for (int64_t list = 1; list <= lists; ++list) {
        const int64_t together = *next++;
        one_call call[MOST];
        pthread_t thread[MOST];
        if (together > MOST) give_up("too many calls at the same time");
        for (int64_t k = 0; k < together; ++k) call[k] = read_call(together);
        answer[0] = (int32_t)list;
        limit(seconds);
        if (together == 1) {
            run(call);
        } else {
            pthread_barrier_init(&ready, NULL, (unsigned)together);
            for (int64_t k = 0; k < together; ++k)
                if (pthread_create(&thread[k], NULL, run, &call[k])) give_up("pthread_create");
            for (int64_t k = 0; k < together; ++k) pthread_join(thread[k], NULL);
            pthread_barrier_destroy(&ready);
        }
        for (int64_t k = 0; k < together; ++k) answer[position++] = call[k].code;
    }
    answer[0] = -1;
    _exit(0);
}
