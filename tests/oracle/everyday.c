/* SPDX-License-Identifier: Apache-2.0
 *
 * everyday: what the everyday search finds in random tiny traces is what brute force says is
 * possible, for every pattern; and races, uses that may come before the only write, uses of
 * what may have been freed, what may come between two accesses of a section, deadlocks of locks
 * by any number of threads, and circles of two threads that wait for semaphores, locks and each
 * other's end, are all found.
 *
 * Each event has a site of its own, and what follows a read in its thread uses what was read.
 *
 *     everyday TRACES [SEED [EVENTS]]     prints counts; exit code 1: they differ */
#include "oracle.h"
#include "predict/predict.h"

#include <stdio.h>
#include <string.h>

struct counts {
    uint64_t traces, found, races, early, circles, deadlocks, freed, between, undecided, wrong,
        missing;
};

struct trial {
    struct tiny tiny;
    struct str text;
    uint64_t seed;
    enum mode mode;
    VEC(struct predicted) found;
    struct predictor *predictor;
    int freed; /* the event that frees V0, or -1 */
    struct counts *counts;
};

static void keep(void *arg, const struct predicted *x, enum answer answer)
{
    struct trial *t = arg;
    if (answer == ANSWER_YES)
        vec_push(&t->found, *x);
}

static void complain(struct trial *t, const char *what, const struct query *q, uint64_t *count)
{
    printf("seed %llu, mode %s: %s: kind %d, events", (unsigned long long)t->seed,
           mode_text(t->mode), what, (int)q->kind);
    for (uint32_t i = 0; i < q->count; i++)
        printf(" %llu", (unsigned long long)q->number[i]);
    printf("\n%s", t->text.at);
    ++*count;
}

/* It is possible, and the search has not found it. */
static void miss(struct trial *t, const char *what, const struct query *q)
{
    if (predict(t->predictor, q, NULL) == ANSWER_UNKNOWN)
        t->counts->undecided++; /* it is not the search that missed it */
    else
        complain(t, what, q, &t->counts->missing);
}

static void check_found(struct trial *t)
{
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct query *q = &t->found.at[i].query;
        t->counts->found++;
        if (!brute_force(&t->tiny, t->mode, q))
            complain(t, "found, but impossible", q, &t->counts->wrong);
    }
}

/* Is there a finding of this pattern about these two? */
static bool has_found(const struct trial *t, const char *pattern, int a, int b)
{
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct predicted *x = &t->found.at[i];
        const uint64_t *e = x->about_count ? x->about : x->query.number;
        if (strcmp(pattern_text(x->pattern->id), pattern) == 0 && e[0] == (uint64_t)a &&
            e[1] == (uint64_t)b)
            return true;
    }
    return false;
}

/* ---- races ------------------------------------------------------------------------------- */

static bool is_access(const struct event *e)
{
    return (e->op == OP_R || e->op == OP_W) && !e->external;
}

/* No two events have the same place, so each pair is one of its own. */
static void check_races(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = a + 1; b < y->len; b++) {
            const struct event *x = &y->ev[a], *z = &y->ev[b];
            struct query q = {
                .kind = QUERY_RACE, .count = 2, .number = {(uint64_t)a, (uint64_t)b}};
            if (a == t->freed || b == t->freed || /* what frees has a pattern of its own */
                !is_access(x) || !is_access(z) || x->thr == z->thr || x->obj != z->obj ||
                (x->op == OP_R && z->op == OP_R) || (x->atomic && z->atomic) ||
                !brute_force(y, t->mode, &q))
                continue;
            t->counts->races++;
            if (!has_found(t, "race", a, b))
                miss(t, "race not found", &q);
        }
}

/* ---- uses that may come too early ------------------------------------------------------ */

/* The only write of what r reads, by another thread, that nobody has read before; or -1. */
static int only_write(const struct tiny *y, int r)
{
    int only = -1;
    for (int i = 0; i < y->len; i++) {
        const struct event *e = &y->ev[i];
        if (e->obj != y->ev[r].obj || (e->op != OP_W && !op_reads(e->op)))
            continue;
        if (e->op == OP_W ? only >= 0 || e->external || e->thr == y->ev[r].thr : only < 0)
            return -1;
        only = e->op == OP_W ? i : only;
    }
    return only;
}

/* What comes next in the thread uses it for something else than a test. */
static bool is_used(const struct tiny *y, int r)
{
    int thr = y->ev[r].thr, next = y->ev[r].idx + 1;
    const struct event *e = next < y->count[thr] ? &y->ev[y->at[thr][next]] : NULL;
    return e && (e->op == OP_W || e->op == OP_R) && !e->external;
}

static void check_early(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int r = 0; r < y->len; r++) {
        int w =
            y->ev[r].op == OP_R && !y->ev[r].atomic && is_used(y, r) ? only_write(y, r) : -1;
        struct query q = {
            .kind = QUERY_ORDER, .count = 2, .number = {(uint64_t)r, (uint64_t)w}};
        if (w < 0 || w == t->freed || y->ev[r].obs != w || !brute_force(y, t->mode, &q))
            continue;
        t->counts->early++;
        if (!has_found(t, "order", r, w) && !has_found(t, "uninitialised", r, w))
            miss(t, "use before the write not found", &q);
    }
}

/* ---- uses of what has been freed --------------------------------------------------------- */

/* In some traces the last plain write of V0 is told as the free of a block: a free is a write
 * of all that the block has. Or -1. */
static int free_of(const struct tiny *y)
{
    int last = -1;
    bool is_named = false; /* by an access that comes before it */
    for (int i = 0; i < y->len; i++) {
        if (y->ev[i].obj != 0 || (y->ev[i].op != OP_W && y->ev[i].op != OP_R))
            continue;
        if (y->ev[i].external || y->ev[i].atomic)
            return -1;
        if (y->ev[i].op == OP_W && is_named)
            last = i;
        is_named = true;
    }
    return last;
}

static void check_freed(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int e = 0; t->freed >= 0 && e < y->len; e++) {
        struct query q = {
            .kind = QUERY_ORDER, .count = 2, .number = {(uint64_t)t->freed, (uint64_t)e}};
        if (!is_access(&y->ev[e]) || y->ev[e].obj != 0 || e == t->freed ||
            y->ev[e].thr == y->ev[t->freed].thr || !brute_force(y, t->mode, &q))
            continue;
        t->counts->freed++;
        if (!has_found(t, "use-after-free", t->freed, e))
            miss(t, "use after free not found", &q);
    }
}

/* ---- what comes between two accesses of a section -------------------------------------- */

static bool in_one_section(const struct tiny *y, int a, int b)
{
    for (int q = 0; q < y->len; q++) {
        const struct event *e = &y->ev[q];
        if (e->op == OP_ACQ && e->thr == y->ev[a].thr && e->idx < y->ev[a].idx &&
            (e->match < 0 || y->ev[e->match].idx > y->ev[b].idx))
            return true;
    }
    return false;
}

/* The thread's next access to the same variable, or -1: nobody knows whose it is. */
static int next_access(const struct tiny *y, int a)
{
    int thr = y->ev[a].thr;
    for (int i = y->ev[a].idx + 1; i < y->count[thr]; i++) {
        const struct event *e = &y->ev[y->at[thr][i]];
        if ((e->op == OP_R || e->op == OP_W) && e->obj == y->ev[a].obj)
            return e->external ? -1 : y->at[thr][i];
    }
    return -1;
}

/* No order of the three in which the two come one after the other has the same effect. */
static bool is_shape(const struct tiny *y, int a, int r, int b)
{
    bool wa = y->ev[a].op == OP_W, wr = y->ev[r].op == OP_W, wb = y->ev[b].op == OP_W;
    return wr ? !(wa && wb) : wa && wb;
}

static bool has_between(const struct trial *t, int a, int r, int b)
{
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct predicted *x = &t->found.at[i];
        const uint64_t *e = x->about_count ? x->about : x->query.number;
        if (x->pattern->id == PATTERN_ATOMICITY && e[0] == (uint64_t)a && e[1] == (uint64_t)r &&
            e[2] == (uint64_t)b)
            return true;
    }
    return false;
}

static void check_between(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++) {
        int b = is_access(&y->ev[a]) ? next_access(y, a) : -1;
        for (int r = 0; b >= 0 && r < y->len; r++) {
            struct query q = {.kind = QUERY_ORDER,
                              .count = 3,
                              .number = {(uint64_t)a, (uint64_t)r, (uint64_t)b}};
            if (!is_access(&y->ev[r]) || y->ev[r].thr == y->ev[a].thr ||
                y->ev[r].obj != y->ev[a].obj || a == t->freed || b == t->freed ||
                r == t->freed || !is_shape(y, a, r, b) || !in_one_section(y, a, b) ||
                (y->ev[a].atomic && y->ev[r].atomic && y->ev[b].atomic) ||
                !brute_force(y, t->mode, &q))
                continue;
            t->counts->between++;
            if (!has_between(t, a, r, b))
                miss(t, "access between not found", &q);
        }
    }
}

/* ---- circles ----------------------------------------------------------------------------- */

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

static bool posts_later(const struct tiny *y, int q, int sem)
{
    for (int i = q; i < y->len; i++)
        if (y->ev[i].thr == y->ev[q].thr && y->ev[i].op == OP_POST && y->ev[i].obj == sem)
            return true;
    return false;
}

/* Does a wait for what b's thread, standing before b, has or does later? */
static bool waits_for(const struct tiny *y, int a, int b)
{
    switch (y->ev[a].op) {
    case OP_ACQ:
        return y->ev[a].notify < 0 && holds_at(y, b, a);
    case OP_JOIN:
        return y->ev[a].obj == y->ev[b].thr;
    case OP_TAKE:
        return posts_later(y, b, y->ev[a].obj);
    default:
        return false;
    }
}

static void check_circles(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; y->threads == 2 && a < y->len; a++)
        for (int b = a + 1; b < y->len; b++) {
            struct query q = {
                .kind = QUERY_BLOCKED, .count = 2, .number = {(uint64_t)a, (uint64_t)b}};
            if (y->ev[a].thr == y->ev[b].thr ||
                (y->ev[a].op != OP_TAKE && y->ev[b].op != OP_TAKE) || !waits_for(y, a, b) ||
                !waits_for(y, b, a) || !brute_force(y, t->mode, &q))
                continue;
            t->counts->circles++;
            if (!has_found(t, "deadlock", a, b))
                miss(t, "circle not found", &q);
        }
}

/* ---- circles of locks, of as many threads as there are --------------------------------- */

struct circle {
    struct query q;
    bool used[THREADS_CAP];
};

/* Is there a finding of a deadlock of just these? */
static bool has_circle(const struct trial *t, const struct query *q)
{
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct predicted *x = &t->found.at[i];
        uint32_t same = 0;
        for (uint32_t k = 0; k < q->count; k++)
            for (uint32_t j = 0; j < x->query.count; j++)
                same += x->query.number[j] == q->number[k];
        if (x->pattern->id == PATTERN_DEADLOCK && x->query.count == q->count &&
            same == q->count)
            return true;
    }
    return false;
}

static void close_circle(struct trial *t, const struct circle *c)
{
    const struct tiny *y = &t->tiny;
    int first = (int)c->q.number[0], last = (int)c->q.number[c->q.count - 1];
    if (c->q.count < 2 || !waits_for(y, last, first) || !brute_force(y, t->mode, &c->q))
        return;
    t->counts->deadlocks++;
    if (!has_circle(t, &c->q))
        miss(t, "deadlock not found", &c->q);
}

/* The first event of a circle is its earliest; the next one has what each waits for. */
static void extend_circle(struct trial *t, struct circle *c)
{
    const struct tiny *y = &t->tiny;
    close_circle(t, c);
    for (int e = (int)c->q.number[0] + 1; e < y->len && c->q.count < QUERY_MAX; e++) {
        if (y->ev[e].op != OP_ACQ || c->used[y->ev[e].thr] ||
            !waits_for(y, (int)c->q.number[c->q.count - 1], e))
            continue;
        c->used[y->ev[e].thr] = true;
        c->q.number[c->q.count++] = (uint64_t)e;
        extend_circle(t, c);
        c->q.count--;
        c->used[y->ev[e].thr] = false;
    }
}

static void check_deadlocks(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int e = 0; e < y->len; e++) {
        struct circle c = {.q = {.kind = QUERY_BLOCKED, .count = 1, .number = {(uint64_t)e}}};
        c.used[y->ev[e].thr] = true;
        if (y->ev[e].op == OP_ACQ)
            extend_circle(t, &c);
    }
}

/* ---- traces with circles ----------------------------------------------------------------- */

struct maker {
    struct tiny *t;
    int owner[LOCKS_CAP], acquire[LOCKS_CAP], level[SEMS_CAP];
};

static int put(struct maker *m, int thr, enum op op, int obj)
{
    struct tiny *t = m->t;
    t->ev[t->len] =
        (struct event){.op = op,
                       .thr = thr,
                       .obj = obj,
                       .idx = t->count[thr],
                       .obs = -1,
                       .match = -1,
                       .pre = -1,
                       .notify = -1,
                       .number = op == OP_POST || op == OP_TAKE ? m->level[obj] : 0};
    t->at[thr][t->count[thr]++] = t->len;
    return t->len++;
}

static void use_semaphore(struct maker *m, int thr, int sem, bool post)
{
    if (!post && m->level[sem] == 0)
        return;
    m->level[sem] += post ? 1 : -1;
    put(m, thr, post ? OP_POST : OP_TAKE, sem);
}

static void use_lock(struct maker *m, int thr, int lock)
{
    if (m->owner[lock] < 0) {
        m->acquire[lock] = put(m, thr, OP_ACQ, lock);
        m->owner[lock] = thr;
    } else if (m->owner[lock] == thr) {
        int release = put(m, thr, OP_REL, lock), acquire = m->acquire[lock];
        m->t->ev[release].match = acquire;
        m->t->ev[acquire].match = release;
        m->owner[lock] = -1;
    }
}

/* Up to four threads and three locks, and nothing else. */
static void locks_make(struct tiny *t, struct rng *rng, int want)
{
    struct maker m = {.t = t, .owner = {-1, -1, -1}};
    memset(t, 0, sizeof *t);
    memset(t->fork, 0xff, sizeof t->fork);
    t->threads = 2 + (int)rng_below(rng, 3);
    t->is_ours = t->has_choices = true;
    for (int tries = 0; tries < 40 * want && t->len < want; tries++)
        use_lock(&m, (int)rng_below(rng, (uint32_t)t->threads), (int)rng_below(rng, LOCKS_CAP));
}

/* Two threads, two semaphores that begin with a unit, two locks, and nothing else. */
static void circles_make(struct tiny *t, struct rng *rng, int want)
{
    struct maker m = {.t = t, .owner = {-1, -1, -1}, .level = {1, 1}};
    memset(t, 0, sizeof *t);
    memset(t->fork, 0xff, sizeof t->fork);
    t->threads = 2;
    t->is_ours = t->has_choices = true;
    t->level[0] = t->level[1] = 1;
    for (int tries = 0; tries < 40 * want && t->len < want; tries++) {
        int thr = (int)rng_below(rng, 2), obj = (int)rng_below(rng, 2);
        if (rng_below(rng, 2))
            use_semaphore(&m, thr, obj, rng_below(rng, 2));
        else
            use_lock(&m, thr, obj);
    }
}

/* ---- all of it ------------------------------------------------------------------------- */

/* Every event with a site, which depends on the read right before it in the thread. */
static void print_with_sites(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    AUTO(str) struct str plain = {0};
    tiny_print(y, &plain);
    const char *at = strchr(plain.at, '\n') + 1;
    str_bytes(&t->text, plain.at, (size_t)(at - plain.at));
    for (int i = 0; i < y->len; i++) {
        int thr = y->ev[i].thr, idx = y->ev[i].idx;
        int before = idx > 0 ? y->at[thr][idx - 1] : -1;
        str_add(&t->text, "site %d f.c:%d in f ordinal %d", i, i + 1, i + 1);
        if (before >= 0 && y->ev[before].op == OP_R)
            str_add(&t->text, " from %d", before + 1);
        str_char(&t->text, '\n');
    }
    for (int i = 0; i < y->len; i++) {
        size_t len = strcspn(at, "\n");
        if (i == t->freed)
            str_add(&t->text, "T%d free V0", y->ev[i].thr);
        else
            str_bytes(&t->text, at, len);
        str_add(&t->text, " @%d\n", i);
        at += len + 1;
    }
}

static void fail(const struct err *err)
{
    fprintf(stderr, "everyday: %s\n", err->text);
    exit(1);
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
        check_found(t);
        check_races(t);
        check_early(t);
        check_circles(t);
        check_deadlocks(t);
        check_freed(t);
        check_between(t);
    }
    t->counts->traces++;
    vec_done(&t->found);
}

int main(int argc, char **argv)
{
    struct counts c = {0};
    uint64_t traces = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint32_t events = argc > 3 ? (uint32_t)strtoull(argv[3], NULL, 10) : 14;
    for (uint64_t i = 0; i < traces && c.missing + c.wrong == 0; i++) {
        struct trial t = {.seed = seed + i, .counts = &c};
        struct rng rng = {t.seed};
        int want = 6 + (int)rng_below(&rng, events - 5);
        if (t.seed % 3 == 0)
            circles_make(&t.tiny, &rng, want);
        else if (t.seed % 7 == 0)
            locks_make(&t.tiny, &rng, want);
        else
            tiny_make(&t.tiny, &rng, 2 + (int)rng_below(&rng, 3), want, true);
        t.freed = t.seed % 4 == 1 && t.tiny.is_ours ? free_of(&t.tiny) : -1;
        if (t.tiny.len > 0) {
            print_with_sites(&t);
            check(&t);
        }
        str_done(&t.text);
    }
    printf("%llu traces: %llu findings, %llu wrong; %llu races, %llu uses before the write, "
           "%llu circles, %llu deadlocks, %llu uses of what is freed, %llu between: "
           "%llu undecided, %llu not found\n",
           (unsigned long long)c.traces, (unsigned long long)c.found,
           (unsigned long long)c.wrong, (unsigned long long)c.races,
           (unsigned long long)c.early, (unsigned long long)c.circles,
           (unsigned long long)c.deadlocks, (unsigned long long)c.freed,
           (unsigned long long)c.between, (unsigned long long)c.undecided,
           (unsigned long long)c.missing);
    return c.missing + c.wrong > 0;
}
