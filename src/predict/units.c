/* SPDX-License-Identifier: Apache-2.0
 *
 * units: each thread is walked once, to tell which of its accesses are meant to happen as one:
 * those of a marked region, of a lock section and of a statement; a read and what depends on
 * it in a later section of the same lock; and neighbouring sections that each use one of two
 * variables. Whether the rest of the program uses those two together is for others to say. */
#include "predict/units.h"

#include <string.h>

enum {
    KEPT_MAX = 1 << 16, /* accesses that are remembered while something is open */
    CONDITIONS_MAX = 8, /* reads that decide whether a section is entered */
    SECTIONS_MAX = 32,  /* that begin at the same site, by thread */
};

struct pair {
    ev_id a, b;
};

/* A section or region that has begun. */
struct open_unit {
    ev_id begin;
    uint32_t first; /* of its accesses, in kept */
    enum group group;
    ev_id conditions[CONDITIONS_MAX];
    uint32_t condition_count;
};

/* What a site says about the events that it has. */
enum { SITE_DEPENDS = 1, SITE_STATEMENT = 2 };

struct walk {
    const struct predictor *p;
    const struct model *m;
    const struct intent *intent;
    const struct unit_visitor *to;
    thr_id thr;
    VEC(struct open_unit) open;
    VEC(ev_id) kept;            /* accesses since the first open one began */
    VEC(ev_id) statement;       /* accesses of the statement under way */
    VEC(ev_id) before;          /* accesses of the last outermost section */
    VEC(struct pair) dependent; /* of the outermost section under way */
    VEC(cell_id) rechecked;     /* cells that are read and tested in it */
    uint8_t *sites;             /* by site: what it says, as bits */
    bool depends;               /* some site depends on others */
    ev_id *last;                /* by site: its last event, of any thread */
    uint32_t *sections;         /* by site: how many sections of the thread began there */
    ev_id now;                  /* the event that depends on what is being looked at */
};

/* ---- dependences ----------------------------------------------------------------------- */

/* A section of the same lock holds each, and they are not the same one. */
static bool in_two_sections(const struct model *m, ev_id a, ev_id b)
{
    thr_id t = m->ev[a].thr;
    uint32_t n = m->idx[a], o = m->idx[b] + 1; /* b may be the acquire itself */
    bool found = false;
    for (uint32_t i = model_held(m, t, n); i != NONE; i = model_held_next(m, i, n))
        for (uint32_t j = model_held(m, t, o); j != NONE; j = model_held_next(m, j, o)) {
            if (i == j)
                return false;
            found |= m->obj[m->acquires[i]] == m->obj[m->acquires[j]];
        }
    return found;
}

/* What a site may depend on was done last by the event that is looked at here. */
static void visit_source(void *arg, uint32_t site)
{
    struct walk *w = arg;
    const struct model *m = w->m;
    ev_id a = w->last[site];
    if (a == NONE || m->ev[a].thr != w->thr || !model_reads(m, a) ||
        !in_two_sections(m, a, w->now))
        return;
    if (m->ev[w->now].kind != EV_ACQUIRE) {
        vec_push(&w->dependent, (struct pair){a, w->now});
        return;
    }
    struct open_unit *u = &w->open.at[w->open.len - 1];
    if (u->condition_count < CONDITIONS_MAX)
        u->conditions[u->condition_count++] = a;
}

static void depend(struct walk *w, ev_id e, uint32_t site)
{
    w->now = e;
    if (w->sites[site] & SITE_DEPENDS)
        intent_sources(w->intent, site, visit_source, w);
}

/* What is tested was read since the outermost section began. */
static void visit_tested(void *arg, uint32_t site)
{
    struct walk *w = arg;
    const struct model *m = w->m;
    ev_id r = w->last[site];
    if (r != NONE && m->ev[r].thr == w->thr && model_reads(m, r) &&
        m->idx[r] > m->idx[w->open.at[0].begin])
        vec_push(&w->rechecked, model_cells(m, r).first);
}

/* A section that looks again at what it depends on does not rely on the older look. */
static void tell_dependent(struct walk *w)
{
    for (uint32_t i = 0; i < w->dependent.len; i++) {
        struct pair d = w->dependent.at[i];
        uint32_t j = 0;
        while (j < w->rechecked.len && w->rechecked.at[j] != model_cells(w->m, d.a).first)
            j++;
        if (j == w->rechecked.len)
            w->to->pair(w->to->arg, d.a, d.b, GROUP_DEPENDENT);
    }
    w->dependent.len = w->rechecked.len = 0;
}

/* ---- what opens and closes ------------------------------------------------------------- */

static void begin(struct walk *w, ev_id e, enum group group)
{
    vec_push(&w->open, (struct open_unit){.begin = e, .first = w->kept.len, .group = group});
    if (group == GROUP_SECTION)
        depend(w, e, model_site(w->m, e));
}

static void neighbours(struct walk *w, const struct open_unit *u)
{
    const ev_id *now = w->kept.at + u->first;
    uint32_t count = w->kept.len - u->first;
    if (w->before.len > 0 && count > 0)
        w->to->neighbours(w->to->arg, w->before.at, w->before.len, now, count);
    w->before.len = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&w->before, now[i]);
}

/* A section that the thread enters again and again is looked at for a while. */
static bool is_rare(struct walk *w, ev_id acquire)
{
    return ++w->sections[model_site(w->m, acquire)] <= SECTIONS_MAX;
}

static void end_at(struct walk *w, uint32_t at)
{
    struct open_unit u = w->open.at[at];
    memmove(&w->open.at[at], &w->open.at[at + 1], (w->open.len - at - 1) * sizeof *w->open.at);
    w->open.len--;
    for (uint32_t i = u.first; i < w->kept.len; i++)
        for (uint32_t j = 0; j < u.condition_count; j++)
            vec_push(&w->dependent, (struct pair){u.conditions[j], w->kept.at[i]});
    bool looked_at = u.group != GROUP_SECTION || is_rare(w, u.begin);
    *w->to->skipped += !looked_at;
    if (looked_at)
        w->to->unit(w->to->arg, w->kept.at + u.first, w->kept.len - u.first, u.group);
    if (w->open.len == 0) {
        if (u.group == GROUP_SECTION && looked_at)
            neighbours(w, &u);
        else
            w->before.len = 0;
        tell_dependent(w);
        w->kept.len = 0;
    }
}

static void end_section(struct walk *w, ev_id release)
{
    for (uint32_t i = w->open.len; i-- > 0;)
        if (w->open.at[i].begin == w->m->link[release]) {
            end_at(w, i);
            return;
        }
}

static void end_region(struct walk *w)
{
    for (uint32_t i = w->open.len; i-- > 0;)
        if (w->open.at[i].group == GROUP_REGION) {
            end_at(w, i);
            return;
        }
}

static void end_statement(struct walk *w)
{
    if (w->statement.len > 1)
        w->to->unit(w->to->arg, w->statement.at, w->statement.len, GROUP_STATEMENT);
    w->statement.len = 0;
}

/* ---- the walk -------------------------------------------------------------------------- */

/* An access of no statement ends the one under way. */
static void add_to_statement(struct walk *w, ev_id e, uint32_t site)
{
    uint32_t len = w->statement.len;
    if (len > 0 && (!(w->sites[site] & SITE_STATEMENT) ||
                    !intent_one_statement(w->intent, w->statement.at[len - 1], e)))
        end_statement(w);
    if ((w->sites[site] & SITE_STATEMENT) && w->statement.len < UNIT_MAX)
        vec_push(&w->statement, e);
}

static void add_access(struct walk *w, ev_id e, uint32_t site)
{
    add_to_statement(w, e, site);
    if (w->open.len > 0 && w->kept.len < KEPT_MAX)
        vec_push(&w->kept, e);
    depend(w, e, site);
}

static void add_event(struct walk *w, ev_id e)
{
    const struct model *m = w->m;
    unsigned kind = m->ev[e].kind;
    uint32_t site = model_site(m, e);
    if (kind == EV_ACQUIRE)
        begin(w, e, GROUP_SECTION);
    else if (kind == EV_RELEASE)
        end_section(w, e);
    else if (kind == EV_MARK && m->obj[e] == WORD_VALUE(MARK, BEGIN))
        begin(w, e, GROUP_REGION);
    else if (kind == EV_MARK && m->obj[e] == WORD_VALUE(MARK, END))
        end_region(w);
    else if (kind == EV_BRANCH && w->open.len > 0 && m->obj[e] == WORD_VALUE(BRANCH, EXPLICIT))
        intent_sources(w->intent, site, visit_tested, w);
    else if ((model_reads(m, e) || model_writes(m, e)) && !intent_ignores(w->intent, e))
        add_access(w, e, site);
    if (w->depends)
        w->last[site] = e;
}

static void walk_stretch(struct walk *w, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        add_event(w, model_at(w->m, w->thr, i));
    while (w->open.len > 0)
        end_at(w, w->open.len - 1);
    end_statement(w);
}

/* Only sections say what belongs together: what lies between them is left out, and so are those
 * that have been looked at often enough, with all that are nested in them. */
static void walk_sections(struct walk *w)
{
    const struct model *m = w->m;
    const struct model_thread *t = &m->threads[w->thr];
    uint32_t end = t->acquire_first + t->acquire_count;
    for (uint32_t i = t->acquire_first, j; i < end; i = j) {
        ev_id first = m->acquires[i], last = m->link[first];
        bool rare = w->sections[model_site(m, first)] < SECTIONS_MAX;
        for (j = i + 1; j < end && m->acquires[j] < last; j++) {
            ev_id release = m->link[m->acquires[j]];
            last = release > last ? release : last;
            rare |= w->sections[model_site(m, m->acquires[j])] < SECTIONS_MAX;
        }
        if (rare) {
            walk_stretch(w, m->idx[first], last == NONE ? t->len : m->idx[last] + 1);
            continue;
        }
        *w->to->skipped += j - i;
        w->before.len = 0;
    }
}

static void walk_thread(struct walk *w, thr_id t)
{
    w->thr = t;
    w->before.len = w->kept.len = 0;
    memset(w->sections, 0, w->m->trace->sites.len * sizeof *w->sections);
    if (intent_is_plain(w->intent) && !w->depends)
        walk_sections(w);
    else
        walk_stretch(w, 0, w->m->threads[t].len);
}

static void read_sites(struct walk *w)
{
    const struct trace *t = w->m->trace;
    size_t bytes = (t->sites.len + 1) * sizeof *w->last;
    w->last = mem_get(bytes);
    memset(w->last, 0xff, bytes);
    w->sites = mem_zeroed(t->sites.len + 1, sizeof *w->sites);
    w->sections = mem_zeroed(t->sites.len + 1, sizeof *w->sections);
    for (uint32_t i = 0; i < t->sites.len; i++) {
        w->sites[i] = (uint8_t)((t->sites.at[i].depends_count > 0 ? SITE_DEPENDS : 0) |
                                (t->sites.at[i].statement > 0 ? SITE_STATEMENT : 0));
        w->depends |= t->sites.at[i].depends_count > 0;
    }
}

void units_walk(const struct predictor *p, const struct intent *intent,
                const struct unit_visitor *to)
{
    struct walk w = {.p = p, .m = p->m, .intent = intent, .to = to};
    read_sites(&w);
    for (thr_id t = 0; t < p->k && !(p->stop && p->stop()); t++)
        walk_thread(&w, t);
    free(w.last);
    free(w.sites);
    free(w.sections);
    vec_done(&w.open);
    vec_done(&w.kept);
    vec_done(&w.statement);
    vec_done(&w.before);
    vec_done(&w.dependent);
    vec_done(&w.rechecked);
}
