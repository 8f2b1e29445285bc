/* SPDX-License-Identifier: Apache-2.0
 *
 * missing: what a violation is about, in words, and what keeps it possible: no lock, another
 * lock (by name the same, perhaps, and at run time not), a section that is too short. */
#include "verify/judge.h"

#include <string.h>

static void add_place(struct str *out, const struct model *m, ev_id e)
{
    const struct def_site *s = &m->trace->sites.at[model_site(m, e)];
    uint32_t i = s->file.len;
    while (i > 0 && s->file.at[i - 1] != '/')
        i--;
    str_add(out, "%.*s:%u", (int)(s->file.len - i), s->file.at + i, s->line);
}

static const char *verb_of(const struct model *m, ev_id e)
{
    bool reads = model_reads(m, e), writes = model_writes(m, e);
    return reads && writes ? "update" : writes ? "write" : "read";
}

static void add_cell(struct str *out, const struct model *m, ev_id e)
{
    const struct def_site *s = &m->trace->sites.at[model_site(m, e)];
    if (s->name.len > 0)
        str_add(out, "%.*s", (int)s->name.len, s->name.at);
    else
        cell_name(out, m, model_cells(m, e).first);
}

static void add_access(struct str *out, const struct model *m, ev_id e)
{
    str_add(out, "%s of ", verb_of(m, e));
    add_cell(out, m, e);
    str_add(out, " at ");
    add_place(out, m, e);
}

void violation_tell(struct str *out, const struct model *m, const struct violation *v)
{
    CHECK(v->pattern >= 1 && v->pattern <= 8);
    thr_id i = m->ev[v->e[0]].thr, j = m->ev[v->e[1]].thr;
    if (v->pattern <= 5) {
        add_access(out, m, v->e[1]);
        str_add(out, " (T%u) between %s at ", j, verb_of(m, v->e[0]));
        add_place(out, m, v->e[0]);
        str_add(out, " and %s at ", verb_of(m, v->e[2]));
        add_place(out, m, v->e[2]);
        str_add(out, " (T%u)", i);
        return;
    }
    add_access(out, m, v->e[0]);
    str_add(out, " (T%u) before ", i);
    add_access(out, m, v->e[1]);
    str_add(out, " (T%u), but ", j);
    add_access(out, m, v->e[2]);
    str_add(out, " (T%u) before ", j);
    add_access(out, m, v->e[3]);
    str_add(out, " (T%u)", i);
}

void excluded_tell(struct str *out, const struct model *m, const struct violation *v)
{
    if (v->why) {
        str_add(out, "%s", v->why);
        return;
    }
    if (v->lock == NONE) {
        str_add(out, "the threads' own order excludes it: creation, join, program order");
        return;
    }
    str_add(out, "excluded by `");
    sync_name(out, m, v->lock);
    str_add(out, "`: both sections now hold it");
}

/* ---- what is missing --------------------------------------------------------------------- */

/* Locks that the event's thread holds there. */
typedef VEC(sync_id) lock_list;

static void held(lock_list *out, const struct model *m, ev_id e)
{
    uint32_t p = m->idx[e];
    for (uint32_t i = model_held(m, m->ev[e].thr, p); i != NONE; i = model_held_next(m, i, p))
        vec_push(out, m->obj[m->acquires[i]]);
}

static bool has_lock(const lock_list *l, sync_id lock)
{
    for (uint32_t i = 0; i < l->len; i++)
        if (l->at[i] == lock)
            return true;
    return false;
}

/* The site of the acquire that protects e. */
static uint32_t acquire_site(const struct model *m, ev_id e, sync_id lock)
{
    ev_id acquire = section_of(m, e, lock);
    return acquire == NONE ? NONE : model_site(m, acquire);
}

static void add_lock(struct str *out, const struct model *m, sync_id lock)
{
    str_char(out, '`');
    sync_name(out, m, lock);
    str_char(out, '`');
}

/* Both sides hold a lock, and not the same one. */
static bool tell_different(struct str *out, const struct model *m, const struct violation *v,
                           const lock_list *a, const lock_list *b)
{
    if (a->len == 0 || b->len == 0)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (has_lock(b, a->at[i]))
            return false;
    str_add(out, "two different locks: T%u holds ", m->ev[v->e[0]].thr);
    add_lock(out, m, a->at[0]);
    str_add(out, " at ");
    add_place(out, m, v->e[0]);
    str_add(out, ", T%u holds ", m->ev[v->e[1]].thr);
    add_lock(out, m, b->at[0]);
    str_add(out, " at ");
    add_place(out, m, v->e[1]);
    if (acquire_site(m, v->e[0], a->at[0]) == acquire_site(m, v->e[1], b->at[0]))
        str_add(out, "; the line that takes them is the same, the objects are not");
    str_add(out, ". Both must take the same object");
    return true;
}

/* One section holds the lock of the other side, but not from the first access to the last. */
static bool tell_short(struct str *out, const struct model *m, ev_id first, ev_id last,
                       const lock_list *other)
{
    for (uint32_t i = 0; i < other->len; i++) {
        ev_id a = section_of(m, first, other->at[i]), b = section_of(m, last, other->at[i]);
        if (a == NONE && b == NONE)
            continue;
        if (a != NONE && a == b)
            continue;
        str_add(out, "the section of ");
        add_lock(out, m, other->at[i]);
        str_add(out, " in T%u is too short: ", m->ev[first].thr);
        if (a != NONE && b != NONE) {
            str_add(out, "it ends at ");
            add_place(out, m, m->link[a]);
            str_add(out, " and is taken again at ");
            add_place(out, m, b);
            str_add(out, "; one section must reach from ");
            add_place(out, m, first);
            str_add(out, " to ");
            add_place(out, m, last);
        } else if (a != NONE) {
            str_add(out, "it must reach to ");
            add_place(out, m, last);
        } else {
            str_add(out, "it must begin at ");
            add_place(out, m, first);
        }
        return true;
    }
    return false;
}

static bool tell_unlocked(struct str *out, const struct model *m, ev_id e,
                          const lock_list *others)
{
    if (others->len == 0)
        return false;
    add_access(out, m, e);
    str_add(out, " (T%u) must hold ", m->ev[e].thr);
    add_lock(out, m, others->at[0]);
    str_add(out, " too");
    return true;
}

/* The lock that most accesses to the same memory hold, and where one does; NONE: none. */
static sync_id usual_lock(const struct model *m, ev_id e, ev_id *where)
{
    struct map counts = {0};
    sync_id best = NONE;
    uint32_t most = 0;
    cell_id c = model_cells(m, e).first;
    for (uint32_t i = m->cell_first[c]; i < m->cell_first[c + 1]; i++) {
        lock_list locks = {0};
        held(&locks, m, m->accesses[i]);
        for (uint32_t k = 0; k < locks.len; k++) {
            uint32_t *count = map_at(&counts, locks.at[k] + 1);
            *count = *count == NONE ? 1 : *count + 1;
            if (*count > most) {
                most = *count;
                best = locks.at[k];
                *where = m->accesses[i];
            }
        }
        vec_done(&locks);
    }
    map_done(&counts);
    return best;
}

static void tell_none(struct str *out, const struct model *m, const struct violation *v)
{
    ev_id where = NONE, e = v->e[0];
    bool is_atomic_all = true;
    for (uint32_t i = 0; i < violation_count(v); i++)
        is_atomic_all &= model_is_atomic(m, v->e[i]);
    sync_id lock = usual_lock(m, e, &where);
    str_add(out, "no lock is held around these accesses");
    if (is_atomic_all)
        str_add(out, ": each is atomic by itself, but they belong together");
    if (lock == NONE)
        return;
    str_add(out, "; elsewhere ");
    add_lock(out, m, lock);
    str_add(out, " is, as at ");
    add_place(out, m, where);
}

void missing_tell(struct str *out, const struct model *m, const struct violation *v)
{
    CHECK(v->pattern >= 1 && v->pattern <= 8);
    lock_list a = {0}, b = {0};
    ev_id first = v->e[0], last = v->pattern <= 5 ? v->e[2] : v->e[3];
    ev_id inner = v->e[1], inner_last = v->pattern <= 5 ? v->e[1] : v->e[2];
    if (m->idx[last] < m->idx[first]) {
        ev_id swap = first;
        first = last;
        last = swap;
    }
    if (m->idx[inner_last] < m->idx[inner]) {
        ev_id swap = inner;
        inner = inner_last;
        inner_last = swap;
    }
    held(&a, m, first);
    held(&a, m, last);
    held(&b, m, inner);
    held(&b, m, inner_last);
    bool said = tell_different(out, m, v, &a, &b) || tell_short(out, m, first, last, &b) ||
                tell_short(out, m, inner, inner_last, &a) ||
                (b.len == 0 && tell_short(out, m, first, last, &a)) ||
                (b.len == 0 && tell_unlocked(out, m, inner, &a)) ||
                (a.len == 0 && tell_unlocked(out, m, first, &b));
    if (!said)
        tell_none(out, m, v);
    vec_done(&a);
    vec_done(&b);
}
