/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the everyday search of each pattern against all its instances in random tiny traces.
 * Every event has a site of its own there, so nothing is left out because it was seen before:
 * what brute force says is possible has to be found.
 *
 *     search TRACES [SEED [EVENTS]]     prints counts; exit code 1: some are missing */
#include "oracle.h"
#include "predict/predict.h"

#include <stdio.h>
#include <string.h>

struct counts {
    uint64_t traces, cycles, triples, pairs, waits, uses, undecided, missing;
};

struct trial {
    struct tiny tiny;
    struct str text;
    uint64_t shift; /* number of an event in the trace, minus its number in tiny */
    int freed;      /* the write that is a free, or -1 */
    uint64_t seed;
    enum mode mode;
    VEC(struct predicted) found;
    struct predictor *predictor;
    struct counts *counts;
};

static void keep(void *arg, const struct predicted *x, enum answer answer)
{
    struct trial *t = arg;
    if (answer == ANSWER_YES)
        vec_push(&t->found, *x);
}

static bool is(const struct predicted *x, const char *pattern, uint32_t count)
{
    uint32_t events = x->about_count ? x->about_count : x->query.count;
    return strcmp(pattern_text(x->pattern->id), pattern) == 0 &&
           (count == 0 || events == count);
}

/* The i-th event that it is about. */
static int at(const struct trial *t, const struct predicted *x, uint32_t i)
{
    return (int)((x->about_count ? x->about[i] : x->query.number[i]) - t->shift);
}

static void complain(struct trial *t, const char *what, const int *e, int count)
{
    struct query q = {.kind = strcmp(what, "deadlock") == 0 ? QUERY_DEADLOCK : QUERY_ORDER,
                      .count = (uint32_t)count};
    for (int i = 0; i < count; i++)
        q.number[i] = (uint64_t)e[i] + t->shift;
    if (predict(t->predictor, &q, NULL) == ANSWER_UNKNOWN) {
        t->counts->undecided++; /* it is not the search that missed it */
        return;
    }
    printf("seed %llu, mode %s: %s not found: events", (unsigned long long)t->seed,
           mode_text(t->mode), what);
    for (int i = 0; i < count; i++)
        printf(" %d", e[i]);
    printf("\n%s", t->text.at);
    t->counts->missing++;
}

/* Of external writes nobody knows whose they are: they are not looked for. */
static bool possible(const struct trial *t, enum query_kind kind, const int *e, int count)
{
    struct query q = {.kind = kind, .count = (uint32_t)count};
    for (int i = 0; i < count; i++) {
        if (t->tiny.ev[e[i]].external)
            return false;
        q.number[i] = (uint64_t)e[i];
    }
    return brute_force(&t->tiny, t->mode, &q);
}

static bool is_access(const struct event *e)
{
    return e->op == OP_R || e->op == OP_W;
}

/* Does one section of a lock hold both events of a thread? */
static bool in_one_section(const struct tiny *y, int a, int b)
{
    for (int i = 0; i < y->len; i++)
        if (y->ev[i].op == OP_ACQ && y->ev[i].thr == y->ev[a].thr &&
            y->ev[i].idx < y->ev[a].idx &&
            (y->ev[i].match < 0 || y->ev[y->ev[i].match].idx > y->ev[b].idx))
            return true;
    return false;
}

/* ---- triples --------------------------------------------------------------------------- */

/* Found, or something that lies inside it: the same remote access between nearer ones. */
static bool has_triple(const struct trial *t, int a, int r, int b)
{
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct predicted *x = &t->found.at[i];
        if (is(x, "atomicity", 3) && at(t, x, 1) == r && at(t, x, 0) >= a && at(t, x, 2) <= b &&
            t->tiny.ev[at(t, x, 0)].thr == t->tiny.ev[a].thr)
            return true;
    }
    return false;
}

static bool is_unserialisable(const struct event *a, const struct event *r,
                              const struct event *b)
{
    return a->obj == r->obj && r->obj == b->obj && a->thr == b->thr && a->thr != r->thr &&
           (r->op == OP_W || (a->op == OP_W && b->op == OP_W));
}

/* A free among the accesses has patterns of its own. */
static bool is_of_block(const struct trial *t, int a)
{
    return t->freed >= 0 && t->tiny.ev[a].obj == t->tiny.ev[t->freed].obj;
}

/* Atomic accesses in a section are there by chance. */
static bool is_by_chance(const struct tiny *y, int a, int r, int b)
{
    return y->ev[a].atomic && y->ev[r].atomic && y->ev[b].atomic;
}

/* It can only come between: then it is meant to. */
static bool is_bound(const struct trial *t, int a, int r, int b)
{
    return !possible(t, QUERY_ORDER, (const int[]){r, a}, 2) &&
           !possible(t, QUERY_ORDER, (const int[]){b, r}, 2);
}

static void check_triples(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = a + 1; b < y->len; b++)
            for (int r = 0; r < y->len; r++) {
                const int e[] = {a, r, b};
                if (!is_access(&y->ev[a]) || !is_access(&y->ev[b]) || !is_access(&y->ev[r]) ||
                    !is_unserialisable(&y->ev[a], &y->ev[r], &y->ev[b]) ||
                    !in_one_section(y, a, b) || is_of_block(t, a) || is_by_chance(y, a, r, b) ||
                    !possible(t, QUERY_ORDER, e, 3))
                    continue;
                t->counts->triples++;
                if (!has_triple(t, a, r, b) && !is_bound(t, a, r, b))
                    complain(t, "triple", e, 3);
            }
}

/* ---- two variables --------------------------------------------------------------------- */

static bool is_pair(const struct tiny *y, int a, int b)
{
    return is_access(&y->ev[a]) && is_access(&y->ev[b]) && !y->ev[a].atomic &&
           !y->ev[b].atomic && y->ev[a].thr == y->ev[b].thr && y->ev[a].op == y->ev[b].op &&
           y->ev[a].obj != y->ev[b].obj && in_one_section(y, a, b);
}

/* Between these threads and variables; a triple of one of the variables will do. */
static bool has_pair(const struct trial *t, int a, int b)
{
    const struct tiny *y = &t->tiny;
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct predicted *x = &t->found.at[i];
        bool first = false, second = false;
        if (!is(x, "atomicity", 0))
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            first |= y->ev[at(t, x, k)].thr == y->ev[a].thr;
            second |= y->ev[at(t, x, k)].thr == y->ev[b].thr;
        }
        if (first && second)
            return true;
    }
    return false;
}

static void check_pairs(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int i = 0; i < y->len; i++)
        for (int l = i + 1; l < y->len; l++)
            for (int j = 0; j < y->len && is_pair(y, i, l); j++)
                for (int k = j + 1; k < y->len; k++) {
                    const int e[] = {i, j, k, l};
                    if (is_of_block(t, i) || is_of_block(t, l) || !is_pair(y, j, k) ||
                        y->ev[i].thr == y->ev[j].thr ||
                        (y->ev[i].op == OP_R && y->ev[j].op == OP_R) ||
                        y->ev[i].obj + y->ev[l].obj != y->ev[j].obj + y->ev[k].obj ||
                        (y->ev[i].obj != y->ev[j].obj && y->ev[i].obj != y->ev[k].obj) ||
                        !possible(t, QUERY_ORDER, e, 4))
                        continue;
                    t->counts->pairs++;
                    if (!has_pair(t, i, j))
                        complain(t, "two variables", e, 4);
                }
}

/* ---- deadlocks ------------------------------------------------------------------------- */

/* Does the thread of q hold what the other request is for, there? */
static bool holds_at(const struct tiny *y, int q, int other)
{
    for (int a = 0; a < y->len; a++)
        if (y->ev[a].op == OP_ACQ && y->ev[a].obj == y->ev[other].obj &&
            y->ev[a].thr == y->ev[q].thr && !(y->ev[a].shared && y->ev[other].shared) &&
            y->ev[a].idx < y->ev[q].idx &&
            (y->ev[a].match < 0 || y->ev[y->ev[a].match].idx > y->ev[q].idx))
            return true;
    return false;
}

static void check_cycles(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = a + 1; b < y->len; b++) {
            const int e[] = {a, b};
            if (y->ev[a].op != OP_ACQ || y->ev[b].op != OP_ACQ ||
                y->ev[a].thr == y->ev[b].thr || !holds_at(y, b, a) || !holds_at(y, a, b) ||
                !possible(t, QUERY_DEADLOCK, e, 2))
                continue;
            uint32_t i = 0;
            while (i < t->found.len &&
                   !(is(&t->found.at[i], "deadlock", 2) && at(t, &t->found.at[i], 0) == a &&
                     at(t, &t->found.at[i], 1) == b))
                i++;
            t->counts->cycles++;
            if (i == t->found.len)
                complain(t, "deadlock", e, 2);
        }
}

/* ---- waits ----------------------------------------------------------------------------- */

static bool is_signal(const struct event *e, int cond)
{
    return (e->op == OP_NOTIFY || e->op == OP_NOTIFYALL) && e->obj == cond;
}

/* A wait that one other thread alone can end: its last signal before the wait is enough. */
static void check_wait(struct trial *t, int acquire)
{
    const struct tiny *y = &t->tiny;
    int enter = y->ev[acquire].pre, e[] = {-1, enter};
    for (int i = 0; i < y->len; i++) {
        if (!is_signal(&y->ev[i], y->ev[enter].obj) || y->ev[i].thr == y->ev[enter].thr)
            continue;
        if (e[0] >= 0 && y->ev[e[0]].thr != y->ev[i].thr)
            return;
        e[0] = i;
    }
    if (e[0] < 0 || !possible(t, QUERY_ORDER, e, 2))
        return;
    uint32_t i = 0;
    while (i < t->found.len &&
           !(is(&t->found.at[i], "lost-wakeup", 2) && at(t, &t->found.at[i], 1) == enter))
        i++;
    t->counts->waits++;
    if (i == t->found.len)
        complain(t, "lost wake-up", e, 2);
}

static void check_waits(struct trial *t)
{
    for (int i = 0; i < t->tiny.len; i++)
        if (t->tiny.ev[i].op == OP_ACQ && t->tiny.ev[i].notify >= 0)
            check_wait(t, i);
}

/* ---- frees ----------------------------------------------------------------------------- */

static void check_uses(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int i = 0; t->freed >= 0 && i < y->len; i++) {
        const int e[] = {t->freed, i};
        if (!is_access(&y->ev[i]) || y->ev[i].obj != y->ev[t->freed].obj ||
            y->ev[i].thr == y->ev[t->freed].thr || !possible(t, QUERY_ORDER, e, 2))
            continue;
        uint32_t k = 0;
        while (k < t->found.len &&
               !(is(&t->found.at[k], "use-after-free", 2) && at(t, &t->found.at[k], 1) == i))
            k++;
        t->counts->uses++;
        if (k == t->found.len)
            complain(t, "use after free", e, 2);
    }
}

/* One write becomes a free of the variable, which is a heap block then. */
static void print_with_free(struct trial *t, struct rng *rng)
{
    const struct tiny *y = &t->tiny;
    t->freed = (int)rng_below(rng, (uint32_t)y->len);
    while (t->freed < y->len && y->ev[t->freed].op != OP_W)
        t->freed++;
    int block = t->freed < y->len ? y->ev[t->freed].obj : -1;
    str_add(&t->text, "T0 alloc p:8 @f.c:1\n");
    for (int i = 0; i < y->len; i++) {
        const struct event *e = &y->ev[i];
        static const char *const names[] = {"read", "write", "acquire", "release", "branch"};
        str_add(&t->text, "T%d %s", e->thr, i == t->freed ? "free" : names[e->op]);
        if (is_access(e) && e->obj == block)
            str_add(&t->text, " p");
        else if (e->op != OP_BR)
            str_add(&t->text, " %c%d", is_access(e) ? 'V' : 'L', e->obj);
        str_add(&t->text, " @f.c:%d\n", i + 2);
    }
    t->freed = block < 0 ? -1 : t->freed;
    t->shift = 1;
}

/* ---- all of it ------------------------------------------------------------------------- */

static void fail(const struct err *err)
{
    fprintf(stderr, "search: %s\n", err->text);
    exit(1);
}

static bool is_plain(const struct tiny *y)
{
    for (int i = 0; i < y->len; i++)
        if (y->ev[i].op > OP_BR)
            return false;
    return true;
}

static void check(struct trial *t)
{
    struct err err;
    struct bytes bytes;
    AUTO(trace) struct trace trace = {0};
    if (bytes_new(&bytes, t->text.len, &err) < 0)
        fail(&err);
    memcpy((void *)(uintptr_t)bytes.at, t->text.at, t->text.len);
    if (trace_open_bytes(&trace, &bytes, "tiny", &err) < 0)
        fail(&err);
    AUTO(model) struct model *m =
        model_build(&trace, &(struct model_opts){.keep_all = true}, &err);
    if (!m)
        fail(&err);
    for (t->mode = MODE_SOUND; t->mode <= MODE_SYNC; t->mode++) {
        AUTO(predictor) struct predictor *p = predictor_new(m, t->mode, &err);
        if (!p)
            fail(&err);
        t->predictor = p;
        t->found.len = 0;
        predict_scan(p, keep, t);
        check_triples(t);
        check_pairs(t);
        check_cycles(t);
        check_waits(t);
        check_uses(t);
    }
    t->counts->traces++;
    vec_done(&t->found);
    str_done(&t->text);
}

int main(int argc, char **argv)
{
    struct counts c = {0};
    uint64_t traces = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint32_t events = argc > 3 ? (uint32_t)strtoull(argv[3], NULL, 10) : 14;
    for (uint64_t i = 0; i < traces && c.missing == 0; i++) {
        struct trial t = {.seed = seed + i, .counts = &c, .freed = -1};
        struct rng rng = {t.seed};
        tiny_make(&t.tiny, &rng, 2 + (int)rng_below(&rng, 3),
                  6 + (int)rng_below(&rng, events - 5), t.seed % 2);
        if (t.tiny.len == 0)
            continue;
        if (is_plain(&t.tiny) && !t.tiny.is_ours)
            print_with_free(&t, &rng);
        else
            tiny_print(&t.tiny, &t.text);
        check(&t);
    }
    printf("%llu traces: %llu deadlocks, %llu triples, %llu of two variables, %llu lost "
           "wake-ups, %llu uses after free: %llu undecided, %llu not found\n",
           (unsigned long long)c.traces, (unsigned long long)c.cycles,
           (unsigned long long)c.triples, (unsigned long long)c.pairs,
           (unsigned long long)c.waits, (unsigned long long)c.uses,
           (unsigned long long)c.undecided, (unsigned long long)c.missing);
    return c.missing > 0;
}
