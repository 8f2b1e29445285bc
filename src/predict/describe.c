/* SPDX-License-Identifier: Apache-2.0
 *
 * describe: what is said of a bug that can happen: one sentence with where, what, who and why,
 * and an id that stays when lines move. */
#include "predict/engine.h"

#include "base/str.h"

struct telling {
    const struct model *m;
    const struct predicted *x;
    struct arena *mem;
    struct namer namer;
    ev_id e[QUERY_MAX];
    uint32_t count;
    struct str out; /* the sentence */
    struct str why; /* it can happen */
    struct str key; /* what the id is made of */
};

/* ---- names ----------------------------------------------------------------------------- */

static const struct def_site *site_of(const struct telling *t, ev_id e)
{
    return &t->m->trace->sites.at[model_site(t->m, e)];
}

static void add_text(struct str *out, struct def_text text)
{
    str_bytes(out, text.at, text.len);
}

static void add_thread(struct str *out, const struct model *m, ev_id e)
{
    thread_name(out, m->trace, m->ev[e].thr);
}

static enum action action(const struct model *m, ev_id e)
{
    switch (m->ev[e].kind) {
    case EV_RELEASE:
        return m->ev[e].detail & FLAG(WAITING) ? ACTION_WAIT : ACTION_RELEASE;
    case EV_WAIT_ENTER:
    case EV_WAIT_LEAVE:
        return ACTION_WAIT;
    case EV_RMW:
    case EV_CAS:
        return model_writes(m, e) ? ACTION_UPDATE : ACTION_READ;
    default:
        break;
    }
    if (!ev_ends_life(m->ev[e].kind) && (model_reads(m, e) || model_writes(m, e)))
        return model_writes(m, e) ? ACTION_WRITE : ACTION_READ;
    return (enum action)m->ev[e].kind;
}

static bool is_sync(const struct model *m, ev_id e)
{
    return ev_acts_on(m->ev[e].kind) >= ON_SYNC;
}

/* The first cell that an event has in common with the others of the finding: accesses may be
 * of different sizes. With several variables each event has its own. */
static cell_id cell_of(const struct telling *t, uint32_t i)
{
    struct span mine = model_cells(t->m, t->e[i]);
    cell_id first = mine.first;
    for (uint32_t j = 0; j < t->count; j++) {
        if (!model_touches(t->m, t->e[j]))
            continue;
        struct span other = model_cells(t->m, t->e[j]);
        if (other.first > first && other.first < mine.first + mine.count)
            first = other.first;
    }
    return first;
}

static const struct object *object_at(const struct model *m, obj_id id)
{
    return id == NONE ? NULL : space_object(m->space, id);
}

static struct touched touched_memory(const struct telling *t, uint32_t i)
{
    const struct model *m = t->m;
    const struct cell *c = &m->cells[cell_of(t, i)];
    return (struct touched){.site = site_of(t, t->e[i]),
                            .kind = m->ev[t->e[i]].kind,
                            .o = object_at(m, c->object),
                            .addr = c->addr,
                            .bytes = c->len};
}

static struct touched touched_sync(const struct telling *t, ev_id e)
{
    const struct model *m = t->m;
    const struct sync *s = &m->syncs[m->obj[e]];
    return (struct touched){.site = site_of(t, e),
                            .kind = m->ev[e].kind,
                            .o = object_at(m, s->object),
                            .addr = s->addr};
}

static void add_object(struct str *out, struct telling *t, uint32_t i, bool quoted)
{
    const struct model *m = t->m;
    ev_id e = t->e[i];
    if (!model_touches(m, e) && !is_sync(m, e)) {
        if (m->ev[e].kind == EV_JOIN)
            thread_name(out, m->trace, m->obj[e]);
        return;
    }
    struct touched x = model_touches(m, e) ? touched_memory(t, i) : touched_sync(t, e);
    if (quoted)
        name_quoted(&t->namer, out, &x);
    else
        name_both(&t->namer, out, &x);
}

static void add_site(struct str *out, const struct telling *t, uint32_t i)
{
    site_name(out, site_of(t, t->e[i]));
}

/* Without the way to the file, which the sentence begins with. */
static void add_near(struct str *out, const struct telling *t, uint32_t i)
{
    struct def_site s = *site_of(t, t->e[i]);
    const char *slash = s.file.len > 0 ? memrchr(s.file.at, '/', s.file.len) : NULL;
    if (slash) {
        s.file.len -= (uint32_t)(slash + 1 - s.file.at);
        s.file.at = slash + 1;
    }
    site_name(out, &s);
}

/* "write by T1 at bank.c:14:5" */
static void add_step(struct telling *t, uint32_t i)
{
    str_add(&t->out, "%s by ", action_text(action(t->m, t->e[i])));
    add_thread(&t->out, t->m, t->e[i]);
    str_add(&t->out, " at ");
    add_near(&t->out, t, i);
}

static void add_quoted(struct telling *t, uint32_t i)
{
    if (t->m->ev[t->e[i]].kind == EV_JOIN)
        str_char(&t->out, '\'');
    add_object(&t->out, t, i, true);
    if (t->m->ev[t->e[i]].kind == EV_JOIN)
        str_char(&t->out, '\'');
}

/* "'a', 'b'" of what e's thread holds there; false: nothing. */
static bool add_held(struct str *out, struct telling *t, ev_id e)
{
    const struct model *m = t->m;
    uint32_t n = m->idx[e], first = model_held(m, m->ev[e].thr, n);
    for (uint32_t h = first; h != NONE; h = model_held_next(m, h, n)) {
        struct touched x = touched_sync(t, m->acquires[h]);
        str_add(out, h == first ? "" : ", ");
        name_quoted(&t->namer, out, &x);
    }
    return first != NONE;
}

/* ---- sentences ------------------------------------------------------------------------- */

/* Both sides know that somebody else is there: each is volatile or atomic. */
static bool is_volatile(const struct telling *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!t->m->trace->sites.at[model_site(t->m, t->e[i])].is_volatile &&
            !model_is_atomic(t->m, t->e[i]))
            return false;
    return true;
}

static void tell_race(struct telling *t)
{
    str_add(&t->out, "race on %s", is_volatile(t) ? "volatile " : "");
    add_quoted(t, 0);
    str_add(&t->out, ": %s by ", action_text(action(t->m, t->e[0])));
    add_thread(&t->out, t->m, t->e[0]);
    str_add(&t->out, ", ");
    add_step(t, 1);
}

/* The acquire of a lock that both hold, though for reading only; or NONE. */
static ev_id shared_by_both(const struct telling *t)
{
    const struct model *m = t->m;
    uint32_t n[2];
    for (int i = 0; i < 2; i++)
        n[i] = m->idx[t->e[i]];
    for (uint32_t a = model_held(m, m->ev[t->e[0]].thr, n[0]); a != NONE;
         a = model_held_next(m, a, n[0]))
        for (uint32_t b = model_held(m, m->ev[t->e[1]].thr, n[1]); b != NONE;
             b = model_held_next(m, b, n[1])) {
            ev_id first = m->acquires[a], second = m->acquires[b];
            if (m->obj[first] == m->obj[second] && m->ev[first].detail & FLAG(SHARED) &&
                m->ev[second].detail & FLAG(SHARED))
                return first;
        }
    return NONE;
}

static void explain_race(struct telling *t)
{
    struct str held[2] = {{0}, {0}};
    bool holds[2];
    ev_id shared = shared_by_both(t);
    if (shared != NONE) {
        struct touched x = touched_sync(t, shared);
        str_add(&t->why, "both hold ");
        name_quoted(&t->namer, &t->why, &x);
        str_add(&t->why, " for reading only");
        return;
    }
    for (int i = 0; i < 2; i++)
        holds[i] = add_held(&held[i], t, t->e[i]);
    str_add(&t->why, "no common lock");
    if (holds[0] || holds[1])
        str_add(&t->why, ": the first holds %s, the second %s",
                holds[0] ? held[0].at : "nothing", holds[1] ? held[1].at : "nothing");
    str_done(&held[0]);
    str_done(&held[1]);
}

static void tell_weak_race(struct telling *t)
{
    str_add(&t->out, "race by C11's rules on ");
    add_quoted(t, 0);
    str_add(&t->out, ": %s by ", action_text(action(t->m, t->e[0])));
    add_thread(&t->out, t->m, t->e[0]);
    str_add(&t->out, ", ");
    add_step(t, 1);
}

static void explain_weak_race(struct telling *t)
{
    str_add(&t->why, "only relaxed atomic accesses keep them in order, and C11 does not count "
                     "those as synchronisation");
}

/* While it waits it does not have the lock of the wait. */
static bool add_kept(struct str *out, struct telling *w, ev_id e)
{
    const struct model *m = w->m;
    thr_id t = m->ev[e].thr;
    ev_id next = m->idx[e] + 1 < m->threads[t].len ? model_at(m, t, m->idx[e] + 1) : NONE;
    if (m->ev[e].kind != EV_WAIT_ENTER || next == NONE || m->ev[next].kind != EV_RELEASE)
        return add_held(out, w, e);
    uint32_t place = m->idx[next] + 1;
    return place < m->threads[t].len && add_held(out, w, model_at(m, t, place));
}

static const char *wait_words(unsigned kind)
{
    if (kind == EV_WAIT_ENTER)
        return "for a signal of";
    return kind == EV_ARRIVE || kind == EV_DEPART ? "for others at" : "for";
}

static void tell_deadlock(struct telling *t)
{
    str_add(&t->out, "deadlock: ");
    for (uint32_t i = 0; i < t->count; i++) {
        str_add(&t->out, i == 0 ? "" : ", ");
        add_thread(&t->out, t->m, t->e[i]);
        AUTO(str) struct str held = {0};
        if (add_kept(&held, t, t->e[i]))
            str_add(&t->out, " holds %s and", held.at);
        str_add(&t->out, " waits %s ", wait_words(t->m->ev[t->e[i]].kind));
        add_quoted(t, i);
        if (t->m->ev[t->e[i]].kind == EV_JOIN)
            str_add(&t->out, " to end");
        if (t->m->ev[t->e[i]].detail & FLAG(TIMED))
            str_add(&t->out, " until its time is over");
        if (i > 0) {
            str_add(&t->out, " at ");
            add_near(&t->out, t, i);
        }
    }
}

static const char *const reasons[] = {
    [GROUP_NONE] = "",
    [GROUP_REGION] = "both are in one marked region",
    [GROUP_SECTION] = "both are in one section of a lock",
    [GROUP_DEPENDENT] = "the second section of the lock depends on what the first one read",
    [GROUP_STATEMENT] = "both are in one statement",
    [GROUP_UPDATE] = "what is stored was computed from what was loaded",
    [GROUP_DECLARED] = "these variables are declared to be guarded by the same lock",
    [GROUP_SET] = "the rest of the program uses these variables together",
};

/* The other thread reads what this one has read, and does the same again. */
static void tell_twin(struct telling *t)
{
    str_add(&t->out, "atomicity violation on ");
    add_quoted(t, 0);
    str_add(&t->out, ": ");
    add_thread(&t->out, t->m, t->e[1]);
    str_add(&t->out, " can read the same as ");
    add_thread(&t->out, t->m, t->e[0]);
    str_add(&t->out, ", before the ");
    add_step(t, 2);
    str_add(&t->out, ", and do the same again");
}

static void tell_triple(struct telling *t)
{
    str_add(&t->out, "atomicity violation on ");
    add_quoted(t, 0);
    str_add(&t->out, ": ");
    add_step(t, 1);
    str_add(&t->out, " can come between %s and ", action_text(action(t->m, t->e[0])));
    add_step(t, 2);
}

/* Two threads, two variables: who comes first at one of them comes last at the other. */
static void tell_several(struct telling *t)
{
    uint32_t y = cell_of(t, 1) == cell_of(t, 0) ? 2 : 1;
    str_add(&t->out, "atomicity violation on ");
    add_quoted(t, 0);
    str_add(&t->out, " and ");
    add_quoted(t, y);
    str_add(&t->out, ": ");
    for (uint32_t i = 0; i < t->count; i++) {
        str_add(&t->out, i ? ", then " : "");
        add_step(t, i);
    }
}

static void tell_atomicity(struct telling *t)
{
    if (t->count == 3 && strcmp(t->x->shape, "RRW") == 0)
        tell_twin(t);
    else if (t->count == 3)
        tell_triple(t);
    else
        tell_several(t);
}

static void explain_atomicity(struct telling *t)
{
    str_add(&t->why, "%s; %s", t->x->shape, reasons[t->x->group]);
}

/* "use after free of 'x': " */
static void tell_of(struct telling *t, const char *what, uint32_t i)
{
    str_add(&t->out, "%s ", what);
    add_object(&t->out, t, i, true);
    str_add(&t->out, ": ");
}

static void tell_lost_wakeup(struct telling *t)
{
    tell_of(t, "lost wake-up on", t->count - 1);
    for (uint32_t i = 0; i + 1 < t->count; i++) {
        str_add(&t->out, i ? ", " : "");
        add_step(t, i);
    }
    str_add(&t->out, " can come before the ");
    add_step(t, t->count - 1);
    str_add(&t->out, ", which then waits for ever");
}

static void tell_order(struct telling *t)
{
    tell_of(t, "order violation on", 0);
    add_step(t, 0);
    str_add(&t->out, " can come before the ");
    add_step(t, 1);
}

static void tell_uninitialised(struct telling *t)
{
    tell_of(t, "use before initialisation of", 0);
    add_step(t, 0);
    str_add(&t->out, " can come before the first ");
    add_step(t, 1);
}

/* A variable ends where its frame is left: the place is where it was declared. */
static void tell_use_after_leave(struct telling *t)
{
    tell_of(t, "use after the end of", 1);
    add_step(t, 1);
    str_add(&t->out, " can come after ");
    add_thread(&t->out, t->m, t->e[0]);
    str_add(&t->out, " has left the frame of the variable at ");
    add_near(&t->out, t, 0);
}

static void tell_use_after_free(struct telling *t)
{
    if (t->m->ev[t->e[0]].kind == EV_STACK_LEAVE) {
        tell_use_after_leave(t);
        return;
    }
    tell_of(t, "use after free of", 1);
    add_step(t, 1);
    str_add(&t->out, " can come after the ");
    add_step(t, 0);
}

/* Events: change, twin; or read, twin, change. */
static void tell_double_free(struct telling *t)
{
    uint32_t twin = 1, change = t->count == 2 ? 0 : 2;
    tell_of(t, "double free of what is at", twin);
    add_step(t, twin);
    str_add(&t->out, " can come before the ");
    add_step(t, change);
    str_add(&t->out, ", which has freed it at ");
    site_name(&t->out, &t->m->trace->sites.at[t->x->site]);
    str_add(&t->out, "; the other then does the same");
}

static void tell_use_after_destroy(struct telling *t)
{
    tell_of(t, "use after destroy of", 0);
    add_step(t, 1);
    str_add(&t->out, " can come after the ");
    add_step(t, 0);
}

enum { LAST = QUERY_MAX };

static const struct teller {
    const struct pattern *pattern;
    void (*tell)(struct telling *t);
    void (*explain)(struct telling *t); /* why it can happen; NULL: that is plain */
    uint32_t where;                     /* the event whose site stands in front, or LAST */
} tellers[] = {
#define SEARCHED(name, tell, explain, where) {&pattern_##name, tell, explain, where},
#include "predict/searched.def"
#undef SEARCHED
};

static const struct teller *teller_of(const struct telling *t)
{
    const struct teller *x = tellers;
    while (x->pattern != t->x->pattern)
        x++;
    return x;
}

/* ---- the id ---------------------------------------------------------------------------- */

/* Names without lines, counts and offsets. */
static void key_object(struct telling *t, uint32_t i)
{
    const struct model *m = t->m;
    ev_id e = t->e[i];
    obj_id id = NONE;
    if (model_touches(m, e))
        id = m->cells[cell_of(t, i)].object;
    else if (is_sync(m, e))
        id = m->syncs[m->obj[e]].object;
    if (model_touches(m, e))
        add_text(&t->key, site_of(t, e)->name);
    str_char(&t->key, ' ');
    if (id == NONE)
        return;
    const struct object *o = space_object(m->space, id);
    struct def_text made = o->is_static ? (struct def_text){o->name.at, o->name.len}
                                        : m->trace->sites.at[o->site].function;
    add_text(&t->key, made);
}

/* The object of the first event that is about one: where it comes from, without what of it. */
static const char *make_about(struct telling *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct model *m = t->m;
        ev_id e = t->e[i];
        obj_id id = model_touches(m, e) ? m->cells[cell_of(t, i)].object
                    : is_sync(m, e)     ? m->syncs[m->obj[e]].object
                                        : NONE;
        if (id == NONE)
            continue;
        const struct object *o = space_object(m->space, id);
        t->key.len = 0;
        if (o->is_static)
            str_bytes(&t->key, o->name.at, o->name.len);
        else
            site_name(&t->key, &m->trace->sites.at[o->site]);
        return arena_text(t->mem, t->key.at, t->key.len);
    }
    return "";
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Who does it first makes no difference to a race, to a deadlock and with two variables. */
static const char *make_id(struct telling *t)
{
    const char *parts[QUERY_MAX];
    for (uint32_t i = 0; i < t->count; i++) {
        t->key.len = 0;
        const struct def_site *s = site_of(t, t->e[i]);
        if (s->function.len > 0)
            add_text(&t->key, s->function);
        else
            site_name(&t->key, s);
        str_char(&t->key, ' ');
        key_object(t, i);
        parts[i] = arena_text(t->mem, t->key.at, t->key.len);
    }
    bool in_any_order = pattern_is(t->x->pattern->id, TRAIT_ANY_ORDER) ||
                        (t->x->pattern == &pattern_atomicity && t->count == 4);
    if (in_any_order)
        qsort(parts, t->count, sizeof *parts, by_text);
    t->key.len = 0;
    for (uint32_t i = 0; i < t->count; i++)
        str_add(&t->key, "%s\n", parts[i]);
    uint64_t hash = hash_bytes(t->key.at, t->key.len);
    t->key.len = 0;
    str_add(&t->key, "%s-%08x", pattern_text(t->x->pattern->id), (uint32_t)(hash ^ hash >> 32));
    return arena_text(t->mem, t->key.at, t->key.len);
}

/* ---- all of it ------------------------------------------------------------------------- */

static struct place place_of(struct telling *t, uint32_t site)
{
    return place_of_site(t->mem, &t->m->trace->sites.at[site]);
}

static uint32_t add_finding_thread(struct telling *t, struct finding *f, thr_id *known,
                                   thr_id thr)
{
    ev_id create = t->m->threads[thr].create;
    uint32_t site = create == NONE ? NONE : model_site(t->m, create);
    return finding_add_thread(f, known, t->m->trace, thr, site, t->mem);
}

static struct finding_locks locks_held(struct telling *t, ev_id e)
{
    const struct model *m = t->m;
    uint32_t n = m->idx[e], first = model_held(m, m->ev[e].thr, n), count = 0;
    for (uint32_t h = first; h != NONE; h = model_held_next(m, h, n))
        count++;
    const char **names = ARENA_NEW(t->mem, const char *, count + 1);
    count = 0;
    for (uint32_t h = first; h != NONE; h = model_held_next(m, h, n)) {
        AUTO(str) struct str text = {0};
        struct touched x = touched_sync(t, m->acquires[h]);
        name_quoted(&t->namer, &text, &x);
        names[count++] = str_move(t->mem, &text);
    }
    return (struct finding_locks){names, count};
}

static void add_steps(struct telling *t, struct finding *f, uint32_t where)
{
    AUTO(str) struct str text = {0};
    thr_id known[QUERY_MAX];
    vec_push(&f->sites, place_of(t, model_site(t->m, t->e[where])));
    for (uint32_t i = 0; i < t->count; i++) {
        ev_id e = t->e[i];
        struct finding_step s = {.thread = add_finding_thread(t, f, known, t->m->ev[e].thr),
                                 .place = place_of(t, model_site(t->m, e)),
                                 .action = action(t->m, e),
                                 .value = "",
                                 .event = model_number(t->m, e),
                                 .is_key = true};
        add_object(&text, t, i, false);
        s.object = str_move(t->mem, &text);
        s.held = locks_held(t, e);
        vec_push(&f->steps, s);
        if (i != where)
            vec_push(&f->sites, s.place);
    }
}

void predict_tell(const struct model *m, const struct predicted *x, struct arena *mem,
                  struct finding *out)
{
    bool apart = x->about_count > 0;
    struct telling t = {
        .m = m, .x = x, .mem = mem, .count = apart ? x->about_count : x->query.count};
    t.namer.t = m->trace;
    for (uint32_t i = 0; i < t.count; i++) {
        t.e[i] = model_find(m, apart ? x->about[i] : x->query.number[i]);
        CHECK(t.e[i] != NONE);
    }
    const struct teller *teller = teller_of(&t);
    *out = finding_new(x->pattern->id);
    out->id = make_id(&t);
    out->about = make_about(&t);
    out->is_volatile = x->pattern->id == PATTERN_RACE && is_volatile(&t);
    out->doubt = "nothing was run: only the witness checker has executed it";
    if (pattern_is(x->pattern->id, TRAIT_UNSEEN))
        out->doubt = "no run can show it: threads that take turns keep the two in order";
    uint32_t where = teller->where == LAST ? t.count - 1 : teller->where;
    add_site(&t.out, &t, where);
    str_add(&t.out, ": ");
    size_t head = t.out.len;
    teller->tell(&t);
    if (x->group != GROUP_NONE) {
        str_add(&t.why, "%s: %s", group_text(x->group), reasons[x->group]);
        out->source = str_move(t.mem, &t.why);
    }
    if (teller->explain)
        teller->explain(&t);
    out->why = str_move(t.mem, &t.why);
    if (*out->why)
        str_add(&t.out, " (%s)", out->why);
    out->message = str_move(t.mem, &t.out);
    out->rest = out->message + head;
    add_steps(&t, out, where);
    namer_done(&t.namer);
    str_done(&t.out);
    str_done(&t.key);
    str_done(&t.why);
}
