"""The C of a loop shared by threads: a contiguous range each, in ever shorter chunks, on threads kept between calls.

Starting a thread takes some 20 microseconds, as long as a small matrix product. So each compiled kernel keeps its
helpers: they are started when first needed, look for work for a moment (ISAMAP_LOOK nanoseconds), then sleep. A looking
helper joins in a tenth of a microsecond; waking a sleeping one costs the caller 7 to 30 (a virtual Zen 5). So if
helpers sleep, the caller begins by itself, one iteration at first, and wakes them if the rest would take it longer than
ISAMAP_RISE nanoseconds.

Short loops in close succession are worth helpers that stay awake. If loops with gaps below ISAMAP_SPIN nanoseconds have
taken the caller more than ISAMAP_RISE, it wakes the helpers, and they look for as long as such a gap. Behind loops
further apart they look for a moment only. At the end of such a sequence they waste ISAMAP_SPIN nanoseconds of a core,
and the gaps between its loops. Every 512 looks (10 to 30 us) other threads get the core; more often, and a core with
other work would be lost for that program's whole slice of time at every gap.

A helper may wake late, or its core may be lent to another program. So nobody waits for work not yet begun: a thread
done with its own range takes chunks of the others', and the caller waits only for helpers in the middle of a chunk.

A kernel of a network's library starts no threads: its caller's function calls the body once for each part, in any order
and on any threads (LENT). The caller does all parts left over by itself. The same helpers can be this function (POOL):
one pool serves all kernels.
"""

from isamap_smt.scheduling.figures import CHUNKS

MOST = 64  # threads that share a loop

_RANGES = """\
/* A loop over [0, count) that threads share. Part p is a contiguous range, which thread p takes in chunks; then it helps with
   the other parts. With as many threads, the same thread begins with the same range in every call. */
enum { ISAMAP_MOST = @MOST@, ISAMAP_CHUNKS = @CHUNKS@ };
typedef struct { _Alignas(64) int64_t taken; } isamap_part; /* a cache line each, as every thread counts in its own */
typedef struct {
    int64_t count, parts, mine, done; /* done: parts of which nothing is left, beginning with `mine` */
    isamap_part *part;
    int64_t own, begun, look; /* iterations taken; of a caller whose helpers sleep: when it began, and when it looks at the clock */
} isamap_share;
typedef int (*isamap_body)(const void *, isamap_share *);
@WAKE@

/* The next chunk [*from, *to) for the thread of this share, from the first or the last of each range on; 0 where nothing is
   left. Each iteration is in one chunk. */
static int isamap_next(isamap_share *share, int64_t backwards, int64_t *from, int64_t *to) {
    if (share->begun && share->own >= share->look) isamap_wake_if_worth(share);
    for (; share->done < share->parts; ++share->done) {
        const int64_t p = (share->mine + share->done) % share->parts;
        const int64_t least = share->count / share->parts, longer = share->count % share->parts;
        const int64_t first = least * p + isamap_min(p, longer), size = least + (p < longer);
        int64_t taken = __atomic_load_n(&share->part[p].taken, __ATOMIC_RELAXED), chunk = 0;
        do { /* a part of what is left, so that the last chunks are short, and threads end together */
            chunk = share->parts == 1 ? size - taken : (size - taken + ISAMAP_CHUNKS - 1) / ISAMAP_CHUNKS;
            if (share->begun && !share->own) chunk = isamap_min(chunk, 1);
        } while (chunk > 0 && !__atomic_compare_exchange_n(&share->part[p].taken, &taken, taken + chunk, 1, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED));
        if (chunk <= 0) continue;
        const int64_t until = taken + chunk;
        *from = first + (backwards ? size - until : taken);
        *to = first + (backwards ? size - taken : until);
        share->own += chunk;
        return 1;
    }
    return 0;
}
"""

_HELPERS = """
enum { ISAMAP_OPEN = 1 << 16 };
enum { ISAMAP_RISE = @RISE@, ISAMAP_LOOK = 20000, ISAMAP_SPIN = 200000 }; /* nanoseconds */
/* The helpers and the one loop they work on. `state` counts the helpers inside the loop, plus ISAMAP_OPEN while others may
   join. The loop's fields are written while it is 0, and read inside only. `turn` counts loops: helpers wait for its change.
   These two have lines of their own, as helpers look at them while the caller writes the rest.
   asleep: how many helpers sleep, counted under the lock. Of the callers, one after the other: ended: when the last loop did;
   alone: what loops took that were begun while some slept, one close behind the other. patience: how long helpers look. */
static struct {
    pthread_mutex_t caller, lock;
    pthread_cond_t start, left;
    int64_t helpers, parts, count;
    isamap_body body;
    const void *context;
    int64_t asleep, ended, alone, patience;
    int result, prepared;
    isamap_part part[ISAMAP_MOST];
    _Alignas(64) int64_t state;
    _Alignas(64) uint64_t turn;
} isamap_pool = {.patience = ISAMAP_LOOK,
                 .caller = PTHREAD_MUTEX_INITIALIZER,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .start = PTHREAD_COND_INITIALIZER,
                 .left = PTHREAD_COND_INITIALIZER};

static void isamap_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}
static int64_t isamap_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
/* Who waits looks again and again. A moment passes between two looks, and now and then other threads get the core; 0 once that
   has taken so many nanoseconds. */
typedef struct { int64_t looks, until; } isamap_wait;
static int isamap_again(isamap_wait *wait, int64_t patience) {
    isamap_pause();
    if (++wait->looks % 32) return 1;
    const int64_t now = isamap_now();
    if (!wait->until) wait->until = now + patience;
    if (wait->looks % 512 == 0) sched_yield();
    return now < wait->until;
}
/* Those who sleep are woken where the rest takes long alone, by what the iterations so far took. Asked after 1, 2, 4 ... */
static void isamap_wake_if_worth(isamap_share *share) {
    const int64_t left = share->count - share->own;
    share->look = 2 * share->own;
    if ((isamap_now() - share->begun) * left / share->own < ISAMAP_RISE) return;
    share->begun = 0;
    pthread_cond_broadcast(&isamap_pool.start);
}
/* When a loop begins while helpers sleep; 0 where they are woken at once. */
static int64_t isamap_begins(void) {
    const int64_t now = isamap_now();
    const int close = now - isamap_pool.ended < ISAMAP_SPIN;
    __atomic_store_n(&isamap_pool.patience, close ? ISAMAP_SPIN : ISAMAP_LOOK, __ATOMIC_RELAXED);
    if (!ISAMAP_RISE || (close && isamap_pool.alone >= ISAMAP_RISE)) {
        isamap_pool.alone = 0;
        pthread_cond_broadcast(&isamap_pool.start);
        return 0;
    }
    if (!close) isamap_pool.alone = 0;
    return now;
}
static int isamap_join(void) {
    int64_t state = __atomic_load_n(&isamap_pool.state, __ATOMIC_RELAXED);
    while (state & ISAMAP_OPEN)
        if (__atomic_compare_exchange_n(&isamap_pool.state, &state, state + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 1;
    return 0;
}
static void isamap_leave(void) {
    if (__atomic_sub_fetch(&isamap_pool.state, 1, __ATOMIC_RELEASE)) return;
    pthread_mutex_lock(&isamap_pool.lock); /* the last one out of a closed loop: the caller may sleep */
    pthread_cond_signal(&isamap_pool.left);
    pthread_mutex_unlock(&isamap_pool.lock);
}
static int isamap_work(int64_t mine, int64_t begun) {
    isamap_share share = {isamap_pool.count, isamap_pool.parts, mine, 0, isamap_pool.part, 0, begun, 1};
    return isamap_pool.body(isamap_pool.context, &share);
}
/* The turn after `seen`, as soon as there is one: looks for a moment, then sleeps. */
static uint64_t isamap_await(uint64_t seen) {
    const int64_t patience = __atomic_load_n(&isamap_pool.patience, __ATOMIC_RELAXED);
    isamap_wait wait = {0, 0};
    do {
        const uint64_t turn = __atomic_load_n(&isamap_pool.turn, __ATOMIC_RELAXED);
        if (turn != seen) return turn;
    } while (isamap_again(&wait, patience));
    pthread_mutex_lock(&isamap_pool.lock);
    uint64_t turn;
    ++isamap_pool.asleep;
    while ((turn = __atomic_load_n(&isamap_pool.turn, __ATOMIC_RELAXED)) == seen)
        pthread_cond_wait(&isamap_pool.start, &isamap_pool.lock);
    --isamap_pool.asleep;
    pthread_mutex_unlock(&isamap_pool.lock);
    return turn;
}
static void *isamap_helper(void *argument) {
    const int64_t me = (int64_t)(intptr_t)argument;
    uint64_t seen = 0;
    for (;;) {
        seen = isamap_await(seen);
        if (!isamap_join()) continue; /* late: the loop is done */
        const int result = me < isamap_pool.parts ? isamap_work(me, 0) : 0;
        if (result) __atomic_store_n(&isamap_pool.result, result, __ATOMIC_RELAXED);
        isamap_leave();
    }
    return NULL;
}
/* After fork() the child has no helpers, and starts its own. */
static void isamap_forked(void) {
    isamap_pool.helpers = isamap_pool.state = isamap_pool.asleep = 0;
    pthread_mutex_init(&isamap_pool.caller, NULL);
    pthread_mutex_init(&isamap_pool.lock, NULL);
    pthread_cond_init(&isamap_pool.start, NULL);
    pthread_cond_init(&isamap_pool.left, NULL);
}
/* Helpers numbered 1, 2 ... wanted-1; how many threads there are then, the caller among them. */
static int64_t isamap_helpers(int64_t wanted) {
    if (!isamap_pool.prepared) isamap_pool.prepared = pthread_atfork(NULL, NULL, isamap_forked) == 0;
    while (isamap_pool.prepared && isamap_pool.helpers + 1 < wanted) {
        pthread_attr_t detached;
        pthread_t thread;
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        const int failed =
            pthread_create(&thread, &detached, isamap_helper, (void *)(intptr_t)(isamap_pool.helpers + 1));
        pthread_attr_destroy(&detached);
        if (failed) break;
        ++isamap_pool.helpers;
    }
    return isamap_pool.helpers + 1;
}
/* No helper joins any more; those inside finish the chunks they took. */
static void isamap_close(void) {
    int64_t inside = __atomic_and_fetch(&isamap_pool.state, ~(int64_t)ISAMAP_OPEN, __ATOMIC_ACQUIRE);
    for (isamap_wait wait = {0, 0}; inside && isamap_again(&wait, ISAMAP_LOOK);)
        inside = __atomic_load_n(&isamap_pool.state, __ATOMIC_ACQUIRE);
    if (!inside) return;
    pthread_mutex_lock(&isamap_pool.lock);
    while (__atomic_load_n(&isamap_pool.state, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&isamap_pool.left, &isamap_pool.lock);
    pthread_mutex_unlock(&isamap_pool.lock);
}
static int isamap_alone(int64_t count, isamap_body body, const void *context) {
    isamap_part all = {0};
    isamap_share share = {count, 1, 0, 0, &all, 0, 0, 0};
    return body(context, &share);
}
/* Runs the loop's body on at most so many threads, the caller one of them: alone where no helper can be started, or while the
   helpers work for another caller. Returns 0, or what a failing body returned. */
static int isamap_parallel(int64_t count, int64_t threads, isamap_body body, const void *context) {
    threads = isamap_min(isamap_min(threads, count), ISAMAP_MOST);
    if (threads <= 1 || pthread_mutex_trylock(&isamap_pool.caller))
        return count > 0 ? isamap_alone(count, body, context) : 0;
    isamap_pool.parts = isamap_min(threads, isamap_helpers(threads));
    isamap_pool.count = count;
    isamap_pool.body = body;
    isamap_pool.context = context;
    isamap_pool.result = 0;
    for (int64_t p = 0; p < isamap_pool.parts; ++p) isamap_pool.part[p].taken = 0;
    __atomic_store_n(&isamap_pool.state, ISAMAP_OPEN, __ATOMIC_RELEASE);
    pthread_mutex_lock(&isamap_pool.lock);
    __atomic_store_n(&isamap_pool.turn, isamap_pool.turn + 1, __ATOMIC_RELAXED);
    const int64_t asleep = isamap_pool.asleep;
    pthread_mutex_unlock(&isamap_pool.lock);
    const int64_t begun = asleep ? isamap_begins() : 0;
    int result = isamap_work(0, begun);
    isamap_close();
    isamap_pool.ended = isamap_now();
    if (begun) isamap_pool.alone += isamap_pool.ended - begun;
    if (!result) result = isamap_pool.result;
    pthread_mutex_unlock(&isamap_pool.caller);
    return result;
}
"""

OPTIONS = """\
    void (*parallel_for)(void *context, size_t count, void (*body)(void *argument, size_t number), void *argument);
    void *context;
    size_t threads;
"""

_LENT = """
typedef struct {
@OPTIONS@} isamap_options;
typedef struct {
    int64_t count, parts;
    isamap_part *part;
    isamap_body body;
    const void *context;
    int result;
} isamap_loop;
static void isamap_one(void *argument, size_t number) {
    isamap_loop *const loop = argument;
    if (number >= (size_t)loop->parts) return;
    isamap_share share = {loop->count, loop->parts, (int64_t)number, 0, loop->part, 0, 0, 0};
    const int result = loop->body(loop->context, &share);
    if (result) __atomic_store_n(&loop->result, result, __ATOMIC_RELAXED);
}
/* Runs the loop's body on the caller's threads, one part for each, and at last whatever is left on this one. */
static int isamap_parallel(int64_t count, int64_t threads, isamap_body body, const void *context,
                           const void *lent) {
    const isamap_options *const options = lent;
    if (count <= 0) return 0;
    isamap_part part[ISAMAP_MOST] = {{0}};
    isamap_loop loop = {count, isamap_min(isamap_min(threads, count), ISAMAP_MOST), part, body, context, 0};
    if (loop.parts > 1) options->parallel_for(options->context, (size_t)loop.parts, isamap_one, &loop);
    isamap_one(&loop, 0);
    return loop.result;
}
""".replace("@OPTIONS@", OPTIONS)

_ANY = """
typedef struct {
    void (*body)(void *, size_t);
    void *argument;
} isamap_call;
static int isamap_numbers(const void *context, isamap_share *mine) {
    const isamap_call *const call = context;
    for (int64_t from, to; isamap_next(mine, 0, &from, &to);)
        for (; from < to; ++from) call->body(call->argument, (size_t)from);
    return 0;
}
"""


def _ranges(most: int, wake: str) -> str:
    return _RANGES.replace("@MOST@", str(most)).replace("@CHUNKS@", str(CHUNKS)).replace("@WAKE@", wake)


RUNTIME = _ranges(MOST, "static void isamap_wake_if_worth(isamap_share *);") + _HELPERS.replace("@RISE@", "60000")


def lent(most: int) -> str:
    """The same loop on at most so many threads of the caller's."""
    return _ranges(most, "#define isamap_wake_if_worth(share) ((void)(share))") + _LENT


def pool() -> str:
    """Helpers to call a function for each number below a count, woken at once: kernels follow each other closely."""
    wake = "static void isamap_wake_if_worth(isamap_share *);"
    return _ranges(MOST, wake) + _HELPERS.replace("@RISE@", "0") + _ANY
