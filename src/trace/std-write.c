/* SPDX-License-Identifier: Apache-2.0
 *
 * std-write: a trace as RAPID's STD notation. What came from STD goes back as it was, line by
 * line. What was recorded is told in the words STD has: locks, conditions and variables are
 * numbered as they appear, and memory is cut into cells that no access splits, each of which
 * is a variable. What STD has no words for is counted.
 *
 * A recorded trace is walked twice, over the same events: first to learn all extents that are
 * accessed, then to write. */
#include "trace/notation.h"

#include "base/search.h"
#include "trace/std.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_BYTES = 64 << 10, TIDY_FIRST = 64 << 10 };
enum { READS = 1, WRITES = 2 };

struct extent {
    uint64_t start, end;
    obj_id obj; /* NONE: in no known object */
};

struct cell {
    uint64_t start, end;
    obj_id obj;
    uint32_t number; /* NONE: not written yet */
};

/* One sort of thing that has names: LETTER0, LETTER1, ... */
struct cells {
    char letter;
    VEC(struct extent) extents; /* only until cells_cut */
    uint32_t tidy_at;           /* so many extents are worth another look for duplicates */
    VEC(struct cell) cells;     /* ascending by object and start */
    uint32_t named_count;
};

/* What an imported name was written for. */
struct claim {
    obj_id obj; /* NONE: no known object */
    uint64_t addr;
};

struct writer {
    struct trace *t;              /* borrowed */
    const struct trace_filter *f; /* borrowed */
    struct space *space;          /* owned by walk, as the cursor */
    struct trace_cursor *cursor;
    struct cells variables, locks, conditions;
    struct arena mem;
    struct names names;       /* imported: as they were written */
    VEC(struct claim) claims; /* by number in names */
    struct names thread_names;
    VEC(bool) is_known; /* by object: its start has been written */
    trace_sink sink;
    void *sink_arg;
    struct str out;
    uint64_t left_out;
    int failed; /* the sink did */
    struct err *err;
};

typedef void (*visit_fn)(struct writer *w, const struct ev *e);

static void cells_done(struct cells *c)
{
    vec_done(&c->extents);
    vec_done(&c->cells);
}

static void auto_writer(struct writer *w)
{
    cells_done(&w->variables);
    cells_done(&w->locks);
    cells_done(&w->conditions);
    str_done(&w->out);
    arena_done(&w->mem);
    names_done(&w->names);
    vec_done(&w->claims);
    names_done(&w->thread_names);
    vec_done(&w->is_known);
}

static bool is_imported(const struct writer *w)
{
    return w->t->head.flags & TRACE_IMPORTED;
}

/* ---- cells ------------------------------------------------------------------------- */

static int three_way(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int extent_order(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;
    int by_obj = three_way(a->obj, b->obj), by_start = three_way(a->start, b->start);
    return by_obj ? by_obj : by_start ? by_start : three_way(a->end, b->end);
}

/* Sorts the extents and leaves one of each. */
static void cells_tidy(struct cells *c)
{
    if (c->extents.len == 0)
        return;
    qsort(c->extents.at, c->extents.len, sizeof *c->extents.at, extent_order);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < c->extents.len; i++)
        if (extent_order(&c->extents.at[i], &c->extents.at[kept - 1]) != 0)
            c->extents.at[kept++] = c->extents.at[i];
    c->extents.len = kept;
    c->tidy_at = TIDY_FIRST + 2 * kept;
}

static void cells_add(struct cells *c, obj_id obj, uint64_t start, uint64_t end)
{
    if (c->extents.len >= c->tidy_at)
        cells_tidy(c);
    vec_push(&c->extents, (struct extent){start, end, obj});
}

/* Where an extent begins (step 1) or ends (step -1). */
struct edge {
    uint64_t addr;
    int step;
};

static int edge_order(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return three_way(a->addr, b->addr);
}

/* Between two edges lies a cell if any extent is open there. */
static void cut_object(struct cells *c, obj_id obj, struct edge *edges, uint32_t count)
{
    qsort(edges, count, sizeof *edges, edge_order);
    int64_t open = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        open += edges[i].step;
        if (open > 0 && edges[i].addr < edges[i + 1].addr)
            vec_push(&c->cells, (struct cell){edges[i].addr, edges[i + 1].addr, obj, NONE});
    }
}

static void cells_cut(struct cells *c)
{
    VEC(struct edge) edges = {0};
    cells_tidy(c);
    for (uint32_t i = 0; i < c->extents.len; i++) {
        const struct extent *x = &c->extents.at[i];
        vec_push(&edges, (struct edge){x->start, 1});
        vec_push(&edges, (struct edge){x->end, -1});
        if (i + 1 == c->extents.len || x[1].obj != x->obj) {
            cut_object(c, x->obj, edges.at, edges.len);
            edges.len = 0;
        }
    }
    vec_done(&edges);
    vec_done(&c->extents);
}

/* The first cell of the object at or behind addr: an index, past the end if there is none. */
static uint32_t cells_find(const struct cells *c, obj_id obj, uint64_t addr)
{
    return SEARCH(i, 0, c->cells.len,
                  c->cells.at[i].obj < obj ||
                      (c->cells.at[i].obj == obj && c->cells.at[i].start < addr));
}

/* ---- what an event means ----------------------------------------------------------- */

/* How the event uses memory: READS, WRITES, both, or 0. */
static unsigned ev_uses(const struct ev *e)
{
    switch (e->kind) {
    case EV_READ:
    case EV_ATOMIC_LOAD:
    case EV_READ_RANGE:
        return READS;
    case EV_WRITE:
    case EV_ATOMIC_STORE:
    case EV_WRITE_RANGE:
        return WRITES;
    case EV_RMW:
        return READS | WRITES;
    case EV_CAS:
        return e->flags & FLAG(FAILED) ? READS : READS | WRITES;
    default:
        return 0;
    }
}

static uint64_t ev_bytes(const struct ev *e)
{
    return e->kind == EV_READ_RANGE || e->kind == EV_WRITE_RANGE ? e->len : e->size;
}

/* Acquire or release of the writer side, not refused: what STD calls acq and rel. */
static bool is_plain_lock(const struct ev *e)
{
    return (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE) &&
           !(e->flags & (FLAG(SHARED) | FLAG(FAILED)));
}

/* Folded: STD tools expect a lock to be taken once. */
static bool is_inner_lock(const struct ev *e)
{
    return e->number > (e->kind == EV_ACQUIRE ? 1 : 0);
}

/* ---- lines ------------------------------------------------------------------------- */

static void put_text(struct writer *w, struct text t)
{
    str_bytes(&w->out, t.at, t.len);
}

static void put_thread(struct writer *w, uint32_t thr)
{
    if (is_imported(w)) {
        thread_name(&w->out, w->t, thr);
        return;
    }
    str_char(&w->out, 'T');
    str_u64(&w->out, thr);
}

static void put_head(struct writer *w, const struct ev *e, struct text op)
{
    put_thread(w, e->thr);
    str_char(&w->out, '|');
    put_text(w, op);
}

static void put_tail(struct writer *w, const struct ev *e)
{
    str_char(&w->out, '|');
    if (is_imported(w))
        site_name(&w->out, &w->t->sites.at[e->site]);
    else
        str_u64(&w->out, (uint64_t)e->site + 1);
    str_char(&w->out, '\n');
    if (w->out.len < FLUSH_BYTES)
        return;
    if (!w->failed && w->sink(w->sink_arg, &w->out, w->err) < 0)
        w->failed = 1;
    w->out.len = 0;
}

static void put_bare(struct writer *w, const struct ev *e, struct text op)
{
    put_head(w, e, op);
    put_tail(w, e);
}

static void put_with_thread(struct writer *w, const struct ev *e, struct text op, uint32_t thr)
{
    put_head(w, e, op);
    str_char(&w->out, '(');
    put_thread(w, thr);
    str_char(&w->out, ')');
    put_tail(w, e);
}

static void put_with_cell(struct writer *w, const struct ev *e, struct text op, struct cells *c,
                          struct cell *cell)
{
    if (cell->number == NONE)
        cell->number = c->named_count++;
    put_head(w, e, op);
    str_char(&w->out, '(');
    str_char(&w->out, c->letter);
    str_u64(&w->out, cell->number);
    str_char(&w->out, ')');
    put_tail(w, e);
}

static const struct std_op *op_of(const struct ev *e)
{
    unsigned word = e->word;
    if (word == WORD_VALUE(MARK, LOG_BEGIN))
        word = WORD_VALUE(MARK, BEGIN);
    else if (word == WORD_VALUE(MARK, LOG_END))
        word = WORD_VALUE(MARK, END);
    for (unsigned i = 0; i < STD_OP_COUNT; i++)
        if (std_ops[i].kind == e->kind && (e->kind != EV_MARK || std_ops[i].word == word))
            return &std_ops[i];
    return NULL;
}

/* ---- a trace that came from STD ---------------------------------------------------- */

static int refuse_twin(const struct trace_cursor *c, const char *what, struct text name,
                       struct err *err)
{
    return err_set(err,
                   "two %s would be called '%.*s', which STD cannot tell apart, before event "
                   "%llu; use --format text",
                   what, TEXT_ARG(name), (unsigned long long)c->number);
}

/* One name, one thing: x~2 may be the second x, or something else that is called so. */
static void claim_name(struct writer *w, obj_id obj, uint64_t addr, struct text name)
{
    uint32_t id = names_find(&w->names, name);
    if (id == NONE) {
        names_add(&w->names, (struct text){arena_text(&w->mem, name.at, name.len), name.len});
        vec_push(&w->claims, (struct claim){obj, addr});
    } else if (!w->failed && (w->claims.at[id].obj != obj || w->claims.at[id].addr != addr)) {
        w->failed = 1;
        refuse_twin(w->cursor, "things", name, w->err);
    }
}

static void put_with_name(struct writer *w, const struct ev *e, struct text op)
{
    obj_id obj = space_find(w->space, e->addr);
    const struct object *o = obj == NONE ? NULL : space_object(w->space, obj);
    bool is_start = o && o->addr == e->addr;
    put_head(w, e, op);
    str_char(&w->out, '(');
    size_t start = w->out.len;
    if (is_start)
        object_name(&w->out, o);
    else
        addr_name(&w->out, w->space, e->addr);
    while (is_start && w->is_known.len <= obj)
        vec_push(&w->is_known, false);
    if (!is_start || !w->is_known.at[obj])
        claim_name(w, obj, e->addr,
                   (struct text){w->out.at + start, (uint32_t)(w->out.len - start)});
    if (is_start)
        w->is_known.at[obj] = true;
    str_char(&w->out, ')');
    put_tail(w, e);
}

static void put_mark(struct writer *w, const struct ev *e, struct text op)
{
    if (e->word == WORD_VALUE(MARK, LOG_BEGIN) || e->word == WORD_VALUE(MARK, LOG_END))
        put_with_thread(w, e, op, e->thr);
    else if (e->addr == 0)
        put_bare(w, e, op);
    else
        put_with_name(w, e, op);
}

static void visit_imported(struct writer *w, const struct ev *e)
{
    const struct std_op *op = op_of(e);
    if (!op)
        w->left_out++;
    else if (op->arg == ARG_NONE)
        put_bare(w, e, op->name);
    else if (op->arg == ARG_THREAD)
        put_with_thread(w, e, op->name, e->peer);
    else if (op->arg == ARG_OPTIONAL)
        put_mark(w, e, op->name);
    else
        put_with_name(w, e, op->name);
}

/* ---- a recorded trace -------------------------------------------------------------- */

static void collect_access(struct writer *w, uint64_t addr, uint64_t end)
{
    while (addr < end) {
        uint64_t until = space_until(w->space, addr, end);
        cells_add(&w->variables, space_find(w->space, addr), addr, until);
        addr = until;
    }
}

static void collect_sync(struct writer *w, uint64_t addr, struct cells *c)
{
    if (addr < UINT64_MAX)
        cells_add(c, space_find(w->space, addr), addr, addr + 1);
}

static void visit_collect(struct writer *w, const struct ev *e)
{
    if (ev_uses(e))
        collect_access(w, e->addr, e->addr + ev_bytes(e));
    else if (is_plain_lock(e))
        collect_sync(w, e->addr, &w->locks);
    else if (ev_acts_on(e->kind) == ON_COND)
        collect_sync(w, e->addr, &w->conditions);
}

static void put_cells(struct writer *w, const struct ev *e, struct text op, uint64_t addr,
                      uint64_t end)
{
    struct cells *c = &w->variables;
    while (addr < end) {
        uint64_t until = space_until(w->space, addr, end);
        obj_id obj = space_find(w->space, addr);
        for (uint32_t i = cells_find(c, obj, addr); i < c->cells.len; i++) {
            struct cell *cell = &c->cells.at[i];
            if (cell->obj != obj || cell->start >= until)
                break;
            put_with_cell(w, e, op, c, cell);
        }
        addr = until;
    }
}

static void put_access(struct writer *w, const struct ev *e)
{
    unsigned uses = ev_uses(e);
    if (uses & READS)
        put_cells(w, e, TEXT("r"), e->addr, e->addr + ev_bytes(e));
    if (uses & WRITES)
        put_cells(w, e, TEXT("w"), e->addr, e->addr + ev_bytes(e));
}

/* The end of a heap block conflicts with every access to it. */
static void put_free(struct writer *w, const struct ev *e)
{
    obj_id obj = space_find(w->space, e->addr);
    const struct object *o = obj == NONE ? NULL : space_object(w->space, obj);
    if (o && o->addr == e->addr && !o->is_static)
        put_cells(w, e, TEXT("w"), o->addr, o->addr + o->size);
}

static void put_sync(struct writer *w, const struct ev *e, struct cells *c)
{
    obj_id obj = space_find(w->space, e->addr);
    uint32_t at = cells_find(c, obj, e->addr);
    if (at < c->cells.len && c->cells.at[at].obj == obj && c->cells.at[at].start == e->addr)
        put_with_cell(w, e, op_of(e)->name, c, &c->cells.at[at]);
    else
        w->left_out++;
}

static void put_lock(struct writer *w, const struct ev *e)
{
    if (!is_plain_lock(e))
        w->left_out++;
    else if (!is_inner_lock(e))
        put_sync(w, e, &w->locks);
}

/* A request that does not wait to the end would look like a deadlock; one for anything that
 * no event takes as a lock is a semaphore's, a barrier's, ... */
static void put_request(struct writer *w, const struct ev *e)
{
    if (e->flags)
        w->left_out++;
    else
        put_sync(w, e, &w->locks);
}

static void visit_recorded(struct writer *w, const struct ev *e)
{
    if (ev_is_access(e->kind)) {
        put_access(w, e);
        return;
    }
    switch (e->kind) {
    case EV_FREE:
        put_free(w, e);
        return;
    case EV_ACQUIRE:
    case EV_RELEASE:
        put_lock(w, e);
        return;
    case EV_REQUEST:
        put_request(w, e);
        return;
    case EV_WAIT_ENTER:
    case EV_WAIT_LEAVE:
    case EV_WAIT:
    case EV_SIGNAL:
    case EV_BROADCAST:
        put_sync(w, e, &w->conditions);
        return;
    case EV_CREATE:
    case EV_JOIN:
        put_with_thread(w, e, op_of(e)->name, e->peer);
        return;
    case EV_BRANCH:
        put_bare(w, e, TEXT("br"));
        return;
    case EV_MARK:
        if (e->word == WORD_VALUE(MARK, BEGIN) || e->word == WORD_VALUE(MARK, END))
            put_bare(w, e, op_of(e)->name);
        else
            w->left_out++;
        return;
    case EV_ALLOC:
    case EV_STACK_ENTER: /* its variables are new ones */
    case EV_STACK_LEAVE: /* there is no word for it */
    case EV_START:
    case EV_EXIT: /* fork and join say it */
        return;
    default:
        w->left_out++;
    }
}

/* ---- the walk ---------------------------------------------------------------------- */

static struct text name_of_item(const struct trace_cursor *c, int item)
{
    struct def_text name = {"-", 1};
    if (item == ITEM_THREAD && c->t->threads.at[c->thread_count - 1].name.len > 0)
        name = c->t->threads.at[c->thread_count - 1].name;
    if (item == ITEM_OBJECT)
        name = c->t->objects.at[c->object_count - 1].name;
    if (item == ITEM_SITE) {
        const struct def_site *s = &c->t->sites.at[c->site_count - 1];
        if (s->file.len > 0 || s->name.len > 0)
            name = s->file.len > 0 ? s->file : s->name;
    }
    return (struct text){name.at, name.len};
}

static int check_thread(struct writer *w, uint32_t thr, struct err *err)
{
    AUTO(str) struct str name = {0};
    thread_name(&name, w->t, thr);
    struct text t = {name.at, (uint32_t)name.len};
    if (names_find(&w->thread_names, t) != NONE)
        return refuse_twin(w->cursor, "threads", t, err);
    names_add(&w->thread_names, (struct text){arena_text(&w->mem, t.at, t.len), t.len});
    return 0;
}

/* Imported names go out as they are: they must be able to come back. */
static int check_item(struct writer *w, int item, struct err *err)
{
    const struct trace_cursor *c = w->cursor;
    if (!std_can_hold(name_of_item(c, item)))
        return err_set(err,
                       "a name that STD cannot hold (empty, or with | or control "
                       "characters), before event %llu; use --format text",
                       (unsigned long long)c->number);
    return item == ITEM_THREAD ? check_thread(w, c->thread_count - 1, err) : 0;
}

static int walk(struct writer *w, visit_fn visit, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    AUTO(space) struct space *space = space_new();
    struct trace_cursor *c = ARENA_NEW(&mem, struct trace_cursor, 1);
    struct ev e = {0};
    int item;
    cursor_init(c, w->t);
    c->values = false;
    w->space = space;
    w->cursor = c;
    while (!w->failed && c->number < w->f->to &&
           (item = trace_next_bare(c, &e, err)) != ITEM_END) {
        if (item < 0)
            return -1;
        space_feed(space, c, item, &e);
        if (item != ITEM_EVENT) {
            if (is_imported(w) && check_item(w, item, err) < 0)
                return -1;
        } else if (filter_keeps(w->f, space, c->number - 1, &e)) {
            visit(w, &e);
        }
    }
    w->t->cut = c->cut;
    return w->failed ? -1 : 0;
}

int std_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
              uint64_t *left_out, struct err *err)
{
    AUTO(writer) struct writer w = {.t = t,
                                    .f = f,
                                    .sink = sink,
                                    .sink_arg = arg,
                                    .variables.letter = 'V',
                                    .locks.letter = 'L',
                                    .conditions.letter = 'C',
                                    .err = err};
    if (!is_imported(&w)) {
        if (walk(&w, visit_collect, err) < 0)
            return -1;
        cells_cut(&w.variables);
        cells_cut(&w.locks);
        cells_cut(&w.conditions);
    }
    if (walk(&w, is_imported(&w) ? visit_imported : visit_recorded, err) < 0)
        return -1;
    if (w.out.len > 0 && sink(arg, &w.out, err) < 0)
        return -1;
    *left_out = w.left_out;
    return 0;
}
