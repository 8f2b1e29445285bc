/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of model/: hand-written traces for sections, waits and lives, and random traces against
 * a second, stupid model that follows every byte of memory by itself. */
#include "model/model.h"

#include "base/rng.h"
#include "test.h"

#include <string.h>

struct made {
    struct trace t;
    struct model *m;
};

static struct made *made_of_bytes(struct bytes *b, bool keep_all)
{
    struct made *made = mem_get(sizeof *made);
    struct err err;
    *made = (struct made){0};
    if (trace_open_bytes(&made->t, b, "test", &err) < 0 ||
        !(made->m = model_build(&made->t, &(struct model_opts){.keep_all = keep_all}, &err))) {
        FAIL("%s", err.text);
        free(made);
        return NULL;
    }
    model_check(made->m);
    return made;
}

static struct made *model_of(const char *text)
{
    struct bytes b;
    struct err err;
    CHECK(bytes_new(&b, strlen(text), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, strlen(text));
    return made_of_bytes(&b, false);
}

static void made_free(struct made *made)
{
    if (!made)
        return;
    model_free(made->m);
    trace_close(&made->t);
    free(made);
}

static void auto_made(struct made **made)
{
    made_free(*made);
}

TEST(reads_see_the_last_write)
{
    AUTO(made) struct made *d = model_of("T0 write x 1; T1 read x 1; T1 write x 2; T0 read x 2;"
                                         "T0 read y 0; T1 write y 3");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 6);
    EXPECT_EQ(d->m->link[1], 0);
    EXPECT_EQ(d->m->link[3], 2);
    EXPECT_EQ(d->m->link[4], NONE);
    EXPECT_EQ(d->m->cell_count, 2);
}

TEST(private_memory_is_dropped_and_counted)
{
    AUTO(made) struct made *d = model_of("T0 write mine 1; T0 read mine 1; T0 write ours 1;"
                                         "T1 read ours 1; T1 read other 0");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 2);
    EXPECT_EQ(d->m->dropped.private_accesses, 3);
    EXPECT_EQ(model_number(d->m, 0), 2);
    EXPECT_EQ(model_find(d->m, 3), 1);
    EXPECT_EQ(model_find(d->m, 0), NONE);
}

TEST(a_free_by_another_thread_shares_the_block)
{
    AUTO(made) struct made *d = model_of("T0 alloc p:16; T0 write p+8:4 1; T1 free p;"
                                         "T0 alloc q:16; T0 write q+8:4 1; T0 free q");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 2);
    EXPECT_EQ(d->m->ev[1].kind, EV_FREE);
    EXPECT(model_writes(d->m, 1));
}

TEST(a_block_is_new_memory_each_time)
{
    AUTO(made) struct made *d =
        model_of("T0 alloc p=0x5000:16; T0 write p 1; T1 read p 1; T0 free p;"
                 "T1 alloc q=0x5000:16; T1 read q 7; T0 write q 1");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 5);
    EXPECT_EQ(d->m->link[3], NONE); /* not the write to p */
    EXPECT_EQ(d->m->cell_count, 2);
    AUTO(str) struct str name = {0};
    cell_name(&name, d->m, d->m->obj[3]);
    EXPECT(strncmp(name.at, "heap#1(", 7) == 0);
}

TEST(a_use_after_free_is_an_access_to_the_block)
{
    AUTO(made) struct made *d =
        model_of("T0 alloc p:16; T0 free p; T1 read 0x10000:4 0;"
                 "T0 alloc r=0x20000:8; T0 free r; T1 read 0x20000:8 0");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev[d->m->ev_count - 1].kind, EV_READ);
    EXPECT_EQ(d->m->link[d->m->ev_count - 1], d->m->ev_count - 2);
}

TEST(accesses_of_different_sizes_are_cut_into_cells)
{
    AUTO(made) struct made *d =
        model_of("T0 write u:8 1; T1 write u+4:2 2; T0 read u:8 3; T1 read u:4 1");
    REQUIRE(d);
    const struct model *m = d->m;
    REQUIRE(m->cell_count == 2); /* bytes 0-4 and 4-6; T0 alone has 6-8 */
    struct span s = model_cells(m, 2);
    EXPECT_EQ(s.count, 2);
    EXPECT_EQ(model_source(m, 2, s.first), 0);
    EXPECT_EQ(model_source(m, 2, s.first + 1), 1);
    EXPECT_EQ(model_cells(m, 3).count, 1);
    EXPECT_EQ(m->cells[s.first + 1].len, 2);
}

TEST(sections_match_and_nest_freely)
{
    AUTO(made) struct made *d =
        model_of("T0 acquire A; T0 acquire B; T0 release A; T0 acquire C;"
                 "T0 release B; T1 acquire A");
    REQUIRE(d);
    const struct model *m = d->m;
    EXPECT_EQ(m->link[0], 2);
    EXPECT_EQ(m->link[1], 4);
    EXPECT_EQ(m->link[4], 1);
    EXPECT_EQ(m->link[3], NONE);
    EXPECT_EQ(m->link[5], NONE);
    uint32_t i = model_held(m, 0, 4); /* after acquire C: C, B */
    REQUIRE(i != NONE);
    EXPECT_EQ(m->acquires[i], 3);
    i = model_held_next(m, i, 4);
    REQUIRE(i != NONE);
    EXPECT_EQ(m->acquires[i], 1);
    EXPECT_EQ(model_held_next(m, i, 4), NONE);
    EXPECT_EQ(model_held(m, 0, 0), NONE);
}

TEST(reentrant_locking_is_folded)
{
    AUTO(made) struct made *d =
        model_of("T0 acquire A; T0 acquire A depth 2; T0 release A depth 1;"
                 "T0 release A; T1 release A failed");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 2);
    EXPECT_EQ(d->m->link[0], 1);
    EXPECT_EQ(d->m->dropped.inner_locks, 2);
    EXPECT_EQ(d->m->dropped.unheld_releases, 1);
}

TEST(a_wait_knows_its_parts_and_its_waker)
{
    AUTO(made) struct made *d =
        model_of("T0 acquire L; T0 wait-enter C; T0 release L waiting; T1 acquire L;"
                 "T1 signal C; T1 release L; T0 acquire L waiting; T0 wait-leave C by #4");
    REQUIRE(d);
    REQUIRE(d->m->wait_count == 1);
    const struct wait *w = &d->m->waits[0];
    EXPECT_EQ(w->enter, 1);
    EXPECT_EQ(w->release, 2);
    EXPECT_EQ(w->acquire, 6);
    EXPECT_EQ(w->leave, 7);
    EXPECT_EQ(w->notify, 4);
}

TEST(imported_waits_are_woken_in_their_order)
{
    AUTO(made) struct made *d = model_of(
        "A|acq(L)|1\nA|wait_pre(C)|2\nA|rel(L)|2\nB|acq(L)|1\nB|wait_pre(C)|2\nB|rel(L)|2\n"
        "E|notify(C)|3\nE|notifyall(C)|4\nA|acq(L)|2\nA|wait_post(C)|2\n");
    REQUIRE(d);
    REQUIRE(d->m->wait_count == 2);
    EXPECT_EQ(d->m->waits[0].notify, 6);
    EXPECT_EQ(d->m->waits[1].notify, 7);
    EXPECT_EQ(d->m->waits[1].acquire, NONE);
}

TEST(a_bare_wait_stands_for_four_events)
{
    AUTO(made) struct made *d = model_of(
        "A|acq(K)|1\nA|acq(L)|1\nA|wait(N)|2\nB|acq(L)|1\nB|notify(N)|3\nB|rel(L)|1\nA|r(x)|5\n"
        "B|w(x)|6\n");
    REQUIRE(d);
    REQUIRE(d->m->wait_count == 1);
    const struct model *m = d->m;
    const struct wait *w = &m->waits[0];
    EXPECT_EQ(m->ev[w->release].kind, EV_RELEASE);
    EXPECT_EQ(model_number(m, w->release), 2);
    EXPECT_EQ(model_number(m, w->acquire), 6);
    EXPECT_EQ(m->ev[w->notify].kind, EV_SIGNAL);
    EXPECT_EQ(m->obj[w->release], m->obj[1]);
}

TEST(a_wait_between_release_and_acquire_owns_them)
{
    AUTO(made) struct made *d = model_of(
        "A|acq(L)|1\nA|rel(L)|2\nA|wait(L)|2\nB|notify(L)|3\nA|req(L)|2\nA|acq(L)|2\n");
    REQUIRE(d);
    REQUIRE(d->m->wait_count == 1);
    const struct wait *w = &d->m->waits[0];
    EXPECT_EQ(model_number(d->m, w->release), 1);
    EXPECT_EQ(model_number(d->m, w->acquire), 5);
    EXPECT_EQ(model_number(d->m, w->notify), 3);
}

TEST(idle_branches_are_dropped_but_not_the_first)
{
    AUTO(made) struct made *d =
        model_of("T0 branch; T0 branch; T0 read x 0; T0 branch; T0 branch;"
                 "T1 write x 1; T1 branch");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 5);
    EXPECT_EQ(d->m->dropped.branches, 2);
}

TEST(threads_know_who_created_them)
{
    AUTO(made) struct made *d = model_of("T0 create T1; T1 start; T1 exit; T0 join T1");
    REQUIRE(d);
    EXPECT_EQ(d->m->threads[0].create, NONE);
    EXPECT_EQ(d->m->threads[1].create, 0);
    EXPECT_EQ(d->m->obj[3], 1);
}

static bool has_pair(const struct need *at, uint32_t count, ev_id from, ev_id to)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i].from == from && at[i].to == to)
            return true;
    return false;
}

TEST(things_of_the_system_order_what_was_told_of_them)
{
    AUTO(made) struct made *d =
        model_of("T0 change x; T1 look x; T2 change x; T1 sum x; T0 change x; T0 change x;"
                 "T2 change y; T1 hear x by #0");
    REQUIRE(d);
    const struct model *m = d->m;
    EXPECT_EQ(m->need_count, 3);
    EXPECT(has_pair(m->needs, m->need_count, 0, 3) && has_pair(m->needs, m->need_count, 2, 3) &&
           has_pair(m->needs, m->need_count, 0, 7));
    EXPECT_EQ(m->bar_count, 3); /* of each thread's later changes the first */
    EXPECT(has_pair(m->bars, m->bar_count, 1, 2) && has_pair(m->bars, m->bar_count, 1, 4) &&
           has_pair(m->bars, m->bar_count, 3, 4));
}

TEST(what_others_say_may_be_taken_for_no_answer)
{
    AUTO(made) struct made *d =
        model_of("T0 change 0x100000000000008; T1 sum 0x100000000000008; T0 input 0 len 1;"
                 "T1 input 1 len 1; T0 change x; T1 sum x; T1 external-write y:4 1");
    REQUIRE(d);
    EXPECT(d->t.hears_outside && d->m->need_count == 4);
    struct err err;
    d->t.forgets = true;
    AUTO(model) struct model *m = model_build(&d->t, &(struct model_opts){0}, &err);
    REQUIRE(m);
    EXPECT_EQ(m->need_count, 1);
    EXPECT(has_pair(m->needs, m->need_count, 4, 5));
}

TEST(a_request_stays_only_where_a_thread_is_stuck)
{
    AUTO(made) struct made *d =
        model_of("T0 request A; T0 acquire A; T1 request A; T0 request A");
    REQUIRE(d);
    EXPECT_EQ(d->m->ev_count, 3);
    EXPECT_EQ(d->m->ev[1].kind, EV_REQUEST);
}

/* ---- against a model that follows every byte --------------------------------------------- */

enum {
    BASE = 0x1000,
    SLOTS = 4,
    SLOT_BYTES = 64,
    HEAP = 0x1100,
    END = HEAP + SLOTS * SLOT_BYTES
};
enum { MAX_EVENTS = 60, THREADS = 3 };

struct byte {
    uint32_t writer;  /* number of the event, or NONE */
    uint32_t threads; /* who touched it in this life, as bits */
    uint32_t life;
};

/* What the stupid model knows of one event. */
struct naive_event {
    uint64_t addr, len; /* len 0: no access */
    bool reads, writes;
    uint32_t thr;
    uint32_t source[END - BASE]; /* by byte */
    uint32_t life[END - BASE];
};

struct naive {
    struct byte bytes[END - BASE];
    uint32_t threads_of[MAX_EVENTS][END - BASE]; /* by life, byte */
    struct naive_event events[MAX_EVENTS];
    uint32_t count, lives;
    uint64_t block_len[SLOTS]; /* 0: never allocated */
};

static void naive_access(struct naive *n, const struct ev *e, uint64_t len, bool r, bool w)
{
    struct naive_event *v = &n->events[n->count];
    *v = (struct naive_event){
        .addr = e->addr, .len = len, .reads = r, .writes = w, .thr = e->thr};
    for (uint64_t a = e->addr - BASE; a < e->addr - BASE + len; a++) {
        v->source[a] = n->bytes[a].writer;
        v->life[a] = n->bytes[a].life;
        n->threads_of[n->bytes[a].life][a] |= 1u << e->thr;
        if (w)
            n->bytes[a].writer = n->count;
    }
}

static void naive_alloc(struct naive *n, const struct ev *e)
{
    n->lives++;
    for (uint64_t a = e->addr - BASE; a < e->addr - BASE + e->len; a++)
        n->bytes[a] = (struct byte){.writer = NONE, .life = n->lives};
    n->block_len[(e->addr - HEAP) / SLOT_BYTES] = e->len;
}

static void put(struct trace_writer *w, struct naive *n, struct ev *e)
{
    uint64_t slot = (e->addr - HEAP) / SLOT_BYTES;
    switch (e->kind) {
    case EV_READ:
        naive_access(n, e, e->size, true, false);
        break;
    case EV_WRITE:
        naive_access(n, e, e->size, false, true);
        break;
    case EV_RMW:
        naive_access(n, e, e->size, true, true);
        break;
    case EV_CAS:
        naive_access(n, e, e->size, true, !(e->flags & FLAG(FAILED)));
        break;
    case EV_READ_RANGE:
        naive_access(n, e, e->len, true, false);
        break;
    case EV_WRITE_RANGE:
        naive_access(n, e, e->len, false, true);
        break;
    case EV_FREE:
        naive_access(n, e, n->block_len[slot], false, true);
        break;
    default:
        naive_alloc(n, e);
    }
    trace_put_event(w, e);
    n->count++;
}

/* Accesses lie in the static objects (which touch each other) or in one live block. */
static bool random_place(struct rng *r, const struct naive *n, struct ev *e, uint64_t len)
{
    if (rng_below(r, 2)) {
        e->addr = BASE + rng_below(r, 72 - (uint32_t)len);
        return true;
    }
    uint32_t slot = rng_below(r, SLOTS);
    if (n->block_len[slot] < len)
        return false;
    e->addr = HEAP + slot * SLOT_BYTES + rng_below(r, (uint32_t)(n->block_len[slot] - len + 1));
    return true;
}

static void random_event(struct rng *r, struct trace_writer *w, struct naive *n)
{
    static const uint8_t kinds[] = {EV_READ,        EV_READ,  EV_READ,  EV_WRITE,
                                    EV_WRITE,       EV_RMW,   EV_CAS,   EV_READ_RANGE,
                                    EV_WRITE_RANGE, EV_ALLOC, EV_ALLOC, EV_FREE};
    struct ev e = {.kind = kinds[rng_below(r, sizeof kinds)], .thr = rng_below(r, THREADS)};
    uint32_t slot = rng_below(r, SLOTS);
    if (e.kind == EV_ALLOC || e.kind == EV_FREE) {
        e.addr = HEAP + slot * SLOT_BYTES;
        e.len = 1 + rng_below(r, SLOT_BYTES);
        if (e.kind == EV_FREE && n->block_len[slot] == 0)
            return;
    } else {
        e.size = (uint8_t)(1u << rng_below(r, 4));
        e.len = 1 + rng_below(r, 40);
        e.flags = e.kind == EV_CAS && rng_below(r, 2) ? FLAG(FAILED) : 0;
        bool range = e.kind == EV_READ_RANGE || e.kind == EV_WRITE_RANGE;
        if (!random_place(r, n, &e, range ? e.len : e.size))
            return;
    }
    put(w, n, &e);
}

static struct bytes random_trace(struct rng *r, struct naive *n)
{
    struct trace_out *o = trace_out_new(TRACE_BRANCHES);
    struct trace_writer *w = trace_out_writer(o);
    struct bytes b = {0};
    struct err err;
    trace_put_site(w, &(struct def_site){.line = 1}, NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        trace_put_thread_def(w, &(struct def_thread){.parent = NO_ID});
    for (uint32_t i = 0; i < 3; i++) /* 20, 20 and 32 bytes, side by side */
        trace_put_object(w, &(struct def_object){.addr = BASE + 20 * i,
                                                 .size = i == 2 ? 32 : 20,
                                                 .name = {"abc" + i, 1}});
    memset(n, 0, sizeof *n);
    for (uint32_t i = 0; i < END - BASE; i++)
        n->bytes[i].writer = NONE;
    uint32_t want = 5 + rng_below(r, MAX_EVENTS - 6);
    for (uint32_t i = 0; i < 10 * want && n->count < want; i++)
        random_event(r, w, n);
    CHECK(trace_out_bytes(o, 0, &b, &err) == 0);
    trace_out_free(o);
    return b;
}

/* How many bytes of its access each event has in the model, and that each is right. */
static bool same_sources(const struct naive *n, const struct model *m, uint32_t *covered)
{
    for (ev_id e = 0; e < m->ev_count; e++) {
        const struct naive_event *v = &n->events[model_number(m, e)];
        if (m->ev[e].kind == EV_ALLOC)
            continue;
        struct span s = model_cells(m, e);
        if (model_reads(m, e) != v->reads || model_writes(m, e) != v->writes)
            return false;
        for (cell_id c = s.first; c < s.first + s.count; c++)
            for (uint64_t a = m->cells[c].addr; a < m->cells[c].addr + m->cells[c].len; a++) {
                if (a - v->addr >= v->len)
                    return false;
                covered[model_number(m, e)]++;
                ev_id w = v->reads ? model_source(m, e, c) : NONE;
                if (v->reads && (w == NONE ? NONE : model_number(m, w)) != v->source[a - BASE])
                    return false;
            }
    }
    return true;
}

static bool agrees(const struct naive *n, const struct model *m, bool keep_all)
{
    uint32_t covered[MAX_EVENTS] = {0};
    if (!same_sources(n, m, covered))
        return false;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct naive_event *v = &n->events[i];
        uint32_t want = 0;
        for (uint64_t a = v->addr - BASE; v->len && a < v->addr - BASE + v->len; a++)
            want += keep_all || __builtin_popcount(n->threads_of[v->life[a]][a]) > 1;
        if (covered[i] != want)
            return false;
    }
    return true;
}

TEST(random_traces_agree_with_a_model_of_bytes)
{
    struct naive *n = mem_get(sizeof *n);
    for (uint64_t seed = 1; seed <= 4000; seed++)
        for (int keep_all = 0; keep_all < 2; keep_all++) {
            struct rng r = {seed};
            struct bytes b = random_trace(&r, n);
            AUTO(made) struct made *d = made_of_bytes(&b, keep_all);
            if (!d || !agrees(n, d->m, keep_all)) {
                FAIL("seed %llu, keep_all %d", (unsigned long long)seed, keep_all);
                free(n);
                return;
            }
        }
    free(n);
}
