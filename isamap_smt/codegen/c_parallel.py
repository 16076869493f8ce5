"""The C that spreads a loop over threads: contiguous ranges of iterations, one POSIX thread each."""

RUNTIME = """\
/* Runs body(context, from, to) over [0, count) in contiguous parts. The caller takes the first part itself.
   When a thread cannot be started, the caller does its part. Returns the first non-zero result. */
struct isamap_part {
    int (*body)(const void *, int64_t, int64_t);
    const void *context;
    int64_t from, to;
    int result, started;
    pthread_t thread;
};
static void *isamap_part_main(void *p) {
    struct isamap_part *part = p;
    part->result = part->body(part->context, part->from, part->to);
    return NULL;
}
static int isamap_parallel(int64_t count, int64_t threads, int (*body)(const void *, int64_t, int64_t),
                           const void *context) {
    struct isamap_part parts[64];
    if (threads > 64) threads = 64;
    if (threads > count) threads = count;
    if (threads <= 1) return count > 0 ? body(context, 0, count) : 0;
    for (int64_t t = 0; t < threads; ++t) {
        parts[t] = (struct isamap_part){body, context, count / threads * t + isamap_min(t, count % threads),
                                        0, 0, 0, pthread_self()};
        parts[t].to = count / threads * (t + 1) + isamap_min(t + 1, count % threads);
    }
    for (int64_t t = 1; t < threads; ++t)
        parts[t].started = pthread_create(&parts[t].thread, NULL, isamap_part_main, &parts[t]) == 0;
    int result = body(context, parts[0].from, parts[0].to);
    for (int64_t t = 1; t < threads; ++t) {
        if (parts[t].started) pthread_join(parts[t].thread, NULL);
        else isamap_part_main(&parts[t]);
        if (!result) result = parts[t].result;
    }
    return result;
}
"""
