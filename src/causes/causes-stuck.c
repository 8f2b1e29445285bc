/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-stuck: runs that end because nobody can go on. Locks: each thread of a circle holds
 * one (CAUSE_LOCK) and wants the next one's (CAUSE_WANT). Waits: a thread waits for a condition
 * whose last signal came before (CAUSE_SIGNAL, CAUSE_WAIT).
 *
 * To flip a circle, all of its threads but one stop before they take the lock that they will
 * hold; to force it, all of them stop before they ask for the second one. What comes then is
 * free. */
#include "causes/gather.h"

#include <string.h>

enum {
    CIRCLE_MAX = 64, /* threads of a circle */
    NESTED_MAX = 400 /* locks taken under locks that are looked at */
};

/* A lock that is held while another one is asked for. */
struct nested {
    uint32_t acquire, request; /* events */
    uint32_t held, wanted;     /* objects */
    uint32_t thr;
};

typedef VEC(struct nested) nested_list;

static bool is_lock_request(const struct seen_run *r, uint32_t e)
{
    const struct happening *h = &r->ev[e];
    return h->kind == EV_REQUEST && h->object != NONE;
}

struct holds {
    VEC(uint32_t) acquires; /* of one thread, still held */
};

static void follow(struct holds *t, const struct seen_run *r, uint32_t e)
{
    const struct happening *h = &r->ev[e];
    if (h->kind == EV_ACQUIRE && h->depth <= 1)
        vec_push(&t->acquires, e);
    if (h->kind != EV_RELEASE || h->depth > 0)
        return;
    for (uint32_t i = t->acquires.len; i-- > 0;)
        if (r->ev[t->acquires.at[i]].object == h->object) {
            memmove(&t->acquires.at[i], &t->acquires.at[i + 1],
                    (t->acquires.len - i - 1) * sizeof *t->acquires.at);
            t->acquires.len--;
            return;
        }
}

/* All of the run, or those that their threads ended with. */
static void find_nested(nested_list *out, const struct seen_run *r, bool only_last)
{
    struct holds *threads = mem_zeroed(r->thread_count + 1, sizeof *threads);
    uint32_t *last = mem_zeroed(r->thread_count + 1, sizeof *last);
    for (uint32_t e = 0; e < r->ev_count; e++)
        last[r->ev[e].thr] = e;
    for (uint32_t e = 0; e < r->ev_count; e++) {
        const struct happening *h = &r->ev[e];
        struct holds *t = &threads[h->thr];
        if (is_lock_request(r, e) && (!only_last || last[h->thr] == e))
            for (uint32_t i = 0; i < t->acquires.len; i++) {
                uint32_t acquire = t->acquires.at[i], held = r->ev[acquire].object;
                if (held != h->object)
                    vec_push(out, (struct nested){acquire, e, held, h->object, h->thr});
            }
        follow(t, r, e);
    }
    for (uint32_t i = 0; i < r->thread_count; i++)
        vec_done(&threads[i].acquires);
    free(threads);
    free(last);
}

bool run_keeps_lock(const struct seen_run *r)
{
    struct holds *threads = mem_zeroed(r->thread_count + 1, sizeof *threads);
    bool is_kept = false;
    for (uint32_t e = 0; e < r->ev_count; e++) {
        struct holds *t = &threads[r->ev[e].thr];
        is_kept |= r->ev[e].kind == EV_EXIT && r->ev[e].thr != 0 && t->acquires.len > 0;
        follow(t, r, e);
    }
    for (uint32_t i = 0; i < r->thread_count; i++)
        vec_done(&threads[i].acquires);
    free(threads);
    return is_kept;
}

/* A search for a circle of different threads: the way so far. */
struct circle {
    uint32_t path[CIRCLE_MAX], depth;
    uint32_t budget; /* steps */
};

static bool find_circle(const nested_list *list, uint32_t at, struct circle *c)
{
    c->path[c->depth++] = at;
    for (uint32_t i = 0; i < list->len && c->budget > 0; i++) {
        if (list->at[i].held != list->at[at].wanted)
            continue;
        c->budget--;
        if (i == c->path[0])
            return true;
        bool is_used = c->depth >= CIRCLE_MAX;
        for (uint32_t j = 0; j < c->depth; j++)
            is_used |= list->at[c->path[j]].thr == list->at[i].thr;
        if (!is_used && find_circle(list, i, c))
            return true;
    }
    c->depth--;
    return false;
}

static struct circle circle_new(void)
{
    return (struct circle){.budget = 200000};
}

/* ---- entering --------------------------------------------------------------------------- */

static const char *sync_text(struct gathered *g, const struct seen_run *r, uint32_t object)
{
    AUTO(str) struct str out = {0};
    addr_name_long(&out, &r->trace, r->model->space, r->objects.at[object]);
    return arena_text(g->sites.mem, out.at ? out.at : "?", out.at ? out.len : 1);
}

static void add_key(struct verdict_row *row, uint32_t key)
{
    for (uint32_t i = 0; i < row->keys.len; i++)
        if (row->keys.at[i] == key)
            return;
    vec_push(&row->keys, key);
}

static void set_step(struct gathered *g, const struct seen_run *r, struct possible_cause *s,
                     uint32_t step, uint32_t e)
{
    CHECK(step < CAUSE_STEPS_MAX && e < r->ev_count && r->ev[e].object < r->object_count);
    s->site[step] = r->ev[e].site;
    s->stack[step] = r->ev[e].stack;
    s->variables[step] = sync_text(g, r, r->ev[e].object);
}

static bool has_pair(const struct seen_run *r, const struct possible_cause *s,
                     const struct nested *n)
{
    for (uint32_t i = 0; i + 1 < s->count; i += 2)
        if (s->site[i] == r->ev[n->acquire].site && s->site[i + 1] == r->ev[n->request].site)
            return true;
    return false;
}

/* The circle by its pairs of sites, each once; the smallest first, so that where it was
 * entered does not matter. A circle of one pair is told with two threads. */
static void enter_circle(struct gathered *g, const struct seen_run *r, struct verdict_row *row,
                         const nested_list *list, const uint32_t *path, uint32_t depth)
{
    struct possible_cause s = {.kind = CAUSE_DEADLOCK};
    CHECK(depth >= 2 && depth <= CIRCLE_MAX);
    uint32_t start = 0;
    for (uint32_t i = 1; i < depth; i++)
        if (r->ev[list->at[path[i]].acquire].site < r->ev[list->at[path[start]].acquire].site)
            start = i;
    for (uint32_t i = 0; i < depth && s.count + 2 <= CAUSE_STEPS_MAX; i++) {
        const struct nested *n = &list->at[path[(start + i) % depth]];
        if (has_pair(r, &s, n) && !(i == 1 && depth == 2))
            continue;
        set_step(g, r, &s, s.count++, n->acquire);
        set_step(g, r, &s, s.count++, n->request);
    }
    if (s.count == 2) {
        const struct nested *n = &list->at[path[(start + 1) % depth]];
        set_step(g, r, &s, s.count++, n->acquire);
        set_step(g, r, &s, s.count++, n->request);
    }
    bool is_new;
    add_key(row, possible_number(g, &s, &is_new));
}

/* A thread that ended in a condition wait, and the last signal before it. */
static void enter_wait(struct gathered *g, const struct seen_run *r, struct verdict_row *row,
                       uint32_t enter)
{
    struct possible_cause s = {.kind = CAUSE_WAKEUP};
    for (uint32_t e = enter; e-- > 0;) {
        const struct happening *h = &r->ev[e];
        if ((h->kind != EV_SIGNAL && h->kind != EV_BROADCAST) ||
            h->object != r->ev[enter].object || h->thr == r->ev[enter].thr)
            continue;
        set_step(g, r, &s, s.count++, e);
        set_step(g, r, &s, s.count++, enter);
        bool is_new;
        add_key(row, possible_number(g, &s, &is_new));
        return;
    }
}

static void enter_waits(struct gathered *g, const struct seen_run *r, struct verdict_row *row)
{
    uint32_t *waits = mem_get((r->thread_count + 1) * sizeof *waits);
    memset(waits, 0xff, (r->thread_count + 1) * sizeof *waits);
    for (uint32_t e = 0; e < r->ev_count; e++) {
        uint32_t thr = r->ev[e].thr;
        if (r->ev[e].kind == EV_WAIT_ENTER)
            waits[thr] = e;
        else if (r->ev[e].kind != EV_RELEASE)
            waits[thr] = NONE;
    }
    for (uint32_t t = 0; t < r->thread_count; t++)
        if (waits[t] != NONE)
            enter_wait(g, r, row, waits[t]);
    free(waits);
}

void possible_stuck(struct gathered *g, const struct seen_run *r, struct verdict_row *row)
{
    if (r->failure == NONE ||
        g->out->failures.at[r->failure].outcome != WORD_VALUE(OUTCOME, DEADLOCK))
        return;
    nested_list list = {0};
    struct circle c = circle_new();
    find_nested(&list, r, true);
    for (uint32_t i = 0; i < list.len && c.depth == 0; i++)
        if (find_circle(&list, i, &c))
            enter_circle(g, r, row, &list, c.path, c.depth);
    vec_done(&list);
    enter_waits(g, r, row);
}

/* ---- plans ------------------------------------------------------------------------------ */

static bool flip_circle(struct plan *out, const struct seen_run *r,
                        const struct possible_cause *s)
{
    nested_list list = {0};
    struct circle c = circle_new();
    find_nested(&list, r, true);
    for (uint32_t i = 0; i < list.len && c.depth == 0; i++)
        if (has_pair(r, s, &list.at[i]))
            find_circle(&list, i, &c);
    if (c.depth > 1) {
        out->ev[out->count++] = list.at[c.path[0]].acquire;
        for (uint32_t i = 1; i < c.depth; i++)
            vec_push(&out->wish.cuts, list.at[c.path[i]].acquire);
    }
    vec_done(&list);
    return c.depth > 1;
}

/* Its thread's event before this one; itself if it is the first. */
static uint32_t event_before(const struct seen_run *r, uint32_t e)
{
    for (uint32_t i = e; i-- > 0;)
        if (r->ev[i].thr == r->ev[e].thr)
            return i;
    return e;
}

/* All stand before the lock that they will hold, then all take it, then all stop. */
static void wish_circle(struct plan *out, const struct seen_run *r, const nested_list *list,
                        const struct circle *c)
{
    for (uint32_t i = 0; i < c->depth; i++) {
        uint32_t acquire = list->at[c->path[i]].acquire;
        vec_push(&out->wish.cuts, list->at[c->path[i]].request);
        for (uint32_t j = 0; j < c->depth; j++)
            if (j != i)
                vec_push(
                    &out->wish.firsts,
                    (struct before){event_before(r, list->at[c->path[j]].acquire), acquire});
        if (out->count < CAUSE_STEPS_MAX)
            out->ev[out->count++] = acquire;
    }
}

/* The n-th circle, by where it begins; s NULL: of any sites. */
static bool force_circle(struct plan *out, const struct seen_run *r,
                         const struct possible_cause *s, uint32_t n)
{
    nested_list all = {0}, list = {0};
    struct circle c = circle_new();
    find_nested(&all, r, false);
    for (uint32_t i = 0; i < all.len && list.len < NESTED_MAX; i++)
        if (!s || has_pair(r, s, &all.at[i]))
            vec_push(&list, all.at[i]);
    for (uint32_t i = 0; i < list.len && c.depth == 0; i++)
        if (find_circle(&list, i, &c) && n-- > 0)
            c.depth = 0;
    wish_circle(out, r, &list, &c);
    vec_done(&all);
    vec_done(&list);
    return c.depth > 1;
}

bool plan_circle(struct plan *out, const struct seen_run *r, uint32_t n)
{
    *out = (struct plan){0};
    return force_circle(out, r, NULL, n);
}

/* A signal and a wait of the same condition by two threads, in this order or the other; the
 * n-th, the nearest to the end first. */
static bool find_wait(const struct seen_run *r, const struct possible_cause *s,
                      bool signal_first, uint32_t n, struct before *out)
{
    for (uint32_t w = r->ev_count; w-- > 0;) {
        if (r->ev[w].kind != EV_WAIT_ENTER || r->ev[w].site != s->site[1])
            continue;
        uint32_t best = NONE;
        for (uint32_t e = signal_first ? 0 : w; e < (signal_first ? w : r->ev_count); e++)
            if (r->ev[e].site == s->site[0] && r->ev[e].object == r->ev[w].object &&
                r->ev[e].thr != r->ev[w].thr && (signal_first || best == NONE))
                best = e;
        if (best != NONE && n-- == 0) {
            *out = (struct before){best, w};
            return true;
        }
    }
    return false;
}

bool stuck_flip(struct plan *out, const struct seen_run *r, const struct possible_cause *s)
{
    struct before b;
    *out = (struct plan){0};
    if (s->kind == CAUSE_DEADLOCK)
        return flip_circle(out, r, s);
    if (!find_wait(r, s, true, 0, &b))
        return false;
    wish_before(&out->wish, r, b.to, b.from);
    out->ev[out->count++] = b.to;
    out->ev[out->count++] = b.from;
    return true;
}

bool stuck_force(struct plan *out, const struct seen_run *r, const struct possible_cause *s,
                 uint32_t n)
{
    struct before b;
    *out = (struct plan){0};
    if (s->kind == CAUSE_DEADLOCK)
        return force_circle(out, r, s, n);
    if (!find_wait(r, s, false, n, &b))
        return false;
    wish_before(&out->wish, r, b.from, b.to);
    out->ev[out->count++] = b.from;
    out->ev[out->count++] = b.to;
    return true;
}
