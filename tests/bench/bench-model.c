/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-model: how fast a binary trace becomes a model, what the model costs per event, and
 * what the trace costs on disk. The load looks like a recorded program: 8 threads over locks,
 * shared structs, private arrays, counters, branches and calls; addresses and values drift as
 * they do in loops. Usage: bench-model [million events] */
#include "base/rng.h"
#include "model/model.h"

#include <time.h>

enum { THREADS = 8, LOCKS = 64, STRUCTS = 1024, SITES = 400, RUNS = 3 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void define(struct trace_writer *w)
{
    for (uint32_t i = 0; i < SITES; i++)
        trace_put_site(w,
                       &(struct def_site){.file = {"queue.c", 7},
                                          .function = {"worker", 6},
                                          .line = 10 + i / 3,
                                          .column = 5 + i % 3},
                       NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        trace_put_thread_def(
            w, &(struct def_thread){.parent = i ? 0 : NO_ID, .spawn = i ? i - 1 : 0});
    trace_put_object(
        w, &(struct def_object){.addr = 0x601000, .size = 40 * LOCKS, .name = {"locks", 5}});
    trace_put_object(w, &(struct def_object){.addr = 0x7f0000100000,
                                             .size = 64 * STRUCTS,
                                             .name = {"table", 5}});
}

/* One turn of a thread: lock, read and write a struct, unlock, work on private data. */
static void turn(struct trace_writer *w, struct rng *r, uint32_t thr, uint64_t *counter)
{
    uint32_t s = rng_below(r, STRUCTS), site = (s % 8) * 40;
    uint64_t lock = 0x601000 + 40 * (s % LOCKS), item = 0x7f0000100000 + 64 * (uint64_t)s;
    struct ev sync = {.kind = EV_ACQUIRE, .thr = thr, .site = site, .addr = lock, .number = 1};
    trace_put_event(w, &sync);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t value = (*counter)++ / 8;
        trace_put_access(w, 0, site + 1 + i, item + 8 * i, 3, value);
        if (i == 0)
            trace_put_event(w, &(struct ev){.kind = EV_BRANCH, .thr = thr, .site = site + 4});
        trace_put_access(w, 1, site + 5 + i, item + 8 * i, 3, value + 1);
    }
    trace_put_access(w, 1, site + 8, item + 32, 2, thr);
    sync.kind = EV_RELEASE;
    sync.number = 0;
    sync.site = site + 9;
    trace_put_event(w, &sync);
    uint64_t own = 0x7f1000000000 + ((uint64_t)thr << 24) + *counter % (1 << 18) / 4 * 4;
    for (uint32_t i = 0; i < 6; i++)
        trace_put_access(w, i & 1, site + 10 + i % 4, own + 4 * i, 2, i);
}

static struct bytes make(uint64_t events)
{
    struct rng r = {1};
    struct trace_out *o = trace_out_new(TRACE_BRANCHES | TRACE_VALUES);
    struct trace_writer *w = trace_out_writer(o);
    uint64_t counter = 0;
    struct err err;
    struct bytes b = {0};
    define(w);
    while (w->event_count < events) {
        uint32_t thr = rng_below(&r, THREADS);
        for (uint32_t i = 0; i < 4; i++)
            turn(w, &r, thr, &counter);
    }
    CHECK(trace_out_bytes(o, 0, &b, &err) == 0);
    trace_out_free(o);
    return b;
}

int main(int argc, char **argv)
{
    uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000;
    double start = cpu_seconds();
    struct bytes b = make(events), packed;
    double written = cpu_seconds() - start;
    struct err err;
    CHECK(bytes_pack_zstd(&b, &packed, &err) == 0);
    size_t disk = b.len;
    struct trace t;
    CHECK(trace_open_bytes(&t, &b, "bench", &err) == 0);
    double best = 1e9;
    struct model *m = NULL;
    for (int i = 0; i < RUNS; i++) {
        model_free(m);
        start = cpu_seconds();
        m = model_build(&t, &(struct model_opts){0}, &err);
        CHECK(m);
        double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    double n = (double)m->trace_events;
    printf("trace-write %.1f million-events/s\n", n / written / 1e6);
    printf("model-load %.1f million-events/s\n", n / best / 1e6);
    printf("model-memory %.1f bytes/kept-event\n", (double)m->bytes / m->ev_count);
    printf("model-kept %.0f percent\n", 100.0 * m->ev_count / n);
    printf("trace-disk %.2f bytes/event\n", (double)disk / n);
    printf("trace-packed %.2f bytes/event\n", (double)packed.len / n);
    bytes_done(&packed);
    model_free(m);
    trace_close(&t);
    return 0;
}
