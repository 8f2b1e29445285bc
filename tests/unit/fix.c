/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of fix/: the 17 patterns against all quadruples of events of small random traces, and
 * other orders of such traces against all orders. */
#include "causes/gather.h"

#include "base/rng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

struct made {
    struct trace t;
    struct model *m;
};

static bool made_init(struct made *d, const char *text)
{
    struct bytes b;
    struct err err;
    *d = (struct made){0};
    CHECK(bytes_new(&b, strlen(text), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, strlen(text));
    if (trace_open_bytes(&d->t, &b, "test", &err) == 0 &&
        (d->m = model_build(&d->t, &(struct model_opts){.keep_all = true}, &err)))
        return true;
    FAIL("%s: %s", text, err.text);
    return false;
}

static void made_done(struct made *d)
{
    model_free(d->m);
    trace_close(&d->t);
}

typedef VEC(struct mined) mined_list;

static void keep(void *arg, const struct mined *m)
{
    mined_list *list = arg;
    for (uint32_t i = 0; i < list->len; i++)
        if (memcmp(&list->at[i], m, sizeof *m) == 0)
            return;
    vec_push(list, *m);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct mined));
}

/* ---- brute force ------------------------------------------------------------------------- */

static bool touches(const struct model *m, ev_id e, cell_id c, bool writes)
{
    if (!model_reads(m, e) && !model_writes(m, e))
        return false;
    struct span s = model_cells(m, e);
    return c >= s.first && c < s.first + s.count &&
           (writes ? model_writes(m, e) : model_reads(m, e));
}

static uint32_t count_own(const struct model *m, ev_id from, ev_id to, cell_id c)
{
    uint32_t count = 0;
    for (ev_id e = from + 1; e <= to; e++)
        count += m->ev[e].thr == m->ev[to].thr &&
                 (c == NONE ? model_reads(m, e) || model_writes(m, e)
                            : touches(m, e, c, true) || touches(m, e, c, false));
    return count;
}

/* Nobody writes the cell between them; what an update read was overwritten by itself. */
static bool is_pair(const struct model *m, ev_id a, ev_id b, cell_id c, bool a_writes)
{
    for (ev_id e = a + 1; e < b; e++)
        if (touches(m, e, c, true))
            return false;
    return a_writes || !model_writes(m, a);
}

static bool is_last(const struct model *m, ev_id q, ev_id before, cell_id c, bool writes)
{
    for (ev_id e = q + 1; e < before; e++)
        if (m->ev[e].thr == m->ev[q].thr && touches(m, e, c, writes))
            return false;
    return true;
}

/* No access of the same thread between them is of the first one's site. */
static bool is_latest(const struct model *m, ev_id p, ev_id before, cell_id c)
{
    for (ev_id e = p + 1; e < before; e++)
        if (m->ev[e].thr == m->ev[p].thr && model_site(m, e) == model_site(m, p) &&
            (touches(m, e, c, true) || touches(m, e, c, false)))
            return false;
    return true;
}

static bool is_apart(const struct model *m, ev_id a, ev_id b, uint32_t most)
{
    return count_own(m, a < b ? a : b, a < b ? b : a, NONE) <= most;
}

static bool fits(const struct model *m, const struct pattern_row *row, const struct mined *x)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const struct pattern_step *s = &row->step[i];
        if (!touches(m, x->ev[i], x->cell[s->variable], s->writes) ||
            (m->ev[x->ev[i]].thr == m->ev[x->ev[0]].thr) != (s->thread == 0) ||
            (s->thread == 1 && m->ev[x->ev[i]].thr != m->ev[x->ev[1]].thr))
            return false;
    }
    if (row->count == 2)
        return is_pair(m, x->ev[0], x->ev[1], x->cell[0], row->step[0].writes);
    if (row->count == 3)
        return count_own(m, x->ev[0], x->ev[2], x->cell[0]) <= PATTERN_LOCAL &&
               is_latest(m, x->ev[0], x->ev[2], x->cell[0]) &&
               is_last(m, x->ev[1], x->ev[2], x->cell[0], row->step[1].writes);
    for (uint32_t v = 0; v < 2; v++) {
        uint32_t i = 0, j = 3;
        while (row->step[i].variable != v)
            i++;
        while (row->step[j].variable != v)
            j--;
        if (!is_pair(m, x->ev[i], x->ev[j], x->cell[v], row->step[i].writes))
            return false;
    }
    uint32_t last = row->step[3].thread == 0 ? 3 : 2, b = row->step[2].thread == 1 ? 2 : 3;
    return is_apart(m, x->ev[0], x->ev[last], PATTERN_NEAR) &&
           is_apart(m, x->ev[1], x->ev[b], PATTERN_NEAR);
}

static void choose(const struct model *m, uint32_t pattern, struct mined *x, uint32_t step,
                   mined_list *out)
{
    const struct pattern_row *row = &pattern_rows[pattern];
    if (step == row->count) {
        if (fits(m, row, x))
            keep(out, x);
        return;
    }
    for (ev_id e = step ? x->ev[step - 1] + 1 : 0; e < m->ev_count; e++) {
        x->ev[step] = e;
        choose(m, pattern, x, step + 1, out);
    }
}

static void brute(const struct model *m, mined_list *out)
{
    for (uint32_t p = 1; p < 18; p++)
        for (cell_id c = 0; c < m->cell_count; c++)
            for (cell_id d = 0; d < m->cell_count; d++) {
                struct mined x = {.pattern = p, .cell = {c, d}};
                if (pattern_rows[p].count < 4 && d > 0)
                    continue;
                if (pattern_rows[p].count < 4)
                    x.cell[1] = NONE;
                else if (c == d)
                    continue;
                choose(m, p, &x, 0, out);
            }
}

/* ---- random traces ---------------------------------------------------------------------- */

static void make_text(char *text, size_t room, struct rng *rng)
{
    uint32_t count = 6 + rng_below(rng, 10), threads = 2 + rng_below(rng, 2);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sort = rng_below(rng, 9);
        const char *what = sort == 8 ? "rmw" : sort & 1 ? "write" : "read";
        const char *value = sort == 8 ? "0 -> 0 seq_cst" : "0";
        at += (size_t)snprintf(
            text + at, room - at, "T%u %s %c %s @a.c:%u; ", rng_below(rng, threads), what,
            "xyz"[rng_below(rng, 2 + (i & 1))], value, 1 + rng_below(rng, 4));
    }
}

static void compare(const char *text, uint32_t *seen)
{
    struct made d;
    mined_list found = {0}, wanted = {0};
    if (!made_init(&d, text))
        return;
    patterns_mine(d.m, keep, &found);
    brute(d.m, &wanted);
    if (found.len)
        qsort(found.at, found.len, sizeof *found.at, by_bytes);
    if (wanted.len)
        qsort(wanted.at, wanted.len, sizeof *wanted.at, by_bytes);
    if (found.len != wanted.len ||
        (found.len && memcmp(found.at, wanted.at, found.len * sizeof *found.at) != 0))
        FAIL("%u patterns found, there are %u: %s", found.len, wanted.len, text);
    for (uint32_t i = 0; i < wanted.len; i++)
        seen[wanted.at[i].pattern]++;
    vec_done(&found);
    vec_done(&wanted);
    made_done(&d);
}

TEST(patterns_are_those_of_brute_force)
{
    struct rng rng = {20180903};
    uint32_t seen[18] = {0};
    char text[1024];
    for (int i = 0; i < 600; i++) {
        make_text(text, sizeof text, &rng);
        compare(text, seen);
    }
    for (uint32_t p = 1; p < 18; p++)
        if (seen[p] < 10)
            FAIL("pattern %u was there %u times only", p, seen[p]);
}

TEST(a_lost_update_is_pattern_7)
{
    struct made d;
    mined_list found = {0};
    REQUIRE(made_init(&d, "T0 read x 0; T1 read x 0; T1 write x 1; T0 write x 1"));
    patterns_mine(d.m, keep, &found);
    uint32_t lost = 0;
    for (uint32_t i = 0; i < found.len; i++)
        lost += found.at[i].pattern == 7 && found.at[i].ev[0] == 0 && found.at[i].ev[1] == 2 &&
                found.at[i].ev[2] == 3;
    EXPECT_EQ(lost, 1);
    vec_done(&found);
    made_done(&d);
}

/* ---- another order ---------------------------------------------------------------------- */

/* A run without files: only what its order depends on. */
static bool run_init(struct seen_run *r, struct made *d, struct site_table *sites,
                     const char *text)
{
    struct err err;
    *r = (struct seen_run){0};
    if (!made_init(d, text))
        return false;
    r->trace = d->t;
    r->model = d->m;
    if (seen_run_read(r, sites, &err) == 0)
        return true;
    FAIL("%s: %s", text, err.text);
    return false;
}

static void run_done_quietly(struct seen_run *r, struct made *d)
{
    vec_done(&r->objects);
    free(r->ev);
    made_done(d);
}

/* Programs of three threads with locks, as they could run: each thread's lock sections nest. */
static void make_locked(char *text, size_t room, struct rng *rng)
{
    bool held[3][2] = {{false}};
    size_t at = 0;
    for (uint32_t i = 0; i < 14; i++) {
        uint32_t t = rng_below(rng, 3), l = rng_below(rng, 2), what = rng_below(rng, 4);
        bool is_free = !held[0][l] && !held[1][l] && !held[2][l];
        const char *verb = NULL;
        char object = "LM"[l];
        if (what == 0 && is_free) {
            verb = "acquire";
            held[t][l] = true;
        } else if (what == 1 && held[t][l]) {
            verb = "release";
            held[t][l] = false;
        } else if (what > 1) {
            verb = what == 2 ? "read" : "write";
            object = "xy"[l];
        }
        if (verb)
            at += (size_t)snprintf(text + at, room - at, "T%u %s %c%s; ", t, verb, object,
                                   what > 1 ? " 0" : "");
    }
    if (at == 0)
        snprintf(text, room, "T0 read x 0; ");
}

/* Program order, locks and wishes: whether these events may follow each other. */
static bool may_follow(const struct seen_run *r, const uint64_t *order, uint32_t count,
                       uint32_t e, const struct wish *w)
{
    for (uint32_t i = 0; i < w->firsts.len; i++) {
        uint32_t j = 0;
        while (j < count && order[j] != w->firsts.at[i].from)
            j++;
        if (w->firsts.at[i].to == e && j == count)
            return false;
    }
    uint32_t owner = NONE;
    for (uint32_t i = 0; i < e; i++) {
        uint32_t j = 0;
        while (j < count && order[j] != i)
            j++;
        if (r->ev[i].thr == r->ev[e].thr && j == count)
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct happening *h = &r->ev[order[i]];
        if (order[i] == e)
            return false;
        if (h->object == r->ev[e].object && h->kind == EV_ACQUIRE)
            owner = h->thr;
        if (h->object == r->ev[e].object && h->kind == EV_RELEASE)
            owner = NONE;
    }
    return r->ev[e].kind != EV_ACQUIRE || owner == NONE;
}

static bool exists(const struct seen_run *r, const struct wish *w, uint64_t *order,
                   uint32_t count, uint32_t *budget)
{
    if (count == r->ev_count)
        return true;
    for (uint32_t e = 0; e < r->ev_count && *budget > 0; e++) {
        if (!may_follow(r, order, count, e, w))
            continue;
        --*budget;
        order[count] = e;
        if (exists(r, w, order, count + 1, budget))
            return true;
    }
    return false;
}

/* However many stretches begin and end at the same events. */
TEST(many_stretches_are_kept_together)
{
    AUTO(arena) struct arena mem = {0};
    struct site_table sites = {.mem = &mem};
    struct seen_run r;
    struct made d;
    REQUIRE(run_init(&r, &d, &sites, "T0 write x 1; T1 write y 1; T0 write x 2; "));
    struct wish w = {0};
    vec_push(&w.stretches, (struct stretch){1, 1});
    for (uint32_t i = 0; i < 256; i++)
        vec_push(&w.stretches, (struct stretch){0, 2});
    event_order order = {0};
    REQUIRE(order_make(&order, &r, &w) == 0 && order.len == 3);
    EXPECT(order.at[0] == 0 && order.at[1] == 2 && order.at[2] == 1);
    vec_done(&order);
    vec_done(&w.stretches);
    site_table_done(&sites);
    run_done_quietly(&r, &d);
}

/* What comes out is an order in which it could happen, and fulfils the wish. That it finds none
 * where there is one may happen, and is counted. */
TEST(another_order_is_legal)
{
    struct rng rng = {9};
    uint32_t made = 0, missed = 0;
    for (int i = 0; i < 400; i++) {
        AUTO(arena) struct arena mem = {0};
        struct site_table sites = {.mem = &mem};
        struct seen_run r;
        struct made d;
        char text[1024];
        make_locked(text, sizeof text, &rng);
        REQUIRE(run_init(&r, &d, &sites, text));
        struct wish w = {0};
        uint32_t p = rng_below(&rng, r.ev_count), q = rng_below(&rng, r.ev_count);
        if (r.ev[p].thr != r.ev[q].thr)
            wish_before(&w, &r, p, q);
        event_order order = {0};
        uint64_t brute[64];
        uint32_t budget = 20000;
        bool is_possible = exists(&r, &w, brute, 0, &budget);
        if (order_make(&order, &r, &w) == 0) {
            made++;
            for (uint32_t k = 0; k < order.len; k++)
                if (!may_follow(&r, order.at, k, (uint32_t)order.at[k], &w))
                    FAIL("event %u cannot come there: %s", (unsigned)order.at[k], text);
            for (uint32_t k = 0; k < w.firsts.len; k++) {
                uint32_t from = 0, to = 0;
                while (from < order.len && order.at[from] != w.firsts.at[k].from)
                    from++;
                while (to < order.len && order.at[to] != w.firsts.at[k].to)
                    to++;
                EXPECT(from < to && to < order.len);
            }
        } else if (is_possible) {
            missed++;
        }
        vec_done(&order);
        vec_done(&w.firsts);
        site_table_done(&sites);
        run_done_quietly(&r, &d);
    }
    EXPECT(made > 250);
    EXPECT(missed < 20);
}
