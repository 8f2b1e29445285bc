/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: one walk over the trace. Each thread remembers the locks it holds and its last few
 * accesses; when an event comes that the witness is about, it becomes a step, and so does what
 * its thread remembers of it: the acquires of what it holds, and earlier accesses to the same
 * place. */
#include "explain/explain.h"

#include <string.h>

enum {
    RECENT = 8,    /* accesses that a thread remembers */
    BEFORE_MAX = 2 /* of those, steps of the same place before one that matters */
};

/* An event that the witness is about. */
struct key {
    const struct witness_line *line;
    uint32_t thr;        /* in the trace, or NONE as long as it has not begun */
    VEC(uint32_t) sites; /* of the trace that are its site */
    uint64_t seen;
    bool is_done;
};

struct memory {
    struct ev e;
    uint64_t number;
};

/* An event that the finding is about, told before any run has followed the witness; the witness
 * itself need not name it: a check in another function, a write that comes of itself. */
struct about {
    const struct finding_step *step;
    const struct finding_thread *thread;
    struct memory before, after; /* its last time before what the witness asks for; its first
                                  * behind that; number NO_EVENT: never */
};

struct hold {
    uint64_t lock;
    struct memory taken;
};

struct walk_thread {
    VEC(struct hold) held; /* in the order taken */
    struct ev asked;       /* the last request for a lock; kind 0: it has what it asked for */
    struct memory recent[RECENT];
    uint32_t recent_count;
};

struct shown_row {
    uint64_t number; /* of the event; NO_EVENT: it never came */
    uint32_t thr;
    struct finding_step step;
};

struct walk {
    struct trace *t;
    struct space *space;
    struct arena *mem;
    const struct witness_file *w; /* NULL: the events are known by their numbers */
    const uint64_t *numbers;
    uint32_t number_count;
    VEC(struct key) keys;
    VEC(struct about) abouts;
    uint32_t keys_done;
    VEC(struct walk_thread) threads;
    struct map created; /* thread -> the site where it was */
    VEC(struct shown_row) rows;
    struct namer namer;
};

/* ---- names ----------------------------------------------------------------------------- */

static struct place place_of(struct walk *w, uint32_t site)
{
    return place_of_site(w->mem, &w->t->sites.at[site]);
}

static enum action action_of(const struct ev *e)
{
    switch (e->kind) {
    case EV_ACQUIRE:
        return e->flags & FLAG(SHARED) ? ACTION_READ_LOCK : ACTION_LOCK;
    case EV_RELEASE:
        return ACTION_UNLOCK;
    case EV_RMW:
    case EV_CAS:
        return ACTION_UPDATE;
    case EV_ATOMIC_LOAD:
        return ACTION_READ;
    case EV_ATOMIC_STORE:
        return ACTION_WRITE;
    default:
        return (enum action)e->kind;
    }
}

static bool has_value(const struct walk *w, const struct ev *e)
{
    return (w->t->head.flags & TRACE_VALUES) && e->kind <= EV_CAS && e->kind != EV_BRANCH &&
           e->kind != EV_ENTER && e->kind != EV_LEAVE;
}

static const struct object *object_at(const struct walk *w, uint64_t addr)
{
    obj_id id = space_find(w->space, addr);
    return id == NONE ? NULL : space_object(w->space, id);
}

/* Signed if that is shorter; an address by the name of what it points to. */
static const char *value_of(struct walk *w, const struct ev *e)
{
    AUTO(str) struct str text = {0};
    if (!has_value(w, e))
        return "";
    uint64_t v = e->kind == EV_RMW || (e->kind == EV_CAS && !(e->flags & FLAG(FAILED)))
                     ? e->value2
                     : e->value;
    unsigned shift = e->size < 8 ? 64 - 8U * e->size : 0;
    int64_t number = (int64_t)(v << shift) >> shift;
    if (number > -1000000000 && number < 1000000000)
        str_add(&text, "%lld", (long long)number);
    else if (e->size == 8 && object_at(w, v))
        name_object(&w->namer, &text, object_at(w, v), v);
    else
        str_add(&text, "0x%llx", (unsigned long long)v);
    return str_keep(w->mem, &text);
}

static struct touched touched_of(const struct walk *w, const struct ev *e)
{
    return (struct touched){.site = &w->t->sites.at[e->site],
                            .kind = e->kind,
                            .o = object_at(w, e->addr),
                            .addr = e->addr,
                            .bytes = e->size};
}

/* Of memory the expression says enough: the finding's sentence has the object. */
static const char *object_of(struct walk *w, const struct ev *e)
{
    AUTO(str) struct str text = {0};
    struct touched x = touched_of(w, e);
    if (ev_acts_on(e->kind) == ON_NONE)
        return "";
    if (ev_acts_on(e->kind) != ON_MEMORY)
        name_both(&w->namer, &text, &x);
    else if (!name_expression(&w->namer, &text, &x))
        name_object(&w->namer, &text, x.o, x.addr);
    return str_keep(w->mem, &text);
}

static struct finding_locks held_by(struct walk *w, uint32_t thr)
{
    const struct walk_thread *t = &w->threads.at[thr];
    const char **names = ARENA_NEW(w->mem, const char *, t->held.len + 1);
    for (uint32_t i = 0; i < t->held.len; i++) {
        AUTO(str) struct str text = {0};
        struct touched x = touched_of(w, &t->held.at[i].taken.e);
        name_both(&w->namer, &text, &x);
        names[i] = str_keep(w->mem, &text);
    }
    return (struct finding_locks){names, t->held.len};
}

/* ---- rows ------------------------------------------------------------------------------ */

static struct shown_row *find_row(struct walk *w, uint64_t number)
{
    for (uint32_t i = 0; i < w->rows.len; i++)
        if (w->rows.at[i].number == number)
            return &w->rows.at[i];
    return NULL;
}

static void add_row(struct walk *w, const struct memory *m, bool is_key)
{
    struct shown_row *known = find_row(w, m->number);
    if (known) {
        known->step.is_key |= is_key;
        return;
    }
    struct shown_row r = {.number = m->number, .thr = m->e.thr};
    r.step = (struct finding_step){.place = place_of(w, m->e.site),
                                   .action = action_of(&m->e),
                                   .object = object_of(w, &m->e),
                                   .value = value_of(w, &m->e),
                                   .event = m->number,
                                   .is_key = is_key};
    if (is_key)
        r.step.held = held_by(w, m->e.thr);
    vec_push(&w->rows, r);
}

/* What its thread did for it: took locks, looked at the same place. */
static void add_before(struct walk *w, const struct ev *e)
{
    const struct walk_thread *t = &w->threads.at[e->thr];
    for (uint32_t i = 0; i < t->held.len; i++)
        add_row(w, &t->held.at[i].taken, false);
    uint32_t added = 0;
    for (uint32_t i = 0; i < t->recent_count && added < BEFORE_MAX; i++) {
        const struct memory *m = &t->recent[i];
        if (ev_acts_on(e->kind) == ON_MEMORY && m->e.addr == e->addr) {
            add_row(w, m, false);
            added++;
        }
    }
}

/* What a thread has asked for and not got by the end is better told than the witness does. */
static const char *missing_object(struct walk *w, const struct key *k)
{
    const struct ev *asked = &w->threads.at[k->thr].asked;
    bool is_it = asked->kind == EV_REQUEST &&
                 witness_site_is(&k->line->site, &w->t->sites.at[asked->site]);
    return is_it ? object_of(w, asked)
                 : arena_text(w->mem, k->line->object.at, k->line->object.len);
}

static void add_missing(struct walk *w, const struct key *k)
{
    const struct witness_site *s = &k->line->site;
    struct shown_row r = {.number = NO_EVENT, .thr = k->thr};
    r.step = (struct finding_step){
        .place = {.file = arena_text(w->mem, s->file.at, s->file.len),
                  .function = arena_text(w->mem, s->function.at, s->function.len),
                  .variable = arena_text(w->mem, s->name.at, s->name.len),
                  .line = s->line,
                  .column = s->column},
        .action = k->line->kind == EV_ACQUIRE || k->line->kind == EV_REQUEST ? ACTION_WAITS_FOR
                                                                             : ACTION_ABOUT_TO,
        .object = missing_object(w, k),
        .value = "",
        .held = held_by(w, k->thr),
        .event = NO_EVENT,
        .is_key = true};
    const struct walk_thread *t = &w->threads.at[k->thr];
    for (uint32_t i = 0; i < t->held.len; i++)
        add_row(w, &t->held.at[i].taken, false);
    vec_push(&w->rows, r);
}

/* ---- matching -------------------------------------------------------------------------- */

/* Did the thread come to be as the witness says? */
static bool is_thread(const struct trace *t, uint32_t thr, const struct witness_thread *w)
{
    for (uint32_t i = w->depth; i-- > 1;) {
        const struct def_thread *d = &t->threads.at[thr];
        if (d->parent == NO_ID || d->spawn != w->path[i])
            return false;
        thr = d->parent;
    }
    return t->threads.at[thr].parent == NO_ID;
}

static void meet_site(struct walk *w, uint32_t site)
{
    for (uint32_t i = 0; i < w->keys.len; i++)
        if (witness_site_is(&w->keys.at[i].line->site, &w->t->sites.at[site]))
            vec_push(&w->keys.at[i].sites, site);
}

static void meet_thread(struct walk *w, uint32_t thr)
{
    vec_push(&w->threads, (struct walk_thread){0});
    for (uint32_t i = 0; i < w->keys.len; i++)
        if (is_thread(w->t, thr, &w->w->threads.at[w->keys.at[i].line->thr]))
            w->keys.at[i].thr = thr;
}

static bool has_site(const struct key *k, uint32_t site)
{
    for (uint32_t i = 0; i < k->sites.len; i++)
        if (k->sites.at[i] == site)
            return true;
    return false;
}

static bool is_key(struct walk *w, const struct ev *e, uint64_t number)
{
    bool found = false;
    for (uint32_t i = 0; i < w->number_count; i++)
        found |= w->numbers[i] == number;
    for (uint32_t i = 0; i < w->keys.len; i++) {
        struct key *k = &w->keys.at[i];
        if (k->thr != e->thr || k->line->kind != e->kind || k->is_done || !has_site(k, e->site))
            continue;
        k->is_done = ++k->seen == k->line->count;
        found |= k->is_done;
        w->keys_done += k->is_done;
    }
    return found;
}

/* ---- what the witness leaves out ------------------------------------------------------- */

static bool is_same_thread(const struct trace *t, uint32_t thr, const struct finding_thread *x)
{
    struct def_text entry = t->threads.at[thr].name;
    return x->number == thr && text_is(text_of(x->entry), (struct text){entry.at, entry.len});
}

static void meet_about(struct walk *w, const struct memory *m)
{
    const struct def_site *s = &w->t->sites.at[m->e.site];
    for (uint32_t i = 0; i < w->abouts.len; i++) {
        struct about *a = &w->abouts.at[i];
        const struct place *p = &a->step->place;
        if (s->line != p->line || s->column != p->column ||
            action_of(&m->e) != a->step->action || !is_same_thread(w->t, m->e.thr, a->thread))
            continue;
        if (w->keys_done < w->keys.len)
            a->before = *m;
        else if (a->after.number == NO_EVENT)
            a->after = *m;
    }
}

static bool has_row(const struct walk *w, uint32_t thr, const struct place *p)
{
    for (uint32_t i = 0; i < w->rows.len; i++)
        if (w->rows.at[i].thr == thr && w->rows.at[i].step.place.line == p->line &&
            w->rows.at[i].step.place.column == p->column)
            return true;
    return false;
}

/* Locks that were held then are not known any more: those rows say nothing about them. */
static void add_abouts(struct walk *w)
{
    for (uint32_t i = 0; i < w->abouts.len; i++) {
        const struct about *a = &w->abouts.at[i];
        const struct memory *m = a->before.number != NO_EVENT ? &a->before : &a->after;
        if (m->number == NO_EVENT || has_row(w, m->e.thr, &a->step->place))
            continue;
        add_row(w, m, false);
        find_row(w, m->number)->step.is_key = true;
    }
}

/* Where the block that was freed came from. */
static void add_allocation(struct walk *w, const struct memory *m)
{
    obj_id id = m->e.kind == EV_FREE ? space_find(w->space, m->e.addr) : NONE;
    const struct object *o = id == NONE ? NULL : space_object(w->space, id);
    AUTO(str) struct str name = {0};
    if (!o || o->is_static || o->site >= w->t->sites.len || o->thr >= w->threads.len)
        return;
    for (uint32_t i = 0; i < w->rows.len; i++)
        if (w->rows.at[i].step.action == ACTION_ALLOCATE)
            return;
    name_object(&w->namer, &name, o, o->addr);
    struct shown_row r = {.number = 0, .thr = o->thr};
    r.step = (struct finding_step){.place = place_of(w, o->site),
                                   .action = ACTION_ALLOCATE,
                                   .object = str_keep(w->mem, &name),
                                   .value = "",
                                   .event = NO_EVENT};
    vec_push(&w->rows, r);
}

/* ---- the walk -------------------------------------------------------------------------- */

static void follow_lock(struct walk *w, const struct memory *m)
{
    struct walk_thread *t = &w->threads.at[m->e.thr];
    if (m->e.kind == EV_REQUEST || m->e.kind == EV_ACQUIRE)
        t->asked = m->e.kind == EV_REQUEST ? m->e : (struct ev){0};
    if (m->e.kind == EV_ACQUIRE && m->e.number <= 1)
        vec_push(&t->held, (struct hold){m->e.addr, *m});
    for (uint32_t i = t->held.len; m->e.kind == EV_RELEASE && m->e.number == 0 && i-- > 0;) {
        if (t->held.at[i].lock != m->e.addr)
            continue;
        memmove(&t->held.at[i], &t->held.at[i + 1], (t->held.len - i - 1) * sizeof *t->held.at);
        t->held.len--;
        break;
    }
}

static void follow_access(struct walk *w, const struct memory *m)
{
    struct walk_thread *t = &w->threads.at[m->e.thr];
    if (ev_acts_on(m->e.kind) != ON_MEMORY || m->e.kind == EV_EXTERNAL_WRITE)
        return;
    uint32_t kept = t->recent_count < RECENT ? t->recent_count : RECENT - 1;
    memmove(&t->recent[1], &t->recent[0], kept * sizeof t->recent[0]);
    t->recent[0] = *m;
    t->recent_count = kept + 1;
}

static void meet_event(struct walk *w, const struct memory *m)
{
    if (m->e.kind == EV_CREATE)
        *map_at(&w->created, m->e.peer) = m->e.site;
    follow_lock(w, m);
    meet_about(w, m);
    if (is_key(w, &m->e, m->number)) {
        add_allocation(w, m);
        add_before(w, &m->e);
        add_row(w, m, true);
    }
    follow_access(w, m);
}

static int walk_trace(struct walk *w, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct memory m = {0};
    int item;
    cursor_init(c, w->t);
    c->values = true;
    while ((item = trace_next(c, &m.e, err)) > ITEM_END) {
        space_feed(w->space, c, item, &m.e);
        m.number = c->number - 1;
        if (item == ITEM_SITE)
            meet_site(w, c->site_count - 1);
        else if (item == ITEM_THREAD)
            meet_thread(w, c->thread_count - 1);
        else if (item == ITEM_EVENT)
            meet_event(w, &m);
    }
    free(c);
    return item;
}

static int by_number(const void *left, const void *right)
{
    const struct shown_row *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Numbers the threads that have a row anew, in the order of the trace. */
static void tell(struct walk *w, struct finding *f)
{
    uint32_t *index = mem_zeroed(w->threads.len + 1, sizeof *index);
    f->threads.len = f->steps.len = 0;
    if (w->rows.len > 1)
        qsort(w->rows.at, w->rows.len, sizeof *w->rows.at, by_number);
    for (uint32_t i = 0; i < w->rows.len; i++)
        index[w->rows.at[i].thr] = 1;
    for (uint32_t t = 0; t < w->threads.len; t++) {
        if (!index[t])
            continue;
        index[t] = f->threads.len;
        vec_push(&f->threads, finding_thread_of(w->t, t, map_find(&w->created, t), w->mem));
    }
    for (uint32_t i = 0; i < w->rows.len; i++) {
        w->rows.at[i].step.thread = index[w->rows.at[i].thr];
        vec_push(&f->steps, w->rows.at[i].step);
    }
    free(index);
}

static void walk_done(struct walk *w)
{
    for (uint32_t i = 0; i < w->keys.len; i++)
        vec_done(&w->keys.at[i].sites);
    for (uint32_t i = 0; i < w->threads.len; i++)
        vec_done(&w->threads.at[i].held);
    vec_done(&w->keys);
    vec_done(&w->abouts);
    vec_done(&w->threads);
    vec_done(&w->rows);
    map_done(&w->created);
    namer_done(&w->namer);
    space_free(w->space);
}

/* The witness of a double free ends before the second one, which no recorded run has done. */
static void add_frees(struct walk *w, const struct finding *f)
{
    struct freed_use use;
    struct err ignored;
    if (w->number_count > 0 || f->pattern != PATTERN_DOUBLE_FREE ||
        freed_find(w->t, FREED_TWICE, &use, &ignored) != 1)
        return;
    uint64_t *numbers = ARENA_NEW(w->mem, uint64_t, 2);
    numbers[0] = use.freed;
    numbers[1] = use.use;
    w->numbers = numbers;
    w->number_count = 2;
}

/* 0: the trace was walked, and its steps are told. */
static int explain(struct walk *w, struct finding *f, const char *trace_path, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open(&t, trace_path, err) < 0)
        return -1;
    w->t = &t;
    w->namer.t = &t;
    add_frees(w, f);
    w->space = space_new();
    int result = walk_trace(w, err);
    for (uint32_t i = 0; result == 0 && i < w->keys.len; i++)
        if (!w->keys.at[i].is_done && w->keys.at[i].thr != NONE)
            add_missing(w, &w->keys.at[i]);
    if (result == 0)
        add_abouts(w);
    if (result == 0 && w->rows.len > 0)
        tell(w, f);
    return result;
}

int explain_run(struct finding *f, struct arena *mem, const char *trace_path,
                const struct witness_file *file, struct err *err)
{
    struct walk w = {.mem = mem, .w = file};
    for (uint32_t i = 0; i < file->lines.len; i++)
        if (file->lines.at[i].how != WITNESS_RUN)
            vec_push(&w.keys, (struct key){.line = &file->lines.at[i], .thr = NONE});
    for (uint32_t i = 0; i < f->steps.len; i++)
        vec_push(&w.abouts, (struct about){.step = &f->steps.at[i],
                                           .thread = &f->threads.at[f->steps.at[i].thread],
                                           .before = {.number = NO_EVENT},
                                           .after = {.number = NO_EVENT}});
    int result = explain(&w, f, trace_path, err);
    walk_done(&w);
    return result;
}

int explain_events(struct finding *f, struct arena *mem, const char *trace_path,
                   const uint64_t *numbers, uint32_t count, struct err *err)
{
    struct walk w = {.mem = mem, .numbers = numbers, .number_count = count};
    int result = explain(&w, f, trace_path, err);
    walk_done(&w);
    return result;
}
