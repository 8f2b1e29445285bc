/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-std: how fast an uncompressed STD file becomes a binary trace in memory, on one core,
 * parsing and encoding included. The load is shape S of the public comparisons: 8 threads,
 * 50 locks that each guard 20 of 1000 variables, sections of 2 to 9 accesses, some nested,
 * about 1 % of all accesses unguarded. Usage: bench-std [million events] */
#include "base/rng.h"
#include "trace/trace.h"

#include <time.h>

enum { THREADS = 8, LOCKS = 50, VARIABLES = 1000, DEPTH_MAX = 3, RUNS = 3 };

struct worker {
    uint32_t held[DEPTH_MAX], depth, left; /* locks, and accesses to do in the section */
};

struct load {
    struct rng rng;
    struct worker workers[THREADS];
    bool taken[LOCKS];
    uint64_t event_count;
    FILE *out;
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put(struct load *l, uint32_t thr, const char *op, char letter, uint32_t id,
                uint32_t loc)
{
    fprintf(l->out, "T%u|%s(%c%u)|%u\n", thr, op, letter, id, loc);
    l->event_count++;
}

/* A free lock above those held: no cycles. False if the one picked is not free. */
static bool enter(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t above = w->depth ? w->held[w->depth - 1] + 1 : 0;
    if (above == LOCKS)
        return false;
    uint32_t lock = above + rng_below(&l->rng, LOCKS - above);
    if (l->taken[lock])
        return false;
    if (w->depth == 0)
        w->left = 2 + rng_below(&l->rng, 8);
    l->taken[lock] = true;
    w->held[w->depth++] = lock;
    put(l, thr, "acq", 'L', lock, (w->depth == 1 ? 0 : LOCKS) + lock);
    return true;
}

static void leave(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t lock = w->held[--w->depth];
    l->taken[lock] = false;
    w->left = w->depth ? rng_below(&l->rng, 3) : 0;
    put(l, thr, "rel", 'L', lock, 2 * LOCKS + lock);
}

static void access_guarded(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t guard = w->held[rng_below(&l->rng, w->depth)];
    uint32_t variable = guard + LOCKS * rng_below(&l->rng, VARIABLES / LOCKS);
    bool writes = rng_below(&l->rng, 3) == 0;
    put(l, thr, writes ? "w" : "r", 'V', variable, 150 + 2 * (variable % 120) + writes);
    w->left--;
}

static void access_bare(struct load *l, uint32_t thr)
{
    uint32_t variable = rng_below(&l->rng, VARIABLES);
    bool writes = rng_below(&l->rng, 4) == 0;
    put(l, thr, writes ? "w" : "r", 'V', variable, 400 + 2 * (variable % 50) + writes);
}

/* One step of the thread; false if it has to wait. */
static bool step(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    if (w->depth == 0) {
        if (rng_below(&l->rng, 20) > 0)
            return enter(l, thr);
        access_bare(l, thr);
    } else if (w->left == 0) {
        leave(l, thr);
    } else if (w->depth == DEPTH_MAX || rng_below(&l->rng, 20) > 0 || !enter(l, thr)) {
        access_guarded(l, thr);
    }
    return true;
}

static void write_load(FILE *out, uint64_t events)
{
    struct load l = {.rng = {1}, .out = out};
    uint32_t thr = 0;
    for (uint32_t i = 1; i < THREADS; i++)
        put(&l, 0, "fork", 'T', i, i);
    while (l.event_count < events)
        if (!step(&l, thr) || rng_below(&l.rng, 8) == 0)
            thr = rng_below(&l.rng, THREADS);
    for (thr = 0; thr < THREADS; thr++)
        while (l.workers[thr].depth > 0)
            leave(&l, thr);
    for (uint32_t i = 1; i < THREADS; i++)
        put(&l, 0, "join", 'T', i, 10 + i);
}

/* Seconds from a closed file to a finished trace. */
static double import(const char *path, uint64_t *event_count)
{
    AUTO(bytes) struct bytes in = {0}, out = {0};
    struct trace_head head;
    struct err err;
    uint32_t dropped;
    double start = cpu_seconds();
    CHECK(bytes_read(&in, path, &err) == 0);
    CHECK(std_read(&in, path, &out, &dropped, &err) == 0);
    double took = cpu_seconds() - start;
    memcpy(&head, out.at, sizeof head);
    *event_count = head.event_count;
    return took;
}

int main(int argc, char **argv)
{
    uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000, found = 0;
    char path[] = "/tmp/heddle-bench-XXXXXX";
    FILE *out = fdopen(mkstemp(path), "w");
    CHECK(out);
    write_load(out, events);
    CHECK(fclose(out) == 0);
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double took = import(path, &found);
        best = took < best ? took : best;
    }
    unlink(path);
    printf("std-import %.2f million-events/s\n", (double)found / best / 1e6);
    return 0;
}
