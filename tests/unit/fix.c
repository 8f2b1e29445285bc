/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of fix/: the 17 patterns against all quadruples of events of small random traces. */
#include "fix/patterns.h"

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
        (d->m = model_build(&d->t, &(struct model_opts){true}, &err)))
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
        at += (size_t)snprintf(text + at, room - at, "T%u %s %c %s; ", rng_below(rng, threads),
                               what, "xyz"[rng_below(rng, 2 + (i & 1))], value);
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
    qsort(found.at, found.len, sizeof *found.at, by_bytes);
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
