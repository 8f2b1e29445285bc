/* SPDX-License-Identifier: Apache-2.0
 *
 * guards: which lock is held at which share of the accesses to a variable (PFix, 3.2: the
 * locking policy). There it is one lock for a variable's name; here a bond says how to find the
 * lock of an object, so that the lock of another account does not count as this one's.
 *
 * Not counted: what a thread does to memory before any other has touched it, and what it does
 * while no other thread that uses it is alive. */
#include "guards/guards.h"

#include <string.h>

enum {
    CELLS_MAX = 8, /* of one access that are looked at */
    MUTEX_BYTES = 40
};

/* ---- entering --------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

static struct guard_draft *draft_of(struct guard_table *t, const char *variable, bool *is_new)
{
    uint32_t *slot = map_at(&t->by_name, hash_text(variable));
    for (uint32_t i = *slot; i != NONE; i = t->drafts.at[i].before)
        if (strcmp(t->drafts.at[i].guard.variable, variable) == 0) {
            *is_new = false;
            return &t->drafts.at[i];
        }
    *is_new = true;
    vec_push(&t->drafts, (struct guard_draft){.before = *slot});
    *slot = t->drafts.len - 1;
    struct guard_draft *d = &t->drafts.at[t->drafts.len - 1];
    CHECK(d->before == NONE || d->before < *slot);
    d->guard.variable = arena_text(&t->out->mem, variable, strlen(variable));
    return d;
}

/* What one statement reads and writes is one use. */
static bool is_same_place(const struct code_site *a, const struct code_site *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

static uint32_t use_of(struct guard_draft *d, const struct code_site *site, bool writes)
{
    uint32_t i = 0;
    while (i < d->guard.uses.len && !is_same_place(&d->guard.uses.at[i].site, site))
        i++;
    if (i == d->guard.uses.len)
        vec_push(&d->guard.uses, (struct guard_use){.site = *site});
    d->guard.uses.at[i].writes |= writes;
    return i;
}

static struct bond *bond_of(struct guard_draft *d, enum guard_bond kind, uint64_t key)
{
    for (uint32_t i = 0; i < d->bonds.len; i++)
        if (d->bonds.at[i].kind == kind && d->bonds.at[i].key == key)
            return &d->bonds.at[i];
    vec_push(&d->bonds, (struct bond){.kind = kind, .key = key});
    return &d->bonds.at[d->bonds.len - 1];
}

/* ---- one access ------------------------------------------------------------------------- */

struct reading {
    struct guard_table *t;
    const struct seen_run *r;
    const char **fields;
    uint32_t run; /* its number, to tell objects of different runs apart */
};

static const struct object *object_at(const struct model *m, obj_id id)
{
    return id == NONE ? NULL : space_object(m->space, id);
}

/* Which element, if both are arrays of as many. */
static bool has_same_index(const struct object *data, uint64_t at, const struct object *locks,
                           uint64_t lock)
{
    uint64_t count = locks->size / MUTEX_BYTES;
    if (count < 2 || locks->size % MUTEX_BYTES || data->size % count || data == locks)
        return false;
    CHECK(at >= data->addr && lock >= locks->addr);
    uint64_t stride = data->size / count;
    return stride > 0 && (at - data->addr) / stride == (lock - locks->addr) / MUTEX_BYTES;
}

/* Each way in which this lock may belong to this memory. */
static void count_bond(struct reading *x, struct guard_draft *d, enum guard_bond kind,
                       uint64_t key, uint32_t use, ev_id acquire, cell_id c)
{
    const struct model *m = x->r->model;
    struct bond *b = bond_of(d, kind, key);
    CHECK(use < d->guard.uses.len && acquire < m->ev_count && c < m->cell_count);
    while (b->uses.len <= use)
        vec_push(&b->uses, 0);
    b->uses.at[use]++;
    b->count++;
    b->is_shared |= (m->ev[acquire].detail & FLAG(SHARED)) != 0;
    if (b->lock == NULL) {
        AUTO(str) struct str name = {0};
        object_text(&name, m, m->syncs[m->obj[acquire]].object);
        b->lock = arena_text(&x->t->out->mem, name.at, name.len);
        b->locked_at = x->t->sites->sites.at[x->r->ev[model_number(m, acquire)].site];
    }
    /* one object has one lock */
    uint64_t owner = hash_u64((uint64_t)x->run << 32 | m->cells[c].object);
    uint32_t *slot = map_at(&b->owners, owner);
    uint32_t own = (uint32_t)m->syncs[m->obj[acquire]].addr;
    if (*slot == NONE)
        *slot = own & 0x7fffffff;
    else if (*slot != (own & 0x7fffffff))
        b->is_split = true;
}

static void count_lock(struct reading *x, struct guard_draft *d, uint32_t use, ev_id acquire,
                       cell_id c)
{
    const struct model *m = x->r->model;
    const struct sync *s = &m->syncs[m->obj[acquire]];
    const struct cell *cell = &m->cells[c];
    const struct object *lock = object_at(m, s->object), *data = object_at(m, cell->object);
    if (lock && lock == data) {
        count_bond(x, d, GUARD_BOND_OWN, hash_u64(s->addr - cell->addr) | 1, use, acquire, c);
        count_bond(x, d, GUARD_BOND_OWN, hash_u64(s->addr - lock->addr) & ~1ULL, use, acquire,
                   c);
    }
    if (lock && lock->is_static) {
        uint64_t name = hash_bytes(lock->name.at, lock->name.len);
        count_bond(x, d, GUARD_BOND_GLOBAL, name + (s->addr - lock->addr), use, acquire, c);
        if (data && has_same_index(data, cell->addr, lock, s->addr))
            count_bond(x, d, GUARD_BOND_INDEX, name, use, acquire, c);
    } else if (lock && lock != data) {
        count_bond(x, d, GUARD_BOND_OTHER, (uint64_t)lock->site << 32 | (s->addr - lock->addr),
                   use, acquire, c);
    } else if (!lock) {
        count_bond(x, d, GUARD_BOND_GLOBAL, s->addr, use, acquire, c);
    }
}

static void describe(struct reading *x, struct guard_draft *d, cell_id c)
{
    const struct model *m = x->r->model;
    const struct object *o = object_at(m, m->cells[c].object);
    AUTO(str) struct str name = {0};
    struct guard *g = &d->guard;
    object_text(&name, m, m->cells[c].object);
    g->object = arena_text(&x->t->out->mem, name.at, name.len);
    bool is_whole = o && o->is_static && text_is(o->name, text_of(x->fields[c]));
    g->field = is_whole ? "" : arena_text(&x->t->out->mem, x->fields[c], strlen(x->fields[c]));
    g->is_heap = o && !o->is_static && o->class == WORD_VALUE(CLASS, HEAP);
    g->is_stack = o && !o->is_static && o->class == WORD_VALUE(CLASS, STACK);
    if (o && !o->is_static && o->site < m->trace->sites.len) {
        uint32_t site = site_number(x->t->sites, &m->trace->sites.at[o->site]);
        g->allocated = x->t->sites->sites.at[site];
    } else {
        g->allocated = (struct code_site){.file = "", .function = "", .name = ""};
    }
}

static void count_access(struct reading *x, ev_id e, cell_id c)
{
    const struct model *m = x->r->model;
    AUTO(str) struct str name = {0};
    bool is_new;
    variable_text(&name, m, c, x->fields[c]);
    struct guard_draft *d = draft_of(x->t, name.at, &is_new);
    if (is_new)
        describe(x, d, c);
    CHECK(c < m->cell_count && model_number(m, e) < x->r->ev_count);
    const struct code_site *site = &x->t->sites->sites.at[x->r->ev[model_number(m, e)].site];
    uint32_t use = use_of(d, site, model_writes(m, e));
    d->guard.uses.at[use].count++;
    d->guard.accesses++;
    thr_id thr = m->ev[e].thr;
    for (uint32_t i = model_held(m, thr, m->idx[e]); i != NONE;
         i = model_held_next(m, i, m->idx[e]))
        count_lock(x, d, use, m->acquires[i], c);
}

/* ---- one run ---------------------------------------------------------------------------- */

/* By cell: who touched it first, whether another one has, and who does at all. */
struct touch {
    thr_id first;
    bool is_shared;
    VEC(thr_id) users;
};

static void find_users(struct touch *touched, const struct model *m)
{
    for (cell_id c = 0; c < m->cell_count; c++) {
        touched[c].first = NONE;
        for (uint32_t i = m->cell_first[c]; i < m->cell_first[c + 1]; i++) {
            thr_id thr = m->ev[m->accesses[i]].thr;
            uint32_t known = 0;
            while (known < touched[c].users.len && touched[c].users.at[known] != thr)
                known++;
            if (known == touched[c].users.len)
                vec_push(&touched[c].users, thr);
        }
    }
}

static bool is_shared_now(struct touch *t, thr_id thr, const bool *alive)
{
    if (t->first == NONE)
        t->first = thr;
    CHECK(t->users.len > 0); /* it is one of them itself */
    t->is_shared |= t->first != thr;
    for (uint32_t i = 0; t->is_shared && i < t->users.len; i++)
        if (t->users.at[i] != thr && alive[t->users.at[i]])
            return true;
    return false;
}

void guard_table_add(struct guard_table *t, const struct seen_run *r)
{
    const struct model *m = r->model;
    AUTO(arena) struct arena mem = {0};
    struct touch *touched = ARENA_NEW(&mem, struct touch, m->cell_count + 1);
    bool *alive = ARENA_NEW(&mem, bool, m->thread_count + 1);
    struct reading x = {.t = t, .r = r, .fields = r->fields, .run = (uint32_t)t->out->runs};
    find_users(touched, m);
    for (thr_id i = 0; i < m->thread_count; i++)
        alive[i] = m->threads[i].create == NONE;
    for (ev_id e = 0; e < m->ev_count; e++) {
        if (m->ev[e].kind == EV_CREATE)
            alive[m->obj[e]] = true;
        if (m->ev[e].kind == EV_JOIN) /* until then nothing says that it has come to its end */
            alive[m->obj[e]] = false;
        if (!model_accesses(m, e))
            continue;
        struct span cells = model_cells(m, e);
        CHECK(cells.first + cells.count <= m->cell_count);
        for (uint32_t i = 0; i < cells.count && i < CELLS_MAX; i++)
            if (is_shared_now(&touched[cells.first + i], m->ev[e].thr, alive))
                count_access(&x, e, cells.first + i);
    }
    for (cell_id c = 0; c < m->cell_count; c++)
        vec_done(&touched[c].users);
    t->out->runs++;
}

/* ---- deciding --------------------------------------------------------------------------- */

static uint32_t guarded_sites(const struct guard_draft *d, const struct bond *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->guard.uses.len; i++)
        count += i < b->uses.len && b->uses.at[i] == d->guard.uses.at[i].count;
    return count;
}

static const int preference[] = {[GUARD_BOND_NONE] = 0,
                                 [GUARD_BOND_OTHER] = 1,
                                 [GUARD_BOND_INDEX] = 2,
                                 [GUARD_BOND_GLOBAL] = 3,
                                 [GUARD_BOND_OWN] = 4};

static bool is_better(const struct guard_draft *d, const struct bond *b,
                      const struct bond *than)
{
    if (!than)
        return true;
    uint32_t own = guarded_sites(d, b), other = guarded_sites(d, than);
    if (own != other)
        return own > other;
    if (b->count != than->count)
        return b->count > than->count;
    return preference[b->kind] > preference[than->kind];
}

/* "accounts" and "a->lock" make "accounts.lock". */
static const char *lock_text(struct guard_table *t, const struct bond *b,
                             const struct build_units *units)
{
    AUTO(str) struct str expression = {0}, out = {0};
    lock_expression(&expression, &b->locked_at, units);
    const char *text = expression.at ? expression.at : "", *field = text;
    for (const char *p = text; *p; p++)
        if (*p == '.' || (*p == '-' && p[1] == '>'))
            field = p + (*p == '.' ? 1 : 2);
    str_add(&out, "%s", b->lock);
    if (field[0] && field != text)
        str_add(&out, ".%s", field);
    return arena_text(&t->out->mem, out.at, out.len);
}

static int by_guarded(const void *a, const void *b)
{
    const struct guard_use *x = a, *y = b;
    bool good = x->guarded == x->count, other = y->guarded == y->count;
    if (good != other)
        return good ? 1 : -1;
    int file = strcmp(x->site.file, y->site.file);
    if (file)
        return file;
    if (x->site.line != y->site.line)
        return x->site.line < y->site.line ? -1 : 1;
    if (x->site.column != y->site.column)
        return x->site.column < y->site.column ? -1 : 1;
    return (x->site.ordinal > y->site.ordinal) - (x->site.ordinal < y->site.ordinal);
}

/* Who changes it always has the lock: it is meant to, wherever others look without. */
static bool is_at_writes(const struct guard_draft *d, const struct bond *b)
{
    bool is_written = false;
    for (uint32_t i = 0; i < d->guard.uses.len; i++) {
        const struct guard_use *use = &d->guard.uses.at[i];
        if (use->writes && (i >= b->uses.len || b->uses.at[i] < use->count))
            return false;
        is_written |= use->writes;
    }
    return is_written;
}

#ifdef HEDDLE_CHECKS
/* Each access is one of a use, and holds what is counted for it at most once. */
static void draft_check(const struct guard_draft *d, const struct bond *best)
{
    uint64_t uses = 0, held = 0;
    for (uint32_t i = 0; i < d->guard.uses.len; i++) {
        uint64_t count = d->guard.uses.at[i].count;
        CHECK(count > 0 && (!best || i >= best->uses.len || best->uses.at[i] <= count));
        uses += count;
    }
    for (uint32_t i = 0; best && i < best->uses.len; i++)
        held += best->uses.at[i];
    CHECK(uses == d->guard.accesses && (!best || held == best->count));
}
#endif

static void decide(struct guard_table *t, struct guard_draft *d,
                   const struct build_units *units)
{
    struct guard *g = &d->guard;
    const struct bond *best = NULL;
    for (uint32_t i = 0; i < d->bonds.len; i++) {
        const struct bond *b = &d->bonds.at[i];
        if (!(b->is_split && b->kind == GUARD_BOND_OTHER) && is_better(d, b, best))
            best = b;
    }
    CHECK_ALL(draft_check(d, best));
    g->sites = g->uses.len;
    g->lock = "";
    g->locked_at = (struct code_site){.file = "", .function = "", .name = ""};
    /* a lock that is held at one site of many guards something else */
    if (best && (2 * best->count >= g->accesses || is_at_writes(d, best))) {
        g->bond = best->kind;
        g->lock = lock_text(t, best, units);
        g->locked_at = best->locked_at;
        g->is_shared = best->is_shared;
        g->guarded = best->count;
        g->guarded_sites = guarded_sites(d, best);
        CHECK(g->guarded <= g->accesses && best->uses.len <= g->uses.len);
        for (uint32_t i = 0; i < g->uses.len; i++)
            g->uses.at[i].guarded = i < best->uses.len ? best->uses.at[i] : 0;
    }
    if (g->uses.len)
        qsort(g->uses.at, g->uses.len, sizeof *g->uses.at, by_guarded);
}

static int by_variable(const void *a, const void *b)
{
    const struct guard *x = a, *y = b;
    return strcmp(x->variable, y->variable);
}

/* By variable; its accesses are those of its sites, and some of these are guarded. */
static void guards_check(const struct guards *all)
{
    for (uint32_t i = 0; i < all->guards.len; i++) {
        const struct guard *g = &all->guards.at[i];
        uint64_t accesses = 0;
        CHECK(g->variable && g->object && g->field && g->lock);
        CHECK(g->sites == g->uses.len && g->guarded_sites <= g->sites);
        CHECK((g->bond == GUARD_BOND_NONE) <= (g->guarded_sites == 0));
        for (uint32_t k = 0; k < g->uses.len; k++) {
            const struct guard_use *u = &g->uses.at[k];
            CHECK(u->count > 0 && u->site.file);
            accesses += u->count;
        }
        CHECK(g->accesses == accesses);
        CHECK(i == 0 || by_variable(&all->guards.at[i - 1], g) <= 0);
    }
}

void guard_table_finish(struct guard_table *t, const char *program)
{
    AUTO(build_units) struct build_units units = {0};
    struct err ignored;
    if (program && build_units_read(&units, program, &ignored) < 0)
        units = (struct build_units){0}; /* the names of locks will be shorter */
    for (uint32_t i = 0; i < t->drafts.len; i++) {
        struct guard_draft *d = &t->drafts.at[i];
        decide(t, d, &units);
        vec_push(&t->out->guards, d->guard);
        for (uint32_t j = 0; j < d->bonds.len; j++) {
            vec_done(&d->bonds.at[j].uses);
            map_done(&d->bonds.at[j].owners);
        }
        vec_done(&d->bonds);
    }
    vec_done(&t->drafts);
    map_done(&t->by_name);
    if (t->out->guards.len)
        qsort(t->out->guards.at, t->out->guards.len, sizeof *t->out->guards.at, by_variable);
    CHECK_ALL(guards_check(t->out));
}

/* ---- the face --------------------------------------------------------------------------- */

const char *guard_bond_text(enum guard_bond b)
{
    static const char *const words[] = {"none", "global", "own", "index", "other"};
    return words[b];
}

void guards_done(struct guards *g)
{
    for (uint32_t i = 0; i < g->guards.len; i++)
        vec_done(&g->guards.at[i].uses);
    vec_done(&g->guards);
    arena_done(&g->mem);
}

static int look_at(void *arg, struct run_done *d, bool *enough, struct err *err)
{
    struct guard_table *t = arg;
    struct seen_run *r = seen_run_open(d->directory.at, t->sites, err);
    (void)enough;
    if (!r)
        return -1;
    guard_table_add(t, r);
    seen_run_free(r);
    return 0;
}

enum { RUNS_DEFAULT = 24 };

int guards_find(struct guards *out, const struct seek_runs *opts, struct err *err)
{
    *out = (struct guards){0};
    struct site_table sites = {.mem = &out->mem};
    struct guard_table table = {.out = out, .sites = &sites};
    int failed =
        explore_runs(opts, opts->runs ? opts->runs : RUNS_DEFAULT, look_at, &table, err);
    guard_table_finish(&table, opts->argv[0]);
    site_table_done(&sites);
    if (failed)
        guards_done(out);
    return failed;
}

int guards_of_runs(struct guards *out, const char *const *runs, struct err *err)
{
    *out = (struct guards){0};
    struct site_table sites = {.mem = &out->mem};
    struct guard_table table = {.out = out, .sites = &sites};
    AUTO(str) struct str trace = {0};
    int failed = 0;
    str_add(&trace, "%s/trace", *runs ? *runs : ".");
    char *const *argv = witness_program(&out->mem, trace.at);
    for (; !failed && *runs; runs++) {
        struct seen_run *r = seen_run_open(*runs, &sites, err);
        failed = r ? 0 : -1;
        if (r)
            guard_table_add(&table, r);
        seen_run_free(r);
    }
    guard_table_finish(&table, argv ? argv[0] : NULL);
    site_table_done(&sites);
    if (failed)
        guards_done(out);
    return failed;
}
