/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp-task: tasks are put aside where they are made, and run by whoever waits in the team:
 * at a barrier any of them, elsewhere those that come from the task that waits. A task comes
 * after what made it and what it depends on; who waits for tasks comes after them. */
#include "rt/openmp.h"

#include <stdlib.h>
#include <string.h>

enum { TIED = 1, FINAL = 2, HAS_DESTROY = 8, DETACHABLE = 64 }; /* flags of compilers */
enum { IS_IN = 1, IS_OUT = 2, IS_TOGETHER = 8 };                /* of a dependence */

/* ---- links ------------------------------------------------------------------------------ */

static void link_add(uint32_t *list, struct omp_link value)
{
    struct openmp *o = rt.openmp;
    uint32_t i = o->free_link;
    if (i)
        o->free_link = o->links[i].next;
    else if ((i = ++o->link_count) >= OMP_LINKS_MAX)
        outcome_unsupported("more than 65536 dependences of OpenMP tasks");
    value.next = *list;
    o->links[i] = value;
    *list = i;
}

static struct omp_link link_take(uint32_t *list)
{
    struct openmp *o = rt.openmp;
    uint32_t i = *list;
    CHECK(i && i < OMP_LINKS_MAX);
    struct omp_link found = o->links[i];
    o->links[i].next = o->free_link;
    o->free_link = i;
    *list = found.next;
    return found;
}

/* ---- lives ------------------------------------------------------------------------------ */

static struct omp_task *task_new(void)
{
    struct openmp *o = rt.openmp;
    for (uint32_t n = 0; n < OMP_TASKS_MAX; n++) {
        struct omp_task *x = &o->tasks[o->task_hint++ % OMP_TASKS_MAX];
        if (x->is_used)
            continue;
        *x = (struct omp_task){.is_used = true, .refs = 1, .ended = x->ended};
        x->done_by = NO_EVENT;
        return x;
    }
    outcome_unsupported("more than 16384 tasks of OpenMP at a time");
}

static void task_drop(struct omp_task *x)
{
    CHECK(x->refs > 0);
    if (--x->refs)
        return;
    omp_task_forget(x);
    if (x->parent)
        task_drop(x->parent);
    x->is_used = false;
}

/* What its children depended on. */
void omp_task_forget(struct omp_task *x)
{
    while (x->given)
        task_drop(link_take(&x->given).task);
    while (x->after)
        link_take(&x->after);
}

static void change(struct thr *t, thing_id *thing, uint64_t *event)
{
    struct call c = omp_call(t);
    if (!*thing)
        *thing = thing_new(THING_OPENMP);
    uint64_t number = thing_change(&c, *thing);
    if (event)
        *event = number;
}

/* The header of a block stands before it. */
struct header {
    struct omp_task *task;
    uint32_t flags;
    uint64_t bytes;
    uint64_t unused; /* what follows is aligned as malloc's */
};

static struct header *header_of(void *block)
{
    return (struct header *)block - 1;
}

void *omp_task_alloc(int32_t flags, size_t bytes, size_t shared_bytes,
                     int32_t (*run)(int32_t, void *))
{
    size_t whole = (bytes + 15) / 16 * 16;
    if (flags & DETACHABLE)
        outcome_unsupported("OpenMP tasks that are detached");
    struct header *h = malloc(sizeof *h + whole + shared_bytes);
    if (!h)
        outcome_unsupported("no memory for a task of OpenMP");
    *h = (struct header){.flags = (uint32_t)flags, .bytes = sizeof *h + whole + shared_bytes};
    struct omp_block *b = (struct omp_block *)(h + 1);
    memset(b, 0, whole + shared_bytes);
    b->run = run;
    b->shared = shared_bytes ? (char *)b + whole : NULL;
    memory_filled(self, b, whole + shared_bytes, __heddle_here);
    return b;
}

/* ---- queue ------------------------------------------------------------------------------ */

static void put_aside(struct omp_team *team, struct omp_task *x)
{
    x->next = NULL;
    if (team->last)
        team->last->next = x;
    else
        team->first = x;
    team->last = x;
    team->queued++;
    omp_stir(team);
}

static bool comes_from(const struct omp_task *x, const struct omp_task *from)
{
    while (x && x != from)
        x = x->parent;
    return x;
}

struct omp_task *omp_task_next(struct omp_member *m, unsigned takes, bool take)
{
    struct omp_team *team = m->team;
    struct omp_task *before = NULL, *x = team->first;
    while (x && takes != TAKES_ANY && !comes_from(x->parent, m->task)) {
        before = x;
        x = x->next;
    }
    if (!x || !take)
        return x;
    *(before ? &before->next : &team->first) = x->next;
    if (team->last == x)
        team->last = before;
    team->queued--;
    struct call c = omp_call(m->worker->thr);
    thing_update(&c, team->taken);
    return x;
}

/* ---- run -------------------------------------------------------------------------------- */

/* What is done here is done, for whoever waits for it. */
static void task_done(struct omp_member *m, struct omp_task *x)
{
    struct omp_team *team = m->team;
    struct thr *t = m->worker->thr;
    stir(t);
    if (x->block)
        free(header_of(x->block));
    x->block = NULL;
    change(t, &x->parent->ended, &x->done_by);
    if (x->group)
        change(t, &x->group->ended, NULL);
    change(t, &team->barrier[team->round & 1], NULL);
    x->is_done = true;
    while (x->tells) {
        struct omp_task *other = link_take(&x->tells).task;
        link_add(&other->after, (struct omp_link){.event = x->done_by});
        if (--other->needs == 0 && other->block)
            put_aside(team, other);
    }
    CHECK(x->parent->children && team->tasks);
    x->parent->children--;
    team->tasks--;
    for (struct omp_group *g = x->group; g; g = g->outer)
        g->tasks--;
    task_drop(x);
    omp_barrier_look(team);
    omp_stir(team);
}

static void hear_all(struct thr *t, struct omp_task *x)
{
    struct call c = omp_call(t);
    while (x->after)
        thing_hear(&c, x->parent->ended, link_take(&x->after).event);
}

void omp_task_run(struct omp_member *m, struct omp_task *x)
{
    struct omp_task *outer = m->task;
    struct thr *t = m->worker->thr;
    int32_t id = (int32_t)m->worker->id;
    CHECK(!x->is_done && !x->needs && x->block);
    if (!x->parent->ended)
        x->parent->ended = thing_new(THING_OPENMP);
    hear_all(t, x);
    m->task = x;
    x->block->run(id, x->block);
    m->task = outer;
    if (x->goes_on) { /* it has asked to be continued later */
        x->goes_on = false;
        change(t, &x->parent->ended, &x->done_by);
        link_add(&x->after, (struct omp_link){.event = x->done_by});
        put_aside(m->team, x);
        return;
    }
    if (x->has_destroy)
        x->block->one.destroy(id, x->block);
    task_done(m, x);
}

static struct omp_task *task_of(struct omp_member *m, void *block)
{
    struct header *h = header_of(block);
    struct omp_task *x = task_new();
    h->task = x;
    x->block = block;
    x->parent = m->task;
    x->parent->refs++;
    x->parent->children++;
    x->group = m->task->group;
    x->is_final = m->task->is_final || h->flags & FINAL;
    x->has_destroy = (h->flags & HAS_DESTROY) != 0;
    m->team->tasks++;
    for (struct omp_group *g = x->group; g; g = g->outer)
        g->tasks++;
    return x;
}

/* ---- dependences ------------------------------------------------------------------------ */

/* Siblings that only read, or that may be in any order, need not wait for each other. */
static bool is_conflict(uint8_t a, uint8_t b)
{
    bool same = (a & ~IS_IN) == (b & ~IS_IN);
    bool is_out = (a | b) & ~(IS_IN | IS_TOGETHER);
    return is_out || !same;
}

static void depend_on(struct omp_task *x, struct omp_task *other)
{
    if (other == x)
        return;
    if (other->is_done) {
        link_add(&x->after, (struct omp_link){.event = other->done_by});
        return;
    }
    link_add(&other->tells, (struct omp_link){.task = x});
    x->needs++;
}

static void find_needs(struct omp_task *x, const struct omp_depend *d, uint8_t kind)
{
    for (uint32_t i = x->parent->given; i; i = rt.openmp->links[i].next) {
        const struct omp_link *l = &rt.openmp->links[i];
        if (l->addr == d->addr && is_conflict(l->kind, kind))
            depend_on(x, l->task);
    }
}

static uint8_t kind_of(const struct omp_depend *d)
{
    return d->flags == IS_IN || d->flags & IS_TOGETHER ? d->flags : IS_OUT;
}

/* is_kept: later siblings may depend on it. */
static void depends(struct omp_task *x, int32_t count, const struct omp_depend *d, bool is_kept)
{
    for (int32_t i = 0; i < count; i++)
        find_needs(x, &d[i], kind_of(&d[i]));
    for (int32_t i = 0; is_kept && i < count; i++) {
        link_add(&x->parent->given,
                 (struct omp_link){.addr = d[i].addr, .kind = kind_of(&d[i]), .task = x});
        x->refs++;
    }
}

/* ---- made ------------------------------------------------------------------------------- */

static bool has_what_it_needs(const struct omp_member *m)
{
    return m->awaited_task->needs == 0;
}

static void await_needs(struct omp_member *m, struct omp_task *x)
{
    const struct omp_task *outer = m->awaited_task;
    m->awaited_task = x;
    omp_wait(m, has_what_it_needs, TAKES_OWN);
    m->awaited_task = outer;
}

void omp_task_make(void *block, int32_t count, const struct omp_depend *d, bool at_once)
{
    struct omp_member *m = omp_me();
    struct thr *t = m->worker->thr;
    struct header *h = header_of(block);
    point(t);
    stir(t);
    if (h->task) {
        h->task->goes_on = true;
        return;
    }
    struct omp_task *x = task_of(m, block);
    at_once |= m->team->size == 1 || m->task->is_final || m->team->queued >= OMP_QUEUED_MAX;
    depends(x, count, d, m->team->size > 1);
    change(t, &m->team->posted, &x->done_by);
    link_add(&x->after, (struct omp_link){.event = x->done_by});
    if (at_once) {
        void *kept = x->block;
        x->block = NULL; /* nobody else is to run it */
        await_needs(m, x);
        x->block = kept;
        omp_task_run(m, x);
    } else if (x->needs == 0) {
        put_aside(m->team, x);
    }
}

/* The compiled code runs it itself. */
void omp_task_begin(void *block)
{
    struct omp_member *m = omp_me();
    struct omp_task *x = task_of(m, block);
    m->task = x;
}

void omp_task_end(void *block)
{
    struct omp_member *m = omp_me();
    struct omp_task *x = header_of(block)->task;
    CHECK(m->task == x);
    m->task = x->parent;
    task_done(m, x);
}

/* ---- waited for -------------------------------------------------------------------------- */

static bool has_no_children(const struct omp_member *m)
{
    return m->task->children == 0;
}

void omp_task_wait(void)
{
    struct omp_member *m = omp_me();
    struct call c = omp_call(m->worker->thr);
    point(c.thr);
    omp_wait(m, has_no_children, TAKES_OWN);
    if (m->task->ended)
        thing_sum(&c, m->task->ended);
}

/* As a task that does nothing. */
void omp_task_await(int32_t count, const struct omp_depend *d)
{
    struct omp_member *m = omp_me();
    struct omp_task *x = task_new();
    point(m->worker->thr);
    x->parent = m->task;
    x->parent->refs++;
    depends(x, count, d, false);
    await_needs(m, x);
    if (!x->parent->ended)
        x->parent->ended = thing_new(THING_OPENMP);
    hear_all(m->worker->thr, x);
    task_drop(x);
}

void omp_task_yield(void)
{
    struct omp_member *m = omp_me();
    point(m->worker->thr);
    sched_yielded(m->worker->thr);
    struct omp_task *x = omp_task_next(m, TAKES_OWN, true);
    if (x)
        omp_task_run(m, x);
}

void omp_group_begin(void)
{
    struct omp_member *m = omp_me();
    for (uint32_t i = 0; i < OMP_GROUPS_MAX; i++) {
        struct omp_group *g = &rt.openmp->groups[i];
        if (g->is_used)
            continue;
        *g = (struct omp_group){.outer = m->task->group, .ended = g->ended, .is_used = true};
        m->task->group = g;
        return;
    }
    outcome_unsupported("more than 4096 groups of OpenMP tasks at a time");
}

static bool is_group_done(const struct omp_member *m)
{
    return m->task->group->tasks == 0;
}

void omp_group_end(void)
{
    struct omp_member *m = omp_me();
    struct omp_group *g = m->task->group;
    struct call c = omp_call(m->worker->thr);
    CHECK(g && g->is_used);
    point(c.thr);
    omp_wait(m, is_group_done, TAKES_OWN);
    if (g->ended)
        thing_sum(&c, g->ended);
    m->task->group = g->outer;
    g->is_used = false;
}

/* ---- loops of tasks ---------------------------------------------------------------------- */

static void *copy_of(void *block, const struct omp_bounds *b, bool is_last)
{
    struct header *h = header_of(block);
    struct omp_block *from = block;
    uint64_t bytes = h->bytes;
    struct header *made = malloc(bytes);
    if (!made)
        outcome_unsupported("no memory for a task of OpenMP");
    memory_read(self, block, bytes - sizeof *h, __heddle_here);
    memcpy(made, h, bytes);
    struct omp_block *to = (struct omp_block *)(made + 1);
    if (from->shared)
        to->shared = (char *)to + ((char *)from->shared - (char *)from);
    memory_filled(self, to, bytes - sizeof *h, __heddle_here);
    if (b->copy)
        b->copy(to, from, is_last);
    return to;
}

static void one_part(void *block, const struct omp_bounds *b, const uint64_t part[2],
                     bool is_last, bool is_deferred)
{
    uint64_t from = (uint64_t)((const char *)b->low - (const char *)block);
    uint64_t to = (uint64_t)((const char *)b->high - (const char *)block);
    char *made = copy_of(block, b, is_last);
    memcpy(made + from, &part[0], sizeof part[0]);
    memcpy(made + to, &part[1], sizeof part[1]);
    memory_filled(self, made + from, sizeof part[0], __heddle_here);
    memory_filled(self, made + to, sizeof part[1], __heddle_here);
    omp_task_make(made, 0, NULL, !is_deferred);
}

void omp_task_loop(void *block, bool is_deferred, const struct omp_bounds *b, bool has_group)
{
    struct omp_member *m = omp_me();
    uint64_t low = *b->low, high = *b->high;
    bool is_empty = b->step > 0 ? (int64_t)high<(int64_t)low : (int64_t)high>(int64_t) low;
    uint64_t span = b->step > 0 ? high - low : low - high;
    uint64_t by = (uint64_t)(b->step > 0 ? b->step : -b->step);
    uint64_t trips = is_empty || !by ? 0 : span / by + 1;
    uint64_t parts = b->how == 1   ? trips / (b->grain ? b->grain : 1)
                     : b->how == 2 ? b->grain
                                   : 2 * (uint64_t)m->team->size;
    parts = parts > trips ? trips : parts ? parts : 1;
    if (has_group)
        omp_group_begin();
    for (uint64_t i = 0, at = 0; i < parts && trips; i++) {
        uint64_t count = trips / parts + (i < trips % parts);
        uint64_t part[2] = {low + at * (uint64_t)b->step,
                            low + (at + count - 1) * (uint64_t)b->step};
        at += count;
        one_part(block, b, part, i + 1 == parts, is_deferred);
    }
    free(header_of(block));
    if (has_group)
        omp_group_end();
}
