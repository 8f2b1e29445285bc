/* SPDX-License-Identifier: Apache-2.0
 *
 * witness-write: witnesses of a trace become witness files. The first walk learns who did what,
 * so that an order of events can be cut into stretches; the second counts, for the events that
 * end a stretch, how often their thread had done the same at the same place, and finds the
 * names of what they act on. */
#include "witness/witness-file.h"

#include <string.h>

/* What a line needs from the second walk. */
struct need {
    uint64_t number;
    uint32_t draft, line;
};

struct draft {
    struct witness_file file;
    VEC(uint32_t) thr; /* of the file's threads, in the trace */
};

struct witness_writer {
    struct trace *trace; /* borrowed */
    uint64_t event_count;
    uint16_t *thr;   /* by event */
    uint8_t *kind;   /* by event */
    uint32_t *class; /* by site of the trace: the first site that is the same */
    uint32_t *made;  /* by thread: site of its create event, or NONE */
    VEC(struct draft *) drafts;
    VEC(struct need) needs;
    const char *process; /* borrowed; may be NULL */
};

typedef void (*visit_fn)(struct witness_writer *, void *arg, const struct ev *,
                         uint64_t number);

static int walk(struct witness_writer *w, visit_fn visit, struct space *space, void *arg,
                struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, w->trace);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        if (space)
            space_feed(space, c, item, &e);
        if (item == ITEM_EVENT)
            visit(w, arg, &e, c->number - 1);
    }
    free(c);
    return item;
}

/* ---- first walk ------------------------------------------------------------------------ */

static void learn(struct witness_writer *w, void *arg, const struct ev *e, uint64_t number)
{
    uint64_t *cap = arg;
    if (number >= *cap) {
        *cap = *cap ? 2 * *cap : 1024;
        w->thr = mem_resize(w->thr, *cap * sizeof *w->thr);
        w->kind = mem_resize(w->kind, *cap * sizeof *w->kind);
    }
    w->thr[number] = (uint16_t)e->thr;
    w->kind[number] = e->kind;
    w->event_count = number + 1;
}

static bool same_site(const struct def_site *a, const struct def_site *b)
{
    return a->column == b->column && a->statement == b->statement &&
           text_is(text_from(a->function), text_from(b->function)) &&
           text_is(text_from(a->name), text_from(b->name)) &&
           text_is(text_base_name(text_from(a->file)), text_base_name(text_from(b->file)));
}

static uint64_t hash_site(const struct def_site *s)
{
    uint64_t h = hash_bytes(s->function.at, s->function.len);
    return hash_u64(h ^ ((uint64_t)s->column << 32 | s->statement));
}

/* The same site may stand in the table several times: a function of a header in two units. */
static void classify(struct witness_writer *w)
{
    uint32_t count = w->trace->sites.len;
    struct map newest = {0};
    uint32_t *before = mem_zeroed(count + 1, sizeof *before);
    w->class = mem_zeroed(count + 1, sizeof *w->class);
    for (uint32_t i = 0; i < count; i++) {
        const struct def_site *s = &w->trace->sites.at[i];
        uint32_t *slot = map_at(&newest, hash_site(s)), same = *slot;
        while (same != NONE && !same_site(&w->trace->sites.at[same], s))
            same = before[same];
        w->class[i] = same == NONE ? i : same;
        if (same == NONE) {
            before[i] = *slot;
            *slot = i;
        }
    }
    map_done(&newest);
    free(before);
}

struct witness_writer *witness_writer_new(struct trace *t, struct err *err)
{
    struct witness_writer *w = mem_zeroed(1, sizeof *w);
    uint64_t cap = 0;
    w->trace = t;
    if (walk(w, learn, NULL, &cap, err) < 0) {
        witness_writer_free(w);
        return NULL;
    }
    classify(w);
    w->made = mem_get((t->threads.len + 1) * sizeof *w->made);
    memset(w->made, 0xff, (t->threads.len + 1) * sizeof *w->made);
    return w;
}

void witness_writer_free(struct witness_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->drafts.len; i++) {
        witness_file_close(&w->drafts.at[i]->file);
        vec_done(&w->drafts.at[i]->thr);
        free(w->drafts.at[i]);
    }
    vec_done(&w->drafts);
    vec_done(&w->needs);
    free(w->thr);
    free(w->kind);
    free(w->class);
    free(w->made);
    free(w);
}

/* ---- stretches ------------------------------------------------------------------------- */

/* Can a run be told that this has happened? What depends on what is recorded cannot, and
 * behind a request nothing can happen before it is granted. */
static bool ends_stretch(unsigned kind)
{
    switch (kind) {
    case EV_BRANCH:
    case EV_ENTER:
    case EV_LEAVE:
    case EV_RESULT:
    case EV_EXTERNAL_WRITE:
    case EV_ALLOC:
    case EV_STACK_ENTER:
    case EV_REQUEST:
    case EV_MARK:
    case EV_CHANGE:
    case EV_LOOK:
    case EV_SUM:
    case EV_HEAR:
    case EV_END_EXIT:
    case EV_END_ASSERT:
    case EV_END_SIGNAL:
        return false;
    default:
        return true;
    }
}

static uint32_t parent_of(const struct trace *t, uint32_t thr)
{
    uint32_t parent = t->threads.at[thr].parent;
    return parent < thr ? parent : NONE;
}

static void add_path(const struct trace *t, struct arena *mem, uint32_t thr,
                     struct witness_thread *out)
{
    uint32_t depth = 1, root = thr, first = 0;
    for (; parent_of(t, root) != NONE; root = parent_of(t, root))
        depth++;
    for (uint32_t i = 0; i < root; i++)
        first += parent_of(t, i) == NONE;
    uint32_t *path = ARENA_NEW(mem, uint32_t, depth);
    out->path = path;
    out->depth = depth;
    path[0] = first;
    while (depth-- > 1) {
        path[depth] = t->threads.at[thr].spawn;
        thr = parent_of(t, thr);
    }
}

static void copy_text(struct arena *mem, struct def_text from, struct text *out)
{
    *out = (struct text){arena_text(mem, from.at, from.len), from.len};
}

static void copy_site(struct arena *mem, const struct def_site *s, struct witness_site *out)
{
    copy_text(mem, s->file, &out->file);
    copy_text(mem, s->function, &out->function);
    copy_text(mem, s->name, &out->name);
    out->line = s->line;
    out->column = s->column;
    out->statement = s->statement;
}

static uint32_t thread_for(struct witness_writer *w, struct draft *d, uint32_t thr)
{
    for (uint32_t i = 0; i < d->thr.len; i++)
        if (d->thr.at[i] == thr)
            return i;
    char label[16];
    struct witness_thread t = {0};
    int len = snprintf(label, sizeof label, "T%u", thr);
    t.label = (struct text){arena_text(&d->file.mem, label, (size_t)len), (uint32_t)len};
    add_path(w->trace, &d->file.mem, thr, &t);
    vec_push(&d->file.threads, t);
    vec_push(&d->thr, thr);
    return d->thr.len - 1;
}

static void add_line(struct witness_writer *w, struct draft *d, uint64_t number,
                     enum witness_how how)
{
    uint32_t thr = thread_for(w, d, w->thr[number]), len = d->file.lines.len;
    struct witness_line *last = len > 0 ? &d->file.lines.at[len - 1] : NULL;
    if (last && last->how == WITNESS_RUN && last->thr == thr) {
        d->file.lines.len--; /* the same thread goes on */
        w->needs.len--;
    }
    vec_push(&w->needs, (struct need){number, w->drafts.len, d->file.lines.len});
    vec_push(&d->file.lines,
             (struct witness_line){.how = how, .thr = thr, .kind = w->kind[number]});
}

/* A thread that waits for a signal, or has arrived at a barrier, stands in the middle of a
 * call: where that begins is what a run can be told of. NONE: it stands before one. */
static uint64_t begun_with(const struct witness_writer *w, uint64_t number)
{
    uint8_t begins = w->kind[number] == EV_DEPART    ? EV_ARRIVE
                     : w->kind[number] == EV_ACQUIRE ? EV_WAIT_ENTER
                                                     : 0;
    for (uint64_t n = number; begins && n-- > 0;) {
        if (w->thr[n] != w->thr[number] || w->kind[n] == EV_RELEASE || w->kind[n] == EV_REQUEST)
            continue;
        return w->kind[n] == begins ? n : NONE;
    }
    return NONE;
}

static bool is_asked(const struct witness_writer *w, const struct query *q, uint64_t number)
{
    for (uint32_t i = 0; i < query_ordered(q); i++)
        if (q->number[i] == number)
            return true;
    for (uint32_t i = query_ordered(q); q->kind == QUERY_BLOCKED && i < q->count; i++)
        if (begun_with(w, q->number[i]) == number)
            return true;
    return false;
}

static void add_event(struct witness_writer *w, struct draft *d, const struct query *q,
                      uint64_t number)
{
    CHECK(number < w->event_count);
    if (is_asked(w, q, number))
        add_line(w, d, number, WITNESS_EVENT);
    else if (ends_stretch(w->kind[number]))
        add_line(w, d, number, WITNESS_RUN);
}

/* What happens as recorded. */
static void add_recorded(struct witness_writer *w, struct draft *d,
                         const struct witness *witness, uint64_t from, uint64_t end)
{
    for (uint64_t n = from; n < end && n < w->event_count; n++)
        if (witness->stop.len == 0 || n < witness->stop.at[w->thr[n]])
            add_event(w, d, &witness->query, n);
}

static void add_order(struct witness_writer *w, struct draft *d, const struct witness *witness)
{
    add_recorded(w, d, witness, 0, witness->prefix);
    for (uint32_t i = 0; i < witness->order.len; i++)
        add_event(w, d, &witness->query, witness->order.at[i]);
    if (witness->resume > 0)
        add_recorded(w, d, witness, witness->resume, UINT64_MAX);
    for (uint32_t i = query_ordered(&witness->query); i < witness->query.count; i++)
        if (witness->query.kind != QUERY_BLOCKED ||
            begun_with(w, witness->query.number[i]) == NONE)
            add_line(w, d, witness->query.number[i], WITNESS_AT);
}

static const char *const query_words[] = {
    [QUERY_RACE] = "race",           [QUERY_DEADLOCK] = "deadlock",
    [QUERY_ORDER] = "order",         [QUERY_NEXT] = "next",
    [QUERY_UNORDERED] = "weak race", [QUERY_BLOCKED] = "waiting for ever"};

void witness_writer_process(struct witness_writer *w, const char *process)
{
    w->process = process;
}

uint32_t witness_writer_add(struct witness_writer *w, const struct witness *witness,
                            const char *pattern, char *const *argv)
{
    struct draft *d = mem_zeroed(1, sizeof *d);
    struct witness_file *f = &d->file;
    AUTO(str) struct str query = {0};
    f->pattern = text_of(arena_text(&f->mem, pattern, strlen(pattern)));
    str_add(&query, "%s of events", query_words[witness->query.kind]);
    for (uint32_t i = 0; i < witness->query.count; i++)
        str_add(&query, " %llu", (unsigned long long)witness->query.number[i]);
    str_add(&query, " of the trace, mode %s", mode_text(witness->mode));
    f->query = text_of(arena_text(&f->mem, query.at, query.len));
    if (w->process)
        f->process = text_of(arena_text(&f->mem, w->process, strlen(w->process)));
    for (; argv && *argv; argv++)
        vec_push(&f->program, arena_text(&f->mem, *argv, strlen(*argv)));
    if (f->program.len > 0)
        vec_push(&f->program, NULL);
    add_order(w, d, witness);
    vec_push(&w->drafts, d);
    return w->drafts.len - 1;
}

char *const *witness_program(struct arena *mem, const char *trace_path)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err err;
    const char *slash = strrchr(trace_path, '/');
    if (slash)
        str_bytes(&path, trace_path, (size_t)(slash + 1 - trace_path));
    str_add(&path, "command");
    if (runfile_open(&f, path.at, &err) < 0)
        return NULL;
    char **argv = ARENA_NEW(mem, char *, f.entries.len + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        if (e->head.tag == TAG_ARGUMENT)
            argv[count++] = arena_text(mem, (const char *)e->data, e->head.bytes);
    }
    runfile_close(&f);
    return count > 0 ? argv : NULL;
}

/* ---- second walk ----------------------------------------------------------------------- */

struct counting {
    struct space *space;
    struct map counters; /* site, thread, kind -> index into counts */
    VEC(uint64_t) counts;
    uint32_t next; /* need */
};

static void fill(struct witness_writer *w, const struct need *n, const struct counting *k,
                 const struct ev *e, uint64_t count)
{
    struct witness_file *f = &w->drafts.at[n->draft]->file;
    struct witness_line *l = &f->lines.at[n->line];
    AUTO(str) struct str object = {0};
    l->count = count;
    copy_site(&f->mem, &w->trace->sites.at[e->site], &l->site);
    if (ev_acts_on(e->kind) != ON_NONE)
        addr_name_long(&object, w->trace, k->space, e->addr);
    else if (e->kind == EV_CREATE || e->kind == EV_JOIN)
        str_add(&object, "T%u", e->peer);
    l->object = (struct text){arena_text(&f->mem, object.at ? object.at : "", object.len),
                              (uint32_t)object.len};
}

static void count_event(struct witness_writer *w, void *arg, const struct ev *e,
                        uint64_t number)
{
    struct counting *k = arg;
    if (e->kind == EV_CREATE && w->made[e->peer] == NONE)
        w->made[e->peer] = e->site;
    uint64_t key =
        (uint64_t)w->class[e->site] << 24 | (uint64_t)(uint16_t)e->thr << 8 | e->kind;
    uint32_t *slot = map_at(&k->counters, key);
    if (*slot == NONE) {
        *slot = k->counts.len;
        vec_push(&k->counts, 0);
    }
    uint64_t count = ++k->counts.at[*slot];
    for (; k->next < w->needs.len && w->needs.at[k->next].number == number; k->next++)
        fill(w, &w->needs.at[k->next], k, e, count);
}

static int by_number(const void *a, const void *b)
{
    const struct need *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void fill_threads(const struct witness_writer *w, struct draft *d)
{
    for (uint32_t i = 0; i < d->thr.len; i++)
        if (w->made[d->thr.at[i]] != NONE)
            copy_site(&d->file.mem, &w->trace->sites.at[w->made[d->thr.at[i]]],
                      &d->file.threads.at[i].site);
}

int witness_writer_finish(struct witness_writer *w, struct err *err)
{
    struct counting k = {.space = space_new()};
    if (w->needs.len > 0)
        qsort(w->needs.at, w->needs.len, sizeof *w->needs.at, by_number);
    int result = walk(w, count_event, k.space, &k, err);
    for (uint32_t i = 0; i < w->drafts.len; i++)
        fill_threads(w, w->drafts.at[i]);
    space_free(k.space);
    map_done(&k.counters);
    vec_done(&k.counts);
    return result;
}

struct witness_file *witness_writer_get(const struct witness_writer *w, uint32_t number)
{
    CHECK(number < w->drafts.len);
    return &w->drafts.at[number]->file;
}

int witness_writer_save(const struct witness_writer *w, uint32_t number, const char *path,
                        struct err *err)
{
    AUTO(str) struct str text = {0};
    witness_file_print(witness_writer_get(w, number), &text);
    return file_write(path, text.at, text.len, err);
}
