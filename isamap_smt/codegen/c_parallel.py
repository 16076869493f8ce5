"""The C that spreads a loop over threads: contiguous ranges of iterations, on threads that are kept between calls.

Starting a thread takes some 20 microseconds, as long as a small matrix product; waking one that waits takes a few. So each
compiled kernel keeps its helpers: they are started when first needed, look for work for a moment, then sleep.
"""

RUNTIME = """\
/* Runs body(context, from, to) over [0, count) in contiguous parts. The caller takes the first part itself, helpers that are
   kept between calls take the others. Where a helper cannot be started, or the helpers work for another caller, this caller
   does all parts. Returns the first non-zero result. After fork() the child starts helpers of its own. */
typedef int (*isamap_body)(const void *, int64_t, int64_t);
enum { ISAMAP_MOST = 64, ISAMAP_LOOKS = 1000 };
static struct {
    pthread_mutex_t caller, lock;
    pthread_cond_t start, done;
    int64_t helpers, parts, count, left;
    isamap_body body;
    const void *context;
    uint64_t turn;
    int result, prepared;
} isamap_pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                 PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static int isamap_part(isamap_body body, const void *context, int64_t count, int64_t parts, int64_t part) {
    const int64_t from = count / parts * part + isamap_min(part, count % parts);
    const int64_t to = count / parts * (part + 1) + isamap_min(part + 1, count % parts);
    return body(context, from, to);
}
static void *isamap_helper(void *argument) {
    const int64_t me = (int64_t)(intptr_t)argument;
    uint64_t seen = 0;
    for (;;) {
        for (int look = 0; look < ISAMAP_LOOKS; ++look) {
            if (__atomic_load_n(&isamap_pool.turn, __ATOMIC_ACQUIRE) != seen) break;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        pthread_mutex_lock(&isamap_pool.lock);
        while (isamap_pool.turn == seen) pthread_cond_wait(&isamap_pool.start, &isamap_pool.lock);
        seen = isamap_pool.turn;
        const int64_t parts = isamap_pool.parts, count = isamap_pool.count;
        const isamap_body body = isamap_pool.body;
        const void *const context = isamap_pool.context;
        pthread_mutex_unlock(&isamap_pool.lock);
        if (me >= parts) continue; /* not needed this time */
        const int result = isamap_part(body, context, count, parts, me);
        pthread_mutex_lock(&isamap_pool.lock);
        if (result && !isamap_pool.result) isamap_pool.result = result;
        if (__atomic_sub_fetch(&isamap_pool.left, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&isamap_pool.done);
        pthread_mutex_unlock(&isamap_pool.lock);
    }
    return NULL;
}
static void isamap_forked(void) {
    isamap_pool.helpers = isamap_pool.left = 0;
    isamap_pool.turn = 0;
    pthread_mutex_init(&isamap_pool.caller, NULL);
    pthread_mutex_init(&isamap_pool.lock, NULL);
    pthread_cond_init(&isamap_pool.start, NULL);
    pthread_cond_init(&isamap_pool.done, NULL);
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
static int isamap_parallel(int64_t count, int64_t threads, isamap_body body, const void *context) {
    threads = isamap_min(isamap_min(threads, count), ISAMAP_MOST);
    if (threads <= 1) return count > 0 ? body(context, 0, count) : 0;
    if (pthread_mutex_trylock(&isamap_pool.caller)) return body(context, 0, count);
    pthread_mutex_lock(&isamap_pool.lock);
    const int64_t parts = isamap_min(threads, isamap_helpers(threads));
    isamap_pool.body = body;
    isamap_pool.context = context;
    isamap_pool.count = count;
    isamap_pool.parts = parts;
    isamap_pool.left = parts - 1;
    isamap_pool.result = 0;
    __atomic_store_n(&isamap_pool.turn, isamap_pool.turn + 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&isamap_pool.start);
    pthread_mutex_unlock(&isamap_pool.lock);
    int result = isamap_part(body, context, count, parts, 0);
    for (int look = 0; look < ISAMAP_LOOKS && __atomic_load_n(&isamap_pool.left, __ATOMIC_ACQUIRE); ++look) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&isamap_pool.lock);
    while (isamap_pool.left) pthread_cond_wait(&isamap_pool.done, &isamap_pool.lock);
    if (!result) result = isamap_pool.result;
    pthread_mutex_unlock(&isamap_pool.lock);
    pthread_mutex_unlock(&isamap_pool.caller);
    return result;
}
"""
