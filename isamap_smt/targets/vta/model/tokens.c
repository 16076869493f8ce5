/* Tokens: an instruction takes its tokens before it begins and gives them when it is over, each together, if there are two. With a
   token goes what its giver has done, and seen done. */
#include <stdio.h>
#include "vta_model.h"

/* The queues of an engine: of tokens that it pops from, and pushes to, the engine before it and the one behind it. */
static const enum queue POPS[ENGINES][2] = {{NO_QUEUE, G2L}, {L2G, S2G}, {G2S, NO_QUEUE}};
static const enum queue PUSHES[ENGINES][2] = {{NO_QUEUE, L2G}, {G2L, G2S}, {S2G, NO_QUEUE}};
static const char *const ENGINE_NAMES[ENGINES] = {"load", "compute", "store"};
static const char *const QUEUE_NAMES[QUEUES] = {"l2g, load to compute", "g2l, compute to load", "g2s, compute to store",
                                                "s2g, store to compute"};

static enum queue popped(const struct instruction *i, int next) {
    return (next ? i->pop_next : i->pop_prev) ? POPS[i->engine][next] : NO_QUEUE;
}

static enum queue pushed(const struct instruction *i, int next) {
    return (next ? i->push_next : i->push_prev) ? PUSHES[i->engine][next] : NO_QUEUE;
}

static int has_token(const struct vta *v, enum queue q) { return q == NO_QUEUE || v->queue[q].count > 0; }

static int has_room(const struct vta *v, enum queue q) { return q == NO_QUEUE || v->queue[q].count < QUEUE_DEPTH; }

int can_pop(const struct vta *v, const struct instruction *i) { return has_token(v, popped(i, 0)) && has_token(v, popped(i, 1)); }

int can_push(const struct vta *v, const struct instruction *i) { return has_room(v, pushed(i, 0)) && has_room(v, pushed(i, 1)); }

void pop(struct vta *v, const struct instruction *i) {
    struct clock *clock = &v->engine[i->engine].clock;
    for (int next = 0; next < 2; next++) {
        if (popped(i, next) == NO_QUEUE) continue;
        struct tokens *tokens = v->queue + popped(i, next);
        const struct clock *with = tokens->clock + tokens->first;
        for (int e = 0; e < ENGINES; e++)
            if (clock->seen[e] < with->seen[e]) clock->seen[e] = with->seen[e];
        tokens->first = (tokens->first + 1) % QUEUE_DEPTH;
        tokens->count--;
    }
}

void push(struct vta *v, const struct instruction *i) {
    for (int next = 0; next < 2; next++) {
        if (pushed(i, next) == NO_QUEUE) continue;
        struct tokens *tokens = v->queue + pushed(i, next);
        tokens->clock[(tokens->first + tokens->count) % QUEUE_DEPTH] = v->engine[i->engine].clock;
        tokens->count++;
    }
}

/* Why an engine does not go on. */
static int say_waiting(const struct vta *v, enum engine e, char *to, uint32_t size) {
    const struct state *s = v->engine + e;
    if (s->ended == s->total) return snprintf(to, size, "%s has done all its instructions", ENGINE_NAMES[e]);
    const struct instruction *i = v->program + s->own[s->ended];
    if (s->ended == s->fetched)
        return snprintf(to, size, "%s waits for instruction %u to be fetched, and %d wait before it", ENGINE_NAMES[e], i->number,
                        WAITING_INSTRUCTIONS);
    int next = s->running ? has_room(v, pushed(i, 0)) : has_token(v, popped(i, 0));
    return snprintf(to, size, "%s waits at instruction %u, %s, for %s (%s)", ENGINE_NAMES[e], i->number, name_of(i),
                    s->running ? "room for its token" : "a token", QUEUE_NAMES[s->running ? pushed(i, next) : popped(i, next)]);
}

int say_deadlock(struct vta *v) {
    char *to = v->report->message;
    int size = sizeof v->report->message, end = snprintf(to, (uint32_t)size, "deadlock: ");
    for (enum engine e = LOAD; e < ENGINES && end < size; e++) {
        end += say_waiting(v, e, to + end, (uint32_t)(size - end));
        if (e != STORE && end < size) end += snprintf(to + end, (uint32_t)(size - end), "; ");
    }
    return VTA_DEADLOCK;
}

int check_left(struct vta *v) {
    v->now = 0;
    for (int q = 0; q < QUEUES; q++)
        if (v->queue[q].count)
            return refuse(v, VTA_TOKENS, "%u of the tokens of %s are left at the end, which HLS asserts not to be", v->queue[q].count,
                          QUEUE_NAMES[q]);
    return VTA_DONE;
}
